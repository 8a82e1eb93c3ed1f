//! 4098 flows, Verilated: one fast flow among slow ones, and a rate that changes.

mod sched;

use hpcc_models::sched::SchedRegisters;
use hpcc_rtl::sched::LargeScheduler;
use sched::{Bench, Event, LINE, WIRE_1024};

const FLOWS: u16 = 4098;

fn bench() -> Bench {
    let mut bench = Bench::new::<LargeScheduler>("scheduler_6x683", SchedRegisters::default());
    bench.run(22_000);
    bench.line = LINE;
    bench.rtt = Some(10_000);
    bench
}

/// Starts every flow but the last at `slow` bytes per ns, spread over one packet time, then the last one at `fast`.
fn start_all(bench: &mut Bench, slow: f64, fast: f64) {
    let spread = (WIRE_1024 / slow / f64::from(FLOWS)) as u64;
    for flow in 0..FLOWS - 1 {
        bench.start(flow, 2, slow, 1e6);
        bench.settle();
        bench.run(spread.saturating_sub(40));
    }
    bench.start(FLOWS - 1, 2, fast, 4e6);
    bench.settle();
}

#[test]
fn one_fast_flow_among_4097_slow_ones() {
    for (slow_mbps, fast_gbps) in [(10.0, 40.0), (2.0, 80.0)] {
        let (slow, fast) = (slow_mbps / 8000.0, fast_gbps / 8.0);
        let mut bench = bench();
        start_all(&mut bench, slow, fast);
        bench.run(50_000);
        let (from, start) = (bench.sent.len(), bench.now());
        bench.run(1_000_000);
        let time = (bench.now() - start) as f64;
        let sent = &bench.sent[from..];
        let times: Vec<u64> = sent
            .iter()
            .filter(|packet| packet.flow == FLOWS - 1)
            .map(|packet| packet.clock)
            .collect();
        let nominal = WIRE_1024 / fast;
        let error = |n: usize| {
            let took = times
                .windows(n + 1)
                .map(|w| (w[n] - w[0]) as f64 * 5.0 / (n as f64 * nominal));
            took.fold(0.0, |worst: f64, ratio| worst.max((ratio - 1.0).abs()))
        };
        let slow_share = (sent.len() - times.len()) as f64 * WIRE_1024 / (time * slow * f64::from(FLOWS - 1));
        println!(
            "{fast_gbps} Gb/s among 4097 of {slow_mbps} Mb/s: worst error over 100 packets {:.3} %, over 1000 {:.3} %; the slow ones got {:.2} %",
            100.0 * error(100), 100.0 * error(1000), 100.0 * slow_share
        );
        assert!(error(100) <= 0.01 && error(1000) <= 0.01);
        assert!((slow_share - 1.0).abs() <= 0.01);
    }
}

/// A flow that waits for its next packet 11 ms away is sped up: the longest delay, 8.2 us, is the longest that it takes.
#[test]
fn a_faster_rate_acts_within_one_delay() {
    let mut bench = bench();
    bench.start(7, 2, 0.0001, 4e6);
    bench.settle();
    for round in 0..20 {
        bench.run(100_000 + round * 777);
        let (before, start) = (bench.sent.len(), bench.now());
        bench.offer(Event::Update {
            flow: 7,
            generation: 1,
            rate: 5.0,
            window: 4e6,
        });
        while bench.sent.len() == before {
            bench.step();
            assert!(bench.now() - start < 9_000, "round {round}");
        }
        bench.offer(Event::Update {
            flow: 7,
            generation: 1,
            rate: 0.0001,
            window: 4e6,
        });
        bench.settle();
    }
}
