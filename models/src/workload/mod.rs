//! Traffic: flow sizes from measured distributions, Poisson arrivals at a load, incast bursts, requests between racks. Same seed, same flows.

mod arrivals;
mod requests;
mod sizes;

pub use arrivals::{incast_bursts, poisson, poisson_between, ArrivalError, Between, IncastMix, Poisson};
pub use requests::{requests, Requests};
pub use sizes::{SizeDistribution, SizeError};

#[cfg(test)]
mod distribution_tests;
