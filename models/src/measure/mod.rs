//! Numbers out of runs: percentiles, classes of flow sizes, fairness.

mod stats;

pub use stats::{jain, mean, percentile, SizeClass, NS3_SIZE_CLASSES};
