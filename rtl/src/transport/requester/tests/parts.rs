//! Parts of the requester alone, every output in every clock: the queue pair in hand, and what goes on from an answer; whatever waits is seen, whatever is wrong
//! with a work request.

use crate::prim::uint::U;
use crate::sim::{init, step, Stimulus};
use crate::transport::requester::answers::Outcome;
use crate::transport::requester::choice::Choice;
use crate::transport::requester::intake::Intake;
use crate::transport::requester::queue::Queue;
use crate::transport::requester::tests::psns::PSNS;
use crate::words::work::CompletionStatus;

/// The registers of a queue pair, as their names tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct InHand {
    una: u64,
    una_before: u64,
    passed: u64,
    accepted: u64,
    assigned: u64,
    /// PSN of the gap that has been reported.
    gap: Option<u64>,
    dead: bool,
    head: u64,
    admit: u64,
    tail: u64,
    reads: u64,
    /// What the last step changes in `reads`, a clock later.
    more_reads: i64,
    carry: u64,
    told: u64,
    listed: bool,
    changed: bool,
    old: bool,
    unsent: bool,
    taken: bool,
}

/// What the block shows.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    psns: [u64; 4],
    places: [u64; 4],
    reads: u64,
    carry: u64,
    /// gap known, dead, listed, changed, old, ghost, twice
    flags: [bool; 7],
}

impl InHand {
    fn shown(&self) -> Shown {
        Shown {
            psns: [self.una, self.passed, self.accepted, self.assigned],
            places: [self.head, self.admit, self.tail, self.told],
            reads: self.reads,
            carry: self.carry,
            flags: [
                self.gap == Some(self.una),
                self.dead,
                self.listed,
                self.changed,
                self.old,
                !self.old && self.unsent,
                self.old || self.taken,
            ],
        }
    }
}

/// One step a clock, now and then another queue pair: each changes what it says, and nothing else.
#[test]
fn the_queue_pair_in_hand() {
    let mut random = Stimulus::new(31);
    let mut queue: Box<Queue> = Box::default();
    init(queue.as_mut()).expect("complete block");
    let q = queue.as_mut();
    (q.load.next, q.start.next) = (true, true);
    step(q, |_| ());
    (q.load.next, q.start.next) = (false, false);
    let mut model = InHand::default();
    let five = |value: u64| value % 32;
    for clock in 0..20_000 {
        let psn = if random.chance(0.5) { model.una + random.below(9) + PSNS - 4 } else { random.corner(24) } % PSNS;
        let (position, status, is_read) = (random.uniform(5), random.below(9), random.chance(0.5));
        q.psn.next = U(psn);
        q.new_una.next = U(psn);
        q.new_end.next = U(psn);
        q.position.next = U(position);
        q.status.next = CompletionStatus::ALL[status as usize];
        q.is_read.next = is_read;
        let choice = random.below(12);
        q.advance.next = choice == 0;
        q.pop.next = choice == 1;
        q.pass.next = choice == 2;
        q.take.next = choice == 3;
        q.lose.next = choice == 4;
        q.hand.next = choice == 5;
        q.push.next = choice == 6;
        q.tell.next = choice == 7;
        q.enlist.next = choice == 8;
        q.delist.next = choice == 9;
        q.bury.next = choice == 10 && random.chance(0.05);
        q.load.next = choice == 11;
        q.start.next = choice == 11 && random.chance(0.5);
        let (loaded, flags) = (random.corner(24), random.uniform(3));
        (q.loaded.next.una, q.loaded.next.accepted) = (U(loaded), U((loaded + 1) % PSNS));
        (q.loaded_old.next, q.loaded_unsent.next) = (flags & 1 == 1, flags & 2 == 2);
        q.loaded_before_gap.next = flags & 4 == 4;
        let begins = q.start.next;
        let buries = q.bury.next;
        let shown = step(q, |q| Shown {
            psns: [q.una.val().0, q.passed.val().0, q.accepted.val().0, q.assigned.val().0],
            places: [q.head.val().0, q.admit.val().0, q.tail.val().0, q.told.val().0],
            reads: q.reads.val().0,
            carry: q.carry.val() as u64,
            flags: [
                q.gap_known.val(),
                q.dead.val(),
                q.listed.val(),
                q.changed.val(),
                q.old.val(),
                q.ghost.val(),
                q.twice.val(),
            ],
        });
        assert_eq!(shown, model.shown(), "clock {clock}");
        model.changed |= choice < 10 || buries;
        model.reads = five((model.reads as i64 + 32 + std::mem::take(&mut model.more_reads)) as u64);
        match choice {
            0 => (model.una, model.passed) = (psn, (PSNS + psn - model.una_before) % PSNS),
            1 => {
                model.head = five(model.head + 1);
                model.more_reads = -i64::from(is_read);
            }
            3 => model.accepted = (psn + 1) % PSNS,
            4 => model.gap = Some(model.una),
            5 => {
                model.admit = five(model.admit + 1);
                model.more_reads = i64::from(is_read);
            }
            6 => (model.tail, model.assigned) = (five(model.tail + 1), psn),
            7 => model.told = five(model.told + 1),
            8 => model.listed = true,
            9 => model.listed = false,
            10 if buries => {
                (model.dead, model.reads, model.carry) = (true, 0, status);
                (model.head, model.admit) = (model.tail, model.tail);
            }
            11 => {
                let changed = model.changed && !begins;
                model = InHand {
                    una: loaded,
                    una_before: loaded,
                    accepted: (loaded + 1) % PSNS,
                    changed,
                    ..InHand::default()
                };
                (model.old, model.unsent, model.taken) = (flags & 1 == 1, flags & 2 == 2, flags & 4 == 4);
            }
            _ => {}
        }
    }
}

