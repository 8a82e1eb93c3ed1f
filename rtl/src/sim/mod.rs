//! Clock-by-clock simulation of any block in one thread.
//!
//! RustHDL's own simulator runs each test bench in a thread and is about eighty times slower. The protocol here, which
//! the Verilated model follows too: inputs change while the clock is low, outputs are read just before the rising edge,
//! then the edge comes. An input set together with the rising edge would be captured by that edge, which no hardware does.
//!
//! ```text
//! let mut block: Box<MyBlock> = Box::default();
//! init(block.as_mut())?;
//! block.a.next = U(3);                                     // this clock's inputs
//! let seen = step(block.as_mut(), |block| block.p.val());  // outputs before the edge, then the edge
//! ```

mod ports;
mod stack;
mod stimulus;
mod wave;

pub use ports::{port_list, Port, PortField, Ports};
pub use stack::on_a_large_stack;
pub use stimulus::{is_whole, length, Stimulus};
pub use wave::{Wave, WaveWindow};

use rust_hdl::prelude::*;

/// Rounds of evaluation after which a block that still changes is taken for a combinational loop.
const MAX_ROUNDS: usize = 200;

/// Why a block cannot be simulated.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// Undriven inputs, latches by read before write, or writes to own inputs.
    #[error("the block's connections are wrong: {0:?}")]
    Check(rust_hdl::core::check_error::CheckError),
    /// The block's outputs never settle.
    #[error("the block has a combinational loop")]
    Loop,
}

/// A block with one clock, named `clock`; written by [`macro@crate::block`].
pub trait HasClock: Block {
    /// The clock input.
    fn clock_port(&mut self) -> &mut Signal<In, Clock>;
}

/// Connects and checks a block and lets it settle with all inputs zero. Once, before the first [`step`].
pub fn init<B: Block>(block: &mut B) -> Result<(), InitError> {
    block.connect_all();
    check_all(block).map_err(InitError::Check)?;
    if simulate(block, MAX_ROUNDS) {
        Ok(())
    } else {
        Err(InitError::Loop)
    }
}

/// One clock: settles the inputs the caller has set, hands the outputs to `sample`, then the rising edge.
///
/// # Panics
/// If the block does not settle, which is a combinational loop in its description.
#[inline(always)]
pub fn step<B: HasClock, R>(block: &mut B, sample: impl FnOnce(&B) -> R) -> R {
    set_clock(block, false);
    let sampled = sample(block);
    set_clock(block, true);
    sampled
}

/// Sets the clock and lets the block settle: half a [`step`], for callers that look in between.
///
/// # Panics
/// If the block does not settle.
#[inline(always)]
pub fn set_clock<B: HasClock>(block: &mut B, high: bool) {
    block.clock_port().next = Clock { clk: high };
    assert!(
        simulate(block, MAX_ROUNDS),
        "combinational loop: the block does not settle"
    );
}
