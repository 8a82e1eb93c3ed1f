//! Random but plausible life of a congestion-control slot: what lockstep and mutation feed it.

use super::slot::SlotPorts;
use crate::verilated::lockstep::Drive;
use hpcc_models::cc::dcqcn::DcqcnParams;
use hpcc_models::cc::hpcc::HpccParams;
use hpcc_models::cc::powertcp::{PowerParams, Profile, Signal};
use hpcc_models::cc::{CcEvent, EventKind, MAX_HOPS};
use hpcc_models::fixed::dcqcn::{address as dcqcn, DcqcnRegisters};
use hpcc_models::fixed::powertcp::{address as power, PowerRegisters};
use hpcc_models::fixed::registers::address as hpcc;
use hpcc_models::fixed::HpccRegisters;
use hpcc_rtl::cc::stimulus::EventSource;
use hpcc_rtl::sim::{Port, Stimulus};
use std::collections::VecDeque;

/// Events of `flows` flows: offered in bursts, held until taken, with creations, removals, register writes, resets and
/// stalls of the receiver in between.
pub struct SlotDrive {
    ports: SlotPorts,
    law: Registers,
    source: EventSource,
    flows: u64,
    generation: Vec<u8>,
    event: Option<CcEvent>,
    command: Option<(bool, u16, u8)>,
    /// First flow of the burst, how many flows take part, events left.
    burst: (u64, u64, u64),
    alive: Vec<bool>,
    accept: f64,
    offer: f64,
    /// Register writes to come, one a clock; `None` leaves a clock out.
    writes: VecDeque<Option<(u8, u64)>>,
    /// Last event of each flow.
    last: Vec<Option<CcEvent>>,
    /// What the events of this burst have in common.
    shape: Shape,
    /// `T` as it stands in the register, ns.
    base_rtt: u32,
    /// The NIC's clock, ns, and how far it moves in a clock.
    now: u64,
    pace: u64,
}

/// What is different about the registers of each law.
#[derive(Clone, Copy)]
struct Registers {
    /// Address of `T`, where there is one.
    base_rtt: Option<u8>,
    /// A few that change while running: address and bits.
    changing: [(u8, usize); 3],
    /// The writes of a legal set for a line rate in bits per second and `T` in ns.
    legal: fn(&mut Stimulus, u64, u32) -> Vec<(u8, u64)>,
    /// Events are of all kinds, and their time is that of the port `now`.
    timed: bool,
}

const HPCC: Registers = Registers {
    base_rtt: Some(hpcc::BASE_RTT),
    changing: [(hpcc::REACTION, 2), (hpcc::MAX_STAGE, 8), (hpcc::W_AI, 20)],
    legal: hpcc_registers,
    timed: false,
};

const POWERTCP: Registers = Registers {
    base_rtt: Some(power::BASE_RTT),
    changing: [(power::MODE, 10), (power::BETA, 20), (power::SMALLEST_POWER, 34)],
    legal: power_registers,
    timed: false,
};

const THETA: Registers = Registers {
    legal: theta_registers,
    ..POWERTCP
};

const DCQCN: Registers = Registers {
    base_rtt: None,
    changing: [(dcqcn::MODE, 6), (dcqcn::FAST_RECOVERY, 5), (dcqcn::FIRST_RATE, 34)],
    legal: dcqcn_registers,
    timed: true,
};

/// Events that the random source alone gives too rarely.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// As the source makes them.
    Plain,
    /// No queue, and nothing sent since the last event: no hop says anything, and the average stays.
    Idle,
    /// Exactly `T` since the last event.
    OneRoundTrip,
    /// No queue, one unit sent, and up to `T` since the last event: the average becomes a small part of what it was.
    Fading,
    /// Two hops of one speed, another for each event, above all others, equal or one unit apart, after times of their own.
    Rivals {
        /// Which two.
        hops: [usize; 2],
        /// Their queues, give or take a unit.
        q_len: u16,
    },
}

/// `T` after reset, ns.
const RESET_BASE_RTT: u32 = 13_000;

