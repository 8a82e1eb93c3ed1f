//! What the responder knows of each queue pair, and what other blocks tell it about them.
//!
//! Three tables, each with one writer beside the creation of a queue pair: the responder's own state, what has left the response
//! queue, and write errors. A creation clears all three, so nothing of an earlier generation is ever seen. What other blocks tell
//! is held against the generation two clocks later; a creation of the queue pair meanwhile makes it void.

use crate::nic::words::Context;
use crate::prim::ram::{Ram, RamReg};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, W};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// State of a queue pair's responder half: expected PSN 23:0, MSN 47:24, message in progress (address 111:48, bytes to
/// come 143:112), READs accepted 151:144, generation 159:152, cuts seen 161:160, gap reported 162, message in progress
/// 163, ended 164, alive 165.
pub type StateWord = W<166, 3>;

/// Tables of 256 queue pairs.
#[block]
pub struct ResponderState {
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
    /// Bit 0: a READ is answered or void; bit 1: a negative acknowledgement was taken back; bit 2: the responder half
    /// has ended.
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
    pub word: Signal<Out, StateWord>,
    /// READs that have left, one clock later.
    pub left_reads: Signal<Out, U<8>>,
    /// Negative acknowledgements taken back, one clock later.
    pub cuts: Signal<Out, U<2>>,
    /// Ended by another block, one clock later.
    pub ended: Signal<Out, Bit>,
    /// Write the state.
    pub we: Signal<In, Bit>,
    /// Of this queue pair.
    pub wqp: Signal<In, U<8>>,
    /// New state.
    pub wdata: Signal<In, StateWord>,
    state: Ram<StateWord, 8>,
    // READs 7:0, cuts 9:8, ended 10; beside them for the next pulse the generation 18:11
    left: Ram<U<11>, 8>,
    left_own: RamReg<U<19>, 8>,
    failed: Ram<U<1>, 8>,
    fails_own: RamReg<U<8>, 8>,
    created_qp: DFF<U<8>>,
    created: DFF<StateWord>,
    created_generation: DFF<U<8>>,
    create_state: DFF<Bit>,
    create_left: DFF<Bit>,
    create_fails: DFF<Bit>,
    left_1: DFF<Bit>,
    left_qp_1: DFF<U<8>>,
    left_generation_1: DFF<U<8>>,
    left_what_1: DFF<U<3>>,
    left_2: DFF<Bit>,
    left_qp_2: DFF<U<8>>,
    left_generation_2: DFF<U<8>>,
    left_what_2: DFF<U<3>>,
    left_new: Signal<Local, U<19>>,
    fail_1: DFF<Bit>,
    fail_qp_1: DFF<U<8>>,
    fail_generation_1: DFF<U<8>>,
    fail_2: DFF<Bit>,
    fail_qp_2: DFF<U<8>>,
    fail_generation_2: DFF<U<8>>,
}

