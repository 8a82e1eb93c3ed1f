//! Paths of a scenario: what its keys mean, what they refuse, and what laws do with packets that take different paths.

use hpcc_models::measure::{percentile, SizeClass};
use hpcc_models::net::{PathRule, Recovery, ReorderRules};
use hpcc_sim::plan::{Job, Run};
use hpcc_sim::scenario::output::slowdowns;
use hpcc_sim::scenario::runner::run_all;
use hpcc_sim::scenario::spec::{parse_set, plan, Overrides};

const TREE: &str = "name='x'\nnetwork={topology='fat-tree',k=4}\nrun={stop_us=20000}\n";
/// Every host to the one two pods on, so that all cross the core: the hosts of racks 0 to 3 to those of racks 4 to 7, and back.
const CROSS: &str = "traffic=[{kind='racks',from=[0],to=[4],bytes=1000000},{kind='racks',from=[1],to=[5],bytes=1000000},\
    {kind='racks',from=[2],to=[6],bytes=1000000},{kind='racks',from=[3],to=[7],bytes=1000000},{kind='racks',from=[4],to=[0],bytes=1000000},\
    {kind='racks',from=[5],to=[1],bytes=1000000},{kind='racks',from=[6],to=[2],bytes=1000000},{kind='racks',from=[7],to=[3],bytes=1000000}]\n";

fn job(traffic: &str, set: &[&str]) -> Result<Job, String> {
    let overrides = Overrides {
        set: set.iter().map(|s| parse_set(s).unwrap()).collect(),
        ..Overrides::default()
    };
    Job::new(&plan("x", &format!("{TREE}{traffic}"), &overrides)?[0])
}

fn run(traffic: &str, set: &[&str]) -> Run {
    run_all(&[job(traffic, set).unwrap()], 1).unwrap().remove(0)
}

#[test]
fn keys_are_rules() {
    let rules = |set: &[&str]| {
        let config = job(CROSS, set).unwrap().config;
        (config.paths, config.recovery)
    };
    let any = |packets, wait_us: Option<u64>| {
        Recovery::AnyOrder(ReorderRules {
            packets,
            wait_ps: wait_us.map(|us| us * 1_000_000),
        })
    };
    assert_eq!(rules(&[]), (PathRule::Ecmp, Recovery::GoBackN));
    assert_eq!(rules(&["network.routing=ecmp"]), rules(&[]));
    let spray = "network.routing=spray";
    assert_eq!(rules(&[spray]), (PathRule::RoundRobin, any(None, Some(100))));
    assert_eq!(rules(&[spray, "network.spray=random"]).0, PathRule::Random);
    let flowlet = "network.routing=flowlet";
    assert_eq!(rules(&[flowlet]).0, PathRule::Flowlet { gap_ps: 10_000_000 });
    assert_eq!(
        rules(&[flowlet, "network.flowlet_ns=700"]).0,
        PathRule::Flowlet { gap_ps: 700_000 }
    );
    assert_eq!(rules(&["network.routing=adaptive"]).0, PathRule::Adaptive);
    assert_eq!(rules(&[spray, "network.reorder=go-back-n"]).1, Recovery::GoBackN);
    assert_eq!(rules(&["network.reorder=any"]).1, any(None, Some(100)));
    assert_eq!(rules(&[spray, "network.reorder_packets=64"]).1, any(Some(64), None));
    let both = ["network.reorder_packets=64", "network.reorder_us=7", spray];
    assert_eq!(rules(&both).1, any(Some(64), Some(7)));
    // IRN's receivers keep what is ahead in their own way.
    assert!(matches!(
        rules(&[spray, "network.flow_control=irn"]).1,
        Recovery::Irn(_)
    ));
}

#[test]
fn keys_without_an_effect_are_refused() {
    let spray = "network.routing=spray";
    for (set, expected) in [
        (
            &["network.spray=random"][..],
            "network.spray: expected only with routing",
        ),
        (
            &[spray, "network.flowlet_ns=5"],
            "network.flowlet_ns: expected only with routing",
        ),
        (
            &["network.reorder_us=5"],
            "network.reorder_us: expected only with reorder",
        ),
        (
            &[spray, "network.reorder=any", "law=homa"],
            "network.reorder: expected only with a law",
        ),
        (
            &[spray, "network.reorder=any", "network.flow_control=irn"],
            "network.reorder: expected only with a law",
        ),
        (
            &["network.routing=spay"],
            "expected one of `ecmp`, `spray`, `flowlet`, `adaptive`",
        ),
        (
            &["network.routing=flowlet", "network.flowlet_ns=0"],
            "network.flowlet_ns: expected 1 to",
        ),
        (
            &[spray, "network.reorder_packets=0"],
            "network.reorder_packets: expected 1 to",
        ),
        (
            &[spray, "network.reorder_us=0"],
            "network.reorder_us: expected 0.001 to",
        ),
        (
            &[spray, "network.topology=star", "network.hosts=20"],
            "network.routing: expected only in a network",
        ),
    ] {
        let error = job(CROSS, set).map(|_| ()).unwrap_err();
        assert!(error.contains(expected), "{set:?}: {error}");
    }
}

