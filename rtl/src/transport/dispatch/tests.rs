//! Frames through the whole receive pipe beside the model's receive path: the same counter, or the same destination.

use crate::nic::words::{commit, context, rx_row};
use crate::rx::pipe::RxPipe;
use crate::rx::stimulus::{aim, any_frame, good_frame, registers};
use crate::sim::{init, step, Stimulus};
use hpcc_models::nic::{frame_fault, Counter, NicConfig};
use hpcc_models::wire::*;
use std::net::Ipv4Addr;

const PEER: Ipv4Addr = Ipv4Addr::new(10, 0, 3, 12);

/// What must happen to a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    Counted(Counter),
    Request(u32),
    Response(u32),
    Acknowledgement(u32),
    Echo(u32),
    Notification,
    Control,
}

/// Queue pair 2 is plain, 3 collects INT, 4 has another peer, the others do not exist.
fn fate(config: &NicConfig, frame: &[u8]) -> Fate {
    match frame_fault(config, frame) {
        // what a control packet says is the manager's business
        Some(Counter::ControlRefused) => return Fate::Control,
        Some(fault) => return Fate::Counted(fault),
        None => {}
    }
    let at = if frame[12..14] == [0x81, 0] { 18 } else { 14 };
    let port = u16::from_be_bytes([frame[at + 22], frame[at + 23]]);
    if config.ports.role(port) == Some(PortRole::Control) {
        return Fate::Control;
    }
    let role = config.ports.role(port).expect("a port of ours");
    let packet = RocePacket::parse(frame, &config.ports).expect("no fault");
    let int_on = match packet.bth.dest_qp {
        2 => false,
        3 | 4 => true,
        _ => return Fate::Counted(Counter::UnknownQp),
    };
    let peer = if packet.bth.dest_qp == 4 {
        Ipv4Addr::new(10, 9, 9, 9)
    } else {
        PEER
    };
    if packet.ipv4.src != peer {
        return Fate::Counted(Counter::WrongPeer);
    }
    let opcode = packet.bth.opcode;
    let right = match (int_on, opcode) {
        (_, Opcode::Cnp) => true,
        (false, Opcode::ReadEcho) => false,
        (false, _) => role == PortRole::Roce,
        (true, Opcode::Acknowledge | Opcode::ReadEcho) => role == PortRole::IntEcho,
        (true, _) => role == PortRole::IntCollect,
    };
    if !right {
        return Fate::Counted(Counter::WrongPort);
    }
    match opcode {
        Opcode::ReadResponse(_) => Fate::Response(packet.bth.psn),
        Opcode::Acknowledge => Fate::Acknowledgement(packet.bth.psn),
        Opcode::ReadEcho => Fate::Echo(packet.bth.psn),
        Opcode::Cnp => Fate::Notification,
        Opcode::OtherResponse(_) => Fate::Counted(Counter::Stray),
        _ => Fate::Request(packet.bth.psn),
    }
}

fn beats(frame: &[u8]) -> Vec<([u64; 8], u64, bool)> {
    let count = frame.len().div_ceil(64);
    (0..count)
        .map(|i| {
            let part = &frame[64 * i..frame.len().min(64 * i + 64)];
            let mut data = [0; 8];
            for (at, byte) in part.iter().enumerate() {
                data[at / 8] |= u64::from(*byte) << (8 * (at % 8));
            }
            let keep = if part.len() == 64 {
                u64::MAX
            } else {
                (1 << part.len()) - 1
            };
            (data, keep, i + 1 == count)
        })
        .collect()
}

fn write_context(pipe: &mut RxPipe, qp: u64, int: u64, peer: Ipv4Addr) {
    use crate::prim::wide::W;
    let mut limbs = [0u64; 4];
    context::ALIVE.put(&mut limbs, 1);
    context::GENERATION.put(&mut limbs, 7);
    context::REMOTE_IP.put(&mut limbs, u32::from(peer).into());
    context::MTU.put(&mut limbs, 2);
    context::INT.put(&mut limbs, int);
    pipe.context_valid.next = true;
    pipe.context_qp.next = crate::prim::uint::U(qp);
    pipe.context_data.next = W(limbs);
    step(pipe, |_| ());
    pipe.context_valid.next = false;
}

