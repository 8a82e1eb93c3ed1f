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
    #[registers(DcqcnStep: step_10, step_15)]
    #[signals(U<34>: start, add)]
    #[registers(U<34>: start_12, start_13, start_14, raised_target, raised, floor, kept, floor_14, cut, floor_target)]
    #[registers(U<34>: rate_15)]
    #[signals(HalvedRate: halved_rate, halved_target)]
    memory: ForwardRam<DcqcnRates, A>,
    flow_14: Delay<U<A>, 8>,
    step_9: Delay<DcqcnStep, 3>,
    step_12: Delay<DcqcnStep, 2>,
    step_14: Delay<DcqcnStep, 2>,
    share: MulPipe<34, 21, 34, 21>,
    least: MulPipe<34, 8, 34, 8>,
    start_11: Delay<U<34>, 2>,
    raised_14: Delay<U<34>, 2>,
    raised_target_14: Delay<U<34>, 3>,
    target_12: Delay<U<34>, 3>,
    target_14: Delay<U<34>, 2>,
    before_15: Delay<U<34>, 6>,
    due_19: Delay<Bit, 3>,
    rate_19: Delay<U<34>, 4>,
    window_mul: MulPipe<34, 34, 35, 33>,
    sum: DFF<U<35>>,
    updated: Signal<Local, DcqcnRates>,
    due_16: DFF<Bit>,
    long: Signal<Local, LongWindow>,
}

#[kernel]
impl<const A: usize> Logic for DcqcnRateBlock<A> {
    fn update(&mut self) {
        memory.raddr = flow;
        flow_14 = flow;
        step_9 = step;
        step_10 = step_9;
        step_12 = step_10;
        step_14 = step_12;

        // clock 9
        start = if step_9.first { scalars.first_rate } else { memory.rdata.val().current };
        inputs!(share: a = start, b = alpha);
        inputs!(least: a = start, b = scalars.min_decrease);
        add = if step_9.step == IncreaseStep::Additive { scalars.rate_ai } else { bits_u::<34>(0) };
        if step_9.step == IncreaseStep::Hyper {
            add = scalars.rate_hai;
        }
        sum = bit_cast_u::<35, 34>(memory.rdata.val().target) + bit_cast_u::<35, 34>(add);
        target_12 = memory.rdata.val().target;
        before_15 = memory.rdata.val().current;
        start_11 = start;

        // the increase
        raised_target = bit_cast_u::<34, 35>(sum);
        if sum > bit_cast_u::<35, 34>(scalars.line_rate) {
            raised_target = scalars.line_rate;
        }
        halved_rate = bit_cast_word::<HalvedRate, U<34>>(start_11);
        halved_target = bit_cast_word::<HalvedRate, U<34>>(raised_target);
        raised = bit_cast_u::<34, 33>(halved_rate.half) + bit_cast_u::<34, 33>(halved_target.half);
        raised_14 = raised;
        raised_target_14 = raised_target;

        // the cut
        start_12 = start_11;
        advance!(start_13, start_14);
        target_14 = target_12;
        floor = if least.p > scalars.min_rate { least.p } else { scalars.min_rate };
        kept = if step_12.lower { start_12 } else { target_12 };
        floor_14 = floor;
        cut = start_13 - share.p;
        floor_target = if floor > kept { floor } else { kept };

        // clock 14
        fields!(updated: current = start_14, target = target_14.q);
        if step_14.increase {
            fields!(updated: current = raised_14.q, target = raised_target_14.q);
        }
        if step_14.cut {
            updated.current = if floor_14 > cut { floor_14 } else { cut };
            updated.target = if cut > floor_target { cut } else { floor_target };
        }
        if step_14.created {
            fields!(updated from scalars: current = line_rate, target = line_rate);
        }
        memory.we = step_14.live;
        inputs!(memory: waddr = flow_14.q, wdata = updated);

        // the window, and whether there is something to say
        assign!(rate_15.d = updated.current, step_15.d = step_14.q);
        due_16 = step_15.live & (step_15.created | (rate_15 != before_15));
        due_19 = due_16;
        rate_19 = rate_15;
        inputs!(window_mul: a = rate_15, b = scalars.window_time);
        valid = due_19;
        rate = rate_19;
        long = bit_cast_word::<LongWindow, U<35>>(window_mul.p);
        window = if !scalars.mode.window | long.over { !bits_u::<34>(0) } else { long.window };
    }
}
