//! DCQCN's reaction point bit for bit as the hardware computes it (SIGCOMM 2015, section 5; forms of the authors of HPCC and of vendors as
//! options).
//!
//! Rates are pacing words, UQ7.27 bytes/ns. Times are counted in 1.024 us and compared as serial numbers, so a timer that is more than
//! half a second late would be misread: ticks come far more often. A tick does at most one step of each kind; what is still due waits for
//! the next. No event changes a flow's rate twice: a cut leaves no time for an increase by timer, and an acknowledgement whose mark makes
//! a cut ends no byte stage, because the cut begins a new one.

mod registers;
#[cfg(test)]
mod tests;

pub use registers::{
    address, DcqcnMode, DcqcnRegisters, ALPHA_BITS, BYTES_BITS, BYTES_SHIFT, DEFAULT_WALK, GAIN_BITS, STAGE_MAX,
    TIME_BITS, TIME_SHIFT,
};

use super::formats::{mask, WINDOW_BITS};
use super::hpcc::{rate_bits_per_second, window_bytes};
use crate::cc::dcqcn::DcqcnParams;
use crate::cc::hpcc::ParamError;
use crate::cc::{CcEvent, CongestionControl, EventKind, FlowTable, Update};

/// `alpha` of 1.
const ONE: u64 = 1 << 20;

/// State of one flow, as the hardware's tables hold it: 196 bits with its generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedDcqcnState {
    /// Rate, UQ7.27.
    pub rc: u64,
    /// Target rate, UQ7.27.
    pub rt: u64,
    /// `alpha`, UQ1.20.
    pub alpha: u64,
    /// Increases by timer since the last cut.
    pub stage_t: u8,
    /// Increases by bytes since the last cut.
    pub stage_b: u8,
    /// Bytes left to the next byte stage, units of 64.
    pub bytes: u32,
    /// When alpha is due, 1.024 us.
    pub next_alpha: u32,
    /// From when a cut may be made.
    pub next_cut: u32,
    /// When an increase is due.
    pub next_increase: u32,
    /// A CNP has come.
    pub started: bool,
    /// A CNP came since the last update of alpha.
    pub cnp_alpha: bool,
    /// A CNP came since the last cut.
    pub cnp_cut: bool,
}

/// Whether `now` has reached `due`, as 20-bit serial numbers.
pub fn reached(now: u32, due: u32) -> bool {
    now.wrapping_sub(due) & mask(TIME_BITS) as u32 & (1 << (TIME_BITS - 1)) == 0
}

fn later(now: u32, interval: u32) -> u32 {
    now.wrapping_add(interval) & mask(TIME_BITS) as u32
}

/// A time in ns in the unit of the timers.
pub fn units(ns: u64) -> u32 {
    (ns >> TIME_SHIFT & mask(TIME_BITS)) as u32
}

impl DcqcnRegisters {
    /// A flow that has just started.
    pub fn start(&self) -> FixedDcqcnState {
        FixedDcqcnState {
            rc: self.line_rate,
            rt: self.line_rate,
            alpha: ONE,
            stage_t: 0,
            stage_b: 0,
            bytes: self.byte_reset,
            next_alpha: 0,
            next_cut: 0,
            next_increase: 0,
            started: false,
            cnp_alpha: false,
            cnp_cut: false,
        }
    }

    /// One event on one flow.
    pub fn step(&self, s: &mut FixedDcqcnState, event: &CcEvent) {
        let now = units(event.now);
        match event.kind {
            EventKind::Cnp => {
                self.notified(s, now, true);
            }
            EventKind::Ack => {
                let counts = s.started;
                let cut = event.ecn && self.mode.mark_on_ack && self.notified(s, now, true);
                if counts && !cut {
                    self.count(s, event.bytes);
                }
            }
            EventKind::Nak if event.ecn && self.mode.mark_on_ack => {
                self.notified(s, now, true);
            }
            EventKind::Timeout if self.mode.cut_on_timeout => {
                self.notified(s, now, false);
            }
            EventKind::Tick => self.tick(s, now),
            EventKind::Nak | EventKind::Timeout | EventKind::Sent | EventKind::Probe => {}
        }
    }

    /// Congestion was signalled; whether it made a cut.
    fn notified(&self, s: &mut FixedDcqcnState, now: u32, cnp: bool) -> bool {
        if s.started {
            s.cnp_alpha |= cnp;
        } else {
            s.started = true;
            s.next_alpha = later(now, self.alpha_interval);
            s.next_increase = later(now, self.increase_interval);
            s.next_cut = if self.mode.first_late {
                later(now, self.cut_interval)
            } else {
                now
            };
            if self.first_rate != 0 {
                s.rc = self.first_rate;
            }
        }
        s.cnp_cut = true;
        self.cut_if_due(s, now)
    }

    fn tick(&self, s: &mut FixedDcqcnState, now: u32) {
        if !s.started {
            return;
        }
        if reached(now, s.next_alpha) {
            // the product rounded up: rounded down, alpha would stop at 1 / gain units
            s.alpha -= (s.alpha * self.gain).div_ceil(1 << GAIN_BITS);
            if std::mem::take(&mut s.cnp_alpha) {
                s.alpha += self.gain;
            }
            s.next_alpha = later(s.next_alpha, self.alpha_interval);
        }
        if !s.cnp_cut && reached(now, s.next_cut) {
            // so that a serial comparison never takes an old time for a future one
            s.next_cut = now;
        }
        if !self.cut_if_due(s, now) && reached(now, s.next_increase) {
            s.next_increase = later(s.next_increase, self.increase_interval);
            self.increase(s, false);
        }
    }