fn run(seed: u64, stall: f64) {
    let config = registers();
    let mut stimulus = Stimulus::new(seed);
    let mut pipe: Box<RxPipe> = Box::default();
    init(pipe.as_mut()).expect("complete block");
    let pipe = pipe.as_mut();
    let mac = config.mac.0.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    pipe.cfg_mac.next = crate::prim::uint::U(mac);
    pipe.cfg_ip.next = crate::prim::uint::U(u32::from(config.ip).into());
    pipe.cfg_port_roce.next = crate::prim::uint::U(config.ports.roce.into());
    pipe.cfg_port_int.next = crate::prim::uint::U(config.ports.int_collect.into());
    pipe.cfg_port_echo.next = crate::prim::uint::U(config.ports.int_echo.into());
    pipe.cfg_port_control.next = crate::prim::uint::U(config.ports.control.into());
    pipe.cfg_pkey.next = crate::prim::uint::U(config.pkey.into());
    pipe.reset.next = true;
    for _ in 0..20 {
        step(pipe, |_| ());
    }
    pipe.reset.next = false;
    write_context(pipe, 2, 0, PEER);
    write_context(pipe, 3, 1, PEER);
    write_context(pipe, 4, 1, Ipv4Addr::new(10, 9, 9, 9));

    let mut frames = Vec::new();
    let mut queue = std::collections::VecDeque::new();
    for _ in 0..400 {
        let mut frame = if stimulus.chance(0.6) {
            good_frame(&mut stimulus, &config)
        } else {
            any_frame(&mut stimulus, &config)
        };
        if stimulus.chance(0.8) {
            let mut qp = [2, 3, 4, 5, 0x1_0002][stimulus.below(5) as usize];
            if stimulus.chance(0.7) {
                // the one whose port it came to
                let plain = frame.len() > 38 && [&frame[36..38], &frame[40..42]].contains(&&[0x12, 0xb7][..]);
                qp = if plain { 2 } else { 3 };
            }
            aim(
                &mut frame,
                &config,
                qp,
                if stimulus.chance(0.9) {
                    PEER
                } else {
                    Ipv4Addr::new(10, 9, 9, 9)
                },
            );
        }
        queue.extend(beats(&frame));
        frames.push(fate(&config, &frame));
    }
    let (mut seen, mut jobs, mut commands) = (Vec::new(), 0, 0);
    let (mut request_at, mut response_at) = (0, 0);
    let mut clocks = 0;
    while seen.len() < frames.len() {
        clocks += 1;
        assert!(clocks < 40_000, "after {} frames of {}", seen.len(), frames.len());
        let beat = if stimulus.chance(0.7) { queue.pop_front() } else { None };
        pipe.s_axis.tvalid.next = beat.is_some();
        if let Some((data, keep, last)) = beat {
            pipe.s_axis.tdata.next = crate::prim::wide::W(data);
            pipe.s_axis.tkeep.next = crate::prim::uint::U(keep);
            pipe.s_axis.tlast.next = last;
        }
        pipe.payload.ready.next = true;
        pipe.job.ready.next = !stimulus.chance(stall);
        pipe.commit.ready.next = !stimulus.chance(stall);
        // an engine takes the next row when its last decision has been taken
        pipe.request.ready.next = request_at == 0 && !stimulus.chance(stall);
        pipe.response.ready.next = response_at == 0 && !stimulus.chance(stall);
        pipe.notice.ready.next = !stimulus.chance(stall);
        pipe.control.ready.next = !stimulus.chance(stall);
        // the engines skip everything, a while after they were asked
        pipe.request_action.valid.next = request_at == 1;
        pipe.response_action.valid.next = response_at == 1;
        let got = step(pipe, |p| {
            let mut got = Vec::new();
            let counts = p.counts.val().0;
            if counts & !(1 << 40) != 0 {
                assert_eq!(counts.count_ones(), 1);
                got.push(Fate::Counted(Counter::ALL[counts.trailing_zeros() as usize]));
            }
            if p.request.valid.val() & p.request.ready.val() {
                got.push(Fate::Request(rx_row::PSN.get(&p.request.data.val().0) as u32));
            }
            if p.response.valid.val() & p.response.ready.val() {
                got.push(Fate::Response(rx_row::PSN.get(&p.response.data.val().0) as u32));
            }
            if p.commit.valid.val() & p.commit.ready.val() {
                let word = p.commit.data.val().0;
                assert_eq!((commit::KIND.get(&word), commit::GENERATION.get(&word)), (3, 7));
                got.push(Fate::Acknowledgement(commit::PSN.get(&word) as u32));
            }
            if p.notice.valid.val() & p.notice.ready.val() {
                let word = p.notice.data.val();
                assert_eq!(word.get_bits::<8>(12).0, 7);
                got.push(if word.get_bit(3) {
                    Fate::Echo(word.get_bits::<24>(20).0 as u32)
                } else {
                    Fate::Notification
                });
            }
            if p.control.valid.val() & p.control.ready.val() {
                got.push(Fate::Control);
            }
            jobs += u64::from(p.job.valid.val());
            let answered = (
                p.request_action.valid.val() & p.request_action.ready.val(),
                p.response_action.valid.val() & p.response_action.ready.val(),
            );
            commands += 1;
            (got, answered)
        });
        let count_down = |at: &mut u64, asked: bool, answered: bool| {
            if answered {
                *at = 0;
            } else if asked {
                *at = 4;
            } else if *at > 1 {
                *at -= 1;
            }
        };
        let asked = |kind: fn(&Fate) -> bool| got.0.iter().any(kind);
        count_down(&mut request_at, asked(|f| matches!(f, Fate::Request(_))), got.1 .0);
        count_down(&mut response_at, asked(|f| matches!(f, Fate::Response(_))), got.1 .1);
        seen.extend(got.0);
    }
    // counters and streams have registers of their own, so neighbours may change places by a clock: compare by kind
    let of = |list: &[Fate], kind: fn(&Fate) -> bool| list.iter().filter(|f| kind(f)).cloned().collect::<Vec<_>>();
    let kinds: [fn(&Fate) -> bool; 6] = [
        |f| matches!(f, Fate::Counted(_)),
        |f| matches!(f, Fate::Request(_)),
        |f| matches!(f, Fate::Response(_)),
        |f| matches!(f, Fate::Acknowledgement(_)),
        |f| matches!(f, Fate::Echo(_) | Fate::Notification),
        |f| matches!(f, Fate::Control),
    ];
    for kind in kinds {
        let (expected, found) = (of(&frames, kind), of(&seen, kind));
        let first = (0..expected.len().max(found.len())).find(|i| expected.get(*i) != found.get(*i));
        if let Some(i) = first {
            panic!(
                "seed {seed}, item {i}: expected {:?}, got {:?}",
                expected.get(i),
                found.get(i)
            );
        }
        assert!(found.len() > 3, "the stimulus has every kind");
    }
    assert_eq!(jobs, 0, "skipped frames need no memory");
}

#[test]
fn every_frame_goes_where_the_model_sends_it() {
    run(1, 0.0);
    run(2, 0.4);
}