/// Every input at random: READ data acknowledges no bytes, a positive acknowledgement beyond a READ whose data is missing is a loss, told once.
#[test]
fn what_goes_on_from_an_answer() {
    let mut random = Stimulus::new(32);
    let mut block: Box<Outcome> = Box::default();
    init(block.as_mut()).expect("complete block");
    let b = block.as_mut();
    for case in 0..20_000 {
        let una_before = random.corner(24);
        let passed = if random.chance(0.3) { 0 } else { random.below(64) };
        let una = (una_before + passed) % PSNS;
        let limit = if random.chance(0.4) { una } else { (una + random.below(64)) % PSNS };
        let mtu = random.below(5);
        let coins = random.uniform(8);
        let coin = |i: u64| coins >> i & 1 == 1;
        let (acknowledgement, nak, fatal, gap) = (coin(0), coin(1), coin(2), coin(3));
        let (data, old, at_read, gap_known) = (coin(4), coin(5), coin(6), coin(7));
        b.acknowledgement.next = acknowledgement;
        b.nak.next = nak;
        b.fatal.next = fatal;
        b.gap.next = gap;
        b.data.next = data;
        b.old.next = old;
        b.at_read.next = at_read;
        b.gap_known.next = gap_known;
        b.limit.next = U(limit);
        b.passed.next = U(passed);
        b.una.next = U(una);
        b.advanced.next = passed > 0;
        b.apart.next = una != limit;
        b.mtu.next = U(mtu);
        step(b, |_| ());
        // an answer that is about later data than what the oldest message, a READ, still lacks
        let shows = gap || (acknowledgement && !nak);
        let lost = shows && !old && una != limit && at_read && !gap_known;
        let expected = (
            fatal && (!nak || !old),
            lost,
            acknowledgement || passed > 0 || lost,
            nak || lost,
            if acknowledgement && old { limit } else { una },
            if data { 0 } else { passed * (256 << mtu) },
        );
        let seen = (
            b.ends.val(),
            b.lost.val(),
            b.tell.val(),
            b.rewind.val(),
            b.psn.val().0,
            b.bytes.val().0,
        );
        assert_eq!(seen, expected, "case {case}");
    }
}

/// Each of the seven inputs of the state machine, alone and with any of the others.
#[test]
fn something_is_chosen_whatever_waits() {
    let mut block: Box<Choice> = Box::default();
    init(block.as_mut()).expect("complete block");
    block.free.next = true;
    block.room.next = true;
    for waiting in 0..128u32 {
        let waits = |input: u32| waiting >> input & 1 == 1;
        block.rows.valid.next = waits(0);
        block.answers.valid.next = waits(1);
        block.limits.valid.next = waits(2);
        block.errors.valid.next = waits(3);
        block.removals.valid.next = waits(4);
        block.work_waits.next = waits(5);
        block.tells.valid.next = waits(6);
        for _ in 0..3 {
            step(block.as_mut(), |_| ());
        }
        let any = step(block.as_mut(), |block| (block.any.val(), block.calls.val()));
        assert_eq!(any, (waiting > 0, waiting > 0), "{waiting:07b}");
    }
}

/// No such queue pair, no such operation, more than 2^31 bytes: each alone and with the others.
#[test]
fn a_work_request_is_invalid_however_much_is_wrong_with_it() {
    let mut block: Box<Intake<150, 10>> = Box::default();
    init(block.as_mut()).expect("complete block");
    for wrong in 0..8 {
        let faults = [0, 1, 2].map(|fault| wrong >> fault & 1 == 1);
        let front = &mut block.front.next;
        front.qpn = U(if faults[0] { 150 } else { 149 });
        front.operation = U(if faults[1] { 2 } else { 1 });
        front.length = U(0x8000_0000 + u64::from(faults[2]));
        let invalid = step(block.as_mut(), |block| block.invalid.val());
        assert_eq!(invalid, wrong > 0, "{faults:?}");
    }
}
