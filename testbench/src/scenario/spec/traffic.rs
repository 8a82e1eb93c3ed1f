//! Sources of traffic of a scenario.

use serde::Deserialize;

/// One source of traffic.
#[derive(Clone, Debug, Deserialize)]
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
    /// A flow file in the ns-3 simulator's format.
    File {
        /// Path.
        path: String,
    },
}

fn one_flow() -> u32 {
    1
}
