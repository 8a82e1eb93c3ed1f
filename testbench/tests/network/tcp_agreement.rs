//! TCP hosts against runs of stock ns-3 3.44 (`testbench/data/tcp`): completion times, drops, marks, repetitions, and the sender's state
//! acknowledgement by acknowledgement.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hpcc_models::net::tcp::TcpRow;
use hpcc_models::net::{SamplePlan, Simulator};
use hpcc_sim::plan::Job;
use hpcc_sim::scenario::files;
use hpcc_sim::scenario::spec::{parse_set, Overrides};

fn path(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/tcp").join(name);
    path.to_string_lossy().into_owned()
}

/// Rows of a file by column name.
fn table(name: &str) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut lines = text.lines().filter(|l| !l.starts_with('#'));
    let header: Vec<String> = lines.next().unwrap().split(',').map(String::from).collect();
    let row = |line: &str| header.iter().cloned().zip(line.split(',').map(String::from)).collect();
    lines.map(row).collect()
}

fn run_named(name: &str) -> BTreeMap<String, String> {
    let found = table("INDEX.csv").into_iter().find(|r| r["run"] == name);
    found.unwrap_or_else(|| panic!("INDEX.csv: no run {name}"))
}

/// What the command line would be told, and the job that it makes.
fn job(run: &BTreeMap<String, String>) -> (Vec<String>, Job) {
    let flag = |key: &str| run[key] == "1";
    let law = if run["law"] == "dctcp" {
        "dctcp-tcp"
    } else {
        &run["law"]
    };
    let mut set = vec![
        "tcp.profile=ns3".to_string(),
        format!("tcp.recovery={}", run["recovery"]),
        format!("tcp.sack={}", flag("sack")),
        format!("tcp.timestamps={}", flag("timestamps")),
        format!("tcp.min_rto_ms={}.0", run["min_rto_ms"]),
        format!("tcp.delayed_ack={}", run["delack"]),
        format!("tcp.initial_ssthresh={}", run["initial_ssthresh"]),
    ];
    if law == "cubic" {
        set.push(format!("tcp.hystart={}", flag("hystart")));
        set.push(format!("tcp.friendly={}", flag("cubic_tcp_friendly")));
    }
    if !run["arrivals_dropped"].is_empty() {
        set.push(format!(
            "tcp.drop_arrivals=[{}]",
            run["arrivals_dropped"].replace(' ', ",")
        ));
    }
    let changed = Overrides {
        law: Some(law.into()),
        set: set.iter().map(|text| parse_set(text).unwrap()).collect(),
        ..Overrides::default()
    };
    let job = files::job(&path(&run["topology"]), &path(&run["flow_file"]), &changed).unwrap();
    (set, job)
}

/// The command that repeats a run.
fn command(run: &BTreeMap<String, String>, set: &[String]) -> String {
    let set: String = set.iter().map(|s| format!(" --set {s}")).collect();
    let law = if run["law"] == "dctcp" {
        "dctcp-tcp"
    } else {
        &run["law"]
    };
    format!(
        "cargo run --release -- run --topology testbench/data/tcp/{} --flows testbench/data/tcp/{} --cc {law}{set}",
        run["topology"], run["flow_file"]
    )
}

fn simulate(job: &Job, after_ms: u64) -> Simulator {
    let plan = SamplePlan {
        interval_ps: 1_000_000_000,
        end_ps: after_ms * 1_000_000_000,
        ..SamplePlan::default()
    };
    let mut refuse = |_: &_| Err("no slot".to_string());
    let mut sim = Simulator::new(&job.topology, job.flows.clone(), job.config.clone(), plan, &mut refuse).unwrap();
    job.arrival_drops.iter().for_each(|d| sim.add_arrival_drops(d));
    sim.trace_tcp();
    sim.run_until(job.stop_ps);
    sim
}

/// Runs with ns-3's defective rate reduction and marks at once: its numbers are garbage by design, ours nearly the same.
const NEARLY: [&str; 2] = ["loss1_dctcp_sack1_prr_rto10", "loss5_dctcp_sack1_prr_rto10"];

