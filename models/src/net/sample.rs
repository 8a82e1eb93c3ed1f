//! Observation: queue lengths at fixed intervals as a distribution and as series, rates and windows of chosen flows.

use super::histogram::QueueHistogram;
use super::meter::{FlowMeter, PortMeter};

/// What to observe.
#[derive(Clone, Debug, Default)]
pub struct SamplePlan {
    /// First sample, ps.
    pub start_ps: u64,
    /// Between samples, ps; 0: none.
    pub interval_ps: u64,
    /// No sample after this, ps.
    pub end_ps: u64,
    /// Series of queue lengths as well as their distribution.
    pub queue_series: bool,
    /// Flows with a number below this have series of rate, window and delivered bytes.
    pub flow_series: u32,
    /// Interval of the meters of ports and flows, ps; 0: none.
    pub meter_ps: u64,
    /// Take every n-th sample into the series.
    pub series_every: u32,
}

/// One point of a queue series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuePoint {
    /// Time, ps.
    pub t_ps: u64,
    /// Node number.
    pub node: u32,
    /// Interface number on the node, from 1.
    pub interface: u32,
    /// Bytes waiting.
    pub bytes: u64,
}

/// One point of a flow's series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowPoint {
    /// Time, ps.
    pub t_ps: u64,
    /// Flow number.
    pub flow: u32,
    /// Pacing rate, bits per second.
    pub rate_bps: u64,
    /// Window, bytes.
    pub window_bytes: u64,
    /// Payload delivered in order so far, bytes.
    pub delivered_bytes: u64,
}

/// One point of the observed VOQ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoqPoint {
    /// Time, ps.
    pub t_ps: u64,
    /// Bytes waiting.
    pub bytes: u64,
}

/// What was observed of the VOQs.
#[derive(Clone, Debug, Default)]
pub struct CircuitSamples {
    /// Length of the observed VOQ; a point only where a sample found it changed.
    pub voq: Vec<VoqPoint>,
    /// Waiting times of its packets with payload, ns, in classes of 100 ns; of those that left after the first sample.
    pub waits: QueueHistogram,
    /// The same of all VOQs.
    pub all_waits: QueueHistogram,
    /// Intervals of the meters: end (ps), wire bytes that left the observed VOQ through the circuit, and through the uplink.
    pub sent: Vec<(u64, u64, u64)>,
    /// What circuits sent since the first sample, wire bytes.
    pub circuit_bytes: u64,
}

/// Most points of one series, and most readings of one kind of meters, in memory: some 200 MB.
pub const MOST_POINTS: usize = 4_000_000;

/// All observations of a run. Their memory is bounded by [`MOST_POINTS`] and by the classes of [`QueueHistogram`].
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// Ports from a switch to a host.
    pub to_host: QueueHistogram,
    /// Ports between switches.
    pub fabric: QueueHistogram,
    /// Ports of switches that were sending, or held something, when the sample was taken: what an idle port cannot dilute.
    pub busy: QueueHistogram,
    /// What a switch with hosts on it held at all its ports together.
    pub racks: QueueHistogram,
    /// Bytes waiting in each traffic class, over all ports of switches; none without classes.
    pub classes: Vec<QueueHistogram>,
    /// Queue series; a point only where the length changed.
    pub queues: Vec<QueuePoint>,
    /// Flow series; a point only where something changed.
    pub flows: Vec<FlowPoint>,
    /// By flow: its last point, at the time of the last sample that found it running.
    seen: Vec<Option<FlowPoint>>,
    /// A series or the meters reached [`MOST_POINTS`] at this time, ps: it has no point from then on.
    pub full_ps: Option<u64>,
    /// What ports sent, interval by interval.
    pub port_meters: Vec<PortMeter>,
    /// What flows delivered, interval by interval.
    pub flow_meters: Vec<FlowMeter>,
    /// Virtual output queues, where there are circuits.
    pub circuits: CircuitSamples,
    /// One-way latency of packets with payload, from the host (TCP: its queue) to the receiver, in classes of 100 ns.
    pub latency: QueueHistogram,
    /// Round-trip times seen by data packets, in classes of 100 ns.
    pub rtt: QueueHistogram,
}

/// Adds to a list that holds so many at most; beyond that notes when.
pub(super) fn add<T>(list: &mut Vec<T>, full_ps: &mut Option<u64>, t_ps: u64, point: T) {
    if list.len() < MOST_POINTS {
        list.push(point);
    } else {
        full_ps.get_or_insert(t_ps);
    }
}

impl Samples {
    /// A sample finds a flow running.
    pub(super) fn add_flow(&mut self, point: FlowPoint) {
        let place = point.flow as usize;
        if self.seen.len() <= place {
            self.seen.resize(place + 1, None);
        }
        let same = |last: &FlowPoint| FlowPoint {
            t_ps: point.t_ps,
            ..*last
        };
        let changed = self.seen[place].as_ref().map(same) != Some(point);
        self.seen[place] = Some(point);
        if changed {
            add(&mut self.flows, &mut self.full_ps, point.t_ps, point);
        }
    }

    /// The flow series with a point at each sample, `step_ps` apart, as long as the flow ran: by time, then by flow.
    pub fn flows_at_each_sample(&self, step_ps: u64) -> Vec<FlowPoint> {
        let mut next: Vec<Option<u64>> = self.seen.iter().map(|p| p.map(|p| p.t_ps + 1)).collect();
        let mut all = Vec::with_capacity(self.flows.len());
        for point in self.flows.iter().rev() {
            let end = next
                .get_mut(point.flow as usize)
                .and_then(|end| end.replace(point.t_ps));
            let times = (point.t_ps..end.unwrap_or(point.t_ps + 1)).step_by(step_ps.max(1) as usize);
            all.extend(times.map(|t_ps| FlowPoint { t_ps, ..*point }));
        }
        all.sort_by_key(|p| (p.t_ps, p.flow));
        all
    }
}

#[cfg(test)]
#[path = "sample_tests.rs"]
mod tests;
