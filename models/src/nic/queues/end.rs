//! Why a queue pair ends.

use super::event_entry::EventKind;
use crate::nic::psn::Psn;
use crate::nic::Status;

/// Why a queue pair ends.
#[derive(Clone, Copy, Debug)]
pub(in crate::nic) struct End {
    /// Status of the work request that failed; `Flushed` if none did.
    pub(super) status: Status,
    /// Packet of that work request; the oldest one's if `None`.
    pub(super) at: Option<Psn>,
    /// Event, if one says it.
    pub(super) event: Option<EventKind>,
}

impl End {
    /// A work request failed: the one of packet `at`, or the oldest.
    pub fn of_request(status: Status, at: Option<Psn>) -> Self {
        Self {
            status,
            at,
            event: None,
        }
    }

    /// No work request failed.
    pub fn without_request(event: Option<EventKind>) -> Self {
        Self {
            status: Status::Flushed,
            at: None,
            event,
        }
    }
}
