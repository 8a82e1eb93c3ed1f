//! Response queue: answers of the responder leave in PSN order, READ responses among them.
//!
//! A queue pair without READ in progress sends its acknowledgements at once. A READ becomes active when nothing waits before it; what
//! comes behind it waits in a list until its last response has left, and goes then, up to the next READ. A READ that comes directly
//! behind the active one becomes active too, before that one has left, so that their responses are fetched back to back; sixteen at most
//! are active, of more than 16 packets three, of 32 and more two: that fills the wire, and what is granted long before it leaves comes late for a cap. A READ asked for again
//! takes back everything from its PSN on, as `hpcc_models::nic` does in `Responder::rewind`, but for one thing: if it lies in or before an active
//! READ, all of those are replaced, since what lies before the new PSN has been received.
//!
//! What comes is compared, looked at and decided in a clock each, one a clock of different queue pairs, one in four of the same:
//!
//! | clock | what |
//! |---|---|
//! | 0 | [`intake::Intake`] has taken it up, and addressed the list of its queue pair |
//! | 1 | it is compared with the list |
//! | 2 | looked at: what is to be done |
//! | 3 | decided: an acknowledgement leaves or waits, a READ becomes active or waits, one is answered; the list is written |
//!
//! What is not done then keeps `busy` high, and what is looked at waits, and with it what is compared:
//!
//! | step | does |
//! |---|---|
//! | `Compare`, `Look`, `Decide` | the same once more |
//! | `Tell` | the responder hears of a READ that found no place |
//! | `AddressHead`, `AwaitHead`, `CompareHead`, `Pop` | list from its head on: acknowledgements leave, to the next READ, which becomes active; READs at the head that follow the active one do too |
//! | `AddressNext`, `AwaitNext`, `CompareNext`, `Judge` | list from its head on: what is taken back |
//! | `Finish` | the rest of the list is given back |
//! | `Activate` | a READ of the list, or one asked for again, becomes active |

pub mod activation;
mod comparison;
mod follows;
pub mod intake;
pub mod pool;
#[cfg(test)]
mod tests;

use crate::prim::banked_table::BankedTable;
use crate::prim::fifo::StreamFifo;
use crate::prim::ram::RamReg;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::sched::ports::WorkOut;
use crate::words::context::QpContext;
use crate::words::requester::RingPlace;
use crate::words::responses::{Compared, QpChange, QueuedAnswer, ResponseInput, ResponseList, ResponseStep};
use crate::words::transport::{AckSend, Commit, CommitKind, ReadRequest, ReadState};
use crate::words::wire::AethSyndrome;
use crate::{block, kernel};
use activation::Activation;
use comparison::Comparison;
use follows::Follows;
use intake::Intake;
use pool::NodePool;
use rust_hdl::prelude::*;

/// Answers waiting at most, over all queue pairs; `full` comes 192 before.
pub const RESPONSE_NODES: usize = 1024;

/// READs of a queue pair that are active at most.
pub const ACTIVE_READS: usize = 16;

