//! Configuration of one NIC: its file, its registers, and the behavioural model that they make.
//!
//! | file | subject |
//! | --- | --- |
//! | `nic` | the file: registers, neighbours, queue pairs, memory, work |
//! | `registers` | its table `[nic]` |
//! | `model` | from a configuration to the behavioural model and its law |

mod model;
mod nic;
mod registers;

pub use nic::*;
