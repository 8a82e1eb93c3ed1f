//! What an answer of the peer is, and what goes on from it: the event to scheduler and congestion control, and the READ echo.

use crate::nic::words::{AckSend, Commit};
use crate::prim::uint::{bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::requester::Syndrome;
use crate::words::transport::{AckSend as AckSendWord, AnswerKind, Commit as CommitWord};
use crate::words::wire::{HopRecords, IntStack};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Takes an answer apart. Without registers.
#[block]
pub struct Answer {
    /// The answer.
    pub commit: Signal<In, Commit>,
    /// PSN up to which it acknowledges, exclusive.
    pub limit: Signal<Out, U<24>>,
    /// An acknowledgement packet.
    pub acknowledgement: Signal<Out, Bit>,
    /// READ data that is in memory.
    pub data: Signal<Out, Bit>,
    /// READ data that memory refused.
    pub failed: Signal<Out, Bit>,
    /// READ data came out of order.
    pub gap: Signal<Out, Bit>,
    /// A READ response came twice.
    pub duplicate: Signal<Out, Bit>,
    /// The queue pair collects INT.
    pub int_on: Signal<Out, Bit>,
    /// Neither positive nor negative.
    pub ignored: Signal<Out, Bit>,
    /// Negative, of any code.
    pub nak: Signal<Out, Bit>,
    /// It ends the queue pair, if it is not old.
    pub fatal: Signal<Out, Bit>,
    /// With this status, a place in the order of [`hpcc_models::nic::Status`].
    pub status: Signal<Out, U<4>>,
    /// The answer as a READ echo.
    pub echo: Signal<Out, AckSend>,
    word: Signal<Local, CommitWord>,
    code: Signal<Local, U<3>>,
    syndrome: Signal<Local, Syndrome>,
    reason: Signal<Local, U<5>>,
    sent: Signal<Local, AckSendWord>,
}

#[kernel]
impl Logic for Answer {
    fn update(&mut self) {
        self.word.next = bit_cast_word::<CommitWord, W<421, 7>>(self.commit.val());
        self.syndrome.next = bit_cast_word::<Syndrome, U<8>>(self.word.val().syndrome);
        assign!(reason = syndrome.value, code = syndrome.code);
        self.acknowledgement.next = self.word.val().answer == AnswerKind::Acknowledgement;
        self.data.next = (self.word.val().answer == AnswerKind::ReadData) & !self.word.val().ends_or_failed;
        self.failed.next = (self.word.val().answer == AnswerKind::ReadData) & self.word.val().ends_or_failed;
        self.gap.next = self.word.val().answer == AnswerKind::ReadGap;
        self.duplicate.next = self.word.val().answer == AnswerKind::ReadDuplicate;
        self.int_on.next = self.word.val().int_on;
        self.ignored.next =
            (self.word.val().answer == AnswerKind::Acknowledgement) & (self.code.val() != 0) & (self.code.val() != 3);
        self.nak.next = (self.word.val().answer == AnswerKind::Acknowledgement) & (self.code.val() == 3);
        self.limit.next = self.word.val().psn;
        if (self.word.val().answer == AnswerKind::Acknowledgement) & (self.code.val() == 0) {
            self.limit.next = self.word.val().psn + 1;
        }
        self.fatal.next = self.failed.val() | (self.nak.val() & self.reason.val().any());
        self.status.next = bits_u::<4>(4);
        if self.reason.val() == 1 {
            self.status.next = bits_u::<4>(2);
        }
        if self.reason.val() == 2 {
            self.status.next = bits_u::<4>(3);
        }
        if self.failed.val() {
            self.status.next = bits_u::<4>(6);
        }
        self.sent.next = bits_zero::<AckSendWord>(0);
        self.sent.next.echo = true;
        fields!(sent from word: qp, generation, psn, int_length, int_stack);
        self.echo.next = bit_cast_bus::<416, 7, AckSendWord>(self.sent.val());
    }
}

/// What goes on from an answer after the walk. Without registers.
#[block]
pub struct Outcome {
    /// An acknowledgement packet.
    pub acknowledgement: Signal<In, Bit>,
    /// Negative, of any code.
    pub nak: Signal<In, Bit>,
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
    /// `una` before the walk.
    pub una_before: Signal<In, U<24>>,
    /// `una` after it.
    pub una: Signal<In, U<24>>,
    /// The oldest message is a READ.
    pub at_read: Signal<In, Bit>,
    /// Its gap has been reported.
    pub gap_known: Signal<In, Bit>,
    /// MTU code.
    pub mtu: Signal<In, U<3>>,
    /// The queue pair ends.
    pub ends: Signal<Out, Bit>,
    /// It shows READ data lost.
    pub lost: Signal<Out, Bit>,
    /// The scheduler is to hear of it.
    pub tell: Signal<Out, Bit>,
    /// As a NAK.
    pub rewind: Signal<Out, Bit>,
    /// PSN of the event.
    pub psn: Signal<Out, U<24>>,
    /// Bytes of WRITEs acknowledged, those of the last packet of a message rounded up.
    pub bytes: Signal<Out, U<32>>,
    passed: Signal<Local, U<24>>,
    missing: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Outcome {
    fn update(&mut self) {
        self.ends.next = self.fatal.val() & !(self.nak.val() & self.old.val());
        self.missing.next = ((self.acknowledgement.val() & !self.nak.val()) | self.gap.val())
            & !self.old.val()
            & (self.una.val() != self.limit.val())
            & self.at_read.val()
            & !self.gap_known.val();
        self.lost.next = self.missing.val();
        self.passed.next = self.una.val() - self.una_before.val();
        self.tell.next = self.acknowledgement.val() | self.passed.val().any() | self.missing.val();
        self.rewind.next = self.nak.val() | self.missing.val();
        self.psn.next = self.una.val();
        if self.old.val() & self.acknowledgement.val() {
            self.psn.next = self.limit.val();
        }
        self.bytes.next = (bit_cast_u::<32, 24>(self.passed.val()) << 8) << self.mtu.val();
        if self.data.val() {
            self.bytes.next = bits_u::<32>(0);
        }
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
    fields: Signal<Local, IntStack>,
    records: Signal<Local, HopRecords>,
    bad: [Signal<Local, Bit>; 6],
}

#[kernel]
impl Logic for IntFields {
    fn update(&mut self) {
        self.present.next = self.length.val() >= 2;
        self.fields.next = bit_cast_word::<IntStack, W<336, 6>>(self.stack.val());
        assign!(n_hop = fields.header.n_hop, path_id = fields.header.path_id);
        self.many.next = self.fields.val().header.n_hop > 5;
        fields!(records from fields: hop_1, hop_2, hop_3, hop_4, hop_5);
        self.hops.next = bit_cast_bus::<320, 5, HopRecords>(self.records.val());
        self.bad[0].next = false;
        for i in 0..5 {
            // a record counts if at least that many switches did
            self.bad[i + 1].next = self.bad[i].val()
                | ((self.fields.val().header.n_hop > i.val())
                    & !self
                        .speeds
                        .val()
                        .get_bit(self.stack.val().get_bits::<4>(316 - i * 64).index()));
        }
        self.valid.next = (self.length.val() >= 2) & !self.bad[5].val();
    }
}
