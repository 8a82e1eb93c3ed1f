//! Test bench library.

pub mod cli;
pub mod config;
pub mod cosim;
pub mod drive;
pub mod formal;
#[cfg(test)]
mod house;
pub mod mutate;
pub mod nic;
pub mod parallel;
pub mod plan;
pub mod report;
pub mod scenario;
pub mod tools;
pub mod verilated;
