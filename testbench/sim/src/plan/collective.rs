//! Collectives of a job: which of its flows they are, and how long they took.

use hpcc_models::net::FlowRecord;
use hpcc_models::workload::{Collective, Place};

/// A collective of a job.
#[derive(Clone, Debug)]
pub struct CollectivePlan {
    /// Name in tables.
    pub tag: String,
    /// What it is.
    pub collective: Collective,
    /// Its first flow in the job.
    pub first: usize,
    /// Repetition and step of each of its flows.
    pub places: Vec<Place>,
}

/// When something began, and when the last byte was received; `None`: not all was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First start, ps.
    pub start_ps: u64,
    /// Last byte at its receiver, ps.
    pub end_ps: Option<u64>,
    /// Messages.
    pub messages: usize,
    /// The longest of them from its own start, ps.
    pub longest_ps: u64,
}

impl Span {
    /// How long it took, ps.
    pub fn ps(&self) -> Option<u64> {
        self.end_ps.map(|end| end - self.start_ps)
    }

    fn of(&mut self, record: &FlowRecord) {
        self.messages += 1;
        self.start_ps = self.start_ps.min(record.started_ps);
        self.end_ps = self.end_ps.zip(record.received_ps).map(|(a, b)| a.max(b));
        let own = record.received_ps.map_or(0, |end| end - record.started_ps);
        self.longest_ps = self.longest_ps.max(own);
    }
}

impl CollectivePlan {
    fn spans<K: Ord>(&self, records: &[FlowRecord], key: impl Fn(&Place) -> K) -> Vec<(K, Span)> {
        let mut all = std::collections::BTreeMap::new();
        for (place, record) in self.places.iter().zip(&records[self.first..]) {
            let span = all.entry(key(place)).or_insert(Span {
                start_ps: u64::MAX,
                end_ps: Some(0),
                messages: 0,
                longest_ps: 0,
            });
            span.of(record);
        }
        all.into_iter().collect()
    }

    /// Each repetition.
    pub fn repetitions(&self, records: &[FlowRecord]) -> Vec<Span> {
        self.spans(records, |place| place.repetition)
            .into_iter()
            .map(|(_, span)| span)
            .collect()
    }

    /// Each step of each repetition.
    pub fn steps(&self, records: &[FlowRecord]) -> Vec<(Place, Span)> {
        self.spans(records, |place| *place)
    }

    /// Bandwidth of the bus as nccl-tests reckon it, Gb/s: the message over the time, with the operation's factor.
    pub fn bus_gbps(&self, ps: u64) -> f64 {
        self.algorithm_gbps(ps) * self.collective.bus_factor()
    }

    /// The message over the time, Gb/s.
    pub fn algorithm_gbps(&self, ps: u64) -> f64 {
        self.collective.bytes as f64 * 8000.0 / ps.max(1) as f64
    }
}
