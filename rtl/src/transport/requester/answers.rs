//! What an answer of the peer is, and what goes on from it: the event to scheduler and congestion control, and the READ echo.

use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::requester::Syndrome;
use crate::words::transport::{AckKind, AckSend, AnswerKind, Commit};
use crate::words::wire::{AethSyndrome, HopRecords, IntStack};
use crate::words::work::CompletionStatus;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Takes an answer apart; `int_on` and `echo` at once, all else a clock later.
#[block]
pub struct Answer {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The answer.
    pub commit: Signal<In, Commit>,
    /// PSN up to which it acknowledges, exclusive.
    pub limit: Signal<Out, U<24>>,
    /// That is one past its PSN, not its PSN.
    pub past: Signal<Out, Bit>,
    /// An acknowledgement packet.
    pub acknowledgement: Signal<Out, Bit>,
    /// READ data that is in memory.
    pub data: Signal<Out, Bit>,
    /// READ data came out of order.
    pub gap: Signal<Out, Bit>,
    /// A READ response came twice.
    pub duplicate: Signal<Out, Bit>,
    /// The queue pair collects INT.
    pub int_on: Signal<Out, Bit>,
    /// Negative, of any code.
    pub nak: Signal<Out, Bit>,
    /// The receiver was not ready for its packet, but for all before it.
    pub not_ready: Signal<Out, Bit>,
    /// It ends the queue pair, if it is not old.
    pub fatal: Signal<Out, Bit>,
    /// With this status.
    pub status: Signal<Out, CompletionStatus>,
    /// The answer as a READ echo.
    pub echo: Signal<Out, AckSend>,
    #[registers(Bit:
        /// The answer acknowledges packets up to and with its PSN.
        is_past,
        /// The answer is an acknowledgement, positive or negative.
        is_ack,
        /// The answer tells READ data that was written to memory.
        is_data,
        /// The answer tells that a READ response is missing.
        is_gap,
        /// The answer tells READ data that had come before.
        is_duplicate,
        /// The answer is a NAK.
        is_nak, is_not_ready,
        /// The answer ends the queue pair: a NAK with a reason other than a PSN sequence error, or READ data that could not be written.
        is_fatal)]
    /// PSN up to which, not included, packets are acknowledged.
    limit_r: DFF<U<24>>,
    /// Completion status if the answer ends the queue pair.
    status_r: DFF<CompletionStatus>,
    code: Signal<Local, U<3>>,
    positive: Signal<Local, Bit>,
    syndrome: Signal<Local, Syndrome>,
    reason: Signal<Local, U<5>>,
    sent: Signal<Local, AckSend>,
}

