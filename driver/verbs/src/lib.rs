//! The part of the libibverbs ABI that programs with reliable connections use, on the NIC that the host daemon simulates.
//!
//! A program gets the library by `LD_PRELOAD`; what is not defined here stays the real library's. Control goes to the daemon over a socket;
//! work requests and completions lie in memory that the program shares with it, written and read by the C driver. Everything that a program
//! hands over is a pointer of its own, so `unsafe` stands where the C ABI is: a program that hands over a wrong one breaks itself alone.
//!
//! | file | subject |
//! | --- | --- |
//! | `abi` | structures of `<infiniband/verbs.h>` |
//! | `open`, `context`, `shared` | an open device: socket, shared memory, doorbells, tables |
//! | `device`, `query` | list of devices; what a device, a port and a GID are |
//! | `memory` | protection domains and registrations |
//! | `completion`, `extended` | completion queues, polled the old and the new way |
//! | `channel`, `completion_events` | channels of their events, and the events |
//! | `queue_pair`, `modify` | queue pairs; their states and attributes |
//! | `post`, `builder` | work requests, handed over whole or built call by call |
//! | `asynchronous` | asynchronous events |
//! | `helper` | reads and writes of the program's memory for a daemon that may not do so itself |
//! | `virtual_time` | the program's clock is the NIC's |
//! | `absent` | what the NIC does not offer; the PCI library of perftest |
//! | `socket`, `lock`, `settings` | messages with descriptors; a lock held between two calls; environment variables |

// Every pointer is the program's, and the header says what each function expects of it.
#![allow(clippy::missing_safety_doc, clippy::not_unsafe_ptr_arg_deref)]

#[allow(missing_docs)]
mod abi;
#[cfg(test)]
mod abi_tests;
mod absent;
mod asynchronous;
mod builder;
mod channel;
mod completion;
mod completion_events;
mod context;
mod device;
mod extended;
mod helper;
mod lock;
mod memory;
mod modify;
mod open;
mod post;
mod query;
mod queue_pair;
mod settings;
mod shared;
mod socket;
mod virtual_time;
