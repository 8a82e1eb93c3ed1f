//! Random but plausible life of a scheduler: what its unit tests, lockstep and mutation feed it.

use super::levels::LEVEL_INTERVAL;
use crate::prim::uint::{Limbs, U};
use crate::prim::wide::W;
use crate::sim::{Port, Stimulus};
use crate::words::flows::FlowUpdate;
use crate::words::sched::LawEvent;
use hpcc_models::sched::SchedRegisters;
use std::collections::BTreeMap;

/// Clocks of a stretch of one kind.
const STRETCH: u64 = 2048;

/// Register: waits for a receiver that is not ready.
pub const RNR_RETRY: u8 = 2;

/// What a stretch of traffic is like; they follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stretch {
    /// Anything at any time.
    Wild,
    /// Flows that keep their pace: work, open windows, each packet acknowledged, nothing stalls, the clock runs evenly.
    Paced,
    /// Packets leave in bursts and rarely, so that grants pile up and the flows of an engine wait for each other.
    Crowded,
    /// Anything, with the registers that stand after a reset: twice as long, so that flows that nobody acknowledges reach their retry limit.
    AsReset,
}

/// Offers that stay until they are taken, PSNs near what the scheduler sends, caps and levels that come and go, stalls of any density.
pub struct SchedTraffic {
    random: Stimulus,
    limbs: BTreeMap<String, usize>,
    flows: u64,
    stretch: Stretch,
    /// Last PSN sent and end of work of each flow.
    sent: Vec<(u64, u64)>,
    generation: Vec<u64>,
    /// The flow that is restarted and sent back again and again, and its last start: counts of restarts and rewinds run around before a
    /// visit sees one of them.
    storm: Option<u64>,
    start: u64,
    /// The event on offer.
    event: LawEvent,
    accept: f64,
    /// How far the clock has jumped ahead, ns.
    ahead: u64,
    /// From when on another level may be written.
    next_level: u64,
}

/// The limbs of a clock's inputs by the names of their ports.
struct Pins<'a> {
    limbs: &'a BTreeMap<String, usize>,
    inputs: &'a mut [u64],
}

impl Pins<'_> {
    fn set(&mut self, name: &str, value: u64) {
        self.inputs[self.limbs[name]] = value;
    }
    fn get(&self, name: &str) -> u64 {
        self.inputs[self.limbs[name]]
    }
    fn from(&mut self, name: &str) -> &mut [u64] {
        &mut self.inputs[self.limbs[name]..]
    }
}

impl SchedTraffic {
    /// Traffic of so many flows for a scheduler with these ports.
    pub fn new(ports: &[Port], seed: u64, flows: u64) -> Self {
        Self {
            random: Stimulus::new(seed),
            limbs: ports.iter().map(|port| (port.name.clone(), port.limb)).collect(),
            flows,
            stretch: Stretch::Wild,
            next_level: 0,
            sent: vec![(0, 0); 65_536],
            // soon they begin anew
            generation: vec![250; 65_536],
            storm: None,
            start: 0,
            event: LawEvent::default(),
            accept: 1.0,
            ahead: 0,
        }
    }

    /// A flow: mostly one of a few, sometimes any, rarely one that is not configured. In a crowd those of one engine of three.
    fn flow(&mut self) -> u64 {
        match (self.stretch, self.random.below(40)) {
            (_, 0) => self.random.uniform(16),
            (_, 1..=9) => self.random.below(self.flows),
            (Stretch::Crowded, _) => self.random.below(self.flows.div_ceil(3)) * 3,
            _ => self.random.below(8),
        }
    }

    /// A rate: mostly fast enough that a flow waits some tens or hundreds of ns for its next packet, sometimes 128 ns and more.
    fn rate(&mut self) -> u64 {
        match (self.stretch, self.random.below(10)) {
            // a packet of 1 KiB in 60 ns to 16 us, or in a millisecond and more
            (Stretch::Paced, 0..=1) => 1 << (8 + self.random.below(12)),
            (Stretch::Paced, 2..=8) => {
                let bits = 23 + self.random.below(9) as usize;
                (1 << bits) + self.random.uniform(bits)
            }
            (_, draw) if draw <= 2 => 0x6400_0000,
            (_, 3 | 4) => (1 << 28) + self.random.uniform(33),
            (_, 5) => (1 << 34) - 1,
            (_, 6 | 7) => (1 << 26) + self.random.uniform(29),
            _ => self.random.corner(34),
        }
    }

    /// A window: of some packets and more in stretches in which flows go on, else anything.
    fn window(&mut self) -> u64 {
        match self.stretch {
            Stretch::Paced | Stretch::Crowded if self.random.chance(0.8) => (1 << 26) + self.random.uniform(33),
            _ => self.random.corner(34),
        }
    }

    /// A group: mostly one of the first four, so that levels meet flows.
    fn group(&mut self) -> u64 {
        if self.random.chance(0.6) {
            self.random.below(4)
        } else {
            self.random.below(16)
        }
    }

