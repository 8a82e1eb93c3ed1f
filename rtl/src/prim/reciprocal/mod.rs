//! 1/n without a divider, as in section 4.3 of the paper: two blocks with the same ports, one result each clock.
//!
//! | block | how | tables | clocks | model |
//! |---|---|---|---|---|
//! | [`Reciprocal`] | normalise, look up, interpolate | 1024 bytes | 10 | [`hpcc_models::fixed::reciprocal::Interpolated`] |
//! | [`PaperReciprocal`] | the paper's stored values | 10 180 + 6 242 bytes | 13 | [`hpcc_models::fixed::reciprocal::PaperTable`] |
//!
//! In: `n`, 24 bits, every clock. Out: `1/n = mantissa / 2^17 x 2^(shift - 24)`, `mantissa` from one up to two in UQ1.17.
//! Zero gives every bit of both set. [`ReciprocalMantissa`] is the core that the congestion-control module uses;
//! [`Divider`](super::divider::Divider) is what both replace.

mod interpolated;
mod mantissa;
mod paper;

pub use interpolated::Reciprocal;
pub use mantissa::ReciprocalMantissa;
pub use paper::PaperReciprocal;