#[kernel]
impl Logic for ResponderState {
    fn update(&mut self) {
        // own state: the responder's write first, a creation in the next clock without one
        self.state.raddr.next = self.qp.val();
        self.word.next = self.state.rdata.val();
        self.state.we.next = self.we.val() | self.create_state.q.val();
        self.state.waddr.next = self.created_qp.q.val();
        self.state.wdata.next = self.created.q.val();
        if self.we.val() {
            self.state.waddr.next = self.wqp.val();
            self.state.wdata.next = self.wdata.val();
        } else {
            self.create_state.d.next = false;
        }

        // what left
        self.left_1.d.next = self.left_valid.val();
        self.left_qp_1.d.next = self.left_qp.val();
        self.left_generation_1.d.next = self.left_generation.val();
        self.left_what_1.d.next = self.left_what.val();
        self.left_2.d.next =
            self.left_1.q.val() & !(self.create_left.q.val() & (self.created_qp.q.val() == self.left_qp_1.q.val()));
        self.left_qp_2.d.next = self.left_qp_1.q.val();
        self.left_generation_2.d.next = self.left_generation_1.q.val();
        self.left_what_2.d.next = self.left_what_1.q.val();
        self.left_own.raddr.next = self.left_qp.val();
        self.left_new.next = (bit_cast_u::<19, 9>(self.left_own.rdata.val().get_bits::<9>(10)) << 10)
            | (bit_cast_u::<19, 1>(self.left_what_2.q.val().get_bits::<1>(2)) << 10)
            | (bit_cast_u::<19, 2>(
                self.left_own.rdata.val().get_bits::<2>(8)
                    + bit_cast_u::<2, 1>(self.left_what_2.q.val().get_bits::<1>(1)),
            ) << 8)
            | bit_cast_u::<19, 8>(
                self.left_own.rdata.val().get_bits::<8>(0)
                    + bit_cast_u::<8, 1>(self.left_what_2.q.val().get_bits::<1>(0)),
            );
        self.left.we.next = self.create_left.q.val();
        self.left.waddr.next = self.created_qp.q.val();
        self.left.wdata.next = bits_u::<11>(0);
        self.left_own.we.next = self.create_left.q.val();
        self.left_own.waddr.next = self.created_qp.q.val();
        self.left_own.wdata.next = bit_cast_u::<19, 8>(self.created_generation.q.val()) << 11;
        if self.left_2.q.val() {
            self.left.we.next = self.left_own.rdata.val().get_bits::<8>(11) == self.left_generation_2.q.val();
            self.left.waddr.next = self.left_qp_2.q.val();
            self.left.wdata.next = bit_cast_u::<11, 19>(self.left_new.val());
            self.left_own.we.next = self.left_own.rdata.val().get_bits::<8>(11) == self.left_generation_2.q.val();
            self.left_own.waddr.next = self.left_qp_2.q.val();
            self.left_own.wdata.next = self.left_new.val();
        } else {
            self.create_left.d.next = false;
        }
        self.left.raddr.next = self.qp.val();
        self.left_reads.next = self.left.rdata.val().get_bits::<8>(0);
        self.cuts.next = self.left.rdata.val().get_bits::<2>(8);

        // write errors
        self.fail_1.d.next = self.fail_valid.val();
        self.fail_qp_1.d.next = self.fail_qp.val();
        self.fail_generation_1.d.next = self.fail_generation.val();
        self.fail_2.d.next =
            self.fail_1.q.val() & !(self.create_fails.q.val() & (self.created_qp.q.val() == self.fail_qp_1.q.val()));
        self.fail_qp_2.d.next = self.fail_qp_1.q.val();
        self.fail_generation_2.d.next = self.fail_generation_1.q.val();
        self.fails_own.raddr.next = self.fail_qp.val();
        self.failed.we.next = self.create_fails.q.val();
        self.failed.waddr.next = self.created_qp.q.val();
        self.failed.wdata.next = bits_u::<1>(0);
        if self.fail_2.q.val() {
            self.failed.we.next = self.fails_own.rdata.val() == self.fail_generation_2.q.val();
            self.failed.waddr.next = self.fail_qp_2.q.val();
            self.failed.wdata.next = bits_u::<1>(1);
        } else {
            self.create_fails.d.next = false;
        }
        self.fails_own.we.next = self.create_fails.q.val();
        self.fails_own.waddr.next = self.created_qp.q.val();
        self.fails_own.wdata.next = self.created_generation.q.val();
        self.failed.raddr.next = self.qp.val();
        self.ended.next = self.left.rdata.val().get_bit(10) | self.failed.rdata.val().get_bit(0);

        if self.context_valid.val() {
            self.created_qp.d.next = self.context_qp.val();
            self.created_generation.d.next = self.context_data.val().get_bits::<8>(1);
            self.created.d.next = bit_cast_w::<166, 3, 24>(self.context_data.val().get_bits::<24>(160))
                | (bit_cast_w::<166, 3, 8>(self.context_data.val().get_bits::<8>(1)) << 152)
                | (bit_cast_w::<166, 3, 1>(bit_cast_b(self.context_data.val().get_bit(0))) << 165);
            self.create_state.d.next = true;
            self.create_left.d.next = true;
            self.create_fails.d.next = true;
        }
    }
}
