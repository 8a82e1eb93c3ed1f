//! PowerTCP and theta-PowerTCP in the profile of their authors' simulator: every row of its recorded acknowledgements, and the
//! completion time of every flow and every queue sample of its recorded runs.
//!
//! The committed traces are prefixes; `POWERTCP_TRACES=FOLDER` adds every `.csv` of a folder that names one of the two laws.

use hpcc_models::cc::hpcc::StepOptions;
use hpcc_models::cc::powertcp::{PowerParams, PowerTcp, Signal};
use hpcc_models::cc::trace::{self, PowerTrace};
use hpcc_models::cc::CongestionControl;
use hpcc_models::net::ns3::{read_flows, read_topology, Ns3Config};
use hpcc_models::net::{Direct, SamplePlan, Simulator};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/data/powertcp")
}

fn text(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Replays one file; every value must be the recorded one, to the last bit.
fn replay(file: &Path) -> usize {
    let trace = PowerTrace::read(file).unwrap_or_else(|error| panic!("{error}"));
    let mut law = PowerTcp::new(trace.header.params.clone()).unwrap();
    for flow in trace.flows() {
        law.create(flow, 0);
    }
    for row in &trace.rows {
        let options = StepOptions {
            queues: Some(trace.queues(row)),
            ..StepOptions::default()
        };
        law.handle_with(&trace.event(row), &options);
        let seen = *law
            .last()
            .unwrap_or_else(|| panic!("{}:{}: ignored", file.display(), row.line));
        let got = (
            seen.norm_power,
            seen.power,
            seen.rate,
            seen.reference_rate,
            seen.w,
            seen.full,
        );
        let want = (
            row.norm_power,
            row.power,
            row.rate_bps as f64,
            row.ref_bps as f64,
            row.cwnd,
            row.full,
        );
        assert_eq!(
            got,
            want,
            "{}:{}: first divergence\n  {seen:?}\n  {row:?}",
            file.display(),
            row.line
        );
        assert_eq!(seen.base_rtt_ns, row.base_rtt_ns, "{}:{}", file.display(), row.line);
    }
    trace.rows.len()
}

fn replay_folder(folder: &Path) {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "csv"))
        .filter(|path| trace::law(path).is_ok_and(|law| law != "hpcc"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{}: no traces", folder.display());
    for file in files {
        println!("{}: {} rows, all equal", file.display(), replay(&file));
    }
}

#[test]
fn every_recorded_row_is_met_to_the_last_bit() {
    replay_folder(&folder());
    match std::env::var_os("POWERTCP_TRACES") {
        Some(folder) => replay_folder(Path::new(&folder)),
        None => println!("POWERTCP_TRACES is not set: only the committed traces were replayed"),
    }
}

/// Runs the recorded inputs through our network and compares completion times and the bottleneck's queue.
fn run(name: &str, signal: Signal, node: u32, interface: u32) {
    let file = |kind: &str| format!("{name}.{kind}");
    let profile = Ns3Config::read(&file("config.txt"), &text(&file("config.txt"))).unwrap();
    let topology = read_topology(&file("topo.txt"), &text(&file("topo.txt"))).unwrap();
    let flows = read_flows(&file("flow.txt"), &text(&file("flow.txt")), &topology).unwrap();
    let specs = flows.flows.iter().map(|f| f.spec_rounded()).collect();
    let mut config = profile.network();
    config.int_arrivals = true;
    let plan = SamplePlan {
        start_ps: 2_000_000_000_000,
        interval_ps: 1_000_000,
        end_ps: u64::MAX,
        queue_series: true,
        ..SamplePlan::default()
    };
    let mut sim = Simulator::new(&topology, specs, config, plan, &mut |port| {
        let base = u32::try_from(port.base_rtt_ns).map_err(|e| e.to_string())?;
        let law = PowerTcp::new(PowerParams::authors(signal, port.line_rate_bps, base)).map_err(|e| e.to_string())?;
        Ok(Box::new(Direct::new(Box::new(law))))
    })
    .unwrap();
    while sim.unfinished() > 0 && sim.run_until(sim.now_ps() + 100_000_000) {}
    let recorded = text(&file("fct.csv"));
    for (row, got) in recorded.lines().skip(1).zip(sim.records()) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(
            (got.started_ps / 1000).to_string(),
            cells[4],
            "{name}: start of flow {}",
            cells[0]
        );
        let fct = got.fct_ps().map(|ps| (ps / 1000).to_string());
        assert_eq!(
            fct.as_deref(),
            Some(cells[5]),
            "{name}: completion time of flow {}, ns",
            cells[0]
        );
    }
    assert_eq!(recorded.lines().count() - 1, sim.records().len());
    let mut points = sim
        .samples()
        .queues
        .iter()
        .filter(|p| (p.node, p.interface) == (node, interface))
        .peekable();
    let mut bytes = 0;
    for row in text(&file("qlen.csv")).lines().skip(1) {
        let (t_ns, want) = row.split_once(',').unwrap();
        let t_ns: u64 = t_ns.parse().unwrap();
        while let Some(point) = points.next_if(|p| p.t_ps / 1000 - 2_000_000_000 <= t_ns) {
            bytes = point.bytes;
        }
        assert_eq!(bytes.to_string(), want, "{name}: queue at {t_ns} ns");
    }
}

#[test]
fn power_two_to_one_to_the_nanosecond() {
    run("power_two_to_one", Signal::Int, 3, 3);
}

#[test]
fn power_incast10_to_the_nanosecond() {
    run("power_incast10_25g", Signal::Int, 12, 12);
}

#[test]
fn theta_incast10_to_the_nanosecond() {
    run("theta_incast10_25g", Signal::Delay, 12, 12);
}
