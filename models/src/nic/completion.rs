//! Work requests in, completions out.

use thiserror::Error;

/// Bytes of a message at most.
pub const MAX_MESSAGE: u64 = 1 << 31;

/// Operation of a work request. Those beyond WRITE and READ are of queue pairs with queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// RDMA WRITE.
    Write,
    /// RDMA READ.
    Read,
    /// WRITE that takes a receive of the peer.
    WriteImmediate,
    /// SEND.
    Send,
    /// SEND with immediate data.
    SendImmediate,
    /// SEND that invalidates a region of the peer.
    SendInvalidate,
    /// Atomic compare and swap.
    CompareSwap,
    /// Atomic addition.
    FetchAdd,
    /// A receive that a SEND of the peer took.
    Receive,
    /// A receive that a WRITE of the peer took.
    ReceiveWrite,
}

impl Operation {
    /// Name in configuration and completion files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::WriteImmediate => "write_immediate",
            Self::Send => "send",
            Self::SendImmediate => "send_immediate",
            Self::SendInvalidate => "send_invalidate",
            Self::CompareSwap => "compare_swap",
            Self::FetchAdd => "fetch_add",
            Self::Receive => "receive",
            Self::ReceiveWrite => "receive_write",
        }
    }
}

/// One message to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkRequest {
    /// Number that the completion carries.
    pub id: u64,
    /// Queue pair.
    pub qpn: u32,
    /// Direction.
    pub operation: Operation,
    /// Address in this host's memory.
    pub local_address: u64,
    /// Key of the region of `local_address`.
    pub local_key: u32,
    /// Address in the peer's memory.
    pub remote_address: u64,
    /// Key of the region of `remote_address`.
    pub remote_key: u32,
    /// Bytes, 0 to 2^31.
    pub length: u64,
}

/// How a work request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Done.
    Ok,
    /// No progress after as many timeouts as the register allows.
    RetryExceeded,
    /// The peer says invalid request.
    RemoteInvalidRequest,
    /// The peer says key, bounds or rights.
    RemoteAccessError,
    /// The peer says it could not carry it out, or gives a code unknown here.
    RemoteOperationalError,
    /// Local key or bounds; nothing was sent.
    LocalAccessError,
    /// The host's own memory failed.
    LocalOperationalError,
    /// Length over 2^31, or no such queue pair.
    InvalidWork,
    /// The flow ended before this request's turn.
    Flushed,
    /// The peer was not ready to receive more often than the queue pair may wait.
    RnrRetryExceeded,
    /// A message was longer than the receive that it took.
    LocalLengthError,
}

impl Status {
    /// Name in `completions.jsonl`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::RetryExceeded => "retry_exceeded",
            Self::RemoteInvalidRequest => "remote_invalid_request",
            Self::RemoteAccessError => "remote_access_error",
            Self::RemoteOperationalError => "remote_operational_error",
            Self::LocalAccessError => "local_access_error",
            Self::LocalOperationalError => "local_operational_error",
            Self::InvalidWork => "invalid_work",
            Self::Flushed => "flushed",
            Self::RnrRetryExceeded => "rnr_retry_exceeded",
            Self::LocalLengthError => "local_length_error",
        }
    }

    /// All, in the order of their codes.
    pub const ALL: [Self; 11] = [
        Self::Ok,
        Self::RetryExceeded,
        Self::RemoteInvalidRequest,
        Self::RemoteAccessError,
        Self::RemoteOperationalError,
        Self::LocalAccessError,
        Self::LocalOperationalError,
        Self::InvalidWork,
        Self::Flushed,
        Self::RnrRetryExceeded,
        Self::LocalLengthError,
    ];

    /// Meaning of the status, in one sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::Ok => "Done.",
            Self::RetryExceeded => "No progress after as many timeouts as allowed.",
            Self::RemoteInvalidRequest => "The peer says invalid request.",
            Self::RemoteAccessError => "The peer says key, bounds or rights.",
            Self::RemoteOperationalError => "The peer could not carry it out.",
            Self::LocalAccessError => "Key, bounds or rights of the memory here.",
            Self::LocalOperationalError => "The memory here failed.",
            Self::InvalidWork => "The entry says something impossible.",
            Self::Flushed => "The queue pair ended before the entry's turn.",
            Self::RnrRetryExceeded => "The peer was not ready to receive more often than allowed.",
            Self::LocalLengthError => "The message was longer than the receive that it took.",
        }
    }

    /// Code in completions.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The status of a code, if there is one.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// End of a work request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// When, ns.
    pub t_ns: u64,
    /// Queue pair.
    pub qpn: u32,
    /// Number of the work request.
    pub work: u64,
    /// Its operation.
    pub operation: Operation,
    /// How it ended.
    pub status: Status,
    /// Bytes moved: the length, or 0 after an error.
    pub bytes: u64,
}

/// A work request or queue pair that cannot be taken now.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HostError {
    /// The message queue is full: try again later.
    #[error("QP {0}: message queue is full")]
    QueueFull(u32),
    /// A field of a new queue pair is out of range.
    #[error("QP {qpn}: {field} is out of range")]
    Field {
        /// Queue pair.
        qpn: u32,
        /// Field.
        field: &'static str,
    },
    /// The queue pair exists and works.
    #[error("QP {0} exists")]
    Exists(u32),
    /// No queue pair has that flow.
    #[error("flow {0}: no such queue pair")]
    NoFlow(u32),
    /// No Ethernet address is known for the peer.
    #[error("QP {qpn}: no neighbour {ip}")]
    NoNeighbour {
        /// Queue pair.
        qpn: u32,
        /// Peer.
        ip: std::net::Ipv4Addr,
    },
}
