//! Which responses count, and what the law hears of them.

use super::*;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::cc::CongestionControl;
use Operation::Write;

/// A flow under HPCC, each packet acknowledged and each probe answered after 2 us: every response is one full update, but for the first, which has
/// nothing to be compared with; acknowledgements, whose packets no switch has stamped, are none.
#[test]
fn every_response_is_a_full_update() {
    let mut bench = bench(probes(1));
    bench.post(1, Write, 0, 200 * MTU as u64);
    let mut late = std::collections::VecDeque::new();
    let (mut sent, mut acked) = (0, 0);
    while acked < 200 {
        let until = bench.now + 20;
        for (at, frame) in frames(&mut bench, until, 20) {
            late.push_back((at + 2000, parse(&frame).bth));
        }
        while late.front().is_some_and(|(at, _)| *at <= bench.now) {
            let (_, bth) = late.pop_front().unwrap();
            if bth.opcode == Opcode::Probe {
                sent += 1;
                respond(&mut bench, bth.psn);
            } else {
                acked += 1;
                bench.ack(bth.psn);
            }
        }
    }
    // 200 packets take 60.8 us and more; a probe every 2 us, behind the first packet from then on
    assert!((26..=31).contains(&sent), "{sent}");
    assert_eq!(bench.count(Counter::ProbeStray), 0);
    assert_eq!(heard(&bench), (vec![EventKind::Probe; sent], 200));
    let mut law = Hpcc::<f64>::new(HpccParams::new(100_000_000_000, 13_000)).unwrap();
    let generation = bench.nic.generation(QPN).unwrap();
    law.create(request_flow(QPN), generation);
    let (mut full, mut updates) = (0, 0);
    for event in bench.events.borrow().iter() {
        updates += usize::from(law.handle(event).is_some());
        full += usize::from(law.last().is_some_and(|seen| seen.full));
    }
    assert_eq!((updates, full), (sent, sent - 1));
}

/// The event says where the sender stands, and nothing is acknowledged by it.
#[test]
fn a_response_acknowledges_nothing() {
    let mut bench = bench(probes(1));
    bench.post(1, Write, 0, 5 * MTU as u64);
    frames(&mut bench, 2000, 20);
    bench.ack(1);
    respond(&mut bench, 1);
    let event = *bench.events.borrow().last().unwrap();
    assert_eq!(
        (event.kind, event.flow, event.bytes),
        (EventKind::Probe, request_flow(QPN), 0)
    );
    assert_eq!((event.psn_next, event.snd_nxt, event.n_hop), (2, 5, 2));
    assert!(bench.done().is_empty() && !bench.nic.idle());
    // nor does it keep the timer from running out
    frames(&mut bench, 103_000, 100);
    assert_eq!(bench.count(Counter::Timeouts), 1);
}

/// Late ones count, once, in order; the first after a new start does not know of those before.
#[test]
fn which_responses_count() {
    let mut bench = bench(probes(1));
    respond(&mut bench, 0);
    respond(&mut bench, 1);
    assert_eq!(bench.count(Counter::ProbeStray), 2, "nothing was sent");
    bench.post(1, Write, 0, 100 * MTU as u64);
    let sent = frames(&mut bench, 18_000, 20);
    let last = numbers(&sent).last().unwrap().1;
    assert_eq!(last, 4, "one at the start, one each timeout");
    let counts = |bench: &mut Bench, number| {
        let before = heard(bench).0.len();
        respond(bench, number);
        heard(bench).0.len() - before
    };
    assert_eq!(
        [2, 2, 1, 5, 0xff_ffff, 4, 3, 4].map(|n| counts(&mut bench, n)),
        [1, 0, 0, 0, 0, 1, 0, 0]
    );
    assert_eq!(bench.count(Counter::ProbeStray), 8);
    bench.nic.remove_qp(bench.now, QPN);
    bench.nic.create_qp(qp_config(0, true)).unwrap();
    assert_eq!(counts(&mut bench, 4), 0);

    let mut silent = Bench::new(0, true);
    respond(&mut silent, 1);
    assert_eq!(
        (silent.count(Counter::Stray), silent.count(Counter::ProbeStray)),
        (0, 1)
    );
}
