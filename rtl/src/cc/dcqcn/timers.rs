//! What an event does: timers, flags, stages and bytes of a flow, a loop of six clocks around their RAM.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | |
//! | 1 - 3 | `memory` | the flow's record |
//! | 4 | `*_4` | which times are reached, sums of times, bytes left, stages plus one |
//! | 5 | `*_5` | cut, step of alpha, increase; the record goes back |
//! | 6 | `step_6` | what the increase adds |
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
    /// Clock 6: what it does.
    pub step: Signal<Out, DcqcnStep>,
    /// Clock 5: generation of the flow.
    pub generation: Signal<Out, U<8>>,
    /// Clock 5, counter pulse: an event of a flow that does not exist or of an earlier generation.
    pub late: Signal<Out, Bit>,
    /// Clock 5: a record is written.
    pub write: Signal<Out, Bit>,
    /// Clock 5: its flow.
    pub write_flow: Signal<Out, U<A>>,
    /// Clock 5: that flow's timers run.
    pub write_started: Signal<Out, Bit>,
    memory: ForwardRam<DcqcnTimers, A>,
    entering_3: Delay<DcqcnEntry, 3>,
    flow_5: Delay<U<A>, 5>,
    // clock 3: differences
    #[signals(SerialDistance: past_alpha, past_cut, past_increase)]
    #[registers(Bit: known_4, alpha_due_4, cut_due_4, increase_due_4)]
    #[registers(U<20>: first_alpha_4, following_alpha_4, following_cut_4, first_increase_4, following_increase_4)]
    #[registers(U<5>: up_t_4, up_b_4)]
    entering_4: DFF<DcqcnEntry>,
    timers_4: DFF<DcqcnTimers>,
    left_4: DFF<BytesLeft>,
    // clock 4: decisions
    #[signals(Bit: is_event, is_command, marked, cnp, notified, first, tick, cut, alpha, by_time, counted, by_bytes)]
    #[signals(Bit: stages)]
    #[registers(Bit: write_5, late_5)]
    kind: Signal<Local, CcEventKind>,
    updated: Signal<Local, DcqcnTimers>,
    timers_5: DFF<DcqcnTimers>,
    step_5: DFF<DcqcnStep>,
    own_5: DFF<U<5>>,
    // clock 5: what the increase adds
    #[signals(Bit: below, above)]
    step_6: DFF<DcqcnStep>,
}

#[kernel]
impl<const A: usize> Logic for DcqcnTimerBlock<A> {
    fn update(&mut self) {
        memory.raddr = flow;
        flow_5 = flow;
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
        alpha = tick & alpha_due_4;
        by_time = tick & increase_due_4 & !cut;
        counted = is_event & (kind == CcEventKind::Ack) & timers_4.started & scalars.byte_reset.any() & !cut;
        by_bytes = counted & left_4.over;
        stages = timers_4.stage_t.any() | timers_4.stage_b.any();

        updated = timers_4;
        if notified {
            updated.cnp_cut = true;
            updated.cnp_alpha = timers_4.cnp_alpha | (cnp & timers_4.started);
        }
        if first {
            updated.started = true;
            fields!(updated: next_alpha = first_alpha_4, next_increase = first_increase_4, next_cut = following_cut_4);
        }
        if alpha {
            updated.cnp_alpha = false;
            updated.next_alpha = following_alpha_4;
        }
        if tick & cut_due_4 {
            // so that a serial comparison never takes an old time for a future one
            updated.next_cut = entering_4.now;
        }
        if counted {
            updated.bytes = left_4.left;
        }
        if by_bytes {
            fields!(updated: bytes = scalars.byte_reset, stage_b = up_b_4);
        }
        if by_time {
            fields!(updated: next_increase = following_increase_4, stage_t = up_t_4);
        }
        if cut {
            updated.cnp_cut = false;
            updated.stage_t = bits_u::<5>(0);
            updated.stage_b = bits_u::<5>(0);
            fields!(updated: bytes = scalars.byte_reset, next_increase = first_increase_4, next_cut = following_cut_4);
        }
        if is_command {
            updated = bits_zero::<DcqcnTimers>(0);
            fields!(updated:
                exists = entering_4.create, generation = entering_4.generation, bytes = scalars.byte_reset);
        }
        timers_5 = updated;
        write_5 = is_event | is_command;
        late_5 = entering_4.valid & !entering_4.command & !known_4 & !entering_4.walked;
        own_5 = if by_bytes { timers_4.stage_b } else { timers_4.stage_t };
        step_5.live = is_event | (is_command & entering_4.create);
        fields!(step_5.d: created = is_command, alpha, noted = timers_4.cnp_alpha);
        step_5.first = first & scalars.first_rate.any();
        step_5.cut = cut;
        step_5.lower = scalars.mode.clamp | stages;
        step_5.increase = by_time | by_bytes;
        step_5.step = IncreaseStep::Recovery;

        // clock 5: the record goes back; how the stages stand to the rounds of fast recovery
        inputs!(memory: we = write_5, waddr = flow_5.q, wdata = timers_5);
        write = write_5;
        write_flow = flow_5;
        assign! {
            write_started = timers_5.started, generation = timers_5.generation, late = late_5
        }
        if scalars.mode.qcn {
            below = (timers_5.stage_t < scalars.fast_recovery) & (timers_5.stage_b < scalars.fast_recovery);
            above = (timers_5.stage_t > scalars.fast_recovery) & (timers_5.stage_b > scalars.fast_recovery);
        } else {
            below = own_5 < scalars.fast_recovery;
            above = own_5 > scalars.fast_recovery;
        }
        step_6 = step_5;
        step_6.step = if below { IncreaseStep::Recovery } else { IncreaseStep::Additive };
        if above {
            step_6.step = IncreaseStep::Hyper;
        }
        step = step_6;
    }
}
