//! Requests that take a receive, and receives on their way to completion.

use super::completion_entry::{COMPLETION_IMMEDIATE, COMPLETION_INVALIDATED, COMPLETION_SOLICITED};
use super::host::{Piece, Receiving};
use super::receive_entry::ReceiveEntry;
use super::report::stamp;
use super::segment::total_length;
use super::sending::MAX_SEND_PACKETS;
use super::{CompletionEntry, CompletionOpcode};
use crate::nic::counters::Counter;
use crate::nic::memory::Memory;
use crate::nic::nic::Nic;
use crate::nic::respond::Refusal;
use crate::nic::responder::{Incoming, Response};
use crate::nic::{Access, Status, MAX_MESSAGE};
use crate::wire::{split, NakCode, Position, RocePacket, Verb, VerbHeader};

/// Code of the waiting time of a queue pair that has none: 0.64 ms.
const DEFAULT_RNR_TIMER: u8 = 12;

impl<M: Memory> Nic<M> {
    /// Executes a request beyond WRITE and READ whose packet is the one expected.
    pub(in crate::nic) fn execute_verb(&mut self, now: u64, packet: &RocePacket, opcode: u8) -> Result<(), Refusal> {
        let Some((verb, header, payload)) = split(opcode, packet.payload) else {
            return Err(Refusal::Drop(Counter::TransportLength));
        };
        match verb {
            Verb::Send(position) | Verb::SendImmediate(position) | Verb::SendInvalidate(position) => {
                self.execute_send(now, packet, (verb, position), &header, payload)
            }
            Verb::WriteImmediate(position) => self.execute_write_immediate(now, packet, position, &header, payload),
            Verb::CompareSwap | Verb::FetchAdd => self.execute_atomic(packet, verb, &header, payload),
        }
    }

    fn execute_send(
        &mut self,
        now: u64,
        packet: &RocePacket,
        (verb, position): (Verb, Position),
        header: &VerbHeader,
        payload: &[u8],
    ) -> Result<(), Refusal> {
        let qpn = packet.bth.dest_qp;
        let qp = self.qps.get(&qpn).ok_or(Refusal::Drop(Counter::UnknownQp))?;
        let (mtu, begun) = (qp.config.mtu as usize, qp.responder.message);
        let in_order = match position.is_start() {
            true => begun.is_none(),
            false => begun.is_some_and(|message| message.send),
        };
        let fits = match position.is_end() {
            true => payload.len() <= mtu,
            false => payload.len() == mtu,
        };
        if !in_order || !fits {
            return Err(NakCode::InvalidRequest.into());
        }
        if position.is_start() {
            self.take_receive(qpn)?;
            let message = Incoming {
                address: 0,
                remaining: 0,
                length: 0,
                guard: None,
                send: true,
            };
            if let Some(qp) = self.qps.get_mut(&qpn) {
                qp.responder.message = Some(message);
            }
        }
        let invalidated = header.immediate.filter(|_| matches!(verb, Verb::SendInvalidate(_)));
        let domain = self.host.domain(qpn);
        if invalidated.is_some_and(|key| !self.regions.may_invalidate(domain, u32::from_be_bytes(key))) {
            return Err(NakCode::RemoteAccess.into());
        }
        self.place(qpn, payload)?;
        if let Some(key) = invalidated {
            self.regions.remove(u32::from_be_bytes(key));
        }
        if position.is_end() {
            let kind = match verb {
                Verb::SendImmediate(_) => COMPLETION_IMMEDIATE,
                Verb::SendInvalidate(_) => COMPLETION_INVALIDATED,
                _ => 0,
            };
            self.received(now, packet, CompletionOpcode::Receive, (kind, header.immediate), None);
        }
        self.accepted(now, packet, position);
        Ok(())
    }

    fn execute_write_immediate(
        &mut self,
        now: u64,
        packet: &RocePacket,
        position: Position,
        header: &VerbHeader,
        payload: &[u8],
    ) -> Result<(), Refusal> {
        let qpn = packet.bth.dest_qp;
        self.write_allowed(qpn, position, payload, header.reth)?;
        self.take_receive(qpn)?;
        self.write_payload(qpn, payload, header.reth)?;
        let message = self.qps.get(&qpn).and_then(|qp| qp.responder.message);
        let length = message.map_or(0, |message| message.length);
        let immediate = (COMPLETION_IMMEDIATE, header.immediate);
        self.received(now, packet, CompletionOpcode::ReceiveWrite, immediate, Some(length));
        self.accepted(now, packet, position);
        Ok(())
    }

