//! Whole NICs on the hosts of the network: incasts end, memory is right, completion times and queues are near those of `fixed`, and
//! the same seed gives the same bytes. The behavioural NIC does all of it; the NIC in RTL, which takes half a minute for the larger incast, is
//! held to bounds of its own.

use hpcc_models::measure::jain;
use hpcc_rtl::sim::is_whole;
use hpcc_testbench::plan::Fidelity;
use hpcc_testbench::plan::{Job, Run};
use hpcc_testbench::scenario::builtin::find;
use hpcc_testbench::scenario::output::{flows_csv, queues_csv, rates_csv};
use hpcc_testbench::scenario::runner::run_all;
use hpcc_testbench::scenario::spec::{parse_set, plan, Overrides};
use std::path::Path;
use std::process::{Command, Output};

/// A queue sample each 200 ns.
const SAMPLES: &str = "run.sample_ns=200";

fn job(name: &str, fidelity: Fidelity, set: &[&str]) -> Job {
    job_of("hpcc", name, fidelity, set)
}

fn job_of(law: &str, name: &str, fidelity: Fidelity, set: &[&str]) -> Job {
    let set = set.iter().map(|s| parse_set(s).unwrap()).collect();
    let overrides = Overrides {
        law: (law != "hpcc").then(|| law.to_string()),
        fidelity: Some(fidelity),
        set,
        ..Overrides::default()
    };
    let planned = plan(name, find(name).unwrap().text, &overrides).unwrap();
    Job::new(&planned[0]).unwrap()
}

fn run(name: &str, fidelity: Fidelity, set: &[&str]) -> Run {
    run_all(&[job(name, fidelity, set)], 1).unwrap().remove(0)
}

/// What two fidelities are compared by.
#[derive(Debug)]
struct Measured {
    /// Completion times, us: mean, and the last flow's.
    mean_us: f64,
    last_us: f64,
    /// Queue of the receiver's port from the start to the end of the last flow, KB: mean, median, 95th percentile, largest.
    queue_kb: [f64; 4],
}

fn measure(run: &Run) -> Measured {
    let fcts: Vec<f64> = run
        .outcome
        .records
        .iter()
        .map(|record| record.fct_ps().expect("every flow ends") as f64 / 1e6)
        .collect();
    let last_us = fcts.iter().copied().fold(0.0, f64::max);
    let receiver = run.job.flows[0].dst;
    let mut series = run
        .outcome
        .samples
        .queues
        .iter()
        .filter(|p| p.interface == receiver + 1)
        .peekable();
    let (mut bytes, mut samples) = (0, Vec::new());
    for t_ps in (0..(last_us * 1e6) as u64).step_by(run.job.plan.interval_ps as usize) {
        while let Some(point) = series.next_if(|p| p.t_ps <= t_ps) {
            bytes = point.bytes;
        }
        samples.push(bytes as f64 / 1e3);
    }
    samples.sort_by(f64::total_cmp);
    let at = |p: f64| samples[((samples.len() - 1) as f64 * p) as usize];
    Measured {
        mean_us: fcts.iter().sum::<f64>() / fcts.len() as f64,
        last_us,
        queue_kb: [
            samples.iter().sum::<f64>() / samples.len() as f64,
            at(0.5),
            at(0.95),
            at(1.0),
        ],
    }
}

fn assert_checks(run: &Run) {
    for check in &run.checks {
        assert!(check.passed(), "{}: {}", check.name, check.ours);
    }
    assert_eq!(run.checks.len(), 3);
    let counters = &run.outcome.counters;
    assert_eq!(
        (counters.drops, counters.losses, counters.timeouts, counters.naks),
        (0, 0, 0, 0)
    );
    // The NICs' own timers are not among these counters: what they made one send twice shows here.
    assert!(run.outcome.records.iter().all(|r| r.retransmitted_bytes == 0));
}

/// Bounds of the agreement, percent: completion times, and queues (or two packets, where that is more).
struct Bounds {
    fct: f64,
    queue: f64,
}

/// The behavioural NIC has the f64 law and no pipeline. Measured against `fixed`, whose windows come 310 ns later: completion times
/// 0.1 to 1.3 % shorter, queues up to 5.6 % lower; against `golden` 0.8 % at most and 2.2 %.
const MODEL: Bounds = Bounds { fct: 2.0, queue: 8.0 };
/// The NIC in RTL, measured against `fixed` at 2-to-1 and 16-to-1: mean completion time 3.4 and 1.7 % longer, because each end of the path is some
/// hundred clocks of pipeline and memory, and windows of the scenario's `T` do not cover that; last flow 3.2 % later and 0.6 % earlier; queues 11.1 % lower to
/// 3.7 % higher.
const RTL: Bounds = Bounds { fct: 5.0, queue: 15.0 };
const TWO_PACKETS_KB: f64 = 2.3;

