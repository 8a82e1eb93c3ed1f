//! What each flow sent and received, as the network sees it: a NIC does not say its window and rate.

use super::hosts::Plan;
use hpcc_models::net::frames::Sent;
use hpcc_models::net::FlowPoint;
use hpcc_models::wire::MASK_24;
use hpcc_sim::plan::Job;
use std::collections::BTreeMap;

/// Rates are means over at least this long, ps: a paced flow sends a packet each microsecond or so.
const LEAST_INTERVAL_PS: u64 = 10_000_000;

#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// Payload sent, repetitions counted.
    payload: u64,
    /// Wire bytes sent since the last point.
    wire: u64,
    next_psn: u32,
    /// Payload arrived in order.
    delivered: u64,
}

/// All flows.
pub(super) struct Observer {
    flows: Vec<Flow>,
    /// Flow by receiving node and its queue pair.
    by_target: BTreeMap<(u32, u32), usize>,
    points: Vec<FlowPoint>,
    interval_ps: u64,
    last_ps: u64,
}

impl Observer {
    pub fn new(job: &Job, plan: &Plan, now_ps: u64) -> Self {
        let targets = job
            .flows
            .iter()
            .zip(&plan.flows)
            .map(|(flow, planned)| (flow.dst, planned.qpn));
        let interval_ps = match job.plan.interval_ps * u64::from(job.plan.series_every.max(1)) {
            0 => u64::MAX,
            interval => interval.max(LEAST_INTERVAL_PS),
        };
        let flow = |next_psn| Flow {
            next_psn,
            ..Flow::default()
        };
        Self {
            flows: plan.flows.iter().map(|planned| flow(planned.psn)).collect(),
            by_target: targets.zip(0..).collect(),
            points: Vec::new(),
            interval_ps,
            last_ps: now_ps,
        }
    }

    /// When the next points are due, ps.
    pub fn due_ps(&self) -> u64 {
        self.last_ps.saturating_add(self.interval_ps)
    }

    fn find(&mut self, sent: &Sent) -> Option<&mut Flow> {
        let target = (sent.external.dst, sent.qpn);
        let index = self.by_target.get(&target).filter(|_| !sent.external.acknowledgement)?;
        self.flows.get_mut(*index)
    }

    /// A NIC has sent a frame.
    pub fn sent(&mut self, sent: &Sent) {
        if let Some(flow) = self.find(sent) {
            flow.payload += sent.payload;
            flow.wire += u64::from(sent.external.size);
        }
    }

    /// A frame has arrived.
    pub fn arrived(&mut self, sent: &Sent) {
        if let Some(flow) = self.find(sent).filter(|flow| flow.next_psn == sent.psn) {
            flow.next_psn = (sent.psn + 1) & MASK_24;
            flow.delivered += sent.payload;
        }
    }

    /// Time has come to `now_ps`; takes a point of each running flow when it is due.
    pub fn tick(&mut self, now_ps: u64, series: u32, running: impl Fn(usize) -> bool) {
        let elapsed = now_ps - self.last_ps;
        if elapsed < self.interval_ps {
            return;
        }
        self.last_ps = now_ps;
        for (index, flow) in self.flows.iter_mut().enumerate() {
            let wire = std::mem::take(&mut flow.wire);
            if (index as u64) < u64::from(series) && running(index) {
                self.points.push(FlowPoint {
                    t_ps: now_ps,
                    flow: index as u32,
                    rate_bps: (u128::from(wire) * 8_000_000_000_000 / u128::from(elapsed)) as u64,
                    window_bytes: u64::MAX,
                    delivered_bytes: flow.delivered,
                });
            }
        }
    }

    /// Series of the flows, and the payload that each sent.
    pub fn finish(self) -> (Vec<FlowPoint>, Vec<u64>) {
        (self.points, self.flows.iter().map(|flow| flow.payload).collect())
    }
}
