//! The NIC's driver for Rust, and the control protocol between a program's library and the host daemon.
//!
//! | file | subject |
//! | --- | --- |
//! | `hpcc.h`, `hpcc.c` (the folder above) | the driver itself: C11, no libraries |
//! | `abi` | its types and functions as C has them |
//! | `control` | requests of a program to the daemon, and replies |
//! | `qp_attributes`, `addresses` | attributes of a queue pair in a request; names and addresses of NICs |
//! | `fields` | numbers in the fixed-size messages |
//! | `shared` | the memory that a program shares with the daemon: places of doorbells, clock and signs of life |

pub mod abi;
mod addresses;
pub mod control;
#[cfg(test)]
mod driver_tests;
mod fields;
mod qp_attributes;
pub mod shared;
