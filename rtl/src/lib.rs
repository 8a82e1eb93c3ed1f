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
pub mod sizes;
pub mod switch;
pub mod tops;
pub mod transport;
pub mod tx;
pub mod words;
