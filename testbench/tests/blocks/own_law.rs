//! The book's example of a law of one's own in hardware: a delay target as Swift's, against its fixed-point law, as RustHDL and as Verilog.

// ANCHOR: hardware
use hpcc_rtl::cc::slot::{ConfigIn, LawSlot};
use hpcc_rtl::prim::lut_ram::LutRam;
use hpcc_rtl::prim::mul::MulPipe;
use hpcc_rtl::prim::reciprocal::Reciprocal;
use hpcc_rtl::prim::skid::{StreamIn, StreamOut};
use hpcc_rtl::prim::uint::{bit_cast_u, bits_u, U};
use hpcc_rtl::words::congestion::{LawCommand, LawUpdate};
use hpcc_rtl::words::sched::LawEvent;
use hpcc_rtl::{block, kernel, word};
use rust_hdl::prelude::*;

word! {
    /// What the law keeps of a flow.
    pub struct DelayFlow {
        /// Window, UQ23.11 bytes.
        window: U<34>,
        /// The round trip ends when a PSN after this is acknowledged.
        snap: U<24>,
        /// Generation of the flow.
        generation: U<8>,
        /// The flow exists.
        exists: Bit,
    }
}

/// A delay target for 2^`A` flows. One event or command at a time: operands stand still while the multipliers work, so nothing has to wait in step
/// with them. Taken in step 0, answered in step 28.
#[block]
pub struct DelaySlot<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high. Nothing is taken for 2^`A` clocks after it.
    pub reset: Signal<In, Bit>,
    /// Registers 0 to 4: target, ns; step and first window, UQ23.11; beta, UQ0.16; 1 / tau, UQ0.43.
    pub param: ConfigIn,
    /// Creation and removal of flows.
    pub command: StreamIn<LawCommand>,
    /// Events.
    pub event: StreamIn<LawEvent>,
    /// Updates.
    pub update: StreamOut<LawUpdate>,
    target: DFF<U<24>>,
    increase: DFF<U<34>>,
    w_init: DFF<U<34>>,
    beta: DFF<U<16>>,
    per_window: DFF<U<34>>,
    flows: LutRam<DelayFlow, A>,
    sweep: DFF<U<A>>,
    sweeping: DFF<Bit>,
    step: DFF<U<5>>,
    commanded: DFF<Bit>,
    order: DFF<LawCommand>,
    happened: DFF<LawEvent>,
    flow: Signal<Local, U<16>>,
    ahead: Signal<Local, U<24>>,
    elapsed: Signal<Local, U<48>>,
    rtt: DFF<U<24>>,
    excess: DFF<U<24>>,
    above: DFF<Bit>,
    inverse: Reciprocal,
    share: MulPipe<24, 18, 19, 23>,
    weighted: MulPipe<19, 16, 19, 16>,
    cut: Signal<Local, U<18>>,
    fall: MulPipe<34, 18, 52, 0>,
    moved: Signal<Local, U<35>>,
    window: DFF<U<34>>,
    kept: Signal<Local, DelayFlow>,
    rate: MulPipe<34, 34, 34, 27>,
}

