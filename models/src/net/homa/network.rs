//! HOMA hosts in the network: from flows to packets on a link and back, with their timers.

use super::hosts::{HomaHosts, Place};
use super::outgoing::Leaving;
use super::packet::HomaPacket;
use crate::net::engine::{encode, Kind, SetupError, Simulator};
use crate::net::packet::{Packet, PacketKind, NIL};

/// Which half's timer an event is.
const RECEIVER: u32 = 0;
const SENDER: u32 = 1;

impl Simulator {
    /// Makes the hosts, if the network's are HOMA's; after its ports.
    pub(in crate::net) fn make_homa(&mut self) -> Result<(), SetupError> {
        let Some(config) = self.config.homa else { return Ok(()) };
        if let Some((field, expected)) = config.fault() {
            return Err(SetupError::Slot(format!("{field}: expected {expected}")));
        }
        let first = self.flows.first().map(|flow| self.slot_params(flow).w_init_bytes);
        let rtt_bytes = config.rtt_bytes.or(first).unwrap_or(0);
        self.homa = Some(Box::new(HomaHosts::new(
            config,
            rtt_bytes,
            self.config.mtu,
            self.flows.iter().map(|f| f.bytes),
            self.nics.len(),
            self.topology.nodes(),
        )));
        Ok(())
    }

    /// A message starts. False: the hosts are not HOMA's.
    pub(in crate::net) fn start_homa(&mut self, flow: u32) -> bool {
        if self.homa.is_none() {
            return false;
        }
        let spec = self.flows[flow as usize];
        let ports = self.next_ports(spec.src, spec.dst, spec.dst_port);
        self.note_ideal(flow, ports);
        let Some(port) = self.routes.pick(spec.src, spec.src, spec.dst, ports) else {
            return true;
        };
        let nic = self.ports[port as usize].owner;
        let Some(hosts) = &mut self.homa else { return false };
        if hosts.places.len() <= flow as usize {
            hosts.places.resize(flow as usize + 1, None);
        }
        hosts.places[flow as usize] = Some(Place { nic, ports });
        let (rules, priority) = (hosts.rules(spec.bytes), hosts.levels.of_message(spec.bytes));
        hosts.outgoing[nic as usize].start(flow, rules, priority, self.now);
        let wait = hosts.config.resend_ps;
        self.arm_homa(SENDER, flow, self.now + wait);
        self.nic_send(nic);
        true
    }

    fn arm_homa(&mut self, half: u32, flow: u32, at: u64) {
        self.events.push(at, encode(Kind::HomaTimer, half, flow));
    }

    /// Sends the next packet of a HOMA host's port, if it is free: what the receiver has to say before payload. False: the hosts are not HOMA's.
    pub(in crate::net) fn homa_send(&mut self, nic: u32) -> bool {
        let Some(hosts) = &self.homa else { return false };
        let port = self.nics[nic as usize].port;
        let p = &self.ports[port as usize];
        let waiting = hosts.outgoing[nic as usize].may_send();
        if !p.up || (!waiting && p.control.is_empty()) || self.busy(port) {
            return true;
        }
        let ignores = self.config.host_acks_ignore_pause;
        let p = &mut self.ports[port as usize];
        if p.paused && !ignores {
            return true;
        }
        if let Some(index) = p.control.pop(&self.packets) {
            let more = waiting || !p.control.is_empty();
            self.transmit(port, index, more);
            return true;
        }
        let (paused, now) = (p.paused, self.now);
        let Some(hosts) = self.homa.as_mut().filter(|_| !paused) else {
            return true;
        };
        let outgoing = &mut hosts.outgoing[nic as usize];
        let Some(leaving) = outgoing.next(now) else { return true };
        let more = outgoing.may_send();
        self.send_payload(port, leaving, more);
        true
    }

    fn send_payload(&mut self, port: u32, leaving: Leaving, more: bool) {
        let Leaving { flow, packet, .. } = leaving;
        let spec = self.flows[flow as usize];
        let framing = &self.config.framing;
        let size = (framing.data_header + leaving.len).max(framing.min_data);
        self.counters.data_packets += 1;
        if matches!(packet, HomaPacket::Data { again: true, .. }) {
            self.records[flow as usize].retransmitted_bytes += u64::from(leaving.len);
        }
        let Some(place) = self.homa.as_ref().and_then(|h| h.place(flow)) else {
            return;
        };
        let index = self.packets.insert(Packet {
            flow,
            src: spec.src,
            dst: spec.dst,
            ports: place.ports,
            size,
            payload: leaving.len,
            class: leaving.priority,
            ..self.homa_packet()
        });
        self.note_homa(index, packet);
        self.transmit(port, index, more);
    }

    fn homa_packet(&self) -> Packet {
        Packet {
            kind: PacketKind::Homa,
            no_int: true,
            no_ecn: true,
            next: NIL,
            sent_at: self.now,
            ..Packet::default()
        }
    }

    fn note_homa(&mut self, index: u32, packet: HomaPacket) {
        if let Some(hosts) = &mut self.homa {
            hosts.note(index, packet);
        }
    }

