//! Words and kinds: what kernels may say, and that the Verilog means the same.

use hpcc_rtl::block;
use hpcc_rtl::emit::naming::named;
use hpcc_rtl::prim::delay::Delay;
use hpcc_rtl::prim::fifo::StreamFifo;
use hpcc_rtl::prim::lut_fifo::LutFifo;
use hpcc_rtl::prim::short_fifo::ShortFifo;
use hpcc_rtl::prim::skid::{StreamIn, StreamOut};
use hpcc_rtl::prim::table_ram::TableRam;
use hpcc_rtl::prim::uint::{bit_cast_u, bits_u, Limbs, U};
use hpcc_rtl::prim::wide::W;
use hpcc_rtl::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero, Many, Word};
use hpcc_rtl::sim::length;
use hpcc_testbench::verilated::lockstep::Lockstep;
use rust_hdl::prelude::*;

hpcc_rtl::kind! {
    /// What a packet is.
    pub enum Packet {
        /// Data.
        Data,
        /// Acknowledgement.
        Ack,
        /// Negative acknowledgement.
        Nak,
        /// Congestion notification.
        Notify,
    }
}

hpcc_rtl::word! {
    /// One hop of INT.
    pub struct Hop {
        /// Time stamp.
        ts: U<24>,
        /// Queue length.
        depth: U<17>,
    }
    /// Five hops.
    pub struct Stack {
        /// How many are valid.
        count: U<3>,
        /// The hops, the nearest first.
        hops: Many<Hop, 5>,
        /// Whole path.
        path: W<70, 2>,
    }
    /// A packet's description.
    pub struct Description {
        /// Sequence number.
        psn: U<24>,
        /// What it is.
        kind: Packet,
        /// It was sent before.
        again: Bit,
        /// Last hop.
        last: Hop,
        /// INT.
        tele: Stack,
    }
}

/// Whole words, fields, fields of fields, kinds, arrays, a struct in a stream and in a RAM.
#[block]
struct Kernel {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    pub up: StreamIn<Description>,
    pub down: StreamOut<Description>,
    x: Signal<In, Description>,
    bus: Signal<In, W<41, 1>>,
    select: Signal<In, U<2>>,
    index: Signal<In, U<5>>,
    y: Signal<Out, Description>,
    hop: Signal<Out, Hop>,
    kind: Signal<Out, Packet>,
    psn: Signal<Out, U<24>>,
    slice: Signal<Out, U<9>>,
    one: Signal<Out, Bit>,
    raw: Signal<Out, W<41, 1>>,
    number: Signal<Out, U<2>>,
    path: Signal<Out, Stack>,
    crowded: Signal<Out, Bit>,
    many: Signal<Out, Many<Hop, 5>>,
    fifo: StreamFifo<Description, 3, 4>,
    ram: TableRam<Hop, 3>,
    delay: Delay<Packet, 3>,
    r: DFF<Description>,
    state: DFF<Packet>,
    lane: [DFF<Hop>; 5],
    t: Signal<Local, Description>,
    sum: Signal<Local, U<17>>,
}

