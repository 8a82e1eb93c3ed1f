//! Two NICs on a wire: work on one or both, memory compared byte for byte at the end.

use super::device::{Device, DeviceError, Wave};
use super::flood::Flood;
use super::link_config::{CapBy, LinkSpec};
use super::link_nics::{GUARD, SOURCE, TARGET};
use super::progress::{Content, Progress};
use hpcc_models::nic::{request_flow, response_flow, Completion, Link, Operation, Status};
use hpcc_models::sched::CapControl;
use hpcc_models::wire::{wire_occupancy, Ports, StampConfig, Stamper, TimedFrame};
use hpcc_sim::plan::provenance::Stopwatch;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time after the last completion in which frames that are still on their way arrive, ns.
const TAIL_NS: u64 = 10_000;
/// No frame is longer, bytes: payload of the largest MTU, headers and a stack of INT.
const LONGEST_FRAME: usize = 4096 + 128;

/// Time from the write of a cap to when everything granted before it has left, ns: at 100 Gb/s eighteen grants of an engine, of fifteen packets of
/// 1024 bytes each.
pub const CAP_SETTLES_NS: u64 = 18 * 15 * 89;

/// What one NIC did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SideOutcome {
    /// Frames sent.
    pub frames: u64,
    /// Bytes on the wire of frames with payload since a cap was written and [`CAP_SETTLES_NS`] had passed, and the most by which they
    /// were ahead of the cap.
    pub capped_bytes: f64,
    /// See there.
    pub ahead_bytes: f64,
    /// Payload bytes sent for the first time.
    pub payload: u64,
    /// Frames with payload and READ requests sent again.
    pub repeats: u64,
    /// When the first frame with payload began to leave, ns.
    pub first_ns: u64,
    /// When the last one had left, ns.
    pub last_ns: f64,
    /// Completions.
    pub completions: Vec<Completion>,
    /// Counters.
    pub counters: Vec<(&'static str, u64)>,
    /// Where the target memory is not what it should be although no work request says so.
    pub damage: Option<String>,
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct LinkOutcome {
    /// The NICs.
    pub sides: [SideOutcome; 2],
    /// Frames as they were sent, by time; empty unless a capture is wanted.
    pub sent: Vec<TimedFrame>,
    /// Simulated time, ns.
    pub now_ns: u64,
    /// When both NICs were set up, on their clocks, ns: times of completions and of the capture count from there.
    pub base_ns: u64,
    /// From the first work request to the first completion, ns; 0 if there is none.
    pub loop_ns: u64,
    /// Every work request has a completion.
    pub finished: bool,
    /// Frames of a flood, and how many frames the NIC under fire sent to it.
    pub flood: Option<(u64, u64)>,
    /// Clocks simulated, both NICs together.
    pub clocks: u64,
    /// Wall time.
    pub wall: Duration,
    /// Processor time, seconds; `None` where the system does not say.
    pub cpu_s: Option<f64>,
}

impl LinkOutcome {
    /// Completions that are errors.
    pub fn errors(&self) -> usize {
        let completions = self.sides.iter().flat_map(|side| &side.completions);
        completions.filter(|completion| completion.status != Status::Ok).count()
    }

    /// Sum of a counter of both NICs.
    pub fn count(&self, counter: &str) -> u64 {
        let counters = self.sides.iter().flat_map(|side| &side.counters);
        counters
            .filter(|(name, _)| *name == counter)
            .map(|(_, value)| value)
            .sum()
    }

    /// The first place where memory differs though no completion says so.
    pub fn damage(&self) -> Option<&str> {
        self.sides.iter().find_map(|side| side.damage.as_deref())
    }
}

/// INT stampers of one direction. A packet sees the queue that it meets; the wire itself keeps that queue.
struct Stampers {
    stampers: Vec<Stamper>,
    rate_gbps: f64,
    free_ps: f64,
}

impl Stampers {
    fn new(spec: &LinkSpec, side: usize) -> Self {
        let stamper = |hop: u32| Stamper {
            config: StampConfig {
                switch_id: 0x101 * (1 + hop as u16) + side as u16,
                speed: spec.speed_code(),
                ..StampConfig::default()
            },
            tx_bytes: 0,
        };
        Self {
            stampers: (0..spec.hops).map(stamper).collect(),
            rate_gbps: spec.link.rate_gbps,
            free_ps: 0.0,
        }
    }

    fn stamp(&mut self, t_ns: u64, frame: &mut Vec<u8>) {
        let now = t_ns as f64 * 1e3;
        let wait = (self.free_ps - now).max(0.0);
        let mut queued = (wait * self.rate_gbps / 8e3) as u64;
        for stamper in &mut self.stampers {
            stamper.stamp(frame, ((now + wait) / 1e3) as u64, queued);
            // Behind a port of the same rate no queue forms.
            queued = 0;
        }
        self.free_ps = now + wait + wire_occupancy(frame.len()) as f64 * 8e3 / self.rate_gbps;
    }
}

struct Run<'a, D> {
    spec: &'a LinkSpec,
    devices: [D; 2],
    links: [Link; 2],
    paths: [Stampers; 2],
    progress: [Progress; 2],
    flood: Option<Flood>,
    outcome: LinkOutcome,
    now: u64,
    /// When both NICs were set up; times of the outcome count from there.
    base: u64,
    left: u64,
    /// When the caps were written, if they are.
    capped_ns: Option<u64>,
}

