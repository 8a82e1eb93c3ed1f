//! Requests of the peer: order, checks, execution, acknowledgement.

use super::completion::MAX_MESSAGE;
use super::counters::Counter;
use super::memory::{Access, Memory};
use super::nic::Nic;
use super::psn::{packets, Psn};
use super::responder::{has_records, no_int, AckPsn, Incoming, Order, Response};
use crate::wire::{Extension, NakCode, Opcode, Position, RethRepr, RocePacket, MASK_24};

/// Why a request was not executed.
enum Refusal {
    /// Answered with this code; the responder half ends.
    Nak(NakCode),
    /// As if the network had lost it.
    Drop(Counter),
}

impl From<NakCode> for Refusal {
    fn from(code: NakCode) -> Self {
        Self::Nak(code)
    }
}

impl<M: Memory> Nic<M> {
    /// Takes a request packet whose queue pair is known and whose peer is right.
    pub(super) fn request(&mut self, now: u64, packet: &RocePacket) -> Result<(), Counter> {
        if self.qps.values().map(|qp| qp.responder.acks()).sum::<usize>() >= self.config.ack_queue {
            return Err(Counter::AckQueueFull);
        }
        let qpn = packet.bth.dest_qp;
        if self.qps.get(&qpn).ok_or(Counter::UnknownQp)?.responder.ended {
            return Err(Counter::QpEnded);
        }
        let packet = &RocePacket {
            int: self.report(now, packet),
            ..*packet
        };
        let responder = &mut self.qps.get_mut(&qpn).ok_or(Counter::UnknownQp)?.responder;
        let expected = responder.expected;
        let (at, result) = match responder.order(packet.bth.psn) {
            Order::Gap => {
                self.counters.count(Counter::OutOfSequence);
                if !responder.nak_sent {
                    responder.nak_sent = true;
                    self.counters.count(Counter::NaksSent);
                    responder.acknowledge(AckPsn::Exact(expected), Some(NakCode::PsnSequence), packet.int);
                }
                return Ok(());
            }
            Order::Duplicate(psn) => {
                self.counters.count(Counter::Duplicates);
                (psn, self.duplicate(now, packet, psn))
            }
            Order::Expected => {
                responder.nak_sent = false;
                (expected, self.execute(now, packet))
            }
        };
        match result {
            Ok(()) => Ok(()),
            Err(Refusal::Drop(reason)) => Err(reason),
            Err(Refusal::Nak(code)) => {
                self.counters.count(Counter::NaksSent);
                let responder = &mut self.qps.get_mut(&qpn).ok_or(Counter::UnknownQp)?.responder;
                responder.acknowledge(AckPsn::Exact(at), Some(code), packet.int);
                responder.end();
                Ok(())
            }
        }
    }

    /// A request whose PSN was executed before: READ is executed again, everything else only acknowledged again.
    fn duplicate(&mut self, now: u64, packet: &RocePacket, psn: Psn) -> Result<(), Refusal> {
        let (Opcode::ReadRequest, Extension::Reth(reth)) = (packet.bth.opcode, packet.extension) else {
            self.acknowledge_write(now, packet, AckPsn::Newest);
            return Ok(());
        };
        let Some(qp) = self.qps.get_mut(&packet.bth.dest_qp) else {
            return Ok(());
        };
        let end = psn + packets(reth.length.into(), qp.config.mtu);
        if end > qp.responder.expected || !packet.payload.is_empty() {
            return Err(Refusal::Drop(Counter::Stray));
        }
        if !self
            .regions
            .allows(reth.key, reth.address, reth.length.into(), Access::RemoteRead)
        {
            return Err(NakCode::RemoteAccess.into());
        }
        qp.responder.rewind(psn);
        self.queue_read(packet.bth.dest_qp, psn, end, &reth)
    }

