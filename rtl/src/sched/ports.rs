//! Ports of the scheduler and the words that travel inside it.
//!
//! Acknowledgements come in and leave on [`crate::cc::slot`]'s event ports; updates come on its update port.

// the interface derive adds a method without a doc comment
#![allow(missing_docs)]

use crate::interface;
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::*;

/// Creation and removal of flows, and their caps.
#[interface(FlowCommandOut, "Creation and removal of flows and their caps, sending side.")]
pub struct FlowCommandIn {
    /// A command is offered.
    pub valid: Signal<In, Bit>,
    /// The command is taken.
    pub ready: Signal<Out, Bit>,
    /// High: create; low: remove, or `limit`.
    pub create: Signal<In, Bit>,
    /// Flow number.
    pub flow: Signal<In, U<16>>,
    /// Generation that starts or ends.
    pub generation: Signal<In, U<8>>,
    /// First PSN.
    pub psn: Signal<In, U<24>>,
    /// Payload of a full packet is 256 << mtu bytes, 0 to 4.
    pub mtu: Signal<In, U<3>>,
    /// Priority, as pause counts them.
    pub priority: Signal<In, U<3>>,
    /// No window: READ responses of plain queue pairs, which nobody acknowledges.
    pub windowless: Signal<In, Bit>,
    /// No timer: READ responses.
    pub timerless: Signal<In, Bit>,
    /// High, with `create` low: the flow's cap and group are written.
    pub limit: Signal<In, Bit>,
    /// Cap, UQ7.27 bytes per ns; all ones for none.
    pub rate: Signal<In, U<34>>,
    /// Group.
    pub group: Signal<In, U<4>>,
}

/// Work: the message queue holds packets up to `end`; a restart goes on at `start` as if nothing were outstanding.
#[interface(WorkOut, "Work, sending side.")]
pub struct WorkIn {
    /// Work is offered.
    pub valid: Signal<In, Bit>,
    /// The work is taken.
    pub ready: Signal<Out, Bit>,
    /// Flow number.
    pub flow: Signal<In, U<16>>,
    /// Generation.
    pub generation: Signal<In, U<8>>,
    /// One past the last PSN of the last message.
    pub end: Signal<In, U<24>>,
    /// High: start over at `start`.
    pub restart: Signal<In, Bit>,
    /// First PSN of a restart.
    pub start: Signal<In, U<24>>,
}

/// What the TX pipe finds out about a granted packet.
#[interface(FeedbackOut, "What the TX pipe finds out about a granted packet, sending side.")]
pub struct FeedbackIn {
    /// Feedback is offered.
    pub valid: Signal<In, Bit>,
    /// The feedback is taken.
    pub ready: Signal<Out, Bit>,
    /// High: a READ request that covers PSNs `psn` to `value`, exclusive. Low: the packet used `value` bytes less than a
    /// full one (modulo 2^20, so that it may also be more).
    pub advance: Signal<In, Bit>,
    /// Flow number.
    pub flow: Signal<In, U<16>>,
    /// Generation.
    pub generation: Signal<In, U<8>>,
    /// PSN of the READ request.
    pub psn: Signal<In, U<24>>,
    /// See `advance`.
    pub value: Signal<In, U<24>>,
}

/// PktSend: one packet may leave.
#[interface(SendIn, "PktSend, receiving side.")]
pub struct SendOut {
    /// A packet is offered.
    pub valid: Signal<Out, Bit>,
    /// The packet is taken.
    pub ready: Signal<In, Bit>,
    /// Flow number.
    pub flow: Signal<Out, U<16>>,
    /// Generation.
    pub generation: Signal<Out, U<8>>,
    /// PSN.
    pub psn: Signal<Out, U<24>>,
    /// Bit 0: sent before. Bit 1: ask for an acknowledgement (fills the window, or the first one after a rewind). Bit 2: the
    /// first one after a rewind.
    pub kind: Signal<Out, U<3>>,
}

/// Flows that ended at their retry limit.
#[interface(EndedIn, "Flows that ended at their retry limit, receiving side.")]
pub struct EndedOut {
    /// A flow is offered.
    pub valid: Signal<Out, Bit>,
    /// The flow is taken.
    pub ready: Signal<In, Bit>,
    /// Flow number.
    pub flow: Signal<Out, U<16>>,
    /// Generation.
    pub generation: Signal<Out, U<8>>,
}

/// Codes of operations inside the scheduler, as [`hpcc_models::sched::Op`].
pub mod op {
    /// Acknowledgement.
    pub const ACK: u64 = 0;
    /// Negative acknowledgement.
    pub const NAK: u64 = 1;
    /// Congestion control only.
    pub const NOTIFY: u64 = 2;
    /// Work.
    pub const WORK: u64 = 3;
    /// A READ request was sent.
    pub const ADVANCE: u64 = 4;
    /// Correction of the credit.
    pub const ADJUST: u64 = 5;
    /// Rate and window.
    pub const UPDATE: u64 = 6;
    /// The timer looks.
    pub const TICK: u64 = 7;
    /// Creation.
    pub const CREATE: u64 = 8;
    /// Removal.
    pub const REMOVE: u64 = 9;
    /// After reset: the flow is removed whatever its generation, and is not in the ring.
    pub const CLEAR: u64 = 10;
    /// Work from a new start.
    pub const RESTART: u64 = 11;
    /// Cap and group.
    pub const LIMIT: u64 = 12;
}

/// One operation: kind 3:0, generation 11:4, PSN 35:12, second PSN (the start of a restart) or bytes 59:36, window 93:60, rate
/// 127:94, MTU code 130:128, priority 133:131, windowless 134, timerless 135, group 139:136.
pub type OpWord = W<140, 3>;

/// [`hpcc_models::sched::SenderState`]: una 23:0, end 47:24, from 71:48, to 95:72, adjust 115:96, generation 123:116, rewinds
/// 127:124, restarts 131:128, MTU code 134:132, priority 137:135, alive 138, windowless 139, since 155:140, retries 159:156,
/// sent 167:160, armed 168, timerless 169.
pub type SenderFull = W<170, 3>;

/// The part of [`SenderFull`] that visits read: bits 139:0.
pub type SenderWord = W<140, 3>;

/// [`hpcc_models::sched::Pacing`]: rate 33:0, cap 53:34, window 69:54.
pub type PacingWord = W<70, 2>;

/// The pacing of [`hpcc_models::sched::Cap`] 69:0, its group 73:70.
pub type CapWord = W<74, 2>;

/// [`hpcc_models::sched::Level`]: rate 33:0, earned 53:34, window 76:54.
pub type LevelWord = W<77, 2>;

/// [`hpcc_models::sched::VisitState`]: nxt 23:0, max 47:24, seen 51:48, generation 59:52, restarts 63:60, parked 64, last 84:65,
/// adjust seen 104:85, credit 141:105, stopped 142, rest 143.
pub type VisitWord = W<144, 3>;

/// The part of [`VisitWord`] that events read: its bits 63:0, stopped 64.
pub type VisitedWord = W<65, 2>;

/// [`hpcc_models::sched::Grant`] on its way out: PSN 23:0, count 27:24, repeats 31:28, rewound 32, fills 33, generation 41:34,
/// flow 54:42, priority 57:55, service tag 63:58.
pub type GrantWord = U<64>;

/// What an acknowledgement carries past the sender state: now 47:0, zero 79:48, sent_at 127:80, ecn 128, hops 448:129, path
/// id 460:449, hops count 464:461, INT valid 465, kind 468:466.
pub type Telemetry = W<469, 8>;
