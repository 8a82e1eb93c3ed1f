//! Blocks that use every construct of the emitter.

// precedence between operators is one of the things these blocks test
#![allow(clippy::precedence)]

use hpcc_rtl::emit::naming::named;
use hpcc_rtl::prim::uint::*;
use hpcc_rtl::prim::wide::*;
use hpcc_rtl::{block, interface};
use rust_hdl::prelude::*;

/// Each output is a case in which RustHDL's own generator computes something else.
#[block]
pub struct Hazards {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, U<16>>,
    pub b: Signal<In, U<16>>,
    pub c: Signal<In, U<16>>,
    pub carry: Signal<Out, U<17>>,
    pub next_equal: Signal<Out, Bit>,
    pub precedence: Signal<Out, Bit>,
    pub not_zero: Signal<Out, Bit>,
    pub average: Signal<Out, U<16>>,
    pub borrow: Signal<Out, Bit>,
    pub shifted_out: Signal<Out, U<32>>,
    pub widened: Signal<Out, U<17>>,
    pub part_of_sum: Signal<Out, U<4>>,
    pub beyond: Signal<Out, U<8>>,
    pub running_beyond: Signal<Out, U<8>>,
    pub bit_of_sum: Signal<Out, Bit>,
    pub product: Signal<Out, U<32>>,
    pub low_product: Signal<Out, U<12>>,
    pub shift_count: Signal<Out, U<16>>,
}

impl Logic for Hazards {
    #[hdl_gen]
    fn update(&mut self) {
        self.carry.next = bit_cast_u::<17, 16>(self.a.val() + self.b.val());
        self.next_equal.next = self.a.val() + 1 == self.b.val();
        self.precedence.next = self.a.val() | self.b.val() == self.c.val();
        self.not_zero.next = !self.a.val() == 0;
        self.average.next = (self.a.val() + 1) >> 1;
        self.borrow.next = self.a.val() - self.b.val() > 5;
        self.shifted_out.next = bit_cast_u::<32, 16>(self.a.val() << 4);
        self.widened.next = bit_cast_u::<17, 16>(self.a.val()) + bit_cast_u::<17, 16>(self.b.val());
        self.part_of_sum.next = (self.a.val() + self.b.val()).get_bits::<4>(2);
        self.beyond.next = self.a.val().get_bits::<8>(12);
        self.running_beyond.next = self.a.val().get_bits::<8>(self.c.val().get_bits::<4>(0).index());
        self.bit_of_sum.next = (self.a.val() + self.b.val()).get_bit(self.c.val().get_bits::<5>(3).index());
        self.product.next = bit_cast_p::<32>(self.a.val() * self.b.val());
        self.low_product.next = bit_cast_p::<12>(self.a.val() * self.c.val());
        self.shift_count.next = self.a.val() << (self.b.val() + self.c.val());
    }
}

/// Every operator and method on one-word numbers.
#[block]
pub struct Operators {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, U<13>>,
    pub b: Signal<In, U<13>>,
    pub s: Signal<In, U<4>>,
    pub x: Signal<In, Bit>,
    pub y: Signal<In, Bit>,
    pub compare: Signal<Out, U<6>>,
    pub mixed: Signal<Out, U<13>>,
    pub shift: Signal<Out, U<13>>,
    pub reduce: Signal<Out, U<3>>,
    pub replaced: Signal<Out, U<13>>,
    pub picked: Signal<Out, Bit>,
    pub scaled: Signal<Out, U<3>>,
    pub booleans: Signal<Out, Bit>,
    half: Signal<Local, U<12>>,
}

