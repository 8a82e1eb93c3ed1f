//! One NIC under test with everything around it: host memory, host software, the wire.
//!
//! | file | subject |
//! | --- | --- |
//! | `device` | what every NIC under test can do, behavioural model or RTL |
//! | `model` | the behavioural model behind that face |
//! | `host_queues` | host software of queue pairs with queues in its memory |
//! | `rtl` | the RTL behind it, clock by clock |
//! | `link`, `link_config`, `link_kinds`, `link_nics`, `link_sends`, `link_report`, `link_provenance` | two NICs on a wire (`run link`) |
//! | `queue_pairs` | their numbers |
//! | `flood` | a third host that fills the wire with its frames |
//! | `progress` | which frames carry something for the first time |
//! | `bound` | how much payload could be carried at most |
//! | `network` | NICs on the hosts of a simulated network |
//! | `replay` | a capture into one NIC |
//! | `fuzz` | hostile frames beside honest work |
//! | `serve`, `arp` | one NIC with a live wire over UDP |
//! | `control`, `agent` | the control socket of such a NIC, and who shares capacities over it |
//! | `outputs` | memory, completions and counters as files |

pub mod agent;
pub mod arp;
pub mod bound;
pub mod control;
pub mod device;
pub mod flood;
pub mod fuzz;
mod host_queues;
pub mod link;
pub mod link_config;
mod link_kinds;
pub mod link_nics;
pub mod link_provenance;
pub mod link_report;
mod link_sends;
pub mod model;
pub mod network;
pub mod outputs;
mod progress;
pub mod queue_pairs;
pub mod replay;
pub mod rtl;
pub mod serve;

pub use device::{Device, DeviceError};
pub use model::ModelNic;
pub use rtl::RtlNic;