#[kernel]
impl<const A: usize> Logic for DelaySlot<A> {
    fn update(&mut self) {
        if self.param.write.val() {
            if self.param.address.val() == 0 {
                self.target.d.next = bit_cast_u::<24, 48>(self.param.data.val());
            }
            if self.param.address.val() == 1 {
                self.increase.d.next = bit_cast_u::<34, 48>(self.param.data.val());
            }
            if self.param.address.val() == 2 {
                self.w_init.d.next = bit_cast_u::<34, 48>(self.param.data.val());
            }
            if self.param.address.val() == 3 {
                self.beta.d.next = bit_cast_u::<16, 48>(self.param.data.val());
            }
            if self.param.address.val() == 4 {
                self.per_window.d.next = bit_cast_u::<34, 48>(self.param.data.val());
            }
        }
        // step 0: a command before an event
        self.command.ready.next = (self.step.q.val() == 0) & !self.sweeping.q.val();
        self.event.ready.next = (self.step.q.val() == 0) & !self.sweeping.q.val() & !self.command.valid.val();
        if self.step.q.val() == 0 {
            self.commanded.d.next = self.command.valid.val();
            self.order.d.next = self.command.data.val();
            self.happened.d.next = self.event.data.val();
            if (self.command.valid.val() | self.event.valid.val()) & !self.sweeping.q.val() {
                self.step.d.next = bits_u::<5>(1);
            }
        } else {
            self.step.d.next = self.step.q.val() + 1;
        }
        // steps 1, 2: the flow, and its round trip of 1 to 2^24 - 1 ns
        self.flow.next = self.happened.q.val().flow;
        if self.commanded.q.val() {
            self.flow.next = self.order.q.val().flow;
        }
        self.flows.raddr.next = bit_cast_u::<A, 16>(self.flow.val());
        self.elapsed.next = self.happened.q.val().telemetry.now - self.happened.q.val().telemetry.sent_at;
        self.rtt.d.next = bit_cast_u::<24, 48>(self.elapsed.val());
        if self.elapsed.val() > 0xff_ffff {
            self.rtt.d.next = bits_u::<24>(0xff_ffff);
        }
        if self.happened.q.val().telemetry.now <= self.happened.q.val().telemetry.sent_at {
            self.rtt.d.next = bits_u::<24>(1);
        }
        // to step 23: excess / RTT, times beta at most a half, times the window; each product rests on the one before
        self.above.d.next = self.rtt.q.val() > self.target.q.val();
        self.excess.d.next = self.rtt.q.val() - self.target.q.val();
        self.inverse.n.next = self.rtt.q.val();
        self.share.a.next = self.excess.q.val() << self.inverse.shift.val();
        self.share.b.next = self.inverse.mantissa.val();
        self.weighted.a.next = self.share.p.val();
        self.weighted.b.next = self.beta.q.val();
        self.cut.next = bit_cast_u::<18, 19>(self.weighted.p.val());
        if self.weighted.p.val() > 0x2_0000 {
            self.cut.next = bits_u::<18>(0x2_0000);
        }
        self.fall.a.next = self.flows.rdata.val().window;
        self.fall.b.next = self.cut.val();
        // step 23: the new window, at least one byte, at most the first one
        self.moved.next =
            bit_cast_u::<35, 34>(self.flows.rdata.val().window) + bit_cast_u::<35, 34>(self.increase.q.val());
        if self.above.q.val() {
            self.moved.next = bit_cast_u::<35, 34>(self.flows.rdata.val().window)
                - bit_cast_u::<35, 52>((self.fall.p.val() + 0x2_0000) >> 18);
        }
        self.window.d.next = bit_cast_u::<34, 35>(self.moved.val());
        if self.moved.val() < 2048 {
            self.window.d.next = bits_u::<34>(2048);
        }
        if (self.moved.val() > bit_cast_u::<35, 34>(self.w_init.q.val())) | self.commanded.q.val() {
            self.window.d.next = self.w_init.q.val();
        }
        self.rate.a.next = self.window.q.val();
        self.rate.b.next = self.per_window.q.val();
        // step 3: who is not answered; step 28: the answer, and what the table keeps
        self.ahead.next = self.happened.q.val().psn_next - self.flows.rdata.val().snap;
        if (self.step.q.val() == 3)
            & !self.commanded.q.val()
            & (!self.flows.rdata.val().exists
                | (self.flows.rdata.val().generation != self.happened.q.val().generation)
                | (self.happened.q.val().telemetry.event_kind != 0)
                | !self.happened.q.val().telemetry.sent_valid
                | (self.ahead.val() == 0)
                | self.ahead.val().get_bit(23))
        {
            self.step.d.next = bits_u::<5>(0);
        }
        self.kept.next.window = self.window.q.val();
        self.kept.next.snap = self.happened.q.val().snd_nxt;
        self.kept.next.generation = self.happened.q.val().generation;
        self.kept.next.exists = !self.sweeping.q.val();
        if self.commanded.q.val() {
            self.kept.next.snap = bits_u::<24>(0);
            self.kept.next.generation = self.order.q.val().generation;
            self.kept.next.exists = self.order.q.val().create & !self.sweeping.q.val();
        }
        self.update.valid.next = (self.step.q.val() == 28) & (!self.commanded.q.val() | self.order.q.val().create);
        self.update.data.next.flow = self.flow.val();
        self.update.data.next.generation = self.kept.val().generation;
        self.update.data.next.window = self.window.q.val();
        self.update.data.next.rate = self.rate.p.val();
        self.update.data.next.signal = bit_cast_u::<51, 34>(self.window.q.val());
        self.flows.we.next = self.sweeping.q.val();
        self.flows.waddr.next = bit_cast_u::<A, 16>(self.flow.val());
        self.flows.wdata.next = self.kept.val();
        if self.step.q.val() == 28 {
            self.step.d.next = self.step.q.val();
            if self.update.ready.val() | !self.update.valid.val() {
                self.flows.we.next = true;
                self.step.d.next = bits_u::<5>(0);
            }
        }
        // after reset no flow exists
        if self.sweeping.q.val() {
            self.flows.waddr.next = self.sweep.q.val();
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.sweeping.d.next = !self.sweep.q.val().all();
        }
        if self.reset.val() {
            self.step.d.next = bits_u::<5>(0);
            self.sweep.d.next = 0.into();
            self.sweeping.d.next = true;
        }
    }
}