impl Logic for Operators {
    #[hdl_gen]
    fn update(&mut self) {
        self.half.next = bit_cast_u::<12, 13>(self.a.val() >> 1);
        self.compare.next = bit_cast_u::<6, 1>(bit_cast_b(self.a.val() < self.b.val()))
            | (bit_cast_u::<6, 1>(bit_cast_b(self.a.val() <= self.b.val())) << 1)
            | (bit_cast_u::<6, 1>(bit_cast_b(self.a.val() > self.b.val())) << 2)
            | (bit_cast_u::<6, 1>(bit_cast_b(self.a.val() >= 77)) << 3)
            | (bit_cast_u::<6, 1>(bit_cast_b(self.a.val() == self.b.val())) << 4)
            | (bit_cast_u::<6, 1>(bit_cast_b(self.a.val() != self.b.val())) << 5);
        self.mixed.next =
            (self.a.val() & self.b.val()) ^ (!self.a.val() | 0x155) - bit_cast_u::<13, 12>(self.half.val());
        self.shift.next = (self.a.val() << self.s.val()) ^ (self.b.val() >> self.s.val());
        self.reduce.next = bit_cast_u::<3, 1>(bit_cast_b(self.a.val().any()))
            | (bit_cast_u::<3, 1>(bit_cast_b(self.b.val().all())) << 1)
            | (bit_cast_u::<3, 1>(bit_cast_b((self.a.val() ^ self.b.val()).xor())) << 2);
        self.replaced.next = self
            .a
            .val()
            .replace_bit(self.s.val().index(), self.x.val())
            .replace_bit(3, self.y.val());
        self.picked.next = self.a.val().get_bit(self.s.val().index());
        self.scaled.next = self.a.val().get_bits::<3>(self.s.val().index() * 3 + 1);
        self.booleans.next = (self.x.val() && !self.y.val()) || (self.x.val() ^ self.y.val()) & (self.a.val() == 0);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

/// A named constant and a cast literal.
#[block]
pub struct Limited {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, U<13>>,
    pub over: Signal<Out, Bit>,
    pub raised: Signal<Out, U<13>>,
    #[init(Constant::new(U(0x1234)))]
    limit: Constant<U<13>>,
}

impl Logic for Limited {
    #[hdl_gen]
    fn update(&mut self) {
        self.over.next = self.a.val() > self.limit.val();
        self.raised.next = self.a.val() + bits_u::<13>(9) - self.limit.val();
    }
}

/// Buses wider than a word, of widths that are no multiple of 64.
#[block]
pub struct WideBus {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, W<336, 6>>,
    pub b: Signal<In, W<100, 2>>,
    pub s: Signal<In, U<9>>,
    pub part: Signal<Out, W<100, 2>>,
    pub joined: Signal<Out, W<200, 4>>,
    pub moved: Signal<Out, W<336, 6>>,
    pub word: Signal<Out, U<33>>,
    pub flags: Signal<Out, U<4>>,
    pub inverted: Signal<Out, W<100, 2>>,
}

impl Logic for WideBus {
    #[hdl_gen]
    fn update(&mut self) {
        self.part.next = bit_cast_ww::<100, 2, 336, 6>(self.a.val() >> 65);
        self.joined.next = (bit_cast_ww::<200, 4, 100, 2>(self.b.val()) << 100)
            | bit_cast_ww::<200, 4, 336, 6>(self.a.val()) & bit_cast_ww::<200, 4, 100, 2>(!self.b.val());
        self.moved.next = (self.a.val() << self.s.val()) ^ (self.a.val() >> 7) ^ bit_cast_w::<336, 6, 9>(self.s.val());
        self.word.next = self.a.val().get_bits::<33>(self.s.val().index());
        self.flags.next = bit_cast_u::<4, 1>(bit_cast_b(self.a.val().any()))
            | (bit_cast_u::<4, 1>(bit_cast_b(self.b.val().all())) << 1)
            | (bit_cast_u::<4, 1>(bit_cast_b(self.b.val().xor())) << 2)
            | (bit_cast_u::<4, 1>(bit_cast_b(self.b.val() == bit_cast_ww::<100, 2, 336, 6>(self.a.val()))) << 3);
        self.inverted.next = (!self.b.val()).replace_bit(99, self.s.val().get_bit(8));
    }
}

/// States of [`Traffic`].
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Light {
    Red,
    Green,
    Yellow,
}

/// A state machine with a synchronous reset, counters and defaults.
#[block]
pub struct Traffic {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub hold: Signal<In, U<3>>,
    pub green: Signal<Out, Bit>,
    pub count: Signal<Out, U<3>>,
    pub other: Signal<Out, U<2>>,
    state: DFF<Light>,
    left: DFF<U<3>>,
}

impl Logic for Traffic {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, left);
        if self.left.q.val() == 0 {
            self.left.d.next = self.hold.val();
            match self.state.q.val() {
                Light::Red => self.state.d.next = Light::Green,
                Light::Green => {
                    self.state.d.next = Light::Yellow;
                }
                Light::Yellow => self.state.d.next = Light::Red,
            }
        } else if self.hold.val() == 7 {
            self.left.d.next = self.left.q.val();
        } else {
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.reset.val() {
            self.state.d.next = Light::Red;
            self.left.d.next = 0.into();
        }
        self.green.next = self.state.q.val() == Light::Green;
        self.count.next = self.left.q.val();
        match self.state.q.val() {
            Light::Yellow => self.other.next = 2.into(),
            _ => self.other.next = 1.into(),
        }
    }
}

/// One of the children of [`Lanes`].
#[block]
pub struct Lane {
    pub clock: Signal<In, Clock>,
    pub x: Signal<In, U<8>>,
    pub y: Signal<Out, U<8>>,
    pub spare: Signal<Out, Bit>,
    sum: DFF<U<8>>,
}

impl Logic for Lane {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sum);
        self.sum.d.next = self.sum.q.val() + self.x.val();
        self.y.next = self.sum.q.val();
        self.spare.next = self.sum.q.val() == 3;
    }
}

/// An array of children, a chain of locals and loop variables as values.
#[block]
pub struct Lanes {
    pub clock: Signal<In, Clock>,
    pub x: Signal<In, U<40>>,
    pub select: Signal<In, U<3>>,
    pub total: Signal<Out, U<8>>,
    pub chosen: Signal<Out, U<8>>,
    lane: [Lane; 5],
    chain: [Signal<Local, U<8>>; 6],
}

