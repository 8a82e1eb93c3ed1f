//! What a peer must see of a NIC that writes and reads.

use super::peer::*;
use hpcc_models::nic::{Counter, Operation, Status};
use hpcc_models::wire::*;

/// A plain queue pair with packets of 256 bytes, one with INT, and plain ones for more.
const PLAIN: usize = 0;
const INT: usize = 1;
const OTHERS: [usize; 3] = [4, 8, 12];

/// The NIC with a retransmission timeout; the RTL looks at a timer every 96 us and may need two looks more.
fn with_timeout(us: u64) -> hpcc_testbench::config::NicSetup {
    let mut setup = setup();
    setup.nic.retry_timeout_ns = us * 1024;
    setup
}

/// What was written of the region at the start: bytes `from..to` behind `offset`.
fn source(offset: u64, from: u64, to: u64) -> Vec<u8> {
    (from..to).map(|i| at_first(READ_AT, offset + i)).collect()
}

#[test]
fn a_nak_in_the_middle_goes_back_to_its_packet_and_its_bytes() {
    let script = [
        work(1, PLAIN, Operation::Write, 5, 1300),
        ack(PLAIN, 3, 0x60),
        ack(PLAIN, 5, 0x1f),
    ];
    let outcome = agreed("NAK", &setup(), &script);
    let again = ["write Middle +3 256 req", "write Middle +4 256", "write Last +5 20 req"];
    assert_eq!(outcome.brief(PLAIN)[6..], again);
    let mut bytes = source(5, 0, 1300);
    bytes.extend(source(5, 768, 1300));
    assert_eq!(outcome.payload(PLAIN), bytes);
    assert_eq!(outcome.statuses(PLAIN), [(1, Status::Ok)]);
}

#[test]
fn a_timeout_in_the_middle_goes_back_and_old_acks_do_not_put_it_off() {
    // Six packets, two acknowledged; old acknowledgements while the timer runs.
    let mut script = vec![work(1, PLAIN, Operation::Write, 0, 1300), ack(PLAIN, 1, 0x1f)];
    for _ in 0..13 {
        script.extend([Input::Wait(50_000), ack(PLAIN, 0, 0x1f)]);
    }
    script.push(ack(PLAIN, 5, 0x1f));
    // Nothing outstanding: no timer.
    script.push(Input::Wait(1_000_000));
    let (model, rtl) = both(&with_timeout(400), &script);
    for outcome in [model, rtl] {
        let sent = outcome.brief(PLAIN);
        let again = [
            "write Middle +2 256 req",
            "write Middle +3 256",
            "write Middle +4 256",
            "write Last +5 20 req",
        ];
        assert_eq!(sent[6..], again);
        assert_eq!(outcome.count(Counter::Timeouts), 1);
        assert_eq!(outcome.statuses(PLAIN), [(1, Status::Ok)]);
    }
}

#[test]
fn one_ack_completes_several_and_one_of_the_future_completes_nothing() {
    let script = [
        work(1, PLAIN, Operation::Write, 0, 300),
        work(2, PLAIN, Operation::Write, 0, 0),
        work(3, PLAIN, Operation::Write, 0, 1),
        // Never sent: Linux would complete everything.
        ack(PLAIN, 4, 0x1f),
        ack(PLAIN, 0x7f_ffff, 0x1f),
        ack(PLAIN, 0x7f_fff0, 0x62),
        // Before everything: the answer of a peer that has seen only READs.
        ack(PLAIN, 0xff_ffff, 0x1f),
        Input::Wait(1000),
        ack(PLAIN, 3, 0x1f),
        work(4, PLAIN, Operation::Write, 0, 1),
    ];
    let outcome = agreed("ghosts", &setup(), &script);
    assert_eq!(
        outcome.brief(PLAIN),
        [
            "write First +0 256",
            "write Last +1 44 req",
            "write Only +2 0 req",
            "write Only +3 1 req",
            "write Only +4 1 req"
        ]
    );
    let done = [(1, Status::Ok), (2, Status::Ok), (3, Status::Ok)];
    assert_eq!(outcome.statuses(PLAIN), done);
    assert_eq!(outcome.count(Counter::GhostAck), 3);
}

#[test]
fn a_burst_of_equal_acks_is_one() {
    let Input::Frame(equal) = ack(PLAIN, 2, 0x1f) else {
        unreachable!()
    };
    let script = [
        work(1, PLAIN, Operation::Write, 0, 1300),
        Input::Burst(vec![equal; 12]),
        // The message goes on where it was, once.
        ack(PLAIN, 5, 0x1f),
    ];
    let outcome = agreed("equal acknowledgements", &setup(), &script);
    assert_eq!(outcome.brief(PLAIN).len(), 6);
    assert_eq!(outcome.statuses(PLAIN), [(1, Status::Ok)]);
}

