//! Answers wait here for the requester; those about READ data that wait become one for each queue pair.
//!
//! What is joined: data of the same READ, in order, that memory has taken. The last response of a READ is the last of its answer too.
//! With INT the newest packet's is what is echoed: it says what the one before it said, later. So however many queue pairs' READ data
//! interleave, a queue pair has one answer about it here, and the state machine can be as slow as it is.
//!
//! Answers lie in a ring in the order of arrival. By queue pair a table says where its newest lies, and beside each answer stands what
//! it must fit to: a table that is out of date names an answer that does not fit.
//!
//! | clock | an answer |
//! |---|---|
//! | 0 | comes; READ data: its queue pair's newest answer is looked up |
//! | 1 | passes by an empty ring, or is put in |
//! | 2 | (READ data) where the newest lies shows |
//! | 4 | (READ data) what it is shows |
//! | 5 | (READ data) joins it, or is put in |
//!
//! One that comes behind another is looked up while that waits, so that its clock 2 is the one behind that one's last.
//!
//! Two clocks from `up` to `down` past an empty ring, three or more through it.

use crate::emit::naming::named_inside;
use crate::prim::ram::{LoopRam, RamReg};
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::table_ram::DirectRam;
use crate::prim::uint::U;
use crate::words::requester::AnswerTag;
use crate::words::transport::{AnswerKind, Commit};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One answer a clock in, READ data every fourth while others wait; the answer that is offered does not change. 255 can wait.
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
    /// Sixteen or more wait.
    pub many: Signal<Out, Bit>,
    #[registers(Bit: held_full, held_data, next_full, next_data, from_odd, into_odd)]
    #[registers(Bit: located, looked, settled, shown, fits, there, oldest, full, vacant, some, unshown, crowded, many_r)]
    #[registers(U<8>: head, tail, count)]
    #[signals(Bit: leaves, gives, moves, passes, comes_out, chosen, puts, stays, waits, takes, arriving_data)]
    #[signals(U<8>: distance, at, next_qp, located_at)]
    /// How far behind the oldest answer `place` is, from `shown` on; `oldest` if it is not.
    behind: DFF<U<8>>,
    #[registers(Commit: even, odd)]
    /// The answer that has come, in `even` or `odd`, which take turns: one is taken up while the other has not gone, so that a register alone says
    /// whether one may come, and enables these wide words.
    held: Signal<Local, Commit>,
    /// Where the newest answer of its queue pair lies, if it still waits.
    place: DFF<U<8>>,
    /// The answer for the requester. `vacant` is `full`, inverted, for these wide registers alone.
    offered: DFF<Commit>,
    /// The answers. What is written in a clock is not shown behind it: the oldest, if it was, waits for a clock, `unshown`.
    ring: DirectRam<Commit, 8>,
    /// What each must be joined by.
    tags: RamReg<AnswerTag, 8>,
    /// Places by queue pair.
    newest: LoopRam<U<8>, 8>,
    arriving: Signal<Local, Commit>,
    /// What an answer must be for `held` to join it.
    wanted: Signal<Local, AnswerTag>,
    wanted_r: DFF<AnswerTag>,
    tag: Signal<Local, AnswerTag>,
}

#[kernel]
impl Logic for Gather {
    fn update(&mut self) {
        arriving = up.data;

        // out: the ring shows its oldest answer, or the one behind it when that leaves
        leaves = !full | down.ready;
        gives = leaves & !unshown;
        moves = some & gives;
        passes = held_full & !some & leaves;
        held = if from_odd { odd } else { even };
        comes_out = if some { !unshown } else { held_full };
        if leaves {
            full = comes_out;
            vacant = !comes_out;
        }
        if vacant | down.ready {
            offered = if some { ring.rdata } else { held };
        }
        ring.raddr = head;
        if moves {
            head = head + 1;
            ring.raddr = head + 1;
        }

        // does the newest answer of the queue pair still wait, and does this one follow it? One that leaves meanwhile is not there a clock later, and
        // where is written is known from registers
        fields!(wanted from held: qp, generation);
        wanted.psn = held.psn - 1;
        wanted.joinable = true;
        wanted_r = wanted;
        fits = held_data & (tags.rdata == wanted_r);
        chosen = shown & fits & there;
        distance = place - head;
        if shown {
            there = there & (!gives | !oldest);
            if moves {
                behind = behind - 1;
                oldest = behind == 1;
            }
        } else {
            there = (distance < count) & !(moves & !distance.any());
            behind = distance;
            oldest = !distance.any();
            if moves {
                behind = distance - 1;
                oldest = distance == 1;
            }
        }
        puts = held_full & !passes & !chosen & !crowded & (shown | !held_data);
        // it neither passes, nor joins what is still there, nor is put in
        stays = if chosen { gives & oldest } else { crowded | (held_data & !shown) };
        waits = held_full & (some | !leaves) & stays;
        at = if chosen { place } else { tail };
        // the place behind the newest is free and shows to nobody, so what is there is of no account; nor is the oldest's when that leaves
        inputs!([ring, tags]: we = held_full, waddr = at);
        ring.wdata = held;
        if moves {
            unshown = if chosen { behind == 1 } else { count == 1 };
        } else {
            unshown = if chosen { oldest } else { count == 0 };
        }
        tag.joinable = held_data & !held.msn.any();
        fields!(tag from held: qp, generation, psn);
        tags.wdata = tag;
        inputs!(newest: we = puts, waddr = held.qp, wdata = tail);
        if puts {
            tail = tail + 1;
        }
        if puts & !moves {
            count = count + 1;
            some = true;
        }
        if moves & !puts {
            count = count - 1;
            some = count != 1;
        }
        crowded = (puts & !moves & (count == 254)) | (crowded & (puts == moves));

        many_r = count >= 16;
        many = many_r;

        // in
        up.ready = !next_full;
        takes = up.valid & !next_full;
        if !next_full & !into_odd {
            even = up.data;
        }
        if !next_full & into_odd {
            odd = up.data;
        }
        if takes {
            into_odd = !into_odd;
        }
        arriving_data = (arriving.answer == AnswerKind::ReadData) & !arriving.ends_or_failed;
        if !next_full {
            next_data = arriving_data;
        }
        next_qp = arriving.qp;
        if next_full {
            next_qp = if from_odd { even.qp } else { odd.qp };
        }
        newest.raddr = next_qp;
        if !waits {
            held_data = if next_full { next_data } else { arriving_data };
        }
        if held_full & !waits {
            from_odd = !from_odd;
        }
        held_full = waits | next_full | takes;
        next_full = waits & (next_full | takes);
        // from `located` on the place is known
        located = waits | next_full;
        looked = waits & located;
        settled = waits & looked;
        shown = waits & settled;
        located_at = if looked { place } else { newest.rdata };
        place = located_at;
        tags.raddr = located_at;
        down.valid = full;
        down.data = offered;
        reset! {
            held_full, next_full, from_odd, into_odd, located, looked, settled, shown, full, some, crowded, head, tail, count, unshown
        }
        if reset {
            vacant = true;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "tests/gather.rs"]
mod tests;
