//! Telemetry of a scenario: format, which packets collect, traffic classes and what is said about them.

use serde::{Deserialize, Serialize};

/// Telemetry of a scenario (HPCC++, draft-miao-ccwg-hpcc).
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetrySpec {
    /// `fig7`, `ifa`, `ioam` (pre-allocated), `ioam-incremental`, `int-md`: bytes on data packets.
    pub format: Option<String>,
    /// `inband` (every data packet) or `sample` (every k-th of a flow).
    pub mode: Option<String>,
    /// `sample`: k, 1 to 255.
    pub every: Option<u32>,
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