impl SlotDrive {
    /// A drive of the slot with these ports, filled by the law of that name.
    pub fn new(ports: &[Port], law: &str, seed: u64, flows: u64) -> Self {
        Self {
            ports: SlotPorts::new(ports),
            law: match law {
                "powertcp" => POWERTCP,
                "theta-powertcp" => THETA,
                "dcqcn" => DCQCN,
                _ => HPCC,
            },
            source: EventSource::new(seed, flows as usize),
            flows,
            generation: vec![0; flows as usize],
            event: None,
            command: None,
            burst: (0, 1, 0),
            alive: vec![false; flows as usize],
            accept: 1.0,
            offer: 1.0,
            writes: VecDeque::new(),
            last: vec![None; flows as usize],
            shape: Shape::Plain,
            base_rtt: RESET_BASE_RTT,
            now: 1 << 30,
            pace: 5,
        }
    }
}

impl SlotDrive {
    /// Which flows come next, how often, and in which shape: one flow alone waits for itself, six and more do not.
    fn begin_burst(&mut self) {
        let s = self.source.stimulus();
        let together = [1, 1, 2, 5, 6, 16, self.flows, self.flows][s.below(8) as usize].min(self.flows);
        self.burst = (s.below(self.flows), together, 1 + s.below(64));
        self.shape = match s.below(16) {
            0..=2 => Shape::Idle,
            3 => Shape::OneRoundTrip,
            4 | 5 => Shape::Fading,
            6..=8 => {
                let one = s.below(MAX_HOPS as u64) as usize;
                Shape::Rivals {
                    hops: [one, (one + 1 + s.below(MAX_HOPS as u64 - 1) as usize) % MAX_HOPS],
                    q_len: match s.chance(0.5) {
                        true => 1 << s.below(16),
                        false => s.uniform(16) as u16 >> s.below(12),
                    },
                }
            }
            _ => Shape::Plain,
        };
    }

    /// Creates a flow that does not exist, if there is one, nine times of ten; else creates or removes any.
    fn next_command(&mut self) -> (bool, u16, u8) {
        let s = self.source.stimulus();
        let from = s.below(self.flows) as usize;
        let dead = (0..self.alive.len())
            .map(|i| (from + i) % self.alive.len())
            .find(|flow| !self.alive[*flow]);
        let (flow, create) = match dead {
            Some(flow) if s.chance(0.9) => (flow, true),
            _ => (from, s.chance(0.7)),
        };
        if create && s.chance(0.3) {
            self.generation[flow] = s.uniform(8) as u8;
        }
        self.alive[flow] = create;
        (create, flow as u16, self.generation[flow])
    }

    /// The next event of a flow, in the shape of the burst.
    fn next_event(&mut self, flow: usize) -> CcEvent {
        let mut event = self.source.next(flow, self.generation[flow]);
        if let Some(last) = &self.last[flow] {
            let s = self.source.stimulus();
            let (long, almost) = (s.chance(0.3), self.base_rtt >> s.below(10));
            let speed = 1 + s.below(8) as u8;
            for (index, (hop, before)) in event.hops.iter_mut().zip(&last.hops).enumerate() {
                match self.shape {
                    Shape::Plain => {}
                    Shape::Idle => {
                        (hop.tx_bytes, hop.q_len) = (before.tx_bytes, 0);
                        if long {
                            hop.ts = (before.ts + 2 * self.base_rtt) & 0xff_ffff;
                        }
                    }
                    Shape::OneRoundTrip => hop.ts = (before.ts + self.base_rtt) & 0xff_ffff,
                    Shape::Fading => {
                        (hop.tx_bytes, hop.q_len) = ((before.tx_bytes + 1) & 0xf_ffff, 0);
                        hop.ts = (before.ts + self.base_rtt - almost) & 0xff_ffff;
                    }
                    Shape::Rivals { hops, q_len } => {
                        (hop.tx_bytes, hop.q_len) = (before.tx_bytes, 0);
                        if long {
                            hop.ts = (before.ts + self.base_rtt + s.below(64) as u32) & 0xff_ffff;
                        }
                        if hops.contains(&index) {
                            hop.speed = speed;
                            hop.q_len = q_len.saturating_add(s.below(2) as u16);
                        }
                    }
                }
            }
            if matches!(self.shape, Shape::Rivals { .. }) {
                event.n_hop = MAX_HOPS as u8;
            }
        }
        self.last[flow] = Some(event);
        let s = self.source.stimulus();
        if s.chance(0.02) {
            event.hops[s.below(5) as usize].speed = s.uniform(4) as u8;
        }
        if s.chance(0.005) {
            event.n_hop = 0;
            event.hops[0].speed = s.uniform(4) as u8;
        }
        if s.chance(0.005) {
            event.flow = self.flows as u32 + s.below(2) as u32;
        }
        if self.law.timed {
            event.now = self.now;
            event.kind = match s.below(16) {
                0..=2 => EventKind::Cnp,
                3 => EventKind::Nak,
                4 => EventKind::Timeout,
                5 | 6 => EventKind::Tick,
                7 => EventKind::Sent,
                _ => EventKind::Ack,
            };
            if s.chance(0.9) {
                event.bytes = s.below(1 << 16) as u32;
            }
        } else if s.chance(0.05) {
            event.kind = EventKind::Probe;
        }
        event
    }

