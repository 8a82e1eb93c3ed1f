//! Values of the keys of `run link` that are names.

use hpcc_models::nic::Operation;

/// What the NICs do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkOperation {
    /// The first NIC writes.
    Write,
    /// The first NIC reads.
    Read,
    /// Both write.
    Bidirectional,
    /// Both read.
    BidirectionalRead,
    /// The first NIC sends into receives of the second.
    Send,
    /// Both send.
    BidirectionalSend,
}

impl LinkOperation {
    /// Values of the key.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("write", Self::Write),
        ("read", Self::Read),
        ("bidirectional", Self::Bidirectional),
        ("bidirectional_read", Self::BidirectionalRead),
        ("send", Self::Send),
        ("bidirectional_send", Self::BidirectionalSend),
    ];

    /// Name as the key's value.
    pub fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, op)| *op == self)
            .map_or("", |(name, _)| name)
    }

    /// The operation of the work requests.
    pub fn operation(self) -> Operation {
        match self {
            Self::Write | Self::Bidirectional => Operation::Write,
            Self::Read | Self::BidirectionalRead => Operation::Read,
            Self::Send | Self::BidirectionalSend => Operation::Send,
        }
    }

    /// The queue pairs have queues in the host's memory, with receives: other operations use streams.
    pub fn has_queues(self) -> bool {
        self.operation() == Operation::Send
    }

    /// Both NICs have work.
    pub fn both(self) -> bool {
        matches!(
            self,
            Self::Bidirectional | Self::BidirectionalRead | Self::BidirectionalSend
        )
    }
}

/// How a limit is written while the NICs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapBy {
    /// The cap of every flow.
    Flow,
    /// The level of their group.
    Group,
}

/// What a third host floods the wire with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloodKind {
    /// Ethernet frames of 64 bytes that are not RoCE.
    Frames,
    /// Acknowledgements of packets that were never sent.
    Acks,
    /// WRITEs of one byte, each of which asks for an acknowledgement.
    Writes,
    /// READ requests of one byte.
    Reads,
}

impl FloodKind {
    /// Values of the key.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("frames", Self::Frames),
        ("acks", Self::Acks),
        ("writes", Self::Writes),
        ("reads", Self::Reads),
    ];

    /// Name as the key's value.
    pub fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("", |(name, _)| name)
    }
}
