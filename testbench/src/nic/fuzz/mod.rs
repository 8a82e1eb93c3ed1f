//! A NIC in RTL under random and hostile frames, while an honest peer reads and writes on queue pairs of its own.
//!
//! | file | subject |
//! | --- | --- |
//! | `world` | addresses, queue pairs, guarded memory |
//! | `frames` | what the attacker sends |
//! | `honest` | the work of the honest peer and what memory must hold |
//!
//! After every batch the honest work must have completed, memory must hold exactly what it wrote, guards nothing new, and the
//! counters must agree with the frames offered.

mod frames;
mod honest;
mod world;

use super::device::{Device, DeviceError};
use super::model::ModelNic;
use super::rtl::setup::{steps, Step};
use super::rtl::{RtlNic, Stalls};
use crate::config::NicSetup;
use crate::drive::axi_memory::Speed;
use crate::verilated::Model;
use frames::Frames;
use honest::Honest;
use hpcc_models::nic::registers::registers;
use hpcc_models::nic::{frame_fault, Counter, Operation, WorkRequest};
use hpcc_models::wire::RocePacket;
use hpcc_rtl::sim::Stimulus;
use hpcc_sim::plan::provenance::Stopwatch;
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::time::Duration;
use thiserror::Error;
use world::*;

/// Time between two looks at the streams, ns: 80 clocks.
const STEP_NS: u64 = 400;
/// Frames that wait at the NIC at most when more are made.
const BACKLOG: usize = 40;
/// Time in which honest work ends once the attacker is silent, ns: many retransmission timeouts.
const PATIENCE_NS: u64 = 4_000_000;
/// Time in which every frame taken has been counted, ns.
const SETTLE_NS: u64 = 3000;

/// How much fuzzing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FuzzSpec {
    /// Frames of the attacker.
    pub frames: u64,
    /// Frames between two checks.
    pub batch: u64,
    /// Seed of everything.
    pub seed: u64,
}

/// What was done.
#[derive(Clone, Debug, Default)]
pub struct FuzzOutcome {
    /// Frames of the attacker.
    pub frames: u64,
    /// Frames of the honest peer.
    pub honest_frames: u64,
    /// Honest work requests completed.
    pub honest_work: u64,
    /// Frames that the NIC sent.
    pub sent: u64,
    /// Faulty frames that no counter counted: the packet buffer was full, or the MAC called them bad.
    pub uncounted: u64,
    /// Clocks simulated.
    pub clocks: u64,
    /// Wall time.
    pub wall: Duration,
    /// Processor time, seconds; `None` where the system does not say.
    pub cpu_s: Option<f64>,
    /// Counters at the end.
    pub counters: Vec<(&'static str, u64)>,
}

/// A rule that was broken.
#[derive(Debug, Error)]
#[error("seed {seed}, batch {batch}: {what} (again: hpcc-nic fuzz --seed {seed} --frames {frames} --batch {size})")]
pub struct FuzzFailure {
    /// Seed.
    pub seed: u64,
    /// Batch, counted from 0.
    pub batch: u64,
    /// Frames up to the end of the batch.
    pub frames: u64,
    /// Frames of a batch.
    pub size: u64,
    /// The rule and what was seen.
    pub what: String,
}

struct Fuzz {
    setup: NicSetup,
    device: RtlNic<Model>,
    peer: ModelNic,
    frames: Frames,
    honest: Honest,
    outcome: FuzzOutcome,
    expected: BTreeMap<&'static str, u64>,
    counters: BTreeMap<&'static str, u64>,
    /// Work open on each queue pair under fire.
    open: BTreeMap<u32, u64>,
    work: u64,
    control_enable: u16,
}

/// Fuzzes one NIC. The bar counts frames.
pub fn run(spec: &FuzzSpec, bar: &ProgressBar) -> Result<FuzzOutcome, FuzzFailure> {
    let failure = |batch: u64, what: String| FuzzFailure {
        seed: spec.seed,
        batch,
        frames: (spec.batch * (batch + 1)).min(spec.frames),
        size: spec.batch,
        what,
    };
    let started = Stopwatch::start();
    let mut fuzz = Fuzz::new(spec.seed).map_err(|error| failure(0, error.to_string()))?;
    let mut batch = 0;
    while fuzz.outcome.frames < spec.frames {
        let count = spec.batch.min(spec.frames - fuzz.outcome.frames).max(1);
        fuzz.batch(count).map_err(|what| failure(batch, what))?;
        bar.inc(count);
        batch += 1;
    }
    let mut outcome = fuzz.outcome;
    outcome.clocks = fuzz.device.clocks();
    outcome.counters = Counter::ALL
        .iter()
        .map(|counter| (counter.name(), fuzz.counters.get(counter.name()).copied().unwrap_or(0)))
        .collect();
    (outcome.wall, outcome.cpu_s) = (Duration::from_secs_f64(started.wall_s()), started.cpu_s());
    Ok(outcome)
}

/// Counters of faults that a frame shows by itself.
fn is_stateless(name: &str) -> bool {
    let place = |counter: Counter| counter as usize;
    Counter::ALL[place(Counter::ShortFrame)..=place(Counter::PartitionKey)]
        .iter()
        .any(|counter| counter.name() == name)
}

fn text(error: DeviceError) -> String {
    error.to_string()
}

impl Fuzz {
    fn new(seed: u64) -> Result<Self, DeviceError> {
        let setup = world::device();
        let mut device = RtlNic::create(&setup)?;
        let mut peer = ModelNic::create(&world::peer())?;
        peer.advance(device.now_ns())?;
        device.memory_mut().speed = Speed::constant(60);
        let control_enable = registers()
            .into_iter()
            .find(|register| register.name == "CONTROL_ENABLE");
        Ok(Self {
            frames: Frames::new(seed, &setup.nic),
            honest: Honest::new(&setup),
            setup,
            device,
            peer,
            outcome: FuzzOutcome::default(),
            expected: BTreeMap::new(),
            counters: BTreeMap::new(),
            open: BTreeMap::new(),
            work: 0,
            control_enable: control_enable.map_or(0, |register| register.offset),
        })
    }

