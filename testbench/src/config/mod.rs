//! Configuration of one NIC: its file, its registers, and the behavioural model that they make.
//!
//! | file | subject |
//! | --- | --- |
//! | `nic` | the file: registers, neighbours, queue pairs, memory, work |
//! | `sections` | its tables as they stand there |
//! | `queues` | its queue pairs with queues in memory |
//! | `limits` | its caps, groups and levels |
//! | `registers` | its table `[nic]` |
//! | `resolved` | what a result says of it |
//! | `model` | from a configuration to the behavioural model and its laws |

mod limits;
mod model;
mod nic;
mod queue_sections;
mod queues;
mod registers;
mod resolved;
mod sections;

pub use limits::Limits;
pub use model::{ack_req_interval, law_code, law_name, needs_int, CodedLaw, DCQCN, ECT, NIC_LAWS};
pub use nic::*;
pub use queues::{QueueSetup, QueuedPair, TimedReceive, RING_SPACE};
