//! The walk over all flows after a reset.

use crate::emit::naming::named_inside;
use crate::prim::uint::U;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// From a reset on, and for 2^`A` clocks after it, names one flow a clock, from 0 on: who removes them has no flow left.
#[block]
pub struct FlowSweep<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// `flow` is to be removed.
    pub active: Signal<Out, Bit>,
    /// Flow.
    pub flow: Signal<Out, U<A>>,
    /// A reset was, and not every flow has been named.
    sweeping: DFF<Bit>,
    /// Flow that is removed next after a reset.
    at: DFF<U<A>>,
}

#[kernel]
impl<const A: usize> Logic for FlowSweep<A> {
    fn update(&mut self) {
        active = sweeping;
        flow = at;
        if sweeping {
            at = at + 1;
            if at.all() {
                sweeping = false;
            }
        }
        if reset {
            sweeping = true;
            at = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step};

    #[test]
    fn every_flow_is_named_once_after_the_last_clock_of_a_reset() {
        let mut sweep: Box<FlowSweep<3>> = Box::default();
        init(sweep.as_mut()).expect("complete block");
        let mut named = vec![];
        for clock in 0..40 {
            // the second reset falls into the first walk
            sweep.reset.next = clock < 2 || clock == 6;
            let (active, flow) = step(sweep.as_mut(), |sweep| (sweep.active.val(), sweep.flow.val().0));
            if active {
                named.push((clock, flow));
            }
        }
        let walk = |first: u64, flows: u64| (0..flows).map(move |flow| (first + flow, flow));
        let expected: Vec<_> = [(1, 0)].into_iter().chain(walk(2, 5)).chain(walk(7, 8)).collect();
        assert_eq!(named, expected);
    }
}
