//! Work requests of a send queue on their way to the requester, their data, and their packets.

use super::end::End;
use super::event_entry::EventKind;
use super::host::{parts, Piece, Posted};
use super::send_entry::{Data, SendEntry, SendOpcode, SEND_FENCE, SEND_SOLICITED};
use super::state::State;
use crate::nic::memory::Memory;
use crate::nic::nic::Nic;
use crate::nic::psn::packets;
use crate::nic::requester::{Kind, Next};
use crate::nic::transmit::RequestPacket;
use crate::nic::{Access, Operation, Status, WorkRequest, MAX_MESSAGE};
use crate::wire::{AtomicRepr, Extension, Opcode, Position, RethRepr, Verb, VerbHeader};

/// Packets of a SEND at most.
pub(super) const MAX_SEND_PACKETS: u64 = 1 << 20;
/// Bytes of an atomic operation.
pub(super) const ATOMIC_LEN: u64 = 8;

impl<M: Memory> Nic<M> {
    /// Reads work requests that the host has announced, as many as the requester takes, and sees to what has become due.
    pub(in crate::nic) fn fetch(&mut self, now: u64, qpn: u32) {
        while self.may_fetch(qpn) {
            let Some(posted) = self.next_posted(qpn) else { break };
            self.take_posted(qpn, posted);
        }
        self.settle(now, qpn);
    }

    fn may_fetch(&self, qpn: u32) -> bool {
        let (Some(pair), Some(qp)) = (self.host.pairs.get(&qpn), self.qps.get(&qpn)) else {
            return false;
        };
        pair.state == State::ReadyToSend
            && qp.requester.held.is_none()
            && qp.requester.queued() < self.config.message_queue
    }

    fn take_posted(&mut self, qpn: u32, mut posted: Posted) {
        let fault = match (&mut posted.valid, posted.readable) {
            (_, false) => Some(Status::LocalOperationalError),
            (None, true) => Some(Status::InvalidWork),
            (Some((entry, pieces)), true) => match self.local_memory(qpn, entry) {
                Ok(found) => {
                    *pieces = found;
                    None
                }
                Err(status) => Some(status),
            },
        };
        let (Some(pair), Some(qp)) = (self.host.pairs.get_mut(&qpn), self.qps.get_mut(&qpn)) else {
            return;
        };
        pair.send.fetched = posted.last + 1;
        let mut work = WorkRequest {
            id: posted.id,
            qpn,
            operation: Operation::Write,
            local_address: 0,
            local_key: 0,
            remote_address: 0,
            remote_key: 0,
            length: 0,
        };
        let mut kind = Kind::default();
        if let (Some((entry, _)), None) = (&posted.valid, fault) {
            let atomic = entry.opcode.is_atomic();
            if atomic || entry.opcode == SendOpcode::Read {
                work.operation = Operation::Read;
            }
            work.remote_address = entry.remote_address;
            work.remote_key = entry.remote_key;
            work.length = entry.data.length();
            kind = Kind {
                atomic,
                fence: entry.flags & SEND_FENCE != 0,
            };
        }
        qp.requester.held = qp.requester.held.or(fault.map(|status| (posted.id, status)));
        qp.requester.push_as(work, kind);
        pair.send.posted.push_back(posted);
    }

