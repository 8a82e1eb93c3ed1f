//! Answers of the peer: acknowledgements, READ data, echoes.

use super::completion::Status;
use super::counters::Counter;
use super::feedback::Feedback;
use super::memory::Memory;
use super::nic::Nic;
use super::psn::{near, payload_len, wire, Psn};
use super::qp::Echo;
use super::requester::{Acked, Requester};
use super::{request_flow, response_flow};
use crate::cc::EventKind;
use crate::wire::{rnr_wait_ns, Extension, NakCode, Opcode, Position, RocePacket, Syndrome, MASK_24};

/// `rnr_retry` that never ends a queue pair.
const RNR_FOR_EVER: u32 = 7;

impl<M: Memory> Nic<M> {
    /// Takes an acknowledgement, positive or negative.
    pub(super) fn acknowledgement(&mut self, now: u64, packet: &RocePacket) -> Result<(), Counter> {
        let Extension::Aeth(aeth) = packet.extension else {
            return Err(Counter::TransportLength);
        };
        let qpn = packet.bth.dest_qp;
        let qp = self.qps.get_mut(&qpn).ok_or(Counter::UnknownQp)?;
        let limits = qp.limits(&self.config);
        let requester = &mut qp.requester;
        if requester.ended.is_some() {
            return Err(Counter::QpEnded);
        }
        let psn = near(requester.una(), packet.bth.psn);
        if psn >= requester.max() {
            return Err(Counter::GhostAck);
        }
        let (kind, end) = match aeth.syndrome {
            Syndrome::Ack(_) => (EventKind::Ack, psn + 1),
            Syndrome::Nak(_) => {
                self.counters.count(Counter::NaksReceived);
                (EventKind::Nak, psn)
            }
            // the packet itself was not taken, what is before it was
            Syndrome::Rnr(_) => {
                self.counters.count(Counter::RnrNaks);
                (EventKind::Ack, psn)
            }
            Syndrome::Reserved(_) => return Err(Counter::IgnoredSyndrome),
        };
        let old = psn < requester.una();
        let sent_at = match kind {
            EventKind::Ack if end > psn => requester.sent_at(packet.bth.psn, &limits),
            _ => None,
        };
        let acked = requester.acknowledge(end);
        let bytes = acked.bytes;
        self.progressed(now, qpn, acked);
        let Some(requester) = self.qps.get_mut(&qpn).map(|qp| &mut qp.requester) else {
            return Ok(());
        };
        match aeth.syndrome {
            // Linux sends a sequence NAK behind one that says to wait
            Syndrome::Nak(NakCode::PsnSequence) if requester.wait_until.is_some() && psn == requester.una() => {
                return Ok(());
            }
            Syndrome::Rnr(code) if !old => self.wait_for_receiver(now, qpn, psn, code),
            Syndrome::Nak(NakCode::PsnSequence) if !old => {
                requester.rewind();
                requester.deadline = None;
            }
            Syndrome::Nak(code) if !old => {
                self.end_requester(now, qpn, remote_status(code), Some(psn));
                return Ok(());
            }
            // Acknowledged beyond a READ whose data has not come.
            Syndrome::Ack(_) if requester.una() < end => self.read_lost(qpn),
            _ => {}
        }
        let snd_nxt = self.qps.get(&qpn).map_or(0, |qp| wire(qp.requester.nxt()));
        let psn_next = (packet.bth.psn + u32::from(end > psn)) & MASK_24;
        let flow = request_flow(qpn);
        self.feed(Feedback {
            kind,
            flow,
            psn_next,
            snd_nxt,
            int: packet.int,
            ecn: packet.ipv4.congestion_experienced(),
            sent_at,
            bytes: bytes as u32,
            now,
        });
        Ok(())
    }

    /// The peer's receiver is not ready for packet `psn`, and everything before it is acknowledged: back to it, and nothing is sent until the coded time
    /// is over. Within that time another such answer changes nothing.
    fn wait_for_receiver(&mut self, now: u64, qpn: u32, psn: Psn, code: u8) {
        let Some(qp) = self.qps.get_mut(&qpn) else { return };
        let limit = qp.own.rnr_retry.unwrap_or(self.config.rnr_retry);
        let requester = &mut qp.requester;
        if requester.una() < psn {
            // the data of a READ before it is lost
            return self.read_lost(qpn);
        }
        if requester.wait_until.is_some() {
            return;
        }
        requester.waits += 1;
        if limit != RNR_FOR_EVER && requester.waits > limit {
            return self.end_requester(now, qpn, Status::RnrRetryExceeded, Some(psn));
        }
        requester.rewind();
        requester.deadline = None;
        requester.wait_until = Some(now + rnr_wait_ns(code));
    }

