//! Layouts against bytes written by hand from the specification, and there and back for every code.

use super::*;
use crate::nic::Status;
use proptest::prelude::*;

/// Bytes of a text of hexadecimal digits.
fn hex<const N: usize>(text: &str) -> [u8; N] {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    assert_eq!(digits.len(), 2 * N);
    let digit = |i: usize| (digits[i] as char).to_digit(16).unwrap() as u8;
    std::array::from_fn(|i| digit(2 * i) << 4 | digit(2 * i + 1))
}

#[test]
fn a_write_of_one_piece() {
    let entry = SendEntry {
        work: 0x1122_3344_5566_7788,
        opcode: SendOpcode::WriteImmediate,
        flags: SEND_SIGNALED | SEND_SOLICITED,
        remote_address: 0x0102_0304_0506_0708,
        remote_key: 0xdead_beef,
        immediate: [0xca, 0xfe, 0xba, 0xbe],
        data: Data::Segments(vec![Segment {
            address: 0x7f00_1234_5678,
            length: 0x1000,
            key: 0x0001_02a5,
        }]),
        operands: [0; 2],
    };
    let bytes: [u8; SEND_ENTRY_LEN] = hex(
        "8877665544332211 0807060504030201 efbeadde cafebabe 01 03 01 00 00000000
         78563412007f0000 00100000 a5020100 0000000000000000 0000000000000000",
    );
    assert_eq!(entry.encode(), [bytes]);
    assert_eq!(SendEntry::slots(&bytes), 1);
    assert_eq!(SendEntry::head(&bytes), (0x1122_3344_5566_7788, true));
    assert_eq!(SendEntry::decode(&bytes, &[0xff; SEND_ENTRY_LEN]), Ok(entry));
}

#[test]
fn an_atomic_operation_and_inline_data() {
    let entry = SendEntry {
        work: 1,
        opcode: SendOpcode::CompareSwap,
        flags: SEND_FENCE,
        remote_address: 0x10,
        remote_key: 2,
        immediate: [0; 4],
        data: Data::Segments(vec![Segment {
            address: 0x20,
            length: 8,
            key: 3,
        }]),
        operands: [0x0807_0605_0403_0201, 0x1817_1615_1413_1211],
    };
    let bytes: [u8; SEND_ENTRY_LEN] = hex(
        "0100000000000000 1000000000000000 02000000 00000000 05 04 01 00 00000000
         2000000000000000 08000000 03000000 0102030405060708 1112131415161718",
    );
    assert_eq!(entry.encode(), [bytes]);
    assert_eq!(SendEntry::decode(&bytes, &[0; SEND_ENTRY_LEN]), Ok(entry));
    let entry = SendEntry {
        work: 2,
        opcode: SendOpcode::Send,
        flags: 0,
        remote_address: 0,
        remote_key: 0,
        immediate: [0; 4],
        data: Data::Inline((1..=32).collect()),
        operands: [0; 2],
    };
    let bytes: [u8; SEND_ENTRY_LEN] = hex(
        "0200000000000000 0000000000000000 00000000 00000000 02 08 20 00 00000000
         0102030405060708090a0b0c0d0e0f10 1112131415161718191a1b1c1d1e1f20",
    );
    assert_eq!(entry.encode(), [bytes]);
    assert_eq!(SendEntry::slots(&bytes), 1);
    assert_eq!(SendEntry::decode(&bytes, &[0; SEND_ENTRY_LEN]), Ok(entry));
}

