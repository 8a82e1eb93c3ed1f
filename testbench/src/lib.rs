//! Test bench library.

pub mod cli;
pub mod cosim;
pub mod drive;
