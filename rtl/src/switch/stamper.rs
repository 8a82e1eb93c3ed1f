//! The INT stamper of one switch port: AXI4-Stream in and out, 512 bits.
//!
//! In: frames without FCS, one beat a clock; with each first beat the time and the bytes queued behind the frame. Out: the
//! same frames [`STAMPER_LATENCY`] clocks later; those that qualify carry one more INT record. A frame that grows past a beat
//! boundary takes one clock more.

use super::header::StampHeader;
use super::insert::RecordInsert;
use super::length::BeatLength;
use super::queue::QueueUnits;
use crate::prim::axi::{AxisFrameIn, AxisFrameOut};
use crate::prim::skid::Skid;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::words::switch::{
    Enables64, HalfBeatByte, PathBytes, RecordPosition, StampWindow, TaggedBeat, TwoBytes, UntaggedBeat,
};
use crate::words::tx::FrameBeat;
use crate::words::wire::IntHeader;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from the edge that takes a beat to the clock in which it is offered, the receiver being ready.
pub const STAMPER_LATENCY: usize = 6;

/// Stamper of one port. `tuser` is high on the last beat of a bad frame; a frame that ends inside the stack its header promises
/// leaves as a bad one.
#[block]
pub struct IntStamper {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Frames in.
    pub s_axis: AxisFrameIn,
    /// Frames out.
    pub m_axis: AxisFrameOut,
    /// Time, ns, taken with the first beat.
    pub now_ns: Signal<In, U<24>>,
    /// Bytes queued behind the frame, taken with the first beat.
    pub queued_bytes: Signal<In, U<32>>,
    /// Register: UDP destination port of INT being collected.
    pub cfg_int_port: Signal<In, U<16>>,
    /// Register: DSCP of packets to stamp.
    pub cfg_dscp: Signal<In, U<6>>,
    /// Register: id of the switch.
    pub cfg_switch_id: Signal<In, U<12>>,
    /// Register: speed code of the port.
    pub cfg_speed: Signal<In, U<4>>,
    /// Register: multiplier of the units, 1, 2, 4 or 8 as 0 to 3.
    pub cfg_unit_shift: Signal<In, U<2>>,
    /// One clock for each frame that got a record.
    pub recorded: Signal<Out, Bit>,
    /// One clock for each frame that was counted only: more than five hops.
    pub counted: Signal<Out, Bit>,
    /// One clock for each frame that ended inside its stack.
    pub truncated: Signal<Out, Bit>,
    go: Signal<Local, Bit>,
    inside: DFF<Bit>,
    valid: [DFF<Bit>; 5],
    first: [DFF<Bit>; 5],
    beat: [DFF<FrameBeat>; 5],
    ts: [DFF<U<24>>; 5],
    queued: DFF<U<32>>,
    header: StampHeader,
    units: QueueUnits,
    length: BeatLength,
    insert: RecordInsert,
    out: Skid<FrameBeat>,
    // stage 3 to 4
    ip_bytes: Signal<Local, TwoBytes>,
    sum_bytes: Signal<Local, TwoBytes>,
    udp_bytes: Signal<Local, TwoBytes>,
    int_parts: Signal<Local, IntHeader>,
    path_bytes: Signal<Local, PathBytes>,
    patch: Signal<Local, StampWindow>,
    patch_mask: Signal<Local, StampWindow>,
    untagged_patch: Signal<Local, UntaggedBeat>,
    untagged_mask: Signal<Local, UntaggedBeat>,
    tagged_patch: Signal<Local, TaggedBeat>,
    tagged_mask: Signal<Local, TaggedBeat>,
    patch_wide: Signal<Local, W<512, 8>>,
    mask_wide: Signal<Local, W<512, 8>>,
    /// Plan for the frame's next beat: as `RecordInsert::mode`.
    plan: DFF<U<2>>,
    plan_place: DFF<U<4>>,
    last: Signal<Local, Bit>,
    position: Signal<Local, RecordPosition>,
    enables: Signal<Local, Enables64>,
    upper: Signal<Local, U<32>>,
    lower: Signal<Local, U<32>>,
    first_byte: Signal<Local, HalfBeatByte>,
    second_byte: Signal<Local, HalfBeatByte>,
    first_at: Signal<Local, U<5>>,
    second_at: Signal<Local, U<5>>,
    reached_first: Signal<Local, Bit>,
    reached_second: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    cut: Signal<Local, Bit>,
    amount: Signal<Local, U<8>>,
    amount_grown: Signal<Local, U<8>>,
    mode_4: DFF<U<2>>,
    place_4: DFF<U<4>>,
    amount_4: DFF<U<8>>,
    recorded_4: DFF<Bit>,
    counted_4: DFF<Bit>,
    truncated_4: DFF<Bit>,
}

