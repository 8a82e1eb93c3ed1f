use super::*;
use hpcc_models::cc::LineRate;
use hpcc_models::net::frames::host_ip;
use hpcc_models::net::{star, CcSlot, Config, Direct, FlowSpec, SamplePlan, SlotParams};
use hpcc_models::wire::*;

/// Hosts at one switch, 100 Gb/s and 1 us a link.
fn network(hosts: usize, nics: usize) -> Result<PacketNetwork, PacketsError> {
    let topology = star(hosts, 100, 1000);
    let flow = FlowSpec {
        src: 0,
        dst: 1,
        bytes: 1000,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    };
    let mut slot = |port: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(LineRate::new(port.line_rate_bps)))))
    };
    let config = Config::paper(9000, true);
    let sim = Simulator::new(&topology, vec![flow], config, SamplePlan::default(), &mut slot).unwrap();
    PacketNetwork::new(sim, &topology, nics, (1, 1))
}

/// A frame with INT of 1000 bytes on the wire.
fn frame(from: u32, to: u32) -> Vec<u8> {
    let headers = 14 + 20 + 8 + INT_EMPTY.len() + 12 + 4 + 24;
    RocePacket {
        ethernet: EthernetRepr::ipv4(MacAddr([2, 0, 0, 0, 0, 1]), MacAddr([2, 0, 0, 0, 0, 2])),
        ipv4: Ipv4Repr {
            tos: 26 << 2,
            ..Ipv4Repr::udp(host_ip(from), host_ip(to))
        },
        udp: UdpRepr::ports(0xc123, 54791),
        int: &INT_EMPTY,
        bth: BthRepr::new(Opcode::Write(Position::Middle), 0x11, 0xabcdef),
        extension: Extension::None,
        payload: &vec![7; 1000 - headers],
    }
    .to_frame()
}

/// Everything that reaches NICs from now on: when, whom, how many bytes.
fn arrivals(network: &mut PacketNetwork, mut now: u64) -> Vec<(u64, usize, usize)> {
    let mut found = Vec::new();
    while let Some(next) = network.next_arrival() {
        assert!(next > now || found.is_empty(), "the clock moves");
        now = now.max(next);
        while let Some((nic, what)) = network.receive(now) {
            let Arrival::Frame(frame) = what else {
                panic!("{what:?}")
            };
            found.push((now, nic, frame.len()));
        }
    }
    found
}

/// Sizes and times by hand: 1000 bytes take 80 ns, and 80.64 ns with the record of the switch.
#[test]
fn frames_take_their_time_and_collect_int() {
    let mut network = network(3, 3).unwrap();
    let long_idle = 5_000_000_000;
    for now in [100, long_idle] {
        network.send(now, 0, 2, frame(0, 2));
        network.send(now, 1, 2, frame(1, 2));
        // Towards oneself: the link there and back.
        network.send(now, 2, 2, frame(2, 2));
        let plain = 1000 - 24;
        let record = INT_RECORD_LEN;
        let first = now + 80 + 1000 + 81 + 1000;
        let expected = [
            (now + 2080, 2, plain),
            (first, 2, plain + record),
            (first + 80, 2, plain + record),
        ];
        let found = arrivals(&mut network, now);
        assert_eq!(found.len(), 3);
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!((found.1, found.2), (expected.1, expected.2));
            assert!(found.0.abs_diff(expected.0) <= 2, "{found:?} {expected:?}");
        }
    }
    assert_eq!((network.lost, network.refused), (0, 0));
}

/// What a frame waits for is seen at the port to its receiver, and at no other.
#[test]
fn queues_are_seen_at_the_port_where_they_are() {
    let mut network = network(9, 9).unwrap();
    for nic in 1..9 {
        for _ in 0..4 {
            network.send(0, nic, 0, frame(nic as u32, 0));
        }
    }
    assert_eq!(arrivals(&mut network, 0).len(), 32);
    let queue = network.queue(0);
    // 32 000 bytes come at eight times the rate of the port.
    assert!((24_000..30_000).contains(&queue.max()), "{queue:?}");
    assert!((8_000.0..18_000.0).contains(&queue.mean()), "{queue:?}");
    assert!((1..9).all(|nic| network.queue(nic).max() == 0));
    assert!(
        network.report().starts_with("fullest port (node 9, interface 1)"),
        "{}",
        network.report()
    );
}

#[test]
fn what_is_no_frame_of_the_network_and_too_many_nics_are_refused() {
    let mut one = network(2, 2).unwrap();
    one.send(0, 0, 1, vec![0; 64]);
    assert_eq!((one.refused, one.next_arrival()), (1, None));
    let few = network(2, 3).err();
    assert_eq!(few, Some(PacketsError::Hosts { nics: 3, hosts: 2 }));
}
