//! Number formats, and the laws bit for bit as the hardware computes them.
//!
//! Every format is declared once, in [`formats`]; `hpcc-rtl` takes its widths and constants from there. [`arithmetic`]
//! holds one function per group of pipeline stages, [`registers`] the run-time registers and how software computes
//! them, [`hpcc`], [`powertcp`] and [`dcqcn`] the laws with their state, [`law`] what they have in common and their list, [`reciprocal`] 1/n,
//! [`precision`] HPCC with fewer bits, for study only.

pub mod arithmetic;
pub mod dcqcn;
pub mod formats;
pub mod hpcc;
pub mod law;
pub mod powertcp;
pub mod precision;
pub mod reciprocal;
pub mod registers;

pub use dcqcn::FixedDcqcn;
pub use hpcc::FixedHpcc;
pub use law::{Answer, FixedLaw, LawEntry, LAWS};
pub use powertcp::FixedPower;
pub use precision::Precision;
pub use registers::HpccRegisters;
