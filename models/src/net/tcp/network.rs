//! Connections in the network: from flows to segments on a link and back, with their timers.

use super::config::{Profile, TcpConfig, TcpLaw};
use super::connection::{Connection, Header, Timer, TIMERS};
use super::header::Segment;
use super::receiver::Receiver;
use super::sender::Sender;
use super::trace::{TcpRow, TcpTrace};
use crate::net::engine::{encode, Kind, Simulator};
use crate::net::packet::{Packet, PacketKind, NIL};

impl Simulator {
    /// Records a row for each acknowledgement that a TCP sender takes in; before running only.
    pub fn trace_tcp(&mut self) {
        self.tcp.trace = Some(TcpTrace::default());
    }

    /// What was recorded of TCP senders.
    pub fn tcp_trace(&self) -> Option<&TcpTrace> {
        self.tcp.trace.as_ref()
    }

    /// The sender of a flow, once it has started.
    pub fn tcp_sender(&self, flow: u32) -> Option<&Sender> {
        self.tcp.connection(flow).map(|i| &self.tcp.connections[i].sender)
    }

    /// Sets pacing rate (wire bits per second; 0 stops) and window (payload bytes) of a flow of law [`TcpLaw::Commanded`], from now on.
    pub fn command_rate(&mut self, flow: u32, rate_bps: u64, window: u64) {
        if let Some(index) = self.tcp.connection(flow) {
            let now = self.now;
            self.with_sender(index, |sender, config| sender.command(config, now, rate_bps, window));
        }
    }

    /// Senders of law [`TcpLaw::ReTcp`] between hosts that `between` accepts are told that a circuit is announced, or over.
    pub(in crate::net) fn scale_tcp(&mut self, ratio: (u64, u64), up: bool, between: impl Fn(u32, u32) -> bool) {
        let now = self.now;
        for index in 0..self.tcp.connections.len() {
            let connection = &self.tcp.connections[index];
            let listens = self.config.tcp.as_ref().is_some_and(|setup| {
                let stack = setup.stacks.get(usize::from(connection.stack) - 1);
                stack.is_some_and(|stack| stack.law == TcpLaw::ReTcp)
            });
            if listens && between(connection.src, connection.dst) {
                self.with_sender(index, |sender, config| sender.scale(config, now, ratio, up));
            }
        }
    }

    /// No segment of a commanded flow before `until_ps`.
    pub(in crate::net) fn hold_flow(&mut self, flow: u32, until_ps: u64) {
        if let Some(index) = self.tcp.connection(flow) {
            self.tcp.connections[index].sender.hold(until_ps);
        }
    }

    /// A flow that is a TCP connection starts. False: it is none.
    pub(in crate::net) fn start_tcp(&mut self, flow: u32) -> bool {
        let Some(setup) = &self.config.tcp else { return false };
        let Some(config) = setup.stack(flow as usize) else {
            return false;
        };
        let stack = setup.number(flow as usize);
        let config = config.clone();
        let spec = self.flows[flow as usize];
        let ports = self.next_ports(spec.src, spec.dst, spec.dst_port);
        self.note_ideal(flow, ports);
        let handshake = self.handshake_ps(spec.src, spec.dst, ports, config.syn_bytes());
        let earlier = self.continued_from(flow).and_then(|f| self.tcp.connection(f));
        let sender = match earlier {
            Some(index) => Sender::after(&self.tcp.connections[index].sender, &config, self.now),
            None => Sender::new(&config, self.now, handshake),
        };
        let index = self.tcp.connections.len();
        self.tcp.connections.push(Connection {
            flow,
            stack,
            src: spec.src,
            dst: spec.dst,
            ports,
            bytes: spec.bytes,
            sender,
            receiver: Receiver::new(&config),
            probed: None,
            armed: [u64::MAX; TIMERS.len()],
        });
        if self.tcp.of_flow.len() <= flow as usize {
            self.tcp.of_flow.resize(flow as usize + 1, NIL);
        }
        self.tcp.of_flow[flow as usize] = index as u32;
        if config.law == TcpLaw::HpccProbes {
            self.start_probed(index, earlier);
        }
        // ns-3 sends a picosecond after the application has written.
        let wait = u64::from(config.profile == Profile::Ns3);
        if wait == 0 {
            self.write_message(index);
            if self.is_commanded(flow) {
                self.cap_new_flow(flow, None);
            }
        } else {
            self.arm(index, Timer::Start, self.now + wait);
        }
        true
    }

