//! The scheduler: wiring, registers, and the row to the congestion control.

use super::engine::Engine;
use super::entry::Entry;
use super::expand::Expand;
use super::levels::Levels;
use super::members::Members;
use super::merge::Merge;
use super::park::{Park, ON_THE_WAY, PARKED};
use super::ports::{EndedOut, FeedbackIn, FlowCommandIn, SendOut, WorkIn};
use super::sender::Sender;
use crate::cc::slot::ConfigIn;
use crate::prim::counter::SaturatingCounter;
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::prim::xorshift::Xorshift;
use crate::words::flows::{FlowOfGeneration, FlowUpdate};
use crate::words::sched::{Grant, LawEvent, Telemetry, Visited};
use crate::words::visit::{ClockTicks, ClockUnits, LimitSettings, RandomQuarters};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Flow scheduler with `ENGINES` engines (3 to 7) of `FLOWS` flows each; flow numbers have `A` bits, indices within an
/// engine `I`; a timer looks at one flow every 2^`T` clocks; flows wait in `ROWS` rows, 1 being a ring.
///
/// Flow `n` belongs to engine `n mod ENGINES`. Eleven clocks lie between the edge that takes an acknowledgement and the
/// clock in which the congestion control is offered it.
#[block(
    check(ENGINES >= 3 && ENGINES <= 7, "engine numbers have three bits, the inverse seventeen"),
    check(ENGINES * FLOWS <= 1 << A && FLOWS <= 1 << I && A <= 13, "numbers fit their bits"),
    check(ENGINES * ON_THE_WAY < PARKED, "whatever is on its way can be parked"),
)]
pub struct Scheduler<
    const ENGINES: usize,
    const FLOWS: usize,
    const A: usize,
    const I: usize,
    const T: usize,
    const ROWS: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high. Nothing is taken for as many clocks as there are flows after it.
    pub reset: Signal<In, Bit>,
    /// Register write port, [`hpcc_models::sched::registers::address`].
    pub param: ConfigIn,
    /// A level is written, not within 32 clocks after reset.
    pub level_write: Signal<In, Bit>,
    /// Its group.
    pub level_group: Signal<In, U<4>>,
    /// Rate, UQ7.27 bytes per ns; all ones for none.
    pub level_rate: Signal<In, U<34>>,
    /// Register: limits written bound the window too.
    pub cap_window: Signal<In, Bit>,
    /// Register: to their rate times this, ns.
    pub cap_time: Signal<In, U<16>>,
    /// Register: flows that become active start after a random part of a packet time.
    pub cap_dither: Signal<In, Bit>,
    /// Group to look at.
    pub look: Signal<In, U<4>>,
    /// One clock later: its flows with work.
    pub active: Signal<Out, U<16>>,
    /// One clock later: bytes that it has sent on the wire.
    pub sent: Signal<Out, U<64>>,
    /// The NIC's clock, ns.
    pub now: Signal<In, U<48>>,
    /// Paused priorities.
    pub pause: Signal<In, U<8>>,
    /// Creation and removal of flows.
    pub command: FlowCommandIn,
    /// Work: the message queue holds packets up to `end`.
    pub work: WorkIn,
    /// What the TX pipe finds out about a granted packet.
    pub feedback: FeedbackIn,
    /// Acknowledgements from the RX pipe; `snd_nxt` and `bytes` are not used.
    pub event: StreamIn<LawEvent>,
    /// Acknowledgements and timeouts to the congestion control.
    pub cc: StreamOut<LawEvent>,
    /// Rates and windows of flows, from the congestion control.
    pub update: StreamIn<FlowUpdate>,
    /// PktSend: one packet may leave.
    pub send: SendOut,
    /// Flows that ended at their retry limit.
    pub ended: EndedOut,
    /// Events of a flow that does not exist or of an earlier generation.
    pub count_late: Signal<Out, U<32>>,
    /// Acknowledgements of what was never sent.
    pub count_beyond: Signal<Out, U<32>>,
    /// Events of a flow number past the configured count.
    pub count_out_of_range: Signal<Out, U<32>>,
    /// Retransmission timeouts.
    pub count_timeout: Signal<Out, U<32>>,
    /// Events that the congestion control missed because its queue was full.
    pub count_cc_dropped: Signal<Out, U<32>>,
    /// Largest flow number.
    #[init(Constant::new(U((ENGINES * FLOWS - 1) as u64)))]
    last_flow: Constant<U<A>>,
    /// Engines: flow `n` belongs to engine `n mod engines`.
    #[init(Constant::new(U(ENGINES as u64)))]
    engines: Constant<U<3>>,
    /// 2^18 over the number of engines, rounded up: the division by multiplication.
    #[init(Constant::new(U((1u64 << 18).div_ceil(ENGINES as u64))))]
    inverse: Constant<U<17>>,
    /// Register: bytes of a frame beside its payload, for pacing.
    overhead: DFF<U<10>>,
    /// Register: visit interval of the credit cap, ns.
    interval: DFF<U<12>>,
    /// Register: retransmission timeout, units of 1.024 us.
    timeout: DFF<U<16>>,
    /// Register: timeouts in a row after which a flow ends.
    retry_limit: DFF<U<4>>,
    /// The NIC's clock, ns.
    now_r: DFF<U<48>>,
    /// Orders what happens to flows into one operation a clock.
    entry: Entry<A, T>,
    /// The sender's state of every flow: what is sent, acknowledged, repeated.
    sender: Sender<A, I>,
    /// What the operation's engine last sent of the flow.
    visited: Signal<Local, Visited>,
    /// Engines: pacing and choice among their flows.
    engine: [Engine<A, I, ROWS>; ENGINES],
    /// The chain that collects the grants of all engines.
    merge: [Merge; ENGINES],
    /// Grants of paused priorities wait here.
    park: Park,
    /// Makes of a grant the packet that is sent.
    expand: Expand,
    /// Rate limits of the groups.
    levels: Levels,
    /// Which flows are in which group, and what each group has sent.
    members: Members<A>,
    /// Random bits, for the random part of a packet time at the start of a flow.
    random: Xorshift,
    /// Random bits in four parts of 16.
    quarters: Signal<Local, RandomQuarters>,
    /// Sixteen random bits that depend on all 64.
    folded: Signal<Local, U<16>>,
    /// The NIC's clock in the timers' unit, 1.024 us.
    clock_ns: Signal<Local, ClockUnits>,
    /// The NIC's clock in the pacing's unit.
    clock_ticks: Signal<Local, ClockTicks>,
    /// Registers: how limits bound flows.
    limits: DFF<LimitSettings>,
    /// What an acknowledgement carries, until its flow has been looked up.
    telemetry: Delay<Telemetry, 8>,
    /// Kind of event for the congestion control.
    reported_kind: Signal<Local, U<3>>,
    /// Bytes that the event acknowledges.
    acked_bytes: Signal<Local, U<32>>,
    /// Events for the congestion control.
    cc_fifo: StreamFifo<LawEvent, 6, 48>,
    /// Flows that ended.
    ended_fifo: StreamFifo<FlowOfGeneration, 4, 4>,
    /// Counts events of a flow that is gone.
    late: SaturatingCounter,
    /// Counts acknowledgements of what was never sent.
    beyond: SaturatingCounter,
    /// Counts flow numbers that do not exist.
    out_of_range: SaturatingCounter,
    /// Counts timeouts.
    timeouts: SaturatingCounter,
    /// Counts events that found no room in `cc_fifo`.
    cc_dropped: SaturatingCounter,
}

