//! Recorded Linux software RoCE: one side's frames go into the model in the other side's place, and what the model answers is
//! compared with what the other side answered then. Both captures and their parameters: `testbench/data/roce/linux-rxe`.

use hpcc_models::nic::*;
use hpcc_models::wire::*;
use std::net::Ipv4Addr;

const REQUESTER: (Ipv4Addr, MacAddr) = (Ipv4Addr::new(10, 0, 0, 10), MacAddr([0x52, 0x54, 0, 0, 0, 0x10]));
const RESPONDER: (Ipv4Addr, MacAddr) = (Ipv4Addr::new(10, 0, 0, 11), MacAddr([0x52, 0x54, 0, 0, 0, 0x11]));
const VA: u64 = 0x1000_0000;
const RESPONDER_PSN: u32 = 6_636_320;

struct Capture {
    file: &'static str,
    qpn: u32,
    mtu: u32,
    requester_psn: u32,
    key: u32,
    operation: Operation,
    /// Offset in the responder's memory and length of each message.
    messages: &'static [(u64, u64)],
}

const WRITE_DROP_MID: Capture = Capture {
    file: "rxe_write_drop_mid.pcap",
    qpn: 33,
    mtu: 1024,
    requester_psn: 1_193_040,
    key: 0x12f4,
    operation: Operation::Write,
    messages: &[(0, 20_000)],
};

/// Index of the requester's frame that never reached the responder.
const LOST: usize = 5;

const READ_PSNWRAP: Capture = Capture {
    file: "rxe_read_psnwrap.pcap",
    qpn: 32,
    mtu: 256,
    requester_psn: 16_777_200,
    key: 0x11f9,
    operation: Operation::Read,
    messages: &[(0, 4096), (4096, 20_000)],
};

/// The memory pattern that the captures' description gives.
fn pattern(seed: u32, len: u32) -> Vec<u8> {
    let shift = seed.wrapping_mul(2_654_435_761);
    let byte = |i: u32| {
        let mut x = i.wrapping_add(shift).wrapping_mul(2_246_822_519);
        x ^= x >> 16;
        (x ^ x >> 8) as u8
    };
    (0..len).map(byte).collect()
}

const MEMORY_LEN: u32 = 32_768;
const REQUESTER_SEED: u32 = 3;
const RESPONDER_SEED: u32 = 9;

impl Capture {
    fn frames(&self, from: Ipv4Addr) -> Vec<Vec<u8>> {
        let path = format!(
            "{}/../testbench/data/roce/linux-rxe/{}",
            env!("CARGO_MANIFEST_DIR"),
            self.file
        );
        let frames = read_pcap(std::fs::File::open(path).unwrap()).unwrap();
        let is_from = |frame: &Vec<u8>| RocePacket::parse(frame, &Ports::default()).unwrap().ipv4.src == from;
        frames.into_iter().map(|frame| frame.bytes).filter(is_from).collect()
    }

    /// The model in the place of one side.
    fn nic(&self, requester: bool) -> Nic<BlockMemory> {
        let (own, peer) = if requester {
            (REQUESTER, RESPONDER)
        } else {
            (RESPONDER, REQUESTER)
        };
        let (send_psn, expected_psn) = if requester {
            (self.requester_psn, RESPONDER_PSN)
        } else {
            (RESPONDER_PSN, self.requester_psn)
        };
        let config = NicConfig {
            mac: own.1,
            ip: own.0,
            neighbours: [peer].into(),
            window: 1e9,
            ..NicConfig::default()
        };
        let mut memory = BlockMemory::default();
        memory.add(
            VA,
            pattern(if requester { REQUESTER_SEED } else { RESPONDER_SEED }, MEMORY_LEN),
        );
        let mut nic = Nic::new(config, memory, None);
        let length = MEMORY_LEN.into();
        nic.add_region(Region {
            key: self.key,
            address: VA,
            length,
            remote_write: true,
            remote_read: true,
        });
        let qp = QpConfig {
            send_psn,
            expected_psn,
            mtu: self.mtu,
            ..QpConfig::new(self.qpn, self.qpn, peer.0)
        };
        nic.create_qp(qp).unwrap();
        for (id, (offset, length)) in (0..).zip(self.messages).filter(|_| requester) {
            let work = WorkRequest {
                id,
                qpn: self.qpn,
                operation: self.operation,
                local_address: VA + offset,
                local_key: self.key,
                remote_address: VA + offset,
                remote_key: self.key,
                length: *length,
            };
            nic.post(0, work).unwrap();
        }
        nic
    }
}

