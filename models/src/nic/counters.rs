//! Counters of the NIC: one per reason to drop a frame, and one per event worth knowing.

use crate::wire::WireError;

macro_rules! counters {
    ($($(#[doc = $about:literal])* $name:ident = $text:literal,)*) => {
        /// A counter. All are 64 bits wide.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Counter { $($(#[doc = $about])* $name,)* }

        impl Counter {
            /// All counters in the order of the register map.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Name in `counters.json` and in the register map.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What it counts, in a sentence, and how its low word is read.
            pub(super) fn low_word(self) -> &'static str {
                let about = match self { $(Self::$name => concat!($($about,)* " Low word; reading it keeps the high word."),)* };
                about.trim_start()
            }
        }
    };
}

counters! {
    /// Frames handed over by the MAC.
    RxFrames = "rx_frames",
    /// Frames handed to the MAC.
    TxFrames = "tx_frames",
    /// Dropped: shorter than Ethernet, IPv4 and UDP headers.
    ShortFrame = "drop_short_frame",
    /// Dropped: destination Ethernet address is not ours.
    WrongMac = "drop_wrong_mac",
    /// Dropped: not IPv4.
    NotIpv4 = "drop_not_ipv4",
    /// Dropped: IP version is not 4.
    IpVersion = "drop_ip_version",
    /// Dropped: IPv4 options.
    IpOptions = "drop_ip_options",
    /// Dropped: IPv4 length does not fit.
    IpLength = "drop_ip_length",
    /// Dropped: IPv4 header checksum.
    IpChecksum = "drop_ip_checksum",
    /// Dropped: fragment.
    IpFragment = "drop_ip_fragment",
    /// Dropped: destination IPv4 address is not ours.
    WrongIp = "drop_wrong_ip",
    /// Dropped: not UDP.
    NotUdp = "drop_not_udp",
    /// Dropped: UDP length differs from what IP carries.
    UdpLength = "drop_udp_length",
    /// Dropped: UDP port is none of ours.
    UdpPort = "drop_udp_port",
    /// Dropped: UDP checksum.
    UdpChecksum = "drop_udp_checksum",
    /// Dropped: INT header or stack longer than the packet.
    IntLength = "drop_int_length",
    /// Dropped: packet too short for its transport headers, pad and ICRC.
    TransportLength = "drop_transport_length",
    /// Dropped: ICRC.
    Icrc = "drop_icrc",
    /// Dropped: opcode undefined or of another transport service.
    Opcode = "drop_opcode",
    /// Dropped: transport version.
    TransportVersion = "drop_transport_version",
    /// Dropped: partition key.
    PartitionKey = "drop_partition_key",
    /// Dropped: no such queue pair.
    UnknownQp = "drop_unknown_qp",
    /// Dropped: source IPv4 address is not the queue pair's peer.
    WrongPeer = "drop_wrong_peer",
    /// Dropped: INT port on a plain queue pair or the reverse, or a kind of packet that this port does not carry.
    WrongPort = "drop_wrong_port",
    /// Dropped: the queue pair's half concerned has ended with an error.
    QpEnded = "drop_qp_ended",
    /// Dropped: the acknowledgement queue is full.
    AckQueueFull = "drop_ack_queue_full",
    /// Dropped: one READ more than the responder queues.
    ReadDepth = "drop_read_depth",
    /// Dropped: response or echo that nothing asked for.
    Stray = "drop_stray",
    /// Dropped: READ response of a wrong kind or length for its PSN.
    BadReadResponse = "drop_bad_read_response",
    /// Ignored: acknowledgement of a PSN never sent.
    GhostAck = "ghost_acks",
    /// Ignored: a reserved syndrome.
    IgnoredSyndrome = "ignored_syndromes",
    /// Requests with a PSN ahead of the one expected.
    OutOfSequence = "out_of_sequence",
    /// Requests with a PSN already executed.
    Duplicates = "duplicates",
    /// Negative acknowledgements sent, of any code.
    NaksSent = "naks_sent",
    /// Negative acknowledgements received, of any code.
    NaksReceived = "naks_received",
    /// READ responses or acknowledgements that showed a READ response lost.
    ReadGaps = "read_gaps",
    /// Retransmission timeouts.
    Timeouts = "timeouts",
    /// Data packets and READ requests sent a second time.
    Retransmitted = "retransmitted",
    /// INT stacks with more than five hops; the first five are used.
    IntManyHops = "int_many_hops",
    /// INT stacks with a speed code that is not valid; congestion control ignores them.
    IntBadSpeed = "int_bad_speed",
    /// Congestion notification packets.
    Cnps = "cnps",
    /// Control packets carried out.
    ControlAccepted = "control_accepted",
    /// Control packets refused: switched off, source, key, sequence, rate or content.
    ControlRefused = "control_refused",
    /// Work requests completed with an error.
    ErrorCompletions = "error_completions",
    /// Lost: no room in the buffer of received frames, because memory holds its payload up. Only hardware has one.
    RxBufferFull = "drop_rx_buffer_full",
    /// Requests and READ responses that came with the mark "congestion experienced".
    CePackets = "ce_packets",
    /// Congestion notification packets sent.
    CnpsSent = "cnps_sent",
    /// Ignored: response to a probe that is not newer than the last one taken, or that was not sent.
    ProbeStray = "probe_stray",
    /// Lost: short, when its queue pair had its share of the buffer of received frames. Only hardware has one.
    RxShare = "drop_rx_share",
    /// Dropped: the MAC calls the frame bad. Only hardware has such a sign.
    BadFrame = "drop_bad_frame",
    /// Requests of a kind that is not carried out (SEND, immediate data, atomics), answered as invalid.
    RefusedRequest = "refused_requests",
    /// Queue pairs one of whose halves has ended with an error, each once.
    QpError = "qp_errors",
    /// Receiver-not-ready NAKs received.
    RnrNaks = "rnr_naks_received",
}

/// Values of all counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    values: Vec<u64>,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            values: vec![0; Counter::ALL.len()],
        }
    }
}

