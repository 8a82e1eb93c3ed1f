//! The exact ideal completion time against a recursion over packets, and against the network itself.

use proptest::prelude::*;

use super::*;
use crate::net::tests::Greedy;
use crate::net::*;

const G: u64 = 1_000_000_000;

/// Packet after packet, hop after hop: each begins at a hop when it has arrived there and the hop is free.
fn recursion(times: &Times, packets: u64, interval: (u64, u64)) -> u64 {
    let hops = times.first.len();
    let mut free = vec![0; hops];
    let mut end = 0;
    for packet in 1..=packets {
        let (own, gap) = match packet {
            1 => (&times.first, interval.0),
            _ if packet == packets => (&times.last, 0),
            _ => (&times.middle, interval.1),
        };
        let mut at = 0;
        for (hop, (&time, free)) in own.iter().zip(&mut free).enumerate() {
            let start = u64::max(at, *free);
            at = start + time;
            *free = if hop == 0 { start + gap.max(time) } else { at };
        }
        end = at;
    }
    end
}

fn a_flow(src: u32, dst: u32, bytes: u64) -> FlowSpec {
    FlowSpec {
        src,
        dst,
        bytes,
        start_ps: 777,
        dst_port: FlowSpec::DST_PORT,
    }
}

/// One message alone, sent at line rate without a window.
fn alone(topology: &Topology, flow: FlowSpec, config: Config) -> FlowRecord {
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window: f64::INFINITY,
        }))))
    };
    let config = Config {
        buffer_bytes: 1 << 30,
        ..config
    };
    let mut sim = Simulator::new(topology, vec![flow], config, SamplePlan::default(), &mut slot).unwrap();
    sim.run_until(u64::MAX / 2);
    sim.finish().records[0]
}

/// Two hosts at the ends of a row of switches; the first and the last speed are those of the hosts' links.
fn row(speeds_gbps: &[u64], delays_ns: &[u64]) -> Topology {
    let mut topology = Topology::new(2, speeds_gbps.len() - 1);
    let last = speeds_gbps.len() - 1;
    for (i, (&gbps, &delay)) in speeds_gbps.iter().zip(delays_ns).enumerate() {
        let from = if i == 0 { 0 } else { i + 1 };
        let to = if i == last { 1 } else { i + 2 };
        topology.link(from, to, gbps, delay);
    }
    topology
}

/// One byte is a packet of 99 bytes (82 of headers, 16 of RETH), its acknowledgement one of 86: two hops each at 80 ps a byte, four times
/// 1 us. The last of two packets waits for the first: 2048 bytes are 1122 and 1106.
#[test]
fn by_hand() {
    let ideal = |bytes| alone(&star(2, 100, 1000), a_flow(0, 1, bytes), Config::paper(9_000, false)).ideal_ps;
    let links = 4_000_000 + 2 * 86 * 80;
    assert_eq!(ideal(1), Some(2 * 99 * 80 + links));
    assert_eq!(
        ideal(2048),
        Some((2 * 1122 + 1106) * 80 + links),
        "behind the first packet on the second hop"
    );
    // a last packet of 83 bytes is padded to 84; it leaves the second hop behind the one before it, of 1106, and so does its acknowledgement
    let third = (2 * 1122 + 1106 + 84) * 80;
    assert_eq!(ideal(2049), Some(third + links + (86 - 84) * 80));
}

/// A lone flow of 1000 bytes on a star of 100 Gb/s and 1 us with INT took 4192 ns where the formula says 4248: the exact time is at most that.
#[test]
fn no_telemetry_is_in_it() {
    let flow = a_flow(0, 1, 1000);
    let with = alone(&star(2, 100, 1000), flow, Config::paper(9_000, true));
    let without = alone(&star(2, 100, 1000), flow, Config::paper(9_000, false));
    assert_eq!(with.ideal_ps, without.ideal_ps);
    assert_eq!(without.slowdown(), Some(1.0));
    assert!(with.slowdown().unwrap() > 1.0);
}

