//! Memory master: jobs of bytes to AXI4 bursts and back.
//!
//! | file | subject |
//! | --- | --- |
//! | `split` | jobs to bursts that cross no 4 KiB |
//! | `read`, `write` | the two halves of the AXI4 port |
//! | `read_align`, `write_align` | lines of memory to beats of payload and back |

pub mod read;
mod read_align;
pub mod split;
pub mod turn;
pub mod write;
mod write_align;
