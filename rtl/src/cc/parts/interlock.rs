//! How long a flow waits before it may enter a pipeline whose loops read and write its state within six clocks.

use crate::prim::uint::{bits_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks between two entries of one flow: the longest of the loops.
pub const SAME_FLOW_INTERVAL: usize = 6;

/// Clocks that a flow waits which is loaded now: it may follow the one that stands before it, and enters now, after six clocks, earlier ones after
/// fewer. Without registers.
#[block]
pub struct FlowWait<const A: usize> {
    /// The flow that is loaded.
    pub flow: Signal<In, U<A>>,
    /// One stands before it.
    pub next_valid: Signal<In, Bit>,
    /// Which.
    pub next_flow: Signal<In, U<A>>,
    /// One entered so many clocks ago, the last one first.
    pub recent_valid: [Signal<In, Bit>; 4],
    /// Which.
    pub recent_flow: [Signal<In, U<A>>; 4],
    /// Clocks to wait.
    pub wait: Signal<Out, U<3>>,
}

#[kernel]
impl<const A: usize> Logic for FlowWait<A> {
    fn update(&mut self) {
        wait = if recent_valid[3] & (recent_flow[3] == flow) { bits_u::<3>(1) } else { bits_u::<3>(0) };
        if recent_valid[2] & (recent_flow[2] == flow) {
            wait = bits_u::<3>(2);
        }
        if recent_valid[1] & (recent_flow[1] == flow) {
            wait = bits_u::<3>(3);
        }
        if recent_valid[0] & (recent_flow[0] == flow) {
            wait = bits_u::<3>(4);
        }
        if next_valid & (next_flow == flow) {
            wait = bits_u::<3>(5);
        }
    }
}
