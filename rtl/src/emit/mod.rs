//! RustHDL to SystemVerilog.
//!
//! RustHDL's own generator disagrees with its simulation: it keeps carries through casts, compares at 32 bits, and leaves
//! precedence to Verilog. This emitter works on the syntax tree that `#[hdl_gen]` records and renders every
//! operation at the width at which the simulation computes it. One module per distinct block, one file per module, the
//! same bytes on every machine.
//!
//! ```text
//! collect   the blocks as plain data          expr, position, literal   expressions at exact widths
//! stmt      statements, loops turn by turn    flow                      assign or always_comb; latches refused
//! array     items of one declaration          unify, render             statements as text, loops as loops
//! ports     a module's ports                  module, declare           one module's text
//! contract  what a module promises at its streams
//! kernel    the syntax tree of a kernel, put together by calls
//! library   names, distinct modules           tree                      files
//! types     words and kinds, the package      comment                   comments of the sources, long lines
//! ```

mod array;
mod collect;
mod comment;
mod contract;
mod declare;
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
mod render;
mod stmt;
#[cfg(test)]
mod tests;
mod tree;
mod types;
mod unify;

pub use error::{EmitError, Fault};
pub use library::Library;
pub use module::Counts;
pub use tree::{Difference, Tree};
