//! What acknowledgements and negative ones do: messages done, events, echoes.

use super::*;

#[test]
fn one_ack_completes_several_messages_across_the_psn_wrap() {
    let mut b = bench(0xff_fffe, &[(false, 256), (false, 0), (false, 600)]);
    assert_eq!(
        b.messages
            .iter()
            .map(|m| (m.address, m.start, m.end, m.length))
            .collect::<Vec<_>>(),
        [
            (QP << 4, 0xff_fffe, 0xff_ffff, 256),
            (QP << 4 | 1, 0xff_ffff, 0, 0),
            (QP << 4 | 2, 0, 3, 600)
        ]
    );
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION, 3)));
    b.sent_to(3);
    b.ack(0);
    assert_eq!(b.done, [(0, OK, 256), (1, OK, 0)]);
    b.ack(2);
    assert_eq!(b.done[2..], [(2, OK, 600)]);
    assert_eq!(b.told(), [(false, 1), (false, 3)]);
}

/// Of seven acknowledgements one comes before the lower half of the NIC's clock wraps and is looked at after it. Packets 2 and 5 are not timed; a
/// negative acknowledgement and one of nothing new say as little as their packets' times allow.
#[test]
fn an_acknowledgement_says_when_it_came_and_when_its_packet_left() {
    let mut b = bench(0, &[(false, 2560)]);
    b.sent_to(10);
    for psn in [0, 1, 2, 3, 5, 6] {
        b.time_base = (9 << 24) - 5 * b.clock - if psn == 3 { 2 } else { 5000 };
        b.ack(psn);
    }
    b.nak(7, 0);
    b.ack(3);
    let told: Vec<_> = b
        .events
        .iter()
        .map(|event| (event.nak, event.psn, event.sent_at))
        .collect();
    let at = |psn| left_at(QP, psn);
    assert_eq!(
        told,
        [
            (false, 1, at(0)),
            (false, 2, at(1)),
            (false, 3, None),
            (false, 4, at(3)),
            (false, 6, None),
            (false, 7, at(6)),
            (true, 7, None),
            (false, 4, at(3)),
        ]
    );
    let came: Vec<_> = b.events.iter().map(|event| event.now).collect();
    assert_eq!(came, b.came);
    assert!(came[3] >> 24 == 8 && (came[3] + 9) >> 24 == 9, "the wrap lies between");
}

#[test]
fn ghosts_and_strange_syndromes_are_counted_and_old_ones_still_feed() {
    let mut b = bench(0, &[(false, 2560)]);
    b.ack(0);
    assert_eq!((b.count(Counter::GhostAck), b.events.len()), (1, 0), "nothing sent yet");
    b.sent_to(4);
    b.ack(4);
    b.nak(7, 0);
    assert_eq!((b.count(Counter::GhostAck), b.count(Counter::NaksReceived)), (3, 0));
    b.acknowledge(QP, GENERATION, 1, 0x41, &[]);
    b.acknowledge(QP, GENERATION, 1, 0x9f, &[]);
    b.drain();
    assert_eq!((b.count(Counter::IgnoredSyndrome), b.events.len()), (2, 0));
    b.ack(3);
    b.ack(1);
    b.nak(2, 2);
    assert_eq!(b.told(), [(false, 4), (false, 2), (true, 2)], "old ones move nothing");
    assert_eq!(b.count(Counter::NaksReceived), 1);
    assert!(b.done.is_empty() && b.kills.is_empty());
    b.acknowledge(QP, GENERATION + 1, 3, ACK, &[]);
    b.drain();
    assert_eq!(b.events.len(), 3, "of another generation");
}

/// Messages of PSNs 0 to 3, of 4 and of 5 on: what lies before the packet that the receiver was not ready for is done, with or without an
/// acknowledgement of its own, and the scheduler hears of an acknowledgement.
#[test]
fn what_is_before_a_receiver_not_ready_nak_is_acknowledged() {
    let mut b = bench(0, &[(false, 1024), (false, 256), (false, 2560)]);
    b.sent_to(9);
    b.acknowledge(QP, GENERATION, 7, 0x2c, &[]);
    b.drain();
    assert_eq!(b.done, [(0, OK, 1024), (1, OK, 256)]);
    assert_eq!(b.told(), [(false, 7)]);
    // the same once more moves nothing
    b.acknowledge(QP, GENERATION, 7, 0x20, &[]);
    b.drain();
    assert_eq!(b.done.len(), 2);
    assert_eq!((b.count(Counter::RnrNaks), b.count(Counter::NaksReceived)), (2, 0));
    assert_eq!(b.count(Counter::IgnoredSyndrome), 0);
    // its packet has not been acknowledged: an acknowledgement of it counts
    b.ack(7);
    assert_eq!(b.told().last(), Some(&(false, 8)));
    // of what was never sent
    b.acknowledge(QP, GENERATION, 9, 0x2c, &[]);
    b.drain();
    assert_eq!((b.count(Counter::RnrNaks), b.count(Counter::GhostAck)), (2, 1));
}

#[test]
fn nak_in_the_middle_acknowledges_what_is_before_it_and_rewinds() {
    let mut b = bench(10, &[(false, 256), (false, 2560)]);
    b.sent_to(21);
    b.nak(14, 0);
    assert_eq!(b.done, [(0, OK, 256)]);
    assert_eq!(b.told(), [(true, 14)]);
    b.ack(20);
    assert_eq!(b.done.len(), 2, "sent before the rewind");
}

#[test]
fn int_feeds_congestion_control_and_read_data_is_echoed() {
    let mut b: Bench<20> = Bench::new(3);
    b.context(QP, GENERATION, 0, 2, true, true);
    b.work(QP, 0, false, 1024);
    b.work(QP, 1, true, 1024);
    b.drain();
    b.sent_to(2);
    let mut int = vec![0x2a, 0xbc];
    int.extend([0x51, 2, 3, 4, 5, 6, 7, 8, 0x82, 9, 8, 7, 6, 5, 4, 3]);
    b.acknowledge(QP, GENERATION, 0, ACK, &int);
    b.drain();
    let event = b.events[0].clone();
    assert_eq!(
        (event.int_valid, event.n_hop, event.path_id, event.psn),
        (true, 2, 0xabc, 1)
    );
    assert_eq!(event.hops, [0x5102_0304_0506_0708, 0x8209_0807_0605_0403, 0, 0, 0]);
    int[2] = 0x0f;
    b.acknowledge(QP, GENERATION, 0, ACK, &int);
    int[0] = 0x0a;
    b.acknowledge(QP, GENERATION, 0, ACK, &int[..2]);
    int[0] = 0xfa;
    int.resize(42, 0x11);
    int[2] = 0x11;
    b.acknowledge(QP, GENERATION, 0, ACK, &int);
    b.drain();
    let valid: Vec<bool> = b.events.iter().map(|event| event.int_valid).collect();
    assert_eq!(valid, [true, false, true, true], "a bad speed; no hop; 15 hops");
    assert_eq!((b.count(Counter::IntBadSpeed), b.count(Counter::IntManyHops)), (1, 1));
    b.response(QP, GENERATION, ONLY, 1, 1024, 2, &int);
    b.response(QP, GENERATION, ONLY, 1, 1024, 2, &int);
    b.drain();
    assert_eq!((b.echo_psns(), b.done.len()), (vec![1, 1], 2));
    assert_eq!(AckSend::INT_STACK.bytes(&b.echoes[0].limbs()), int);
    assert!(!b.events[4].int_valid, "the echo carries the INT to whom it concerns");
}
