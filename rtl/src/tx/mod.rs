//! TX: from packets to frames.
//!
//! [`FrameBuilder`] puts headers in front of payload and an ICRC behind it, and makes acknowledgements and READ echoes, which come from five sources by way of
//! `ack_merge::AckMerge`; [`FrameArbiter`] sends the frames of both, acknowledgements first. Both kinds have a [`header::TxHeader`] (the headers of a queue pair)
//! and share [`frame_bytes::FrameBytes`] (bytes into their places) and [`append::IcrcAppend`] (the CRC and its place).
//!
//! Reference: `hpcc_models::wire::RocePacket::to_frame` on what `hpcc_models::nic` sends.

mod ack;
mod ack_merge;
pub mod append;
mod arbiter;
mod builder;
pub mod frame_bytes;
mod frame_queue;
pub mod header;
pub mod pipe;
pub mod row;
pub mod select;
pub mod stimulus;
#[cfg(test)]
mod tests;

pub use arbiter::FrameArbiter;
pub use builder::FrameBuilder;
