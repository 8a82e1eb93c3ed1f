//! The NIC in RustHDL.
