//! Which packets are timed and what makes a time void, worked out by hand.

use super::super::completion::{Operation, WorkRequest};
use super::super::memory::Checked;
use super::super::psn::{start, wire};
use super::super::requester::{Limits, Requester};
use super::*;

/// S = 4.
const SPACING: u8 = 2;

const LIMITS: Limits = Limits {
    window: 1e9,
    psn_span: 1 << 22,
    max_rd_atomic: 16,
    ack_req_interval: 100,
    send_times: Some(SPACING),
    asks_for_times: true,
};

fn requester(first: u32, works: &[(Operation, u64)]) -> Requester {
    let mut requester = Requester::new(start(first), 256);
    for (id, (operation, packets)) in works.iter().enumerate() {
        let work = WorkRequest {
            id: id as u64,
            qpn: 2,
            operation: *operation,
            local_address: 0,
            local_key: 0,
            remote_address: 0,
            remote_key: 0,
            length: 256 * packets,
        };
        requester.push(work, Checked::default());
    }
    requester
}

/// Sends `count` packets, one every 100 ns from `at` on; PSNs of those that asked for an acknowledgement.
fn send(requester: &mut Requester, limits: &Limits, count: u64, at: u64) -> Vec<u32> {
    let mut asked = Vec::new();
    for i in 0..count {
        let (psn, next) = (requester.nxt(), requester.next(limits).expect("something to send"));
        if requester.sent(&next, at + 100 * i, limits).0 {
            asked.push(wire(psn));
        }
    }
    asked
}

fn times(requester: &Requester, psns: impl IntoIterator<Item = u32>) -> Vec<Option<u64>> {
    psns.into_iter().map(|psn| requester.sent_at(psn, &LIMITS)).collect()
}

/// S = 4: packets 3, 7 and 11 of 12, which left at 300, 700 and 1100 ns. They ask for acknowledgements on a plain queue pair, beside the message's
/// last, which is one of them.
#[test]
fn the_last_of_every_s_packets_is_timed_and_asks() {
    let mut plain = requester(0, &[(Operation::Write, 12)]);
    assert_eq!(send(&mut plain, &LIMITS, 12, 0), [3, 7, 11]);
    let expected: Vec<_> = (0..12u64).map(|psn| (psn % 4 == 3).then_some(psn * 100)).collect();
    assert_eq!(times(&plain, 0..12), expected);
    // with INT every packet is acknowledged unasked
    let int = Limits {
        asks_for_times: false,
        ..LIMITS
    };
    assert_eq!(send(&mut requester(0, &[(Operation::Write, 12)]), &int, 12, 0), [11]);
    let off = Limits {
        send_times: None,
        ..LIMITS
    };
    let mut untimed = requester(0, &[(Operation::Write, 12)]);
    assert_eq!(send(&mut untimed, &off, 12, 0), [11]);
    assert_eq!(times(&untimed, 0..12), [None; 12]);
}

/// 17 timed packets for 16 places: packet 67 takes the place of packet 3, whose number differs.
#[test]
fn the_seventeenth_timed_packet_takes_the_place_of_the_first() {
    let mut a = requester(0, &[(Operation::Write, 72)]);
    send(&mut a, &LIMITS, 67, 0);
    assert_eq!(times(&a, [3, 63]), [Some(300), Some(6300)]);
    send(&mut a, &LIMITS, 1, 6700);
    assert_eq!(times(&a, [3, 7, 67]), [None, Some(700), Some(6700)]);
}

/// Packets 0xfffffb to 2: 0xfffffb and 0xffffff are timed, then 3 beyond the wrap; with 24 bits 0xffffff and 3 have neighbouring places.
#[test]
fn numbers_wrap_at_24_bits() {
    let mut a = requester(0xff_fffb, &[(Operation::Write, 10)]);
    assert_eq!(send(&mut a, &LIMITS, 10, 0), [0xff_fffb, 0xff_ffff, 3, 4]);
    assert_eq!(
        times(&a, [0xff_fffb, 0xff_ffff, 3, 0xff_fffa]),
        [Some(0), Some(400), Some(800), None]
    );
}

/// An acknowledgement of packet 8 passes the timed packets 3 and 7: it has no time of its own. They are forgotten by nothing but a later packet.
#[test]
fn an_acknowledgement_that_passes_timed_packets_has_no_time() {
    let mut a = requester(0, &[(Operation::Write, 12)]);
    send(&mut a, &LIMITS, 10, 0);
    a.acknowledge(start(9));
    assert_eq!(times(&a, [8, 7]), [None, Some(700)]);
}

/// Packets 0 to 9 leave, 0 and 1 arrive, the flow goes back to 2. Packet 7 keeps its time until packet 2 leaves again, and gets none when it is sent
/// again itself; packet 11, which had not left before, has one.
#[test]
fn what_is_sent_again_has_no_time_and_the_first_repetition_clears_all() {
    let mut a = requester(0, &[(Operation::Write, 16)]);
    send(&mut a, &LIMITS, 10, 0);
    a.acknowledge(start(2));
    a.rewind();
    assert_eq!(times(&a, [3, 7]), [Some(300), Some(700)], "still unambiguous");
    send(&mut a, &LIMITS, 1, 5000);
    assert_eq!(
        times(&a, [3, 7]),
        [None, None],
        "an acknowledgement may answer the repetition"
    );
    send(&mut a, &LIMITS, 13, 5100);
    assert_eq!(times(&a, [3, 7, 11, 15]), [None, None, Some(5900), Some(6300)]);
}

/// A flow that goes back with nothing outstanding: its next packet is the first after that and is not timed although its number is.
#[test]
fn the_first_packet_after_going_back_is_not_timed() {
    let mut a = requester(3, &[(Operation::Write, 8)]);
    a.rewind();
    send(&mut a, &LIMITS, 5, 0);
    assert_eq!(times(&a, [3, 7]), [None, Some(400)]);
}

/// A single packet sent again without going back, as no requester does but the rule says: only its own place is cleared.
#[test]
fn a_repetition_clears_its_own_place() {
    let mut times = SendTimes::default();
    for (psn, at) in [(3, 30), (7, 70)] {
        times.left(departure(psn, Some(2), false, false, false), psn as u32, 2, at);
    }
    times.left(departure(3, Some(2), false, true, false), 3, 2, 90);
    times.left(departure(6, Some(2), false, true, false), 6, 2, 95);
    assert_eq!([3, 7].map(|psn| times.at(psn, 2)), [None, Some(70)]);
    times.clear();
    assert_eq!(times.at(7, 2), None);
}

/// READ requests of 8 packet numbers from 3 on, a WRITE behind: number 3 is the request's, 7 that of a response, 11 and 15 are WRITE packets.
#[test]
fn read_requests_are_not_timed() {
    let mut a = requester(3, &[(Operation::Read, 8), (Operation::Write, 8)]);
    send(&mut a, &LIMITS, 9, 0);
    assert_eq!(times(&a, [3, 7, 11, 15]), [None, None, Some(100), Some(500)]);
}
