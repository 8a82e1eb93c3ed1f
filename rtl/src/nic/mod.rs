//! The whole NIC: words between its blocks, and the top that wires them.

pub mod flows;
pub mod words;
