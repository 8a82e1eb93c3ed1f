//! TIMELY (SIGCOMM 2015) as the HPCC authors' simulator has it: one decision per round trip, no completion-time segments.
//!
//! In: acknowledgements with the time at which their data packet left. Out: rate, and the window that "TIMELY+win" obeys.

use super::rate_based::{RateBased, RateLaw};
use super::{psn_after, CcEvent};

/// Parameters; times in ns, rates in bits per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimelyParams {
    /// Speed of the NIC's port: first and largest rate.
    pub line_rate: u64,
    /// Window at line rate, bytes.
    pub w_init: f64,
    /// Smallest rate.
    pub min_rate: u64,
    /// Weight of a new difference of round-trip times.
    pub alpha: f64,
    /// Strength of a decrease.
    pub beta: f64,
    /// Below this the rate always rises.
    pub t_low: u64,
    /// Above this it always falls.
    pub t_high: u64,
    /// Normalises the gradient.
    pub min_rtt: u64,
    /// Additive step.
    pub rate_ai: u64,
    /// Step after five increases in a row.
    pub rate_hai: u64,
}

impl TimelyParams {
    /// Parameters of the TIMELY paper (HPCC paper 5.1), steps scaled from 10G as in the HPCC authors' simulator.
    pub fn new(line_rate: u64, w_init: f64) -> Self {
        Self {
            line_rate,
            w_init,
            min_rate: line_rate / 100,
            alpha: 0.875,
            beta: 0.8,
            t_low: 50_000,
            t_high: 500_000,
            min_rtt: 20_000,
            rate_ai: line_rate / 1_000,
            rate_hai: line_rate / 200,
        }
    }
}

/// What TIMELY keeps of a flow.
#[derive(Clone, Copy, Debug)]
pub struct State {
    rate: u64,
    last_update: Option<u32>,
    last_rtt: u64,
    rtt_diff: f64,
    stage: u32,
}

/// TIMELY for all flows of a NIC.
pub type Timely = RateBased<State>;

impl State {
    fn decide(&mut self, p: &TimelyParams, rtt: u64) {
        let diff = rtt as f64 - self.last_rtt as f64;
        self.rtt_diff = (1.0 - p.alpha) * self.rtt_diff + p.alpha * diff;
        let gradient = self.rtt_diff / p.min_rtt as f64;
        let factor = if rtt < p.t_low {
            None
        } else if rtt > p.t_high {
            Some(1.0 - p.beta * (1.0 - p.t_high as f64 / rtt as f64))
        } else if gradient <= 0.0 {
            None
        } else {
            Some((1.0 - p.beta * gradient).max(0.0))
        };
        match factor {
            None => {
                let step = if self.stage < 5 { p.rate_ai } else { p.rate_hai };
                self.rate = (self.rate + step).min(p.line_rate);
                self.stage += 1;
            }
            Some(factor) => {
                self.rate = ((self.rate as f64 * factor) as u64).max(p.min_rate);
                self.stage = 0;
            }
        }
    }
}

impl RateLaw for State {
    type Params = TimelyParams;
    const NAME: &'static str = "timely";

    fn line(p: &TimelyParams) -> (u64, f64) {
        (p.line_rate, p.w_init)
    }

    fn start(p: &TimelyParams) -> Self {
        Self {
            rate: p.line_rate,
            last_update: None,
            last_rtt: 0,
            rtt_diff: 0.0,
            stage: 0,
        }
    }

    fn rate(&self) -> u64 {
        self.rate
    }

    fn handle(&mut self, p: &TimelyParams, event: &CcEvent) -> bool {
        if !event.kind.acknowledges() {
            return false;
        }
        if self.last_update.is_some_and(|last| !psn_after(event.psn_next, last)) {
            return false;
        }
        let rtt = event.now.saturating_sub(event.sent_at);
        let first = self.last_update.is_none();
        if !first {
            self.decide(p, rtt);
        }
        if self.last_update.is_none_or(|last| psn_after(event.snd_nxt, last)) {
            self.last_update = Some(event.snd_nxt);
            self.last_rtt = rtt;
        }
        !first
    }
}

#[cfg(test)]
mod tests {
    use super::super::CongestionControl;
    use super::*;

    /// Rising delay between the thresholds cuts by beta times the gradient; below the low threshold the rate rises.
    #[test]
    fn gradient_by_hand() {
        let mut law = Timely::new(TimelyParams::new(100_000_000_000, 1e5));
        law.create(0, 1);
        let mut at = |round: u32, rtt: u64| {
            let psn_next = round * 10;
            law.handle(&CcEvent {
                generation: 1,
                psn_next,
                snd_nxt: psn_next + 9,
                sent_at: 1_000_000,
                now: 1_000_000 + rtt,
                ..CcEvent::default()
            })
        };
        assert_eq!(at(1, 60_000), None);
        assert_eq!(at(1, 60_000), None); // same round trip
        let down = at(2, 70_000).unwrap().rate;
        let gradient = 0.875 * 10_000.0 / 20_000.0;
        assert!((down - 1e11 * (1.0 - 0.8 * gradient)).abs() < 2.0);
        assert_eq!(at(3, 40_000).unwrap().rate, down + 1e8);
        let late = at(4, 1_000_000).unwrap().rate;
        assert!((late - (down + 1e8) * (1.0 - 0.8 * 0.5)).abs() < 2.0);
    }
}
