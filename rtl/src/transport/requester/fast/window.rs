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
    #[registers(Bit: room, shown, offered, gone, again, freed_ring, restart_due, passed, moved, came)]
    #[registers(U<5>: head, next, tail)]
    #[registers(U<16>: flying, done, deferred)]
    #[signals(Bit: writes, passes, skips, restarts, waits_for_restart)]
    #[signals(U<5>: new_tail, behind)]
    #[signals(U<4>: at, oldest, new_at, tail_place)]
    #[signals(U<16>: here, ended, freed, flown, landed, queued, refused, handled)]
    /// Queue pairs by place.
    owners: [DFF<U<8>>; 16],
    /// The ring of the place's queue pair is full, as one that came back since the window began with its oldest says; false where none has been.
    full: [DFF<Bit>; 16],
    /// `end_qp` is that of the place.
    meets: [Signal<Local, Bit>; 16],
    /// So far, by place: a full one of `end_qp`; one of what comes; the one addressed.
    freed_by: [Signal<Local, Bit>; 17],
    found_full: [Signal<Local, Bit>; 17],
    addressed_full: [Signal<Local, Bit>; 17],
    #[registers(U<8>: came_qp, front_qp)]
    arriving_qp: Signal<Local, U<8>>,
    #[signals(Bit: comes_back, comes_full)]
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
        new_tail = tail;
        if writes {
            new_tail = tail + 1;
        }
        tail = new_tail;
        room = (new_tail - head) != 16;
        inputs!([fronts, words]: we = writes);
        tail_place = bit_cast_u::<4, 5>(tail);
        fronts.waddr = tail_place;
        fronts.wdata = work.data;
        words.waddr = tail_place;
        words.wdata = work.data;
        words.raddr = read_place;
        read = words.rdata;

        // out: the work request at `next` shows one clock after it is addressed
        at = bit_cast_u::<4, 5>(next);
        oldest = bit_cast_u::<4, 5>(head);
        fronts.raddr = at;
        assign!(front = fronts.rdata, place = at);
        addressed_qp = front_qp;
        if moved {
            addressed_qp = numbers.rdata;
        }
        if came {
            addressed_qp = came_qp;
        }
        front_qp = addressed_qp;
        next_qp = addressed_qp;
        skips = shown & passed;
        waits = shown & !skips;
        // what the state machine has taken is gone a clock later
        machine.valid = offered & !gone;
        gone = offered & machine.ready;
        machine.data = fronts.rdata;
        here = bits_u::<16>(1) << at;
        ended = bits_u::<16>(1) << end_place;
        clear!(passes, restarts);
        // it begins again when it has been through, or as soon as that may help; a clock behind, because what begins again is much
        waits_for_restart = again & (freed_ring | deferred.any());
        if !shown & !offered {
            if restart_due {
                restarts = true;
            } else if waits_for_restart | (next == tail) {
                passes = false;
            } else if done.get_bit(at.index()) {
                passes = true;
            } else if !flying.get_bit(at.index()) {
                shown = !deferred.get_bit(at.index());
                offered = deferred.get_bit(at.index());
            }
        }
        restart_due = again & !restarts & ((next == tail) | freed_ring | deferred.any());
        if take | skips {
            shown = false;
            passes = true;
        }
        if gone {
            offered = false;
            passes = true;
        }
        if passes {
            next = next + 1;
        }
        if skips {
            again = true;
        }
        if restarts {
            next = head;
            again = false;
        }
        // whose it is that is addressed next: the same one, the one behind it, or the oldest
        behind = next + 1;
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
        came = writes & (tail_place == at);
        if passes | restarts {
            came = writes & (tail_place == new_at);
        }
        if returns | defers {
            again = true;
        }
        // whose ring is full
        comes_back = returns | defers;
        freed_by[0] = false;
        found_full[0] = false;
        addressed_full[0] = false;
        for i in 0..16 {
            meets[i] = owners[i] == end_qp;
            freed_by[i + 1] = freed_by[i] | (full[i] & meets[i]);
            found_full[i + 1] = found_full[i] | (full[i] & (owners[i] == arriving_qp));
            addressed_full[i + 1] = addressed_full[i] | (here.get_bit(i) & (full[i] | (comes_back & meets[i])));
        }
        passed = addressed_full[16];
        comes_full = found_full[16] | (comes_back & (end_qp == arriving_qp));
        for i in 0..16 {
            if comes_back & meets[i] {
                full[i] = true;
            }
            if writes & (tail_place == i.val()) {
                owners[i] = arriving_qp;
                full[i] = comes_full;
            }
            if restarts | reset {
                full[i] = false;
            }
        }
        if frees & freed_by[16] {
            freed_ring = true;
        }
        if restarts {
            freed_ring = false;
        }

        // what has become of each; places before `next` alone are given free
        clear!(freed, flown, landed, queued, refused, handled);
        if (head != next) & !restarts & done.get_bit(oldest.index()) {
            head = head + 1;
            freed = bits_u::<16>(1) << oldest;
        }
        if take {
            flown = here;
        }
        if ends | returns | defers {
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
            shown,
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
            deferred
        );
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "../tests/window.rs"]
mod tests;
