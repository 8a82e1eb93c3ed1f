//! Response queue: answers of the responder leave in PSN order, READ responses among them.
//!
//! A queue pair without READ in progress sends its acknowledgements at once. A READ becomes active when nothing waits before it; what
//! comes behind it waits in a list until its last response has left, and goes then, up to the next READ. A READ that comes directly
//! behind the active one becomes active too, before that one has left, so that their responses are fetched back to back; eight at most
//! are active, of more than 16 packets three, of 32 and more two: that fills the wire, and what is granted long before it leaves comes late for a cap. A READ asked for again
//! takes back everything from its PSN on, as `hpcc_models::nic` does in `Responder::rewind`, but for one thing: if it lies in or before an active
//! READ, all of those are replaced, since what lies before the new PSN has been received.
//!
//! | step | does |
//! |---|---|
//! | `Idle` | takes a creation, a READ's end, or an answer, in this order; the list of its queue pair was read a clock ago, if it was offered then |
//! | `Held` | reads it otherwise |
//! | `Look` | decides about a creation or an acknowledgement, which leaves or waits |
//! | `Look`, `Decide` | compares and decides: a READ becomes active or waits, one is answered. If nothing more is to do after a decision, the next one is taken as in `Idle` |
//! | `AddressHead`, `AwaitHead`, `CompareHead`, `Pop` | list from its head on: acknowledgements leave, to the next READ, which becomes active; READs at the head that follow the active one do too |
//! | `AddressNext`, `AwaitNext`, `CompareNext`, `Judge` | list from its head on: what is taken back |
//! | `Finish` | the rest of the list is given back |
//! | `Activate` | a READ of the list, or one asked for again, becomes active |

pub mod activation;
pub mod intake;
pub mod pool;
#[cfg(test)]
mod tests;

use crate::prim::fifo::StreamFifo;
use crate::prim::ram::Ram;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::sched::ports::WorkOut;
use crate::words::context::QpContext;
use crate::words::requester::ReadPlace;
use crate::words::responses::{QpChange, ResponseInput, ResponseList, ResponseStep};
use crate::words::transport::{AckSend, Commit, CommitKind, ReadRequest, ReadState};
use crate::words::wire::AethSyndrome;
use crate::{block, kernel};
use activation::Activation;
use intake::Intake;
use pool::NodePool;
use rust_hdl::prelude::*;

/// Answers waiting at most, over all queue pairs; `full` comes 192 before.
pub const RESPONSE_NODES: usize = 1024;

/// READs of a queue pair that are active at most.
pub const ACTIVE_READS: usize = 8;

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
    pub context_data: Signal<In, QpContext>,
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
    pub gone_tag: Signal<In, U<4>>,
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
    step: DFF<ResponseStep>,
    #[registers(U<10>: cursor, earlier, cut_at, cut_after)]
    #[registers(U<11>: seen, removed)]
    #[registers(Bit: cut, replaces, fresh)]
    // PSNs and tags compared, a clock before the decision
    #[registers(Bit: entry_follows, item_follows, before_end, at_end, of_last, of_oldest, of_active, item_reached)]
    #[signals(ResponseList: list, changed)]
    #[signals(ReadRequest: asked, next_asked, item_asked)]
    #[signals(U<24>: span, item_span, covered, beyond, completed)]
    #[signals(Bit: append, idle, look, active, own, is_read, item_reads, last, compares)]
    #[signals(Bit: create, ending, fails, fail, passes, leave, answer, at_once, pass, covers, rewind, drops, begins, keep, store, stalled)]
    #[signals(Bit: pop, judge, taken_back, finish, activate, goes_on, looks_again, takes)]
    /// Active READs behind the one that ends.
    behind: Signal<Local, U<4>>,
    /// Messages completed before each READ, by queue pair and tag modulo 8, and those before the READ that ends.
    completions: Ram<U<24>, 11>,
    asked_place: Signal<Local, ReadPlace>,
    told_place: Signal<Local, ReadPlace>,
    completed_before: DFF<U<24>>,
    /// The answer is a READ asked for again.
    again: DFF<Bit>,
    /// The READ that becomes active follows the active one.
    extending: DFF<Bit>,
    subject: DFF<ResponseInput>,
    entry: DFF<Commit>,
    creation: DFF<QpChange>,
    qp: DFF<U<8>>,
    /// The list of that queue pair, unless `fresh` says that it has just been read: then `fetched`.
    held: DFF<ResponseList>,
    fetched: DFF<ResponseList>,
    /// What was addressed in the clock before.
    addressed: DFF<U<11>>,
    /// The list of what is offered has been read, and may be decided about.
    known: Signal<Local, Bit>,
    /// What is offered is compared before it is decided.
    next_compares: Signal<Local, Bit>,
    item: Signal<Local, Commit>,
    waiting: Signal<Local, U<11>>,
    sent: Signal<Local, AckSend>,
    // out
    #[registers(U<8>: left_qp_r, left_generation_r)]
    activation: Activation,
    full_r: DFF<Bit>,
    left_what_r: DFF<U<3>>,
}

