//! Response queue: answers of the responder leave in PSN order, READ responses among them.
//!
//! A queue pair without READ in progress sends its acknowledgements at once. A READ becomes active when nothing waits before it; what
//! comes behind it waits in a list until its last response has left, and goes then, up to the next READ. A READ that comes directly
//! behind the active one becomes active too, before that one has left, so that their responses are fetched back to back; a third one
//! waits until the first has left. A READ asked for again
//! takes back everything from its PSN on, as `hpcc_models::nic` does in `Responder::rewind`, but for one thing: an active
//! READ (or two) that it covers is replaced whole, since what lies before the new PSN has been received.
//!
//! | state | does |
//! |---|---|
//! | 0 idle | takes a creation, a READ's end, or an answer, in this order; the queue pair's list is read |
//! | 8 | list into a register |
//! | 1 look | decides; an acknowledgement leaves or waits |
//! | 2, 9, 3 | list from its head on: acknowledgements leave, to the next READ; or the READ at the head follows the active one |
//! | 4, 10, 5 | list from its head on: what is taken back |
//! | 6 | the rest of the list is given back |
//! | 7 | a READ becomes active |

pub mod activation;
pub mod intake;
pub mod pool;
#[cfg(test)]
mod tests;

use crate::nic::words::{AckSend, Commit, Context, ReadState};
use crate::prim::fifo::StreamFifo;
use crate::prim::ram::Ram;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::sched::ports::WorkOut;
use crate::words::responses::{QpChange, ResponseList};
use crate::words::transport::{AckSend as AckSendWord, Commit as CommitWord, CommitKind, ReadRequest};
use crate::{block, kernel};
use activation::Activation;
use intake::Intake;
use pool::NodePool;
use rust_hdl::prelude::*;

/// Answers waiting at most, over all queue pairs; `full` comes 192 before.
pub const RESPONSE_NODES: usize = 1024;

