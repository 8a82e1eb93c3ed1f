//! Scenario files (TOML): network, traffic, law, how long, which variants are compared.
//!
//! `set` of a variant, `full`, and `--set` on the command line change single values by dotted path (`cc.w_ai = 25`, `traffic.0.bytes = 1000`).

use serde::Deserialize;
use toml::{Table, Value};

use super::rtl_slot::Driver;
use super::Fidelity;

/// One scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Name.
    pub name: String,
    /// One line.
    pub title: String,
    /// Which figure it reproduces: chooses the analysis.
    #[serde(default)]
    pub figure: Option<String>,
    /// The paper's sentence about it.
    #[serde(default)]
    pub paper: Option<String>,
    /// Law.
    #[serde(default = "hpcc")]
    pub law: String,
    /// Fidelity.
    #[serde(default)]
    pub fidelity: Fidelity,
    /// Seed.
    #[serde(default = "one")]
    pub seed: u64,
    /// Network.
    pub network: NetworkSpec,
    /// Congestion control.
    #[serde(default)]
    pub cc: CcSpec,
    /// Traffic, added up.
    #[serde(default)]
    pub traffic: Vec<TrafficSpec>,
    /// How long, and what is observed.
    pub run: RunSpec,
    /// Runs to compare; none: one run.
    #[serde(default)]
    pub variant: Vec<Variant>,
    /// Changes that make it full size.
    #[serde(default)]
    pub full: Table,
}

/// Network of a scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSpec {
    /// `star`, `dumbbell`, `chain`, `fat-tree`, `testbed`, or a topology file in the ns-3 simulator's format.
    pub topology: String,
    /// Hosts of a star, pairs of a dumbbell, hosts per switch of a chain.
    #[serde(default)]
    pub hosts: usize,
    /// Speed of host links, Gb/s.
    #[serde(default = "hundred")]
    pub rate_gbps: u64,
    /// Speeds between switches, Gb/s (dumbbell: the first; chain: one less than switches).
    #[serde(default)]
    pub middle_gbps: Vec<u64>,
    /// Delay of each link, ns.
    #[serde(default = "thousand")]
    pub delay_ns: u64,
    /// Pods of a fat tree, 64 hosts each (the paper's has five).
    #[serde(default = "five")]
    pub pods: usize,
    /// Payload of a full packet, bytes.
    #[serde(default = "mtu")]
    pub mtu: u32,
    /// Buffer of a switch, MB.
    #[serde(default = "thirty_two")]
    pub buffer_mb: u64,
    /// `pfc`, `go-back-n` or `irn`.
    #[serde(default = "pfc")]
    pub flow_control: String,
    /// Pause thresholds grow with a port's speed over the NIC's, as in the authors' simulator: 1/8, 1/4, 1/2 of the free buffer.
    #[serde(default)]
    pub pause_scales_with_speed: bool,
    /// Acknowledgements have their own strict-priority queue in switches.
    #[serde(default)]
    pub ack_priority: bool,
    /// Probability of losing a packet on any link.
    #[serde(default)]
    pub loss: f64,
    /// Retransmission timeout, us.
    #[serde(default = "timeout")]
    pub retry_timeout_us: u64,
    /// Links that fail, return or change speed.
    #[serde(default)]
    pub link_change: Vec<LinkChangeSpec>,
}

/// A link change of a scenario.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkChangeSpec {
    /// When, us.
    pub at_us: f64,
    /// Link, by its place in the topology.
    pub link: usize,
    /// Usable from then on.
    #[serde(default = "yes")]
    pub up: bool,
    /// New speed, Gb/s.
    #[serde(default)]
    pub rate_gbps: Option<u64>,
}

/// Congestion control of a scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CcSpec {
    /// `T`, ns.
    pub t_ns: u64,
    /// `W_AI`, bytes.
    pub w_ai: f64,
    /// `eta`.
    pub eta: f64,
    /// `maxStage`.
    pub max_stage: u8,
    /// Smallest rate, Mb/s.
    pub min_rate_mbps: Option<u64>,
    /// `rusthdl` or `verilated`: how the RTL runs at `cc-rtl`.
    pub driver: Driver,
    /// A window takes effect this long after its acknowledgement, ns.
    pub latency_ns: Option<u64>,
}

impl Default for CcSpec {
    fn default() -> Self {
        Self {
            t_ns: 13_000,
            w_ai: 80.0,
            eta: 0.95,
            max_stage: 5,
            min_rate_mbps: None,
            driver: Driver::Rusthdl,
            latency_ns: None,
        }
    }
}

