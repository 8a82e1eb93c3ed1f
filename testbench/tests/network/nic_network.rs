//! Whole NICs on the hosts of the network: memory is right over any number of hops, under pause and losses, the same seed gives the same bytes, and
//! agents command the NICs' levels.

use crate::nic_runs::*;
use hpcc_rtl::sim::is_whole;
use hpcc_sim::plan::{Fidelity, Job, Run};
use hpcc_sim::scenario::builtin::find;
use hpcc_sim::scenario::output::{flows_csv, queues_csv, rates_csv};
use hpcc_sim::scenario::spec::{plan, Overrides};
use hpcc_testbench::program::run_all;
use std::path::Path;
use std::process::{Command, Output};

/// Two switches, so two records on every packet, on different numbers of hops than the incasts.
#[test]
fn two_switches() {
    let set = [
        "network.topology=dumbbell",
        "network.hosts=2",
        "cc.t_ns=6700",
        "run.stop_us=2000",
    ];
    let nics = run("incast2", Fidelity::NicModel, &set);
    assert_checks(&nics);
    let fixed = run("incast2", Fidelity::Fixed, &set);
    let times = |run: &Run| -> Vec<f64> {
        let fcts = run.outcome.records.iter().map(|r| r.fct_ps());
        fcts.map(|fct| fct.expect("every flow ends") as f64 / 1e6).collect()
    };
    for (a, b) in times(&nics).into_iter().zip(times(&fixed)) {
        assert!((a / b - 1.0).abs() < 0.03, "{a} us, {b} us at fixed");
    }
}

/// A buffer below what the first windows bring: switches pause the NICs, and nothing is lost.
#[test]
fn pause_holds_the_nics() {
    let run = run("incast16", Fidelity::NicModel, &["network.buffer_mb=1"]);
    assert_checks(&run);
    let counters = &run.outcome.counters;
    assert!(counters.pauses > 0 && counters.paused_ps > 0, "{counters:?}");
}

fn files(run: &Run) -> [String; 3] {
    [flows_csv, queues_csv, rates_csv].map(|write| write(&run.outcome))
}

/// With losses on the links, so that retransmission, the timer and the random numbers take part.
#[test]
fn losses_are_repaired_and_the_same_seed_gives_the_same_bytes() {
    let set = [
        "network.loss=0.002",
        "network.retry_timeout_us=200",
        "network.flow_control=go-back-n",
        "traffic.0.bytes=200000",
    ];
    let first = run("incast16", Fidelity::NicModel, &set);
    for check in &first.checks {
        assert!(check.passed(), "{}: {}", check.name, check.ours);
    }
    let counters = &first.outcome.counters;
    assert!(counters.losses > 0 && counters.naks > 0, "{counters:?}");
    assert!(first.outcome.records.iter().any(|r| r.retransmitted_bytes > 0));
    assert!(first.outcome.records.iter().all(|r| r.finished_ps.is_some()));
    let again = files(&run("incast16", Fidelity::NicModel, &set));
    for (name, (a, b)) in ["flows.csv", "queues.csv", "rates.csv"]
        .iter()
        .zip(files(&first).iter().zip(&again))
    {
        let differing = a.lines().zip(b.lines()).position(|(a, b)| a != b);
        assert!(
            a == b,
            "{name}: first difference in line {:?}",
            differing.map(|line| line + 1)
        );
        assert!(a.lines().count() > 10, "{name} is empty");
    }
    let other_seed = job("incast16", Fidelity::NicModel, &set);
    let mut other_seed = Job { seed: 2, ..other_seed };
    other_seed.config.seed = 2;
    let other = files(&run_all(&[other_seed], 1).unwrap()[0]);
    assert_ne!(other[0], again[0]);
}

fn hpcc_nic(args: &[&str], dir: &Path) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
        .args(args)
        .current_dir(dir)
        .output();
    command.unwrap()
}

