//! What a standard peer relies on when it writes to and reads from a NIC.

use super::peer::*;
use hpcc_models::nic::Counter;
use hpcc_models::wire::*;

/// A plain queue pair with packets of 256 bytes, and one with INT.
const PLAIN: usize = 0;
const INT: usize = 1;

/// The region that the peer may write, and what it must hold.
struct Target(Vec<u8>);

impl Target {
    fn new() -> Self {
        let block = setup().memory.swap_remove(1);
        Self(block.bytes)
    }

    fn put(mut self, offset: u64, bytes: &[u8]) -> Self {
        self.0[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        self
    }

    fn check(&self, outcome: &Outcome) {
        let wrong = self.0.iter().zip(&outcome.memory[1]).position(|(a, b)| a != b);
        assert_eq!(wrong, None);
        assert_eq!(self.0.len(), outcome.memory[1].len());
    }
}

fn frames(frames: impl IntoIterator<Item = Vec<u8>>) -> Vec<Input> {
    frames.into_iter().map(Input::Frame).collect()
}

#[test]
fn ack_req_is_honoured_and_messages_end_with_an_ack() {
    let bytes: Vec<u8> = (0..1000).map(|i| (i / 3) as u8).collect();
    for qp in [PLAIN, INT] {
        let mut message = write(qp, 0, WRITE_KEY, WRITE_AT + 7, &bytes);
        // In the middle of the message one is asked for, at its end none.
        message[1] = packet(
            qp,
            Opcode::Write(Position::Middle),
            1,
            true,
            Extension::None,
            &bytes[256..512],
        );
        message[3] = packet(
            qp,
            Opcode::Write(Position::Last),
            3,
            false,
            Extension::None,
            &bytes[768..],
        );
        let outcome = agreed("AckReq", &setup(), &frames(message));
        match is_int(qp) {
            false => assert_eq!(outcome.brief(qp), ["ack +1 msn 0", "ack +3 msn 1"]),
            // The INT of every packet goes back.
            true => {
                let each = ["ack +0 msn 0", "ack +1 msn 0", "ack +2 msn 0", "ack +3 msn 1"];
                assert_eq!(outcome.brief(qp), each);
                for (_, frame) in &outcome.sent[&(REMOTE + qpn(qp))] {
                    let ack = RocePacket::parse(frame, &Ports::default()).unwrap();
                    assert_eq!((ack.int, ack.udp.dst_port), (&two_hops()[..], 54792));
                }
            }
        }
        Target::new().put(7, &bytes).check(&outcome);
    }
}

#[test]
fn a_gap_is_reported_once_and_the_next_one_again() {
    let bytes: Vec<u8> = (0..1500).map(|i| (i * 11) as u8).collect();
    for qp in [PLAIN, INT] {
        let message = write(qp, 0, WRITE_KEY, WRITE_AT, &bytes);
        let order = [0, 2, 3, 4, 1, 3, 5, 2, 3, 4, 5];
        let mut script = frames(order.map(|i| message[i].clone()));
        // A READ ahead of sequence is a gap as well.
        script.push(Input::Frame(read(qp, 7, READ_KEY, READ_AT, 1)));
        script.push(Input::Frame(read(qp, 6, READ_KEY, READ_AT, 1)));
        let outcome = agreed("gaps", &setup(), &script);
        let answers = outcome.brief(qp).into_iter();
        let naks: Vec<String> = answers.filter(|text| text.starts_with("nak")).collect();
        assert_eq!(naks, ["nak 60 +1 msn 0", "nak 60 +2 msn 0", "nak 60 +6 msn 1"]);
        assert_eq!(outcome.count(Counter::OutOfSequence), 6);
        assert_eq!(outcome.brief(qp).last().unwrap(), "response Only +6 1 msn 2");
        Target::new().put(0, &bytes).check(&outcome);
    }
}

#[test]
fn a_repeated_write_is_acknowledged_again_and_not_executed() {
    for qp in [PLAIN, INT] {
        let first = write(qp, 0, WRITE_KEY, WRITE_AT, &[1; 600]);
        // The same packet numbers with other contents and another place.
        let again = write(qp, 0, WRITE_KEY, WRITE_AT + 3000, &[2; 600]);
        let script = frames(first.into_iter().chain(again));
        let outcome = agreed("repeated WRITE", &setup(), &script);
        let answers = outcome.brief(qp);
        assert_eq!(answers[answers.len() - 3..], ["ack +2 msn 1"; 3]);
        assert_eq!(outcome.count(Counter::Duplicates), 3);
        Target::new().put(0, &[1; 600]).check(&outcome);
    }
}

#[test]
fn a_repeated_read_is_executed_again_from_memory() {
    for qp in [PLAIN, INT] {
        let script = frames([
            read(qp, 0, BOTH_KEY, BOTH_AT, 600),
            write_only(qp, 3, BOTH_KEY, BOTH_AT + 250, &[9; 20]),
            // Its tail, as a requester asks after a loss; then the whole again; then more than it was.
            read(qp, 1, BOTH_KEY, BOTH_AT + 256, 344),
            read(qp, 0, BOTH_KEY, BOTH_AT, 600),
            read(qp, 2, BOTH_KEY, BOTH_AT, 600),
        ]);
        let outcome = agreed("repeated READ", &setup(), &script);
        assert_eq!(
            outcome.brief(qp),
            [
                "response First +0 256 msn 1",
                "response Middle +1 256",
                "response Last +2 88 msn 1",
                "ack +3 msn 2",
                "response First +1 256 msn 2",
                "response Last +2 88 msn 2",
                "response First +0 256 msn 2",
                "response Middle +1 256",
                "response Last +2 88 msn 2",
            ]
        );
        let old: Vec<u8> = (0..600).map(|i| at_first(BOTH_AT, i)).collect();
        let mut new = old.clone();
        new[250..270].fill(9);
        assert_eq!(outcome.payload(qp), [&old[..], &new[256..], &new].concat());
        assert_eq!(outcome.count(Counter::Stray), 1);
    }
}

#[test]
fn every_length_of_a_last_packet_is_padded_right() {
    // Both ways, at every alignment of a word.
    let mut script = Vec::new();
    let mut target = Target::new();
    for i in 0u32..24 {
        let length = u64::from(i % 12);
        let bytes: Vec<u8> = (0..length).map(|byte| (byte as u32 * 5 + i) as u8).collect();
        let offset = u64::from(i) * 31;
        script.push(Input::Frame(write_only(
            PLAIN,
            2 * i,
            WRITE_KEY,
            WRITE_AT + offset,
            &bytes,
        )));
        script.push(Input::Frame(read(PLAIN, 2 * i + 1, READ_KEY, READ_AT + offset, length)));
        target = target.put(offset, &bytes);
    }
    let outcome = agreed("pads", &setup(), &script);
    for i in 0..24 {
        let answers = &outcome.brief(PLAIN)[2 * i..2 * i + 2];
        let psn = 2 * i as i32;
        assert_eq!(answers[0], format!("ack {psn:+} msn {}", psn + 1));
        assert_eq!(
            answers[1],
            format!("response Only {:+} {} msn {}", psn + 1, i % 12, psn + 2)
        );
    }
    let read: Vec<u8> = (0..24u64)
        .flat_map(|i| (0..i % 12).map(move |byte| at_first(READ_AT, 31 * i + byte)))
        .collect();
    assert_eq!(outcome.payload(PLAIN), read);
    target.check(&outcome);
}

#[test]
fn nothing_is_checked_of_a_message_without_bytes() {
    // No region has this key; Linux does not look either.
    let nowhere = u64::MAX - 3;
    let script = frames([
        write_only(PLAIN, 0, 0x99, nowhere, &[]),
        read(PLAIN, 1, 0x99, nowhere, 0),
        // A message that fills its packets: First and an empty Last, as Linux takes them.
        packet(
            PLAIN,
            Opcode::Write(Position::First),
            2,
            false,
            reth(WRITE_KEY, WRITE_AT, 256),
            &[4; 256],
        ),
        packet(PLAIN, Opcode::Write(Position::Last), 3, true, Extension::None, &[]),
    ]);
    let outcome = agreed("no bytes", &setup(), &script);
    let answers = ["ack +0 msn 1", "response Only +1 0 msn 2", "ack +3 msn 3"];
    assert_eq!(outcome.brief(PLAIN), answers);
    Target::new().put(0, &[4; 256]).check(&outcome);
}

/// What is wrong, and the code of the answer.
fn refused(qp: usize) -> Vec<(Vec<Vec<u8>>, u8)> {
    let write_of = |position: Position, psn: u32, header: Extension, len: usize| {
        packet(qp, Opcode::Write(position), psn, true, header, &vec![7; len])
    };
    use Position::{First, Last, Middle, Only};
    let none = Extension::None;
    let started = || write_of(First, 0, reth(WRITE_KEY, WRITE_AT + 9000, 700), 256);
    let mtu = mtu(qp) as usize;
    let other = |opcode: u8, len: usize| {
        let opcode = Opcode::OtherRequest(opcode);
        packet(qp, opcode, 0, true, Extension::None, &vec![7; len])
    };
    assert_eq!(mtu, 256);
    let huge = Extension::Reth(RethRepr {
        address: WRITE_AT,
        key: WRITE_KEY,
        length: 0x8000_0001,
    });
    vec![
        // Out of their message, or inside another.
        (vec![write_of(Middle, 0, none, 256)], 0x61),
        (vec![write_of(Last, 0, none, 10)], 0x61),
        (
            vec![started(), write_of(First, 1, reth(WRITE_KEY, WRITE_AT, 300), 256)],
            0x61,
        ),
        (
            vec![started(), write_of(Only, 1, reth(WRITE_KEY, WRITE_AT, 10), 10)],
            0x61,
        ),
        (vec![started(), read(qp, 1, READ_KEY, READ_AT, 10)], 0x61),
        // Lengths.
        (vec![started(), write_of(Middle, 1, none, 255)], 0x61),
        (vec![started(), write_of(Middle, 1, none, 260)], 0x61),
        (vec![started(), write_of(Last, 1, none, 256)], 0x61),
        (
            vec![started(), write_of(Middle, 1, none, 256), write_of(Last, 2, none, 187)],
            0x61,
        ),
        (
            vec![started(), write_of(Middle, 1, none, 256), write_of(Last, 2, none, 189)],
            0x61,
        ),
        (vec![write_of(Only, 0, reth(WRITE_KEY, WRITE_AT, 11), 10)], 0x61),
        (vec![write_of(Only, 0, reth(WRITE_KEY, WRITE_AT, 9), 10)], 0x61),
        (vec![write_of(Only, 0, reth(WRITE_KEY, WRITE_AT, 300), 300)], 0x61),
        (vec![write_of(First, 0, huge, 256)], 0x61),
        // Not of this NIC: SEND, immediate data, atomics.
        (vec![other(0x04, 10)], 0x61),
        (vec![other(0x0b, 30)], 0x61),
        (vec![other(0x13, 28)], 0x61),
        // Keys, bounds, rights.
        (vec![write_only(qp, 0, 0x99, WRITE_AT, &[7; 5])], 0x62),
        (vec![write_only(qp, 0, WRITE_KEY, WRITE_AT - 1, &[7; 5])], 0x62),
        (vec![write_only(qp, 0, WRITE_KEY, WRITE_AT + LENGTH - 4, &[7; 5])], 0x62),
        (vec![write_only(qp, 0, WRITE_KEY, u64::MAX - 1, &[7; 5])], 0x62),
        (vec![write_only(qp, 0, READ_KEY, READ_AT, &[7; 5])], 0x62),
        (
            vec![write_of(First, 0, reth(WRITE_KEY, WRITE_AT + LENGTH - 256, 300), 256)],
            0x62,
        ),
        (vec![read(qp, 0, WRITE_KEY, WRITE_AT, 5)], 0x62),
        (vec![read(qp, 0, READ_KEY, READ_AT + LENGTH - 4, 5)], 0x62),
        (vec![read(qp, 0, 0x99, READ_AT, 5)], 0x62),
    ]
}

#[test]
fn what_must_not_be_done_is_refused_once_and_nothing_is_written() {
    // A queue pair with packets of 256 bytes for each, six to a NIC.
    let free = [0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21];
    let count = refused(0).len();
    for from in (0..count).step_by(free.len()) {
        let mut script = Vec::new();
        let mut target = Target::new();
        let cases = |qp: usize| refused(qp).into_iter().skip(from);
        for (i, qp) in free.iter().enumerate() {
            let Some((list, _)) = cases(*qp).nth(i) else { break };
            // What came in order before it has been executed.
            for at in 0..list.len() - 1 {
                target = target.put(9000 + 256 * at as u64, &[7; 256]);
            }
            script.extend(frames(list));
            // Dead: not even what would be right.
            script.push(Input::Frame(write_only(*qp, 0, WRITE_KEY, WRITE_AT, &[])));
            script.push(Input::Frame(write_only(*qp, 5, WRITE_KEY, WRITE_AT, &[])));
        }
        let outcome = agreed("refused requests", &setup(), &script);
        for (i, qp) in free.iter().enumerate() {
            let Some((list, code)) = cases(*qp).nth(i) else { break };
            let answers = outcome.brief(*qp);
            let nak = format!("nak {code:02x} +{} msn 0", list.len() - 1);
            assert_eq!(answers.last(), Some(&nak), "case {}: {answers:?}", from + i);
            assert_eq!(answers.iter().filter(|text| text.starts_with("nak")).count(), 1);
        }
        target.check(&outcome);
    }
}

#[test]
fn memory_that_fails_is_an_operational_error() {
    let script = frames([
        // The third of four packets lies where no memory is.
        read(PLAIN, 0, HOLE_KEY, HOLE_AT, 1000),
        write_only(PLAIN, 4, WRITE_KEY, WRITE_AT, &[1; 10]),
        read(INT, 0, HOLE_KEY, HOLE_AT + HOLE_MEMORY + 64, 10),
        // Others go on.
        write_only(4, 0, WRITE_KEY, WRITE_AT + 100, &[2; 10]),
    ]);
    let outcome = agreed_but("failing memory", &setup(), &script, &["tx_frames"]);
    let answers = [
        "response First +0 256 msn 1",
        "response Middle +1 256",
        "nak 63 +2 msn 0",
    ];
    assert_eq!(outcome.brief(PLAIN), answers);
    assert_eq!(outcome.brief(INT), ["nak 63 +0 msn 0"]);
    assert_eq!(outcome.brief(4), ["ack +0 msn 1"]);
}
