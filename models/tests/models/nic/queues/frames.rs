//! Frames of every operation, byte by byte from the BTH on, and the completions that go with them.
//!
//! Side 0 has number 0x110002 and first PSN 0x100, side 1 number 0x220003 and first PSN 0x200; one message on its own wire each time.

use super::bench::*;
use super::two::Two;
use hpcc_models::nic::queues::*;
use hpcc_models::nic::Status;

fn bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap() as u8;
    digits
        .chunks(2)
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

fn texts(frames: &[Vec<u8>]) -> Vec<String> {
    let text = |frame: &Vec<u8>| frame.iter().map(|byte| format!("{byte:02x}")).collect();
    frames.iter().map(text).collect()
}

/// Runs one work request of side 0 against receives of side 1; checks the frames of both.
fn exchange(entry: SendEntry, receives: &[(u64, u64, u32)], requests: &[&str], answers: &[&str]) -> Two {
    let mut two = Two::ready();
    two.hosts[0].set_data(0, b"abcdefghijklmnopqrstuvwxyz");
    for &(work, at, length) in receives {
        two.hosts[1].receive_at(0, work, at, length);
    }
    two.hosts[0].post(0, &[entry]);
    two.run(1_000_000);
    let expected = |list: &[&str]| texts(&list.iter().map(|text| bytes(text)).collect::<Vec<_>>());
    assert_eq!(texts(&two.sent[0]), expected(requests));
    assert_eq!(texts(&two.sent[1]), expected(answers));
    two
}

fn entry(work: u64, opcode: CompletionOpcode, length: u32, qpn: u32, index: u16) -> CompletionEntry {
    CompletionEntry {
        work,
        qpn,
        opcode,
        status: Status::Ok,
        flags: 0,
        index,
        length,
        immediate: [0; 4],
        time_ns: 0,
    }
}

/// Completions without their times, which must be later than 2 us, the delay of the wire both ways, or 1 us at the receiver.
fn completions(two: &mut Two, side: usize, queue: usize) -> Vec<CompletionEntry> {
    let found = two.hosts[side].poll(0, queue);
    let least = if side == 0 { 2000 } else { 1000 };
    assert!(
        found.iter().all(|entry| (least..least + 1000).contains(&entry.time_ns)),
        "{found:?}"
    );
    found
        .into_iter()
        .map(|entry| CompletionEntry { time_ns: 0, ..entry })
        .collect()
}

const ACK: &str = "11 00 ffff 00 110002 00 000100 1f 000001";

#[test]
fn write() {
    let mut two = exchange(
        work(0x55, SendOpcode::Write, 0, 6),
        &[],
        &["0a 60 ffff 00 220003 80 000100 00007f0000080000 000102a5 00000006 616263646566 0000"],
        &[&ACK.replacen("11 00", "11 40", 1)],
    );
    let done = entry(0x55, CompletionOpcode::Write, 6, QPNS[0], 0);
    assert_eq!(completions(&mut two, 0, 0), [done]);
    assert_eq!(two.hosts[1].data(DATA_LEN / 2, 6), b"abcdef");
    assert!(two.hosts[1].look(1).is_empty());
}

#[test]
fn write_with_immediate() {
    let request = SendEntry {
        immediate: [1, 2, 3, 4],
        flags: SEND_SIGNALED | SEND_SOLICITED,
        ..work(0x55, SendOpcode::WriteImmediate, 0, 4)
    };
    let mut two = exchange(
        request,
        &[(0x66, 0, 0)],
        &["0b c0 ffff 00 220003 80 000100 00007f0000080000 000102a5 00000004 01020304 61626364"],
        &[&ACK.replacen("11 00", "11 40", 1)],
    );
    assert_eq!(
        completions(&mut two, 0, 0),
        [entry(0x55, CompletionOpcode::Write, 4, QPNS[0], 0)]
    );
    let received = CompletionEntry {
        flags: COMPLETION_IMMEDIATE | COMPLETION_SOLICITED,
        immediate: [1, 2, 3, 4],
        ..entry(0x66, CompletionOpcode::ReceiveWrite, 4, QPNS[1], 0)
    };
    assert_eq!(completions(&mut two, 1, 1), [received]);
    assert_eq!(two.hosts[1].data(DATA_LEN / 2, 4), b"abcd");
}

