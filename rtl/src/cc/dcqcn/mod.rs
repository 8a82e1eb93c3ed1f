//! Reaction point of DCQCN in hardware (SIGCOMM 2015, section 5): one event a clock, timers by a walk over the flows.
//!
//! | clocks | block | does |
//! |---|---|---|
//! | | [`walk`] | a tick for one flow after another that has been notified |
//! | -4 - 0 | [`entry`] | commands, events and ticks in one row, a flow every six clocks at most |
//! | 0 - 6 | [`timers`] | which timers are due, stages, bytes: what the event does |
//! | 0 - 9 | [`alpha`] | the estimate of congestion |
//! | 6 - 19 | [`rates`] | cut, increase, window |
//! | 19 - 22 | `updates` | FIFO that holds what the receiver does not take |
//!
//! When a rate moves depends on times, stages and bytes alone, alpha on that, and the rates on both; so each has its RAM beside its own
//! arithmetic, and three loops of six clocks do what one of the whole law would need twelve for. The order of decisions, every format and
//! every rounding are those of [`hpcc_models::fixed::dcqcn`], bit for bit.

pub mod alpha;
pub mod entry;
pub mod rates;
pub mod registers;
#[cfg(test)]
mod tests;
pub mod timers;
mod top;
pub mod walk;

pub use top::{DcqcnSlot, LATENCY};