/// One source of traffic.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TrafficSpec {
    /// One flow, or the same again and again.
    Flow {
        /// Sending host.
        src: u32,
        /// Receiving host.
        dst: u32,
        /// Payload, bytes.
        bytes: u64,
        /// Start, us.
        #[serde(default)]
        start_us: f64,
        /// How many.
        #[serde(default = "one_flow")]
        count: u32,
        /// Between them, us.
        #[serde(default)]
        every_us: f64,
    },
    /// Hosts 0 to `senders - 1` to one receiver at once.
    Incast {
        /// Senders.
        senders: u32,
        /// Receiving host.
        receiver: u32,
        /// Payload of each, bytes.
        bytes: u64,
        /// Start, us.
        #[serde(default)]
        start_us: f64,
        /// First sender.
        #[serde(default)]
        first: u32,
    },
    /// Poisson arrivals between random hosts.
    Poisson {
        /// `websearch`, `fb-hadoop`, or a file.
        sizes: String,
        /// Fraction of the hosts' links.
        load: f64,
        /// Arrivals until, us.
        until_us: f64,
    },
    /// Bursts of many senders to one receiver at random.
    IncastMix {
        /// Senders of a burst.
        senders: usize,
        /// Payload of each, bytes.
        bytes: u64,
        /// Fraction of the hosts' links.
        load: f64,
        /// Bursts until, us.
        until_us: f64,
    },
    /// A flow file in the ns-3 simulator's format.
    File {
        /// Path.
        path: String,
    },
}

/// Length and observation of a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// Ends here at the latest, us; earlier when all flows are over.
    pub stop_us: f64,
    /// Between samples, ns.
    #[serde(default = "thousand")]
    pub sample_ns: u64,
    /// Samples start, us.
    #[serde(default)]
    pub sample_from_us: f64,
    /// Every n-th sample goes into the series.
    #[serde(default = "every")]
    pub series_every: u32,
    /// Flows with a number below this have series.
    #[serde(default = "series_flows")]
    pub flow_series: u32,
    /// Queue lengths as series too.
    #[serde(default = "yes")]
    pub queue_series: bool,
}

/// One of the runs that a scenario compares.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Label in figures and name of the folder.
    pub label: String,
    /// Changes by dotted path.
    #[serde(default)]
    pub set: Table,
}

fn hpcc() -> String {
    "hpcc".into()
}
fn pfc() -> String {
    "pfc".into()
}
fn one() -> u64 {
    1
}
fn one_flow() -> u32 {
    1
}
fn hundred() -> u64 {
    100
}
fn thousand() -> u64 {
    1000
}
fn five() -> usize {
    5
}
fn mtu() -> u32 {
    1024
}
fn thirty_two() -> u64 {
    32
}
fn timeout() -> u64 {
    4000
}
fn every() -> u32 {
    1
}
fn series_flows() -> u32 {
    64
}
fn yes() -> bool {
    true
}

