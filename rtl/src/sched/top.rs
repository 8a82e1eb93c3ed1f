//! The scheduler: wiring, registers, and the row to the congestion control.

use super::carried::Carried;
use super::engine::Engine;
use super::entry::Entry;
use super::expand::Expand;
use super::levels::Levels;
use super::members::Members;
use super::merge::Merge;
use super::park::{Park, ON_THE_WAY, PARKED};
use super::ports::{EndedOut, FeedbackIn, FlowCommandIn, SendOut, WorkIn};
use super::refund::Refund;
use super::sender::Sender;
use crate::cc::slot::ConfigIn;
use crate::prim::counter::SaturatingCounter;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::prim::xorshift::Xorshift;
use crate::words::flows::{EndedFlow, FlowUpdate};
use crate::words::sched::{Grant, LawEvent, Telemetry, Visited};
use crate::words::visit::{ClockTicks, ClockUnits, LimitSettings, RandomQuarters};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Flow scheduler with `ENGINES` engines (3 to 7) of `FLOWS` flows each; flow numbers have `A` bits, indices within an
/// engine `I`; a timer looks at one flow every 2^`T` clocks; flows wait in `ROWS` rows, 1 being a ring.
///
/// Flow `n` belongs to engine `n mod ENGINES`. Thirteen clocks lie between the edge that takes an acknowledgement and the
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
    /// Synchronous, high. Nothing is taken for three clocks more than there are flows after it.
    pub reset: Signal<In, Bit>,
    /// Register write port, [`hpcc_models::sched::registers::address`].
    pub param: ConfigIn,
    /// A level is written, not within 32 clocks after reset.
    pub level_write: Signal<In, Bit>,
    /// Group whose level is written.
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
    /// Register: waits for a receiver that is not ready, without progress between them, after which a flow ends; 7: never.
    pub rnr_retry: Signal<In, U<3>>,
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
    /// Bytes that packets used less than full ones.
    refund: Refund<A, I>,
    /// What the operation's engine last sent of the flow.
    visited: Signal<Local, Visited>,
    /// Engines: pacing and choice among their flows.
    engine: [Engine<A, I, ROWS>; ENGINES],
    /// The engine takes notice of the operation.
    notified: [DFF<Bit>; ENGINES],
    /// And clears its flow.
    cleared: [DFF<Bit>; ENGINES],
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
    /// What acknowledgements carry, until their flows have been looked up.
    carried: Carried,
    /// What the acknowledgement carried whose flow has been looked up.
    telemetry: Signal<Local, Telemetry>,
    /// Kind of event for the congestion control.
    reported_kind: Signal<Local, U<3>>,
    /// Bytes that the event acknowledges.
    acked_bytes: Signal<Local, U<32>>,
    /// Events for the congestion control.
    cc_fifo: StreamFifo<LawEvent, 6, 48>,
    /// Flows that ended.
    ended_fifo: StreamFifo<EndedFlow, 4, 4>,
    /// Clocks until all operations that were under way at the last reset have left the sender.
    settle: DFF<U<4>>,
    /// They have.
    settled: Signal<Local, Bit>,
    /// An operation's event goes to the congestion control.
    reports: Signal<Local, Bit>,
    // what is counted, a clock before
    #[registers(Bit:
        /// An event of a flow that does not exist, or of an earlier generation, is counted.
        counts_late,
        /// An acknowledgement of what was never sent is counted.
        counts_beyond,
        /// A flow number past the configured count is counted.
        counts_out_of_range,
        /// A timeout is counted.
        counts_timeout,
        /// An event found no room in `cc_fifo` and is counted.
        cc_lost)]
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
            entry, carried, refund, expand, levels, cc_fifo, ended_fifo, late, beyond, out_of_range, timeouts, cc_dropped
        ]: reset);
        if param.write {
            if param.address == 0 {
                overhead = bit_cast_u::<10, 48>(param.data);
            }
            if param.address == 1 {
                interval = bit_cast_u::<12, 48>(param.data);
            }
            if param.address == 2 {
                timeout = bit_cast_u::<16, 48>(param.data);
            }
            if param.address == 3 {
                retry_limit = bit_cast_u::<4, 48>(param.data);
            }
        }
        now_r = now;
        fields!(limits.d: window = cap_window, dither = cap_dither, span = cap_time);
        // every engine's own mixture of all bits
        quarters = bit_cast_word::<RandomQuarters, U<64>>(random.word);
        folded = quarters.part_0 ^ quarters.part_1 ^ quarters.part_2 ^ quarters.part_3;
        inputs!(levels:
            write = level_write, group = level_group, rate = level_rate, interval, cap_window = limits.window,
            cap_time = limits.span);
        inputs!(sender from limits: cap_window = window, cap_time = span);
        inputs!(members: reset, overhead);
        inputs!(members from sender: flow_next, notify, late, clear, sender = known, snd_nxt, worked, limited);
        members.group = sender.cap.val().group;
        inputs!(members from refund: corrected_flow = flow_3, corrected = changed, refund = added);
        members.leaves = expand.send.valid & send.ready;
        members.leaving = bit_cast_u::<A, 16>(expand.send.flow);
        members.look = look;
        outputs!(members: active, sent);
        inputs!(park: pause, reset);

        StreamIn::<FlowUpdate>::link(&mut update, &mut entry.update);
        FlowCommandIn::link(&mut command, &mut entry.command);
        StreamIn::<LawEvent>::link(&mut event, &mut entry.event);
        FeedbackIn::link(&mut feedback, &mut entry.feedback);
        WorkIn::link(&mut work, &mut entry.work);
        inputs!(entry: last_flow, hold_timers = ended_fifo.crowded);
        refund.valid = feedback.valid & entry.feedback.ready & !feedback.advance;
        inputs!(refund from feedback: flow, generation);
        refund.bytes = bit_cast_u::<20, 24>(feedback.value);
        inputs!(refund: last_flow, engines, inverse);
        inputs!(refund from sender: written = notify, written_flow = flow_9, sender, clear);

        inputs!(sender from entry: valid, flow, word);
        inputs!(sender: engines, inverse, overhead, interval, timeout, retry_limit, rnr_retry);
        sender.held = park.held;
        clock_ns = bit_cast_word::<ClockUnits, U<48>>(now_r);
        clock_ticks = bit_cast_word::<ClockTicks, U<48>>(now_r);
        sender.timer_now = clock_ns.whole;
        visited = engine[0].visited;
        for i in 1..ENGINES {
            if sender.engine_4 == i.val() {
                visited = engine[i].visited;
            }
        }
        sender.visited = visited;

        for i in 0..ENGINES {
            engine[i].reset = reset;
            // known a clock before: who takes notice enables the writes of many memories
            notified[i] = sender.notify_next & (sender.engine_next == i.val());
            cleared[i] = sender.clear_next & (sender.engine_next == i.val());
            engine[i].notify = notified[i];
            engine[i].clear = cleared[i];
            inputs!(engine[i] from sender: index = engine_index, flow = flow_9, sender, pacing, paced, cap, limited);
            engine[i].adjusted = refund.changed & (refund.engine == i.val());
            inputs!(engine[i] from refund: adjusted_index = index, adjust = sum);
            inputs!(engine[i] from levels: level_write = written, level_group = written_group, level);
            inputs!(engine[i] from limits: dither);
            engine[i].random = random.word.get_bits::<16>(8 * i) ^ folded;
            inputs!(engine[i] from sender: wake, asked = index);
            inputs!(engine[i]: tick = clock_ticks.ticks, pause = park.held, overhead, tag = expand.tag);
            merge[i].reset = reset;
            merge[i].own.valid = engine[i].grants.valid;
            merge[i].own.data = engine[i].grants.data;
            engine[i].grants.ready = merge[i].own.ready;
        }
        // the chain: engine 0 is nearest to the exit
        for i in 0..ENGINES {
            merge[i].chain.valid = false;
            merge[i].chain.data = bits_zero::<Grant>(0);
        }
        for i in 1..ENGINES {
            merge[i - 1].chain.valid = merge[i].down.valid;
            merge[i - 1].chain.data = merge[i].down.data;
            merge[i].down.ready = merge[i - 1].chain.ready;
        }
        park.up.valid = merge[0].down.valid;
        park.up.data = merge[0].down.data;
        park.up_priority = merge[0].down_priority;
        merge[0].down.ready = park.up.ready;
        StreamOut::<Grant>::join(&mut park.down, &mut expand.up);
        SendOut::link(&mut send, &mut expand.send);

        // operations that were under way at reset end without a trace: the first one after the sweep is far behind them
        settled = !settle.any();
        if settle.any() {
            settle = settle - 1;
        }

        // 9: what the acknowledgement carried meets its flow and snd_nxt
        carried.offered = event.valid;
        carried.accepted = event.valid & entry.event.ready;
        carried.telemetry = event.data.val().telemetry;
        carried.taken = entry.event_taken;
        telemetry = carried.carried;
        reported_kind = if sender.timed_out { bits_u::<3>(3) } else { telemetry.event_kind };
        acked_bytes = (bit_cast_u::<32, 24>(sender.acked) << 8) << sender.acked_mtu;
        reports = sender.to_cc & settled;
        cc_fifo.up.valid = reports;
        cc_lost = reports & !cc_fifo.up.ready;
        cc_dropped.pulse = cc_lost;
        cc_fifo.up.data = bits_zero::<LawEvent>(0);
        cc_fifo.up.data.next.snd_nxt = sender.snd_nxt;
        cc_fifo.up.data.next.psn_next = sender.psn;
        cc_fifo.up.data.next.generation = sender.generation;
        cc_fifo.up.data.next.flow = bit_cast_u::<16, A>(sender.flow_9);
        cc_fifo.up.data.next.telemetry = telemetry;
        cc_fifo.up.data.next.telemetry.bytes = acked_bytes;
        cc_fifo.up.data.next.telemetry.int_valid = telemetry.int_valid & !sender.timed_out;
        cc_fifo.up.data.next.telemetry.event_kind = reported_kind;
        StreamOut::<LawEvent>::link(&mut cc, &mut cc_fifo.down);

        ended_fifo.up.valid = sender.ended & settled;
        ended_fifo.up.data.next.flow = bit_cast_u::<16, A>(sender.flow_9);
        ended_fifo.up.data.next.generation = sender.generation;
        ended_fifo.up.data.next.not_ready = sender.tired;
        ended.valid = ended_fifo.down.valid;
        ended_fifo.down.ready = ended.ready;
        ended.flow = ended_fifo.down.data.val().flow;
        ended.generation = ended_fifo.down.data.val().generation;
        ended.not_ready = ended_fifo.down.data.val().not_ready;

        // two in one clock, of an operation and of bytes, count once; what happened lies far from what counts it
        counts_late = (sender.late & settled) | refund.late;
        counts_beyond = sender.beyond & settled;
        counts_out_of_range = entry.out_of_range | refund.out_of_range;
        counts_timeout = sender.timed_out & settled;
        late.pulse = counts_late;
        beyond.pulse = counts_beyond;
        out_of_range.pulse = counts_out_of_range;
        timeouts.pulse = counts_timeout;
        count_late = late.count;
        count_beyond = beyond.count;
        count_out_of_range = out_of_range.count;
        count_timeout = timeouts.count;
        count_cc_dropped = cc_dropped.count;
        reset!(cc_lost, counts_late, counts_beyond, counts_out_of_range, counts_timeout);
        if reset {
            // nine clocks lie between the entry's output and the sender's
            settle = bits_u::<4>(10);
            overhead = 124.into();
            interval = 512.into();
            timeout = 3906.into();
            retry_limit = 7.into();
        }
    }
}
