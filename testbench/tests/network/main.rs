//! Networks of flows, and the laws on recorded traces: `cargo test --test network fidelity` runs one file.
//!
//! | file | subject |
//! | --- | --- |
//! | `cosim_synthetic` | Co-simulation on synthetic traces: what recordings lack (wraps, five hops, mixed speeds, 64 senders, other parameters) |
//! | `fidelity` | `fixed` and `cc-rtl` give the same bytes; golden differs from fixed by less than another seed does |
//! | `network_options` | Every option of a scenario's network is reachable from TOML and does what it says |
//! | `nic_laws` | Laws in whole NICs: completion times and queues are near those of `fixed` |
//! | `nic_network` | Whole NICs on the hosts of the network: memory is right whatever the network does, and the same seed gives the same bytes |
//! | `nic_runs` | Runs with whole NICs, and what they are compared by |
//! | `nic_telemetry` | Whole NICs with every way to collect telemetry and to bring it back: as the network's own hosts |
//! | `ns3_agreement` | Runs of the authors' simulator, replayed from its own files: completion time of every flow, queue lengths, slowdown percentiles |
//! | `tcp_agreement` | TCP hosts against runs of stock ns-3: completion times, drops, marks, and the sender's state row by row |

mod cosim_synthetic;
mod fidelity;
mod network_options;
mod nic_laws;
mod nic_network;
mod nic_runs;
mod nic_telemetry;
mod ns3_agreement;
mod tcp_agreement;
