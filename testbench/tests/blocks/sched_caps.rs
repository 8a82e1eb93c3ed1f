//! Caps of flows and levels of groups in the paper's configuration, Verilated: rates, bytes after a write, stops, dither, counts.

use crate::sched::{Bench, Event, CLOCK_NS, LINE, WIRE_1024};
use hpcc_models::sched::SchedRegisters;
use hpcc_rtl::sched::PaperScheduler;

/// The rate that limits nothing.
const NONE: f64 = 128.0;
/// Clocks from a level on the port to the visits that read it: its computation, and a visit under way.
const WRITE_NS: u64 = 40 * CLOCK_NS;

fn bench(flows: u16, rate: f64) -> Bench {
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", SchedRegisters::default());
    bench.run(3_000);
    bench.line = LINE;
    bench.rtt = Some(10_000);
    for flow in 0..flows {
        bench.start(flow, 2, rate, 4e6);
    }
    bench.settle();
    bench.run(20_000);
    bench
}

/// Wire bytes per ns of a flow in the next `ns`.
fn rate(bench: &mut Bench, flow: u16, ns: u64) -> f64 {
    let from = bench.sent.len();
    bench.run(ns);
    let packets = bench.sent[from..].iter().filter(|packet| packet.flow == flow).count();
    packets as f64 * WIRE_1024 / ns as f64
}

/// Puts a flow into a group with a cap, bytes per ns.
fn cap(bench: &mut Bench, flow: u16, rate: f64, group: u8) {
    bench.offer(Event::Limit {
        flow,
        generation: 1,
        rate,
        group,
    });
    bench.settle();
}

fn near(got: f64, want: f64) -> bool {
    (got / want - 1.0).abs() < 0.01
}

#[test]
fn the_smallest_of_law_cap_and_level_paces() {
    let mut bench = bench(3, 3.0);
    cap(&mut bench, 1, 1.0, 0);
    cap(&mut bench, 2, NONE, 5);
    bench.level(0, 2.0);
    bench.level(5, 0.25);
    bench.run(20_000);
    let shares = [0, 1, 2].map(|flow| rate(&mut bench, flow, 600_000));
    for (share, want) in shares.iter().zip([2.0, 1.0, 0.25]) {
        assert!(near(*share, want), "{shares:?}");
    }
    bench.level(0, NONE);
    bench.level(5, NONE);
    bench.run(20_000);
    let shares = [0, 1, 2].map(|flow| rate(&mut bench, flow, 600_000));
    for (share, want) in shares.iter().zip([3.0, 1.0, 3.0]) {
        assert!(near(*share, want), "{shares:?}");
    }
}

/// Bytes sent since a level fell stay below the new rate times the time, one packet, and one visit interval, at every packet.
#[test]
fn bytes_after_a_fall_are_bounded() {
    for (old, new) in [(12.5, 0.1), (6.0, 1.5), (1.0, 0.0), (12.5, 5.0)] {
        let mut bench = bench(1, old);
        let from = bench.sent.len();
        bench.level(0, new);
        let start = bench.now() + WRITE_NS;
        bench.run(200_000);
        let mut bytes = 0.0;
        for packet in bench.sent[from..]
            .iter()
            .filter(|packet| packet.clock * CLOCK_NS > start)
        {
            bytes += WIRE_1024;
            let elapsed = (packet.clock * CLOCK_NS - start) as f64;
            let bound = new * (elapsed + 512.0) + WIRE_1024 + 1.0;
            assert!(bytes <= bound, "{old} to {new}: {bytes} bytes after {elapsed} ns");
        }
        assert!(new == 0.0 || bytes > 0.0);
        if new == 0.0 {
            assert!(bytes == 0.0 && bench.ended.is_empty());
            bench.level(0, 2.0);
            bench.run(2_000);
            assert!(near(rate(&mut bench, 0, 600_000), old.min(2.0)), "it goes on");
        }
    }
}

/// The first packets of flows that get work at the same moment are spread over a packet time, and their rate is what it was.
#[test]
fn dither_spreads_first_packets_evenly() {
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", SchedRegisters::default());
    bench.set("cap_dither", 1);
    bench.run(3_000);
    bench.rtt = Some(10_000);
    let (flows, slow) = (200u16, 0.05);
    for flow in 0..flows {
        for event in [
            Event::Create {
                flow,
                generation: 1,
                psn: 0,
                mtu: 2,
                priority: 0,
            },
            Event::Update {
                flow,
                generation: 1,
                rate: slow,
                window: 4e6,
            },
        ] {
            bench.offer(event);
        }
    }
    bench.settle();
    bench.run(50_000);
    let start = bench.now();
    for flow in 0..flows {
        bench.offer(Event::Work {
            flow,
            generation: 1,
            end: 1000,
        });
    }
    bench.settle();
    let packet_ns = WIRE_1024 / slow;
    bench.run((packet_ns * 4.2) as u64);
    let mut first: Vec<f64> = (0..flows)
        .map(|flow| {
            let packet = bench.sent.iter().find(|packet| packet.flow == flow);
            let at = packet.map_or(f64::INFINITY, |packet| (packet.clock * CLOCK_NS) as f64);
            (at - start as f64) / packet_ns
        })
        .collect();
    first.sort_by(f64::total_cmp);
    // Kolmogorov and Smirnov: 1.63 / sqrt(n) at one per cent; offers take some of the time
    let distance = (0..)
        .zip(&first)
        .map(|(i, at)| (f64::from(i) / f64::from(flows) - at).abs());
    let distance = distance.fold(0.0, f64::max);
    println!("first packets: distance from uniform {distance:.3}");
    assert!(distance < 1.63 / f64::from(flows).sqrt() + 0.05, "{distance}");
    for flow in 0..flows {
        let packets = bench.sent.iter().filter(|packet| packet.flow == flow).count();
        assert!((3..=5).contains(&packets), "flow {flow}: {packets} in 4.2 packet times");
    }
}

#[test]
fn groups_count_their_flows_and_bytes() {
    let mut bench = bench(12, 0.5);
    for flow in 0..12 {
        cap(&mut bench, flow, NONE, (flow % 3) as u8);
    }
    let look = |bench: &mut Bench, group: u64| {
        bench.set("look", group);
        bench.step();
        bench.model.settle();
        (bench.get("active"), bench.get("sent"))
    };
    bench.run(1_000);
    let before: Vec<_> = (0..4).map(|group| look(&mut bench, group)).collect();
    assert_eq!(
        before.iter().map(|(active, _)| *active).collect::<Vec<_>>(),
        [4, 4, 4, 0]
    );
    let from = bench.sent.len();
    bench.run(100_000);
    bench.level(0, 0.0);
    bench.level(1, 0.0);
    bench.level(2, 0.0);
    bench.run(5_000);
    for group in 0..4u64 {
        let sent = bench.sent[from..]
            .iter()
            .filter(|packet| u64::from(packet.flow) % 3 == group);
        let bytes = if group == 3 {
            0
        } else {
            sent.count() as u64 * WIRE_1024 as u64
        };
        let (active, total) = look(&mut bench, group);
        let counted = total - before[group as usize].1;
        // packets that left while the first values were read
        assert!(
            bytes.abs_diff(counted) <= 2 * WIRE_1024 as u64,
            "{group}: {counted} for {bytes}"
        );
        assert_eq!(active, if group == 3 { 0 } else { 4 });
    }
    for flow in 0..12 {
        bench.offer(Event::Remove { flow, generation: 1 });
    }
    bench.settle();
    bench.run(1_000);
    assert!((0..3).all(|group| look(&mut bench, group).0 == 0));
}