impl<const A: usize> LawSlot for DelaySlot<A> {
    const LAW: &'static str = "delay-target";
    const LATENCY: usize = 28;
}
// ANCHOR_END: hardware

#[path = "../../../models/tests/models/own_law.rs"]
mod law;

use hpcc_models::cc::{CongestionControl, EventKind};
use hpcc_models::fixed::FixedLaw;
use hpcc_rtl::cc::slot::RawUpdate;
use hpcc_rtl::cc::stimulus::EventSource;
use hpcc_testbench::drive::clocked::{Clocked, RustHdl};
use hpcc_testbench::drive::slot::SlotLaw;
use hpcc_testbench::verilated::{sources, Model};
use law::{DelayTarget, Fixed, Params};

type Slot = DelaySlot<6>;

/// Random lives of fifty flows with round trips around the target: every answer is the fixed-point law's.
fn agrees_with_fixed(device: impl Clocked, events: usize) {
    let mut law = DelayTarget::new(Fixed::new(Params {
        target_ns: 20_000,
        tau_ns: 10_000,
        w_init: 125_000.0,
        step: 1000.0,
        beta: 0.8,
    }));
    let mut slot = SlotLaw::new(device, &law.writes(), Slot::LATENCY);
    let mut source = EventSource::new(1, 50);
    let mut generation = [0u8; 50];
    let (mut rose, mut fell) = (0, 0);
    for flow in 0..50 {
        slot.create(flow, 0);
        law.create(flow, 0);
    }
    for _ in 0..events {
        let flow = source.stimulus().below(50) as usize;
        if source.stimulus().chance(0.003) {
            generation[flow] = generation[flow].wrapping_add(1);
            assert_eq!(
                slot.create(flow as u32, generation[flow]),
                law.create(flow as u32, generation[flow])
            );
        }
        if source.stimulus().chance(0.001) {
            slot.remove(flow as u32);
            law.remove(flow as u32);
        }
        let mut event = source.next(flow, generation[flow]);
        let s = source.stimulus();
        let rtt = match s.below(8) {
            0 => s.corner(48),
            1 => 20_000 + s.below(3) - 1,
            2 => s.below(1 << 24),
            _ => s.below(60_000),
        };
        event.sent_at = event.now.wrapping_sub(rtt) & 0xffff_ffff_ffff;
        event.sent_valid = s.chance(0.95);
        if s.chance(0.9) {
            event.kind = EventKind::Ack;
        }
        let before = law.answer(event.flow).map(|answer| answer.window);
        let expected = law.handle(&event).and_then(|_| law.answer(event.flow));
        let expected = expected.map(|answer| RawUpdate {
            flow: event.flow as u16,
            generation: event.generation,
            window: answer.window,
            rate: answer.rate,
            utilisation: answer.signal,
        });
        assert_eq!(slot.handle_raw(&event), expected, "{event:?}");
        rose += usize::from(expected.is_some_and(|now| Some(now.window) > before));
        fell += usize::from(expected.is_some_and(|now| Some(now.window) < before));
    }
    // a window moves once a round trip: most events are not answered
    assert!(rose > events / 50 && fell > events / 50, "{rose} {fell}");
}

#[test]
fn the_hardware_is_the_fixed_point_law_bit_for_bit() {
    agrees_with_fixed(RustHdl::new(Box::<Slot>::default()).expect("complete block"), 5_000);
}

#[test]
fn so_is_its_verilog() {
    let sources = sources("delay_slot", &mut Slot::default()).unwrap_or_else(|error| panic!("{error}"));
    agrees_with_fixed(Model::new(&sources).unwrap_or_else(|error| panic!("{error}")), 50_000);
}
