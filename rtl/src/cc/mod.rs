//! The congestion-control slot and the laws that fill it.
//!
//! [`slot`] is what every law offers to the NIC; [`hpcc`] is HPCC. A law that comes later implements the same ports, and
//! the scheduler and the pipes do not change.

pub mod hpcc;
pub mod slot;
pub mod stimulus;
