//! Registers of the NIC behind AXI4-Lite: [`file::RegisterFile`] holds settings, [`counters::CounterBank`] counts, and what has a
//! behaviour of its own is here: commands to the manager, parameter writes, the kept high word.
//!
//! | clock | write | read |
//! |---|---|---|
//! | 0 | address and data taken together | address taken |
//! | 1 | place decoded | file and counters are read |
//! | 2 | stored | answer chosen |
//! | 3 | answered | answered |
//!
//! The map: [`hpcc_models::nic::registers`].

pub mod counters;
pub mod file;
pub mod pulses;
pub mod settings;
mod top;

pub use top::Registers;
