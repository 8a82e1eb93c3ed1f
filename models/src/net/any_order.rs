//! Receivers that take packets in any order, and senders that repeat only what is lost: what paths that change from packet to packet need.
//!
//! The receiver keeps a bit for each packet that came ahead of a hole. It acknowledges every packet: with the first byte that it misses, and
//! with the packet itself, so that the sender knows what is no longer in flight. A hole is lost when a packet so many places behind it has
//! arrived, or when the receiver has waited for it for so long; then one negative acknowledgement names it, and the sender repeats that
//! packet, before new data and not bound by the window. A repetition that is lost itself waits for the sender's timeout, which
//! repeats everything that is not known to have arrived.

use std::collections::BTreeSet;

use super::config::{Config, Recovery};
use super::engine::{encode, Kind, Simulator};
use super::flow::Context;
use super::packet::{Packet, PacketKind};
use super::recovery::{Outstanding, PacketSet};

/// When a packet that is missing counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReorderRules {
    /// A packet this many places behind it has arrived; `None`: never for that.
    pub packets: Option<u64>,
    /// The receiver has waited for it for this long, ps; `None`: never for that.
    pub wait_ps: Option<u64>,
}

/// State of a flow, both ends.
#[derive(Clone, Debug, Default)]
pub struct AnyOrder {
    mtu: u64,
    /// Receiver: packets that came ahead of the expected one.
    early: PacketSet,
    /// Receiver: the highest of them and one.
    beyond: u64,
    /// Receiver: holes below this packet were named.
    named: u64,
    /// Receiver: holes below `waited_below` are waited for since then, ps.
    since_ps: u64,
    waited_below: u64,
    /// Receiver: the end of the wait is an event.
    armed: bool,
    /// Sender: packets known to have arrived ahead of the oldest that has not.
    arrived: PacketSet,
    /// Sender: their bytes.
    arrived_bytes: u64,
    /// Sender: packets to repeat.
    lost: BTreeSet<u64>,
}

impl AnyOrder {
    /// For packets of `mtu` payload bytes.
    pub fn new(mtu: u32) -> Self {
        Self {
            mtu: u64::from(mtu),
            ..Self::default()
        }
    }

    /// Sender: bytes that have arrived ahead of a hole.
    pub fn arrived_bytes(&self) -> u64 {
        self.arrived_bytes
    }

    /// Sender: a packet waits for repetition.
    pub fn has_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Sender: the next packet to repeat: its first byte.
    pub fn take_lost(&mut self) -> Option<u64> {
        self.lost.pop_first().map(|packet| packet * self.mtu)
    }

    /// Sender: everything below byte `una` has arrived, below `before` is what was known; and so has the packet of this number.
    pub fn acknowledged(&mut self, before: u64, una: u64, packet: Option<u64>, size: u64) {
        for number in before / self.mtu..una.div_ceil(self.mtu) {
            if self.arrived.contains(number) {
                self.arrived_bytes -= self.bytes_of(number, size);
            }
        }
        let ahead = packet.filter(|number| number * self.mtu >= una);
        if let Some(number) = ahead.filter(|&number| self.arrived.insert(number)) {
            self.arrived_bytes += self.bytes_of(number, size);
        }
        if !self.lost.is_empty() {
            self.lost = self.lost.split_off(&una.div_ceil(self.mtu));
            packet.iter().for_each(|number| {
                self.lost.remove(number);
            });
        }
    }

    /// Sender: the receiver has given this packet up.
    pub fn missing(&mut self, una: u64, packet: u64) {
        let number = packet / self.mtu;
        if packet >= una && !self.arrived.contains(number) {
            self.lost.insert(number);
        }
    }

    /// Sender: no progress for the timeout.
    pub fn timed_out(&mut self, sent: Outstanding) {
        let unknown = sent.una / self.mtu..sent.nxt.div_ceil(self.mtu);
        self.lost
            .extend(unknown.filter(|&number| !self.arrived.contains(number)));
    }

    fn bytes_of(&self, number: u64, size: u64) -> u64 {
        self.mtu.min(size - number * self.mtu)
    }

    /// Receiver: a packet has come ahead of the expected one.
    pub(super) fn early(&mut self, expected: u64, packet: u64, now: u64) {
        let number = packet / self.mtu;
        let first = self.first_hole(expected).is_none();
        self.early.insert(number);
        self.beyond = self.beyond.max(number + 1);
        if first {
            self.wait_from(now);
        }
    }

    /// Receiver: the first byte that it misses, when everything before `expected` has arrived.
    pub(super) fn skip(&mut self, expected: u64, size: u64, now: u64) -> u64 {
        let mut next = expected;
        while next < size && self.early.contains(next / self.mtu) {
            next = (next + self.mtu).min(size);
        }
        self.wait_from(now);
        next
    }

    fn wait_from(&mut self, now: u64) {
        (self.since_ps, self.waited_below) = (now, self.beyond);
    }

    /// Receiver: the first packet that is missing, that others have overtaken, and that was not named.
    fn first_hole(&self, expected: u64) -> Option<u64> {
        (self.named.max(expected / self.mtu)..self.beyond).find(|&number| !self.early.contains(number))
    }

    /// Receiver: names the first hole, if it counts as lost now: its first byte.
    fn give_up(&mut self, rules: &ReorderRules, expected: u64, now: u64) -> Option<u64> {
        let over = rules.wait_ps.is_some_and(|wait| now >= self.since_ps + wait);
        let hole = self.first_hole(expected)?;
        let behind = rules.packets.is_some_and(|most| self.beyond - 1 - hole >= most);
        if !behind && !(over && hole < self.waited_below) {
            if over {
                self.wait_from(now);
            }
            return None;
        }
        self.named = hole + 1;
        Some(hole * self.mtu)
    }

    /// Receiver: when the wait for the first hole ends, if that has to become an event, ps.
    fn arm(&mut self, rules: &ReorderRules, expected: u64) -> Option<u64> {
        let wait = rules.wait_ps.filter(|_| !self.armed)?;
        self.first_hole(expected)?;
        self.armed = true;
        Some(self.since_ps + wait)
    }
}

/// What tells the end of a wait for a hole from a retransmission timeout, beside the generation of the flow.
pub(super) const HOLE: u32 = 1 << 8;

/// The packet that an acknowledgement answers, in its `detail`.
pub(super) fn answers(seq: u64, mtu: u32) -> u64 {
    seq / u64::from(mtu) << 16
}

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

#[cfg(test)]
#[path = "any_order_tests.rs"]
mod tests;
