//! Response queue: answers of the responder leave in PSN order, READ responses among them.
//!
//! A queue pair without READ in progress sends its acknowledgements at once. A READ becomes active when nothing waits before it; what
//! comes behind it waits in a list until its last response has left, and goes then, up to the next READ. A READ asked for again
//! takes back everything from its PSN on, as `hpcc_models::nic` does in `Responder::rewind`, but for one thing: an active
//! READ that it covers is replaced whole, since what lies before the new PSN has been received.
//!
//! | state | does |
//! |---|---|
//! | 0 idle | takes a creation, a READ's end, or an answer, in this order; the queue pair's list is read |
//! | 8 | list into a register |
//! | 1 look | decides; an acknowledgement leaves or waits |
//! | 2, 9, 3 | list from its head on: acknowledgements leave, to the next READ |
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
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::sched::ports::WorkOut;
use crate::{block, kernel};
use activation::Activation;
use intake::Intake;
use pool::NodePool;
use rust_hdl::prelude::*;

/// List of a queue pair: generation 7:0, READ active 8, dead 9, INT 10, waiting 21:11, head 31:22, tail 41:32, one past the
/// active READ 65:42, messages completed before it 89:66, tag of the READ that became active last 91:90.
pub type ListWord = W<92, 2>;

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
    /// Work of the READ response flows, always a restart.
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
    lists: Ram<ListWord, 8>,
    intake: Intake,
    acks: StreamFifo<AckSend, 8, 128>,
    state: DFF<U<4>>,
    // 0 creation, 1 end, 2 answer
    op: DFF<U<2>>,
    entry: DFF<Commit>,
    creation: DFF<U<18>>,
    qp: DFF<U<8>>,
    held: DFF<ListWord>,
    cursor: DFF<U<10>>,
    earlier: DFF<U<10>>,
    seen: DFF<U<11>>,
    cut: DFF<Bit>,
    cut_at: DFF<U<10>>,
    cut_after: DFF<U<10>>,
    removed: DFF<U<11>>,
    replaces: DFF<Bit>,
    list: Signal<Local, ListWord>,
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
    low_new: Signal<Local, U<11>>,
    waiting_new: Signal<Local, U<11>>,
    head_new: Signal<Local, U<10>>,
    tail_new: Signal<Local, U<10>>,
    upper_new: Signal<Local, U<48>>,
    completed: Signal<Local, U<24>>,
    tag_new: Signal<Local, U<2>>,
    changed: Signal<Local, ListWord>,
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
        inputs!([pool, acks], reset);
        inputs!(
            intake,
            reset,
            context_valid,
            context_qp,
            context_data,
            gone_valid,
            gone_failed,
            gone_qp,
            gone_generation,
            gone_psn,
            gone_tag
        );
        StreamIn::<Commit>::link(&mut self.up, &mut self.intake.up);
        self.idle.next = (self.state.q.val() == 0) & !self.pool.clearing.val();
        self.intake.take.next = self.idle.val();
        self.lists.raddr.next = self.qp.q.val();
        if self.idle.val() {
            self.lists.raddr.next = self.intake.qp.val();
            self.qp.d.next = self.intake.qp.val();
            self.op.d.next = self.intake.op.val();
            self.entry.d.next = self.intake.entry.val();
            self.creation.d.next = self.intake.creation.val();
            if self.intake.valid.val() {
                self.state.d.next = bits_u::<4>(8);
            }
        }

        // the list, and where the PSN of the answer stands to it
        self.look.next = self.state.q.val() == 1;
        self.list.next = self.held.q.val();
        self.waiting.next = self.list.val().get_bits::<11>(11);
        self.active.next = self.list.val().get_bit(8);
        self.own.next =
            (self.list.val().get_bits::<8>(0) == self.entry.q.val().get_bits::<8>(10)) & !self.list.val().get_bit(9);
        self.covered.next = self.list.val().get_bits::<24>(42) + !self.entry.q.val().get_bits::<24>(18);
        self.beyond.next = self.pool.item.val().get_bits::<24>(18) - self.entry.q.val().get_bits::<24>(18);
        self.is_read.next = self.entry.q.val().get_bits::<2>(0) == 2;
        self.item_reads.next = self.pool.item.val().get_bits::<2>(0) == 2;
        self.last.next = (self.seen.q.val() + 1) == self.waiting.val();

        // what this clock does
        self.create.next = self.look.val() & (self.op.q.val() == 0);
        // an end of a READ that has been replaced is nobody's
        self.ending.next = self.look.val()
            & (self.op.q.val() == 1)
            & self.own.val()
            & self.active.val()
            & (self.entry.q.val().get_bits::<2>(50) == self.list.val().get_bits::<2>(90));
        self.fail.next = self.ending.val() & self.entry.q.val().get_bit(0) & self.acks.up.ready.val();
        self.leave.next = self.ending.val() & !self.entry.q.val().get_bit(0) & (self.covered.val() == 0);
        self.answer.next = self.look.val() & (self.op.q.val() == 2) & self.own.val();
        self.pass.next = self.answer.val() & !self.active.val() & !self.is_read.val() & self.acks.up.ready.val();
        self.rewind.next = self.answer.val() & self.active.val() & self.is_read.val() & self.entry.q.val().get_bit(200);
        self.keep.next = self.answer.val() & self.active.val() & !self.rewind.val();
        self.store.next = self.keep.val() & (self.pool.free.val() > 1);
        self.stalled.next = !self.acks.up.ready.val()
            & ((self.ending.val() & self.entry.q.val().get_bit(0))
                | (self.answer.val() & !self.active.val() & !self.is_read.val()));
        self.pop.next = (self.state.q.val() == 3) & (self.item_reads.val() | self.acks.up.ready.val());
        self.judge.next = self.state.q.val() == 5;
        self.taken_back.next =
            self.judge.val() & (self.cut.q.val() | self.replaces.q.val() | !self.beyond.val().get_bit(23));
        self.finish.next = self.state.q.val() == 6;
        self.activate.next = (self.state.q.val() == 7) & !self.activation.busy.val();

        // where it goes on
        if self.look.val() {
            self.state.d.next = bits_u::<4>(0);
            self.seen.d.next = bits_u::<11>(0);
            self.removed.d.next = bits_u::<11>(0);
            self.cursor.d.next = self.list.val().get_bits::<10>(22);
            self.cut.d.next = false;
            self.replaces.d.next = self.rewind.val() & !self.covered.val().get_bit(23);
            if self.stalled.val() {
                self.state.d.next = bits_u::<4>(1);
            }
            if self.leave.val() & self.waiting.val().any() {
                self.state.d.next = bits_u::<4>(2);
            }
            if self.rewind.val() {
                self.state.d.next = bits_u::<4>(4);
                if self.waiting.val() == 0 {
                    self.state.d.next = bits_u::<4>(6);
                }
            }
            if self.answer.val() & !self.active.val() & self.is_read.val() {
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
        if self.pop.val() {
            self.cursor.d.next = self.pool.behind.val();
            self.state.d.next = bits_u::<4>(2);
            if self.waiting.val() == 1 {
                self.state.d.next = bits_u::<4>(0);
            }
            if self.item_reads.val() {
                self.entry.d.next = self.pool.item.val();
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
            self.earlier.d.next = self.cursor.q.val();
            self.cursor.d.next = self.pool.behind.val();
            self.state.d.next = bits_u::<4>(4);
            if self.last.val() {
                self.state.d.next = bits_u::<4>(6);
            }
        }
        if self.taken_back.val() {
            self.cut.d.next = true;
            self.removed.d.next = self.removed.q.val() + 1;
            if !self.cut.q.val() {
                self.cut_at.d.next = self.cursor.q.val();
                self.cut_after.d.next = self.earlier.q.val();
            }
        }
        if self.finish.val() {
            // once more, as one that repeats nothing
            self.entry.d.next = self.entry.q.val().replace_bit(200, false);
            self.state.d.next = bits_u::<4>(8);
            if self.replaces.q.val() {
                self.state.d.next = bits_u::<4>(7);
            }
        }
        if self.activate.val() {
            self.state.d.next = bits_u::<4>(0);
        }

        // places
        self.pool.at.next = self.cursor.q.val();
        self.pool.store.next = self.store.val();
        self.pool.new_item.next = self.entry.q.val();
        self.pool.link.next = self.waiting.val().any();
        self.pool.link_to.next = self.list.val().get_bits::<10>(32);
        self.pool.give.next = ((self.create.val() | self.fail.val()) & self.waiting.val().any())
            | self.pop.val()
            | (self.finish.val() & self.cut.q.val());
        self.pool.give_first.next = self.list.val().get_bits::<10>(22);
        self.pool.give_last.next = self.list.val().get_bits::<10>(32);
        self.pool.give_count.next = self.waiting.val();
        if self.pop.val() {
            self.pool.give_last.next = self.list.val().get_bits::<10>(22);
            self.pool.give_count.next = bits_u::<11>(1);
        }
        if self.finish.val() {
            self.pool.give_first.next = self.cut_at.q.val();
            self.pool.give_count.next = self.removed.q.val();
        }

        // the list as it will be
        self.low_new.next = self.list.val().get_bits::<11>(0);
        self.waiting_new.next = self.waiting.val();
        self.head_new.next = self.list.val().get_bits::<10>(22);
        self.tail_new.next = self.list.val().get_bits::<10>(32);
        self.upper_new.next = self.list.val().get_bits::<48>(42);
        self.tag_new.next = self.list.val().get_bits::<2>(90);
        self.completed.next =
            self.entry.q.val().get_bits::<24>(50) - bit_cast_u::<24, 1>(self.entry.q.val().get_bits::<1>(419));
        if self.create.val() {
            self.low_new.next = bit_cast_u::<11, 8>(self.creation.q.val().get_bits::<8>(8))
                | (bit_cast_u::<11, 1>(bit_cast_b(!self.creation.q.val().get_bit(16))) << 9)
                | (bit_cast_u::<11, 1>(self.creation.q.val().get_bits::<1>(17)) << 10);
            self.waiting_new.next = bits_u::<11>(0);
        }
        if self.fail.val() {
            self.low_new.next = self
                .list
                .val()
                .get_bits::<11>(0)
                .replace_bit(8, false)
                .replace_bit(9, true);
            self.waiting_new.next = bits_u::<11>(0);
        }
        if self.leave.val() {
            self.low_new.next = self.list.val().get_bits::<11>(0).replace_bit(8, false);
        }
        if self.store.val() {
            self.waiting_new.next = self.waiting.val() + 1;
            self.tail_new.next = self.pool.head.val();
            if self.waiting.val() == 0 {
                self.head_new.next = self.pool.head.val();
            }
        }
        if self.pop.val() {
            self.waiting_new.next = self.waiting.val() - 1;
            self.head_new.next = self.pool.behind.val();
        }
        if self.finish.val() & self.cut.q.val() {
            self.waiting_new.next = self.waiting.val() - self.removed.q.val();
            self.tail_new.next = self.cut_after.q.val();
        }
        if self.activate.val() {
            self.low_new.next = self.list.val().get_bits::<11>(0).replace_bit(8, true);
            self.upper_new.next = bit_cast_u::<48, 24>(self.activation.end_psn.val())
                | (bit_cast_u::<48, 24>(self.completed.val()) << 24);
            self.tag_new.next = self.list.val().get_bits::<2>(90) + 1;
        }
        self.changed.next = bit_cast_w::<92, 2, 11>(self.low_new.val())
            | (bit_cast_w::<92, 2, 11>(self.waiting_new.val()) << 11)
            | (bit_cast_w::<92, 2, 10>(self.head_new.val()) << 22)
            | (bit_cast_w::<92, 2, 10>(self.tail_new.val()) << 32)
            | (bit_cast_w::<92, 2, 48>(self.upper_new.val()) << 42)
            | (bit_cast_w::<92, 2, 2>(self.tag_new.val()) << 90);
        self.held.d.next = self.changed.val();
        if self.state.q.val() == 8 {
            self.held.d.next = self.lists.rdata.val();
        }
        self.lists.we.next = self.create.val()
            | self.fail.val()
            | self.leave.val()
            | self.store.val()
            | self.pop.val()
            | self.finish.val()
            | self.activate.val();
        self.lists.waddr.next = self.qp.q.val();
        self.lists.wdata.next = self.changed.val();
        if self.pool.clearing.val() {
            self.lists.we.next = true;
            self.lists.waddr.next = self.pool.clear_at.val();
            self.lists.wdata.next = bit_cast_w::<92, 2, 1>(bits_u::<1>(0));
        }

        // out
        self.acks.up.valid.next = self.pass.val() | self.fail.val() | (self.pop.val() & !self.item_reads.val());
        self.acks.up.data.next =
            bit_cast_ww::<415, 7, 414, 7>(bit_cast_ww::<414, 7, 420, 7>(self.entry.q.val() >> 2)) << 1;
        if self.pop.val() {
            self.acks.up.data.next =
                bit_cast_ww::<415, 7, 414, 7>(bit_cast_ww::<414, 7, 420, 7>(self.pool.item.val() >> 2)) << 1;
        }
        if self.fail.val() {
            self.acks.up.data.next = (bit_cast_w::<415, 7, 8>(self.qp.q.val()) << 1)
                | (bit_cast_w::<415, 7, 8>(self.list.val().get_bits::<8>(0)) << 9)
                | (bit_cast_w::<415, 7, 24>(self.entry.q.val().get_bits::<24>(18)) << 17)
                | (bit_cast_w::<415, 7, 8>(bits_u::<8>(0x63)) << 41)
                | (bit_cast_w::<415, 7, 24>(self.list.val().get_bits::<24>(66)) << 49)
                | (bit_cast_w::<415, 7, 1>(self.list.val().get_bits::<1>(10)) << 74);
        }
        self.ack.valid.next = self.acks.down.valid.val();
        self.ack.data.next = self.acks.down.data.val();
        self.acks.down.ready.next = self.ack.ready.val();

        inputs!(activation, reset, activate, qp, entry);
        self.activation.tag.next = self.tag_new.val();
        WorkOut::link(&mut self.work, &mut self.activation.work);
        outputs!(activation, read_valid, read_qp, read_data);

        self.left_what_r.d.next = bits_u::<3>(0);
        self.left_qp_r.d.next = self.qp.q.val();
        self.left_generation_r.d.next = self.list.val().get_bits::<8>(0);
        // one without place is as good as lost
        if self.leave.val()
            | (self.taken_back.val() & self.item_reads.val())
            | (self.activate.val() & self.replaces.q.val())
            | (self.keep.val() & !self.store.val() & self.is_read.val())
        {
            self.left_what_r.d.next = bits_u::<3>(1);
        }
        if self.taken_back.val() & !self.item_reads.val() & (self.pool.item.val().get_bits::<8>(42) != 0x1f) {
            self.left_what_r.d.next = bits_u::<3>(2);
        }
        if self.fail.val() {
            self.left_what_r.d.next = bits_u::<3>(5);
        }
        self.left_valid.next = self.left_what_r.q.val().any();
        self.left_what.next = self.left_what_r.q.val();
        self.left_qp.next = self.left_qp_r.q.val();
        self.left_generation.next = self.left_generation_r.q.val();
        self.full_r.d.next = self.pool.clearing.val() | self.acks.crowded.val() | (self.pool.free.val() < 192);
        self.full.next = self.full_r.q.val();
        self.free.next = self.pool.free.val();

        if self.reset.val() {
            self.state.d.next = bits_u::<4>(0);
            self.left_what_r.d.next = bits_u::<3>(0);
            self.full_r.d.next = true;
        }
    }
}
