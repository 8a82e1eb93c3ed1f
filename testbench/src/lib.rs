//! Test bench library.

mod cc_rtl;
pub mod cli;
pub mod config;
pub mod cosim;
pub mod drive;
pub mod formal;
#[cfg(test)]
mod house;
pub mod mutate;
pub mod nic;
pub mod program;
pub mod report;
pub mod tools;
pub mod verilated;
