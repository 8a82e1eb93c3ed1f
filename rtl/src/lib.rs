//! The NIC in RustHDL.

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
pub mod tops;
pub mod transport;
pub mod tx;
pub mod words;
