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
        self.late_counter.pulse.next = self.late.val();
        self.out_of_range_counter.pulse.next = self.out_of_range.val();
        self.bad_speed_counter.pulse.next = self.bad_speed.val();
        self.many_hops_counter.pulse.next = self.many_hops.val();
        self.path_changed_counter.pulse.next = self.path_changed.val();
        self.stale_flow_counter.pulse.next = self.stale_flow.val();
        self.count_late.next = self.late_counter.count.val();
        self.count_out_of_range.next = self.out_of_range_counter.count.val();
        self.count_bad_speed.next = self.bad_speed_counter.count.val();
        self.count_many_hops.next = self.many_hops_counter.count.val();
        self.count_path_changed.next = self.path_changed_counter.count.val();
        self.count_stale_flow.next = self.stale_flow_counter.count.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
