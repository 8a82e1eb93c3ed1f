//! Memory master: jobs of bytes to AXI4 bursts and back.
//!
//! | file | subject |
//! | --- | --- |
//! | `split` | jobs to bursts that cross no 4 KiB |
//! | `read`, `write` | the two halves of the AXI4 port |
//! | `read_align`, `write_align` | lines of memory to beats of payload and back |
//! | `walk`, `turn` | what both have: the job at hand, line by line, and a line turned by the place of its first byte |

pub mod read;
mod read_align;
pub mod split;
pub mod turn;
mod walk;
pub mod write;
mod write_align;