    /// Mostly a legal set of registers, sometimes one of the few that change while running, sometimes any value anywhere
    /// for a while.
    fn write_registers(&mut self) {
        let s = self.source.stimulus();
        match s.below(4) {
            0 => {
                let (address, bits) = self.law.changing[s.below(3) as usize];
                self.writes.push_back(Some((address, s.corner(bits))));
            }
            1 => {
                self.writes.push_back(Some((s.uniform(6) as u8, s.corner(48))));
                self.writes.extend(std::iter::repeat_n(None, 300));
                self.writes.extend(legal_registers(self.law, s).into_iter().map(Some));
            }
            _ => self.writes.extend(legal_registers(self.law, s).into_iter().map(Some)),
        }
    }
}

/// The writes of a legal set: 10 to 800 Gb/s, `T` of 1 to 100 us, at most 4 MiB between them.
fn legal_registers(law: Registers, s: &mut Stimulus) -> Vec<(u8, u64)> {
    let line_rate = [10, 25, 40, 50, 100, 200, 400, 800][s.below(8) as usize] * 1_000_000_000;
    let longest = (8 * (4 << 20) * 1_000_000_000u64 / line_rate).min(100_000);
    let base_rtt = 1000 + s.below(longest - 999) as u32;
    (law.legal)(s, line_rate, base_rtt)
}

/// Short intervals, so that all timers meet; line rates of at most 800 Gb/s fit the formats.
fn dcqcn_registers(s: &mut Stimulus, line_rate: u64, _base_rtt: u32) -> Vec<(u8, u64)> {
    let mut params = if s.chance(0.7) {
        DcqcnParams::sigcomm(line_rate, 1e5)
    } else {
        DcqcnParams::new(line_rate, 1e5)
    };
    params.clamp_target = s.chance(0.3);
    params.immediate = s.chance(0.8);
    params.fast_recovery = s.below(5) as u32;
    params.min_rate = line_rate / (1 + s.below(500));
    params.min_decrease = [0.0, 0.0, 0.6, 0.99][s.below(4) as usize];
    params.first_rate = [0, 0, line_rate / 3][s.below(3) as usize];
    params.gain = [1.0 / 256.0, 0.5, 0.9999][s.below(3) as usize];
    params.byte_reset = [0, 1 << 10, 1 << 16, 10_000_000][s.below(4) as usize];
    for interval in [
        &mut params.alpha_interval,
        &mut params.decrease_interval,
        &mut params.increase_interval,
    ] {
        *interval = 1024 * (1 + s.below(40));
    }
    let windowed = s.chance(0.5);
    let walk = [1, 4, 4, 30][s.below(4) as usize];
    DcqcnRegisters::new(&params, windowed).map_or(vec![], |registers| DcqcnRegisters { walk, ..registers }.writes())
}

