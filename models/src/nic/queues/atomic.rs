//! Atomic operations: carried out for the peer, and their answers taken.

use super::sending::ATOMIC_LEN;
use crate::cc::EventKind;
use crate::nic::counters::Counter;
use crate::nic::feedback::Feedback;
use crate::nic::memory::Memory;
use crate::nic::nic::Nic;
use crate::nic::psn::{near, wire, Psn};
use crate::nic::requester::Acked;
use crate::nic::respond::Refusal;
use crate::nic::responder::{no_int, Response};
use crate::nic::{request_flow, Access};
use crate::wire::{parse_atomic_answer, NakCode, RethRepr, RocePacket, Syndrome, Verb, VerbHeader, MASK_24};

impl<M: Memory> Nic<M> {
    /// Carries out an atomic operation behind all writes before it.
    pub(super) fn execute_atomic(
        &mut self,
        packet: &RocePacket,
        verb: Verb,
        header: &VerbHeader,
        payload: &[u8],
    ) -> Result<(), Refusal> {
        let qpn = packet.bth.dest_qp;
        let Some(atomic) = header.atomic else {
            return Err(Refusal::Drop(Counter::TransportLength));
        };
        let begun = self.qps.get(&qpn).is_some_and(|qp| qp.responder.message.is_some());
        let aligned = atomic.address.is_multiple_of(ATOMIC_LEN);
        if begun || !payload.is_empty() || !aligned || !self.host.permits(qpn, Access::RemoteAtomic) {
            return Err(NakCode::InvalidRequest.into());
        }
        let place = RethRepr {
            address: atomic.address,
            key: atomic.key,
            length: ATOMIC_LEN as u32,
        };
        let checked = self.remote_memory(qpn, &place, Access::RemoteAtomic)?;
        let mut bytes = [0; ATOMIC_LEN as usize];
        (self.memory.read(checked.address, &mut bytes)).map_err(|_| NakCode::RemoteOperational)?;
        let original = u64::from_le_bytes(bytes);
        let new = match verb {
            Verb::CompareSwap if original == atomic.compare => atomic.swap_or_add,
            Verb::CompareSwap => original,
            _ => original.wrapping_add(atomic.swap_or_add),
        };
        if new != original {
            (self.memory.write(checked.address, &new.to_le_bytes())).map_err(|_| NakCode::RemoteOperational)?;
        }
        self.host.counters.atomics += 1;
        let Some(qp) = self.qps.get_mut(&qpn) else {
            return Ok(());
        };
        let keeps = qp.responder_reads(&self.config);
        let responder = &mut qp.responder;
        let psn = responder.expected;
        responder.acknowledge_waiting(no_int(qp.config.int));
        responder.expected += 1;
        responder.msn = responder.msn.wrapping_add(1) & MASK_24;
        responder.atomics.push_back((psn, original));
        while responder.atomics.len() > keeps.max(1) {
            responder.atomics.pop_front();
        }
        let msn = responder.msn;
        responder.push(Response::Atomic {
            psn,
            original,
            msn,
            int: packet.int.to_vec(),
        });
        Ok(())
    }

    /// Answers a repeated atomic operation from its saved result; false if the request is none. One without result is dropped.
    pub(in crate::nic) fn repeated_atomic(
        &mut self,
        packet: &RocePacket,
        psn: Psn,
        opcode: u8,
    ) -> Result<bool, Refusal> {
        let atomic = matches!(Verb::parse(opcode), Some(Verb::CompareSwap | Verb::FetchAdd));
        let Some(qp) = self.qps.get_mut(&packet.bth.dest_qp).filter(|_| atomic) else {
            return Ok(false);
        };
        if !self.host.has(packet.bth.dest_qp) {
            return Ok(false);
        }
        let responder = &mut qp.responder;
        let saved = responder.atomics.iter().find(|(at, _)| *at == psn);
        let original = saved.ok_or(Refusal::Drop(Counter::Stray))?.1;
        responder.rewind(psn);
        let msn = responder.msn;
        responder.push(Response::Atomic {
            psn,
            original,
            msn,
            int: packet.int.to_vec(),
        });
        Ok(true)
    }

    /// Takes the answer to an atomic operation: for packet numbers the data of a READ of one packet, for congestion control an acknowledgement.
    pub(in crate::nic) fn atomic_answer(&mut self, now: u64, packet: &RocePacket) -> Result<(), Counter> {
        let qpn = packet.bth.dest_qp;
        let (aeth, original) = parse_atomic_answer(packet.payload).ok_or(Counter::BadReadResponse)?;
        let qp = self.qps.get_mut(&qpn).ok_or(Counter::UnknownQp)?;
        let requester = &mut qp.requester;
        if requester.ended.is_some() {
            return Err(Counter::QpEnded);
        }
        if !matches!(aeth.syndrome, Syndrome::Ack(_)) {
            return Err(Counter::BadReadResponse);
        }
        let psn = near(requester.una(), packet.bth.psn);
        if psn < requester.una() {
            self.counters.count(Counter::Duplicates);
            return Ok(());
        }
        let message = (requester.message(psn))
            .filter(|message| psn < requester.max() && message.kind.atomic)
            .ok_or(Counter::Stray)?;
        let acked = requester.acknowledge(psn);
        let in_order = requester.una() == psn;
        let bytes = acked.bytes;
        self.progressed(now, qpn, acked);
        if !in_order {
            self.read_lost(qpn);
            return Ok(());
        }
        if let Err(status) = self.scatter(qpn, message.work.id, 0, &original.to_le_bytes()) {
            self.end_requester(now, qpn, status, Some(psn));
            return Ok(());
        }
        let Some(requester) = self.qps.get_mut(&qpn).map(|qp| &mut qp.requester) else {
            return Ok(());
        };
        let completed = requester.take_read_packet().into_iter().collect();
        let snd_nxt = wire(requester.nxt());
        let progress = true;
        self.progressed(
            now,
            qpn,
            Acked {
                bytes: 0,
                progress,
                completed,
            },
        );
        self.feed(Feedback {
            kind: EventKind::Ack,
            flow: request_flow(qpn),
            psn_next: (packet.bth.psn + 1) & MASK_24,
            snd_nxt,
            int: packet.int,
            ecn: packet.ipv4.congestion_experienced(),
            sent_at: None,
            bytes: bytes as u32,
            now,
        });
        Ok(())
    }
}