    fn batch(&mut self, count: u64) -> Result<(), String> {
        self.prepare().map_err(text)?;
        let (devices, peers) = self.honest.work(&mut self.frames.stimulus);
        devices.into_iter().for_each(|work| self.device.post(work));
        peers.into_iter().for_each(|work| self.peer.post(work));
        let mut left = count;
        let mut silent_since = None;
        while left > 0 || self.device.frames_waiting() > 0 || self.honest.open() > 0 {
            while left > 0 && self.device.frames_waiting() < BACKLOG {
                let (frame, bad) = self.frames.next();
                self.offer(frame, bad);
                self.outcome.frames += 1;
                left -= 1;
            }
            if left > 0 && self.frames.stimulus.chance(0.05) {
                self.post();
            }
            self.step()?;
            let now = self.device.now_ns();
            if left == 0 && now - *silent_since.get_or_insert(now) > PATIENCE_NS {
                return Err(format!("hang: {}", self.honest.missing()));
            }
        }
        self.device.set_stalls(None);
        let until = self.device.now_ns() + SETTLE_NS;
        while self.device.now_ns() < until {
            self.step()?;
        }
        self.honest.check(&self.device, &self.peer)?;
        self.check_counters()
    }

    /// Stalls, pause, control switch and queue pairs of the next batch.
    fn prepare(&mut self) -> Result<(), DeviceError> {
        let stimulus = &mut self.frames.stimulus;
        let seed = stimulus.uniform(64);
        let style = stimulus.below(4);
        let (stalls, ready, jitter) = match style {
            0 => ([0.0; 3], 1.0, 0),
            1 => ([0.1, 0.1, 0.3], 0.9, 20),
            2 => ([0.3, 0.5, 0.7], 0.5, 100),
            _ => ([0.0, 0.3, 0.1], 0.7, 300),
        };
        self.device.memory_mut().speed = Speed {
            latency: 20 + stimulus.below(80),
            jitter,
            ready,
            offer: ready,
        };
        let [rx, tx, completion] = stalls;
        let pause = if stimulus.chance(0.2) { 2 } else { 0 };
        self.frames.control = stimulus.chance(0.7);
        let enable = u32::from(self.frames.stimulus.chance(0.5));
        let mut again = Vec::new();
        for qpn in AIMED {
            if self.frames.stimulus.chance(0.7) {
                let psn = match self.frames.stimulus.below(2) {
                    0 => FIRST_PSN,
                    _ => self.frames.stimulus.uniform(24) as u32,
                };
                again.push((qpn, psn));
            }
        }
        self.device.set_stalls(None);
        self.device.set_pause(pause);
        self.device.write(self.control_enable, enable)?;
        for (qpn, psn) in again {
            self.create_again(qpn, psn)?;
        }
        let stimulus = Stimulus::exactly(seed);
        self.device.set_stalls((style > 0).then_some(Stalls {
            stimulus,
            rx,
            tx,
            completion,
        }));
        Ok(())
    }

