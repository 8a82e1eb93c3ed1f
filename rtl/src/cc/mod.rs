//! The congestion-control slot and the laws that fill it.
//!
//! [`slot`] is what every law offers to the NIC; [`hpcc`] is HPCC, [`powertcp`] PowerTCP, both made of [`parts`]; [`dcqcn`] is
//! DCQCN, which needs no INT, [`theta`] theta-PowerTCP, which needs round-trip times alone. [`choice`] puts laws side by side. A law that comes later implements the same ports, and the scheduler
//! and the pipes do not change.

#[cfg(test)]
mod bench;
pub mod choice;
pub mod dcqcn;
pub mod hpcc;
pub mod parts;
pub mod powertcp;
pub mod slot;
pub mod stimulus;
pub mod theta;
