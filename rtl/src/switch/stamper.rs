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
    Enables64, HalfBeatByte, PathBytes, RecordAt, RecordPosition, StampWindow, TaggedBeat, TwoBytes, UntaggedBeat,
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
    /// Stages 0 to 4: there is a beat.
    valid: [DFF<Bit>; 5],
    /// Stages 0 to 4: the beat is the first one of its frame.
    first: [DFF<Bit>; 5],
    /// Stages 0 to 4: the beat.
    beat: [DFF<FrameBeat>; 5],
    /// Stages 0 to 4: time with which the beat came, ns.
    ts: [DFF<U<24>>; 5],
    header: StampHeader,
    units: QueueUnits,
    length: BeatLength,
    insert: RecordInsert,
    out: Skid<FrameBeat>,
    go: Signal<Local, Bit>,
    /// The next beat that is taken is not the first one of its frame.
    inside: DFF<Bit>,
    /// Bytes queued behind the frame, as they were with the beat of stage 0.
    queued: DFF<U<32>>,
    // stage 3 to 4
    #[signals(TwoBytes: ip_bytes, sum_bytes, udp_bytes)]
    #[signals(StampWindow: patch, patch_mask)]
    #[signals(UntaggedBeat: untagged_patch, untagged_mask)]
    #[signals(TaggedBeat: tagged_patch, tagged_mask)]
    #[signals(W<512, 8>: patch_wide, mask_wide)]
    #[registers(U<4>:
        /// Where the record goes in the frame's next beat, in units of four bytes.
        plan_place,
        /// Stage 4: where the record goes in the beat, in units of four bytes.
        place_4)]
    #[signals(Bit: last, reached_first, reached_second, fits, cut)]
    #[signals(U<32>: upper, lower)]
    #[signals(HalfBeatByte: first_byte, second_byte)]
    #[signals(U<5>: first_at, second_at)]
    #[signals(U<8>: amount, amount_grown)]
    #[registers(Bit:
        /// A frame gets a record, for one clock.
        recorded_4,
        /// A frame is counted without a record, for one clock: it has five already.
        counted_4,
        /// A frame ended inside its stack, for one clock.
        truncated_4)]
    /// Plan for the frame's next beat: where its record is.
    plan: DFF<RecordAt>,
    int_parts: Signal<Local, IntHeader>,
    path_bytes: Signal<Local, PathBytes>,
    position: Signal<Local, RecordPosition>,
    enables: Signal<Local, Enables64>,
    /// Stage 4: where the record of the frame is, seen from the beat.
    record_4: DFF<RecordAt>,
    /// Stage 4: wire bytes that the beat adds.
    amount_4: DFF<U<8>>,
}

