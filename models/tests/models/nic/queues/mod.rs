//! The NIC with queues in the host's memory, held against the rules as they are written: literal entries and frames, single cases by name, and random
//! programs on a bad wire against a small reference.

mod arming;
mod bench;
mod commands;
mod endings;
mod flush_order;
mod frames;
mod programs;
mod receiver;
mod two;
