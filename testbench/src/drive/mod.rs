//! Clock-by-clock drivers: of any RustHDL block in one thread, of a Verilated model in the same way, and of the
//! congestion-control slot on top of either.
//!
//! The driver of RustHDL blocks lives in `hpcc_rtl::sim`, where the unit tests of the blocks use it too; this is its name
//! in the test bench.

pub mod axi_memory;
pub mod axi_ports;
pub mod clocked;
pub mod frames;
pub mod sched_traffic;
pub mod slot;
pub mod slot_stimulus;

pub use hpcc_rtl::sim::*;
