//! Work requests that wait for the fast path, 16 at most, and what has become of each.
//!
//! They go into the pipe in their order, and each place is free when its work request has been queued. One that finds its queue pair's ring full
//! comes back: its queue pair is passed by until the window has been through, or the ring has a free place, and starts again with its oldest work request, so
//! that a full ring holds up no other queue pair of the window. What is more than the pipe can do is offered to the state machine in its turn.
//!
//! A work request in every second clock. Work requests of one queue pair never overtake each other: the pipe takes none of a queue pair that is
//! inside, and when one comes back the others of its queue pair are passed by.

use crate::prim::lut_ram::LutRam;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, LoopIdx, U};
use crate::words::work::WorkRequest;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Sixteen places.
#[block]
pub struct Window {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: drops what waits.
    pub reset: Signal<In, Bit>,
    /// Work requests.
    pub work: StreamIn<WorkRequest>,
    /// One may go into the pipe.
    pub waits: Signal<Out, Bit>,
    /// It; while the state machine has its turn, what is offered to that.
    pub front: Signal<Out, WorkRequest>,
    /// Place of the item.
    pub place: Signal<Out, U<4>>,
    /// Queue pair of the work request that may wait in the next clock, unless `next_is_new`.
    pub next_qp: Signal<Out, U<8>>,
    /// It is another than in this clock,
    pub next_is_new: Signal<Out, Bit>,
    /// of this queue pair.
    pub new_qp: Signal<Out, U<8>>,
    /// It goes in this clock. Only with `waits`, and not while one returns or defers, which may be of its queue pair.
    pub take: Signal<In, Bit>,
    /// The work request of `end_place` comes out of the pipe: queued.
    pub ends: Signal<In, Bit>,
    /// Or its ring is full: it comes back.
    pub returns: Signal<In, Bit>,
    /// Or it is for the state machine.
    pub defers: Signal<In, Bit>,
    /// One of the two.
    pub comes_back: Signal<In, Bit>,
    /// Place of the one that comes out.
    pub end_place: Signal<In, U<4>>,
    /// Queue pair of the work request that ends.
    pub end_qp: Signal<In, U<8>>,
    /// A message is done and its place in the ring free,
    pub frees: Signal<In, Bit>,
    /// of this queue pair.
    pub freed_qp: Signal<In, U<8>>,
    /// A place to read.
    pub read_place: Signal<In, U<4>>,
    /// What lies there, one clock later.
    pub read: Signal<Out, WorkRequest>,
    /// For the state machine.
    pub machine: StreamOut<WorkRequest>,
    #[registers(Bit:
        /// A work request is taken from the input in this clock.
        room,
        /// The inverse of `room`, a register of its own that disables the wide memories.
        full_up,
        /// A work request came a clock ago; its place and queue pair are in `entered_place` and `entered_qp`.
        entered,
        /// The work request at `next` may go into the pipe.
        waits_r,
        /// The work request at `next` is passed by, because its queue pair's ring is full.
        skips,
        /// The place at `next` is passed by: its work request is done.
        through,
        /// The work request at `next` is offered to the state machine.
        offered,
        /// The state machine took the work request a clock ago.
        gone,
        /// A work request came back or was passed by: the window must begin again with its oldest.
        again,
        /// Since the window began, a ring that was full has got a free place.
        freed_ring,
        /// The window begins again in the next clock that finds nothing under way.
        restart_due,
        /// Another work request is addressed than a clock ago.
        anew,
        /// The work request at `next` went into the pipe a clock ago, so that the window is one further than `next` says.
        took,
        /// There is a work request at `next`.
        filled,
        /// There is a work request behind `next`.
        filled_behind,
        /// The oldest place was given free a clock ago.
        leaving,
        /// A work request of the window is for the state machine.
        any_deferred)]
    #[registers(U<5>:
        /// Oldest place that is not free.
        head,
        /// Place that is looked at.
        next,
        /// Place behind the newest work request.
        tail)]
    // the positions behind `next`
    #[registers(U<5>:
        /// Places one and two behind `next`.
        next_1, next_2)]
    #[registers(U<16>:
        /// By place: the work request is in the pipe.
        flying,
        /// By place: the work request is queued.
        done,
        /// By place: the work request is for the state machine.
        deferred)]
    #[signals(Bit: is_new, writes, no_room, passes, restarts, waits_for_restart, fresh, looks, shows, showing, passed, filled_here, follows, done_here, deferred_here, unseen_here, full_here)]
    #[signals(U<5>: held, now, behind, second)]
    #[signals(U<4>: at, oldest, new_at, tail_place)]
    #[signals(U<16>: taken_from, one_on, two_on, here, here_behind, seen, ended, freed, flown, landed, queued, refused, handled)]
    /// The place at `next` as one bit of sixteen, that of place 0 inverted.
    here_r: DFF<U<16>>,
    /// Queue pairs by place.
    owners: [DFF<U<8>>; 16],
    /// The ring of the place's queue pair is full, as one that came back since the window began with its oldest says; false where none has been.
    full: [DFF<Bit>; 16],
    /// The work request that came a clock ago is at the place. Until then nobody looks at it.
    enters: [Signal<Local, Bit>; 16],
    /// `end_qp` is that of the place.
    meets: [Signal<Local, Bit>; 16],
    /// A message of a ring was done, one (`frees_r`) and two (`frees_2`) clocks ago.
    frees_r: DFF<Bit>,
    /// Queue pair of that ring, one clock ago.
    freed_qp_r: DFF<U<8>>,
    /// `freed_qp` of two clocks ago is that of the place.
    freed_meets: [DFF<Bit>; 16],
    /// A message of a ring was done, one (`frees_r`) and two (`frees_2`) clocks ago.
    frees_2: DFF<Bit>,
    /// The work request that came a clock ago is of the place's queue pair.
    owned: [DFF<Bit>; 16],
    /// So far, by place: a full one of `freed_qp`; one of what comes; the place of `next` (`at_next`), and the one behind it.
    freed_by: [Signal<Local, Bit>; 17],
    found_full: [Signal<Local, Bit>; 17],
    at_next: [Signal<Local, Bit>; 16],
    next_full: [Signal<Local, Bit>; 17],
    behind_full: [Signal<Local, Bit>; 17],
    /// Queue pair of the work request that was addressed a clock ago.
    front_qp: DFF<U<8>>,
    /// Place of the work request that came a clock ago.
    entered_place: DFF<U<4>>,
    /// Queue pair of the work request that came a clock ago.
    entered_qp: DFF<U<8>>,
    arriving_qp: Signal<Local, U<8>>,
    #[signals(Bit: comes_full, addressed_meets)]
    /// Queue pair of the work request that is addressed, a clock before that shows: by then it is known whether it is passed by.
    addressed_qp: Signal<Local, U<8>>,
    arriving: Signal<Local, WorkRequest>,
    /// Queue pairs of the work requests.
    numbers: LutRam<U<8>, 4>,
    /// The work requests.
    fronts: LutRam<WorkRequest, 4>,
    /// A second copy, for a second reader.
    words: LutRam<WorkRequest, 4>,
}

