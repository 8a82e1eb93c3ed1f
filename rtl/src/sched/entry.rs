//! Entry: updates, commands, acknowledgements, feedback, work and the timers' turns, one operation a clock, a flow at most
//! every three clocks.
//!
//! Taken in clock -2, an operation leaves in clock 0: first a source is chosen while all are kept, then the one chosen makes the
//! operation. Which source goes first changes from clock to clock, so none can
//! starve another; a clock that nobody wants goes to the timers' walk over the flows. After reset every flow is cleared, one
//! a clock, before anything is taken.

use super::ports::{FeedbackIn, FlowCommandIn, WorkIn};
use crate::emit::naming::named_by_size;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bits_zero;
use crate::words::flows::FlowUpdate;
use crate::words::sched::{LawEvent, OpKind, Operation, Telemetry};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks between two operations of one flow.
pub const SAME_FLOW_INTERVAL: usize = 3;

/// Entry for at most 2^`A` flows; a timer looks at a flow every 2^`T` clocks.
#[block]
pub struct Entry<const A: usize, const T: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Rates and windows.
    pub update: StreamIn<FlowUpdate>,
    /// Creation, removal, caps.
    pub command: FlowCommandIn,
    /// Acknowledgements; `snd_nxt` is not used.
    pub event: StreamIn<LawEvent>,
    /// Feedback of the TX pipe.
    pub feedback: FeedbackIn,
    /// Work.
    pub work: WorkIn,
    /// Constant: the last flow number.
    pub last_flow: Signal<In, U<A>>,
    /// The timers rest.
    pub hold_timers: Signal<In, Bit>,
    /// Clock 0: an operation.
    pub valid: Signal<Out, Bit>,
    /// Clock 0: flow.
    pub flow: Signal<Out, U<A>>,
    /// Clock 0: operation.
    pub word: Signal<Out, Operation>,
    /// Clock 0: what an acknowledgement carries besides.
    pub telemetry: Signal<Out, Telemetry>,
    /// Clock 0, counter pulse: something for a flow number past the configured count was dropped.
    pub out_of_range: Signal<Out, Bit>,
    #[registers(U<3>: phase, command_mtu, command_priority, event_kind)]
    #[registers(Bit: sweeping, timer_due, sweeping_1, command_create, command_windowless, command_timerless)]
    #[registers(Bit: command_limit, feedback_advance, work_restart, valid_r, out_of_range_r)]
    #[registers(U<A>: sweep, timer_flow, sweep_1, flow_r)]
    #[signals(Bit: want_update, want_command, want_event, want_feedback, want_work, want_timer, in_range)]
    #[registers(U<8>: update_generation, command_generation, event_generation, feedback_generation, work_generation)]
    #[registers(U<34>: update_window, update_rate, command_rate)]
    #[registers(U<24>: command_psn, event_psn, feedback_psn, feedback_value, work_end, work_start)]
    #[registers(Telemetry: telemetry_1, telemetry_r)]
    #[signals(U<24>: psn, second)]
    #[signals(U<34>: window, rate)]
    recent_valid: [DFF<Bit>; 2],
    recent_flow: [DFF<U<16>>; 2],
    /// Clock -1: what was chosen, and what every source offered.
    select_1: DFF<U<3>>,
    timer_wait: DFF<U<T>>,
    select: Signal<Local, U<3>>,
    chosen: Signal<Local, U<16>>,
    command_group: DFF<U<4>>,
    kind: Signal<Local, OpKind>,
    generation: Signal<Local, U<8>>,
    word_r: DFF<Operation>,
}

