//! The NIC in RustHDL.

pub mod emit;
pub mod prim;
pub mod sim;