#[kernel]
impl Logic for Window {
    fn update(&mut self) {
        // in
        work.ready = room;
        writes = work.valid & room;
        if writes {
            tail = tail + 1;
        }
        held = tail - head;
        // `full_up` is `room`, inverted, for the wide memories alone
        no_room = (held == 16) | (writes & (held == 15));
        room = !no_room;
        full_up = no_room;
        // nobody reads the next place before it is taken
        fronts.we = !full_up;
        words.we = !full_up;
        tail_place = bit_cast_u::<4, 5>(tail);
        fronts.waddr = tail_place;
        fronts.wdata = work.data;
        words.waddr = tail_place;
        words.wdata = work.data;
        words.raddr = read_place;
        read = words.rdata;

        // out: the work request at `next` shows one clock after it is addressed
        // what was taken a clock ago is passed now, because what is taken is known late. What follows is known for both cases before it is chosen
        now = if took { next_1 } else { next };
        behind = if took { next_2 } else { next_1 };
        second = if took { next_2 + 1 } else { next_2 };
        at = bit_cast_u::<4, 5>(now);
        oldest = bit_cast_u::<4, 5>(head);
        fronts.raddr = at;
        assign!(front = fronts.rdata, place = at);
        addressed_qp = front_qp;
        is_new = anew | took;
        if is_new {
            addressed_qp = numbers.rdata;
        }
        front_qp = addressed_qp;
        assign!(next_is_new = is_new, next_qp = front_qp, new_qp = numbers.rdata);
        waits = waits_r;
        // what the state machine has taken is gone a clock later
        machine.valid = offered & !gone;
        gone = offered & machine.ready;
        machine.data = fronts.rdata;
        taken_from = here_r ^ bits_u::<16>(1);
        one_on = (taken_from << 1) | (taken_from >> 15);
        two_on = (one_on << 1) | (one_on >> 15);
        here = if took { one_on } else { taken_from };
        here_behind = if took { two_on } else { one_on };
        seen = done | flying | deferred;
        // what is at `now`, if anything
        done_here = if took { filled_behind & (done & one_on).any() } else { filled & (done & taken_from).any() };
        deferred_here =
            if took { filled_behind & (deferred & one_on).any() } else { filled & (deferred & taken_from).any() };
        unseen_here = if took { filled_behind & !(seen & one_on).any() } else { filled & !(seen & taken_from).any() };
        ended = bits_u::<16>(1) << end_place;
        // it begins again when it has been through, or as soon as that may help; a clock behind, because what begins again is much
        waits_for_restart = again & (freed_ring | any_deferred);
        fresh = !waits_r & !skips & !through & !offered;
        filled_here = if took { filled_behind } else { filled };
        restarts = fresh & restart_due;
        looks = fresh & !restart_due & !waits_for_restart;
        // a clock later: whether one that was queued before stands there is late
        through = looks & done_here;
        passes = through | skips;
        shows = looks & unseen_here;
        if looks & deferred_here {
            offered = true;
        }
        restart_due = again & !restarts & (!filled_here | freed_ring | any_deferred);
        if gone {
            offered = false;
            passes = true;
        }
        assign!(next.d = now, next_1.d = behind, next_2.d = second);
        here_r = here ^ bits_u::<16>(1);
        if passes {
            assign!(next.d = behind, next_1.d = second);
            next_2 = if took { next_2 + 2 } else { next_2 + 1 };
            here_r = here_behind ^ bits_u::<16>(1);
        }
        if skips {
            again = true;
        }
        if restarts {
            next = head;
            next_1 = head + 1;
            next_2 = head + 2;
            here_r = (bits_u::<16>(1) << oldest) ^ bits_u::<16>(1);
            again = false;
        }
        // whether there is one at the next place: of one that comes now it is known a clock later
        follows = if took { next_2 != tail } else { next_1 != tail };
        filled_behind = follows;
        filled = if took { next_1 != tail } else { next != tail };
        if passes {
            filled = follows;
        }
        if restarts {
            filled = head != tail;
        }
        // whose it is that is addressed next: the same one, as long as there is none, the one behind it, or the oldest
        new_at = bit_cast_u::<4, 5>(behind);
        if !filled_here {
            new_at = at;
        }
        if restarts {
            new_at = oldest;
        }
        numbers.raddr = new_at;
        arriving = work.data;
        numbers.we = !full_up;
        numbers.waddr = tail_place;
        arriving_qp = bit_cast_u::<8, 24>(arriving.qpn);
        numbers.wdata = arriving_qp;
        anew = passes | restarts | !filled_here;
        if comes_back {
            again = true;
        }
        // whose ring is full
        freed_by[0] = false;
        found_full[0] = false;
        next_full[0] = false;
        behind_full[0] = false;
        for i in 0..16 {
            meets[i] = owners[i] == end_qp;
            freed_meets[i] = owners[i] == freed_qp_r;
            freed_by[i + 1] = freed_by[i] | (full[i] & freed_meets[i]);
            found_full[i + 1] = found_full[i] | (full[i] & owned[i]);
            at_next[i] = taken_from.get_bit(i);
            next_full[i + 1] = next_full[i] | (at_next[i] & full[i]);
        }
        for i in 0..15 {
            behind_full[i + 1] = behind_full[i] | (at_next[i] & full[i + 1]);
        }
        behind_full[16] = behind_full[15] | (at_next[15] & full[0]);
        // whether it is passed by is known together with whether it shows
        full_here = if took { behind_full[16] } else { next_full[16] };
        addressed_meets = if is_new { numbers.rdata == end_qp } else { front_qp == end_qp };
        passed = full_here | (comes_back & addressed_meets);
        showing = shows | (waits_r & !take);
        waits_r = showing & !passed;
        skips = showing & passed;
        assign!(
            entered.d = writes,
            entered_place.d = tail_place,
            entered_qp.d = arriving_qp
        );
        comes_full = found_full[16] | (comes_back & (end_qp == entered_qp));
        for i in 0..16 {
            enters[i] = entered & (entered_place == i.val());
            full[i] =
                ((((full[i] | (comes_back & meets[i])) & !enters[i]) | (enters[i] & comes_full)) & !restarts) & !reset;
            owned[i] = owners[i] == arriving_qp;
            if enters[i] {
                owners[i] = entered_qp;
                owned[i] = entered_qp == arriving_qp;
            }
        }
        // two clocks later, because it goes by a comparison with each place
        assign!(frees_r.d = frees, freed_qp_r.d = freed_qp, frees_2.d = frees_r);
        freed_ring = (freed_ring | (frees_2 & freed_by[16])) & !restarts;

        // what has become of each; places before `next` alone are given free, a clock after the oldest is seen to be done
        clear!(freed, flown, landed, queued, refused, handled);
        leaving = (head != next) & !restarts & !leaving & done.get_bit(oldest.index());
        if leaving & !restarts {
            head = head + 1;
            freed = bits_u::<16>(1) << oldest;
        }
        // what was taken a clock ago
        took = take;
        if took {
            flown = taken_from;
        }
        if ends | comes_back {
            landed = ended;
        }
        if ends {
            queued = ended;
        }
        if defers {
            refused = ended;
        }
        if gone {
            handled = here;
        }
        flying = (flying & !landed) | flown;
        done = (done & !freed) | queued | handled;
        deferred = (deferred & !handled) | refused;
        any_deferred = deferred.any();
        reset!(
            room,
            entered,
            waits_r,
            skips,
            through,
            offered,
            gone,
            again,
            frees_r,
            frees_2,
            freed_ring,
            restart_due,
            head,
            next,
            tail,
            flying,
            done,
            deferred,
            here_r,
            took,
            filled,
            leaving,
            any_deferred
        );
        if reset {
            next_1 = bits_u::<5>(1);
            next_2 = bits_u::<5>(2);
        }
    }
}

#[cfg(test)]
#[path = "../tests/window.rs"]
mod tests;
