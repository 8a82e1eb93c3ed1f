//! How telemetry comes back (HPCC++, draft-miao-ccwg-hpcc 6.2.2 and 6.3): on acknowledgements, on acknowledgements of several packets, on
//! packets of its own, or not at all: then the law runs at the receiver and its windows come back.

use super::carrier::Feedback;
use super::clock::PS_PER_NS;
use super::engine::{encode, Kind, Simulator};
use super::host::whole_window;
use super::packet::{Packet, PacketKind, NIL};
use crate::cc::hpcc::{receiver_kind, HpccParams, Q_UNIT};
use crate::cc::{Carrier, CcEvent, EventKind, MAX_HOPS};

impl Simulator {
    /// Whether a data packet asks for an ACK. `last`: of its message; `bound`: it fills the window.
    pub(super) fn asks_for_ack(&mut self, context: u32, last: bool, bound: bool, repetition: bool) -> bool {
        let every = self.config.feedback.ack_every;
        if every <= 1 {
            return true;
        }
        let state = &mut self.contexts[context as usize].feedback;
        let rewound = repetition && !state.repeating;
        state.repeating = repetition;
        state.requests.packet(every, last || bound || rewound)
    }

    /// A flow whose receiver computes its window sends: has it heard from it within eight `T`? If not, the window stays as it is.
    pub(super) fn watch_windows(&mut self, context: u32) {
        if !matches!(self.config.feedback.carrier, Carrier::Receiver { .. }) {
            return;
        }
        let round_trip = self.round_trip_ps(context);
        let silence = &mut self.contexts[context as usize].feedback.silence;
        self.counters.notify_missing += u64::from(silence.sends(self.now, round_trip));
    }

    /// `T` of a flow, ps.
    fn round_trip_ps(&self, context: u32) -> u64 {
        let flow = self.contexts[context as usize].flow as usize;
        self.slot_params(&self.flows[flow]).base_rtt_ns * PS_PER_NS
    }

    /// A data packet has passed the sequence check: telemetry goes where it has to. What is left on it is the acknowledgement's.
    pub(super) fn report(&mut self, port: u32, index: u32) {
        let Feedback {
            carrier, count_flows, ..
        } = self.config.feedback;
        let p = self.packets[index];
        if count_flows {
            let flows = self.count_flow(p.context, p.dst);
            if let Carrier::Receiver { .. } = carrier {
                let context = &self.contexts[p.context as usize];
                let (slot, generation) = (context.slot as usize, context.generation);
                self.slots[slot].receiver_counts(p.context, generation, flows, self.now / PS_PER_NS);
            } else {
                self.packets[index].detail = u64::from(flows);
            }
        }
        if carrier == Carrier::Ack || !self.config.int || p.no_int {
            return;
        }
        match carrier {
            Carrier::Ack => {}
            Carrier::Notification => {
                let seq = p.seq + u64::from(p.payload);
                let framing = &self.config.framing;
                let grown = framing.echo_per_hop * u32::from(p.n_hop.min(5));
                let size = (framing.data_header + framing.echo_base + grown).max(framing.min_ack);
                self.counters.notifications += 1;
                self.send_back(port, &p, PacketKind::Notification, seq, size);
            }
            Carrier::Receiver { after_queue } => self.run_at_receiver(port, &p, after_queue),
        }
        let packet = &mut self.packets[index];
        (packet.n_hop, packet.path_id, packet.no_int) = (0, 0, true);
    }

    /// A packet of the receiver's own, made after the data packet `p`.
    pub(super) fn send_back(&mut self, port: u32, p: &Packet, kind: PacketKind, seq: u64, size: u32) -> u32 {
        let index = self.packets.insert(Packet {
            next: NIL,
            kind,
            src: p.dst,
            dst: p.src,
            ports: p.ports.rotate_left(16),
            seq,
            size,
            ..*p
        });
        self.answer(port, index);
        index
    }

    /// Flows with data at a host in this `T`.
    fn count_flow(&mut self, context: u32, host: u32) -> u16 {
        let interval = self.now / self.round_trip_ps(context);
        let new = self.contexts[context as usize].feedback.counted.first_in(interval);
        self.flow_counts.entry(host).or_default().packet(interval, new)
    }

    /// NewINT at the receiver, and its window on the way when its clock says so (lines 28 to 34).
    fn run_at_receiver(&mut self, port: u32, p: &Packet, after_queue: bool) {
        let t_ns = self.round_trip_ps(p.context) / PS_PER_NS;
        let now = self.now / PS_PER_NS;
        let wait = if after_queue { self.queue_ns(p) } else { 0 };
        let context = &mut self.contexts[p.context as usize];
        let full = context.feedback.clock.packet(now, t_ns + wait);
        let event = CcEvent {
            kind: receiver_kind(full),
            flow: p.context,
            generation: context.generation,
            int_valid: true,
            n_hop: p.n_hop,
            path_id: p.path_id,
            hops: p.hops,
            now,
            ..CcEvent::default()
        };
        let slot = context.slot as usize;
        self.slots[slot].submit(&event);
        let Some(update) = self.slots[slot].collect().filter(|_| full) else {
            return;
        };
        let state = &mut self.contexts[p.context as usize].feedback;
        state.sequence = state.sequence.wrapping_add(1);
        let number = u64::from(state.sequence);
        let framing = &self.config.framing;
        let size = (framing.data_header + framing.echo_base + WINDOW_BYTES).max(framing.min_ack);
        self.counters.notifications += 1;
        let index = self.send_back(port, p, PacketKind::Window, number, size);
        let packet = &mut self.packets[index];
        (packet.n_hop, packet.path_id) = (0, 0);
        packet.detail = (update.window * WINDOW_UNITS) as u64;
    }

