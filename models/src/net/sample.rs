//! Observation: queue lengths at fixed intervals as a distribution and as series, rates and windows of chosen flows.

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

/// Width of a class of queue lengths, bytes.
pub const QUEUE_CLASS: u64 = 100;

/// Distribution of queue lengths in classes of [`QUEUE_CLASS`] bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueHistogram {
    counts: Vec<u64>,
    total: u64,
    max: u64,
}

impl QueueHistogram {
    /// Adds one sample, bytes.
    pub fn add(&mut self, bytes: u64) {
        let class = (bytes / QUEUE_CLASS) as usize;
        if class >= self.counts.len() {
            self.counts.resize(class + 1, 0);
        }
        self.counts[class] += 1;
        self.total += 1;
        self.max = self.max.max(bytes);
    }

    /// Adds another distribution.
    pub fn merge(&mut self, other: &QueueHistogram) {
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (own, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *own += theirs;
        }
        self.total += other.total;
        self.max = self.max.max(other.max);
    }

    /// Lower end of the class that holds the `p`-th percentile, bytes.
    pub fn percentile(&self, p: f64) -> u64 {
        let rank = (p / 100.0 * self.total as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (class, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return class as u64 * QUEUE_CLASS;
            }
        }
        0
    }

    /// Samples taken.
    pub fn samples(&self) -> u64 {
        self.total
    }

    /// Largest sample, bytes.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Classes with samples: lower end in bytes, count.
    pub fn classes(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts
            .iter()
            .enumerate()
            .filter(|(_, &c)| c > 0)
            .map(|(i, &c)| (i as u64 * QUEUE_CLASS, c))
    }
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

/// All observations of a run.
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
    /// Flow series.
    pub flows: Vec<FlowPoint>,
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
