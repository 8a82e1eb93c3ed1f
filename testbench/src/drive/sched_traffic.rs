//! Random but plausible life of a scheduler: what lockstep and mutation feed it.

use crate::verilated::lockstep::Drive;
use hpcc_models::sched::SchedRegisters;
use hpcc_rtl::prim::uint::{Limbs, U};
use hpcc_rtl::prim::wide::W;
use hpcc_rtl::sim::{Port, Stimulus};
use hpcc_rtl::words::flows::FlowUpdate;
use hpcc_rtl::words::sched::LawEvent;
use std::collections::BTreeMap;

/// Offers that stay until they are taken, PSNs near what the scheduler sends, caps and levels that come and go, stalls of any density.
pub struct SchedTraffic {
    random: Stimulus,
    limbs: BTreeMap<String, usize>,
    flows: u64,
    /// Last PSN sent and end of work of each flow.
    sent: Vec<(u64, u64)>,
    generation: Vec<u64>,
    /// The event on offer.
    event: LawEvent,
    accept: f64,
    /// How far the clock has jumped ahead, ns.
    ahead: u64,
}

impl SchedTraffic {
    /// Traffic of so many flows for a scheduler with these ports.
    pub fn new(ports: &[Port], seed: u64, flows: u64) -> Self {
        Self {
            random: Stimulus::new(seed),
            limbs: ports.iter().map(|port| (port.name.clone(), port.limb)).collect(),
            flows,
            sent: vec![(0, 0); 65_536],
            // soon they begin anew
            generation: vec![250; 65_536],
            event: LawEvent::default(),
            accept: 1.0,
            ahead: 0,
        }
    }

    /// A flow: mostly one of a few, sometimes any, rarely one that is not configured.
    fn flow(&mut self) -> u64 {
        match self.random.below(40) {
            0 => self.random.uniform(16),
            1..=9 => self.random.below(self.flows),
            _ => self.random.below(8),
        }
    }
}

