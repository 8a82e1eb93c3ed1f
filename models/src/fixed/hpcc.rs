//! HPCC bit for bit as the hardware computes it: the same order of decisions as the golden model, integers inside.

use super::arithmetic::{psn_after, rate, wrapping_difference, Arithmetic, Shipped};
use super::formats::{mask, CLOCK_BITS, TS_BITS, TX_BITS};
use super::precision::{Precision, Reduced};
use super::registers::HpccRegisters;
use crate::cc::hpcc::{Branch, HpccCounters, HpccParams, Observation, ParamError};
use crate::cc::{CcEvent, CongestionControl, EventKind, FlowTable, HopRecord, Update, MAX_HOPS};

/// State of one flow, as the hardware's tables hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedState {
    /// Hop records exist.
    pub has_records: bool,
    /// Hop records.
    pub hops: [HopRecord; MAX_HOPS],
    /// Hops of the recorded path, 4 bits.
    pub n_hop: u8,
    /// Identity of the recorded path, 12 bits.
    pub path_id: u16,
    /// `lastUpdateSeq`, 24 bits.
    pub last_update_seq: u32,
    /// Clock at the last ACK that reached the records, 48 bits, ns.
    pub last_ack_ns: u64,
    /// Utilisation over eta, bits of [`super::formats::Utilisation`].
    pub c: u64,
    /// Reference window, bits of [`super::formats::Window`].
    pub wc: u64,
    /// Window, bits of [`super::formats::Window`].
    pub w: u64,
    /// `incStage`.
    pub inc_stage: u8,
}

impl FixedState {
    /// A flow that has just started.
    pub fn new(registers: &HpccRegisters) -> Self {
        Self {
            has_records: false,
            hops: [HopRecord::default(); MAX_HOPS],
            n_hop: 0,
            path_id: 0,
            last_update_seq: 0,
            last_ack_ns: 0,
            c: registers.c_init,
            wc: registers.w_init,
            w: registers.w_init,
            inc_stage: 0,
        }
    }

    fn replace_records(&mut self, event: &CcEvent) {
        self.has_records = true;
        self.hops = event.hops;
        self.n_hop = event.n_hop;
        self.path_id = event.path_id;
        self.last_update_seq = event.snd_nxt;
    }
}

/// What one accepted ACK did, in the bits of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedStep {
    /// Which part of the law acted.
    pub branch: Branch,
    /// The ACK moved the reference window.
    pub full: bool,
    /// Most congested hop.
    pub winner: Option<usize>,
    /// `tau` of the winner after line 8, ns.
    pub tau_ns: u32,
    /// Normalised utilisation of each hop that took part.
    pub hop_c: [Option<u64>; MAX_HOPS],
}

impl HpccRegisters {
    /// NEWACK on one flow. The event must carry INT with valid speed codes.
    pub fn step(&self, state: &mut FixedState, event: &CcEvent) -> FixedStep {
        self.step_with(&Shipped, state, event)
    }

    /// [`HpccRegisters::step`] with other arithmetic.
    fn step_with<A: Arithmetic>(&self, arithmetic: &A, state: &mut FixedState, event: &CcEvent) -> FixedStep {
        let probe = event.kind == EventKind::Probe;
        let newer = self.reaction == 1 || probe || psn_after(event.psn_next, state.last_update_seq);
        let mut step = FixedStep {
            branch: Branch::First,
            full: false,
            winner: None,
            tau_ns: 0,
            hop_c: [None; MAX_HOPS],
        };
        if !state.has_records {
            state.replace_records(event);
        } else if self.reaction == 2 && !newer {
            step.branch = Branch::Unchanged;
            return step;
        } else if event.n_hop != state.n_hop || event.path_id != state.path_id {
            state.replace_records(event);
            state.c = self.c_init;
            step.branch = Branch::PathChange;
        } else if (event.now.wrapping_sub(state.last_ack_ns) & mask(CLOCK_BITS)) > u64::from(self.stale_limit) {
            state.replace_records(event);
            step.branch = Branch::StaleFlow;
        } else {
            step.full = newer;
            self.measure(arithmetic, state, event, &mut step);
            step.branch = self.compute_window(arithmetic, state, newer);
            if newer {
                state.last_update_seq = event.snd_nxt;
            }
        }
        state.last_ack_ns = event.now;
        step
    }

    /// Lines 1 to 10 and 27: hop records and utilisation.
    fn measure<A: Arithmetic>(&self, arithmetic: &A, state: &mut FixedState, event: &CcEvent, step: &mut FixedStep) {
        let mut largest = 0;
        let mut tau = 0;
        for i in 0..usize::from(state.n_hop).min(MAX_HOPS) {
            let (record, hop) = (state.hops[i], event.hops[i]);
            let speed = &self.speeds[usize::from(hop.speed & 15)];
            let elapsed = wrapping_difference(hop.ts, record.ts, TS_BITS);
            if elapsed == 0 || elapsed >= 1 << (TS_BITS - 1) {
                continue;
            }
            state.hops[i] = hop;
            if elapsed >= speed.stale_ns {
                continue;
            }
            let tx = wrapping_difference(hop.tx_bytes, record.tx_bytes, TX_BITS);
            let c = arithmetic.hop_utilisation(
                tx,
                speed.busy_time,
                elapsed,
                hop.q_len.min(record.q_len),
                speed.queue_weight,
            );
            step.hop_c[i] = Some(c);
            if c > largest {
                (largest, tau) = (c, elapsed);
                step.winner = Some(i);
            }
        }
        step.tau_ns = tau.min(self.base_rtt);
        if tau >= self.base_rtt {
            state.c = largest;
        } else if step.winner.is_some() {
            let w = arithmetic.weight(tau, u32::from(self.base_rtt_shift), self.inverse_base_rtt);
            state.c = arithmetic.ewma(state.c, largest, w);
        }
    }

