//! Sources of traffic of a scenario.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use toml::Table;

use crate::toml_error::entry_error;

/// One source of traffic.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TrafficSpec {
    /// One flow, or the same again and again.
    Flow {
        /// Sending host.
        src: u32,
        /// Receiving host.
        dst: u32,
        /// Payload, bytes.
        bytes: u64,
        /// Start, us.
        #[serde(default)]
        start_us: f64,
        /// How many.
        #[serde(default = "one_flow")]
        count: u32,
        /// Between them, us.
        #[serde(default)]
        every_us: f64,
        /// TCP law of these flows in place of the scenario's law.
        #[serde(default)]
        tcp: Option<String>,
        /// Name, for `after` of others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tag: Option<String>,
        /// Tags of traffic after which it starts, in place of `start_us`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        after: Vec<String>,
        /// After the first of those flows and not after all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        any: Option<bool>,
        /// `received`: when they have arrived, known at their destination; `acknowledged`: known at their source. Elsewhere only with a delay of the way there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<MomentSpec>,
        /// From then on, us.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delay_us: Option<f64>,
    },
    /// A collective operation: messages that start when what they pass on has arrived.
    Collective {
        /// `all-reduce`, `all-gather`, `reduce-scatter`, `broadcast` or `all-to-all`.
        operation: OperationSpec,
        /// `ring` (all-reduce, all-gather, reduce-scatter), `recursive-doubling` (all-reduce, all-gather), `halving-doubling` (all-reduce, reduce-scatter), `tree` (broadcast, all-reduce), `direct` (all-to-all); the first that fits.
        #[serde(default)]
        algorithm: Option<AlgorithmSpec>,
        /// Hosts in their order; empty: all.
        #[serde(default)]
        hosts: Vec<u32>,
        /// The whole message, bytes (`size` of nccl-tests).
        bytes: u64,
        /// Pieces of each transfer, which are passed on one by one (ring, tree).
        #[serde(default = "one_chunk")]
        chunks: u64,
        /// How often, each host going on when it is done.
        #[serde(default = "one_flow")]
        repetitions: u32,
        /// Start, us.
        #[serde(default)]
        start_us: f64,
        /// Between two repetitions at a host, us.
        #[serde(default)]
        pause_us: f64,
        /// Name in tables, and for `after` of others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tag: Option<String>,
    },
    /// Every host sends to one other and receives from one other, drawn at random.
    Permutation {
        /// Hosts; empty: all.
        #[serde(default)]
        hosts: Vec<u32>,
        /// Payload of each, bytes.
        bytes: u64,
        /// Start, us.
        #[serde(default)]
        start_us: f64,
        /// Name, for `after` of others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tag: Option<String>,
    },
    /// Every host sends to every other at once.
    AllToAll {
        /// Hosts; empty: all.
        #[serde(default)]
        hosts: Vec<u32>,
        /// Payload of each flow, bytes.
        bytes: u64,
        /// Start, us.
        #[serde(default)]
        start_us: f64,
        /// Name, for `after` of others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tag: Option<String>,
    },
    /// Hosts 0 to `senders - 1` to one receiver at once.
    Incast {
        /// Senders.
        senders: u32,
        /// Receiving host.
        receiver: u32,
        /// Payload of each, bytes.
        bytes: u64,
        /// Start, us.
        #[serde(default)]
        start_us: f64,
        /// First sender.
        #[serde(default)]
        first: u32,
        /// Each starts up to this much later, at random, us.
        #[serde(default)]
        jitter_us: f64,
    },
    /// Poisson arrivals between random hosts.
    Poisson {
        /// `websearch`, `fb-hadoop`, or a file.
        sizes: String,
        /// Fraction of the hosts' links.
        load: f64,
        /// Arrivals until, us.
        until_us: f64,
    },
    /// Poisson arrivals at an absolute rate, from one set of hosts to another.
    PoissonBetween {
        /// `websearch`, `fb-hadoop`, or a file.
        sizes: String,
        /// Payload offered, Gb/s.
        rate_gbps: f64,
        /// Sending hosts: first and last.
        sources: [u32; 2],
        /// Receiving hosts: first and last.
        destinations: [u32; 2],
        /// Arrivals from, us.
        #[serde(default)]
        start_us: f64,
        /// Arrivals until, us.
        until_us: f64,
    },
    /// Closed loops: a request, a response that starts when the request has arrived, a pause that begins when the response has arrived, and again.
    ClosedLoop {
        /// Hosts that ask: first and last; loops are dealt out to them in turn.
        clients: [u32; 2],
        /// Hosts that answer: first and last.
        servers: [u32; 2],
        /// Loops.
        count: u32,
        /// Payload of a request, bytes.
        request_bytes: u64,
        /// Payload of a response, bytes.
        response_bytes: u64,
        /// Mean pause between the arrival of a response and the next request, us.
        #[serde(default)]
        pause_us: f64,
        /// Its standard deviation, us.
        #[serde(default)]
        pause_deviation_us: f64,
        /// First requests, us.
        #[serde(default)]
        start_us: f64,
        /// Each starts up to this much later, at random, us.
        #[serde(default)]
        jitter_us: f64,
        /// No request from here on, us.
        until_us: f64,
        /// TCP: a message goes on with the window of the one before it.
        #[serde(default = "yes")]
        keep_window: bool,
    },
    /// Bursts of many senders to one receiver at random.
    IncastMix {
        /// Senders of a burst.
        senders: usize,
        /// Payload of each, bytes.
        bytes: u64,
        /// Fraction of the hosts' links.
        load: f64,
        /// Bursts until, us.
        until_us: f64,
    },
    /// Hosts ask servers of another rack for parts of a file, which answer at once.
    Requests {
        /// Requests that one host makes in a second.
        per_second: f64,
        /// Servers that answer one request.
        servers: usize,
        /// Payload of all answers to one request, bytes.
        bytes: u64,
        /// Requests until, us.
        until_us: f64,
    },
    /// A flow from the first host of a rack to the first of another, from the second to the second, and so on, for each pair of two different racks.
    Racks {
        /// Sending racks; empty: all.
        #[serde(default)]
        from: Vec<usize>,
        /// Receiving racks; empty: all.
        #[serde(default)]
        to: Vec<usize>,
        /// Payload of each flow, bytes.
        bytes: u64,
        /// Start, us.
        #[serde(default)]
        start_us: f64,
    },
    /// A flow file in the ns-3 simulator's format.
    File {
        /// Path.
        path: String,
    },
}

