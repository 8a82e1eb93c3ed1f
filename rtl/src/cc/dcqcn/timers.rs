//! What an event does: timers, flags, stages and bytes of a flow, a loop of six clocks around their RAM.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | |
//! | 1 - 3 | `memory` | the flow's record |
//! | 4 | `*_4` | which times are reached, sums of times, bytes left, stages plus one |
//! | 5 | `*_5` | cut, step of alpha, increase |
//! | 6 | `*_6` | the record, which goes back |
//! | 7 | `step_7` | what the increase adds |
//!
//! No event does more than one cut or one increase: a cut reloads timer and bytes, so an increase that would follow is not due.

use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::congestion::CcEventKind;
use crate::words::dcqcn::{BytesLeft, DcqcnEntry, DcqcnScalars, DcqcnStep, DcqcnTimers, IncreaseStep, SerialDistance};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Timers of 2^`A` flows.
#[block]
pub struct DcqcnTimerBlock<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Registers.
    pub scalars: Signal<In, DcqcnScalars>,
    /// Clock 0: what enters.
    pub entering: Signal<In, DcqcnEntry>,
    /// Clock 0: its flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 7: what it does.
    pub step: Signal<Out, DcqcnStep>,
    /// Clock 6: generation of the flow.
    pub generation: Signal<Out, U<8>>,
    /// Clock 6, counter pulse: an event of a flow that does not exist or of an earlier generation.
    pub late: Signal<Out, Bit>,
    /// Clock 6: a record is written.
    pub write: Signal<Out, Bit>,
    /// Clock 6: its flow.
    pub write_flow: Signal<Out, U<A>>,
    /// Clock 6: that flow's timers run.
    pub write_started: Signal<Out, Bit>,
    memory: ForwardRam<DcqcnTimers, A>,
    entering_3: Delay<DcqcnEntry, 3>,
    flow_6: Delay<U<A>, 6>,
    // clock 3: differences
    #[signals(SerialDistance: past_alpha, past_cut, past_increase)]
    #[registers(Bit:
        /// Clock 4: the flow exists, and the event is of its generation or a tick.
        known_4,
        /// Clock 4: the time of the next step of alpha is reached.
        alpha_due_4,
        /// Clock 4: the time from which a cut is allowed is reached.
        cut_due_4,
        /// Clock 4: the time of the next increase is reached.
        increase_due_4)]
    #[registers(U<20>:
        /// Time of the next step of alpha after a notification, units of 1.024 us, in the clock of the name.
        first_alpha_4,
        /// Time of the next step of alpha after the one that is due, in the clock of the name.
        following_alpha_4,
        /// Time from which the next cut is allowed, in the clock of the name.
        following_cut_4,
        /// Time of the next increase after a cut, in the clock of the name.
        first_increase_4,
        /// Time of the next increase after the one that is due, in the clock of the name.
        following_increase_4)]
    #[registers(U<5>:
        /// Increases by time since the last cut, with one more, saturated, in the clock of the name.
        up_t_4,
        /// Increases by bytes since the last cut, with one more, saturated, in the clock of the name.
        up_b_4)]
    #[registers(DcqcnEntry:
        /// What entered, in the clock of the name.
        entering_4, entering_5)]
    #[registers(DcqcnTimers:
        /// Timers of the flow as they were, in the clock of the name.
        timers_4, timers_5,
        /// Clock 6: timers of the flow after the event, written back.
        timers_6)]
    /// Clock 4: bytes left to the next increase by bytes, less those acknowledged.
    left_4: DFF<BytesLeft>,
    // clock 4: decisions
    #[signals(Bit: is_event, is_command, marked, cnp, notified, first, tick, cut, by_time, counted, by_bytes)]
    #[signals(Bit: stages)]
    #[registers(Bit:
        /// Clock 5: creation or removal.
        command_5,
        /// Clock 5: congestion notification.
        notified_5,
        /// Clock 5: a notification has come since the last step of alpha.
        noted_5,
        /// Clock 5: first notification of the flow.
        first_5,
        /// Clock 5: alpha takes a step.
        alpha_5,
        /// Clock 5: an increase is due by time or by bytes.
        passed_5,
        /// Clock 5: bytes are counted.
        counted_5,
        /// Clock 5: an increase by bytes.
        by_bytes_5,
        /// Clock 5: an increase by time.
        by_time_5,
        /// Clock 5: the rate is cut.
        cut_5)]
    #[registers(U<20>:
        /// Time of the next step of alpha after a notification, units of 1.024 us, in the clock of the name.
        first_alpha_5,
        /// Time of the next step of alpha after the one that is due, in the clock of the name.
        following_alpha_5,
        /// Time from which the next cut is allowed, in the clock of the name.
        following_cut_5,
        /// Time of the next increase after a cut, in the clock of the name.
        first_increase_5,
        /// Time of the next increase after the one that is due, in the clock of the name.
        following_increase_5)]
    #[registers(U<5>:
        /// Increases by time since the last cut, with one more, saturated, in the clock of the name.
        up_t_5,
        /// Increases by bytes since the last cut, with one more, saturated, in the clock of the name.
        up_b_5,
        /// Clock 6: stages of the increase.
        own_6)]
    #[registers(U<26>:
        /// Clock 5: bytes left to the next increase by bytes.
        left_5)]
    #[registers(Bit:
        /// The flow's timers are written, in the clock of the name.
        write_5, write_6,
        /// Counter pulse: an event of a flow that does not exist or of an earlier generation, in the clock of the name.
        late_5, late_6)]
    kind: Signal<Local, CcEventKind>,
    #[registers(DcqcnStep:
        /// What the event does to alpha and rates, in the clock of the name.
        step_5, step_6, step_7)]
    #[signals(Bit: below, above)]
    // clock 5: the record
    updated: Signal<Local, DcqcnTimers>,
}