/// Everything the NIC sends within a millisecond, well below its timeout.
fn drain(nic: &mut Nic<BlockMemory>, now: &mut u64) -> Vec<Vec<u8>> {
    let until = *now + 1_000_000;
    let mut out = nic.poll(*now);
    while let Some(next) = nic.next_deadline().filter(|next| *next <= until) {
        *now = next.max(*now);
        out.extend(nic.poll(*now));
    }
    out
}

/// The frame with everything that roce.md leaves to the sender made equal: IP identification, type of service, UDP source port,
/// migration state and, where `policy` says so, the acknowledge request.
fn normal(frame: &[u8], policy: bool) -> Vec<u8> {
    let mut packet = RocePacket::parse(frame, &Ports::default()).unwrap();
    (
        packet.ipv4.ident,
        packet.ipv4.tos,
        packet.udp.src_port,
        packet.bth.migrated,
    ) = (0, 0, 0xc000, false);
    packet.bth.ack_req &= !policy;
    packet.to_frame()
}

fn assert_same(expected: &[Vec<u8>], got: &[Vec<u8>], policy: bool) {
    let normalise = |frames: &[Vec<u8>]| frames.iter().map(|frame| normal(frame, policy)).collect::<Vec<_>>();
    if let Some(difference) = first_difference(&normalise(expected), &normalise(got), &Ports::default()) {
        panic!("{difference}");
    }
}

#[test]
fn responder_answers_a_write_with_a_lost_packet_as_recorded() {
    let capture = WRITE_DROP_MID;
    let mut nic = capture.nic(false);
    let (mut now, mut answers) = (0, Vec::new());
    // The capture was taken before the wire lost this one.
    for (_, frame) in (0..)
        .zip(capture.frames(REQUESTER.0))
        .filter(|(index, _)| *index != LOST)
    {
        nic.receive(now, &frame);
        answers.extend(drain(&mut nic, &mut now));
    }
    // rxe acknowledges where it is asked to; so do we, and at the end of the message, where it is asked to as well.
    assert_same(&capture.frames(RESPONDER.0), &answers, false);
    let mut expected = pattern(RESPONDER_SEED, MEMORY_LEN);
    expected[..20_000].copy_from_slice(&pattern(REQUESTER_SEED, 20_000));
    assert!(nic.memory().block(VA) == Some(&expected));
    assert_eq!(nic.counters().dropped(), 0);
}

#[test]
fn requester_goes_back_as_recorded() {
    let capture = WRITE_DROP_MID;
    let recorded = capture.frames(REQUESTER.0);
    let mut nic = capture.nic(true);
    let mut now = 0;
    let first_pass = drain(&mut nic, &mut now);
    let answers = capture.frames(RESPONDER.0);
    nic.receive(now, &answers[0]);
    let second_pass = drain(&mut nic, &mut now);
    nic.receive(now, &answers[1]);
    assert!(drain(&mut nic, &mut now).is_empty());
    let sent = [first_pass, second_pass].concat();
    assert_same(&recorded, &sent, true);
    let completion = nic.take_completions()[0];
    assert_eq!((completion.status, completion.bytes), (Status::Ok, 20_000));
    assert_eq!(nic.counters().get(Counter::Timeouts), 0);
}

#[test]
fn responder_answers_reads_across_the_psn_wrap_as_recorded() {
    let capture = READ_PSNWRAP;
    let mut nic = capture.nic(false);
    let mut now = 0;
    for frame in capture.frames(REQUESTER.0) {
        nic.receive(now, &frame);
    }
    let answers = drain(&mut nic, &mut now);
    assert_eq!(answers.len(), 95);
    // Both requests had come before the first response left; rxe counts a message when it starts to answer it, and so do we
    // per request.
    assert_same(&capture.frames(RESPONDER.0), &answers, false);
}

#[test]
fn requester_reads_across_the_psn_wrap_as_recorded() {
    let capture = READ_PSNWRAP;
    let mut nic = capture.nic(true);
    let mut now = 0;
    assert_same(&capture.frames(REQUESTER.0), &drain(&mut nic, &mut now), false);
    for frame in capture.frames(RESPONDER.0) {
        nic.receive(now, &frame);
        assert!(drain(&mut nic, &mut now).is_empty());
    }
    let mut expected = pattern(REQUESTER_SEED, MEMORY_LEN);
    expected[..24_096].copy_from_slice(&pattern(RESPONDER_SEED, 24_096));
    assert!(nic.memory().block(VA) == Some(&expected));
    let done: Vec<_> = nic
        .take_completions()
        .iter()
        .map(|c| (c.work, c.status, c.bytes))
        .collect();
    assert_eq!(done, [(0, Status::Ok, 4096), (1, Status::Ok, 20_000)]);
}
