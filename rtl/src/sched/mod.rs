//! The flow scheduler (HPCC paper, sections 4.2 and 4.3).
//!
//! | block | does |
//! |---|---|
//! | [`entry`], [`place`] | all events into one row, one operation a clock |
//! | [`carried`] | what acknowledgements carry past the scheduler |
//! | [`sender`] | sequence numbers, timers, retries: what events change |
//! | [`engine_of`] | which engine a flow belongs to |
//! | [`refund`] | bytes that packets used less than full ones |
//! | [`engine`], one per group of flows | one [`visit`] a clock: what visits change |
//! | [`levels`] | levels of groups on their way to the engines |
//! | [`members`], [`group_sum`] | flows with work and bytes sent, by groups |
//! | [`waiting`], [`choice`] | active flows between visits: a ring, or a calendar for thousands of flows |
//! | [`merge`] | grants of all engines into one row, fairly |
//! | [`park`] | grants of paused priorities stand aside |
//! | [`expand`] | a grant of several packets into PktSend, one a clock |

pub mod carried;
pub mod choice;
pub mod engine;
pub mod engine_of;
pub mod entry;
pub mod expand;
pub mod group_sum;
pub mod levels;
pub mod members;
pub mod merge;
pub mod pacing;
pub mod park;
pub mod place;
pub mod ports;
pub mod refund;
pub mod sender;
pub mod stimulus;
#[cfg(test)]
mod tests;
mod top;
pub mod visit;
pub mod waiting;

pub use top::Scheduler;

/// The paper's configuration: six engines by fifty flows in rings.
pub type PaperScheduler = Scheduler<6, 50, 9, 6, 6, 1>;

/// 4098 flows: six engines by 683, eight delays from 32 ns to 8.2 us.
pub type LargeScheduler = Scheduler<6, 683, 13, 10, 4, 9>;