/// Two packets: the immediate data comes with the last one alone.
#[test]
fn long_write_with_immediate() {
    let mut two = Two::ready();
    two.hosts[1].receive_at(0, 0x66, 0, 0);
    let request = SendEntry {
        immediate: [9, 8, 7, 6],
        ..work(0x55, SendOpcode::WriteImmediate, 0, 1025)
    };
    two.hosts[0].post(0, &[request]);
    two.run(1_000_000);
    let heads: Vec<Vec<u8>> = two.sent[0]
        .iter()
        .map(|frame| frame[..16.min(frame.len())].to_vec())
        .collect();
    assert_eq!(heads[0], bytes("06 40 ffff 00 220003 00 000100 00007f00"));
    assert_eq!(heads[1], bytes("09 70 ffff 00 220003 80 000101 09080706"));
    assert_eq!(
        (two.sent[0].len(), two.sent[0][0].len(), two.sent[0][1].len()),
        (2, 12 + 16 + 1024, 12 + 4 + 1 + 3)
    );
    let received = completions(&mut two, 1, 1);
    assert_eq!((received[0].length, received[0].immediate), (1025, [9, 8, 7, 6]));
    assert_eq!(two.hosts[1].data(DATA_LEN / 2, 1025), two.hosts[0].data(0, 1025));
}

#[test]
fn send_and_its_kinds() {
    let mut two = exchange(
        work(1, SendOpcode::Send, 0, 5),
        &[(0x66, 64, 16)],
        &["04 70 ffff 00 220003 80 000100 6162636465 000000"],
        &[&ACK.replacen("11 00", "11 40", 1)],
    );
    assert_eq!(
        completions(&mut two, 0, 0),
        [entry(1, CompletionOpcode::Send, 5, QPNS[0], 0)]
    );
    assert_eq!(
        completions(&mut two, 1, 1),
        [entry(0x66, CompletionOpcode::Receive, 5, QPNS[1], 0)]
    );
    assert_eq!(two.hosts[1].data(64, 5), b"abcde");
    assert_eq!(
        two.hosts[1].data(69, 1)[0],
        data_byte(1, 69),
        "nothing behind the message changes"
    );
    // no byte at all still takes a receive
    let empty = SendEntry {
        immediate: [1, 2, 3, 4],
        data: Data::Segments(vec![]),
        ..work(2, SendOpcode::SendImmediate, 0, 0)
    };
    let mut two = exchange(
        empty,
        &[(0x66, 64, 16)],
        &["05 40 ffff 00 220003 80 000100 01020304"],
        &[&ACK.replacen("11 00", "11 40", 1)],
    );
    let received = CompletionEntry {
        flags: COMPLETION_IMMEDIATE,
        immediate: [1, 2, 3, 4],
        ..entry(0x66, CompletionOpcode::Receive, 0, QPNS[1], 0)
    };
    assert_eq!(completions(&mut two, 1, 1), [received]);
    // inline data leaves from the entry
    let inline = SendEntry {
        data: Data::Inline(b"inline".to_vec()),
        ..work(3, SendOpcode::Send, 0, 0)
    };
    let two = exchange(
        inline,
        &[(0x66, 64, 16)],
        &["04 60 ffff 00 220003 80 000100 696e6c696e65 0000"],
        &[&ACK.replacen("11 00", "11 40", 1)],
    );
    assert_eq!(two.hosts[1].data(64, 6), b"inline");
}

