//! ICRC of a frame, computed as its beats go by and put behind its last byte.
//!
//! A frame's bytes without ICRC end `tail` bytes after the start of one of its beats: of the last one, or, when the ICRC does not
//! fit behind them (`spill`), of the one before.
//!
//! | clock | does |
//! |---|---|
//! | 0 | which bytes of the beat the ICRC covers, where it goes |
//! | 1 - 3 | `IcrcBytes`: what the ICRC covers, zeros elsewhere |
//! | 3 - 6 | CRC register |
//! | 6 - 12 | zeros taken back out |
//! | 13 | ICRC into its place |
//! | 13 - 16 | FIFO, which also stops the builder when the receiver is slow; from 16 on, when the frame's last beat is in it |

use super::frame_bytes::FRAME_BYTES_LATENCY;
use super::Beat;
use crate::emit::naming::named_with;
use crate::prim::crc::{CrcFold, CrcState, CrcUnroll};
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::prim::word::bit_cast_bus;
use crate::rx::icrc_bytes::IcrcBytes;
use crate::words::tx::{AppendPlan, BuiltBeat, FrameBeat, FrameNote, NotedBeat};
use crate::words::wire::IpUdpHeaders;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Data comes one clock after what describes it: what describes it is registered once beside [`super::frame_bytes::FrameBytes`].
const _: () = assert!(FRAME_BYTES_LATENCY == 2);

/// One beat a clock, no stall on the way; `crowded` leaves room for 34 more than `MARK` in a FIFO of 2^`A`. A frame is offered when all
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
    /// At least `MARK` beats wait.
    pub crowded: Signal<Out, Bit>,
    /// Beats of frames.
    pub down: StreamOut<Beat>,
    /// Note of the beat on `down`.
    pub down_note: Signal<Out, FrameNote>,
    covered: Signal<Local, U<7>>,
    stop: Signal<Local, U<7>>,
    short_by: Signal<Local, U<7>>,
    place: Signal<Local, U<5>>,
    appends: Signal<Local, Bit>,
    high: Signal<Local, Bit>,
    count: Signal<Local, U<7>>,
    // 1
    valid_1: DFF<Bit>,
    number_1: DFF<U<2>>,
    covered_1: DFF<U<7>>,
    zeros_1: DFF<U<6>>,
    headers_1: DFF<IpUdpHeaders>,
    code_1: DFF<U<3>>,
    plan_new: Signal<Local, AppendPlan>,
    plan_1: DFF<AppendPlan>,
    bytes: IcrcBytes,
    fold: CrcFold,
    moves: Delay<U<2>, 4>,
    state: CrcState,
    zeros: Delay<U<6>, 5>,
    unroll: CrcUnroll,
    plan: Delay<AppendPlan, 11>,
    late: Delay<W<512, 8>, 12>,
    planned: Signal<Local, AppendPlan>,
    // 13
    icrc: Signal<Local, U<32>>,
    part_13: DFF<W<80, 2>>,
    eight_13: DFF<U<3>>,
    keep_13: DFF<U<64>>,
    valid_13: DFF<Bit>,
    last_13: DFF<Bit>,
    bad_13: DFF<Bit>,
    note_13: DFF<FrameNote>,
    stored: Signal<Local, NotedBeat>,
    out: StreamFifo<NotedBeat, A, MARK>,
    /// Frames that are in the FIFO to their last beat.
    arrived: Delay<Bit, 2>,
    leaves: Signal<Local, Bit>,
    frames_new: Signal<Local, U<10>>,
    frames: DFF<U<10>>,
    whole: DFF<Bit>,
}