    /// Sets the inputs' limbs of a clock; `outputs` are those of the clock before.
    pub fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        let limbs = std::mem::take(&mut self.limbs);
        let pins = &mut Pins { limbs: &limbs, inputs };
        self.stretch = match clock / STRETCH % 5 {
            0 => Stretch::Wild,
            1 => Stretch::Paced,
            2 => Stretch::Crowded,
            _ => Stretch::AsReset,
        };
        let held = clock % 256 < 192;
        let storm = self.stretch == Stretch::Crowded && held && clock / 256 % 2 == 1;
        self.storm = storm.then_some(clock / 512 % self.flows.div_ceil(3) * 3);
        self.surroundings(clock, pins);
        self.limits(clock, pins);
        let output = |name: &str| outputs[limbs[name]];
        if output("send_valid") == 1 && pins.get("send_ready") == 1 {
            self.sent[output("send_flow") as usize].0 = output("send_psn");
        }
        for port in ["command", "work", "event", "update", "feedback"] {
            let valid = format!("{port}_valid");
            if pins.get(&valid) == 0 || output(&format!("{port}_ready")) == 1 {
                self.offer(port, &valid, pins);
            }
        }
        // bursts of some packets, some hundred clocks apart
        let burst = self.stretch != Stretch::Crowded || !held;
        let send_ready = burst && self.random.chance(self.accept);
        pins.set("send_ready", send_ready.into());
        pins.set("cc_ready", self.random.chance(self.accept).into());
        pins.set("ended_ready", self.random.chance(self.accept).into());
        pins.set("rnr_retry", RNR_RETRY.into());
        self.limbs = limbs;
    }

    /// Reset, clock, pause, registers.
    fn surroundings(&mut self, clock: u64, pins: &mut Pins) {
        let as_reset = self.stretch == Stretch::AsReset;
        let even = self.stretch == Stretch::Paced;
        let begins = clock % (5 * STRETCH) == 3 * STRETCH;
        let reset = clock < 2 || begins || (!even && self.random.chance(0.0002));
        pins.set("rst", reset.into());
        // rests of a millisecond and more, as after a long pause, and of nearly the timeout that stands after a reset (4 ms)
        if as_reset && clock.is_multiple_of(256) {
            self.ahead += (u64::from(SchedRegisters::default().timeout) - self.random.below(4)) << 10;
        } else if !even && self.random.chance(if as_reset { 0.0002 } else { 0.005 }) {
            self.ahead += self.random.corner(22);
        }
        pins.set("now", clock * 5 + self.ahead);
        self.event.telemetry.now = U((clock * 5 + self.ahead) & 0xffff_ffff_ffff);
        self.event.to_limbs(pins.from("event_data"));
        if clock.is_multiple_of(512) {
            self.accept = match even {
                true => 1.0,
                false => [1.0, 0.9, 0.5, 0.05][self.random.below(4) as usize],
            };
        }
        if clock.is_multiple_of(128) {
            let pause = match self.random.chance(if even || as_reset { 0.95 } else { 0.7 }) {
                true => 0,
                false => self.random.uniform(8),
            };
            pins.set("pause", pause);
        }
        // short timeouts, so that flows run into them and end
        let register = self.random.below(200);
        pins.set("param_write", u64::from(clock < 10 || (register == 0 && !as_reset)));
        let address = if clock < 10 { 2 } else { self.random.below(5) };
        pins.set("param_address", address);
        let value = match address {
            0 => self.random.corner(10),
            1 => self.random.corner(12),
            _ => self.random.below(4),
        };
        pins.set("param_data", value);
    }

    /// Levels come and go, none while they are cleared; the first groups have most flows.
    fn limits(&mut self, clock: u64, pins: &mut Pins) {
        let level = self.random.below(if self.stretch == Stretch::Paced { 200 } else { 50 });
        let writes = level == 0 && clock > 40 && clock >= self.next_level;
        if writes {
            self.next_level = clock + LEVEL_INTERVAL;
        }
        pins.set("level_write", u64::from(writes));
        pins.set("level_group", self.group());
        let rate = match self.random.below(8) {
            0 => 0,
            1 => self.random.corner(34),
            2 => 1 << (26 + self.random.below(8)),
            3 => (1 << 29) + self.random.uniform(32),
            _ => (1 << 34) - 1,
        };
        pins.set("level_rate", rate);
        if clock.is_multiple_of(512) {
            pins.set("cap_window", self.random.below(2));
            pins.set("cap_dither", self.random.below(2));
            // windows of a few packets, whole packets (with the levels above that are powers of two), and any
            let time = match self.random.below(3) {
                0 => self.random.below(2048),
                1 => 1 << (6 + self.random.below(8)),
                _ => self.random.corner(16),
            };
            pins.set("cap_time", time);
        }
        pins.set("look", self.random.below(16));
    }

    /// Something new on a port, or nothing.
    fn offer(&mut self, port: &str, valid: &str, pins: &mut Pins) {
        let steady = matches!(self.stretch, Stretch::Paced | Stretch::Crowded);
        let chance = match port {
            "command" if steady || self.stretch == Stretch::AsReset => 0.005,
            "command" => 0.03,
            "update" if steady => 0.02,
            _ => 0.3,
        };
        let offered = self.random.chance(chance);
        pins.set(valid, offered.into());
        let storms = self
            .storm
            .filter(|_| ["work", "event"].contains(&port) && self.random.chance(0.8));
        let mut flow = storms.unwrap_or_else(|| self.flow());
        // the last flows are never acknowledged and never start again
        let unheard = self.stretch == Stretch::AsReset && flow + 3 >= self.flows;
        if unheard && port == "event" {
            flow %= 8;
        }
        let (psn, end) = self.sent[flow as usize];
        let old = self.random.chance(0.05);
        let generation = self.generation[flow as usize].wrapping_sub(old.into()) & 0xff;
        if !["event", "update"].contains(&port) {
            pins.set(&format!("{port}_flow"), flow);
            pins.set(&format!("{port}_generation"), generation);
        }
        let near = |random: &mut Stimulus| (psn + random.below(6)).wrapping_sub(2) & 0xff_ffff;
        match port {
            "command" => self.command(flow, generation, offered, pins),
            "work" => {
                let end = (end + self.random.below(30)) & 0xff_ffff;
                pins.set("work_end", end);
                let restart = match steady {
                    true => storms.is_some() || self.random.chance(0.01),
                    false => !unheard && self.random.chance(0.3),
                };
                pins.set("work_restart", restart.into());
                let start = end.wrapping_sub(self.random.below(40)) & 0xff_ffff;
                pins.set("work_start", start);
                if storms.is_some() {
                    self.start = start;
                }
                self.sent[flow as usize].1 = end;
            }
            "event" => {
                let random = &mut self.random;
                (self.event.flow, self.event.generation) = (U(flow), U(generation));
                let telemetry = &mut self.event.telemetry;
                telemetry.event_kind = U(random.below(12).saturating_sub(6));
                self.event.psn_next = U(near(random));
                if storms.is_some() {
                    (telemetry.event_kind, self.event.psn_next) = (U(1), U(self.start));
                } else if steady && random.chance(0.9) {
                    (telemetry.event_kind, self.event.psn_next) = (U(0), U((psn + 1) & 0xff_ffff));
                }
                telemetry.bytes = U(random.uniform(32));
                telemetry.int_valid = random.uniform(1) == 1;
                telemetry.hops = W([(); 5].map(|()| random.uniform(64)));
                telemetry.path_id = U(random.uniform(12));
                telemetry.n_hop = U(random.uniform(4));
                telemetry.ecn = random.uniform(1) == 1;
                telemetry.sent_at = U(random.uniform(48));
                telemetry.sent_valid = random.uniform(1) == 1;
                // now and then a receiver that is not ready, for 10 to 30 us
                self.event.not_ready = storms.is_none() && !steady && random.chance(0.03);
                self.event.rnr_timer = U(1 + random.below(3));
                self.event.snd_nxt = U(random.uniform(24));
                self.event.to_limbs(pins.from("event_data"));
            }
            "update" => {
                let rate = U(self.rate());
                let update = FlowUpdate {
                    flow: U(flow),
                    generation: U(generation),
                    window: U(self.window()),
                    rate,
                };
                update.to_limbs(pins.from("update_data"));
            }
            _ => {
                let advance = self.random.chance(if steady { 0.02 } else { 0.2 });
                pins.set("feedback_advance", advance.into());
                pins.set("feedback_psn", near(&mut self.random));
                // fewer bytes than a full packet, or more
                let value = match (advance, self.random.chance(0.2)) {
                    (true, _) => near(&mut self.random),
                    (false, true) => self.random.below(1024).wrapping_neg() & 0xf_ffff,
                    (false, false) => self.random.below(1024),
                };
                pins.set("feedback_value", value);
            }
        }
    }

    /// Creations, removals and caps.
    fn command(&mut self, flow: u64, generation: u64, offered: bool, pins: &mut Pins) {
        let create = self.random.chance(0.6);
        pins.set("command_limit", self.random.chance(0.6).into());
        pins.set("command_rate", self.rate());
        pins.set("command_group", self.group());
        let first = self.random.corner(24);
        pins.set("command_create", create.into());
        pins.set("command_psn", first);
        pins.set("command_mtu", self.random.below(5));
        pins.set("command_priority", self.random.uniform(3));
        pins.set("command_windowless", self.random.chance(0.2).into());
        pins.set("command_timerless", self.random.chance(0.2).into());
        if create && offered {
            self.generation[flow as usize] = (generation + 1) & 0xff;
            pins.set("command_generation", self.generation[flow as usize]);
            self.sent[flow as usize] = (first, first);
        }
    }
}
