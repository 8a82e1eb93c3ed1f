//! Commands of the host: what it creates, changes, asks and destroys.

use super::codes::codes;
use super::region::{MemoryRegion, QpRights};
use super::state::{Attribute, State};
use crate::nic::Status;
use std::net::Ipv4Addr;

/// Entries of a ring: least.
pub const MIN_RING: u32 = 16;
/// Entries of a ring: most.
pub const MAX_RING: u32 = 32_768;
/// A ring begins at a multiple of this address.
pub const RING_ALIGNMENT: u64 = 4096;

/// A ring in the host's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// First address, a multiple of [`RING_ALIGNMENT`]; the upper 16 bits are the address space.
    pub address: u64,
    /// Entries: a power of two from [`MIN_RING`] to [`MAX_RING`].
    pub entries: u32,
}

/// A completion queue to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateCq {
    /// Number.
    pub number: u16,
    /// Doorbell page that it belongs to.
    pub page: u32,
    /// Entries of 32 bytes, which the host has filled with zeros.
    pub ring: Ring,
    /// Event queue of its events.
    pub events: u8,
}

/// An event queue to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateEq {
    /// Number, and the interrupt vector.
    pub number: u8,
    /// Entries of 16 bytes, which the host has filled with zeros.
    pub ring: Ring,
}

/// A queue pair to create, in RESET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateQp {
    /// Number, 24 bits; its low bits are its place.
    pub number: u32,
    /// Protection domain.
    pub domain: u16,
    /// Doorbell page that it belongs to.
    pub page: u32,
    /// Send queue, entries of 64 bytes.
    pub send: Ring,
    /// Receive queue, entries of 32 bytes.
    pub receive: Ring,
    /// Completion queue of the send queue.
    pub send_cq: u16,
    /// Completion queue of the receive queue.
    pub receive_cq: u16,
    /// Event queue of its events.
    pub events: u8,
}

/// The way to the peer of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Address of the peer.
    pub remote_ip: Ipv4Addr,
    /// 802.1p priority of its data, for pause.
    pub priority: u8,
    /// UDP source port; 0 takes one from the queue pair numbers.
    pub udp_port: u16,
    /// Collects INT; otherwise plain RoCEv2.
    pub int: bool,
    /// Code of the congestion-control law, 0 for none; `None`: the NIC's default.
    pub law: Option<u8>,
}

impl Path {
    /// Plain RoCEv2 to a peer.
    pub fn plain(remote_ip: Ipv4Addr) -> Self {
        Self {
            remote_ip,
            priority: 0,
            udp_port: 0,
            int: false,
            law: None,
        }
    }
}

/// Attributes that a `MODIFY` gives; those that are absent keep their value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Operations that the peer may carry out through the queue pair.
    pub rights: Option<QpRights>,
    /// The way to the peer.
    pub path: Option<Path>,
    /// Path MTU, bytes of payload: 256, 512, 1024, 2048 or 4096.
    pub mtu: Option<u32>,
    /// Number of the queue pair at the peer, 24 bits.
    pub remote_qpn: Option<u32>,
    /// First PSN expected, 24 bits.
    pub expected_psn: Option<u32>,
    /// READs and atomic operations of the peer that the responder holds at once, 0 to 100.
    pub responder_reads: Option<u8>,
    /// Code of the time that "receiver not ready" tells the peer to wait, 0 to 31.
    pub rnr_timer: Option<u8>,
    /// First PSN sent, 24 bits.
    pub send_psn: Option<u32>,
    /// READs and atomic operations that the requester keeps outstanding, 0 to 16; with 0 each ends as invalid work.
    pub max_rd_atomic: Option<u8>,
    /// Retransmission timeout t, 0 to 31: 4.096 us x 2^t, 0 for never.
    pub timeout: Option<u8>,
    /// Timeouts without progress before the queue pair ends, 0 to 7.
    pub retry_limit: Option<u8>,
    /// Waits for a receiver that is not ready before the queue pair ends, 0 to 6; 7 for ever.
    pub rnr_retry: Option<u8>,
}

impl Attributes {
    /// Names of the attributes that are given.
    pub fn given(&self) -> Vec<Attribute> {
        let all = [
            (Attribute::Rights, self.rights.is_some()),
            (Attribute::Path, self.path.is_some()),
            (Attribute::Mtu, self.mtu.is_some()),
            (Attribute::RemoteQpn, self.remote_qpn.is_some()),
            (Attribute::ExpectedPsn, self.expected_psn.is_some()),
            (Attribute::ResponderReads, self.responder_reads.is_some()),
            (Attribute::RnrTimer, self.rnr_timer.is_some()),
            (Attribute::SendPsn, self.send_psn.is_some()),
            (Attribute::MaxRdAtomic, self.max_rd_atomic.is_some()),
            (Attribute::Timeout, self.timeout.is_some()),
            (Attribute::RetryLimit, self.retry_limit.is_some()),
            (Attribute::RnrRetry, self.rnr_retry.is_some()),
        ];
        all.into_iter()
            .filter_map(|(name, given)| given.then_some(name))
            .collect()
    }

