//! Rate and target of a flow, a loop of six clocks around their RAM; then the window.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 7 - 9 | `memory` | the flow's rates | UQ7.27 |
//! | (9) | `start` | its rate, or the one that the first notification sets | UQ7.27 |
//! | 10 - 13 | `share` | rate x alpha / 2 | UQ7.27 |
//! | 10 - 12 | `least` | the least that a cut leaves | UQ7.27 |
//! | 10, 11 | `sum`, `raised_target` | target plus step, at most the line rate | UQ8.27, UQ7.27 |
//! | 12 | `raised` | half the rate plus half the target | UQ7.27 |
//! | 13 | `floor`, `kept` | the least rate; the target, or the rate | UQ7.27 |
//! | 14 | `cut`, `floor_target` | rate less its share; the target not below the least rate | UQ7.27 |
//! | (14) | `updated` | the larger of each: written back and forwarded | UQ7.27 |
//! | 15 - 19 | `window_mul` | rate x time | UQ24.11 |

use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::dcqcn::{DcqcnRates, DcqcnScalars, DcqcnStep, HalvedRate, IncreaseStep, LongWindow};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Rates of 2^`A` flows.
#[block]
pub struct DcqcnRateBlock<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Registers.
    pub scalars: Signal<In, DcqcnScalars>,
    /// Clock 6: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 6: what the event does.
    pub step: Signal<In, DcqcnStep>,
    /// Clock 9: alpha after the event.
    pub alpha: Signal<In, U<21>>,
    /// Clock 19: an update is to be sent: the flow begins, or its rate moved.
    pub valid: Signal<Out, Bit>,
    /// Clock 19: window, UQ23.11 bytes; all ones where there is none.
    pub window: Signal<Out, U<34>>,
    /// Clock 19: rate.
    pub rate: Signal<Out, U<34>>,
    memory: ForwardRam<DcqcnRates, A>,
    flow_14: Delay<U<A>, 8>,
    step_9: Delay<DcqcnStep, 3>,
    step_10: DFF<DcqcnStep>,
    step_12: Delay<DcqcnStep, 2>,
    step_14: Delay<DcqcnStep, 2>,
    start: Signal<Local, U<34>>,
    add: Signal<Local, U<34>>,
    share: MulPipe<34, 21, 34, 21>,
    least: MulPipe<34, 8, 34, 8>,
    start_11: Delay<U<34>, 2>,
    start_12: DFF<U<34>>,
    start_13: DFF<U<34>>,
    start_14: DFF<U<34>>,
    sum: DFF<U<35>>,
    raised_target: DFF<U<34>>,
    halved_rate: Signal<Local, HalvedRate>,
    halved_target: Signal<Local, HalvedRate>,
    raised: DFF<U<34>>,
    raised_14: Delay<U<34>, 2>,
    raised_target_14: Delay<U<34>, 3>,
    target_12: Delay<U<34>, 3>,
    target_14: Delay<U<34>, 2>,
    floor: DFF<U<34>>,
    kept: DFF<U<34>>,
    floor_14: DFF<U<34>>,
    cut: DFF<U<34>>,
    floor_target: DFF<U<34>>,
    updated: Signal<Local, DcqcnRates>,
    before_15: Delay<U<34>, 6>,
    rate_15: DFF<U<34>>,
    step_15: DFF<DcqcnStep>,
    due_16: DFF<Bit>,
    due_19: Delay<Bit, 3>,
    rate_19: Delay<U<34>, 4>,
    window_mul: MulPipe<34, 34, 35, 33>,
    long: Signal<Local, LongWindow>,
}

