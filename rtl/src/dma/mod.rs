//! Memory master: jobs of bytes to AXI4 bursts and back.
//!
//! | file | subject |
//! | --- | --- |
//! | `split` | jobs to bursts that cross no 4 KiB |
//! | `read`, `write` | the two halves of the AXI4 port |
//! | `read_align` | lines of memory to beats of payload |
//! | `walk` | its job at hand, line by line |
//! | `write_align` | words of a frame to lines of memory, on their way out of the packet buffer |
//! | `turn` | what both aligners have: a line turned by a number of bytes |

pub mod read;
mod read_align;
pub mod split;
pub mod turn;
mod walk;
pub mod write;
pub mod write_align;
