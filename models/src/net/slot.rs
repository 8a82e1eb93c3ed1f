//! The seam between the network and whatever decides windows: a law in f64, in fixed point, or hardware.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use crate::cc::{CcEvent, CongestionControl, Update};

/// A congestion-control slot as the network drives it.
///
/// Every event is submitted when its acknowledgement arrives and collected when its result takes effect, in the same order, a fixed
/// latency later (`Config::cc_latency_ps`, 0: at once). What lies between submission and collection may be computed together, so a
/// clocked implementation can pipeline it; results do not depend on that.
pub trait CcSlot {
    /// Name as in result files.
    fn name(&self) -> &'static str;
    /// Starts a flow; returns its first window and rate.
    fn create(&mut self, flow: u32, generation: u8) -> Update;
    /// Ends a flow.
    fn remove(&mut self, flow: u32);
    /// The receiver counts so many flows with data in one `T`; said before the event that brought it.
    fn receiver_counts(&mut self, _flow: u32, _generation: u8, _flows: u16, _now: u64) {}
    /// Takes one event.
    fn submit(&mut self, event: &CcEvent);
    /// Result of the oldest event not yet collected.
    fn collect(&mut self) -> Option<Update>;
    /// Flow numbers from this on have no place.
    fn capacity(&self) -> u32 {
        u32::MAX
    }
    /// When the flow next wants a tick, ns.
    fn next_tick(&self, _flow: u32) -> Option<u64> {
        None
    }
}

/// A law that answers at once.
pub struct Direct {
    law: Box<dyn CongestionControl>,
    results: VecDeque<Option<Update>>,
}

impl Direct {
    /// Wraps a law.
    pub fn new(law: Box<dyn CongestionControl>) -> Self {
        Self {
            law,
            results: VecDeque::new(),
        }
    }
}

impl CcSlot for Direct {
    fn name(&self) -> &'static str {
        self.law.name()
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        self.law.create(flow, generation)
    }

    fn remove(&mut self, flow: u32) {
        self.law.remove(flow);
    }

    fn receiver_counts(&mut self, flow: u32, generation: u8, flows: u16, now: u64) {
        self.law.receiver_counts(flow, generation, flows, now);
    }

    fn submit(&mut self, event: &CcEvent) {
        let result = self.law.handle(event);
        self.results.push_back(result);
    }

    fn collect(&mut self) -> Option<Update> {
        self.results.pop_front().flatten()
    }

    fn next_tick(&self, flow: u32) -> Option<u64> {
        self.law.next_tick(flow)
    }
}

/// What a law needs to know about the flows it serves. Flows with equal values share one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotParams {
    /// Speed of the sender's port, bits per second.
    pub line_rate_bps: u64,
    /// `T`, ns.
    pub base_rtt_ns: u64,
    /// Initial and largest window, bytes.
    pub w_init_bytes: u64,
    /// Payload of a full packet, bytes.
    pub mtu: u32,
    /// Multiplier of both INT units.
    pub int_multi: u32,
}

/// Makes the slot for one set of parameters.
pub type SlotFactory<'a> = dyn FnMut(&SlotParams) -> Result<Box<dyn CcSlot>, String> + 'a;

/// Makes the slot of these parameters, unless there is one.
pub(super) fn fill(
    slots: &mut Vec<Box<dyn CcSlot>>,
    slot_of: &mut BTreeMap<SlotParams, u32>,
    params: SlotParams,
    factory: &mut SlotFactory,
) -> Result<(), String> {
    if let Entry::Vacant(place) = slot_of.entry(params) {
        place.insert(slots.len() as u32);
        slots.push(factory(&params)?);
    }
    Ok(())
}