/// Response queue of 256 queue pairs. Reset for at least one clock; it is ready 1024 clocks later.
#[block]
pub struct ResponseQueue {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A queue pair is created or removed: what waits for it is void.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// A READ's last response has left, or one could not be read from memory.
    pub gone_valid: Signal<In, Bit>,
    /// The response could not be read from memory.
    pub gone_failed: Signal<In, Bit>,
    /// With `gone_failed`: because the region of its memory stands no longer; low: host memory failed.
    pub gone_refused: Signal<In, Bit>,
    /// Queue pair.
    pub gone_qp: Signal<In, U<8>>,
    /// Generation of the queue pair whose READ has gone.
    pub gone_generation: Signal<In, U<8>>,
    /// PSN of the response.
    pub gone_psn: Signal<In, U<24>>,
    /// Tag of its READ.
    pub gone_tag: Signal<In, U<5>>,
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
    /// What the READ asks for.
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
    /// What is decided is written in the clock in which the next one of its queue pair may be read.
    lists: RamReg<ResponseList, 8>,
    intake: Intake,
    acks: StreamFifo<AckSend, 8, 128>,
    step: DFF<ResponseStep>,
    #[registers(U<10>:
        /// Answer in the list that is looked at.
        cursor,
        /// Answer before the one that is looked at.
        earlier,
        /// First answer of the list that is taken back.
        cut_at,
        /// Answer before `cut_at`.
        cut_after)]
    #[registers(U<11>:
        /// Answers of the list that were looked at.
        seen,
        /// Answers of the list that were taken back.
        removed)]
    #[registers(Bit:
        /// The rest of the list is taken back.
        cut,
        /// A READ asked for again replaces all active ones.
        replaces)]
    // what is decided, from `Look`, in the clock of `Decide`
    #[registers(Bit:
        /// A queue pair is created: its list is empty.
        create,
        /// A READ has failed: its queue pair sends no more responses.
        fail,
        /// The READs before one that has left have left too.
        passes,
        /// The only active READ has left.
        leave,
        /// An acknowledgement leaves at once: nothing waits before it.
        pass,
        /// A READ is asked for again: everything from its PSN on is taken back.
        rewind,
        /// A READ asked for again lies in or before an active one, so that it replaces all of these.
        covers,
        /// All active READs but the oldest are dropped.
        drops,
        /// The answer waits in the list.
        store,
        /// The answer is a READ and finds no place in the list.
        lost,
        /// What is in hand is compared once more.
        looks_again,
        /// Of the READs that are dropped the responder has been told.
        drops_told)]
    // compared a clock before `Pop` or `Judge`
    #[registers(Bit:
        /// PSN of the answer in the list is not before that of what came.
        item_reached,
        /// The answer in the list is a READ that becomes active.
        item_begins,
        /// That READ would make too many active packets.
        item_too_far,
        /// The answer in the list is an acknowledgement that may leave.
        item_acknowledges)]
    // something is compared, since this clock; something is looked at
    #[registers(Bit:
        /// Something is compared.
        valid_1,
        /// What is compared was taken in this clock.
        fresh_1,
        /// What is compared is a READ asked for again.
        again_1,
        /// Something is looked at.
        valid_2,
        /// What is looked at is a READ asked for again.
        again_2)]
    // what was looked at is not done: the inverse for what is wide, too
    #[registers(Bit:
        /// What was decided is not done.
        busy,
        /// The inverse of `busy`, a register of its own that enables wide registers.
        done)]
    // what is looked at waits, because what was looked at before is not done; nothing waits: the same for what is wide
    #[registers(Bit:
        /// What is looked at waits.
        stalls,
        /// The inverse of `stalls`, a register of its own that enables wide registers.
        open)]
    // there is room for what may come of the next ones
    #[registers(Bit:
        /// There is room for what may come of the next answers.
        room,
        /// There is room for another acknowledgement at the output.
        acks_room)]
    // a READ becomes active; it goes on where the one before it ends
    #[registers(Bit:
        /// A READ becomes active.
        activate,
        /// That READ goes on where the one before it ends.
        goes_on)]
    // the list had answers that wait, a clock ago; the one that is judged is its last
    #[registers(Bit:
        /// The list had answers that wait, a clock ago.
        some,
        /// The answer that is judged is the last of the list.
        last)]
    #[signals(ResponseList: list, list_1, looked_at, changed)]
    #[signals(ReadRequest: asked, came_asks, next_asked, item_asked)]
    #[signals(U<24>: psn, count, beyond, completed)]
    #[signals(Bit: valid_next, next_first, active, own, answer, ending, is_read, lingers, repeats, failed, several)]
    #[signals(Bit: follows, at_end, before_end, of_last, of_oldest, of_active, begins, append, keep)]
    #[signals(Bit: busy_next, item_goes, pop, taken_back, waits, queued, sent_one, has_room, waits_on)]
    /// What comes, and what is in hand, with the lists of their queue pairs.
    first: Comparison,
    once_more: Comparison,
    // what they said a clock ago
    /// What the comparison said of what is compared (`first_1`) or looked at (`first_2`).
    first_1: DFF<Compared>,
    /// What the comparison said of what is compared (`first_1`) or looked at (`first_2`).
    first_2: DFF<Compared>,
    /// What the comparison said of what is in hand, a clock ago.
    once_more_r: DFF<Compared>,
    // of what is compared, and of what is looked at
    #[signals(Compared: found, compared)]
    /// The answer in the list.
    successor: Follows,
    #[signals(ResponseInput: about)]
    #[signals(ResponseStep: next_step)]
    /// The answer in the list is compared, not the one that came in.
    of_item: DFF<Bit>,
    /// It leaves or becomes active, or did so a clock ago: `popping` for what is wide.
    pops: DFF<Bit>,
    // the step `Look` or what is looked at first, and each alone; the steps `Pop`, `Judge` and `Finish`; the answer in the list is a READ
    #[registers(Bit:
        /// Something is decided: what is looked at, or what is in hand once more.
        look,
        /// What is looked at is decided.
        first_look,
        /// What is in hand is decided once more.
        looks,
        /// Step `Pop`: the answer at the head of the list leaves or becomes active.
        popping,
        /// Step `Judge`: the answer at the cursor stays or is taken back.
        judge,
        /// Step `Finish`: the rest of the list is given back.
        finish,
        /// The answer in the list is a READ.
        item_reads)]
    /// One past the last PSN of the READ compared a clock ago, and the PSNs from the flow's start to there.
    next_end: DFF<U<24>>,
    /// PSNs from the flow's start to the end of that READ.
    next_reach: DFF<U<24>>,
    /// Messages completed before each READ, by queue pair and tag modulo 16.
    completions: BankedTable<U<24>, 12, 11, 9>,
    asked_place: Signal<Local, RingPlace>,
    told_place: Signal<Local, RingPlace>,
    /// The answer is a READ asked for again.
    again: DFF<Bit>,
    /// The READ that becomes active follows the active one.
    extending: DFF<Bit>,
    // clock 1
    /// What is compared (`subject_1`) or looked at (`subject_2`): creation, end of a READ, answer.
    subject_1: DFF<ResponseInput>,
    /// The answer that is compared (`entry_1`) or looked at (`entry_2`).
    entry_1: DFF<QueuedAnswer>,
    /// The creation that is compared (`creation_1`) or looked at (`creation_2`).
    creation_1: DFF<QpChange>,
    /// Queue pair of what is compared (`qp_1`) or looked at (`qp_2`).
    qp_1: DFF<U<8>>,
    /// The list of that queue pair, a clock ago.
    held_1: DFF<ResponseList>,
    // clock 2
    /// What is compared (`subject_1`) or looked at (`subject_2`): creation, end of a READ, answer.
    subject_2: DFF<ResponseInput>,
    /// The answer that is compared (`entry_1`) or looked at (`entry_2`).
    entry_2: DFF<QueuedAnswer>,
    /// The creation that is compared (`creation_1`) or looked at (`creation_2`).
    creation_2: DFF<QpChange>,
    /// Queue pair of what is compared (`qp_1`) or looked at (`qp_2`).
    qp_2: DFF<U<8>>,
    /// List of the queue pair of what is looked at.
    held_2: DFF<ResponseList>,
    // clock 3
    /// What is in hand: creation, end of a READ, answer.
    subject: DFF<ResponseInput>,
    /// The answer in hand.
    entry: DFF<QueuedAnswer>,
    /// The creation in hand.
    creation: DFF<QpChange>,
    /// Queue pair of what is in hand.
    qp: DFF<U<8>>,
    /// The list of that queue pair.
    held: DFF<ResponseList>,
    /// Acknowledgements that have not left.
    ack_count: DFF<U<9>>,
    item: Signal<Local, Commit>,
    /// That answer as those that come are, but without a place for its INT.
    next_answer: Signal<Local, QueuedAnswer>,
    /// What comes, whole, into its place.
    stored: Signal<Local, Commit>,
    waiting: Signal<Local, U<11>>,
    sent: Signal<Local, AckSend>,
    // out
    #[registers(U<8>:
        /// Queue pair of which the responder is told what has left.
        left_qp_r,
        /// Generation of that queue pair.
        left_generation_r)]
    activation: Activation,
    /// There is no room for another answer.
    full_r: DFF<Bit>,
    /// What has left: READs, NAKs, or an end.
    left_what_r: DFF<U<3>>,
}

