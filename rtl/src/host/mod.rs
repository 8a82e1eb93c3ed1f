//! Host side: memory regions and what stands between the queue pairs and the host.

pub mod regions;
