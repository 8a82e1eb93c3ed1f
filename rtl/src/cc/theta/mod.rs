//! theta-PowerTCP in hardware (NSDI 2022, Algorithm 2): round-trip times alone, one acknowledgement a clock.
//!
//! | clocks | block | does | paper |
//! |---|---|---|---|
//! | -3 - 0 | [`admit`](super::parts::admit) | streams in, a flow every six clocks at most | |
//! | 0 - 5 | [`records`] | round-trip time, end of the round trip, kind of step | lines 8, 9, 24, 27 |
//! | 5 - 28 | [`measure`] | power from the round-trip time and its gradient | lines 15 - 19 |
//! | 28 - 69 | [`reaction`](super::powertcp::reaction) | smoothed power, `gamma / power`, window, old window, rate | lines 10, 20, 28 |
//! | 69 - 74 | [`scale`] | the window at the base round-trip time that the flow has measured | |
//! | 74 - 77 | `updates` | FIFO that holds what the receiver does not take | |
//!
//! The order of decisions, every format and every rounding are those of [`hpcc_models::fixed::powertcp`], bit for bit.

pub mod measure;
pub mod records;
pub mod scale;
#[cfg(test)]
mod tests;
mod top;

pub use top::{ThetaSlot, LATENCY};
