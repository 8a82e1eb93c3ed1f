//! Host side: memory regions, memory master, and what stands between the queue pairs and the host.

pub mod commit;
pub mod control;
pub mod dma_read;
pub mod dma_write;
pub mod job_split;
pub mod manager;
pub mod qp_states;
pub mod read_align;
pub mod regions;
pub mod registers;
pub mod requester;
pub mod write_align;
