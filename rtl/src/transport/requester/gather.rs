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
//! | 0 | comes |
//! | 1 | passes by an empty ring, or is put in; READ data: its queue pair's newest answer is looked up |
//! | 3 | (READ data) what that answer is shows |
//! | 4 | (READ data) joins it, or is put in |
//!
//! Two clocks from `up` to `down` past an empty ring, three or more through it.

use crate::emit::naming::named_inside;
use crate::prim::ram::{Ram, RamReg};
use crate::prim::skid::{StreamIn, StreamOut};
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
    #[registers(Bit: held_full, held_data, looked, settled, shown, fits, there, oldest, full, aside_full, both_full, some, crowded)]
    #[registers(U<8>: head, tail, count)]
    #[signals(Bit: leaves, aside_leaves, moves, passes, chosen, joins, puts, waits)]
    #[signals(U<8>: distance, at)]
    /// How far behind the oldest answer `place` is, from `shown` on; `oldest` if it is not.
    behind: DFF<U<8>>,
    /// The answer that has come.
    held: DFF<Commit>,
    /// Where the newest answer of its queue pair lies, if it still waits.
    place: DFF<U<8>>,
    /// The answer for the requester.
    offered: DFF<Commit>,
    /// The same, one older: what is on offer steps aside when it is not taken, so that registers alone say whether the ring goes on,
    /// and enable these wide words; in a `Skid` `ready` enables them.
    aside: DFF<Commit>,
    /// The answers.
    ring: Ram<Commit, 8>,
    /// What each must be joined by.
    tags: RamReg<AnswerTag, 8>,
    /// Places by queue pair.
    newest: Ram<U<8>, 8>,
    arriving: Signal<Local, Commit>,
    /// What an answer must be for `held` to join it.
    wanted: Signal<Local, AnswerTag>,
    tag: Signal<Local, AnswerTag>,
}

#[kernel]
impl Logic for Gather {
    fn update(&mut self) {
        arriving = up.data;

        // out: the ring shows its oldest answer, or the one behind it when that leaves
        leaves = !both_full;
        moves = some & leaves;
        passes = held_full & !some & leaves;
        aside_leaves = if aside_full { down.ready } else { !full | down.ready };
        if !aside_full {
            aside = offered;
        }
        aside_full = !aside_leaves;
        if leaves {
            full = moves | passes;
            offered = if some { ring.rdata } else { held };
        }
        both_full = if leaves { (moves | passes) & !aside_leaves } else { !aside_leaves };
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
        fits = held_data & (tags.rdata == wanted);
        chosen = shown & fits & there;
        joins = chosen & (both_full | !oldest);
        distance = place - head;
        if shown {
            there = there & (both_full | !oldest);
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
        waits = held_full & !passes & !joins & !puts;
        at = if chosen { place } else { tail };
        // the place behind the newest is free and shows to nobody, so what is there is of no account; nor is the oldest's when that leaves
        inputs!([ring, tags]: we = held_full, waddr = at);
        ring.wdata = held;
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
            crowded = count == 254;
        }
        if moves & !puts {
            count = count - 1;
            some = count != 1;
            crowded = false;
        }

        // in
        up.ready = !waits;
        newest.raddr = arriving.qp;
        if waits {
            newest.raddr = held.qp;
        } else {
            held_full = up.valid;
            held = up.data;
            held_data = (arriving.answer == AnswerKind::ReadData) & !arriving.ends_or_failed;
        }
        tags.raddr = newest.rdata;
        looked = waits;
        settled = waits & looked;
        shown = waits & settled;
        if !looked {
            place = newest.rdata;
        }
        down.valid = full | aside_full;
        down.data = if aside_full { aside } else { offered };
        reset!(held_full, looked, settled, shown, full, aside_full, both_full, some, crowded, head, tail, count);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "tests/gather.rs"]
mod tests;
