//! State of a flow: what events change, and what visits change. Each half has one writer.

use super::formats::*;
use super::psn::ahead;

/// What events alone change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderState {
    /// Oldest unacknowledged PSN.
    pub una: u32,
    /// One past the last PSN that has work.
    pub end: u32,
    /// First PSN of the READ request last sent: the PSNs strictly between it and [`Self::to`] are never granted.
    pub from: u32,
    /// One past the last PSN of that READ, never behind `una`. All PSNs before it were asked for, so data of them may come.
    pub to: u32,
    /// Running total of corrections to the credit, bytes modulo 2^[`ADJUST_BITS`].
    pub adjust: u32,
    /// Generation of the flow.
    pub generation: u8,
    /// Rewinds asked for, modulo 2^[`REWIND_BITS`]; a visit that has carried out another number goes back to `una`.
    pub rewinds: u32,
    /// Restarts asked for, likewise: a visit goes on at `una` as if nothing were outstanding.
    pub restarts: u32,
    /// MTU code.
    pub mtu: u8,
    /// Priority for pause.
    pub priority: u8,
    /// The flow exists.
    pub alive: bool,
    /// Whatever is in flight, more may leave: only the rate limits the flow.
    pub windowless: bool,
    /// When the timer was last restarted, units of 1.024 us modulo 2^16.
    pub since: u32,
    /// Timeouts since the last progress.
    pub retries: u8,
    /// Low bits of `snd_nxt` at the last look of the timer.
    pub sent: u32,
    /// The timer runs.
    pub armed: bool,
    /// The flow has no timer.
    pub timerless: bool,
    /// The receiver was not ready for `una`: nothing is granted until the time is over.
    pub waits: bool,
    /// What was left of that time at `since`, units of 1.024 us.
    pub wait: u32,
    /// Such waits since the last progress, modulo 2^[`RNR_BITS`].
    pub rnr_waits: u8,
}

impl SenderState {
    /// The state as visits see it: a flow that waits for its receiver has no work.
    pub fn shown(&self) -> Self {
        Self {
            end: if self.waits { self.una } else { self.end },
            ..*self
        }
    }
}

/// What visits alone change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VisitState {
    /// Next PSN to send.
    pub nxt: u32,
    /// One past the highest PSN ever sent.
    pub max: u32,
    /// Rewinds carried out, as [`SenderState::rewinds`] counts them; one is carried out when its first packet is granted.
    pub seen: u32,
    /// Restarts carried out.
    pub restarts: u32,
    /// Generation this state belongs to.
    pub generation: u8,
    /// Changes whenever the flow leaves the ring.
    pub parked: bool,
    /// Tick of the last visit.
    pub last: u32,
    /// Corrections taken into the credit.
    pub adjust_seen: u32,
    /// Credit, bytes with [`CREDIT_FRACTION`] fractional bits.
    pub credit: i64,
    /// The flow has work that it may not send at any time: its rate is 0. Its timer starts over with each look.
    pub stopped: bool,
    /// At the last visit the flow had nothing unsent, or its rate was 0: with work and a rate it becomes active.
    pub rest: bool,
}

impl VisitState {
    /// One past the highest PSN sent that matters to `sender`. A restart that goes back leaves what was sent before in flight,
    /// one that goes ahead does not: then nothing is sent.
    pub fn max_for(&self, sender: &SenderState) -> u32 {
        let fresh = self.generation != sender.generation;
        let restarted = self.restarts != sender.restarts;
        if fresh || (restarted && ahead(self.max, sender.una) > MAX_SPAN) {
            sender.una
        } else {
            self.max
        }
    }
}
