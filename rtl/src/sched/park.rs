//! Grants of paused priorities stand aside, so that those of other priorities pass.
//!
//! The scheduler does not grant to a flow whose priority is paused, but what it granted before the pause came is on its way. Such
//! grants wait here, a queue for each priority, and leave in their order when the pause ends. A priority counts as held until its
//! queue is empty, so that nothing overtakes, and a queue never gets more than what was on its way when it was empty: 32 grants in an
//! engine's FIFO and two behind it, seven engines at most.
//!
//! | step | what |
//! |---|---|
//! | `Look` | a queue that may leave is looked for; what comes passes, or goes into its queue |
//! | `Address`, `Read`, `Await` | its head is found, and what lies there read |
//! | `Offer` | the head is offered when something has passed since the last one that waited, or nothing came that passes |
//! | `Check` | was it the last one? the head is the next one |
//!
//! A grant that passes costs one clock, one that waited six. One that waited takes the service tag of the last one that passed: its own is old by then.

use crate::prim::skid::{Skid, StreamIn, StreamOut};
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::sched::Grant;
use crate::words::visit::PriorityHalves;
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
    /// Priority of the grant, a bit each.
    pub up_priority: Signal<In, U<8>>,
    /// Grants of priorities that are not paused.
    pub down: StreamOut<Grant>,
    #[registers(U<8>:
        /// Priorities whose queues hold grants, a bit each.
        waits,
        /// Priorities that are paused or whose queues hold grants, a bit each: grants of these go into their queues.
        held_r,
        /// Priorities lower than the one that left last, a bit each: they come next in turn.
        below,
        /// Priorities whose queues hold grants and that are not paused, a bit each.
        may,
        /// As `may`, of the priorities that come next in turn.
        may_below)]
    // of the queue that is looked at: its head and the end of what it holds, a clock ago, and the place behind the head
    #[registers(U<8>:
        /// Head of the queue that is looked at, a clock ago.
        head_was,
        /// End of what that queue holds, a clock ago.
        tail_was,
        /// Place behind the head of that queue.
        next_head)]
    #[registers(U<3>:
        /// Priority whose queue is looked at.
        pick)]
    // the queue that is looked at, a bit of its own each
    #[registers(U<8>:
        /// Priority whose queue is looked at, a bit each.
        picked)]
    // the steps behind `looks`, a bit each
    #[registers(Bit:
        /// State machine: the head's address is on its way to the block RAM.
        addresses,
        /// State machine: the head is read.
        reads,
        /// State machine: the head appears in the next clock.
        awaits,
        /// State machine: the head is offered to the output.
        offers,
        /// State machine: the head has left; whether it was the last one is looked up.
        checks)]
    // its head is the last one; it got another one a clock ago
    #[registers(Bit:
        /// The head is the last grant of its queue.
        alone,
        /// The queue that is looked at got a grant a clock ago.
        grew)]
    #[signals(Bit: looks, upper, aside, passes, yields, parked_goes, grows, empties)]
    #[signals(U<8>: head_now, tail_now, tail_class, stored, waits_new, below_new)]
    // the half of eight priorities that the next queue is of, and the next one in it, a bit each
    #[signals(PriorityHalves: halves, halves_below, picked_half)]
    #[signals(U<4>: half, highest)]
    #[signals(U<3>: number)]
    /// Without the tag. What is read was written a clock before at least.
    rows: TableRam<U<58>, 11>,
    /// Place of the oldest grant of each priority's queue.
    head: [DFF<U<8>>; 8],
    /// Place behind the newest grant of each priority's queue.
    tail: [DFF<U<8>>; 8],
    out: Skid<Grant>,
    /// Parked grants have priority over grants that pass this turn.
    turn: DFF<Bit>,
    /// Service tag of the grant that passed last.
    tag: DFF<U<6>>,
    lane: Signal<Local, U<3>>,
    // what goes into a queue, a clock later
    /// A grant is written into its queue.
    stores: DFF<Bit>,
    /// Place of that grant: its priority, then its place in the queue.
    stored_at: DFF<U<11>>,
    /// The grant that is written into its queue, without the tag.
    stored_grant: DFF<U<58>>,
}

