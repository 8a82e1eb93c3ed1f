//! GOAL schedules: for each rank of a parallel program its sends, receives and computations, and what each of these waits for.
//!
//! GOAL ("Group Operation Assembly Language") is the input of LogGOPSim (Hoefler, Schneider, Lumsdaine, 2010). `Schedule::parse` reads the
//! text, `replay` gives the finish times of the LogGOPS model, which has no network beyond a latency and a gap at both ends.

mod error;
mod parse;
mod queue;
mod ready;
mod replay;
mod scan;
#[cfg(test)]
mod tests;

pub use error::ParseError;
pub use replay::{replay, LogGops, Reception, ReplayError};

/// A whole schedule; the place in `ranks` is the rank's number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// Operations of each rank, in the order of the file.
    pub ranks: Vec<Vec<Operation>>,
}

/// One operation of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Name within its rank, empty where the file gives none.
    pub label: String,
    /// Line of the file, from 1 on.
    pub line: usize,
    /// What is done.
    pub kind: Kind,
    /// Processor of the rank.
    pub cpu: u8,
    /// Network port of the rank; 0 for a computation.
    pub nic: u8,
    /// Operations of the same rank that must be done before this one starts, each once.
    pub requires: Vec<usize>,
    /// Operations of the same rank that must have started before this one starts, each once.
    pub irequires: Vec<usize>,
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A message to another rank, or to the rank itself.
    Send {
        /// Rank that receives.
        to: u32,
        /// Length in bytes.
        bytes: u64,
        /// Tag, by which a receive chooses.
        tag: u32,
    },
    /// A message is awaited.
    Receive {
        /// Rank that sends; none: any rank.
        from: Option<u32>,
        /// Length in bytes as the receiver states it; no part of the matching.
        bytes: u64,
        /// Tag of the message; none: any tag.
        tag: Option<u32>,
    },
    /// The processor is busy.
    Compute {
        /// Duration in nanoseconds.
        ns: u64,
    },
}

impl Kind {
    /// Operations that become ready together start in this order: sends, receives, computations (LogGOPSim).
    fn turn(self) -> u8 {
        match self {
            Kind::Send { .. } => 0,
            Kind::Receive { .. } => 1,
            Kind::Compute { .. } => 2,
        }
    }

    /// Does a receive of this kind take a message of rank `source` with `tag`?
    fn takes(self, source: u32, tag: u32) -> bool {
        match self {
            Kind::Receive { from, tag: wanted, .. } => {
                from.is_none_or(|from| from == source) && wanted.is_none_or(|wanted| wanted == tag)
            }
            _ => false,
        }
    }
}

impl Schedule {
    /// An operation in the words of an error.
    pub fn describe(&self, rank: usize, operation: usize) -> String {
        let op = &self.ranks[rank][operation];
        let what = match op.kind {
            Kind::Send { to, bytes, tag } => format!("send of {bytes} bytes to rank {to}, tag {tag}"),
            Kind::Receive { from, bytes, tag } => {
                let from = from.map_or("any rank".to_string(), |from| format!("rank {from}"));
                let tag = tag.map_or("any tag".to_string(), |tag| format!("tag {tag}"));
                format!("receive of {bytes} bytes from {from}, {tag}")
            }
            Kind::Compute { ns } => format!("computation of {ns} ns"),
        };
        let label = if op.label.is_empty() {
            String::new()
        } else {
            format!(" `{}`", op.label)
        };
        format!("rank {rank}, line {}{label}: {what}", op.line)
    }
}
