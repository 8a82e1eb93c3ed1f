//! READ responses: is a packet the next one, and does it look as it must?
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | packet and READ, still until clock 3 | place in the message |
//! | 1 | | bytes before and after |
//! | 2 | first missing PSN | kind and length, order |
//! | 3 | | outputs |
//!
//! Reference: `read_response` of `hpcc_models::nic`'s answers.

use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::counters::ReadCounts;
use crate::words::requester::{OwnMessage, PsnDistance, ReadDecision, ResponseCase, Syndrome};
use crate::words::transport::{Action, AnswerKind, CommitKind, RxPacket};
use crate::words::wire::{AckHeader, AethSyndrome, Extension, Opcode};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// The decision about a READ response as a word. Without registers.
#[block]
pub struct Decision {
    /// The packet.
    pub row: Signal<In, RxPacket>,
    /// The payload goes to memory.
    pub take: Signal<In, Bit>,
    /// Local address of the READ's first byte.
    pub base: Signal<In, U<64>>,
    /// Bytes of the READ before the payload.
    pub ahead: Signal<In, U<36>>,
    /// The requester is to hear of the packet again, behind the writes before it.
    pub commits: Signal<In, Bit>,
    /// As what.
    pub answer: Signal<In, AnswerKind>,
    /// Data: the last of its READ.
    pub ends: Signal<In, Bit>,
    /// The decision.
    pub action: Signal<Out, Action>,
    word: Signal<Local, Action>,
}

#[kernel]
impl Logic for Decision {
    fn update(&mut self) {
        word = bits_zero::<Action>(0);
        fields!(word: take, commits, psn = row.psn, answer);
        word.address = base + bit_cast_u::<64, 36>(ahead);
        word.kind = CommitKind::Answer;
        word.syndrome = AethSyndrome::Ack;
        word.msn = bit_cast_u::<24, 1>(bit_cast_b(ends));
        action = word;
    }
}

/// What becomes of a READ response, from what is known before its place in the READ is checked.
#[block]
pub struct Verdict {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The row.
    pub row: Signal<In, RxPacket>,
    /// With `act`: the region of its memory stands.
    pub stands: Signal<In, Bit>,
    /// The READ.
    pub message: Signal<In, OwnMessage>,
    /// Local address of the READ.
    pub base: Signal<In, U<64>>,
    /// First PSN whose data is missing.
    pub missing: Signal<In, U<24>>,
    /// Decide in this clock.
    pub act: Signal<In, Bit>,
    /// With `act`: its message was compared with it, a clock ago.
    pub compared: Signal<In, Bit>,
    /// What is known of it.
    pub response_case: Signal<In, ResponseCase>,
    /// The queue pair collects INT.
    pub int_on: Signal<In, Bit>,
    /// The fast path has taken it. Not with `act`.
    pub decided: Signal<In, Bit>,
    /// As what.
    pub decision_made: Signal<In, ReadDecision>,
    /// The region of its memory stood then.
    pub decision_stands: Signal<In, Bit>,
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
    #[registers(U<24>:
        /// PSNs from the first of the READ to the response.
        offset,
        /// PSNs from the READ data missing first to the response.
        ahead,
        /// PSN behind the response.
        behind)]
    #[registers(Bit:
        /// The response is the one missing first.
        in_order,
        /// Kind and length of the response are those of its place in the READ.
        sound)]
    skipped: Signal<Local, U<36>>,
    #[signals(U<16>: full, expected)]
    #[signals(Bit: is_end, beyond, checked, good, stray, bad, refused)]
    #[combinational]
    decision: Decision,
    /// The response is the last of its READ.
    ends: DFF<Bit>,
    /// Bytes of the READ before the response.
    skipped_r: DFF<U<36>>,
    /// Bytes behind the packets before it, modulo 8192: counts at the READ's end.
    left: DFF<U<13>>,
    /// Local address of the READ's first byte.
    base_r: DFF<U<64>>,
    counted: Signal<Local, ReadCounts>,
    distance: Signal<Local, PsnDistance>,
    given: Signal<Local, Extension>,
    aeth: Signal<Local, AckHeader>,
    syndrome: Signal<Local, Syndrome>,
}

#[kernel]
impl Logic for Verdict {
    fn update(&mut self) {
        given = bit_cast_word::<Extension, W<128, 2>>(row.extension);
        aeth = bit_cast_word::<AckHeader, U<32>>(given.aeth);
        syndrome = bit_cast_word::<Syndrome, AethSyndrome>(aeth.syndrome);
        // Middle has no AETH
        negative = (row.opcode != Opcode::ReadResponseMiddle) & syndrome.code.any();

        offset = row.psn - message.first_psn;
        // the row has been there for long
        behind = row.psn + 1;
        ends = behind == message.end_psn;
        ahead = row.psn - missing;
        in_order = row.psn == missing;

        skipped = (bit_cast_u::<36, 24>(offset) << 8) << row.mtu;
        left = message.length - bit_cast_u::<13, 36>(skipped);
        skipped_r = skipped;
        base_r = base;

        full = bits_u::<16>(256) << row.mtu;
        expected = if ends { bit_cast_u::<16, 13>(left) } else { full };
        is_end = (row.opcode == Opcode::ReadResponseLast) | (row.opcode == Opcode::ReadResponseOnly);
        sound = (is_end == ends) & (row.payload_length == expected);

        distance = bit_cast_word::<PsnDistance, U<24>>(ahead);
        beyond = !in_order & !distance.negative;
        checked = compared;
        good = checked & in_order & sound;
        assign!(take = good, last = ends);
        stray = (act & (response_case == ResponseCase::Unasked)) | (checked & !in_order & !beyond);
        bad = (act & (response_case == ResponseCase::Negative)) | (checked & in_order & !sound);
        counted.duplicates = act & (response_case == ResponseCase::Duplicate);
        fields!(counted: drop_stray = stray, drop_bad_read_response = bad);
        counted.drop_qp_ended = act & (response_case == ResponseCase::Ended);
        counts = counted;
        inputs!(decision: row, base = base_r, ahead = skipped_r);
        // one without data needs no memory
        refused = good & row.payload_length.any() & !stands;
        decision.take = good & row.payload_length.any() & stands;
        decision.answer = AnswerKind::ReadGap;
        decision.ends = good & ends;
        decision.commits = (response_case == ResponseCase::Gap) | (checked & beyond);
        if good {
            decision.answer = AnswerKind::ReadData;
            decision.commits = true;
        }
        if refused {
            decision.answer = AnswerKind::ReadRefused;
        }
        if response_case == ResponseCase::Duplicate {
            decision.answer = AnswerKind::ReadDuplicate;
            decision.commits = int_on;
        }
        if decided {
            decision.base = decision_made.base;
            decision.ahead = decision_made.ahead;
            decision.ends = decision_made.last;
            decision.take = decision_stands;
            decision.answer = if decision_stands { AnswerKind::ReadData } else { AnswerKind::ReadRefused };
            decision.commits = true;
        }
        action = decision.action;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "tests/reads.rs"]
mod tests;
