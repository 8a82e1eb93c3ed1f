//! The paper's configuration, six engines by fifty flows, Verilated: pacing, throughput, fairness.

use crate::sched::{jain, Bench, LINE, WIRE_1024};
use hpcc_models::sched::SchedRegisters;
use hpcc_rtl::sched::PaperScheduler;

fn bench() -> Bench {
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", SchedRegisters::default());
    bench.run(3_000);
    bench
}

/// Largest error of the time that 100 packets take, over all packets after a start.
fn worst_error(times: &[u64], nominal_ns: f64) -> f64 {
    let errors = times.windows(101).skip(10).map(|w| {
        let took = (w[100] - w[0]) as f64 * 5.0;
        (took / (100.0 * nominal_ns) - 1.0).abs()
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn pacing_error_over_100_packets_is_below_one_percent() {
    for (gbps, mtu, wire) in [
        (0.1, 2, WIRE_1024),
        (1.0, 2, WIRE_1024),
        (3.7, 2, WIRE_1024),
        (10.0, 0, 380.0),
        (25.0, 2, WIRE_1024),
        (50.0, 4, 4220.0),
        (93.1, 2, WIRE_1024),
        (100.0, 2, WIRE_1024),
        (100.0, 0, 380.0),
        (100.0, 4, 4220.0),
    ] {
        let mut bench = bench();
        bench.line = LINE;
        bench.rtt = Some(10_000);
        bench.start(17, mtu, gbps / 8.0, 4e6);
        let nominal = wire / (gbps / 8.0);
        let packets = if gbps < 2.0 { 130.0 } else { 260.0 };
        bench.run((nominal * packets) as u64 + 2_000);
        let times: Vec<u64> = bench.sent.iter().map(|packet| packet.clock).collect();
        assert!(
            times.len() as f64 > packets - 10.0,
            "{gbps} Gb/s: {} packets",
            times.len()
        );
        let error = worst_error(&times, nominal);
        println!("{gbps:6} Gb/s, {wire} bytes on the wire: {:.3} %", error * 100.0);
        assert!(error <= 0.01, "{gbps} Gb/s, MTU code {mtu}: {error}");
        assert!(bench
            .sent
            .iter()
            .zip(0..)
            .all(|(packet, psn)| packet.psn == psn && packet.kind & 1 == 0));
    }
}

/// Flows that could each fill the line, and flows whose rates add up to the line.
#[test]
fn aggregate_and_fairness_of_1_6_50_and_300_flows() {
    for mtu in [0, 2] {
        for flows in [1u16, 6, 50, 300] {
            for greedy in [true, false] {
                let mut bench = bench();
                bench.line = LINE;
                bench.rtt = Some(10_000);
                let rate = if greedy { LINE } else { LINE / f64::from(flows) };
                for flow in 0..flows {
                    bench.start(flow, mtu, rate, 4e6);
                }
                bench.settle();
                bench.run(100_000 + 1_000 * u64::from(flows));
                // shares are known to one grant of fifteen packets
                let (from, time) = (bench.sent.len(), 400_000 + 12_000 * u64::from(flows));
                bench.run(time);
                let mut shares = vec![0.0; flows.into()];
                for packet in &bench.sent[from..] {
                    shares[usize::from(packet.flow)] += 1.0;
                }
                let wire = f64::from(bench.registers.wire_bytes(mtu));
                let share = shares.iter().sum::<f64>() * wire / (LINE * time as f64);
                let index = jain(&shares);
                println!(
                    "{flows:3} flows, MTU code {mtu}, greedy {greedy}: {:.3} % of the line, Jain {index:.5}",
                    share * 100.0
                );
                assert!(share >= 0.99, "{flows} flows: {share}");
                assert!(index >= 0.999, "{flows} flows: {index} {shares:?}");
            }
        }
    }
}
