//! Last stage before the output: the record goes into its place, everything behind it moves up by eight bytes, and what no
//! longer fits goes into the next beat, at the end of a frame into one of its own.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::switch::{BeatEnables, HopRecordWord, LongerBeat, RecordAt, RecordBytes};
use crate::words::tx::FrameBeat;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Combinational from the beat in to the beat out; the counter of sent bytes and the eight bytes that are carried over.
#[block]
pub struct RecordInsert {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: nothing carried, no bytes sent.
    pub reset: Signal<In, Bit>,
    /// A beat is here.
    pub valid: Signal<In, Bit>,
    /// The beat, header fields already replaced.
    pub beat: Signal<In, FrameBeat>,
    /// First of its frame.
    pub first: Signal<In, Bit>,
    /// Where the record is.
    pub record_at: Signal<In, RecordAt>,
    /// Where in the beat it goes, in units of four bytes; 0 unless it goes into this one.
    pub place: Signal<In, U<4>>,
    /// Wire bytes that the beat adds, record, FCS, preamble and gap included.
    pub amount: Signal<In, U<8>>,
    /// Time stamp, valid with `first`.
    pub ts: Signal<In, U<24>>,
    /// Queue length in units, valid with `first`.
    pub queue_length: Signal<In, U<16>>,
    /// Speed code of the port.
    pub speed: Signal<In, U<4>>,
    /// Multiplier 1, 2, 4 or 8 as 0 to 3.
    pub unit_shift: Signal<In, U<2>>,
    /// The receiver takes a beat.
    pub ready: Signal<In, Bit>,
    /// The pipeline before this stage moves.
    pub go: Signal<Out, Bit>,
    /// A beat is offered.
    pub out_valid: Signal<Out, Bit>,
    /// The beat.
    pub out_beat: Signal<Out, FrameBeat>,
    #[signals(U<64>: record, inserted, out_keep)]
    #[signals(RecordBytes: of_record, on_wire)]
    #[signals(Bit: spills, out_last)]
    #[registers(Bit:
        /// What was moved out of the last beat is offered as a beat of its own.
        spill,
        /// The frame of that beat is marked bad.
        spill_bad)]
    record_now: Signal<Local, HopRecordWord>,
    shift: Signal<Local, U<9>>,
    upper: Signal<Local, W<512, 8>>,
    whole: Signal<Local, W<576, 9>>,
    /// Bytes that the port has sent, modulo 2^30.
    sent: DFF<U<30>>,
    /// The record of the frame whose first beat has left.
    held: DFF<HopRecordWord>,
    enables: Signal<Local, BeatEnables>,
    longer: Signal<Local, LongerBeat>,
    /// The eight bytes that were moved out of the beat before.
    carry: DFF<U<64>>,
    /// Byte enables of the beat of its own.
    spill_keep: DFF<U<8>>,
}

#[kernel]
impl Logic for RecordInsert {
    fn update(&mut self) {
        // txBytes is what the port had sent before the first beat of this frame
        fields!(record_now: speed, ts);
        record_now.tx_bytes = bit_cast_u::<20, 30>(sent >> 7 >> unit_shift);
        record_now.queued = queue_length;
        record = bit_cast_number::<64, HopRecordWord>(held);
        if first {
            record = bit_cast_number::<64, HopRecordWord>(record_now);
        }
        // first byte of the wire lowest
        of_record = bit_cast_word::<RecordBytes, U<64>>(record);
        fields!(on_wire from of_record:
            byte_0 = byte_7, byte_1 = byte_6, byte_2 = byte_5, byte_3 = byte_4, byte_4 = byte_3, byte_5 = byte_2,
            byte_6 = byte_1, byte_7 = byte_0);
        inserted =
            if record_at == RecordAt::Here { bit_cast_number::<64, RecordBytes>(on_wire) } else { bits_u::<64>(0) };
        if record_at == RecordAt::Before {
            inserted = carry;
        }
        shift = bit_cast_u::<9, 4>(place) << 5;
        upper = !bit_cast_w::<512, 8, 1>(bits_u::<1>(0)) << shift;
        if record_at == RecordAt::Nowhere {
            upper = bit_cast_w::<512, 8, 1>(bits_u::<1>(0));
        }
        whole = bit_cast_ww::<576, 9, 512, 8>(beat.data & !upper)
            | (bit_cast_w::<576, 9, 64>(inserted) << shift)
            | (bit_cast_ww::<576, 9, 512, 8>(beat.data & upper) << 64);
        enables = bit_cast_word::<BeatEnables, U<64>>(beat.keep);
        longer = bit_cast_word::<LongerBeat, W<576, 9>>(whole);
        spills = beat.last & (record_at != RecordAt::Nowhere) & enables.last_eight.any();

        out_keep = if record_at != RecordAt::Nowhere { (beat.keep << 8) | 0xff } else { beat.keep };
        out_last = beat.last & !spills;
        out_valid = valid;
        out_beat.data = bit_cast_ww::<512, 8, 576, 9>(whole);
        fields!(out_beat: keep = out_keep, last = out_last, bad = beat.bad);
        go = ready & !spill;

        if spill {
            out_valid = true;
            out_beat.data = bit_cast_w::<512, 8, 64>(carry);
            out_beat.keep = bit_cast_u::<64, 8>(spill_keep);
            out_beat.last = true;
            out_beat.bad = spill_bad;
            if ready {
                spill = false;
            }
        } else {
            if ready & valid {
                assign! {
                    spill.d = spills, spill_keep.d = enables.last_eight, spill_bad.d = beat.bad, carry.d = longer.beyond
                }
                sent = sent + bit_cast_u::<30, 8>(amount);
                if first {
                    held = record_now;
                }
            }
        }
        reset!(spill, sent);
    }
}
