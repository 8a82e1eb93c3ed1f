//! PowerTCP and theta-PowerTCP bit for bit as the hardware computes them: the order of decisions is the golden model's, the integers are
//! those of [`arithmetic`], the parameters those of `registers`.
//!
//! Windows are kept at the configured `tau`; where a flow measures its own base round-trip time (D9) the window that leaves is scaled to
//! it. The authors' whole bits per second (D12) are not rebuilt: what they cut is below the window's resolution.

pub mod arithmetic;
mod registers;

pub use registers::{address, PowerMode, PowerRegisters, MISSING_IS_BASE, MISSING_IS_LAST};

use super::arithmetic::{ewma, rate, weight, wrapping_difference};
use super::formats::{mask, CLOCK_BITS, TS_BITS, TX_BITS, WEIGHT_BITS};
use super::hpcc::{rate_bits_per_second, window_bytes};
use crate::cc::hpcc::{HpccCounters, ParamError};
use crate::cc::powertcp::{PowerBranch, PowerObservation, PowerParams};
use crate::cc::{CcEvent, CongestionControl, EventKind, FlowTable, HopRecord, Update, MAX_HOPS};
use arithmetic::{
    arrived, current, delay_voltage, ends_round_trip, inverse_base_rtt, power, voltage, window, ARRIVED_BITS,
    DELAY_VOLTAGE_FRACTION, POWER_FRACTION, VOLTAGE_FRACTION,
};

/// State of one flow, as the hardware's tables hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedPowerState {
    /// There is something to compare the next acknowledgement with.
    pub has_records: bool,
    /// Hop records.
    pub hops: [HopRecord; MAX_HOPS],
    /// Hops of the recorded path, 4 bits.
    pub n_hop: u8,
    /// Identity of the recorded path, 12 bits.
    pub path_id: u16,
    /// theta: last round-trip time, 24 bits, ns, saturated.
    pub prev_rtt: u32,
    /// Clock at the last measured acknowledgement, 48 bits, ns.
    pub last_ack_ns: u64,
    /// Base round-trip time in use, 17 bits, ns.
    pub base_rtt: u32,
    /// End of the round trip, 24 bits.
    pub snap_seq: u32,
    /// Smoothed power over eta, UQ20.31.
    pub power: u64,
    /// `cwnd`, UQ23.11.
    pub current: u64,
    /// `cwnd_old`, UQ23.11.
    pub old: u64,
    /// The next `cwnd_old`, UQ23.11.
    pub stored: u64,
}

/// What one accepted acknowledgement did, in the bits of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedPowerStep {
    /// What it did.
    pub branch: PowerBranch,
    /// It ended a round trip.
    pub full: bool,
    /// Power before smoothing, UQ20.31, where one was computed.
    pub norm: Option<u64>,
    /// Hop with the largest power.
    pub winner: Option<usize>,
    /// Time of the sample, cut at the base round-trip time, ns.
    pub dt_ns: u32,
    /// Power of each hop that took part.
    pub hop_power: [Option<u64>; MAX_HOPS],
}

/// A time in 24 bits, saturated.
fn cut24(ns: u64) -> u32 {
    ns.min(mask(TS_BITS)) as u32
}

impl PowerRegisters {
    /// A flow that has just started.
    pub fn start(&self) -> FixedPowerState {
        FixedPowerState {
            has_records: false,
            hops: [HopRecord::default(); MAX_HOPS],
            n_hop: 0,
            path_id: 0,
            prev_rtt: 0,
            last_ack_ns: 0,
            base_rtt: self.base_rtt,
            snap_seq: 0,
            power: self.power_init,
            current: self.w_init,
            old: self.w_init,
            stored: self.w_init,
        }
    }

