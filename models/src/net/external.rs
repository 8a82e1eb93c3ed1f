//! Hosts outside the simulator: their frames enter at the host's end of its link and leave there again.
//!
//! What lies between is the engine's: link rates and delays, switching, the shared buffer, INT, ECN, pause. Whoever drives the hosts
//! keeps their frames by number, runs the network to a time, takes what was delivered until then, lets the hosts run to the same time, and
//! injects what they sent meanwhile. Steps are no longer than the shortest host link takes: then no frame comes too late for its switch.

use super::engine::Simulator;
use super::outside::{Delivered, Delivery, External, HostLevel, InjectError};
use super::packet::{Packet, PacketKind};

impl Simulator {
    /// From now on every host is outside: flows only start and end in the records ([`Self::complete`]), packets are injected.
    pub fn hosts_outside(&mut self) {
        self.outside.on = true;
    }

    /// A host begins to send a frame at `time_ps`, or as soon as its link is free. Frames of one host come in order of time.
    pub fn inject(&mut self, node: u32, time_ps: u64, frame: External) -> Result<(), InjectError> {
        let port = match self.node_nics.get(node as usize).map(Vec::as_slice) {
            Some(&[nic]) if self.outside.on => self.nics[nic as usize].port,
            _ => return Err(InjectError::Node(node)),
        };
        let p = &self.ports[port as usize];
        let (start_ps, up) = (time_ps.max(p.busy_until), p.up);
        let arrival = start_ps + self.wire_ps(port, frame.size) + p.delay_ps;
        if arrival < self.now {
            let now_ps = self.now;
            return Err(InjectError::Late { node, time_ps, now_ps });
        }
        let kind = if frame.acknowledgement {
            PacketKind::Ack
        } else {
            self.counters.data_packets += 1;
            PacketKind::Data
        };
        let index = self.packets.insert(Packet {
            src: node,
            dst: frame.dst,
            ports: frame.ports,
            size: frame.size,
            kind,
            no_int: !frame.int,
            no_ecn: !frame.ecn,
            seq: frame.tag,
            sent_at: start_ps,
            ..Packet::default()
        });
        if up {
            self.transmit_at(port, index, start_ps, false);
        } else {
            self.counters.losses += 1;
            self.lose(index);
        }
        Ok(())
    }

    /// What was delivered since the last call, earliest first.
    pub fn take_delivered(&mut self) -> Vec<Delivered> {
        std::mem::take(&mut self.outside.delivered)
    }

    /// Bytes of the data class that wait at each port now, in the order of [`super::Topology::links`], the port of `a` before that of `b`; none at a
    /// port of a host, or at one that neither sends nor holds anything.
    pub fn port_queues(&self) -> impl Iterator<Item = Option<u64>> + '_ {
        let busy = |p: &&super::port::Port| p.on_switch && (p.busy_until > self.now || p.queued_bytes > 0);
        self.ports
            .iter()
            .map(move |p| Some(p).filter(busy).map(|p| p.egress_bytes))
    }

    /// What the agents of HCC said since the last call, earliest first. Every flow under a host's control has the same level.
    pub fn take_levels(&mut self) -> Vec<HostLevel> {
        std::mem::take(&mut self.outside.levels)
    }

    /// A host's agent has a level for its flows.
    pub(super) fn note_level(&mut self, node: u32, rate_bps: u64) {
        if self.outside.last_levels.insert(node, rate_bps) != Some(rate_bps) {
            let time_ps = self.now;
            self.outside.levels.push(HostLevel {
                time_ps,
                node,
                rate_bps,
            });
        }
    }

    /// A flow of hosts outside has ended.
    pub fn complete(&mut self, flow: usize, at_ps: u64) {
        let record = &mut self.records[flow];
        if record.finished_ps.is_none() {
            record.finished_ps = Some(at_ps);
            self.unfinished -= 1;
            self.flow_over(flow as u32);
        }
    }

    /// A packet has arrived at a host outside.
    pub(super) fn deliver(&mut self, port: u32, index: u32) {
        let p = self.packets[index];
        self.packets.release(index);
        self.counters.acks += u64::from(p.kind == PacketKind::Ack);
        let what = Delivery::Frame {
            tag: p.seq,
            n_hop: p.n_hop,
            path_id: p.path_id,
            hops: p.hops,
            ecn: p.ecn,
        };
        self.note(self.ports[port as usize].node, what);
    }

    /// A pause, or its end, has arrived at a port.
    pub(super) fn note_pause(&mut self, port: u32, what: Delivery) {
        let p = &self.ports[port as usize];
        if self.outside.on && !p.on_switch {
            self.note(p.node, what);
        }
    }

    /// A packet is gone.
    pub(super) fn lose(&mut self, index: u32) {
        let p = &self.packets[index];
        if self.outside.on && matches!(p.kind, PacketKind::Data | PacketKind::Ack) {
            let (node, tag) = (p.dst, p.seq);
            self.note(node, Delivery::Lost { tag });
        }
        self.packets.release(index);
    }

    fn note(&mut self, node: u32, what: Delivery) {
        let time_ps = self.now;
        self.outside.delivered.push(Delivered { time_ps, node, what });
    }
}

#[cfg(test)]
#[path = "external_tests.rs"]
mod tests;
