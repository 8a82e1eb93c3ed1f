//! Events to the law of a queue pair, and what it answers. Queue pairs without a law bypass it.

use super::config::NicConfig;
use super::counters::{Counter, Counters};
use super::memory::Memory;
use super::nic::Nic;
use super::{psn, request_flow, response_flow};
use crate::cc::{CcEvent, EventKind};
use crate::wire::IntStack;

/// What happened to a flow, before the INT is taken apart.
pub(super) struct Feedback<'a> {
    pub kind: EventKind,
    pub flow: u32,
    pub psn_next: u32,
    pub snd_nxt: u32,
    pub int: &'a [u8],
    /// The packet of the peer came with the mark "congestion experienced".
    pub ecn: bool,
    pub sent_at: Option<u64>,
    pub bytes: u32,
    pub now: u64,
}

/// Puts a stack into an event and counts what is wrong with it.
pub(super) fn fill(config: &NicConfig, counters: &mut Counters, stack: &IntStack, event: &mut CcEvent) {
    stack.fill(event);
    let used = &event.hops[..stack.records()];
    event.int_valid = used.iter().all(|hop| config.speed_table[usize::from(hop.speed)] != 0);
    if !event.int_valid {
        counters.count(Counter::IntBadSpeed);
    }
    if usize::from(stack.n_hop) > stack.records() {
        counters.count(Counter::IntManyHops);
    }
}

impl<M: Memory> Nic<M> {
    /// Hands an event to the queue pair's law and applies its update. Nothing happens on a plain queue pair without a law.
    pub(super) fn feed(&mut self, feedback: Feedback) {
        let Some(qp) = self
            .qps
            .get_mut(&(feedback.flow / 2))
            .filter(|qp| qp.config.int || qp.law != 0)
        else {
            return;
        };
        let mut event = CcEvent {
            kind: feedback.kind,
            flow: feedback.flow,
            generation: qp.generation,
            psn_next: feedback.psn_next,
            snd_nxt: feedback.snd_nxt,
            ecn: feedback.ecn,
            sent_at: feedback.sent_at.unwrap_or(feedback.now),
            sent_valid: feedback.sent_at.is_some(),
            bytes: feedback.bytes,
            now: feedback.now,
            ..CcEvent::default()
        };
        // An empty stack says nothing about the path where it means that nothing was collected. READ responses collect on every packet.
        let collects = self.config.empty_stack_counts()
            || feedback.kind == EventKind::Probe
            || feedback.flow != request_flow(feedback.flow / 2) && !self.config.translates();
        let stack = IntStack::parse(feedback.int).ok();
        if let Some(stack) = stack.filter(|stack| stack.n_hop > 0 || collects) {
            self.feedback_counters.int_few_hops += u64::from(stack.n_hop < qp.config.expected_hops);
            fill(&self.config, &mut self.counters, &stack, &mut event);
        }
        let Some(update) = self.laws.get_mut(&qp.law).and_then(|cc| cc.handle(&event)) else {
            return;
        };
        if update.generation == qp.generation {
            qp.follow(&update);
        }
    }

    /// A congestion notification packet of the peer: it does not say which direction was marked, so the law hears of it for both flows.
    pub(super) fn congestion_notification(&mut self, now: u64, qpn: u32) {
        self.counters.count(Counter::Cnps);
        for flow in [request_flow(qpn), response_flow(qpn)] {
            self.feed_plain(EventKind::Cnp, flow, 0, now);
        }
    }

    /// An event without acknowledgement and INT.
    pub(super) fn feed_plain(&mut self, kind: EventKind, flow: u32, bytes: u32, now: u64) {
        let Some(qp) = self.qps.get(&(flow / 2)) else { return };
        let (una, nxt) = if flow == request_flow(flow / 2) {
            (qp.requester.una(), qp.requester.nxt())
        } else {
            (qp.responder.read_nxt(), qp.responder.read_nxt())
        };
        let (psn_next, snd_nxt) = (psn::wire(una), psn::wire(nxt));
        self.feed(Feedback {
            kind,
            flow,
            psn_next,
            snd_nxt,
            int: &[],
            ecn: false,
            sent_at: None,
            bytes,
            now,
        });
    }
}
