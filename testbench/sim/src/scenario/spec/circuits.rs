//! The optical circuit switch of a scenario.

use serde::{Deserialize, Serialize};

/// Circuits between the racks of topology `racks`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CircuitSpec {
    /// Speed of a circuit, Gb/s.
    pub rate_gbps: u64,
    /// A matching lasts this long, us.
    pub day_us: f64,
    /// Between two matchings, us.
    pub night_us: f64,
    /// The VOQ that is observed: from which rack to which.
    #[serde(default = "first_pair")]
    pub watch: [u32; 2],
    /// reTCP: senders are told this long before the day, us (default 0).
    #[serde(default)]
    pub prebuffer_us: Option<f64>,
    /// reTCP: packets that a VOQ may hold from then to the end of the day (default: `network.queue_packets`).
    #[serde(default)]
    pub prebuffer_packets: Option<u32>,
}

fn first_pair() -> [u32; 2] {
    [0, 1]
}
