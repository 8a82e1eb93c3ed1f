//! NICs for unmodified RDMA programs: the daemon that simulates them, and how a program is started on it.
//!
//! A program has the library `libhpcc_verbs.so` in place of libibverbs. It asks the daemon over a socket, and shares memory with it in which its
//! queues and doorbell words lie. The daemon turns doorbell words into doorbells of the NIC, reads and writes the program's memory for it, and hands
//! its events to the program's pipes. Whatever a program does wrong, it does to itself alone.
//!
//! | file | subject |
//! | --- | --- |
//! | `daemon` | the loop |
//! | `doorbells`, `connections`, `clock` | what it does in turns |
//! | `requests`, `queues`, `answer`, `client` | what programs ask and get, and what they have |
//! | `tables` | numbers, and who has them |
//! | `gate` | virtual time: when the clock may move |
//! | `nic`, `events` | one NIC, its event queue and its traffic |
//! | `wire`, `packets`, `meter` | what lies between the NICs: a wire, or a packet network; its queues |
//! | `scenario` | the packet network and the law of a scenario |
//! | `capture`, `samples` | the frames of all NICs in a file; rates and queues over time in another |
//! | `wave` | a waveform of their ports |
//! | `space`, `process`, `shared_file` | memory of programs |
//! | `socket` | connections |
//! | `verbs` | numbers of `<infiniband/verbs.h>` |
//! | `host`, `launch` | the daemon as a command starts it; a program started on it |

mod answer;
mod capture;
mod client;
mod clock;
mod connections;
mod daemon;
mod doorbells;
mod events;
mod gate;
mod host;
mod launch;
mod meter;
mod nic;
mod packets;
mod process;
mod queues;
mod requests;
mod samples;
mod scenario;
mod shared_file;
mod socket;
mod space;
mod tables;
mod verbs;
mod wave;
mod wire;

pub use host::{registers, Host, HostError, HostOptions, Network};
pub use launch::{default_socket, Launch, LaunchError};
pub use meter::QueueMeter;
pub use nic::HostNic;
pub use packets::{PacketNetwork, PacketsError};
pub use scenario::scenario_job;
pub use space::Spaces;
pub use wire::{Arrival, Fabric, PathRule};
