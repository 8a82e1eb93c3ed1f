//! Whole NICs that collect telemetry and bring it back in other ways than the paper's (HPCC++): what they do is what the network's own hosts do in the
//! same scenario, and what a NIC does not have is refused.

use crate::nic_runs::*;
use hpcc_sim::plan::{Fidelity, Job, Run};
use hpcc_sim::scenario::builtin::find;
use hpcc_sim::scenario::spec::{parse_set, plan, Overrides};

/// Ways to collect and to bring back, and the share by which numbers of packets back may lie apart. With an ACK of sixteen packets the network's hosts
/// send more of them: a NIC makes good the lateness of up to one packet, so the packets of a window come closer together and fewer wait for `T`. With that
/// taken out of its pacing, 16 senders of 500 KB had 1616 packets back against the network's 1574, and 1186 with it.
const WAYS: [(&str, &[&str], f64); 13] = [
    ("ack", &[], 0.0),
    (
        "coalesced 4",
        &["telemetry.feedback=coalesced", "telemetry.ack_every=4"],
        0.1,
    ),
    (
        "coalesced 16",
        &["telemetry.feedback=coalesced", "telemetry.ack_every=16"],
        0.35,
    ),
    ("notify", &["telemetry.feedback=notify"], 0.02),
    (
        "notify 16",
        &["telemetry.feedback=notify", "telemetry.ack_every=16"],
        0.1,
    ),
    ("rx 16", &["telemetry.feedback=rx", "telemetry.ack_every=16"], 0.1),
    (
        "rx 16, flows",
        &[
            "telemetry.feedback=rx",
            "telemetry.ack_every=16",
            "telemetry.n_aware=true",
        ],
        0.1,
    ),
    ("every 4th", &["telemetry.mode=sample", "telemetry.every=4"], 0.0),
    ("probes", &["telemetry.mode=probe"], 0.1),
    ("ifa", &["telemetry.format=ifa"], 0.0),
    ("ioam", &["telemetry.format=ioam"], 0.0),
    ("ioam-incremental", &["telemetry.format=ioam-incremental"], 0.0),
    (
        "int-md, notify 4",
        &[
            "telemetry.format=int-md",
            "telemetry.feedback=notify",
            "telemetry.ack_every=4",
        ],
        0.1,
    ),
];

fn packets_back(run: &Run) -> u64 {
    let counters = &run.outcome.counters;
    counters.acks_sent + counters.responses + counters.notifications
}

/// Memory is right, nothing is lost or sent twice; as many packets of data, and about as many back, as with the network's hosts under the same law; and
/// completion times near theirs: measured 0.5 to 4.9 % apart, 6.7 % with notifications and an ACK of sixteen.
#[test]
fn behavioural_nics_do_what_the_networks_hosts_do() {
    for (name, set, apart) in WAYS {
        let set = [set, &[SAMPLES]].concat();
        let nics = run("incast16", Fidelity::NicModel, &set);
        assert_checks(&nics);
        let golden = run("incast16", Fidelity::Golden, &set);
        let (ours, theirs) = (measure(&nics), measure(&golden));
        println!(
            "{name}: {} packets back, mean {:.1} us, last {:.1} us; golden {}, {:.1} us, {:.1} us",
            packets_back(&nics),
            ours.mean_us,
            ours.last_us,
            packets_back(&golden),
            theirs.mean_us,
            theirs.last_us
        );
        assert_eq!(
            nics.outcome.counters.data_packets, golden.outcome.counters.data_packets,
            "{name}"
        );
        let ratio = packets_back(&nics) as f64 / packets_back(&golden) as f64;
        assert!((ratio - 1.0).abs() <= apart, "{name}: {ratio}");
        for (a, b) in [(ours.mean_us, theirs.mean_us), (ours.last_us, theirs.last_us)] {
            assert!((a / b - 1.0).abs() <= 0.08, "{name}: {a} us, {b} us");
        }
        let notifies = nics.outcome.counters.notifications > 0;
        assert_eq!(notifies, golden.outcome.counters.notifications > 0, "{name}");
        assert_eq!(nics.outcome.counters.probes > 0, name == "probes");
        assert_eq!(nics.outcome.counters.notify_missing, 0, "{name}");
    }
}

