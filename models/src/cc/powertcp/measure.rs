//! NORMPOWER of both algorithms: what an acknowledgement says, as power over base power, and the time it stands for.

use super::law::PowerLaw;
use super::params::{BaseRtt, Current, FirstAck, MissingRtt, Signal};
use super::state::{PowerBranch, PowerState};
use crate::cc::hpcc::{Link, TS_WRAP, TX_WRAP};
use crate::cc::{CcEvent, MAX_HOPS};

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Power over base power.
    pub norm: f64,
    /// The time it stands for, ns.
    pub dt_ns: u64,
    /// Hop with the largest power, if any was above zero.
    pub winner: Option<usize>,
    /// Power of each hop that took part.
    pub hop_power: [Option<f64>; MAX_HOPS],
}

/// A measurement, or what the acknowledgement did instead.
pub(super) type Measured = Result<Sample, PowerBranch>;

impl PowerLaw {
    /// Time between two stamps of a hop and whether its record is to be replaced: `(None, false)` where the counters did not move on,
    /// `(None, true)` where they cannot be told apart.
    fn hop_time(&self, record: &Link, link: &Link) -> (Option<u32>, bool) {
        let dt = link.ts.wrapping_sub(record.ts) % TS_WRAP;
        let Some(limit) = self.stale_dt[usize::from(link.speed & 15)] else {
            return (Some(dt).filter(|&dt| dt > 0), true);
        };
        if dt == 0 || dt >= TS_WRAP / 2 {
            (None, false)
        } else {
            (Some(dt).filter(|&dt| dt < limit), true)
        }
    }

    /// Algorithm 1, lines 18 to 26: power of one hop over its base power.
    ///
    /// The order of operations is that of the authors' simulator, whose recorded values are met to the last bit.
    pub fn hop_power(&self, record: &Link, link: &Link, dt: u32) -> f64 {
        let b = self.params.port_speeds[usize::from(link.speed & 15)] as f64;
        let tau_s = self.tau * 1e-9;
        let (byte_unit, queue_unit) = self.params.units();
        // 18: dt = ack.H[i].ts - prevInt[i].ts, in seconds
        let dt_s = f64::from(dt) * 1e-9;
        // 20: mu = (ack.H[i].txBytes - prevInt[i].txBytes) / dt
        let bytes = f64::from(link.tx_bytes.wrapping_sub(record.tx_bytes) % TX_WRAP) * byte_unit;
        let mut lambda = bytes * 8.0 / dt_s;
        if self.params.current == Current::QueueAndSent {
            // 19: qdot = (ack.H[i].qlen - prevInt[i].qlen) / dt; 21: lambda = qdot + mu
            let growth = (f64::from(link.q_len) - f64::from(record.q_len)) * queue_unit;
            lambda += growth * 8.0 / dt_s;
        }
        let lambda = lambda.max(self.params.current_floor * b).max(0.0);
        // 22, 23: nu = ack.H[i].qlen + b tau
        let nu = f64::from(link.q_len) * queue_unit * 8.0 + b * tau_s;
        // 24 to 26: lambda nu / (b^2 tau)
        lambda * nu / (b * (b * self.tau * 1e-9))
    }

