//! READ responses: is a packet the next one, and does it look as it must?
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | packet and READ, still until clock 2 | place in the message |
//! | 1 | first missing PSN | bytes before and after, order |
//! | 2 | | kind and length; outputs |
//!
//! Reference: `read_response` of `hpcc_models::nic`'s answers.

use super::store::OwnMessage;
use crate::nic::words::{Action, Commit, RxRow};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Judges a READ response against the READ whose PSNs it carries.
#[block]
pub struct ReadCheck {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The packet.
    pub row: Signal<In, RxRow>,
    /// The READ.
    pub message: Signal<In, OwnMessage>,
    /// First PSN whose data is missing.
    pub missing: Signal<In, U<24>>,
    /// AETH, if there is one, does not acknowledge: the packet is refused before anything else.
    pub negative: Signal<Out, Bit>,
    /// It is the next packet.
    pub in_order: Signal<Out, Bit>,
    /// It comes after the next packet.
    pub beyond: Signal<Out, Bit>,
    /// It is the READ's last packet.
    pub last: Signal<Out, Bit>,
    /// Kind and length are those of its place.
    pub sound: Signal<Out, Bit>,
    /// Where its payload goes.
    pub address: Signal<Out, U<64>>,
    psn: Signal<Local, U<24>>,
    opcode: Signal<Local, U<8>>,
    mtu: Signal<Local, U<3>>,
    offset: DFF<U<24>>,
    ends: DFF<Bit>,
    ahead: DFF<U<24>>,
    skipped: Signal<Local, U<36>>,
    left: DFF<U<36>>,
    place: DFF<U<64>>,
    expected: Signal<Local, U<36>>,
    is_end: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ReadCheck {
    fn update(&mut self) {
        self.psn.next = self.row.val().get_bits::<24>(19);
        self.opcode.next = self.row.val().get_bits::<8>(0);
        self.mtu.next = self.row.val().get_bits::<3>(544);
        // Middle has no AETH
        self.negative.next = (self.opcode.val() != 0x0e) & self.row.val().get_bits::<3>(168).any();

        self.offset.d.next = self.psn.val() - self.message.val().get_bits::<24>(0);
        self.ends.d.next = (self.psn.val() + 1) == self.message.val().get_bits::<24>(24);
        self.ahead.d.next = self.psn.val() - self.missing.val();

        self.skipped.next = (bit_cast_u::<36, 24>(self.offset.q.val()) << 8) << self.mtu.val();
        self.left.d.next = bit_cast_u::<36, 32>(self.message.val().get_bits::<32>(114)) - self.skipped.val();
        self.place.d.next = self.message.val().get_bits::<64>(50) + bit_cast_u::<64, 36>(self.skipped.val());

        self.expected.next = bits_u::<36>(256) << self.mtu.val();
        if self.ends.q.val() {
            self.expected.next = self.left.q.val();
        }
        self.is_end.next = (self.opcode.val() == 0x0f) | (self.opcode.val() == 0x10);
        self.sound.next = (self.is_end.val() == self.ends.q.val())
            & (bit_cast_u::<36, 16>(self.row.val().get_bits::<16>(178)) == self.expected.val());

        self.in_order.next = self.ahead.q.val() == 0;
        self.beyond.next = self.ahead.q.val().any() & !self.ahead.q.val().get_bit(23);
        self.last.next = self.ends.q.val();
        self.address.next = self.place.q.val();
    }
}

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
    pub answer: Signal<In, U<2>>,
    /// The decision.
    pub action: Signal<Out, Action>,
    commit: Signal<Local, Commit>,
    stack: Signal<Local, W<336, 6>>,
}

#[kernel]
impl Logic for Decision {
    fn update(&mut self) {
        self.stack.next = bit_cast_ww::<336, 6, 550, 9>(self.row.val() >> 200);
        self.commit.next = bit_cast_w::<420, 7, 2>(bits_u::<2>(3))
            | (bit_cast_w::<420, 7, 8>(self.row.val().get_bits::<8>(11)) << 2)
            | (bit_cast_w::<420, 7, 8>(self.row.val().get_bits::<8>(536)) << 10)
            | (bit_cast_w::<420, 7, 24>(self.row.val().get_bits::<24>(19)) << 18)
            | (bit_cast_w::<420, 7, 8>(bits_u::<8>(0x1f)) << 42)
            | (bit_cast_w::<420, 7, 6>(self.row.val().get_bits::<6>(194)) << 74)
            | (bit_cast_ww::<420, 7, 336, 6>(self.stack.val()) << 80)
            | (bit_cast_w::<420, 7, 2>(self.answer.val()) << 416)
            | (bit_cast_w::<420, 7, 1>(self.row.val().get_bits::<1>(547)) << 418);
        self.action.next = bit_cast_w::<486, 8, 1>(bit_cast_b(self.take.val()))
            | (bit_cast_w::<486, 8, 64>(self.address.val()) << 1)
            | (bit_cast_w::<486, 8, 1>(bit_cast_b(self.commits.val())) << 65)
            | (bit_cast_ww::<486, 8, 420, 7>(self.commit.val()) << 66);
    }
}

/// What becomes of a READ response, from what is known before its place in the READ is checked. Holds the check.
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
    /// AETH, if there is one, does not acknowledge.
    pub negative: Signal<Out, Bit>,
    /// With `act`: its data is taken.
    pub take: Signal<Out, Bit>,
    /// With `take`: the READ is complete.
    pub last: Signal<Out, Bit>,
    /// With `act`: the decision.
    pub action: Signal<Out, Action>,
    /// With `act`: count a duplicate 0, a stray 1, a bad response 2, an ended queue pair 3.
    pub counts: Signal<Out, U<4>>,
    judge: ReadCheck,
    #[combinational]
    decision: Decision,
    checked: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    stray: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Verdict {
    fn update(&mut self) {
        inputs!(judge, row, message, missing);
        self.negative.next = self.judge.negative.val();
        self.checked.next = self.act.val() & (self.code.val() == 0);
        self.good.next = self.checked.val() & self.judge.in_order.val() & self.judge.sound.val();
        self.take.next = self.good.val();
        self.last.next = self.judge.last.val();
        self.stray.next = (self.act.val() & (self.code.val() == 1))
            | (self.checked.val() & !self.judge.in_order.val() & !self.judge.beyond.val());
        self.bad.next = (self.act.val() & (self.code.val() == 3))
            | (self.checked.val() & self.judge.in_order.val() & !self.judge.sound.val());
        self.counts.next = bit_cast_u::<4, 1>(bit_cast_b(self.act.val() & (self.code.val() == 2)))
            | (bit_cast_u::<4, 1>(bit_cast_b(self.stray.val())) << 1)
            | (bit_cast_u::<4, 1>(bit_cast_b(self.bad.val())) << 2)
            | (bit_cast_u::<4, 1>(bit_cast_b(self.act.val() & (self.code.val() == 4))) << 3);
        self.decision.row.next = self.row.val();
        self.decision.address.next = self.judge.address.val();
        self.decision.take.next = self.good.val() & self.row.val().get_bits::<16>(178).any();
        self.decision.answer.next = bits_u::<2>(2);
        self.decision.commits.next = (self.code.val() == 6) | (self.checked.val() & self.judge.beyond.val());
        if self.good.val() {
            self.decision.answer.next = bits_u::<2>(1);
            self.decision.commits.next = true;
        }
        if self.code.val() == 2 {
            self.decision.answer.next = bits_u::<2>(3);
            self.decision.commits.next = self.int_on.val();
        }
        self.action.next = self.decision.action.val();
    }
}
