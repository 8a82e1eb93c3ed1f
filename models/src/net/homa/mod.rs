//! HOMA hosts (Montazeri, Li, Alizadeh, Ousterhout, SIGCOMM 2018): transport driven by the receiver.
//!
//! A sender sends the first `RTTBytes` of a message unasked; the receiver grants the rest, to the few messages that have the fewest bytes left, and
//! says with which of eight priorities of the switches it is to be sent. No window, no pace, no other congestion control; what is lost is asked
//! for again. Sections below are those of that paper.
//!
//! A host's two halves are state machines without clock and without I/O: [`Outgoing`] decides what a sender sends next, [`Incoming`] what a receiver
//! grants and asks for again. The network carries packets between them.
//!
//! What the paper leaves to remote procedure calls is settled for one-way messages as in the Linux implementation (`HomaModule`): the receiver
//! acknowledges a whole message, and a sender that hears nothing asks for that.

mod config;
mod hosts;
mod incoming;
mod levels;
mod network;
mod outgoing;
mod packet;

pub use config::HomaConfig;
pub(super) use hosts::HomaHosts;
pub use incoming::Incoming;
pub use levels::{Levels, PRIORITIES};
pub use outgoing::Outgoing;
pub use packet::{HomaPacket, MessageRules};

#[cfg(test)]
mod tests;
