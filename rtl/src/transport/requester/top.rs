//! The requester's state machine, and what the [fast path](super::fast) shares with it: while the machine does not have the turn, tables and outputs are
//! the pipe's. One state is high at a time, but for `save`, which is high beside `idle`. The file is long because
//! one state machine owns these registers; what a state computes lies in the blocks beside it.
//!
//! | clock | state | does |
//! |---|---|---|
//! | 0 | `idle` | chooses an input |
//! | 1, 2 | `address`, `read` | |
//! | 3 | `load` | reads a message |
//! | 4 | `look` | message and state into registers, a void state starts from the context; PSN distances |
//! | 5 | `quits` | or else: what is about no queue pair that goes on ends here |
//! | 5 | `weigh` | the message against the input; what `decide` asks of the state |
//! | 6 | `decide` | the step over this message; `fetch` and again with the next one, or on |
//! | 7 | `finish` | answers: event, echo, or the end of the queue pair |
//! | 7, 8 | `check`, `act` | READ responses: verdict |
//! | last | `save` | state back, input taken; `idle` in the same clock |

use super::answers::{Answer, Outcome};
use super::choice::Choice;
use super::completions::Completions;
use super::fast::entry::Entry;
use super::fast::held::Held;
use super::fast::post_entry::PostEntry;
use super::fast::posts::Posts;
use super::fast::responses::Responses;
use super::fast::stages::Stages;
use super::fast::turns::Turns;
use super::fast::window::Window;
use super::gather::Gather;
use super::intake::Intake;
use super::outlet::{Events, Outlet};
use super::pointers::Pointers;
use super::queue::Queue;
use super::reads::Verdict;
use super::ring::Ring;
use super::store::Store;
use super::walk::Walk;
use crate::host::region_guards::RegionGuards;
use crate::prim::fifo::StreamFifo;
use crate::prim::short_fifo::ShortFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::sched::ports::EndedIn;
use crate::words::context::{QpContext, Region};
use crate::words::counters::RequesterCounts;
use crate::words::flows::{FailedPacket, FlowOfGeneration, FlowPacket, QpFlow};
use crate::words::requester::{FastStep, OwnMessage, PsnDistance, QpOfGeneration, ResponseCase};
use crate::words::sched::LawEvent;
use crate::words::transport::{AckSend, Action, Commit, Message, RxPacket};
use crate::words::work::{Completion, CompletionStatus, WorkRequest};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Requester of the queue pairs below `QPS`, with messages of 2^`SEGMENT` PSNs at most and four times that outstanding.
#[block]
pub struct Requester<const QPS: usize, const SEGMENT: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Time, ns.
    pub now: Signal<In, U<48>>,
    /// Register: READs outstanding at most, 1 to 16.
    pub max_reads: Signal<In, U<5>>,
    /// Register: INT speed codes that are valid.
    pub speeds: Signal<In, U<16>>,
    /// Register: the INT of requests is left to probes.
    pub probing: Signal<In, Bit>,
    /// Bus: a queue pair is created or removed.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// Bus: the entry of a region's key is written.
    pub region_valid: Signal<In, Bit>,
    /// Region that is written.
    pub region_data: Signal<In, Region>,
    /// Bus: a packet was sent for the first time.
    pub sent_valid: Signal<In, Bit>,
    /// Queue pair whose highest PSN sent has grown.
    pub sent_qp: Signal<In, U<8>>,
    /// Generation of the queue pair whose PSN has grown.
    pub sent_generation: Signal<In, U<8>>,
    /// One past its PSN; of a READ request one past the last response's.
    pub sent_end: Signal<In, U<24>>,
    /// Queue pair of the answer at hand, for the send times.
    pub asked_qp: Signal<Out, U<8>>,
    /// PSN that it names.
    pub asked_psn: Signal<Out, U<24>>,
    /// Four clocks later: when that packet left is known.
    pub asked_known: Signal<In, Bit>,
    /// When that was, ns.
    pub asked_sent_at: Signal<In, U<48>>,
    /// READ responses, in the order of arrival.
    pub row: StreamIn<RxPacket>,
    /// What becomes of each READ response.
    pub action: StreamOut<Action>,
    /// Acknowledgements, and READ responses whose fate in memory is known (`KIND` 3).
    pub answer: StreamIn<Commit>,
    /// Flows at their retry limit.
    pub ended: EndedIn,
    /// Packets whose payload could not be read.
    pub read_error: StreamIn<FailedPacket>,
    /// Queue pairs to remove, `QpOfGeneration`; taken when the last completion has been made.
    pub remove: StreamIn<QpOfGeneration>,
    /// Work requests.
    pub work: StreamIn<WorkRequest>,
    /// Bus: a message is queued.
    pub message_valid: Signal<Out, Bit>,
    /// Queue pair 11:4, place in its ring 3:0.
    pub message_address: Signal<Out, U<12>>,
    /// The message.
    pub message_data: Signal<Out, Message>,
    /// Work for the scheduler: `FlowPacket`.
    pub schedule: StreamOut<FlowPacket>,
    /// Acknowledgements for the scheduler and for congestion control.
    pub cc_event: StreamOut<LawEvent>,
    /// Completions.
    pub completion: StreamOut<Completion>,
    /// READ echoes; one that finds no room is dropped, the next one covers it.
    pub echo: StreamOut<AckSend>,
    /// Flows that the scheduler is to remove: `FlowOfGeneration`.
    pub kill: StreamOut<FlowOfGeneration>,
    /// Counter pulses: `RequesterCounts`.
    pub counts: Signal<Out, U<12>>,
    /// Work requests that wait for the fast path.
    window: Window,
    /// Answers in the fast path.
    held: Held,
    /// What enters the pipe of work requests.
    post_entry: PostEntry,
    /// That pipe.
    posts: Posts<SEGMENT>,
    /// What enters the pipe of answers.
    entry: Entry,
    /// That pipe.
    stages: Stages,
    /// The fast path or the state machine.
    turns: Turns,
    /// No work request may.
    hold_posts: Signal<Local, Bit>,
    /// The state machine has the turn.
    turn: Signal<Local, Bit>,
    /// It had the turn a clock ago, which is early enough for all that it and the pipe share behind the first clock of either.
    turn_1: DFF<Bit>,
    /// It had the turn two clocks ago, for what leaves either.
    turn_2: DFF<Bit>,
    /// It may choose an operation in this clock.
    go: Signal<Local, Bit>,
    /// Queue pair whose state is read.
    read_qp: Signal<Local, U<8>>,
    /// Place of the first message to be looked at.
    pointers: Pointers,
    /// What enters the fast path.
    entering: Signal<Local, FastStep>,
    /// State, contexts and how far has been sent, by queue pair.
    store: Store,
    /// Which input is next.
    choice: Choice,
    /// Answers that wait, those about READ data joined.
    gather: Gather,
    /// READ responses in the order of arrival.
    responses: Responses,
    /// Queue pairs whose completions wait for room, each once.
    tells: StreamFifo<QpOfGeneration, 8, 256>,
    /// The work request of the state machine, by fields.
    request: Signal<Local, WorkRequest>,
    /// The queue pair's state and pointers.
    queue: Queue,
    /// Messages of all queue pairs, 16 places each.
    ring: Ring,
    /// Checks a work request and cuts it into messages.
    intake: Intake<QPS, SEGMENT>,
    /// What an answer means for one message.
    step: Walk<SEGMENT>,
    /// What an answer is, from its syndrome.
    reply: Answer,
    /// PSN up to which the answer acknowledges, exclusive.
    limit: Signal<Local, U<24>>,
    /// What follows from an answer once its messages are done.
    outcome: Outcome,
    /// What is done with a READ response.
    verdict: Verdict,
    /// Completions on their way out.
    finished: Completions,
    /// Acknowledgements and losses for the scheduler.
    events: Events,
    /// Does the region of a READ's memory stand?
    guards: RegionGuards,
    /// Decisions about READ responses for the commit stage.
    actions: Outlet<Action>,
    /// Acknowledgements of READ data that carry INT back.
    echoes: Outlet<AckSend>,
    /// Messages handed to the scheduler.
    schedules: ShortFifo<FlowPacket, 4, 8>,
    /// Flows that the scheduler is to end.
    kills: Outlet<FlowOfGeneration>,
    /// High from the second clock after power-on: what a RAM shows before is nothing.
    started: DFF<Bit>,
    /// State: chooses an input.
    idle: DFF<Bit>,
    /// State: the queue pair chosen addresses its state.
    address: DFF<Bit>,
    /// State: the queue pair's state is on its way from memory.
    read: DFF<Bit>,
    /// State: that state is loaded; a message is read.
    load: DFF<Bit>,
    /// State: the message comes into a register, PSN distances are measured.
    look: DFF<Bit>,
    /// State: `look`, and the queue pair's state comes into registers.
    loads: DFF<Bit>,
    /// State, instead of `weigh`: the input is about no queue pair that goes on, or a READ response that refuses.
    quits: DFF<Bit>,
    /// The queue pair had ended, a clock after `look`.
    ended_before: DFF<Bit>,
    /// The queue pair had no message in its ring, in `look` a clock ago.
    empty_before: DFF<Bit>,
    /// State: the message at hand is read, once more or a clock behind its write.
    again: DFF<Bit>,
    /// State: the next message comes.
    fetch: DFF<Bit>,
    /// State: the message at hand is compared with the input.
    weigh: DFF<Bit>,
    /// State: the step over the message at hand; one of the six below is high with it.
    decide: DFF<Bit>,
    /// The message may be for the scheduler.
    admits: DFF<Bit>,
    /// It completes with an error.
    flushes: DFF<Bit>,
    /// Its completion may leave.
    tells_on: DFF<Bit>,
    /// A READ response may be about it.
    judges: DFF<Bit>,
    /// An answer may move it on.
    walks: DFF<Bit>,
    /// An answer that is about no message.
    passes_over: DFF<Bit>,
    /// The message at hand is done.
    closes: Signal<Local, Bit>,
    /// The state machine makes a completion.
    completes: Signal<Local, Bit>,
    /// State: an answer's event or echo, or the end of the queue pair.
    finish: DFF<Bit>,
    /// A clock later: the scheduler hears of the answer,
    tells_event: DFF<Bit>,
    /// as of one that is negative.
    rewinds: DFF<Bit>,
    /// What the state machine tells comes of a receiver that was not ready.
    tells_not_ready: DFF<Bit>,
    /// State: a READ response is compared with its message.
    check: DFF<Bit>,
    /// The message of a clock ago lacks no READ data, nor does one before it.
    passes_by: DFF<Bit>,
    /// The READ response was compared a clock ago.
    compared: DFF<Bit>,
    /// State: the verdict on a READ response leaves.
    act: DFF<Bit>,
    /// State: a message of a work request is entered, or the request refused.
    post: DFF<Bit>,
    /// State: the queue pair has ended, all its messages are done.
    bury: DFF<Bit>,
    /// State: the scheduler is told how far it may send.
    emit: DFF<Bit>,
    /// State, beside `idle`: the queue pair's state goes back to memory and the input is taken.
    save: DFF<Bit>,
    /// All messages of the queue pair complete with an error.
    flushing: DFF<Bit>,
    /// Messages that fit under the limit of READs are handed to the scheduler.
    admitting: DFF<Bit>,
    /// The input is done with in this clock.
    done: Signal<Local, Bit>,
    /// The input before stays on its stream and is taken up again: it waits for completions to leave.
    kept: DFF<Bit>,
    /// Removals of queue pairs wait until waiting completions have been told.
    held_removals: DFF<Bit>,
    /// A refused work request waits for room for its completion.
    stalled: DFF<Bit>,
    /// The queue pair had no free place in the ring a clock ago.
    ring_full: DFF<Bit>,
    /// No completion of the queue pair waited in the ring a clock ago.
    told_all: DFF<Bit>,
    /// Then a completion could leave at once: there was room, and none of its queue pair waited in the ring.
    direct: DFF<Bit>,
    /// The message at hand was, a clock ago, the first one that the scheduler does not have.
    at_admit: DFF<Bit>,
    /// The READ response was asked for and has not come, and the message at hand may be its own, as it was known a clock ago.
    open: DFF<Bit>,
    /// The scheduler has no message, so that an answer is about none. One that means nothing has not come as far as here.
    about_none: Signal<Local, Bit>,
    /// It has moved `una`.
    advanced: DFF<Bit>,
    /// `una` was not `limit` a clock ago.
    apart: DFF<Bit>,
    /// A gap at `una` had been reported a clock ago.
    gap_known: DFF<Bit>,
    /// A completion waits in the ring, and its queue pair is to be listed: a clock later.
    enlists: DFF<Bit>,
    /// Status of the message at hand, if its completion waits in the ring.
    told_status: DFF<CompletionStatus>,
    /// The queue pair exists, and the input is about it and not about an earlier one of its number.
    live: DFF<Bit>,
    /// The input's generation, known a clock before the context.
    wanted: DFF<U<8>>,
    /// It has none yet: a work request of which no message is queued.
    any_generation: DFF<Bit>,
    /// The input's generation is that of the context.
    same: Signal<Local, Bit>,
    /// Place of the message at hand in the ring; one bit more than a place, to tell full from empty.
    pointer: DFF<U<5>>,
    /// The place behind it, a clock later.
    next_pointer: DFF<U<5>>,
    /// That is the next free place, another clock later.
    next_is_tail: DFF<Bit>,
    /// That is the oldest message.
    next_is_head: DFF<Bit>,
    /// That is the first message that the scheduler does not have.
    next_is_admit: DFF<Bit>,
    /// The message at hand.
    message: Signal<Local, OwnMessage>,
    /// The message at hand is a READ.
    is_read: Signal<Local, Bit>,
    /// The message at hand is the last one of its work request.
    is_last: Signal<Local, Bit>,
    /// First PSN of the READ data that has not come.
    missing: DFF<U<24>>,
    /// Distance from what has been accepted to the message's first PSN.
    skip: Signal<Local, PsnDistance>,
    /// Distance from the message's last PSN, exclusive, to what has been accepted.
    surplus: Signal<Local, PsnDistance>,
    /// Data of the message has been accepted, a clock after `skip`.
    begun: DFF<Bit>,
    /// If the message is a READ: all its data has come, a clock after `surplus`.
    arrived: DFF<Bit>,
    /// An earlier READ than that of the response still waits for data.
    found: DFF<Bit>,
    /// What is known of a READ response before it is compared with its message.
    response_case: DFF<ResponseCase>,
    /// The answer ends within the message at the head of the ring, a READ.
    at_read: DFF<Bit>,
    /// The answer's READ data was taken.
    taken: DFF<Bit>,
    /// A message was completed by this answer, so that others may be admitted.
    popped: DFF<Bit>,
    /// The answer acknowledges up to the end of the message, a clock ago.
    limit_at_end: DFF<Bit>,
    /// The message at hand belongs to the work request that failed; the others are flushed.
    guilty: DFF<Bit>,
    /// The work request that failed is that of `una`, a clock after its choice.
    from_una: DFF<Bit>,
    /// As `guilty`, with the message in `decide`.
    guilty_now: Signal<Local, Bit>,
    /// Status of the work request that failed.
    status: DFF<CompletionStatus>,
    /// At least one message was handed to the scheduler.
    scheduled: DFF<Bit>,
    /// PSN up to which the scheduler may send, exclusive.
    schedule_to: DFF<U<24>>,
    /// The work request waits because its queue pair has no free place in the ring.
    blocked: DFF<Bit>,
    /// That queue pair.
    blocked_qp: DFF<U<8>>,
    /// The queue pair's flow of requests.
    half: Signal<Local, QpFlow>,
    /// The same with its generation.
    flow: Signal<Local, FlowOfGeneration>,
    /// How far the scheduler may send.
    scheduling: Signal<Local, FlowPacket>,
    /// A NAK is counted.
    counts_nak: Signal<Local, Bit>,
    /// A receiver-not-ready NAK is counted.
    counts_not_ready: Signal<Local, Bit>,
    /// An answer to a queue pair that has ended is counted.
    counts_ended: Signal<Local, Bit>,
    /// Counter pulses.
    counts_out: DFF<RequesterCounts>,
}

