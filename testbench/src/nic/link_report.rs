//! What `run link` shows and leaves behind.

use super::bound::Bound;
use super::link::LinkOutcome;
use super::link_config::{LinkOperation, LinkSpec};
use super::link_provenance::provenance;
use super::outputs;
use hpcc_models::nic::Operation;
use hpcc_models::sched::SchedRegisters;
use hpcc_sim::plan::Finding;
use hpcc_sim::scenario::output::{checks, OutDir};
use serde_json::{json, Map, Value};
use std::fmt::Write as _;

/// Percent of the bound that payload must reach on an ideal wire, where no law holds it back.
pub const LEAST_PERCENT: f64 = 97.0;
/// Payload below which the start and the end of a run weigh too much for that check, bytes.
const ENOUGH_PAYLOAD: u64 = 1 << 20;

/// Payload in the direction away from a NIC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throughput {
    /// Payload bits per second from the first bit to the last, each byte counted once.
    pub bps: f64,
    /// Of the least bound, percent.
    pub percent: f64,
}

/// What one direction can carry at most.
pub fn bound(spec: &LinkSpec, outcome: &LinkOutcome) -> Bound {
    Bound::new(spec, outcome.loop_ns as f64)
}

/// Throughput of each direction that carries payload.
pub fn throughput(spec: &LinkSpec, outcome: &LinkOutcome) -> [Option<Throughput>; 2] {
    [0, 1].map(|side| {
        let side = &outcome.sides[side];
        let time_ns = side.last_ns - side.first_ns as f64;
        (side.payload > 0 && time_ns > 0.0).then(|| {
            let bps = side.payload as f64 * 8e9 / time_ns;
            let percent = 100.0 * bps / bound(spec, outcome).least().1;
            Throughput { bps, percent }
        })
    })
}

fn finding(name: &str, passed: bool, ours: String) -> Finding {
    Finding::new(name, "", ours, passed)
}

/// The checks of a run.
pub fn findings(spec: &LinkSpec, outcome: &LinkOutcome) -> Vec<Finding> {
    let errors = outcome.errors();
    let expected = spec.messages * if spec.op.both() { 2 } else { 1 };
    let completions = outcome.sides.iter().flat_map(|side| &side.completions);
    let completed = completions.filter(|done| done.operation != Operation::Receive).count();
    let mut findings = vec![
        finding(
            "memory",
            outcome.damage().is_none(),
            match outcome.damage() {
                Some(damage) => damage.to_owned(),
                None if errors > 0 => format!("as the completions say; {errors} of {completed} are errors"),
                None => "identical, byte for byte".to_owned(),
            },
        ),
        finding(
            "completions",
            outcome.finished,
            format!("{completed} of {expected} work requests completed, {errors} with an error"),
        ),
    ];
    findings.extend(cap(spec, outcome));
    findings.extend(flood(spec, outcome));
    let slowest = throughput(spec, outcome)
        .into_iter()
        .flatten()
        .map(|t| t.percent)
        .min_by(f64::total_cmp);
    if let Some(percent) =
        slowest.filter(|_| spec.ideal() && !spec.int && spec.cap_gbps.is_none() && spec.total() >= ENOUGH_PAYLOAD)
    {
        let (name, _) = bound(spec, outcome).least();
        let repeats: u64 = outcome.sides.iter().map(|side| side.repeats).sum();
        let timeouts = outcome.count("timeouts");
        findings.push(finding(
            "throughput",
            percent >= LEAST_PERCENT,
            format!("{percent:.1} % of the least bound ({name}), at least {LEAST_PERCENT} % expected"),
        ));
        findings.push(finding(
            "repeats",
            repeats == 0 && timeouts == 0,
            format!("{repeats} frames sent again, {timeouts} timeouts; none expected on this wire"),
        ));
    }
    findings
}

/// What a packet's way from its grant to the wire differs by at most, ns: memory answers sooner or later, and flows take turns.
const JITTER_NS: f64 = 1000.0;

/// What a cap written while the NICs ran did: each flow may be ahead of it by a packet, what it earns in a visit interval, and what it earns
/// in the time by which packets' ways to the wire differ.
fn cap(spec: &LinkSpec, outcome: &LinkOutcome) -> Option<Finding> {
    let gbps = spec.cap_gbps?;
    let registers = SchedRegisters::default();
    let packet = f64::from(spec.mtu + registers.overhead);
    let bound = f64::from(spec.qps) * (packet + gbps / 8.0 * (f64::from(registers.interval_ns) + JITTER_NS) + 1.0);
    let sides: Vec<_> = outcome.sides.iter().filter(|side| side.capped_bytes > 0.0).collect();
    let ahead = sides.iter().map(|side| side.ahead_bytes).fold(0.0, f64::max);
    Some(finding(
        "cap",
        !sides.is_empty() && ahead <= bound,
        match sides.is_empty() {
            true => "no data left after the cap was written: expected more work".to_owned(),
            false => format!("at most {ahead:.0} bytes ahead of {gbps} Gb/s for each flow, {bound:.0} allowed"),
        },
    ))
}