    /// Lines 11 to 20.
    fn compute_window<A: Arithmetic>(&self, arithmetic: &A, state: &mut FixedState, update_reference: bool) -> Branch {
        let multiplicative = state.c >> 34 != 0 || state.inc_stage >= self.max_stage;
        let inverse = multiplicative.then(|| arithmetic.inverse_utilisation(state.c));
        state.w = arithmetic
            .window(state.wc, inverse, self.w_ai)
            .map_or(self.w_init, |w| w.min(self.w_init))
            .max(self.w_min);
        if update_reference {
            state.inc_stage = if multiplicative {
                0
            } else {
                state.inc_stage.saturating_add(1)
            };
            state.wc = state.w;
        }
        if multiplicative {
            Branch::Multiplicative
        } else {
            Branch::Additive
        }
    }
}

/// The fixed-point law for all flows of a NIC.
#[derive(Clone, Debug)]
pub struct FixedHpcc<A = Shipped> {
    params: HpccParams,
    registers: HpccRegisters,
    arithmetic: A,
    flows: FlowTable<FixedState>,
    counters: HpccCounters,
    last: Option<Observation<f64>>,
}

impl FixedHpcc {
    /// No flows yet. Errors name the parameter that the hardware's formats do not hold.
    pub fn new(params: HpccParams) -> Result<Self, ParamError> {
        let registers = HpccRegisters::new(&params)?;
        Ok(Self::with(params, registers, Shipped))
    }
}

impl FixedHpcc<Reduced> {
    /// The law at another precision than the hardware's.
    pub fn at_precision(params: HpccParams, precision: &Precision) -> Result<Self, ParamError> {
        let arithmetic = Reduced::new(precision)?;
        let mut registers = HpccRegisters::new(&params)?;
        arithmetic.round_registers(&mut registers);
        Ok(Self::with(params, registers, arithmetic))
    }
}

impl<A> FixedHpcc<A> {
    fn with(params: HpccParams, registers: HpccRegisters, arithmetic: A) -> Self {
        Self {
            params,
            registers,
            arithmetic,
            flows: FlowTable::default(),
            counters: HpccCounters::default(),
            last: None,
        }
    }

    /// The registers in use.
    pub fn registers(&self) -> &HpccRegisters {
        &self.registers
    }

    /// Counters since the start.
    pub fn counters(&self) -> HpccCounters {
        self.counters
    }

    /// State of a flow.
    pub fn state(&self, flow: u32) -> Option<&FixedState> {
        self.flows.get(flow)
    }

    /// What the last event did, in the golden model's units; `None` if it was ignored.
    pub fn last(&self) -> Option<&Observation<f64>> {
        self.last.as_ref()
    }

    fn update(&self, flow: u32, generation: u8, w: u64) -> Update {
        Update {
            flow,
            generation,
            window: window_bytes(w),
            rate: rate_bits_per_second(rate(w, self.registers.rate_per_window)),
        }
    }
}

/// Bytes of a window in the hardware's bits, exact.
pub fn window_bytes(bits: u64) -> f64 {
    bits as f64 / 2048.0
}

/// Bits per second of a rate in the hardware's bits.
pub fn rate_bits_per_second(bits: u64) -> f64 {
    bits as f64 / f64::from(1u32 << 27) * 8e9
}

/// `U` of a utilisation over eta in the hardware's bits.
pub fn utilisation(c: u64, eta: f64) -> f64 {
    c as f64 / 2f64.powi(34) * eta
}

/// Whether the hardware takes the event at all, and what it counts: shared by every law that lives on INT.
fn usable(event: &CcEvent, registers: &HpccRegisters, counters: &mut HpccCounters) -> bool {
    if !event.int_valid {
        return false;
    }
    let hops = usize::from(event.n_hop).min(MAX_HOPS);
    if event.hops[..hops]
        .iter()
        .any(|hop| !registers.speeds[usize::from(hop.speed & 15)].valid)
    {
        counters.invalid_speed += 1;
        return false;
    }
    if usize::from(event.n_hop) > MAX_HOPS {
        counters.hops_over_five += 1;
    }
    true
}

impl<A: Arithmetic> CongestionControl for FixedHpcc<A> {
    fn name(&self) -> &'static str {
        "hpcc-fixed"
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        self.flows.insert(flow, generation, FixedState::new(&self.registers));
        self.update(flow, generation, self.registers.w_init)
    }

    fn remove(&mut self, flow: u32) {
        self.flows.remove(flow);
    }

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        self.last = None;
        if !event.kind.brings_int() {
            return None;
        }
        let Some(state) = self.flows.get_mut(event.flow, event.generation) else {
            self.counters.late += 1;
            return None;
        };
        if !usable(event, &self.registers, &mut self.counters) {
            return None;
        }
        let step = self.registers.step_with(&self.arithmetic, state, event);
        let eta = self.params.eta;
        let seen = Observation {
            branch: step.branch,
            full: step.full,
            u: utilisation(state.c, eta),
            w: window_bytes(state.w),
            wc: window_bytes(state.wc),
            inc_stage: state.inc_stage,
            winner: step.winner,
            tau_ns: step.tau_ns,
            hop_u: step.hop_c.map(|c| c.map(|c| utilisation(c, eta))),
        };
        let w = state.w;
        self.last = Some(seen);
        Some(self.update(event.flow, event.generation, w))
    }
}
