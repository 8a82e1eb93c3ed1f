//! What a user puts into the work stream and takes from the completion stream.

use crate::prim::uint::U;

crate::kind! {
    /// How a work request ended; codes in the order of [`hpcc_models::nic::Status`].
    pub enum CompletionStatus {
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
        /// The receiver was not ready once more often than the register allows.
        RnrRetryExceeded,
    }
}

crate::word! {
    /// A work request (`s_axis_work_tdata`).
    pub struct WorkRequest {
        /// Number that the completion carries.
        id: U<64>,
        /// Queue pair.
        qpn: U<24>,
        /// 0 WRITE, 1 READ.
        operation: U<8>,
        /// Local address.
        local_address: U<64>,
        /// Local key.
        local_key: U<32>,
        /// Remote address.
        remote_address: U<64>,
        /// Remote key.
        remote_key: U<32>,
        /// Bytes, 0 to 2^31.
        length: U<32>,
    }

    /// A completion (`m_axis_completion_tdata`).
    pub struct Completion {
        /// Number of the work request.
        id: U<64>,
        /// Queue pair.
        qpn: U<24>,
        /// 0 WRITE, 1 READ.
        operation: U<8>,
        /// How it ended.
        status: CompletionStatus,
        /// Zero: the status is read as a byte.
        status_high: U<4>,
        /// Bytes of the work request that arrived: all of them or, with an error, 0.
        length: U<32>,
        /// When it was completed, ns.
        completed_at: U<48>,
        /// Not used.
        reserved: U<8>,
    }
}
