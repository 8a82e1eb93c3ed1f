//! Dispatch: what becomes of each frame, in the order of the frames.
//!
//! Verdicts of the parser wait in a FIFO as deep as the packet buffer has frames, so none is ever lost. Then one row a clock:
//!
//! | clock | does |
//! |---|---|
//! | 0 | row out of the FIFO, context read |
//! | 1 | row and context into registers |
//! | 2 | checks, fate ([`classify`]) |
//! | 3 | hands requests and READ responses to their engine |
//! | 4 | acts: skips, commits, reports, or waits for the engine's decision while the next row is with its own |
//!
//! Buffer command, memory job and commit entry of a frame leave together, so all three are in the order of the frames.
//! Reference: `receive` of `hpcc_models::nic`.

pub mod classify;
#[cfg(test)]
mod tests;

use crate::nic::words::{Action, Context, DmaJob, RxRow};
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::ram::Ram;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::rx::lookup::RawRow;
use crate::words::congestion::CcEventKind;
use crate::words::context::QpContext;
use crate::words::dma::DmaJob as Job;
use crate::words::flows::Notice;
use crate::words::rx::{BufferCommand, CommitEntry, ControlPacket, FrameFate, JudgedFrame};
use crate::words::transport::{Action as Decision, AnswerKind, CommitKind, CongestionMark, RxPacket};
use crate::words::wire::{AckHeader, Extension};
use crate::{block, kernel};
use classify::Classify;
use hpcc_models::nic::Counter;
use rust_hdl::prelude::*;

/// What the congestion control hears of a frame that needs no engine: a [`Notice`].
pub type DispatchEvent = W<387, 7>;

/// A control packet: a [`ControlPacket`].
pub type ControlRow = W<593, 10>;

/// What waits for a write, or not: a [`CommitEntry`].
pub type CommitRow = W<422, 7>;

/// Number of counters that dispatch may count, the first of [`Counter::ALL`]. The one behind them counts frames that never get here.
pub const COUNTERS: usize = 44;
const _: () = assert!(Counter::RxBufferFull as usize == COUNTERS);

