//! What the responder keeps of each queue pair, and what it is told about them.

use super::context::RegionGuard;
use crate::prim::uint::U;
use rust_hdl::prelude::Bit;

crate::word! {
    /// State of a queue pair's responder half.
    pub struct ResponderState {
        /// PSN of the next new request.
        expected_psn: U<24>,
        /// Newest packet that was carried out and is not a READ, or the one before the first.
        newest_write: U<24>,
        /// Messages completed.
        msn: U<24>,
        /// Where the next payload of the message in progress goes, as the peer counts it.
        address: U<64>,
        /// The region of that message, which must still stand.
        guard: RegionGuard,
        /// Bytes of it to come.
        remaining: U<32>,
        /// READs accepted, modulo 256.
        reads: U<8>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// Negative acknowledgements that had been taken back when `reported` was set.
        naks_taken_back: U<2>,
        /// The gap before `expected_psn` has been reported.
        reported: Bit,
        /// A message of several WRITE packets is in progress.
        in_message: Bit,
        /// The half has ended with an error.
        ended: Bit,
        /// The queue pair exists.
        alive: Bit,
    }

    /// What has left the response queue of a queue pair.
    pub struct ResponsesLeft {
        /// READs answered or void, modulo 256.
        reads: U<8>,
        /// Negative acknowledgements taken back, modulo 4.
        naks_taken_back: U<2>,
        /// The responder half has ended.
        ended: Bit,
    }

    /// What the response queue tells the responder of a queue pair; several may hold at once.
    pub struct ResponseNotice {
        /// A READ is answered or void.
        read_left: Bit,
        /// A negative acknowledgement was taken back.
        nak_taken_back: Bit,
        /// The responder half has ended.
        ended: Bit,
    }

    /// A queue pair that is created or removed, on its way to the responder's tables.
    pub struct ResponderCreation {
        /// Queue pair.
        qp: U<8>,
        /// PSN of the first request.
        expected_psn: U<24>,
        /// The one before it.
        newest_write: U<24>,
        /// Generation.
        generation: U<8>,
        /// The queue pair exists.
        alive: Bit,
    }

    /// Bytes of a READ rounded up to whole packets of its MTU.
    pub struct RoundedLength {
        /// Bytes beyond whole units of 256.
        rest: U<8>,
        /// Units of 256 bytes, the smallest MTU.
        whole: U<25>,
    }
}
