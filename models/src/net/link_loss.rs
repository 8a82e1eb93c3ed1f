//! Loss on one link: in one direction or both, for a time or throughout.

/// Packets that are lost on one link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkLoss {
    /// Index of the link in the topology.
    pub link: usize,
    /// The end (node number) whose packets are lost; `None`: those of both ends.
    pub sender: Option<u32>,
    /// Probability that a packet is lost, 0 to 1.
    pub loss: f64,
    /// Packets whose transmission starts from here on, ps.
    pub from_ps: u64,
    /// Packets whose transmission starts before this time, ps.
    pub until_ps: u64,
}

impl LinkLoss {
    /// Probability at a time.
    pub(super) fn at(&self, now: u64) -> f64 {
        match (self.from_ps..self.until_ps).contains(&now) {
            true => self.loss,
            false => 0.0,
        }
    }
}
