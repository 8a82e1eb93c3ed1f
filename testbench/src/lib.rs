//! Test bench library.

pub mod cli;
pub mod cosim;
pub mod drive;
pub mod tools;
pub mod verilated;
