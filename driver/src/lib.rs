//! The NIC's driver for Rust, and the control protocol between a program's library and the host daemon.
//!
//! | file | subject |
//! | --- | --- |
//! | `hpcc.h`, `hpcc.c` (the folder above) | the driver itself: queues, work, completions, events; C11, no libraries |
//! | `hpcc_command.h`, `hpcc_command.c` | its commands through the NIC's registers |
//! | `hpcc_queues.h` | numbers and layouts, generated |
//! | `abi`, `command_abi` | types and functions as C has them |
//! | `commands` | the commands for safe Rust |
//! | `control` | requests of a program to the daemon, and replies |
//! | `qp_attributes`, `addresses` | attributes of a queue pair in a request; names and addresses of NICs |
//! | `fields` | numbers in the fixed-size messages |
//! | `shared` | the memory that a program shares with the daemon: places of doorbells, clock and signs of life |

pub mod abi;
mod addresses;
pub mod command_abi;
#[cfg(test)]
mod command_tests;
pub mod commands;
pub mod control;
#[cfg(test)]
mod driver_tests;
mod fields;
mod qp_attributes;
pub mod shared;
