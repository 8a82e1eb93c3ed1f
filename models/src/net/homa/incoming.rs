//! The receiving half of a host: which messages are granted, how far, with which priority, and what is asked for again (HOMA, 3.3 to 3.7).

use std::collections::BTreeSet;

use super::levels::Levels;
use super::packet::{HomaPacket, MessageRules};

/// A message on its way in.
#[derive(Clone, Debug)]
struct Message {
    flow: u32,
    rules: MessageRules,
    /// Bytes that have come.
    received: u64,
    /// First byte that may not be sent.
    granted: u64,
    /// Which packets have come, a bit each.
    packets: Vec<u64>,
    /// When a packet last came, ps; or something was granted, or asked for.
    active_at: u64,
}

impl Message {
    fn new(flow: u32, rules: MessageRules, now: u64) -> Self {
        let packets = rules.size.div_ceil(u64::from(rules.mtu));
        Self {
            flow,
            rules,
            received: 0,
            granted: rules.unscheduled(),
            packets: vec![0; packets.div_ceil(64) as usize],
            active_at: now,
        }
    }

    fn left(&self) -> u64 {
        self.rules.size - self.received
    }

    fn has(&self, packet: u64) -> bool {
        self.packets[(packet / 64) as usize] >> (packet % 64) & 1 == 1
    }

    /// First run of packets that are granted and have not come, in bytes.
    fn missing(&self) -> Option<(u64, u64)> {
        let mtu = u64::from(self.rules.mtu);
        let granted = self.granted.div_ceil(mtu);
        let first = (0..granted).find(|&p| !self.has(p))?;
        let end = (first..granted).find(|&p| self.has(p)).unwrap_or(granted);
        Some((first * mtu, (end * mtu).min(self.granted)))
    }
}

/// What a packet of payload did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Bytes that were not there before.
    pub new: u64,
    /// The message was not known before.
    pub first: bool,
    /// The whole message is there.
    pub complete: bool,
}

/// Messages that come to a host.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    messages: Vec<Message>,
    /// Flows whose messages are complete.
    complete: BTreeSet<u32>,
    /// Granted and not there, of all messages: scheduled bytes that may be on their way.
    in_flight: u64,
}

impl Incoming {
    /// Scheduled bytes that are granted and have not come.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Messages that have begun and are not complete: flow and bytes received.
    pub fn running(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.messages.iter().map(|m| (m.flow, m.received))
    }

    /// A packet of payload has come.
    pub fn data(&mut self, flow: u32, rules: MessageRules, offset: u64, len: u32, now: u64) -> Taken {
        let nothing = Taken {
            new: 0,
            first: false,
            complete: true,
        };
        if self.complete.contains(&flow) {
            return nothing;
        }
        let found = self.messages.iter().position(|m| m.flow == flow);
        let index = found.unwrap_or_else(|| {
            self.messages.push(Message::new(flow, rules, now));
            self.messages.len() - 1
        });
        let message = &mut self.messages[index];
        message.active_at = now;
        let packet = offset / u64::from(rules.mtu);
        let new = if message.has(packet) { 0 } else { u64::from(len) };
        message.packets[(packet / 64) as usize] |= 1 << (packet % 64);
        message.received += new;
        if offset >= rules.unscheduled() {
            self.in_flight -= new;
        }
        let complete = message.left() == 0;
        if complete {
            self.messages.remove(index);
            self.complete.insert(flow);
        }
        Taken {
            new,
            first: found.is_none(),
            complete,
        }
    }

    /// Grants that are due: to the `most` messages with the fewest bytes left of those that are not wholly granted (3.5), each up to `RTTBytes`
    /// beyond what has come of it (3.3). A message that is overtaken keeps what it was granted, so that grants wait for that where together they
    /// would be more than `most` times `RTTBytes` (as `max_incoming` of `HomaModule`). Flow, and GRANT.
    pub fn grants(&mut self, levels: &Levels, most: u32, now: u64) -> Vec<(u32, HomaPacket)> {
        let wanting = self.messages.iter_mut().filter(|m| m.granted < m.rules.size);
        let mut wanting: Vec<&mut Message> = wanting.collect();
        wanting.sort_by_key(|m| (m.left(), m.flow));
        wanting.truncate(most as usize);
        let active = wanting.len();
        let mut grants = Vec::new();
        for (rank, message) in wanting.into_iter().enumerate() {
            let MessageRules { size, rtt_bytes, mtu } = message.rules;
            let room = (rtt_bytes * u64::from(most)).saturating_sub(self.in_flight);
            let upto = (message.received + rtt_bytes).min(message.granted + room).min(size);
            let whole = if upto == size {
                upto
            } else {
                upto - upto % u64::from(mtu)
            };
            if whole > message.granted {
                self.in_flight += whole - message.granted;
                message.granted = whole;
                message.active_at = now;
                let priority = levels.of_rank(rank, active);
                grants.push((message.flow, HomaPacket::Grant { upto: whole, priority }));
            }
        }
        grants
    }

    /// When a message last moved, ps; `None`: it is unknown or complete.
    pub fn active_at(&self, flow: u32) -> Option<u64> {
        self.messages.iter().find(|m| m.flow == flow).map(|m| m.active_at)
    }

    /// What is granted and has not come of a message that has not moved for too long; `None`: nothing, it waits for grants.
    pub fn resend(&mut self, flow: u32, levels: &Levels, now: u64) -> Option<HomaPacket> {
        let message = self.messages.iter_mut().find(|m| m.flow == flow)?;
        message.active_at = now;
        let (from, upto) = message.missing()?;
        let priority = if from < message.rules.unscheduled() {
            levels.of_message(message.rules.size)
        } else {
            levels.of_rank(0, 1)
        };
        Some(HomaPacket::Resend { from, upto, priority })
    }

    /// The sender has what was asked for and will send it.
    pub fn busy(&mut self, flow: u32, now: u64) {
        if let Some(message) = self.messages.iter_mut().find(|m| m.flow == flow) {
            message.active_at = now;
        }
    }

    /// The answer to a sender that has heard nothing: ACK of a complete message; of one of which nothing has come, RESEND of all that it may send
    /// unasked; nothing of a message that is on its way, which has a timer here.
    pub fn asked(&self, flow: u32, rules: MessageRules, levels: &Levels) -> Option<HomaPacket> {
        if self.complete.contains(&flow) {
            return Some(HomaPacket::Ack);
        }
        let unknown = self.active_at(flow).is_none();
        unknown.then(|| HomaPacket::Resend {
            from: 0,
            upto: rules.unscheduled(),
            priority: levels.of_message(rules.size),
        })
    }
}
