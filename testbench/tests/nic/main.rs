//! The whole NIC, alone and at a link, behavioural and in RTL: `cargo test --test nic frames::` runs one subject.
//!
//! | file | subject |
//! | --- | --- |
//! | `agent` | `hpcc-nic agent`: two `serve` processes share a capacity; limits of a configuration hold |
//! | `bring_up` | The register trace of the book on the NIC in RTL, as a list and as C: the first WRITE and READ complete |
//! | `frames` | The behavioural model and the RTL, Verilated, on the same input: the same frames in the same order per queue pair, byte for byte, after the same input, the same completions, memory and counters |
//! | `fuzz` | A short run of the fuzz of the NIC in RTL: honest work beside hostile frames |
//! | `link` | Two NICs on a wire: memory identical whatever the wire does, or an error completion; frames that foreign tools accept |
//! | `overflow` | Memory that stands still: each frame that finds no room in the packet buffer is counted |
//! | `pause` | Per-priority pause of the whole NIC in RTL: a paused queue pair waits, and no other notices |
//! | `replay` | `hpcc-nic replay`: recorded and hand-made frames into one NIC, its answers, memory, completions and counters |
//! | `restart` | A NIC in RTL that was used and reset, or whose queue pair was created 256 times over, against one just switched on |
//! | `serve` | `hpcc-nic serve`: processes with a live wire between them, ARP, and a clean end |

mod agent;
mod bring_up;
mod frames;
mod fuzz;
mod link;
mod overflow;
mod pause;
mod replay;
mod restart;
mod serve;