    /// One end of a message says something to the other, with the highest priority. As long on the wire as an acknowledgement of the other laws.
    fn say(&mut self, flow: u32, to_sender: bool, packet: HomaPacket) {
        let Some(place) = self.homa.as_ref().and_then(|h| h.place(flow)) else {
            return;
        };
        let spec = self.flows[flow as usize];
        let (src, dst, ports) = if to_sender {
            (spec.dst, spec.src, place.ports.rotate_left(16))
        } else {
            (spec.src, spec.dst, place.ports)
        };
        let Some(port) = self.routes.pick(src, src, dst, ports) else {
            return;
        };
        match packet {
            HomaPacket::Grant { .. } => self.counters.grants += 1,
            HomaPacket::Ack => self.counters.acks_sent += 1,
            HomaPacket::Resend { .. } | HomaPacket::NeedAck => self.counters.timeouts += 1,
            HomaPacket::Data { .. } | HomaPacket::Busy => {}
        }
        let framing = &self.config.framing;
        let index = self.packets.insert(Packet {
            flow,
            src,
            dst,
            ports,
            size: framing.ack_header.max(framing.min_ack),
            ..self.homa_packet()
        });
        self.note_homa(index, packet);
        self.ports[port as usize].control.push(&mut self.packets, index);
        self.nic_send(self.ports[port as usize].owner);
    }

    /// A packet of HOMA has arrived at its host.
    pub(in crate::net) fn receive_homa(&mut self, index: u32) {
        let p = self.packets[index];
        self.packets.release(index);
        let now = self.now;
        let size = self.flows[p.flow as usize].bytes;
        let Some(hosts) = &mut self.homa else { return };
        let Some(place) = hosts.place(p.flow) else { return };
        let rules = hosts.rules(size);
        let incoming = &mut hosts.incoming[p.dst as usize];
        let outgoing = &mut hosts.outgoing[place.nic as usize];
        match hosts.packets[index as usize] {
            HomaPacket::Data { offset, len, .. } => {
                let taken = incoming.data(p.flow, rules, offset, len, now);
                let wait = hosts.config.resend_ps;
                self.samples.latency.add((now - p.sent_at) / crate::net::PS_PER_NS);
                self.note_delivered(p.flow, taken.new);
                if taken.complete {
                    self.received(p.flow);
                    self.say(p.flow, true, HomaPacket::Ack);
                } else if taken.first {
                    self.arm_homa(RECEIVER, p.flow, now + wait);
                }
                self.send_grants(p.dst);
            }
            HomaPacket::Grant { upto, priority } => {
                outgoing.grant(p.flow, upto, priority, now);
                self.nic_send(place.nic);
            }
            HomaPacket::Resend { from, upto, priority } => {
                let busy = outgoing.resend(p.flow, from, upto, priority, now);
                if let Some(answer) = busy {
                    self.say(p.flow, false, answer);
                }
                self.nic_send(place.nic);
            }
            HomaPacket::Busy => incoming.busy(p.flow, now),
            HomaPacket::Ack => {
                outgoing.acknowledged(p.flow);
                self.counters.acks += 1;
                if self.records[p.flow as usize].finished_ps.is_none() {
                    self.finish_flow(p.flow);
                }
            }
            HomaPacket::NeedAck => {
                if let Some(answer) = incoming.asked(p.flow, rules, &hosts.levels) {
                    self.say(p.flow, true, answer);
                }
            }
        }
    }

    fn send_grants(&mut self, node: u32) {
        let Some(hosts) = &mut self.homa else { return };
        let HomaHosts {
            incoming,
            levels,
            config,
            ..
        } = &mut **hosts;
        let grants = incoming[node as usize].grants(levels, config.overcommitment, self.now);
        for (flow, grant) in grants {
            self.say(flow, true, grant);
        }
    }

    /// The time at which a message must have moved.
    pub(in crate::net) fn homa_timer(&mut self, half: u32, flow: u32) {
        let (now, dst) = (self.now, self.flows[flow as usize].dst);
        let Some(hosts) = &mut self.homa else { return };
        let Some(place) = hosts.place(flow) else { return };
        let wait = hosts.config.resend_ps;
        let incoming = &mut hosts.incoming[dst as usize];
        let outgoing = &mut hosts.outgoing[place.nic as usize];
        let state = match half {
            RECEIVER => incoming.active_at(flow).map(|at| (at, true)),
            _ => outgoing.waiting(flow),
        };
        // A message that is over has no timer.
        let Some((active_at, waits)) = state else { return };
        if now < active_at + wait {
            self.arm_homa(half, flow, active_at + wait);
            return;
        }
        let words = match half {
            RECEIVER => incoming.resend(flow, &hosts.levels, now),
            _ => {
                outgoing.asked(flow, now);
                waits.then_some(HomaPacket::NeedAck)
            }
        };
        self.arm_homa(half, flow, now + wait);
        if let Some(packet) = words {
            self.say(flow, half == RECEIVER, packet);
        }
    }

    /// Scheduled bytes that a receiver has granted and not received.
    pub fn homa_in_flight(&self, node: u32) -> u64 {
        let hosts = self.homa.as_ref();
        hosts.map_or(0, |h| h.incoming[node as usize].in_flight())
    }
}