fn assert_near(name: &str, run: &Run, reference: &Run, bounds: &Bounds) {
    let (ours, theirs) = (measure(run), measure(reference));
    let what = format!(
        "{name} {}: {ours:.2?}; {}: {theirs:.2?}",
        run.job.fidelity.name(),
        reference.job.fidelity.name()
    );
    println!("{what}");
    for (a, b) in [(ours.mean_us, theirs.mean_us), (ours.last_us, theirs.last_us)] {
        assert!((a - b).abs() <= b * bounds.fct / 100.0, "completion times: {what}");
    }
    for (a, b) in ours.queue_kb.into_iter().zip(theirs.queue_kb) {
        assert!(
            (a - b).abs() <= (b * bounds.queue / 100.0).max(TWO_PACKETS_KB),
            "queues: {what}"
        );
    }
}

fn agrees_with_fixed(fidelity: Fidelity, bounds: &Bounds) {
    for (name, flows) in [("incast2", 2), ("incast16", 16)] {
        let nics = run(name, fidelity, &[SAMPLES]);
        assert_checks(&nics);
        assert_eq!(nics.outcome.flows.len(), flows);
        // 500 000 bytes in packets of 1024, an acknowledgement for each, nothing sent twice.
        assert_eq!(nics.outcome.counters.data_packets, 489 * flows as u64);
        assert_eq!(nics.outcome.counters.acks, 489 * flows as u64);
        assert_near(name, &nics, &run(name, Fidelity::Fixed, &[SAMPLES]), bounds);
    }
}

#[test]
fn incasts_of_behavioural_nics_agree_with_the_fixed_point_law() {
    agrees_with_fixed(Fidelity::NicModel, &MODEL);
}

#[test]
fn incasts_of_nics_in_rtl_agree_with_the_fixed_point_law() {
    agrees_with_fixed(Fidelity::NicRtl, &RTL);
}

/// The scenario under its law in whole NICs, and at `fixed`: what each measured, and both as text.
fn beside_fixed(law: &str, scenario: &str, fidelity: Fidelity, set: &[&str]) -> (Measured, Measured, String) {
    let [nics, fixed] = [fidelity, Fidelity::Fixed].map(|fidelity| {
        let job = job_of(law, scenario, fidelity, set);
        run_all(&[job], 1).unwrap().remove(0)
    });
    assert_checks(&nics);
    let (ours, theirs) = (measure(&nics), measure(&fixed));
    let what = format!("{ours:.2?}; fixed: {theirs:.2?}");
    println!("{what}");
    (ours, theirs, what)
}

/// Mean and last completion time, 95th percentile and largest of the queue, each as a part of that of the other.
fn parts(ours: &Measured, theirs: &Measured) -> [f64; 4] {
    [
        ours.mean_us / theirs.mean_us,
        ours.last_us / theirs.last_us,
        ours.queue_kb[2] / theirs.queue_kb[2],
        ours.queue_kb[3] / theirs.queue_kb[3],
    ]
}

/// PowerTCP in the NICs. As printed it swings, so the queue's mean tells little; its upper end is that of `fixed`, and its mean is far from HPCC's.
fn powertcp_agrees_with_fixed(fidelity: Fidelity) {
    let (ours, theirs, what) = beside_fixed("powertcp", "incast16", fidelity, &[SAMPLES]);
    for (part, bound) in parts(&ours, &theirs).into_iter().zip([0.03, 0.03, 0.06, 0.06]) {
        assert!((part - 1.0).abs() < bound, "{part:.3}: {what}");
    }
    let hpcc = measure(&run("incast16", Fidelity::Fixed, &[SAMPLES]));
    assert!(ours.queue_kb[0] > 2.0 * hpcc.queue_kb[0], "{what}; HPCC: {hpcc:.2?}");
}

#[test]
fn powertcp_in_behavioural_nics_agrees_with_the_fixed_point_law() {
    powertcp_agrees_with_fixed(Fidelity::NicModel);
}

/// Seventeen NICs for two minutes: nightly alone. Two with this law are on a wire for every commit (`nic/link/laws.rs`).
#[test]
fn powertcp_in_nics_in_rtl_agrees_with_the_fixed_point_law() {
    if is_whole() {
        powertcp_agrees_with_fixed(Fidelity::NicRtl);
    }
}

