//! No congestion control: every flow at line rate without a window, whatever happens.

use super::{CcEvent, CongestionControl, Update};

/// Line rate and no window, for all flows of a NIC.
#[derive(Clone, Copy, Debug)]
pub struct LineRate {
    line_rate: u64,
}

impl LineRate {
    /// For a port of so many bits per second.
    pub fn new(line_rate: u64) -> Self {
        Self { line_rate }
    }
}

impl CongestionControl for LineRate {
    fn name(&self) -> &'static str {
        "none"
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        Update {
            flow,
            generation,
            window: f64::INFINITY,
            rate: self.line_rate as f64,
        }
    }

    fn remove(&mut self, _flow: u32) {}

    fn handle(&mut self, _event: &CcEvent) -> Option<Update> {
        None
    }
}
