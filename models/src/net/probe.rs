//! Probes (HPCC++, draft-miao-ccwg-hpcc 6.2.1.2 and 7.1): data carries no telemetry, a small packet of the same flow collects it, and who owns
//! the queue pair answers with the whole stack.
//!
//! A probe has its flow's addresses, ports and queue, so it takes the flow's path. It is charged to the flow's pacing and not to its window; it does
//! not wait for the pacing itself. One is due when payload is in flight, none is outstanding, `T` has passed since the last one and at least so many data packets have left
//! since. A probe that does not come back only delays the next one: after the timeout another may leave.

use super::clock::PS_PER_NS;
use super::engine::Simulator;
use super::flow::Context;
use super::packet::{Packet, PacketKind, NIL};
use crate::cc::{psn_after, CcEvent, EventKind};

/// A flow that had nothing to probe for this long starts anew: its next data packet brings a probe, ps.
const IDLE_PS: u64 = 1_000_000_000;

/// When probes leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeRule {
    /// Least time between two of a flow, ps: `T`.
    pub interval_ps: u64,
    /// Least number of data packets between two of a flow, 1 or more.
    pub packets: u32,
    /// A probe that has not been answered for this long no longer holds back the next, ps.
    pub timeout_ps: u64,
}

/// A flow's probes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probing {
    /// Count of the last one sent, 24 bits; the first is 1.
    sent: u32,
    /// Count of the last response accepted.
    accepted: u32,
    /// When the last one left, ps; `None` before the first.
    at: Option<u64>,
    /// One is on its way and has not timed out.
    outstanding: bool,
    /// Data packets since the last one.
    packets: u32,
}

impl Probing {
    /// A data packet leaves.
    pub fn data(&mut self) {
        self.packets = self.packets.saturating_add(1);
    }

    /// Whether a probe is due; `in_flight`: payload is.
    pub fn due(&self, rule: &ProbeRule, in_flight: bool, now: u64) -> bool {
        let Some(at) = self.at else {
            return in_flight && self.packets > 0;
        };
        let since = now - at;
        if !in_flight || self.packets == 0 {
            return false;
        }
        let awaited = self.outstanding && since < rule.timeout_ps;
        let enough = self.packets >= rule.packets || since >= IDLE_PS;
        !awaited && since >= rule.interval_ps && enough
    }

    /// One leaves; returns its count.
    pub fn send(&mut self, now: u64) -> u32 {
        self.sent = self.sent.wrapping_add(1) & 0xff_ffff;
        (self.at, self.outstanding, self.packets) = (Some(now), true, 0);
        self.sent
    }

    /// A response arrives. True if it counts: after the last accepted, not after the last sent.
    pub fn accept(&mut self, count: u32) -> bool {
        if self.at.is_none() || !psn_after(count, self.accepted) || psn_after(count, self.sent) {
            return false;
        }
        self.accepted = count;
        self.outstanding &= count != self.sent;
        true
    }
}

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
    }

    /// A probe has arrived at its host, which answers at once: the count copied, the stack of the path.
    pub(super) fn receive_probe(&mut self, port: u32, index: u32) {
        let p = self.packets[index];
        let context = &self.contexts[p.context as usize];
        if context.flow != p.flow || context.finished {
            self.packets.release(index);
            return;
        }
        let framing = &self.config.framing;
        let grown = framing.echo_per_hop * u32::from(p.n_hop.min(5));
        let packet = &mut self.packets[index];
        packet.next = NIL;
        packet.kind = PacketKind::Response;
        (packet.src, packet.dst) = (p.dst, p.src);
        packet.ports = p.ports.rotate_left(16);
        packet.size = (framing.data_header + framing.echo_base + grown).max(framing.min_ack);
        self.counters.responses += 1;
        self.answer(port, index);
    }

    /// A response reaches the sender: congestion control only. It acknowledges nothing.
    pub(super) fn receive_response(&mut self, index: u32) {
        let p = self.packets[index];
        self.packets.release(index);
        let context = &mut self.contexts[p.context as usize];
        if context.flow != p.flow || context.finished {
            return;
        }
        if !context.probing.accept(p.seq as u32) {
            self.counters.probe_stray += 1;
            return;
        }
        let psn = |byte: u64| byte.div_ceil(u64::from(self.config.mtu)) as u32 & 0xff_ffff;
        let event = CcEvent {
            kind: EventKind::Probe,
            flow: p.context,
            generation: context.generation,
            psn_next: psn(context.snd_una),
            snd_nxt: psn(context.snd_nxt),
            int_valid: self.config.int,
            n_hop: p.n_hop,
            path_id: p.path_id,
            hops: p.hops,
            now: self.now / PS_PER_NS,
            ..CcEvent::default()
        };
        self.notified(&event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: ProbeRule = ProbeRule {
        interval_ps: 100,
        packets: 2,
        timeout_ps: 1000,
    };

    #[test]
    fn one_is_due_when_all_conditions_hold() {
        let mut flow = Probing::default();
        assert!(!flow.due(&RULE, true, 0), "no data yet");
        flow.data();
        assert!(flow.due(&RULE, true, 0), "the first comes with the first data packet");
        assert_eq!(flow.send(0), 1);
        flow.data();
        flow.data();
        assert!(!flow.due(&RULE, true, 500), "one is outstanding");
        assert!(flow.due(&RULE, true, 1000), "until it has timed out");
        assert!(flow.accept(1));
        assert!(!flow.due(&RULE, true, 99), "T has not passed");
        assert!(flow.due(&RULE, true, 100));
        assert!(!flow.due(&RULE, false, 100), "nothing is in flight");
        flow.send(100);
        flow.accept(2);
        flow.data();
        assert!(!flow.due(&RULE, true, 300), "one data packet is not enough");
        assert!(flow.due(&RULE, true, 100 + IDLE_PS), "except after a pause");
    }

    #[test]
    fn responses_are_accepted_once_in_order() {
        let mut flow = Probing::default();
        assert!(!flow.accept(0) && !flow.accept(1), "nothing was sent");
        for at in 0..5 {
            flow.send(at);
        }
        assert!(flow.accept(2), "late is good");
        assert!(!flow.accept(2) && !flow.accept(1) && !flow.accept(6));
        assert!(flow.accept(5));
        let mut wrapped = Probing {
            sent: 0xff_ffff,
            accepted: 0xff_fffe,
            at: Some(0),
            ..Probing::default()
        };
        assert_eq!(wrapped.send(1), 0);
        assert!(wrapped.accept(0xff_ffff) && wrapped.accept(0));
    }
}
