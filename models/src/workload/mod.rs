//! Traffic: flow sizes from measured distributions, Poisson arrivals at a load, incast bursts. Same seed, same flows.

mod arrivals;
mod sizes;

pub use arrivals::{incast_bursts, poisson, poisson_between, ArrivalError, Between, IncastMix, Poisson};
pub use sizes::{SizeDistribution, SizeError};