    fn write_message(&mut self, index: usize) {
        let (now, bytes) = (self.now, self.tcp.connections[index].bytes);
        self.with_sender(index, |sender, config| sender.write(config, now, bytes));
    }

    /// Round trip of a SYN and its answer over an idle network, ps.
    fn handshake_ps(&self, src: u32, dst: u32, ports: u32, size: u32) -> u64 {
        let way = |from: u32, to: u32, ports: u32| {
            let (mut node, mut total) = (from, 0);
            while node != to {
                let Some(port) = self.routes.pick(node, from, to, ports) else {
                    break;
                };
                let p = &self.ports[port as usize];
                total += self.wire_ps(port, size) + p.delay_ps;
                node = self.ports[p.peer as usize].node;
            }
            total
        };
        way(src, dst, ports) + way(dst, src, ports.rotate_left(16))
    }

    /// Lets a sender act, then sends what it wants to send and sets its timers.
    pub(super) fn with_sender(&mut self, index: usize, act: impl FnOnce(&mut Sender, &TcpConfig)) {
        let Some(setup) = self.config.tcp.take() else { return };
        let connection = &mut self.tcp.connections[index];
        let config = &setup.stacks[usize::from(connection.stack) - 1];
        let before = connection.sender.timeouts;
        act(&mut connection.sender, config);
        self.counters.timeouts += connection.sender.timeouts - before;
        let segments = connection.sender.take();
        let (flow, src, dst, ports) = (connection.flow, connection.src, connection.dst, connection.ports);
        let idle = connection.sender.snd_max() >= connection.bytes;
        let timers = [
            (Timer::Retransmission, connection.sender.rto_at),
            (Timer::Pace, connection.sender.pace_at),
        ];
        for segment in segments {
            self.counters.data_packets += 1;
            if segment.again {
                self.records[flow as usize].retransmitted_bytes += u64::from(segment.len);
                if let Some(trace) = &mut self.tcp.trace {
                    trace.repetitions.push((self.now, flow, segment.seq, segment.len));
                }
            }
            let packet = Packet {
                flow,
                context: index as u32,
                src,
                dst,
                ports,
                size: config.wire_bytes(segment.len, 0),
                payload: segment.len,
                seq: segment.seq,
                no_ecn: !config.ecn(),
                ..Packet::default()
            };
            self.enqueue(packet, Some(Header::Data(segment)));
            self.note_segment(index);
            self.probe_if_due(index, config);
        }
        self.probe_if_due(index, config);
        for (timer, at) in timers {
            self.arm(index, timer, at.unwrap_or(u64::MAX));
        }
        self.config.tcp = Some(setup);
        if self.hcc.is_some() {
            let open = self.tcp.connections[index].sender.state() == super::sender::State::Open;
            self.flow_changed(flow, idle && open);
        }
    }

    /// Puts a packet into the queue of its host's link: a segment, or without a header a probe.
    pub(super) fn enqueue(&mut self, packet: Packet, header: Option<Header>) {
        let Some(port) = self.routes.pick(packet.src, packet.src, packet.dst, packet.ports) else {
            return;
        };
        let index = self.packets.insert(Packet {
            kind: match header {
                Some(_) => PacketKind::Segment,
                None => PacketKind::Probe,
            },
            no_int: header.is_some(),
            class: self.config.classes.as_ref().map_or(0, |c| c.class_of(packet.flow)),
            next: NIL,
            sent_at: self.now,
            ..packet
        });
        if self.tcp.headers.len() <= index as usize {
            self.tcp.headers.resize(index as usize + 1, None);
        }
        self.tcp.headers[index as usize] = header;
        let p = &mut self.ports[port as usize];
        p.data.push(&mut self.packets, index);
        p.waiting += 1;
        self.nic_send(self.ports[port as usize].owner);
    }

