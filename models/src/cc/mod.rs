//! The congestion-control slot: what goes in ([`CcEvent`]), what comes out ([`Update`]), and the trait that every law
//! implements. The RTL slot in `hpcc_rtl::cc` has the same fields.

mod acknowledging;
mod carrier;
mod collecting;
pub mod dcqcn;
pub mod dctcp;
mod event;
mod flows;
pub mod fluid;
pub mod hpcc;
mod line_rate;
pub mod powertcp;
mod probing;
pub mod rate_based;
pub mod synthetic;
pub mod timely;
pub mod trace;

pub use acknowledging::{AckDelay, AckRequests};
pub use carrier::{Carrier, FlowCount, FlowSeen};
pub use collecting::{Collecting, Sampling};
pub use event::{psn_after, CcEvent, EventKind, HopRecord, Update, MAX_HOPS};
pub use flows::FlowTable;
pub use line_rate::LineRate;
pub use probing::{ProbeRule, Probing};

/// A congestion-control law holding the state of all flows of one NIC (HPCC paper, Fig. 8, "CC").
///
/// Flow numbers index the state; the generation tells a flow from an earlier one with the same number.
pub trait CongestionControl {
    /// Name as used by `--cc` and in result files.
    fn name(&self) -> &'static str;

    /// Clears the state of `flow` and starts it under `generation`; returns its first window and rate.
    fn create(&mut self, flow: u32, generation: u8) -> Update;

    /// Ends `flow`: every later event of it is discarded.
    fn remove(&mut self, flow: u32);

    /// Takes one event. `None` when the law has nothing to say: unknown flow, old generation, a kind it does not use.
    fn handle(&mut self, event: &CcEvent) -> Option<Update>;

    /// The receiver counts `flows` with data in one `T` (HPCC++, 5); said before the event that brought it. Laws without a step that depends on
    /// it ignore it.
    fn receiver_counts(&mut self, _flow: u32, _generation: u8, _flows: u16, _now: u64) {}

    /// The receiver's law has computed `window`, payload bytes, for `flow` (HPCC++, 6.3.2): what the flow does with it here. `None` for an unknown
    /// flow, an old generation, and laws that do not run at a receiver.
    fn receiver_window(&mut self, _flow: u32, _generation: u8, _window: f64) -> Option<Update> {
        None
    }

    /// When `flow` next wants an event of kind [`EventKind::Tick`], in nanoseconds of the NIC's clock.
    ///
    /// Laws with timers (DCQCN) override it; after every `create` and `handle` the host asks again.
    fn next_tick(&self, _flow: u32) -> Option<u64> {
        None
    }
}
