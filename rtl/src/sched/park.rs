//! Grants of paused priorities stand aside, so that those of other priorities pass.
//!
//! The scheduler does not grant to a flow whose priority is paused, but what it granted before the pause came is on its way. Such
//! grants wait here, a queue for each priority, and leave in their order when the pause ends. A priority counts as held until its
//! queue is empty, so that nothing overtakes, and a queue never gets more than what was on its way when it was empty: 32 grants in an
//! engine's FIFO and two behind it, seven engines at most.
//!
//! | step | what |
//! |---|---|
//! | 0 | a queue that may leave is looked for; what comes passes, or goes into its queue |
//! | 1, 2 | its head is read |
//! | 3 | the head is offered, in turns with what passes |
//! | 4 | was it the last one? |
//!
//! A grant that passes costs one clock. One that waited takes the service tag of the last one that passed: its own is old by then.

use crate::prim::ram::RamReg;
use crate::prim::skid::{Skid, StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::sched::Grant;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Grants that a queue has room for.
pub const PARKED: usize = 256;
/// Grants that one engine may have on their way: its FIFO and the merge stage behind it.
pub const ON_THE_WAY: usize = 32 + 2;

/// Parking place of eight priorities.
#[block]
pub struct Park {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: nothing is parked.
    pub reset: Signal<In, Bit>,
    /// Paused priorities.
    pub pause: Signal<In, U<8>>,
    /// Priorities that are paused or wait here, one clock later: no grants and no timeouts for them.
    pub held: Signal<Out, U<8>>,
    /// Grants.
    pub up: StreamIn<Grant>,
    /// Grants of priorities that are not paused.
    pub down: StreamOut<Grant>,
    /// Without the tag.
    rows: RamReg<U<58>, 11>,
    head: [DFF<U<8>>; 8],
    tail: [DFF<U<8>>; 8],
    waits: DFF<U<8>>,
    pause_r: DFF<U<8>>,
    held_r: DFF<U<8>>,
    step: DFF<U<3>>,
    pick: DFF<U<3>>,
    turn: DFF<Bit>,
    tag: DFF<U<6>>,
    lane: Signal<Local, U<3>>,
    aside: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    parked_goes: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    empties: Signal<Local, Bit>,
    head_now: Signal<Local, U<8>>,
    tail_now: Signal<Local, U<8>>,
    tail_class: Signal<Local, U<8>>,
    below: DFF<U<8>>,
    may: Signal<Local, U<8>>,
    candidates: Signal<Local, U<8>>,
    stored: Signal<Local, U<8>>,
    emptied: Signal<Local, U<8>>,
    waits_new: Signal<Local, U<8>>,
    out: Skid<Grant>,
}

#[kernel]
impl Logic for Park {
    fn update(&mut self) {
        self.out.reset.next = self.reset.val();
        self.pause_r.d.next = self.pause.val();

        // what comes: into its queue, or through
        self.lane.next = self.up.data.val().pause_class;
        self.aside.next = self.held_r.q.val().get_bit(self.lane.val().index());
        self.parked_goes.next = (self.step.q.val() == 3)
            & self.out.up.ready.val()
            & (!self.up.valid.val() | self.aside.val() | self.turn.q.val());
        self.passes.next = self.up.valid.val() & !self.aside.val() & self.out.up.ready.val() & !self.parked_goes.val();
        self.stores.next = self.up.valid.val() & self.aside.val() & !self.reset.val();
        self.up.ready.next = self.aside.val() | (self.out.up.ready.val() & !self.parked_goes.val());
        if self.passes.val() {
            self.turn.d.next = true;
            self.tag.d.next = self.up.data.val().tag;
        }
        if self.parked_goes.val() {
            self.turn.d.next = false;
        }

        // the queues
        self.head_now.next = self.head[0].q.val();
        self.tail_now.next = self.tail[0].q.val();
        self.tail_class.next = self.tail[0].q.val();
        for i in 1..8 {
            if self.pick.q.val() == i.val() {
                self.head_now.next = self.head[i].q.val();
                self.tail_now.next = self.tail[i].q.val();
            }
            if self.lane.val() == i.val() {
                self.tail_class.next = self.tail[i].q.val();
            }
        }
        self.rows.we.next = self.stores.val();
        self.rows.waddr.next = (bit_cast_u::<11, 3>(self.lane.val()) << 8) | bit_cast_u::<11, 8>(self.tail_class.val());
        self.rows.wdata.next = bit_cast_number::<58, Grant>(self.up.data.val());
        self.rows.raddr.next = (bit_cast_u::<11, 3>(self.pick.q.val()) << 8) | bit_cast_u::<11, 8>(self.head_now.val());
        self.empties.next = (self.step.q.val() == 4) & (self.head_now.val() == self.tail_now.val());
        self.stored.next = bits_u::<8>(0);
        if self.stores.val() {
            self.stored.next = bits_u::<8>(1) << self.lane.val();
        }
        self.emptied.next = bits_u::<8>(0);
        if self.empties.val() {
            self.emptied.next = bits_u::<8>(1) << self.pick.q.val();
        }
        self.waits_new.next = (self.waits.q.val() & !self.emptied.val()) | self.stored.val();
        self.waits.d.next = self.waits_new.val();
        self.held_r.d.next = self.waits_new.val() | self.pause.val();
        self.held.next = self.held_r.q.val();
        for i in 0..8 {
            if self.stored.val().get_bit(i) {
                self.tail[i].d.next = self.tail[i].q.val() + 1;
            }
            if self.parked_goes.val() & (self.pick.q.val() == i.val()) {
                self.head[i].d.next = self.head[i].q.val() + 1;
            }
        }

        // who leaves: the next lower priority of those that may, or the highest
        self.may.next = self.waits.q.val() & !self.pause_r.q.val();
        self.candidates.next = self.may.val();
        if (self.may.val() & self.below.q.val()).any() {
            self.candidates.next = self.may.val() & self.below.q.val();
        }
        if self.step.q.val() == 0 {
            if self.candidates.val().any() {
                self.step.d.next = bits_u::<3>(1);
            }
            if self.candidates.val().get_bit(0) {
                self.pick.d.next = bits_u::<3>(0);
            }
            if self.candidates.val().get_bit(1) {
                self.pick.d.next = bits_u::<3>(1);
            }
            if self.candidates.val().get_bit(2) {
                self.pick.d.next = bits_u::<3>(2);
            }
            if self.candidates.val().get_bit(3) {
                self.pick.d.next = bits_u::<3>(3);
            }
            if self.candidates.val().get_bit(4) {
                self.pick.d.next = bits_u::<3>(4);
            }
            if self.candidates.val().get_bit(5) {
                self.pick.d.next = bits_u::<3>(5);
            }
            if self.candidates.val().get_bit(6) {
                self.pick.d.next = bits_u::<3>(6);
            }
            if self.candidates.val().get_bit(7) {
                self.pick.d.next = bits_u::<3>(7);
            }
        }
        if (self.step.q.val() == 1) | (self.step.q.val() == 2) | self.parked_goes.val() {
            self.step.d.next = self.step.q.val() + 1;
        }
        if self.step.q.val() == 4 {
            self.step.d.next = bits_u::<3>(0);
            self.below.d.next = (bits_u::<8>(1) << self.pick.q.val()) - 1;
        }
        self.out.up.valid.next = self.passes.val() | self.parked_goes.val();
        self.out.up.data.next = self.up.data.val();
        if self.parked_goes.val() {
            self.out.up.data.next = bit_cast_word::<Grant, U<64>>(bit_cast_u::<64, 58>(self.rows.rdata.val()));
            self.out.up.data.next.tag = self.tag.q.val();
        }
        StreamOut::<Grant>::link(&mut self.down, &mut self.out.down);
        if self.reset.val() {
            for i in 0..8 {
                self.head[i].d.next = bits_u::<8>(0);
                self.tail[i].d.next = bits_u::<8>(0);
            }
            clear!(waits, held_r, step, pick, turn, tag, below);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::word::Word;
    use crate::sim::{init, step, Stimulus};
    use std::collections::VecDeque;

    /// A source that heeds `held` some clocks late, as the engines do: nothing is lost or overtaken within a priority, and priorities
    /// that are not paused never wait for those that are.
    #[test]
    fn order_is_kept_and_nobody_waits_for_a_paused_priority() {
        let mut park: Box<Park> = Box::default();
        init(park.as_mut()).expect("complete block");
        let mut random = Stimulus::new(31);
        let mut inside = vec![VecDeque::new(); 8];
        let (mut pause, mut accept, mut number, mut passed) = (0u64, 1.0, 0u64, [0u32; 8]);
        let mut held = VecDeque::from(vec![0u64; 24]);
        // grants between the engines and here
        let mut coming: VecDeque<u64> = VecDeque::new();
        for clock in 0..300_000u64 {
            if clock % 128 == 0 && random.chance(0.2) {
                pause = if random.chance(0.3) { 0 } else { random.uniform(8) };
                accept = [1.0, 0.3, 0.1][random.below(3) as usize];
            }
            let heard = held.pop_front().unwrap_or(0);
            let priority = random.below(8);
            if coming.len() < 200 && heard >> priority & 1 == 0 && random.chance(0.7) {
                coming.push_back(number << 16 & ((1 << 42) - 1) | priority << 55 | (number & 63) << 58);
                number += 1;
            }
            park.pause.next = U(pause);
            park.up.valid.next = !coming.is_empty();
            park.up.data.next = Grant::from_slice(&[coming.front().copied().unwrap_or(0)]);
            park.down.ready.next = random.chance(accept);
            let (taken, out, now_held) = step(park.as_mut(), |p| {
                (
                    p.up.valid.val() & p.up.ready.val(),
                    (p.down.valid.val() & p.down.ready.val()).then(|| p.down.data.val().limbs()[0]),
                    p.held.val().0,
                )
            });
            held.push_back(now_held);
            if taken {
                let grant = coming.pop_front().expect("offered");
                inside[(grant >> 55 & 7) as usize].push_back(grant);
            }
            if let Some(grant) = out {
                let priority = (grant >> 55 & 7) as usize;
                let expected = inside[priority].pop_front().map(|e| e << 6 >> 6);
                assert_eq!(Some(grant << 6 >> 6), expected, "clock {clock}: priority {priority}");
                passed[priority] += 1;
            }
        }
        assert!(passed.iter().all(|n| *n > 2000), "{passed:?}");
        assert!(number > 40_000, "{number}");
    }

    /// 238 grants of a paused priority come, then others: they pass at once and one a clock.
    #[test]
    fn whatever_is_on_its_way_finds_a_place() {
        let mut park: Box<Park> = Box::default();
        init(park.as_mut()).expect("complete block");
        park.down.ready.next = true;
        park.pause.next = U(1 << 3);
        for _ in 0..4 {
            step(park.as_mut(), |_| ());
        }
        let on_the_way = 7 * ON_THE_WAY as u64;
        let mut out = vec![];
        for n in 0..on_the_way + 100 {
            let priority = if n < on_the_way { 3 } else { 5 };
            park.up.valid.next = true;
            park.up.data.next = Grant::from_slice(&[n | priority << 55]);
            step(park.as_mut(), |p| {
                assert!(p.up.ready.val(), "grant {n}");
                if p.down.valid.val() {
                    out.push(p.down.data.val().limbs()[0] & 0xfff);
                }
            });
        }
        park.up.valid.next = false;
        step(park.as_mut(), |p| out.push(p.down.data.val().limbs()[0] & 0xfff));
        assert_eq!(out, (on_the_way..on_the_way + 100).collect::<Vec<_>>());
        park.pause.next = U(0);
        out.clear();
        for _ in 0..5 * on_the_way + 20 {
            step(park.as_mut(), |p| {
                if p.down.valid.val() {
                    out.push(p.down.data.val().limbs()[0] & 0xfff);
                }
            });
        }
        assert_eq!(out, (0..on_the_way).collect::<Vec<_>>());
        step(park.as_mut(), |p| assert_eq!(p.held.val().0, 0));
    }
}