    /// Memory of a work request's pieces, or the status with which it ends.
    fn local_memory(&self, qpn: u32, entry: &SendEntry) -> Result<Vec<Piece>, Status> {
        let Some(qp) = self.qps.get(&qpn) else {
            return Err(Status::InvalidWork);
        };
        let length = entry.data.length();
        let limits = qp.limits(&self.config);
        let reads = entry.opcode.is_atomic() || entry.opcode == SendOpcode::Read;
        let sends = entry.opcode.takes_receive() && entry.opcode != SendOpcode::WriteImmediate;
        if length > MAX_MESSAGE
            || entry.opcode.is_atomic() && length != ATOMIC_LEN
            || reads && limits.max_rd_atomic == 0
            || sends && packets(length, qp.config.mtu) > MAX_SEND_PACKETS
        {
            return Err(Status::InvalidWork);
        }
        let Data::Segments(segments) = &entry.data else {
            return Ok(Vec::new());
        };
        let access = if reads { Access::LocalWrite } else { Access::Local };
        let domain = self.host.domain(qpn);
        let piece = |segment: &super::Segment| {
            let checked = (self.regions).check(domain, segment.key, segment.address, segment.length.into(), access)?;
            Some(Piece::of(segment, checked.address, checked.guard))
        };
        let found: Option<Vec<Piece>> = segments.iter().map(piece).collect();
        found.ok_or(Status::LocalAccessError)
    }

    /// Ends a work request that failed here and is now the oldest, and tells that the send queue is drained.
    fn settle(&mut self, now: u64, qpn: u32) {
        let Some(qp) = self.qps.get(&qpn).filter(|_| self.host.has(qpn)) else {
            return;
        };
        let drained = qp.requester.drained();
        if let Some(status) = qp.requester.failing() {
            self.end_queue_pair(now, qpn, End::of_request(status, None));
        }
        let Some(pair) = self.host.pairs.get_mut(&qpn) else {
            return;
        };
        if pair.state == State::SendQueueDrain && drained && !std::mem::replace(&mut pair.drained, true) {
            self.pair_event(qpn, EventKind::SendQueueDrained);
        }
    }

    /// The entry of a work request that is under way, and its memory.
    fn posted(&self, qpn: u32, id: u64) -> Option<&(SendEntry, Vec<Piece>)> {
        let posted = &self.host.pairs.get(&qpn)?.send.posted;
        let at = posted.binary_search_by_key(&id, |posted| posted.id).ok()?;
        posted[at].valid.as_ref()
    }

    /// Fills `payload` with the bytes from `offset` on of a work request's data.
    fn gather(&mut self, qpn: u32, id: u64, offset: u64, payload: &mut [u8]) -> Result<(), Status> {
        let (entry, pieces) = self.posted(qpn, id).ok_or(Status::InvalidWork)?;
        if let Data::Inline(bytes) = &entry.data {
            let from = offset as usize;
            let bytes = bytes.get(from..from + payload.len()).ok_or(Status::InvalidWork)?;
            payload.copy_from_slice(bytes);
            return Ok(());
        }
        let mut rest = payload;
        for part in parts(pieces, offset, rest.len() as u64) {
            let (front, behind) = std::mem::take(&mut rest).split_at_mut(part.length as usize);
            if !self.regions.holds(part.guard) {
                return Err(Status::LocalAccessError);
            }
            (self.memory.read(part.address, front)).map_err(|_| Status::LocalOperationalError)?;
            rest = behind;
        }
        Ok(())
    }

    /// Stores what a READ or an atomic operation brought at `offset` of its work request's memory.
    pub(in crate::nic) fn scatter(&mut self, qpn: u32, id: u64, offset: u64, data: &[u8]) -> Result<(), Status> {
        let (_, pieces) = self.posted(qpn, id).ok_or(Status::InvalidWork)?;
        self.store(&parts(pieces, offset, data.len() as u64), data)
    }

    /// Writes `data` to pieces of memory that hold just that many bytes, lowest addresses first.
    pub(super) fn store(&mut self, pieces: &[Piece], data: &[u8]) -> Result<(), Status> {
        let mut rest = data;
        for part in pieces {
            let (front, behind) = rest.split_at(part.length as usize);
            if !self.regions.holds(part.guard) {
                return Err(Status::LocalAccessError);
            }
            (self.memory.write(part.address, front)).map_err(|_| Status::LocalOperationalError)?;
            rest = behind;
        }
        Ok(())
    }

