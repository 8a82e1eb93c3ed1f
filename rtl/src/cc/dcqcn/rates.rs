//! Rate and target of a flow, a loop of six clocks around their RAM; then the window.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 8 - 10 | `memory` | the flow's rates | UQ7.27 |
//! | (10) | `start` | its rate, or the one that the first notification sets | UQ7.27 |
//! | 11 - 14 | `share` | rate x alpha / 2 | UQ7.27 |
//! | 11 - 13 | `least` | the least that a cut leaves | UQ7.27 |
//! | 11, 12 | `sum`, `raised_target` | target plus step, at most the line rate | UQ8.27, UQ7.27 |
//! | 13 | `raised` | half the rate plus half the target | UQ7.27 |
//! | 14 | `floor`, `kept` | the least rate; the target, or the rate | UQ7.27 |
//! | 15 | `cut`, `floor_target`, `over_*` | rate less its share; the target not below the least rate; is the cut rate above either | UQ7.27 |
//! | (15) | `updated` | the larger of each: written back and forwarded | UQ7.27 |
//! | 16 - 20 | `window_mul` | rate x time | UQ24.11 |

use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::dcqcn::{DcqcnRates, DcqcnScalars, DcqcnStep, HalvedRate, IncreaseStep, LongWindow, RateSide};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Rates of 2^`A` flows.
#[block]
pub struct DcqcnRateBlock<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Registers.
    pub scalars: Signal<In, DcqcnScalars>,
    /// Clock 7: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 7: what the event does.
    pub step: Signal<In, DcqcnStep>,
    /// Clock 10: alpha after the event.
    pub alpha: Signal<In, U<21>>,
    /// Clock 20: an update is to be sent: the flow begins, or its rate moved.
    pub valid: Signal<Out, Bit>,
    /// Clock 20: window, UQ23.11 bytes; all ones where there is none.
    pub window: Signal<Out, U<34>>,
    /// Clock 20: rate.
    pub rate: Signal<Out, U<34>>,
    #[registers(DcqcnStep:
        /// What the event does, in the clock of the name.
        step_11, step_16)]
    #[signals(U<34>: start, add)]
    #[registers(U<34>:
        /// Rate before the event, or the one that the first notification sets, in the clock of the name.
        start_13, start_14, start_15,
        /// Clock 12: target with the step of the increase, at most the line rate, UQ7.27.
        raised_target,
        /// Clock 13: half the rate and half the target, UQ7.27.
        raised,
        /// Least rate that a cut leaves, UQ7.27, in clocks 14 and 15.
        floor,
        /// Clock 14: target that a cut leaves: the rate before, or the target.
        kept,
        /// Least rate that a cut leaves, UQ7.27, in clocks 14 and 15.
        floor_15,
        /// Clock 15: rate less its share of alpha / 2, UQ7.27.
        cut,
        /// Clock 15: target, not below the least rate, UQ7.27.
        floor_target)]
    #[registers(U<34>:
        /// Clock 16: rate after the event, UQ7.27.
        rate_16)]
    #[signals(HalvedRate: halved_rate, halved_target)]
    #[signals(RateSide: floor_side, kept_side)]
    #[registers(Bit:
        /// Clock 15: the cut rate is above the least rate.
        over_floor,
        /// Clock 15: the target is above the least rate.
        over_kept)]
    memory: ForwardRam<DcqcnRates, A>,
    flow_15: Delay<U<A>, 8>,
    step_10: Delay<DcqcnStep, 3>,
    step_13: Delay<DcqcnStep, 2>,
    step_15: Delay<DcqcnStep, 2>,
    share: MulPipe<34, 21, 34, 21>,
    least: MulPipe<34, 8, 34, 8>,
    start_12: Delay<U<34>, 2>,
    raised_15: Delay<U<34>, 2>,
    raised_target_15: Delay<U<34>, 3>,
    target_13: Delay<U<34>, 3>,
    target_15: Delay<U<34>, 2>,
    before_16: Delay<U<34>, 6>,
    due_20: Delay<Bit, 3>,
    rate_20: Delay<U<34>, 4>,
    window_mul: MulPipe<34, 34, 35, 33>,
    /// Clock 11: target with the step of the increase, UQ8.27.
    sum: DFF<U<35>>,
    updated: Signal<Local, DcqcnRates>,
    /// Clock 17: an update is to be sent.
    due_17: DFF<Bit>,
    long: Signal<Local, LongWindow>,
}

