//! The hpcc-nic command.
fn main() {}
