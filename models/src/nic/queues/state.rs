//! States of a queue pair, the moves between them, and what a move must and may set.

use super::codes::codes;

codes! {
    /// State of a queue pair. Numbers are those of `ibv_qp_state`.
    State {
        /// Nothing is taken; indices are 0; what was posted is gone without completion.
        Reset = 0, "RESET";
        /// Receives are taken; frames are dropped and counted, as in RESET.
        Init = 1, "INIT";
        /// Ready to receive: the responder works.
        ReadyToReceive = 2, "RTR";
        /// Ready to send: both halves work.
        ReadyToSend = 3, "RTS";
        /// Send queue drained: what has begun goes on, no new entry begins.
        SendQueueDrain = 4, "SQD";
        /// Posted entries are flushed; frames are dropped and counted.
        Error = 6, "ERR";
    }
}

codes! {
    /// An attribute of a queue pair that a move sets.
    Attribute {
        /// Operations that the peer may carry out through the queue pair.
        Rights = 0, "rights";
        /// Address of the peer, priority, source port, INT and law.
        Path = 1, "path";
        /// Path MTU.
        Mtu = 2, "mtu";
        /// Number of the queue pair at the peer.
        RemoteQpn = 3, "remote_qpn";
        /// First PSN expected.
        ExpectedPsn = 4, "expected_psn";
        /// READs and atomic operations of the peer that the responder holds at once.
        ResponderReads = 5, "responder_reads";
        /// Code of the time that "receiver not ready" tells the peer to wait.
        RnrTimer = 6, "rnr_timer";
        /// First PSN sent.
        SendPsn = 7, "send_psn";
        /// READs and atomic operations that the requester keeps outstanding.
        MaxRdAtomic = 8, "max_rd_atomic";
        /// Retransmission timeout.
        Timeout = 9, "timeout";
        /// Timeouts without progress before the queue pair ends.
        RetryLimit = 10, "retry_limit";
        /// Waits for a receiver that is not ready before the queue pair ends.
        RnrRetry = 11, "rnr_retry";
    }
}

/// A move that the host may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// State before.
    pub from: State,
    /// State after.
    pub to: State,
    /// Attributes that must be given.
    pub must: &'static [Attribute],
    /// Attributes that may be given beside those.
    pub may: &'static [Attribute],
}

use Attribute::*;

/// Attributes that a queue pair at work may change.
const AT_WORK: &[Attribute] = &[Rights, RnrTimer];

/// Moves beside those to RESET (from every state) and to ERR (from all but RESET), which set nothing. IBTA, "QP state transition properties".
pub const MOVES: &[Move] = &[
    Move {
        from: State::Reset,
        to: State::Init,
        must: &[Rights],
        may: &[],
    },
    Move {
        from: State::Init,
        to: State::Init,
        must: &[],
        may: &[Rights],
    },
    Move {
        from: State::Init,
        to: State::ReadyToReceive,
        must: &[Path, Mtu, RemoteQpn, ExpectedPsn, ResponderReads, RnrTimer],
        may: &[Rights],
    },
    Move {
        from: State::ReadyToReceive,
        to: State::ReadyToSend,
        must: &[Timeout, RetryLimit, RnrRetry, SendPsn, MaxRdAtomic],
        may: AT_WORK,
    },
    Move {
        from: State::ReadyToSend,
        to: State::ReadyToSend,
        must: &[],
        may: AT_WORK,
    },
    Move {
        from: State::ReadyToSend,
        to: State::SendQueueDrain,
        must: &[],
        may: &[],
    },
    Move {
        from: State::SendQueueDrain,
        to: State::ReadyToSend,
        must: &[],
        may: AT_WORK,
    },
];

/// Whether the host may move a queue pair so with these attributes.
pub fn may_move(from: State, to: State, given: &[Attribute]) -> bool {
    match to {
        State::Reset => given.is_empty(),
        State::Error => from != State::Reset && given.is_empty(),
        _ => MOVES.iter().any(|row| {
            let known = |attribute: &Attribute| row.must.contains(attribute) || row.may.contains(attribute);
            row.from == from
                && row.to == to
                && row.must.iter().all(|must| given.contains(must))
                && given.iter().all(known)
        }),
    }
}
