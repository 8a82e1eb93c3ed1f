//! What the hardware costs: cells, memories, multipliers and clock rate.

pub mod synth;
