//! Packet buffer: payload waits here until its frame is judged, and leaves with its first byte in the lowest bits.
//!
//! Frames go in as they come, never stalled; a frame for which there is no room is lost whole, which `lost` says two clocks after
//! its last beat. For every other frame, in order, there is one command: skip it, or hand out `length` bytes from byte `at` on. A
//! skipped frame costs one clock, so frames of one beat never pile up.
//!
//! | clock | does |
//! |---|---|
//! | 0 | command and frame meet; address of the first word |
//! | 1 - 3 | a word a clock out of the RAM; one more than there are beats to hand out |
//! | 4 | two words side by side |
//! | 5, 6 | moved down to byte 0, in steps of two bytes |
//! | 6 - 9 | FIFO, which also stops the reading when the receiver is slow |

use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::ram::RamReg;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_ww, W};
use crate::prim::word::{bit_cast_bus, bit_cast_word};
use crate::words::dma::Twice;
use crate::words::rx::{BufferCommand, BufferedPayload, FramePlace, PairTurn, ReadPlan};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Beats that the buffer holds.
pub const BUFFER_BEATS: usize = 512;
// as the kernel says
const _: () = assert!(BUFFER_BEATS == 512);

/// Buffer of 32 KiB.
#[block]
pub struct PacketBuffer {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: empties the buffer.
    pub reset: Signal<In, Bit>,
    /// Beat of a frame, first byte in the lowest bits.
    pub beat_data: Signal<In, W<512, 8>>,
    /// It is the frame's last.
    pub beat_last: Signal<In, Bit>,
    /// There is a beat.
    pub beat_valid: Signal<In, Bit>,
    /// The frame that ended two clocks ago was lost; it gets no command.
    pub lost: Signal<Out, Bit>,
    /// Beats that were free a clock ago.
    pub free: Signal<Out, U<10>>,
    /// Commands, one a frame, after its last beat: `BufferCommand`.
    pub command: StreamIn<BufferCommand>,
    /// Payload: `BufferedPayload`.
    pub payload: StreamOut<BufferedPayload>,
    // in
    #[registers(W<512, 8>: data_1, held, aligned)]
    #[registers(Bit: last_1, valid_1, losing, lost_2, full, reading, begun, at_end)]
    #[registers(U<10>: write, start, this_frame, unused)]
    #[signals(U<10>: used, next_write)]
    #[signals(Bit: ok, go, finishing, accept)]
    #[signals(U<16>: length, tail)]
    #[registers(W<1024, 16>: pair, moved)]
    #[registers(ReadPlan: tag_3, tag_4, tag_5)]
    ram: RamReg<W<512, 8>, 9>,
    sizes: StreamFifo<U<10>, 9, 512>,
    /// Out: the frame being read, and where the next one starts.
    next_frame: DFF<U<10>>,
    /// Of a word that is read.
    tag: Signal<Local, ReadPlan>,
    tag_2: Delay<ReadPlan, 2>,
    out: StreamFifo<BufferedPayload, 4, 8>,
    address: DFF<U<9>>,
    beats_left: DFF<U<11>>,
    shift: DFF<PairTurn>,
    last_bytes: DFF<U<7>>,
    asked: Signal<Local, BufferCommand>,
    at: Signal<Local, FramePlace>,
    beats: Signal<Local, U<17>>,
    both: Signal<Local, Twice>,
}

#[kernel]
impl Logic for PacketBuffer {
    fn update(&mut self) {
        inputs!([sizes, out]: reset);

        // in: a frame without room is taken back, nothing is behind it yet
        assign!(data_1.d = beat_data, last_1.d = beat_last, valid_1.d = beat_valid);
        used = if reading { write - this_frame } else { write - next_frame };
        unused = bits_u::<10>(512) - used;
        free = unused;
        // at 511 beats or more: decided a clock early, in which one more may come
        full = used.get_bit(9) | bit_cast_u::<9, 10>(used).all();
        ok = !full & !losing;
        next_write = write + 1;
        ram.waddr = bit_cast_u::<9, 10>(write);
        ram.wdata = data_1;
        ram.we = valid_1 & ok;
        sizes.up.data = next_write - start;
        sizes.up.valid = valid_1 & last_1 & ok;
        lost_2 = valid_1 & last_1 & !ok;
        lost = lost_2;
        if valid_1 {
            if ok {
                write = next_write;
                if last_1 {
                    start = next_write;
                }
            } else {
                losing = !last_1;
                write = start;
            }
        }

        // out: the next command is taken while the last word of the one before is read
        go = reading & !out.crowded;
        finishing = go & at_end;
        accept = command.valid & sizes.down.valid & (!reading | finishing);
        command.ready = accept;
        sizes.down.ready = accept;
        asked = command.data;
        at = bit_cast_word::<FramePlace, U<7>>(asked.at);
        length = asked.length;
        beats = bit_cast_u::<17, 16>(length) + 63;
        tail = length - 1;
        if go {
            address = address + 1;
            beats_left = beats_left - 1;
            at_end = beats_left == 1;
            begun = true;
        }
        if finishing {
            reading = false;
        }
        if accept {
            this_frame = next_frame;
            next_frame = next_frame + sizes.down.data;
            reading = asked.take & (length != 0);
            begun = false;
            // one word more is read than there are beats
            at_end = false;
            address = bit_cast_u::<9, 10>(next_frame) + bit_cast_u::<9, 1>(bit_cast_b(at.second_beat));
            shift = at.turn;
            beats_left = beats.get_bits::<11>(6);
            last_bytes = bit_cast_u::<7, 6>(bit_cast_u::<6, 16>(tail)) + 1;
        }
        ram.raddr = address;
        fields!(tag: valid = go, makes_beat = begun);
        tag.last = at_end;
        tag.count = if at_end { last_bytes } else { bits_u::<7>(64) };
        tag.shift = shift;
        tag_2 = tag;

        // words side by side, then down
        if tag_2.valid {
            held = ram.rdata;
        }
        fields!(both: low = held, high = ram.rdata);
        pair = bit_cast_bus::<1024, 16, Twice>(both);
        tag_3 = tag_2;
        moved = pair >> (bit_cast_u::<7, 3>(tag_3.shift.twos) << 4);
        tag_4 = tag_3;
        aligned = bit_cast_ww::<512, 8, 1024, 16>(moved >> (bit_cast_u::<9, 2>(tag_4.shift.sixteens) << 7));
        tag_5 = tag_4;
        out.up.data.next.data = aligned;
        out.up.data.next.count = tag_5.count;
        out.up.data.next.last = tag_5.last;
        out.up.valid = tag_5.valid & tag_5.makes_beat;
        payload.data = out.down.data;
        payload.valid = out.down.valid;
        out.down.ready = payload.ready;

        reset!(valid_1, write, start, next_frame, losing, reading);
    }
}

#[cfg(test)]
#[path = "buffer_tests.rs"]
mod tests;
