//! Every option of a scenario's network is reachable from TOML and does what it says.

use hpcc_models::net::Outcome;
use hpcc_sim::plan::{Job, Run};
use hpcc_sim::scenario::spec::{parse_set, plan, Overrides};
use hpcc_testbench::program::run_all;

const EXAMPLE: &str = include_str!("../../scenarios/examples/network-options.toml");

fn run(text: &str, set: &[&str]) -> Run {
    let overrides = Overrides {
        set: set.iter().map(|s| parse_set(s).unwrap()).collect(),
        ..Overrides::default()
    };
    let planned = plan("example", text, &overrides).unwrap();
    let job = Job::new(&planned[0]).unwrap();
    run_all(&[job], 1).unwrap().remove(0)
}

fn fct_us(outcome: &Outcome, flow: usize) -> f64 {
    outcome.records[flow].fct_ps().expect("finished") as f64 / 1e6
}

#[test]
fn the_example_runs_and_its_options_arrive() {
    let run = run(EXAMPLE, &[]);
    assert!(run.outcome.records.iter().all(|r| r.finished_ps.is_some()));
    let config = &run.job.config;
    assert!(config.switch_ack_priority && config.host_acks_ignore_pause);
    assert_eq!(config.retry_timeout_ps, Some(400_000_000));
    assert_eq!(run.job.link_changes.len(), 3);
    assert!(run.job.topology.links.iter().all(|l| l.loss == 0.0001));
}

/// Flow 1 leaves by link 4 (host 2), which is down from 200 to 300 us: it loses that long, what was on its way, and the round trip in which its receiver
/// asks for that again. Nothing else loses anything.
#[test]
fn a_link_that_fails_stops_its_flow_until_it_returns() {
    let quiet = ["network.loss=0.0", "network.link_change=[]"];
    let without = run(EXAMPLE, &quiet);
    let down = "network.link_change=[{at_us=200,link=4,up=false},{at_us=300,link=4,up=true}]";
    let with = run(EXAMPLE, &["network.loss=0.0", down]);
    let (before, after) = (fct_us(&without.outcome, 1), fct_us(&with.outcome, 1));
    // Lost packets of 1162 bytes at most go again at 25 Gb/s.
    let lost = with.outcome.counters.drops + with.outcome.counters.losses;
    let again = lost as f64 * 1162.0 * 8.0 / 25e3;
    let longer = after - before;
    assert!(
        before > 200.0 && lost > 0 && (100.0..100.0 + again + 9.0).contains(&longer),
        "{before} us without, {after} us with the failure, {lost} packets lost"
    );
    assert_eq!(fct_us(&with.outcome, 0), fct_us(&without.outcome, 0));
}

/// One flow at 25 Gb/s over a middle link that falls to 5 Gb/s, without congestion control: to the picosecond by hand. 489 packets, the first of 1122 bytes,
/// the last of 370, the others of 1106; an acknowledgement of 86; six times 1 us. At 100 Gb/s in the middle all but the first queue for the
/// receiver's link as they do for the sender's; at 5 Gb/s they queue in the middle.
#[test]
fn a_link_that_slows_down_slows_its_flow() {
    let alone = "traffic=[{kind='flow',src=0,dst=4,bytes=500000}]";
    let took = |changes: &str| {
        let run = run(EXAMPLE, &["network.loss=0.0", "law='none'", changes, alone]);
        run.outcome.records[0].fct_ps()
    };
    let (all, delays) = (1122 + 487 * 1106 + 370, 6_000_000);
    let fast = 1122 * (320 + 80) + all * 320 + 86 * (320 + 80 + 320) + delays;
    assert_eq!(took("network.link_change=[]"), Some(fast));
    let slow = 1122 * 320 + all * 1600 + 370 * 320 + 86 * (320 + 1600 + 320) + delays;
    assert_eq!(took("network.link_change=[{at_us=0,link=8,rate_gbps=5}]"), Some(slow));
}

/// Data both ways through the middle, without congestion control: acknowledgements wait behind data, unless they have their own queue.
#[test]
fn acknowledgements_with_a_queue_of_their_own_do_not_wait() {
    let both_ways = "traffic=[{kind='incast',senders=4,receiver=4,bytes=400000},{kind='incast',senders=4,first=4,receiver=0,bytes=400000}]";
    let set = |priority: &str| {
        let own = format!("network.ack_priority={priority}");
        let run = run(
            EXAMPLE,
            &[
                "network.loss=0.0",
                "network.link_change=[]",
                "law='dcqcn'",
                both_ways,
                &own,
            ],
        );
        let samples = &run.outcome.samples;
        let queue_ns = samples.to_host.max() * 8 / 25;
        (samples.rtt.percentile(99.0) as f64, samples.rtt.max(), queue_ns)
    };
    let ((shared, _, _), (own, longest, queue_ns)) = (set("false"), set("true"));
    // The way back is free: no round trip is longer than the longest queue of the way there and an idle network's round trip, a packet before
    // each of the acknowledgement's three transmissions.
    assert!(
        longest <= queue_ns + 6_000 + 5_000,
        "{longest} ns for a queue of {queue_ns}"
    );
    // Without that the way back has a queue as long as the way there.
    assert!(
        (1.4..2.1).contains(&(shared / own)),
        "{shared} ns shared, {own} ns with a queue of their own"
    );
}

#[test]
fn every_built_in_topology_and_flow_control_delivers() {
    let pair = |dst: u32| format!("traffic=[{{kind='flow',src=0,dst={dst},bytes=100000}}]");
    for (topology, dst, nodes) in [
        (vec!["network.topology='star'", "network.hosts=5"], 4, 6),
        (vec!["network.topology='dumbbell'"], 7, 10),
        (
            vec![
                "network.topology='chain'",
                "network.hosts=2",
                "network.middle_gbps=[100, 50, 25]",
            ],
            7,
            12,
        ),
        (vec!["network.topology='fat-tree'", "network.pods=1"], 63, 88),
        (vec!["network.topology='testbed'"], 31, 37),
    ] {
        for control in ["pfc", "go-back-n", "irn"] {
            let (traffic, control) = (pair(dst), format!("network.flow_control='{control}'"));
            let mut set = vec![
                "network.link_change=[]",
                traffic.as_str(),
                control.as_str(),
                "cc.t_ns=13000",
            ];
            set.extend(topology.iter().copied());
            let run = run(EXAMPLE, &set);
            assert_eq!(run.job.topology.nodes(), nodes, "{topology:?}");
            assert!(run.outcome.records[0].finished_ps.is_some(), "{topology:?} {control}");
        }
    }
}
