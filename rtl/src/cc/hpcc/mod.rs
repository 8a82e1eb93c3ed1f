//! HPCC in hardware (SIGCOMM 2019, Algorithm 1): five hops in parallel, one acknowledgement a clock.
//!
//! | clocks | block | does | paper |
//! |---|---|---|---|
//! | -3 - 0 | [`admit`](super::parts::admit) | streams in, a flow every six clocks at most | |
//! | 0 - 5 | [`records`](super::parts::records), five [`hop`](super::parts::hop) | records, sequence numbers, kind of step | lines 21 - 27 |
//! | 3 - 18 | five [`lane`] | `u' / eta` of each hop | lines 4, 5 |
//! | 18 - 22 | [`maximum`](super::parts::maximum) | the most congested hop | lines 6, 7 |
//! | 22 - 32 | [`average`](super::parts::average) | moving average | lines 8, 9 |
//! | 32 - 46 | [`inverse`](super::parts::inverse) | `eta / U` | line 13 |
//! | 46 - 56 | [`window`] | window, reference window, rate | lines 11 - 20, 27 |
//! | 56 - 59 | `updates` | FIFO that holds what the receiver does not take | |
//!
//! Blocks that other laws use too are in [`super::parts`]. The order of decisions, every format and every rounding are those of [`hpcc_models::fixed::hpcc`], bit for bit.

pub mod lane;
pub mod registers;
#[cfg(test)]
mod tests;
mod top;
pub mod window;

pub use top::{HpccSlot, LATENCY};