#[kernel]
impl Logic for IntStamper {
    fn update(&mut self) {
        inputs!([insert, out]: reset);
        go = insert.go;
        s_axis.tready = go;

        // stage 0 and the way through
        if go {
            valid[0] = s_axis.tvalid;
            first[0] = !inside;
            beat[0].data = s_axis.tdata;
            beat[0].keep = s_axis.tkeep;
            beat[0].last = s_axis.tlast;
            beat[0].bad = s_axis.tuser;
            ts[0] = now_ns;
            queued = queued_bytes;
            if s_axis.tvalid {
                inside = !s_axis.tlast;
            }
            for i in 0..4 {
                valid[i + 1] = valid[i];
                first[i + 1] = first[i];
                beat[i + 1] = beat[i];
                ts[i + 1] = ts[i];
            }
        }
        header.go = go;
        header.data = beat[0].data;
        header.keep = beat[0].keep;
        header.first = first[0];
        inputs!(header: int_port = cfg_int_port, dscp = cfg_dscp, switch_id = cfg_switch_id);
        inputs!(units: go, bytes = queued, unit_shift = cfg_unit_shift);
        length.go = go;
        length.keep = beat[0].keep;

        // stage 3: header fields, wire order, IPv4 bytes 2, 10, 24 and INT at 28
        ip_bytes = bit_cast_word::<TwoBytes, U<16>>(header.ip_len);
        sum_bytes = bit_cast_word::<TwoBytes, U<16>>(header.checksum);
        udp_bytes = bit_cast_word::<TwoBytes, U<16>>(header.udp_len);
        int_parts = bit_cast_word::<IntHeader, U<16>>(header.int_header);
        path_bytes = bit_cast_word::<PathBytes, U<12>>(int_parts.path_id);
        patch = bits_zero::<StampWindow>(0);
        fields!(patch:
            total_length_high = ip_bytes.high, total_length_low = ip_bytes.low, checksum_high = sum_bytes.high,
            checksum_low = sum_bytes.low, udp_length_high = udp_bytes.high, udp_length_low = udp_bytes.low,
            n_hop = int_parts.n_hop, path_high = path_bytes.high, path_low = path_bytes.low);
        patch_mask = bits_zero::<StampWindow>(0);
        if header.stamp {
            patch_mask.n_hop = bits_u::<4>(0xf);
            patch_mask.path_high = bits_u::<4>(0xf);
            patch_mask.path_low = bits_u::<8>(0xff);
        }
        if header.grow {
            patch_mask.total_length_high = bits_u::<8>(0xff);
            patch_mask.total_length_low = bits_u::<8>(0xff);
            patch_mask.checksum_high = bits_u::<8>(0xff);
            patch_mask.checksum_low = bits_u::<8>(0xff);
            patch_mask.udp_length_high = bits_u::<8>(0xff);
            patch_mask.udp_length_low = bits_u::<8>(0xff);
            patch_mask.n_hop = bits_u::<4>(0xf);
            patch_mask.path_high = bits_u::<4>(0xf);
            patch_mask.path_low = bits_u::<8>(0xff);
        }
        untagged_patch = bits_zero::<UntaggedBeat>(0);
        untagged_patch.window = bit_cast_bus::<240, 4, StampWindow>(patch);
        untagged_mask = bits_zero::<UntaggedBeat>(0);
        untagged_mask.window = bit_cast_bus::<240, 4, StampWindow>(patch_mask);
        tagged_patch = bits_zero::<TaggedBeat>(0);
        tagged_patch.window = bit_cast_bus::<240, 4, StampWindow>(patch);
        tagged_mask = bits_zero::<TaggedBeat>(0);
        tagged_mask.window = bit_cast_bus::<240, 4, StampWindow>(patch_mask);
        if header.has_tag {
            patch_wide = bit_cast_bus::<512, 8, TaggedBeat>(tagged_patch);
            mask_wide = bit_cast_bus::<512, 8, TaggedBeat>(tagged_mask);
        } else {
            patch_wide = bit_cast_bus::<512, 8, UntaggedBeat>(untagged_patch);
            mask_wide = bit_cast_bus::<512, 8, UntaggedBeat>(untagged_mask);
        }

        // stage 3: the record lies in the first beat, at 44 to 60, or in the second, at 0 to 16, and must not be its end
        last = beat[3].last;
        position = bit_cast_word::<RecordPosition, U<5>>(header.position);
        enables = bit_cast_word::<Enables64, U<64>>(beat[3].keep);
        upper = enables.upper;
        lower = bit_cast_u::<32, 64>(beat[3].keep);
        first_byte.in_four = bits_u::<2>(0);
        first_byte.four = bit_cast_u::<3, 4>(position.four);
        second_byte.in_four = bits_u::<2>(0);
        second_byte.four = bit_cast_u::<3, 4>(plan_place);
        first_at = bit_cast_number::<5, HalfBeatByte>(first_byte);
        second_at = bit_cast_number::<5, HalfBeatByte>(second_byte);
        reached_first = upper.get_bit(first_at.index());
        reached_second = lower.get_bit(second_at.index());
        if first[3] {
            fits = header.grow & !position.in_second & reached_first;
            cut = header.grow & ((position.in_second & last) | (!position.in_second & !reached_first));
        } else {
            fits = (plan == RecordAt::Here) & reached_second;
            cut = (plan == RecordAt::Here) & !reached_second;
        }
        // FCS 4, preamble and gap 20; the MAC pads to 60; once without and once with the record
        amount = bit_cast_u::<8, 7>(length.bytes);
        amount_grown = bit_cast_u::<8, 7>(length.bytes) + 8;
        if last {
            amount = bit_cast_u::<8, 7>(length.bytes) + 24;
            amount_grown = bit_cast_u::<8, 7>(length.bytes) + 32;
            if first[3] & (length.bytes < 60) {
                amount = bits_u::<8>(84);
            }
            if first[3] & (length.bytes < 52) {
                amount_grown = bits_u::<8>(84);
            }
        }
        clear!(recorded_4, counted_4, truncated_4);
        if go {
            beat[4] = beat[3];
            beat[4].data = (beat[3].data & !mask_wide) | (patch_wide & mask_wide);
            beat[4].bad = beat[3].bad | cut;
            assign!(record_4.d = plan, place_4.d = plan_place);
            if first[3] {
                record_4 = RecordAt::Nowhere;
                place_4 = position.four;
            }
            if cut {
                record_4 = RecordAt::Nowhere;
            }
            amount_4 = amount;
            if fits {
                record_4 = RecordAt::Here;
                amount_4 = amount_grown;
            }
            if valid[3] {
                if first[3] {
                    plan = RecordAt::Nowhere;
                    clear!(plan_place);
                    if header.grow {
                        plan = RecordAt::Before;
                        if position.in_second {
                            plan = RecordAt::Here;
                            plan_place = position.four;
                        }
                    }
                } else {
                    if plan == RecordAt::Here {
                        plan = RecordAt::Before;
                        plan_place = bits_u::<4>(0);
                    }
                }
                recorded_4 = fits;
                counted_4 = first[3] & header.stamp & !header.grow;
                truncated_4 = cut;
            }
        }
        assign!(recorded = recorded_4, counted = counted_4, truncated = truncated_4);

        // stage 4 and the output
        insert.valid = valid[4];
        insert.beat = beat[4];
        insert.first = first[4];
        inputs!(insert: record_at = record_4, place = place_4, amount = amount_4);
        insert.ts = ts[4];
        inputs!(insert: queue_length = units.length, speed = cfg_speed, unit_shift = cfg_unit_shift, ready = out.up.ready);
        inputs!(out from insert: up.valid = out_valid, up.data = out_beat);
        m_axis.tvalid = out.down.valid;
        out.down.ready = m_axis.tready;
        m_axis.tdata = out.down.data.val().data;
        m_axis.tkeep = out.down.data.val().keep;
        m_axis.tlast = out.down.data.val().last;
        m_axis.tuser = out.down.data.val().bad;

        if reset {
            inside = false;
            for i in 0..5 {
                valid[i] = false;
            }
        }
    }
}