#[kernel]
impl<const A: usize> Logic for DcqcnRateBlock<A> {
    fn update(&mut self) {
        memory.raddr = flow;
        flow_15 = flow;
        step_10 = step;
        step_11 = step_10;
        step_13 = step_11;
        step_15 = step_13;

        // clock 10
        start = if step_10.first { scalars.first_rate } else { memory.rdata.val().current };
        inputs!(share: a = start, b = alpha);
        inputs!(least: a = start, b = scalars.min_decrease);
        add = if step_10.step == IncreaseStep::Additive { scalars.rate_ai } else { bits_u::<34>(0) };
        if step_10.step == IncreaseStep::Hyper {
            add = scalars.rate_hai;
        }
        sum = bit_cast_u::<35, 34>(memory.rdata.val().target) + bit_cast_u::<35, 34>(add);
        target_13 = memory.rdata.val().target;
        before_16 = memory.rdata.val().current;
        start_12 = start;

        // the increase
        raised_target = bit_cast_u::<34, 35>(sum);
        if sum > bit_cast_u::<35, 34>(scalars.line_rate) {
            raised_target = scalars.line_rate;
        }
        halved_rate = bit_cast_word::<HalvedRate, U<34>>(start_12);
        halved_target = bit_cast_word::<HalvedRate, U<34>>(raised_target);
        raised = bit_cast_u::<34, 33>(halved_rate.half) + bit_cast_u::<34, 33>(halved_target.half);
        raised_15 = raised;
        raised_target_15 = raised_target;

        // the cut
        start_13 = start_12;
        advance!(start_14, start_15);
        target_15 = target_13;
        floor = if least.p > scalars.min_rate { least.p } else { scalars.min_rate };
        kept = if step_13.lower { start_13 } else { target_13 };
        floor_15 = floor;
        cut = start_14 - share.p;
        floor_target = if floor > kept { floor } else { kept };
        // whether the cut rate stays above each, told beside the cut
        floor_side = bit_cast_word::<RateSide, U<36>>(
            bit_cast_u::<36, 34>(floor) + bit_cast_u::<36, 34>(share.p) - bit_cast_u::<36, 34>(start_14),
        );
        kept_side = bit_cast_word::<RateSide, U<36>>(
            bit_cast_u::<36, 34>(kept) + bit_cast_u::<36, 34>(share.p) - bit_cast_u::<36, 34>(start_14),
        );
        over_floor = floor_side.below;
        over_kept = kept_side.below;

        // clock 15
        fields!(updated: current = start_15, target = target_15.q);
        if step_15.increase {
            fields!(updated: current = raised_15.q, target = raised_target_15.q);
        }
        if step_15.cut {
            updated.current = if over_floor { cut } else { floor_15 };
            updated.target = if over_floor & over_kept { cut } else { floor_target };
        }
        if step_15.created {
            fields!(updated from scalars: current = line_rate, target = line_rate);
        }
        memory.we = step_15.live;
        inputs!(memory: waddr = flow_15.q, wdata = updated);

        // the window, and whether there is something to say
        assign!(rate_16.d = updated.current, step_16.d = step_15.q);
        due_17 = step_16.live & (step_16.created | (rate_16 != before_16));
        due_20 = due_17;
        rate_20 = rate_16;
        inputs!(window_mul: a = rate_16, b = scalars.window_time);
        valid = due_20;
        rate = rate_20;
        long = bit_cast_word::<LongWindow, U<35>>(window_mul.p);
        window = if !scalars.mode.window | long.over { !bits_u::<34>(0) } else { long.window };
    }
}
