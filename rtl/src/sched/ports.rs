//! Ports of the scheduler; the words that travel inside it are in [`crate::words::sched`].
//!
//! Acknowledgements come in and leave on [`crate::cc::slot`]'s event ports; updates come on its update port.

// the interface derive adds a method without a doc comment
#![allow(missing_docs)]

use crate::interface;
use crate::prim::uint::U;
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
    /// The limit is that of waits for a receiver that is not ready.
    pub not_ready: Signal<Out, Bit>,
}