#[kernel]
impl Logic for ResponseQueue {
    fn update(&mut self) {
        inputs!([pool, acks]: reset);
        inputs!(intake:
            reset, context_valid, context_qp, context_data, gone_valid, gone_failed, gone_refused, gone_qp, gone_generation,
            gone_psn, gone_tag);
        StreamIn::<Commit>::link(&mut up, &mut intake.up);
        asked = entry.asked;
        intake.int_at = entry.int_at;

        // what is compared: what came in, or what is not done yet, each with the list of its queue pair
        list = held;
        list_1 = held_1;
        if fresh_1 {
            list_1 = lists.rdata;
        }
        held_1 = list_1;
        inputs!(first: list = lists.rdata, came = entry_1);
        found = first_1;
        if fresh_1 {
            found = first.says;
        }
        first_1 = found;
        inputs!(once_more: list, came = entry);
        once_more_r = once_more.says;
        // looked at in the clock behind
        assign!(
            about = subject_2,
            repeats = again_2,
            compared = first_2,
            failed = entry_2.ends_or_failed
        );
        if looks {
            assign!(
                about = subject,
                repeats = again,
                compared = once_more_r,
                failed = entry.ends_or_failed
            );
        }
        assign! {
            own = compared.own, active = compared.active, waits = compared.waits, several = compared.several,
            is_read = compared.is_read, follows = compared.follows, at_end = compared.at_end, before_end = compared.before_end,
            of_last = compared.of_last, of_oldest = compared.of_oldest, of_active = compared.of_active
        }
        some = waits;
        assign!(waiting = list.waiting);
        of_item = (step == ResponseStep::AwaitHead) | (step == ResponseStep::CompareHead) | (step == ResponseStep::Pop);
        pops = (step == ResponseStep::CompareHead) | (step == ResponseStep::Pop);
        // or the answer in the list
        item = pool.item;
        next_answer = bits_zero::<QueuedAnswer>(0);
        fields!(next_answer from item: kind, qp, generation, psn, syndrome, msn, ends_or_failed, int_length);
        next_answer.asked = bit_cast_word::<ReadRequest, W<336, 6>>(item.int_stack);
        item_asked = next_answer.asked;
        item_reads = item.kind == CommitKind::Read;
        inputs!(successor: list, answer = next_answer);
        // whether it goes: a READ that follows, or the first READ; an acknowledgement as soon as there is room
        item_begins = if extending { successor.begins_there } else { item.kind == CommitKind::Read };
        item_too_far = extending & successor.too_far;
        item_goes = item_begins & !item_too_far;
        item_acknowledges = !extending & (item.kind != CommitKind::Read);
        beyond = item.psn - entry.psn;
        item_reached = !beyond.get_bit(23);
        // where its READ ends
        came_asks = entry_2.asked;
        looked_at = held_2;
        assign!(psn = entry_2.psn, count = came_asks.count);
        if busy {
            looked_at = list;
            assign!(psn = entry.psn, count = asked.count);
            if of_item {
                assign!(psn = item.psn, count = item_asked.count);
            }
        }
        next_end = psn + count;
        next_reach = looked_at.reach + count;

        // what is decided
        looks = step == ResponseStep::Compare;
        create = look & (about == ResponseInput::Creation);
        // an end of a READ that has been replaced is nobody's
        ending = look & (about == ResponseInput::ReadEnd) & own & active;
        fail = ending & of_active & failed;
        // the READs before one that has left have left
        passes = ending & !failed & several & of_active & (!of_last | at_end);
        leave = ending & !failed & !several & of_last & at_end;
        answer = look & (about == ResponseInput::Answer) & own;
        pass = answer & !active & !is_read;
        rewind = answer & active & is_read & repeats;
        // all active ones are replaced, the oldest first
        covers = answer & active & is_read & repeats & before_end;
        drops = answer & active & is_read & repeats & before_end & several;
        append = answer & active & !repeats & !waits & follows;
        begins = answer & !active & is_read;
        keep = answer & active & !(is_read & repeats) & !(!repeats & !waits & follows);
        store = keep & (pool.free > 1);
        lost = keep & !(pool.free > 1) & is_read;
        looks_again = (answer & active & is_read & repeats & before_end & several)
            | (ending & !failed & several & of_active & !of_oldest & (!of_last | at_end));

        // what may not be done with one decision, or fills a place, keeps the next one waiting
        lingers = (subject_2 == ResponseInput::Creation)
            | ((subject_2 == ResponseInput::ReadEnd) & (entry_2.ends_or_failed | first_2.waits | !first_2.of_oldest))
            | ((subject_2 == ResponseInput::Answer) & first_2.active & (again_2 | first_2.waits | !first_2.follows));

        // clock 0 to 1
        inputs!(intake: room, compared = valid_1, compared_qp = qp_1, looked_at = valid_2, looked_qp = qp_2);
        inputs!(intake: stalls, in_hand = busy, decided_qp = qp);
        intake.compared_end = subject_1 == ResponseInput::ReadEnd;
        next_asked = intake.entry.val().asked;
        fresh_1 = intake.take;
        if open {
            assign!(
                valid_1.d = intake.take,
                qp_1.d = intake.qp,
                subject_1.d = intake.subject,
                again_1.d = next_asked.duplicate,
                creation_1.d = intake.creation,
                entry_1.d = intake.entry
            );
            // clock 1 to 2
            assign!(
                valid_2.d = valid_1,
                qp_2.d = qp_1,
                subject_2.d = subject_1,
                again_2.d = again_1,
                creation_2.d = creation_1,
                entry_2.d = entry_1,
                held_2.d = list_1,
                first_2.d = found
            );
        }
        // clock 2 to 3
        if done {
            assign!(
                qp.d = qp_2,
                subject.d = subject_2,
                again.d = again_2,
                creation.d = creation_2,
                entry.d = entry_2
            );
        }
        // never while nothing is in hand, which all these bits do not wait for
        if pops {
            entry = next_answer;
        }

        // `Decide` and the steps behind it
        popping = (step == ResponseStep::CompareHead) | (popping & item_acknowledges & !acks_room);
        pop = popping & (item_goes | (item_acknowledges & acks_room));
        last = (seen + 1) == waiting;
        judge = step == ResponseStep::CompareNext;
        taken_back = judge & (cut | replaces | item_reached);
        finish = (rewind & !some & !looks_again) | (judge & last);
        // known a clock before
        activate = begins
            | append
            | (!activation.crowded
                & ((pop & item_reads) | (finish & replaces) | ((step == ResponseStep::Activate) & !activate)));
        goes_on = if look { active } else { extending };

        // where it goes on
        next_step = step;
        if step == ResponseStep::Decide {
            next_step = ResponseStep::Idle;
            clear!(seen, removed);
            cursor = list.head;
            extending = passes;
            cut = false;
            replaces = covers;
            if (leave | passes) & some {
                next_step = ResponseStep::AddressHead;
            }
            if rewind {
                next_step = if some { ResponseStep::AddressNext } else { ResponseStep::Finish };
            }
            if looks_again {
                next_step = ResponseStep::Compare;
            }
            if lost {
                next_step = ResponseStep::Tell;
            }
        }
        if step == ResponseStep::Tell {
            next_step = ResponseStep::Idle;
        }
        if step == ResponseStep::AddressHead {
            next_step = ResponseStep::AwaitHead;
        }
        if step == ResponseStep::AwaitHead {
            next_step = ResponseStep::CompareHead;
        }
        if step == ResponseStep::CompareHead {
            next_step = ResponseStep::Pop;
        }
        if popping & extending & !item_goes {
            next_step = ResponseStep::Idle;
        }
        if pop {
            cursor = pool.behind;
            next_step = if waiting == 1 { ResponseStep::Idle } else { ResponseStep::AddressHead };
            if item_reads {
                next_step = ResponseStep::Activate;
            }
        }
        if step == ResponseStep::AddressNext {
            next_step = ResponseStep::AwaitNext;
        }
        if step == ResponseStep::AwaitNext {
            next_step = ResponseStep::CompareNext;
        }
        if step == ResponseStep::CompareNext {
            next_step = ResponseStep::Judge;
        }
        if judge {
            seen = seen + 1;
            assign!(earlier.d = cursor, cursor.d = pool.behind);
            next_step = if last { ResponseStep::Finish } else { ResponseStep::AddressNext };
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
            next_step = if replaces { ResponseStep::Activate } else { ResponseStep::Compare };
        }
        if (step == ResponseStep::Activate) & activate {
            // the next of the list may follow it
            extending = true;
            next_step = ResponseStep::Idle;
            if waiting.any() & (!extending | (list.ahead < 14)) {
                next_step = ResponseStep::AddressHead;
            }
        }
        if step == ResponseStep::Compare {
            next_step = ResponseStep::Look;
        }
        if look {
            next_step = ResponseStep::Decide;
        }
        // where it goes on is known late, so that what is not done at once is done a clock behind its last step
        busy_next = if first_look { lingers } else { busy & (step != ResponseStep::Idle) };
        valid_next = if open { valid_1 } else { valid_2 };
        next_first = valid_next & !busy_next;
        first_look = next_first;
        look = next_first | (step == ResponseStep::Compare);
        step = next_step;
        busy = busy_next;
        done = !busy_next;
        waits_on = (valid_1 | stalls) & busy_next;
        stalls = waits_on;
        open = !waits_on;

        // places
        inputs!(pool: at = cursor, store);
        stored = bits_zero::<Commit>(0);
        fields!(stored from entry: kind, qp, generation, psn, syndrome, msn, ends_or_failed, int_length);
        stored.int_stack = intake.int_stack;
        pool.new_item = stored;
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
        told_place.place = bit_cast_u::<4, 5>(list.tag + 1);
        completions.we = activate;
        completions.waddr = bit_cast_number::<12, RingPlace>(told_place);
        completions.wdata = completed;
        if create {
            changed.generation = creation.generation;
            changed.active = false;
            changed.dead = !creation.alive;
            changed.int_on = creation.int_on;
            changed.waiting = bits_u::<11>(0);
            changed.ahead = bits_u::<4>(0);
        }
        if fail {
            changed.active = false;
            changed.dead = true;
            changed.waiting = bits_u::<11>(0);
            changed.ahead = bits_u::<4>(0);
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
                changed.ahead = bits_u::<4>(0);
                changed.epoch = list.epoch + 1;
                changed.reach = asked.count;
            }
        }
        held = changed;
        if done {
            held = held_2;
        }
        lists.raddr = intake.coming_qp;
        asked_place.qp = qp_1;
        asked_place.place = bit_cast_u::<4, 24>(entry_1.msn);
        if stalls {
            asked_place.qp = qp_2;
            asked_place.place = bit_cast_u::<4, 24>(entry_2.msn);
        }
        completions.raddr = bit_cast_number::<12, RingPlace>(asked_place);
        lists.we = create | fail | leave | passes | drops | store | pop | finish | activate;
        inputs!(lists: waddr = qp, wdata = changed);
        if pool.clearing {
            lists.we = true;
            lists.waddr = pool.clear_at;
            lists.wdata = bits_zero::<ResponseList>(0);
        }