/// The waveform's file of a NIC: `wave_a.vcd` and `wave_b.vcd` for `wave.vcd`.
pub fn wave_file(path: &Path, side: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_{}.vcd", ["a", "b"][side]))
}

/// Runs the scenario on two NICs made from it. The bar counts completions.
pub fn run<D: Device>(spec: &LinkSpec, bar: &ProgressBar) -> Result<LinkOutcome, DeviceError> {
    let setups = [0, 1].map(|side| spec.setup(side));
    let create = |side: usize| match &spec.vcd {
        None => D::create(&setups[side]),
        Some(wave) => {
            let path = wave_file(&wave.path, side);
            D::create_recorded(&setups[side], &Wave { path, ..wave.clone() })
        }
    };
    let devices = [create(0)?, create(1)?];
    let left = setups.iter().map(|setup| setup.work.len() as u64).sum();
    bar.set_length(left);
    let started = Stopwatch::start();
    let mut run = Run {
        spec,
        devices,
        links: [0, 1].map(|side| Link::new(spec.link, spec.seed.wrapping_mul(2).wrapping_add(side))),
        paths: [0, 1].map(|side| Stampers::new(spec, side)),
        progress: Default::default(),
        flood: None,
        outcome: LinkOutcome::default(),
        now: 0,
        base: 0,
        left,
        capped_ns: None,
    };
    run.base = run.devices.iter().map(Device::now_ns).max().unwrap_or(0);
    // a NIC in RTL has taken time to be set up, a behavioural one beside it has not
    for device in &mut run.devices {
        device.advance(run.base)?;
    }
    run.now = run.base;
    run.flood = Flood::new(spec, run.base);
    for (device, setup) in run.devices.iter_mut().zip(&setups) {
        setup.work.iter().for_each(|work| device.post(work.work));
    }
    let limit = run.now + (spec.limit_ms * 1e6) as u64;
    let mut end = limit;
    while run.now < end && run.step(end)? {
        bar.set_position(left - run.left);
        if run.left == 0 {
            end = end.min(run.now + spec.link.delay_ns + TAIL_NS);
        }
    }
    run.finish(started)
}

/// A completion of a receive.
fn is_receive(completion: &Completion) -> bool {
    completion.operation == Operation::Receive
}

