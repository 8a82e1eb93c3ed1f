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
    /// Commands, one a frame, after its last beat: `BufferCommand`.
    pub command: StreamIn<U<24>>,
    /// Payload: `BufferedPayload`.
    pub payload: StreamOut<W<520, 9>>,
    // in
    data_1: DFF<W<512, 8>>,
    last_1: DFF<Bit>,
    valid_1: DFF<Bit>,
    write: DFF<U<10>>,
    start: DFF<U<10>>,
    losing: DFF<Bit>,
    lost_2: DFF<Bit>,
    used: Signal<Local, U<10>>,
    full: DFF<Bit>,
    ok: Signal<Local, Bit>,
    next_write: Signal<Local, U<10>>,
    ram: RamReg<W<512, 8>, 9>,
    sizes: StreamFifo<U<10>, 9, 512>,
    /// Out: the frame being read, and where the next one starts.
    next_frame: DFF<U<10>>,
    this_frame: DFF<U<10>>,
    reading: DFF<Bit>,
    address: DFF<U<9>>,
    beats_left: DFF<U<11>>,
    shift: DFF<PairTurn>,
    last_bytes: DFF<U<7>>,
    begun: DFF<Bit>,
    go: Signal<Local, Bit>,
    finishing: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    asked: Signal<Local, BufferCommand>,
    at: Signal<Local, FramePlace>,
    length: Signal<Local, U<16>>,
    beats: Signal<Local, U<17>>,
    tail: Signal<Local, U<16>>,
    /// Of a word that is read.
    tag: Signal<Local, ReadPlan>,
    tag_2: Delay<ReadPlan, 2>,
    held: DFF<W<512, 8>>,
    both: Signal<Local, Twice>,
    pair: DFF<W<1024, 16>>,
    tag_3: DFF<ReadPlan>,
    moved: DFF<W<1024, 16>>,
    tag_4: DFF<ReadPlan>,
    aligned: DFF<W<512, 8>>,
    tag_5: DFF<ReadPlan>,
    out: StreamFifo<BufferedPayload, 4, 8>,
}

#[kernel]
impl Logic for PacketBuffer {
    fn update(&mut self) {
        inputs!([sizes, out]: reset);

        // in: a frame without room is taken back, nothing is behind it yet
        assign!(data_1.d = beat_data, last_1.d = beat_last, valid_1.d = beat_valid);
        self.used.next = self.write.q.val() - self.next_frame.q.val();
        if self.reading.q.val() {
            self.used.next = self.write.q.val() - self.this_frame.q.val();
        }
        // at 511 beats or more: decided a clock early, in which one more may come
        self.full.d.next = self.used.val().get_bit(9) | bit_cast_u::<9, 10>(self.used.val()).all();
        self.ok.next = !self.full.q.val() & !self.losing.q.val();
        self.next_write.next = self.write.q.val() + 1;
        self.ram.waddr.next = bit_cast_u::<9, 10>(self.write.q.val());
        self.ram.wdata.next = self.data_1.q.val();
        self.ram.we.next = self.valid_1.q.val() & self.ok.val();
        self.sizes.up.data.next = self.next_write.val() - self.start.q.val();
        self.sizes.up.valid.next = self.valid_1.q.val() & self.last_1.q.val() & self.ok.val();
        self.lost_2.d.next = self.valid_1.q.val() & self.last_1.q.val() & !self.ok.val();
        self.lost.next = self.lost_2.q.val();
        if self.valid_1.q.val() {
            if self.ok.val() {
                self.write.d.next = self.next_write.val();
                if self.last_1.q.val() {
                    self.start.d.next = self.next_write.val();
                }
            } else {
                self.losing.d.next = !self.last_1.q.val();
                self.write.d.next = self.start.q.val();
            }
        }

        // out: the next command is taken while the last word of the one before is read
        self.go.next = self.reading.q.val() & !self.out.crowded.val();
        self.finishing.next = self.go.val() & (self.beats_left.q.val() == 0);
        self.accept.next =
            self.command.valid.val() & self.sizes.down.valid.val() & (!self.reading.q.val() | self.finishing.val());
        self.command.ready.next = self.accept.val();
        self.sizes.down.ready.next = self.accept.val();
        self.asked.next = bit_cast_word::<BufferCommand, U<24>>(self.command.data.val());
        self.at.next = bit_cast_word::<FramePlace, U<7>>(self.asked.val().at);
        self.length.next = self.asked.val().length;
        self.beats.next = bit_cast_u::<17, 16>(self.length.val()) + 63;
        self.tail.next = self.length.val() - 1;
        if self.go.val() {
            self.address.d.next = self.address.q.val() + 1;
            self.beats_left.d.next = self.beats_left.q.val() - 1;
            self.begun.d.next = true;
        }
        if self.finishing.val() {
            self.reading.d.next = false;
        }
        if self.accept.val() {
            self.this_frame.d.next = self.next_frame.q.val();
            self.next_frame.d.next = self.next_frame.q.val() + self.sizes.down.data.val();
            self.reading.d.next = self.asked.val().take & (self.length.val() != 0);
            self.begun.d.next = false;
            self.address.d.next = bit_cast_u::<9, 10>(self.next_frame.q.val())
                + bit_cast_u::<9, 1>(bit_cast_b(self.at.val().second_beat));
            self.shift.d.next = self.at.val().turn;
            self.beats_left.d.next = self.beats.val().get_bits::<11>(6);
            self.last_bytes.d.next = bit_cast_u::<7, 6>(bit_cast_u::<6, 16>(self.tail.val())) + 1;
        }
        self.ram.raddr.next = self.address.q.val();
        fields!(tag: valid = go, makes_beat = begun);
        self.tag.next.last = self.beats_left.q.val() == 0;
        self.tag.next.count = bits_u::<7>(64);
        if self.beats_left.q.val() == 0 {
            self.tag.next.count = self.last_bytes.q.val();
        }
        self.tag.next.shift = self.shift.q.val();
        self.tag_2.d.next = self.tag.val();

        // words side by side, then down
        if self.tag_2.q.val().valid {
            self.held.d.next = self.ram.rdata.val();
        }
        fields!(both: low = held, high = ram.rdata);
        self.pair.d.next = bit_cast_bus::<1024, 16, Twice>(self.both.val());
        self.tag_3.d.next = self.tag_2.q.val();
        self.moved.d.next = self.pair.q.val() >> (bit_cast_u::<7, 3>(self.tag_3.q.val().shift.twos) << 4);
        self.tag_4.d.next = self.tag_3.q.val();
        self.aligned.d.next = bit_cast_ww::<512, 8, 1024, 16>(
            self.moved.q.val() >> (bit_cast_u::<9, 2>(self.tag_4.q.val().shift.sixteens) << 7),
        );
        self.tag_5.d.next = self.tag_4.q.val();
        self.out.up.data.next.data = self.aligned.q.val();
        self.out.up.data.next.count = self.tag_5.q.val().count;
        self.out.up.data.next.last = self.tag_5.q.val().last;
        self.out.up.valid.next = self.tag_5.q.val().valid & self.tag_5.q.val().makes_beat;
        self.payload.data.next = bit_cast_bus::<520, 9, BufferedPayload>(self.out.down.data.val());
        self.payload.valid.next = self.out.down.valid.val();
        self.out.down.ready.next = self.payload.ready.val();

        reset!(valid_1, write, start, next_frame, losing, reading);
    }
}

#[cfg(test)]
#[path = "buffer_tests.rs"]
mod tests;
