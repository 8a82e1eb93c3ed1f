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
    phase: DFF<U<3>>,
    sweeping: DFF<Bit>,
    sweep: DFF<U<A>>,
    timer_flow: DFF<U<A>>,
    timer_wait: DFF<U<T>>,
    timer_due: DFF<Bit>,
    recent_valid: [DFF<Bit>; 2],
    recent_flow: [DFF<U<16>>; 2],
    want_update: Signal<Local, Bit>,
    want_command: Signal<Local, Bit>,
    want_event: Signal<Local, Bit>,
    want_feedback: Signal<Local, Bit>,
    want_work: Signal<Local, Bit>,
    want_timer: Signal<Local, Bit>,
    select: Signal<Local, U<3>>,
    chosen: Signal<Local, U<16>>,
    /// Clock -1: what was chosen, and what every source offered.
    select_1: DFF<U<3>>,
    sweeping_1: DFF<Bit>,
    sweep_1: DFF<U<A>>,
    update_generation: DFF<U<8>>,
    update_window: DFF<U<34>>,
    update_rate: DFF<U<34>>,
    command_create: DFF<Bit>,
    command_generation: DFF<U<8>>,
    command_psn: DFF<U<24>>,
    command_mtu: DFF<U<3>>,
    command_priority: DFF<U<3>>,
    command_windowless: DFF<Bit>,
    command_timerless: DFF<Bit>,
    command_limit: DFF<Bit>,
    command_rate: DFF<U<34>>,
    command_group: DFF<U<4>>,
    event_kind: DFF<U<3>>,
    event_generation: DFF<U<8>>,
    event_psn: DFF<U<24>>,
    feedback_advance: DFF<Bit>,
    feedback_generation: DFF<U<8>>,
    feedback_psn: DFF<U<24>>,
    feedback_value: DFF<U<24>>,
    work_restart: DFF<Bit>,
    work_generation: DFF<U<8>>,
    work_end: DFF<U<24>>,
    work_start: DFF<U<24>>,
    telemetry_1: DFF<Telemetry>,
    kind: Signal<Local, OpKind>,
    generation: Signal<Local, U<8>>,
    psn: Signal<Local, U<24>>,
    second: Signal<Local, U<24>>,
    window: Signal<Local, U<34>>,
    rate: Signal<Local, U<34>>,
    in_range: Signal<Local, Bit>,
    valid_r: DFF<Bit>,
    flow_r: DFF<U<A>>,
    word_r: DFF<Operation>,
    telemetry_r: DFF<Telemetry>,
    out_of_range_r: DFF<Bit>,
}

