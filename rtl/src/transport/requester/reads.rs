//! READ responses: is a packet the next one, and does it look as it must?
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | packet and READ, still until clock 2 | place in the message |
//! | 1 | first missing PSN | bytes before and after, order |
//! | 2 | | kind and length; outputs |
//!
//! Reference: `read_response` of `hpcc_models::nic`'s answers.

use crate::nic::words::{Action, RxRow};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::counters::ReadCounts;
use crate::words::requester::OwnMessage;
use crate::words::requester::{PsnDistance, Syndrome};
use crate::words::transport::{Action as ActionWord, AnswerKind, CommitKind, RxPacket};
use crate::words::wire::{AckHeader, Extension};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// The decision about a READ response as a word. Without registers.
#[block]
pub struct Decision {
    /// The packet.
    pub row: Signal<In, RxRow>,
    /// The payload goes to memory.
    pub take: Signal<In, Bit>,
    /// Where.
    pub address: Signal<In, U<64>>,
    /// The requester is to hear of the packet again, behind the writes before it.
    pub commits: Signal<In, Bit>,
    /// As what: 1 data, 2 gap, 3 duplicate.
    pub answer: Signal<In, AnswerKind>,
    /// Data: the last of its READ.
    pub ends: Signal<In, Bit>,
    /// The decision.
    pub action: Signal<Out, Action>,
    packet: Signal<Local, RxPacket>,
    word: Signal<Local, ActionWord>,
}

#[kernel]
impl Logic for Decision {
    fn update(&mut self) {
        self.packet.next = bit_cast_word::<RxPacket, W<550, 9>>(self.row.val());
        self.word.next = bits_zero::<ActionWord>(0);
        fields!(word: take, address, commits);
        self.word.next.commit.kind = CommitKind::Answer;
        fields!(word from packet: commit.qp = qp, commit.generation = generation, commit.psn = psn);
        self.word.next.commit.syndrome = bits_u::<8>(0x1f);
        self.word.next.commit.msn = bit_cast_u::<24, 1>(bit_cast_b(self.ends.val()));
        fields!(word:
            commit.int_length = packet.int_length, commit.int_stack = packet.int_stack, commit.answer = answer,
            commit.int_on = packet.int_on);
        self.action.next = bit_cast_bus::<487, 8, ActionWord>(self.word.val());
    }
}

/// What becomes of a READ response, from what is known before its place in the READ is checked.
#[block]
pub struct Verdict {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The packet.
    pub row: Signal<In, RxRow>,
    /// The READ.
    pub message: Signal<In, OwnMessage>,
    /// First PSN whose data is missing.
    pub missing: Signal<In, U<24>>,
    /// Decide in this clock.
    pub act: Signal<In, Bit>,
    /// 0 check it, 1 nothing asked for it, 2 it came before, 3 its AETH is negative, 4 the queue pair has ended, 5 the queue pair
    /// is gone, 6 a READ response before it is missing.
    pub code: Signal<In, U<3>>,
    /// The queue pair collects INT.
    pub int_on: Signal<In, Bit>,
    /// The response follows a run: taken without a look at its message. Not with `act`.
    pub follows: Signal<In, Bit>,
    /// Then its payload goes here.
    pub follow_address: Signal<In, U<64>>,
    /// AETH, if there is one, does not acknowledge.
    pub negative: Signal<Out, Bit>,
    /// With `act`: its data is taken.
    pub take: Signal<Out, Bit>,
    /// With `take`: the READ is complete.
    pub last: Signal<Out, Bit>,
    /// With `act`: the decision.
    pub action: Signal<Out, Action>,
    /// With `act`: what is counted.
    pub counts: Signal<Out, ReadCounts>,
    /// With `take`: where the payload of the next response goes.
    pub behind: Signal<Out, U<64>>,
    #[combinational]
    decision: Decision,
    packet: Signal<Local, RxPacket>,
    offset: DFF<U<24>>,
    ends: DFF<Bit>,
    ahead: DFF<U<24>>,
    skipped: Signal<Local, U<36>>,
    left: DFF<U<36>>,
    place: DFF<U<64>>,
    full: Signal<Local, U<36>>,
    expected: Signal<Local, U<36>>,
    is_end: Signal<Local, Bit>,
    in_order: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    sound: Signal<Local, Bit>,
    checked: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    stray: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
    counted: Signal<Local, ReadCounts>,
    distance: Signal<Local, PsnDistance>,
    given: Signal<Local, Extension>,
    aeth: Signal<Local, AckHeader>,
    syndrome: Signal<Local, Syndrome>,
}