    fn queue_read(&mut self, qpn: u32, first: Psn, end: Psn, reth: &RethRepr) -> Result<(), Refusal> {
        let Some(qp) = self.qps.get_mut(&qpn) else {
            return Ok(());
        };
        if qp.responder.reads() >= self.config.responder_reads as usize {
            return Err(Refusal::Drop(Counter::ReadDepth));
        }
        // in the order of packet numbers: what waits for an acknowledgement comes before the READ's data
        qp.responder.acknowledge_waiting(no_int(qp.config.int));
        let repeated = first < qp.responder.expected;
        if !repeated {
            qp.responder.expected = end;
            qp.responder.msn = qp.responder.msn.wrapping_add(1) & MASK_24;
        }
        let msn = qp.responder.msn;
        let (address, length) = (reth.address, u64::from(reth.length));
        qp.responder.push(Response::Read {
            first,
            next: first,
            end,
            address,
            length,
            msn,
            repeated,
        });
        Ok(())
    }

    /// The request that is expected now.
    fn execute(&mut self, now: u64, packet: &RocePacket) -> Result<(), Refusal> {
        match (packet.bth.opcode, packet.extension) {
            (Opcode::Write(position), extension) => {
                let reth = match extension {
                    Extension::Reth(reth) => Some(reth),
                    _ => None,
                };
                self.execute_write(now, packet, position, reth).map_err(Refusal::Nak)
            }
            (Opcode::ReadRequest, Extension::Reth(reth)) => self.execute_read(packet, &reth),
            _ => Err(NakCode::InvalidRequest.into()),
        }
    }

    fn execute_write(
        &mut self,
        now: u64,
        packet: &RocePacket,
        position: Position,
        reth: Option<RethRepr>,
    ) -> Result<(), NakCode> {
        let Some(qp) = self.qps.get_mut(&packet.bth.dest_qp) else {
            return Ok(());
        };
        let payload = packet.payload.len() as u64;
        let total = reth.map(|reth| u64::from(reth.length));
        if !qp.responder.write_fits(position, payload, total, qp.config.mtu.into()) || total > Some(MAX_MESSAGE) {
            return Err(NakCode::InvalidRequest);
        }
        if let Some(RethRepr { address, key, length }) = reth {
            if !self.regions.allows(key, address, length.into(), Access::RemoteWrite) {
                return Err(NakCode::RemoteAccess);
            }
            qp.responder.message = Some(Incoming {
                address,
                remaining: length.into(),
            });
        }
        if let Some(message) = &mut qp.responder.message {
            if payload > 0 && self.memory.write(message.address, packet.payload).is_err() {
                return Err(NakCode::RemoteOperational);
            }
            message.address = message.address.wrapping_add(payload);
            message.remaining -= payload;
        }
        let psn = qp.responder.expected;
        qp.responder.expected += 1;
        if position.is_end() {
            qp.responder.message = None;
            qp.responder.msn = qp.responder.msn.wrapping_add(1) & MASK_24;
        }
        self.acknowledge_write(now, packet, AckPsn::Exact(psn));
        Ok(())
    }

    /// Acknowledges a WRITE packet, or lets it wait for the acknowledgement of a later one.
    fn acknowledge_write(&mut self, now: u64, packet: &RocePacket, psn: AckPsn) {
        let together = self.config.feedback.ack_every > 1;
        let Some(qp) = self.qps.get_mut(&packet.bth.dest_qp) else {
            return;
        };
        let ends = matches!(packet.bth.opcode, Opcode::Write(position) if position.is_end());
        let asks = packet.bth.ack_req || ends;
        if qp.config.int && together && !asks {
            let int = has_records(packet.int).then(|| packet.int.to_vec());
            qp.responder.delay.hold(psn, int, now);
        } else if qp.config.int || asks || psn == AckPsn::Newest {
            qp.responder.acknowledge(psn, None, packet.int);
        }
    }

    fn execute_read(&mut self, packet: &RocePacket, reth: &RethRepr) -> Result<(), Refusal> {
        let Some(qp) = self.qps.get_mut(&packet.bth.dest_qp) else {
            return Ok(());
        };
        let length = u64::from(reth.length);
        if qp.responder.message.is_some() || !packet.payload.is_empty() || length > MAX_MESSAGE {
            return Err(NakCode::InvalidRequest.into());
        }
        if !self.regions.allows(reth.key, reth.address, length, Access::RemoteRead) {
            return Err(NakCode::RemoteAccess.into());
        }
        let first = qp.responder.expected;
        let end = first + packets(length, qp.config.mtu);
        self.queue_read(packet.bth.dest_qp, first, end, reth)
    }
}
