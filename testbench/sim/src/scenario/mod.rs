//! Scenarios: which network, which traffic, which law, how deep; how they run and what they produce.

mod base_rtt;
pub mod builtin;
mod circuits;
mod classes;
pub mod collectives;
mod dependent;
pub mod figures;
pub mod files;
pub mod hcc;
mod homa;
mod jobs;
pub mod keys;
mod links;
pub mod ns3;
pub mod numbers;
pub mod output;
mod routing;
pub mod rules;
pub mod runner;
pub mod spec;
pub mod sweep;
pub mod tcp;
pub mod telemetry;
mod time;
pub mod traffic;
mod trees;
pub mod whole_nics;
