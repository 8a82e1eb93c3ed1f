//! Receiving hosts: sequence check, acknowledgement with the INT of the packet, negative acknowledgement of a gap.

use super::any_order::answers;
use super::engine::Simulator;
use super::packet::{PacketKind, NIL};

/// What the sequence check decides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Ack,
    /// Of a packet ahead of the expected one, at once.
    Early,
    Nak,
    Silence,
}

impl Simulator {
    /// A data packet has arrived at its host. Its acknowledgement takes its place in the slab.
    pub(super) fn receive_data(&mut self, port: u32, index: u32) {
        let p = self.packets[index];
        let context = &self.contexts[p.context as usize];
        // A repetition of a flow that is over: nobody would listen to the answer.
        if context.flow != p.flow || context.finished {
            self.packets.release(index);
            return;
        }
        let before = context.expected;
        let answer = self.check_sequence(p.context, p.seq, p.payload);
        let expected = self.contexts[p.context as usize].expected;
        self.note_delivered(p.flow, expected - before);
        if expected > before && expected >= self.contexts[p.context as usize].size {
            self.received(p.flow);
            self.message_arrived(p.flow);
        }
        self.samples
            .latency
            .add((self.now - p.sent_at) / super::clock::PS_PER_NS);
        let asked = p.detail > 0;
        self.packets[index].detail = 0;
        self.report(port, index);
        if self.config.recovery_of_any_order().is_some() {
            self.name_lost(port, &p);
        }
        match answer {
            Answer::Silence => self.packets.release(index),
            Answer::Ack if !asked => self.hold(index),
            Answer::Ack | Answer::Early => self.acknowledge(port, index, PacketKind::Ack),
            Answer::Nak => self.acknowledge(port, index, PacketKind::Nak),
        }
    }

    /// Turns a data packet that has arrived into its acknowledgement, which leaves.
    pub(super) fn acknowledge(&mut self, port: u32, index: u32, kind: PacketKind) {
        if self.config.feedback.ack_every > 1 {
            self.fill_ack(index);
        }
        let p = self.packets[index];
        let expected = self.contexts[p.context as usize].expected;
        let framing = &self.config.framing;
        let grown = framing.echo_per_hop * u32::from(p.n_hop.min(5));
        let size = (framing.ack_header + framing.echo_base + grown).max(framing.min_ack);
        self.counters.acks_sent += 1;
        if kind == PacketKind::Nak {
            self.counters.naks += 1;
        }
        let packet = &mut self.packets[index];
        packet.next = NIL;
        packet.kind = kind;
        (packet.src, packet.dst) = (p.dst, p.src);
        packet.ports = p.ports.rotate_left(16);
        packet.size = size;
        packet.seq = expected;
        if kind == PacketKind::Nak {
            packet.detail = p.seq;
        } else if self.config.recovery_of_any_order().is_some() {
            packet.detail |= answers(p.seq, self.config.mtu);
        }
        self.answer(port, index);
    }

    /// Sends what a receiver has to say about a packet that came in by `port`.
    pub(super) fn answer(&mut self, port: u32, index: u32) {
        let packet = self.packets[index];
        // The answer leaves by the port that routing picks, as at the sender; with one port that is the one it came by.
        let nic_port = match self.routes.pick(packet.src, packet.src, packet.dst, packet.ports) {
            Some(out) => out,
            None => port,
        };
        self.ports[nic_port as usize].control.push(&mut self.packets, index);
        self.nic_send(self.ports[nic_port as usize].owner);
    }

    fn check_sequence(&mut self, context: u32, seq: u64, payload: u32) -> Answer {
        let now = self.now;
        let config = &self.config;
        let c = &mut self.contexts[context as usize];
        if seq == c.expected {
            c.expected += u64::from(payload);
            c.nak_sent = false;
            if let Some(selective) = &c.selective {
                let mtu = u64::from(config.mtu);
                while c.expected < c.size && selective.early.contains(c.expected / mtu) {
                    c.expected = (c.expected + mtu).min(c.size);
                }
            }
            if let Some(any_order) = &mut c.any_order {
                c.expected = any_order.skip(c.expected, c.size, now);
            }
            return Answer::Ack;
        }
        if seq < c.expected {
            return if config.acknowledge_duplicates {
                Answer::Ack
            } else {
                Answer::Silence
            };
        }
        self.counters.early += 1;
        if let Some(any_order) = &mut c.any_order {
            any_order.early(c.expected, seq, now);
            return Answer::Early;
        }
        if let Some(selective) = &mut c.selective {
            selective.early.insert(seq / u64::from(config.mtu));
            return Answer::Nak;
        }
        let again = match config.nak_repeat_ps {
            Some(interval) if now >= c.nak_timer || c.nak_expected != c.expected => {
                c.nak_timer = now + interval;
                true
            }
            Some(_) => false,
            None => !c.nak_sent,
        };
        if again {
            c.nak_expected = c.expected;
            c.nak_sent = true;
            Answer::Nak
        } else {
            Answer::Silence
        }
    }
}
