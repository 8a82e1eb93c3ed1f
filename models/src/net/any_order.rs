//! Receivers that take packets in any order, and senders that repeat only what is lost: what paths that change from packet to packet need.
//!
//! The receiver keeps a bit for each packet that came ahead of a hole. It acknowledges every packet: with the first byte that it misses, and
//! with the packet itself, so that the sender knows what is no longer in flight. A hole is lost when a packet so many places behind it has
//! arrived, or when the receiver has waited for it for so long; then one negative acknowledgement names it, and the sender repeats that
//! packet, before new data and not bound by the window. A repetition that is lost itself waits for the sender's timeout, which
//! repeats everything that is not known to have arrived.

use std::collections::BTreeSet;

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
    pub(super) armed: bool,
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
    pub(super) fn give_up(&mut self, rules: &ReorderRules, expected: u64, now: u64) -> Option<u64> {
        let over = rules.wait_ps.is_some_and(|wait| now >= self.since_ps + wait);
        let hole = self.first_hole(expected)?;
        let behind = rules.packets.is_some_and(|most| self.beyond - 1 - hole >= most);
        if behind || (over && hole < self.waited_below) {
            self.named = hole + 1;
            return Some(hole * self.mtu);
        }
        if over {
            self.wait_from(now);
        }
        None
    }

    /// Receiver: when the wait for the first hole ends, if that has to become an event, ps.
    pub(super) fn arm(&mut self, rules: &ReorderRules, expected: u64) -> Option<u64> {
        let wait = rules.wait_ps.filter(|_| !self.armed)?;
        self.first_hole(expected)?;
        self.armed = true;
        Some(self.since_ps + wait)
    }
}

/// The packet that an acknowledgement answers, in its `detail`.
pub(super) fn answers(seq: u64, mtu: u32) -> u64 {
    (seq / u64::from(mtu)) << 16
}

#[cfg(test)]
#[path = "any_order_tests.rs"]
mod tests;