/// What the command line changes.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--cc`.
    pub law: Option<String>,
    /// `--fidelity`.
    pub fidelity: Option<Fidelity>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--set key=value`.
    pub set: Vec<(String, Value)>,
    /// `--full`.
    pub full: bool,
    /// One run without the scenario's variants.
    pub no_variants: bool,
}

/// One run to do: its label (none if it is the only one) and its scenario.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Label.
    pub label: Option<String>,
    /// Scenario with all changes made.
    pub scenario: Scenario,
}

/// Reads a scenario and makes the list of runs. `file` is used in errors.
pub fn plan(file: &str, text: &str, overrides: &Overrides) -> Result<Vec<Planned>, String> {
    let base: Scenario = toml::from_str(text).map_err(|e| {
        let line = e
            .span()
            .map_or(1, |s| text[..s.start.min(text.len())].matches('\n').count() + 1);
        format!("{file}:{line}: {}", e.message().replace('\n', " "))
    })?;
    let mut table: Table = text.parse().map_err(|e| format!("{file}: {e}"))?;
    if overrides.full {
        apply_all(&mut table, &base.full, file)?;
    }
    if let Some(law) = &overrides.law {
        table.insert("law".into(), Value::String(law.clone()));
    }
    if let Some(fidelity) = overrides.fidelity {
        table.insert("fidelity".into(), Value::String(fidelity.name().into()));
    }
    if let Some(seed) = overrides.seed {
        table.insert("seed".into(), Value::Integer(seed as i64));
    }
    for (key, value) in &overrides.set {
        apply(&mut table, key, value.clone()).map_err(|e| format!("--set {key}: {e}"))?;
    }
    if overrides.no_variants {
        table.remove("variant");
    }
    let finish = |table: Table, what: &str| -> Result<Scenario, String> {
        table
            .try_into()
            .map_err(|e: toml::de::Error| format!("{what}: {}", e.message().replace('\n', " ")))
    };
    let whole = finish(table.clone(), "--set")?;
    let mut runs: Vec<Planned> = Vec::new();
    for variant in &whole.variant {
        let mut set = variant.set.clone();
        if overrides.law.is_some() {
            set.remove("law");
        }
        if set.is_empty() && overrides.law.is_some() {
            continue;
        }
        let mut own = table.clone();
        own.remove("variant");
        apply_all(&mut own, &set, file)?;
        let scenario = finish(own, &format!("{file}: variant {}", variant.label))?;
        runs.push(Planned {
            label: Some(variant.label.clone()),
            scenario,
        });
    }
    if runs.is_empty() {
        runs.push(Planned {
            label: None,
            scenario: whole,
        });
    }
    Ok(runs)
}

fn apply_all(table: &mut Table, changes: &Table, file: &str) -> Result<(), String> {
    for (key, value) in changes {
        apply(table, key, value.clone()).map_err(|e| format!("{file}: {key}: {e}"))?;
    }
    Ok(())
}

/// Sets one value by dotted path; parts that are numbers index arrays.
fn apply(table: &mut Table, path: &str, value: Value) -> Result<(), String> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(a, b)| (a, Some(b)));
    let Some(rest) = rest else {
        table.insert(first.into(), value);
        return Ok(());
    };
    let slot = table.entry(first).or_insert_with(|| Value::Table(Table::new()));
    match slot {
        Value::Table(inner) => apply(inner, rest, value),
        Value::Array(list) => {
            let (index, rest) = rest
                .split_once('.')
                .ok_or("expected an index and a key, such as traffic.0.bytes")?;
            let len = list.len();
            let item = index.parse::<usize>().ok().and_then(|i| list.get_mut(i));
            match item {
                Some(Value::Table(inner)) => apply(inner, rest, value),
                _ => Err(format!("expected an index below {len}, got `{index}`")),
            }
        }
        _ => Err(format!("expected `{first}` to be a table")),
    }
}

/// `--set key=value`: the value as TOML, or as a plain string.
pub fn parse_set(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| format!("expected key=value, got `{text}`"))?;
    let parsed = format!("v = {value}")
        .parse::<Table>()
        .ok()
        .and_then(|mut t| t.remove("v"));
    Ok((key.trim().into(), parsed.unwrap_or_else(|| Value::String(value.into()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name='x'\ntitle='t'\nnetwork={topology='star',hosts=3}\nrun={stop_us=10}\n\
        [[traffic]]\nkind='flow'\nsrc=0\ndst=2\nbytes=5\n[[variant]]\nlabel='a'\nset={law='dcqcn'}\n[[variant]]\nlabel='b'\n\
        set={'cc.w_ai'=25}\n[full]\n'traffic.0.bytes'=500\n";

    #[test]
    fn variants_sets_and_full() {
        let runs = plan("x", TEXT, &Overrides::default()).unwrap();
        assert_eq!(runs.len(), 2);
        assert_eq!(
            (runs[0].scenario.law.as_str(), runs[1].scenario.cc.w_ai),
            ("dcqcn", 25.0)
        );
        let set = vec![parse_set("network.hosts=9").unwrap()];
        let runs = plan(
            "x",
            TEXT,
            &Overrides {
                law: Some("dctcp".into()),
                full: true,
                set,
                ..Overrides::default()
            },
        )
        .unwrap();
        assert_eq!(runs.len(), 1);
        assert_eq!(
            (runs[0].scenario.law.as_str(), runs[0].scenario.network.hosts),
            ("dctcp", 9)
        );
        assert!(matches!(
            runs[0].scenario.traffic[0],
            TrafficSpec::Flow { bytes: 500, .. }
        ));
    }

    #[test]
    fn one_line_errors() {
        let error = |text: &str| plan("s.toml", text, &Overrides::default()).unwrap_err();
        let bad = TEXT.replace("stop_us=10", "stop_us='soon'");
        assert!(error(&bad).starts_with("s.toml:4: "), "{}", error(&bad));
        assert!(error("name=1").starts_with("s.toml:1: "));
        let set = vec![parse_set("network.hosts=many").unwrap()];
        let refused = plan(
            "s",
            TEXT,
            &Overrides {
                set,
                ..Overrides::default()
            },
        )
        .unwrap_err();
        assert!(!refused.contains('\n') && refused.contains("--set"), "{refused}");
    }
}
