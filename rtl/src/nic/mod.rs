//! The whole NIC: words between its blocks, and the top that wires them.

pub mod flows;
mod top;
pub mod words;

pub use top::Nic;
