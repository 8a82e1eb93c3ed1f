//! Probes (HPCC++, draft-miao-ccwg-hpcc 6.2.1.2 and 7.1): requests collect no INT, a small packet of the same flow does, and who owns the queue
//! pair answers it with the whole stack.
//!
//! A probe has its flow's addresses, ports and priority; only its code point is the one that switches stamp. It is charged to the flow's pacing
//! and not to its window, and takes no PSN: in the place of it stands the probe's own number. When one is due and which response counts:
//! [`crate::cc::ProbeRule`], the rule of the network's hosts. The NIC asks whenever a packet with payload leaves, so that a probe goes right behind one
//! and needs no timer.

use super::counters::Counter;
use super::feedback::Feedback;
use super::frame::{data_content, Content};
use super::memory::Memory;
use super::nic::Nic;
use super::pacing::PS_PER_NS;
use super::psn::wire;
use super::qp::Qp;
use super::request_flow;
use crate::cc::EventKind;
use crate::wire::{wire_occupancy, BthRepr, Opcode, RocePacket};

impl<M: Memory> Nic<M> {
    /// A request of queue pair `qpn` with payload leaves, which is in flight from now on: is a probe due?
    pub(super) fn data_leaves(&mut self, now: u64, qpn: u32) {
        let Some(probes) = self.config.probes else { return };
        if let Some(qp) = self.qps.get_mut(&qpn).filter(|qp| qp.config.int) {
            qp.probing.data();
            qp.probe_waits |= qp.probing.due(&probes.rule(), true, now * PS_PER_NS);
        }
    }

    /// A probe may leave.
    pub(super) fn probe_ready(&self, qp: &Qp) -> bool {
        qp.probe_waits && !self.data_paused(qp)
    }

    /// The probe that is due, as a frame.
    pub(super) fn next_probe(&mut self, now: u64) -> Option<Vec<u8>> {
        self.config.probes?;
        let qpn = self
            .qps
            .iter()
            .find_map(|(qpn, qp)| self.probe_ready(qp).then_some(*qpn))?;
        let qp = self.qps.get_mut(&qpn)?;
        qp.probe_waits = false;
        let number = qp.probing.send(now * PS_PER_NS);
        let qp = &self.qps[&qpn];
        let content = Content {
            bth: BthRepr::new(Opcode::Probe, qp.config.remote_qpn, number),
            ..data_content(qp)
        };
        let frame = self.frame(qp, &content);
        let charged = wire_occupancy(frame.len());
        let pacer = &mut self.qps.get_mut(&qpn)?.request_pacer;
        pacer.also(charged);
        self.groups.sent[pacer.group] += charged;
        Some(frame)
    }

    /// Takes the response to a probe: congestion control only. It acknowledges nothing.
    pub(super) fn probe_response(&mut self, now: u64, packet: &RocePacket) -> Result<(), Counter> {
        let qpn = packet.bth.dest_qp;
        let qp = self.qps.get_mut(&qpn).ok_or(Counter::UnknownQp)?;
        if self.config.probes.is_none() || !qp.probing.accept(packet.bth.psn) {
            return Err(Counter::ProbeStray);
        }
        let (una, nxt) = (qp.requester.una(), qp.requester.nxt());
        self.feed(Feedback {
            kind: EventKind::Probe,
            flow: request_flow(qpn),
            psn_next: wire(una),
            snd_nxt: wire(nxt),
            int: packet.int,
            ecn: packet.ipv4.congestion_experienced(),
            sent_at: None,
            bytes: 0,
            now,
        });
        Ok(())
    }
}
