//! Receivers that take any order, in the network: what they name as lost, and what senders make of it.

use super::any_order::ReorderRules;
use super::config::{Config, Recovery};
use super::engine::{encode, Kind, Simulator};
use super::flow::Context;
use super::kind::HOLE;
use super::packet::{Packet, PacketKind};

impl Config {
    /// Rules of receivers that take any order.
    pub(super) fn recovery_of_any_order(&self) -> Option<ReorderRules> {
        match self.recovery {
            Recovery::AnyOrder(rules) => Some(rules),
            _ => None,
        }
    }
}

impl Context {
    /// The sender hears of one packet: that it has arrived, or that it is lost; `before` is what was acknowledged before.
    pub(super) fn hear_of_packet(&mut self, p: &Packet, before: u64) {
        let (una, size) = (self.snd_una, self.size);
        let Some(any_order) = &mut self.any_order else { return };
        if p.kind == PacketKind::Nak {
            any_order.acknowledged(before, una, None, size);
            any_order.missing(una, p.detail);
        } else {
            any_order.acknowledged(before, una, Some(p.detail >> 16), size);
        }
    }
}

impl Simulator {
    /// The receiver of `p`, a data packet that has arrived by `port`, names the holes that count as lost now.
    pub(super) fn name_lost(&mut self, port: u32, p: &Packet) {
        let Some(rules) = self.config.recovery_of_any_order() else {
            return;
        };
        let size = self.config.framing.ack_header.max(self.config.framing.min_ack);
        loop {
            let now = self.now;
            let context = &mut self.contexts[p.context as usize];
            let expected = context.expected;
            let Some(any_order) = &mut context.any_order else {
                return;
            };
            let Some(hole) = any_order.give_up(&rules, expected, now) else {
                break;
            };
            self.counters.acks_sent += 1;
            self.counters.naks += 1;
            let index = self.send_back(port, p, PacketKind::Nak, expected, size);
            let packet = &mut self.packets[index];
            (packet.n_hop, packet.path_id, packet.no_int, packet.ecn) = (0, 0, true, false);
            packet.detail = hole;
        }
        let context = &mut self.contexts[p.context as usize];
        let (generation, expected) = (context.generation, context.expected);
        let at = context.any_order.as_mut().and_then(|a| a.arm(&rules, expected));
        if let Some(at) = at {
            let event = encode(Kind::Timeout, HOLE + u32::from(generation), p.context);
            self.events.push(at.max(self.now), event);
        }
    }

    /// A receiver has waited for a hole.
    pub(super) fn hole_timeout(&mut self, generation: u32, index: u32) {
        let context = &mut self.contexts[index as usize];
        if context.finished || u32::from(context.generation) != generation {
            return;
        }
        let Some(any_order) = &mut context.any_order else {
            return;
        };
        any_order.armed = false;
        let answer = Packet {
            flow: context.flow,
            context: index,
            src: context.src,
            dst: context.dst,
            ports: context.ports,
            payload: 0,
            sent_at: self.now,
            ..Packet::default()
        };
        let back = self
            .routes
            .pick(answer.dst, answer.dst, answer.src, answer.ports.rotate_left(16));
        if let Some(port) = back {
            self.name_lost(port, &answer);
        }
    }
}
