//! Packet numbers of the requester, without any frame.

use super::super::psn::start;
use super::*;

const LIMITS: Limits = Limits {
    window: 1e9,
    psn_span: 1 << 22,
    max_rd_atomic: 16,
    ack_req_interval: 16,
    send_times: None,
    asks_for_times: false,
};

fn work(id: u64, operation: Operation, length: u64) -> WorkRequest {
    WorkRequest {
        id,
        qpn: 2,
        operation,
        local_address: 0,
        local_key: 0,
        remote_address: 0,
        remote_key: 0,
        length,
    }
}

fn requester(first: u32, works: &[(Operation, u64)]) -> Requester {
    let mut requester = Requester::new(start(first), 256);
    for (id, (operation, length)) in works.iter().enumerate() {
        requester.push(work(id as u64, *operation, *length), Checked::default());
    }
    requester
}

/// Sends all that `limits` let; first PSN and acknowledge request of each packet.
fn send_all(requester: &mut Requester, limits: &Limits) -> Vec<(Psn, bool)> {
    let mut out = Vec::new();
    while let Some(next) = requester.next(limits) {
        let psn = requester.nxt();
        out.push((psn, requester.sent(&next, 0, limits).0));
    }
    out
}

#[test]
fn window_lets_a_full_packet_go_while_inflight_is_below_it() {
    let mut requester = requester(0, &[(Operation::Write, 2560)]);
    let limits = Limits {
        window: 513.0,
        ..LIMITS
    };
    assert_eq!(send_all(&mut requester, &limits).len(), 3, "512 < 513 lets one more go");
    requester.acknowledge(start(1));
    assert_eq!(
        send_all(
            &mut requester,
            &Limits {
                window: 512.0,
                ..LIMITS
            }
        )
        .len(),
        0
    );
    assert_eq!(send_all(&mut requester, &limits).len(), 1);
}

#[test]
fn ack_request_on_last_interval_window_and_after_rewind() {
    let mut a = requester(0, &[(Operation::Write, 256 * 40)]);
    let asked: Vec<usize> = send_all(&mut a, &LIMITS)
        .iter()
        .enumerate()
        .filter(|(_, p)| p.1)
        .map(|(i, _)| i)
        .collect();
    assert_eq!(asked, [15, 31, 39]);
    let mut b = requester(0, &[(Operation::Write, 256 * 40)]);
    let small = Limits {
        window: 1024.0,
        ..LIMITS
    };
    assert_eq!(
        send_all(&mut b, &small).iter().map(|p| p.1).collect::<Vec<_>>(),
        [false, false, false, true]
    );
    b.rewind();
    assert_eq!(
        send_all(&mut b, &small).iter().map(|p| p.1).collect::<Vec<_>>(),
        [true, false, false, true]
    );
}