/// Losses on every link: every flow ends, whatever brings the telemetry.
#[test]
fn lost_feedback_never_blocks_whole_nics() {
    for (name, set, _) in WAYS {
        let faults = [
            "network.loss=0.002",
            "network.retry_timeout_us=200",
            "network.flow_control=go-back-n",
            "traffic.0.bytes=200000",
        ];
        let run = run("incast16", Fidelity::NicModel, &[set, &faults[..]].concat());
        for check in &run.checks {
            assert!(check.passed(), "{name}: {}: {}", check.name, check.ours);
        }
        assert!(run.outcome.counters.losses > 0);
        assert!(run.outcome.records.iter().all(|r| r.finished_ps.is_some()), "{name}");
    }
}

/// The NIC in RTL has probes.
#[test]
fn nics_in_rtl_probe() {
    let set = ["telemetry.mode=probe", SAMPLES];
    let rtl = run("incast2", Fidelity::NicRtl, &set);
    assert_checks(&rtl);
    let model = run("incast2", Fidelity::NicModel, &set);
    let (ours, theirs) = (measure(&rtl), measure(&model));
    let counters = |run: &Run| {
        let counters = &run.outcome.counters;
        (
            counters.data_packets,
            counters.probes,
            counters.responses,
            counters.probe_stray,
        )
    };
    println!(
        "{:?} {ours:.2?}; model {:?} {theirs:.2?}",
        counters(&rtl),
        counters(&model)
    );
    let ((data, probes, responses, stray), (expected, of_model, ..)) = (counters(&rtl), counters(&model));
    assert_eq!((data, stray), (expected, 0));
    assert!(responses <= probes && responses + 2 >= probes);
    assert!((probes as f64 / of_model as f64 - 1.0).abs() < 0.25);
    assert!((ours.mean_us / theirs.mean_us - 1.0).abs() < 0.1);
}

/// One line each, before anything is run.
#[test]
fn what_a_nic_has_not_is_refused() {
    let refused = |fidelity, set: &[&str]| {
        let overrides = Overrides {
            fidelity: Some(fidelity),
            set: set.iter().map(|set| parse_set(set).unwrap()).collect(),
            ..Overrides::default()
        };
        let planned = plan("incast2", find("incast2").unwrap().text, &overrides).unwrap();
        let job = Job::new(&planned[0]).and_then(|job| hpcc_testbench::nic::network::check(&job));
        job.expect_err("refused")
    };
    let rx = ["telemetry.feedback=rx"];
    assert_eq!(
        refused(Fidelity::NicRtl, &["telemetry.mode=sample", "telemetry.every=4"]),
        "telemetry.mode: expected inband or probe at nic-rtl, got sample"
    );
    assert_eq!(
        refused(Fidelity::NicRtl, &["telemetry.feedback=notify"]),
        "telemetry.feedback: expected ack at nic-rtl, got another"
    );
    assert_eq!(
        refused(Fidelity::NicRtl, &["telemetry.format=ifa"]),
        "telemetry.format: expected fig7 at nic-rtl, got ifa"
    );
    assert_eq!(
        refused(Fidelity::NicRtl, &rx),
        "telemetry.feedback: expected the default at nic-rtl"
    );
    assert_eq!(
        refused(Fidelity::NicModel, &[rx[0], "telemetry.rx_clock=t-and-queue"]),
        "telemetry.rx_clock: expected t at nic-model, got t-and-queue"
    );
    assert_eq!(
        refused(Fidelity::NicModel, &["telemetry.format=int-md", "network.mtu=4096"]),
        "network.mtu: expected one that fits beside telemetry.format at nic-model, got 4096"
    );
}