/// Payload bits per second that the queue pairs with work offer while a flood goes on, and what of it was delivered, percent: all of it until
/// the last completion.
pub fn delivered(spec: &LinkSpec, outcome: &LinkOutcome) -> Option<Throughput> {
    let offered = spec.cap_gbps? * f64::from(spec.qps) * bound(spec, outcome).wire / spec.link.rate_gbps;
    let first_ns = outcome
        .sides
        .iter()
        .filter(|side| side.payload > 0)
        .map(|side| side.first_ns)
        .min()?;
    let last_ns = outcome
        .sides
        .iter()
        .flat_map(|side| &side.completions)
        .map(|done| done.t_ns)
        .max()?;
    let bps = spec.total() as f64 * 8e9 / (last_ns + outcome.base_ns).saturating_sub(first_ns).max(1) as f64;
    Some(Throughput {
        bps,
        percent: 100.0 * bps / offered,
    })
}

fn flood(spec: &LinkSpec, outcome: &LinkOutcome) -> Option<Finding> {
    let (frames, answers) = outcome.flood?;
    let percent = delivered(spec, outcome).map_or(0.0, |rate| rate.percent);
    Some(finding(
        "flood",
        outcome.finished && percent >= LEAST_PERCENT,
        format!(
            "{percent:.1} % of what was offered came through beside {frames} frames of a third host, to which {answers} frames went; \
             at least {LEAST_PERCENT} % expected"
        ),
    ))
}

/// The screen of one run.
pub fn screen(spec: &LinkSpec, outcome: &LinkOutcome, findings: &[Finding], fidelity: &str, dir: &OutDir) -> String {
    let mut text = format!(
        "two NICs on a wire ({fidelity}): {} of {} x {} bytes, MTU {}, {} queue pair{}, INT {}, law {}, seed {}\n\n",
        spec.op.name(),
        spec.messages,
        spec.bytes,
        spec.mtu,
        spec.qps,
        if spec.qps == 1 { "" } else { "s" },
        if spec.int { "on" } else { "off" },
        spec.law_names(),
        spec.seed,
    );
    let _ = writeln!(text, "{:<34}{:>16}{:>16}", "", "a", "b");
    let mut row = |name: &str, values: [String; 2]| {
        let _ = writeln!(text, "{name:<34}{:>16}{:>16}", values[0], values[1]);
    };
    let sides = &outcome.sides;
    row("frames sent", [0, 1].map(|i| sides[i].frames.to_string()));
    row("payload sent, bytes", [0, 1].map(|i| sides[i].payload.to_string()));
    row("frames sent again", [0, 1].map(|i| sides[i].repeats.to_string()));
    let rates = throughput(spec, outcome);
    let shown = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    row("payload, Gb/s", [0, 1].map(|i| shown(rates[i].map(|t| t.bps / 1e9))));
    let bound = bound(spec, outcome);
    for (name, bps) in bound.all() {
        row(
            &format!("bound of the {name}, Gb/s"),
            [0, 1].map(|i| shown(rates[i].map(|_| bps / 1e9))),
        );
    }
    row(
        "reached of the least bound, %",
        [0, 1].map(|i| shown(rates[i].map(|t| t.percent))),
    );
    row("completions", [0, 1].map(|i| sides[i].completions.len().to_string()));
    // Every counter that moved, beyond the frames above.
    let names = sides[0]
        .counters
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| *name != "tx_frames");
    for name in names {
        let values = [0, 1].map(|i| {
            sides[i]
                .counters
                .iter()
                .find(|(n, _)| *n == name)
                .map_or(0, |(_, v)| *v)
        });
        if values != [0, 0] {
            row(name, values.map(|value| value.to_string()));
        }
    }
    text.push('\n');
    for finding in findings {
        text += &finding.lines();
    }
    let wall = outcome.wall.as_secs_f64();
    let _ = write!(text, "\n{:.3} ms simulated in {wall:.2} s", outcome.now_ns as f64 / 1e6);
    if let Some(cpu_s) = outcome.cpu_s {
        let _ = write!(text, ", {cpu_s:.2} s of a processor");
    }
    if outcome.clocks > 0 {
        let _ = write!(text, ", {:.0} clocks a second", outcome.clocks as f64 / wall.max(1e-9));
    }
    let _ = writeln!(text, "; files in {}", dir.path().display());
    text
}

fn summary(spec: &LinkSpec, outcome: &LinkOutcome, findings: &[Finding], fidelity: &str) -> Value {
    let frames: u64 = outcome.sides.iter().map(|side| side.frames).sum();
    let wall_s = outcome.wall.as_secs_f64();
    let rates = throughput(spec, outcome);
    let direction = |i: usize| rates[i].map(|t| json!({"payload_bps": t.bps, "percent_of_bound": t.percent}));
    let bounds = bound(spec, outcome)
        .all()
        .map(|(name, bps)| (name.to_owned(), json!(bps)));
    let repeats: u64 = outcome.sides.iter().map(|side| side.repeats).sum();
    json!({
        "scenario": "link",
        "law": spec.law_names(),
        "fidelity": fidelity,
        "seed": spec.seed,
        "simulated_ns": outcome.now_ns,
        "packets": frames,
        "events": frames,
        "wall_s": wall_s,
        "cpu_s": outcome.cpu_s,
        "provenance": provenance(spec),
        "packets_per_wall_s": frames as f64 / wall_s.max(1e-9),
        "clocks": outcome.clocks,
        "op": spec.op.name(),
        "bytes": spec.bytes,
        "messages": spec.messages,
        "mtu": spec.mtu,
        "error_completions": outcome.errors(),
        "retransmitted": outcome.count("retransmitted"),
        "repeats": repeats,
        "timeouts": outcome.count("timeouts"),
        "bounds_bps": Value::Object(Map::from_iter(bounds)),
        "bound_bps": bound(spec, outcome).least().1,
        "a_to_b": direction(0),
        "b_to_a": direction(1),
        "checks": checks(findings),
    })
}

