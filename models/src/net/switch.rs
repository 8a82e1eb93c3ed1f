//! Switches: admission to the shared buffer, pause, store and forward; and the wire between any two ports.

use super::classes::ClassQueues;
use super::config::{FlowControl, WindowRule};
use super::engine::{encode, Kind, Simulator};
use super::outside::Delivery;
use super::packet::{Packet, PacketKind, NIL};

impl Simulator {
    /// A packet has fully arrived at `port`.
    pub(super) fn arrive(&mut self, port: u32, packet: u32) {
        let p = &self.ports[port as usize];
        let of_switch = !matches!(self.packets[packet].kind, PacketKind::Pause | PacketKind::Resume);
        if self.plain && p.on_switch && p.up && of_switch && !p.failed {
            if !self.passes(port, packet) {
                self.forward(port, packet);
            }
            return;
        }
        // What was on the wire when the link failed is lost, also where the link has returned since.
        let began = || {
            let on_wire = p.delay_ps + self.wire_ps(p.peer, self.packets[packet].size);
            self.now.saturating_sub(on_wire)
        };
        if !p.up || p.failed && p.failed_at > began() {
            self.counters.losses += 1;
            self.lose(packet);
            return;
        }
        if !self.arrival_drops.is_empty() && self.dropped_on_arrival(port) {
            self.counters.losses += 1;
            self.lose(packet);
            return;
        }
        let p = &mut self.ports[port as usize];
        match self.packets[packet].kind {
            PacketKind::Pause => {
                if !p.paused {
                    p.paused = true;
                    p.paused_since = self.now;
                }
                self.packets.release(packet);
                self.note_pause(port, Delivery::Pause);
            }
            PacketKind::Resume => {
                if p.paused {
                    p.paused = false;
                    self.counters.paused_ps += self.now - p.paused_since;
                }
                self.packets.release(packet);
                self.note_pause(port, Delivery::Resume);
                self.send(port);
            }
            _ if p.on_switch => self.forward(port, packet),
            _ if self.outside.on => self.deliver(port, packet),
            PacketKind::Data => self.receive_data(port, packet),
            PacketKind::Ack | PacketKind::Nak => self.receive_ack(packet),
            PacketKind::Segment => self.receive_segment(packet),
            PacketKind::Homa => self.receive_homa(packet),
            PacketKind::Probe => self.receive_probe(port, packet),
            PacketKind::Response => self.receive_response(packet),
            PacketKind::Notification => self.receive_notification(packet),
            PacketKind::Window => self.receive_window(packet),
        }
    }

    /// Admission, pause, queue.
    fn forward(&mut self, in_port: u32, index: u32) {
        let packet = &mut self.packets[index];
        let known = std::mem::replace(&mut packet.in_port, in_port);
        let Packet { dst, kind, class, .. } = *packet;
        let size = u64::from(packet.size);
        let way = match known {
            NIL => self.choose_port(self.ports[in_port as usize].node, index),
            out => Some(out),
        };
        let Some(out) = way else {
            self.drop_packet(index);
            return;
        };
        let control = !self.in_data_class(kind);
        if !control {
            if !self.admit(in_port, out, (class, dst), size) {
                self.drop_packet(index);
                return;
            }
            self.ports[out as usize].egress_bytes += size;
        }
        self.ports[out as usize].queued_bytes += size;
        let marked = self
            .config
            .mark_packets
            .is_some_and(|k| self.queue_of(out, (class, dst)).0 >= k);
        if marked && matches!(kind, PacketKind::Data | PacketKind::Segment) && !self.packets[index].no_ecn {
            self.packets[index].ecn = true;
            self.counters.marked += 1;
        }
        let port = &mut self.ports[out as usize];
        port.waiting += 1;
        let mut server = out;
        match &mut port.classes {
            _ if control => port.control.push(&mut self.packets, index),
            Some(classes) => classes.push(class, index, size as u32, self.now),
            None if port.rack != NIL => server = self.push_voq(out, index),
            None => port.data.push(&mut self.packets, index),
        }
        self.switch_send(server);
    }