    /// The next packet of a request of a queue pair with queues, or nothing if its data cannot be had.
    pub(in crate::nic) fn queued_request(&mut self, now: u64, qpn: u32, next: &Next) -> Option<Vec<u8>> {
        let mtu = u64::from(self.qps.get(&qpn)?.config.mtu);
        let message = match next {
            Next::Write { message, .. } | Next::Read { message, .. } => message,
        };
        let id = message.work.id;
        let (entry, _) = self.posted(qpn, id)?;
        let reth = |offset: u64, length: u64| RethRepr {
            address: message.work.remote_address.wrapping_add(offset),
            key: message.work.remote_key,
            length: length as u32,
        };
        let mut packet = RequestPacket {
            opcode: Opcode::ReadRequest,
            extension: Extension::None,
            solicited: false,
            header: Vec::new(),
            payload: Vec::new(),
        };
        match next {
            Next::Write { index, len, .. } => {
                let position = Position::of(*index, message.end - message.start);
                let (verb, solicited) = (verb(entry, position), entry.flags & SEND_SOLICITED != 0);
                let header = VerbHeader {
                    reth: Some(reth(0, message.work.length)),
                    immediate: Some(entry.immediate),
                    atomic: None,
                };
                packet.solicited = solicited && position.is_end() && entry.opcode.takes_receive();
                match verb {
                    Some(verb) => {
                        packet.opcode = Opcode::OtherRequest(verb.opcode());
                        packet.header = verb.header(&header);
                    }
                    None => {
                        packet.opcode = Opcode::Write(position);
                        if position.is_start() {
                            packet.extension = Extension::Reth(reth(0, message.work.length));
                        }
                    }
                }
                packet.payload.resize(*len, 0);
                if let Err(status) = self.gather(qpn, id, index * mtu, &mut packet.payload) {
                    self.qps.get_mut(&qpn)?.requester.held = Some((id, status));
                    self.settle(now, qpn);
                    return None;
                }
            }
            Next::Read { .. } if message.kind.atomic => {
                let verb = match entry.opcode {
                    SendOpcode::CompareSwap => Verb::CompareSwap,
                    _ => Verb::FetchAdd,
                };
                let [first, second] = entry.operands;
                let (compare, swap_or_add) = match verb {
                    Verb::CompareSwap => (first, second),
                    _ => (0, first),
                };
                packet.opcode = Opcode::OtherRequest(verb.opcode());
                packet.header = verb.header(&VerbHeader {
                    atomic: Some(AtomicRepr {
                        address: message.work.remote_address,
                        key: message.work.remote_key,
                        swap_or_add,
                        compare,
                    }),
                    ..VerbHeader::default()
                });
            }
            Next::Read { first, end, .. } => {
                let offset = (first - message.start) * mtu;
                let until = ((end - message.start) * mtu).min(message.work.length);
                packet.extension = Extension::Reth(reth(offset, until - offset.min(until)));
            }
        }
        self.request_leaves(now, qpn, next, packet)
    }

    /// A packet has come: in RTR the host hears of the first one.
    pub(in crate::nic) fn communication_established(&mut self, qpn: u32) {
        let Some(pair) = self
            .host
            .pairs
            .get_mut(&qpn)
            .filter(|pair| pair.state == State::ReadyToReceive)
        else {
            return;
        };
        if !std::mem::replace(&mut pair.established, true) {
            self.pair_event(qpn, EventKind::CommunicationEstablished);
        }
    }
}

/// Request of a packet at `position` of a work request, if it is not a plain WRITE.
fn verb(entry: &SendEntry, position: Position) -> Option<Verb> {
    match (entry.opcode, position.is_end()) {
        (SendOpcode::WriteImmediate, true) => Some(Verb::WriteImmediate(position)),
        (SendOpcode::SendImmediate, true) => Some(Verb::SendImmediate(position)),
        (SendOpcode::SendInvalidate, true) => Some(Verb::SendInvalidate(position)),
        (SendOpcode::Write | SendOpcode::WriteImmediate, _) => None,
        _ => Some(Verb::Send(position)),
    }
}