#[test]
fn a_list_takes_a_second_slot() {
    let segment = |i: u8| Segment {
        address: u64::from(i),
        length: 16 * u32::from(i),
        key: 0x100 * u32::from(i),
    };
    let entry = SendEntry {
        work: 9,
        opcode: SendOpcode::Read,
        flags: SEND_SIGNALED,
        remote_address: 0,
        remote_key: 0,
        immediate: [0; 4],
        data: Data::Segments((1..=4).map(segment).collect()),
        operands: [0; 2],
    };
    let first = hex(
        "0900000000000000 0000000000000000 00000000 00000000 04 01 04 00 00000000
         0100000000000000 10000000 00010000 0000000000000000 0000000000000000",
    );
    let second = hex("0200000000000000 20000000 00020000 0300000000000000 30000000 00030000
         0400000000000000 40000000 00040000 0000000000000000 0000000000000000");
    assert_eq!(entry.encode(), [first, second]);
    assert_eq!(SendEntry::slots(&first), 2);
    assert_eq!(SendEntry::decode(&first, &second), Ok(entry));
    let receive = ReceiveEntry {
        work: 9,
        segments: (1..=4).map(segment).collect(),
    };
    let slots = [
        hex("0900000000000000 0100000000000000 10000000 00010000 04 00000000000000"),
        hex("0200000000000000 20000000 00020000 0300000000000000 30000000 00030000"),
        hex("0400000000000000 40000000 00040000 0000000000000000 00000000 00000000"),
    ];
    assert_eq!(receive.encode(), slots);
    assert_eq!(ReceiveEntry::slots(&slots[0]), RECEIVE_SLOTS);
    assert_eq!(ReceiveEntry::decode(&slots), Some(receive));
}

#[test]
fn impossible_entries_are_refused_and_keep_their_number() {
    let mut bytes = [0; SEND_ENTRY_LEN];
    bytes[0] = 7;
    let none = [0; SEND_ENTRY_LEN];
    for opcode in [7, 8, 10, 0xff] {
        bytes[24] = opcode;
        assert_eq!(SendEntry::decode(&bytes, &none), Err(EntryError::Opcode(opcode)));
        assert_eq!(SendEntry::head(&bytes), (7, false));
    }
    bytes[24] = 2;
    bytes[26] = 5;
    assert_eq!(SendEntry::decode(&bytes, &none), Err(EntryError::Count(5)));
    bytes[25] = SEND_INLINE;
    bytes[26] = 33;
    assert_eq!(SendEntry::decode(&bytes, &none), Err(EntryError::Count(33)));
    bytes[24] = 4;
    assert_eq!(SendEntry::decode(&bytes, &none), Err(EntryError::Inline));
    let mut receive = [0; RECEIVE_ENTRY_LEN];
    receive[24] = 5;
    assert_eq!(
        (ReceiveEntry::slots(&receive), ReceiveEntry::decode(&[receive])),
        (1, None)
    );
}

#[test]
fn a_receive_of_no_piece_and_of_one() {
    let bytes = hex("0807060504030201 0000000000000000 00000000 00000000 00 00000000000000");
    let empty = ReceiveEntry {
        work: 0x0102_0304_0506_0708,
        segments: vec![],
    };
    assert_eq!((empty.encode(), ReceiveEntry::slots(&bytes)), (vec![bytes], 1));
    assert_eq!(ReceiveEntry::decode(&[bytes]), Some(empty));
    let bytes = hex("0100000000000000 0020000000000000 40000000 05010000 01 00000000000000");
    let one = ReceiveEntry {
        work: 1,
        segments: vec![Segment {
            address: 0x2000,
            length: 64,
            key: 0x105,
        }],
    };
    assert_eq!((one.encode(), ReceiveEntry::slots(&bytes)), (vec![bytes], 1));
    assert_eq!(ReceiveEntry::decode(&[bytes]), Some(one));
}

#[test]
fn completions_and_events_with_their_phase() {
    let entry = CompletionEntry {
        work: 0x1122_3344_5566_7788,
        qpn: 0x0a_0b0c,
        opcode: CompletionOpcode::ReceiveWrite,
        status: Status::LocalLengthError,
        flags: COMPLETION_IMMEDIATE | COMPLETION_SOLICITED,
        index: 0x0102,
        length: 0x0304_0506,
        immediate: [0xca, 0xfe, 0xba, 0xbe],
        time_ns: 0x0000_6655_4433_2211,
    };
    let bytes = hex("8877665544332211 0c0b0a 81 0a 05 0201 06050403 cafebabe 112233445566 00 80");
    assert_eq!(
        (entry.encode(true), CompletionEntry::decode(&bytes)),
        (bytes, Some((entry, true)))
    );
    assert_eq!(entry.encode(false)[31], 0);
    assert_eq!(CompletionEntry::decode(&[0xff; 32]), None);
    let event = EventEntry {
        kind: EventKind::AccessError,
        number: 0x0a_0b0c,
    };
    let bytes = hex("05 000000 0c0b0a00 00000000000000 80");
    assert_eq!(
        (event.encode(true), EventEntry::decode(&bytes)),
        (bytes, Some((event, true)))
    );
    assert_eq!(event.encode(false)[15], 0);
    assert_eq!(EventEntry::decode(&[0xff; 16]), None);
}

#[test]
fn doorbells() {
    let bell = Doorbell {
        number: 0x0102,
        index: 0xfffe,
    };
    assert_eq!((bell.encode(), Doorbell::decode(0x0102_fffe)), (0x0102_fffe, bell));
    let offsets: Vec<u8> = DoorbellKind::ALL.iter().map(|kind| kind.code()).collect();
    assert_eq!(offsets, [0, 4, 8, 12, 16, 20]);
}

/// Numbers of the specification's table, of `ibv_wr_opcode`, `ibv_wc_opcode` and `ibv_qp_state`; every number there and back.
#[test]
fn codes_there_and_back() {
    let statuses: Vec<u8> = Status::ALL.iter().map(|status| status.code()).collect();
    assert_eq!(statuses, (0..=10).collect::<Vec<u8>>());
    assert_eq!(
        (Status::RnrRetryExceeded.code(), Status::LocalLengthError.code()),
        (9, 10)
    );
    macro_rules! check {
        ($type:ident, $numbers:expr) => {
            let numbers: Vec<u8> = $type::ALL.iter().map(|item| item.code()).collect();
            assert_eq!(numbers, $numbers);
            for code in 0..=255 {
                let item = $type::from_code(code);
                assert_eq!(item.map($type::code), numbers.contains(&code).then_some(code));
            }
            assert!($type::ALL
                .iter()
                .all(|item| !item.name().is_empty() && item.about().ends_with('.')));
        };
    }
    check!(SendOpcode, [0, 1, 2, 3, 4, 5, 6, 9]);
    check!(CompletionOpcode, [0, 1, 2, 3, 4, 128, 129]);
    check!(State, [0, 1, 2, 3, 4, 6]);
    check!(EventKind, [0, 1, 2, 3, 4, 5, 6]);
    check!(Code, (1..=15).collect::<Vec<u8>>());
    check!(DoorbellKind, [0, 4, 8, 12, 16, 20]);
    check!(Attribute, (0..=11).collect::<Vec<u8>>());
    let of_queues = EventKind::ALL.iter().filter(|kind| kind.of_completion_queue()).count() as u32;
    assert_eq!(of_queues, COMPLETION_QUEUE_EVENTS);
    assert_eq!(EventKind::ALL.len() as u32 - of_queues, QUEUE_PAIR_EVENTS);
}

/// The prototype's table: which move needs what.
#[test]
fn moves() {
    use Attribute::*;
    use State::*;
    let to_rtr = [Path, Mtu, RemoteQpn, ExpectedPsn, ResponderReads, RnrTimer];
    let to_rts = [Timeout, RetryLimit, RnrRetry, SendPsn, MaxRdAtomic];
    assert!(may_move(Reset, Init, &[Rights]) && !may_move(Reset, Init, &[]) && !may_move(Reset, Init, &[Rights, Mtu]));
    assert!(may_move(Init, ReadyToReceive, &to_rtr));
    for missing in to_rtr {
        let given: Vec<Attribute> = to_rtr.into_iter().filter(|name| *name != missing).collect();
        assert!(!may_move(Init, ReadyToReceive, &given), "{missing:?}");
    }
    assert!(may_move(ReadyToReceive, ReadyToSend, &to_rts));
    for missing in to_rts {
        let given: Vec<Attribute> = to_rts.into_iter().filter(|name| *name != missing).collect();
        assert!(!may_move(ReadyToReceive, ReadyToSend, &given), "{missing:?}");
    }
    for from in State::ALL.iter().copied() {
        assert!(may_move(from, Reset, &[]) && !may_move(from, Reset, &[Rights]));
        assert_eq!(may_move(from, Error, &[]), from != Reset);
    }
    assert!(!may_move(Reset, ReadyToReceive, &to_rtr) && !may_move(Init, ReadyToSend, &to_rts));
    assert!(!may_move(Error, Init, &[Rights]) && !may_move(ReadyToReceive, SendQueueDrain, &[]));
    assert!(may_move(ReadyToSend, SendQueueDrain, &[]) && may_move(SendQueueDrain, ReadyToSend, &[Rights]));
}

#[test]
fn what_is_given_and_merged() {
    let old = Attributes {
        mtu: Some(256),
        timeout: Some(14),
        ..Attributes::default()
    };
    let new = Attributes {
        mtu: Some(1024),
        rnr_retry: Some(7),
        ..Attributes::default()
    };
    assert_eq!(old.given(), [Attribute::Mtu, Attribute::Timeout]);
    let both = old.merged(&new);
    assert_eq!(
        (both.mtu, both.timeout, both.rnr_retry),
        (Some(1024), Some(14), Some(7))
    );
    assert_eq!(both.given().len(), 3);
}

fn segments() -> impl Strategy<Value = Vec<Segment>> {
    let one = (any::<u64>(), any::<u32>(), any::<u32>());
    let one = one.prop_map(|(address, length, key)| Segment { address, length, key });
    proptest::collection::vec(one, 0..=MAX_SEGMENTS)
}

proptest! {
    #[test]
    fn entries_there_and_back(
        (work, code, flags, remote_address, remote_key) in
            (any::<u64>(), 0..SendOpcode::ALL.len(), 0..8u8, any::<u64>(), any::<u32>()),
        (immediate, list, inline, operands) in
            (any::<[u8; 4]>(), segments(), proptest::collection::vec(any::<u8>(), 0..=MAX_INLINE), any::<[u64; 2]>()),
        is_inline in any::<bool>(),
    ) {
        let opcode = SendOpcode::ALL[code];
        let sends = !opcode.is_atomic() && opcode != SendOpcode::Read;
        let data = if is_inline && sends { Data::Inline(inline) } else { Data::Segments(list.clone()) };
        let operands = if opcode.is_atomic() { operands } else { [0; 2] };
        let entry = SendEntry { work, opcode, flags, remote_address, remote_key, immediate, data, operands };
        let slots = entry.encode();
        prop_assert_eq!(SendEntry::slots(&slots[0]), slots.len());
        prop_assert_eq!(SendEntry::decode(&slots[0], slots.last().unwrap()), Ok(entry));
        let receive = ReceiveEntry { work, segments: list };
        let slots = receive.encode();
        prop_assert_eq!(ReceiveEntry::slots(&slots[0]), slots.len());
        prop_assert_eq!(ReceiveEntry::decode(&slots), Some(receive));
    }
}
