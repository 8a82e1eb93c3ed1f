//! What switches say in other ways than the paper's (HPCC++): parallel links, hidden capacities, utilisation, silence.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use proptest::prelude::*;

use super::stamp_rules::Utilisation;
use super::watched::Watched;
use super::*;
use crate::cc::hpcc::{Hpcc, HpccParams, RateSignal};
use crate::cc::{CcEvent, CongestionControl, Update, MAX_HOPS};
use crate::wire::StampConfig;

const T_NS: u64 = 9_000;
const G: u64 = 1_000_000_000;

/// One event with INT: switches, path, window after it.
type Seen = (u8, u16, f64);

/// What a run brought.
struct Run {
    seen: Vec<Seen>,
    /// Mean completion time, us.
    mean_us: f64,
    /// Round-trip time of data packets, ns.
    median_rtt: u64,
}

fn flow(src: u32, dst: u32) -> FlowSpec {
    FlowSpec {
        src,
        dst,
        bytes: 1_000_000,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    }
}

fn run(topology: &Topology, flows: &[FlowSpec], stamps: StampRules, change: Option<LinkChange>) -> Run {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let signal = match stamps.utilisation_ps {
        Some(_) => RateSignal::Utilisation,
        None => RateSignal::TxRate,
    };
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        let params = HpccParams {
            rate_signal: signal,
            ..HpccParams::new(p.line_rate_bps, p.base_rtt_ns as u32)
        };
        let law = Hpcc::new(params).map_err(|e| e.to_string())?;
        let seen = seen.clone();
        let hear = move |_: &Hpcc, event: &CcEvent, update: Option<Update>| {
            let window = update.map(|update| (event.n_hop, event.path_id, update.window));
            seen.borrow_mut().extend(window);
        };
        Ok(Box::new(Direct::new(Box::new(Watched { law, hear }))))
    };
    let config = Config {
        stamps,
        retry_timeout_ps: Some(400_000_000),
        ..Config::paper(T_NS, true)
    };
    let mut sim = Simulator::new(topology, flows.to_vec(), config, SamplePlan::default(), &mut slot).unwrap();
    if let Some(change) = change {
        sim.add_link_change(change);
    }
    sim.run_until(1_000_000_000_000);
    let outcome = sim.finish();
    let times: Vec<f64> = outcome
        .records
        .iter()
        .map(|r| r.fct_ps().unwrap() as f64 / 1e6)
        .collect();
    let seen = seen.borrow().clone();
    Run {
        seen,
        mean_us: crate::measure::mean(&times),
        median_rtt: outcome.samples.rtt.percentile(50.0),
    }
}