    /// Takes a READ response packet.
    pub(super) fn read_response(&mut self, now: u64, packet: &RocePacket, position: Position) -> Result<(), Counter> {
        let qpn = packet.bth.dest_qp;
        let span = u64::from(self.config.psn_span);
        let qp = self.qps.get_mut(&qpn).ok_or(Counter::UnknownQp)?;
        let mtu = qp.config.mtu;
        let requester = &mut qp.requester;
        if requester.ended.is_some() {
            return Err(Counter::QpEnded);
        }
        if let Extension::Aeth(aeth) = packet.extension {
            if !matches!(aeth.syndrome, Syndrome::Ack(_)) {
                return Err(Counter::BadReadResponse);
            }
        }
        let psn = near(requester.una(), packet.bth.psn);
        if psn < requester.una() {
            self.counters.count(Counter::Duplicates);
            self.echo(packet, Opcode::ReadEcho);
            return Ok(());
        }
        let message = requester
            .message(psn)
            .filter(|_| psn < requester.max())
            .ok_or(Counter::Stray)?;
        if !message.work.operation.is_read() || message.kind.atomic {
            return Err(Counter::Stray);
        }
        let acked = requester.acknowledge(psn);
        let in_order = requester.una() == psn;
        self.progressed(now, qpn, acked);
        if !in_order {
            self.read_lost(qpn);
            return Ok(());
        }
        let index = psn - message.start;
        let last = Requester::read_end(&message, psn, span) == psn + 1;
        let len = payload_len(message.work.length, mtu, index);
        if position.is_end() != last || packet.payload.len() != len {
            return Err(Counter::BadReadResponse);
        }
        let address = message.local.address.wrapping_add(index * u64::from(mtu));
        let written = match self.host.has(qpn) {
            true => self.scatter(qpn, message.work.id, index * u64::from(mtu), packet.payload),
            false if len == 0 => Ok(()),
            false if !self.regions.holds(message.local.guard) => Err(Status::LocalAccessError),
            false => (self.memory.write(address, packet.payload)).map_err(|_| Status::LocalOperationalError),
        };
        if let Err(status) = written {
            self.end_requester(now, qpn, status, Some(psn));
            return Ok(());
        }
        let Some(requester) = self.qps.get_mut(&qpn).map(|qp| &mut qp.requester) else {
            return Ok(());
        };
        let completed = requester.take_read_packet().into_iter().collect();
        self.progressed(
            now,
            qpn,
            Acked {
                bytes: 0,
                progress: true,
                completed,
            },
        );
        self.echo(packet, Opcode::ReadEcho);
        Ok(())
    }

    /// Takes the echo of a READ response that this NIC sent.
    pub(super) fn read_echo(&mut self, now: u64, packet: &RocePacket) -> Result<(), Counter> {
        let qpn = packet.bth.dest_qp;
        let responder = &mut self.qps.get_mut(&qpn).ok_or(Counter::UnknownQp)?.responder;
        if near(responder.expected, packet.bth.psn) >= responder.expected {
            return Err(Counter::Stray);
        }
        let bytes = responder.echoed(packet.bth.psn);
        let snd_nxt = wire(responder.read_nxt());
        self.feed(Feedback {
            kind: EventKind::Ack,
            flow: response_flow(qpn),
            psn_next: (packet.bth.psn + 1) & MASK_24,
            snd_nxt,
            int: packet.int,
            ecn: packet.ipv4.congestion_experienced(),
            // READ responses are not timed
            sent_at: None,
            bytes: bytes as u32,
            now,
        });
        Ok(())
    }

    /// What a packet has collected goes back under its PSN, which of a probe is its number. Plain queue pairs have nothing to send back.
    pub(super) fn echo(&mut self, packet: &RocePacket, opcode: Opcode) {
        let qp = self.qps.get_mut(&packet.bth.dest_qp);
        if let Some(qp) = qp.filter(|qp| qp.config.int) {
            qp.echoes.push_back(Echo {
                opcode,
                psn: packet.bth.psn,
                int: packet.int.to_vec(),
                payload: Vec::new(),
            });
        }
    }

    /// Completes what an acknowledgement finished; progress restarts the timer.
    pub(super) fn progressed(&mut self, now: u64, qpn: u32, acked: Acked) {
        if acked.progress {
            self.restart_timer(now, qpn);
        }
        for work in acked.completed {
            self.complete(now, work, Status::Ok);
        }
        self.fetch(now, qpn);
    }

    /// Something shows that the oldest READ data outstanding is lost: ask for it again, once per gap.
    pub(super) fn read_lost(&mut self, qpn: u32) {
        let Some(requester) = self.qps.get_mut(&qpn).map(|qp| &mut qp.requester) else {
            return;
        };
        if requester.read_gap() {
            requester.rewind();
            requester.deadline = None;
            self.counters.count(Counter::ReadGaps);
        }
    }
}

fn remote_status(code: NakCode) -> Status {
    match code {
        NakCode::InvalidRequest => Status::RemoteInvalidRequest,
        NakCode::RemoteAccess => Status::RemoteAccessError,
        NakCode::PsnSequence | NakCode::RemoteOperational | NakCode::Other(_) => Status::RemoteOperationalError,
    }
}
