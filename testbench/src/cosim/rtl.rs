//! The congestion-control module, clock by clock, as a [`Replay`]: RustHDL, or its Verilog through Verilator. Stalls on both
//! sides at random.

use super::replay::{Replay, Seen};
use super::source::Source;
use crate::drive::clocked::{Clocked, Recorded, RustHdl};
use crate::drive::slot::{Offer, SlotDriver};
use crate::verilated::{sources, Model};
use hpcc_models::cc::CcEvent;
use hpcc_models::fixed::hpcc::{utilisation, window_bytes};
use hpcc_models::fixed::powertcp::{power_value, PowerRegisters};
use hpcc_models::fixed::HpccRegisters;
use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_rtl::cc::powertcp::PowerSlot;
use hpcc_rtl::cc::slot::{LawSlot, RawUpdate};
use hpcc_rtl::cc::theta::ThetaSlot;
use hpcc_rtl::sim::Stimulus;
use indicatif::ProgressBar;
use std::fs::File;
use std::io::BufWriter;

/// Chance in each clock that an event is offered and that an update is taken.
const OFFER: f64 = 0.9;
/// Clocks without an update after which the module is taken to have nothing left to say.
const SILENCE: u64 = 2_000;
/// Clock period in waveforms, ps: 200 MHz.
const PERIOD_PS: u64 = 5_000;
/// Clocks before and after the row of interest in a waveform.
const WAVE_BEFORE: u64 = 200;
const WAVE_AFTER: u64 = 100;

/// What runs the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Simulator {
    /// RustHDL's own evaluation; needs nothing but Rust.
    #[default]
    Rusthdl,
    /// The emitted Verilog through Verilator; some fifty times faster once it is built.
    Verilated,
}

/// A law that has RTL, with its registers.
#[derive(Clone, Debug)]
pub struct RtlLaw {
    name: &'static str,
    writes: Vec<(u8, u64)>,
    /// What the module shows of the path, in golden's units: bits and eta.
    signal: fn(u64, f64) -> f64,
    eta: f64,
}

impl RtlLaw {
    /// The RTL of a trace's law; an error names the parameter that the hardware does not hold.
    pub fn of(source: &Source) -> Result<Self, String> {
        Ok(match source {
            Source::Hpcc(trace) => {
                let params = &trace.header.params;
                let registers = HpccRegisters::new(params).map_err(|error| error.to_string())?;
                Self {
                    name: "hpcc",
                    writes: registers.writes(),
                    signal: utilisation,
                    eta: params.eta,
                }
            }
            Source::Power(trace) => {
                let params = &trace.header.params;
                let registers = PowerRegisters::new(params).map_err(|error| error.to_string())?;
                Self {
                    name: params.name(),
                    writes: registers.writes(),
                    signal: power_value,
                    eta: params.eta,
                }
            }
        })
    }
}

/// The module with the paper's 300 flows, or with 4096 where a trace has more.
pub struct Rtl {
    /// The law and its registers.
    pub law: RtlLaw,
    /// Seed of the stalls.
    pub seed: u64,
    /// What runs it.
    pub simulator: Simulator,
    /// Shown while it runs.
    pub progress: ProgressBar,
}

impl Rtl {
    fn run(&self, flows: u32, events: &[CcEvent], wave: Option<Wave>) -> Result<Outcome, String> {
        match (self.law.name, flows) {
            ("hpcc", 0..=300) => self.run_sized::<HpccSlot<300, 9>>(flows, events, wave),
            ("hpcc", 301..=4096) => self.run_sized::<HpccSlot<4096, 12>>(flows, events, wave),
            ("powertcp", 0..=300) => self.run_sized::<PowerSlot<300, 9>>(flows, events, wave),
            ("powertcp", 301..=4096) => self.run_sized::<PowerSlot<4096, 12>>(flows, events, wave),
            (_, 0..=300) => self.run_sized::<ThetaSlot<300, 9>>(flows, events, wave),
            (_, 301..=4096) => self.run_sized::<ThetaSlot<4096, 12>>(flows, events, wave),
            _ => Err(format!("flow: expected at most 4096 flows for the RTL, got {flows}")),
        }
    }

