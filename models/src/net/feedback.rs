//! What comes back to a sender: acknowledgements, results of congestion control, its timers, the retransmission timeout.

use super::clock::PS_PER_NS;
use super::config::{Recovery, WindowUse};
use super::engine::{encode, Kind, Simulator};
use super::host::{whole_rate, whole_window};
use super::packet::{Packet, PacketKind};
use crate::cc::{Carrier, CcEvent, EventKind, Update};
use crate::wire::MASK_24;

impl Simulator {
    /// An acknowledgement reaches the sender: rewind first, then congestion control, then send.
    pub(super) fn receive_ack(&mut self, packet: u32) {
        let p = self.packets[packet];
        self.packets.release(packet);
        let Some(context) = self.contexts.get_mut(p.context as usize) else {
            return;
        };
        if context.flow != p.flow || context.finished {
            return;
        }
        let old = context.snd_una;
        let any_order = self.config.recovery_of_any_order().is_some();
        if p.seq > context.snd_una {
            context.snd_una = p.seq;
            context.snd_nxt = context.snd_nxt.max(p.seq);
            context.progress_at = self.now;
        }
        if let Some(mut selective) = context.selective.take() {
            selective.acknowledged(context.outstanding());
            if p.kind == PacketKind::Nak && selective.missing(context.outstanding(), p.detail) {
                context.progress_at = self.now;
            }
            context.selective = Some(selective);
        } else if any_order {
            context.hear_of_packet(&p, old);
        } else if p.kind == PacketKind::Nak {
            context.snd_nxt = context.snd_una;
        }
        let (nic, slot) = (context.nic, context.slot);
        let finished = context.snd_una >= context.size;
        let bytes = (context.snd_una - old) as u32;
        context.finished = finished;
        self.note_turn(p.context);
        let kind = if p.kind == PacketKind::Nak {
            EventKind::Nak
        } else {
            EventKind::Ack
        };
        let event = CcEvent {
            int_valid: self.config.int && !p.no_int,
            ecn: p.ecn,
            sent_at: p.sent_at / PS_PER_NS,
            // A negative acknowledgement answers a later packet than the one it acknowledges.
            sent_valid: p.kind == PacketKind::Ack,
            bytes,
            ..self.event_of(&p, kind, p.seq)
        };
        self.counters.acks += 1;
        let feedback = &self.config.feedback;
        if feedback.count_flows && feedback.carrier == Carrier::Ack && p.kind == PacketKind::Ack {
            self.slots[slot as usize].receiver_counts(p.context, event.generation, p.detail as u16, event.now);
        }
        self.samples.rtt.add((self.now - p.sent_at) / PS_PER_NS);
        self.slots[slot as usize].submit(&event);
        self.await_result(slot);
        if p.kind == PacketKind::Nak && !finished {
            self.flow_changed(p.flow, false);
        }
        if finished {
            self.contexts[p.context as usize].tick_at = u64::MAX;
            self.slots[slot as usize].remove(p.context);
        } else {
            self.schedule_tick(p.context);
        }
        if finished {
            self.finish_flow(p.flow);
        }
        self.nic_send(nic);
    }

    /// What a packet that came back tells its flow's law: telemetry, and `next` as the first byte not acknowledged.
    pub(super) fn event_of(&self, p: &Packet, kind: EventKind, next: u64) -> CcEvent {
        let context = &self.contexts[p.context as usize];
        let psn = |byte: u64| byte.div_ceil(u64::from(self.config.mtu)) as u32 & MASK_24;
        CcEvent {
            kind,
            flow: p.context,
            generation: context.generation,
            psn_next: psn(next),
            snd_nxt: psn(context.snd_nxt),
            n_hop: p.n_hop,
            path_id: p.path_id,
            hops: p.hops,
            now: self.now / PS_PER_NS,
            ..CcEvent::default()
        }
    }

    /// The result of an event that was just submitted takes effect when the latency has passed.
    fn await_result(&mut self, slot: u32) {
        if self.config.cc_latency_ps == 0 {
            self.collect(slot);
        } else {
            self.events
                .push(self.now + self.config.cc_latency_ps, encode(Kind::Collect, 0, slot));
        }
    }

    /// The result of the oldest submitted event of a slot takes effect.
    pub(super) fn collect(&mut self, slot: u32) {
        if let Some(update) = self.slots[slot as usize].collect() {
            self.apply(&update);
            if self.config.cc_latency_ps > 0 {
                let context = &self.contexts[update.flow as usize];
                if context.generation == update.generation {
                    self.nic_send(context.nic);
                }
            }
        }
    }

