//! Test bench library.