#[kernel]
impl Logic for IntStamper {
    fn update(&mut self) {
        inputs!([insert, out]: reset);
        self.go.next = self.insert.go.val();
        self.s_axis.tready.next = self.go.val();

        // stage 0 and the way through
        if self.go.val() {
            self.valid[0].d.next = self.s_axis.tvalid.val();
            self.first[0].d.next = !self.inside.q.val();
            self.beat[0].d.next.data = self.s_axis.tdata.val();
            self.beat[0].d.next.keep = self.s_axis.tkeep.val();
            self.beat[0].d.next.last = self.s_axis.tlast.val();
            self.beat[0].d.next.bad = self.s_axis.tuser.val();
            self.ts[0].d.next = self.now_ns.val();
            self.queued.d.next = self.queued_bytes.val();
            if self.s_axis.tvalid.val() {
                self.inside.d.next = !self.s_axis.tlast.val();
            }
            for i in 0..4 {
                self.valid[i + 1].d.next = self.valid[i].q.val();
                self.first[i + 1].d.next = self.first[i].q.val();
                self.beat[i + 1].d.next = self.beat[i].q.val();
                self.ts[i + 1].d.next = self.ts[i].q.val();
            }
        }
        self.header.go.next = self.go.val();
        self.header.data.next = self.beat[0].q.val().data;
        self.header.keep.next = self.beat[0].q.val().keep;
        self.header.first.next = self.first[0].q.val();
        inputs!(header: int_port = cfg_int_port, dscp = cfg_dscp, switch_id = cfg_switch_id);
        inputs!(units: go, bytes = queued, unit_shift = cfg_unit_shift);
        self.length.go.next = self.go.val();
        self.length.keep.next = self.beat[0].q.val().keep;

        // stage 3: header fields, wire order, IPv4 bytes 2, 10, 24 and INT at 28
        self.ip_bytes.next = bit_cast_word::<TwoBytes, U<16>>(self.header.ip_len.val());
        self.sum_bytes.next = bit_cast_word::<TwoBytes, U<16>>(self.header.checksum.val());
        self.udp_bytes.next = bit_cast_word::<TwoBytes, U<16>>(self.header.udp_len.val());
        self.int_parts.next = bit_cast_word::<IntHeader, U<16>>(self.header.int_header.val());
        self.path_bytes.next = bit_cast_word::<PathBytes, U<12>>(self.int_parts.val().path_id);
        self.patch.next = bits_zero::<StampWindow>(0);
        fields!(patch:
            total_length_high = ip_bytes.high, total_length_low = ip_bytes.low, checksum_high = sum_bytes.high,
            checksum_low = sum_bytes.low, udp_length_high = udp_bytes.high, udp_length_low = udp_bytes.low,
            n_hop = int_parts.n_hop, path_high = path_bytes.high, path_low = path_bytes.low);
        self.patch_mask.next = bits_zero::<StampWindow>(0);
        if self.header.stamp.val() {
            self.patch_mask.next.n_hop = bits_u::<4>(0xf);
            self.patch_mask.next.path_high = bits_u::<4>(0xf);
            self.patch_mask.next.path_low = bits_u::<8>(0xff);
        }
        if self.header.grow.val() {
            self.patch_mask.next.total_length_high = bits_u::<8>(0xff);
            self.patch_mask.next.total_length_low = bits_u::<8>(0xff);
            self.patch_mask.next.checksum_high = bits_u::<8>(0xff);
            self.patch_mask.next.checksum_low = bits_u::<8>(0xff);
            self.patch_mask.next.udp_length_high = bits_u::<8>(0xff);
            self.patch_mask.next.udp_length_low = bits_u::<8>(0xff);
            self.patch_mask.next.n_hop = bits_u::<4>(0xf);
            self.patch_mask.next.path_high = bits_u::<4>(0xf);
            self.patch_mask.next.path_low = bits_u::<8>(0xff);
        }
        self.untagged_patch.next = bits_zero::<UntaggedBeat>(0);
        self.untagged_patch.next.window = bit_cast_bus::<240, 4, StampWindow>(self.patch.val());
        self.untagged_mask.next = bits_zero::<UntaggedBeat>(0);
        self.untagged_mask.next.window = bit_cast_bus::<240, 4, StampWindow>(self.patch_mask.val());
        self.tagged_patch.next = bits_zero::<TaggedBeat>(0);
        self.tagged_patch.next.window = bit_cast_bus::<240, 4, StampWindow>(self.patch.val());
        self.tagged_mask.next = bits_zero::<TaggedBeat>(0);
        self.tagged_mask.next.window = bit_cast_bus::<240, 4, StampWindow>(self.patch_mask.val());
        if self.header.has_tag.val() {
            self.patch_wide.next = bit_cast_bus::<512, 8, TaggedBeat>(self.tagged_patch.val());
            self.mask_wide.next = bit_cast_bus::<512, 8, TaggedBeat>(self.tagged_mask.val());
        } else {
            self.patch_wide.next = bit_cast_bus::<512, 8, UntaggedBeat>(self.untagged_patch.val());
            self.mask_wide.next = bit_cast_bus::<512, 8, UntaggedBeat>(self.untagged_mask.val());
        }

        // stage 3: the record lies in the first beat, at 44 to 60, or in the second, at 0 to 16, and must not be its end
        self.last.next = self.beat[3].q.val().last;
        self.position.next = bit_cast_word::<RecordPosition, U<5>>(self.header.position.val());
        self.enables.next = bit_cast_word::<Enables64, U<64>>(self.beat[3].q.val().keep);
        self.upper.next = self.enables.val().upper;
        self.lower.next = bit_cast_u::<32, 64>(self.beat[3].q.val().keep);
        self.first_byte.next.in_four = bits_u::<2>(0);
        self.first_byte.next.four = bit_cast_u::<3, 4>(self.position.val().four);
        self.second_byte.next.in_four = bits_u::<2>(0);
        self.second_byte.next.four = bit_cast_u::<3, 4>(self.plan_place.q.val());
        self.first_at.next = bit_cast_number::<5, HalfBeatByte>(self.first_byte.val());
        self.second_at.next = bit_cast_number::<5, HalfBeatByte>(self.second_byte.val());
        self.reached_first.next = self.upper.val().get_bit(self.first_at.val().index());
        self.reached_second.next = self.lower.val().get_bit(self.second_at.val().index());
        if self.first[3].q.val() {
            self.fits.next = self.header.grow.val() & !self.position.val().in_second & self.reached_first.val();
            self.cut.next = self.header.grow.val()
                & ((self.position.val().in_second & self.last.val())
                    | (!self.position.val().in_second & !self.reached_first.val()));
        } else {
            self.fits.next = (self.plan.q.val() == 1) & self.reached_second.val();
            self.cut.next = (self.plan.q.val() == 1) & !self.reached_second.val();
        }
        // FCS 4, preamble and gap 20; the MAC pads to 60; once without and once with the record
        self.amount.next = bit_cast_u::<8, 7>(self.length.bytes.val());
        self.amount_grown.next = bit_cast_u::<8, 7>(self.length.bytes.val()) + 8;
        if self.last.val() {
            self.amount.next = bit_cast_u::<8, 7>(self.length.bytes.val()) + 24;
            self.amount_grown.next = bit_cast_u::<8, 7>(self.length.bytes.val()) + 32;
            if self.first[3].q.val() & (self.length.bytes.val() < 60) {
                self.amount.next = bits_u::<8>(84);
            }
            if self.first[3].q.val() & (self.length.bytes.val() < 52) {
                self.amount_grown.next = bits_u::<8>(84);
            }
        }
        clear!(recorded_4, counted_4, truncated_4);
        if self.go.val() {
            self.beat[4].d.next = self.beat[3].q.val();
            self.beat[4].d.next.data =
                (self.beat[3].q.val().data & !self.mask_wide.val()) | (self.patch_wide.val() & self.mask_wide.val());
            self.beat[4].d.next.bad = self.beat[3].q.val().bad | self.cut.val();
            assign!(mode_4.d = plan, place_4.d = plan_place);
            if self.first[3].q.val() {
                self.mode_4.d.next = bits_u::<2>(0);
                self.place_4.d.next = self.position.val().four;
            }
            if self.cut.val() {
                self.mode_4.d.next = bits_u::<2>(0);
            }
            self.amount_4.d.next = self.amount.val();
            if self.fits.val() {
                self.mode_4.d.next = bits_u::<2>(1);
                self.amount_4.d.next = self.amount_grown.val();
            }
            if self.valid[3].q.val() {
                if self.first[3].q.val() {
                    clear!(plan, plan_place);
                    if self.header.grow.val() {
                        self.plan.d.next = bits_u::<2>(2);
                        if self.position.val().in_second {
                            self.plan.d.next = bits_u::<2>(1);
                            self.plan_place.d.next = self.position.val().four;
                        }
                    }
                } else {
                    if self.plan.q.val() == 1 {
                        self.plan.d.next = bits_u::<2>(2);
                        self.plan_place.d.next = bits_u::<4>(0);
                    }
                }
                self.recorded_4.d.next = self.fits.val();
                self.counted_4.d.next = self.first[3].q.val() & self.header.stamp.val() & !self.header.grow.val();
                self.truncated_4.d.next = self.cut.val();
            }
        }
        assign!(recorded = recorded_4, counted = counted_4, truncated = truncated_4);

        // stage 4 and the output
        self.insert.valid.next = self.valid[4].q.val();
        self.insert.beat.next = self.beat[4].q.val();
        self.insert.first.next = self.first[4].q.val();
        inputs!(insert: mode = mode_4, place = place_4, amount = amount_4);
        self.insert.ts.next = self.ts[4].q.val();
        inputs!(insert: units = units.units, speed = cfg_speed, unit_shift = cfg_unit_shift, ready = out.up.ready);
        inputs!(out from insert: up.valid = out_valid, up.data = out_beat);
        self.m_axis.tvalid.next = self.out.down.valid.val();
        self.out.down.ready.next = self.m_axis.tready.val();
        self.m_axis.tdata.next = self.out.down.data.val().data;
        self.m_axis.tkeep.next = self.out.down.data.val().keep;
        self.m_axis.tlast.next = self.out.down.data.val().last;
        self.m_axis.tuser.next = self.out.down.data.val().bad;

        if self.reset.val() {
            self.inside.d.next = false;
            for i in 0..5 {
                self.valid[i].d.next = false;
            }
        }
    }
}