    /// NEWACK on one flow. The event must carry what the law reads, with valid speed codes.
    pub fn step(&self, state: &mut FixedPowerState, event: &CcEvent) -> FixedPowerStep {
        let ends = ends_round_trip(event.psn_next, state.snap_seq, self.mode.inclusive);
        let full = ends || event.kind == EventKind::Probe;
        let mut step = FixedPowerStep {
            branch: PowerBranch::Unchanged,
            full,
            norm: None,
            winner: None,
            dt_ns: 0,
            hop_power: [None; MAX_HOPS],
        };
        if self.mode.reaction == 2 && state.has_records && !full {
            return step;
        }
        let measured = if self.mode.theta {
            self.measure_delay(state, event, &mut step)
        } else {
            self.measure_hops(state, event, &mut step)
        };
        if !(self.mode.theta && measured == Some(PowerBranch::NoSample)) {
            state.last_ack_ns = event.now & mask(CLOCK_BITS);
        }
        if let Some(branch) = measured {
            step.branch = branch;
            return step;
        }
        self.smooth(state, &mut step);
        if self.mode.reaction == 1 && !full {
            step.branch = PowerBranch::Power;
            return step;
        }
        step.branch = PowerBranch::Window;
        let second = if self.mode.old_in_both {
            state.old
        } else {
            state.current
        };
        let power = state.power.max(self.smallest_power);
        state.current = window(state.old, power, self.beta, self.gamma, second)
            .map_or(self.w_init, |w| w.min(self.w_init))
            .max(self.w_min);
        if full {
            state.old = if self.mode.last_full {
                state.current
            } else {
                state.stored
            };
            state.stored = state.current;
            if !self.mode.last_full || ends_round_trip(event.snd_nxt, state.snap_seq, false) {
                state.snap_seq = event.snd_nxt;
            }
        }
        step
    }

    /// Hops: `Some` is what the acknowledgement did instead of a measurement.
    fn measure_hops(
        &self,
        state: &mut FixedPowerState,
        event: &CcEvent,
        step: &mut FixedPowerStep,
    ) -> Option<PowerBranch> {
        let replace = |state: &mut FixedPowerState| {
            (state.has_records, state.hops) = (true, event.hops);
            (state.n_hop, state.path_id, state.snap_seq) = (event.n_hop, event.path_id, event.snd_nxt);
        };
        if !state.has_records {
            if !self.mode.first_updates {
                replace(state);
                return Some(PowerBranch::First);
            }
            (state.has_records, state.n_hop, state.path_id) = (true, event.n_hop, event.path_id);
        } else if !self.mode.ageless && (event.n_hop, event.path_id) != (state.n_hop, state.path_id) {
            replace(state);
            state.power = self.power_init;
            return Some(PowerBranch::PathChange);
        } else if self.is_stale(state, event) {
            replace(state);
            return Some(PowerBranch::StaleFlow);
        }
        let (mut largest, mut elapsed_of_largest, mut any) = (0, 0, false);
        for i in 0..usize::from(event.n_hop).min(MAX_HOPS) {
            let (record, hop) = (state.hops[i], event.hops[i]);
            let speed = &self.speeds[usize::from(hop.speed & 15)];
            let elapsed = wrapping_difference(hop.ts, record.ts, TS_BITS);
            if elapsed == 0 || (!self.mode.ageless && elapsed >= 1 << (TS_BITS - 1)) {
                continue;
            }
            state.hops[i] = hop;
            if !self.mode.ageless && elapsed >= speed.stale_ns {
                continue;
            }
            let dtx = wrapping_difference(hop.tx_bytes, record.tx_bytes, TX_BITS);
            let units = arrived(dtx, hop.q_len, record.q_len, !self.mode.arrivals);
            let lambda = current(units, speed.busy_time, elapsed).max(self.current_floor);
            let p = power(lambda, voltage(hop.q_len, speed.queue_weight), VOLTAGE_FRACTION);
            step.hop_power[i] = Some(p);
            any = true;
            if p > largest {
                (largest, elapsed_of_largest, step.winner) = (p, elapsed, Some(i));
            }
        }
        if !any && !self.mode.ageless {
            return Some(PowerBranch::NoSample);
        }
        (step.norm, step.dt_ns) = (Some(largest), elapsed_of_largest);
        None
    }

