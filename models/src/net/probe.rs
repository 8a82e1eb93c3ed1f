//! Probes (HPCC++, draft-miao-ccwg-hpcc 6.2.1.2 and 7.1): data carries no telemetry, a small packet of the same flow collects it, and who owns
//! the queue pair answers with the whole stack.
//!
//! A probe has its flow's addresses, ports and queue, so it takes the flow's path. It is charged to the flow's pacing and not to its window; it
//! does not wait for the pacing itself. One is due when payload is in flight, none is outstanding, `T` has passed since the last one and at
//! least so many data packets have left since. A probe that does not come back only delays the next one: after the timeout another may leave.

use super::engine::Simulator;
use super::flow::Context;
use super::packet::{Packet, PacketKind, NIL};
use crate::cc::{CcEvent, EventKind, ProbeRule};

impl Context {
    /// A probe may leave now.
    pub(super) fn probe_due(&self, rule: Option<&ProbeRule>, now: u64) -> bool {
        rule.is_some_and(|rule| !self.finished && self.probing.due(rule, self.in_flight() > 0, now))
    }
}

impl Simulator {
    /// Sends a flow's probe in place of its next data packet.
    pub(super) fn send_probe(&mut self, nic: u32, index: u32) {
        let framing = &self.config.framing;
        // Without AETH, RETH and payload, as a response without records.
        let size = (framing.data_header + framing.int_base).max(framing.min_data);
        let context = &mut self.contexts[index as usize];
        let count = context.probing.send(self.now);
        let packet = self.packets.insert(Packet {
            flow: context.flow,
            context: index,
            src: context.src,
            dst: context.dst,
            ports: context.ports,
            size,
            kind: PacketKind::Probe,
            class: self.config.classes.as_ref().map_or(0, |c| c.class_of(context.flow)),
            seq: u64::from(count),
            sent_at: self.now,
            ..Packet::default()
        });
        self.counters.probes += 1;
        self.counters.probe_bytes += u64::from(size);
        let port = self.nics[nic as usize].port;
        self.transmit(port, packet, true);
        let pace = self.pace_of(index);
        let context = &mut self.contexts[index as usize];
        let gap = self
            .config
            .clock
            .duration_ps(u64::from(self.config.framing.charged(size)), pace);
        context.next_avail = context.next_avail.max(self.now as i64) + gap as i64;
        self.note_turn(index);
    }

    /// A probe has arrived at its host, which answers at once: the count copied, the stack of the path.
    pub(super) fn receive_probe(&mut self, port: u32, index: u32) {
        let p = self.packets[index];
        if self.tcp.is_connection(p.flow) {
            self.answer_probe_of_connection(port, index);
            return;
        }
        let context = &self.contexts[p.context as usize];
        if context.flow != p.flow || context.finished {
            self.packets.release(index);
            return;
        }
        let framing = &self.config.framing;
        let size = (framing.data_header + self.echo_bytes(&p)).max(framing.min_ack);
        self.answer_probe(port, index, size);
    }

    /// Bytes of a packet's telemetry on its way back.
    pub(super) fn echo_bytes(&self, p: &Packet) -> u32 {
        let framing = &self.config.framing;
        framing.echo_base + framing.echo_per_hop * u32::from(p.n_hop.min(5))
    }

    /// Turns a probe into its response of `size` bytes and sends it.
    pub(super) fn answer_probe(&mut self, port: u32, index: u32, size: u32) {
        let packet = &mut self.packets[index];
        packet.next = NIL;
        packet.kind = PacketKind::Response;
        std::mem::swap(&mut packet.src, &mut packet.dst);
        packet.ports = packet.ports.rotate_left(16);
        packet.size = size;
        self.counters.responses += 1;
        self.answer(port, index);
    }

    /// A response reaches the sender: congestion control only. It acknowledges nothing.
    pub(super) fn receive_response(&mut self, index: u32) {
        let p = self.packets[index];
        self.packets.release(index);
        if self.tcp.is_connection(p.flow) {
            self.response_of_connection(&p);
            return;
        }
        let context = &mut self.contexts[p.context as usize];
        if context.flow != p.flow || context.finished {
            return;
        }
        if !context.probing.accept(p.seq as u32) {
            self.counters.probe_stray += 1;
            return;
        }
        let acknowledged = context.snd_una;
        let event = CcEvent {
            int_valid: self.config.int,
            ..self.event_of(&p, EventKind::Probe, acknowledged)
        };
        self.notified(&event);
    }
}
