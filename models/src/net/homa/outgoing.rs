//! The sending half of a host: of the messages that may send, the one with the fewest bytes left does (HOMA, 3.2: SRPT).

use std::collections::VecDeque;

use super::packet::{HomaPacket, MessageRules};

/// A message on its way out.
#[derive(Clone, Debug)]
struct Message {
    flow: u32,
    rules: MessageRules,
    /// First byte never sent.
    next: u64,
    /// First byte that may not be sent.
    granted: u64,
    /// Priority of unscheduled packets.
    unscheduled_priority: u8,
    /// Priority of scheduled packets, as the last grant says.
    priority: u8,
    /// Packets to send again: first byte, priority.
    again: VecDeque<(u64, u8)>,
    /// When it last sent something or heard of its receiver, ps.
    active_at: u64,
}

impl Message {
    fn may_send(&self) -> bool {
        self.next < self.granted || !self.again.is_empty()
    }

    /// Bytes that have not been sent; one that only repeats has none left.
    fn left(&self) -> u64 {
        self.rules.size - self.next
    }
}

/// A packet that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// Its message's flow.
    pub flow: u32,
    /// Priority in switches.
    pub priority: u8,
    /// The packet.
    pub packet: HomaPacket,
    /// Its payload, bytes.
    pub len: u32,
}

/// Messages that a host's link is sending.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    messages: Vec<Message>,
}

impl Outgoing {
    /// A message starts: its first bytes may leave unasked, with this priority.
    pub fn start(&mut self, flow: u32, rules: MessageRules, priority: u8, now: u64) {
        self.messages.push(Message {
            flow,
            rules,
            next: 0,
            granted: rules.unscheduled(),
            unscheduled_priority: priority,
            priority,
            again: VecDeque::new(),
            active_at: now,
        });
    }

    /// Something may be sent.
    pub fn may_send(&self) -> bool {
        self.messages.iter().any(Message::may_send)
    }

    fn find(&mut self, flow: u32) -> Option<&mut Message> {
        self.messages.iter_mut().find(|m| m.flow == flow)
    }

    /// Takes the next packet: of the message with the fewest bytes left, the earlier flow on ties; what is to be repeated first.
    pub fn next(&mut self, now: u64) -> Option<Leaving> {
        let ready = self.messages.iter_mut().filter(|m| m.may_send());
        let message = ready.min_by_key(|m| (m.left(), m.flow))?;
        message.active_at = now;
        let (offset, priority, again) = match message.again.pop_front() {
            Some((offset, priority)) => (offset, priority, true),
            None => {
                let offset = message.next;
                let unasked = offset < message.rules.unscheduled();
                let priority = if unasked {
                    message.unscheduled_priority
                } else {
                    message.priority
                };
                (offset, priority, false)
            }
        };
        let len = message.rules.packet(offset);
        if !again {
            message.next = offset + u64::from(len);
        }
        Some(Leaving {
            flow: message.flow,
            priority,
            packet: HomaPacket::Data { offset, len, again },
            len,
        })
    }

    /// A grant has come.
    pub fn grant(&mut self, flow: u32, upto: u64, priority: u8, now: u64) {
        if let Some(message) = self.find(flow) {
            message.active_at = now;
            message.priority = priority;
            message.granted = message.granted.max(upto.min(message.rules.size));
        }
    }

    /// Missing bytes are asked for. What was sent is sent again; the answer is BUSY if part of it has not been sent yet. The request is a grant of
    /// these bytes too: the grant itself may be what was lost.
    pub fn resend(&mut self, flow: u32, from: u64, upto: u64, priority: u8, now: u64) -> Option<HomaPacket> {
        let message = self.find(flow)?;
        message.active_at = now;
        let upto = upto.min(message.rules.size);
        let mut offset = from;
        while offset < upto.min(message.next) {
            if !message.again.iter().any(|a| a.0 == offset) {
                message.again.push_back((offset, priority));
            }
            offset += u64::from(message.rules.packet(offset));
        }
        if upto > message.granted {
            (message.granted, message.priority) = (upto, priority);
        }
        (upto > message.next).then_some(HomaPacket::Busy)
    }

    /// The whole message is at its receiver.
    pub fn acknowledged(&mut self, flow: u32) {
        self.messages.retain(|m| m.flow != flow);
    }

    /// When a message last sent or heard something, ps, and whether it has nothing to send now; `None`: it is over.
    pub fn waiting(&self, flow: u32) -> Option<(u64, bool)> {
        let message = self.messages.iter().find(|m| m.flow == flow)?;
        Some((message.active_at, !message.may_send()))
    }

    /// The sender has asked its receiver.
    pub fn asked(&mut self, flow: u32, now: u64) {
        if let Some(message) = self.find(flow) {
            message.active_at = now;
        }
    }
}
