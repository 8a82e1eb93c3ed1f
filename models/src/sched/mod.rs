//! The flow scheduler (HPCC paper, sections 4.2 and 4.3): what an event and a visit do to a flow, bit for bit as the
//! hardware, in no particular order of time.
//!
//! Two owners share a flow. [`sender`] holds what events change: acknowledged, end of work, rewinds, timer. [`mod@visit`] holds
//! what visits change: next PSN, credit. Each reads the other's state and never writes it, so the hardware needs no
//! lock; a rewind is a count that visits compare with their own.

pub mod formats;
pub mod limit;
pub mod psn;
pub mod registers;
#[cfg(test)]
mod restart_tests;
pub mod sender;
pub mod state;
#[cfg(test)]
mod tests;
pub mod visit;

pub use limit::{Cap, CapControl, Level, Membership};
pub use registers::SchedRegisters;
pub use sender::{FlowSettings, Op, Outcome, Timing};
pub use state::{SenderState, VisitState};
pub use visit::{visit, visit_at, Grant, Moment, Pacing, Visit};