/// Response queue of 256 queue pairs. Reset for at least one clock; it is ready 1024 clocks later.
#[block]
pub struct ResponseQueue {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A queue pair is created or removed: what waits for it is void.
    pub context_valid: Signal<In, Bit>,
    /// Which.
    pub context_qp: Signal<In, U<8>>,
    /// Its context.
    pub context_data: Signal<In, Context>,
    /// A READ's last response has left, or one could not be read from memory.
    pub gone_valid: Signal<In, Bit>,
    /// It could not be read.
    pub gone_failed: Signal<In, Bit>,
    /// Queue pair.
    pub gone_qp: Signal<In, U<8>>,
    /// Its generation.
    pub gone_generation: Signal<In, U<8>>,
    /// PSN of the response.
    pub gone_psn: Signal<In, U<24>>,
    /// Tag of its READ.
    pub gone_tag: Signal<In, U<2>>,
    /// Answers: `KIND` 1 and 2.
    pub up: StreamIn<Commit>,
    /// Acknowledgements on their way out.
    pub ack: StreamOut<AckSend>,
    /// Work of the READ response flows: a restart, or more of the same.
    pub work: WorkOut,
    /// A READ becomes active.
    pub read_valid: Signal<Out, Bit>,
    /// Of this queue pair.
    pub read_qp: Signal<Out, U<8>>,
    /// What it asks for.
    pub read_data: Signal<Out, ReadState>,
    /// No room for answers to requests that are not decided yet.
    pub full: Signal<Out, Bit>,
    /// Something to tell the responder; never in two clocks in a row.
    pub left_valid: Signal<Out, Bit>,
    /// Of this queue pair.
    pub left_qp: Signal<Out, U<8>>,
    /// And generation.
    pub left_generation: Signal<Out, U<8>>,
    /// Bit 0: a READ is answered or void; bit 1: a negative acknowledgement was taken back; bit 2: the responder half
    /// ends, and a negative acknowledgement leaves.
    pub left_what: Signal<Out, U<3>>,
    /// Free places.
    pub free: Signal<Out, U<11>>,
    pool: NodePool,
    lists: Ram<ResponseList, 8>,
    intake: Intake,
    acks: StreamFifo<AckSend, 8, 128>,
    state: DFF<U<4>>,
    // 0 creation, 1 end, 2 answer
    op: DFF<U<2>>,
    entry: DFF<CommitWord>,
    /// The answer is a READ asked for again.
    again: DFF<Bit>,
    /// The READ that becomes active follows the active one.
    extending: DFF<Bit>,
    creation: DFF<QpChange>,
    qp: DFF<U<8>>,
    held: DFF<ResponseList>,
    cursor: DFF<U<10>>,
    earlier: DFF<U<10>>,
    seen: DFF<U<11>>,
    cut: DFF<Bit>,
    cut_at: DFF<U<10>>,
    cut_after: DFF<U<10>>,
    removed: DFF<U<11>>,
    replaces: DFF<Bit>,
    list: Signal<Local, ResponseList>,
    item: Signal<Local, CommitWord>,
    asked: Signal<Local, ReadRequest>,
    item_asked: Signal<Local, ReadRequest>,
    span: Signal<Local, U<24>>,
    item_span: Signal<Local, U<24>>,
    append: Signal<Local, Bit>,
    item_follows: Signal<Local, Bit>,
    of_last: Signal<Local, Bit>,
    of_ahead: Signal<Local, Bit>,
    passed: Signal<Local, Bit>,
    waiting: Signal<Local, U<11>>,
    covered: Signal<Local, U<24>>,
    beyond: Signal<Local, U<24>>,
    idle: Signal<Local, Bit>,
    look: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    own: Signal<Local, Bit>,
    is_read: Signal<Local, Bit>,
    item_reads: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    create: Signal<Local, Bit>,
    ending: Signal<Local, Bit>,
    fail: Signal<Local, Bit>,
    leave: Signal<Local, Bit>,
    answer: Signal<Local, Bit>,
    pass: Signal<Local, Bit>,
    rewind: Signal<Local, Bit>,
    keep: Signal<Local, Bit>,
    store: Signal<Local, Bit>,
    stalled: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    judge: Signal<Local, Bit>,
    taken_back: Signal<Local, Bit>,
    finish: Signal<Local, Bit>,
    activate: Signal<Local, Bit>,
    completed: Signal<Local, U<24>>,
    changed: Signal<Local, ResponseList>,
    sent: Signal<Local, AckSendWord>,
    // out
    activation: Activation,
    full_r: DFF<Bit>,
    left_what_r: DFF<U<3>>,
    left_qp_r: DFF<U<8>>,
    left_generation_r: DFF<U<8>>,
}

