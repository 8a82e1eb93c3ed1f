//! Which packet leaves next, and its bytes.
//!
//! Acknowledgements and echoes go before data between queue pairs, a probe goes right behind the data packet that made it due; within a queue pair the responder's answers leave in PSN order.
//! Among data flows the turn goes round.

use super::completion::Status;
use super::counters::Counter;
use super::frame::{data_content, Content};
use super::memory::Memory;
use super::nic::Nic;
use super::pacing::PS_PER_NS;
use super::psn::{payload_len, wire};
use super::qp::Qp;
use super::requester::Next;
use super::responder::Response;
use super::{request_flow, response_flow};
use crate::cc::EventKind;
use crate::wire::*;

/// A request's packet without its outer headers.
pub(super) struct RequestPacket {
    pub opcode: Opcode,
    pub extension: Extension,
    pub solicited: bool,
    /// Headers of [`crate::wire::Verb`].
    pub header: Vec<u8>,
    pub payload: Vec<u8>,
}

impl<M: Memory> Nic<M> {
    /// Carries out what is due at `now` and returns the frames (without FCS) that begin to leave.
    pub fn poll(&mut self, now: u64) -> Vec<Vec<u8>> {
        self.expire(now);
        let now_ps = now * PS_PER_NS;
        self.awaken(now_ps);
        let mut frames = Vec::new();
        while self.port_free_ps <= now_ps {
            let frame = self.next_answer().or_else(|| self.next_probe(now));
            let Some(frame) = frame.or_else(|| self.next_data(now)) else {
                break;
            };
            // Within the nanosecond the port goes on where it stopped.
            let start = if now_ps - self.port_free_ps < PS_PER_NS {
                self.port_free_ps
            } else {
                now_ps
            };
            let bits = wire_occupancy(frame.len()) as f64 * 8.0;
            self.port_free_ps = start + (bits * 1e12 / self.config.line_rate_bps).round() as u64;
            self.counters.count(Counter::TxFrames);
            frames.push(frame);
            self.awaken(now_ps);
        }
        frames
    }

    /// When a packet may leave next, ns.
    pub(super) fn next_send(&self) -> Option<u64> {
        let port = self.port_free_ps.div_ceil(PS_PER_NS);
        let notifies = !self.notifications.is_empty() && !self.acknowledgements_paused();
        let waits = |qp: &Qp| self.acknowledgement_ready(qp) || self.probe_ready(qp);
        if notifies || self.qps.values().any(waits) {
            return Some(port);
        }
        let flows = self.qps.iter().flat_map(|(qpn, qp)| {
            let request = self
                .request_ready(qp)
                .then(|| (request_flow(*qpn), qp.request_pacer.ready_ps()));
            let response = self
                .response_ready(qp)
                .then(|| (response_flow(*qpn), qp.response_pacer.ready_ps()));
            request.into_iter().chain(response)
        });
        flows.map(|(_, ready)| ready.div_ceil(PS_PER_NS).max(port)).min()
    }

    pub(super) fn data_paused(&self, qp: &Qp) -> bool {
        self.pause >> (qp.config.priority & 7) & 1 == 1
    }

    fn request_ready(&self, qp: &Qp) -> bool {
        !self.data_paused(qp) && qp.request_pacer.rate() > 0.0 && qp.requester.next(&qp.limits(&self.config)).is_some()
    }

    fn response_ready(&self, qp: &Qp) -> bool {
        let window_open = (qp.responder.inflight as f64) < qp.response_pacer.window();
        !self.data_paused(qp)
            && qp.response_pacer.rate() > 0.0
            && window_open
            && matches!(qp.responder.front(), Some(Response::Read { .. }))
    }

    fn next_data(&mut self, now: u64) -> Option<Vec<u8>> {
        loop {
            let flow = self.due_flow(now)?;
            self.last_flow = flow;
            let frame = if flow == request_flow(flow / 2) {
                self.request_frame(now, flow / 2)
            } else {
                self.response_frame(now, flow / 2)
            };
            let Some(frame) = frame else {
                // The host's memory failed: the flow has ended, the next one takes the turn.
                if let Some(frame) = self.next_acknowledgement() {
                    return Some(frame);
                }
                continue;
            };
            let qp = self.qps.get_mut(&(flow / 2))?;
            // Pacing charges a full INT stack, whatever the packet will collect.
            let growth = self.config.format.encapsulation.growth();
            let int_extra = if qp.config.int { growth } else { 0 };
            let charged = wire_occupancy(frame.len() + int_extra);
            let pacer = qp.pacer(flow);
            pacer.sent(now * PS_PER_NS, charged);
            self.groups.sent[pacer.group] += charged;
            self.feed_plain(EventKind::Sent, flow, frame.len() as u32, now);
            return Some(frame);
        }
    }

    /// The next flow in turn that may send now.
    fn due_flow(&self, now: u64) -> Option<u32> {
        let now_ps = now * PS_PER_NS;
        let due = |(qpn, qp): (&u32, &Qp)| {
            let request = self.request_ready(qp) && qp.request_pacer.ready_ps() <= now_ps;
            let response = self.response_ready(qp) && qp.response_pacer.ready_ps() <= now_ps;
            [
                request.then(|| request_flow(*qpn)),
                response.then(|| response_flow(*qpn)),
            ]
        };
        let last = self.last_flow;
        let from_here = self
            .qps
            .range(last / 2..)
            .flat_map(due)
            .flatten()
            .find(|flow| *flow > last);
        from_here.or_else(|| self.qps.iter().flat_map(due).flatten().next())
    }

