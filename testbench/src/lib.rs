//! Test bench library.

pub mod drive;