impl Counters {
    /// Value of a counter.
    pub fn get(&self, counter: Counter) -> u64 {
        self.values[counter as usize]
    }

    /// Counts one.
    pub fn count(&mut self, counter: Counter) {
        self.values[counter as usize] = self.values[counter as usize].saturating_add(1);
    }

    /// Names and values in the order of the register map.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        Counter::ALL.iter().map(|counter| (counter.name(), self.get(*counter)))
    }

    /// Frames dropped for any reason.
    pub fn dropped(&self) -> u64 {
        self.iter()
            .filter(|(name, _)| name.starts_with("drop_"))
            .map(|(_, value)| value)
            .sum()
    }
}

impl From<WireError> for Counter {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Truncated { header: "Ethernet", .. } => Self::ShortFrame,
            WireError::Truncated { header: "IPv4", .. } | WireError::IpLength { .. } => Self::IpLength,
            WireError::Truncated { header: "UDP", .. } | WireError::UdpLength { .. } => Self::UdpLength,
            WireError::Truncated { header: "INT", .. } => Self::IntLength,
            WireError::Truncated { .. } | WireError::Pad { .. } => Self::TransportLength,
            WireError::EtherType(_) => Self::NotIpv4,
            WireError::IpVersion(_) => Self::IpVersion,
            WireError::IpOptions(_) => Self::IpOptions,
            WireError::IpChecksum => Self::IpChecksum,
            WireError::IpFragment => Self::IpFragment,
            WireError::IpProtocol(_) => Self::NotUdp,
            WireError::UdpChecksum => Self::UdpChecksum,
            WireError::Opcode(_) => Self::Opcode,
            WireError::Icrc { .. } => Self::Icrc,
            WireError::Control(_) => Self::ControlRefused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_order_is_that_of_the_enum() {
        let names: std::collections::BTreeSet<_> = Counter::ALL.iter().map(|c| c.name()).collect();
        assert_eq!(names.len(), Counter::ALL.len());
        assert!(Counter::ALL.iter().enumerate().all(|(i, c)| *c as usize == i));
    }

    #[test]
    fn counting() {
        let mut counters = Counters::default();
        counters.count(Counter::Icrc);
        counters.count(Counter::Icrc);
        counters.count(Counter::Timeouts);
        assert_eq!(counters.get(Counter::Icrc), 2);
        assert_eq!(counters.dropped(), 2);
        assert_eq!(counters.iter().filter(|(_, value)| *value > 0).count(), 2);
    }
}
