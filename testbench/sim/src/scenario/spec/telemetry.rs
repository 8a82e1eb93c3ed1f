//! Telemetry of a scenario: format, which packets collect, traffic classes and what is said about them.

use serde::{Deserialize, Serialize};

/// Telemetry of a scenario (HPCC++, draft-miao-ccwg-hpcc).
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetrySpec {
    /// `fig7`, `ifa`, `ioam` (pre-allocated), `ioam-incremental`, `int-md`: bytes on data packets.
    pub format: Option<String>,
    /// `inband` (every data packet), `sample` (every k-th of a flow) or `probe` (packets of its own).
    pub mode: Option<String>,
    /// `sample`: k, 1 to 255.
    pub every: Option<u32>,
    /// `probe`: data packets between two probes of a flow at least, 1 to 255 (default 1).
    pub probe_packets: Option<u32>,
    /// `probe`: after this long without a response the next may leave, us (default: the larger of four `T` and 100).
    pub probe_timeout_us: Option<f64>,
    /// `ack`, `coalesced` (an ACK for `ack_every` packets), `notify` (telemetry in packets of its own), `rx` (the law at the receiver).
    pub feedback: Option<String>,
    /// `coalesced`, `notify`, `rx`: data packets for an ACK, 1 to 255 (default 1).
    pub ack_every: Option<u32>,
    /// `rx`: a full update waits for `t` (as the draft has it) or for `t-and-queue`.
    pub rx_clock: Option<String>,
    /// Receivers count flows and senders divide their additive step by the count.
    pub n_aware: Option<bool>,
    /// Switches measure the utilisation of their links over so many us and say it in place of a byte counter (INT's own list; only with `int-md`).
    pub utilisation_us: Option<f64>,
    /// Every port is shown as one of this speed, Gb/s, with bytes and queue in proportion.
    pub shown_gbps: Option<u64>,
    /// Nodes of switches that stamp nothing.
    pub silent: Vec<u32>,
    /// Traffic classes on every port of a switch, 1 to 8.
    pub queues: Option<usize>,
    /// Their weights, 1 to 1000 each (default: equal).
    pub weights: Option<Vec<u32>>,
    /// `dwrr` (deficit round robin by weight) or `strict` (the lowest class first).
    pub schedule: Option<String>,
    /// What INT says of a port with several classes: `off`, `sojourn`, `class`, `class-search`, `shared`.
    pub qos: Option<String>,
    /// Class of each `[[traffic]]`, in their order; those that are not listed have class 0.
    pub classes: Vec<u8>,
}
