//! Host side: registers, commands and contexts of queue pairs, memory regions.

pub mod control;
pub mod fence;
pub mod generations;
pub mod manager;
pub mod qp_states;
pub mod region_guards;
pub mod regions;
pub mod registers;

#[cfg(test)]
mod tests;
