//! Counters of the acknowledgements that a law of INT left out or treated specially.

use crate::emit::naming::named_inside;
use crate::prim::counter::SaturatingCounter;
use crate::prim::uint::U;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Six saturating counters, each one clock behind its pulse.
#[block]
pub struct Rejections {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: all to zero.
    pub reset: Signal<In, Bit>,
    /// Pulse: a flow that does not exist or of an earlier generation.
    pub late: Signal<In, Bit>,
    /// Pulse: a flow number past the configured count.
    pub out_of_range: Signal<In, Bit>,
    /// Pulse: a speed code without entry.
    pub bad_speed: Signal<In, Bit>,
    /// Pulse: more than five hops.
    pub many_hops: Signal<In, Bit>,
    /// Pulse: another path than the last.
    pub path_changed: Signal<In, Bit>,
    /// Pulse: records older than the limit.
    pub stale_flow: Signal<In, Bit>,
    /// Late events.
    pub count_late: Signal<Out, U<32>>,
    /// Events out of range.
    pub count_out_of_range: Signal<Out, U<32>>,
    /// Events with a bad speed code.
    pub count_bad_speed: Signal<Out, U<32>>,
    /// Events with many hops.
    pub count_many_hops: Signal<Out, U<32>>,
    /// Changes of path.
    pub count_path_changed: Signal<Out, U<32>>,
    /// Stale flows.
    pub count_stale_flow: Signal<Out, U<32>>,
    late_counter: SaturatingCounter,
    out_of_range_counter: SaturatingCounter,
    bad_speed_counter: SaturatingCounter,
    many_hops_counter: SaturatingCounter,
    path_changed_counter: SaturatingCounter,
    stale_flow_counter: SaturatingCounter,
}

#[kernel]
impl Logic for Rejections {
    fn update(&mut self) {
        inputs!([
            late_counter, out_of_range_counter, bad_speed_counter, many_hops_counter, path_changed_counter,
            stale_flow_counter
        ]: reset);
        late_counter.pulse = late;
        out_of_range_counter.pulse = out_of_range;
        bad_speed_counter.pulse = bad_speed;
        many_hops_counter.pulse = many_hops;
        path_changed_counter.pulse = path_changed;
        stale_flow_counter.pulse = stale_flow;
        count_late = late_counter.count;
        count_out_of_range = out_of_range_counter.count;
        count_bad_speed = bad_speed_counter.count;
        count_many_hops = many_hops_counter.count;
        count_path_changed = path_changed_counter.count;
        count_stale_flow = stale_flow_counter.count;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
