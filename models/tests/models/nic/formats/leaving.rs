//! What a NIC sends in each format, and what it charges for it.

use super::super::hop::Hop;
use super::*;
use hpcc_models::wire::telemetry::{icrc_ok, ifa, Added};
use Operation::Write;

/// What the NIC sends: the format's empty headers, an ICRC of the packet without them, the same payload as in Fig. 7's form. Switches fill it.
#[test]
fn the_sender_writes_empty_headers() {
    let numbers = TelemetryPorts::default();
    for format in Encapsulation::ALL {
        let mut bench = Bench::with(config(format), 0, true);
        bench.post(1, Write, 0, 300);
        let frames: Vec<Vec<u8>> = (0..1000).step_by(20).flat_map(|now| bench.nic.poll(now)).collect();
        assert_eq!(frames.len(), 2);
        let mut frame = frames[0].clone();
        let packet = &frame[14..];
        // WRITE First: BTH 12, RETH 16, 256 bytes, ICRC 4 behind IPv4 and UDP
        assert_eq!(packet.len(), 20 + 8 + format.base_len() + 12 + 16 + 256 + 4);
        let opened = open(packet, &numbers).unwrap();
        assert!(icrc_ok(&opened.plain), "{format:?}");
        assert_eq!(opened.stack, Ok(IntStack::default()));
        assert_eq!(packet[packet.len() - 4 - 256..packet.len() - 4], bench.memory()[..256]);
        for switch in 1..=3 {
            let hop = Hop {
                device: 0x100 + switch,
                egress: 7,
                speed: 5,
                now_ns: 1000 * u64::from(switch),
                sent: 1 << 20,
                queue: 560,
            };
            assert_eq!(hop.add_to(&mut frame, format), Added::Yes, "{format:?}");
        }
        let packet = &frame[14..];
        let base = 20 + 8 + 12 + 16 + 256 + 4;
        assert_eq!(packet.len(), base + format.base_len() + 3 * format.hop_len());
        let opened = open(packet, &numbers).unwrap();
        assert!(icrc_ok(&opened.plain));
        let stack = opened.stack.unwrap();
        let times: Vec<u32> = stack.hops[..3].iter().map(|hop| hop.ts).collect();
        assert_eq!((stack.n_hop, times), (3, vec![1000, 2000, 3000]), "{format:?}");
    }
}

/// Two NICs with one format on a wire: everything arrives, in both directions, with READ and probes and without.
#[test]
fn two_nics_of_a_format_understand_each_other() {
    for format in Encapsulation::ALL {
        for probes in [None, Some(ProbeConfig::every(1000))] {
            let nic = |ip: std::net::Ipv4Addr, mac, peer_ip, peer_mac, own, remote| {
                let config = NicConfig {
                    ip,
                    mac,
                    probes,
                    neighbours: [(peer_ip, peer_mac)].into(),
                    ..config(format)
                };
                let mut nic = nic_with_memory(config, None);
                nic.create_qp(QpConfig {
                    int: true,
                    mtu: MTU as u32,
                    ..QpConfig::new(own, remote, peer_ip)
                })
                .unwrap();
                nic
            };
            let nics = [
                nic(OUR_IP, OUR_MAC, PEER_IP, PEER_MAC, QPN, PEER_QPN),
                nic(PEER_IP, PEER_MAC, OUR_IP, OUR_MAC, PEER_QPN, QPN),
            ];
            let mut pair = Pair::new(nics, LinkConfig::default(), 1);
            for (id, operation) in [(1, Write), (2, Operation::Read)] {
                let work = WorkRequest {
                    id,
                    qpn: QPN,
                    operation,
                    local_address: BASE + 20_000 * id,
                    local_key: KEY,
                    remote_address: BASE + 1,
                    remote_key: KEY,
                    length: 9000,
                };
                pair.nics[0].post(0, work).unwrap();
            }
            assert!(pair.run(1_000_000_000));
            let done = pair.nics[0].take_completions();
            assert!(
                done.len() == 2 && done.iter().all(|c| c.status == Status::Ok),
                "{format:?} {done:?}"
            );
            for nic in &pair.nics {
                assert_eq!(
                    (nic.counters().dropped(), nic.counters().get(Counter::Retransmitted)),
                    (0, 0)
                );
            }
        }
    }
}

/// Uncollected packets of a format keep its headers, under the code point that switches pass by; IFA's say so too.
#[test]
fn uncollected_packets_keep_the_headers() {
    for format in Encapsulation::ALL {
        let config = NicConfig {
            sampling: Some(SamplingConfig {
                every: 2,
                at_latest_ns: 1_000_000,
            }),
            ..config(format)
        };
        let mut bench = Bench::with(config, 0, true);
        bench.post(1, Write, 0, 4 * MTU as u64);
        let frames: Vec<Vec<u8>> = (0..1000).step_by(20).flat_map(|now| bench.nic.poll(now)).collect();
        let dscp: Vec<u8> = frames.iter().map(|frame| frame[15] >> 2).collect();
        assert_eq!(dscp, [26, 10, 26, 10]);
        assert_eq!(frames[1].len(), frames[2].len(), "the same size");
        let mut packet = frames[1][14..].to_vec();
        if format == Encapsulation::Ifa {
            assert_eq!(ifa::stamp(&mut packet, &ifa::IfaHop::default(), 9000), Added::Full);
            assert_eq!(packet, frames[1][14..]);
        }
        assert_eq!(
            open(&packet, &TelemetryPorts::default()).unwrap().stack,
            Ok(IntStack::default())
        );
    }
}

/// A path MTU that would not fit beside the longest INT is refused; without INT it is taken.
#[test]
fn max_frame() {
    for (format, int, ok) in [
        (Encapsulation::Fig7, true, true),
        (Encapsulation::Ifa, true, false),
        (Encapsulation::Ifa, false, true),
        (Encapsulation::IntMd, true, false),
    ] {
        let mut nic = Nic::new(config(format), BlockMemory::default(), None);
        let made = nic.create_qp(QpConfig {
            mtu: 4096,
            ..qp_config(0, int)
        });
        let refused = Err(HostError::Field { qpn: QPN, field: "mtu" });
        assert_eq!(made, if ok { Ok(()) } else { refused }, "{format:?} {int}");
    }
}

/// Pacing charges the longest stack of the format, whatever a packet collects.
#[test]
fn pacing_charges_the_format() {
    for (format, bytes) in [
        (Encapsulation::Fig7, 124),
        (Encapsulation::Ifa, 250),
        (PREALLOCATED, 194),
        (INCREMENTAL, 194),
        (Encapsulation::IntMd, 218),
    ] {
        let mut bench = Bench::with(config(format), 0, true);
        bench.post(1, Write, 0, 10 * MTU as u64);
        for now in (0..10_000).step_by(20) {
            bench.nic.poll(now);
        }
        assert_eq!(bench.nic.sent()[0], 10 * (MTU as u64 + bytes) + 16, "{format:?}");
    }
}