/// Two switches joined by two links, of which one fails: the flow moves to the other or stays. The move is seen where `pathID` knows of links, and
/// only there.
#[test]
fn a_move_to_a_parallel_link() {
    let mut topology = Topology::new(2, 2);
    topology.link(0, 2, 100, 1000);
    topology.link(1, 3, 100, 1000);
    topology.link(2, 3, 100, 1000);
    topology.link(2, 3, 100, 1000);
    let paths = |path_of_links| {
        [2, 3].map(|link| {
            let stamps = StampRules {
                path_of_links,
                ..StampRules::default()
            };
            let down = LinkChange {
                at_ps: 40_000_000,
                link,
                up: false,
                rate_bps: None,
            };
            let run = run(&topology, &[flow(0, 1)], stamps, Some(down));
            run.seen.iter().map(|seen| seen.1).collect::<BTreeSet<u16>>()
        })
    };
    let by_switch = paths(false);
    assert_eq!(by_switch, [BTreeSet::from([2 ^ 3]), BTreeSet::from([2 ^ 3])]);
    let mut by_link = paths(true);
    by_link.sort_by_key(BTreeSet::len);
    assert_eq!(
        by_link.each_ref().map(BTreeSet::len),
        [1, 2],
        "one of the two links was the flow's"
    );
    assert!(by_link[0].is_subset(&by_link[1]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever speed the switches show in place of their ports': the same windows. Bytes come in units that no scaling cuts, and the counters lie
    /// beyond every wrap.
    #[test]
    fn hidden_capacities_leave_the_windows_as_they_are(
        speeds in prop::collection::vec(prop::sample::select(vec![25u64, 50, 100, 200, 400, 800]), 1..=MAX_HOPS),
        start in 0u64..1 << 30,
        steps in prop::collection::vec((500u64..20_000, 0u64..100, 0u64..60), 2..60),
    ) {
        const UNIT: u64 = 128 * 80 * 32;
        let shown = StampRules { shown_bps: Some(100 * G), ..StampRules::default() };
        let code = |gbps: u64| 1 + DEFAULT_SPEEDS_GBPS.iter().position(|s| *s == gbps).unwrap() as u8;
        let mut laws = [(); 2].map(|()| {
            let mut law = Hpcc::<f64>::new(HpccParams::new(100 * G, 13_000)).unwrap();
            law.create(0, 0);
            law
        });
        let mut sent = vec![start * UNIT; speeds.len()];
        let mut now = 0;
        for (psn, (gap, load, queue)) in steps.into_iter().enumerate() {
            now += gap;
            let windows = [0, 1].map(|hidden| {
                let mut event = CcEvent {
                    psn_next: psn as u32 + 1,
                    snd_nxt: psn as u32 + 1,
                    now,
                    int_valid: true,
                    n_hop: speeds.len() as u8,
                    ..CcEvent::default()
                };
                for (i, gbps) in speeds.iter().enumerate() {
                    let rules = if hidden == 1 { shown.clone() } else { StampRules::default() };
                    let stamper = StampConfig {
                        speed: code(if hidden == 1 { 100 } else { *gbps }),
                        ..StampConfig::default()
                    };
                    let of = |bytes| rules.shown(gbps * G, bytes);
                    event.hops[i] = stamper.record(now + 400 * i as u64, of(sent[i]), of(queue * 80 * 32));
                }
                laws[hidden].handle(&event).unwrap().window
            });
            prop_assert_eq!(windows[0], windows[1], "packet {}", psn);
            for (sent, gbps) in sent.iter_mut().zip(&speeds) {
                *sent += gap * gbps / 8 * load / 80 / UNIT * UNIT;
            }
        }
    }
}

/// A whole network whose switches have 400 Gb/s between them and show 100: the same times, but for what the larger units round.
#[test]
fn a_network_with_hidden_capacities() {
    let topology = fat_tree_with(1, 4, 100, 400);
    let flows: Vec<FlowSpec> = (0..8).map(|i| flow(i, 8 + i % 4)).collect();
    let shown = |gbps: u64| StampRules {
        shown_bps: Some(gbps * G),
        ..StampRules::default()
    };
    let open = run(&topology, &flows, StampRules::default(), None).mean_us;
    for gbps in [100, 400] {
        let hidden = run(&topology, &flows, shown(gbps), None).mean_us;
        println!("{open:.1} us, shown as {gbps}: {hidden:.1} us");
        assert!((hidden / open - 1.0).abs() < 0.02, "{gbps}: {open} us, {hidden} us");
    }
}

#[test]
fn a_link_is_measured_window_by_window() {
    let mut port = Utilisation::default();
    // 100 Gb/s are 12.5 bytes a ns; half of them for 2 us, then nothing
    assert_eq!(
        port.measure(1_000_000, 6_250, 100 * G, 2_000_000),
        0,
        "no window has ended"
    );
    assert_eq!(port.measure(2_000_000, 12_500, 100 * G, 2_000_000), 32_768);
    assert_eq!(port.measure(3_999_999, 12_500, 100 * G, 2_000_000), 32_768);
    assert_eq!(port.measure(4_000_000, 12_500, 100 * G, 2_000_000), 0);
    // more than a record can say
    assert_eq!(port.measure(6_000_000, 1 << 40, 100 * G, 2_000_000), (1 << 20) - 1);
}

/// `u' = min(q, q') / (B T) + util`: at three quarters of the link and a queue of a tenth of `B T` on both samples the law sees 0.85, whatever the time
/// between them.
#[test]
fn the_law_takes_the_switchs_own_measurement() {
    let params = HpccParams {
        rate_signal: RateSignal::Utilisation,
        ..HpccParams::new(100 * G, 12_800)
    };
    for gap in [1_000, 7_000] {
        let mut law = Hpcc::<f64>::new(params.clone()).unwrap();
        law.create(0, 0);
        for i in 0..2 {
            let mut event = CcEvent {
                psn_next: i + 1,
                snd_nxt: i + 1,
                now: (gap * i).into(),
                int_valid: true,
                n_hop: 1,
                ..CcEvent::default()
            };
            event.hops[0] = crate::cc::HopRecord {
                speed: 5,
                ts: gap * i,
                tx_bytes: 49_152,
                // 160000 bytes are B T
                q_len: 200,
            };
            law.handle(&event);
        }
        let u = law.last().unwrap().hop_u[0].unwrap();
        assert!((u - 0.85).abs() < 1e-12, "{u}");
    }
}

/// An incast under utilisations that switches measured over a quarter of `T` ends as late as one under their byte counters, to a tenth.
#[test]
fn an_incast_by_utilisation() {
    let topology = star(5, 100, 1000);
    let flows: Vec<FlowSpec> = (0..4).map(|src| flow(src, 4)).collect();
    let measured = StampRules {
        utilisation_ps: Some(T_NS * 250),
        ..StampRules::default()
    };
    let counted = run(&topology, &flows, StampRules::default(), None).mean_us;
    let measured = run(&topology, &flows, measured, None);
    let by_util = measured.mean_us;
    println!("{counted:.1} us, by utilisation {by_util:.1} us");
    assert!((by_util / counted - 1.0).abs() < 0.1, "{counted} us, {by_util} us");
    assert!(measured.seen.iter().any(|seen| seen.2 < 50_000.0), "the law acted");
}

/// One of three switches does not stamp: the stack is shorter, which looks like another path. Its queue, the only one here, is seen by nobody, and goes
/// when the link behind it is found to be full.
#[test]
fn one_of_three_switches_is_silent() {
    let topology = chain(1, 100, &[100, 100], 1000);
    let flows = [flow(0, 2), flow(1, 2)];
    let hops = |run: &Run| run.seen.iter().map(|seen| seen.0).collect::<BTreeSet<u8>>();
    let all = run(&topology, &flows, StampRules::default(), None);
    let silent = StampRules {
        silent: vec![4],
        ..StampRules::default()
    };
    let two = run(&topology, &flows, silent, None);
    assert_eq!(
        (hops(&all), hops(&two)),
        (BTreeSet::from([2, 3]), BTreeSet::from([1, 2]))
    );
    println!(
        "median round trip {} ns, flows {:.1} us; with a silent switch {} ns, {:.1} us",
        all.median_rtt, all.mean_us, two.median_rtt, two.mean_us
    );
    assert!(two.median_rtt > all.median_rtt);
}
