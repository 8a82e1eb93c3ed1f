//! What a model under comparison can do, and what is seen of it.

use hpcc_models::cc::hpcc::Branch;
use hpcc_models::cc::CcEvent;

/// Flow state after one ACK, in the units of the trace. Fixed-point values are exact in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// What the law reads: HPCC's normalised inflight bytes, PowerTCP's smoothed power.
    pub u: f64,
    /// Window, bytes.
    pub w: f64,
    /// Reference window, bytes, where the model shows it.
    pub wc: Option<f64>,
    /// Stage, where the model shows it.
    pub inc_stage: Option<u8>,
    /// Branch taken, where the model shows it.
    pub branch: Option<Branch>,
    /// Rate and reference rate, bits per second, where they are the law's state.
    pub rates: Option<(f64, f64)>,
}

/// A model under comparison.
pub trait Replay {
    /// Name in tables and files: `golden`, `fixed`, `rtl`.
    fn name(&self) -> &'static str;

    /// Starts flows 0 to `flows - 1` under generation 0 and takes the events in order; one entry per event, `None` where
    /// the model ignored it. Errors are one line.
    fn replay(&mut self, flows: u32, events: &[CcEvent]) -> Result<Vec<Option<Seen>>, String>;
}