    /// Takes the oldest receive.
    fn take_receive(&mut self, qpn: u32) -> Result<(), Refusal> {
        let (slots, last) = self.next_receive(qpn).ok_or(Refusal::NotReady)?;
        let Some(pair) = self.host.pairs.get_mut(&qpn) else {
            return Err(Refusal::NotReady);
        };
        let Some(first) = slots.first() else {
            // the ring itself cannot be read: nothing can be said of the receive
            return Err(NakCode::RemoteOperational.into());
        };
        pair.receive.consumer = last + 1;
        let entry = ReceiveEntry::decode(&slots);
        let invalid = entry.is_none();
        pair.receive.current = Some(Receiving {
            entry: entry.unwrap_or(ReceiveEntry {
                work: ReceiveEntry::head(first),
                segments: Vec::new(),
            }),
            last,
            pieces: None,
            received: 0,
            packets: 0,
            failed: invalid.then_some(Status::InvalidWork),
        });
        self.host.counters.receives_taken += 1;
        match invalid {
            true => Err(NakCode::RemoteOperational.into()),
            false => Ok(()),
        }
    }

    /// Puts the payload of a SEND where its receive says.
    fn place(&mut self, qpn: u32, payload: &[u8]) -> Result<(), NakCode> {
        let length = payload.len() as u64;
        let domain = self.host.domain(qpn);
        let Some(current) = self
            .host
            .pairs
            .get_mut(&qpn)
            .and_then(|pair| pair.receive.current.as_mut())
        else {
            return Err(NakCode::InvalidRequest);
        };
        current.packets += 1;
        if current.packets > MAX_SEND_PACKETS || current.received + length > MAX_MESSAGE {
            return Err(NakCode::InvalidRequest);
        }
        if current.received + length > total_length(&current.entry.segments) {
            current.failed = Some(Status::LocalLengthError);
            return Err(NakCode::InvalidRequest);
        }
        if length == 0 {
            return Ok(());
        }
        if current.pieces.is_none() {
            let regions = &self.regions;
            let piece = |segment: &super::Segment| {
                let bytes = segment.length.into();
                let checked = regions.check(domain, segment.key, segment.address, bytes, Access::LocalWrite)?;
                Some(Piece::of(segment, checked.address, checked.guard))
            };
            current.pieces = current.entry.segments.iter().map(piece).collect();
        }
        let Some(pieces) = &current.pieces else {
            current.failed = Some(Status::LocalAccessError);
            return Err(NakCode::RemoteOperational);
        };
        let parts = super::host::parts(pieces, current.received, length);
        current.received += length;
        let stored = self.store(&parts, payload);
        if let Err(status) = stored {
            if let Some(current) = self
                .host
                .pairs
                .get_mut(&qpn)
                .and_then(|pair| pair.receive.current.as_mut())
            {
                current.failed = Some(status);
            }
            return Err(NakCode::RemoteOperational);
        }
        Ok(())
    }

    /// Completes the receive in use.
    fn received(
        &mut self,
        now: u64,
        packet: &RocePacket,
        opcode: CompletionOpcode,
        (kind, immediate): (u8, Option<[u8; 4]>),
        written: Option<u64>,
    ) {
        let qpn = packet.bth.dest_qp;
        let Some(current) = (self.host.pairs.get_mut(&qpn)).and_then(|pair| pair.receive.current.take()) else {
            return;
        };
        let solicited = packet.bth.solicited;
        let entry = CompletionEntry {
            work: current.entry.work,
            qpn,
            opcode,
            status: Status::Ok,
            flags: kind | if solicited { COMPLETION_SOLICITED } else { 0 },
            index: current.last as u16,
            length: written.unwrap_or(current.received) as u32,
            immediate: immediate.unwrap_or_default(),
            time_ns: stamp(now),
        };
        self.report_receive(now, entry, solicited);
    }

    /// Tells the peer to wait: the packet stays the one expected, and those behind it are dropped without a word until it comes again.
    pub(in crate::nic) fn not_ready(&mut self, packet: &RocePacket) {
        let qpn = packet.bth.dest_qp;
        let pair = self.host.pairs.get(&qpn);
        let timer = pair
            .and_then(|pair| pair.attributes.rnr_timer)
            .unwrap_or(DEFAULT_RNR_TIMER);
        let Some(qp) = self.qps.get_mut(&qpn) else { return };
        let responder = &mut qp.responder;
        responder.nak_sent = true;
        responder.push(Response::NotReady {
            psn: responder.expected,
            timer,
            msn: responder.msn,
            int: packet.int.to_vec(),
        });
        self.host.counters.not_ready_sent += 1;
    }
}
