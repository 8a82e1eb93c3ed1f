//! Numbers out of runs: percentiles, classes of flow sizes, fairness, distributions.

mod chi_square;
mod stats;

pub use chi_square::{chi_square, chi_square_bound, evenly_spread};
pub use stats::{jain, mean, percentile, SizeClass, NS3_SIZE_CLASSES};
