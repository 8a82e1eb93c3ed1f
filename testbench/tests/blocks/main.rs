//! Single blocks of the RTL: directed tests, and their Verilog in lockstep with RustHDL and through Yosys.
//!
//! One binary for each room, because linking costs more than testing: `cargo test --test blocks cc_lockstep` runs one file.
//!
//! | file | subject |
//! | --- | --- |
//! | `cc_lockstep` | The HPCC module's RustHDL and its Verilog side by side: every output in every clock, under real events, stalls and commands; and the Verilog under `-Wall` |
//! | `cc_synthesis` | Yosys on the HPCC module as emitted, for 300, 4096 and 8192 flows: no latch, every table a memory, every product a multiplier; and its average loop on a real part |
//! | `committed_verilog` | The committed Verilog is what the source emits, and is clean |
//! | `constructs` | Blocks that use every construct of the emitter |
//! | `dcqcn_events` | Ten million random events through DCQCN's reaction point in Verilog against the fixed-point law: every update, bit for bit and in order |
//! | `dma` | The memory reader and writer against the behavioural AXI4 memory: every byte, every error, and how many clocks it takes |
//! | `dma_traffic` | Jobs for the memory reader and writer, and what must come of them |
//! | `emission` | Rules of emission: blocks whose stock Verilog disagrees with their simulation, and every construct the emitter knows, in lockstep and under `-Wall` |
//! | `emitted_text` | How the emitted text reads, counted: registers without a comment, arrays taken apart, loops written out |
//! | `front_ends` | The committed text through every front end that is promised: none has anything to say about it |
//! | `fuzz_emission` | Random expressions and statements through the emitter and Verilator, against plain integer arithmetic |
//! | `host` | Registers and the manager of queue pairs: against the register map and the NIC's model, and their Verilog in lockstep |
//! | `literal_positions` | How many literal bit positions the hardware's sources still have, room by room |
//! | `own_law` | The book's example of a law of one's own in hardware: a delay target as Swift's, against its fixed-point law, as RustHDL and as Verilog |
//! | `primitives` | Each primitive's Rust description and its Verilog, side by side in every clock, and the Verilog under `-Wall` |
//! | `printed_words` | What `emit` prints of the words is what the hardware has: the C header is compiled and agrees byte by byte, the book has the tables |
//! | `reciprocal` | 1/n in Verilog: every n against the model, and against RustHDL in lockstep; the dividers beside it |
//! | `requester_lockstep` | The Verilog of the requester in lockstep with its RustHDL description |
//! | `responder_lockstep` | The Verilog of the responder's blocks in lockstep with their RustHDL descriptions |
//! | `rx_lockstep` | The Verilog of the RX parser and of its primitives in lockstep with their RustHDL descriptions |
//! | `sched` | Drives a Verilated scheduler: flows, a line that takes packets at its rate, acknowledgements after a round trip |
//! | `sched_caps` | Caps of flows and levels of groups in the paper's configuration, Verilated: rates, bytes after a write, stops, dither, counts |
//! | `sched_large` | The large configuration, six engines by 683 flows, Verilated: one fast flow among 4095 slow ones |
//! | `sched_limits` | A peer that is gone, and pause: the paper's configuration, Verilated |
//! | `sched_lockstep` | The scheduler in RustHDL and in Verilog, every output in every clock, under random events and stalls |
//! | `sched_losses` | Go-back-N over a path that loses packets and acknowledgements, and wake-ups of idle flows in every phase |
//! | `sched_pacing` | The paper's configuration, six engines by fifty flows, Verilated: pacing, throughput, fairness |
//! | `select_lockstep` | The packet selector in RustHDL and in Verilog, every output in every clock, under random tables, grants and stalls |
//! | `stamper_lockstep` | The INT stamper's Verilog in lockstep with its RustHDL description, on frames that it stamps and on noise, with stalls |
//! | `synthesis` | Yosys on the primitives as emitted: memories stay memories, products become multipliers, nothing becomes a latch |
//! | `term` | Random expressions as a description could contain them, with their meaning in plain integers |
//! | `tops` | What is emitted as a whole: every top can be, modules are few and none is there twice, every output is driven |
//! | `tx_lockstep` | The Verilog of the frame builders and of the arbiter in lockstep with their RustHDL descriptions |
//! | `words` | Words and kinds: what kernels may say, and that the Verilog means the same |

mod cc_lockstep;
mod cc_synthesis;
mod committed_verilog;
mod constructs;
mod dcqcn_events;
mod dma;
mod dma_traffic;
mod emission;
mod emitted_text;
mod front_ends;
mod fuzz_emission;
mod host;
mod literal_positions;
mod own_law;
mod primitives;
mod printed_words;
mod reciprocal;
mod requester_lockstep;
mod responder_lockstep;
mod rx_lockstep;
mod sched;
mod sched_caps;
mod sched_large;
mod sched_limits;
mod sched_lockstep;
mod sched_losses;
mod sched_pacing;
mod select_lockstep;
mod send_times_lockstep;
mod stamper_lockstep;
mod synthesis;
mod term;
mod tops;
mod tx_lockstep;
mod words;
