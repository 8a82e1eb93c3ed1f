//! What a switch carries: the block that stamps INT into frames as they leave a port.
//!
//! | clock | block | does |
//! |---|---|---|
//! | 0 | [`IntStamper`] | beat, time and queue length into registers |
//! | 0 - 3 | [`header::StampHeader`] | which frames qualify; new lengths, checksum, `nHop`, `pathID` |
//! | 0 - 4 | [`queue::QueueUnits`] | queue length in units of 80 bytes |
//! | 0 - 4 | [`length::BeatLength`] | bytes of a beat |
//! | 3 - 4 | [`IntStamper`] | header fields replaced; pass, insert or shift |
//! | 4 - 5 | [`insert::RecordInsert`] | record inserted, later bytes moved up by eight; `txBytes` |
//! | 5 - 6 | [`crate::prim::skid::Skid`] | registered outputs |
//!
//! The reference, byte for byte, is [`hpcc_models::wire::Stamper`].

pub mod header;
pub mod insert;
pub mod length;
pub mod queue;
mod stamper;
pub mod stimulus;
#[cfg(test)]
mod tests;

pub use stamper::{IntStamper, STAMPER_LATENCY};
