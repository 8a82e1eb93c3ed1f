//! Traffic: flow sizes from measured distributions, Poisson arrivals at a load, incast bursts, requests between racks, collective operations. Same seed, same flows.

mod arrivals;
mod collective;
mod requests;
mod sizes;

pub use arrivals::{incast_bursts, poisson, poisson_between, ArrivalError, Between, IncastMix, Poisson};
pub use collective::{Algorithm, Collective, Flows, Operation, Place};
pub use requests::{requests, Requests};
pub use sizes::{SizeDistribution, SizeError};

#[cfg(test)]
mod distribution_tests;
