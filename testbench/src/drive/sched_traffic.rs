//! Random but plausible life of a scheduler: what lockstep and mutation feed it.

use crate::verilated::lockstep::Drive;
use hpcc_rtl::sim::{Port, Stimulus};
use std::collections::BTreeMap;

/// Offers that stay until they are taken, PSNs near what the scheduler sends, caps and levels that come and go, stalls of any density.
pub struct SchedTraffic {
    random: Stimulus,
    limbs: BTreeMap<String, usize>,
    flows: u64,
    /// Last PSN sent and end of work of each flow.
    sent: Vec<(u64, u64)>,
    generation: Vec<u64>,
    accept: f64,
}

impl SchedTraffic {
    /// Traffic of so many flows for a scheduler with these ports.
    pub fn new(ports: &[Port], seed: u64, flows: u64) -> Self {
        Self {
            random: Stimulus::new(seed),
            limbs: ports.iter().map(|port| (port.name.clone(), port.limb)).collect(),
            flows,
            sent: vec![(0, 0); 65_536],
            generation: vec![0; 65_536],
            accept: 1.0,
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

impl Drive for SchedTraffic {
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        let limbs = self.limbs.clone();
        let at = |name: &str| limbs[name];
        inputs[at("rst")] = u64::from(clock < 2 || self.random.chance(0.0002));
        inputs[at("now")] = clock * 5;
        inputs[at("event_now")] = clock * 5;
        if clock.is_multiple_of(512) {
            self.accept = [1.0, 0.7, 0.2, 0.02][self.random.below(4) as usize];
            inputs[at("pause")] = if self.random.chance(0.8) {
                0
            } else {
                self.random.uniform(8)
            };
        }
        // levels come and go, none while they are cleared
        let level = self.random.below(100);
        inputs[at("level_write")] = u64::from(level == 0 && clock > 40);
        inputs[at("level_group")] = self.random.below(4);
        inputs[at("level_rate")] = match self.random.below(4) {
            0 => 0,
            1 => self.random.corner(34),
            _ => (1 << 34) - 1,
        };
        if clock.is_multiple_of(2048) {
            inputs[at("cap_window")] = self.random.below(2);
            inputs[at("cap_dither")] = self.random.below(2);
            inputs[at("cap_time")] = self.random.corner(16);
        }
        inputs[at("look")] = self.random.below(16);
        // short timeouts, so that flows run into them and end
        let register = self.random.below(200);
        inputs[at("param_write")] = u64::from(clock < 10 || register == 0);
        inputs[at("param_address")] = if clock < 10 { 2 } else { 2 + self.random.below(2) };
        inputs[at("param_data")] = self.random.below(4);
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
            inputs[at(&format!("{port}_flow"))] = flow;
            let old = self.random.chance(0.05);
            let generation = self.generation[flow as usize].wrapping_sub(old.into()) & 0xff;
            inputs[at(&format!("{port}_generation"))] = generation;
            let near = |random: &mut Stimulus| (psn + random.below(6)).wrapping_sub(2) & 0xff_ffff;
            match port {
                "command" => {
                    let create = self.random.chance(0.6);
                    inputs[at("command_limit")] = self.random.chance(0.6).into();
                    inputs[at("command_rate")] = self.random.corner(34);
                    inputs[at("command_group")] = self.random.below(4);
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
                    inputs[at("event_kind")] = self.random.below(12).saturating_sub(6);
                    inputs[at("event_psn_next")] = near(&mut self.random);
                    inputs[at("event_bytes")] = self.random.uniform(32);
                    inputs[at("event_int_valid")] = self.random.uniform(1);
                    inputs[at("event_hops") + 4] = self.random.uniform(64);
                    inputs[at("event_path_id")] = self.random.uniform(12);
                }
                "update" => {
                    inputs[at("update_rate")] = if self.random.chance(0.5) {
                        0x6400_0000
                    } else {
                        self.random.corner(34)
                    };
                    inputs[at("update_window")] = self.random.corner(34);
                }
                _ => {
                    inputs[at("feedback_advance")] = self.random.chance(0.2).into();
                    inputs[at("feedback_psn")] = near(&mut self.random);
                    inputs[at("feedback_value")] = near(&mut self.random) & 0x3ff;
                }
            }
        }
        inputs[at("send_ready")] = self.random.chance(self.accept).into();
        inputs[at("cc_ready")] = self.random.chance(self.accept).into();
        inputs[at("ended_ready")] = self.random.chance(self.accept).into();
    }
}