    /// Round-trip times: `Some` is what the acknowledgement did instead of a measurement.
    fn measure_delay(
        &self,
        state: &mut FixedPowerState,
        event: &CcEvent,
        step: &mut FixedPowerStep,
    ) -> Option<PowerBranch> {
        let known = event.sent_valid;
        let missing = match self.mode.missing_rtt {
            MISSING_IS_BASE => Some(state.base_rtt),
            MISSING_IS_LAST => state.has_records.then_some(state.prev_rtt),
            _ => None,
        };
        let clock = mask(CLOCK_BITS);
        let measured = known.then(|| cut24(event.now.wrapping_sub(event.sent_at) & clock));
        let Some(rtt) = measured.or(missing) else {
            return Some(PowerBranch::NoSample);
        };
        if self.mode.smallest_rtt {
            state.base_rtt = state.base_rtt.min(rtt);
        }
        let first = !state.has_records && !self.mode.first_updates;
        if first || (state.has_records && self.is_stale(state, event)) {
            (state.has_records, state.prev_rtt, state.snap_seq) = (true, rtt, event.snd_nxt);
            return Some(if first {
                PowerBranch::First
            } else {
                PowerBranch::StaleFlow
            });
        }
        let elapsed = cut24(event.now.wrapping_sub(state.last_ack_ns) & clock);
        if elapsed == 0 {
            return Some(PowerBranch::NoSample);
        }
        // (RTT - prevRTT) / dt + 1 is what "came" in dt, over dt
        let came = i64::from(rtt) - i64::from(state.prev_rtt) + i64::from(elapsed);
        let came = came.clamp(0, mask(ARRIVED_BITS) as i64) as u32;
        let theta = current(came, self.unit_time, elapsed).max(self.current_floor);
        let (shift, inverse) = self.base_of(state);
        step.norm = Some(power(theta, delay_voltage(rtt, shift, inverse), DELAY_VOLTAGE_FRACTION));
        step.dt_ns = elapsed;
        (state.has_records, state.prev_rtt) = (true, rtt);
        None
    }

    /// Left shift and inverse of the base round-trip time in use.
    fn base_of(&self, state: &FixedPowerState) -> (u32, u64) {
        if self.mode.smallest_rtt {
            inverse_base_rtt(state.base_rtt)
        } else {
            (u32::from(self.base_rtt_shift), self.inverse_base_rtt)
        }
    }

    /// Line 33.
    fn smooth(&self, state: &mut FixedPowerState, step: &mut FixedPowerStep) {
        let norm = step.norm.unwrap_or(0);
        if step.dt_ns >= state.base_rtt {
            step.dt_ns = state.base_rtt;
            state.power = norm;
        } else if step.dt_ns > 0 {
            let (shift, inverse) = self.base_of(state);
            let w = weight(step.dt_ns, shift, inverse).min(1 << WEIGHT_BITS);
            state.power = ewma(state.power, norm, w);
        }
    }

    fn is_stale(&self, state: &FixedPowerState, event: &CcEvent) -> bool {
        let age = event.now.wrapping_sub(state.last_ack_ns) & mask(CLOCK_BITS);
        !self.mode.ageless && age > u64::from(self.stale_limit)
    }

    /// The window that leaves, UQ23.11: at the base round-trip time of the flow.
    pub fn window_out(&self, state: &FixedPowerState) -> u64 {
        if !self.mode.smallest_rtt || state.base_rtt >= self.base_rtt {
            return state.current;
        }
        let share = weight(state.base_rtt, u32::from(self.base_rtt_shift), self.inverse_base_rtt);
        ((u128::from(state.current) * u128::from(share)) >> WEIGHT_BITS) as u64
    }
}

