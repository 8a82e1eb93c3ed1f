//! The whole NIC: the top that wires its blocks.

pub mod flows;
mod top;

pub use top::Nic;
