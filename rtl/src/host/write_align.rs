//! Payload becomes lines of memory with strobes; a line every clock.
//!
//! The mirror of [`super::read_align`]: a line is the upper part of one beat of payload and the lower part of the next.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 1 | beat turned up by 0 to 7 bytes |
//! | 1 - 2 | by multiples of 8 bytes |
//! | 2 - 3 | joined with the beat before |

use crate::emit::naming::named;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use rust_hdl::prelude::*;

/// Aligns the payload of one job after the other.
#[derive(LogicBlock, Default)]
pub struct WriteAlign {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Jobs in the order of their payload, as [`super::job_split::JobSplit`] describes them.
    pub shape: StreamIn<U<40>>,
    /// Payload: 512 bits of data, 7 bits number of bytes, last beat; every beat full but a job's last one.
    pub payload: StreamIn<W<520, 9>>,
    /// Stop: at most four more lines come.
    pub crowded: Signal<In, Bit>,
    /// There is a line.
    pub line_valid: Signal<Out, Bit>,
    /// 512 bits of data, 64 strobes, last line of its burst.
    pub line: Signal<Out, W<577, 10>>,
    number: DFF<U<7>>,
    go: Signal<Local, Bit>,
    brings: Signal<Local, Bit>,
    shift: Signal<Local, U<6>>,
    lines: Signal<Local, U<7>>,
    end_bytes: Signal<Local, U<7>>,
    unused_bytes: Signal<Local, U<7>>,
    page_line: Signal<Local, U<6>>,
    last_line: Signal<Local, Bit>,
    head: Signal<Local, U<64>>,
    tail: Signal<Local, U<64>>,
    double: Signal<Local, W<1024, 16>>,
    double_1: Signal<Local, W<1024, 16>>,
    valid_1: DFF<Bit>,
    data_1: DFF<W<512, 8>>,
    keep_1: DFF<W<512, 8>>,
    shift_1: DFF<U<3>>,
    strobe_1: DFF<U<64>>,
    last_1: DFF<Bit>,
    valid_2: DFF<Bit>,
    data_2: DFF<W<512, 8>>,
    keep_2: DFF<W<512, 8>>,
    strobe_2: DFF<U<64>>,
    last_2: DFF<Bit>,
    previous: DFF<W<512, 8>>,
    valid_3: DFF<Bit>,
    line_3: DFF<W<577, 10>>,
}

impl Logic for WriteAlign {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, number, valid_1, data_1, keep_1, shift_1, strobe_1, last_1);
        dff_setup!(self, clock, valid_2, data_2, keep_2, strobe_2, last_2, previous, valid_3, line_3);
        // place of the line in its job; the line behind the last beat brings none
        self.shift.next = self.shape.data.val().get_bits::<6>(0);
        self.lines.next = self.shape.data.val().get_bits::<7>(6);
        self.brings.next = self.number.q.val() < self.shape.data.val().get_bits::<7>(13);
        self.end_bytes.next = self.shape.data.val().get_bits::<7>(27);
        self.last_line.next = self.number.q.val() + 1 == self.lines.val();
        self.page_line.next = self.shape.data.val().get_bits::<6>(34) + self.number.q.val().get_bits::<6>(0);
        self.go.next = self.shape.valid.val() & !self.crowded.val() & (self.payload.valid.val() | !self.brings.val());
        self.payload.ready.next = self.shape.valid.val() & !self.crowded.val() & self.brings.val();
        self.shape.ready.next = self.go.val() & self.last_line.val();
        if self.go.val() {
            self.number.d.next = self.number.q.val() + 1;
            if self.last_line.val() {
                self.number.d.next = 0.into();
            }
        }
        self.head.next = !bit_cast_u::<64, 1>(0.into());
        if self.number.q.val() == 0 {
            self.head.next = !bit_cast_u::<64, 1>(0.into()) << self.shift.val();
        }
        self.unused_bytes.next = bit_cast_u::<7, 7>(64.into()) - self.end_bytes.val();
        self.tail.next = !bit_cast_u::<64, 1>(0.into());
        if self.last_line.val() {
            self.tail.next = !bit_cast_u::<64, 1>(0.into()) >> self.unused_bytes.val();
        }

        // turned up; `keep` marks the bytes of the line that this beat brings
        self.double.next = bit_cast_ww::<1024, 16, 512, 8>(bit_cast_ww::<512, 8, 520, 9>(self.payload.data.val()))
            | (bit_cast_ww::<1024, 16, 520, 9>(self.payload.data.val()) << 512);
        self.valid_1.d.next = self.go.val();
        self.data_1.d.next = bit_cast_ww::<512, 8, 1024, 16>(
            (self.double.val() << (bit_cast_u::<6, 3>(self.shift.val().get_bits::<3>(0)) << 3)) >> 512,
        );
        self.keep_1.d.next =
            !bit_cast_w::<512, 8, 1>(0.into()) << (bit_cast_u::<6, 3>(self.shift.val().get_bits::<3>(0)) << 3);
        self.shift_1.d.next = self.shift.val().get_bits::<3>(3);
        self.strobe_1.d.next = self.head.val() & self.tail.val();
        self.last_1.d.next = self.last_line.val() | self.page_line.val().all();
        self.double_1.next = bit_cast_ww::<1024, 16, 512, 8>(self.data_1.q.val())
            | (bit_cast_ww::<1024, 16, 512, 8>(self.data_1.q.val()) << 512);
        self.valid_2.d.next = self.valid_1.q.val();
        self.data_2.d.next = bit_cast_ww::<512, 8, 1024, 16>(
            (self.double_1.val() << (bit_cast_u::<9, 3>(self.shift_1.q.val()) << 6)) >> 512,
        );
        self.keep_2.d.next = self.keep_1.q.val() << (bit_cast_u::<9, 3>(self.shift_1.q.val()) << 6);
        self.strobe_2.d.next = self.strobe_1.q.val();
        self.last_2.d.next = self.last_1.q.val();
        if self.valid_2.q.val() {
            self.previous.d.next = self.data_2.q.val();
        }
        self.valid_3.d.next = self.valid_2.q.val();
        self.line_3.d.next = bit_cast_ww::<577, 10, 512, 8>(
            (self.data_2.q.val() & self.keep_2.q.val()) | (self.previous.q.val() & !self.keep_2.q.val()),
        ) | (bit_cast_w::<577, 10, 64>(self.strobe_2.q.val()) << 512)
            | (bit_cast_w::<577, 10, 1>(bit_cast_b(self.last_2.q.val())) << 576);
        self.line_valid.next = self.valid_3.q.val();
        self.line.next = self.line_3.q.val();
        if self.reset.val() {
            self.number.d.next = 0.into();
            self.valid_1.d.next = false;
            self.valid_2.d.next = false;
            self.valid_3.d.next = false;
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

crate::ports! {
    [] WriteAlign {
        in reset, shape.data, shape.valid, payload.data, payload.valid, crowded;
        out shape.ready, payload.ready, line_valid, line
    }
}