/// The fixed-point law for all flows of a NIC.
#[derive(Clone, Debug)]
pub struct FixedPower {
    params: PowerParams,
    registers: PowerRegisters,
    flows: FlowTable<FixedPowerState>,
    counters: HpccCounters,
    last: Option<PowerObservation>,
}

impl FixedPower {
    /// No flows yet. Errors name the parameter that the hardware's formats do not hold.
    pub fn new(params: PowerParams) -> Result<Self, ParamError> {
        Ok(Self {
            registers: PowerRegisters::new(&params)?,
            params,
            flows: FlowTable::default(),
            counters: HpccCounters::default(),
            last: None,
        })
    }

    /// The registers in use.
    pub fn registers(&self) -> &PowerRegisters {
        &self.registers
    }

    /// Counters since the start.
    pub fn counters(&self) -> HpccCounters {
        self.counters
    }

    /// State of a flow.
    pub fn state(&self, flow: u32) -> Option<&FixedPowerState> {
        self.flows.get(flow)
    }

    /// What the last event did, in the golden model's units; `None` if it was ignored.
    pub fn last(&self) -> Option<&PowerObservation> {
        self.last.as_ref()
    }

    fn update(&self, flow: u32, generation: u8, state: &FixedPowerState) -> Update {
        Update {
            flow,
            generation,
            window: window_bytes(self.registers.window_out(state)),
            rate: rate_bits_per_second(rate(state.current, self.registers.rate_per_window)),
        }
    }

    fn usable(&mut self, event: &CcEvent) -> bool {
        if self.registers.mode.theta {
            return true;
        }
        let hops = usize::from(event.n_hop).min(MAX_HOPS);
        if !event.int_valid {
            return false;
        }
        let known = |hop: &HopRecord| self.registers.speeds[usize::from(hop.speed & 15)].valid;
        if !event.hops[..hops].iter().all(known) {
            self.counters.invalid_speed += 1;
            return false;
        }
        self.counters.hops_over_five += u64::from(usize::from(event.n_hop) > MAX_HOPS);
        true
    }
}

/// Power of the state in the golden model's units.
pub fn power_value(bits: u64, eta: f64) -> f64 {
    bits as f64 / 2f64.powi(POWER_FRACTION as i32) * eta
}

impl CongestionControl for FixedPower {
    fn name(&self) -> &'static str {
        self.params.name()
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let state = self.registers.start();
        self.flows.insert(flow, generation, state);
        self.update(flow, generation, &state)
    }

    fn remove(&mut self, flow: u32) {
        self.flows.remove(flow);
    }

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        self.last = None;
        let taken = if self.registers.mode.theta {
            event.kind.acknowledges()
        } else {
            event.kind.brings_int()
        };
        if !taken {
            return None;
        }
        if self.flows.get_mut(event.flow, event.generation).is_none() {
            self.counters.late += 1;
            return None;
        }
        if !self.usable(event) {
            return None;
        }
        let state = self.flows.get_mut(event.flow, event.generation)?;
        let step = self.registers.step(state, event);
        let state = *state;
        let eta = self.params.eta;
        let update = self.update(event.flow, event.generation, &state);
        let to_rate = |w: u64| rate_bits_per_second(rate(w, self.registers.rate_per_window));
        self.last = Some(PowerObservation {
            branch: step.branch,
            full: step.full,
            norm_power: step.norm.map(|p| power_value(p, eta)),
            power: power_value(state.power, eta),
            w: update.window,
            old: window_bytes(state.old),
            rate: update.rate,
            reference_rate: to_rate(state.old),
            base_rtt_ns: state.base_rtt.into(),
            winner: step.winner,
            dt_ns: step.dt_ns.into(),
            hop_power: step.hop_power.map(|p| p.map(|p| power_value(p, eta))),
        });
        Some(update)
    }
}

#[cfg(test)]
mod tests;
