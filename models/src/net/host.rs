//! Sending hosts: flows of a NIC in round robin, each bound by window and pace; acknowledgements before data.
//!
//! The rules are those of the authors' simulator (see `docs/src/evidence/ns3-agreement.md`): a full packet goes out when what is in flight is
//! below the window before it; the next one of the flow waits for the wire bytes of this one at the flow's rate; a new rate moves that
//! moment; one pending wake-up per NIC.

use super::any_order::AnyOrder;
use super::config::{Recovery, WindowUse};
use super::engine::{encode, Kind, Simulator};
use super::flow::Context;
use super::packet::{Packet, PacketKind};
use super::recovery::Selective;
use super::sending::Turn;
use super::start_rules::Moment;

/// Source port of the first flow between two hosts; the next flow has the next one.
const FIRST_SRC_PORT: u16 = 10_000;

/// What a NIC may send next.
enum Choice {
    Context(u32),
    Probe(u32),
    Nothing,
}

impl Simulator {
    /// Installs the flows that start now and schedules the next ones.
    pub(super) fn feed_flows(&mut self) {
        while let Some(&flow) = self.order.get(self.next_flow) {
            let start = self.flows[flow as usize].start_ps;
            if start > self.now {
                self.events.push(start, encode(Kind::FlowFeed, 0, 0));
                return;
            }
            self.next_flow += 1;
            self.events.push(self.now, encode(Kind::FlowInstall, 0, flow));
        }
    }

    /// A work request reaches its NIC.
    pub(super) fn start_flow(&mut self, flow: u32) {
        let spec = self.flows[flow as usize];
        self.records[flow as usize].started_ps = self.now;
        self.moment(flow, Moment::Started);
        if self.outside.on {
            self.note_least_ideal(flow);
            self.cap_new_flow(flow, None);
            return;
        }
        if self.start_tcp(flow) || self.start_homa(flow) {
            return;
        }
        let ports = self.next_ports(spec.src, spec.dst, spec.dst_port);
        self.note_ideal(flow, ports);
        let Some(port) = self.routes.pick(spec.src, spec.src, spec.dst, ports) else {
            return;
        };
        let nic = self.ports[port as usize].owner;
        let params = self.slot_params(&spec);
        let slot = self.slot_of[&params];
        let index = self.free_contexts.pop().unwrap_or_else(|| {
            self.contexts.push(Context::default());
            (self.contexts.len() - 1) as u32
        });
        let capacity = self.slots[slot as usize].capacity();
        if index >= capacity {
            self.failure = Some(format!(
                "flow {flow}: expected at most {capacity} flows at a time in this slot"
            ));
            return;
        }
        let generation = self.contexts[index as usize].generation.wrapping_add(1);
        let first = self.slots[slot as usize].create(index, generation);
        let (selective, most_in_flight) = match self.config.recovery {
            Recovery::GoBackN | Recovery::AnyOrder(_) => (None, u64::MAX),
            Recovery::Irn(_) => (
                Some(Box::new(Selective::new(self.config.mtu))),
                params.w_init_bytes.max(1),
            ),
        };
        let any_order = match self.config.recovery {
            Recovery::AnyOrder(_) => Some(Box::new(AnyOrder::new(self.config.mtu))),
            _ => None,
        };
        let window = match self.config.window_use {
            WindowUse::None => u64::MAX,
            _ => whole_window(first.window),
        };
        self.contexts[index as usize] = Context {
            flow,
            generation,
            slot,
            nic,
            src: spec.src,
            dst: spec.dst,
            ports,
            size: spec.bytes,
            window,
            law_window: window,
            most_in_flight,
            rate_bps: whole_rate(first.rate),
            law_rate_bps: whole_rate(first.rate),
            line_bps: self.ports[port as usize].rate_bps,
            next_avail: self.now as i64,
            progress_at: self.now,
            tick_at: u64::MAX,
            selective,
            any_order,
            ..Context::default()
        };
        let turns = &mut self.nics[nic as usize].turns;
        let context = &mut self.contexts[index as usize];
        context.place = turns.len() as u32;
        turns.push(Turn::of(index, context));
        self.cap_new_flow(flow, Some(index));
        self.schedule_tick(index);
        self.nic_send(nic);
    }

    /// Ports of the next flow between two hosts.
    pub(super) fn next_ports(&mut self, src: u32, dst: u32, dst_port: u16) -> u32 {
        let next_port = self.source_ports.entry((src, dst)).or_insert(FIRST_SRC_PORT);
        let ports = u32::from(*next_port) | u32::from(dst_port) << 16;
        *next_port = next_port.wrapping_add(1);
        ports
    }