    fn create_again(&mut self, qpn: u32, psn: u32) -> Result<(), DeviceError> {
        self.device.carry_out(&Step::Command {
            operation: 2,
            index: qpn,
            body: Vec::new(),
            about: format!("removal of queue pair {qpn}"),
        })?;
        let one = NicSetup {
            qps: vec![aimed_qp(qpn, psn)],
            memory: Vec::new(),
            ..self.setup.clone()
        };
        let list = steps(&one).map_err(DeviceError::Law)?;
        let create = list
            .iter()
            .rfind(|step| matches!(step, Step::Command { operation: 1, .. }));
        create.map_or(Ok(()), |step| self.device.carry_out(step))?;
        self.frames.created(qpn, psn);
        self.open.remove(&qpn);
        Ok(())
    }

    fn offer(&mut self, frame: Vec<u8>, bad: bool) {
        let fault = frame_fault(&self.setup.nic, &frame).map(Counter::name);
        if let Some(name) = fault.filter(|name| is_stateless(name)) {
            *self.expected.entry(name).or_default() += 1;
        }
        self.device.offer_marked(frame, bad);
    }

    /// Work on a queue pair under fire, whose answers the attacker makes up.
    fn post(&mut self) {
        let stimulus = &mut self.frames.stimulus;
        let qpn = AIMED.start + stimulus.below(u64::from(AIMED.end - AIMED.start)) as u32;
        let open = self.open.entry(qpn).or_default();
        // A full queue would hold up honest work behind it.
        if *open >= 6 {
            return;
        }
        *open += 1;
        let length = stimulus.below(3000);
        let read = stimulus.chance(0.5);
        let region = usize::from(!read);
        let work = WorkRequest {
            id: 1 << 40 | self.work,
            qpn,
            operation: if read { Operation::Read } else { Operation::Write },
            local_address: ATTACK[region] + stimulus.below(ATTACK_LENGTH - length + 1),
            local_key: ATTACK_KEYS[region],
            remote_address: stimulus.uniform(64),
            remote_key: 7,
            length,
        };
        self.work += 1;
        self.device.post(work);
    }

    fn step(&mut self) -> Result<(), String> {
        let until = self.device.now_ns() + STEP_NS;
        self.device.advance(until).map_err(text)?;
        for frame in self.device.take_sent() {
            self.outcome.sent += 1;
            let packet = RocePacket::parse(&frame.bytes, &self.setup.nic.ports)
                .map_err(|error| format!("a malformed frame was sent: {error}: {:02x?}", frame.bytes))?;
            if packet.ipv4.dst == PEER {
                self.peer.offer(until, frame.bytes);
            } else {
                self.frames.learn(&packet);
            }
        }
        self.peer.advance(until).map_err(text)?;
        for frame in self.peer.take_sent() {
            self.outcome.honest_frames += 1;
            self.offer(frame.bytes, false);
        }
        for done in self.device.take_completions() {
            if done.work >> 40 == 0 {
                self.honest.completed(0, &done)?;
                self.outcome.honest_work += 1;
            } else if let Some(open) = self.open.get_mut(&done.qpn) {
                *open = open.saturating_sub(1);
            }
        }
        for done in self.peer.take_completions() {
            self.honest.completed(1, &done)?;
            self.outcome.honest_work += 1;
        }
        Ok(())
    }

    fn check_counters(&mut self) -> Result<(), String> {
        let counters: BTreeMap<_, _> = self.device.counters().map_err(text)?.into_iter().collect();
        for (name, value) in &counters {
            let before = self.counters.get(name).copied().unwrap_or(0);
            if *value < before {
                return Err(format!("counter {name} went back from {before} to {value}"));
            }
        }
        let offered = self.outcome.frames + self.outcome.honest_frames;
        let received = counters["rx_frames"];
        if received != offered {
            return Err(format!(
                "counter rx_frames is {received}, {offered} frames were offered"
            ));
        }
        let drops: u64 = counters
            .iter()
            .filter(|(name, _)| name.starts_with("drop_"))
            .map(|(_, value)| value)
            .sum();
        if drops > offered {
            return Err(format!("{drops} frames dropped of {offered}"));
        }
        self.outcome.uncounted = 0;
        for (name, value) in counters.iter().filter(|(name, _)| is_stateless(name)) {
            let expected = self.expected.get(name).copied().unwrap_or(0);
            if *value > expected {
                return Err(format!("counter {name} is {value}, {expected} frames have that fault"));
            }
            self.outcome.uncounted += expected - value;
        }
        self.counters = counters;
        Ok(())
    }
}
