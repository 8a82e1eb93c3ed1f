//! Clock-by-clock driver of a RustHDL block in one thread, with waveforms.
//!
//! The driver lives in `hpcc_rtl::sim`, where the unit tests of the blocks use it too; this is its name in the test bench.

pub use hpcc_rtl::sim::*;
pub use hpcc_rtl::{has_clock, ports};
