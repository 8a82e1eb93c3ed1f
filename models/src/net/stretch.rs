//! What routes are made of: ends of links, where hosts are attached, what a path adds.

/// A directed view of one link end.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Port number (global) on this node.
    pub port: u32,
    /// Port number (global) at the other end.
    pub back: u32,
    /// Node at the other end.
    pub peer: u32,
    /// Speed.
    pub rate_bps: u64,
    /// Delay, ps.
    pub delay_ps: u64,
    /// Usable.
    pub up: bool,
}

/// What a pair of hosts sees of the network when nobody else sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairMetrics {
    /// Twice the propagation plus one payload's serialisation on each hop forward, ns.
    pub rtt_ns: u64,
    /// Propagation one way, ns.
    pub delay_ns: u64,
    /// Slowest link, bits per second.
    pub rate_bps: u64,
}

impl PairMetrics {
    /// Bandwidth-delay product, bytes.
    pub fn bdp_bytes(&self) -> u64 {
        (u128::from(self.rtt_ns) * u128::from(self.rate_bps) / 1_000_000_000 / 8) as u64
    }
}

/// Where a host is attached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// Destination that stands for it in the tables: its leaf, or the host itself; [`UNREACHABLE`]: no usable link, or not a host.
    pub target: u32,
    /// A host with a leaf: its only port, and the leaf's port towards it.
    pub ports: Option<(u32, u32)>,
}

pub(super) const UNREACHABLE: u32 = u32::MAX;
/// No path in a row.
pub(super) const NO_GROUP: u16 = u16::MAX;
/// The row is that of the destination's leaf: the host's own port.
pub(super) const LEAF: u16 = u16::MAX - 1;

/// What a part of a path adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stretch {
    delay_ps: u64,
    /// Serialisation of one payload on each link, ns.
    serial_ns: u64,
    /// Slowest link, bits per second.
    slowest: u64,
}

impl Stretch {
    /// No link.
    pub const NOTHING: Self = Self {
        delay_ps: 0,
        serial_ns: 0,
        slowest: u64::MAX,
    };

    /// One link, for packets of so much payload.
    pub fn of(edge: &Edge, payload: u64) -> Self {
        Self {
            delay_ps: edge.delay_ps,
            serial_ns: payload * 8_000_000_000 / edge.rate_bps,
            slowest: edge.rate_bps,
        }
    }

    /// Both, one behind the other.
    pub fn and(self, other: Self) -> Self {
        Self {
            delay_ps: self.delay_ps + other.delay_ps,
            serial_ns: self.serial_ns + other.serial_ns,
            slowest: self.slowest.min(other.slowest),
        }
    }

    /// What the whole path means for a pair of hosts.
    pub fn metrics(self) -> PairMetrics {
        PairMetrics {
            rtt_ns: 2 * self.delay_ps / 1000 + self.serial_ns,
            delay_ns: self.delay_ps / 1000,
            rate_bps: self.slowest,
        }
    }
}
