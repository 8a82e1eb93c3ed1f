//! `LINK_DOWN` of a configuration file: a link of the topology that fails while the simulation runs.

use super::FormatError;
use crate::net::engine::LinkChange;
use crate::net::topology::{Link, Topology};

/// That simulator's traffic starts at 2 s; `LINK_DOWN` counts from there, ps.
const ORIGIN_PS: u64 = 2_000_000_000_000;
/// Latest failure, us after the traffic's start: the longest that `SIMULATOR_STOP_TIME` may be.
const LATEST_US: u64 = 1_000_000_000;

/// `LINK_DOWN`: a time and the two ends of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkDown {
    /// Microseconds after 2 s; 0: no link fails.
    pub at_us: u64,
    /// One end (node number).
    pub a: u32,
    /// The other end.
    pub b: u32,
    /// Line in the file, from 1.
    pub line: usize,
}

impl LinkDown {
    /// Reads the three values of the key. `None`: one of them is not a number of its range.
    pub(super) fn read(values: &[&str], line: usize) -> Option<Self> {
        let &[at, a, b] = values else { return None };
        let at_us = at.parse().ok().filter(|at| *at <= LATEST_US)?;
        Some(Self {
            at_us,
            a: a.parse().ok()?,
            b: b.parse().ok()?,
            line,
        })
    }

    /// The change that it is in a topology; of parallel links the first fails. `file` is used in errors: nodes without a link between them.
    pub fn change(&self, file: &str, topology: &Topology) -> Result<Option<LinkChange>, FormatError> {
        let Self { at_us, a, b, line } = *self;
        if at_us == 0 {
            return Ok(None);
        }
        let joins = |l: &Link| (l.a, l.b) == (a, b) || (l.a, l.b) == (b, a);
        let link = topology.links.iter().position(joins).ok_or_else(|| FormatError {
            file: file.into(),
            line,
            field: "LINK_DOWN".into(),
            expected: format!("two nodes with a link between them, got `{a} {b}`"),
        })?;
        Ok(Some(LinkChange {
            at_ps: ORIGIN_PS + at_us * 1_000_000,
            link,
            up: false,
            rate_bps: None,
        }))
    }
}
