//! Emitted Verilog, compiled by Verilator into a shared object and driven in this process.
//!
//! The protocol is that of [`hpcc_rtl::sim`]: inputs while the clock is low, outputs just before the rising edge.

mod build;
pub mod lockstep;
mod model;
mod shim;
pub mod vectors;

pub use build::{shared_object, Sources};
pub use model::{Model, ModelError};

use hpcc_rtl::emit::{EmitError, Library};
use hpcc_rtl::sim::port_list;
use rust_hdl::prelude::Block;

/// Emits a block as module `top` and gathers what its model is built from.
pub fn sources(top: &str, block: &mut dyn Block) -> Result<Sources, EmitError> {
    let mut library = Library::new();
    library.add_top(top, block)?;
    let ports = port_list(block);
    Ok(Sources {
        top: top.into(),
        files: library.sources(top),
        ports,
        defines: vec![],
        optimise: 2,
    })
}