    fn apply(&mut self, update: &Update) {
        let Some(context) = self.contexts.get_mut(update.flow as usize) else {
            return;
        };
        if context.generation != update.generation {
            return;
        }
        if self.config.window_use == WindowUse::Law {
            context.law_window = whole_window(update.window);
        }
        context.law_rate_bps = whole_rate(update.rate);
        self.enforce(update.flow);
    }

    /// What a flow may send: the smaller of what its law and its host's agent say. A new rate moves the next packet.
    pub(super) fn enforce(&mut self, index: u32) {
        let context = &mut self.contexts[index as usize];
        context.window = context.law_window.min(context.cap_window.unwrap_or(u64::MAX));
        let rate = context.law_rate_bps.min(context.cap_bps.unwrap_or(u64::MAX));
        let old = std::mem::replace(&mut context.rate_bps, rate);
        if self.config.rate_moves_next_send || context.cap_bps.is_some() {
            let gap = |rate| self.config.clock.duration_ps(u64::from(context.last_size), rate) as i64;
            if old != rate {
                context.next_avail += gap(rate) - gap(old);
            }
            let (nic, at) = (context.nic, context.next_avail);
            if self.nics[nic as usize]
                .wake_at
                .is_some_and(|pending| at < pending as i64)
            {
                self.schedule_wake(nic, (at.max(0) as u64).max(self.now));
            }
        }
        self.note_turn(index);
    }

    /// Asks the law for its next tick and makes an event of it.
    pub(super) fn schedule_tick(&mut self, index: u32) {
        let context = &mut self.contexts[index as usize];
        let at = self.slots[context.slot as usize].next_tick(index).unwrap_or(u64::MAX);
        if at != context.tick_at {
            context.tick_at = at;
            if at != u64::MAX {
                let when = (at * PS_PER_NS).max(self.now);
                self.events
                    .push(when, encode(Kind::Tick, u32::from(context.generation), index));
            }
        }
    }

    /// A law's timer.
    pub(super) fn tick(&mut self, generation: u32, index: u32) {
        let context = &mut self.contexts[index as usize];
        let due = context.tick_at <= self.now / PS_PER_NS;
        if context.finished || u32::from(context.generation) != generation || !due {
            return;
        }
        context.tick_at = u64::MAX;
        let (slot, nic) = (context.slot, context.nic);
        let event = CcEvent {
            kind: EventKind::Tick,
            flow: index,
            generation: context.generation,
            now: self.now / PS_PER_NS,
            ..CcEvent::default()
        };
        self.slots[slot as usize].submit(&event);
        self.await_result(slot);
        self.schedule_tick(index);
        self.nic_send(nic);
    }

    /// How long a flow waits for progress before it repeats, ps. IRN's wait depends on what is in flight when it ends, so the timer looks
    /// again at the shorter one.
    fn timeout_ps(&self, in_flight: u64) -> Option<u64> {
        match self.config.recovery {
            Recovery::GoBackN | Recovery::AnyOrder(_) => self.config.retry_timeout_ps,
            Recovery::Irn(rules) => Some(rules.timeout_ps(in_flight, self.config.mtu)),
        }
    }

    pub(super) fn arm_timeout(&mut self, index: u32) {
        let Some(timeout) = self.timeout_ps(0) else {
            return;
        };
        let context = &mut self.contexts[index as usize];
        if !context.timer_armed {
            context.timer_armed = true;
            context.progress_at = self.now;
            self.events.push(
                self.now + timeout,
                encode(Kind::Timeout, u32::from(context.generation), index),
            );
        }
    }

    /// No progress for the timeout: go back to the oldest unacknowledged byte.
    pub(super) fn timeout(&mut self, generation: u32, index: u32) {
        let in_flight = self.contexts[index as usize].in_flight();
        let (Some(timeout), Some(shortest)) = (self.timeout_ps(in_flight), self.timeout_ps(0)) else {
            return;
        };
        let context = &mut self.contexts[index as usize];
        if context.finished || u32::from(context.generation) != generation {
            return;
        }
        context.timer_armed = false;
        if context.snd_nxt == context.snd_una {
            return;
        }
        let due = context.progress_at + timeout;
        if due > self.now {
            context.timer_armed = true;
            let look = due.min(self.now + shortest);
            self.events.push(look, encode(Kind::Timeout, generation, index));
            return;
        }
        self.counters.timeouts += 1;
        let sent = context.outstanding();
        match (&mut context.selective, &mut context.any_order) {
            (Some(selective), _) => selective.timed_out(sent),
            (None, Some(any_order)) => any_order.timed_out(sent),
            (None, None) => context.snd_nxt = context.snd_una,
        }
        let (nic, flow) = (context.nic, context.flow);
        self.note_turn(index);
        self.flow_changed(flow, false);
        self.arm_timeout(index);
        self.nic_send(nic);
    }
}
