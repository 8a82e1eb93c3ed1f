//! Last stage before the output: the record goes into its place, everything behind it moves up by eight bytes, and what no
//! longer fits goes into the next beat, at the end of a frame into one of its own.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::switch::{BeatEnables, HopRecordWord, LongerBeat, RecordBytes};
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
    /// 0 pass, 1 insert in this beat, 2 the record is in an earlier beat.
    pub mode: Signal<In, U<2>>,
    /// Where the record goes, in units of four bytes; 0 unless `mode` is 1.
    pub place: Signal<In, U<4>>,
    /// Wire bytes that the beat adds, record, FCS, preamble and gap included.
    pub amount: Signal<In, U<8>>,
    /// Time stamp, valid with `first`.
    pub ts: Signal<In, U<24>>,
    /// Queue length in units, valid with `first`.
    pub units: Signal<In, U<16>>,
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
    record: Signal<Local, U<64>>,
    record_now: Signal<Local, HopRecordWord>,
    of_record: Signal<Local, RecordBytes>,
    on_wire: Signal<Local, RecordBytes>,
    inserted: Signal<Local, U<64>>,
    shift: Signal<Local, U<9>>,
    upper: Signal<Local, W<512, 8>>,
    whole: Signal<Local, W<576, 9>>,
    spills: Signal<Local, Bit>,
    out_keep: Signal<Local, U<64>>,
    out_last: Signal<Local, Bit>,
    sent: DFF<U<30>>,
    held: DFF<HopRecordWord>,
    enables: Signal<Local, BeatEnables>,
    longer: Signal<Local, LongerBeat>,
    carry: DFF<U<64>>,
    spill: DFF<Bit>,
    spill_keep: DFF<U<8>>,
    spill_bad: DFF<Bit>,
}

#[kernel]
impl Logic for RecordInsert {
    fn update(&mut self) {
        // txBytes is what the port had sent before the first beat of this frame
        fields!(record_now: speed, ts);
        self.record_now.next.tx_bytes = bit_cast_u::<20, 30>(self.sent.q.val() >> 7 >> self.unit_shift.val());
        self.record_now.next.queued = self.units.val();
        self.record.next = bit_cast_number::<64, HopRecordWord>(self.held.q.val());
        if self.first.val() {
            self.record.next = bit_cast_number::<64, HopRecordWord>(self.record_now.val());
        }
        // first byte of the wire lowest
        self.of_record.next = bit_cast_word::<RecordBytes, U<64>>(self.record.val());
        fields!(on_wire from of_record:
            byte_0 = byte_7, byte_1 = byte_6, byte_2 = byte_5, byte_3 = byte_4, byte_4 = byte_3, byte_5 = byte_2,
            byte_6 = byte_1, byte_7 = byte_0);
        self.inserted.next = bits_u::<64>(0);
        if self.mode.val() == 1 {
            self.inserted.next = bit_cast_number::<64, RecordBytes>(self.on_wire.val());
        }
        if self.mode.val() == 2 {
            self.inserted.next = self.carry.q.val();
        }
        self.shift.next = bit_cast_u::<9, 4>(self.place.val()) << 5;
        self.upper.next = !bit_cast_w::<512, 8, 1>(bits_u::<1>(0)) << self.shift.val();
        if self.mode.val() == 0 {
            self.upper.next = bit_cast_w::<512, 8, 1>(bits_u::<1>(0));
        }
        self.whole.next = bit_cast_ww::<576, 9, 512, 8>(self.beat.val().data & !self.upper.val())
            | (bit_cast_w::<576, 9, 64>(self.inserted.val()) << self.shift.val())
            | (bit_cast_ww::<576, 9, 512, 8>(self.beat.val().data & self.upper.val()) << 64);
        self.enables.next = bit_cast_word::<BeatEnables, U<64>>(self.beat.val().keep);
        self.longer.next = bit_cast_word::<LongerBeat, W<576, 9>>(self.whole.val());
        self.spills.next = self.beat.val().last & (self.mode.val() != 0) & self.enables.val().last_eight.any();

        self.out_keep.next = self.beat.val().keep;
        if self.mode.val() != 0 {
            self.out_keep.next = (self.beat.val().keep << 8) | 0xff;
        }
        self.out_last.next = self.beat.val().last & !self.spills.val();
        self.out_valid.next = self.valid.val();
        self.out_beat.next.data = bit_cast_ww::<512, 8, 576, 9>(self.whole.val());
        fields!(out_beat: keep = out_keep, last = out_last, bad = beat.bad);
        self.go.next = self.ready.val() & !self.spill.q.val();

        if self.spill.q.val() {
            self.out_valid.next = true;
            self.out_beat.next.data = bit_cast_w::<512, 8, 64>(self.carry.q.val());
            self.out_beat.next.keep = bit_cast_u::<64, 8>(self.spill_keep.q.val());
            self.out_beat.next.last = true;
            self.out_beat.next.bad = self.spill_bad.q.val();
            if self.ready.val() {
                self.spill.d.next = false;
            }
        } else {
            if self.ready.val() & self.valid.val() {
                assign! {
                    spill.d = spills, spill_keep.d = enables.last_eight, spill_bad.d = beat.bad, carry.d = longer.beyond
                }
                self.sent.d.next = self.sent.q.val() + bit_cast_u::<30, 8>(self.amount.val());
                if self.first.val() {
                    self.held.d.next = self.record_now.val();
                }
            }
        }
        reset!(spill, sent);
    }
}
