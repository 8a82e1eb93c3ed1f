//! What all agents of a hierarchy have in common.

use crate::alloc::Quantiser;

/// Thousand: parts of shares and capacities are given in thousandths, so that no rate passes through a float.
pub const WHOLE: u32 = 1000;

/// How agents report, prune and grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Levels of reported demands; `None`: demands are reported as they are.
    pub quantiser: Option<Quantiser>,
    /// A change of less than this part of the share, in thousandths, is not reported. 0: everything is.
    pub threshold: u32,
    /// What a root grants of its capacity, thousandths.
    pub headroom: u32,
    /// What a root grants after its capacity fell.
    pub drain: Drain,
    /// Flows have several parents: shares come with offers.
    pub offers: bool,
}

/// After a fall of capacity from C1 to C2 the sources go on at the old rates until they hear of it, and a queue is left. So the root
/// grants `granted` thousandths of C2 until `times x (C1 - C2) / C2 x reaction_ns` have passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drain {
    /// Granted part, thousandths.
    pub granted: u32,
    /// Time to work off one unit of excess, in units of time it arrived; 1 / (1 - granted) drains exactly.
    pub times: u32,
    /// Time from a change of capacity to the last source's new rate, ns.
    pub reaction_ns: u64,
}

impl Default for Settings {
    /// No quantisation, no pruning, the whole capacity, nothing drained: the setting in which the hierarchy equals the exact solution.
    fn default() -> Self {
        Self {
            quantiser: None,
            threshold: 0,
            headroom: WHOLE,
            drain: Drain {
                granted: WHOLE,
                times: 0,
                reaction_ns: 0,
            },
            offers: false,
        }
    }
}

impl Settings {
    /// What the evaluation of HCC uses here: 8 levels an octave, a threshold of 5 %, 99 % of the capacity, and 90 % for as long as a
    /// queue of 150 us takes to drain.
    pub fn evaluated(quantiser: Quantiser) -> Self {
        Self {
            quantiser: Some(quantiser),
            threshold: 50,
            headroom: 990,
            drain: Drain {
                granted: 900,
                times: 10,
                reaction_ns: 150_000,
            },
            offers: false,
        }
    }
}

/// Thousandths of a rate, rounded down.
pub(super) fn part(rate: u64, thousandths: u32) -> u64 {
    (u128::from(rate) * u128::from(thousandths) / u128::from(WHOLE)) as u64
}