impl<D: Device> Run<'_, D> {
    /// Goes on to where one NIC may first hear of what the other does from now on; `false` if nothing will happen any more.
    fn step(&mut self, end: u64) -> Result<bool, DeviceError> {
        let own = self.devices.iter().filter_map(Device::next_ns);
        let Some(next) = own.chain(self.links.iter().filter_map(Link::next_arrival)).min() else {
            return Ok(false);
        };
        let (delay_ns, frame_ns) = (self.spec.link.delay_ns, self.frame_ns());
        // a NIC in RTL tells of a frame when it has left whole: those that begin to arrive before `until` are known, if the wire is long enough for that
        let unseen_ns = if delay_ns > 2 * frame_ns {
            delay_ns - frame_ns
        } else {
            delay_ns.max(1)
        };
        let until = (next.max(self.now) + unseen_ns - 1).min(end);
        let cap_ns = self.base + (self.spec.cap_at_us * 1e3) as u64;
        let waits = self.spec.cap_gbps.filter(|_| self.capped_ns.is_none());
        let until = if waits.is_some() {
            until.min(cap_ns.max(self.now))
        } else {
            until
        };
        for side in 0..2 {
            while let Some(at) = self.links[side].next_arrival().filter(|at| *at <= until + frame_ns) {
                if let Some(frame) = self.links[side].receive(at) {
                    self.devices[1 - side].offer_as_it_comes(at, frame);
                }
            }
        }
        D::advance_both(&mut self.devices, until)?;
        self.now = until;
        if let Some(gbps) = waits.filter(|_| self.now >= cap_ns) {
            self.cap(gbps * 1e9)?;
        }
        for side in 0..2 {
            for frame in self.devices[side].take_sent() {
                if side == 0 {
                    self.flood_until(frame.t_ns);
                }
                self.carry(side, frame);
            }
            let mut completions = self.devices[side].take_completions();
            completions.iter_mut().for_each(|done| done.t_ns -= self.base);
            let of_work = completions.iter().filter(|done| !is_receive(done)).count();
            self.left = self.left.saturating_sub(of_work as u64);
            self.outcome.sides[side].completions.extend(completions);
        }
        self.flood_until(self.now);
        Ok(true)
    }

    /// How long the longest frame takes on the wire, ns.
    fn frame_ns(&self) -> u64 {
        (wire_occupancy(LONGEST_FRAME) as f64 * 8.0 / self.spec.link.rate_gbps).ceil() as u64
    }

    /// The flood sends what still finds the wire free before that time, ns.
    fn flood_until(&mut self, until_ns: u64) {
        if let Some(flood) = &mut self.flood {
            flood.fill(&mut self.links[0], until_ns);
        }
    }

    /// Writes the limit of every flow of both NICs.
    fn cap(&mut self, rate_bps: f64) -> Result<(), DeviceError> {
        let qps = self.spec.setup(0).qps;
        let control = CapControl {
            window: self.spec.cap_window_ns > 0,
            dither: self.spec.cap_dither,
            time_ns: self.spec.cap_window_ns,
        };
        for device in &mut self.devices {
            device.set_cap_control(control)?;
            match self.spec.cap_by {
                CapBy::Group => device.set_level(0, Some(rate_bps))?,
                CapBy::Flow => {
                    for flow in qps.iter().flat_map(|qp| [request_flow(qp.qpn), response_flow(qp.qpn)]) {
                        device.set_cap(flow, Some(rate_bps), 0)?;
                    }
                }
            }
        }
        self.capped_ns = self.devices.iter().map(Device::now_ns).max();
        Ok(())
    }

    fn carry(&mut self, from: usize, frame: TimedFrame) {
        if from == 1 && (self.flood.as_mut()).is_some_and(|flood| flood.takes(&frame.bytes, frame.t_ns)) {
            return;
        }
        let side = &mut self.outcome.sides[from];
        let Content { payload, repeated } = self.progress[from].content(&frame.bytes, &Ports::default(), self.spec.mtu);
        let settled = self.capped_ns.map(|at| at + CAP_SETTLES_NS);
        if let (Some(from), Some(gbps)) = (
            settled.filter(|from| payload > 0 && frame.t_ns >= *from),
            self.spec.cap_gbps,
        ) {
            side.capped_bytes += wire_occupancy(frame.bytes.len()) as f64;
            let flows = f64::from(self.spec.qps);
            let allowed = gbps / 8.0 * flows * (frame.t_ns - from) as f64;
            side.ahead_bytes = side.ahead_bytes.max(side.capped_bytes - allowed);
        }
        side.frames += 1;
        side.repeats += u64::from(repeated);
        if payload > 0 {
            if side.payload == 0 {
                side.first_ns = frame.t_ns;
            }
            side.payload += if repeated { 0 } else { payload };
            let wire = wire_occupancy(frame.bytes.len()) as f64;
            side.last_ns = frame.t_ns as f64 + wire * 8.0 / self.spec.link.rate_gbps;
        }
        let mut bytes = frame.bytes;
        if self.spec.pcap {
            self.outcome.sent.push(TimedFrame {
                t_ns: frame.t_ns - self.base,
                bytes: bytes.clone(),
            });
        }
        self.paths[from].stamp(frame.t_ns, &mut bytes);
        self.links[from].send(frame.t_ns, bytes);
    }

    fn finish(mut self, started: Stopwatch) -> Result<LinkOutcome, DeviceError> {
        self.outcome.now_ns = self.now - self.base;
        self.outcome.base_ns = self.base;
        self.outcome.finished = self.left == 0;
        self.outcome.flood = self.flood.as_ref().map(|flood| (flood.frames, flood.answers));
        let completions = self.outcome.sides.iter().flat_map(|side| &side.completions);
        self.outcome.loop_ns = completions.map(|done| done.t_ns).min().unwrap_or(0);
        self.outcome.sent.sort_by_key(|frame| frame.t_ns);
        for side in 0..2 {
            let device = &mut self.devices[side];
            self.outcome.sides[side].counters = device.counters()?;
            self.outcome.clocks += device.clocks();
        }
        for target in 0..2 {
            self.outcome.sides[target].damage = self.damage(target);
        }
        (self.outcome.wall, self.outcome.cpu_s) = (Duration::from_secs_f64(started.wall_s()), started.cpu_s());
        Ok(self.outcome)
    }

    /// Compares a NIC's target region with what should have come, and its source with what was there. Where a work request
    /// ended with an error or has not ended, a message may have come in part: each byte is the old or the new one.
    fn damage(&self, target: usize) -> Option<String> {
        let source = 1 - target;
        let worker = match self.spec.op.operation() {
            Operation::Read => target,
            _ => source,
        };
        let works = self.spec.works(worker);
        let mut done = vec![false; self.spec.messages as usize];
        let ok = |side: usize, receive: bool| {
            let completions = self.outcome.sides[side].completions.iter();
            completions.filter(move |done| done.status == Status::Ok && is_receive(done) == receive)
        };
        for completion in ok(worker, false) {
            done[completion.work as usize] = works;
        }
        let name = ["a", "b"][target];
        if self.spec.op.has_queues() {
            // A message that was sent well has taken its receive, once.
            let mut taken = vec![0; self.spec.messages as usize];
            for completion in ok(target, true).filter(|done| done.bytes == self.spec.bytes) {
                taken[completion.work as usize] += 1;
            }
            let wrong = (0..)
                .zip(done.iter().zip(&taken))
                .find(|(_, (done, taken))| **taken > 1 || **done && **taken == 0);
            if let Some((message, (_, taken))) = wrong {
                return Some(format!(
                    "receives of {name}: message {message} was received whole {taken} times"
                ));
            }
        }
        let total = self.spec.total();
        let found = self.devices[target].memory(TARGET).unwrap_or(&[]);
        if found.len() as u64 != total.max(1) + GUARD {
            return Some(format!("memory of {name}: the target region is not there"));
        }
        let wrong = (0..).zip(found).find(|(i, byte)| {
            let new = (*i < total && works).then(|| self.spec.source_byte(source, *i));
            let arrived = new.is_some() && done[(i / self.spec.bytes.max(1)) as usize];
            Some(**byte) != new && (arrived || **byte != 0)
        });
        if let Some((i, byte)) = wrong {
            let expected = match i < total && works {
                true => self.spec.source_byte(source, i),
                false => 0,
            };
            let address = TARGET + i;
            return Some(format!(
                "memory of {name} at 0x{address:x} (message {}, byte {}): expected 0x{expected:02x}, got 0x{byte:02x}",
                i / self.spec.bytes.max(1),
                i % self.spec.bytes.max(1),
            ));
        }
        let kept = self.devices[target].memory(SOURCE).unwrap_or(&[]);
        let changed = (0..)
            .zip(kept)
            .find(|(i, byte)| **byte != self.spec.source_byte(target, *i));
        changed.map(|(i, byte)| {
            let expected = self.spec.source_byte(target, i);
            format!(
                "memory of {name} at 0x{:x} (source): expected 0x{expected:02x}, got 0x{byte:02x}",
                SOURCE + i
            )
        })
    }
}
