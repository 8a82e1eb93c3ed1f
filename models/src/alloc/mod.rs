//! Max-min fair shares of links, and the agents of hierarchical congestion control (HCC) that reach them by messages.
//!
//! In: bottlenecks with capacities, flows with demands and paths. Out: a share for every flow. [`exact`] solves a whole graph and is
//! what everything else is measured against; [`single`] and [`several`] are the paper's Algorithms 1 and 2 (section III-A),
//! [`Incremental`] keeps shares up to date under changes, [`hierarchy`] builds the aggregation tree (III-B) and [`agent`] is Algorithm
//! 3 with its messages (III-C). Nothing here has a clock or does I/O: time comes in as an argument, messages go out as values.
//!
//! Rates are 64-bit integers in bit/s of bytes on the wire (frame, FCS, preamble, gap). Divisions round down, so that sums never pass
//! a capacity. [`INFINITE`] is a demand without limit: it sorts last and is never subtracted.

pub mod agent;
mod demand_map;
pub mod exact;
mod graph;
pub mod hierarchy;
mod incremental;
pub mod message;
mod quantiser;
pub mod several;
pub mod single;

pub use demand_map::DemandMap;
pub use graph::{Flow, Graph, GraphError};
pub use incremental::{Change, Incremental};
pub use quantiser::{Quantiser, QuantiserError};

/// A demand, or a water level, without limit.
pub const INFINITE: u64 = u64::MAX;

#[cfg(test)]
mod tests;