    fn request_frame(&mut self, now: u64, qpn: u32) -> Option<Vec<u8>> {
        let qp = self.qps.get_mut(&qpn)?;
        let mtu = qp.config.mtu;
        let next = qp.requester.next(&qp.limits(&self.config))?;
        let psn = qp.requester.nxt();
        let mut payload = Vec::new();
        if self.host.has(qpn) {
            return self.queued_request(now, qpn, &next);
        }
        let (opcode, extension) = match &next {
            Next::Write { message, index, len } => {
                payload.resize(*len, 0);
                let address = message.local.address.wrapping_add(index * u64::from(mtu));
                let fault = match payload.is_empty() {
                    true => None,
                    false if !self.regions.holds(message.local.guard) => Some(Status::LocalAccessError),
                    false => {
                        (self.memory.read(address, &mut payload).is_err()).then_some(Status::LocalOperationalError)
                    }
                };
                if let Some(status) = fault {
                    self.end_requester(now, qpn, status, Some(psn));
                    return None;
                }
                let position = Position::of(*index, message.end - message.start);
                let reth = RethRepr {
                    address: message.work.remote_address,
                    key: message.work.remote_key,
                    length: message.work.length as u32,
                };
                (
                    Opcode::Write(position),
                    if position.is_start() {
                        Extension::Reth(reth)
                    } else {
                        Extension::None
                    },
                )
            }
            Next::Read { message, first, end } => {
                let offset = (first - message.start) * u64::from(mtu);
                let until = ((end - message.start) * u64::from(mtu)).min(message.work.length);
                let reth = RethRepr {
                    address: message.work.remote_address.wrapping_add(offset),
                    key: message.work.remote_key,
                    length: (until - offset.min(until)) as u32,
                };
                (Opcode::ReadRequest, Extension::Reth(reth))
            }
        };
        self.request_leaves(
            now,
            qpn,
            &next,
            RequestPacket {
                opcode,
                extension,
                solicited: false,
                header: Vec::new(),
                payload,
            },
        )
    }

    /// Records that a packet of a request leaves now; its frame.
    pub(super) fn request_leaves(&mut self, now: u64, qpn: u32, next: &Next, packet: RequestPacket) -> Option<Vec<u8>> {
        let RequestPacket {
            opcode,
            extension,
            solicited,
            header,
            payload,
        } = packet;
        let qp = self.qps.get_mut(&qpn)?;
        let (remote, psn) = (qp.config.remote_qpn, qp.requester.nxt());
        let limits = qp.limits(&self.config);
        let idle = !qp.requester.outstanding();
        let (ack_req, repeated) = qp.requester.sent(next, now, &limits);
        let sampled = match (&self.config.sampling, opcode) {
            (Some(sampling), Opcode::Write(position)) => {
                let starts = position.is_start();
                qp.collecting.next(&sampling.rule(), starts, repeated, now * PS_PER_NS)
            }
            _ => true,
        };
        let collects = !qp.config.int || self.config.probes.is_none() && sampled;
        if repeated {
            self.counters.count(Counter::Retransmitted);
        }
        self.restart_timer(now, qpn);
        if !payload.is_empty() {
            self.data_leaves(now, qpn);
            self.watch_receiver(now, qpn, idle);
        }
        let qp = &self.qps[&qpn];
        let bth = BthRepr {
            ack_req,
            solicited,
            ..BthRepr::new(opcode, remote, wire(psn))
        };
        let body = match header.is_empty() {
            true => payload,
            false => [header, payload].concat(),
        };
        Some(self.frame(
            qp,
            &Content {
                bth,
                extension,
                payload: &body,
                collects,
                ..data_content(qp)
            },
        ))
    }

    fn response_frame(&mut self, now: u64, qpn: u32) -> Option<Vec<u8>> {
        let qp = self.qps.get_mut(&qpn)?;
        let Some(Response::Read {
            first,
            next,
            end,
            address,
            length,
            msn,
            repeated,
            guard,
        }) = qp.responder.front().cloned()
        else {
            return None;
        };
        let (mtu, remote, int) = (qp.config.mtu, qp.config.remote_qpn, qp.config.int);
        let index = next - first;
        let mut payload = vec![0; payload_len(length, mtu, index)];
        let from = address.wrapping_add(index * u64::from(mtu));
        let fault = match payload.is_empty() {
            true => None,
            false if !self.regions.holds(guard) => Some(NakCode::RemoteAccess),
            false => (self.memory.read(from, &mut payload).is_err()).then_some(NakCode::RemoteOperational),
        };
        if let Some(code) = fault {
            // Nothing behind a failed READ may be answered.
            while qp.responder.pop().is_some() {}
            let nak = Some(code);
            let int = if int { INT_EMPTY.to_vec() } else { Vec::new() };
            qp.responder.push(Response::Ack {
                psn: next,
                nak,
                // the READ is not completed, unless it was before
                msn: msn.wrapping_sub(u32::from(!repeated)) & MASK_24,
                int,
            });
            self.end_responder(qpn);
            self.counters.count(Counter::NaksSent);
            self.request_refused(now, qpn, code);
            return None;
        }
        // A READ cut short by a rewind has no last packet of its own: the new request brings it.
        let position = Position::of(index, (end - first).max(super::psn::packets(length, mtu)));
        let extension = match position {
            Position::Middle => Extension::None,
            _ => Extension::Aeth(AethRepr {
                syndrome: Syndrome::parse(SYNDROME_ACK),
                msn,
            }),
        };
        qp.responder.read_packet_sent(payload.len() as u64, int);
        let qp = &self.qps[&qpn];
        let bth = BthRepr::new(Opcode::ReadResponse(position), remote, wire(next));
        Some(self.frame(
            qp,
            &Content {
                bth,
                extension,
                payload: &payload,
                ..data_content(qp)
            },
        ))
    }
}
