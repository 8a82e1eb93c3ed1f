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
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::rx::lookup::RawRow;
use crate::words::transport::{Aeth as AethWord, Commit as CommitWord, CommitKind, CongestionMark, RxPacket};
use crate::{block, kernel};
use classify::Classify;
use hpcc_models::nic::Counter;
use rust_hdl::prelude::*;

/// What the congestion control hears of a frame that needs no engine: kind 2:0, READ response flow 3, queue pair 11:4,
/// generation 19:12, PSN 43:20, ECN mark 44, bytes of INT 50:45, INT 386:51.
pub type DispatchEvent = W<387, 7>;

/// A control packet: 70 bytes after UDP 559:0, first byte in the highest bits; source IP 591:560;
/// UDP carries as many bytes as a control packet has 592.
pub type ControlRow = W<593, 10>;

/// What waits for a write, or not: commit entry 420:0, waits for a write 421.
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
    rows: StreamFifo<RawRow, 9, 512>,
    contexts: Ram<Context, 8>,
    advance: Signal<Local, Bit>,
    valid_1: DFF<Bit>,
    row_1: DFF<RawRow>,
    valid_2: DFF<Bit>,
    row_2: DFF<RawRow>,
    context_2: DFF<Context>,
    #[combinational]
    classify: Classify,
    valid_3: DFF<Bit>,
    fate_3: DFF<U<3>>,
    counter_3: DFF<U<6>>,
    row_3: DFF<RxRow>,
    body_3: DFF<ControlRow>,
    handed: DFF<Bit>,
    hands: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    valid_4: DFF<Bit>,
    fate: DFF<U<3>>,
    counter: DFF<U<6>>,
    row: DFF<RxRow>,
    body: DFF<ControlRow>,
    command_full: DFF<Bit>,
    command_word: DFF<U<24>>,
    job_full: DFF<Bit>,
    job_word: DFF<DmaJob>,
    commit_full: DFF<Bit>,
    commit_word: DFF<CommitRow>,
    notice_full: DFF<Bit>,
    notice_word: DFF<DispatchEvent>,
    control_full: DFF<Bit>,
    control_word: DFF<ControlRow>,
    free: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    decided: Signal<Local, Bit>,
    action: Signal<Local, Action>,
    engine: Signal<Local, Bit>,
    counts_out: DFF<U<44>>,
    taken: Signal<Local, Bit>,
    packet: Signal<Local, RxPacket>,
    aeth: Signal<Local, AethWord>,
    answer: Signal<Local, CommitWord>,
}