        // out
        // an answer that goes on with a READ is one
        acks.up.valid = pass | fail | (popping & item_acknowledges & acks_room);
        sent = bits_zero::<AckSend>(0);
        fields!(sent from entry: qp, generation, psn, syndrome, msn, int_length);
        sent.int_stack = intake.int_stack;
        if subject == ResponseInput::ReadEnd {
            fields!(sent: qp, generation = list.generation);
            sent.msn = completions.rdata;
            sent.int_length = bit_cast_u::<6, 1>(bit_cast_b(list.int_on)) << 1;
            sent.int_stack = bits_zero::<W<336, 6>>(0);
        }
        if pops {
            fields!(sent from item: qp, generation, psn, syndrome, msn, int_length, int_stack);
        }
        acks.up.data = sent;
        outputs!(acks: ack.valid = down.valid, ack.data = down.data);
        acks.down.ready = ack.ready;
        // far enough from full for what is on its way
        queued = acks.up.valid;
        sent_one = acks.down.valid & ack.ready;
        if queued & !sent_one {
            ack_count = ack_count + 1;
        }
        if sent_one & !queued {
            ack_count = ack_count - 1;
        }
        has_room = ack_count < 240;
        acks_room = has_room;
        room = has_room & !activation.crowded & !pool.clearing;

