//! The congestion-control module in RustHDL, clock by clock, as a [`Replay`]; stalls on both sides at random.

use super::{Replay, Seen};
use hpcc_models::cc::hpcc::HpccParams;
use hpcc_models::cc::CcEvent;
use hpcc_models::fixed::hpcc::{utilisation, window_bytes};
use hpcc_models::fixed::HpccRegisters;
use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_rtl::cc::slot::RawUpdate;
use hpcc_rtl::prim::uint::U;
use hpcc_rtl::sim::{init, step, Stimulus, WaveWindow};
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

/// The module with the paper's 300 flows, or with 4096 where a trace has more.
pub struct Rtl {
    params: HpccParams,
    seed: u64,
}

impl Rtl {
    /// Parameters go into the registers, the seed into the stalls.
    pub fn new(params: HpccParams, seed: u64) -> Self {
        Self { params, seed }
    }

    fn run(&self, flows: u32, events: &[CcEvent], wave: Option<Wave>) -> Result<Outcome, String> {
        match flows {
            0..=300 => Bench::<300, 9>::new(self, wave)?.run(flows, events),
            301..=4096 => Bench::<4096, 12>::new(self, wave)?.run(flows, events),
            _ => Err(format!("flow: expected at most 4096 flows for the RTL, got {flows}")),
        }
    }

    /// Repeats the run and writes the clocks around event `row` as a waveform.
    pub fn waveform(&self, flows: u32, events: &[CcEvent], row: usize, out: BufWriter<File>) -> Result<(), String> {
        let outcome = self.run(flows, events, None)?;
        let taken = outcome.taken.get(row).copied().unwrap_or(0);
        let window = WaveWindow::new(out, taken.saturating_sub(WAVE_BEFORE), taken + WAVE_AFTER, PERIOD_PS);
        let upto = (row + WAVE_AFTER as usize).min(events.len());
        self.run(flows, &events[..upto], Some(window)).map(|_| ())
    }
}

impl Replay for Rtl {
    fn name(&self) -> &'static str {
        "rtl"
    }

    fn replay(&mut self, flows: u32, events: &[CcEvent]) -> Result<Vec<Option<Seen>>, String> {
        let outcome = self.run(flows, events, None)?;
        // Updates leave in the order of events; an event without one is an ignored event.
        let mut updates = outcome.updates.iter().skip(flows as usize).peekable();
        let seen = |update: &RawUpdate| Seen {
            u: utilisation(update.utilisation, self.params.eta),
            w: window_bytes(update.window),
            wc: None,
            inc_stage: None,
            branch: None,
        };
        let mut next = |event: &CcEvent| updates.next_if(|update| u32::from(update.flow) == event.flow).map(seen);
        Ok(events.iter().map(&mut next).collect())
    }
}

type Wave = WaveWindow<BufWriter<File>>;

/// What came out, and when each event went in.
struct Outcome {
    updates: Vec<RawUpdate>,
    taken: Vec<u64>,
}

struct Bench<const FLOWS: usize, const A: usize> {
    slot: Box<HpccSlot<FLOWS, A>>,
    stalls: Stimulus,
    wave: Option<Wave>,
    clock: u64,
    updates: Vec<RawUpdate>,
    silent: u64,
}

impl<const FLOWS: usize, const A: usize> Bench<FLOWS, A> {
    /// The module after reset, with its registers written.
    fn new(rtl: &Rtl, wave: Option<Wave>) -> Result<Self, String> {
        let registers = HpccRegisters::new(&rtl.params).map_err(|error| error.to_string())?;
        let mut slot: Box<HpccSlot<FLOWS, A>> = Box::default();
        init(slot.as_mut()).map_err(|error| error.to_string())?;
        let stalls = Stimulus::new(rtl.seed);
        let mut bench = Self {
            slot,
            stalls,
            wave,
            clock: 0,
            updates: vec![],
            silent: 0,
        };
        bench.slot.reset.next = true;
        bench.step()?;
        bench.slot.reset.next = false;
        bench.slot.param.write.next = true;
        for (address, data) in registers.writes() {
            bench.slot.param.address.next = U(address.into());
            bench.slot.param.data.next = U(data);
            bench.step()?;
        }
        bench.slot.param.write.next = false;
        Ok(bench)
    }

    /// One clock; whether the event and the command on the ports were taken.
    fn step(&mut self) -> Result<(bool, bool), String> {
        self.slot.update.ready.next = self.stalls.chance(OFFER);
        let sample = |s: &HpccSlot<FLOWS, A>| {
            (
                s.event.valid.val() & s.event.ready.val(),
                s.command.valid.val() & s.command.ready.val(),
                s.update.taken(),
            )
        };
        let (event, command, update) = match &mut self.wave {
            Some(wave) => wave
                .step(self.slot.as_mut(), "hpcc", sample)
                .map_err(|error| format!("waveform: {error}"))?,
            None => step(self.slot.as_mut(), sample),
        };
        self.silent = if update.is_some() { 0 } else { self.silent + 1 };
        self.updates.extend(update);
        self.clock += 1;
        Ok((event, command))
    }

    fn run(mut self, flows: u32, events: &[CcEvent]) -> Result<Outcome, String> {
        self.slot.command.create.next = true;
        for flow in 0..flows {
            self.slot.command.flow.next = U(flow.into());
            self.slot.command.valid.next = true;
            while !self.step()?.1 {}
            self.slot.command.valid.next = false;
        }
        self.drain(flows as usize)?;
        let mut taken = Vec::with_capacity(events.len());
        for event in events {
            while !self.stalls.chance(OFFER) {
                self.step()?;
            }
            self.slot.event.offer(Some(event));
            while !self.step()?.0 {}
            self.slot.event.offer(None);
            taken.push(self.clock - 1);
        }
        self.drain(flows as usize + events.len())?;
        Ok(Outcome {
            updates: self.updates,
            taken,
        })
    }

    /// Runs until that many updates have come, or no more come.
    fn drain(&mut self, updates: usize) -> Result<(), String> {
        self.silent = 0;
        while self.updates.len() < updates && self.silent < SILENCE {
            self.step()?;
        }
        Ok(())
    }
}