    /// A TCP packet has arrived at its host.
    pub(in crate::net) fn receive_segment(&mut self, index: u32) {
        let p = self.packets[index];
        self.packets.release(index);
        let Some(header) = self.tcp.headers[index as usize].take() else {
            return;
        };
        match header {
            Header::Data(segment) => self.receive_payload(&p, &segment),
            Header::Ack(ack) => {
                let now = self.now;
                self.counters.acks += 1;
                self.with_sender(p.context as usize, |sender, config| {
                    sender.acknowledgement(config, now, &ack)
                });
                if let (Some(trace), Some(setup)) = (&mut self.tcp.trace, &self.config.tcp) {
                    let connection = &self.tcp.connections[p.context as usize];
                    let config = &setup.stacks[usize::from(connection.stack) - 1];
                    trace
                        .rows
                        .push(TcpRow::of(now, p.flow, &ack, &connection.sender, config));
                }
            }
        }
    }

    fn receive_payload(&mut self, p: &Packet, segment: &Segment) {
        let (index, now) = (p.context as usize, self.now);
        self.samples.latency.add((now - p.sent_at) / crate::net::PS_PER_NS);
        let delivered = self.with_receiver(index, |receiver, config| receiver.segment(config, now, segment, p.ecn));
        if delivered > 0 {
            self.note_delivered(p.flow, delivered);
            let connection = &self.tcp.connections[index];
            if connection.receiver.next >= connection.bytes && self.records[p.flow as usize].finished_ps.is_none() {
                self.finish_flow(p.flow);
            }
        }
    }

    /// Lets a receiver act, then sends its acknowledgements and sets its timer.
    fn with_receiver(&mut self, index: usize, act: impl FnOnce(&mut Receiver, &TcpConfig) -> u64) -> u64 {
        let Some(setup) = self.config.tcp.take() else { return 0 };
        let connection = &mut self.tcp.connections[index];
        let config = &setup.stacks[usize::from(connection.stack) - 1];
        let delivered = act(&mut connection.receiver, config);
        let answers = connection.receiver.take();
        let due = connection.receiver.due.unwrap_or(u64::MAX);
        let packet = Packet {
            flow: connection.flow,
            context: index as u32,
            src: connection.dst,
            dst: connection.src,
            ports: connection.ports.rotate_left(16),
            no_ecn: !config.ecn(),
            ..Packet::default()
        };
        for ack in answers {
            let size = config.wire_bytes(0, ack.blocks.as_slice().len());
            self.enqueue(Packet { size, ..packet }, Some(Header::Ack(ack)));
        }
        self.arm(index, Timer::Acknowledgement, due);
        self.config.tcp = Some(setup);
        delivered
    }

    /// Makes sure that there is an event at `at` or before.
    fn arm(&mut self, index: usize, timer: Timer, at: u64) {
        let armed = &mut self.tcp.connections[index].armed[timer as usize];
        if at < *armed {
            *armed = at;
            self.events
                .push(at.max(self.now), encode(Kind::TcpTimer, timer as u32, index as u32));
        }
    }

    /// An event of a connection's timer. The time may have moved on since.
    pub(in crate::net) fn tcp_timer(&mut self, timer: u32, index: u32) {
        let (index, now) = (index as usize, self.now);
        let timer = TIMERS[timer as usize];
        let connection = &mut self.tcp.connections[index];
        if connection.armed[timer as usize] != now {
            return;
        }
        connection.armed[timer as usize] = u64::MAX;
        let due = match timer {
            Timer::Retransmission => connection.sender.rto_at,
            Timer::Acknowledgement => connection.receiver.due,
            Timer::Pace => connection.sender.pace_at,
            Timer::Start => Some(now),
        };
        let Some(due) = due else { return };
        if due > now {
            self.arm(index, timer, due);
            return;
        }
        match timer {
            Timer::Retransmission => self.with_sender(index, |sender, config| sender.timeout(config, now)),
            Timer::Acknowledgement => {
                self.with_receiver(index, |receiver, config| {
                    receiver.timer(config);
                    0
                });
            }
            Timer::Pace => self.with_sender(index, |sender, config| sender.write(config, now, 0)),
            Timer::Start => self.write_message(index),
        }
    }

    /// Is a flow's rate commanded from outside.
    pub fn is_commanded(&self, flow: u32) -> bool {
        let setup = self.config.tcp.as_ref();
        setup
            .and_then(|s| s.stack(flow as usize))
            .is_some_and(|s| s.law == TcpLaw::Commanded)
    }
}