#[kernel]
impl Logic for Answer {
    fn update(&mut self) {
        syndrome = bit_cast_word::<Syndrome, AethSyndrome>(commit.syndrome);
        assign!(reason = syndrome.value, code = syndrome.code);
        is_ack = commit.answer == AnswerKind::Acknowledgement;
        is_data = (commit.answer == AnswerKind::ReadData) & !commit.ends_or_failed;
        is_gap = commit.answer == AnswerKind::ReadGap;
        is_duplicate = commit.answer == AnswerKind::ReadDuplicate;
        is_nak = (commit.answer == AnswerKind::Acknowledgement) & (code == 3);
        is_not_ready = (commit.answer == AnswerKind::Acknowledgement) & (code == 1);
        positive = (commit.answer == AnswerKind::Acknowledgement) & (code == 0);
        is_past = positive;
        limit_r = if positive { commit.psn + 1 } else { commit.psn };
        is_fatal = ((commit.answer == AnswerKind::ReadData) & commit.ends_or_failed)
            | (commit.answer == AnswerKind::ReadRefused)
            | ((commit.answer == AnswerKind::Acknowledgement) & (code == 3) & reason.any());
        status_r = CompletionStatus::RemoteOperationalError;
        if reason == 1 {
            status_r = CompletionStatus::RemoteInvalidRequest;
        }
        if reason == 2 {
            status_r = CompletionStatus::RemoteAccessError;
        }
        if (commit.answer == AnswerKind::ReadData) & commit.ends_or_failed {
            status_r = CompletionStatus::LocalOperationalError;
        }
        if commit.answer == AnswerKind::ReadRefused {
            status_r = CompletionStatus::LocalAccessError;
        }
        assign! {
            acknowledgement = is_ack, data = is_data, gap = is_gap, duplicate = is_duplicate,
            nak = is_nak, not_ready = is_not_ready, limit = limit_r, past = is_past, fatal = is_fatal, status = status_r
        }
        int_on = commit.int_on;
        sent = bits_zero::<AckSend>(0);
        sent.kind = AckKind::Echo;
        fields!(sent from commit: qp, generation, psn, int_length, int_stack);
        echo = sent;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

/// What goes on from an answer after the walk. What depends on the answer and `old` alone is known a clock later.
#[block]
pub struct Outcome {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// An acknowledgement packet.
    pub acknowledgement: Signal<In, Bit>,
    /// Negative, of any code.
    pub nak: Signal<In, Bit>,
    /// The receiver was not ready for its packet.
    pub not_ready: Signal<In, Bit>,
    /// It ends the queue pair, if it is not old.
    pub fatal: Signal<In, Bit>,
    /// READ data came out of order.
    pub gap: Signal<In, Bit>,
    /// READ data that is in memory.
    pub data: Signal<In, Bit>,
    /// Its PSN lay before `una`.
    pub old: Signal<In, Bit>,
    /// PSN up to which it acknowledges, exclusive.
    pub limit: Signal<In, U<24>>,
    /// `una` after the walk.
    pub una: Signal<In, U<24>>,
    /// The walk has moved it.
    pub advanced: Signal<In, Bit>,
    /// By so many PSNs.
    pub passed: Signal<In, U<24>>,
    /// If the oldest message is a READ: it is not `limit`.
    pub apart: Signal<In, Bit>,
    /// The oldest message is a READ.
    pub at_read: Signal<In, Bit>,
    /// Then: its gap has been reported.
    pub gap_known: Signal<In, Bit>,
    /// MTU code.
    pub mtu: Signal<In, U<3>>,
    /// The queue pair ends, a clock later.
    pub ends: Signal<Out, Bit>,
    /// It shows READ data lost.
    pub lost: Signal<Out, Bit>,
    /// The scheduler is to hear of it.
    pub tell: Signal<Out, Bit>,
    /// As a NAK.
    pub rewind: Signal<Out, Bit>,
    /// As a receiver that is not ready.
    pub waits: Signal<Out, Bit>,
    /// PSN of the event.
    pub psn: Signal<Out, U<24>>,
    /// Bytes of WRITEs acknowledged, those of the last packet of a message rounded up.
    pub bytes: Signal<Out, U<32>>,
    #[registers(Bit:
        /// The answer ends the queue pair.
        ends_r,
        /// The answer is about a PSN at or behind `una` that tells of later packets than the oldest message's.
        shows, behind_not_ready)]
    missing: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Outcome {
    fn update(&mut self) {
        ends_r = fatal & !(nak & old);
        ends = ends_r;
        // it is about more than what the oldest message, if that is a READ, still lacks
        shows = ((acknowledgement & !nak) | gap) & !old;
        behind_not_ready = not_ready & !old;
        missing = shows & apart & at_read & !gap_known;
        lost = missing;
        tell = acknowledgement | advanced | missing;
        rewind = nak | missing;
        // where the data of a READ before its packet is missing, that is asked for first
        waits = behind_not_ready & !(apart & at_read);
        psn = if old & acknowledgement { limit } else { una };
        bytes = if data { bits_u::<32>(0) } else { (bit_cast_u::<32, 24>(passed) << 8) << mtu };
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

/// INT header and stack: `nHop:4 pathID:12`, then the records, first byte in the highest bits. Without registers.
///
/// Reference: `feed` of `hpcc_models::nic`'s feedback.
#[block]
pub struct IntFields {
    /// Header and stack, zero behind their length.
    pub stack: Signal<In, W<336, 6>>,
    /// Bytes of them.
    pub length: Signal<In, U<6>>,
    /// Speed codes that are valid.
    pub speeds: Signal<In, U<16>>,
    /// There is INT.
    pub present: Signal<Out, Bit>,
    /// All speed codes are valid.
    pub valid: Signal<Out, Bit>,
    /// More switches than records.
    pub many: Signal<Out, Bit>,
    /// Switches on the path.
    pub n_hop: Signal<Out, U<4>>,
    /// XOR of their ids.
    pub path_id: Signal<Out, U<12>>,
    /// Records, first switch in the lowest bits.
    pub hops: Signal<Out, W<320, 5>>,
    has_header: Signal<Local, Bit>,
    bad: [Signal<Local, Bit>; 6],
    fields: Signal<Local, IntStack>,
    records: Signal<Local, HopRecords>,
}

#[kernel]
impl Logic for IntFields {
    fn update(&mut self) {
        // two bytes or more
        has_header = (length & 0x3e).any();
        present = has_header;
        fields = bit_cast_word::<IntStack, W<336, 6>>(stack);
        assign!(n_hop = fields.header.n_hop, path_id = fields.header.path_id);
        many = fields.header.n_hop > 5;
        fields!(records from fields: hop_1, hop_2, hop_3, hop_4, hop_5);
        hops = bit_cast_bus::<320, 5, HopRecords>(records);
        bad[0] = false;
        for i in 0..5 {
            // a record counts if at least that many switches did
            bad[i + 1] =
                bad[i] | ((fields.header.n_hop > i.val()) & !speeds.get_bit(stack.get_bits::<4>(316 - i * 64).index()));
        }
        valid = has_header & !bad[5];
    }
}
