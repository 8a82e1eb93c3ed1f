//! RustHDL to SystemVerilog.
//!
//! RustHDL's own generator disagrees with its simulation: it keeps carries through casts, compares at 32 bits, and leaves
//! precedence to Verilog. This emitter works on the syntax tree that `#[hdl_gen]` records and renders every
//! operation at the width at which the simulation computes it. One module per distinct block, one file per module, the
//! same bytes on every machine.
//!
//! ```text
//! collect   the blocks as plain data          expr, position, literal   expressions at exact widths
//! stmt      statements, loops unrolled        flow                      assign or always_comb; latches refused
//! ports     a module's ports                  module                    one module's text
//! kernel    the syntax tree of a kernel, put together by calls
//! library   names, distinct modules           tree                      files
//! types     words and kinds, the package      comment                   comments of the sources, long lines
//! ```

mod collect;
mod comment;
mod error;
mod expr;
mod flow;
pub mod ident;
pub mod kernel;
mod library;
mod literal;
mod module;
pub mod naming;
mod ports;
mod position;
mod reads;
mod stmt;
#[cfg(test)]
mod tests;
mod tree;
mod types;

pub use error::{EmitError, Fault};
pub use library::Library;
pub use tree::{Difference, Tree};
