//! TX: from packets to frames.
//!
//! [`DataBuilder`] puts headers in front of payload and an ICRC behind it, [`AckBuilder`] makes acknowledgements and READ echoes, and
//! [`FrameArbiter`] sends the frames of both, acknowledgements first. What the second has to make comes from five sources, by way of
//! `ack_merge::AckMerge`. Both builders share [`header::TxHeader`] (the headers of a queue pair), [`frame_bytes::FrameBytes`] (bytes into their places) and [`append::IcrcAppend`] (the CRC and its place).
//!
//! Reference: `hpcc_models::wire::RocePacket::to_frame` on what `hpcc_models::nic` sends.

mod ack;
mod ack_merge;
pub mod append;
mod arbiter;
mod data;
pub mod frame_bytes;
mod frame_queue;
pub mod header;
pub mod pipe;
pub mod row;
pub mod select;
pub mod stimulus;
#[cfg(test)]
mod tests;

pub use ack::AckBuilder;
pub use arbiter::FrameArbiter;
pub use data::DataBuilder;
