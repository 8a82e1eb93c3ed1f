//! DCTCP (SIGCOMM 2010) as a rate, without slow start (HPCC paper 5.1), as the HPCC authors' simulator has it.
//!
//! In: acknowledgements with the mark of their data packet. Out: window and the rate that paces it.

use super::rate_based::{RateBased, RateLaw};
use super::{psn_after, CcEvent};

/// Parameters; rates in bits per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DctcpParams {
    /// Speed of the NIC's port: first and largest rate.
    pub line_rate: u64,
    /// Window at line rate, bytes.
    pub w_init: f64,
    /// Smallest rate.
    pub min_rate: u64,
    /// Gain `g` of alpha.
    pub gain: f64,
    /// Additive step per round trip: one packet per round trip.
    pub rate_ai: u64,
}

impl DctcpParams {
    /// One packet of `mtu` bytes per round trip, `g` = 1/16.
    pub fn new(line_rate: u64, w_init: f64, mtu: u32) -> Self {
        let rate_ai = (f64::from(mtu) * line_rate as f64 / w_init) as u64;
        Self {
            line_rate,
            w_init,
            min_rate: line_rate / 100,
            gain: 1.0 / 16.0,
            rate_ai,
        }
    }
}

/// What DCTCP keeps of a flow.
#[derive(Clone, Copy, Debug)]
pub struct State {
    rate: u64,
    alpha: f64,
    last_update: Option<u32>,
    marks: u32,
    batch: u32,
    /// Reduced in this round trip: until this sequence number is passed.
    reduced_until: Option<u32>,
}

/// DCTCP for all flows of a NIC.
pub type Dctcp = RateBased<State>;

impl State {
    fn acknowledge(&mut self, p: &DctcpParams, event: &CcEvent) {
        self.marks += u32::from(event.ecn);
        let distance = |from: u32| event.snd_nxt.wrapping_sub(from) & 0xff_ffff;
        let new_batch = self.last_update.is_none_or(|last| psn_after(event.psn_next, last));
        if new_batch {
            if self.last_update.is_some() {
                let fraction = (f64::from(self.marks) / f64::from(self.batch)).min(1.0);
                self.alpha = (1.0 - p.gain) * self.alpha + p.gain * fraction;
                self.marks = 0;
                self.batch = distance(event.psn_next) + 1;
            } else {
                self.batch = distance(0) + 1;
            }
            self.last_update = Some(event.snd_nxt);
        }
        if self.reduced_until.is_some_and(|end| psn_after(event.psn_next, end)) {
            self.reduced_until = None;
        }
        if event.ecn && self.reduced_until.is_none() {
            self.rate = ((self.rate as f64 * (1.0 - self.alpha / 2.0)) as u64).max(p.min_rate);
            self.reduced_until = Some(event.snd_nxt);
        }
        if self.reduced_until.is_none() && new_batch {
            self.rate = (self.rate + p.rate_ai).min(p.line_rate);
        }
    }
}

impl RateLaw for State {
    type Params = DctcpParams;
    const NAME: &'static str = "dctcp";

    fn line(p: &DctcpParams) -> (u64, f64) {
        (p.line_rate, p.w_init)
    }

    fn start(p: &DctcpParams) -> Self {
        Self {
            rate: p.line_rate,
            alpha: 1.0,
            last_update: None,
            marks: 0,
            batch: 1,
            reduced_until: None,
        }
    }

    fn rate(&self) -> u64 {
        self.rate
    }

    fn handle(&mut self, p: &DctcpParams, event: &CcEvent) -> bool {
        if !event.kind.acknowledges() {
            return false;
        }
        let before = self.rate;
        self.acknowledge(p, event);
        self.rate != before
    }
}

#[cfg(test)]
mod tests {
    use super::super::CongestionControl;
    use super::*;

    /// A marked first round halves the rate (alpha = 1); one reduction per round trip; a clean round adds one step.
    #[test]
    fn one_reduction_per_round_trip() {
        let mut law = Dctcp::new(DctcpParams::new(100_000_000_000, 100_000.0, 1000));
        law.create(0, 1);
        let mut ack = |psn_next, snd_nxt, ecn| {
            law.handle(&CcEvent {
                generation: 1,
                psn_next,
                snd_nxt,
                ecn,
                ..CcEvent::default()
            })
            .map(|u| u.rate)
        };
        assert_eq!(ack(1, 10, true), Some(50e9));
        assert_eq!(ack(2, 11, true), None);
        // Round 2 begins at 11: alpha = 15/16 + 1/16 * min(1, 3/11); the mark falls into a new round and reduces again.
        let alpha = 15.0 / 16.0 + 3.0 / 11.0 / 16.0;
        let reduced = ack(11, 20, true).unwrap();
        assert!((reduced - 50e9 * (1.0 - alpha / 2.0)).abs() < 2.0);
        assert_eq!(ack(21, 30, false), Some(reduced + 1e9));
    }
}