#[kernel]
impl Logic for Dispatch {
    fn update(&mut self) {
        self.rows.reset.next = self.reset.val();
        self.lost_13.d.next = self.lost.val();
        self.rows.up.data.next = self.verdict.val();
        self.rows.up.valid.next = self.verdict_valid.val() & !self.lost_13.q.val();
        self.contexts.we.next = self.context_valid.val();
        self.contexts.waddr.next = self.context_qp.val();
        self.contexts.wdata.next = self.context_data.val();

        // what the row asks for leaves in one clock, when everything before it has left
        self.free.next = (!self.command_full.q.val() | self.command.ready.val())
            & (!self.job_full.q.val() | self.job.ready.val())
            & (!self.commit_full.q.val() | self.commit.ready.val())
            & (!self.notice_full.q.val() | self.notice.ready.val())
            & (!self.control_full.q.val() | self.control.ready.val());
        self.engine.next = (self.fate.q.val() == 1) | (self.fate.q.val() == 2);
        self.action.next = self.request_action.data.val();
        self.decided.next = self.request_action.valid.val();
        if self.fate.q.val() == 2 {
            self.action.next = self.response_action.data.val();
            self.decided.next = self.response_action.valid.val();
        }
        self.request_action.ready.next = self.valid_4.q.val() & self.free.val() & (self.fate.q.val() == 1);
        self.response_action.ready.next = self.valid_4.q.val() & self.free.val() & (self.fate.q.val() == 2);
        self.done.next = self.free.val() & self.valid_4.q.val() & (!self.engine.val() | self.decided.val());

        // the row behind goes to its engine meanwhile
        self.request.valid.next = self.valid_3.q.val() & !self.handed.q.val() & (self.fate_3.q.val() == 1);
        self.request.data.next = self.row_3.q.val();
        self.response.valid.next = self.valid_3.q.val() & !self.handed.q.val() & (self.fate_3.q.val() == 2);
        self.response.data.next = self.row_3.q.val();
        self.hands.next = self.handed.q.val()
            | ((self.fate_3.q.val() != 1) & (self.fate_3.q.val() != 2))
            | ((self.fate_3.q.val() == 1) & self.request.ready.val())
            | ((self.fate_3.q.val() == 2) & self.response.ready.val());
        self.moves.next = self.valid_3.q.val() & self.hands.val() & (!self.valid_4.q.val() | self.done.val());
        self.advance.next = !self.valid_3.q.val() | self.moves.val();
        self.handed.d.next = self.valid_3.q.val() & self.hands.val() & !self.moves.val();
        if self.done.val() {
            self.valid_4.d.next = false;
        }
        if self.moves.val() {
            self.valid_4.d.next = true;
            self.fate.d.next = self.fate_3.q.val();
            self.counter.d.next = self.counter_3.q.val();
            self.row.d.next = self.row_3.q.val();
            self.body.d.next = self.body_3.q.val();
        }

        // a stalled row keeps reading its own context
        self.rows.down.ready.next = self.advance.val();
        self.contexts.raddr.next = self.row_1.q.val().get_bits::<8>(623);
        if self.advance.val() {
            self.contexts.raddr.next = self.rows.down.data.val().get_bits::<8>(623);
            self.valid_1.d.next = self.rows.down.valid.val();
            self.row_1.d.next = self.rows.down.data.val();
            self.valid_2.d.next = self.valid_1.q.val();
            self.row_2.d.next = self.row_1.q.val();
            self.context_2.d.next = self.contexts.rdata.val();
            self.valid_3.d.next = self.valid_2.q.val();
            self.fate_3.d.next = self.classify.fate.val();
            self.counter_3.d.next = self.classify.counter.val();
            self.row_3.d.next = self.classify.row.val();
            self.body_3.d.next = bit_cast_ww::<593, 10, 592, 10>(bit_cast_ww::<592, 10, 816, 13>(self.row_2.q.val()))
                | (bit_cast_w::<593, 10, 1>(self.row_2.q.val().get_bits::<1>(815)) << 592);
        }
        self.classify.raw.next = self.row_2.q.val();
        self.classify.of_queue_pair.next = self.context_2.q.val();

        self.taken.next = self.engine.val() & self.action.val().get_bit(0);

        // an acknowledgement goes to the requester, behind what memory still has to take
        self.packet.next = bit_cast_word::<RxPacket, RxRow>(self.row.q.val());
        self.aeth.next =
            bit_cast_word::<AethWord, W<32, 1>>(bit_cast_ww::<32, 1, 128, 2>(self.packet.val().extension >> 96));
        self.answer.next = bits_zero::<CommitWord>(0);
        self.answer.next.kind = CommitKind::Answer;
        self.answer.next.qp = self.packet.val().qp;
        self.answer.next.generation = self.packet.val().generation;
        self.answer.next.psn = self.packet.val().psn;
        self.answer.next.syndrome = self.aeth.val().syndrome;
        self.answer.next.msn = self.aeth.val().msn;
        self.answer.next.int_length = self.packet.val().int_length;
        self.answer.next.int_stack = self.packet.val().int_stack;
        self.answer.next.int_on = self.packet.val().int_on;
        self.answer.next.ecn = self.packet.val().ecn.all();

        // marks count whatever the engines say
        self.mark_valid.next = self.done.val() & self.engine.val() & self.packet.val().ecn.all();
        self.mark.next = bits_zero::<CongestionMark>(0);
        self.mark.next.qp = self.packet.val().qp;
        self.mark.next.generation = self.packet.val().generation;
        self.mark.next.response = self.fate.q.val() == 2;

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
            self.command_word.d.next = bits_u::<24>(0);
            if self.taken.val() {
                self.command_word.d.next = bits_u::<24>(1)
                    | (bit_cast_u::<24, 7>(self.packet.val().payload_at) << 1)
                    | (bit_cast_u::<24, 16>(self.packet.val().payload_length) << 8);
            }
            self.job_full.d.next = self.taken.val();
            self.job_word.d.next = bit_cast_w::<77, 2, 64>(self.action.val().get_bits::<64>(1))
                | (bit_cast_w::<77, 2, 13>(self.row.q.val().get_bits::<13>(178)) << 64);
            self.commit_full.d.next = (self.engine.val() & self.action.val().get_bit(65)) | (self.fate.q.val() == 3);
            self.commit_word.d.next =
                bit_cast_ww::<422, 7, 421, 7>(bit_cast_ww::<421, 7, 487, 8>(self.action.val() >> 66))
                    | (bit_cast_w::<422, 7, 1>(bit_cast_b(self.taken.val())) << 421);
            if self.fate.q.val() == 3 {
                self.commit_word.d.next =
                    bit_cast_ww::<422, 7, 421, 7>(bit_cast_bus::<421, 7, CommitWord>(self.answer.val()));
            }
            self.notice_full.d.next = (self.fate.q.val() == 4) | (self.fate.q.val() == 5);
            self.control_full.d.next = self.fate.q.val() == 6;
            if self.counter.q.val().any() {
                self.counts_out.d.next = bits_u::<44>(1) << self.counter.q.val();
            }
        }
        if self.done.val() {
            self.notice_word.d.next = (bit_cast_w::<387, 7, 24>(self.packet.val().psn) << 20)
                | (bit_cast_w::<387, 7, 8>(self.packet.val().generation) << 12)
                | (bit_cast_w::<387, 7, 8>(self.packet.val().qp) << 4)
                | (bit_cast_w::<387, 7, 1>(bit_cast_b(self.packet.val().ecn.all())) << 44)
                | (bit_cast_w::<387, 7, 6>(self.packet.val().int_length) << 45)
                | (bit_cast_ww::<387, 7, 336, 6>(self.packet.val().int_stack) << 51)
                | (bit_cast_w::<387, 7, 1>(bit_cast_b(self.fate.q.val() == 4)) << 3)
                | (bit_cast_w::<387, 7, 1>(bit_cast_b(self.fate.q.val() == 5)) << 1);
            self.control_word.d.next = self.body.q.val();
        }
        self.command.valid.next = self.command_full.q.val();
        self.command.data.next = self.command_word.q.val();
        self.job.valid.next = self.job_full.q.val();
        self.job.data.next = self.job_word.q.val();
        self.commit.valid.next = self.commit_full.q.val();
        self.commit.data.next = self.commit_word.q.val();
        self.notice.valid.next = self.notice_full.q.val();
        self.notice.data.next = self.notice_word.q.val();
        self.control.valid.next = self.control_full.q.val();
        self.control.data.next = self.control_word.q.val();
        self.counts.next = self.counts_out.q.val();
        if self.reset.val() {
            self.valid_1.d.next = false;
            self.valid_2.d.next = false;
            self.valid_3.d.next = false;
            self.command_full.d.next = false;
            self.job_full.d.next = false;
            self.commit_full.d.next = false;
            self.valid_4.d.next = false;
            self.handed.d.next = false;
            self.notice_full.d.next = false;
            self.control_full.d.next = false;
        }
    }
}
