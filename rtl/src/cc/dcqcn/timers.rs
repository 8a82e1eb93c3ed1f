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
    past_alpha: Signal<Local, SerialDistance>,
    past_cut: Signal<Local, SerialDistance>,
    past_increase: Signal<Local, SerialDistance>,
    entering_4: DFF<DcqcnEntry>,
    timers_4: DFF<DcqcnTimers>,
    known_4: DFF<Bit>,
    alpha_due_4: DFF<Bit>,
    cut_due_4: DFF<Bit>,
    increase_due_4: DFF<Bit>,
    first_alpha_4: DFF<U<20>>,
    following_alpha_4: DFF<U<20>>,
    following_cut_4: DFF<U<20>>,
    first_increase_4: DFF<U<20>>,
    following_increase_4: DFF<U<20>>,
    left_4: DFF<BytesLeft>,
    up_t_4: DFF<U<5>>,
    up_b_4: DFF<U<5>>,
    // clock 4: decisions
    is_event: Signal<Local, Bit>,
    is_command: Signal<Local, Bit>,
    kind: Signal<Local, CcEventKind>,
    marked: Signal<Local, Bit>,
    cnp: Signal<Local, Bit>,
    notified: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    tick: Signal<Local, Bit>,
    cut: Signal<Local, Bit>,
    alpha: Signal<Local, Bit>,
    by_time: Signal<Local, Bit>,
    counted: Signal<Local, Bit>,
    by_bytes: Signal<Local, Bit>,
    stages: Signal<Local, Bit>,
    updated: Signal<Local, DcqcnTimers>,
    timers_5: DFF<DcqcnTimers>,
    step_5: DFF<DcqcnStep>,
    own_5: DFF<U<5>>,
    write_5: DFF<Bit>,
    late_5: DFF<Bit>,
    // clock 5: what the increase adds
    below: Signal<Local, Bit>,
    above: Signal<Local, Bit>,
    step_6: DFF<DcqcnStep>,
}

