//! ICRC of a frame, computed as its beats go by and put behind its last byte.
//!
//! A frame's bytes without ICRC end `tail` bytes after the start of one of its beats: of the last one, or, when the ICRC does not
//! fit behind them (`spill`), of the one before.
//!
//! | clock | does |
//! |---|---|
//! | 0 | how many bytes of the beat the ICRC covers, where it goes |
//! | 0 - 3 | `IcrcBytes`: what the ICRC covers, zeros elsewhere |
//! | 3 - 6 | CRC register |
//! | 6 - 12 | zeros taken back out |
//! | 13 | ICRC into its place |
//! | 13 - 16 | FIFO, which also stops the builder when the receiver is slow; from 16 on, when the frame's last beat is in it |
//!
//! Acknowledgements and the like, READ requests among them, of one or two beats in clocks that follow each other, may come between the beats of a data packet. They have a
//! FIFO of their own, so that neither waits for the other. Only behind a READ request that has left the next one lets a short READ response go first that is whole by then: rows
//! of requests and of short responses would each leave the wire or the bus idle for a part.

use super::frame_bytes::FRAME_BYTES_LATENCY;
use crate::emit::naming::named_with;
use crate::prim::crc::{CrcFold, CrcState, CrcUnroll};
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::prim::word::{bit_cast_bus, bits_zero};
use crate::rx::icrc_bytes::IcrcBytes;
use crate::words::tx::{AppendPlan, BuiltBeat, CrcStep, FrameBeat, FrameNote, NotedBeat};
use crate::words::wire::IpUdpHeaders;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Data comes one clock after what describes it: what describes it is registered once beside [`super::frame_bytes::FrameBytes`].
const _: () = assert!(FRAME_BYTES_LATENCY == 2);

/// One beat a clock, no stall on the way; `crowded` leaves room for 34 more than `MARK` in a FIFO of 2^`A`. A frame of data is offered when all
/// of it is in the FIFO, so that no beat of it is ever missing: `MARK` and 34 must be more than the longest frame.
#[block]
pub struct IcrcAppend<const A: usize, const MARK: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// There is a beat.
    pub valid: Signal<In, Bit>,
    /// What is said about it.
    pub beat: Signal<In, BuiltBeat>,
    /// The beat, one clock after the rest; zero from `tail` on.
    pub data: Signal<In, W<512, 8>>,
    /// At least `MARK` beats of data wait.
    pub crowded: Signal<Out, Bit>,
    /// At least 28 beats of acknowledgements and the like wait; there is room for 34 more.
    pub ack_crowded: Signal<Out, Bit>,
    /// Beats of acknowledgements and the like.
    pub ack: StreamOut<FrameBeat>,
    /// The frame on `ack` is a READ request.
    pub ack_request: Signal<Out, Bit>,
    /// What is told when the frame has left.
    pub ack_note: Signal<Out, FrameNote>,
    /// Beats of data.
    pub down: StreamOut<FrameBeat>,
    /// Note of the beat on `down`.
    pub down_note: Signal<Out, FrameNote>,
    #[signals(U<7>: covered, stop, short_by, count)]
    #[signals(Bit: appends, high)]
    place: Signal<Local, U<5>>,
    headers: Signal<Local, IpUdpHeaders>,
    // 1
    #[signals(AppendPlan: plan_new, planned)]
    bytes: IcrcBytes,
    fold: CrcFold,
    step: Signal<Local, CrcStep>,
    steps: Delay<CrcStep, 4>,
    state: CrcState,
    zeros: Delay<U<6>, 5>,
    unroll: CrcUnroll,
    plan: Delay<AppendPlan, 11>,
    data_2: DFF<W<512, 8>>,
    late: Delay<W<512, 8>, 11>,
    /// Clock 1: a beat.
    valid_1: DFF<Bit>,
    /// Clock 1: number of the beat in its frame: 0, 1, or 2 for all behind.
    number_1: DFF<U<2>>,
    /// Clock 1: bytes of the beat that the ICRC covers.
    covered_1: DFF<U<7>>,
    /// Clock 1: bytes behind the last one covered, for which the CRC register must be turned back.
    zeros_1: DFF<U<6>>,
    plan_1: DFF<AppendPlan>,
    // 13
    #[registers(Bit:
        /// Clock 13: a beat of a frame with data.
        valid_13,
        /// Clock 13: last beat of its frame.
        last_13,
        /// Clock 13: the frame is marked as bad.
        bad_13,
        /// Clock 13: a beat of an acknowledgement or a READ request.
        ack_valid_13,
        /// Clock 13: the frame is a READ request, which yields to READ responses.
        turns_13,
        /// A frame with data lies in the FIFO to its last beat.
        whole)]
    out: StreamFifo<NotedBeat, A, MARK>,
    acks: StreamFifo<NotedBeat, 6, 28>,
    /// Frames that are in the FIFO to their last beat.
    arrived: Delay<Bit, 2>,
    icrc: Signal<Local, U<32>>,
    /// Clock 13: the ICRC, moved to its place within eight bytes.
    part_13: DFF<W<80, 2>>,
    /// Clock 13: eight bytes of the beat in which the ICRC begins.
    eight_13: DFF<U<3>>,
    /// Clock 13: bytes of the beat that the frame has.
    keep_13: DFF<U<64>>,
    /// Clock 13: what the scheduler and the statistics hear of the frame when it leaves.
    note_13: DFF<FrameNote>,
    #[signals(NotedBeat: stored, head, aside)]
    /// A READ request waits for a READ response to go.
    yields: DFF<Bit>,
    #[signals(Bit: leaves, may_go)]
    frames_new: Signal<Local, U<10>>,
    /// Frames with data that lie in the FIFO to their last beat.
    frames: DFF<U<10>>,
}