fn data(len: u64) -> Vec<u8> {
    (0..len).map(|i| (i * 37 + 11) as u8).collect()
}

/// The region that READs fill holds `bytes` at `offset`, and around it what it held.
fn assert_arrived(outcome: &Outcome, offset: u64, bytes: &[u8]) {
    let mut expected: Vec<u8> = (0..)
        .map(|i| at_first(WRITE_AT, i))
        .take(outcome.memory[1].len())
        .collect();
    expected[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    assert!(outcome.memory[1] == expected);
}

#[test]
fn a_lost_response_is_asked_for_from_there_and_the_tail_may_come_either_way() {
    let data = data(1100);
    // Of five packets the second is lost. A standard peer begins the tail with First, Linux with Middle.
    for first in [Position::First, Position::Middle] {
        for qp in [PLAIN, INT] {
            let part = |i: usize| &data[256 * i..(256 * i + 256).min(1100)];
            let script = [
                work(7, qp, Operation::Read, 1, 1100),
                response(qp, Position::First, 0, part(0)),
                response(qp, Position::Middle, 2, part(2)),
                response(qp, Position::Middle, 3, part(3)),
                response(qp, Position::Last, 4, part(4)),
                response(qp, first, 1, part(1)),
                response(qp, Position::Middle, 2, part(2)),
                response(qp, Position::Middle, 3, part(3)),
                // Again: a copy on the wire.
                response(qp, Position::Middle, 2, part(2)),
                response(qp, Position::Last, 4, part(4)),
            ];
            let outcome = agreed("lost response", &setup(), &script);
            let sent = outcome.brief(qp);
            let asked: Vec<&String> = sent.iter().filter(|text| text.starts_with("read")).collect();
            assert_eq!(
                asked,
                [
                    &format!("read +0 at {REMOTE_AT:x} 1100 req"),
                    // Forward only: everything from the first that is missing.
                    &format!("read +1 at {:x} 844 req", REMOTE_AT + 256)
                ]
            );
            assert_eq!(outcome.statuses(qp), [(7, Status::Ok)]);
            assert_arrived(&outcome, 1, &data);
            // Each response accepted or seen before is echoed, no other.
            let echoes = sent.iter().filter(|text| text.starts_with("echo")).count();
            assert_eq!(echoes, if is_int(qp) { 6 } else { 0 });
        }
    }
}

#[test]
fn an_ack_or_nak_inside_a_read_is_no_data() {
    let data = data(700);
    let part = |i: usize| &data[256 * i..(256 * i + 256).min(700)];
    let qp = PLAIN;
    let script = [
        work(1, qp, Operation::Write, 0, 10),
        work(2, qp, Operation::Read, 0, 700),
        work(3, qp, Operation::Write, 0, 10),
        response(qp, Position::First, 1, part(0)),
        // Acknowledges the WRITE behind it: what is missing of the READ is lost.
        ack(qp, 4, 0x1f),
        response(qp, Position::First, 2, part(1)),
        // The peer has lost the READ request itself.
        ack(qp, 3, 0x60),
        response(qp, Position::Only, 3, part(2)),
        ack(qp, 4, 0x1f),
    ];
    let outcome = agreed("acknowledgements in READs", &setup(), &script);
    assert_eq!(
        outcome.brief(qp),
        [
            "write Only +0 10 req".to_owned(),
            format!("read +1 at {REMOTE_AT:x} 700 req"),
            "write Only +4 10 req".to_owned(),
            format!("read +2 at {:x} 444 req", REMOTE_AT + 256),
            "write Only +4 10 req".to_owned(),
            format!("read +3 at {:x} 188 req", REMOTE_AT + 512),
            "write Only +4 10 req".to_owned(),
        ]
    );
    let done = [(1, Status::Ok), (2, Status::Ok), (3, Status::Ok)];
    assert_eq!(outcome.statuses(qp), done);
    assert_arrived(&outcome, 0, &data);
}

#[test]
fn responses_that_do_not_fit_their_place_are_refused() {
    let bytes = data(512);
    let qp = PLAIN;
    let script = [
        work(1, qp, Operation::Read, 0, 500),
        response(qp, Position::First, 0, &bytes[..255]),
        response(qp, Position::Last, 0, &bytes[..256]),
        response(qp, Position::Only, 0, &bytes[..256]),
        // Never asked for.
        response(qp, Position::First, 2, &bytes[..256]),
        response(qp, Position::First, 0, &bytes[..256]),
        response(qp, Position::Middle, 1, &bytes[..244]),
        response(qp, Position::Last, 1, &bytes[..245]),
        response(qp, Position::Only, 1, &bytes[256..500]),
    ];
    let outcome = agreed("wrong responses", &setup(), &script);
    assert_eq!(outcome.count(Counter::BadReadResponse), 5);
    assert_eq!(outcome.count(Counter::Stray), 1);
    assert_eq!(outcome.statuses(qp), [(1, Status::Ok)]);
    assert_arrived(&outcome, 0, &bytes[..500]);
}

#[test]
fn every_refusal_of_the_peer_has_its_status() {
    // The last one is a code that the standard reserves; receiver not ready is waited out by the timer.
    let codes = [
        (0x61, Status::RemoteInvalidRequest),
        (0x62, Status::RemoteAccessError),
        (0x63, Status::RemoteOperationalError),
        (0x64, Status::RemoteOperationalError),
        (0x7f, Status::RemoteOperationalError),
    ];
    let mut script = Vec::new();
    for (i, (code, _)) in codes.iter().enumerate() {
        let qp = 2 * i;
        script.extend([
            work(1, qp, Operation::Write, 0, 10),
            work(2, qp, Operation::Write, 0, 1),
            work(3, qp, Operation::Read, 0, 1),
            ack(qp, 1, *code),
            // The queue pair is dead.
            work(4, qp, Operation::Write, 0, 1),
            ack(qp, 2, 0x1f),
        ]);
    }
    let not_ready = 2 * codes.len();
    script.extend([
        work(1, not_ready, Operation::Write, 0, 10),
        ack(not_ready, 0, 0x2c),
        ack(not_ready, 0, 0x40),
        ack(not_ready, 0, 0x1f),
    ]);
    let outcome = agreed("refusals", &setup(), &script);
    for (i, (_, status)) in codes.iter().enumerate() {
        let done = [
            (1, Status::Ok),
            (2, *status),
            (3, Status::Flushed),
            (4, Status::Flushed),
        ];
        assert_eq!(outcome.statuses(2 * i), done);
        assert_eq!(outcome.brief(2 * i).len(), 3);
    }
    assert_eq!(outcome.statuses(not_ready), [(1, Status::Ok)]);
    assert_eq!(
        (outcome.count(Counter::IgnoredSyndrome), outcome.count(Counter::RnrNaks)),
        (1, 1)
    );
    assert_eq!(outcome.count(Counter::QpEnded), codes.len() as u64);
}

#[test]
fn a_peer_that_is_not_ready_is_asked_again_when_its_time_is_over() {
    // 0.64 ms; no timeout meanwhile
    let script = [
        work(1, PLAIN, Operation::Write, 0, 10),
        ack(PLAIN, 0, 0x2c),
        Input::Wait(800_000),
        ack(PLAIN, 0, 0x1f),
    ];
    let (model, rtl) = both(&with_timeout(400), &script);
    for outcome in [model, rtl] {
        assert_eq!(outcome.brief(PLAIN), ["write Only +0 10 req"; 2]);
        assert_eq!(outcome.statuses(PLAIN), [(1, Status::Ok)]);
    }
}

/// WRITEs at five PSNs, and a peer that was not ready for the fourth: three are done, two are sent again; said again and the gap behind it change nothing.
#[test]
fn what_is_before_a_receiver_not_ready_nak_is_acknowledged() {
    for qp in [PLAIN, INT] {
        let mut script: Vec<Input> = (1..=5).map(|id| work(id, qp, Operation::Write, 0, 10)).collect();
        // 0.02 ms
        script.extend([
            ack(qp, 3, 0x22),
            ack(qp, 3, 0x20),
            ack(qp, 3, 0x60),
            Input::Wait(400_000),
        ]);
        let (model, rtl) = both(&setup(), &script);
        for outcome in [model, rtl] {
            let sent = outcome.brief(qp);
            assert_eq!(sent.len(), 7, "{sent:?}");
            assert_eq!(sent[5..], sent[3..5], "{sent:?}");
            assert_eq!(outcome.statuses(qp), [1, 2, 3].map(|id| (id, Status::Ok)));
            assert_eq!(outcome.count(Counter::RnrNaks), 2);
        }
    }
}

#[test]
fn a_peer_that_is_never_ready_ends_the_flow() {
    let mut setup = setup();
    setup.nic.rnr_retry = 2;
    let mut script = vec![
        work(1, PLAIN, Operation::Write, 0, 10),
        work(2, PLAIN, Operation::Read, 0, 1),
    ];
    for _ in 0..3 {
        // 0.01 ms
        script.extend([ack(PLAIN, 0, 0x21), Input::Wait(300_000)]);
    }
    let (model, rtl) = both(&setup, &script);
    for outcome in [model, rtl] {
        assert_eq!(
            outcome.statuses(PLAIN),
            [(1, Status::RnrRetryExceeded), (2, Status::Flushed)]
        );
        assert_eq!(outcome.count(Counter::QpError), 1);
    }
}

#[test]
fn the_retry_limit_ends_the_flow_and_flushes_the_rest() {
    let mut setup = with_timeout(50);
    setup.nic.retry_limit = 2;
    let script = [
        work(1, PLAIN, Operation::Write, 0, 300),
        work(2, PLAIN, Operation::Read, 0, 1),
        work(3, INT, Operation::Read, 0, 1),
        Input::Wait(1_000_000),
        work(4, PLAIN, Operation::Write, 0, 1),
        ack(PLAIN, 1, 0x1f),
        // Another queue pair is not concerned.
        work(5, OTHERS[0], Operation::Write, 0, 1),
        ack(OTHERS[0], 0, 0x1f),
    ];
    let outcome = agreed_but("retry limit", &setup, &script, &["timeouts"]);
    let round = ["write First +0 256", "write Last +1 44 req"];
    let sent = outcome.brief(PLAIN);
    assert_eq!(sent.len(), 9, "{sent:?}");
    assert_eq!(sent[..2], round);
    assert_eq!(
        outcome.statuses(PLAIN),
        [(1, Status::RetryExceeded), (2, Status::Flushed), (4, Status::Flushed)]
    );
    assert_eq!(outcome.statuses(INT), [(3, Status::RetryExceeded)]);
    assert_eq!(outcome.statuses(OTHERS[0]), [(5, Status::Ok)]);
}

#[test]
fn a_flow_paced_down_does_not_time_out_by_itself() {
    let mut setup = with_timeout(200);
    // A packet takes 92 us, the message 550.
    setup.nic.rate_bps = 1e8;
    let qp = 2;
    let script = [
        work(1, qp, Operation::Write, 0, 6000),
        Input::Wait(600_000),
        ack(qp, 5, 0x1f),
    ];
    let (model, rtl) = both(&setup, &script);
    for outcome in [model, rtl] {
        assert_eq!(outcome.brief(qp).len(), 6);
        assert_eq!(outcome.count(Counter::Timeouts), 0);
        assert_eq!(outcome.statuses(qp), [(1, Status::Ok)]);
    }
}

#[test]
fn int_that_says_nothing_still_acknowledges() {
    // Seven hops of which five are there, and a speed code without a meaning.
    let mut many = vec![0; INT_FIXED_LEN + 5 * INT_RECORD_LEN];
    many[0] = 0x70;
    for hop in 0..5 {
        many[INT_FIXED_LEN + hop * INT_RECORD_LEN] = 0x50;
    }
    let mut strange = two_hops();
    strange[INT_FIXED_LEN] = 0xf0;
    // Claims more hops than there are bytes.
    let long = vec![0x50, 0];
    let aeth = AethRepr {
        syndrome: Syndrome::parse(SYNDROME_ACK),
        msn: 1,
    };
    let with = |psn: u32, int: &[u8]| {
        let acknowledge = |packet: &mut RocePacket| packet.bth.ack_req = false;
        let frame = altered(INT, Opcode::Acknowledge, psn, Extension::Aeth(aeth), &[], acknowledge);
        let mut packet = RocePacket::parse(&frame, &Ports::default()).unwrap();
        packet.int = int;
        Input::Frame(packet.to_frame())
    };
    let mut script: Vec<Input> = (0..4).map(|id| work(id, INT, Operation::Write, 0, 10)).collect();
    script.extend([with(0, &many), with(1, &strange), with(2, &long), with(3, &two_hops())]);
    let outcome = agreed("INT", &setup(), &script);
    let done: Vec<(u64, Status)> = (0..4).map(|id| (id, Status::Ok)).collect();
    assert_eq!(outcome.statuses(INT), done);
    assert_eq!(outcome.count(Counter::IntManyHops), 1);
    assert_eq!(outcome.count(Counter::IntBadSpeed), 1);
    assert_eq!(outcome.count(Counter::IntLength), 1);
}

/// With `ECHO_ICRC_FULL` any bit that flips in an echoed stack drops the acknowledgement, and so does an ICRC that leaves the stack out. What is
/// collected on the way to the NIC stays uncovered, and the NIC's own echoes are covered.
#[test]
fn the_icrc_of_an_echo_covers_its_int_if_asked() {
    let mut setup = setup();
    setup.nic.echo_icrc_full = true;
    let int = two_hops();
    let aeth = AethRepr {
        syndrome: Syndrome::parse(SYNDROME_ACK),
        msn: 1,
    };
    let uncovered = altered(INT, Opcode::Acknowledge, 0, Extension::Aeth(aeth), &[], |_| ());
    let ack = RocePacket::parse(&uncovered, &Ports::default()).unwrap();
    let covered = ack.to_frame_with_int_covered();
    let stack = covered.windows(int.len()).position(|bytes| bytes == int).unwrap();
    let mut script = vec![work(1, INT, Operation::Write, 0, 10), Input::Frame(uncovered.clone())];
    // the number of hops stands in the first four bits: another check finds it first
    let bits = 4..8 * int.len();
    for bit in bits.clone() {
        let mut frame = covered.clone();
        frame[stack + bit / 8] ^= 0x80 >> (bit % 8);
        script.push(Input::Frame(frame));
    }
    let message = write_only(INT, 0, WRITE_KEY, WRITE_AT, &[7; 9]);
    script.extend([Input::Frame(message), Input::Frame(covered.clone())]);
    let outcome = agreed("covered INT", &setup, &script);
    assert_eq!(outcome.count(Counter::Icrc), 1 + bits.len() as u64);
    assert_eq!(outcome.statuses(INT), [(1, Status::Ok)]);
    // the work request's WRITE and the acknowledgement of the peer's
    let sent = &outcome.sent[&(REMOTE + qpn(INT))];
    let answers: Vec<&Vec<u8>> = sent.iter().map(|(_, frame)| frame).collect();
    let plain = |frame: &[u8]| RocePacket::parse(frame, &Ports::default()).is_ok();
    let full = |frame: &[u8]| RocePacket::parse_with_int_covered(frame, &Ports::default()).is_ok();
    assert_eq!(answers.len(), 2);
    assert!(plain(answers[0]) && !full(answers[0]), "a request collects");
    assert!(full(answers[1]) && !plain(answers[1]), "an answer echoes");
}

#[test]
fn pause_stops_data_and_no_acknowledgement() {
    let script = [
        Input::Pause(1),
        work(1, PLAIN, Operation::Write, 0, 300),
        Input::Frame(write_only(OTHERS[1], 0, WRITE_KEY, WRITE_AT, &[1; 9])),
        Input::Pause(0),
        ack(PLAIN, 1, 0x1f),
    ];
    let outcome = agreed("pause", &setup(), &script);
    let times = |qp: usize| -> Vec<usize> {
        let list = &outcome.sent[&(REMOTE + qpn(qp))];
        list.iter().map(|(at, _)| *at).collect()
    };
    assert_eq!(times(OTHERS[1]), [2]);
    assert_eq!(times(PLAIN), [3, 3]);
    assert_eq!(outcome.statuses(PLAIN), [(1, Status::Ok)]);
}

#[test]
fn memory_that_fails_under_work_ends_it() {
    let hole = |id, qp, operation, offset| {
        let Input::Work(mut request) = work(id, qp, operation, 0, 300) else {
            unreachable!()
        };
        (request.local_address, request.local_key) = (HOLE_AT + offset, HOLE_KEY);
        Input::Work(request)
    };
    let script = [
        // Behind what is there; work of another queue pair goes on.
        hole(1, PLAIN, Operation::Write, HOLE_MEMORY + 64),
        work(2, PLAIN, Operation::Write, 0, 1),
        work(3, OTHERS[0], Operation::Write, 0, 1),
        ack(OTHERS[0], 0, 0x1f),
    ];
    // The RTL hands the frames over, marked bad.
    let outcome = agreed_but("local memory", &setup(), &script, &["tx_frames"]);
    let status = Status::LocalOperationalError;
    assert_eq!(outcome.statuses(PLAIN), [(1, status), (2, Status::Flushed)]);
    assert_eq!(outcome.statuses(OTHERS[0]), [(3, Status::Ok)]);
    assert!(outcome.brief(PLAIN).is_empty());
}
