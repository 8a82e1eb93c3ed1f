//! From the power of an acknowledgement to window and rate: what PowerTCP and theta-PowerTCP have in common.
//!
//! Clocks count from the power.
//!
//! | clock | block | does |
//! |---|---|---|
//! | 0 - 10 | [`average`](crate::cc::parts::average) | smoothed power |
//! | 10 - 31 | [`factor`](super::factor) | `gamma / power` |
//! | 31 - 41 | [`window`](super::window) | window, old window, rate |
//!
//! Whose step it is and of which kind goes beside the arithmetic.

use super::factor::WeightedInverse;
use super::window::PowerWindow;
use crate::cc::parts::average::Average;
use crate::prim::delay::Delay;
use crate::prim::uint::{bit_cast_u, U};
use crate::words::congestion::{FlowTag, PowerScalars, StepKind, WindowStep};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Smoothed power, window and rate of 2^`A` flows, 41 clocks.
#[block]
pub struct PowerReaction<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Registers of the law.
    pub scalars: Signal<In, PowerScalars>,
    /// Clock 0: power over base power and eta.
    pub power: Signal<In, U<51>>,
    /// Clock 0: time of the sample, shifted like the base, meaningful below it.
    pub tau: Signal<In, U<17>>,
    /// Clock 0: that time is the base or more.
    pub whole: Signal<In, Bit>,
    /// Clock 0: there is no power.
    pub none: Signal<In, Bit>,
    /// Clock 0: 2^50 over the shifted base.
    pub inverse_base_rtt: Signal<In, U<34>>,
    /// Clock 1: whose step it is.
    pub tag: Signal<In, FlowTag>,
    /// Clock 9: what kind of step it is.
    pub step: Signal<In, StepKind>,
    /// Clock 10: smoothed power.
    pub smoothed: Signal<Out, U<51>>,
    /// Clock 28: whose step it is.
    pub tag_28: Signal<Out, FlowTag>,
    /// Clock 36: an update follows.
    pub live: Signal<Out, Bit>,
    /// Clock 41: window.
    pub new_window: Signal<Out, U<34>>,
    /// Clock 41: rate.
    pub rate: Signal<Out, U<34>>,
    average: Average<A>,
    factor: WeightedInverse,
    window: PowerWindow<A>,
    tag_delay: Delay<FlowTag, 27>,
    step_36: Delay<WindowStep, 27>,
}

#[kernel]
impl<const A: usize> Logic for PowerReaction<A> {
    fn update(&mut self) {
        tag_delay = tag;
        tag_28 = tag_delay;
        step_36.live = step.live;
        step_36.created = step.created;
        // a reaction of 1 waits with the window for the end of the round trip
        step_36.windowed = step.sampled & ((scalars.mode.reaction != 1) | step.ends_round);
        step_36.ends_round = step.ends_round;
        live = step_36.live;

        inputs!(average: largest = power, tau, whole, none, inverse_base_rtt, c_init = scalars.power_init);
        average.flow = bit_cast_u::<A, 16>(tag.flow);
        inputs!(average from step: valid = live, measured = sampled);
        average.restart = step.created | step.path_changed;
        inputs!(factor: power = average.utilisation, smallest = scalars.smallest_power, gamma = scalars.gamma);
        smoothed = average.utilisation;

        window.flow = bit_cast_u::<A, 16>(tag_delay.flow);
        window.factor = factor.factor;
        window.valid = step_36.live;
        window.create = step_36.created;
        window.windowed = step_36.windowed;
        window.ends_round = step_36.ends_round;
        inputs!(window from scalars:
            old_in_both = mode.old_in_both, last_full = mode.last_full, w_init, w_min, beta, gamma, rate_per_window);
        outputs!(window: new_window = window, rate);
    }
}