    /// Algorithm 1, lines 15 to 32, on the hops of an acknowledgement.
    pub(super) fn measure_hops(
        &self,
        state: &mut PowerState,
        event: &CcEvent,
        links: &[Link; MAX_HOPS],
        forced: Option<usize>,
    ) -> Measured {
        let hops = usize::from(event.n_hop).min(MAX_HOPS);
        if !state.has_records {
            let update = self.params.first_ack == FirstAck::Update;
            if update {
                (state.has_records, state.n_hop, state.path_id) = (true, event.n_hop, event.path_id);
            } else {
                state.replace_records(event, links);
                // The simulator knows a first acknowledgement by a round trip that ends at byte 0.
                state.has_records = self.records_by_path() || event.snd_nxt != 0;
                return Err(PowerBranch::First);
            }
        } else if self.records_by_path() && (event.n_hop, event.path_id) != (state.n_hop, state.path_id) {
            state.replace_records(event, links);
            state.power = self.params.init_power;
            return Err(PowerBranch::PathChange);
        } else if self.is_stale(state, event) {
            state.replace_records(event, links);
            return Err(PowerBranch::StaleFlow);
        }
        let mut found = Sample {
            norm: 0.0, // 15
            dt_ns: 0,
            winner: None,
            hop_power: [None; MAX_HOPS],
        };
        let mut times = [0; MAX_HOPS];
        for i in 0..hops {
            let (time, replace) = self.hop_time(&state.links[i], &links[i]);
            if let Some(dt) = time {
                let power = self.hop_power(&state.links[i], &links[i], dt);
                found.hop_power[i] = Some(power);
                times[i] = dt;
                // 27 to 29
                if power > found.norm {
                    (found.norm, found.winner) = (power, Some(i));
                }
            }
            if replace {
                state.links[i] = links[i]; // 11
            }
        }
        if let Some((i, power)) = forced.and_then(|i| found.hop_power.get(i).copied().flatten().map(|p| (i, p))) {
            (found.norm, found.winner) = (power, Some(i));
        }
        found.dt_ns = found.winner.map_or(0, |i| u64::from(times[i]));
        if times == [0; MAX_HOPS] && self.records_by_path() {
            return Err(PowerBranch::NoSample);
        }
        Ok(found)
    }

    /// Algorithm 2, lines 17 to 20.
    pub(super) fn measure_delay(&self, state: &mut PowerState, event: &CcEvent) -> Measured {
        let rtt = match (event.sent_valid, self.params.missing_rtt) {
            (true, _) => event.now.saturating_sub(event.sent_at),
            (false, MissingRtt::Base) => state.base_rtt_ns,
            (false, MissingRtt::Last) if state.has_records => state.prev_rtt,
            (false, MissingRtt::Skipped | MissingRtt::Last) => return Err(PowerBranch::NoSample),
        };
        if self.params.base_rtt == BaseRtt::SmallestSeen {
            state.base_rtt_ns = state.base_rtt_ns.min(rtt);
        }
        let first = !state.has_records && self.params.first_ack == FirstAck::Store;
        if first || (state.has_records && self.is_stale(state, event)) {
            let branch = if first {
                PowerBranch::First
            } else {
                PowerBranch::StaleFlow
            };
            (state.has_records, state.prev_rtt, state.snap_seq) = (true, rtt, event.snd_nxt);
            return Err(branch);
        }
        // 18
        let dt_ns = event.now.saturating_sub(state.last_ack_ns);
        if dt_ns == 0 {
            return Err(PowerBranch::NoSample);
        }
        // 19
        let gradient = (rtt as f64 - state.prev_rtt as f64) / dt_ns as f64;
        let current = (gradient + 1.0).max(self.params.current_floor);
        // 20
        let norm = current * rtt as f64 / (self.params.tau_factor * state.base_rtt_ns as f64);
        (state.has_records, state.prev_rtt) = (true, rtt); // 12
        Ok(Sample {
            norm,
            dt_ns,
            winner: None,
            hop_power: [None; MAX_HOPS],
        })
    }

    /// Records are bound to a path and grow old: everywhere but in the authors' simulator.
    fn records_by_path(&self) -> bool {
        self.params.stale_limit_ns.is_some()
    }

    fn is_stale(&self, state: &PowerState, event: &CcEvent) -> bool {
        let limit = self.params.stale_limit_ns.map(u64::from);
        limit.is_some_and(|limit| event.now.saturating_sub(state.last_ack_ns) > limit)
    }

    /// Whether an acknowledgement carries what the law reads.
    pub(super) fn is_usable(&self, event: &CcEvent) -> bool {
        match self.params.signal {
            Signal::Int => event.int_valid,
            Signal::Delay => true,
        }
    }

    /// Whether a hop in use has a speed code that the table does not know.
    pub(super) fn has_invalid_speed(&self, event: &CcEvent) -> bool {
        let hops = usize::from(event.n_hop).min(MAX_HOPS);
        let unknown = |code: u8| self.params.port_speeds[usize::from(code & 15)] == 0;
        self.params.signal == Signal::Int && event.hops[..hops].iter().any(|hop| unknown(hop.speed))
    }
}