    /// The pending wake-up of a NIC.
    pub(super) fn wake(&mut self, nic: u32, token: u32) {
        let n = &mut self.nics[nic as usize];
        if n.wake_token == token && n.wake_at.is_some() {
            n.wake_at = None;
            self.nic_send(nic);
        }
    }

    pub(super) fn schedule_wake(&mut self, nic: u32, at: u64) {
        let n = &mut self.nics[nic as usize];
        n.wake_token = n.wake_token.wrapping_add(1);
        n.wake_at = Some(at);
        self.events.push(at, encode(Kind::Wake, nic, n.wake_token));
    }

    /// Sends the next packet of a NIC, if its port is free; otherwise makes sure that it is asked again in time.
    pub(super) fn nic_send(&mut self, nic: u32) {
        if self.homa_send(nic) {
            return;
        }
        let port = self.nics[nic as usize].port;
        if !self.ports[port as usize].up {
            return;
        }
        // A NIC without flows and acknowledgements has nothing to wait for.
        let p = &self.ports[port as usize];
        if self.nics[nic as usize].turns.is_empty() && p.control.is_empty() && p.data.is_empty() {
            return;
        }
        if self.busy(port) {
            return;
        }
        let p = &mut self.ports[port as usize];
        if !p.paused || self.config.host_acks_ignore_pause {
            if let Some(index) = p.control.pop(&self.packets) {
                let more = !p.control.is_empty() || !p.data.is_empty() || !self.nics[nic as usize].turns.is_empty();
                self.transmit(port, index, more);
                return;
            }
        }
        // TCP packets, first in, first out; they take turns with flows of the congestion-control slot.
        let turn = std::mem::replace(&mut self.nics[nic as usize].tcp_turn, true);
        let waits = !p.data.is_empty() && !p.paused;
        if waits && (turn || self.nics[nic as usize].turns.is_empty()) {
            self.send_segment(nic, port);
            return;
        }
        match self.choose(nic) {
            Choice::Nothing if waits => self.send_segment(nic, port),
            Choice::Context(context) => self.send_data(nic, context),
            Choice::Probe(context) => self.send_probe(nic, context),
            Choice::Nothing => {
                let turns = self.nics[nic as usize].turns.iter();
                let earliest = turns.filter(|t| t.more).map(|t| t.next_avail).min();
                if let Some(at) = earliest.filter(|&at| at > self.now as i64) {
                    if self.nics[nic as usize].wake_at.is_none() {
                        self.schedule_wake(nic, at as u64);
                    }
                }
            }
        }
    }

    /// What the NIC of a flow knows of it follows the flow: to be called whenever its window, its bytes or its pace have changed.
    #[inline]
    pub(super) fn note_turn(&mut self, index: u32) {
        let context = &self.contexts[index as usize];
        let turns = &mut self.nics[context.nic as usize].turns;
        if let Some(turn) = turns.get_mut(context.place as usize).filter(|t| t.context == index) {
            *turn = Turn::of(index, context);
        }
    }

    /// Round robin over flows that may send; finished flows met on the way leave the list.
    fn choose(&mut self, nic: u32) -> Choice {
        let n = &mut self.nics[nic as usize];
        let paused = self.ports[n.port as usize].paused;
        let count = n.turns.len();
        let mut chosen = None;
        let mut probe = false;
        let mut first_finished = usize::MAX;
        let mut at = n.last % count.max(1);
        for _ in 0..count {
            at = if at + 1 < count { at + 1 } else { 0 };
            let turn = n.turns[at];
            debug_assert_eq!(turn, Turn::of(turn.context, &self.contexts[turn.context as usize]));
            // A probe does not wait for the pacing: a slow flow's only packet would be acknowledged before its probe leaves.
            if let Some(rule) = self.config.probes.as_ref().filter(|_| !paused) {
                if self.contexts[turn.context as usize].probe_due(Some(rule), self.now) {
                    (chosen, probe) = (Some(at), true);
                    break;
                }
            }
            if !paused && turn.more && !turn.bound {
                if turn.next_avail > self.now as i64 {
                    continue;
                }
                chosen = Some(at);
                break;
            } else if turn.finished {
                first_finished = first_finished.min(at);
            }
        }
        let choice = match chosen.map(|at| n.turns[at].context) {
            None => Choice::Nothing,
            Some(index) if probe => Choice::Probe(index),
            Some(index) => Choice::Context(index),
        };
        if first_finished < count {
            let mut kept = first_finished;
            for at in first_finished..count {
                let turn = n.turns[at];
                if turn.finished {
                    self.free_contexts.push(turn.context);
                    continue;
                }
                if chosen == Some(at) {
                    chosen = Some(kept);
                }
                n.turns[kept] = turn;
                self.contexts[turn.context as usize].place = kept as u32;
                kept += 1;
            }
            n.turns.truncate(kept);
        }
        n.last = chosen.unwrap_or(n.last);
        choice
    }