impl Logic for Lanes {
    #[hdl_gen]
    fn update(&mut self) {
        self.chain[0].next = 1.into();
        self.chosen.next = 0.into();
        for i in 0..5 {
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].x.next = self.x.val().get_bits::<8>(i * 8);
            self.chain[i + 1].next = self.chain[i].val() + self.lane[i].y.val();
            if self.select.val() == i.val() {
                self.chosen.next = self.lane[i].y.val();
            }
        }
        self.total.next = self.chain[5].val();
    }
}

/// Two-dimensional arrays of registers.
#[block]
pub struct Nested {
    pub clock: Signal<In, Clock>,
    pub x: Signal<In, U<4>>,
    pub q: Signal<Out, U<4>>,
    m: [[DFF<U<4>>; 3]; 2],
}

impl Logic for Nested {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            for j in 0..3 {
                self.m[i][j].clock.next = self.clock.val();
                self.m[i][j].d.next = self.m[1 - i][2 - j].q.val() + self.x.val();
            }
        }
        self.q.next = self.m[1][2].q.val() ^ self.m[0][1].q.val();
    }
}

/// Receiving end of a stream.
#[interface(StreamOut, "Sending end of a stream.")]
pub struct StreamIn<T: Synth> {
    pub data: Signal<In, T>,
    pub valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
}

/// One register with valid and ready.
#[block]
pub struct Stage {
    pub clock: Signal<In, Clock>,
    pub up: StreamIn<U<12>>,
    pub down: StreamOut<U<12>>,
    data: DFF<U<12>>,
    full: DFF<Bit>,
}

impl Logic for Stage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, data, full);
        self.up.ready.next = !self.full.q.val() | self.down.ready.val();
        if self.down.ready.val() {
            self.full.d.next = false;
        }
        if self.up.valid.val() & (!self.full.q.val() | self.down.ready.val()) {
            self.data.d.next = self.up.data.val();
            self.full.d.next = true;
        }
        self.down.data.next = self.data.q.val();
        self.down.valid.next = self.full.q.val();
    }
}

/// Two stages joined, with links to the outside.
#[block]
pub struct TwoStages {
    pub clock: Signal<In, Clock>,
    pub up: StreamIn<U<12>>,
    pub down: StreamOut<U<12>>,
    a: Stage,
    b: Stage,
}

impl Logic for TwoStages {
    #[hdl_gen]
    fn update(&mut self) {
        self.a.clock.next = self.clock.val();
        self.b.clock.next = self.clock.val();
        StreamIn::<U<12>>::link(&mut self.up, &mut self.a.up);
        StreamOut::<U<12>>::join(&mut self.a.down, &mut self.b.up);
        StreamOut::<U<12>>::link(&mut self.down, &mut self.b.down);
    }
}

/// Fields in one signal.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Pair {
    pub low: Bits<5>,
    pub high: Bits<11>,
    pub flag: Bit,
}

/// A signal of a struct type: fields written and read.
#[block]
pub struct Packed {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<5>>,
    pub b: Signal<In, Bits<11>>,
    pub sum: Signal<Out, Bits<11>>,
    pub flag: Signal<Out, Bit>,
    pair: Signal<Local, Pair>,
    held: DFF<Pair>,
}

impl Logic for Packed {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        self.pair.next.low = self.a.val();
        self.pair.next.high = self.b.val();
        self.pair.next.flag = self.a.val() == 3;
        self.held.d.next = self.pair.val();
        self.sum.next = self.held.q.val().high + bit_cast::<11, 5>(self.held.q.val().low);
        self.flag.next = self.held.q.val().flag;
    }
}

/// The same rules hold for RustHDL's own number type.
#[block]
pub struct WithBits {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<16>>,
    pub b: Signal<In, Bits<16>>,
    pub carry: Signal<Out, Bits<17>>,
    pub equal: Signal<Out, Bit>,
    pub part: Signal<Out, Bits<4>>,
}

impl Logic for WithBits {
    #[hdl_gen]
    fn update(&mut self) {
        self.carry.next = bit_cast::<17, 16>(self.a.val() + self.b.val());
        self.equal.next = self.a.val() + 1 == self.b.val();
        self.part.next = (self.a.val() - self.b.val()).get_bits::<4>(9);
    }
}

/// A block of RustHDL's own library below ours.
#[block]
pub struct WithFifo {
    pub clock: Signal<In, Clock>,
    pub write: Signal<In, Bit>,
    pub read: Signal<In, Bit>,
    pub data: Signal<In, Bits<8>>,
    pub out: Signal<Out, Bits<8>>,
    pub empty: Signal<Out, Bit>,
    pub full: Signal<Out, Bit>,
    fifo: SynchronousFIFO<Bits<8>, 3, 4, 1>,
}

impl Logic for WithFifo {
    #[hdl_gen]
    fn update(&mut self) {
        self.fifo.clock.next = self.clock.val();
        self.fifo.write.next = self.write.val() & !self.fifo.full.val();
        self.fifo.read.next = self.read.val() & !self.fifo.empty.val();
        self.fifo.data_in.next = self.data.val();
        self.out.next = self.fifo.data_out.val();
        self.empty.next = self.fifo.empty.val();
        self.full.next = self.fifo.full.val();
    }
}