#[kernel]
impl Logic for ResponseQueue {
    fn update(&mut self) {
        inputs!([pool, acks]: reset);
        inputs!(intake:
            reset, context_valid, context_qp, context_data, gone_valid, gone_failed, gone_qp, gone_generation, gone_psn,
            gone_tag);
        StreamIn::<Commit>::link(&mut up, &mut intake.up);
        asked = bit_cast_word::<ReadRequest, W<336, 6>>(entry.int_stack);
        idle = (step == ResponseStep::Idle) & !pool.clearing;

        // the list, and where the PSN of the answer stands to it
        list = held;
        if fresh {
            list = fetched;
        }
        item = pool.item;
        item_asked = bit_cast_word::<ReadRequest, W<336, 6>>(item.int_stack);
        assign!(waiting = list.waiting, active = list.active);
        own = (list.generation == entry.generation) & !list.dead;
        covered = list.end_psn + !entry.psn;
        beyond = item.psn - entry.psn;
        is_read = entry.kind == CommitKind::Read;
        item_reads = item.kind == CommitKind::Read;
        compares = (subject == ResponseInput::ReadEnd) | ((subject == ResponseInput::Answer) & is_read);
        look = ((step == ResponseStep::Look) & !compares) | (step == ResponseStep::Decide);
        last = (seen + 1) == waiting;
        // whether a READ goes on where the active one ends, and no flow goes on for 2^22 PSNs without a restart
        each!((reads, read_psn, count, reach, follows) in [
            (is_read, entry.psn, asked.count, span, entry_follows),
            (item_reads, item.psn, item_asked.count, item_span, item_follows),
        ] {
            reach = read_psn + count - list.start_psn;
            follows = reads
                & (read_psn == list.end_psn)
                & !reach.get_bits::<2>(22).any()
                & (!list.ahead.any()
                    | ((list.ahead < 2) & (count < 32))
                    | (!list.ahead.all() & (count < 17)));
        });

        behind = list.tag - entry.msn.get_bits::<4>(0);
        of_last = behind == 0;
        of_oldest = behind == bit_cast_u::<4, 3>(list.ahead);
        of_active = behind <= bit_cast_u::<4, 3>(list.ahead);
        at_end = covered == 0;
        before_end = !covered.get_bit(23);
        item_reached = !beyond.get_bit(23);

        // what this clock does
        create = look & (subject == ResponseInput::Creation);
        // an end of a READ that has been replaced is nobody's
        ending = look & (subject == ResponseInput::ReadEnd) & own & active;
        fails = ending & of_active & entry.ends_or_failed;
        fail = fails & acks.up.ready;
        // the READs before one that has left have left
        passes = ending & !entry.ends_or_failed & list.ahead.any() & of_active & (!of_last | at_end);
        leave = ending & !entry.ends_or_failed & !list.ahead.any() & of_last & at_end;
        answer = look & (subject == ResponseInput::Answer) & own;
        at_once = answer & !active & !is_read;
        pass = at_once & acks.up.ready;
        rewind = answer & active & is_read & again;
        // all active ones are replaced, the oldest first
        covers = rewind & before_end;
        drops = covers & list.ahead.any();
        append = answer & active & !again & (waiting == 0) & entry_follows;
        begins = answer & !active & is_read;
        keep = answer & active & !rewind & !append;
        store = keep & (pool.free > 1);
        stalled = (!acks.up.ready & (fails | at_once)) | (activation.busy & (begins | append));
        looks_again = drops | (passes & !of_oldest);
        pop = (step == ResponseStep::Pop) & ((extending & item_follows) | (!extending & (item_reads | acks.up.ready)));
        judge = step == ResponseStep::Judge;
        taken_back = judge & (cut | replaces | item_reached);
        finish = step == ResponseStep::Finish;
        activate = ((step == ResponseStep::Activate) | begins | append) & !activation.busy;
        goes_on = append | ((step == ResponseStep::Activate) & extending);

        // the next one comes in with the decision, if that is all
        takes = idle | (look & !stalled & !rewind & !looks_again & !((leave | passes) & waiting.any()));
        intake.take = takes;
        next_asked = bit_cast_word::<ReadRequest, W<336, 6>>(intake.entry.val().int_stack);
        lists.raddr = intake.qp;
        asked_place.qp = intake.qp;
        asked_place.place = bit_cast_u::<3, 24>(intake.entry.val().msn);
        addressed = bit_cast_number::<11, ReadPlace>(asked_place);
        // the pool needs a clock between two answers: of those that follow at once only the ones that are compared first come so soon
        next_compares = (intake.subject == ResponseInput::ReadEnd)
            | ((intake.subject == ResponseInput::Answer) & (intake.entry.val().kind == CommitKind::Read));
        known = (addressed == bit_cast_number::<11, ReadPlace>(asked_place)) & (idle | next_compares);
        if takes {
            assign! {
                qp.d = intake.qp, subject.d = intake.subject, entry.d = intake.entry, again.d = next_asked.duplicate,
                creation.d = intake.creation
            }
        }

        // where it goes on
        if look {
            step = ResponseStep::Idle;
            clear!(seen, removed);
            cursor = list.head;
            extending = passes;
            cut = false;
            replaces = covers;
            if stalled {
                step = ResponseStep::Look;
            }
            if (leave | passes) & waiting.any() {
                step = ResponseStep::AddressHead;
            }
            if rewind {
                step = if waiting == 0 { ResponseStep::Finish } else { ResponseStep::AddressNext };
            }
            if looks_again {
                step = ResponseStep::Look;
            }
        }
        if (step == ResponseStep::Look) & compares {
            step = ResponseStep::Decide;
        }
        if step == ResponseStep::Held {
            step = ResponseStep::Look;
        }
        if step == ResponseStep::AddressHead {
            step = ResponseStep::AwaitHead;
        }
        if step == ResponseStep::AwaitHead {
            step = ResponseStep::CompareHead;
        }
        if step == ResponseStep::CompareHead {
            step = ResponseStep::Pop;
        }
        if (step == ResponseStep::Pop) & extending & !item_follows {
            step = ResponseStep::Idle;
        }
        if pop {
            cursor = pool.behind;
            step = if waiting == 1 { ResponseStep::Idle } else { ResponseStep::AddressHead };
            if item_reads {
                entry = item;
                step = ResponseStep::Activate;
            }
        }
        if step == ResponseStep::AddressNext {
            step = ResponseStep::AwaitNext;
        }
        if step == ResponseStep::AwaitNext {
            step = ResponseStep::CompareNext;
        }
        if step == ResponseStep::CompareNext {
            step = ResponseStep::Judge;
        }
        if judge {
            seen = seen + 1;
            assign!(earlier.d = cursor, cursor.d = pool.behind);
            step = if last { ResponseStep::Finish } else { ResponseStep::AddressNext };
        }
        if taken_back {
            cut = true;
            removed = removed + 1;
            if !cut {
                assign!(cut_at.d = cursor, cut_after.d = earlier);
            }
        }
        if finish {
            // once more, as one that repeats nothing
            again = false;
            step = if replaces { ResponseStep::Activate } else { ResponseStep::Look };
        }
        if (step == ResponseStep::Activate) & activate {
            // the next of the list may follow it
            extending = true;
            step = ResponseStep::Idle;
            if waiting.any() & (!extending | (list.ahead < 6)) {
                step = ResponseStep::AddressHead;
            }
        }
        if takes & intake.valid {
            step = if known { ResponseStep::Look } else { ResponseStep::Held };
        }

        // places
        inputs!(pool: at = cursor, store);
        pool.new_item = entry;
        pool.link = waiting.any();
        pool.link_to = list.tail;
        pool.give = ((create | fail) & waiting.any()) | pop | (finish & cut);
        inputs!(pool: give_first = list.head, give_last = list.tail, give_count = waiting);
        if pop {
            pool.give_last = list.head;
            pool.give_count = bits_u::<11>(1);
        }
        if finish {
            inputs!(pool: give_first = cut_at, give_count = removed);
        }

        // the list as it will be
        changed = list;
        completed = entry.msn - bit_cast_u::<24, 1>(bit_cast_b(entry.ends_or_failed));
        told_place.qp = qp;
        told_place.place = bit_cast_u::<3, 4>(list.tag + 1);
        completions.we = activate;
        completions.waddr = bit_cast_number::<11, ReadPlace>(told_place);
        completions.wdata = completed;
        if create {
            changed.generation = creation.generation;
            changed.active = false;
            changed.dead = !creation.alive;
            changed.int_on = creation.int_on;
            changed.waiting = bits_u::<11>(0);
            changed.ahead = bits_u::<3>(0);
        }
        if fail {
            changed.active = false;
            changed.dead = true;
            changed.waiting = bits_u::<11>(0);
            changed.ahead = bits_u::<3>(0);
        }
        if leave {
            changed.active = false;
        }
        if passes | drops {
            changed.ahead = list.ahead - 1;
        }
        if store {
            changed.waiting = waiting + 1;
            changed.tail = pool.head;
            if waiting == 0 {
                changed.head = pool.head;
            }
        }
        if pop {
            changed.waiting = waiting - 1;
            changed.head = pool.behind;
        }
        if finish & cut {
            changed.waiting = waiting - removed;
            changed.tail = cut_after;
        }
        if activate {
            changed.active = true;
            changed.end_psn = activation.end_psn;
            changed.tag = list.tag + 1;
            changed.ahead = list.ahead + 1;
            if !goes_on {
                changed.ahead = bits_u::<3>(0);
                changed.epoch = list.epoch + 1;
                changed.start_psn = entry.psn;
            }
        }
        held = changed;
        fetched = lists.rdata;
        // the list at hand has been written since it was read
        fresh = (step == ResponseStep::Held) | (takes & known & (idle | (intake.qp != qp)));
        completions.raddr = bit_cast_number::<11, ReadPlace>(asked_place);
        if takes | (step == ResponseStep::Held) {
            completed_before = completions.rdata;
        }
        lists.we = create | fail | leave | passes | drops | store | pop | finish | activate;
        inputs!(lists: waddr = qp, wdata = changed);
        if pool.clearing {
            lists.we = true;
            lists.waddr = pool.clear_at;
            lists.wdata = bits_zero::<ResponseList>(0);
        }

        // out
        acks.up.valid = pass | fail | (pop & !item_reads);
        sent = bits_zero::<AckSend>(0);
        fields!(sent from entry: qp, generation, psn, syndrome, msn, int_length, int_stack);
        if pop {
            fields!(sent from item: qp, generation, psn, syndrome, msn, int_length, int_stack);
        }
        if fail {
            fields!(sent: qp, generation = list.generation);
            sent.syndrome = AethSyndrome::NakRemoteOperation;
            sent.msn = completed_before;
            sent.int_length = bit_cast_u::<6, 1>(bit_cast_b(list.int_on)) << 1;
            sent.int_stack = bits_zero::<W<336, 6>>(0);
        }
        acks.up.data = sent;
        outputs!(acks: ack.valid = down.valid, ack.data = down.data);
        acks.down.ready = ack.ready;

        inputs!(activation: reset, activate, qp, entry);
        activation.tag = list.tag + 1;
        activation.epoch = if goes_on { list.epoch } else { list.epoch + 1 };
        activation.goes_on = goes_on;
        WorkOut::link(&mut work, &mut activation.work);
        outputs!(activation: read_valid, read_qp, read_data);

        left_what_r = bits_u::<3>(0);
        assign!(left_qp_r.d = qp, left_generation_r.d = list.generation);
        // one without place is as good as lost
        if leave
            | passes
            | drops
            | (taken_back & item_reads)
            | ((step == ResponseStep::Activate) & activate & replaces)
            | (keep & !store & is_read)
        {
            left_what_r = bits_u::<3>(1);
        }
        if taken_back & !item_reads & (item.syndrome != AethSyndrome::Ack) {
            left_what_r = bits_u::<3>(2);
        }
        if fail {
            left_what_r = bits_u::<3>(5);
        }
        left_valid = left_what_r.any();
        assign! {
            left_what = left_what_r, left_qp = left_qp_r, left_generation = left_generation_r
        }
        full_r = pool.clearing | acks.crowded | (pool.free < 192);
        full = full_r;
        free = pool.free;

        if reset {
            clear!(step, left_what_r);
            full_r = true;
        }
    }
}
