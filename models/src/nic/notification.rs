//! What a sender makes of notifications (HPCC++, draft-miao-ccwg-hpcc 6.2.2.2, 6.3.2 and 5): INT of one packet, windows that its receiver computed, the
//! number of flows there. Only one kind of them acknowledges.

use super::counters::Counter;
use super::feedback::Feedback;
use super::memory::Memory;
use super::nic::Nic;
use super::psn::{near, wire};
use super::request_flow;
use crate::cc::EventKind;
use crate::wire::{Extension, NotificationRepr, RocePacket, Syndrome};

impl<M: Memory> Nic<M> {
    /// Takes the INT of one data packet: congestion control only. It counts while its packet is outstanding, and acknowledges nothing.
    pub(super) fn int_notification(&mut self, now: u64, packet: &RocePacket) -> Result<(), Counter> {
        let qpn = packet.bth.dest_qp;
        let requester = &self.qps.get(&qpn).ok_or(Counter::UnknownQp)?.requester;
        if requester.ended.is_some() {
            return Err(Counter::QpEnded);
        }
        let psn = near(requester.una(), packet.bth.psn);
        if !(requester.una()..requester.nxt()).contains(&psn) {
            self.feedback_counters.notify_stale += 1;
            return Ok(());
        }
        let snd_nxt = wire(requester.nxt());
        self.feed(Feedback {
            kind: EventKind::Ack,
            flow: request_flow(qpn),
            psn_next: wire(psn + 1),
            snd_nxt,
            int: packet.int,
            ecn: packet.ipv4.congestion_experienced(),
            sent_at: None,
            bytes: 0,
            now,
        });
        Ok(())
    }

    /// Takes INT that comes with a positive acknowledgement of the newest packet received in order.
    pub(super) fn acknowledging_notification(&mut self, now: u64, packet: &RocePacket) -> Result<(), Counter> {
        match packet.extension {
            Extension::Aeth(aeth) if matches!(aeth.syndrome, Syndrome::Ack(_)) => self.acknowledgement(now, packet),
            _ => Err(Counter::IgnoredSyndrome),
        }
    }

    /// Takes what a receiver computed, if nothing newer was taken before: the window of the law that runs there, the number of its flows.
    pub(super) fn notification(&mut self, now: u64, packet: &RocePacket) -> Result<(), Counter> {
        let told = NotificationRepr::parse(packet.payload)?;
        let at_receiver = self.config.feedback.at_receiver();
        let qpn = packet.bth.dest_qp;
        let qp = self.qps.get_mut(&qpn).ok_or(Counter::UnknownQp)?;
        if qp.requester.ended.is_some() {
            return Err(Counter::QpEnded);
        }
        if !qp.notified.take(told.sequence) {
            self.feedback_counters.notify_stale += 1;
            return Ok(());
        }
        let (flow, generation) = (request_flow(qpn), qp.generation);
        let Some(law) = self.laws.get_mut(&qp.law) else {
            return Ok(());
        };
        if let Some(flows) = told.flows.filter(|_| self.config.feedback.count_flows) {
            law.receiver_counts(flow, generation, flows, now);
        }
        if let Some(window) = told.window.filter(|_| at_receiver) {
            qp.silence.hears(now);
            if let Some(update) = law.receiver_window(flow, generation, window.to_num()) {
                qp.follow(&update);
            }
        }
        Ok(())
    }

    /// Data of queue pair `qpn` leaves, with nothing in flight before it (`idle`) or something: has a sender that follows its receiver's windows
    /// heard of them? If not, its window stays as it is.
    pub(super) fn watch_receiver(&mut self, now: u64, qpn: u32, idle: bool) {
        let feedback = self.config.feedback;
        let Some(qp) = self
            .qps
            .get_mut(&qpn)
            .filter(|qp| qp.config.int && feedback.at_receiver())
        else {
            return;
        };
        if idle {
            qp.silence.hears(now);
        } else if qp.silence.sends(now, feedback.round_trip_ns.into()) {
            self.feedback_counters.notify_missing += 1;
        }
    }
}
