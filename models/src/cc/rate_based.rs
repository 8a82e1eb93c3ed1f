//! What the laws that command a rate have in common: a table of flows, and a window that follows the rate.
//!
//! A law of this kind states what it keeps of a flow ([`RateLaw`]); [`RateBased`] is the slot's side of it.

use super::{CcEvent, CongestionControl, FlowTable, Update};

/// What a law keeps of one flow, and what it does with an event. Rates in bits per second.
pub trait RateLaw: Copy {
    /// Parameters, the same for all flows of a NIC.
    type Params: Copy;
    /// Name of the law, as used by `--cc`.
    const NAME: &'static str;

    /// Speed of the NIC's port, and the window at that speed in bytes.
    fn line(params: &Self::Params) -> (u64, f64);

    /// A flow as it is created.
    fn start(params: &Self::Params) -> Self;

    /// The rate that the flow may send at now.
    fn rate(&self) -> u64;

    /// Takes one event; whether the law has something to say.
    fn handle(&mut self, params: &Self::Params, event: &CcEvent) -> bool;

    /// When the flow next wants an event of kind Tick, in nanoseconds of the NIC's clock.
    fn next_tick(&self) -> Option<u64> {
        None
    }
}

/// A law that commands a rate, for all flows of a NIC.
///
/// The window is `w_init` x rate / line rate: what "DCQCN+win" and "TIMELY+win" obey (HPCC paper 5.1).
#[derive(Clone, Debug)]
pub struct RateBased<L: RateLaw> {
    params: L::Params,
    flows: FlowTable<L>,
}

impl<L: RateLaw> RateBased<L> {
    /// No flows yet.
    pub fn new(params: L::Params) -> Self {
        Self {
            params,
            flows: FlowTable::default(),
        }
    }

    /// Rate of a flow, bits per second.
    pub fn rate(&self, flow: u32) -> Option<u64> {
        self.flows.get(flow).map(L::rate)
    }
}

fn update<L: RateLaw>(params: &L::Params, flow: u32, generation: u8, state: &L) -> Update {
    let (line_rate, w_init) = L::line(params);
    let rate = state.rate() as f64;
    Update {
        flow,
        generation,
        window: w_init * rate / line_rate as f64,
        rate,
    }
}

impl<L: RateLaw> CongestionControl for RateBased<L> {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let state = L::start(&self.params);
        self.flows.insert(flow, generation, state);
        update(&self.params, flow, generation, &state)
    }

    fn remove(&mut self, flow: u32) {
        self.flows.remove(flow);
    }

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        let state = self.flows.get_mut(event.flow, event.generation)?;
        state
            .handle(&self.params, event)
            .then(|| update(&self.params, event.flow, event.generation, state))
    }

    fn next_tick(&self, flow: u32) -> Option<u64> {
        self.flows.get(flow)?.next_tick()
    }
}