    /// Whether a cut was made.
    fn cut_if_due(&self, s: &mut FixedDcqcnState, now: u32) -> bool {
        if !s.cnp_cut || !reached(now, s.next_cut) {
            return false;
        }
        if self.mode.clamp || s.stage_t > 0 || s.stage_b > 0 {
            s.rt = s.rc;
        }
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let cut = s.rc - (product(s.rc, s.alpha) >> 21) as u64;
        let least = (product(s.rc, self.min_decrease) >> 8) as u64;
        s.rc = cut.max(least).max(self.min_rate);
        // A rate set by the first CNP may lie below the smallest rate of a cut; the target never lies below the rate.
        s.rt = s.rt.max(s.rc);
        (s.stage_t, s.stage_b) = (0, 0);
        s.bytes = self.byte_reset;
        s.next_increase = later(now, self.increase_interval);
        s.next_cut = later(now, self.cut_interval);
        s.cnp_cut = false;
        true
    }

    /// Acknowledged bytes; at the end of a byte stage an increase.
    fn count(&self, s: &mut FixedDcqcnState, bytes: u32) {
        if self.byte_reset == 0 {
            return;
        }
        match s.bytes.checked_sub(bytes >> BYTES_SHIFT) {
            Some(left) => s.bytes = left,
            None => {
                s.bytes = self.byte_reset;
                self.increase(s, true);
            }
        }
    }

    fn increase(&self, s: &mut FixedDcqcnState, by_bytes: bool) {
        let stage = if by_bytes { &mut s.stage_b } else { &mut s.stage_t };
        let before = *stage;
        *stage = (before + 1).min(STAGE_MAX);
        let f = self.fast_recovery;
        let step = if self.mode.qcn {
            if s.stage_t.max(s.stage_b) < f {
                0
            } else if s.stage_t.min(s.stage_b) > f {
                self.rate_hai
            } else {
                self.rate_ai
            }
        } else {
            match before.cmp(&f) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Equal => self.rate_ai,
                std::cmp::Ordering::Greater => self.rate_hai,
            }
        };
        s.rt = (s.rt + step).min(self.line_rate);
        s.rc = (s.rc >> 1) + (s.rt >> 1);
    }

    /// The window that leaves, UQ23.11: all ones where there is none.
    pub fn window(&self, rc: u64) -> u64 {
        if !self.mode.window {
            return mask(WINDOW_BITS);
        }
        let product = u128::from(rc) * u128::from(self.window_time);
        (product >> (27 + 17 - 11)).min(u128::from(mask(WINDOW_BITS))) as u64
    }
}

/// The fixed-point law for all flows of a NIC.
#[derive(Clone, Debug)]
pub struct FixedDcqcn {
    registers: DcqcnRegisters,
    flows: FlowTable<FixedDcqcnState>,
    /// Time between two looks of the walk at a flow, ns.
    walk_ns: u64,
    now: u64,
    /// Events of a flow that does not exist or of an earlier generation.
    late: u64,
}

impl FixedDcqcn {
    /// No flows yet; `walk_ns` is the time between two looks of the timers at a flow, ns (the network model asks for ticks at its
    /// multiples). Errors name the parameter that the hardware's formats do not hold.
    pub fn new(params: &DcqcnParams, windowed: bool, walk_ns: u64) -> Result<Self, ParamError> {
        Ok(Self::with_registers(DcqcnRegisters::new(params, windowed)?, walk_ns))
    }

    /// As [`new`](Self::new), from registers.
    pub fn with_registers(registers: DcqcnRegisters, walk_ns: u64) -> Self {
        Self {
            registers,
            flows: FlowTable::default(),
            walk_ns: walk_ns.max(1 << TIME_SHIFT),
            now: 0,
            late: 0,
        }
    }

    /// The registers in use.
    pub fn registers(&self) -> &DcqcnRegisters {
        &self.registers
    }

    /// State of a flow.
    pub fn state(&self, flow: u32) -> Option<&FixedDcqcnState> {
        self.flows.get(flow)
    }

    /// Events of a flow that does not exist or of an earlier generation.
    pub fn late(&self) -> u64 {
        self.late
    }

    fn update(&self, flow: u32, generation: u8, rc: u64) -> Update {
        Update {
            flow,
            generation,
            window: if self.registers.mode.window {
                window_bytes(self.registers.window(rc))
            } else {
                f64::INFINITY
            },
            rate: rate_bits_per_second(rc),
        }
    }
}

impl CongestionControl for FixedDcqcn {
    fn name(&self) -> &'static str {
        "dcqcn"
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let state = self.registers.start();
        self.flows.insert(flow, generation, state);
        self.update(flow, generation, state.rc)
    }

    fn remove(&mut self, flow: u32) {
        self.flows.remove(flow);
    }

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        self.now = event.now;
        let Some(state) = self.flows.get_mut(event.flow, event.generation) else {
            self.late += 1;
            return None;
        };
        let before = state.rc;
        self.registers.step(state, event);
        let rc = state.rc;
        (rc != before).then(|| self.update(event.flow, event.generation, rc))
    }

    fn next_tick(&self, flow: u32) -> Option<u64> {
        let s = self.flows.get(flow).filter(|s| s.started)?;
        let now = units(self.now);
        let wait = |due: u32| {
            if reached(now, due) {
                0
            } else {
                later(due, 0).wrapping_sub(now) & mask(TIME_BITS) as u32
            }
        };
        let mut least = wait(s.next_alpha).min(wait(s.next_increase));
        if s.cnp_cut {
            least = least.min(wait(s.next_cut));
        }
        let due = ((self.now >> TIME_SHIFT) + u64::from(least)) << TIME_SHIFT;
        // the first look of the walk that finds it due
        Some(due.max(self.now + 1).next_multiple_of(self.walk_ns))
    }
}