#[kernel]
impl<const A: usize, const MARK: usize> Logic for IcrcAppend<A, MARK> {
    fn update(&mut self) {
        inputs!([out, acks]: reset);

        // 0: the end of what is covered lies in this beat (end up to 64), or there is nothing of it here
        stop = if beat.last & beat.spill { beat.tail - 64 } else { beat.tail };
        short_by = bits_u::<7>(64) - beat.tail;
        covered = bits_u::<7>(64);
        place = stop.get_bits::<5>(1);
        high = false;
        appends = beat.last;
        count = bits_u::<7>(64);
        if beat.last {
            covered = stop;
            count = stop + 4;
            if beat.spill & (beat.tail < 64) {
                // its second half is here, the first ended the beat before
                covered = bits_u::<7>(0);
                high = true;
                place = bits_u::<5>(0);
                count = bits_u::<7>(2);
            }
        } else {
            if beat.penultimate & (beat.tail < 64) {
                covered = beat.tail;
                appends = true;
            }
        }
        assign! {
            valid_1.d = valid, number_1.d = beat.number, covered_1.d = covered
        }
        zeros_1 = bit_cast_u::<6, 7>(bits_u::<7>(64) - covered);
        if beat.last & beat.spill & (beat.tail <= 64) {
            // the register has not moved since the beat before
            zeros_1 = bit_cast_u::<6, 7>(short_by);
        }
        fields!(plan_new: valid, appends, high);
        plan_new.offset = bit_cast_u::<2, 5>(place);
        plan_new.eight = place.get_bits::<3>(2);
        fields!(plan_new: count);
        fields!(plan_new from beat: last, bad, ack, turns, note);
        plan_1 = plan_new;
        // the initial value DEBB20E3, first byte E3, in IP bytes 0 to 3; ones for what a router may change
        headers = bits_zero::<IpUdpHeaders>(0);
        headers.ip.version = beat.outer.ip.version ^ bits_u::<4>(0xe);
        headers.ip.ihl = beat.outer.ip.ihl ^ bits_u::<4>(0x3);
        // 20 is the second byte of the initial value, all of it inverted by the ones
        headers.ip.dscp = bits_u::<6>(0x37);
        headers.ip.ecn = bits_u::<2>(0x3);
        headers.ip.total_length = beat.icrc_lengths.ip ^ bits_u::<16>(0xbbde);
        fields!(headers from beat:
            ip.identification = outer.ip.identification, ip.reserved = outer.ip.reserved,
            ip.do_not_fragment = outer.ip.do_not_fragment, ip.more_fragments = outer.ip.more_fragments,
            ip.fragment_offset = outer.ip.fragment_offset);
        headers.ip.ttl = bits_u::<8>(0xff);
        headers.ip.protocol = beat.outer.ip.protocol;
        headers.ip.checksum = bits_u::<16>(0xffff);
        fields!(headers from beat:
            ip.source = outer.ip.source, ip.destination = outer.ip.destination, udp.source_port = outer.udp.source_port,
            udp.destination_port = outer.udp.destination_port, udp.length = icrc_lengths.udp);
        headers.udp.checksum = bits_u::<16>(0xffff);

        bytes.headers = bit_cast_bus::<224, 4, IpUdpHeaders>(headers);
        bytes.has_tag = false;
        inputs!(bytes from beat: number, code = int_code, behind_int);

        // 1 - 12; what is not covered is zero in the beat
        data_2 = data;
        bytes.bytes = data_2;
        fold.data = bytes.q;
        step.covers = valid_1 & (covered_1 != 0);
        step.first = number_1 == 0;
        step.aside = plan_1.valid & plan_1.ack;
        steps = step;
        inputs!(state from steps: enable = covers, first, aside);
        state.fold = fold.q;
        zeros = zeros_1;
        inputs!(unroll: state = state.q, zeros = zeros.q);
        plan = plan_1;
        late = data_2;

        // 12: into place within eight bytes
        planned = plan;
        icrc = bits_u::<32>(0);
        if planned.appends {
            icrc = if planned.high { unroll.q >> 16 } else { unroll.q };
        }
        part_13 = bit_cast_w::<80, 2, 32>(icrc) << (bit_cast_u::<6, 2>(planned.offset) << 4);
        eight_13 = planned.eight;
        keep_13 = !((!bits_u::<64>(0)) << planned.count);
        valid_13 = planned.valid & !planned.ack & !reset;
        ack_valid_13 = planned.valid & planned.ack & !reset;
        last_13 = planned.last;
        bad_13 = planned.bad & planned.last;
        note_13 = planned.note;
        turns_13 = planned.turns;

        // 13
        stored.beat.data = late | (bit_cast_ww::<512, 8, 80, 2>(part_13) << (bit_cast_u::<9, 3>(eight_13) << 6));
        fields!(stored: beat.keep = keep_13, beat.last = last_13, beat.bad = bad_13, turns = turns_13, note = note_13);
        inputs!(out: up.data = stored, up.valid = valid_13);
        crowded = out.crowded;
        inputs!(acks: up.data = stored, up.valid = ack_valid_13);
        ack_crowded = acks.crowded;
        head = out.down.data;
        assign!(down.data = head.beat, down_note = head.note);
        // both beats of a frame come one behind the other, so that none is missing
        aside = acks.down.data;
        may_go = !aside.turns | !yields;
        assign!(ack.data = aside.beat, ack_request = aside.turns, ack_note = aside.note);
        ack.valid = acks.down.valid & may_go;
        acks.down.ready = ack.ready & may_go;
        // a frame's last beat stands at the output three clocks after it came, if nothing stands before it
        arrived = valid_13 & last_13 & out.up.ready;
        leaves = out.down.valid & whole & down.ready & head.beat.last;
        if acks.down.valid & ack.ready & may_go & aside.turns & aside.beat.last {
            yields = out.down.valid & whole & head.turns;
        }
        if leaves {
            yields = false;
        }
        frames_new = if arrived & !leaves { frames + 1 } else { frames };
        if leaves & !arrived {
            frames_new = frames - 1;
        }
        frames = frames_new;
        // known without counting
        whole = arrived | (frames > 1) | (frames.any() & !leaves);
        down.valid = out.down.valid & whole;
        out.down.ready = down.ready & whole;
        reset!(frames, whole, yields);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_with::<Self>(&[("ADDRESS", A), ("MARK", MARK)], &[])
    }
}
