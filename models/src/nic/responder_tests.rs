//! Order, lengths and the queue of answers, without any frame.

use super::super::psn::start;
use super::*;

fn ack(psn: u64) -> Response {
    Response::Ack {
        psn,
        nak: None,
        msn: 0,
        int: Vec::new(),
    }
}

fn read(first: u64, end: u64) -> Response {
    Response::Read {
        first,
        next: first,
        end,
        address: 0,
        length: 0,
        msn: 0,
        repeated: false,
        guard: None,
    }
}

/// A WRITE that goes to `address` on, with `remaining` bytes to come.
fn incoming(address: u64, remaining: u64) -> Incoming {
    Incoming {
        address,
        remaining,
        length: remaining,
        guard: None,
        send: false,
    }
}

#[test]
fn order_wraps() {
    let responder = Responder::new(start(0xff_ffff) + 2);
    assert_eq!(responder.order(1), Order::Expected);
    assert_eq!(responder.order(0xff_ffff), Order::Duplicate(start(0xff_ffff)));
    assert_eq!(responder.order(2), Order::Gap);
    assert_eq!(responder.order(0x80_0000), Order::Gap);
    assert_eq!(
        responder.order(0x80_0001),
        Order::Duplicate(start(0xff_ffff) + 2 - 0x80_0000)
    );
}

#[test]
fn write_lengths_and_order() {
    use Position::{First, Last, Middle, Only};
    let mut responder = Responder::new(start(0));
    assert!(responder.write_fits(Only, 0, Some(0), 256) && responder.write_fits(Only, 256, Some(256), 256));
    assert!(!responder.write_fits(Only, 257, Some(257), 256) && !responder.write_fits(Only, 5, Some(6), 256));
    assert!(responder.write_fits(First, 256, Some(257), 256) && !responder.write_fits(First, 255, Some(257), 256));
    assert!(!responder.write_fits(First, 256, Some(255), 256));
    assert!(!responder.write_fits(Middle, 256, None, 256) && !responder.write_fits(Last, 1, None, 256));
    responder.message = Some(incoming(0, 300));
    assert!(responder.write_fits(Middle, 256, None, 256) && !responder.write_fits(Middle, 44, None, 256));
    assert!(!responder.write_fits(Last, 300, None, 256) && !responder.write_fits(Only, 1, Some(1), 256));
    responder.message = Some(incoming(0, 44));
    assert!(responder.write_fits(Last, 44, None, 256) && !responder.write_fits(Last, 43, None, 256));
    assert!(!responder.write_fits(Middle, 256, None, 256));
}

#[test]
fn newest_left_is_just_before_what_waits() {
    let mut responder = Responder::new(start(20));
    assert_eq!(responder.newest_left(), start(19));
    responder.push(read(start(10), start(15)));
    responder.push(ack(start(15)));
    assert_eq!(responder.newest_left(), start(9));
    responder.read_packet_sent(256, false);
    assert_eq!(responder.newest_left(), start(10));
    responder.pop();
    assert_eq!(responder.newest_left(), start(14));
}

#[test]
fn a_new_read_request_replaces_what_is_left() {
    let mut responder = Responder::new(start(30));
    responder.push(ack(start(9)));
    responder.push(read(start(10), start(20)));
    responder.push(ack(start(20)));
    responder.push(read(start(21), start(30)));
    responder.rewind(start(13));
    responder.push(read(start(13), start(20)));
    let left: Vec<_> = std::iter::from_fn(|| responder.pop()).collect();
    let Response::Read { end, .. } = left[1] else {
        panic!("{left:?}")
    };
    assert_eq!((left.len(), end), (3, start(13)));
    assert_eq!(left[2], read(start(13), start(20)));
}

#[test]
fn a_negative_acknowledgement_cut_off_may_be_sent_again() {
    let mut responder = Responder::new(start(30));
    responder.nak_sent = true;
    responder.push(read(start(10), start(30)));
    let nak = Some(NakCode::PsnSequence);
    responder.push(Response::Ack {
        psn: start(30),
        nak,
        msn: 0,
        int: Vec::new(),
    });
    responder.rewind(start(10));
    assert!(!responder.nak_sent && responder.front().is_none());
}

#[test]
fn echoes_are_cumulative() {
    let mut responder = Responder::new(start(30));
    responder.push(read(start(10), start(13)));
    for _ in 0..3 {
        responder.read_packet_sent(100, true);
    }
    assert_eq!(responder.inflight, 300);
    assert_eq!(responder.echoed(11), 200);
    assert_eq!(responder.echoed(11), 0);
    assert_eq!((responder.inflight, responder.read_nxt()), (100, start(13)));
}