#[kernel]
impl<const A: usize> Logic for DcqcnRateBlock<A> {
    fn update(&mut self) {
        self.memory.raddr.next = self.flow.val();
        self.flow_14.d.next = self.flow.val();
        self.step_9.d.next = self.step.val();
        self.step_10.d.next = self.step_9.q.val();
        self.step_12.d.next = self.step_10.q.val();
        self.step_14.d.next = self.step_12.q.val();

        // clock 9
        self.start.next = self.memory.rdata.val().current;
        if self.step_9.q.val().first {
            self.start.next = self.scalars.val().first_rate;
        }
        inputs!(share: a = start, b = alpha);
        inputs!(least: a = start, b = scalars.min_decrease);
        self.add.next = bits_u::<34>(0);
        if self.step_9.q.val().step == IncreaseStep::Additive {
            self.add.next = self.scalars.val().rate_ai;
        }
        if self.step_9.q.val().step == IncreaseStep::Hyper {
            self.add.next = self.scalars.val().rate_hai;
        }
        self.sum.d.next = bit_cast_u::<35, 34>(self.memory.rdata.val().target) + bit_cast_u::<35, 34>(self.add.val());
        self.target_12.d.next = self.memory.rdata.val().target;
        self.before_15.d.next = self.memory.rdata.val().current;
        self.start_11.d.next = self.start.val();

        // the increase
        self.raised_target.d.next = bit_cast_u::<34, 35>(self.sum.q.val());
        if self.sum.q.val() > bit_cast_u::<35, 34>(self.scalars.val().line_rate) {
            self.raised_target.d.next = self.scalars.val().line_rate;
        }
        self.halved_rate.next = bit_cast_word::<HalvedRate, U<34>>(self.start_11.q.val());
        self.halved_target.next = bit_cast_word::<HalvedRate, U<34>>(self.raised_target.q.val());
        self.raised.d.next =
            bit_cast_u::<34, 33>(self.halved_rate.val().half) + bit_cast_u::<34, 33>(self.halved_target.val().half);
        self.raised_14.d.next = self.raised.q.val();
        self.raised_target_14.d.next = self.raised_target.q.val();

        // the cut
        self.start_12.d.next = self.start_11.q.val();
        advance!(start_13, start_14);
        self.target_14.d.next = self.target_12.q.val();
        self.floor.d.next = self.scalars.val().min_rate;
        if self.least.p.val() > self.scalars.val().min_rate {
            self.floor.d.next = self.least.p.val();
        }
        self.kept.d.next = self.target_12.q.val();
        if self.step_12.q.val().lower {
            self.kept.d.next = self.start_12.q.val();
        }
        self.floor_14.d.next = self.floor.q.val();
        self.cut.d.next = self.start_13.q.val() - self.share.p.val();
        self.floor_target.d.next = self.kept.q.val();
        if self.floor.q.val() > self.kept.q.val() {
            self.floor_target.d.next = self.floor.q.val();
        }

        // clock 14
        fields!(updated: current = start_14, target = target_14.q);
        if self.step_14.q.val().increase {
            fields!(updated: current = raised_14.q, target = raised_target_14.q);
        }
        if self.step_14.q.val().cut {
            self.updated.next.current = self.cut.q.val();
            if self.floor_14.q.val() > self.cut.q.val() {
                self.updated.next.current = self.floor_14.q.val();
            }
            self.updated.next.target = self.floor_target.q.val();
            if self.cut.q.val() > self.floor_target.q.val() {
                self.updated.next.target = self.cut.q.val();
            }
        }
        if self.step_14.q.val().created {
            fields!(updated from scalars: current = line_rate, target = line_rate);
        }
        self.memory.we.next = self.step_14.q.val().live;
        inputs!(memory: waddr = flow_14.q, wdata = updated);

        // the window, and whether there is something to say
        assign!(rate_15.d = updated.current, step_15.d = step_14.q);
        self.due_16.d.next = self.step_15.q.val().live
            & (self.step_15.q.val().created | (self.rate_15.q.val() != self.before_15.q.val()));
        self.due_19.d.next = self.due_16.q.val();
        self.rate_19.d.next = self.rate_15.q.val();
        inputs!(window_mul: a = rate_15, b = scalars.window_time);
        self.valid.next = self.due_19.q.val();
        self.rate.next = self.rate_19.q.val();
        self.long.next = bit_cast_word::<LongWindow, U<35>>(self.window_mul.p.val());
        self.window.next = self.long.val().window;
        if !self.scalars.val().mode.window | self.long.val().over {
            self.window.next = !bits_u::<34>(0);
        }
    }
}
