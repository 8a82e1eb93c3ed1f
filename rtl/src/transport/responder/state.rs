//! What the responder knows of each queue pair, and what other blocks tell it about them.
//!
//! Three tables, each with one writer beside the creation of a queue pair: the responder's own state, what has left the response
//! queue, and write errors. A creation clears all three, so nothing of an earlier generation is ever seen. What other blocks tell
//! is held against the generation two clocks later; a creation of the queue pair meanwhile makes it void.
//!
//! Decisions are written in any clock, so a creation waits for a clock in which there is none: the responder lets no row enter
//! beside a creation, and five clocks later, when that row's decision would be written, the creation is. Nor does a row enter
//! in the clock before, in which the other tables are cleared: it would see half of the creation.
//!
//! | clock | a creation | a row |
//! |---|---|---|
//! | 0 | on the context bus, no row enters | state and what has left are read |
//! | 1 | | known |
//! | 4 | the other tables are cleared, in this clock or the next; no row enters | |
//! | 5 | the state is written, rows inside are told | the state is written |

use crate::host::generations::GenerationCheck;
use crate::prim::delay::Delay;
use crate::prim::ram::{Ram, RamReg};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::responder::{ResponderCreation, ResponderState, ResponseNotice, ResponsesLeft};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Tables of 256 queue pairs.
#[block]
pub struct ResponderTables {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A queue pair is created or removed; at most every third clock.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// The response queue has something to tell; not in every clock.
    pub left_valid: Signal<In, Bit>,
    /// Of this queue pair.
    pub left_qp: Signal<In, U<8>>,
    /// And generation.
    pub left_generation: Signal<In, U<8>>,
    /// What the response queue tells, a `ResponseNotice`.
    pub left_what: Signal<In, U<3>>,
    /// A write of this queue pair failed; not in every clock.
    pub fail_valid: Signal<In, Bit>,
    /// Queue pair.
    pub fail_qp: Signal<In, U<8>>,
    /// Generation.
    pub fail_generation: Signal<In, U<8>>,
    /// Queue pair to read.
    pub qp: Signal<In, U<8>>,
    /// State of the queue pair, one clock later.
    pub word: Signal<Out, ResponderState>,
    /// What has left the response queue, one clock later; a failed write has ended the half, too.
    pub left: Signal<Out, ResponsesLeft>,
    /// A row that entered now would see half of a creation.
    pub closed: Signal<Out, Bit>,
    /// The creation of five clocks ago is written: what rows inside have read of its queue pair is not its state any more.
    pub creates: Signal<Out, Bit>,
    /// Queue pair of the creation that is written.
    pub created_qp: Signal<Out, U<8>>,
    /// Write the state; not five clocks after a creation.
    pub we: Signal<In, Bit>,
    /// Of this queue pair.
    pub wqp: Signal<In, U<8>>,
    /// New state.
    pub wdata: Signal<In, ResponderState>,
    #[registers(Bit: clears, create_state, create_left, create_fails)]
    #[registers(ResponseNotice: what_1, what_2)]
    state: Ram<ResponderState, 8>,
    left_table: Ram<ResponsesLeft, 8>,
    /// The same once more, for the next notice.
    left_own: RamReg<ResponsesLeft, 8>,
    left_check: GenerationCheck,
    failed: Ram<U<1>, 8>,
    fail_check: GenerationCheck,
    arriving: Signal<Local, ResponderCreation>,
    arrives: Delay<Bit, 3>,
    arrival: Delay<ResponderCreation, 3>,
    created: DFF<ResponderCreation>,
    first: Signal<Local, ResponderState>,
    left_new: Signal<Local, ResponsesLeft>,
}

#[kernel]
impl Logic for ResponderTables {
    fn update(&mut self) {
        // creations wait for the clock that is kept for them
        fields!(arriving: qp = context_qp);
        fields!(arriving from context_data: expected_psn, generation, alive);
        arriving.newest_write = context_data.expected_psn - 1;
        arrives = context_valid;
        arrival = arriving;
        assign!(clears.d = arrives, create_state.d = clears, closed = clears);
        first = bits_zero::<ResponderState>(0);
        fields!(first from created: expected_psn, newest_write, generation, alive);

        // own state
        state.raddr = qp;
        word = state.rdata;
        state.we = we | create_state;
        inputs!(state: waddr = wqp, wdata);
        if create_state {
            state.waddr = created.qp;
            state.wdata = first;
        }
        assign!(creates = create_state, created_qp = created.qp);

        // what left
        left_check.valid = left_valid;
        left_check.note.next.qp = left_qp;
        left_check.note.next.generation = left_generation;
        inputs!(left_check: we = create_left, waddr = created.qp, wdata = created.generation);
        what_1 = bit_cast_word::<ResponseNotice, U<3>>(left_what);
        what_2 = what_1;
        left_own.raddr = left_qp;
        left_new.reads = left_own.rdata.val().reads + bit_cast_u::<8, 1>(bit_cast_b(what_2.read_left));
        left_new.naks_taken_back =
            left_own.rdata.val().naks_taken_back + bit_cast_u::<2, 1>(bit_cast_b(what_2.nak_taken_back));
        left_new.ended = left_own.rdata.val().ended | what_2.ended;
        inputs!(left_table: we = create_left, waddr = created.qp);
        left_table.wdata = bits_zero::<ResponsesLeft>(0);
        if left_check.due {
            inputs!(left_table: we = left_check.holds, waddr = left_check.about, wdata = left_new);
        } else {
            create_left = false;
        }
        inputs!(left_own from left_table: we, waddr, wdata);
        left_table.raddr = qp;

        // write errors
        fail_check.valid = fail_valid;
        fail_check.note.next.qp = fail_qp;
        fail_check.note.next.generation = fail_generation;
        inputs!(fail_check: we = create_fails, waddr = created.qp, wdata = created.generation);
        inputs!(failed: we = create_fails, waddr = created.qp);
        failed.wdata = bits_u::<1>(0);
        if fail_check.due {
            inputs!(failed from fail_check: we = holds, waddr = about);
            failed.wdata = bits_u::<1>(1);
        } else {
            create_fails = false;
        }
        failed.raddr = qp;
        left = left_table.rdata;
        left.ended = left_table.rdata.val().ended | failed.rdata.any();

        if arrives {
            created = arrival;
            create_left = true;
            create_fails = true;
        }
    }
}
