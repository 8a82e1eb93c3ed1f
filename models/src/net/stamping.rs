//! What a switch writes on a packet that leaves: a congestion mark, an INT record.

use rand::Rng;

use super::classes::{ClassTelemetry, Departure};
use super::engine::Simulator;
use super::packet::NIL;
use crate::cc::HopRecord;
use crate::wire::telemetry::path_bits;

impl Simulator {
    /// Congestion mark by the queue left behind.
    pub(super) fn mark(&mut self, out: u32, index: u32, queue: u64) {
        let Some(rule) = self.ports[out as usize].ecn else {
            return;
        };
        let marked = queue > rule.k_max
            || (queue > rule.k_min && {
                let p = rule.p_max * (queue - rule.k_min) as f64 / (rule.k_max - rule.k_min) as f64;
                self.rng.random::<f64>() < p
            });
        if marked {
            self.counters.marked += 1;
            self.packets[index].ecn = true;
        }
    }

    /// Speed code, bytes sent and queue that a record of a packet which leaves its queue for `dst` tells.
    fn telemetry_of(&self, out: u32, dst: u32, left: Option<Departure>) -> (u8, u64, u64) {
        let port = &self.ports[out as usize];
        if port.rack != NIL {
            // The queue's own bytes, and the speed of what drains it now.
            if let Some((_, _, voq)) = self.voq_of(out, dst) {
                return (port.speed_code, voq.sent, voq.bytes);
            }
        }
        let whole = (port.speed_code, port.tx_bytes, port.queued_bytes);
        let (Some(rules), Some(queues), Some(left)) = (&self.config.classes, &port.classes, left) else {
            return whole;
        };
        let active = match rules.telemetry {
            ClassTelemetry::Port => return whole,
            ClassTelemetry::Sojourn => {
                let bits = u128::from(left.sojourn_ps) * u128::from(port.rate_bps) / 1_000_000_000_000;
                return (port.speed_code, port.tx_bytes, (bits / 8) as u64);
            }
            ClassTelemetry::Class => u32::MAX,
            ClassTelemetry::Shared => queues.active(self.now, rules.active_ps),
        };
        let speed = rules.bandwidth(port.rate_bps, left.class, active);
        let code = self.config.speed_codes.get(&speed).copied();
        let class = left.class as u8;
        (
            code.unwrap_or(self.config.unknown_speed),
            queues.tx_bytes(class),
            queues.bytes(class),
        )
    }

    /// INT: one record per switch, five at most (behaviour, "INT on the wire").
    pub(super) fn stamp(&mut self, out: u32, index: u32, left: Option<Departure>) {
        let rules = &self.config.stamps;
        if rules.silent.contains(&self.ports[out as usize].node) {
            return;
        }
        let (mut speed, sent, queue) = self.telemetry_of(out, self.packets[index].dst, left);
        let rate = self.ports[out as usize].rate_bps;
        if let Some(shown) = rules.shown_bps {
            speed = self.config.speed_codes.get(&shown).copied().unwrap_or(speed);
        }
        let (sent, queue) = (rules.shown(rate, sent), rules.shown(rate, queue));
        let multi = u64::from(self.config.int_multi);
        let bytes = if self.config.int_arrivals {
            // What entered the queue has left it, waits in it, or is this packet.
            sent + queue + u64::from(self.packets[index].size)
        } else {
            sent
        };
        let ns = self.now / super::clock::PS_PER_NS;
        let ts = if self.config.second_fraction {
            ns % 1_000_000_000
        } else {
            ns
        };
        let tx_bytes = match rules.utilisation_ps {
            Some(window_ps) => {
                let port = &mut self.ports[out as usize];
                port.utilisation.measure(self.now, port.tx_bytes, rate, window_ps)
            }
            None => (bytes / (128 * multi)) as u32 & 0xf_ffff,
        };
        let record = HopRecord {
            speed,
            ts: ts as u32 & 0xff_ffff,
            tx_bytes,
            q_len: (queue / (80 * multi)).min(u64::from(u16::MAX)) as u16,
        };
        let port = &self.ports[out as usize];
        let id = match self.config.stamps.path_of_links {
            // the number of the link is a port number that no other of the switch has
            true => path_bits(port.node, (out / 2) as u16),
            false => self.switches[port.owner as usize].node as u16 & 0xfff,
        };
        let per_hop = self.config.framing.int_per_hop;
        if !self.packets[index].add_record(record, id, per_hop) {
            self.counters.int_full += 1;
        }
    }
}