#[kernel]
impl Logic for Verdict {
    fn update(&mut self) {
        self.packet.next = bit_cast_word::<RxPacket, W<550, 9>>(self.row.val());
        self.given.next = bit_cast_word::<Extension, W<128, 2>>(self.packet.val().extension);
        self.aeth.next = bit_cast_word::<AckHeader, U<32>>(self.given.val().aeth);
        self.syndrome.next = bit_cast_word::<Syndrome, U<8>>(self.aeth.val().syndrome);
        // Middle has no AETH
        self.negative.next = (self.packet.val().opcode != 0x0e) & self.syndrome.val().code.any();

        self.offset.d.next = self.packet.val().psn - self.message.val().first_psn;
        self.ends.d.next = (self.packet.val().psn + 1) == self.message.val().end_psn;
        self.ahead.d.next = self.packet.val().psn - self.missing.val();

        self.skipped.next = (bit_cast_u::<36, 24>(self.offset.q.val()) << 8) << self.packet.val().mtu;
        self.left.d.next = bit_cast_u::<36, 32>(self.message.val().length) - self.skipped.val();
        self.place.d.next = self.message.val().local_address + bit_cast_u::<64, 36>(self.skipped.val());

        self.full.next = bits_u::<36>(256) << self.packet.val().mtu;
        self.behind.next = self.place.q.val() + bit_cast_u::<64, 36>(self.full.val());
        self.expected.next = self.full.val();
        if self.ends.q.val() {
            self.expected.next = self.left.q.val();
        }
        self.is_end.next = (self.packet.val().opcode == 0x0f) | (self.packet.val().opcode == 0x10);
        self.sound.next = (self.is_end.val() == self.ends.q.val())
            & (bit_cast_u::<36, 16>(self.packet.val().payload_length) == self.expected.val());

        self.in_order.next = self.ahead.q.val() == 0;
        self.distance.next = bit_cast_word::<PsnDistance, U<24>>(self.ahead.q.val());
        self.beyond.next = self.ahead.q.val().any() & !self.distance.val().negative;
        self.checked.next = self.act.val() & (self.code.val() == 0);
        self.good.next = self.checked.val() & self.in_order.val() & self.sound.val();
        assign!(take = good, last = ends);
        self.stray.next = (self.act.val() & (self.code.val() == 1))
            | (self.checked.val() & !self.in_order.val() & !self.beyond.val());
        self.bad.next =
            (self.act.val() & (self.code.val() == 3)) | (self.checked.val() & self.in_order.val() & !self.sound.val());
        self.counted.next.duplicates = self.act.val() & (self.code.val() == 2);
        fields!(counted: drop_stray = stray, drop_bad_read_response = bad);
        self.counted.next.drop_qp_ended = self.act.val() & (self.code.val() == 4);
        self.counts.next = self.counted.val();
        inputs!(decision: row, address = place);
        self.decision.take.next = self.good.val() & self.packet.val().payload_length.any();
        self.decision.answer.next = AnswerKind::ReadGap;
        self.decision.ends.next = self.good.val() & self.ends.q.val();
        self.decision.commits.next = (self.code.val() == 6) | (self.checked.val() & self.beyond.val());
        if self.good.val() {
            self.decision.answer.next = AnswerKind::ReadData;
            self.decision.commits.next = true;
        }
        if self.code.val() == 2 {
            self.decision.answer.next = AnswerKind::ReadDuplicate;
            self.decision.commits.next = self.int_on.val();
        }
        if self.follows.val() {
            self.decision.address.next = self.follow_address.val();
            self.decision.take.next = true;
            self.decision.answer.next = AnswerKind::ReadData;
            self.decision.ends.next = false;
            self.decision.commits.next = true;
        }
        self.action.next = self.decision.action.val();
    }
}
