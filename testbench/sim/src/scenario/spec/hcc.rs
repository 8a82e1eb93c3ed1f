//! Agents of HCC in a scenario.

use serde::{Deserialize, Serialize};

/// HCC on the flows between two sets of hosts.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HccSpec {
    /// Off in a variant that compares another law on the same network.
    #[serde(default = "yes")]
    pub on: bool,
    /// Sending hosts: first and last.
    pub sources: [u32; 2],
    /// Receiving hosts: first and last.
    pub destinations: [u32; 2],
    /// Levels of agents: hosts, their switches' uplinks, and so on.
    #[serde(default = "three")]
    pub levels: usize,
    /// `Cycle_child` in delays of the link to the children: 10, 3, 1 in HCC-1, -2, -3.
    #[serde(default = "three_cycles")]
    pub cycle: u32,
    /// `Cycle_parent` over `Cycle_child`.
    #[serde(default = "ten")]
    pub parent_cycles: u32,
    /// `infinite` or `backlog`.
    #[serde(default = "infinite")]
    pub demand: String,
    /// Levels of quantisation an octave; 0: demands are reported as they are.
    #[serde(default = "eight")]
    pub quantisation: u32,
    /// Changes of less than this part of the share are not reported, percent.
    #[serde(default = "five")]
    pub threshold_percent: f64,
    /// What the root grants of its capacity, percent.
    #[serde(default = "ninety_nine")]
    pub headroom_percent: f64,
    /// After a fall of capacity the root grants 90 % for a while.
    #[serde(default = "yes")]
    pub drain: bool,
    /// The first packet of a flow, and the first after its first share, waits a random part of a packet time.
    #[serde(default)]
    pub dither: bool,
    /// At most two round trips at the share and ten packets in flight.
    #[serde(default = "yes")]
    pub window: bool,
    /// Probability of losing a control message.
    #[serde(default)]
    pub loss: f64,
    /// With loss or failures: everything is told again every so many parent cycles.
    #[serde(default = "sixteen")]
    pub refresh_cycles: u32,
    /// Agents that fail for a while.
    #[serde(default)]
    pub failure: Vec<FailureSpec>,
    /// A root for the last link to each destination too.
    #[serde(default)]
    pub two_sided: bool,
    /// Count what a central solution would have sent.
    #[serde(default)]
    pub central: bool,
}

/// An agent that fails for a while.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FailureSpec {
    /// Level: 0 at the hosts.
    pub level: usize,
    /// Which of that level, from 0.
    #[serde(default)]
    pub index: usize,
    /// From, us.
    pub from_us: f64,
    /// To, us.
    pub to_us: f64,
}

fn yes() -> bool {
    true
}
fn three() -> usize {
    3
}
fn three_cycles() -> u32 {
    3
}
fn ten() -> u32 {
    10
}
fn infinite() -> String {
    "infinite".into()
}
fn eight() -> u32 {
    8
}
fn five() -> f64 {
    5.0
}
fn ninety_nine() -> f64 {
    99.0
}
fn sixteen() -> u32 {
    16
}