#[kernel]
impl<const A: usize> Logic for DcqcnTimerBlock<A> {
    fn update(&mut self) {
        self.memory.raddr.next = self.flow.val();
        self.flow_5.d.next = self.flow.val();
        self.entering_3.d.next = self.entering.val();

        // clock 3: all that the record and the registers alone decide
        self.past_alpha.next =
            bit_cast_word::<SerialDistance, U<20>>(self.entering_3.q.val().now - self.memory.rdata.val().next_alpha);
        self.past_cut.next =
            bit_cast_word::<SerialDistance, U<20>>(self.entering_3.q.val().now - self.memory.rdata.val().next_cut);
        self.past_increase.next =
            bit_cast_word::<SerialDistance, U<20>>(self.entering_3.q.val().now - self.memory.rdata.val().next_increase);
        self.left_4.d.next = bit_cast_word::<BytesLeft, U<27>>(
            bit_cast_u::<27, 26>(self.memory.rdata.val().bytes) - bit_cast_u::<27, 26>(self.entering_3.q.val().bytes),
        );
        assign!(entering_4.d = entering_3.q, timers_4.d = memory.rdata);
        self.known_4.d.next = self.memory.rdata.val().exists
            & (self.entering_3.q.val().walked
                | (self.memory.rdata.val().generation == self.entering_3.q.val().generation));
        self.alpha_due_4.d.next = !self.past_alpha.val().negative;
        self.cut_due_4.d.next = !self.past_cut.val().negative;
        self.increase_due_4.d.next = !self.past_increase.val().negative;
        self.first_alpha_4.d.next = self.entering_3.q.val().now + self.scalars.val().alpha_interval;
        self.following_alpha_4.d.next = self.memory.rdata.val().next_alpha + self.scalars.val().alpha_interval;
        self.following_cut_4.d.next = self.entering_3.q.val().now + self.scalars.val().cut_interval;
        self.first_increase_4.d.next = self.entering_3.q.val().now + self.scalars.val().increase_interval;
        self.following_increase_4.d.next = self.memory.rdata.val().next_increase + self.scalars.val().increase_interval;
        self.up_t_4.d.next = self.memory.rdata.val().stage_t;
        if !self.memory.rdata.val().stage_t.all() {
            self.up_t_4.d.next = self.memory.rdata.val().stage_t + 1;
        }
        self.up_b_4.d.next = self.memory.rdata.val().stage_b;
        if !self.memory.rdata.val().stage_b.all() {
            self.up_b_4.d.next = self.memory.rdata.val().stage_b + 1;
        }

        // clock 4: what happens
        self.is_event.next = self.entering_4.q.val().valid & !self.entering_4.q.val().command & self.known_4.q.val();
        self.is_command.next = self.entering_4.q.val().valid & self.entering_4.q.val().command;
        self.kind.next = self.entering_4.q.val().kind;
        self.marked.next = self.entering_4.q.val().ecn
            & self.scalars.val().mode.mark_on_ack
            & ((self.kind.val() == CcEventKind::Ack) | (self.kind.val() == CcEventKind::Nak));
        self.cnp.next = self.is_event.val() & ((self.kind.val() == CcEventKind::Cnp) | self.marked.val());
        self.notified.next = self.cnp.val()
            | (self.is_event.val()
                & (self.kind.val() == CcEventKind::Timeout)
                & self.scalars.val().mode.cut_on_timeout);
        self.first.next = self.notified.val() & !self.timers_4.q.val().started;
        self.tick.next = self.is_event.val() & (self.kind.val() == CcEventKind::Tick) & self.timers_4.q.val().started;
        self.cut.next = (self.first.val() & !self.scalars.val().mode.first_late)
            | (self.notified.val() & self.timers_4.q.val().started & self.cut_due_4.q.val())
            | (self.tick.val() & self.timers_4.q.val().cnp_cut & self.cut_due_4.q.val());
        self.alpha.next = self.tick.val() & self.alpha_due_4.q.val();
        self.by_time.next = self.tick.val() & self.increase_due_4.q.val() & !self.cut.val();
        self.counted.next = self.is_event.val()
            & (self.kind.val() == CcEventKind::Ack)
            & self.timers_4.q.val().started
            & self.scalars.val().byte_reset.any()
            & !self.cut.val();
        self.by_bytes.next = self.counted.val() & self.left_4.q.val().over;
        self.stages.next = self.timers_4.q.val().stage_t.any() | self.timers_4.q.val().stage_b.any();

        self.updated.next = self.timers_4.q.val();
        if self.notified.val() {
            self.updated.next.cnp_cut = true;
            self.updated.next.cnp_alpha =
                self.timers_4.q.val().cnp_alpha | (self.cnp.val() & self.timers_4.q.val().started);
        }
        if self.first.val() {
            self.updated.next.started = true;
            fields!(updated: next_alpha = first_alpha_4, next_increase = first_increase_4, next_cut = following_cut_4);
        }
        if self.alpha.val() {
            self.updated.next.cnp_alpha = false;
            self.updated.next.next_alpha = self.following_alpha_4.q.val();
        }
        if self.tick.val() & self.cut_due_4.q.val() {
            // so that a serial comparison never takes an old time for a future one
            self.updated.next.next_cut = self.entering_4.q.val().now;
        }
        if self.counted.val() {
            self.updated.next.bytes = self.left_4.q.val().left;
        }
        if self.by_bytes.val() {
            fields!(updated: bytes = scalars.byte_reset, stage_b = up_b_4);
        }
        if self.by_time.val() {
            fields!(updated: next_increase = following_increase_4, stage_t = up_t_4);
        }
        if self.cut.val() {
            self.updated.next.cnp_cut = false;
            self.updated.next.stage_t = bits_u::<5>(0);
            self.updated.next.stage_b = bits_u::<5>(0);
            fields!(updated: bytes = scalars.byte_reset, next_increase = first_increase_4, next_cut = following_cut_4);
        }
        if self.is_command.val() {
            self.updated.next = bits_zero::<DcqcnTimers>(0);
            fields!(updated:
                exists = entering_4.create, generation = entering_4.generation, bytes = scalars.byte_reset);
        }
        self.timers_5.d.next = self.updated.val();
        self.write_5.d.next = self.is_event.val() | self.is_command.val();
        self.late_5.d.next = self.entering_4.q.val().valid
            & !self.entering_4.q.val().command
            & !self.known_4.q.val()
            & !self.entering_4.q.val().walked;
        self.own_5.d.next = self.timers_4.q.val().stage_t;
        if self.by_bytes.val() {
            self.own_5.d.next = self.timers_4.q.val().stage_b;
        }
        self.step_5.d.next.live = self.is_event.val() | (self.is_command.val() & self.entering_4.q.val().create);
        fields!(step_5.d: created = is_command, alpha, noted = timers_4.cnp_alpha);
        self.step_5.d.next.first = self.first.val() & self.scalars.val().first_rate.any();
        self.step_5.d.next.cut = self.cut.val();
        self.step_5.d.next.lower = self.scalars.val().mode.clamp | self.stages.val();
        self.step_5.d.next.increase = self.by_time.val() | self.by_bytes.val();
        self.step_5.d.next.step = IncreaseStep::Recovery;

        // clock 5: the record goes back; how the stages stand to the rounds of fast recovery
        inputs!(memory: we = write_5, waddr = flow_5.q, wdata = timers_5);
        self.write.next = self.write_5.q.val();
        self.write_flow.next = self.flow_5.q.val();
        assign! {
            write_started = timers_5.started, generation = timers_5.generation, late = late_5
        }
        if self.scalars.val().mode.qcn {
            self.below.next = (self.timers_5.q.val().stage_t < self.scalars.val().fast_recovery)
                & (self.timers_5.q.val().stage_b < self.scalars.val().fast_recovery);
            self.above.next = (self.timers_5.q.val().stage_t > self.scalars.val().fast_recovery)
                & (self.timers_5.q.val().stage_b > self.scalars.val().fast_recovery);
        } else {
            self.below.next = self.own_5.q.val() < self.scalars.val().fast_recovery;
            self.above.next = self.own_5.q.val() > self.scalars.val().fast_recovery;
        }
        self.step_6.d.next = self.step_5.q.val();
        self.step_6.d.next.step = IncreaseStep::Additive;
        if self.below.val() {
            self.step_6.d.next.step = IncreaseStep::Recovery;
        }
        if self.above.val() {
            self.step_6.d.next.step = IncreaseStep::Hyper;
        }
        self.step.next = self.step_6.q.val();
    }
}
