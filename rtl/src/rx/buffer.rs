//! Packet buffer: payload waits here until its frame is judged, and leaves in the lines of memory that it goes to.
//!
//! Frames go in as they come, never stalled; a frame for which there is no room is lost whole, which `lost` says two clocks after
//! its last beat. For every other frame, in order, there is one command: skip it, or hand out `length` bytes from byte `at` on, in lines
//! of 64 bytes that begin where lines of memory do. A skipped frame costs one clock, so frames of one beat never pile up.
//!
//! A line is the upper part of one word and the lower part of the next. Where the first byte lies higher in its line than in its word the
//! first word completes a line alone, otherwise it only begins one. Where the last byte lies no higher in its line than in its word, the last line
//! needs no further word, so that it leaves in the clock of the next payload's first word, if that only begins a line, or in one of its own. Strobes hide
//! what does not belong to the payload.
//!
//! | clock | does |
//! |---|---|
//! | 0 | command and frame meet; address of the first word, lines to make |
//! | 1 | which word is read |
//! | 2 - 4 | a word a clock out of the RAM |
//! | 4 - 6 | turned from its place in the frame to its place in memory, joined with the word before ([`WriteAlign`]) |
//! | 6 - 8 | FIFO, which also stops the reading when the receiver is slow |

use crate::dma::write_align::WriteAlign;
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::lut_fifo::LutFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::bit_cast_word;
use crate::words::dma::{ByteTurn, WordPlan, WriteLine};
use crate::words::rx::{BufferCommand, LastPlace};
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
    /// The beat is the last of its frame.
    pub beat_last: Signal<In, Bit>,
    /// There is a beat.
    pub beat_valid: Signal<In, Bit>,
    /// The frame that ended two clocks ago was lost; it gets no command.
    pub lost: Signal<Out, Bit>,
    /// Beats that were free a clock ago.
    pub free: Signal<Out, U<10>>,
    /// Commands, one a frame, after its last beat: `BufferCommand`.
    pub command: StreamIn<BufferCommand>,
    /// Payload: lines of memory, each with its strobes; the last of a burst is that of a page of 4 KiB or of the payload.
    pub payload: StreamOut<WriteLine>,
    // in
    #[registers(W<512, 8>:
        /// Beat that is written.
        data_1)]
    #[registers(Bit:
        /// That beat is the last of its frame.
        last_1,
        /// A beat is written if there is room.
        valid_1,
        /// The rest of a frame is dropped: there was no room for one of its beats.
        losing,
        /// Counter pulse: a frame was lost for want of room.
        lost_2,
        /// There is no room for another beat.
        full)]
    #[registers(U<10>:
        /// Place of the next beat, with a bit for the turn around the memory.
        write,
        /// Place of the first beat of the frame that comes in.
        start,
        /// Place of the first beat of the frame that is read.
        this_frame,
        /// Beats that there is room for.
        unused)]
    #[signals(U<10>: used, next_write)]
    #[signals(Bit: ok, go, makes_line, finishing, accept, above, starts, merges)]
    // no word of a payload is written while it is read: its frame is in
    ram: TableRam<W<512, 8>, 9>,
    sizes: StreamFifo<U<10>, 9, 512>,
    /// Out: the frame being read, and where the next one starts.
    next_frame: DFF<U<10>>,
    // the next word only begins a line; it completes the payload's last; the next line is the last of its page; the payload's last line needs no further word
    #[registers(Bit:
        /// A payload is read.
        reading,
        /// The next word only begins a line.
        begins,
        /// The next word completes the payload's last line but one that needs no word.
        at_end,
        /// The next line is the last of its page of 4 KiB.
        page_end,
        /// The payload's last line needs no word of its own.
        rests)]
    #[registers(U<9>:
        /// Place of the next word.
        address,
        /// Place of the word that is read.
        address_1)]
    /// Of the next frame's payload.
    first_word: Signal<Local, U<9>>,
    /// Behind the line that the next word completes.
    lines_left: DFF<U<11>>,
    /// Number of the next line in its page.
    page_line: DFF<U<6>>,
    /// Bytes by which words are turned, so that they stand in lines of the host's memory.
    turn: DFF<ByteTurn>,
    // first byte of the next line that is written, and the last one of the payload's last line
    #[registers(U<6>:
        /// First byte of the next line that is written.
        first_byte,
        /// Last byte of the payload's last line.
        last_byte)]
    asked: Signal<Local, BufferCommand>,
    next_turn: Signal<Local, ByteTurn>,
    last_in_word: Signal<Local, U<6>>,
    last_place: Signal<Local, LastPlace>,
    /// Of the word that is read.
    plan: Signal<Local, WordPlan>,
    /// What becomes of the word that is read.
    plan_1: DFF<WordPlan>,
    plan_3: Delay<WordPlan, 2>,
    align: WriteAlign,
    out: LutFifo<WriteLine, 4, 8>,
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
        makes_line = go & !begins;
        finishing = go & at_end;
        accept = command.valid & sizes.down.valid & (!reading | finishing);
        command.ready = accept;
        sizes.down.ready = accept;
        asked = command.data;
        above = asked.to.in_line > asked.at.in_beat;
        next_turn = bit_cast_word::<ByteTurn, U<6>>(asked.at.in_beat - asked.to.in_line);
        last_place = bit_cast_word::<LastPlace, U<17>>(
            bit_cast_u::<17, 6>(asked.to.in_line) + bit_cast_u::<17, 16>(asked.length) - 1,
        );
        // the clock of a last line that needs no word is the next payload's
        last_in_word = asked.at.in_beat + bit_cast_u::<6, 16>(asked.length) - 1;
        starts = asked.take & (asked.length != 0);
        merges = finishing & rests & accept & starts & !above;
        first_word = bit_cast_u::<9, 10>(next_frame) + bit_cast_u::<9, 1>(bit_cast_b(asked.at.second_beat));
        address_1 = if merges { first_word } else { address };
        fields!(plan: valid = go, makes_line, turn, first_byte);
        plan.alone = at_end & rests;
        plan.last_byte = if at_end { last_byte } else { bits_u::<6>(63) };
        plan.last = at_end | page_end;
        if merges {
            plan.turn = next_turn;
        }
        if go {
            address = address + 1;
            begins = false;
            at_end = if begins { lines_left == 0 } else { lines_left == 1 };
        }
        if makes_line {
            lines_left = lines_left - 1;
            first_byte = 0.into();
            page_line = page_line + 1;
            page_end = page_line == 62;
        }
        if finishing {
            reading = false;
        }
        if accept {
            this_frame = next_frame;
            next_frame = next_frame + sizes.down.data;
            reading = starts;
            address = if merges { first_word + 1 } else { first_word };
            begins = !above & !merges;
            at_end = (above | merges) & (last_place.line == 0);
            rests = last_place.in_line <= last_in_word;
            lines_left = last_place.line;
            first_byte = asked.to.in_line;
            last_byte = last_place.in_line;
            page_line = asked.to.line;
            page_end = asked.to.line.all();
            turn = next_turn;
        }
        ram.raddr = address_1;
        plan_1 = plan;
        plan_3 = plan_1;
        inputs!(align: word = ram.rdata, plan = plan_3);
        inputs!(out from align: up.data = line, up.valid = line_valid);
        StreamOut::<WriteLine>::link(&mut payload, &mut out.down);

        reset!(valid_1, write, start, next_frame, losing, reading);
    }
}

#[cfg(test)]
#[path = "buffer_tests.rs"]
mod tests;
