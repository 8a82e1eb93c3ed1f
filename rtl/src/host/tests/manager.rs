//! The manager beside the model of the NIC: the same commands and control packets to both, and the traces of what follows.

mod bench;
mod reference;
mod trace;

use self::bench::Bench;
use self::reference::{expect_creation, expect_removal, Reference};
use self::trace::*;
use crate::prim::uint::U;
use crate::sim::Stimulus;
use crate::words::context::Region;
use crate::words::requester::QpOfGeneration;
use hpcc_models::nic::QpConfig;
use hpcc_models::wire::*;

fn any_qpn(stimulus: &mut Stimulus) -> u32 {
    [0, 1, 2, 3, 4, 5, 149, 150, 258, 1 << 23 | 2][stimulus.below(10) as usize]
}

#[test]
fn the_same_commands_and_packets_as_the_model() {
    let (mut bench, mut reference, mut stimulus) = (Bench::new(), Reference::new(), Stimulus::new(2));
    for i in 0..3 {
        let (ip, mac) = peer(i);
        let body = [u64::from(u32::from(ip)) | mac.number() << 32, mac.number() >> 32];
        assert_eq!(bench.command(4, [0, 7, 15][i as usize], &body), [Trace::Done(0)]);
    }
    let (mut now, mut sequence, mut accepted) = (5000, 0, 0);
    for round in 0..3000 {
        now += stimulus.below(1500);
        let qpn = any_qpn(&mut stimulus);
        let (got, expected) = match stimulus.below(8) {
            0..=1 => {
                let (ip, mac) = peer(stimulus.below(3));
                let mut config = QpConfig::new(qpn, stimulus.uniform(24) as u32, ip);
                config.send_psn = stimulus.corner(24) as u32;
                config.expected_psn = stimulus.corner(24) as u32;
                config.int = stimulus.chance(0.5);
                // none, or one of those that there are, with and without the INT it needs, or one that is not
                config.law = Some(stimulus.below(8).saturating_sub(2) as u8);
                config.mtu = 256 << stimulus.below(6);
                config.priority = stimulus.uniform(3) as u8;
                config.udp_port = if stimulus.chance(0.5) { 0 } else { stimulus.uniform(16) as u16 };
                (bench.create(&config, mac), reference.create(&config, mac))
            }
            2 => (bench.command(2, qpn.into(), &[]), reference.remove(qpn)),
            _ => {
                sequence += stimulus.below(3);
                let operations = [ControlOp::CreateWrite, ControlOp::CreateRead, ControlOp::Remove];
                // rarely a number that does not fit, or a peer that nobody knows
                let bits = [0, 1].map(|_| if stimulus.chance(0.05) { 32 } else { 24 });
                let peers = if stimulus.chance(0.1) { 4 } else { 3 };
                let repr = ControlRepr {
                    operation: operations[stimulus.below(3) as usize],
                    key: KEY ^ u64::from(stimulus.chance(0.05)) << stimulus.below(64),
                    sequence,
                    qpn,
                    remote_qpn: stimulus.uniform(bits[0]) as u32,
                    remote_ip: peer(stimulus.below(peers)).0,
                    first_psn: stimulus.uniform(bits[1]) as u32,
                    local_address: stimulus.uniform(64),
                    local_key: stimulus.uniform(32) as u32,
                    remote_key: stimulus.uniform(32) as u32,
                    remote_address: stimulus.uniform(64),
                    length: stimulus.uniform(32) as u32,
                };
                let mut bytes = vec![0; CONTROL_LEN];
                repr.emit(&mut bytes);
                match stimulus.below(30) {
                    0 => bytes.push(0),
                    1 => drop(bytes.pop()),
                    2..=3 => bytes[stimulus.below(6) as usize] ^= 1 << stimulus.below(8),
                    _ => {}
                }
                // the operation may have become another legal one
                let repr = match bytes[5] {
                    1 => ControlRepr {
                        operation: ControlOp::CreateWrite,
                        ..repr
                    },
                    2 => ControlRepr {
                        operation: ControlOp::CreateRead,
                        ..repr
                    },
                    _ => ControlRepr {
                        operation: ControlOp::Remove,
                        ..repr
                    },
                };
                let source = if stimulus.chance(0.05) { OUR_IP } else { SOURCE };
                (
                    bench.packet(now, source, &bytes),
                    reference.packet(now, source, &repr, &bytes),
                )
            }
        };
        assert_eq!(got, expected, "round {round}");
        accepted += u64::from(expected.contains(&Trace::Accepted));
    }
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn an_ended_queue_pair_is_removed_by_the_next_creation() {
    let mut bench = Bench::new();
    let (ip, mac) = peer(0);
    let config = QpConfig::new(9, 5, ip);
    let created = |generation| expect_creation(&config, mac, generation);
    assert_eq!(bench.create(&config, mac), [created(1), vec![Trace::Done(0)]].concat());
    assert_eq!(bench.create(&config, mac), [Trace::Done(4)]);
    // late word about another generation
    bench.block.responder_ended.next = QpOfGeneration {
        qp: U(9),
        generation: U(7),
    };
    bench.block.responder_ended_valid.next = true;
    bench.tick();
    bench.block.responder_ended_valid.next = false;
    assert_eq!(bench.create(&config, mac), [Trace::Done(4)]);
    for (requester, generation) in [(true, 1), (false, 2)] {
        let half = QpOfGeneration {
            qp: U(9),
            generation: U(generation),
        };
        (bench.block.requester_ended.next, bench.block.responder_ended.next) = (half, half);
        bench.block.requester_ended_valid.next = requester;
        bench.block.responder_ended_valid.next = !requester;
        bench.tick();
        bench.block.requester_ended_valid.next = false;
        bench.block.responder_ended_valid.next = false;
        // its mark is set four clocks after the word, and a command that is taken in the next clock looks at it after three
        bench.tick();
        let expected = [
            expect_removal(9, generation, 0),
            created(generation + 1),
            vec![Trace::Done(0)],
        ];
        assert_eq!(bench.create(&config, mac), expected.concat());
        assert_eq!(bench.create(&config, mac), [Trace::Done(4)]);
    }
}

/// What the host created is the host's until it removes it, also when one of its halves has ended; what a control packet created is not.
#[test]
fn a_control_packet_leaves_queue_pairs_of_the_host_alone() {
    let mut bench = Bench::new();
    let (ip, mac) = peer(0);
    let body = [u64::from(u32::from(ip)) | mac.number() << 32, mac.number() >> 32];
    bench.command(4, 0, &body);
    let ends = |bench: &mut Bench, generation| {
        let half = QpOfGeneration {
            qp: U(9),
            generation: U(generation),
        };
        bench.block.responder_ended.next = half;
        bench.block.responder_ended_valid.next = true;
        bench.tick();
        bench.block.responder_ended_valid.next = false;
        for _ in 0..4 {
            bench.tick();
        }
    };
    let mut sequence = 0;
    let mut packet = |bench: &mut Bench, operation| {
        sequence += 1;
        let repr = ControlRepr {
            operation,
            key: KEY,
            sequence,
            qpn: 9,
            remote_qpn: 5,
            remote_ip: ip,
            first_psn: 5,
            local_address: 0,
            local_key: 0,
            remote_key: 0,
            remote_address: 0,
            length: 4,
        };
        let mut bytes = vec![0; CONTROL_LEN];
        repr.emit(&mut bytes);
        bench.packet(10_000 * sequence, SOURCE, &bytes)
    };
    let all = [ControlOp::CreateWrite, ControlOp::CreateRead, ControlOp::Remove];
    bench.create(&QpConfig::new(9, 5, ip), mac);
    for alive in [true, false] {
        for operation in all {
            assert_eq!(packet(&mut bench, operation), [Trace::Refused], "{alive} {operation:?}");
        }
        ends(&mut bench, 1);
    }
    // the host itself may replace it, and remove it
    assert_eq!(
        bench.create(&QpConfig::new(9, 5, ip), mac).last(),
        Some(&Trace::Done(0))
    );
    assert_eq!(bench.command(2, 9, &[]).last(), Some(&Trace::Done(0)));
    assert_eq!(
        packet(&mut bench, ControlOp::CreateWrite).last(),
        Some(&Trace::Accepted)
    );
    assert_eq!(packet(&mut bench, ControlOp::CreateWrite), [Trace::Refused], "alive");
    ends(&mut bench, 3);
    assert_eq!(packet(&mut bench, ControlOp::CreateRead).last(), Some(&Trace::Accepted));
    assert_eq!(packet(&mut bench, ControlOp::Remove).last(), Some(&Trace::Accepted));
}

/// A queue pair counts once, whichever half ends first and however often it is said; one that has been removed does not count.
#[test]
fn a_queue_pair_dies_once() {
    let mut bench = Bench::new();
    let (ip, mac) = peer(0);
    for place in 9..12 {
        bench.create(&QpConfig::new(place, 5, ip), mac);
    }
    let half = |qp, generation| QpOfGeneration {
        qp: U(qp),
        generation: U(generation),
    };
    let ends = |bench: &mut Bench, requester: Option<(u64, u64)>, responder: Option<(u64, u64)>| {
        bench.block.requester_ended_valid.next = requester.is_some();
        bench.block.responder_ended_valid.next = responder.is_some();
        let (qp, generation) = requester.unwrap_or_default();
        bench.block.requester_ended.next = half(qp, generation);
        let (qp, generation) = responder.unwrap_or_default();
        bench.block.responder_ended.next = half(qp, generation);
        bench.tick();
        bench.block.requester_ended_valid.next = false;
        bench.block.responder_ended_valid.next = false;
        for _ in 0..8 {
            bench.tick();
        }
        bench.died
    };
    assert_eq!(ends(&mut bench, Some((9, 1)), Some((9, 1))), 1);
    assert_eq!(ends(&mut bench, Some((9, 1)), None), 1);
    assert_eq!(ends(&mut bench, None, Some((9, 1))), 1);
    assert_eq!(ends(&mut bench, Some((10, 2)), Some((11, 2))), 1, "another generation");
    assert_eq!(ends(&mut bench, Some((10, 1)), Some((11, 1))), 3, "two at once");
    bench.create(&QpConfig::new(9, 5, ip), mac);
    assert_eq!(ends(&mut bench, None, Some((9, 2))), 4);
    bench.create(&QpConfig::new(9, 5, ip), mac);
    bench.command(2, 9, &[]);
    assert_eq!(ends(&mut bench, Some((9, 3)), Some((9, 3))), 4, "removed");
}

/// The lowest bits of a number are the place, so no two queue pairs have one: any other number is refused. A control packet names a place, and never
/// gets one of the host's.
#[test]
fn a_number_that_is_not_its_places_is_refused() {
    let mut bench = Bench::new();
    let (ip, mac) = peer(0);
    bench.command(
        4,
        0,
        &[u64::from(u32::from(ip)) | mac.number() << 32, mac.number() >> 32],
    );
    let create = |bench: &mut Bench, place, number| {
        let traces = bench.create_numbered(&QpConfig::new(place, 5, ip), mac, number);
        match traces.as_slice() {
            [Trace::Done(code)] => *code,
            [.., Trace::Context(..), Trace::Done(0)] => 0,
            _ => panic!("{traces:?}"),
        }
    };
    for (place, number, code) in [
        (9, 0, 0),
        (6, 9, 2),
        (6, 0x06, 0),
        (7, 1, 2),
        (7, 0xff_ffff, 2),
        (0, 0, 2),
        (1, 0x1a_3f01, 2),
        (150, 0x96, 2),
        (20, 0x1a_3f14, 0),
        (21, 0x1a_3f14, 2),
        (21, 0x1a_3f15, 0),
        (149, 0x80_0095, 0),
        (148, 0x80_0095, 2),
    ] {
        assert_eq!(create(&mut bench, place, number), code, "{number:#x} at {place}");
    }
    let repr = ControlRepr {
        operation: ControlOp::CreateWrite,
        key: KEY,
        sequence: 1,
        qpn: 6,
        remote_qpn: 5,
        remote_ip: ip,
        first_psn: 5,
        local_address: 0,
        local_key: 0,
        remote_key: 0,
        remote_address: 0,
        length: 4,
    };
    let packet = |bench: &mut Bench, sequence| {
        let mut bytes = vec![0; CONTROL_LEN];
        ControlRepr { sequence, ..repr }.emit(&mut bytes);
        bench.packet(10_000 * sequence, SOURCE, &bytes)
    };
    assert_eq!(packet(&mut bench, 1), [Trace::Refused], "the place is the host's");
    assert_eq!(bench.command(2, 6, &[]).last(), Some(&Trace::Done(0)));
    assert_eq!(packet(&mut bench, 2).last(), Some(&Trace::Accepted));
    assert_eq!(create(&mut bench, 6, 0), 4, "the control packet's queue pair lives");
    // one that is created anew may keep its number
    for generation in [1, 2] {
        bench.block.requester_ended.next = QpOfGeneration {
            qp: U(20),
            generation: U(generation),
        };
        bench.block.requester_ended_valid.next = true;
        bench.tick();
        bench.block.requester_ended_valid.next = false;
        for _ in 0..4 {
            bench.tick();
        }
        assert_eq!(create(&mut bench, 20, 0x1a_3f14), 0);
    }
}

/// A plain queue pair starts at the rate of its register, and at the line rate where that is zero.
#[test]
fn the_first_rate_is_the_registers() {
    let (ip, mac) = peer(1);
    for rate in [0, 1, 25_000, 40_000] {
        let mut bench = Bench::new();
        bench.block.cfg_rate.next = U(rate);
        let config = QpConfig::new(7, 9, ip);
        let expected = if rate == 0 { LINE_RATE } else { rate };
        let traces = bench.create(&config, mac);
        let first: Vec<(u64, u64, u64)> = traces
            .into_iter()
            .filter_map(|trace| match trace {
                Trace::First(flow, _, window, rate) => Some((flow, window, rate)),
                _ => None,
            })
            .collect();
        assert_eq!(first, [(14, WINDOW, expected), (15, WINDOW, expected)]);
    }
}

#[test]
fn regions_and_what_does_not_exist() {
    let mut bench = Bench::new();
    let mut limbs = [0u64; 4];
    Region::VALID.put(&mut limbs, 1);
    Region::KEY.put(&mut limbs, 0x1234_5678);
    Region::BASE.put(&mut limbs, 0x7f00_1122_3344);
    Region::LENGTH.put(&mut limbs, u64::MAX);
    Region::REMOTE_READ.put(&mut limbs, 1);
    Region::DOMAIN.put(&mut limbs, 0x8001);
    Region::OFFSET.put(&mut limbs, 0xffff_0000_ffff_0001);
    let with = |key: u64, valid: u64| {
        let mut limbs = limbs;
        Region::VALID.put(&mut limbs, valid);
        Region::KEY.put(&mut limbs, key);
        limbs
    };
    // the index of the command is not looked at
    for (index, key, valid, code) in [
        (31, 0x1234_5678, 1, 0),
        (32, 0x1234_5678, 1, 0),
        (0, 0x1234_7678, 1, 4),
        (22, 0x1234_7678, 0, 5),
        (0, 0x1234_5778, 1, 0),
        (0, 0x1234_5678, 0, 0),
        (0, 0x1234_5678, 0, 5),
        (0, 0x1234_7678, 1, 0),
        (0, 0, 1, 0),
    ] {
        let limbs = with(key, valid);
        let mut expected = vec![Trace::Done(code)];
        if code == 0 {
            expected.insert(0, Trace::Region(key >> 8 & 31, limbs.to_vec()));
        }
        assert_eq!(bench.command(3, index, &limbs), expected, "key {key:#x}");
    }
    assert_eq!(bench.command(4, 16, &limbs), [Trace::Done(2)]);
    for operation in [0, 6, 7] {
        assert_eq!(bench.command(operation, 2, &limbs), [Trace::Done(1)]);
    }
}

/// Caps reach flows of queue pairs that exist, with their generation, and no others.
#[test]
fn caps_go_to_flows_that_exist() {
    let mut bench = Bench::new();
    let config = QpConfig::new(5, 9, peer(0).0);
    let mut generation = 0;
    for trace in bench.create(&config, peer(0).1) {
        if let Trace::Flow(true, _, new, _) = trace {
            generation = new;
        }
    }
    let none = (1 << 34) - 1;
    for (index, body, want) in [
        (10, 1 << 63 | 7 << 36 | 0x1234_5678, Ok((0x1234_5678, 7))),
        (11, 1 << 63 | 15 << 36 | (none - 1), Ok((none - 1, 15))),
        (11, 3 << 36 | 0x99, Ok((none, 3))),
        (10, 1 << 63, Ok((0, 0))),
        (12, 1 << 63, Err(5)),
        (3, 1 << 63, Err(2)),
        (300, 1 << 63, Err(2)),
        (0x10_000a, 1 << 63, Err(2)),
    ] {
        let expected = match want {
            Ok((rate, group)) => vec![Trace::Cap(index, generation, rate, group), Trace::Done(0)],
            Err(code) => vec![Trace::Done(code)],
        };
        assert_eq!(bench.command(5, index, &[body]), expected, "flow {index}");
    }
    bench.command(2, 5, &[]);
    assert_eq!(bench.command(5, 10, &[1 << 63]), [Trace::Done(5)]);
}