    /// Delay of the longest queue of a path, ns.
    fn queue_ns(&self, p: &Packet) -> u64 {
        let unit = Q_UNIT * 8 * u64::from(self.config.int_multi);
        let speed = |code: u8| {
            let found = self.config.speed_codes.iter().find(|(_, &c)| c == code);
            found.map_or(u64::MAX, |(&bps, _)| bps.max(1))
        };
        let hops = &p.hops[..usize::from(p.n_hop).min(MAX_HOPS)];
        let delay = |h: &crate::cc::HopRecord| u64::from(h.q_len) * unit * 1_000_000_000 / speed(h.speed);
        hops.iter().map(delay).max().unwrap_or(0)
    }

    /// Keeps a packet that did not ask for an ACK. The ACK of a later one, or of the delay's end, speaks for it.
    pub(super) fn hold(&mut self, index: u32) {
        let p = self.packets[index];
        let every = self.round_trip_ps(p.context);
        self.packets.release(index);
        let state = &mut self.contexts[p.context as usize].feedback;
        let telemetry = (!p.no_int).then(|| Box::new(p));
        if state.delay.hold(Box::new(p), telemetry, self.now) {
            state.delayed = state.delayed.wrapping_add(1) & 0x0fff_ffff;
            let event = encode(Kind::DelayedAck, state.delayed, p.context);
            self.events.push(self.now + every, event);
        }
    }

    /// An ACK is about to leave: it carries the newest telemetry since the last one.
    pub(super) fn fill_ack(&mut self, index: u32) {
        let p = self.packets[index];
        let state = &mut self.contexts[p.context as usize].feedback;
        let newest = state.delay.acknowledged();
        if let Some(newest) = newest.filter(|_| p.no_int) {
            let packet = &mut self.packets[index];
            (packet.n_hop, packet.path_id, packet.hops) = (newest.n_hop, newest.path_id, newest.hops);
            packet.no_int = false;
        }
    }

    /// A packet has waited for `T`: acknowledge it.
    pub(super) fn delayed_ack(&mut self, number: u32, context: u32) {
        let c = &mut self.contexts[context as usize];
        if c.finished || c.feedback.delayed != number {
            return;
        }
        let Some(held) = c.feedback.delay.take_waiting().filter(|held| held.flow == c.flow) else {
            return;
        };
        let Some(port) = self
            .routes
            .pick(held.dst, held.dst, held.src, held.ports.rotate_left(16))
        else {
            return;
        };
        let index = self.packets.insert(*held);
        self.acknowledge(port, index, PacketKind::Ack);
    }

    /// Telemetry in a packet of its own reaches the sender.
    pub(super) fn receive_notification(&mut self, index: u32) {
        let p = self.packets[index];
        self.packets.release(index);
        let context = &self.contexts[p.context as usize];
        if context.flow != p.flow || context.finished {
            return;
        }
        if p.seq <= context.snd_una || p.seq > context.snd_nxt {
            self.counters.notify_stale += 1;
            return;
        }
        let event = CcEvent {
            int_valid: true,
            ..self.event_of(&p, EventKind::Ack, p.seq)
        };
        self.notified(&event);
    }

    /// A window that the receiver computed reaches the sender.
    pub(super) fn receive_window(&mut self, index: u32) {
        let p = self.packets[index];
        self.packets.release(index);
        let now = self.now;
        let context = &self.contexts[p.context as usize];
        if context.flow != p.flow || context.finished {
            return;
        }
        let port = self.slot_params(&self.flows[p.flow as usize]);
        let mut params = HpccParams::new(port.line_rate_bps, port.base_rtt_ns as u32);
        params.w_init = port.w_init_bytes as f64;
        params.min_rate = self.config.feedback.min_rate_bps.min(port.line_rate_bps);
        let context = &mut self.contexts[p.context as usize];
        let window = p.detail as f64 / WINDOW_UNITS;
        let Some((window, rate)) = context.feedback.remote.take(p.seq as u32, window, &params) else {
            self.counters.notify_stale += 1;
            return;
        };
        context.feedback.silence.hears(now);
        context.law_window = whole_window(window);
        context.law_rate_bps = super::host::whole_rate(rate);
        let nic = context.nic;
        self.enforce(p.context);
        self.nic_send(nic);
    }

    /// Telemetry without an acknowledgement: congestion control, then send.
    pub(super) fn notified(&mut self, event: &CcEvent) {
        let context = &self.contexts[event.flow as usize];
        let (slot, nic) = (context.slot, context.nic);
        self.slots[slot as usize].submit(event);
        if self.config.cc_latency_ps == 0 {
            self.collect(slot);
        } else {
            self.events
                .push(self.now + self.config.cc_latency_ps, encode(Kind::Collect, 0, slot));
        }
        self.schedule_tick(event.flow);
        self.nic_send(nic);
    }
}

/// Bytes of a window notification behind its BTH.
const WINDOW_BYTES: u32 = 16;
/// A window on the wire is in units of 1/2048 bytes (UQ53.11).
const WINDOW_UNITS: f64 = 2048.0;