fn hpcc_registers(s: &mut Stimulus, line_rate: u64, base_rtt: u32) -> Vec<(u8, u64)> {
    let mut params = HpccParams::new(line_rate, base_rtt);
    // at 0 every event multiplies, however small the utilisation
    params.max_stage = if s.chance(0.4) { 0 } else { s.below(8) as u8 };
    let Ok(mut registers) = HpccRegisters::new(&params) else {
        return vec![];
    };
    // utilisations of every size, down to those that no link has: flows start at any, and queues hardly weigh
    if s.chance(0.4) {
        registers.c_init = s.corner(48);
    }
    // windows from nearly nothing to the largest, or the clamp hides what a tiny utilisation does
    if s.chance(0.5) {
        for speed in &mut registers.speeds {
            speed.queue_weight = 1 << s.below(34);
        }
        (registers.w_min, registers.w_ai) = (1 << s.below(16), 1 << s.below(16));
    }
    registers.writes()
}

/// Either profile, with a weight of the new window from 1/8 to 1.
fn power_registers(s: &mut Stimulus, line_rate: u64, base_rtt: u32) -> Vec<(u8, u64)> {
    power_of(s, Signal::Int, line_rate, base_rtt)
}

fn theta_registers(s: &mut Stimulus, line_rate: u64, base_rtt: u32) -> Vec<(u8, u64)> {
    power_of(s, Signal::Delay, line_rate, base_rtt)
}

/// The paper's or its authors' rules, with other weights and floors.
fn power_of(s: &mut Stimulus, signal: Signal, line_rate: u64, base_rtt: u32) -> Vec<(u8, u64)> {
    let profile = [Profile::Paper, Profile::Authors][s.below(2) as usize];
    let mut params = PowerParams::of(profile, signal, line_rate, base_rtt);
    params.gamma = (1 + s.below(8)) as f64 / 8.0;
    params.one_minus_gamma = 1.0 - params.gamma;
    params.current_floor = [0.0, 0.0, 0.5][s.below(3) as usize];
    PowerRegisters::new(&params).map_or(vec![], |registers| registers.writes())
}

impl Drive for SlotDrive {
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        // what was offered in the last clock was taken if the slot was ready then
        if self.ports.event_ready(outputs) {
            self.event = None;
        }
        if self.ports.command_ready(outputs) {
            self.command = None;
        }
        let reset = clock < 2 || self.source.stimulus().chance(1e-4);
        if self.source.stimulus().chance(0.001) {
            let s = self.source.stimulus();
            self.accept = [1.0, 1.0, 1.0, 0.9, 0.9, 0.5, 0.5, 0.05][s.below(8) as usize];
            self.offer = [1.0, 1.0, 0.9, 0.3][s.below(4) as usize];
            if self.law.timed {
                self.pace = [5, 5, 300, 3_000][s.below(4) as usize];
            }
        }
        self.now += self.pace;
        if self.law.timed && self.source.stimulus().chance(1e-4) {
            self.now += self.source.stimulus().corner(30);
        }
        let offer = self.source.stimulus().chance(self.offer);
        if self.event.is_none() && offer {
            if self.burst.2 == 0 {
                self.begin_burst();
            }
            self.burst.2 -= 1;
            let flow = (self.burst.0 + self.source.stimulus().below(self.burst.1)) % self.flows;
            self.event = Some(self.next_event(flow as usize));
        }
        if reset {
            self.alive.fill(false);
        }
        if self.command.is_none() && self.source.stimulus().chance(0.03) {
            self.command = Some(self.next_command());
        }
        if self.writes.is_empty() && self.source.stimulus().chance(1e-3) {
            self.write_registers();
        }
        let write = self.writes.pop_front().flatten();
        match write {
            Some((address, data)) if Some(address) == self.law.base_rtt => self.base_rtt = data as u32 & 0x1_ffff,
            _ if reset => self.base_rtt = RESET_BASE_RTT,
            _ => {}
        }
        let stalled = !self.source.stimulus().chance(self.accept);
        self.ports.set_reset(inputs, reset);
        // what is not valid is noise, so that nothing may depend on it
        let s = self.source.stimulus();
        self.ports.set_param(inputs, Some((s.uniform(6) as u8, s.uniform(48))));
        self.ports.set_param(inputs, write);
        self.ports
            .set_command(inputs, Some((s.chance(0.5), s.uniform(16) as u16, s.uniform(8) as u8)));
        self.ports.set_command(inputs, self.command);
        self.ports.set_event(inputs, self.event.as_ref());
        self.ports.set_ready(inputs, !stalled);
        self.ports.set_now(inputs, self.now);
    }
}