    /// Sends the TCP packet that has waited longest.
    fn send_segment(&mut self, nic: u32, port: u32) {
        let p = &mut self.ports[port as usize];
        if let Some(index) = p.data.pop(&self.packets) {
            p.waiting -= 1;
            let n = &mut self.nics[nic as usize];
            n.tcp_turn = false;
            let more = !p.data.is_empty() || !p.control.is_empty() || !n.turns.is_empty();
            self.transmit(port, index, more);
        }
    }

    fn send_data(&mut self, nic: u32, index: u32) {
        let mtu = u64::from(self.config.mtu);
        let context = &mut self.contexts[index as usize];
        let repeat = context.selective.take().and_then(|mut s| {
            let lost = s.take_lost(context.outstanding());
            context.selective = Some(s);
            lost
        });
        let repeat = repeat.or_else(|| context.any_order.as_mut()?.take_lost());
        let seq = repeat.unwrap_or(context.snd_nxt);
        let payload = mtu.min(context.size - seq) as u32;
        let framing = &self.config.framing;
        let mut size = framing.data_header + framing.int_base + payload;
        if seq == 0 {
            size += framing.first_extra;
        }
        let size = size.max(framing.min_data);
        let end = seq + u64::from(payload);
        let no_int = match &self.config.sampling {
            Some(rule) => !context
                .collecting
                .next(rule, seq == 0, end <= context.snd_max, self.now),
            None => self.config.probes.is_some(),
        };
        let repetition = end <= context.snd_max;
        context.probing.data();
        if repeat.is_none() {
            context.snd_nxt = end;
        }
        if end <= context.snd_max {
            self.records[context.flow as usize].retransmitted_bytes += u64::from(payload);
        }
        context.snd_max = context.snd_max.max(end);
        let (last, bound) = (end == context.size, context.window_bound());
        let asks = self.asks_for_ack(index, last, bound, repetition);
        self.watch_windows(index);
        let context = &mut self.contexts[index as usize];
        let packet = self.packets.insert(Packet {
            flow: context.flow,
            context: index,
            src: context.src,
            dst: context.dst,
            ports: context.ports,
            size,
            payload,
            kind: PacketKind::Data,
            no_int,
            class: self.config.classes.as_ref().map_or(0, |c| c.class_of(context.flow)),
            seq,
            detail: u64::from(asks),
            sent_at: self.now,
            ..Packet::default()
        });
        context.last_size = self.config.framing.charged(size);
        self.counters.data_packets += 1;
        let port = self.nics[nic as usize].port;
        self.transmit(port, packet, true);
        let pace = self.pace_of(index);
        let context = &mut self.contexts[index as usize];
        let gap = self.config.clock.duration_ps(u64::from(context.last_size), pace);
        // A cap is exact also when the host's flows fill its link: a packet that waited for others' keeps its place in time, by one packet at
        // most (the NIC's credit is bounded likewise). A law's rate counts from where the packet left, as in the authors' simulator.
        let left = match context.cap_bps {
            Some(cap) if cap <= context.law_rate_bps => {
                self.now - (self.now as i64 - context.next_avail).clamp(0, gap as i64) as u64
            }
            _ => self.now,
        };
        context.next_avail = (left + gap) as i64;
        let (flow, idle) = (context.flow, context.bytes_left() == 0);
        self.note_turn(index);
        self.arm_timeout(index);
        if last && !repetition {
            self.moment(flow, Moment::Sent);
        }
        if self.hcc.is_some() {
            self.flow_changed(flow, idle);
        }
    }
}

impl Simulator {
    /// Rate at which a flow's packets follow each other, bits per second.
    pub(super) fn pace_of(&self, index: u32) -> u64 {
        let context = &self.contexts[index as usize];
        if self.config.pace {
            context.rate_bps
        } else {
            context.line_bps
        }
    }
}

/// The window as enforced: whole bytes, at least one.
pub(super) fn whole_window(window: f64) -> u64 {
    if window.is_finite() {
        (window + 1e-6).floor().max(1.0) as u64
    } else {
        u64::MAX
    }
}

/// Rates are whole bits per second.
pub(super) fn whole_rate(rate: f64) -> u64 {
    (rate + 1e-3).floor().max(1.0) as u64
}
