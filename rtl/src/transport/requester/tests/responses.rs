use super::*;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use std::collections::VecDeque;

/// A response of the given PSN; kind, length and syndrome follow from it.
fn row(psn: u64) -> RxPacket {
    let mut word = [0; 4];
    RxPacket::OPCODE.put(&mut word, 13 + psn % 4);
    RxPacket::QP.put(&mut word, psn % 7);
    RxPacket::PSN.put(&mut word, psn);
    RxPacket::GENERATION.put(&mut word, psn % 5);
    RxPacket::PAYLOAD_LENGTH.put(&mut word, psn * 3 % 4096);
    let syndrome = if psn.is_multiple_of(3) { 0x60 } else { 0x1f };
    let mut extension = [0; 16];
    extension[0] = syndrome;
    RxPacket::EXTENSION.put_bytes(&mut word, &extension);
    RxPacket::from_slice(&word)
}

/// What the pipe must be told of it: PSN, queue pair, generation, length, end, negative. Of opcodes 13 to 16 the First, Middle, Last and Only of a READ
/// response, Middle has no AETH.
fn wanted(psn: u64) -> (u64, u64, u64, u64, bool, bool) {
    let kind = psn % 4;
    (
        psn,
        psn % 7,
        psn % 5,
        psn * 3 % 4096,
        kind >= 2,
        kind != 1 && psn.is_multiple_of(3),
    )
}

/// A pipe of five clocks at random: it takes some, leaves some to a state machine that takes its time, and forgets those behind, and now and then one that has
/// just entered. Every response enters in its order, enters again if it was dropped, and leaves once and in order, with the decision that was made about it.
#[test]
fn every_response_leaves_once_in_order_with_its_own_decision() {
    let mut block: Box<Responses> = Box::default();
    init(block.as_mut()).expect("complete block");
    let mut random = Stimulus::new(21);
    // what came and has not left; how many of those are decided, and how many have entered
    let mut held: VecDeque<u64> = VecDeque::new();
    let mut decided: VecDeque<(u64, u64, bool)> = VecDeque::new();
    let mut inside: VecDeque<Option<u64>> = VecDeque::from([None; 5]);
    let (mut next, mut psn, mut offered, mut deferred) = (0usize, 0u64, false, false);
    let (mut left, mut to_machine, mut most) = (0u64, 0u64, 0usize);
    // the one that entered a clock ago is dropped
    let (mut dropped, mut again) = (false, 0);
    for clock in 0..40_000u64 {
        let reset = clock < 2 || clock % 9000 == 8999;
        let busy = clock / 500 % 3;
        offered |= random.chance([0.9, 0.4, 0.9][busy as usize]);
        let b = block.as_mut();
        b.reset.next = reset;
        b.row.valid.next = offered;
        b.row.data.next = row(psn);
        // out of the pipe
        let out = inside.pop_front().flatten();
        b.recalls.next = dropped;
        if dropped && !deferred {
            *inside.back_mut().expect("four") = None;
            next -= 1;
            again += 1;
        }
        let defers = out.is_some() && random.chance(0.08);
        let takes = out.is_some() && !defers;
        let (base, ahead) = (random.corner(64), random.corner(36));
        let decision = (base, ahead, random.chance(0.3));
        (b.takes.next, b.defers.next) = (takes, defers);
        (b.base.next, b.ahead.next, b.last.next) = (U(base), U(ahead), decision.2);
        let (wish, room, tells) = (
            random.chance(0.8),
            random.chance([0.9, 0.9, 0.15][busy as usize]),
            random.chance(0.2),
        );
        // what enters and leaves depends on outputs that registers alone make
        b.enters.next = false;
        b.acts.next = false;
        b.machine.ready.next = false;
        let (waits, shown) = {
            assert!(rust_hdl::prelude::simulate(b, 10), "no loop");
            (b.waits.val(), (b.decided.val(), b.machine.valid.val()))
        };
        assert!(!(waits && dropped), "clock {clock}: one in two clocks");
        let enters = waits && wish;
        dropped = enters && (defers || random.chance(0.1));
        let acts = shown.0 && room;
        let done = shown.1 && tells;
        b.enters.next = enters;
        b.acts.next = acts;
        b.machine.ready.next = done;
        let (taken, entering, front, made, machine) = step(b, |b| {
            (
                b.row.valid.val() && b.row.ready.val(),
                b.step.val(),
                b.front.val(),
                b.decision.val(),
                b.machine.data.val(),
            )
        });
        most = most.max(held.len());
        assert!(!(shown.0 && shown.1), "clock {clock}: decided or for the state machine");
        if waits {
            assert!(
                !deferred,
                "clock {clock}: nothing enters before the state machine is done"
            );
            let seen = (
                entering.psn.0,
                entering.qp.0,
                entering.generation.0,
                entering.length.0,
                entering.ends,
                entering.negative,
            );
            assert_eq!(seen, wanted(held[next]), "clock {clock}");
        }
        if shown.0 {
            let first = decided.front().copied().expect("a decision");
            assert_eq!(front, row(held[0]), "clock {clock}");
            assert_eq!((made.base.0, made.ahead.0, made.last), first, "clock {clock}");
        }
        if shown.1 {
            assert!(deferred && decided.is_empty(), "clock {clock}");
            assert_eq!(machine, row(held[0]), "clock {clock}");
        }
        inside.push_back(enters.then(|| held[next]));
        next += usize::from(enters);
        if acts || done {
            held.pop_front();
            left += 1;
            next -= usize::from(acts);
        }
        if acts {
            decided.pop_front();
        }
        if done {
            (deferred, next) = (false, 0);
            to_machine += 1;
        }
        if takes {
            decided.push_back(decision);
        }
        if defers {
            inside.iter_mut().for_each(|step| *step = None);
            deferred = true;
        }
        if taken {
            held.push_back(psn);
            psn += 1;
            offered = false;
        }
        if reset {
            held.clear();
            decided.clear();
            inside.iter_mut().for_each(|step| *step = None);
            (next, deferred, dropped) = (0, false, false);
        }
    }
    assert!(
        left > 5000 && to_machine > 300 && again > 300 && most == 16,
        "{left} {to_machine} {again} {most}"
    );
}

/// Nothing stalls: one in two clocks, and four clocks from the response to the decision that leaves, besides those in the pipe.
#[test]
fn one_in_two_clocks() {
    let mut block: Box<Responses> = Box::default();
    init(block.as_mut()).expect("complete block");
    let mut inside = VecDeque::from([false; 5]);
    let (mut psn, mut left, mut acts) = (0, 0, false);
    for clock in 0..1012 {
        let b = block.as_mut();
        b.reset.next = clock < 2;
        b.row.valid.next = true;
        b.row.data.next = row(psn);
        b.takes.next = inside.pop_front().expect("five");
        assert!(rust_hdl::prelude::simulate(b, 10), "no loop");
        let waits = b.waits.val();
        // the register behind takes one in two clocks
        acts = b.decided.val() && !acts;
        (b.enters.next, b.acts.next) = (waits, acts);
        let taken = step(b, |b| b.row.valid.val() && b.row.ready.val());
        psn += u64::from(taken);
        left += u32::from(acts);
        inside.push_back(waits);
    }
    assert!(left >= 496, "{left}");
}