#[kernel]
impl<const A: usize, const T: usize> Logic for Entry<A, T> {
    fn update(&mut self) {
        // who is there, and whose flow is not in the loop
        want_update = update.valid & !sweeping;
        want_command = command.valid & !sweeping;
        want_event = event.valid & !sweeping;
        want_feedback = feedback.valid & !sweeping;
        want_work = work.valid & !sweeping;
        want_timer = timer_due & !hold_timers & !sweeping;
        for i in 0..2 {
            if recent_valid[i] {
                if recent_flow[i] == update.data.val().flow {
                    want_update = false;
                }
                if recent_flow[i] == command.flow {
                    want_command = false;
                }
                if recent_flow[i] == event.data.val().flow {
                    want_event = false;
                }
                if recent_flow[i] == feedback.flow {
                    want_feedback = false;
                }
                if recent_flow[i] == work.flow {
                    want_work = false;
                }
                if recent_flow[i] == bit_cast_u::<16, A>(timer_flow) {
                    want_timer = false;
                }
            }
        }
        // 1 update, 2 command, 3 event, 4 feedback, 5 work, 6 timer, 0 nobody; the source of the phase goes first
        select = if want_timer { bits_u::<3>(6) } else { bits_u::<3>(0) };
        if want_work {
            select = bits_u::<3>(5);
        }
        if want_feedback {
            select = bits_u::<3>(4);
        }
        if want_event {
            select = bits_u::<3>(3);
        }
        if want_command {
            select = bits_u::<3>(2);
        }
        if want_update {
            select = bits_u::<3>(1);
        }
        if (phase == 2) & want_command {
            select = bits_u::<3>(2);
        }
        if (phase == 3) & want_event {
            select = bits_u::<3>(3);
        }
        if (phase == 4) & want_feedback {
            select = bits_u::<3>(4);
        }
        if (phase == 5) & want_work {
            select = bits_u::<3>(5);
        }
        if (phase == 6) & want_timer {
            select = bits_u::<3>(6);
        }
        phase = phase + 1;
        update.ready = select == 1;
        command.ready = select == 2;
        event.ready = select == 3;
        feedback.ready = select == 4;
        work.ready = select == 5;

        chosen = if select == 1 { update.data.val().flow } else { bit_cast_u::<16, A>(timer_flow) };
        if select == 2 {
            chosen = command.flow;
        }
        if select == 3 {
            chosen = event.data.val().flow;
        }
        if select == 4 {
            chosen = feedback.flow;
        }
        if select == 5 {
            chosen = work.flow;
        }
        assign!(select_1.d = select, sweeping_1.d = sweeping, sweep_1.d = sweep);
        update_generation = update.data.val().generation;
        update_window = update.data.val().window;
        update_rate = update.data.val().rate;
        assign! {
            command_create.d = command.create, command_generation.d = command.generation, command_psn.d = command.psn,
            command_mtu.d = command.mtu, command_priority.d = command.priority,
            command_windowless.d = command.windowless, command_timerless.d = command.timerless,
            command_limit.d = command.limit, command_rate.d = command.rate, command_group.d = command.group
        }
        event_kind = event.data.val().telemetry.event_kind;
        event_generation = event.data.val().generation;
        event_psn = event.data.val().psn_next;
        assign! {
            feedback_advance.d = feedback.advance, feedback_generation.d = feedback.generation,
            feedback_psn.d = feedback.psn, feedback_value.d = feedback.value, work_restart.d = work.restart,
            work_generation.d = work.generation, work_end.d = work.end, work_start.d = work.start
        }

        // the operation: a look of a timer unless one of the others was chosen
        kind = OpKind::Tick;
        assign!(generation = event_generation, psn = event_psn, second = feedback_value);
        clear!(window, rate);
        if select_1 == 1 {
            kind = OpKind::Update;
            assign! {
                generation = update_generation, window = update_window, rate = update_rate
            }
        }
        if select_1 == 2 {
            kind = OpKind::Remove;
            if command_limit {
                kind = OpKind::Limit;
                rate = command_rate;
                window = !bits_u::<34>(0);
            }
            if command_create {
                kind = OpKind::Create;
                clear!(rate, window);
            }
            assign!(generation = command_generation, psn = command_psn);
        }
        if select_1 == 3 {
            kind = if event_kind == 0 { OpKind::Ack } else { OpKind::Notify };
            if event_kind == 1 {
                kind = OpKind::Nak;
            }
        }
        if select_1 == 4 {
            kind = if feedback_advance { OpKind::Advance } else { OpKind::Adjust };
            assign!(generation = feedback_generation, psn = feedback_psn);
        }
        if select_1 == 5 {
            kind = if work_restart { OpKind::Restart } else { OpKind::Work };
            assign!(generation = work_generation, psn = work_end, second = work_start);
        }

        in_range = recent_flow[0] <= bit_cast_u::<16, A>(last_flow);
        valid_r = (select_1 != 0) & in_range;
        out_of_range_r = (select_1 != 0) & !in_range;
        flow_r = bit_cast_u::<A, 16>(recent_flow[0]);
        recent_valid[0] = select != 0;
        recent_flow[0] = chosen;
        recent_valid[1] = recent_valid[0];
        recent_flow[1] = recent_flow[0];
        // every look of the timer goes to the next flow
        timer_wait = timer_wait + 1;
        if timer_wait.all() {
            timer_due = true;
        }
        if select == 6 {
            timer_due = false;
            timer_flow = if timer_flow == last_flow { 0.into() } else { timer_flow + 1 };
        }
        if sweeping_1 {
            valid_r = true;
            kind = OpKind::Clear;
            flow_r = sweep_1;
        }
        if sweeping {
            sweep = sweep + 1;
            if sweep == last_flow {
                sweeping = false;
            }
        }
        word_r = bits_zero::<Operation>(0);
        fields!(word_r.d:
            kind, generation, psn, second, window, rate, mtu = command_mtu, pause_class = command_priority,
            windowless = command_windowless, timerless = command_timerless, group = command_group);
        telemetry_r = telemetry_1;
        telemetry_1 = event.data.val().telemetry;
        if reset {
            clear!(select_1, sweeping_1, valid_r, out_of_range_r);
            sweeping = true;
            clear!(sweep, timer_flow, timer_due, timer_wait, phase);
            recent_valid[0] = false;
        }
        assign! {
            valid = valid_r, flow = flow_r, word = word_r, telemetry = telemetry_r, out_of_range = out_of_range_r
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_by_size::<Self>(A > 9)
    }
}