    /// Packets and bytes of the queue that a packet of a class to a destination joins at a port.
    fn queue_of(&self, out: u32, (class, dst): (u8, u32)) -> (u32, u64) {
        let port = &self.ports[out as usize];
        if let Some(classes) = &port.classes {
            return (classes.packets(class) as u32, classes.bytes(class));
        }
        if port.rack != NIL {
            if let Some((_, _, voq)) = self.voq_of(out, dst) {
                return (voq.packets(), voq.bytes);
            }
        }
        (port.waiting, port.egress_bytes)
    }

    /// Packets that share the buffer and can be paused: payload, and acknowledgements without a class of their own.
    #[inline]
    pub(super) fn in_data_class(&self, kind: PacketKind) -> bool {
        match kind {
            PacketKind::Data | PacketKind::Segment | PacketKind::Homa | PacketKind::Probe => true,
            PacketKind::Ack
            | PacketKind::Nak
            | PacketKind::Response
            | PacketKind::Notification
            | PacketKind::Window => !self.config.switch_ack_priority,
            PacketKind::Pause | PacketKind::Resume => false,
        }
    }

    fn drop_packet(&mut self, index: u32) {
        self.counters.drops += 1;
        self.lose(index);
    }

    /// Charges the buffer, pausing the other end of the ingress port where that is the rule. False: no room.
    fn admit(&mut self, in_port: u32, out: u32, joins: (u8, u32), size: u64) -> bool {
        if let FlowControl::DropTail { packets } = self.config.flow_control {
            let most = if self.ports[out as usize].rack == NIL {
                packets
            } else {
                self.most_waiting(out, joins.1, packets)
            };
            return self.queue_of(out, joins).0 < most;
        }
        if self.config.flow_control == FlowControl::EgressLimit {
            let queue = self.queue_of(out, joins).1;
            let switch = &mut self.switches[self.ports[in_port as usize].owner as usize];
            let free = switch.shared_bytes.saturating_sub(switch.total_used);
            if queue + size > free {
                return false;
            }
            switch.total_used += size;
            return true;
        }
        let switch = &mut self.switches[self.ports[in_port as usize].owner as usize];
        let port = &mut self.ports[in_port as usize];
        let reserve = self.config.port_reserve;
        let threshold = |used: u64| switch.shared_bytes.saturating_sub(used) >> port.pause_shift;
        let shared = port.ingress_bytes.saturating_sub(reserve);
        if size + port.headroom_used > port.headroom && size + shared > threshold(switch.shared_used) {
            return false;
        }
        let filled = port.ingress_bytes + size;
        if filled <= reserve {
            port.ingress_bytes = filled;
        } else if filled - reserve > threshold(switch.shared_used) {
            port.headroom_used += size;
        } else {
            port.ingress_bytes = filled;
            switch.shared_used += size.min(filled - reserve);
        }
        let shared = port.ingress_bytes.saturating_sub(reserve);
        let threshold = switch.shared_bytes.saturating_sub(switch.shared_used) >> port.pause_shift;
        if !port.pausing && (port.headroom_used > 0 || shared >= threshold) {
            port.pausing = true;
            self.counters.pauses += 1;
            self.send_pause(in_port, PacketKind::Pause);
        }
        true
    }

    /// Gives the buffer back when a packet leaves its queue, and ends a pause that is no longer needed.
    #[inline]
    pub(super) fn release_buffer(&mut self, in_port: u32, size: u64) {
        if matches!(self.config.flow_control, FlowControl::DropTail { .. }) {
            return;
        }
        let port = &mut self.ports[in_port as usize];
        let switch = &mut self.switches[port.owner as usize];
        if self.config.flow_control == FlowControl::EgressLimit {
            switch.total_used = switch.total_used.saturating_sub(size);
            return;
        }
        let reserve = self.config.port_reserve;
        let from_headroom = port.headroom_used.min(size);
        let from_shared = (size - from_headroom).min(port.ingress_bytes.saturating_sub(reserve));
        port.headroom_used -= from_headroom;
        port.ingress_bytes = port.ingress_bytes.saturating_sub(size - from_headroom);
        switch.shared_used = switch.shared_used.saturating_sub(from_shared);
    }

