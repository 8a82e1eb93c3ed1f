//! What the responder knows of each queue pair, and what other blocks tell it about them.
//!
//! Three tables, each with one writer beside the creation of a queue pair: the responder's own state, what has left the response
//! queue, and write errors. A creation clears all three, so nothing of an earlier generation is ever seen. What other blocks tell
//! is held against the generation two clocks later; a creation of the queue pair meanwhile makes it void.

use crate::host::generations::GenerationCheck;
use crate::nic::words::Context;
use crate::prim::ram::{Ram, RamReg};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::responder::{ResponderState, ResponseNotice, ResponsesLeft};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Tables of 256 queue pairs.
#[block]
pub struct ResponderTables {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A queue pair is created or removed; at most every third clock.
    pub context_valid: Signal<In, Bit>,
    /// Which.
    pub context_qp: Signal<In, U<8>>,
    /// Its context.
    pub context_data: Signal<In, Context>,
    /// The response queue has something to tell; not in every clock.
    pub left_valid: Signal<In, Bit>,
    /// Of this queue pair.
    pub left_qp: Signal<In, U<8>>,
    /// And generation.
    pub left_generation: Signal<In, U<8>>,
    /// What: a `ResponseNotice`.
    pub left_what: Signal<In, U<3>>,
    /// A write of this queue pair failed; not in every clock.
    pub fail_valid: Signal<In, Bit>,
    /// Queue pair.
    pub fail_qp: Signal<In, U<8>>,
    /// Generation.
    pub fail_generation: Signal<In, U<8>>,
    /// Queue pair to read.
    pub qp: Signal<In, U<8>>,
    /// Its state, one clock later.
    pub word: Signal<Out, ResponderState>,
    /// What has left the response queue, one clock later; a failed write has ended the half, too.
    pub left: Signal<Out, ResponsesLeft>,
    /// Write the state.
    pub we: Signal<In, Bit>,
    /// Of this queue pair.
    pub wqp: Signal<In, U<8>>,
    /// New state.
    pub wdata: Signal<In, ResponderState>,
    state: Ram<ResponderState, 8>,
    left_table: Ram<ResponsesLeft, 8>,
    /// The same once more, for the next notice.
    left_own: RamReg<ResponsesLeft, 8>,
    left_check: GenerationCheck,
    failed: Ram<U<1>, 8>,
    fail_check: GenerationCheck,
    qp_context: Signal<Local, QpContext>,
    created_qp: DFF<U<8>>,
    created: DFF<ResponderState>,
    create_state: DFF<Bit>,
    create_left: DFF<Bit>,
    create_fails: DFF<Bit>,
    what_1: DFF<ResponseNotice>,
    what_2: DFF<ResponseNotice>,
    left_new: Signal<Local, ResponsesLeft>,
}

#[kernel]
impl Logic for ResponderTables {
    fn update(&mut self) {
        // own state: the responder's write first, a creation in the next clock without one
        self.state.raddr.next = self.qp.val();
        self.word.next = self.state.rdata.val();
        self.state.we.next = self.we.val() | self.create_state.q.val();
        inputs!(state: waddr = created_qp, wdata = created);
        if self.we.val() {
            inputs!(state: waddr = wqp, wdata);
        } else {
            self.create_state.d.next = false;
        }

        // what left
        self.left_check.valid.next = self.left_valid.val();
        self.left_check.note.next.qp = self.left_qp.val();
        self.left_check.note.next.generation = self.left_generation.val();
        inputs!(left_check: we = create_left, waddr = created_qp, wdata = created.generation);
        self.what_1.d.next = bit_cast_word::<ResponseNotice, U<3>>(self.left_what.val());
        self.what_2.d.next = self.what_1.q.val();
        self.left_own.raddr.next = self.left_qp.val();
        self.left_new.next.reads =
            self.left_own.rdata.val().reads + bit_cast_u::<8, 1>(bit_cast_b(self.what_2.q.val().read_left));
        self.left_new.next.naks_taken_back = self.left_own.rdata.val().naks_taken_back
            + bit_cast_u::<2, 1>(bit_cast_b(self.what_2.q.val().nak_taken_back));
        self.left_new.next.ended = self.left_own.rdata.val().ended | self.what_2.q.val().ended;
        inputs!(left_table: we = create_left, waddr = created_qp);
        self.left_table.wdata.next = bits_zero::<ResponsesLeft>(0);
        if self.left_check.due.val() {
            inputs!(left_table: we = left_check.holds, waddr = left_check.about, wdata = left_new);
        } else {
            self.create_left.d.next = false;
        }
        inputs!(left_own from left_table: we, waddr, wdata);
        self.left_table.raddr.next = self.qp.val();

        // write errors
        self.fail_check.valid.next = self.fail_valid.val();
        self.fail_check.note.next.qp = self.fail_qp.val();
        self.fail_check.note.next.generation = self.fail_generation.val();
        inputs!(fail_check: we = create_fails, waddr = created_qp, wdata = created.generation);
        inputs!(failed: we = create_fails, waddr = created_qp);
        self.failed.wdata.next = bits_u::<1>(0);
        if self.fail_check.due.val() {
            inputs!(failed from fail_check: we = holds, waddr = about);
            self.failed.wdata.next = bits_u::<1>(1);
        } else {
            self.create_fails.d.next = false;
        }
        self.failed.raddr.next = self.qp.val();
        self.left.next = self.left_table.rdata.val();
        self.left.next.ended = self.left_table.rdata.val().ended | self.failed.rdata.val().any();

        self.qp_context.next = bit_cast_word::<QpContext, Context>(self.context_data.val());
        if self.context_valid.val() {
            self.created_qp.d.next = self.context_qp.val();
            self.created.d.next = bits_zero::<ResponderState>(0);
            fields!(created.d from qp_context: expected_psn, generation, alive);
            self.create_state.d.next = true;
            self.create_left.d.next = true;
            self.create_fails.d.next = true;
        }
    }
}
