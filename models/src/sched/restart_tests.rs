//! Restarts, flows without window or timer, and rewinds that have to wait for credit.

use super::formats::*;
use super::psn::*;
use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

const TIMING: Timing = Timing {
    now: 0,
    timeout: 10,
    retry_limit: 7,
    rnr_retry: 7,
    held: 0,
};
const RESPONSES: FlowSettings = FlowSettings {
    mtu: 2,
    priority: 0,
    windowless: true,
    timerless: true,
};

fn created(psn: u32, settings: FlowSettings) -> SenderState {
    let mut sender = SenderState::default();
    sender.handle(Op::Create(psn, settings), 1, &VisitState::default(), &TIMING);
    sender
}

fn visit_at(sender: &SenderState, rate: u64, window: u64, state: &VisitState, tick: u32) -> Visit {
    let registers = SchedRegisters::default();
    let pacing = Pacing::new(rate << 27, window << 11, 2, &registers);
    visit(sender, &pacing, state, tick, false, &registers)
}

/// READ ranges in ascending order with gaps between them, as WRITEs leave them.
#[derive(Clone, Debug)]
struct Ranges(Vec<(u32, u32)>);

fn ranges() -> impl Strategy<Value = Ranges> {
    let start = prop_oneof![Just(0xff_ffc0u32), 0u32..=PSN_MASK];
    let lengths = prop::collection::vec((0u32..30, 1u32..60), 2..8);
    (start, lengths).prop_map(|(start, lengths)| {
        let mut at = start;
        let place = |(gap, length): (u32, u32)| {
            let first = add(at, gap);
            at = add(first, length);
            (first, at)
        };
        Ranges(lengths.into_iter().map(place).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// READs answered one after the other, some of them again from anywhere: an acknowledgement is refused exactly if its packet
    /// was not sent since the READ was asked for last.
    #[test]
    fn after_restarts_what_was_sent_since_is_acknowledged_and_nothing_else(
        ranges in ranges(),
        steps in prop::collection::vec((0u8..8, 0u32..64), 1..400),
        settings in prop_oneof![Just(RESPONSES), Just(FlowSettings { windowless: false, ..RESPONSES })],
    ) {
        let ranges = ranges.0;
        let (mut sender, mut state) = (created(ranges[0].0, settings), VisitState::default());
        sender.handle(Op::Restart(ranges[0].0, ranges[0].1), 1, &state, &TIMING);
        let (mut sent, mut since) = (BTreeSet::new(), BTreeSet::new());
        let (mut current, mut newest) = (0usize, 0usize);
        for (now, (kind, value)) in (0u32..).zip(steps) {
            match kind {
                0..=3 => {
                    let visit = visit_at(&sender, 12, 20 * 1024, &state, now * 100);
                    if let Some(grant) = visit.grant {
                        for psn in 0..grant.count {
                            let psn = add(grant.psn, psn);
                            prop_assert_eq!(sent.contains(&psn), psn_index(psn, &grant) < grant.repeats, "sent before");
                            sent.insert(psn);
                            since.insert(psn);
                        }
                        let (first, end) = ranges[current];
                        prop_assert!(ahead(grant.psn, first) + grant.count <= ahead(end, first), "inside the READ");
                    }
                    state = visit.state;
                }
                4 | 5 => {
                    let psn = add(sender.una, value).wrapping_sub(8) & PSN_MASK;
                    let (una, end) = (sender.una, sender.end);
                    let outcome = sender.handle(Op::Ack(psn), 1, &state, &TIMING);
                    let known = !is_after(psn, una)
                        || (since.contains(&(psn.wrapping_sub(1) & PSN_MASK)) && !is_after(psn, end));
                    prop_assert_eq!(outcome.beyond, !known, "{} of {} to {}", psn, una, end);
                }
                6 => {
                    // the next READ, once this one is answered
                    if current + 1 < ranges.len() && sent.contains(&(ranges[current].1.wrapping_sub(1) & PSN_MASK)) {
                        current += 1;
                        newest = newest.max(current);
                        since.clear();
                        sender.handle(Op::Restart(ranges[current].0, ranges[current].1), 1, &state, &TIMING);
                    }
                }
                _ => {
                    // one of those so far, again
                    current = value as usize % (newest + 1);
                    let (first, end) = ranges[current];
                    since.clear();
                    let start = add(first, value % ahead(end, first));
                    if start == first || sent.contains(&(start.wrapping_sub(1) & PSN_MASK)) {
                        let before = state.credit;
                        sender.handle(Op::Restart(start, end), 1, &state, &TIMING);
                        prop_assert_eq!((sender.una, sender.end, before), (start, end, state.credit));
                    } else {
                        sender.handle(Op::Restart(first, end), 1, &state, &TIMING);
                    }
                }
            }
        }
    }
}

/// Place of a PSN in its grant.
fn psn_index(psn: u32, grant: &Grant) -> u32 {
    ahead(psn, grant.psn)
}

#[test]
fn a_restart_keeps_the_credit_and_voids_rewinds() {
    let mut sender = created(
        100,
        FlowSettings {
            mtu: 2,
            ..FlowSettings::default()
        },
    );
    sender.handle(Op::Work(120), 1, &VisitState::default(), &TIMING);
    let mut state = visit_at(&sender, 1, 1 << 20, &VisitState::default(), 0).state;
    assert_eq!(state.nxt, 101);
    sender.handle(Op::Nak(100), 1, &state, &TIMING);
    let outcome = sender.handle(Op::Restart(110, 130), 1, &state, &TIMING);
    assert!(outcome.wake && !outcome.late);
    let poor = visit_at(&sender, 1, 1 << 20, &state, 10);
    assert_eq!(
        (poor.grant, poor.state.nxt, poor.state.credit >> CREDIT_FRACTION),
        (None, 110, 80),
        "80 ns at 1 byte/ns"
    );
    state = poor.state;
    let grant = visit_at(&sender, 1, 1 << 20, &state, 200)
        .grant
        .expect("1600 ns are worth a packet");
    assert_eq!(
        (grant.psn, grant.count, grant.repeats, grant.rewound),
        (110, 1, 0, false)
    );
    // the old generation asks for nothing any more
    assert!(sender.handle(Op::Restart(0, 1), 0, &state, &TIMING).late);
}

#[test]
fn any_number_of_restarts_and_rewinds_between_two_visits_is_noticed() {
    for events in 1..100 {
        let mut sender = created(
            0,
            FlowSettings {
                mtu: 2,
                ..FlowSettings::default()
            },
        );
        sender.handle(Op::Work(100), 1, &VisitState::default(), &TIMING);
        let mut state = visit_at(&sender, 12, 1 << 20, &VisitState::default(), 0).state;
        state = visit_at(&sender, 12, 1 << 20, &state, 400).state;
        assert!(state.nxt > 1);
        for _ in 0..events {
            sender.handle(Op::Nak(0), 1, &state, &TIMING);
        }
        let rewound = visit_at(&sender, 12, 1 << 20, &state, 800);
        assert_eq!(
            rewound.grant.map(|grant| (grant.psn, grant.rewound)),
            Some((0, true)),
            "{events} rewinds"
        );
        state = rewound.state;
        for _ in 0..events {
            sender.handle(Op::Restart(1, 100), 1, &state, &TIMING);
        }
        let restarted = visit_at(&sender, 12, 1 << 20, &state, 1200);
        assert_eq!(restarted.grant.map(|grant| grant.psn), Some(1), "{events} restarts");
    }
}

#[test]
fn a_rewind_waits_for_its_first_packet() {
    let mut sender = created(
        0,
        FlowSettings {
            mtu: 2,
            ..FlowSettings::default()
        },
    );
    sender.handle(Op::Work(100), 1, &VisitState::default(), &TIMING);
    let state = visit_at(&sender, 1, 1 << 20, &VisitState::default(), 0).state;
    sender.handle(Op::Nak(0), 1, &state, &TIMING);
    let poor = visit_at(&sender, 1, 1 << 20, &state, 1);
    assert_eq!((poor.grant, poor.state.nxt), (None, 0));
    let closed = visit_at(&sender, 1, 0, &poor.state, 2);
    assert!(closed.idle);
    let rich = visit_at(&sender, 1, 1 << 20, &closed.state, 1000);
    assert_eq!(rich.grant.map(|grant| (grant.psn, grant.rewound)), Some((0, true)));
    let next = visit_at(&sender, 1, 1 << 20, &rich.state, 2000);
    assert_eq!(next.grant.map(|grant| grant.rewound), Some(false));
}

#[test]
fn responses_of_plain_queue_pairs_have_neither_window_nor_timer() {
    let mut sender = created(5, RESPONSES);
    sender.handle(Op::Restart(5, 5 + (1 << 22)), 1, &VisitState::default(), &TIMING);
    let mut state = VisitState {
        nxt: 5 + (1 << 21),
        max: 5 + (1 << 21),
        generation: 1,
        restarts: sender.restarts,
        seen: sender.rewinds,
        credit: 100_000 << CREDIT_FRACTION,
        ..VisitState::default()
    };
    let visit = visit_at(&sender, 12, 0, &state, 0);
    let grant = visit.grant.expect("the window is not looked at");
    assert_eq!((grant.psn, grant.fills, visit.idle), (5 + (1 << 21), false, false));
    state = visit.state;
    for now in 0..100 {
        let outcome = sender.handle(Op::Tick, 1, &state, &Timing { now, ..TIMING });
        assert_eq!((outcome.timeout, outcome.ended, sender.armed), (false, false, false));
    }
}

#[test]
fn data_of_a_read_is_acknowledged_before_visits_have_passed_over_it() {
    let mut sender = created(
        10,
        FlowSettings {
            mtu: 2,
            ..FlowSettings::default()
        },
    );
    sender.handle(Op::Work(100), 1, &VisitState::default(), &TIMING);
    // one packet of window: the visit goes no further than the request
    let mut state = visit_at(&sender, 12, 1024, &VisitState::default(), 0).state;
    assert_eq!(state.nxt, 11);
    sender.handle(Op::Advance(10, 50), 1, &state, &TIMING);
    assert!(sender.handle(Op::Ack(51), 1, &state, &TIMING).beyond);
    assert!(!sender.handle(Op::Ack(20), 1, &state, &TIMING).beyond);
    // a rewind takes nothing back: data of the first request is still on its way
    sender.handle(Op::Nak(20), 1, &state, &TIMING);
    assert_eq!(
        visit_at(&sender, 12, 1024, &state, 400).grant.map(|grant| grant.psn),
        Some(20)
    );
    assert!(!sender.handle(Op::Ack(50), 1, &state, &TIMING).beyond);
    let after = visit_at(&sender, 12, 1024, &state, 400);
    state = after.state;
    assert_eq!(after.grant.map(|grant| (grant.psn, grant.repeats)), Some((50, 0)));
    // feedback that comes after the data asks for nothing
    sender.handle(Op::Advance(20, 50), 1, &state, &TIMING);
    assert!(sender.handle(Op::Ack(53), 1, &state, &TIMING).beyond);
}