    #[inline]
    pub(super) fn check_resume(&mut self, in_port: u32) {
        let port = &mut self.ports[in_port as usize];
        if !port.pausing {
            return;
        }
        let switch = &self.switches[port.owner as usize];
        let shared = port.ingress_bytes.saturating_sub(self.config.port_reserve);
        let threshold = switch.shared_bytes.saturating_sub(switch.shared_used) >> port.pause_shift;
        if port.headroom_used == 0 && (shared == 0 || shared + self.config.resume_offset <= threshold) {
            port.pausing = false;
            self.send_pause(in_port, PacketKind::Resume);
        }
    }

    fn send_pause(&mut self, port: u32, kind: PacketKind) {
        let size = self.config.framing.pause_frame;
        let index = self.packets.insert(Packet {
            kind,
            size,
            in_port: port,
            ..Packet::default()
        });
        let p = &mut self.ports[port as usize];
        p.queued_bytes += u64::from(size);
        p.waiting += 1;
        p.control.push(&mut self.packets, index);
        self.switch_send(port);
    }

    /// Sends the next packet of a switch port, if it is free and there is one.
    pub(super) fn switch_send(&mut self, out: u32) {
        if self.busy(out) || !self.ports[out as usize].up {
            return;
        }
        if self.plain {
            self.send_waiting(out);
            return;
        }
        let port = &mut self.ports[out as usize];
        let mut left = None;
        let index = match port.control.pop(&self.packets) {
            Some(index) => index,
            None if port.paused => return,
            None if port.rack != NIL => match self.pop_voq(out) {
                Some(index) => index,
                None => return,
            },
            None => {
                let (slab, now) = (&self.packets, self.now);
                let next = match &mut port.classes {
                    Some(classes) => {
                        left = classes.pop(now, |packet| slab[packet].size);
                        left.map(|departure| departure.packet)
                    }
                    None => port.data.pop(slab),
                };
                match next {
                    Some(index) => index,
                    None => return,
                }
            }
        };
        let packet = &self.packets[index];
        let (kind, size, in_port) = (packet.kind, u64::from(packet.size), packet.in_port);
        let (class, dst, no_ecn) = (packet.class, packet.dst, packet.no_ecn);
        let of_data_class = self.in_data_class(kind);
        let queues = self.ports[out as usize].queues;
        let port = &mut self.ports[queues as usize];
        port.queued_bytes -= size;
        port.waiting -= 1;
        if of_data_class {
            port.egress_bytes -= size;
            let queue = self.queue_of(out, (class, dst)).1;
            let by_bytes = match kind {
                PacketKind::Data => true,
                PacketKind::Segment => self.config.mark_packets.is_none(),
                _ => false,
            };
            if by_bytes && !no_ecn && queue > 0 {
                self.mark(out, index, queue);
            }
            self.release_buffer(in_port, size);
            self.check_resume(in_port);
        }
        if matches!(kind, PacketKind::Data | PacketKind::Probe) && self.config.int && !self.packets[index].no_int {
            self.stamp(out, index, left);
        }
        let wire = self.packets[index].size;
        let port = &mut self.ports[out as usize];
        port.tx_bytes += u64::from(wire);
        if let (Some(classes), Some(left)) = (&mut port.classes, left) {
            classes.sent(left.class, wire, wire - size as u32);
        }
        if port.rack != NIL {
            self.voq_sent(out, dst, wire);
        }
        let more = self.ports[queues as usize].waiting > 0;
        self.transmit(out, index, more);
    }

    /// True while the port transmits. Whoever asks has something to send, so the end of the transmission becomes an event.
    #[inline]
    pub(super) fn busy(&mut self, port: u32) -> bool {
        let p = &mut self.ports[port as usize];
        if (self.now, self.seq) >= (p.busy_until, p.busy_seq) {
            return false;
        }
        if !p.end_scheduled {
            p.end_scheduled = true;
            let (time, seq) = (p.busy_until, p.busy_seq);
            self.events.push_reserved(time, seq, encode(Kind::TxEnd, 0, port));
        }
        true
    }

    /// How long `size` bytes take at a port, ps.
    #[inline]
    pub(super) fn wire_ps(&self, port: u32, size: u32) -> u64 {
        let p = &self.ports[port as usize];
        match self.times[p.times as usize].ps.get(size as usize) {
            Some(&ps) => ps,
            None => self.config.clock.duration_ps(u64::from(size), p.rate_bps),
        }
    }