    /// Those of `newer` where they are given, and these otherwise.
    pub fn merged(&self, newer: &Self) -> Self {
        Self {
            rights: newer.rights.or(self.rights),
            path: newer.path.or(self.path),
            mtu: newer.mtu.or(self.mtu),
            remote_qpn: newer.remote_qpn.or(self.remote_qpn),
            expected_psn: newer.expected_psn.or(self.expected_psn),
            responder_reads: newer.responder_reads.or(self.responder_reads),
            rnr_timer: newer.rnr_timer.or(self.rnr_timer),
            send_psn: newer.send_psn.or(self.send_psn),
            max_rd_atomic: newer.max_rd_atomic.or(self.max_rd_atomic),
            timeout: newer.timeout.or(self.timeout),
            retry_limit: newer.retry_limit.or(self.retry_limit),
            rnr_retry: newer.rnr_retry.or(self.rnr_retry),
        }
    }
}

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Creates a memory region.
    CreateRegion(MemoryRegion),
    /// Replaces the region of the same key: what it is and what it allows change at once, its key stays.
    ReplaceRegion(MemoryRegion),
    /// Destroys a memory region: after the reply no byte of it is read or written.
    DestroyRegion {
        /// Key.
        key: u32,
    },
    /// Creates an event queue.
    CreateEq(CreateEq),
    /// Destroys an event queue that nothing uses.
    DestroyEq {
        /// Number.
        number: u8,
    },
    /// Creates a completion queue.
    CreateCq(CreateCq),
    /// Destroys a completion queue that no queue pair uses.
    DestroyCq {
        /// Number.
        number: u16,
    },
    /// Creates a queue pair.
    CreateQp(CreateQp),
    /// Moves a queue pair to a state (its own one for attributes alone) and sets attributes, as [`super::MOVES`] allows.
    ModifyQp {
        /// Number.
        number: u32,
        /// State after.
        to: State,
        /// Attributes.
        set: Attributes,
    },
    /// Asks for a queue pair's state.
    QueryQp {
        /// Number.
        number: u32,
    },
    /// Destroys a queue pair: after the reply nothing more of it is read, written or completed.
    DestroyQp {
        /// Number.
        number: u32,
    },
}

/// State of a queue pair as `QUERY` tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QpInfo {
    /// State.
    pub state: State,
    /// Why it is in ERR: the status of what failed first, `Ok` if the host or the peer's request moved it there.
    pub ended: Status,
    /// Index behind the last entry of the send queue that has ended, 16 bits.
    pub send_consumer: u16,
    /// Index behind the last entry of the send queue that the host announced.
    pub send_producer: u16,
    /// Index behind the last entry of the receive queue that a message has taken.
    pub receive_consumer: u16,
    /// Index behind the last entry of the receive queue that the host announced.
    pub receive_producer: u16,
    /// Next PSN to send.
    pub send_psn: u32,
    /// Next PSN expected.
    pub expected_psn: u32,
    /// Attributes, as given.
    pub attributes: Attributes,
}

/// Answer to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The command was carried out: nothing of what it ended is under way, completions and events included.
    Done,
    /// State of a queue pair.
    Qp(QpInfo),
}

codes! {
    /// Why a command was refused; nothing has changed then. 0 is for a command that was carried out.
    Code {
        /// No command has this operation.
        Operation = 1, "operation";
        /// A number does not fit its place, or is one that may not be used.
        Number = 2, "number";
        /// The path MTU is none of the five, or does not hold the INT that the path collects.
        Mtu = 3, "mtu";
        /// The number, or its place, is in use.
        Exists = 4, "exists";
        /// Nothing has this number.
        Unknown = 5, "unknown";
        /// The law is not built in, or needs INT where the queue pair collects none.
        Law = 6, "law";
        /// Another command was being carried out.
        Busy = 7, "busy";
        /// A ring's size or alignment.
        Ring = 8, "ring";
        /// A queue still uses it.
        InUse = 9, "in_use";
        /// The event queue is too short for one more user.
        Events = 10, "events";
        /// The queue pair may not move so, or an attribute is missing or not allowed in this move.
        Move = 11, "move";
        /// An attribute is out of range.
        Attribute = 12, "attribute";
        /// No Ethernet address is known for the peer.
        Neighbour = 13, "neighbour";
        /// The entry of the key is in use by another key.
        Key = 14, "key";
        /// The region reaches beyond the last address.
        Bounds = 15, "bounds";
    }
}