/// Speeds that differ on every link, as in no built-in topology.
#[test]
fn a_row_of_unlike_links() {
    let topology = row(&[100, 25, 400, 10, 40, 100], &[1000, 7, 333, 2500, 50, 1]);
    for bytes in [1, 1023, 1024, 1025, 2048, 2049, 3000, 100_001, 3_000_000] {
        let record = alone(&topology, a_flow(0, 1, bytes), Config::paper(9_000, false));
        assert_eq!(record.fct_ps(), record.ideal_ps, "{bytes} bytes");
    }
}

/// A flow's path and time are those of its 5-tuple when it starts: of two parallel links of unlike speed the one that it takes, after a change
/// the new one; without a path there is no time.
#[test]
fn the_path_is_the_flows_own_when_it_starts() {
    let mut topology = Topology::new(2, 2);
    topology.link(0, 2, 100, 1000);
    topology.link(2, 3, 100, 1000);
    topology.link(2, 3, 10, 5000);
    topology.link(3, 1, 100, 1000);
    let flows: Vec<FlowSpec> = (0..64)
        .map(|i| FlowSpec {
            start_ps: i * 100_000_000,
            ..a_flow(0, 1, 5000)
        })
        .collect();
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window: f64::INFINITY,
        }))))
    };
    let config = Config::paper(20_000, false);
    let mut sim = Simulator::new(&topology, flows, config, SamplePlan::default(), &mut slot).unwrap();
    let slower = LinkChange {
        at_ps: 3_199_000_000,
        link: 0,
        up: true,
        rate_bps: Some(40 * G),
    };
    let gone = LinkChange {
        at_ps: 6_299_000_000,
        link: 3,
        up: false,
        rate_bps: None,
    };
    sim.add_link_change(slower);
    sim.add_link_change(gone);
    sim.run_until(7_000_000_000);
    let records = sim.finish().records;
    let mut times = std::collections::BTreeSet::new();
    for (index, record) in records[..63].iter().enumerate() {
        assert_eq!(record.fct_ps(), record.ideal_ps, "flow {index}");
        times.insert(record.ideal_ps);
    }
    assert!(times.len() > 4, "ways there and back, before and after: {times:?}");
    assert_eq!((records[63].ideal_ps, records[63].slowdown()), (None, None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    /// The longest way through the table of packets and hops is the time of the recursion, with a pacer at the first hop and without.
    #[test]
    fn the_formula_is_the_recursion(
        hops in prop::collection::vec((1..2000u64, 1..2000u64, 1..2000u64), 1..=12),
        packets in 1..40u64,
        wait in (0..3000u64, 0..3000u64),
    ) {
        let mut times = Times {
            first: hops.iter().map(|h| h.0).collect(),
            middle: hops.iter().map(|h| h.1).collect(),
            last: hops.iter().map(|h| h.2).collect(),
        };
        if packets == 1 {
            times.last = times.first.clone();
        }
        let interval = (times.first[0].max(wait.0), times.middle[0].max(wait.1));
        prop_assert_eq!(times.all_through(packets, interval), recursion(&times, packets, interval));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A message alone, at line rate and without telemetry, takes the ideal time to the picosecond: one byte to 10 MB, one to five switches,
    /// links of any speed and delay, packets of any size.
    #[test]
    fn a_message_alone_takes_the_ideal_time(
        links in prop::collection::vec((prop::sample::select(vec![10u64, 25, 40, 50, 100, 200, 400]), 0..5000u64), 2..=6),
        bytes in prop_oneof![1..3000u64, 1..200_000u64, 9_000_000..=10_000_000u64],
        mtu in prop::sample::select(vec![256u32, 1000, 1024, 4096]),
    ) {
        let (speeds, delays): (Vec<u64>, Vec<u64>) = links.into_iter().unzip();
        let config = Config { mtu, ..Config::paper(9_000, false) };
        let record = alone(&row(&speeds, &delays), a_flow(0, 1, bytes), config);
        prop_assert_eq!(record.fct_ps(), record.ideal_ps);
    }
}