/// What a collective computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OperationSpec {
    /// Everybody has the sum.
    AllReduce,
    /// Everybody has all shares.
    AllGather,
    /// Everybody has a share of the sum.
    ReduceScatter,
    /// Everybody has what the first host had.
    Broadcast,
    /// Everybody has a share of each.
    AllToAll,
}

/// How it does so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlgorithmSpec {
    /// Shares go round.
    Ring,
    /// Partners at twice the distance in each step.
    RecursiveDoubling,
    /// Halves, then doubles.
    HalvingDoubling,
    /// A binomial tree.
    Tree,
    /// Everything at once.
    Direct,
}

/// What of a flow another one waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MomentSpec {
    /// Its last byte has arrived.
    #[default]
    Received,
    /// Its last acknowledgement is back.
    Acknowledged,
}

impl TrafficSpec {
    /// Name that others wait for.
    pub fn tag(&self) -> Option<&str> {
        match self {
            Self::Flow { tag, .. }
            | Self::Collective { tag, .. }
            | Self::Permutation { tag, .. }
            | Self::AllToAll { tag, .. } => tag.as_deref(),
            _ => None,
        }
    }
}

fn one_chunk() -> u64 {
    1
}

fn yes() -> bool {
    true
}

/// Reads the sources one by one: an error names the source's place in the list and its key, which serde forgets where `kind` decides what the others are.
pub(super) fn list<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<TrafficSpec>, D::Error> {
    let message = |entry: Table| {
        entry
            .try_into::<TrafficSpec>()
            .err()
            .map(|error| error.message().to_string())
    };
    let entries = Vec::<Table>::deserialize(from)?.into_iter().enumerate();
    let read = |(index, entry): (usize, Table)| {
        let source = entry.clone().try_into();
        source.map_err(|_| D::Error::custom(entry_error("traffic", index, &entry, message)))
    };
    entries.map(read).collect()
}

fn one_flow() -> u32 {
    1
}