/// Dispatch of one port.
#[block]
pub struct Dispatch {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A frame has been judged.
    pub verdict_valid: Signal<In, Bit>,
    /// The parser's outputs.
    pub verdict: Signal<In, RawRow>,
    /// The packet buffer lost the frame whose last beat came two clocks ago.
    pub lost: Signal<In, Bit>,
    /// A context is written.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair.
    pub context_qp: Signal<In, U<8>>,
    /// Its context.
    pub context_data: Signal<In, Context>,
    /// Commands to the packet buffer.
    pub command: StreamOut<U<24>>,
    /// Jobs of the memory writer.
    pub job: StreamOut<DmaJob>,
    /// What is to happen when memory has the payload.
    pub commit: StreamOut<CommitRow>,
    /// Requests, to the responder.
    pub request: StreamOut<RxRow>,
    /// Its decisions.
    pub request_action: StreamIn<Action>,
    /// READ responses, to the requester.
    pub response: StreamOut<RxRow>,
    /// Its decisions.
    pub response_action: StreamIn<Action>,
    /// READ echoes and congestion notifications.
    pub notice: StreamOut<DispatchEvent>,
    /// Control packets.
    pub control: StreamOut<ControlRow>,
    /// A request or READ response came with the mark "congestion experienced". At most every second clock in the mean.
    pub mark_valid: Signal<Out, Bit>,
    /// Whose.
    pub mark: Signal<Out, CongestionMark>,
    /// Pulses in the order of [`Counter::ALL`].
    pub counts: Signal<Out, U<44>>,
    lost_13: Delay<Bit, 11>,
    rows: StreamFifo<JudgedFrame, 9, 512>,
    contexts: Ram<QpContext, 8>,
    advance: Signal<Local, Bit>,
    valid_1: DFF<Bit>,
    row_1: DFF<JudgedFrame>,
    valid_2: DFF<Bit>,
    row_2: DFF<JudgedFrame>,
    context_2: DFF<QpContext>,
    #[combinational]
    classify: Classify,
    valid_3: DFF<Bit>,
    fate_3: DFF<FrameFate>,
    counter_3: DFF<U<6>>,
    row_3: DFF<RxPacket>,
    body_3: DFF<ControlPacket>,
    handed: DFF<Bit>,
    hands: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    valid_4: DFF<Bit>,
    fate: DFF<FrameFate>,
    counter: DFF<U<6>>,
    row: DFF<RxPacket>,
    body: DFF<ControlPacket>,
    command_full: DFF<Bit>,
    command_word: DFF<BufferCommand>,
    job_full: DFF<Bit>,
    job_word: DFF<Job>,
    commit_full: DFF<Bit>,
    commit_word: DFF<CommitEntry>,
    notice_full: DFF<Bit>,
    notice_word: DFF<Notice>,
    control_full: DFF<Bit>,
    control_word: DFF<ControlPacket>,
    free: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    decided: Signal<Local, Bit>,
    arriving: Signal<Local, JudgedFrame>,
    action: Signal<Local, Decision>,
    heard: Signal<Local, CcEventKind>,
    given: Signal<Local, Extension>,
    aeth: Signal<Local, AckHeader>,
    engine: Signal<Local, Bit>,
    counts_out: DFF<U<44>>,
    taken: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Dispatch {
    fn update(&mut self) {
        self.rows.reset.next = self.reset.val();
        self.lost_13.d.next = self.lost.val();
        self.rows.up.data.next = bit_cast_word::<JudgedFrame, RawRow>(self.verdict.val());
        self.rows.up.valid.next = self.verdict_valid.val() & !self.lost_13.q.val();
        inputs!(contexts: we = context_valid, waddr = context_qp);
        self.contexts.wdata.next = bit_cast_word::<QpContext, Context>(self.context_data.val());

        // what the row asks for leaves in one clock, when everything before it has left
        self.free.next = (!self.command_full.q.val() | self.command.ready.val())
            & (!self.job_full.q.val() | self.job.ready.val())
            & (!self.commit_full.q.val() | self.commit.ready.val())
            & (!self.notice_full.q.val() | self.notice.ready.val())
            & (!self.control_full.q.val() | self.control.ready.val());
        self.engine.next = (self.fate.q.val() == FrameFate::Request) | (self.fate.q.val() == FrameFate::ReadResponse);
        self.action.next = bit_cast_word::<Decision, Action>(self.request_action.data.val());
        self.decided.next = self.request_action.valid.val();
        if self.fate.q.val() == FrameFate::ReadResponse {
            self.action.next = bit_cast_word::<Decision, Action>(self.response_action.data.val());
            self.decided.next = self.response_action.valid.val();
        }
        self.request_action.ready.next =
            self.valid_4.q.val() & self.free.val() & (self.fate.q.val() == FrameFate::Request);
        self.response_action.ready.next =
            self.valid_4.q.val() & self.free.val() & (self.fate.q.val() == FrameFate::ReadResponse);
        self.done.next = self.free.val() & self.valid_4.q.val() & (!self.engine.val() | self.decided.val());

        // the row behind goes to its engine meanwhile
        self.request.valid.next =
            self.valid_3.q.val() & !self.handed.q.val() & (self.fate_3.q.val() == FrameFate::Request);
        self.request.data.next = bit_cast_bus::<550, 9, RxPacket>(self.row_3.q.val());
        self.response.valid.next =
            self.valid_3.q.val() & !self.handed.q.val() & (self.fate_3.q.val() == FrameFate::ReadResponse);
        self.response.data.next = bit_cast_bus::<550, 9, RxPacket>(self.row_3.q.val());
        self.hands.next = self.handed.q.val()
            | ((self.fate_3.q.val() != FrameFate::Request) & (self.fate_3.q.val() != FrameFate::ReadResponse))
            | ((self.fate_3.q.val() == FrameFate::Request) & self.request.ready.val())
            | ((self.fate_3.q.val() == FrameFate::ReadResponse) & self.response.ready.val());
        self.moves.next = self.valid_3.q.val() & self.hands.val() & (!self.valid_4.q.val() | self.done.val());
        self.advance.next = !self.valid_3.q.val() | self.moves.val();
        self.handed.d.next = self.valid_3.q.val() & self.hands.val() & !self.moves.val();
        if self.done.val() {
            self.valid_4.d.next = false;
        }
        if self.moves.val() {
            self.valid_4.d.next = true;
            assign!(fate.d = fate_3, counter.d = counter_3, row.d = row_3, body.d = body_3);
        }

        // a stalled row keeps reading its own context
        self.rows.down.ready.next = self.advance.val();
        self.arriving.next = self.rows.down.data.val();
        self.contexts.raddr.next = bit_cast_u::<8, 24>(self.row_1.q.val().qpn);
        if self.advance.val() {
            self.contexts.raddr.next = bit_cast_u::<8, 24>(self.arriving.val().qpn);
            assign!(valid_1.d = rows.down.valid, row_1.d = arriving);
            advance!(valid_2, row_2);
            self.context_2.d.next = self.contexts.rdata.val();
            self.valid_3.d.next = self.valid_2.q.val();
            assign! {
                fate_3.d = classify.fate, counter_3.d = classify.counter, row_3.d = classify.row
            }
            fields!(body_3.d from row_2: body, source_ip, right_length = control_length);
        }
        inputs!(classify: raw = row_2, of_queue_pair = context_2);

        self.given.next = bit_cast_word::<Extension, W<128, 2>>(self.row.q.val().extension);
        self.aeth.next = bit_cast_word::<AckHeader, U<32>>(self.given.val().aeth);
        self.taken.next = self.engine.val() & self.action.val().take;

        // marks count whatever the engines say
        self.mark_valid.next = self.done.val() & self.engine.val() & self.row.q.val().ecn.all();
        self.mark.next = bits_zero::<CongestionMark>(0);
        fields!(mark from row: qp, generation);
        self.mark.next.response = self.fate.q.val() == FrameFate::ReadResponse;

        if self.command.ready.val() {
            self.command_full.d.next = false;
        }
        if self.job.ready.val() {
            self.job_full.d.next = false;
        }
        if self.commit.ready.val() {
            self.commit_full.d.next = false;
        }
        if self.notice.ready.val() {
            self.notice_full.d.next = false;
        }
        if self.control.ready.val() {
            self.control_full.d.next = false;
        }
        self.counts_out.d.next = bits_u::<44>(0);
        if self.done.val() {
            self.command_full.d.next = true;
            self.command_word.d.next = bits_zero::<BufferCommand>(0);
            if self.taken.val() {
                self.command_word.d.next.take = true;
                fields!(command_word.d from row: at = payload_at, length = payload_length);
            }
            self.job_full.d.next = self.taken.val();
            self.job_word.d.next.address = self.action.val().address;
            self.job_word.d.next.length = bit_cast_u::<13, 16>(self.row.q.val().payload_length);
            self.commit_full.d.next =
                (self.engine.val() & self.action.val().commits) | (self.fate.q.val() == FrameFate::Acknowledgement);
            fields!(commit_word.d: commit = action.commit, waits = taken);
            if self.fate.q.val() == FrameFate::Acknowledgement {
                self.commit_word.d.next = bits_zero::<CommitEntry>(0);
                self.commit_word.d.next.commit.kind = CommitKind::Answer;
                self.commit_word.d.next.commit.answer = AnswerKind::Acknowledgement;
                fields!(commit_word.d from row: commit.qp = qp, commit.generation = generation, commit.psn = psn);
                fields!(commit_word.d from aeth: commit.syndrome = syndrome, commit.msn = msn);
                fields!(commit_word.d from row:
                    commit.int_length = int_length, commit.int_stack = int_stack, commit.int_on = int_on);
                self.commit_word.d.next.commit.ecn = self.row.q.val().ecn.all();
            }
            self.notice_full.d.next =
                (self.fate.q.val() == FrameFate::Echo) | (self.fate.q.val() == FrameFate::Notification);
            self.control_full.d.next = self.fate.q.val() == FrameFate::Control;
            if self.counter.q.val().any() {
                self.counts_out.d.next = bits_u::<44>(1) << self.counter.q.val();
            }
        }
        self.heard.next = CcEventKind::Ack;
        if self.fate.q.val() == FrameFate::Notification {
            self.heard.next = CcEventKind::Cnp;
        }
        if self.done.val() {
            self.notice_word.d.next.event_kind = bit_cast_number::<3, CcEventKind>(self.heard.val());
            self.notice_word.d.next.response = self.fate.q.val() == FrameFate::Echo;
            fields!(notice_word.d from row: qp, generation, psn);
            self.notice_word.d.next.ecn = self.row.q.val().ecn.all();
            fields!(notice_word.d from row: int_length, int_stack);
            self.control_word.d.next = self.body.q.val();
        }
        self.command.valid.next = self.command_full.q.val();
        self.command.data.next = bit_cast_number::<24, BufferCommand>(self.command_word.q.val());
        self.job.valid.next = self.job_full.q.val();
        self.job.data.next = bit_cast_bus::<77, 2, Job>(self.job_word.q.val());
        self.commit.valid.next = self.commit_full.q.val();
        self.commit.data.next = bit_cast_bus::<422, 7, CommitEntry>(self.commit_word.q.val());
        self.notice.valid.next = self.notice_full.q.val();
        self.notice.data.next = bit_cast_bus::<387, 7, Notice>(self.notice_word.q.val());
        self.control.valid.next = self.control_full.q.val();
        self.control.data.next = bit_cast_bus::<593, 10, ControlPacket>(self.control_word.q.val());
        self.counts.next = self.counts_out.q.val();
        reset! {
            valid_1, valid_2, valid_3, command_full, job_full, commit_full, valid_4, handed, notice_full, control_full
        }
    }
}