/// theta-PowerTCP in the NICs, by its authors' rules, with a base round-trip time that holds what two NICs in RTL take. This is no agreement: the NIC in
/// RTL takes a quarter longer than `fixed`, and the 95th percentile of its queue is two and a half times as large. (Both NICs time one packet in `S`,
/// `fixed` every one; the behavioural NIC is no slower for it, so that is not the cause.) What is asserted is that it stays as it was measured on
/// 2026-11-22, in parts of `fixed`, within 5 % either way.
fn theta_beside_fixed(fidelity: Fidelity, measured: [f64; 4]) {
    let set = [SAMPLES, "cc.profile=authors", "cc.t_ns=6000"];
    let (ours, theirs, what) = beside_fixed("theta-powertcp", "incast2", fidelity, &set);
    for (part, before) in parts(&ours, &theirs).into_iter().zip(measured) {
        assert!((part / before - 1.0).abs() < 0.05, "{part:.3}, {before} before: {what}");
    }
}

#[test]
fn theta_powertcp_in_behavioural_nics_beside_the_fixed_point_law() {
    theta_beside_fixed(Fidelity::NicModel, [0.915, 0.948, 1.600, 0.961]);
}

#[test]
fn theta_powertcp_in_nics_in_rtl_beside_the_fixed_point_law() {
    theta_beside_fixed(Fidelity::NicRtl, [1.252, 1.267, 2.550, 1.490]);
}

/// Where windows shrink below what is on its way, nothing waits for an acknowledgement that nobody has asked for: nothing is lost, so nothing is sent twice.
#[test]
fn theta_powertcp_in_a_deep_incast_repeats_nothing() {
    let set = [SAMPLES, "cc.profile=authors", "cc.t_ns=6000"];
    let (ours, theirs, what) = beside_fixed("theta-powertcp", "incast16", Fidelity::NicModel, &set);
    assert!((ours.last_us / theirs.last_us - 1.0).abs() < 0.1, "{what}");
}

/// Two senders of 25 Gb/s, the second later, behind one port that marks; DCQCN's intervals and byte counter are a tenth of the paper's, so that all of it
/// takes a tenth of the time.
const TWO_SENDERS: &str = r#"
name = "two-senders"
title = "Two NICs with DCQCN behind one marking port"
law = "dcqcn"

[network]
topology = "star"
hosts = 3
rate_gbps = 25
delay_ns = 1000

[cc]
profile = "sigcomm"
alpha_interval_us = 5.5
decrease_interval_us = 5
increase_interval_us = 5.5
byte_reset = 1000000

[[traffic]]
kind = "flow"
src = 0
dst = 2
bytes = 30000000

[[traffic]]
kind = "flow"
src = 1
dst = 2
bytes = 30000000
start_us = 500

[run]
stop_us = 6000
sample_ns = 100000
"#;

/// Marks at the port, notifications by the receiver, cuts and timers in the senders: both flows end at a fair share of the port.
fn two_nics_share_a_marking_port(fidelity: Fidelity) {
    let overrides = Overrides {
        fidelity: Some(fidelity),
        ..Overrides::default()
    };
    let planned = plan("two-senders", TWO_SENDERS, &overrides).unwrap();
    let run = run_all(&[Job::new(&planned[0]).unwrap()], 1).unwrap().remove(0);
    let counters = &run.outcome.counters;
    assert!(
        counters.marked > 100 && counters.pauses == 0 && counters.losses == 0,
        "{counters:?}"
    );
    // of half a millisecond each, from 5 ms on
    let delivered = |flow: u32, at_us: u64| {
        let points = run.outcome.samples.flows.iter();
        let mut points = points.filter(|p| p.flow == flow && p.t_ps <= at_us * 1_000_000);
        points.next_back().map_or(0, |p| p.delivered_bytes) as f64
    };
    for from in [5_000, 5_400] {
        let gbps = [0, 1].map(|flow| (delivered(flow, from + 500) - delivered(flow, from)) * 8.0 / 500e3);
        println!("{from} us: {gbps:.2?} Gb/s, {} marks", counters.marked);
        assert!(gbps.iter().sum::<f64>() > 17.5, "{from} us: {gbps:?}");
        assert!(jain(&gbps) > 0.95, "{from} us: {gbps:?}");
    }
}

#[test]
fn two_behavioural_nics_with_dcqcn_share_a_marking_port() {
    two_nics_share_a_marking_port(Fidelity::NicModel);
}

#[test]
fn two_nics_in_rtl_with_dcqcn_share_a_marking_port() {
    two_nics_share_a_marking_port(Fidelity::NicRtl);
}

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
