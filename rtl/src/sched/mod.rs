//! The flow scheduler (HPCC paper, sections 4.2 and 4.3).
//!
//! | block | does |
//! |---|---|
//! | [`entry`] | all events into one row, one operation a clock |
//! | [`sender`] | sequence numbers, timers, retries: what events change |
//! | [`engine`], one per group of flows | a ring of active flows, one [`visit`] a clock: what visits change |
//! | [`merge`] | grants of all engines into one row, fairly |
//! | [`expand`] | a grant of several packets into PktSend, one a clock |

pub mod engine;
pub mod entry;
pub mod expand;
pub mod merge;
pub mod ports;
pub mod sender;
#[cfg(test)]
mod tests;
mod top;
pub mod visit;

pub use top::Scheduler;