    /// Puts a packet on the wire; `more`: the end of the transmission matters.
    pub(super) fn transmit(&mut self, port: u32, index: u32, more: bool) {
        self.transmit_at(port, index, self.now, more);
    }

    /// The same from `start` on.
    #[inline]
    pub(super) fn transmit_at(&mut self, port: u32, index: u32, start: u64, more: bool) {
        let packet = &mut self.packets[index];
        packet.in_port = NIL;
        let size = packet.size;
        let duration = self.wire_ps(port, size);
        let p = &mut self.ports[port as usize];
        p.busy_until = start + duration;
        p.busy_seq = self.events.reserve();
        p.end_scheduled = more;
        let (peer, arrival, loss) = (p.peer, p.busy_until + p.delay_ps, p.loss);
        if more {
            let (time, seq) = (p.busy_until, p.busy_seq);
            self.events.push_reserved(time, seq, encode(Kind::TxEnd, 0, port));
        }
        self.counters.packet_hops += 1;
        if loss > 0.0 && self.is_lost(port, loss, start) {
            self.counters.losses += 1;
            self.lose(index);
            return;
        }
        self.events.push(arrival, encode(Kind::Arrive, peer, index));
    }

    /// A link fails, returns or changes speed: queues of a failed port are lost, routes are computed anew.
    pub(super) fn change_link(&mut self, index: usize) {
        let change = self.link_changes[index];
        for port in [2 * change.link as u32, 2 * change.link as u32 + 1] {
            self.ports[port as usize].up = change.up;
            if let Some(rate) = change.rate_bps {
                let nic_rate = self.nic_rate();
                let (ecn, code, shift) = self.port_rules(rate, nic_rate);
                let times = self.times_of(rate);
                let headroom = self.headroom(rate, self.ports[port as usize].delay_ps);
                let p = &mut self.ports[port as usize];
                (p.rate_bps, p.times, p.ecn, p.speed_code, p.pause_shift) = (rate, times, ecn, code, shift);
                p.headroom = headroom;
                if !p.on_switch {
                    for turn in &self.nics[p.owner as usize].turns {
                        self.contexts[turn.context as usize].line_bps = rate;
                    }
                }
            }
            if !change.up {
                let p = &mut self.ports[port as usize];
                (p.failed, p.failed_at) = (true, self.now);
                self.flush(port);
            }
        }
        if let Err(error) = self.share_buffers() {
            self.failure = Some(error.to_string());
        }
        if self.first_routes.is_none() && !matches!(self.config.window, WindowRule::Fixed(_)) {
            self.first_routes = Some(Box::new(std::mem::take(&mut self.routes)));
        }
        self.compute_routes();
        self.wake_agents();
        for port in 0..self.ports.len() as u32 {
            self.send(port);
        }
    }

    /// Loses everything that waits at a port.
    fn flush(&mut self, out: u32) {
        let on_switch = self.ports[out as usize].on_switch;
        loop {
            let port = &mut self.ports[out as usize];
            let slab = &self.packets;
            let any_class = |c: &mut Box<ClassQueues>| c.take_any(|packet| slab[packet].size);
            let next = port.control.pop(slab).or_else(|| port.data.pop(slab));
            let Some(index) = next.or_else(|| port.classes.as_mut().and_then(any_class)) else {
                break;
            };
            let Packet {
                kind, size, in_port, ..
            } = self.packets[index];
            let size = u64::from(size);
            port.waiting = port.waiting.saturating_sub(1);
            port.queued_bytes = port.queued_bytes.saturating_sub(size);
            if on_switch && self.in_data_class(kind) {
                self.ports[out as usize].egress_bytes -= size;
                self.release_buffer(in_port, size);
                self.check_resume(in_port);
            }
            self.drop_packet(index);
        }
        let port = &mut self.ports[out as usize];
        if port.paused {
            port.paused = false;
            self.counters.paused_ps += self.now - port.paused_since;
        }
        port.pausing = false;
    }
}

#[cfg(test)]
#[path = "switch_tests.rs"]
mod tests;