#[kernel]
impl<const QPS: usize, const SEGMENT: usize> Logic for Requester<QPS, SEGMENT> {
    fn update(&mut self) {
        self.turn.next = self.turns.machine.val();
        self.turn_1.d.next = self.turn.val();
        self.turn_2.d.next = self.turn_1.q.val();

        // streams and buses
        StreamIn::<RxPacket>::link(&mut self.row, &mut self.responses.row);
        StreamOut::<RxPacket>::join(&mut self.responses.machine, &mut self.choice.rows);
        StreamIn::<Commit>::link(&mut self.answer, &mut self.gather.up);
        StreamOut::<Commit>::join(&mut self.gather.down, &mut self.entry.answers);
        StreamOut::<Commit>::join(&mut self.held.machine, &mut self.choice.answers);
        StreamOut::<QpOfGeneration>::join(&mut self.tells.down, &mut self.choice.tells);
        inputs!([gather, responses, tells, window, held, entry, stages, post_entry, posts, turns, store]: reset);
        EndedIn::link(&mut self.ended, &mut self.choice.limits);
        StreamIn::<FailedPacket>::link(&mut self.read_error, &mut self.choice.errors);
        StreamIn::<QpOfGeneration>::link(&mut self.remove, &mut self.choice.removals);
        StreamIn::<WorkRequest>::link(&mut self.work, &mut self.window.work);
        StreamOut::<WorkRequest>::join(&mut self.window.machine, &mut self.intake.work);
        StreamOut::<Action>::link(&mut self.action, &mut self.actions.down);
        StreamOut::<Completion>::link(&mut self.completion, &mut self.finished.completion);
        StreamOut::<AckSend>::link(&mut self.echo, &mut self.echoes.down);
        StreamOut::<FlowPacket>::link(&mut self.schedule, &mut self.schedules.down);
        StreamOut::<FlowOfGeneration>::link(&mut self.kill, &mut self.kills.down);
        StreamOut::<LawEvent>::link(&mut self.cc_event, &mut self.events.cc_event);
        inputs!([finished, intake, events, actions, echoes, schedules, kills]: reset);
        inputs!(store: context_valid, context_qp, context_data, sent_valid, sent_qp, sent_generation, sent_end);
        inputs!([intake, guards]: region_valid, region_data);
        outputs!(ring: message_valid = bus_valid, message_address = bus_address, message_data = bus_data);
        // what the pipe does while the state machine does nothing, and the other way round
        clear!(counts_nak, counts_not_ready);
        self.counts_ended.next = self.stages.ended.val();
        clear!(done, kept, loads);
        self.half.next = bits_zero::<QpFlow>(0);
        self.half.next.qp = self.choice.qp.val();
        if !self.turn_2.q.val() {
            self.half.next.qp = self.posts.qp.val();
        }
        self.flow.next.flow = bit_cast_number::<16, QpFlow>(self.half.val());
        self.flow.next.generation = self.queue.own_generation.val();
        if !self.turn_2.q.val() {
            self.flow.next.generation = self.posts.generation.val();
        }

        // the fast path: entry
        inputs!(turns: idle);
        self.turns.calls.next = self.choice.calls.val();
        inputs!(turns: answers = held.waits);
        self.turns.waits.next = self.entry.waits.val() | self.window.waits.val();
        self.turns.busy.next = self.stages.busy.val() | self.posts.busy.val();
        self.go.next = self.idle.q.val() & self.turns.go.val();
        self.turns.begun.next = self.address.q.val();
        // what comes out for the state machine lets nothing pass from the next clock on; what comes out for the window lets no work request pass
        self.entry.hold.next = self.turns.hold.val() | self.held.waits.val();
        self.hold_posts.next = self.turns.hold.val() | self.posts.comes_back.val();
        self.turns.crowded.next = self.store.crowded.val();
        inputs!(post_entry: hold = hold_posts, rests = schedules.crowded, invalid = intake.invalid);
        inputs!(post_entry from window: waits, work = front, place, next_qp, is_new = next_is_new, new_qp);
        inputs!(posts: max_reads, valid = post_entry.taken, step = post_entry.step, allowed = intake.allowed);
        inputs!(posts from store: posted, posted_void, progress, progress_void, qp_context = post_context);
        self.store.post_qp.next = self.post_entry.step.val().qp;
        inputs!(store: posting = posts.writing, post_we = posts.push, post_write_qp = posts.qp, new_posted = posts.new_posted);
        inputs!(entry: answers_rest = events.full, answer_place = held.place);
        inputs!(entry: response_waits = responses.waits, response = responses.step);
        inputs!(responses: enters = entry.response_taken);
        inputs!(responses from stages: takes, ahead, last, defers = defers_response, recalls = recalls_response);
        self.window.take.next = self.post_entry.taken.val();
        self.held.put.next = self.entry.answer_comes.val();
        inputs!(held: data = gather.down.data, turn);
        self.entering.next = self.entry.step.val();
        inputs!(stages: valid = entry.valid, step = entry.step);
        // 2, 4: what it reads
        assign!(message = ring.message);
        inputs!([responses, verdict] from ring: base);
        inputs!(guards from ring: guard);
        inputs!([responses, verdict] from guards: stands);
        inputs!(stages from store:
            state, all_void, acked_void, own_generation, first_psn, alive, context_generation, mtu, int_on, sent_known, sent_to);
        inputs!(stages: turn = turn_1, machine_psn = choice.psn, message, room = finished.room);
        inputs!(held: read_place = stages.read_place);
        inputs!(window: read_place = posts.read_place);
        if self.turn_1.q.val() {
            self.window.read_place.next = self.window.place.val();
        }
        // 5: what comes out
        inputs!(window from posts: ends = push, returns, defers, comes_back, end_place = place, end_qp = qp);
        inputs!(window from stages: frees, freed_qp = qp);
        inputs!(held from stages: defer = defers_answer, defer_place = place);
        inputs!(intake: front = window.front, turn = turn_2, request = window.read);

        // 0: the next input
        inputs!(choice: idle = go, free = idle, save, hold_rows = actions.full);
        self.request.next = self.window.front.val();
        self.choice.work_waits.next = self.intake.waiting.val() & !self.blocked.q.val() & !self.stalled.q.val();
        self.choice.work_qp.next = bit_cast_u::<8, 24>(self.request.val().qpn);
        inputs!(choice: room = finished.room, hold_removals = held_removals);
        if self.finished.room.val() {
            self.stalled.d.next = false;
        }
        // what the state machine has chosen is read in the clock of `address` alone
        self.read_qp.next = self.entering.val().qp;
        inputs!(entry: write_qp = stages.qp, next_write_qp = stages.completes_qp);
        inputs!(pointers from entry: meets_write, meets_next_write);
        if self.address.q.val() {
            self.read_qp.next = self.choice.qp.val();
            self.pointers.meets_write.next = self.choice.qp.val() == self.stages.qp.val();
            self.pointers.meets_next_write.next = self.choice.qp.val() == self.stages.completes_qp.val();
        }
        inputs!([store, pointers]: qp = read_qp);
        if self.go.val() {
            self.idle.d.next = !self.choice.any.val();
            self.address.d.next = self.choice.any.val();
        }
        // whether an input is chosen is late; before it is, nobody looks at these
        if self.idle.q.val() {
            self.response_case.d.next = ResponseCase::Compare;
            clear!(flushing, admitting, found, taken, popped, at_read, advanced, guilty, scheduled);
        }

        // 1 to 3: its queue pair
        if self.address.q.val() {
            self.address.d.next = false;
            self.read.d.next = true;
        }
        if self.read.q.val() {
            self.read.d.next = false;
            self.load.d.next = true;
        }
        self.queue.start.next = self.load.q.val();
        self.store.removing.next = self.turn_1.q.val() & (self.choice.remove.val() | self.choice.tell.val());
        inputs!(store: generation = choice.generation);
        inputs!(queue from store: loaded_mtu = mtu, loaded_int_on = int_on, loaded_domain = domain);
        inputs!(intake from posts: domain);
        if self.turn_2.q.val() {
            inputs!(intake from queue: domain);
        }
        self.wanted.d.next = self.choice.generation.val();
        self.any_generation.d.next = self.choice.work.val() & !self.intake.begun.val();
        if self.choice.work.val() {
            self.wanted.d.next = self.intake.begun_generation.val();
        }
        self.same.next = self.any_generation.q.val() | (self.store.context_generation.val() == self.wanted.q.val());
        self.reply.commit.next = self.held.read.val();
        self.limit.next = self.reply.limit.val();
        self.echoes.data.next = self.reply.echo.val();
        self.echoes.put.next = self.stages.echo.val() & !self.echoes.full.val();
        if self.load.q.val() {
            self.load.d.next = false;
            self.live.d.next =
                (self.store.alive.val() & self.same.val() & !self.choice.response.val()) | self.choice.remove.val();
            if self.choice.answer.val() & self.reply.duplicate.val() {
                self.echoes.put.next = self.reply.int_on.val() & !self.echoes.full.val();
                self.done.next = true;
            } else {
                self.look.d.next = true;
                self.loads.d.next = true;
            }
        }

        // 2: the first message is addressed, a clock later; behind it always the next one
        inputs!([pointers, ring] from stages: read = ring_read);
        inputs!(ring: qp = choice.qp, place = next_pointer);
        inputs!(ring from pointers: stored, written);
        self.ring.shows.next = false;
        self.ring.being_written.next = false;
        if self.read.q.val() {
            inputs!([pointers, ring]: read = choice.row);
        }
        if !self.turn.val() {
            inputs!(ring: qp = stages.ring_qp);
        }
        self.ring.take.next = !self.turn_1.q.val() | self.look.q.val() | self.fetch.q.val();
        self.next_pointer.d.next = self.pointer.q.val() + 1;
        self.next_is_tail.d.next = self.next_pointer.q.val() == self.queue.tail.val();
        self.next_is_head.d.next = self.next_pointer.q.val() == self.queue.head.val();
        self.next_is_admit.d.next = self.next_pointer.q.val() == self.queue.admit.val();
        // the place is late, so that it is taken a clock later, before anybody asks for it
        if self.loads.q.val() {
            self.pointer.d.next = self.ring.looked_place.val();
            self.next_pointer.d.next = self.ring.looked_place.val() + 1;
            if self.choice.tell.val() {
                self.pointer.d.next = self.stages.state_now.val().told;
                self.next_pointer.d.next = self.stages.state_now.val().told + 1;
            }
        }
        self.queue.load.next = self.loads.q.val();
        inputs!(queue from stages:
            loaded = state_now, loaded_old = old, loaded_unsent = unsent, loaded_before_gap = before_gap);
        // 4: what is not worth a look at the messages ends here
        if self.queue.load.val() & self.stages.void_now.val() {
            self.pointer.d.next = bits_u::<5>(0);
            self.next_pointer.d.next = bits_u::<5>(1);
        }
        self.verdict.row.next = self.responses.front.val();
        if self.look.q.val() {
            self.look.d.next = false;
            if self.admitting.q.val() {
                // the message may have been made a clock ago
                self.ring.place.next = self.pointer.q.val();
                self.again.d.next = true;
            } else {
                self.weigh.d.next = true;
                if self.choice.ended.val() | self.choice.error.val() | self.choice.remove.val() {
                    self.status.d.next = CompletionStatus::Flushed;
                    if self.choice.ended.val() {
                        self.status.d.next = CompletionStatus::RetryExceeded;
                        if self.ended.not_ready.val() {
                            self.status.d.next = CompletionStatus::RnrRetryExceeded;
                        }
                    }
                    if self.choice.error.val() {
                        self.status.d.next = CompletionStatus::LocalOperationalError;
                        if self.choice.refused.val() {
                            self.status.d.next = CompletionStatus::LocalAccessError;
                        }
                    }
                    self.flushing.d.next = true;
                    if !self.live.q.val() | self.stages.dead_now.val() {
                        self.weigh.d.next = false;
                        self.quits.d.next = true;
                    }
                }
                if self.choice.answer.val() & (!self.live.q.val() | self.stages.dead_now.val()) {
                    self.weigh.d.next = false;
                    self.quits.d.next = true;
                    self.counts_ended.next = self.live.q.val() & self.reply.acknowledgement.val();
                }
                if self.choice.row.val()
                    & (!self.live.q.val() | self.stages.dead_now.val() | self.verdict.negative.val())
                {
                    self.weigh.d.next = false;
                    self.quits.d.next = true;
                }
                // where it lies is known only now
                if self.choice.tell.val() {
                    self.ring.place.next = self.stages.state_now.val().told;
                    self.weigh.d.next = false;
                    self.again.d.next = true;
                }
            }
        }

        // 5: what ends there, a clock later because it is late that it does
        self.ended_before.d.next = self.stages.dead_now.val();
        self.empty_before.d.next = self.look.q.val() & self.stages.empty.val();
        if self.quits.q.val() {
            self.quits.d.next = false;
            if self.choice.row.val() {
                self.act.d.next = true;
                self.response_case.d.next = ResponseCase::Negative;
                if self.ended_before.q.val() {
                    self.response_case.d.next = ResponseCase::Ended;
                }
                if !self.live.q.val() {
                    self.response_case.d.next = ResponseCase::Gone;
                }
            } else {
                self.done.next = true;
            }
        }

        // the next message, or the same once more
        if self.again.q.val() {
            self.again.d.next = false;
            self.fetch.d.next = true;
        }
        if self.fetch.q.val() {
            self.fetch.d.next = false;
            self.weigh.d.next = true;
        }

        // 5: what the message means is measured in one clock and decided upon in the next
        self.about_none.next = self.queue.head.val() == self.queue.admit.val();
        if self.weigh.q.val() {
            self.weigh.d.next = false;
            self.told_status.d.next = self.ring.status.val();
            self.decide.d.next = self.admitting.q.val() | !self.choice.work.val();
            self.admits.d.next = self.admitting.q.val();
            self.flushes.d.next = !self.admitting.q.val() & self.flushing.q.val();
            if self.flushing.q.val() & self.empty_before.q.val() {
                clear!(decide, flushes);
                self.bury.d.next = true;
            }
            self.tells_on.d.next = !self.admitting.q.val() & !self.flushing.q.val() & self.choice.tell.val();
            self.judges.d.next = !self.admitting.q.val() & !self.flushing.q.val() & self.choice.row.val();
            self.walks.d.next =
                !self.admitting.q.val() & !self.flushing.q.val() & self.choice.answer.val() & !self.about_none.val();
            self.passes_over.d.next =
                !self.admitting.q.val() & !self.flushing.q.val() & self.choice.answer.val() & self.about_none.val();
            self.post.d.next = !self.admitting.q.val() & self.choice.work.val();
        }

        // 6: the step over one message
        inputs!(step: loads, past = reply.past);
        inputs!(step from stages: old = old_before, at_una);
        inputs!(step:
            una = queue.una, limit, with_data = reply.data, start = message.first_psn, finish = message.end_psn);
        assign!(is_read = message.read, is_last = message.last);
        inputs!(step: read = message.read, sought = choice.psn);
        self.from_una.d.next = self.choice.ended.val();
        if self.from_una.q.val() {
            self.step.sought.next = self.queue.una.val();
        }
        inputs!(step: reads = queue.reads, max_reads);
        self.limit_at_end.d.next = self.message.val().end_psn == self.limit.val();
        self.guilty_now.next = self.guilty.q.val() | self.step.holds.val();
        self.skip.next = bit_cast_word::<PsnDistance, U<24>>(self.message.val().first_psn - self.queue.accepted.val());
        self.surplus.next = bit_cast_word::<PsnDistance, U<24>>(self.queue.accepted.val() - self.message.val().end_psn);
        self.begun.d.next = self.skip.val().negative;
        self.arrived.d.next = !self.surplus.val().negative;
        inputs!(finished: now, id = request.id, ended_work = ring.ended_work);
        self.finished.refused.next = false;
        self.finished.qpn.next = bit_cast_u::<24, 8>(self.choice.qp.val());
        self.finished.operation.next = bit_cast_u::<8, 1>(bit_cast_b(self.message.val().read));
        self.finished.status.next = CompletionStatus::Ok;
        inputs!(queue: is_read = message.read, new_una = step.new_una);
        // a completion leaves at once if there is room for it and none of its queue pair waits
        self.ring_full.d.next = (self.queue.tail.val() - self.queue.told.val()) == 16;
        self.told_all.d.next = self.queue.told.val() == self.queue.head.val();
        self.direct.d.next =
            (self.queue.told.val() == self.queue.head.val()) & (self.finished.room.val() | !self.is_last.val());
        self.at_admit.d.next = self.pointer.q.val() == self.queue.admit.val();
        self.open.d.next =
            !self.queue.twice.val() & !self.queue.ghost.val() & (self.pointer.q.val() != self.queue.admit.val());
        self.apart.d.next = self.queue.una.val() != self.limit.val();
        self.gap_known.d.next = self.queue.gap_known.val();
        // a message that is done: its completion leaves, or waits in the ring and its queue pair is listed once
        self.closes.next = self.flushes.q.val() | (self.walks.q.val() & self.step.complete.val());
        self.completes.next = self.closes.val() & self.is_last.val() & self.direct.q.val();
        self.ring.defer.next = self.closes.val() & self.is_last.val() & !self.direct.q.val();
        inputs!(ring: defer_qp = choice.qp, defer_place = pointer);
        self.queue.pop.next = self.closes.val();
        self.queue.tell.next = self.closes.val() & self.direct.q.val();
        self.queue.enlist.next = self.closes.val() & !self.direct.q.val() & !self.queue.listed.val();
        self.queue.delist.next = false;
        self.queue.advance.next = false;
        // that a message is passed by is late, so that it is told in the next clock, when `pointer` is at the one behind it
        self.passes_by.d.next = false;
        self.queue.pass.next = self.passes_by.q.val();
        self.queue.hand.next = false;
        self.queue.position.next = self.next_pointer.q.val();
        if self.passes_by.q.val() {
            self.queue.position.next = self.pointer.q.val();
        }
        if self.decide.q.val() {
            self.decide.d.next = false;
            clear!(admits, flushes, tells_on, judges, walks, passes_over);
        }
        if self.admits.q.val() {
            self.emit.d.next = true;
            self.pointer.d.next = self.next_pointer.q.val();
            if self.step.fits.val() {
                self.queue.hand.next = true;
                self.scheduled.d.next = true;
                self.schedule_to.d.next = self.message.val().end_psn;
                if !self.next_is_tail.q.val() {
                    self.emit.d.next = false;
                    self.fetch.d.next = true;
                }
            }
        }
        if self.flushes.q.val() {
            self.finished.status.next = CompletionStatus::Flushed;
            if self.guilty_now.val() {
                self.finished.status.next = self.status.q.val();
            }
            self.guilty.d.next = self.guilty_now.val() & !self.is_last.val();
            self.pointer.d.next = self.next_pointer.q.val();
            if self.next_is_tail.q.val() {
                self.bury.d.next = true;
            } else {
                self.fetch.d.next = true;
            }
        }
        if self.tells_on.q.val() {
            self.finished.status.next = self.told_status.q.val();
            self.pointer.d.next = self.next_pointer.q.val();
            if self.told_all.q.val() {
                self.queue.delist.next = true;
                self.done.next = true;
            } else if self.is_last.val() & !self.finished.room.val() {
                self.kept.d.next = true;
                self.done.next = true;
            } else {
                self.completes.next = self.is_last.val();
                self.queue.tell.next = true;
                if self.next_is_head.q.val() {
                    self.queue.delist.next = true;
                    self.done.next = true;
                } else {
                    self.fetch.d.next = true;
                }
            }
        }
        if self.judges.q.val() {
            self.act.d.next = true;
            // where it points counts if the message is compared, or the next one fetched
            if !self.step.reaches.val() {
                self.pointer.d.next = self.next_pointer.q.val();
            }
            if self.queue.twice.val() {
                self.response_case.d.next = ResponseCase::Duplicate;
            } else if self.queue.ghost.val() | self.at_admit.q.val() {
                self.response_case.d.next = ResponseCase::Unasked;
            } else if self.step.reaches.val() {
                if !self.is_read.val() {
                    self.response_case.d.next = ResponseCase::Unasked;
                } else if self.found.q.val() {
                    self.response_case.d.next = ResponseCase::Gap;
                }
            }
            if self.open.q.val() {
                if !self.step.reaches.val() {
                    // further on; no READ is before the next message unless one was found
                    self.act.d.next = false;
                    self.fetch.d.next = true;
                    self.passes_by.d.next = !self.found.q.val() & (!self.is_read.val() | self.arrived.q.val());
                } else if self.is_read.val() & !self.found.q.val() {
                    self.act.d.next = false;
                    self.check.d.next = true;
                }
            }
            if !self.found.q.val() & self.is_read.val() & !self.arrived.q.val() {
                self.found.d.next = true;
                self.missing.d.next = self.message.val().first_psn;
                if self.begun.q.val() {
                    self.missing.d.next = self.queue.accepted.val();
                }
            }
        }
        if self.passes_over.q.val() {
            self.finish.d.next = true;
        }
        if self.walks.q.val() {
            self.finish.d.next = true;
            self.queue.advance.next = true;
            self.taken.d.next = self.step.taken.val();
            self.advanced.d.next = self.advanced.q.val() | self.step.advances.val();
            self.at_read.d.next = !self.step.complete.val() & self.is_read.val();
            if self.step.complete.val() {
                self.popped.d.next = true;
                self.pointer.d.next = self.next_pointer.q.val();
                if !self.step.taken.val()
                    & (!self.limit_at_end.q.val() | self.reply.data.val())
                    & !self.next_is_admit.q.val()
                {
                    self.finish.d.next = false;
                    self.fetch.d.next = true;
                }
            }
        }

        // 7: what goes on from an answer
        inputs!(outcome from reply: acknowledgement, nak, not_ready, fatal, gap, data);
        inputs!(outcome: old = queue.old, limit, passed = queue.passed, una = queue.una, at_read);
        inputs!(outcome: advanced, apart, gap_known, mtu = queue.mtu);
        inputs!(events: now, speeds, probing);
        // what the state machine tells is put together from registers, a clock later
        self.events.put.next = self.stages.tells.val() | self.tells_event.q.val();
        self.tells_event.d.next = false;
        self.rewinds.d.next = self.outcome.rewind.val();
        self.tells_not_ready.d.next = self.outcome.waits.val();
        inputs!(events:
            nak = rewinds, not_ready = tells_not_ready, qp = choice.qp, generation = choice.generation, psn = outcome.psn,
            bytes = outcome.bytes, commit = held.read);
        self.events.with_int.next = self.reply.acknowledgement.val() & self.queue.int_on.val();
        // a packet is timed when its own acknowledgement comes; a negative one says nothing about it
        assign!(asked_qp = choice.qp, asked_psn = choice.psn);
        inputs!(events: with_time = reply.acknowledgement, sent_at = asked_sent_at);
        self.events.sent_valid.next = self.asked_known.val()
            & self.reply.acknowledgement.val()
            & !self.reply.nak.val()
            & !self.reply.not_ready.val();
        if !self.turn_1.q.val() {
            assign!(asked_qp = stages.asked_qp, asked_psn = stages.asked_psn);
        }
        self.queue.lose.next = false;
        if self.finish.q.val() {
            if self.outcome.ends.val() {
                self.finish.d.next = false;
                self.counts_nak.next = self.reply.nak.val();
                self.status.d.next = self.reply.status.val();
                self.flushing.d.next = true;
                if self.queue.head.val() == self.queue.tail.val() {
                    self.bury.d.next = true;
                } else {
                    self.ring.place.next = self.pointer.q.val();
                    self.again.d.next = true;
                }
            } else if !self.events.full.val() {
                self.finish.d.next = false;
                self.tells_event.d.next = self.outcome.tell.val();
                self.counts_nak.next = self.reply.nak.val();
                self.counts_not_ready.next = self.reply.not_ready.val();
                self.queue.lose.next = self.outcome.lost.val();
                self.echoes.put.next = self.taken.q.val() & self.queue.int_on.val() & !self.echoes.full.val();
                if self.popped.q.val() & (self.queue.admit.val() != self.queue.tail.val()) {
                    self.admitting.d.next = true;
                    self.pointer.d.next = self.queue.admit.val();
                    self.look.d.next = true;
                } else {
                    self.done.next = true;
                }
            }
        }

        // 7, 8: a READ response
        inputs!(verdict:
            message, missing, response_case, compared, int_on = queue.int_on, act, decided = responses.decided,
            decision_made = responses.decision, decision_stands = responses.decision_stands);
        self.responses.acts.next = self.responses.decided.val() & !self.actions.full.val();
        self.actions.put.next = self.act.q.val() | self.responses.acts.val();
        self.actions.data.next = self.verdict.action.val();
        inputs!(queue: take = verdict.take, psn = choice.psn);
        self.compared.d.next = self.check.q.val();
        if self.check.q.val() {
            self.check.d.next = false;
            self.act.d.next = true;
        }
        if self.act.q.val() {
            self.act.d.next = false;
            self.done.next = true;
            self.queue.pass.next = self.verdict.take.val() & self.verdict.last.val();
        }

        // a work request's next message, or its end
        inputs!(intake:
            mtu = queue.mtu, generation = queue.own_generation, live, dead = queue.dead, carry = queue.carry);
        self.intake.refuse.next = false;
        self.intake.queues.next = self.post.q.val() & !self.intake.refused.val() & !self.ring_full.q.val();
        self.queue.push.next = false;
        self.queue.new_end.next = self.queue.assigned.val() + self.intake.psns.val();
        self.ring.push.next = self.posts.push.val();
        inputs!(ring: push_qp = choice.qp, tail = queue.tail, work = window.read, start = queue.assigned);
        self.ring.finish.next = self.queue.assigned.val() + self.intake.psns.val();
        inputs!(ring: last = intake.last, generation = queue.own_generation);
        inputs!(ring from intake: local_address, local_guard, remote_address, length);
        if self.post.q.val() {
            self.post.d.next = false;
            if self.intake.refused.val() {
                inputs!(finished from request: qpn, operation);
                inputs!(finished from intake: status);
                self.done.next = true;
                if !self.told_all.q.val() {
                    // behind the completions that wait
                    self.blocked.d.next = true;
                    self.blocked_qp.d.next = self.choice.qp.val();
                } else if !self.finished.room.val() {
                    self.stalled.d.next = true;
                } else {
                    self.completes.next = true;
                    self.intake.refuse.next = true;
                    self.finished.refused.next = true;
                }
            } else if self.ring_full.q.val() {
                self.blocked.d.next = true;
                self.blocked_qp.d.next = self.choice.qp.val();
                self.done.next = true;
            } else {
                self.queue.push.next = true;
                self.ring.push.next = true;
                self.admitting.d.next = true;
                self.pointer.d.next = self.queue.admit.val();
                self.look.d.next = true;
            }
        }

        // nobody else reads the ring in these clocks, and this place comes late
        if self.read.q.val() | !self.turn.val() {
            inputs!(ring from pointers: place, shows, being_written);
        }

        // messages for the scheduler
        self.schedules.up.valid.next = self.posts.push.val();
        fields!(scheduling: flow = flow.flow, generation = flow.generation, psn = schedule_to);
        if !self.turn_2.q.val() {
            self.scheduling.next.psn = self.posts.finish.val();
        }
        self.schedules.up.data.next = self.scheduling.val();
        if self.emit.q.val() & (!self.scheduled.q.val() | !self.schedules.crowded.val()) {
            self.emit.d.next = false;
            self.schedules.up.valid.next = self.scheduled.q.val();
            self.done.next = true;
        }

        // the end of a queue pair; if the scheduler or the manager did not say so, the scheduler is told
        self.kills.put.next = false;
        self.kills.data.next = self.flow.val();
        self.queue.bury.next = false;
        self.queue.status.next = CompletionStatus::Flushed;
        if self.guilty.q.val() {
            self.queue.status.next = self.status.q.val();
        }
        if self.bury.q.val() & !self.kills.full.val() {
            self.bury.d.next = false;
            self.kills.put.next = self.choice.answer.val() | self.choice.error.val();
            self.queue.bury.next = true;
            self.done.next = true;
        }

        // completions that wait
        self.ring.defer_status.next = self.finished.status.val();
        self.enlists.d.next = self.queue.enlist.val();
        self.tells.up.valid.next = self.enlists.q.val();
        self.tells.up.data.next.qp = self.choice.qp.val();
        self.tells.up.data.next.generation = self.queue.own_generation.val();

        // last: back, and the next one
        inputs!(choice: kept);
        self.choice.removal_waits.next = self.queue.told.val() != self.queue.tail.val();
        if self.save.q.val() & self.choice.tell.val() {
            self.held_removals.d.next = false;
        }
        if self.save.q.val() & self.choice.remove.val() & (self.queue.told.val() != self.queue.tail.val()) {
            self.held_removals.d.next = true;
        }
        if self.done.val() {
            self.idle.d.next = true;
            self.save.d.next = true;
        }
        self.queue.save.next = self.save.q.val();
        inputs!(stages: saves = queue.we, saved_qp = choice.qp, saved_state = queue.new_state);
        inputs!([store, pointers] from stages: we, write_qp = qp, new_state);
        inputs!(store from stages: writing, whole = saved);
        self.store.will_write.next = self.stages.will_write.val() | self.posts.will_write.val();
        inputs!(pointers from store: voids, voided_qp);
        if self.save.q.val() {
            self.save.d.next = self.done.val();
            if self.queue.changed.val() & !self.choice.work.val() & (self.choice.qp.val() == self.blocked_qp.q.val()) {
                self.blocked.d.next = false;
            }
        }

        // what leaves the fast path
        self.finished.push.next = self.completes.val();
        self.finished.push_fast.next = self.stages.completed.val();
        if self.stages.moved.val() & (self.stages.qp.val() == self.blocked_qp.q.val()) {
            self.blocked.d.next = false;
        }
        if !self.turn_2.q.val() {
            inputs!(ring from posts: push_qp = qp, tail, start, finish, generation);
            inputs!(events from stages: qp, generation, psn, bytes, with_int, with_time = acknowledges);
            self.events.sent_valid.next = self.asked_known.val() & self.stages.acknowledges.val();
            self.events.nak.next = false;
            self.events.not_ready.next = false;
            self.finished.qpn.next = bit_cast_u::<24, 8>(self.stages.completes_qp.val());
        }
        self.counts_out.d.next.ghost_acks = self.stages.ghost.val();
        self.counts_out.d.next.ignored_syndromes = self.stages.ignored.val();
        self.counts_out.d.next.duplicates = self.verdict.counts.val().duplicates;
        self.counts_out.d.next.naks_received = self.counts_nak.val();
        self.counts_out.d.next.rnr_naks_received = self.counts_not_ready.val();
        self.counts_out.d.next.read_gaps = self.queue.lose.val();
        self.counts_out.d.next.drop_stray = self.verdict.counts.val().drop_stray;
        self.counts_out.d.next.drop_bad_read_response = self.verdict.counts.val().drop_bad_read_response;
        self.counts_out.d.next.drop_qp_ended = self.counts_ended.val() | self.verdict.counts.val().drop_qp_ended;
        self.counts_out.d.next.error_completions =
            self.completes.val() & (self.finished.status.val() != CompletionStatus::Ok);
        fields!(counts_out.d from events: int_many_hops = many, int_bad_speed = bad);
        self.counts.next = bit_cast_number::<12, RequesterCounts>(self.counts_out.q.val());
        self.started.d.next = true;
        if self.reset.val() | !self.started.q.val() {
            self.idle.d.next = true;
            clear! {
                address, read, load, look, loads, quits, again, fetch, weigh, decide, admits, flushes, tells_on, judges, walks, passes_over, finish, check, act, post, bury, emit, save, tells_event, passes_by, enlists, blocked, stalled, held_removals
            }
        }
    }
}