#[kernel]
impl<const ENGINES: usize, const FLOWS: usize, const A: usize, const I: usize, const T: usize, const ROWS: usize> Logic
    for Scheduler<ENGINES, FLOWS, A, I, T, ROWS>
{
    fn update(&mut self) {
        inputs!([
            entry, expand, levels, cc_fifo, ended_fifo, late, beyond, out_of_range, timeouts, cc_dropped
        ]: reset);
        if self.param.write.val() {
            if self.param.address.val() == 0 {
                self.overhead.d.next = bit_cast_u::<10, 48>(self.param.data.val());
            }
            if self.param.address.val() == 1 {
                self.interval.d.next = bit_cast_u::<12, 48>(self.param.data.val());
            }
            if self.param.address.val() == 2 {
                self.timeout.d.next = bit_cast_u::<16, 48>(self.param.data.val());
            }
            if self.param.address.val() == 3 {
                self.retry_limit.d.next = bit_cast_u::<4, 48>(self.param.data.val());
            }
        }
        self.now_r.d.next = self.now.val();
        fields!(limits.d: window = cap_window, dither = cap_dither, span = cap_time);
        // every engine's own mixture of all bits
        self.quarters.next = bit_cast_word::<RandomQuarters, U<64>>(self.random.word.val());
        self.folded.next = self.quarters.val().part_0
            ^ self.quarters.val().part_1
            ^ self.quarters.val().part_2
            ^ self.quarters.val().part_3;
        inputs!(levels:
            write = level_write, group = level_group, rate = level_rate, interval, cap_window = limits.window,
            cap_time = limits.span);
        inputs!(sender from limits: cap_window = window, cap_time = span);
        inputs!(members: reset, overhead);
        inputs!(members from sender: flow_next, notify, late, clear, sender, snd_nxt, worked, limited);
        self.members.group.next = self.sender.cap.val().group;
        inputs!(members from sender: adjusted, unused);
        self.members.leaves.next = self.expand.send.valid.val() & self.send.ready.val();
        self.members.leaving.next = bit_cast_u::<A, 16>(self.expand.send.flow.val());
        self.members.look.next = self.look.val();
        outputs!(members: active, sent);
        inputs!(park: pause, reset);

        StreamIn::<FlowUpdate>::link(&mut self.update, &mut self.entry.update);
        FlowCommandIn::link(&mut self.command, &mut self.entry.command);
        StreamIn::<LawEvent>::link(&mut self.event, &mut self.entry.event);
        FeedbackIn::link(&mut self.feedback, &mut self.entry.feedback);
        WorkIn::link(&mut self.work, &mut self.entry.work);
        inputs!(entry: last_flow, hold_timers = ended_fifo.crowded);

        inputs!(sender from entry: valid, flow, word);
        inputs!(sender: engines, inverse, overhead, interval, timeout, retry_limit);
        self.sender.held.next = self.park.held.val();
        self.clock_ns.next = bit_cast_word::<ClockUnits, U<48>>(self.now_r.q.val());
        self.clock_ticks.next = bit_cast_word::<ClockTicks, U<48>>(self.now_r.q.val());
        self.sender.timer_now.next = self.clock_ns.val().units;
        self.visited.next = self.engine[0].visited.val();
        for i in 1..ENGINES {
            if self.sender.engine_4.val() == i.val() {
                self.visited.next = self.engine[i].visited.val();
            }
        }
        self.sender.visited.next = self.visited.val();

        for i in 0..ENGINES {
            self.engine[i].reset.next = self.reset.val();
            self.engine[i].notify.next = self.sender.notify.val() & (self.sender.engine.val() == i.val());
            inputs!(engine[i] from sender: index = engine_index, flow = flow_8, sender, pacing, paced, cap, limited);
            inputs!(engine[i] from levels: level_write = written, level_group = written_group, level);
            inputs!(engine[i] from limits: dither);
            self.engine[i].random.next = self.random.word.val().get_bits::<16>(8 * i) ^ self.folded.val();
            inputs!(engine[i] from sender: wake, clear, asked = index);
            inputs!(engine[i]: tick = clock_ticks.ticks, pause = park.held, overhead, tag = expand.tag);
            self.merge[i].reset.next = self.reset.val();
            self.merge[i].own.valid.next = self.engine[i].grants.valid.val();
            self.merge[i].own.data.next = self.engine[i].grants.data.val();
            self.engine[i].grants.ready.next = self.merge[i].own.ready.val();
        }
        // the chain: engine 0 is nearest to the exit
        for i in 0..ENGINES {
            self.merge[i].chain.valid.next = false;
            self.merge[i].chain.data.next = bits_zero::<Grant>(0);
        }
        for i in 1..ENGINES {
            self.merge[i - 1].chain.valid.next = self.merge[i].down.valid.val();
            self.merge[i - 1].chain.data.next = self.merge[i].down.data.val();
            self.merge[i].down.ready.next = self.merge[i - 1].chain.ready.val();
        }
        self.park.up.valid.next = self.merge[0].down.valid.val();
        self.park.up.data.next = self.merge[0].down.data.val();
        self.merge[0].down.ready.next = self.park.up.ready.val();
        StreamOut::<Grant>::join(&mut self.park.down, &mut self.expand.up);
        SendOut::link(&mut self.send, &mut self.expand.send);

        // 8: what the acknowledgement carried meets its flow and snd_nxt
        self.telemetry.d.next = self.entry.telemetry.val();
        self.reported_kind.next = self.telemetry.q.val().event_kind;
        if self.sender.timed_out.val() {
            self.reported_kind.next = bits_u::<3>(3);
        }
        self.acked_bytes.next = (bit_cast_u::<32, 24>(self.sender.acked.val()) << 8) << self.sender.acked_mtu.val();
        self.cc_fifo.up.valid.next = self.sender.to_cc.val();
        self.cc_dropped.pulse.next = self.sender.to_cc.val() & !self.cc_fifo.up.ready.val();
        self.cc_fifo.up.data.next = bits_zero::<LawEvent>(0);
        self.cc_fifo.up.data.next.snd_nxt = self.sender.snd_nxt.val();
        self.cc_fifo.up.data.next.psn_next = self.sender.psn.val();
        self.cc_fifo.up.data.next.generation = self.sender.generation.val();
        self.cc_fifo.up.data.next.flow = bit_cast_u::<16, A>(self.sender.flow_8.val());
        self.cc_fifo.up.data.next.telemetry = self.telemetry.q.val();
        self.cc_fifo.up.data.next.telemetry.bytes = self.acked_bytes.val();
        self.cc_fifo.up.data.next.telemetry.int_valid = self.telemetry.q.val().int_valid & !self.sender.timed_out.val();
        self.cc_fifo.up.data.next.telemetry.event_kind = self.reported_kind.val();
        StreamOut::<LawEvent>::link(&mut self.cc, &mut self.cc_fifo.down);

        self.ended_fifo.up.valid.next = self.sender.ended.val();
        self.ended_fifo.up.data.next.flow = bit_cast_u::<16, A>(self.sender.flow_8.val());
        self.ended_fifo.up.data.next.generation = self.sender.generation.val();
        self.ended.valid.next = self.ended_fifo.down.valid.val();
        self.ended_fifo.down.ready.next = self.ended.ready.val();
        self.ended.flow.next = self.ended_fifo.down.data.val().flow;
        self.ended.generation.next = self.ended_fifo.down.data.val().generation;

        self.late.pulse.next = self.sender.late.val();
        self.beyond.pulse.next = self.sender.beyond.val();
        self.out_of_range.pulse.next = self.entry.out_of_range.val();
        self.timeouts.pulse.next = self.sender.timed_out.val();
        self.count_late.next = self.late.count.val();
        self.count_beyond.next = self.beyond.count.val();
        self.count_out_of_range.next = self.out_of_range.count.val();
        self.count_timeout.next = self.timeouts.count.val();
        self.count_cc_dropped.next = self.cc_dropped.count.val();
        if self.reset.val() {
            self.overhead.d.next = 124.into();
            self.interval.d.next = 512.into();
            self.timeout.d.next = 3906.into();
            self.retry_limit.d.next = 7.into();
        }
    }
}