#[kernel]
impl Logic for Park {
    fn update(&mut self) {
        out.reset = reset;

        // what comes: into its queue, or through
        lane = up.data.val().pause_class;
        aside = (held_r & up_priority).any();
        // what comes gives way, unless it goes into its queue
        yields = offers & turn;
        parked_goes = out.up.ready & yields;
        passes = up.valid & !aside & out.up.ready & !yields;
        up.ready = aside | (out.up.ready & !yields);
        if passes {
            tag = up.data.val().tag;
        }
        // known a clock before, as what is offered is wide; where nothing passes there is nothing to wait for
        turn = passes | !up.valid | aside | (turn & !parked_goes);

        // the queues
        clear!(head_now, tail_now);
        tail_class = bits_u::<8>(0);
        for i in 0..8 {
            if picked.get_bit(i) {
                head_now = head_now | head[i];
                tail_now = tail_now | tail[i];
            }
            if up_priority.get_bit(i) {
                tail_class = tail_class | tail[i];
            }
        }
        stores = up.valid & aside;
        stored_at = (bit_cast_u::<11, 3>(lane) << 8) | bit_cast_u::<11, 8>(tail_class);
        stored_grant = bit_cast_number::<58, Grant>(up.data);
        inputs!(rows: we = stores, waddr = stored_at, wdata = stored_grant);
        // out of registers alone: the way to the block RAMs is a clock long
        rows.raddr = (bit_cast_u::<11, 3>(pick) << 8) | bit_cast_u::<11, 8>(head_was);
        // a queue becomes empty when nothing is behind the head that leaves, and nothing comes in that clock
        assign!(head_was.d = head_now, tail_was.d = tail_now);
        next_head = head_was + 1;
        // it is held, as something waits in it
        grows = up.valid & (up_priority & picked).any();
        grew = grows;
        alone = (next_head == tail_was) & !grew & !grows;
        empties = checks & alone;
        stored = if up.valid { up_priority & held_r } else { bits_u::<8>(0) };
        waits_new = waits | stored;
        if empties {
            waits_new = (waits & !picked) | stored;
        }
        waits = waits_new;
        held_r = waits_new | pause;
        held = held_r;
        for i in 0..8 {
            if stored.get_bit(i) {
                tail[i] = tail[i] + 1;
            }
            if checks & picked.get_bit(i) {
                head[i] = head[i] + 1;
            }
        }

        // who leaves: the next lower priority of those that may, or the highest
        below_new = if checks { picked - 1 } else { below };
        below = below_new;
        may = waits_new & !pause;
        may_below = waits_new & !pause & below_new;
        // half of them, then one of four
        halves = bit_cast_word::<PriorityHalves, U<8>>(may);
        halves_below = bit_cast_word::<PriorityHalves, U<8>>(may_below);
        half = halves.lower;
        upper = false;
        if halves.upper.any() {
            half = halves.upper;
            upper = true;
        }
        if halves_below.lower.any() {
            half = halves_below.lower;
            upper = false;
        }
        if halves_below.upper.any() {
            half = halves_below.upper;
            upper = true;
        }
        number = bits_u::<3>(0);
        highest = half & 1;
        if half.get_bit(1) {
            number = bits_u::<3>(1);
            highest = bits_u::<4>(2);
        }
        if half.get_bit(2) {
            number = bits_u::<3>(2);
            highest = bits_u::<4>(4);
        }
        if half.get_bit(3) {
            number = bits_u::<3>(3);
            highest = bits_u::<4>(8);
        }
        picked_half.lower = if upper { bits_u::<4>(0) } else { highest };
        picked_half.upper = if upper { highest } else { bits_u::<4>(0) };
        looks = !(addresses | reads | awaits | offers | checks);
        if looks {
            pick = if upper { number | 4 } else { number };
            picked = bit_cast_number::<8, PriorityHalves>(picked_half);
        }
        addresses = looks & may.any();
        assign!(reads.d = addresses, awaits.d = reads, checks.d = parked_goes);
        offers = awaits | (offers & !parked_goes);
        out.up.valid = yields | (up.valid & !aside);
        out.up.data = up.data;
        if yields {
            out.up.data = bit_cast_word::<Grant, U<64>>(bit_cast_u::<64, 58>(rows.rdata));
            out.up.data.next.tag = tag;
        }
        StreamOut::<Grant>::link(&mut down, &mut out.down);
        reset!(
            head, tail, addresses, reads, awaits, offers, checks, waits, held_r, pick, picked, turn, tag, below, may,
            may_below
        );
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
            let offered = coming.front().copied().unwrap_or(0);
            park.up.data.next = Grant::from_slice(&[offered]);
            park.up_priority.next = U(1 << (offered >> 55 & 7));
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

    /// One more grant of a priority comes in any clock around the one in which the last that waits leaves: none stays behind.
    #[test]
    fn a_grant_that_comes_as_its_queue_becomes_empty_leaves_too() {
        let (mut together, mut apart) = (0, 0);
        for (waiting, distance, ready_every) in
            (1..4).flat_map(|w| (0..40).flat_map(move |d| [1, 2, 3].map(|r| (w, d, r))))
        {
            let mut park: Box<Park> = Box::default();
            init(park.as_mut()).expect("complete block");
            let (mut out, mut held_at_last) = (vec![], true);
            // the pause ends after sixteen clocks
            for clock in 0..120u64 {
                let comes = (4..4 + waiting).contains(&clock) || clock == 12 + distance;
                park.pause.next = U(if clock < 16 { 1 << 3 } else { 0 });
                park.up.valid.next = comes;
                park.up.data.next = Grant::from_slice(&[clock | 3 << 55]);
                park.up_priority.next = U(1 << 3);
                park.down.ready.next = clock % ready_every == 0;
                let (leaves, held) = step(park.as_mut(), |p| {
                    assert!(
                        !comes || p.up.ready.val() || p.held.val().0 == 0,
                        "{waiting} wait, one {distance} clocks on"
                    );
                    (
                        (p.down.valid.val() & p.down.ready.val()).then(|| p.down.data.val().limbs()[0] & 0xfff),
                        p.held.val().0 != 0,
                    )
                });
                out.extend(leaves);
                if clock == 12 + distance {
                    *(if held { &mut together } else { &mut apart }) += 1;
                }
                held_at_last = held;
            }
            let expected: Vec<u64> = (4..4 + waiting).chain([12 + distance]).collect();
            assert_eq!(
                out, expected,
                "{waiting} wait, one {distance} clocks on, a place every {ready_every} clocks"
            );
            assert!(!held_at_last, "{waiting} wait, one {distance} clocks on: held for ever");
        }
        assert!(together > 100 && apart > 50, "{together} behind others, {apart} alone");
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
            park.up_priority.next = U(1 << priority);
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
        for _ in 0..6 * on_the_way + 20 {
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
