//! Answers wait here for the requester; those about READ data that wait become one for each queue pair.
//!
//! What is joined: data of the same READ, in order, that memory has taken. The last response of a READ is the last of its answer too.
//! With INT the newest packet's is what is echoed: it says what the one before it said, later. So however many queue pairs' READ data
//! interleave, a queue pair has one answer about it here, and the state machine can be as slow as it is.
//!
//! Answers lie in a ring in the order of arrival. By queue pair a table says where its newest lies and what joins it, and another one where that
//! lay that left last: answers of a queue pair leave in order, so that its newest has left if these two places are one. (If a place comes again
//! a round later, an answer that has not left may count as one that has, and the next one stands by itself.)
//!
//! | clock | an answer |
//! |---|---|
//! | 0 | comes; READ data: its queue pair's newest answer is looked up |
//! | 1 | is put in; but READ data waits while something is in the ring |
//! | 2 | (READ data) where the newest lies shows, and whether this one follows it |
//! | 3 | (READ data) joins it, or is put in |
//!
//! One that comes behind another is looked up while that waits, so that its clock 2 is the one behind that one's last.
//!
//! Four clocks from `up` to `down` through an empty ring, whose word goes straight into the output register of its block RAMs: nothing is chosen behind them.

use crate::prim::async_ram::AsyncRam;
use crate::prim::ram::{LoopRam, RamReg};
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::table_ram::DirectRam;
use crate::prim::uint::{bit_cast_b, bits_u, U};
use crate::words::requester::{AnswerName, AnswerTag};
use crate::words::transport::{AnswerKind, Commit};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One answer a clock in, READ data every second while others wait; the answer that is offered does not change. 255 can wait. In the 256 clocks after a
/// reset the tables are cleared, and nothing is taken.
#[block]
pub struct Gather {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: drops what waits.
    pub reset: Signal<In, Bit>,
    /// Answers.
    pub up: StreamIn<Commit>,
    /// Answers, those about READ data for all data up to their PSN.
    pub down: StreamOut<Commit>,
    #[registers(Bit:
        /// An answer has come and waits to be put into the ring or joined to one there.
        held_full,
        /// That answer is about READ data.
        held_data,
        /// That answer is about READ data, and further data may join it.
        held_goes_on,
        /// A second answer has come behind it.
        next_full,
        /// The second answer is about READ data.
        next_data,
        /// The second answer is about READ data, and further data may join it.
        next_goes_on,
        /// The answer in hand lies at place 1 of `come`.
        from_odd,
        /// The next answer goes to place 1 of `come`.
        into_odd)]
    #[registers(Bit:
        /// Tables show the newest answer of the queue pair of the answer in hand.
        located,
        /// That answer has been compared with the one in hand.
        shown,
        /// The newest answer of the queue pair is about READ data of the same generation, and may be joined.
        fits,
        /// The PSN of the answer in hand follows the newest answer's.
        follows,
        /// An answer is offered in `offered`.
        full,
        /// The inverse of `full`, a register of its own that enables the wide register.
        vacant,
        /// The ring holds an answer.
        some,
        /// The ring shows its oldest answer.
        shows,
        /// The ring is full.
        crowded,
        /// After a reset: tables are cleared, one queue pair after the other.
        clearing,
        /// The ring's oldest answer went into `offered` a clock ago.
        moved)]
    // of where the newest answer of its queue pair lies, as it was a clock ago: that had left when it was looked up; it has left since; it was the oldest's; that
    // behind the oldest; the next one
    #[registers(Bit:
        /// The newest answer of the queue pair had left the ring when it was looked up.
        was_gone,
        /// That answer has left the ring since.
        gone_since,
        /// That answer was the oldest of the ring (`first`), the one behind it or the one behind that, a clock ago.
        first, second, third)]
    // `next_head` is one more than `head`, `head_2` two
    #[registers(U<8>:
        /// Place of the oldest answer in the ring.
        head,
        /// Place behind `head`.
        next_head,
        /// Place two behind `head`.
        head_2,
        /// Place at which the next answer is put into the ring.
        tail,
        /// Answers in the ring.
        count,
        /// Queue pair whose entries of the tables are cleared.
        clear_at,
        /// Place of the answer that left the ring a clock ago.
        left_place)]
    #[signals(Bit: looks, leaves, moves, next_some, unshown, oldest, next_oldest, chosen, puts, stays, waits, opens, takes, arriving_data, arriving_goes_on)]
    #[signals(U<8>: at, next_qp)]
    /// Two answers that have come, the places of which take turns: one is taken up while the other has not gone, so that a register alone says whether
    /// one may come, and enables these wide words.
    come: AsyncRam<Commit, 1>,
    /// Which ones they are: what is compared does not wait for a register that addresses the wide memory. Its places are the other way round, so that it has
    /// registers of its own.
    names: AsyncRam<AnswerName, 1>,
    #[registers(Bit:
        /// The inverses of `from_odd` and `into_odd`, which address the narrow memory of names.
        from_even, into_even)]
    /// The one that has come first.
    held: Signal<Local, AnswerName>,
    coming: Signal<Local, AnswerName>,
    /// Queue pair of the one that has come last.
    newest_qp: DFF<U<8>>,
    /// Where the newest answer of its queue pair lies, if it still waits.
    place: DFF<U<8>>,
    /// The answer for the requester. `vacant` is `full`, inverted, for these wide registers alone.
    offered: DFF<Commit>,
    /// The answers. What is written in a clock is not shown behind it: the oldest, if it was, waits for a clock, in which there is `some` that does not show.
    ring: DirectRam<Commit, 8>,
    /// The newest answer of each queue pair.
    newest: LoopRam<AnswerTag, 8>,
    found: Signal<Local, AnswerTag>,
    /// Where that answer of each queue pair lay that left last.
    left: RamReg<U<8>, 8>,
    // what was written there a clock ago
    /// An answer left the ring two clocks ago.
    was_moved: DFF<Bit>,
    /// Place of the answer that left the ring two clocks ago.
    was_left_place: DFF<U<8>>,
    arriving: Signal<Local, Commit>,
    tag: Signal<Local, AnswerTag>,
}