        inputs!(activation: reset, activate, qp, entry, end_psn = next_end);
        activation.tag = list.tag + 1;
        activation.epoch = if goes_on { list.epoch } else { list.epoch + 1 };
        activation.goes_on = goes_on;
        WorkOut::link(&mut work, &mut activation.work);
        outputs!(activation: read_valid, read_qp, read_data);

        left_what_r = bits_u::<3>(0);
        assign!(left_qp_r.d = qp, left_generation_r.d = list.generation);
        // one without place is as good as lost; what an answer does is told a clock later, since an end may be decided in the clock before
        drops_told = drops;
        if leave
            | passes
            | drops_told
            | (step == ResponseStep::Tell)
            | (taken_back & item_reads)
            | ((step == ResponseStep::Activate) & activate & replaces)
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
        full_r = pool.clearing | acks.crowded | (pool.free < 196);
        full = full_r;
        free = pool.free;

        if reset {
            clear!(
                step,
                left_what_r,
                valid_1,
                valid_2,
                busy,
                activate,
                create,
                fail,
                passes,
                leave,
                pass,
                rewind,
                drops,
                store,
                lost,
                looks_again,
                look,
                first_look,
                looks,
                popping,
                judge,
                finish,
                ack_count,
                room
            );
            full_r = true;
            open = true;
            done = true;
        }
    }
}
