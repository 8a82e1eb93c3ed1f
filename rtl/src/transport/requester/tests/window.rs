use super::*;
use crate::sim::{init, step, Stimulus};
use std::collections::{BTreeMap, VecDeque};

/// What happens to a work request when it comes out of the pipe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Queued,
    /// Comes back so many times first.
    Full(u32),
    Deferred,
}

/// A pipe of five clocks that takes none of a queue pair that is inside; every work request is queued or handled exactly once, those of a queue
/// pair in their order.
fn run(seed: u64, returning: f64, deferred: f64) -> u64 {
    let mut window: Box<Window> = Box::default();
    init(window.as_mut()).expect("complete block");
    let mut stimulus = Stimulus::new(seed);
    let mut pipe: VecDeque<Option<(u64, u64, u64)>> = VecDeque::from([None; 5]);
    let mut fates: BTreeMap<u64, Fate> = BTreeMap::new();
    let (mut sent, mut queued) = (0u64, 0u64);
    // numbers of the work requests that are not queued yet, by queue pair
    let mut open: BTreeMap<u64, VecDeque<u64>> = BTreeMap::new();
    let mut offered: Option<(u64, u64)> = None;
    // numbers by place, and what the read of the clock before must show
    let mut lies = [None; 16];
    let mut wanted: Option<u64> = None;
    for clock in 0..30_000u64 {
        window.reset.next = clock < 2;
        if offered.is_none() && clock > 2 && stimulus.chance(0.8) {
            offered = Some((sent, stimulus.below(6)));
        }
        window.work.valid.next = offered.is_some();
        let (id, qp) = offered.unwrap_or_default();
        let mut word = WorkRequest::default();
        (word.id, word.qpn) = (U(id), U(qp));
        window.work.data.next = word;
        let out = pipe.pop_front().expect("five");
        let fate = out.map(|(id, ..)| fates[&id]);
        window.ends.next = fate == Some(Fate::Queued);
        window.returns.next = matches!(fate, Some(Fate::Full(_)));
        window.defers.next = fate == Some(Fate::Deferred);
        window.comes_back.next = matches!(fate, Some(Fate::Full(_) | Fate::Deferred));
        window.end_place.next = U(out.map_or(0, |(_, _, place)| place));
        let other = stimulus.below(6);
        window.end_qp.next = U(out.map_or(0, |(_, qp, _)| qp));
        window.freed_qp.next = U(other);
        window.machine.ready.next = false;
        window.take.next = false;
        window.frees.next = stimulus.chance(0.1);
        let place = stimulus.below(16);
        window.read_place.next = U(place);
        // the choices of the pipe and of the state machine are combinational
        rust_hdl::prelude::simulate(window.as_mut(), 10);
        // what is taken shows, and while it shows none is looked at that could be passed by
        assert!(!(window.took.q.val() && window.passes.val()), "clock {clock}");
        // while a ring is known to be full, none of its queue pair is in the pipe
        let known_full = window.entered.q.val() && window.found_full[16].val();
        let back = window.comes_back.val() && window.end_qp.val() == window.entered_qp.q.val();
        assert!(!(known_full && back), "clock {clock}");
        let front = window.front.val();
        let inside = pipe.iter().flatten().any(|(_, qp, _)| *qp == front.qpn.0);
        let held = window.returns.val() || window.defers.val();
        let takes = window.waits.val() && !held && !inside && stimulus.chance(0.9);
        let handles = window.machine.valid.val() && stimulus.chance(0.2);
        window.take.next = takes;
        window.machine.ready.next = handles;
        let (accepted, at, read) = step(window.as_mut(), |w| {
            let accepted = w.work.valid.val() & w.work.ready.val();
            (accepted, w.place.val().0, w.read.val())
        });
        assert!(
            wanted.is_none_or(|id| read.id.0 == id),
            "clock {clock}: {wanted:?}, {}",
            read.id.0
        );
        // what lies in the next free place means nothing
        wanted = lies[place as usize].filter(|_| place != sent % 16);
        if let Some((id, qp, _)) = out {
            match fates[&id] {
                Fate::Queued => {
                    assert_eq!(
                        open.get_mut(&qp).and_then(VecDeque::pop_front),
                        Some(id),
                        "clock {clock}"
                    );
                    queued += 1;
                }
                Fate::Full(1) => drop(fates.insert(id, Fate::Queued)),
                Fate::Full(n) => drop(fates.insert(id, Fate::Full(n - 1))),
                Fate::Deferred => {}
            }
        }
        if handles {
            let (id, qp) = (front.id.0, front.qpn.0);
            assert!(
                fates[&id] == Fate::Deferred,
                "clock {clock}: {id} is not for the state machine"
            );
            assert_eq!(
                open.get_mut(&qp).and_then(VecDeque::pop_front),
                Some(id),
                "clock {clock}"
            );
            queued += 1;
        }
        pipe.push_back(takes.then_some((front.id.0, front.qpn.0, at)));
        if takes {
            assert_eq!(lies[at as usize], Some(front.id.0), "clock {clock}");
            let waiting = &open[&front.qpn.0];
            assert_eq!(waiting.front(), Some(&front.id.0), "clock {clock}: overtaken");
        }
        if accepted {
            offered = None;
            lies[(sent % 16) as usize] = Some(id);
            sent += 1;
            open.entry(qp).or_default().push_back(id);
            let fate = if stimulus.chance(deferred) {
                Fate::Deferred
            } else if stimulus.chance(returning) {
                Fate::Full(1 + stimulus.below(4) as u32)
            } else {
                Fate::Queued
            };
            fates.insert(id, fate);
        }
    }
    assert!(sent - queued <= 16, "{sent} {queued}");
    queued
}

