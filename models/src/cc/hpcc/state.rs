//! Per-flow state of HPCC (Algorithm 1: `L`, `U`, `Wc`, `incStage`, `lastUpdateSeq`, `W`) and what a test may see of a step.

use super::law::float;
use super::params::HpccParams;
use crate::cc::{CcEvent, MAX_HOPS};
use num_traits::Float;

/// One hop of the record `L`, as on the wire.
///
/// The queue is wider than the 16 bits of [`crate::cc::HopRecord`] so that traces with 17-bit queues replay exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Port speed code.
    pub speed: u8,
    /// Time stamp, 24 bits, ns.
    pub ts: u32,
    /// Bytes sent, 20 bits, unit 128 bytes times the multiplier.
    pub tx_bytes: u32,
    /// Bytes queued, unit 80 bytes times the multiplier.
    pub q_len: u32,
}

/// Register of one hop for the alpha-fair variant (appendix A.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HopRegister<F> {
    /// Normalised inflight bytes of this hop, moving average.
    pub u: F,
    /// Reference window of this hop, bytes.
    pub wc: F,
    /// Additive rounds of this hop.
    pub inc_stage: u8,
}

/// State of one flow. `Copy`, so that one step can be tried from a saved state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowState<F> {
    /// Hop records `L` exist: the first ACK with INT has been seen.
    pub has_records: bool,
    /// Hop records `L`; the first `min(n_hop, 5)` are in use.
    pub links: [Link; MAX_HOPS],
    /// Hops of the recorded path, 4 bits.
    pub n_hop: u8,
    /// Identity of the recorded path, 12 bits.
    pub path_id: u16,
    /// Normalised inflight bytes `U`, moving average.
    pub u: F,
    /// Reference window `Wc`, bytes.
    pub wc: F,
    /// Window `W`, bytes.
    pub w: F,
    /// Additive rounds since the last multiplicative one.
    pub inc_stage: u8,
    /// `lastUpdateSeq`, 24-bit serial number.
    pub last_update_seq: u32,
    /// NIC clock at the last ACK that reached the records, ns.
    pub last_ack_ns: u64,
    /// Sending rate of the class over its guarantee, moving average; used by the search for the bandwidth of idle classes only.
    pub class_rate: F,
    /// Flows that the receiver reported last; 0: nothing yet. Used by the step that depends on their number only.
    pub told_flows: u16,
    /// The report in use, and when it was last confirmed, ns; 0 flows: none.
    pub flows: (u16, u64),
    /// Registers of the hops, used by the alpha-fair variant only.
    pub registers: [HopRegister<F>; MAX_HOPS],
}

impl<F: Float> FlowState<F> {
    /// A flow that has just started: `W = Wc = W_init`, `U = 1`, no records.
    pub fn new(params: &HpccParams) -> Self {
        let w_init = float(params.w_init);
        Self {
            has_records: false,
            links: [Link::default(); MAX_HOPS],
            n_hop: 0,
            path_id: 0,
            u: F::one(),
            wc: w_init,
            w: w_init,
            inc_stage: 0,
            last_update_seq: 0,
            last_ack_ns: 0,
            class_rate: F::one(),
            told_flows: 0,
            flows: (0, 0),
            registers: [HopRegister {
                u: F::one(),
                wc: w_init,
                inc_stage: 0,
            }; MAX_HOPS],
        }
    }

    /// Hops of which records exist.
    pub fn recorded_hops(&self) -> usize {
        usize::from(self.n_hop).min(MAX_HOPS)
    }

    /// Line 27, `L = ack.L`, for the whole path.
    pub(super) fn replace_records(&mut self, event: &CcEvent, links: &[Link; MAX_HOPS]) {
        self.has_records = true;
        self.links = *links;
        self.n_hop = event.n_hop;
        self.path_id = event.path_id;
        self.last_update_seq = event.snd_nxt;
    }
}

/// What an accepted ACK did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Branch {
    /// First ACK with INT: records stored, nothing else.
    First,
    /// The records were too old: replaced, `U` and the window stay.
    StaleFlow,
    /// Other hops than before: records replaced, `U = 1`, the window stays.
    PathChange,
    /// Lines 13 to 15.
    Multiplicative,
    /// Lines 17 to 19.
    Additive,
    /// Per-RTT reaction, within the round trip: nothing changed.
    Unchanged,
}

impl Branch {
    /// Name in result files.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::StaleFlow => "stale_flow",
            Self::PathChange => "path_change",
            Self::Multiplicative => "multiplicative",
            Self::Additive => "additive",
            Self::Unchanged => "unchanged",
        }
    }
}

/// What one accepted ACK did to a flow, for tests and co-simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation<F> {
    /// What the ACK did.
    pub branch: Branch,
    /// `updateWc`: the ACK moved the reference window (`ack.seq > lastUpdateSeq`).
    pub full: bool,
    /// `U` after the ACK.
    pub u: F,
    /// `W` after the ACK, bytes.
    pub w: F,
    /// `Wc` after the ACK, bytes.
    pub wc: F,
    /// `incStage` after the ACK.
    pub inc_stage: u8,
    /// Hop with the largest `u'`, if any was above zero.
    pub winner: Option<usize>,
    /// `tau` of the winner after line 8, ns; 0 without winner.
    pub tau_ns: u32,
    /// `u'` of each hop that took part in the maximum.
    pub hop_u: [Option<F>; MAX_HOPS],
}
