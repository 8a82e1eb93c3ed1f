//! What runs look like (figures, tables, a page) and what the hardware costs (cells, memories, multipliers, clock rate).

pub mod plot;
pub mod summary;
pub mod synth;