#[test]
fn the_command_leaves_the_same_files_as_at_other_fidelities() {
    let temp = tempfile::tempdir().unwrap();
    let output = hpcc_nic(
        &["run", "incast2", "--fidelity", "nic-model", "--out", "o"],
        temp.path(),
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| std::fs::read_to_string(temp.path().join("o").join(name)).unwrap();
    assert_eq!(
        read("flows.csv").lines().filter(|line| line.ends_with(",0,ok")).count(),
        2
    );
    assert!(read("queues.csv").lines().count() > 10);
    // The NIC does not tell its window: the last column is empty.
    assert!(read("rates.csv").lines().skip(1).all(|line| line.ends_with(',')));
    let summary: serde_json::Value = serde_json::from_str(&read("summary.json")).unwrap();
    assert_eq!(
        (&summary["fidelity"], &summary["finished"]),
        (&"nic-model".into(), &2.into())
    );
    for check in ["memory", "completions", "frames_dropped_by_nics", "flows_finished"] {
        assert_eq!(summary["checks"][check]["passed"], true, "{check}");
    }
}

#[test]
fn what_the_nic_has_not_is_refused_in_one_line() {
    let temp = tempfile::tempdir().unwrap();
    let refused = |change: &[&str]| {
        let args = [&["run", "incast2", "--fidelity", "nic-model", "--out", "o"], change].concat();
        let output = hpcc_nic(&args, temp.path());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{change:?}: {error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{change:?}: {error}");
        assert!(!temp.path().join("o").exists(), "{change:?} left something behind");
        error.trim_end().to_owned()
    };
    assert_eq!(
        refused(&["--cc", "timely"]),
        "error: incast2: law: expected hpcc, dcqcn, powertcp or theta-powertcp at nic-model, got timely"
    );
    assert_eq!(
        refused(&["--cc", "dcqcn", "--set", "cc.profile=authors"]),
        "error: incast2: cc.alpha_interval_us: expected at least 1.515 at nic-model, in which the timers' walk has seen every flow, got 1"
    );
    assert!(refused(&["--set", "network.flow_control=irn"]).contains("network.flow_control: expected pfc or go-back-n"));
    assert!(refused(&["--set", "network.mtu=1000"]).contains("network.mtu: expected 256, 512,"));
    assert!(refused(&["--set", "network.delay_ns=0"]).contains("expected links to hosts of at least 20 ns"));
    assert!(refused(&["--set", "network.topology=testbed"]).contains("expected one link to each host"));
    assert!(refused(&["--set", "traffic.0.bytes=600000000"]).contains("traffic: expected at most"));
    let many = [
        "--set",
        "traffic.0.senders=149",
        "--set",
        "traffic.0.receiver=149",
        "--set",
        "network.hosts=150",
    ];
    assert!(refused(&many).contains("expected at most 148 flows at a host"));
}

/// Rates of the four flows of `hcc-hpcc` between 200 and 400 us, Gb/s of payload; and the largest queue from 100 us on, KB.
fn shares(run: &Run) -> ([f64; 4], f64) {
    let delivered = |flow: u32, at_us: u64| {
        let mut points = run
            .outcome
            .samples
            .flows
            .iter()
            .filter(|p| p.flow == flow && p.t_ps <= at_us * 1_000_000);
        points.next_back().map_or(0, |p| p.delivered_bytes) as f64
    };
    let rate = |flow| (delivered(flow, 400) - delivered(flow, 200)) * 8.0 / 200e3;
    let late = run.outcome.samples.queues.iter().filter(|p| p.t_ps > 100_000_000);
    let queue = late.map(|p| p.bytes).max().unwrap_or(0) as f64 / 1e3;
    ([0, 1, 2, 3].map(rate), queue)
}

/// With `incast` also behind a bottleneck that the tree does not know.
fn hcc_over_hpcc(fidelity: Fidelity, incast: bool) {
    let overrides = Overrides {
        fidelity: Some(fidelity),
        ..Overrides::default()
    };
    let planned = plan("hcc-hpcc", find("hcc-hpcc").unwrap().text, &overrides).unwrap();
    let planned = planned.iter().take(if incast { 4 } else { 2 });
    let jobs: Vec<Job> = planned.map(|planned| Job::new(planned).unwrap()).collect();
    let runs = run_all(&jobs, 1).unwrap();
    let jain = |x: &[f64; 4]| x.iter().sum::<f64>().powi(2) / (4.0 * x.iter().map(|x| x * x).sum::<f64>());
    let measured: Vec<_> = runs.iter().map(shares).collect();
    for (run, (rates, queue)) in runs.iter().zip(&measured) {
        println!(
            "{}, {}: {rates:.2?} Gb/s, Jain {:.4}, queue at most {queue:.1} KB",
            fidelity.name(),
            run.label(),
            jain(rates)
        );
    }
    // a quarter of 90 Gb/s of wire bytes is 20.1 Gb/s of payload (1024 of 1148 bytes). A cap holds down who is above it; who was pushed below
    // by flows that joined comes up at HPCC's own pace
    let [(alone, alone_queue), (capped, queue), behind @ ..] = &measured[..] else {
        panic!("two variants or four")
    };
    assert!(jain(capped) > 0.99 && jain(alone) < 0.8, "{alone:?} {capped:?}");
    assert!(capped.iter().all(|rate| (16.0..20.2).contains(rate)), "{capped:?}");
    assert!(queue <= alone_queue, "{queue} KB, {alone_queue} KB without agents");
    // the tree does not know the receiver's link: the queue is HPCC's
    if let [(_, wrong_alone), (incast, wrong)] = behind {
        assert!(incast.iter().sum::<f64>() > 70.0, "{incast:?}");
        assert!(
            *wrong <= wrong_alone * 1.5 + 5.0,
            "{wrong} KB, {wrong_alone} KB without agents"
        );
    }
}

#[test]
fn agents_command_levels_of_behavioural_nics() {
    hcc_over_hpcc(Fidelity::NicModel, true);
}

#[test]
fn agents_command_levels_of_nics_in_rtl() {
    hcc_over_hpcc(Fidelity::NicRtl, is_whole());
}
