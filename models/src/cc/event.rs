//! Events into and out of the congestion-control slot, in the units of the wire.

/// Hops of INT a packet can carry (HPCC paper, Fig. 7: 42 bytes of padding at most).
pub const MAX_HOPS: usize = 5;

/// Whether sequence number `a` comes after `b` in 24-bit serial arithmetic (strictly, by less than 2^23).
pub fn psn_after(a: u32, b: u32) -> bool {
    let ahead = a.wrapping_sub(b) & 0xff_ffff;
    ahead != 0 && ahead < 1 << 23
}

/// One hop of INT as on the wire (HPCC paper, Fig. 7). Counters wrap at their width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HopRecord {
    /// Port speed code, 4 bits: index into the 16-entry speed table; 0 is not valid in the default table.
    pub speed: u8,
    /// Time at which the packet left the queue, 24 bits, ns.
    pub ts: u32,
    /// Wire bytes the port had sent before this packet, 20 bits, unit 128 bytes times the INT multiplier.
    pub tx_bytes: u32,
    /// Bytes queued behind this packet, 16 bits, unit 80 bytes times the INT multiplier.
    pub q_len: u16,
}

/// What happened to a flow. HPCC uses acknowledgements only (positive or negative, they carry the same INT).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// Acknowledgement.
    #[default]
    Ack,
    /// Negative acknowledgement; the sender has already rewound `snd_nxt`.
    Nak,
    /// Congestion notification packet.
    Cnp,
    /// Retransmission timeout.
    Timeout,
    /// A timer the law asked for.
    Tick,
    /// Data sent: `bytes` left the NIC.
    Sent,
    /// INT that acknowledges nothing: the response to a probe, or a packet at which a receiver's clock lets its law act (HPCC++). Always one
    /// full update; line 22 is not asked.
    Probe,
}

impl EventKind {
    /// An acknowledgement, positive or negative.
    pub fn acknowledges(self) -> bool {
        matches!(self, Self::Ack | Self::Nak)
    }

    /// What laws of INT take: acknowledgements, and INT that acknowledges nothing.
    pub fn brings_int(self) -> bool {
        self.acknowledges() || self == Self::Probe
    }
}

/// Input of the congestion-control slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CcEvent {
    /// What happened.
    pub kind: EventKind,
    /// Flow number.
    pub flow: u32,
    /// Generation of the flow that the event belongs to.
    pub generation: u8,
    /// Next sequence number the receiver expects (acknowledged PSN + 1), 24-bit serial arithmetic.
    pub psn_next: u32,
    /// Next sequence number the sender will use, 24-bit serial arithmetic.
    pub snd_nxt: u32,
    /// The INT fields below are present and were parsed without error.
    pub int_valid: bool,
    /// Switches on the path, 4 bits; above five only the first five records exist.
    pub n_hop: u8,
    /// XOR of the 12-bit switch ids on the path.
    pub path_id: u16,
    /// Records of the first five switches.
    pub hops: [HopRecord; MAX_HOPS],
    /// Congestion experienced mark of the acknowledged packet.
    pub ecn: bool,
    /// When the acknowledged packet was sent, ns of the NIC's clock (delay-based laws).
    pub sent_at: u64,
    /// [`CcEvent::sent_at`] is known: the packet was timed and was not sent again.
    pub sent_valid: bool,
    /// Payload bytes newly acknowledged, or bytes sent for [`EventKind::Sent`].
    pub bytes: u32,
    /// The NIC's clock, ns.
    pub now: u64,
}

/// Output of the congestion-control slot. The hardware's fixed-point values are exact in these types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// Flow number.
    pub flow: u32,
    /// Generation of the flow.
    pub generation: u8,
    /// Window, payload bytes in flight.
    pub window: f64,
    /// Pacing rate, bits per second of wire bytes.
    pub rate: f64,
}