/// A ring is full, and the work request at the window's end comes back; when a place is free, it is offered again before the window has been through.
#[test]
fn a_free_place_brings_the_oldest_work_request_back_at_once() {
    let clocks = |frees: bool| {
        let mut window: Box<Window> = Box::default();
        init(window.as_mut()).expect("complete block");
        let (mut sent, mut taken_at, mut back_at) = (0, None, None);
        for clock in 0..200u64 {
            window.reset.next = clock < 2;
            window.work.valid.next = clock > 2 && sent < 16;
            let mut word = WorkRequest::default();
            (word.id, word.qpn) = (U(sent), U(3));
            window.work.data.next = word;
            window.take.next = false;
            let returns = taken_at.is_some_and(|at| clock == at + 5);
            (window.returns.next, window.comes_back.next) = (returns, returns);
            (window.end_place.next, window.end_qp.next) = (U(0), U(3));
            window.freed_qp.next = U(3);
            window.frees.next = frees && taken_at.is_some_and(|at| clock == at + 8);
            rust_hdl::prelude::simulate(window.as_mut(), 10);
            let offers = window.waits.val() && clock > 30 && window.front.val().id.0 == 0;
            if offers && taken_at.is_none() {
                window.take.next = true;
                taken_at = Some(clock);
            } else if offers && back_at.is_none() {
                back_at = Some(clock);
            }
            let accepted = step(window.as_mut(), |w| w.work.valid.val() & w.work.ready.val());
            sent += u64::from(accepted);
        }
        back_at.expect("offered again") - taken_at.expect("taken")
    };
    let (at_once, through) = (clocks(true), clocks(false));
    assert!(at_once <= 8 + 6 && at_once < through, "{at_once} {through}");
}

#[test]
fn every_work_request_is_queued_once_and_none_overtakes_one_of_its_queue_pair() {
    assert!(run(1, 0.0, 0.0) > 8000, "{}", run(1, 0.0, 0.0));
    assert!(run(2, 0.3, 0.0) > 1000);
    assert!(run(3, 0.0, 0.1) > 1000);
    assert!(run(4, 0.2, 0.05) > 1000);
}
