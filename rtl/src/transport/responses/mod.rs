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
//! | `Idle` | waits for what [`intake::Intake`] has taken up: a creation, a READ's end, or an answer, and the list of its queue pair |
//! | `Look` | compares it with the list, as soon as what may be decided can leave |
//! | `Decide` | an acknowledgement leaves or waits, a READ becomes active or waits, one is answered; the next one comes in, if it is there and nothing more is to do |
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
use crate::prim::ram::RamReg;
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
    lists: RamReg<ResponseList, 8>,
    intake: Intake,
    acks: StreamFifo<AckSend, 8, 128>,
    step: DFF<ResponseStep>,
    #[registers(U<10>: cursor, earlier, cut_at, cut_after)]
    #[registers(U<11>: seen, removed)]
    #[registers(Bit: cut, replaces)]
    // what is decided, from `Look`, in the clock of `Decide`
    #[registers(Bit: create, fail, passes, leave, pass, rewind, covers, drops, store, lost, looks_again)]
    // compared a clock before `Pop` or `Judge`
    #[registers(Bit: item_follows, item_reached)]
    // the next one comes in; its queue pair is that of the one at hand; one has come in since reset
    #[registers(Bit: load, rests, same, started)]
    // a READ becomes active; it goes on where the one before it ends
    #[registers(Bit: activate, goes_on)]
    // the list had answers that wait, a clock ago
    #[registers(Bit: some)]
    #[signals(ResponseList: list, changed)]
    #[signals(ReadRequest: asked, next_asked, item_asked)]
    #[signals(U<24>: psn, count, span, covered, beyond, completed)]
    #[signals(Bit: idle, look, blocked, active, own, answer, ending, is_read, of_read, last, too_far, settled)]
    #[signals(Bit: follows, at_end, before_end, of_last, of_oldest, of_active, begins, append, keep)]
    #[signals(Bit: comes, pop, taken_back)]
    /// Active READs behind the one that ends.
    behind: Signal<Local, U<4>>,
    /// The answer in the list is compared, not the one that came in.
    of_item: DFF<Bit>,
    /// It leaves or becomes active, or did so a clock ago: `popping` for what is wide.
    pops: DFF<Bit>,
    // the steps `Pop`, `Judge` and `Finish`; the answer in the list is a READ
    #[registers(Bit: popping, judge, finish, item_reads)]
    /// One past the last PSN of the READ compared a clock ago, and the PSNs from the flow's start to there.
    next_end: DFF<U<24>>,
    next_reach: DFF<U<24>>,
    /// Messages completed before each READ, by queue pair and tag modulo 8.
    completions: RamReg<U<24>, 11>,
    asked_place: Signal<Local, ReadPlace>,
    told_place: Signal<Local, ReadPlace>,
    /// The answer is a READ asked for again.
    again: DFF<Bit>,
    /// The READ that becomes active follows the active one.
    extending: DFF<Bit>,
    subject: DFF<ResponseInput>,
    entry: DFF<Commit>,
    creation: DFF<QpChange>,
    qp: DFF<U<8>>,
    /// The list of that queue pair.
    held: DFF<ResponseList>,
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

        // the list, and where the answer that came or the one in the list stands to it
        list = held;
        item = pool.item;
        item_asked = bit_cast_word::<ReadRequest, W<336, 6>>(item.int_stack);
        assign!(waiting = list.waiting, active = list.active);
        some = waiting.any();
        is_read = entry.kind == CommitKind::Read;
        item_reads = item.kind == CommitKind::Read;
        own = (list.generation == entry.generation) & !list.dead;
        of_item = (step == ResponseStep::AwaitHead) | (step == ResponseStep::CompareHead) | (step == ResponseStep::Pop);
        pops = (step == ResponseStep::CompareHead) | (step == ResponseStep::Pop);
        assign!(psn = entry.psn, count = asked.count, of_read = is_read);
        if of_item {
            assign!(psn = item.psn, count = item_asked.count);
            of_read = item.kind == CommitKind::Read;
        }
        span = list.reach + count;
        next_end = psn + count;
        next_reach = span;
        // of an end `psn` is one past it
        at_end = psn == list.end_psn;
        // a READ goes on where the active one ends, and no flow goes on for 2^22 PSNs without a restart
        too_far = (list.ahead.any() & !(count < 32)) | ((list.ahead > 1) & !(count < 17)) | list.ahead.all();
        follows = of_read & at_end & !span.get_bits::<2>(22).any() & !too_far;
        item_follows = follows;
        covered = list.end_psn + !entry.psn;
        before_end = !covered.get_bit(23);
        behind = list.tag - entry.msn.get_bits::<4>(0);
        of_last = behind == 0;
        of_oldest = behind == bit_cast_u::<4, 3>(list.ahead);
        of_active = behind <= bit_cast_u::<4, 3>(list.ahead);
        beyond = item.psn - entry.psn;
        item_reached = !beyond.get_bit(23);

        // `Look`: what is decided. It waits for the room that it may need
        blocked = (!acks.up.ready & !is_read & (subject != ResponseInput::Creation))
            | (activation.busy & is_read & (subject == ResponseInput::Answer) & !(active & waiting.any()));
        look = (step == ResponseStep::Look) & !blocked & !reset;
        create = look & (subject == ResponseInput::Creation);
        // an end of a READ that has been replaced is nobody's
        ending = look & (subject == ResponseInput::ReadEnd) & own & active;
        fail = ending & of_active & entry.ends_or_failed;
        // the READs before one that has left have left
        passes = ending & !entry.ends_or_failed & list.ahead.any() & of_active & (!of_last | at_end);
        leave = ending & !entry.ends_or_failed & !list.ahead.any() & of_last & at_end;
        answer = look & (subject == ResponseInput::Answer) & own;
        pass = answer & !active & !is_read;
        rewind = answer & active & is_read & again;
        // all active ones are replaced, the oldest first
        covers = answer & active & is_read & again & before_end;
        drops = answer & active & is_read & again & before_end & list.ahead.any();
        append = answer & active & !again & !waiting.any() & follows;
        begins = answer & !active & is_read;
        keep = answer & active & !(is_read & again) & !(!again & !waiting.any() & follows);
        store = keep & (pool.free > 1);
        lost = keep & !(pool.free > 1) & is_read;
        looks_again = (answer & active & is_read & again & before_end & list.ahead.any())
            | (ending & !entry.ends_or_failed & list.ahead.any() & of_active & !of_oldest & (!of_last | at_end));

        // the next one comes in beside the decision, if that is all
        settled = !(is_read & again & active & (subject == ResponseInput::Answer))
            & !((subject == ResponseInput::ReadEnd) & (waiting.any() | !of_oldest));
        comes = !load & intake.valid & (idle | (look & settled));
        load = comes;
        // the same for what is wide
        rests = !comes;
        inputs!(intake: take = load, rests);
        started = started | load;
        same = started & (intake.qp == qp);
        next_asked = bit_cast_word::<ReadRequest, W<336, 6>>(intake.entry.val().int_stack);
        if load {
            assign!(
                qp.d = intake.qp,
                subject.d = intake.subject,
                again.d = next_asked.duplicate,
                creation.d = intake.creation
            );
        }
        if !rests {
            entry = intake.entry;
        }
        if pops {
            entry = item;
        }

        // `Decide` and the steps behind it
        popping = (step == ResponseStep::CompareHead) | (popping & !extending & !item_reads & !acks.up.ready);
        pop = popping & ((extending & item_follows) | (!extending & (item_reads | acks.up.ready)));
        last = (seen + 1) == waiting;
        judge = step == ResponseStep::CompareNext;
        taken_back = judge & (cut | replaces | item_reached);
        finish = (rewind & !some & !looks_again) | (judge & last);
        // known a clock before; nothing but this makes `activation` busy
        activate = begins
            | append
            | (!activation.busy
                & ((pop & item_reads) | (finish & replaces) | ((step == ResponseStep::Activate) & !activate)));
        goes_on = if step == ResponseStep::Look { active } else { extending };

        // where it goes on
        if look {
            step = ResponseStep::Decide;
        }
        if step == ResponseStep::Decide {
            step = ResponseStep::Idle;
            clear!(seen, removed);
            cursor = list.head;
            extending = passes;
            cut = false;
            replaces = covers;
            if (leave | passes) & some {
                step = ResponseStep::AddressHead;
            }
            if rewind {
                step = if some { ResponseStep::AddressNext } else { ResponseStep::Finish };
            }
            if looks_again {
                step = ResponseStep::Look;
            }
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
        if popping & extending & !item_follows {
            step = ResponseStep::Idle;
        }
        if pop {
            cursor = pool.behind;
            step = if waiting == 1 { ResponseStep::Idle } else { ResponseStep::AddressHead };
            if item_reads {
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
        if load {
            step = ResponseStep::Look;
        }

        // places
        inputs!(pool: at = cursor, store);
        pool.new_item = entry;
        pool.link = some;
        pool.link_to = list.tail;
        pool.give = ((create | fail) & some) | pop | (finish & cut);
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
            if !some {
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
            changed.end_psn = next_end;
            changed.reach = next_reach;
            changed.tag = list.tag + 1;
            changed.ahead = list.ahead + 1;
            if !goes_on {
                changed.ahead = bits_u::<3>(0);
                changed.epoch = list.epoch + 1;
                changed.reach = asked.count;
            }
        }
        held = changed;
        if load & !same {
            held = lists.rdata;
        }
        lists.raddr = intake.coming_qp;
        asked_place.qp = qp;
        asked_place.place = bit_cast_u::<3, 24>(entry.msn);
        if load {
            asked_place.qp = intake.qp;
            asked_place.place = bit_cast_u::<3, 24>(intake.entry.val().msn);
        }
        completions.raddr = bit_cast_number::<11, ReadPlace>(asked_place);
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
        if subject == ResponseInput::ReadEnd {
            fields!(sent: qp, generation = list.generation);
            sent.syndrome = AethSyndrome::NakRemoteOperation;
            sent.msn = completions.rdata;
            sent.int_length = bit_cast_u::<6, 1>(bit_cast_b(list.int_on)) << 1;
        }
        if pops {
            fields!(sent from item: qp, generation, psn, syndrome, msn, int_length, int_stack);
        }
        acks.up.data = sent;
        outputs!(acks: ack.valid = down.valid, ack.data = down.data);
        acks.down.ready = ack.ready;

        inputs!(activation: reset, activate, qp, entry, end_psn = next_end);
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
            | lost
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
        // what has been taken up has its place besides the 192
        full_r = pool.clearing | acks.crowded | (pool.free < 193);
        full = full_r;
        free = pool.free;

        if reset {
            clear!(step, left_what_r, load, started, activate, popping, judge, finish);
            rests = true;
            full_r = true;
        }
    }
}