#[test]
fn send_with_invalidate() {
    let key = 0x0003_0177;
    let request = SendEntry {
        immediate: [0x00, 0x03, 0x01, 0x77],
        ..work(1, SendOpcode::SendInvalidate, 0, 4)
    };
    let mut two = Two::ready();
    let target = MemoryRegion { key, ..region() };
    two.hosts[1].done(Command::CreateRegion(target));
    two.hosts[1].receive_at(0, 0x66, 64, 16);
    two.hosts[0].post(0, std::slice::from_ref(&request));
    two.run(1_000_000);
    assert_eq!(
        two.sent[0],
        [bytes("17 40 ffff 00 220003 80 000100 00030177 61626364")].map(|mut frame| {
            frame[16..].copy_from_slice(two.hosts[0].data(0, 4));
            frame
        })
    );
    let received = CompletionEntry {
        flags: COMPLETION_INVALIDATED,
        immediate: [0x00, 0x03, 0x01, 0x77],
        ..entry(0x66, CompletionOpcode::Receive, 4, QPNS[1], 0)
    };
    assert_eq!(completions(&mut two, 1, 1), [received]);
    assert_eq!(
        two.hosts[1].command(0, Command::DestroyRegion { key }),
        Err(Code::Unknown),
        "the region is gone"
    );
    // a second one names a region that is not there any more; one of another domain, or without the right, is refused alike
    let without = MemoryRegion {
        key,
        rights: Rights {
            invalidate: false,
            ..Rights::ALL
        },
        ..region()
    };
    let foreign = MemoryRegion {
        key,
        domain: DOMAIN + 1,
        ..region()
    };
    for standing in [None, Some(without), Some(foreign)] {
        let mut two = Two::ready();
        if let Some(standing) = standing {
            two.hosts[1].done(Command::CreateRegion(standing));
        }
        two.hosts[1].receive_at(0, 0x66, 64, 16);
        two.hosts[0].post(0, std::slice::from_ref(&request));
        two.run(1_000_000);
        assert_eq!(two.hosts[0].statuses(0, 0), [(1, Status::RemoteAccessError)]);
        assert_eq!(two.hosts[1].statuses(0, 1), [(0x66, Status::Flushed)]);
        assert_eq!(two.hosts[1].pair_events(0), [EventKind::AccessError]);
        assert_eq!(
            two.hosts[1].data(64, 1)[0],
            data_byte(1, 64),
            "no byte of the message was written"
        );
    }
}

#[test]
fn read() {
    let mut two = Two::ready();
    two.hosts[1].set_data(DATA_LEN / 2, b"remote");
    two.hosts[0].post(0, &[work(7, SendOpcode::Read, 32, 6)]);
    two.hosts[1].set_data(DATA_LEN / 2 + 32, b"remote");
    two.run(1_000_000);
    assert_eq!(
        two.sent[0],
        [bytes(
            "0c 40 ffff 00 220003 80 000100 00007f0000080020 000102a5 00000006"
        )]
    );
    assert_eq!(
        two.sent[1],
        [bytes("10 60 ffff 00 110002 00 000100 1f000001 72656d6f7465 0000")]
    );
    assert_eq!(
        completions(&mut two, 0, 0),
        [entry(7, CompletionOpcode::Read, 6, QPNS[0], 0)]
    );
    assert_eq!(two.hosts[0].data(32, 6), b"remote");
}

#[test]
fn atomic_operations() {
    let remote = |two: &Two| u64::from_le_bytes(two.hosts[1].data(DATA_LEN / 2, 8).try_into().unwrap());
    let local = |two: &Two| u64::from_le_bytes(two.hosts[0].data(0, 8).try_into().unwrap());
    let atomic = |id: u64, opcode, operands| SendEntry {
        operands,
        ..work(id, opcode, 0, 8)
    };
    let mut two = Two::ready();
    two.hosts[1].set_data(DATA_LEN / 2, &0x0102_0304_0506_0708_u64.to_le_bytes());
    two.hosts[0].post(0, &[atomic(1, SendOpcode::FetchAdd, [0x10, 0x99])]);
    two.run(1_000_000);
    let request = "14 40 ffff 00 220003 80 000100 00007f0000080000 000102a5 0000000000000010 0000000000000000";
    assert_eq!(two.sent[0], [bytes(request)]);
    assert_eq!(
        two.sent[1],
        [bytes("12 40 ffff 00 110002 00 000100 1f000001 0102030405060708")]
    );
    assert_eq!(
        (remote(&two), local(&two)),
        (0x0102_0304_0506_0718, 0x0102_0304_0506_0708)
    );
    assert_eq!(
        completions(&mut two, 0, 0),
        [entry(1, CompletionOpcode::FetchAdd, 8, QPNS[0], 0)]
    );
    // what stands there differs from the first operand: nothing changes
    two.hosts[0].post(two.now, &[atomic(2, SendOpcode::CompareSwap, [5, 6])]);
    two.run(1_000_000);
    assert_eq!(
        (remote(&two), local(&two)),
        (0x0102_0304_0506_0718, 0x0102_0304_0506_0718)
    );
    let request = "13 40 ffff 00 220003 80 000101 00007f0000080000 000102a5 0000000000000006 0000000000000005";
    assert_eq!(two.sent[0][1], bytes(request));
    two.hosts[0].post(
        two.now,
        &[atomic(3, SendOpcode::CompareSwap, [0x0102_0304_0506_0718, 6])],
    );
    two.run(1_000_000);
    assert_eq!((remote(&two), local(&two)), (6, 0x0102_0304_0506_0718));
    assert_eq!(two.hosts[0].statuses(0, 0), [(2, Status::Ok), (3, Status::Ok)]);
}

