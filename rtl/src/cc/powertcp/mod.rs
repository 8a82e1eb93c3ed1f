//! PowerTCP in hardware (NSDI 2022, Algorithm 1): five hops in parallel, one acknowledgement a clock.
//!
//! | clocks | block | does | paper |
//! |---|---|---|---|
//! | -3 - 0 | [`admit`](super::parts::admit) | streams in, a flow every six clocks at most | |
//! | 0 - 5 | [`records`](super::parts::records), five [`hop`](super::parts::hop) | records, end of the round trip, kind of step | lines 11, 18 |
//! | 3 - 26 | five [`lane`] | power of each hop over its base power | lines 19 - 26 |
//! | 26 - 30 | [`maximum`](super::parts::maximum) | the hop with the largest power | lines 27 - 29 |
//! | 30 - 40 | [`average`](super::parts::average) | smoothed power | line 33 |
//! | 40 - 61 | [`factor`], [`inverse`](super::parts::inverse) | `gamma / power` | line 39 |
//! | 61 - 71 | [`window`] | window, old window, rate | lines 10, 39 |
//! | 30 - 71 | [`reaction`] | the three above, with what goes beside them | |
//! | 71 - 74 | `updates` | FIFO that holds what the receiver does not take | |
//!
//! Blocks that other laws use too are in [`super::parts`]. The order of decisions, every format and every rounding are those of
//! [`hpcc_models::fixed::powertcp`], bit for bit.

pub mod factor;
pub mod lane;
pub mod reaction;
pub mod registers;
#[cfg(test)]
mod tests;
mod top;
pub mod window;

pub use top::{PowerSlot, LATENCY};
