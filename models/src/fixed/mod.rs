//! Number formats, and the laws bit for bit as the hardware computes them.
//!
//! Every format is declared once, in [`formats`]; `hpcc-rtl` takes its widths and constants from there. [`arithmetic`]
//! holds one function per group of pipeline stages, [`registers`] the run-time registers and how software computes
//! them, [`hpcc`] the law with its state, [`reciprocal`] 1/n, [`precision`] the law with fewer bits, for study only.

pub mod arithmetic;
pub mod formats;
pub mod hpcc;
pub mod precision;
pub mod reciprocal;
pub mod registers;

pub use hpcc::FixedHpcc;
pub use precision::Precision;
pub use registers::HpccRegisters;