/// A list of four pieces gathers, one of three scatters; zero bytes in a piece are none.
#[test]
fn lists_of_pieces() {
    let mut two = Two::ready();
    two.hosts[0].set_data(0, &[b'x'; 50]);
    two.hosts[0].set_data(100, &[b'y'; 50]);
    let segments = vec![piece(0, 30), piece(0, 0), piece(30, 20), piece(100, 50)];
    let list = SendEntry {
        data: Data::Segments(segments),
        ..work(1, SendOpcode::Send, 0, 0)
    };
    let segments = vec![piece(1000, 10), piece(1100, 20), piece(1200, 100)];
    two.hosts[1].receive(0, &[ReceiveEntry { work: 2, segments }]);
    two.hosts[1].receive_at(0, 3, 2000, 10);
    two.hosts[0].post(0, &[list, work(9, SendOpcode::Send, 0, 10)]);
    two.run(1_000_000);
    let sent: Vec<(u64, u16)> = two.hosts[0]
        .poll(0, 0)
        .iter()
        .map(|entry| (entry.work, entry.index))
        .collect();
    assert_eq!(sent, [(1, 1), (9, 2)], "the list took two slots");
    let received: Vec<(u64, u16, u32)> = two.hosts[1]
        .poll(0, 1)
        .iter()
        .map(|entry| (entry.work, entry.index, entry.length))
        .collect();
    assert_eq!(
        received,
        [(2, 1, 100), (3, 2, 10)],
        "the receive of three pieces took two slots"
    );
    assert_eq!(two.hosts[1].data(1000, 10), [b'x'; 10]);
    assert_eq!(two.hosts[1].data(1100, 20), [b'x'; 20]);
    assert_eq!(
        two.hosts[1].data(1200, 70),
        [[b'x'; 20].as_slice(), &[b'y'; 50]].concat()
    );
    assert_eq!(two.hosts[1].data(1270, 1)[0], data_byte(1, 1270));
}

/// A fenced entry begins when the READ before it is complete; without the fence it goes right behind the request.
#[test]
fn a_fence_waits_for_reads() {
    for (flags, order) in [
        (SEND_SIGNALED, [0x0c, 0x0a]),
        (SEND_SIGNALED | SEND_FENCE, [0x0c, 0x0a]),
    ] {
        let mut two = Two::ready();
        let second = SendEntry {
            flags,
            ..work(2, SendOpcode::Write, 64, 8)
        };
        two.hosts[0].post(0, &[work(1, SendOpcode::Read, 0, 8), second]);
        two.run(1500);
        let before_answer: Vec<u8> = two.sent[0].iter().map(|frame| frame[0]).collect();
        let fenced = flags & SEND_FENCE != 0;
        assert_eq!(before_answer, if fenced { &order[..1] } else { &order[..] });
        two.run(1_000_000);
        let all: Vec<u8> = two.sent[0].iter().map(|frame| frame[0]).collect();
        assert_eq!(all, order);
        assert_eq!(two.hosts[0].statuses(0, 0), [(1, Status::Ok), (2, Status::Ok)]);
    }
}
