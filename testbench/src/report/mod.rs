//! What the hardware costs (cells, memories, multipliers, clock rate) and
//! how well it computes.

pub mod blocks;
pub mod hardware;
pub mod latency;
mod peer;
pub mod programs;
pub mod reciprocal;
pub mod speed;
pub mod synth;
