//! The large configuration, six engines by 683 flows, Verilated: one fast flow among 4095 slow ones.

use crate::sched::{Bench, LINE, WIRE_1024};
use hpcc_models::sched::SchedRegisters;
use hpcc_rtl::sched::LargeScheduler;

const FLOWS: u16 = 4096;
const FAST: u16 = 2050;

/// Largest error of the time that 100 packets take.
fn worst_error(times: &[u64], nominal_ns: f64) -> f64 {
    let errors = times.windows(101).map(|w| {
        let took = (w[100] - w[0]) as f64 * 5.0;
        (took / (100.0 * nominal_ns) - 1.0).abs()
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn one_fast_flow_among_4095_slow_ones_keeps_its_pace() {
    let mut bench = Bench::new::<LargeScheduler>("scheduler_6x683", SchedRegisters::default());
    bench.run(25_000);
    bench.line = LINE;
    bench.rtt = Some(10_000);
    // 10 Gb/s together; each begins with one packet
    let slow = 1.25 / f64::from(FLOWS - 1);
    for flow in (0..FLOWS).filter(|flow| *flow != FAST) {
        bench.start(flow, 2, slow, 4e6);
        if flow % 512 == 511 {
            bench.settle();
        }
    }
    bench.settle();
    bench.run(500_000);
    for (generation, gbps) in (1..).zip([5.0, 25.0, 50.0, 80.0]) {
        bench.offer(crate::sched::Event::Create {
            flow: FAST,
            generation,
            psn: 0,
            mtu: 2,
            priority: 0,
        });
        bench.offer(crate::sched::Event::Update {
            flow: FAST,
            generation,
            rate: gbps / 8.0,
            window: 4e6,
        });
        bench.offer(crate::sched::Event::Work {
            flow: FAST,
            generation,
            end: 1 << 22,
        });
        bench.settle();
        let nominal = WIRE_1024 / (gbps / 8.0);
        bench.run((nominal * 20.0) as u64 + 20_000);
        let from = bench.sent.len();
        bench.run((nominal * 220.0) as u64);
        let times: Vec<u64> = bench.sent[from..]
            .iter()
            .filter(|packet| packet.flow == FAST)
            .map(|packet| packet.clock)
            .collect();
        assert!(times.len() >= 210, "{gbps} Gb/s: {} packets", times.len());
        let error = worst_error(&times, nominal);
        let others = bench.sent.len() - from - times.len();
        println!("{gbps:4} Gb/s among {others} other packets: {:.3} %", error * 100.0);
        assert!(error <= 0.01, "{gbps} Gb/s: {error}");
        bench.offer(crate::sched::Event::Remove { flow: FAST, generation });
        bench.settle();
        bench.run(20_000);
    }
}
