//! Meters: per interval, what each switch port sent and each flow delivered.

/// One interval at one port of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortMeter {
    /// End of the interval, ps.
    pub t_ps: u64,
    /// Node number.
    pub node: u32,
    /// Interface number on the node, from 1.
    pub interface: u32,
    /// Sent in the interval, wire bytes.
    pub wire_bytes: u64,
    /// Packets waiting at its end.
    pub queue_packets: u32,
    /// Bytes waiting at its end.
    pub queue_bytes: u64,
}

/// One interval of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowMeter {
    /// End of the interval, ps.
    pub t_ps: u64,
    /// Flow number.
    pub flow: u32,
    /// Payload delivered in order in the interval, bytes.
    pub delivered_bytes: u64,
}

/// State of the meters.
#[derive(Debug, Default)]
pub(super) struct Meters {
    /// By port: bytes sent until the last reading.
    pub sent: Vec<u64>,
    /// By flow: payload delivered since the last reading.
    pub delivered: Vec<u64>,
    /// Flows that delivered anything since then.
    pub touched: Vec<u32>,
}
