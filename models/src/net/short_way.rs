//! The short way through a switch of a plain network: the rules of [`super::switch`] and [`super::stamping`] with those left out that only
//! options need. Results are the same, which its tests compare.

use super::clock::PS_PER_NS;
use super::config::{Config, FlowControl};
use super::engine::{encode, Kind, Simulator};
use super::packet::{Packet, PacketKind, NIL};
use super::port::Port;
use super::stamp_rules::StampRules;
use crate::cc::HopRecord;

impl Simulator {
    /// The network has none of the options that the short way leaves out: one queue a port, pauses, INT as in the paper, no marks by packets,
    /// nothing lost on purpose, no host outside.
    pub(super) fn is_plain(&self) -> bool {
        let config = &self.config;
        config.classes.is_none()
            && config.mark_packets.is_none()
            && !config.int_arrivals
            && config.stamps == StampRules::default()
            && matches!(config.flow_control, FlowControl::Pfc { .. })
            && self.circuits.is_none()
            && self.arrival_drops.is_empty()
            && !self.outside.on
    }

    /// Forwards a packet that finds its port idle and takes nothing of the shared buffer: what it takes of its ingress port's reserve it would
    /// give back in the same moment, and an empty queue marks nothing. False: it has to take the long way.
    #[inline]
    pub(super) fn passes(&mut self, in_port: u32, index: u32) -> bool {
        let packet = &self.packets[index];
        let out = packet.in_port;
        let Some(port) = self.ports.get(out as usize) else {
            return false;
        };
        if port.waiting > 0 || (self.now, self.seq) < (port.busy_until, port.busy_seq) || !port.up {
            return false;
        }
        if self.in_data_class(packet.kind) {
            let size = u64::from(packet.size);
            let from = &self.ports[in_port as usize];
            let switch = &self.switches[from.owner as usize];
            let threshold = switch.shared_bytes.saturating_sub(switch.shared_used) >> from.pause_shift;
            let takes_nothing = !from.pausing
                && from.headroom_used == 0
                && from.ingress_bytes + size <= self.config.port_reserve
                && size <= threshold;
            if port.paused || !takes_nothing {
                return false;
            }
        }
        self.leave(out, index, false);
        true
    }

    /// Sends the next packet that waits at a switch port that is free.
    pub(super) fn send_waiting(&mut self, out: u32) {
        let port = &mut self.ports[out as usize];
        let index = match port.control.pop(&self.packets) {
            Some(index) => index,
            None if port.paused => return,
            None => match port.data.pop(&self.packets) {
                Some(index) => index,
                None => return,
            },
        };
        let packet = &self.packets[index];
        let (kind, size, in_port) = (packet.kind, u64::from(packet.size), packet.in_port);
        port.queued_bytes -= size;
        port.waiting -= 1;
        if self.in_data_class(kind) {
            let port = &mut self.ports[out as usize];
            port.egress_bytes -= size;
            let queue = port.egress_bytes;
            self.release_buffer(in_port, size);
            let markable = matches!(kind, PacketKind::Data | PacketKind::Segment);
            if queue > 0 && markable && !self.packets[index].no_ecn {
                self.mark(out, index, queue);
            }
            self.check_resume(in_port);
        }
        let more = self.ports[out as usize].waiting > 0;
        self.leave(out, index, more);
    }

    /// Stamps a packet that has left its queue and puts it onto the wire; `more`: others wait.
    #[inline]
    fn leave(&mut self, out: u32, index: u32, more: bool) {
        let packet = &mut self.packets[index];
        let port = &mut self.ports[out as usize];
        if matches!(packet.kind, PacketKind::Data | PacketKind::Probe) && self.config.int && !packet.no_int {
            let room = stamp(&self.config, self.now, port, packet);
            self.counters.int_full += u64::from(!room);
        }
        port.tx_bytes += u64::from(packet.size);
        if port.loss > 0.0 {
            self.transmit(out, index, more);
            return;
        }
        packet.in_port = NIL;
        let duration = match self.times[port.times as usize].ps.get(packet.size as usize) {
            Some(&ps) => ps,
            None => self.config.clock.duration_ps(u64::from(packet.size), port.rate_bps),
        };
        port.busy_until = self.now + duration;
        port.busy_seq = self.events.reserve();
        port.end_scheduled = more;
        self.counters.packet_hops += 1;
        if more {
            let (time, seq) = (port.busy_until, port.busy_seq);
            self.events.push_reserved(time, seq, encode(Kind::TxEnd, 0, out));
        }
        let (arrival, peer) = (port.busy_until + port.delay_ps, port.peer);
        self.events.push(arrival, encode(Kind::Arrive, peer, index));
    }
}

/// The record of a switch that says what the paper has it say. False: there was no room for it.
#[inline]
fn stamp(config: &Config, now: u64, port: &Port, packet: &mut Packet) -> bool {
    let (tx_bytes, q_len) = match config.int_multi {
        1 => (port.tx_bytes / 128, port.queued_bytes / 80),
        multi => (
            port.tx_bytes / (128 * u64::from(multi)),
            port.queued_bytes / (80 * u64::from(multi)),
        ),
    };
    let ns = now / PS_PER_NS;
    let ts = if config.second_fraction { ns % 1_000_000_000 } else { ns };
    let record = HopRecord {
        speed: port.speed_code,
        ts: ts as u32 & 0xff_ffff,
        tx_bytes: tx_bytes as u32 & 0xf_ffff,
        q_len: q_len.min(u64::from(u16::MAX)) as u16,
    };
    packet.add_record(record, port.node as u16 & 0xfff, config.framing.int_per_hop)
}

#[cfg(test)]
#[path = "short_way_tests.rs"]
mod tests;