#[kernel]
impl<const A: usize> Logic for DcqcnTimerBlock<A> {
    fn update(&mut self) {
        memory.raddr = flow;
        flow_6 = flow;
        entering_3 = entering;

        // clock 3: all that the record and the registers alone decide
        past_alpha = bit_cast_word::<SerialDistance, U<20>>(entering_3.now - memory.rdata.val().next_alpha);
        past_cut = bit_cast_word::<SerialDistance, U<20>>(entering_3.now - memory.rdata.val().next_cut);
        past_increase = bit_cast_word::<SerialDistance, U<20>>(entering_3.now - memory.rdata.val().next_increase);
        left_4 = bit_cast_word::<BytesLeft, U<27>>(
            bit_cast_u::<27, 26>(memory.rdata.val().bytes) - bit_cast_u::<27, 26>(entering_3.bytes),
        );
        assign!(entering_4.d = entering_3.q, timers_4.d = memory.rdata);
        known_4 =
            memory.rdata.val().exists & (entering_3.walked | (memory.rdata.val().generation == entering_3.generation));
        alpha_due_4 = !past_alpha.negative;
        cut_due_4 = !past_cut.negative;
        increase_due_4 = !past_increase.negative;
        first_alpha_4 = entering_3.now + scalars.alpha_interval;
        following_alpha_4 = memory.rdata.val().next_alpha + scalars.alpha_interval;
        following_cut_4 = entering_3.now + scalars.cut_interval;
        first_increase_4 = entering_3.now + scalars.increase_interval;
        following_increase_4 = memory.rdata.val().next_increase + scalars.increase_interval;
        up_t_4 = memory.rdata.val().stage_t;
        if !memory.rdata.val().stage_t.all() {
            up_t_4 = memory.rdata.val().stage_t + 1;
        }
        up_b_4 = memory.rdata.val().stage_b;
        if !memory.rdata.val().stage_b.all() {
            up_b_4 = memory.rdata.val().stage_b + 1;
        }

        // clock 4: what happens
        is_event = entering_4.valid & !entering_4.command & known_4;
        is_command = entering_4.valid & entering_4.command;
        kind = entering_4.kind;
        marked = entering_4.ecn & scalars.mode.mark_on_ack & ((kind == CcEventKind::Ack) | (kind == CcEventKind::Nak));
        cnp = is_event & ((kind == CcEventKind::Cnp) | marked);
        notified = cnp | (is_event & (kind == CcEventKind::Timeout) & scalars.mode.cut_on_timeout);
        first = notified & !timers_4.started;
        tick = is_event & (kind == CcEventKind::Tick) & timers_4.started;
        cut = (first & !scalars.mode.first_late)
            | (notified & timers_4.started & cut_due_4)
            | (tick & timers_4.cnp_cut & cut_due_4);
        by_time = tick & increase_due_4 & !cut;
        counted = is_event & (kind == CcEventKind::Ack) & timers_4.started & scalars.byte_reset.any() & !cut;
        by_bytes = counted & left_4.over;
        stages = timers_4.stage_t.any() | timers_4.stage_b.any();

        command_5 = is_command;
        notified_5 = notified;
        noted_5 = cnp & timers_4.started;
        first_5 = first;
        alpha_5 = tick & alpha_due_4;
        passed_5 = tick & cut_due_4;
        assign!(
            counted_5.d = counted,
            by_bytes_5.d = by_bytes,
            by_time_5.d = by_time,
            cut_5.d = cut
        );
        advance!(
            entering_5,
            timers_5,
            first_alpha_5,
            following_alpha_5,
            following_cut_5,
            first_increase_5,
            following_increase_5,
            up_t_5,
            up_b_5
        );
        left_5 = left_4.left;
        write_5 = is_event | is_command;
        late_5 = entering_4.valid & !entering_4.command & !known_4 & !entering_4.walked;
        step_5.live = is_event | (is_command & entering_4.create);
        fields!(step_5.d: created = is_command, noted = timers_4.cnp_alpha);
        step_5.alpha = tick & alpha_due_4;
        step_5.first = first & scalars.first_rate.any();
        step_5.cut = cut;
        step_5.lower = scalars.mode.clamp | stages;
        step_5.increase = by_time | by_bytes;
        step_5.step = IncreaseStep::Recovery;

        // clock 5: what becomes of the record
        updated = timers_5;
        if notified_5 {
            updated.cnp_cut = true;
            updated.cnp_alpha = timers_5.cnp_alpha | noted_5;
        }
        if first_5 {
            updated.started = true;
            fields!(updated: next_alpha = first_alpha_5, next_increase = first_increase_5, next_cut = following_cut_5);
        }
        if alpha_5 {
            updated.cnp_alpha = false;
            updated.next_alpha = following_alpha_5;
        }
        if passed_5 {
            // so that a serial comparison never takes an old time for a future one
            updated.next_cut = entering_5.now;
        }
        if counted_5 {
            updated.bytes = left_5;
        }
        if by_bytes_5 {
            fields!(updated: bytes = scalars.byte_reset, stage_b = up_b_5);
        }
        if by_time_5 {
            fields!(updated: next_increase = following_increase_5, stage_t = up_t_5);
        }
        if cut_5 {
            updated.cnp_cut = false;
            updated.stage_t = bits_u::<5>(0);
            updated.stage_b = bits_u::<5>(0);
            fields!(updated: bytes = scalars.byte_reset, next_increase = first_increase_5, next_cut = following_cut_5);
        }
        if command_5 {
            updated = bits_zero::<DcqcnTimers>(0);
            fields!(updated:
                exists = entering_5.create, generation = entering_5.generation, bytes = scalars.byte_reset);
        }
        timers_6 = updated;
        advance!(write_6, late_6, step_6);
        own_6 = if by_bytes_5 { timers_5.stage_b } else { timers_5.stage_t };

        // clock 6: the record goes back; how the stages stand to the rounds of fast recovery
        inputs!(memory: we = write_6, waddr = flow_6.q, wdata = timers_6);
        write = write_6;
        write_flow = flow_6;
        assign! {
            write_started = timers_6.started, generation = timers_6.generation, late = late_6
        }
        if scalars.mode.qcn {
            below = (timers_6.stage_t < scalars.fast_recovery) & (timers_6.stage_b < scalars.fast_recovery);
            above = (timers_6.stage_t > scalars.fast_recovery) & (timers_6.stage_b > scalars.fast_recovery);
        } else {
            below = own_6 < scalars.fast_recovery;
            above = own_6 > scalars.fast_recovery;
        }
        step_7 = step_6;
        step_7.step = if below { IncreaseStep::Recovery } else { IncreaseStep::Additive };
        if above {
            step_7.step = IncreaseStep::Hyper;
        }
        step = step_7;
    }
}