/// Completion times of all 93 recorded runs to the nanosecond, drops and marks to the packet.
#[test]
fn every_recorded_run() {
    let runs = table("INDEX.csv");
    assert_eq!(runs.len(), 93);
    for run in &runs {
        let (set, job) = job(run);
        let sim = simulate(&job, 0);
        let times: Vec<f64> = sim
            .records()
            .iter()
            .map(|r| r.fct_ps().map_or(f64::NAN, |p| p as f64 / 1e3))
            .collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let most = times.iter().fold(0.0, |a: f64, &b| a.max(b));
        let number = |key: &str| run[key].parse::<f64>().unwrap();
        let tolerance = if NEARLY.contains(&run["run"].as_str()) {
            0.001 * mean
        } else {
            1.0
        };
        for (name, got) in [("fct_mean_ns", mean), ("fct_max_ns", most)] {
            assert!(
                (got - number(name)).abs() <= tolerance,
                "{} {name}: ns-3 {}, here {got}\n{}",
                run["run"],
                number(name),
                command(run, &set)
            );
        }
        let counters = sim.counters();
        assert_eq!(
            (counters.drops as f64, counters.marked as f64),
            (number("queue_drops"), number("ce_marks")),
            "{}: drops, marks\n{}",
            run["run"],
            command(run, &set)
        );
    }
}

/// One row as in the recording.
fn line(row: &TcpRow) -> String {
    format!(
        "{:.1},{},{},{},{},{},{},{},{}",
        row.t_ps as f64 / 1e3,
        row.ack,
        u8::from(row.ece),
        row.blocks,
        row.cwnd,
        row.ssthresh,
        row.state.name(),
        row.in_flight,
        row.snd_max
    )
}

/// The sender's state after each recorded acknowledgement, until everything has been sent: what the window does when nothing is left to
/// send, ns-3 decides by a rule that these recordings do not settle. Prints the first divergence.
fn assert_rows(name: &str, flow: u32, file: &str, least: usize) {
    let run = run_named(name);
    let (set, job) = job(&run);
    let sim = simulate(&job, 100);
    let size = job.flows[flow as usize].bytes;
    let rows = &sim.tcp_trace().unwrap().rows;
    let own: BTreeMap<String, &TcpRow> = rows
        .iter()
        .filter(|r| r.flow == flow)
        .map(|r| (format!("{:.1},{}", r.t_ps as f64 / 1e3, r.ack), r))
        .collect();
    let mut compared = 0;
    for want in table(file) {
        if want["snd_max_bytes"] == size.to_string() {
            break;
        }
        let columns = [
            "t_ns",
            "ack_bytes",
            "ece",
            "sack_blocks",
            "cwnd",
            "ssthresh",
            "state",
            "bytes_in_flight",
            "snd_max_bytes",
        ];
        let expected = columns.map(|c| want[c].as_str()).join(",");
        let got = own
            .get(&format!("{},{}", want["t_ns"], want["ack_bytes"]))
            .map(|r| line(r));
        assert_eq!(
            got.as_deref(),
            Some(expected.as_str()),
            "{name}: first divergence after {compared} rows of {}\n{}",
            columns.join(","),
            command(&run, &set)
        );
        compared += 1;
    }
    assert!(compared >= least, "{name}: {compared} rows");
}

#[test]
fn rows_of_newreno() {
    assert_rows(
        "small1_newreno_sack1_classic_rto10",
        0,
        "small1_newreno_sack1_classic_rto10.ack.csv",
        150,
    );
    assert_rows(
        "small5_newreno_sack0_classic_rto10",
        0,
        "small5_newreno_sack0_classic_rto10.ack.csv",
        150,
    );
    assert_rows(
        "tail3_newreno_sack1_classic_rto10",
        0,
        "tail3_newreno_sack1_classic_rto10.ack.csv",
        400,
    );
}

#[test]
fn rows_of_linuxreno() {
    assert_rows(
        "small1_linuxreno_sack1_classic_rto10",
        0,
        "small1_linuxreno_sack1_classic_rto10.ack.csv",
        150,
    );
    assert_rows(
        "nodelack1_linuxreno_sack1_classic_rto10",
        0,
        "nodelack1_linuxreno_sack1_classic_rto10.ack.csv",
        800,
    );
}

#[test]
fn rows_of_cubic() {
    assert_rows(
        "small5_cubic_sack1_classic_rto10",
        0,
        "small5_cubic_sack1_classic_rto10.ack.csv",
        150,
    );
    assert_rows(
        "loss5_cubic_sack0_classic_rto10",
        0,
        "loss5_cubic_sack0_classic_rto10.ack.csv",
        500,
    );
}

#[test]
fn rows_of_dctcp() {
    assert_rows(
        "small5_dctcp_sack1_classic_rto10",
        0,
        "small5_dctcp_sack1_classic_rto10.ack.csv",
        150,
    );
    assert_rows(
        "two_dctcp_rtt444_classic",
        1,
        "two_dctcp_rtt444_classic.f1.ack.csv",
        600,
    );
}

#[test]
fn rows_of_proportional_rate_reduction() {
    assert_rows(
        "small5_newreno_sack1_prr_rto10",
        0,
        "small5_newreno_sack1_prr_rto10.ack.csv",
        150,
    );
}