/// Without a law's reaction: the 5-tuple leaves links idle that spraying fills. Sprayed in turn, or to the shortest queue, no two messages meet, and
/// each ends when it would alone, but for the acknowledgements of the opposite stream: 977 of 84 bytes on the same links.
#[test]
fn spraying_fills_what_hashing_leaves_idle() {
    let times = |set: &[&str]| {
        let run = run(CROSS, &[set, &["law=none", "network.buffer_mb=1000"]].concat());
        let times = run
            .outcome
            .records
            .iter()
            .map(|r| (r.fct_ps().unwrap(), r.ideal_ps.unwrap()));
        times.collect::<Vec<_>>()
    };
    for routing in ["spray", "adaptive"] {
        for (time, ideal) in times(&[&format!("network.routing={routing}")]) {
            assert!(
                time >= ideal && time <= ideal + 977 * 84 * 80,
                "{routing}: {time} ps for {ideal}"
            );
        }
    }
    // By the 5-tuple three or four of the 16 share some link.
    let hashed = times(&[]).into_iter().map(|(time, ideal)| time as f64 / ideal as f64);
    let most = hashed.fold(0.0, f64::max);
    assert!((2.5..4.0).contains(&most), "{most}");
}

/// HPCC forgets what it knows of a path at each packet that took another one. A flow that an incast has brought down to a few packets in flight,
/// whose packets take four ways in turn, sees no rate for long: it lags behind on an idle network. PowerTCP, which compares ports by their place
/// on the path, comes back as on one path.
#[test]
fn hpcc_sees_no_rate_on_paths_in_turn() {
    let squeezed = "traffic=[{kind='flow',src=0,dst=15,bytes=10000000},{kind='incast',first=1,senders=14,receiver=15,bytes=300000}]\n";
    let time = |law: &str, routing: &str| {
        let set = [format!("law={law}"), format!("network.routing={routing}")];
        let run = run(squeezed, &[&set[0], &set[1]]);
        run.outcome.records[0].fct_ps().unwrap() as f64
    };
    let price = |law: &str| time(law, "spray") / time(law, "ecmp");
    let (hpcc, powertcp) = (price("hpcc"), price("powertcp"));
    assert!(hpcc > 2.0, "{hpcc}");
    assert!((0.9..1.1).contains(&powertcp), "{powertcp}");
}

/// Measurements of the book's page on paths; `cargo test -p hpcc-sim --test paths -- --ignored --nocapture`.
#[test]
#[ignore = "prints a table"]
fn laws_on_changing_paths() {
    let load = "traffic=[{kind='poisson',sizes='websearch',load=0.5,until_us=4000}]\n";
    for law in ["hpcc", "powertcp", "dcqcn", "none"] {
        for (name, routing) in [
            ("ecmp", &["network.routing=ecmp"][..]),
            ("spray", &["network.routing=spray"]),
            ("spray random", &["network.routing=spray", "network.spray=random"]),
            ("flowlet", &["network.routing=flowlet"]),
            ("adaptive", &["network.routing=adaptive"]),
            ("spray gbn", &["network.routing=spray", "network.reorder=go-back-n"]),
            (
                "adaptive gbn",
                &["network.routing=adaptive", "network.reorder=go-back-n"],
            ),
            ("flowlet gbn", &["network.routing=flowlet", "network.reorder=go-back-n"]),
        ] {
            let law = format!("law={law}");
            let set = [routing, &[law.as_str()]].concat();
            let (cross, mixed) = (run(CROSS, &set), run(load, &set));
            let ends = cross
                .outcome
                .records
                .iter()
                .filter_map(|r| r.finished_ps)
                .max()
                .unwrap_or(0);
            let values = slowdowns(&mixed, SizeClass::ALL);
            let of = |run: &Run| {
                let again: u64 = run.outcome.records.iter().map(|r| r.retransmitted_bytes).sum();
                let sent: u64 = run.outcome.flows.iter().map(|f| f.bytes).sum();
                let c = &run.outcome.counters;
                let early = c.early as f64 / c.data_packets as f64;
                let samples = &run.outcome.samples;
                format!(
                    "early {early:.3} again {:.3} fabric p99 {} KB to hosts p99 {} KB pauses {}",
                    again as f64 / sent as f64,
                    samples.fabric.percentile(99.0) / 1000,
                    samples.to_host.percentile(99.0) / 1000,
                    c.pauses
                )
            };
            println!(
                "{law} {name}: cross {:.1} us {}; load: {} of {} p50 {:.2} p99 {:.2} {}",
                ends as f64 / 1e6,
                of(&cross),
                values.len(),
                mixed.outcome.flows.len(),
                percentile(&values, 50.0),
                percentile(&values, 99.0),
                of(&mixed)
            );
        }
    }
}
