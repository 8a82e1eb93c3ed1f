//! Arming, events and interrupts: no order of arming, polling and completions loses an event, and none comes twice.

use super::bench::*;
use super::two::Two;
use hpcc_models::nic::queues::*;

/// A WRITE of one byte that completes on side 0.
fn write_one(two: &mut Two, id: u64) {
    let now = two.now;
    two.hosts[0].post(now, &[work(id, SendOpcode::Write, 0, 1)]);
    two.run(100_000);
}

fn completion(number: u16) -> EventEntry {
    EventEntry {
        kind: EventKind::Completion,
        number: number.into(),
    }
}

#[test]
fn armed_before_the_entry_comes_once() {
    let mut two = Two::ready();
    two.hosts[0].arm(0, 0, false);
    two.hosts[0].events(0);
    write_one(&mut two, 1);
    assert_eq!(two.hosts[0].nic.take_interrupts(), [EQ]);
    assert_eq!(two.hosts[0].events(0), [completion(CQS[0])]);
    write_one(&mut two, 2);
    assert!(two.hosts[0].events(0).is_empty() && two.hosts[0].nic.take_interrupts().is_empty());
}

#[test]
fn armed_behind_the_entry_comes_at_once_and_not_for_what_was_taken() {
    let mut two = Two::ready();
    write_one(&mut two, 1);
    two.hosts[0].arm(0, 0, false);
    assert_eq!(two.hosts[0].events(0), [completion(CQS[0])]);
    assert_eq!(two.hosts[0].look(0).len(), 1);
    two.hosts[0].arm(0, 0, false);
    assert!(two.hosts[0].events(0).is_empty());
    write_one(&mut two, 2);
    assert_eq!(two.hosts[0].events(0), [completion(CQS[0])]);
}

/// A host that arms first and polls then has seen what it finds in that poll: no event comes for it, and its place is not free either.
#[test]
fn what_the_host_has_seen_raises_no_event_and_keeps_its_place() {
    let mut two = Two::ready();
    write_one(&mut two, 1);
    write_one(&mut two, 2);
    for seen in [2, 2, 1] {
        two.hosts[0].bell(0, DoorbellKind::Arm, CQS[0], seen);
        let expected = if seen == 1 { vec![completion(CQS[0])] } else { vec![] };
        assert_eq!(two.hosts[0].events(0), expected, "seen {seen}");
    }
    let ignored = two.hosts[0].nic.queue_counters().doorbells_ignored;
    two.hosts[0].bell(0, DoorbellKind::Arm, CQS[0], 3);
    assert_eq!(
        two.hosts[0].nic.queue_counters().doorbells_ignored,
        ignored + 1,
        "not written yet"
    );
    two.hosts[0].bell(0, DoorbellKind::Arm, CQS[0], 2);
    for id in 3..=u64::from(CQ_RING) + 1 {
        write_one(&mut two, id);
    }
    assert_eq!(two.hosts[0].events(0)[0], completion(CQS[0]));
    let found: Vec<_> = two.hosts[0].look(0).iter().map(|entry| entry.work).collect();
    assert_eq!(found, (1..=u64::from(CQ_RING)).collect::<Vec<_>>());
}

/// Entry, event, poll, armed anew, entry: the second event waits until the host has passed the first, and is not lost.
#[test]
fn an_event_that_the_host_has_not_passed_holds_back_the_next() {
    let mut two = Two::ready();
    two.hosts[0].arm(0, 0, false);
    write_one(&mut two, 1);
    assert_eq!(two.hosts[0].look_events(), [completion(CQS[0])]);
    two.hosts[0].poll(0, 0);
    two.hosts[0].arm(0, 0, false);
    write_one(&mut two, 2);
    assert!(two.hosts[0].look_events().is_empty(), "one event of a queue at a time");
    assert!(two.hosts[0].events(0).is_empty());
    assert_eq!(
        two.hosts[0].look_events(),
        [completion(CQS[0])],
        "written when the first one was passed"
    );
    assert_eq!(two.hosts[0].nic.take_interrupts(), [EQ]);
}

#[test]
fn the_event_queue_interrupts_at_once_for_what_is_there_already() {
    let mut two = Two::ready();
    two.hosts[0].arm(0, 0, false);
    write_one(&mut two, 1);
    assert!(two.hosts[0].nic.take_interrupts().is_empty(), "not armed");
    let word = Doorbell {
        number: EQ.into(),
        index: 0,
    };
    two.hosts[0]
        .nic
        .doorbell(0, 0, DoorbellKind::EventConsumer.code().into(), word.encode());
    assert_eq!(two.hosts[0].nic.take_interrupts(), [EQ]);
}

/// Armed for solicited entries: neither an ordinary receive nor one that was taken before counts, a solicited or failed one does.
#[test]
fn solicited_entries() {
    let mut two = Two::ready();
    for id in 0..8 {
        two.hosts[1].receive_at(0, id, 1000, 16);
    }
    let send = |two: &mut Two, flags| {
        let entry = SendEntry {
            flags: SEND_SIGNALED | flags,
            ..work(1, SendOpcode::Send, 0, 4)
        };
        let now = two.now;
        two.hosts[0].post(now, &[entry]);
        two.run(100_000);
        two.hosts[1].events(0)
    };
    two.hosts[1].arm(0, 1, true);
    assert!(send(&mut two, 0).is_empty());
    assert_eq!(send(&mut two, SEND_SOLICITED), [completion(CQS[1])]);
    // an ordinary and a solicited one lie there, not taken
    two.hosts[1].arm(0, 1, true);
    assert_eq!(two.hosts[1].events(0), [completion(CQS[1])]);
    two.hosts[1].look(1);
    two.hosts[1].arm(0, 1, true);
    assert!(two.hosts[1].events(0).is_empty());
    let now = two.now;
    two.hosts[1].move_to(now, State::Error);
    assert_eq!(
        two.hosts[1].events(now),
        [completion(CQS[1])],
        "a flushed receive counts as failed"
    );
}

/// The queue has 64 places: the sixty-fifth completion finds no room, nothing is overwritten, and the queue pair ends with an event.
#[test]
fn a_full_completion_queue_ends_its_queue_pair() {
    let mut two = Two::ready();
    for id in 0..=u64::from(CQ_RING) {
        write_one(&mut two, id);
    }
    let found = two.hosts[0].look(0);
    assert_eq!(
        found.iter().map(|entry| entry.work).collect::<Vec<_>>(),
        (0..64).collect::<Vec<_>>()
    );
    let events = two.hosts[0].events(0);
    let expected = [
        (EventKind::CompletionOverrun, u32::from(CQS[0])),
        (EventKind::QueuePairFatal, QPNS[0]),
    ];
    assert_eq!(
        events
            .iter()
            .map(|event| (event.kind, event.number))
            .collect::<Vec<_>>(),
        expected
    );
    assert_eq!(two.hosts[0].query().state, State::Error);
    // room comes too late
    two.hosts[0].poll(0, 0);
    write_one(&mut two, 99);
    assert!(two.hosts[0].look(0).is_empty() && two.hosts[0].events(0).is_empty());
}