#[kernel]
impl<const A: usize, const MARK: usize> Logic for IcrcAppend<A, MARK> {
    fn update(&mut self) {
        self.out.reset.next = self.reset.val();

        // 0: the end of what is covered lies in this beat (end up to 64), or there is nothing of it here
        self.stop.next = self.beat.val().tail;
        if self.beat.val().last & self.beat.val().spill {
            self.stop.next = self.beat.val().tail - 64;
        }
        self.short_by.next = bits_u::<7>(64) - self.beat.val().tail;
        self.covered.next = bits_u::<7>(64);
        self.place.next = self.stop.val().get_bits::<5>(1);
        self.high.next = false;
        self.appends.next = self.beat.val().last;
        self.count.next = bits_u::<7>(64);
        if self.beat.val().last {
            self.covered.next = self.stop.val();
            self.count.next = self.stop.val() + 4;
            if self.beat.val().spill & (self.beat.val().tail < 64) {
                // its second half is here, the first ended the beat before
                self.covered.next = bits_u::<7>(0);
                self.high.next = true;
                self.place.next = bits_u::<5>(0);
                self.count.next = bits_u::<7>(2);
            }
        } else {
            if self.beat.val().penultimate & (self.beat.val().tail < 64) {
                self.covered.next = self.beat.val().tail;
                self.appends.next = true;
            }
        }
        assign! {
            valid_1.d = valid, number_1.d = beat.number, code_1.d = beat.int_code, covered_1.d = covered
        }
        self.zeros_1.d.next = bit_cast_u::<6, 7>(bits_u::<7>(64) - self.covered.val());
        if self.beat.val().last & self.beat.val().spill & (self.beat.val().tail <= 64) {
            // the register has not moved since the beat before
            self.zeros_1.d.next = bit_cast_u::<6, 7>(self.short_by.val());
        }
        fields!(plan_new: valid, appends, high);
        self.plan_new.next.offset = bit_cast_u::<2, 5>(self.place.val());
        self.plan_new.next.eight = self.place.val().get_bits::<3>(2);
        fields!(plan_new: count);
        fields!(plan_new from beat: last, bad, note);
        self.plan_1.d.next = self.plan_new.val();
        // the initial value DEBB20E3, first byte E3, in IP bytes 0 to 3; ones for what a router may change
        self.headers_1.d.next.ip.version = self.beat.val().outer.ip.version ^ bits_u::<4>(0xe);
        self.headers_1.d.next.ip.ihl = self.beat.val().outer.ip.ihl ^ bits_u::<4>(0x3);
        // 20 is the second byte of the initial value, all of it inverted by the ones
        self.headers_1.d.next.ip.dscp = bits_u::<6>(0x37);
        self.headers_1.d.next.ip.ecn = bits_u::<2>(0x3);
        self.headers_1.d.next.ip.total_length = self.beat.val().icrc_lengths.ip ^ bits_u::<16>(0xbbde);
        fields!(headers_1.d from beat:
            ip.identification = outer.ip.identification, ip.reserved = outer.ip.reserved,
            ip.do_not_fragment = outer.ip.do_not_fragment, ip.more_fragments = outer.ip.more_fragments,
            ip.fragment_offset = outer.ip.fragment_offset);
        self.headers_1.d.next.ip.ttl = bits_u::<8>(0xff);
        self.headers_1.d.next.ip.protocol = self.beat.val().outer.ip.protocol;
        self.headers_1.d.next.ip.checksum = bits_u::<16>(0xffff);
        fields!(headers_1.d from beat:
            ip.source = outer.ip.source, ip.destination = outer.ip.destination, udp.source_port = outer.udp.source_port,
            udp.destination_port = outer.udp.destination_port, udp.length = icrc_lengths.udp);
        self.headers_1.d.next.udp.checksum = bits_u::<16>(0xffff);

        // 1 - 12
        inputs!(bytes: data, number = number_1, covered = covered_1);
        self.bytes.headers.next = bit_cast_bus::<224, 4, IpUdpHeaders>(self.headers_1.q.val());
        self.bytes.has_tag.next = false;
        self.bytes.code.next = self.code_1.q.val();
        self.fold.data.next = self.bytes.q.val();
        self.moves.d.next = bit_cast_u::<2, 1>(bit_cast_b(self.valid_1.q.val() & (self.covered_1.q.val() != 0)))
            | (bit_cast_u::<2, 1>(bit_cast_b(self.number_1.q.val() == 0)) << 1);
        self.state.enable.next = self.moves.q.val().get_bit(0);
        self.state.first.next = self.moves.q.val().get_bit(1);
        self.state.fold.next = self.fold.q.val();
        self.zeros.d.next = self.zeros_1.q.val();
        inputs!(unroll: state = state.q, zeros = zeros.q);
        self.plan.d.next = self.plan_1.q.val();
        self.late.d.next = self.data.val();

        // 12: into place within eight bytes
        self.planned.next = self.plan.q.val();
        self.icrc.next = bits_u::<32>(0);
        if self.planned.val().appends {
            self.icrc.next = self.unroll.q.val();
            if self.planned.val().high {
                self.icrc.next = self.unroll.q.val() >> 16;
            }
        }
        self.part_13.d.next =
            bit_cast_w::<80, 2, 32>(self.icrc.val()) << (bit_cast_u::<6, 2>(self.planned.val().offset) << 4);
        self.eight_13.d.next = self.planned.val().eight;
        self.keep_13.d.next = !((!bits_u::<64>(0)) << self.planned.val().count);
        self.valid_13.d.next = self.planned.val().valid & !self.reset.val();
        self.last_13.d.next = self.planned.val().last;
        self.bad_13.d.next = self.planned.val().bad & self.planned.val().last;
        self.note_13.d.next = self.planned.val().note;

        // 13
        self.stored.next.beat.data = self.late.q.val()
            | (bit_cast_ww::<512, 8, 80, 2>(self.part_13.q.val()) << (bit_cast_u::<9, 3>(self.eight_13.q.val()) << 6));
        fields!(stored: beat.keep = keep_13, beat.last = last_13, beat.bad = bad_13, note = note_13);
        inputs!(out: up.data = stored, up.valid = valid_13);
        self.crowded.next = self.out.crowded.val();
        self.down.data.next = bit_cast_bus::<578, 10, FrameBeat>(self.out.down.data.val().beat);
        self.down_note.next = self.out.down.data.val().note;
        // a frame's last beat stands at the output three clocks after it came, if nothing stands before it
        self.arrived.d.next = self.valid_13.q.val() & self.last_13.q.val() & self.out.up.ready.val();
        self.leaves.next =
            self.out.down.valid.val() & self.whole.q.val() & self.down.ready.val() & self.out.down.data.val().beat.last;
        self.frames_new.next = self.frames.q.val();
        if self.arrived.q.val() & !self.leaves.val() {
            self.frames_new.next = self.frames.q.val() + 1;
        }
        if self.leaves.val() & !self.arrived.q.val() {
            self.frames_new.next = self.frames.q.val() - 1;
        }
        self.frames.d.next = self.frames_new.val();
        self.whole.d.next = self.frames_new.val().any();
        self.down.valid.next = self.out.down.valid.val() & self.whole.q.val();
        self.out.down.ready.next = self.down.ready.val() & self.whole.q.val();
        reset!(frames, whole);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_with::<Self>(&[("ADDRESS", A), ("MARK", MARK)], &[])
    }
}