impl Logic for Kernel {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, fifo, ram, delay);
        dff_setup!(self, clock, r, state);
        self.fifo.reset.next = self.reset.val();
        StreamIn::<Description>::link(&mut self.up, &mut self.fifo.up);
        StreamOut::<Description>::link(&mut self.down, &mut self.fifo.down);
        self.crowded.next = self.fifo.crowded.val();
        // the whole word first, then fields
        self.t.next = self.x.val();
        if self.x.val().again {
            self.t.next.psn = self.x.val().psn + 1;
            self.t.next.last.ts = self.r.q.val().last.ts;
            self.t.next.tele.hops[2].ts = self.x.val().tele.hops[1].ts;
        } else {
            self.t.next.last = self.r.q.val().last;
            self.t.next.tele = self.r.q.val().tele;
        }
        match self.x.val().kind {
            Packet::Ack => self.t.next.kind = self.state.q.val(),
            Packet::Nak => {
                self.t.next.kind = Packet::Notify;
                self.t.next.tele.path = self.r.q.val().tele.path << 3;
            }
            _ => {
                if self.x.val().kind == self.r.q.val().kind {
                    self.t.next = bits_zero::<Description>(0);
                }
            }
        }
        self.r.d.next = self.t.val();
        self.r.d.next.tele.count = self.t.val().tele.count ^ self.x.val().tele.count;
        match self.state.q.val() {
            Packet::Data => self.state.d.next = Packet::Ack,
            Packet::Ack => self.state.d.next = self.x.val().kind,
            Packet::Nak => self.state.d.next = bit_cast_word::<Packet, U<2>>(self.select.val()),
            Packet::Notify => self.state.d.next = self.r.q.val().kind,
        }
        self.delay.d.next = self.state.q.val();
        // loops over an array of words and over an array of blocks
        self.sum.next = bits_u::<17>(0);
        if self.r.q.val().again {
            self.sum.next = self.r.q.val().tele.hops[0].depth + self.r.q.val().tele.hops[4].depth;
        }
        for i in 0..5 {
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].d.next = self.lane[i].q.val();
            (self.lane[i].d.next).ts = self.r.q.val().tele.hops[i].ts;
            if (self.lane[i].q.val()).depth.get_bit(3) {
                (self.lane[i].d.next).depth = (self.lane[i].q.val()).depth + self.x.val().tele.hops[i].depth;
            } else {
                (self.lane[i].d.next).depth = self.x.val().tele.hops[i].depth;
            }
        }
        self.many.next = self.x.val().tele.hops;
        self.many.next[3].ts = self.lane[3].q.val().ts;
        self.path.next = self.r.q.val().tele;
        self.path.next.hops[0].ts = self.x.val().psn;
        self.ram.we.next = self.x.val().again;
        self.ram.waddr.next = self.x.val().tele.count;
        self.ram.raddr.next = bit_cast_u::<3, 5>(self.index.val());
        self.ram.wdata.next = self.x.val().last;
        self.ram.wdata.next.depth = self.sum.val();
        // casts at the border
        self.hop.next = self.ram.rdata.val();
        if self.select.val() == 1 {
            self.hop.next = bit_cast_word::<Hop, W<41, 1>>(self.bus.val());
        }
        self.raw.next = bit_cast_bus::<41, 1, Hop>(self.r.q.val().last);
        self.number.next = bit_cast_number::<2, Packet>(self.delay.q.val());
        self.kind.next = self.delay.q.val();
        self.y.next = self.r.q.val();
        self.psn.next = self.r.q.val().psn;
        self.slice.next = bit_cast_u::<9, 8>(self.r.q.val().last.ts.get_bits::<8>(5));
        self.one.next = self.r.q.val().last.ts.get_bit(self.index.val().index());
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

#[test]
fn kernels_with_words_agree_with_their_verilog() {
    Lockstep::<Kernel, _>::random("word_kernel")
        .clocks(length(500_000))
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn fields_lie_where_the_limbs_have_them() {
    let fields: Vec<_> = Description::FIELDS
        .iter()
        .map(|field| (field.name, field.low, field.width))
        .collect();
    assert_eq!(
        fields,
        [
            ("psn", 0, 24),
            ("kind", 24, 2),
            ("again", 26, 1),
            ("last", 27, 41),
            ("tele", 68, 278)
        ]
    );
    let mut word = Description::default();
    word.tele.hops[4] = Hop {
        ts: U(0xabcdef),
        depth: U(0x1_2345),
    };
    word.kind = Packet::Nak;
    let mut limbs = [0; 6];
    word.to_limbs(&mut limbs);
    assert_eq!(Description::from_limbs(&limbs), word);
    assert_eq!(limbs[0], 2 << 24);
}

#[test]
fn the_sender_agrees_with_its_verilog() {
    Lockstep::<hpcc_rtl::sched::sender::Sender<4, 2>, _>::random("sender_words")
        .clocks(length(500_000))
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

fn agrees<B: hpcc_rtl::sim::Ports + Default + 'static>(top: &str) {
    Lockstep::<B, _>::random(top)
        .clocks(20_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

/// One Verilog module each, instantiated with several parameter sets.
#[test]
fn parametrised_modules_agree() {
    agrees::<StreamFifo<U<1>, 1, 2>>("fifo_1_1");
    agrees::<StreamFifo<U<16>, 3, 4>>("fifo_16_3");
    agrees::<StreamFifo<W<577, 10>, 4, 9>>("fifo_577_4");
    agrees::<LutFifo<U<1>, 1, 2>>("lut_fifo_1_1");
    agrees::<LutFifo<U<16>, 3, 4>>("lut_fifo_16_3");
    agrees::<LutFifo<W<577, 10>, 4, 9>>("lut_fifo_577_4");
    agrees::<StreamFifo<Description, 5, 32>>("fifo_word_5");
    agrees::<ShortFifo<U<1>, 1, 1>>("short_fifo_1_1");
    agrees::<ShortFifo<W<577, 10>, 4, 8>>("short_fifo_577_4");
    agrees::<ShortFifo<Description, 2, 3>>("short_fifo_word_2");
    agrees::<TableRam<U<1>, 1>>("table_1_1");
    agrees::<TableRam<W<140, 3>, 10>>("table_140_10");
    agrees::<TableRam<Description, 4>>("table_word_4");
    agrees::<Delay<Description, 7>>("delay_word_7");
}
