//! TCP hosts of a scenario.

use serde::{Deserialize, Serialize};

/// Rules of TCP hosts; what is not given is the profile's.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TcpSpec {
    /// `rfc` or `ns3`.
    pub profile: Option<String>,
    /// Payload of a full segment, bytes.
    pub mss: Option<u32>,
    /// Selective acknowledgement.
    pub sack: Option<bool>,
    /// Timestamps.
    pub timestamps: Option<bool>,
    /// `classic` (RFC 6675, 6582) or `prr` (RFC 6937).
    pub recovery: Option<String>,
    /// Initial window, segments.
    pub initial_window: Option<u32>,
    /// Threshold of slow start at the start, bytes.
    pub initial_ssthresh: Option<u64>,
    /// Smallest retransmission timeout, ms.
    pub min_rto_ms: Option<f64>,
    /// Timeouts without progress after which a connection is given up.
    pub retries: Option<u32>,
    /// Acknowledge at the latest every n-th segment.
    pub delayed_ack: Option<u32>,
    /// Or after this long, ms.
    pub delayed_ack_ms: Option<f64>,
    /// Cubic: fast convergence.
    pub fast_convergence: Option<bool>,
    /// Cubic: Reno-friendly region.
    pub friendly: Option<bool>,
    /// Cubic, profile `ns3`: HyStart.
    pub hystart: Option<bool>,
    /// DCTCP: gain `g`.
    pub gain: Option<f64>,
    /// Packets lost on purpose as they arrive over the first link between two switches, towards the second; numbered from 0 in order of
    /// arrival, in profile `ns3` as that simulator's error model counts: 0 and 1 are those of the handshake.
    pub drop_arrivals: Vec<u64>,
}

/// Queues of switches in packets.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct QueueSpec {
    /// Packets that may wait at a port; the next one is dropped (default 1000).
    pub queue_packets: Option<u32>,
    /// An arriving packet is marked when it finds this many waiting (default with DCTCP: 65).
    pub mark_packets: Option<u32>,
}
