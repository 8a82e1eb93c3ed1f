//! Mutation of the Rust source: how many small faults do a room's own tests notice?
//!
//! The workspace's crates are copied to `target/mutants`, all mutants of a run are woven into the copy as choices, and it is
//! compiled once. Then the room's tests run once for each mutant. A mutant that does not compile is no mutant, nor is one that computes the same by the form of the
//! source (`same.rs`). One that no test notices needs a written reason.

mod build;
mod error;
mod guard;
mod named;
mod points;
mod rooms;
mod run;
mod same;
mod syntax;
mod weave;

pub use error::SourceError;
pub use named::{Named, NamedError, NamedOutcome};
pub use points::points;
pub use rooms::{rooms, Room, ROOMS};
pub use run::{run, RoomReport};
