//! Which input of the requester is next: the first of those that wait, in a fixed order. It stays on its stream until `save`.

use crate::nic::words::{Commit, RxRow};
use crate::prim::skid::StreamIn;
use crate::prim::uint::U;
use crate::prim::wide::W;
use crate::prim::word::bit_cast_word;
use crate::sched::ports::EndedIn;
use crate::words::flows::{FlowPacket, QpFlow};
use crate::words::requester::QpOfGeneration;
use crate::words::transport::{Commit as CommitWord, RxPacket};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Chooses the next operation and keeps what it is about. One of the outputs `row` to `work` is high after the choice.
#[block]
pub struct Choice {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Choose in this clock.
    pub idle: Signal<In, Bit>,
    /// The operation chosen before is done: its item is taken, except a work request.
    pub save: Signal<In, Bit>,
    /// No READ response may be chosen.
    pub hold_rows: Signal<In, Bit>,
    /// READ responses.
    pub rows: StreamIn<RxRow>,
    /// Answers.
    pub answers: StreamIn<Commit>,
    /// Flows at their retry limit.
    pub limits: EndedIn,
    /// Packets under which host memory failed: `FlowPacket`.
    pub errors: StreamIn<U<48>>,
    /// Removals: `QpOfGeneration`.
    pub removals: StreamIn<U<16>>,
    /// Queue pairs whose completions wait for room.
    pub tells: StreamIn<QpOfGeneration>,
    /// There is room for one.
    pub room: Signal<In, Bit>,
    /// Removals wait for completions.
    pub hold_removals: Signal<In, Bit>,
    /// With `save`: the input is not done and stays.
    pub kept: Signal<In, Bit>,
    /// A work request waits.
    pub work_waits: Signal<In, Bit>,
    /// Its queue pair.
    pub work_qp: Signal<In, U<8>>,
    /// An input waits.
    pub any: Signal<Out, Bit>,
    /// Queue pair of the operation, in the clock of the choice too.
    pub next_qp: Signal<Out, U<8>>,
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
    /// Completions have room.
    pub tell: Signal<Out, Bit>,
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
    takes: Signal<Local, Bit>,
    row_word: Signal<Local, RxPacket>,
    answer_word: Signal<Local, CommitWord>,
    waits: [Signal<Local, Bit>; 7],
    op_row: DFF<Bit>,
    op_answer: DFF<Bit>,
    op_ended: DFF<Bit>,
    op_error: DFF<Bit>,
    op_remove: DFF<Bit>,
    op_tell: DFF<Bit>,
    op_work: DFF<Bit>,
    op_response: DFF<Bit>,
    op_qp: DFF<U<8>>,
    op_generation: DFF<U<8>>,
    op_psn: DFF<U<24>>,
    limit_flow: Signal<Local, QpFlow>,
    failure: Signal<Local, FlowPacket>,
    error_flow: Signal<Local, QpFlow>,
    removal: Signal<Local, QpOfGeneration>,
    new_qp: Signal<Local, U<8>>,
}

#[kernel]
impl Logic for Choice {
    fn update(&mut self) {
        self.takes.next = self.save.val() & !self.kept.val();
        self.rows.ready.next = self.takes.val() & self.op_row.q.val();
        self.answers.ready.next = self.takes.val() & self.op_answer.q.val();
        self.limits.ready.next = self.takes.val() & self.op_ended.q.val();
        self.errors.ready.next = self.takes.val() & self.op_error.q.val();
        self.removals.ready.next = self.takes.val() & self.op_remove.q.val();
        self.tells.ready.next = self.takes.val() & self.op_tell.q.val();
        // what is being taken does not wait any more
        self.waits[0].next = self.rows.valid.val() & !self.hold_rows.val() & !(self.save.val() & self.op_row.q.val());
        self.waits[1].next = self.answers.valid.val() & !(self.save.val() & self.op_answer.q.val());
        self.waits[2].next = self.limits.valid.val() & !(self.save.val() & self.op_ended.q.val());
        self.waits[3].next = self.errors.valid.val() & !(self.save.val() & self.op_error.q.val());
        self.waits[4].next =
            self.removals.valid.val() & !self.hold_removals.val() & !(self.save.val() & self.op_remove.q.val());
        self.waits[5].next = self.work_waits.val();
        self.waits[6].next = self.tells.valid.val() & self.room.val() & !(self.save.val() & self.op_tell.q.val());
        self.any.next = self.waits[0].val()
            | self.waits[1].val()
            | self.waits[2].val()
            | self.waits[3].val()
            | self.waits[4].val()
            | self.waits[5].val()
            | self.waits[6].val();
        self.row_word.next = bit_cast_word::<RxPacket, W<550, 9>>(self.rows.data.val());
        self.answer_word.next = bit_cast_word::<CommitWord, W<421, 7>>(self.answers.data.val());
        self.new_qp.next = self.work_qp.val();
        if self.idle.val() {
            clear! {
                op_row, op_answer, op_ended, op_error, op_remove, op_tell, op_work, op_response, op_generation, op_psn
            }
        }
        self.limit_flow.next = bit_cast_word::<QpFlow, U<16>>(self.limits.flow.val());
        self.failure.next = bit_cast_word::<FlowPacket, U<48>>(self.errors.data.val());
        self.error_flow.next = bit_cast_word::<QpFlow, U<16>>(self.failure.val().flow);
        self.removal.next = bit_cast_word::<QpOfGeneration, U<16>>(self.removals.data.val());
        if self.waits[0].val() {
            self.new_qp.next = self.row_word.val().qp;
            if self.idle.val() {
                self.op_row.d.next = true;
                assign!(op_generation.d = row_word.generation, op_psn.d = row_word.psn);
            }
        } else if self.waits[1].val() {
            self.new_qp.next = self.answer_word.val().qp;
            if self.idle.val() {
                self.op_answer.d.next = true;
                assign!(op_generation.d = answer_word.generation, op_psn.d = answer_word.psn);
            }
        } else if self.waits[2].val() {
            self.new_qp.next = self.limit_flow.val().qp;
            if self.idle.val() {
                self.op_ended.d.next = true;
                assign!(op_generation.d = limits.generation, op_response.d = limit_flow.response);
            }
        } else if self.waits[3].val() {
            self.new_qp.next = self.error_flow.val().qp;
            if self.idle.val() {
                self.op_error.d.next = true;
                assign! {
                    op_generation.d = failure.generation, op_psn.d = failure.psn, op_response.d = error_flow.response
                }
            }
        } else if self.waits[6].val() {
            self.new_qp.next = self.tells.data.val().qp;
            if self.idle.val() {
                self.op_tell.d.next = true;
                self.op_generation.d.next = self.tells.data.val().generation;
            }
        } else if self.waits[4].val() {
            self.new_qp.next = self.removal.val().qp;
            if self.idle.val() {
                self.op_remove.d.next = true;
                self.op_generation.d.next = self.removal.val().generation;
            }
        } else if self.idle.val() {
            self.op_work.d.next = self.waits[5].val();
        }
        self.next_qp.next = self.op_qp.q.val();
        if self.idle.val() {
            assign!(next_qp = new_qp, op_qp.d = new_qp);
        }
        assign! {
            row = op_row, answer = op_answer, ended = op_ended, error = op_error, remove = op_remove, tell = op_tell,
            work = op_work, qp = op_qp, generation = op_generation, psn = op_psn, response = op_response
        }
    }
}
