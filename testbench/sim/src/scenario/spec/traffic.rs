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
    /// Closed loops: a request, its response, a pause, again.
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
        /// Mean pause, us.
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
