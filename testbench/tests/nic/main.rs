//! The whole NIC, alone and at a link, behavioural and in RTL: `cargo test --test nic frames::` runs one subject.
//!
//! | file | subject |
//! | --- | --- |
//! | `frames` | The behavioural model and the RTL, Verilated, on the same input: the same frames in the same order per queue pair, byte for byte, after the same input, the same completions, memory and counters |
//! | `fuzz` | A short run of the fuzz of the NIC in RTL: honest work beside hostile frames |
//! | `link` | Two NICs on a wire: memory identical whatever the wire does, or an error completion; frames that foreign tools accept |
//! | `pause` | Per-priority pause of the whole NIC in RTL: a paused queue pair waits, and no other notices |
//! | `replay` | `hpcc-nic replay`: recorded and hand-made frames into one NIC, its answers, memory, completions and counters |
//! | `serve` | `hpcc-nic serve`: processes with a live wire between them, ARP, and a clean end |

mod frames;
mod fuzz;
mod link;
mod pause;
mod replay;
mod serve;