    fn run_sized<S: LawSlot>(&self, flows: u32, events: &[CcEvent], wave: Option<Wave>) -> Result<Outcome, String> {
        let mut slot: Box<S> = Box::default();
        if let (Simulator::Verilated, None) = (self.simulator, &wave) {
            let sources = sources(&format!("{}_cosim", S::LAW), slot.as_mut()).map_err(|error| error.to_string())?;
            let model = Model::new(&sources).map_err(|error| error.to_string())?;
            return Ok(self.replay_on(model, flows, events)?.0);
        }
        let block = RustHdl::new(slot).map_err(|error| error.to_string())?;
        let Some(Wave { out, first, last }) = wave else {
            return Ok(self.replay_on(block, flows, events)?.0);
        };
        let (outcome, recorded) = self.replay_on(
            Recorded::new(block, S::LAW, out, first..=last, PERIOD_PS),
            flows,
            events,
        )?;
        recorded.finish().map_err(|error| error.to_string())?;
        Ok(outcome)
    }

    fn replay_on<C: Clocked>(&self, device: C, flows: u32, events: &[CcEvent]) -> Result<(Outcome, C), String> {
        let mut bench = Bench {
            driver: SlotDriver::new(device, &self.law.writes),
            stalls: Stimulus::new(self.seed),
            updates: vec![],
            silent: 0,
        };
        let taken = bench.run(flows, events, &self.progress);
        Ok((
            Outcome {
                updates: bench.updates,
                taken,
            },
            bench.driver.into_device(),
        ))
    }

    /// Repeats the run in RustHDL and writes the clocks around event `row` as a waveform.
    pub fn waveform(&self, flows: u32, events: &[CcEvent], row: usize, out: BufWriter<File>) -> Result<(), String> {
        let outcome = self.run(flows, events, None)?;
        let taken = outcome.taken.get(row).copied().unwrap_or(0);
        let wave = Wave {
            out,
            first: taken.saturating_sub(WAVE_BEFORE),
            last: taken + WAVE_AFTER,
        };
        let upto = (row + WAVE_AFTER as usize).min(events.len());
        self.run(flows, &events[..upto], Some(wave)).map(|_| ())
    }
}

impl Replay for Rtl {
    fn name(&self) -> &'static str {
        "rtl"
    }

    fn replay(&mut self, flows: u32, events: &[CcEvent]) -> Result<Vec<Option<Seen>>, String> {
        let outcome = self.run(flows, events, None)?;
        self.progress.finish_and_clear();
        // Updates leave in the order of events; an event without one is an ignored event.
        let mut updates = outcome.updates.iter().skip(flows as usize).peekable();
        let seen = |update: &RawUpdate| Seen {
            u: (self.law.signal)(update.utilisation, self.law.eta),
            w: window_bytes(update.window),
            wc: None,
            inc_stage: None,
            branch: None,
            rates: None,
        };
        let mut next = |event: &CcEvent| updates.next_if(|update| u32::from(update.flow) == event.flow).map(seen);
        Ok(events.iter().map(&mut next).collect())
    }
}

/// Where a waveform goes and which clocks it shows.
struct Wave {
    out: BufWriter<File>,
    first: u64,
    last: u64,
}

/// What came out, and the clock in which each event went in.
struct Outcome {
    updates: Vec<RawUpdate>,
    taken: Vec<u64>,
}

struct Bench<C: Clocked> {
    driver: SlotDriver<C>,
    stalls: Stimulus,
    updates: Vec<RawUpdate>,
    silent: u64,
}

impl<C: Clocked> Bench<C> {
    /// One clock; whether the event or the command was taken.
    fn step(&mut self, event: Option<&CcEvent>, create: Option<u32>) -> bool {
        let taken = self.driver.step(Offer {
            event,
            command: create.map(|flow| (true, flow as u16, 0)),
            stalled: !self.stalls.chance(OFFER),
        });
        self.silent = if taken.update.is_some() { 0 } else { self.silent + 1 };
        self.updates.extend(taken.update);
        taken.event | taken.command
    }

    fn run(&mut self, flows: u32, events: &[CcEvent], progress: &ProgressBar) -> Vec<u64> {
        for flow in 0..flows {
            while !self.step(None, Some(flow)) {}
        }
        self.drain(flows as usize);
        let mut taken = Vec::with_capacity(events.len());
        for event in events {
            while !self.stalls.chance(OFFER) {
                self.step(None, None);
            }
            while !self.step(Some(event), None) {}
            taken.push(self.driver.clock() - 1);
            progress.inc(1);
        }
        self.drain(flows as usize + events.len());
        taken
    }

    /// Runs until that many updates have come, or no more come.
    fn drain(&mut self, updates: usize) {
        self.silent = 0;
        while self.updates.len() < updates && self.silent < SILENCE {
            self.step(None, None);
        }
    }
}