#[kernel]
impl Logic for ResponseQueue {
    fn update(&mut self) {
        inputs!([pool, acks]: reset);
        inputs!(intake:
            reset, context_valid, context_qp, context_data, gone_valid, gone_failed, gone_qp, gone_generation, gone_psn,
            gone_tag);
        StreamIn::<Commit>::link(&mut self.up, &mut self.intake.up);
        // of what is offered in `idle`, of the answer in hand later
        self.asked.next = bit_cast_word::<ReadRequest, W<336, 6>>(self.entry.q.val().int_stack);
        if self.state.q.val() == 0 {
            self.asked.next = bit_cast_word::<ReadRequest, W<336, 6>>(self.intake.entry.val().int_stack);
        }
        self.idle.next = (self.state.q.val() == 0) & !self.pool.clearing.val();
        self.intake.take.next = self.idle.val();
        self.lists.raddr.next = self.qp.q.val();
        if self.idle.val() {
            self.lists.raddr.next = self.intake.qp.val();
            assign! {
                qp.d = intake.qp, op.d = intake.op, entry.d = intake.entry, again.d = asked.duplicate,
                creation.d = intake.creation
            }
            if self.intake.valid.val() {
                self.state.d.next = bits_u::<4>(8);
            }
        }

        // the list, and where the PSN of the answer stands to it
        self.look.next = self.state.q.val() == 1;
        self.list.next = self.held.q.val();
        self.item.next = bit_cast_word::<CommitWord, W<421, 7>>(self.pool.item.val());
        self.item_asked.next = bit_cast_word::<ReadRequest, W<336, 6>>(self.item.val().int_stack);
        assign!(waiting = list.waiting, active = list.active);
        self.own.next = (self.list.val().generation == self.entry.q.val().generation) & !self.list.val().dead;
        self.covered.next = self.list.val().end_psn + !self.entry.q.val().psn;
        self.beyond.next = self.item.val().psn - self.entry.q.val().psn;
        self.is_read.next = self.entry.q.val().kind == CommitKind::Read;
        self.item_reads.next = self.item.val().kind == CommitKind::Read;
        self.last.next = (self.seen.q.val() + 1) == self.waiting.val();
        // whether a READ goes on where the active one ends, and no flow goes on for 2^22 PSNs without a restart
        self.span.next = self.entry.q.val().psn + self.asked.val().count - self.list.val().start_psn;
        self.item_span.next = self.item.val().psn + self.item_asked.val().count - self.list.val().start_psn;
        self.item_follows.next = self.item_reads.val()
            & (self.item.val().psn == self.list.val().end_psn)
            & !self.item_span.val().get_bits::<2>(22).any();

        // what this clock does
        self.create.next = self.look.val() & (self.op.q.val() == 0);
        // an end of a READ that has been replaced is nobody's
        self.ending.next = self.look.val() & (self.op.q.val() == 1) & self.own.val() & self.active.val();
        self.of_last.next = self.entry.q.val().msn.get_bits::<2>(0) == self.list.val().tag;
        self.of_ahead.next =
            self.list.val().ahead & ((self.entry.q.val().msn.get_bits::<2>(0) + 1) == self.list.val().tag);
        self.fail.next = self.ending.val()
            & (self.of_last.val() | self.of_ahead.val())
            & self.entry.q.val().ends_or_failed
            & self.acks.up.ready.val();
        // of two READs the first leaves first
        self.passed.next = self.ending.val()
            & !self.entry.q.val().ends_or_failed
            & self.list.val().ahead
            & (self.of_ahead.val() | (self.of_last.val() & (self.covered.val() == 0)));
        self.leave.next = self.ending.val()
            & !self.entry.q.val().ends_or_failed
            & !self.list.val().ahead
            & self.of_last.val()
            & (self.covered.val() == 0);
        self.answer.next = self.look.val() & (self.op.q.val() == 2) & self.own.val();
        self.pass.next = self.answer.val() & !self.active.val() & !self.is_read.val() & self.acks.up.ready.val();
        self.rewind.next = self.answer.val() & self.active.val() & self.is_read.val() & self.again.q.val();
        self.append.next = self.answer.val()
            & self.active.val()
            & self.is_read.val()
            & !self.again.q.val()
            & !self.list.val().ahead
            & (self.waiting.val() == 0)
            & self.covered.val().all()
            & !self.span.val().get_bits::<2>(22).any();
        self.keep.next = self.answer.val() & self.active.val() & !self.rewind.val() & !self.append.val();
        self.store.next = self.keep.val() & (self.pool.free.val() > 1);
        self.stalled.next = !self.acks.up.ready.val()
            & ((self.ending.val() & (self.of_last.val() | self.of_ahead.val()) & self.entry.q.val().ends_or_failed)
                | (self.answer.val() & !self.active.val() & !self.is_read.val()));
        self.pop.next = (self.state.q.val() == 3)
            & ((self.extending.q.val() & self.item_follows.val())
                | (!self.extending.q.val() & (self.item_reads.val() | self.acks.up.ready.val())));
        self.judge.next = self.state.q.val() == 5;
        self.taken_back.next =
            self.judge.val() & (self.cut.q.val() | self.replaces.q.val() | !self.beyond.val().get_bit(23));
        self.finish.next = self.state.q.val() == 6;
        self.activate.next = (self.state.q.val() == 7) & !self.activation.busy.val();

        // where it goes on
        if self.look.val() {
            clear!(state, seen, removed);
            self.cursor.d.next = self.list.val().head;
            self.extending.d.next = self.append.val() | (self.passed.val() & self.of_ahead.val());
            self.cut.d.next = false;
            self.replaces.d.next = self.rewind.val() & !self.covered.val().get_bit(23);
            if self.stalled.val() {
                self.state.d.next = bits_u::<4>(1);
            }
            if self.passed.val() & self.of_last.val() {
                self.state.d.next = bits_u::<4>(8);
            }
            if (self.leave.val() | (self.passed.val() & self.of_ahead.val())) & self.waiting.val().any() {
                self.state.d.next = bits_u::<4>(2);
            }
            if self.rewind.val() {
                self.state.d.next = bits_u::<4>(4);
                if self.waiting.val() == 0 {
                    self.state.d.next = bits_u::<4>(6);
                }
            }
            if (self.answer.val() & !self.active.val() & self.is_read.val()) | self.append.val() {
                self.state.d.next = bits_u::<4>(7);
            }
        }
        if self.state.q.val() == 8 {
            self.state.d.next = bits_u::<4>(1);
        }
        if self.state.q.val() == 2 {
            self.state.d.next = bits_u::<4>(9);
        }
        if self.state.q.val() == 9 {
            self.state.d.next = bits_u::<4>(3);
        }
        if (self.state.q.val() == 3) & self.extending.q.val() & !self.item_follows.val() {
            self.state.d.next = bits_u::<4>(0);
        }
        if self.pop.val() {
            self.cursor.d.next = self.pool.behind.val();
            self.state.d.next = bits_u::<4>(2);
            if self.waiting.val() == 1 {
                self.state.d.next = bits_u::<4>(0);
            }
            if self.item_reads.val() {
                self.entry.d.next = self.item.val();
                self.state.d.next = bits_u::<4>(7);
            }
        }
        if self.state.q.val() == 4 {
            self.state.d.next = bits_u::<4>(10);
        }
        if self.state.q.val() == 10 {
            self.state.d.next = bits_u::<4>(5);
        }
        if self.judge.val() {
            self.seen.d.next = self.seen.q.val() + 1;
            assign!(earlier.d = cursor, cursor.d = pool.behind);
            self.state.d.next = bits_u::<4>(4);
            if self.last.val() {
                self.state.d.next = bits_u::<4>(6);
            }
        }
        if self.taken_back.val() {
            self.cut.d.next = true;
            self.removed.d.next = self.removed.q.val() + 1;
            if !self.cut.q.val() {
                assign!(cut_at.d = cursor, cut_after.d = earlier);
            }
        }
        if self.finish.val() {
            // once more, as one that repeats nothing
            self.again.d.next = false;
            self.state.d.next = bits_u::<4>(8);
            if self.replaces.q.val() {
                self.state.d.next = bits_u::<4>(7);
            }
        }
        if self.activate.val() {
            self.state.d.next = bits_u::<4>(0);
        }

        // places
        inputs!(pool: at = cursor, store);
        self.pool.new_item.next = bit_cast_bus::<421, 7, CommitWord>(self.entry.q.val());
        self.pool.link.next = self.waiting.val().any();
        self.pool.link_to.next = self.list.val().tail;
        self.pool.give.next = ((self.create.val() | self.fail.val()) & self.waiting.val().any())
            | self.pop.val()
            | (self.finish.val() & self.cut.q.val());
        inputs!(pool: give_first = list.head, give_last = list.tail, give_count = waiting);
        if self.pop.val() {
            self.pool.give_last.next = self.list.val().head;
            self.pool.give_count.next = bits_u::<11>(1);
        }
        if self.finish.val() {
            inputs!(pool: give_first = cut_at, give_count = removed);
        }

        // the list as it will be
        self.changed.next = self.list.val();
        self.completed.next =
            self.entry.q.val().msn - bit_cast_u::<24, 1>(bit_cast_b(self.entry.q.val().ends_or_failed));
        if self.create.val() {
            self.changed.next.generation = self.creation.q.val().generation;
            self.changed.next.active = false;
            self.changed.next.dead = !self.creation.q.val().alive;
            self.changed.next.int_on = self.creation.q.val().int_on;
            self.changed.next.waiting = bits_u::<11>(0);
            self.changed.next.ahead = false;
        }
        if self.fail.val() {
            self.changed.next.active = false;
            self.changed.next.dead = true;
            self.changed.next.waiting = bits_u::<11>(0);
            self.changed.next.ahead = false;
        }
        if self.leave.val() {
            self.changed.next.active = false;
        }
        if self.passed.val() {
            self.changed.next.ahead = false;
        }
        if self.store.val() {
            self.changed.next.waiting = self.waiting.val() + 1;
            self.changed.next.tail = self.pool.head.val();
            if self.waiting.val() == 0 {
                self.changed.next.head = self.pool.head.val();
            }
        }
        if self.pop.val() {
            self.changed.next.waiting = self.waiting.val() - 1;
            self.changed.next.head = self.pool.behind.val();
        }
        if self.finish.val() & self.cut.q.val() {
            self.changed.next.waiting = self.waiting.val() - self.removed.q.val();
            self.changed.next.tail = self.cut_after.q.val();
        }
        if self.activate.val() {
            self.changed.next.active = true;
            fields!(changed: end_psn = activation.end_psn, completed);
            self.changed.next.tag = self.list.val().tag + 1;
            fields!(changed: ahead = extending, completed_ahead = list.completed);
            if !self.extending.q.val() {
                self.changed.next.start_psn = self.entry.q.val().psn;
            }
        }
        self.held.d.next = self.changed.val();
        if self.state.q.val() == 8 {
            self.held.d.next = self.lists.rdata.val();
        }
        self.lists.we.next = self.create.val()
            | self.fail.val()
            | self.leave.val()
            | self.passed.val()
            | self.store.val()
            | self.pop.val()
            | self.finish.val()
            | self.activate.val();
        inputs!(lists: waddr = qp, wdata = changed);
        if self.pool.clearing.val() {
            self.lists.we.next = true;
            self.lists.waddr.next = self.pool.clear_at.val();
            self.lists.wdata.next = bits_zero::<ResponseList>(0);
        }

        // out
        self.acks.up.valid.next = self.pass.val() | self.fail.val() | (self.pop.val() & !self.item_reads.val());
        self.sent.next = bits_zero::<AckSendWord>(0);
        fields!(sent from entry: qp, generation, psn, syndrome, msn, int_length, int_stack);
        if self.pop.val() {
            fields!(sent from item: qp, generation, psn, syndrome, msn, int_length, int_stack);
        }
        if self.fail.val() {
            fields!(sent: qp, generation = list.generation);
            self.sent.next.syndrome = bits_u::<8>(0x63);
            self.sent.next.msn = self.list.val().completed;
            if !self.of_last.val() {
                self.sent.next.msn = self.list.val().completed_ahead;
            }
            self.sent.next.int_length = bit_cast_u::<6, 1>(bit_cast_b(self.list.val().int_on)) << 1;
            self.sent.next.int_stack = bits_zero::<W<336, 6>>(0);
        }
        self.acks.up.data.next = bit_cast_bus::<416, 7, AckSendWord>(self.sent.val());
        outputs!(acks: ack.valid = down.valid, ack.data = down.data);
        self.acks.down.ready.next = self.ack.ready.val();

        inputs!(activation: reset, activate, qp, entry);
        self.activation.tag.next = self.list.val().tag + 1;
        self.activation.goes_on.next = self.extending.q.val();
        WorkOut::link(&mut self.work, &mut self.activation.work);
        outputs!(activation: read_valid, read_qp, read_data);

        self.left_what_r.d.next = bits_u::<3>(0);
        assign!(left_qp_r.d = qp, left_generation_r.d = list.generation);
        // one without place is as good as lost
        if self.leave.val()
            | self.passed.val()
            | (self.rewind.val() & self.list.val().ahead & !self.covered.val().get_bit(23))
            | (self.taken_back.val() & self.item_reads.val())
            | (self.activate.val() & self.replaces.q.val())
            | (self.keep.val() & !self.store.val() & self.is_read.val())
        {
            self.left_what_r.d.next = bits_u::<3>(1);
        }
        if self.taken_back.val() & !self.item_reads.val() & (self.item.val().syndrome != 0x1f) {
            self.left_what_r.d.next = bits_u::<3>(2);
        }
        if self.fail.val() {
            self.left_what_r.d.next = bits_u::<3>(5);
        }
        self.left_valid.next = self.left_what_r.q.val().any();
        assign! {
            left_what = left_what_r, left_qp = left_qp_r, left_generation = left_generation_r
        }
        self.full_r.d.next = self.pool.clearing.val() | self.acks.crowded.val() | (self.pool.free.val() < 192);
        self.full.next = self.full_r.q.val();
        self.free.next = self.pool.free.val();

        if self.reset.val() {
            clear!(state, left_what_r);
            self.full_r.d.next = true;
        }
    }
}