/// Writes the files of a run.
pub fn write(
    dir: &OutDir,
    spec: &LinkSpec,
    outcome: &LinkOutcome,
    findings: &[Finding],
    fidelity: &str,
) -> Result<(), String> {
    let (mut counters, mut completions) = (Map::new(), Vec::new());
    for (name, side) in ["a", "b"].into_iter().zip(&outcome.sides) {
        let values = side
            .counters
            .iter()
            .map(|(name, value)| (name.to_string(), json!(value)));
        counters.insert(name.into(), Value::Object(values.collect()));
        completions.extend(side.completions.iter().map(|done| (done.t_ns, name, done)));
    }
    completions.sort_by_key(|(t_ns, name, _)| (*t_ns, *name));
    let lines = outputs::lines(completions.iter().map(|(_, name, done)| {
        let mut value = outputs::completion(done);
        value["nic"] = json!(name);
        value
    }));
    dir.write("counters.json", outputs::pretty(&Value::Object(counters)).as_bytes())?;
    dir.write("completions.jsonl", lines.as_bytes())?;
    if spec.pcap {
        let capture = outputs::capture(&outcome.sent).map_err(|error| error.to_string())?;
        dir.write("packets.pcap", &capture)?;
    }
    let summary = summary(spec, outcome, findings, fidelity);
    dir.write("summary.json", outputs::pretty(&summary).as_bytes())
}

/// One line of the table over MTUs: one way and both ways.
#[derive(Clone, Debug)]
pub struct TableRow {
    /// Path MTU, bytes.
    pub mtu: u32,
    /// One way: bound and what was reached.
    pub one_way: (f64, Option<Throughput>),
    /// Both ways at once: bound of a direction and the slower direction.
    pub both_ways: (f64, Option<Throughput>),
}

impl TableRow {
    /// A row from the two runs.
    pub fn new(mtu: u32, one_way: (&LinkSpec, &LinkOutcome), both_ways: (&LinkSpec, &LinkOutcome)) -> Self {
        let cell = |(spec, outcome): (&LinkSpec, &LinkOutcome)| {
            let slower = throughput(spec, outcome).into_iter().flatten();
            (
                bound(spec, outcome).least().1,
                slower.min_by(|a, b| a.percent.total_cmp(&b.percent)),
            )
        };
        Self {
            mtu,
            one_way: cell(one_way),
            both_ways: cell(both_ways),
        }
    }
}

/// The table over MTUs, for the screen.
pub fn table(rows: &[TableRow], op: LinkOperation, int: bool, fidelity: &str) -> String {
    let mut text = format!(
        "payload of {} on an ideal wire ({fidelity}), INT {}; bound: the least of wire, beats, ring and decisions\n\n",
        op.operation().name(),
        if int { "on" } else { "off" }
    );
    let _ = writeln!(
        text,
        "{:>6}{:>16}{:>12}{:>8}{:>22}{:>12}{:>8}",
        "MTU", "one way, Gb/s", "bound", "%", "both ways, Gb/s each", "bound", "%"
    );
    for row in rows {
        let cell = |(bound, got): (f64, Option<Throughput>)| {
            let (bps, percent) = got.map_or((0.0, 0.0), |t| (t.bps / 1e9, t.percent));
            (
                format!("{bps:.2}"),
                format!("{:.2}", bound / 1e9),
                format!("{percent:.1}"),
            )
        };
        let (a, b) = (cell(row.one_way), cell(row.both_ways));
        let _ = writeln!(
            text,
            "{:>6}{:>16}{:>12}{:>8}{:>22}{:>12}{:>8}",
            row.mtu, a.0, a.1, a.2, b.0, b.1, b.2
        );
    }
    text
}

/// `table.csv`.
pub fn table_csv(rows: &[TableRow]) -> String {
    let mut text =
        String::from("mtu,one_way_bps,one_way_bound_bps,one_way_percent,both_bps,both_bound_bps,both_percent\n");
    for row in rows {
        let cell = |(bound, got): (f64, Option<Throughput>)| {
            let (bps, percent) = got.map_or((0.0, 0.0), |t| (t.bps, t.percent));
            format!("{bps:.0},{bound:.0},{percent:.3}")
        };
        let _ = writeln!(text, "{},{},{}", row.mtu, cell(row.one_way), cell(row.both_ways));
    }
    text
}