#[kernel]
impl Logic for Gather {
    fn update(&mut self) {
        arriving = up.data;

        // out: the ring shows its oldest answer, or the one behind it when that leaves
        leaves = !full | down.ready;
        moves = shows & leaves;
        come.raddr = bit_cast_b(from_odd);
        names.raddr = bit_cast_b(from_even);
        held = names.rdata;
        if leaves {
            full = shows;
            vacant = !shows;
        }
        if vacant | down.ready {
            offered = ring.rdata;
        }
        // the ring's word is late, so that this is written a clock later, out of the register in which that is offered
        assign!(moved.d = moves, left_place.d = head);
        assign!(was_moved.d = moved, was_left_place.d = left_place);
        inputs!(left: we = moved, waddr = offered.qp, wdata = left_place);
        ring.raddr = head;
        if moves {
            head = next_head;
            next_head = head_2;
            head_2 = head_2 + 1;
            ring.raddr = next_head;
        }

        // does the newest answer of the queue pair still wait, and does this one follow it? Whether one left in the clock of the comparison is counted in
        // the next
        found = newest.rdata;
        chosen = shown & fits & follows & !was_gone & !gone_since & !(moved & first);
        oldest = if moved { second } else { first };
        next_oldest = if moved { third } else { second };
        if shown {
            gone_since = gone_since | (moved & first);
            first = oldest;
            second = next_oldest;
            third = place == head_2;
        } else {
            fits = held_data & found.joinable & (found.generation == held.generation);
            follows = found.psn == held.psn;
            place = found.place;
            was_gone = left.rdata == found.place;
            gone_since = (was_moved & (was_left_place == found.place)) | (moved & (left_place == found.place));
            first = found.place == head;
            second = found.place == next_head;
            third = found.place == head_2;
        }
        // in an empty ring there is nobody to join
        looks = held_data & some & !shown;
        puts = held_full & !chosen & !crowded & !looks;
        // it neither joins what is still there nor is put in
        stays = if chosen { moves & oldest } else { crowded | looks };
        waits = held_full & stays;
        at = if chosen { place } else { tail };
        // the place behind the newest is free and shows to nobody, so what is there is of no account; nor is the oldest's when that leaves
        inputs!(ring: we = held_full, waddr = at, wdata = come.rdata);
        if moves {
            unshown = if chosen { next_oldest } else { count == 1 };
        } else {
            unshown = if chosen { oldest } else { count == 0 };
        }
        tag.place = at;
        tag.generation = held.generation;
        tag.psn = held.psn + 1;
        tag.joinable = held_goes_on & !clearing;
        inputs!(newest: waddr = held.qp, wdata = tag);
        newest.we = puts | chosen | clearing;
        if clearing {
            newest.waddr = clear_at;
            left.we = true;
            left.waddr = clear_at;
            left.wdata = bits_u::<8>(0);
            clear_at = clear_at + 1;
            clearing = !clear_at.all();
        }
        if puts {
            tail = tail + 1;
        }
        next_some = some;
        if puts & !moves {
            count = count + 1;
            next_some = true;
        }
        if moves & !puts {
            count = count - 1;
            next_some = count != 1;
        }
        some = next_some;
        shows = next_some & !unshown;
        crowded = (puts & !moves & (count == 254)) | (crowded & (puts == moves));

        // in
        opens = !next_full & !clearing;
        up.ready = opens;
        takes = up.valid & opens;
        come.we = !next_full;
        come.waddr = bit_cast_b(into_odd);
        come.wdata = up.data;
        fields!(coming from arriving: qp, generation, psn);
        names.we = !next_full;
        names.waddr = bit_cast_b(into_even);
        names.wdata = coming;
        if !next_full {
            newest_qp = arriving.qp;
        }
        if takes {
            into_odd = !into_odd;
            into_even = !into_even;
        }
        arriving_data = (arriving.answer == AnswerKind::ReadData) & !arriving.ends_or_failed;
        arriving_goes_on = arriving_data & !arriving.msn.any();
        if !next_full {
            next_data = arriving_data;
            next_goes_on = arriving_goes_on;
        }
        next_qp = if next_full { newest_qp } else { arriving.qp };
        inputs!([newest, left]: raddr = next_qp);
        if !waits {
            held_data = if next_full { next_data } else { arriving_data };
            held_goes_on = if next_full { next_goes_on } else { arriving_goes_on };
        }
        if held_full & !waits {
            from_odd = !from_odd;
            from_even = !from_even;
        }
        held_full = waits | next_full | takes;
        next_full = waits & (next_full | takes);
        // in the first clock of `located` the tables show it; from `shown` on it is known whether it joins
        located = waits | next_full;
        shown = waits & located;
        down.valid = full;
        down.data = offered;
        reset! {
            held_full, next_full, from_odd, into_odd, located, shown, full, some, crowded, head, tail, count, shows, clear_at, moved, was_moved
        }
        if reset {
            vacant = true;
            from_even = true;
            into_even = true;
            clearing = true;
            next_head = bits_u::<8>(1);
            head_2 = bits_u::<8>(2);
        }
    }
}

#[cfg(test)]
#[path = "tests/gather.rs"]
mod tests;