impl SchedTraffic {
    /// A rate: mostly fast enough that a flow waits some tens or hundreds of ns for its next packet, sometimes 128 ns and more.
    fn rate(&mut self) -> u64 {
        match self.random.below(10) {
            0..=2 => 0x6400_0000,
            3 | 4 => (1 << 28) + self.random.uniform(33),
            5 => (1 << 34) - 1,
            6 | 7 => (1 << 26) + self.random.uniform(29),
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
}

impl Drive for SchedTraffic {
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        let limbs = self.limbs.clone();
        let at = |name: &str| limbs[name];
        // a quarter of the time with the registers of a reset
        let as_reset = clock / 4096 % 4 == 3;
        let reset = clock < 2 || (as_reset && clock.is_multiple_of(4096)) || self.random.chance(0.0002);
        inputs[at("rst")] = u64::from(reset);
        // rests of a millisecond and more, as after a long pause, and of nearly the timeout that stands after a reset (4 ms)
        if as_reset && clock.is_multiple_of(512) {
            self.ahead += (u64::from(SchedRegisters::default().timeout) - self.random.below(4)) << 10;
        } else if self.random.chance(if as_reset { 0.0002 } else { 0.005 }) {
            self.ahead += self.random.corner(22);
        }
        inputs[at("now")] = clock * 5 + self.ahead;
        self.event.telemetry.now = U((clock * 5 + self.ahead) & 0xffff_ffff_ffff);
        self.event.to_limbs(&mut inputs[at("event_data")..]);
        if clock.is_multiple_of(512) {
            self.accept = [1.0, 0.9, 0.5, 0.05][self.random.below(4) as usize];
        }
        if clock.is_multiple_of(128) {
            inputs[at("pause")] = if self.random.chance(0.7) {
                0
            } else {
                self.random.uniform(8)
            };
        }
        // levels come and go, none while they are cleared; the first groups have most flows
        let level = self.random.below(50);
        inputs[at("level_write")] = u64::from(level == 0 && clock > 40);
        inputs[at("level_group")] = self.group();
        inputs[at("level_rate")] = match self.random.below(8) {
            0 => 0,
            1 => self.random.corner(34),
            2 => 1 << (26 + self.random.below(8)),
            3 => (1 << 29) + self.random.uniform(32),
            _ => (1 << 34) - 1,
        };
        if clock.is_multiple_of(512) {
            inputs[at("cap_window")] = self.random.below(2);
            inputs[at("cap_dither")] = self.random.below(2);
            // windows of a few packets, whole packets (with the levels above that are powers of two), and any
            inputs[at("cap_time")] = match self.random.below(3) {
                0 => self.random.below(2048),
                1 => 1 << (6 + self.random.below(8)),
                _ => self.random.corner(16),
            };
        }
        inputs[at("look")] = self.random.below(16);
        // short timeouts, so that flows run into them and end
        let register = self.random.below(200);
        inputs[at("param_write")] = u64::from(clock < 10 || (register == 0 && !as_reset));
        let address = if clock < 10 { 2 } else { self.random.below(5) };
        inputs[at("param_address")] = address;
        inputs[at("param_data")] = match address {
            0 => self.random.corner(10),
            1 => self.random.corner(12),
            _ => self.random.below(4),
        };
        if outputs[at("send_valid")] == 1 && inputs[at("send_ready")] == 1 {
            self.sent[outputs[at("send_flow")] as usize].0 = outputs[at("send_psn")];
        }
        for port in ["command", "work", "event", "update", "feedback"] {
            let valid = format!("{port}_valid");
            let waits = inputs[at(&valid)] == 1 && outputs[at(&format!("{port}_ready"))] == 0;
            if waits {
                continue;
            }
            let chance = if port == "command" { 0.03 } else { 0.3 };
            inputs[at(&valid)] = self.random.chance(chance).into();
            let flow = self.flow();
            let (psn, end) = self.sent[flow as usize];
            let old = self.random.chance(0.05);
            let generation = self.generation[flow as usize].wrapping_sub(old.into()) & 0xff;
            if !["event", "update"].contains(&port) {
                inputs[at(&format!("{port}_flow"))] = flow;
                inputs[at(&format!("{port}_generation"))] = generation;
            }
            let near = |random: &mut Stimulus| (psn + random.below(6)).wrapping_sub(2) & 0xff_ffff;
            match port {
                "command" => {
                    let create = self.random.chance(0.6);
                    inputs[at("command_limit")] = self.random.chance(0.6).into();
                    inputs[at("command_rate")] = self.rate();
                    inputs[at("command_group")] = self.group();
                    let first = self.random.corner(24);
                    inputs[at("command_create")] = create.into();
                    inputs[at("command_psn")] = first;
                    inputs[at("command_mtu")] = self.random.below(5);
                    inputs[at("command_priority")] = self.random.uniform(3);
                    inputs[at("command_windowless")] = self.random.chance(0.2).into();
                    inputs[at("command_timerless")] = self.random.chance(0.2).into();
                    if create && inputs[at(&valid)] == 1 {
                        self.generation[flow as usize] = (generation + 1) & 0xff;
                        inputs[at("command_generation")] = self.generation[flow as usize];
                        self.sent[flow as usize] = (first, first);
                    }
                }
                "work" => {
                    let end = (end + self.random.below(30)) & 0xff_ffff;
                    inputs[at("work_end")] = end;
                    inputs[at("work_restart")] = self.random.chance(0.3).into();
                    inputs[at("work_start")] = end.wrapping_sub(self.random.below(40)) & 0xff_ffff;
                    self.sent[flow as usize].1 = end;
                }
                "event" => {
                    let random = &mut self.random;
                    (self.event.flow, self.event.generation) = (U(flow), U(generation));
                    let telemetry = &mut self.event.telemetry;
                    telemetry.event_kind = U(random.below(12).saturating_sub(6));
                    self.event.psn_next = U(near(random));
                    telemetry.bytes = U(random.uniform(32));
                    telemetry.int_valid = random.uniform(1) == 1;
                    telemetry.hops = W([(); 5].map(|()| random.uniform(64)));
                    telemetry.path_id = U(random.uniform(12));
                    telemetry.n_hop = U(random.uniform(4));
                    telemetry.ecn = random.uniform(1) == 1;
                    telemetry.sent_at = U(random.uniform(48));
                    self.event.snd_nxt = U(random.uniform(24));
                    self.event.to_limbs(&mut inputs[at("event_data")..]);
                }
                "update" => {
                    let rate = U(self.rate());
                    let update = FlowUpdate {
                        flow: U(flow),
                        generation: U(generation),
                        window: U(self.random.corner(34)),
                        rate,
                    };
                    update.to_limbs(&mut inputs[at("update_data")..]);
                }
                _ => {
                    let advance = self.random.chance(0.2);
                    inputs[at("feedback_advance")] = advance.into();
                    inputs[at("feedback_psn")] = near(&mut self.random);
                    // fewer bytes than a full packet, or more
                    inputs[at("feedback_value")] = match (advance, self.random.chance(0.2)) {
                        (true, _) => near(&mut self.random),
                        (false, true) => self.random.below(1024).wrapping_neg() & 0xf_ffff,
                        (false, false) => self.random.below(1024),
                    };
                }
            }
        }
        inputs[at("send_ready")] = self.random.chance(self.accept).into();
        inputs[at("cc_ready")] = self.random.chance(self.accept).into();
        inputs[at("ended_ready")] = self.random.chance(self.accept).into();
    }
}
