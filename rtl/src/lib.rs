//! The NIC in RustHDL.

// RustHDL translates no guards of match arms: a condition stands inside its arm.
#![allow(clippy::collapsible_match)]

// what the attributes write names this crate from outside and from inside alike
extern crate self as hpcc_rtl;

#[doc(hidden)]
pub use hpcc_macros::kernel_of;
pub use hpcc_macros::{block, interface, kernel};

pub mod cc;
pub mod dma;
pub mod emit;
pub mod host;
pub mod nic;
pub mod prim;
pub mod rx;
pub mod sched;
pub mod sim;
pub mod switch;
pub mod transport;
pub mod tx;
pub mod words;

// Whole blocks in their sizes, which unit tests do not need and would compile a second time; `testbench/tests/blocks/tops.rs` tests them.
#[cfg(not(test))]
pub mod sizes;
#[cfg(not(test))]
pub mod tops;
