//! Work requests that wait for the fast path, 16 at most, and what has become of each.
//!
//! They go into the pipe in their order, and each place is free when its work request has been queued. One that finds its queue pair's ring full
//! comes back: its queue pair is passed by until the window has been through, or the ring has a free place, and starts again with its oldest work request, so
//! that a full ring holds up no other queue pair of the window. What is more than the pipe can do is offered to the state machine in its turn.
//!
//! A work request in every second clock. Work requests of one queue pair never overtake each other: the pipe takes none of a queue pair that is
//! inside, and when one comes back the others of its queue pair are passed by.

use crate::emit::naming::named_inside;
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
    /// Its place.
    pub place: Signal<Out, U<4>>,
    /// Queue pair of the work request that may wait in the next clock.
    pub next_qp: Signal<Out, U<8>>,
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
    /// Its queue pair; or that of `frees`.
    pub end_qp: Signal<In, U<8>>,
    /// A message of `end_qp` is done and its place in the ring free.
    pub frees: Signal<In, Bit>,
    /// A place to read.
    pub read_place: Signal<In, U<4>>,
    /// What lies there, one clock later.
    pub read: Signal<Out, WorkRequest>,
    /// For the state machine.
    pub machine: StreamOut<WorkRequest>,
    #[registers(Bit: room, waits_r, skips, offered, gone, again, freed_ring, restart_due, moved, came, came_behind, took, filled, filled_behind)]
    #[registers(U<5>: head, next, tail)]
    #[registers(U<16>: flying, done, deferred)]
    #[signals(Bit: writes, passes, restarts, waits_for_restart, fresh, looks, shows, showing, passed, remains, came_here, filled_here)]
    #[signals(U<5>: held, now, behind)]
    #[signals(U<4>: at, oldest, new_at, tail_place)]
    #[signals(U<16>: taken_from, here, ended, freed, flown, landed, queued, refused, handled)]
    /// The place at `next` as one bit of sixteen, that of place 0 inverted.
    here_r: DFF<U<16>>,
    /// Queue pairs by place.
    owners: [DFF<U<8>>; 16],
    /// The ring of the place's queue pair is full, as one that came back since the window began with its oldest says; false where none has been.
    full: [DFF<Bit>; 16],
    /// A work request comes to the place.
    enters: [Signal<Local, Bit>; 16],
    /// `end_qp` is that of the place.
    meets: [Signal<Local, Bit>; 16],
    /// So far, by place: a full one of `end_qp`; one of what comes; the one addressed.
    freed_by: [Signal<Local, Bit>; 17],
    found_full: [Signal<Local, Bit>; 17],
    addressed_full: [Signal<Local, Bit>; 17],
    #[registers(U<8>: came_qp, front_qp)]
    arriving_qp: Signal<Local, U<8>>,
    #[signals(Bit: comes_full)]
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
        room = (held != 16) & !(writes & (held == 15));
        inputs!([fronts, words]: we = writes);
        tail_place = bit_cast_u::<4, 5>(tail);
        fronts.waddr = tail_place;
        fronts.wdata = work.data;
        words.waddr = tail_place;
        words.wdata = work.data;
        words.raddr = read_place;
        read = words.rdata;

        // out: the work request at `next` shows one clock after it is addressed
        // what was taken a clock ago is passed now, because what is taken is known late
        now = if took { next + 1 } else { next };
        behind = now + 1;
        at = bit_cast_u::<4, 5>(now);
        oldest = bit_cast_u::<4, 5>(head);
        fronts.raddr = at;
        assign!(front = fronts.rdata, place = at);
        addressed_qp = front_qp;
        if moved | took {
            addressed_qp = numbers.rdata;
        }
        came_here = if took { came_behind } else { came };
        if came_here {
            addressed_qp = came_qp;
        }
        front_qp = addressed_qp;
        next_qp = addressed_qp;
        waits = waits_r;
        // what the state machine has taken is gone a clock later
        machine.valid = offered & !gone;
        gone = offered & machine.ready;
        machine.data = fronts.rdata;
        taken_from = here_r ^ bits_u::<16>(1);
        here = if took { (taken_from << 1) | (taken_from >> 15) } else { taken_from };
        ended = bits_u::<16>(1) << end_place;
        // it begins again when it has been through, or as soon as that may help; a clock behind, because what begins again is much
        waits_for_restart = again & (freed_ring | deferred.any());
        fresh = !waits_r & !skips & !offered;
        filled_here = if took { filled_behind } else { filled };
        restarts = fresh & restart_due;
        looks = fresh & !restart_due & !waits_for_restart & filled_here;
        passes = looks & (done & here).any();
        shows = looks & !((done | flying | deferred) & here).any();
        if looks & (deferred & here).any() & !((done | flying) & here).any() {
            offered = true;
        }
        restart_due = again & !restarts & (!filled_here | freed_ring | deferred.any());
        if skips {
            passes = true;
        }
        if gone {
            offered = false;
            passes = true;
        }
        next = now;
        here_r = here ^ bits_u::<16>(1);
        if passes {
            next = behind;
            here_r = ((here << 1) | (here >> 15)) ^ bits_u::<16>(1);
        }
        if skips {
            again = true;
        }
        if restarts {
            next = head;
            here_r = (bits_u::<16>(1) << oldest) ^ bits_u::<16>(1);
            again = false;
        }
        // whether there is one at the next place
        remains = filled_here;
        if passes {
            remains = behind != tail;
        }
        if restarts {
            remains = head != tail;
        }
        filled = writes | remains;
        filled_behind = writes | (behind != tail);
        // whose it is that is addressed next: the same one, the one behind it, or the oldest
        new_at = bit_cast_u::<4, 5>(behind);
        if restarts {
            new_at = oldest;
        }
        numbers.raddr = new_at;
        arriving = work.data;
        inputs!(numbers: we = writes);
        numbers.waddr = tail_place;
        arriving_qp = bit_cast_u::<8, 24>(arriving.qpn);
        numbers.wdata = arriving_qp;
        came_qp = arriving_qp;
        moved = passes | restarts;
        came_behind = writes & (tail_place == bit_cast_u::<4, 5>(behind));
        came = writes & (tail_place == at);
        if passes {
            came = writes & (tail_place == bit_cast_u::<4, 5>(behind));
        }
        if restarts {
            came = writes & (tail_place == oldest);
        }
        if comes_back {
            again = true;
        }
        // whose ring is full
        freed_by[0] = false;
        found_full[0] = false;
        addressed_full[0] = false;
        for i in 0..16 {
            meets[i] = owners[i] == end_qp;
            freed_by[i + 1] = freed_by[i] | (full[i] & meets[i]);
            found_full[i + 1] = found_full[i] | (full[i] & (owners[i] == arriving_qp));
            addressed_full[i + 1] = addressed_full[i] | (here.get_bit(i) & full[i]);
        }
        // whether it is passed by is known together with whether it shows
        passed = addressed_full[16] | (comes_back & (addressed_qp == end_qp));
        showing = shows | (waits_r & !take);
        waits_r = showing & !passed;
        skips = showing & passed;
        comes_full = found_full[16] | (comes_back & (end_qp == arriving_qp));
        for i in 0..16 {
            enters[i] = writes & (tail_place == i.val());
            full[i] =
                ((((full[i] | (comes_back & meets[i])) & !enters[i]) | (enters[i] & comes_full)) & !restarts) & !reset;
            if enters[i] {
                owners[i] = arriving_qp;
            }
        }
        freed_ring = (freed_ring | (frees & freed_by[16])) & !restarts;

        // what has become of each; places before `next` alone are given free
        clear!(freed, flown, landed, queued, refused, handled);
        if (head != next) & !restarts & done.get_bit(oldest.index()) {
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
        reset!(
            room,
            waits_r,
            skips,
            offered,
            gone,
            again,
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
            filled
        );
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "../tests/window.rs"]
mod tests;