#[kernel]
impl<const A: usize, const T: usize> Logic for Entry<A, T> {
    fn update(&mut self) {
        // who is there, and whose flow is not in the loop
        self.want_update.next = self.update.valid.val() & !self.sweeping.q.val();
        self.want_command.next = self.command.valid.val() & !self.sweeping.q.val();
        self.want_event.next = self.event.valid.val() & !self.sweeping.q.val();
        self.want_feedback.next = self.feedback.valid.val() & !self.sweeping.q.val();
        self.want_work.next = self.work.valid.val() & !self.sweeping.q.val();
        self.want_timer.next = self.timer_due.q.val() & !self.hold_timers.val() & !self.sweeping.q.val();
        for i in 0..2 {
            if self.recent_valid[i].q.val() {
                if self.recent_flow[i].q.val() == self.update.data.val().flow {
                    self.want_update.next = false;
                }
                if self.recent_flow[i].q.val() == self.command.flow.val() {
                    self.want_command.next = false;
                }
                if self.recent_flow[i].q.val() == self.event.data.val().flow {
                    self.want_event.next = false;
                }
                if self.recent_flow[i].q.val() == self.feedback.flow.val() {
                    self.want_feedback.next = false;
                }
                if self.recent_flow[i].q.val() == self.work.flow.val() {
                    self.want_work.next = false;
                }
                if self.recent_flow[i].q.val() == bit_cast_u::<16, A>(self.timer_flow.q.val()) {
                    self.want_timer.next = false;
                }
            }
        }
        // 1 update, 2 command, 3 event, 4 feedback, 5 work, 6 timer, 0 nobody; the source of the phase goes first
        self.select.next = bits_u::<3>(0);
        if self.want_timer.val() {
            self.select.next = bits_u::<3>(6);
        }
        if self.want_work.val() {
            self.select.next = bits_u::<3>(5);
        }
        if self.want_feedback.val() {
            self.select.next = bits_u::<3>(4);
        }
        if self.want_event.val() {
            self.select.next = bits_u::<3>(3);
        }
        if self.want_command.val() {
            self.select.next = bits_u::<3>(2);
        }
        if self.want_update.val() {
            self.select.next = bits_u::<3>(1);
        }
        if (self.phase.q.val() == 2) & self.want_command.val() {
            self.select.next = bits_u::<3>(2);
        }
        if (self.phase.q.val() == 3) & self.want_event.val() {
            self.select.next = bits_u::<3>(3);
        }
        if (self.phase.q.val() == 4) & self.want_feedback.val() {
            self.select.next = bits_u::<3>(4);
        }
        if (self.phase.q.val() == 5) & self.want_work.val() {
            self.select.next = bits_u::<3>(5);
        }
        if (self.phase.q.val() == 6) & self.want_timer.val() {
            self.select.next = bits_u::<3>(6);
        }
        self.phase.d.next = self.phase.q.val() + 1;
        self.update.ready.next = self.select.val() == 1;
        self.command.ready.next = self.select.val() == 2;
        self.event.ready.next = self.select.val() == 3;
        self.feedback.ready.next = self.select.val() == 4;
        self.work.ready.next = self.select.val() == 5;

        self.chosen.next = bit_cast_u::<16, A>(self.timer_flow.q.val());
        if self.select.val() == 1 {
            self.chosen.next = self.update.data.val().flow;
        }
        if self.select.val() == 2 {
            self.chosen.next = self.command.flow.val();
        }
        if self.select.val() == 3 {
            self.chosen.next = self.event.data.val().flow;
        }
        if self.select.val() == 4 {
            self.chosen.next = self.feedback.flow.val();
        }
        if self.select.val() == 5 {
            self.chosen.next = self.work.flow.val();
        }
        assign!(select_1.d = select, sweeping_1.d = sweeping, sweep_1.d = sweep);
        self.update_generation.d.next = self.update.data.val().generation;
        self.update_window.d.next = self.update.data.val().window;
        self.update_rate.d.next = self.update.data.val().rate;
        assign! {
            command_create.d = command.create, command_generation.d = command.generation, command_psn.d = command.psn,
            command_mtu.d = command.mtu, command_priority.d = command.priority,
            command_windowless.d = command.windowless, command_timerless.d = command.timerless,
            command_limit.d = command.limit, command_rate.d = command.rate, command_group.d = command.group
        }
        self.event_kind.d.next = self.event.data.val().telemetry.event_kind;
        self.event_generation.d.next = self.event.data.val().generation;
        self.event_psn.d.next = self.event.data.val().psn_next;
        assign! {
            feedback_advance.d = feedback.advance, feedback_generation.d = feedback.generation,
            feedback_psn.d = feedback.psn, feedback_value.d = feedback.value, work_restart.d = work.restart,
            work_generation.d = work.generation, work_end.d = work.end, work_start.d = work.start
        }

        // the operation: a look of a timer unless one of the others was chosen
        self.kind.next = OpKind::Tick;
        assign!(generation = event_generation, psn = event_psn, second = feedback_value);
        clear!(window, rate);
        if self.select_1.q.val() == 1 {
            self.kind.next = OpKind::Update;
            assign! {
                generation = update_generation, window = update_window, rate = update_rate
            }
        }
        if self.select_1.q.val() == 2 {
            self.kind.next = OpKind::Remove;
            if self.command_limit.q.val() {
                self.kind.next = OpKind::Limit;
                self.rate.next = self.command_rate.q.val();
                self.window.next = !bits_u::<34>(0);
            }
            if self.command_create.q.val() {
                self.kind.next = OpKind::Create;
                clear!(rate, window);
            }
            assign!(generation = command_generation, psn = command_psn);
        }
        if self.select_1.q.val() == 3 {
            self.kind.next = OpKind::Notify;
            if self.event_kind.q.val() == 0 {
                self.kind.next = OpKind::Ack;
            }
            if self.event_kind.q.val() == 1 {
                self.kind.next = OpKind::Nak;
            }
        }
        if self.select_1.q.val() == 4 {
            self.kind.next = OpKind::Adjust;
            if self.feedback_advance.q.val() {
                self.kind.next = OpKind::Advance;
            }
            assign!(generation = feedback_generation, psn = feedback_psn);
        }
        if self.select_1.q.val() == 5 {
            self.kind.next = OpKind::Work;
            if self.work_restart.q.val() {
                self.kind.next = OpKind::Restart;
            }
            assign!(generation = work_generation, psn = work_end, second = work_start);
        }

        self.in_range.next = self.recent_flow[0].q.val() <= bit_cast_u::<16, A>(self.last_flow.val());
        self.valid_r.d.next = (self.select_1.q.val() != 0) & self.in_range.val();
        self.out_of_range_r.d.next = (self.select_1.q.val() != 0) & !self.in_range.val();
        self.flow_r.d.next = bit_cast_u::<A, 16>(self.recent_flow[0].q.val());
        self.recent_valid[0].d.next = self.select.val() != 0;
        self.recent_flow[0].d.next = self.chosen.val();
        self.recent_valid[1].d.next = self.recent_valid[0].q.val();
        self.recent_flow[1].d.next = self.recent_flow[0].q.val();
        // every look of the timer goes to the next flow
        self.timer_wait.d.next = self.timer_wait.q.val() + 1;
        if self.timer_wait.q.val().all() {
            self.timer_due.d.next = true;
        }
        if self.select.val() == 6 {
            self.timer_due.d.next = false;
            self.timer_flow.d.next = self.timer_flow.q.val() + 1;
            if self.timer_flow.q.val() == self.last_flow.val() {
                self.timer_flow.d.next = 0.into();
            }
        }
        if self.sweeping_1.q.val() {
            self.valid_r.d.next = true;
            self.kind.next = OpKind::Clear;
            self.flow_r.d.next = self.sweep_1.q.val();
        }
        if self.sweeping.q.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
            if self.sweep.q.val() == self.last_flow.val() {
                self.sweeping.d.next = false;
            }
        }
        self.word_r.d.next = bits_zero::<Operation>(0);
        fields!(word_r.d:
            kind, generation, psn, second, window, rate, mtu = command_mtu, pause_class = command_priority,
            windowless = command_windowless, timerless = command_timerless, group = command_group);
        self.telemetry_r.d.next = self.telemetry_1.q.val();
        self.telemetry_1.d.next = self.event.data.val().telemetry;
        if self.reset.val() {
            clear!(select_1, sweeping_1, valid_r, out_of_range_r);
            self.sweeping.d.next = true;
            clear!(sweep, timer_flow, timer_due, timer_wait, phase);
            self.recent_valid[0].d.next = false;
        }
        assign! {
            valid = valid_r, flow = flow_r, word = word_r, telemetry = telemetry_r, out_of_range = out_of_range_r
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_by_size::<Self>(A > 9)
    }
}
