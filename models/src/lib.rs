//! Golden and bit-accurate models of the NIC, of its wire formats and of the network around it.
//!
//! Nothing here knows about hardware description; `hpcc-rtl` takes its number formats and constants from here.

pub mod alloc;
pub mod cc;
pub mod fixed;
pub mod goal;
pub mod measure;
pub mod net;
pub mod nic;
pub mod sched;
pub mod seeds;
pub mod wire;
pub mod workload;
