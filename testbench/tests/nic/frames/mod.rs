//! The behavioural model and the RTL, Verilated, on the same input: the same frames in the same order per queue pair, byte for byte,
//! after the same input, the same completions, memory and counters. On top of it the directed scripts say what a peer must see.
//!
//! | file | subject |
//! | --- | --- |
//! | `peer` | packets of a hand-made peer, scripts, the comparison |
//! | `acceptance` | which packets are taken, which dropped, control packets |
//! | `surroundings` | slow memory and MAC, queue pairs that come and go: the RTL alone |
//! | `captures` | frames of another implementation |
//! | `notify` | marks of switches, notifications of congestion |
//! | `probes` | probes of the path and their answers |
//! | `random` | seeded traffic |
//! | `removals` | a removal waits for memory: the RTL alone |
//! | `regions` | requests under way when their region goes; offsets, domains, rights |
//! | `requester` | what the peer of a NIC that writes and reads relies on |
//! | `responder` | what a peer that writes and reads relies on |

mod acceptance;
mod captures;
mod notify;
mod peer;
mod probes;
mod random;
mod regions;
mod removals;
mod requester;
mod responder;
mod surroundings;
