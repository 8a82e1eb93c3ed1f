//! Requests of the peer: order, checks, execution, acknowledgement.

use super::access::Access;
use super::completion::MAX_MESSAGE;
use super::counters::Counter;
use super::memory::{Checked, Memory};
use super::nic::Nic;
use super::psn::{packets, Psn};
use super::responder::{has_records, no_int, Incoming, Order, Response};
use crate::wire::{Extension, NakCode, Opcode, Position, RethRepr, RocePacket, Verb, MASK_24};

/// Why a request was not executed.
pub(super) enum Refusal {
    /// Answered with this code; the responder half ends.
    Nak(NakCode),
    /// As if the network had lost it.
    Drop(Counter),
    /// No receive is posted: the peer is told to wait and to come again with this packet.
    NotReady,
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
                    responder.acknowledge(expected, Some(NakCode::PsnSequence), packet.int);
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
            Err(Refusal::NotReady) => {
                self.not_ready(packet);
                Ok(())
            }
            Err(Refusal::Nak(code)) => {
                self.counters.count(Counter::NaksSent);
                if matches!(packet.bth.opcode, Opcode::OtherRequest(_)) {
                    self.counters.count(Counter::RefusedRequest);
                }
                let responder = &mut self.qps.get_mut(&qpn).ok_or(Counter::UnknownQp)?.responder;
                responder.acknowledge(at, Some(code), packet.int);
                self.end_responder(qpn);
                self.request_refused(now, qpn, code);
                Ok(())
            }
        }
    }

    /// A request whose PSN was executed before: READ is executed again, everything else only acknowledged again.
    fn duplicate(&mut self, now: u64, packet: &RocePacket, psn: Psn) -> Result<(), Refusal> {
        if let Opcode::OtherRequest(opcode) = packet.bth.opcode {
            if self.repeated_atomic(packet, psn, opcode)? {
                return Ok(());
            }
        }
        let (Opcode::ReadRequest, Extension::Reth(reth)) = (packet.bth.opcode, packet.extension) else {
            self.acknowledge_write(now, packet, true);
            return Ok(());
        };
        let Some(qp) = self.qps.get_mut(&packet.bth.dest_qp) else {
            return Ok(());
        };
        let end = psn + packets(reth.length.into(), qp.config.mtu);
        if end > qp.responder.expected || !packet.payload.is_empty() {
            return Err(Refusal::Drop(Counter::Stray));
        }
        let checked = self.remote_memory(packet.bth.dest_qp, &reth, Access::RemoteRead)?;
        if let Some(qp) = self.qps.get_mut(&packet.bth.dest_qp) {
            qp.responder.rewind(psn);
        }
        self.queue_read(packet.bth.dest_qp, (psn, end), &reth, checked)
    }

    /// Memory that a request of the peer names, if it may be used so.
    pub(super) fn remote_memory(&self, qpn: u32, reth: &RethRepr, access: Access) -> Result<Checked, NakCode> {
        let checked = self
            .regions
            .check(self.domain(qpn), reth.key, reth.address, reth.length.into(), access);
        checked.ok_or(NakCode::RemoteAccess)
    }

    /// Protection domain of a queue pair.
    pub(super) fn domain(&self, qpn: u32) -> u16 {
        match self.qps.get(&qpn).filter(|_| !self.host.has(qpn)) {
            Some(qp) => qp.config.domain,
            None => self.host.domain(qpn),
        }
    }

    /// The queue pair's own rights allow this use of memory by the peer.
    fn permits(&self, qpn: u32, access: Access) -> bool {
        match self.qps.get(&qpn).filter(|_| !self.host.has(qpn)) {
            Some(qp) => match access {
                Access::RemoteWrite => !qp.config.refuse_write,
                Access::RemoteRead => !qp.config.refuse_read,
                _ => true,
            },
            None => self.host.permits(qpn, access),
        }
    }

    fn queue_read(
        &mut self,
        qpn: u32,
        (first, end): (Psn, Psn),
        reth: &RethRepr,
        checked: Checked,
    ) -> Result<(), Refusal> {
        let Some(qp) = self.qps.get_mut(&qpn) else {
            return Ok(());
        };
        if qp.responder.reads() >= qp.responder_reads(&self.config) {
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
        let (address, length) = (checked.address, u64::from(reth.length));
        qp.responder.push(Response::Read {
            first,
            next: first,
            end,
            address,
            length,
            msn,
            repeated,
            guard: checked.guard,
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
            (Opcode::OtherRequest(opcode), _) if self.host.has(packet.bth.dest_qp) => {
                self.execute_verb(now, packet, opcode)
            }
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
        self.write_allowed(packet.bth.dest_qp, position, packet.payload, reth)?;
        self.write_payload(packet.bth.dest_qp, packet.payload, reth)?;
        self.accepted(now, packet, position);
        Ok(())
    }

    /// Checks a WRITE packet; nothing changes.
    pub(super) fn write_allowed(
        &self,
        qpn: u32,
        position: Position,
        payload: &[u8],
        reth: Option<RethRepr>,
    ) -> Result<(), NakCode> {
        let Some(qp) = self.qps.get(&qpn) else {
            return Ok(());
        };
        let total = reth.map(|reth| u64::from(reth.length));
        let fits = (qp.responder).write_fits(position, payload.len() as u64, total, qp.config.mtu.into());
        if !fits || total > Some(MAX_MESSAGE) || !self.permits(qpn, Access::RemoteWrite) {
            return Err(NakCode::InvalidRequest);
        }
        match reth {
            Some(reth) => self.remote_memory(qpn, &reth, Access::RemoteWrite).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Writes the payload of a WRITE packet that was checked.
    pub(super) fn write_payload(&mut self, qpn: u32, payload: &[u8], reth: Option<RethRepr>) -> Result<(), NakCode> {
        let begun = match reth {
            Some(reth) => {
                let checked = self.remote_memory(qpn, &reth, Access::RemoteWrite)?;
                Some(Incoming {
                    address: checked.address,
                    remaining: reth.length.into(),
                    length: reth.length.into(),
                    guard: checked.guard,
                    send: false,
                })
            }
            None => None,
        };
        let Some(qp) = self.qps.get_mut(&qpn) else {
            return Ok(());
        };
        qp.responder.message = begun.or(qp.responder.message);
        if let Some(message) = &mut qp.responder.message {
            if !self.regions.holds(message.guard) {
                return Err(NakCode::RemoteAccess);
            }
            if !payload.is_empty() && self.memory.write(message.address, payload).is_err() {
                return Err(NakCode::RemoteOperational);
            }
            message.address = message.address.wrapping_add(payload.len() as u64);
            message.remaining -= payload.len() as u64;
        }
        Ok(())
    }

    /// A packet that carries data was executed: the next one is expected, and this one acknowledged.
    pub(super) fn accepted(&mut self, now: u64, packet: &RocePacket, position: Position) {
        let Some(qp) = self.qps.get_mut(&packet.bth.dest_qp) else {
            return;
        };
        qp.responder.newest_write = qp.responder.expected;
        qp.responder.expected += 1;
        if position.is_end() {
            qp.responder.message = None;
            qp.responder.msn = qp.responder.msn.wrapping_add(1) & MASK_24;
        }
        self.acknowledge_write(now, packet, false);
    }

    /// Acknowledges the newest WRITE packet, or lets it wait for the acknowledgement of a later one. A `repeated` one, which is not carried out
    /// again, is answered in any case; never with the PSN of a READ, which a requester would take as the end of that READ.
    fn acknowledge_write(&mut self, now: u64, packet: &RocePacket, repeated: bool) {
        let together = self.config.feedback.ack_every > 1;
        let Some(qp) = self.qps.get_mut(&packet.bth.dest_qp) else {
            return;
        };
        let psn = qp.responder.newest_write;
        let ends = match packet.bth.opcode {
            Opcode::OtherRequest(opcode) => Verb::parse(opcode).is_some_and(Verb::ends),
            Opcode::Write(position) => position.is_end(),
            _ => false,
        };
        let asks = packet.bth.ack_req || ends;
        if qp.config.int && together && !asks {
            let int = has_records(packet.int).then(|| packet.int.to_vec());
            qp.responder.delay.hold(psn, int, now);
        } else if qp.config.int || asks || repeated {
            qp.responder.acknowledge(psn, None, packet.int);
        }
    }

    fn execute_read(&mut self, packet: &RocePacket, reth: &RethRepr) -> Result<(), Refusal> {
        let Some(qp) = self.qps.get(&packet.bth.dest_qp) else {
            return Ok(());
        };
        let length = u64::from(reth.length);
        let begun = qp.responder.message.is_some();
        let permitted = self.permits(packet.bth.dest_qp, Access::RemoteRead);
        if begun || !packet.payload.is_empty() || length > MAX_MESSAGE || !permitted {
            return Err(NakCode::InvalidRequest.into());
        }
        let first = qp.responder.expected;
        let end = first + packets(length, qp.config.mtu);
        let checked = self.remote_memory(packet.bth.dest_qp, reth, Access::RemoteRead)?;
        self.queue_read(packet.bth.dest_qp, (first, end), reth, checked)
    }
}