#[test]
fn one_ack_completes_several_messages() {
    let mut requester = requester(
        0xff_fffe,
        &[(Operation::Write, 256), (Operation::Write, 0), (Operation::Write, 600)],
    );
    send_all(&mut requester, &LIMITS);
    let acked = requester.acknowledge(start(0xff_fffe) + 3);
    assert_eq!(acked.completed.iter().map(|w| w.id).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((acked.bytes, acked.progress), (512, true));
    let acked = requester.acknowledge(start(0xff_fffe) + 5);
    assert_eq!((acked.completed.len(), acked.bytes), (1, 88 + 256));
    assert!(!requester.outstanding());
}

#[test]
fn an_ack_never_completes_a_read() {
    let mut requester = requester(
        0,
        &[(Operation::Write, 256), (Operation::Read, 512), (Operation::Write, 1)],
    );
    send_all(&mut requester, &LIMITS);
    let acked = requester.acknowledge(start(0) + 4);
    assert_eq!((acked.completed.len(), requester.una()), (1, start(1)));
    assert!(requester.read_gap(), "the ACK shows the READ's data lost");
    assert!(!requester.read_gap(), "once a gap");
    assert_eq!(requester.take_read_packet(), None);
    assert!(requester.read_gap(), "a new gap");
    assert_eq!(requester.take_read_packet().map(|w| w.id), Some(1));
    assert_eq!(requester.acknowledge(start(0) + 4).completed.len(), 1);
}

#[test]
fn rewind_inside_a_read_asks_for_the_rest_only() {
    let mut requester = requester(0, &[(Operation::Read, 256 * 10)]);
    send_all(&mut requester, &LIMITS);
    for _ in 0..4 {
        requester.take_read_packet();
    }
    assert!(requester.rewind());
    assert!(!requester.rewind(), "nothing to go back over");
    match requester.next(&LIMITS) {
        Some(Next::Read { first, end, .. }) => assert_eq!((first, end), (start(4), start(10))),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_long_read_is_split_and_never_exceeds_the_span() {
    let limits = Limits { psn_span: 8, ..LIMITS };
    let mut requester = requester(0, &[(Operation::Write, 256), (Operation::Read, 256 * 20)]);
    assert_eq!(
        send_all(&mut requester, &limits).len(),
        1,
        "8 PSNs of READ do not fit behind the WRITE"
    );
    requester.acknowledge(start(1));
    let mut firsts = Vec::new();
    let mut completed = 0;
    for _ in 0..20 {
        firsts.extend(send_all(&mut requester, &limits).iter().map(|p| p.0 - start(0)));
        assert!(requester.nxt() - requester.una() <= 8);
        completed += usize::from(requester.take_read_packet().is_some());
    }
    assert_eq!((firsts, completed), (vec![1, 9, 17], 1));
}

#[test]
fn max_rd_atomic_reads_at_most() {
    let mut requester = requester(0, &[(Operation::Read, 1); 5]);
    let limits = Limits {
        max_rd_atomic: 2,
        ..LIMITS
    };
    assert_eq!(send_all(&mut requester, &limits).len(), 2);
    requester.take_read_packet();
    assert_eq!(send_all(&mut requester, &limits).len(), 1);
    requester.rewind();
    assert_eq!(send_all(&mut requester, &limits).len(), 2);
}

#[test]
fn an_ack_of_a_packet_sent_before_a_rewind_counts() {
    let mut requester = requester(0, &[(Operation::Write, 2560)]);
    send_all(&mut requester, &LIMITS);
    requester.rewind();
    let acked = requester.acknowledge(start(4));
    assert_eq!(
        (acked.bytes, requester.una(), requester.nxt()),
        (1024, start(4), start(4))
    );
    assert_eq!(send_all(&mut requester, &LIMITS).len(), 6);
    assert_eq!(requester.acknowledge(start(10)).completed.len(), 1);
    assert_eq!(requester.inflight, 0);
}

#[test]
fn ending_returns_every_request_not_completed() {
    let mut requester = requester(0, &[(Operation::Write, 1), (Operation::Read, 1), (Operation::Write, 1)]);
    send_all(&mut requester, &LIMITS);
    requester.acknowledge(start(1));
    assert_eq!(requester.end(Status::RetryExceeded).len(), 2);
    assert_eq!(requester.next(&LIMITS), None);
}

/// A READ of 40 packets in requests of 4, with one, two or three requests outstanding: each request whose data is complete makes room for the next,
/// long before the message ends, and so does one of a message behind it.
#[test]
fn a_read_of_many_requests_goes_on() {
    for most in 1..=3usize {
        let limits = Limits {
            psn_span: 4,
            max_rd_atomic: most,
            ..LIMITS
        };
        let mut requester = requester(9, &[(Operation::Read, 40 * 256), (Operation::Read, 8 * 256)]);
        let (mut requests, mut completed) = (0, 0);
        for packet in 0..48 {
            requests += send_all(&mut requester, &limits).len();
            let outstanding = requester.reads.len();
            assert!(
                (1..=most).contains(&outstanding),
                "packet {packet}: {outstanding} of {most} requests outstanding"
            );
            completed += usize::from(requester.take_read_packet().is_some());
        }
        assert!(send_all(&mut requester, &limits).is_empty());
        assert_eq!((requests, completed), (10 + 2, 2), "{most} outstanding");
        assert_eq!((requester.queued(), requester.reads.len()), (0, 0));
    }
}
