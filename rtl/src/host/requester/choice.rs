//! Which input of the requester is next: the first of those that wait, in a fixed order.

use crate::emit::naming::named;
use crate::nic::words::{Commit, RxRow};
use crate::prim::uint::{bits_u, U};
use rust_hdl::prelude::*;

/// Chooses the next operation. Without registers. At most one of the outputs `row` to `work` is high.
#[derive(LogicBlock, Default)]
pub struct Choice {
    /// A READ response can be judged.
    pub row_waits: Signal<In, Bit>,
    /// It.
    pub row_data: Signal<In, RxRow>,
    /// An answer waits.
    pub answer_waits: Signal<In, Bit>,
    /// It.
    pub answer_data: Signal<In, Commit>,
    /// A flow is at its retry limit.
    pub ended_waits: Signal<In, Bit>,
    /// Flow 15:0, generation 23:16.
    pub ended_data: Signal<In, U<24>>,
    /// Host memory failed under a packet.
    pub error_waits: Signal<In, Bit>,
    /// Flow 15:0, generation 23:16, PSN 47:24.
    pub error_data: Signal<In, U<48>>,
    /// A queue pair is to be removed.
    pub remove_waits: Signal<In, Bit>,
    /// Queue pair 7:0, generation 15:8.
    pub remove_data: Signal<In, U<16>>,
    /// A work request waits.
    pub work_waits: Signal<In, Bit>,
    /// Its queue pair.
    pub work_qp: Signal<In, U<8>>,
    /// Any of them.
    pub any: Signal<Out, Bit>,
    /// READ response.
    pub row: Signal<Out, Bit>,
    /// Answer.
    pub answer: Signal<Out, Bit>,
    /// Retry limit.
    pub ended: Signal<Out, Bit>,
    /// Memory error.
    pub error: Signal<Out, Bit>,
    /// Removal.
    pub remove: Signal<Out, Bit>,
    /// Work request.
    pub work: Signal<Out, Bit>,
    /// Queue pair concerned.
    pub qp: Signal<Out, U<8>>,
    /// Generation concerned; not of work requests.
    pub generation: Signal<Out, U<8>>,
    /// PSN concerned, if any.
    pub psn: Signal<Out, U<24>>,
    /// It concerns a flow of READ responses, which has no requester.
    pub response: Signal<Out, Bit>,
}

impl Logic for Choice {
    #[hdl_gen]
    fn update(&mut self) {
        self.any.next = self.row_waits.val()
            | self.answer_waits.val()
            | self.ended_waits.val()
            | self.error_waits.val()
            | self.remove_waits.val()
            | self.work_waits.val();
        self.row.next = false;
        self.answer.next = false;
        self.ended.next = false;
        self.error.next = false;
        self.remove.next = false;
        self.work.next = false;
        self.response.next = false;
        self.qp.next = self.work_qp.val();
        self.generation.next = bits_u::<8>(0);
        self.psn.next = bits_u::<24>(0);
        if self.row_waits.val() {
            self.row.next = true;
            self.qp.next = self.row_data.val().get_bits::<8>(11);
            self.generation.next = self.row_data.val().get_bits::<8>(536);
            self.psn.next = self.row_data.val().get_bits::<24>(19);
        } else if self.answer_waits.val() {
            self.answer.next = true;
            self.qp.next = self.answer_data.val().get_bits::<8>(2);
            self.generation.next = self.answer_data.val().get_bits::<8>(10);
            self.psn.next = self.answer_data.val().get_bits::<24>(18);
        } else if self.ended_waits.val() {
            self.ended.next = true;
            self.qp.next = self.ended_data.val().get_bits::<8>(1);
            self.generation.next = self.ended_data.val().get_bits::<8>(16);
            self.response.next = self.ended_data.val().get_bit(0);
        } else if self.error_waits.val() {
            self.error.next = true;
            self.qp.next = self.error_data.val().get_bits::<8>(1);
            self.generation.next = self.error_data.val().get_bits::<8>(16);
            self.psn.next = self.error_data.val().get_bits::<24>(24);
            self.response.next = self.error_data.val().get_bit(0);
        } else if self.remove_waits.val() {
            self.remove.next = true;
            self.qp.next = self.remove_data.val().get_bits::<8>(0);
            self.generation.next = self.remove_data.val().get_bits::<8>(8);
        } else {
            self.work.next = self.work_waits.val();
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}
