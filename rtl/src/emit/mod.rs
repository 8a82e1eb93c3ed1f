//! RustHDL to SystemVerilog.

pub mod naming;
