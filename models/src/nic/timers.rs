//! Retransmission timers, ticks of the law, and when to look at the NIC again.

use super::completion::Status;
use super::counters::Counter;
use super::memory::Memory;
use super::nic::Nic;
use super::qp::Qp;
use super::responder::no_int;
use super::{request_flow, response_flow};
use crate::cc::EventKind;

impl<M: Memory> Nic<M> {
    /// The timer runs from now if something is outstanding, and not at all otherwise.
    ///
    /// It restarts on progress and with each packet sent, so a flow paced down does not time out by itself, and a window that is
    /// full stops restarting it.
    pub(super) fn restart_timer(&mut self, now: u64, qpn: u32) {
        let Some(qp) = self.qps.get_mut(&qpn) else {
            return;
        };
        let timeout = qp.timeout_ns(&self.config);
        let runs = qp.requester.outstanding() && timeout != u64::MAX;
        qp.requester.deadline = runs.then(|| now.saturating_add(timeout));
    }

    /// Carries out every timer that is due at `now`.
    pub(super) fn expire(&mut self, now: u64) {
        // neither a pause nor a stop is a loss: while it lasts, timers start over
        let (pause, config) = (self.pause, &self.config);
        for qp in self
            .qps
            .values_mut()
            .filter(|qp| pause >> (qp.config.priority & 7) & 1 == 1 || qp.stopped(config))
        {
            let timeout = qp.timeout_ns(config);
            if let Some(deadline) = &mut qp.requester.deadline {
                *deadline = now.saturating_add(timeout);
            }
        }
        let due = |deadline: Option<u64>| deadline.is_some_and(|deadline| deadline <= now);
        let timed_out: Vec<u32> = self
            .qps
            .iter()
            .filter(|(_, qp)| due(qp.requester.deadline))
            .map(|(qpn, _)| *qpn)
            .collect();
        for qpn in timed_out {
            self.timeout(now, qpn);
        }
        for qp in self.qps.values_mut() {
            let wait = &mut qp.requester.wait_until;
            *wait = wait.filter(|until| *until > now);
        }
        self.acknowledge_late(now);
        for (flow, deadline) in self.ticks() {
            if deadline <= now {
                self.feed_plain(EventKind::Tick, flow, 0, now);
            }
        }
    }

    /// Acknowledges data packets that have waited for `T`.
    fn acknowledge_late(&mut self, now: u64) {
        let wait = u64::from(self.config.feedback.round_trip_ns);
        for qp in self.qps.values_mut() {
            let late = qp.responder.delay.since().is_some_and(|since| since + wait <= now);
            if late && qp.responder.acknowledge_waiting(no_int(qp.config.int)) {
                self.feedback_counters.delayed_acks += 1;
            }
        }
    }

    fn timeout(&mut self, now: u64, qpn: u32) {
        let Some(qp) = self.qps.get_mut(&qpn) else {
            return;
        };
        let limit = qp.own.retry_limit.unwrap_or(self.config.retry_limit);
        let requester = &mut qp.requester;
        self.counters.count(Counter::Timeouts);
        requester.deadline = None;
        requester.retries += 1;
        if requester.retries > limit {
            self.end_requester(now, qpn, Status::RetryExceeded, None);
            return;
        }
        requester.rewind();
        self.feed_plain(EventKind::Timeout, request_flow(qpn), 0, now);
    }

    /// Ticks that the laws ask for: flow and time.
    fn ticks(&self) -> Vec<(u32, u64)> {
        let of_law = |(qpn, qp): (&u32, &Qp)| Some((*qpn, self.laws.get(&qp.law)?));
        self.qps
            .iter()
            .filter_map(of_law)
            .flat_map(|(qpn, law)| [request_flow(qpn), response_flow(qpn)].map(|flow| (flow, law)))
            .filter_map(|(flow, law)| law.next_tick(flow).map(|at| (flow, at)))
            .collect()
    }

    /// When [`Self::poll`] has something to do next, ns; `None` while nothing is queued or outstanding.
    pub fn next_deadline(&self) -> Option<u64> {
        let waits = self.qps.values().filter_map(|qp| qp.requester.wait_until);
        let timers = self.qps.values().filter_map(|qp| qp.requester.deadline);
        let wait = u64::from(self.config.feedback.round_trip_ns);
        let late = self
            .qps
            .values()
            .filter_map(|qp| qp.responder.delay.since().map(|since| since + wait));
        let ticks = self.ticks().into_iter().map(|(_, at)| at);
        timers
            .chain(waits)
            .chain(late)
            .chain(ticks)
            .chain(self.next_send())
            .min()
    }
}
