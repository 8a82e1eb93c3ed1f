//! Which of the switches' priorities a packet has (HOMA, 3.4). Number 0 is served first, as the classes of a port are numbered; the paper's P7.

use crate::net::classes::MAX_CLASSES;

/// Priorities that switches offer.
pub const PRIORITIES: usize = MAX_CLASSES;

/// The highest priorities are for unscheduled packets, the others for scheduled ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    /// Priorities for unscheduled packets.
    unscheduled: u8,
    /// Messages up to so many bytes have priority 0, 1, ...; larger ones than the last have priority `unscheduled - 1`.
    cutoffs: Vec<u64>,
}

impl Levels {
    /// Levels for messages of these sizes. The number for unscheduled packets is in proportion to their part of all bytes, unless it is given, and
    /// the sizes are cut so that each of them carries the same number of unscheduled bytes.
    ///
    /// The paper's receivers take both from their recent traffic; here they are those of the whole run, for all hosts.
    pub fn of(sizes: impl Iterator<Item = u64>, rtt_bytes: u64, given: Option<u8>) -> Self {
        let mut sizes: Vec<u64> = sizes.collect();
        sizes.sort_unstable();
        let unasked = |size: u64| u128::from(size.min(rtt_bytes));
        let all: u128 = sizes.iter().map(|&s| u128::from(s)).sum();
        let first: u128 = sizes.iter().map(|&s| unasked(s)).sum();
        let most = PRIORITIES as u128 - 1;
        let in_proportion = (2 * PRIORITIES as u128 * first + all) / (2 * all.max(1));
        let levels = given.unwrap_or(in_proportion.clamp(1, most) as u8);
        let mut cutoffs = Vec::new();
        let mut sum = 0;
        for &size in &sizes {
            sum += unasked(size);
            while cutoffs.len() + 1 < usize::from(levels)
                && sum * u128::from(levels) >= first * (cutoffs.len() as u128 + 1)
            {
                cutoffs.push(size);
            }
        }
        Self {
            unscheduled: levels,
            cutoffs,
        }
    }

    /// Priorities for unscheduled packets.
    pub fn unscheduled(&self) -> u8 {
        self.unscheduled
    }

    /// Largest message of each priority for unscheduled packets but the last, bytes.
    pub fn cutoffs(&self) -> &[u64] {
        &self.cutoffs
    }

    /// Priority of the unscheduled packets of a message.
    pub fn of_message(&self, size: u64) -> u8 {
        self.cutoffs.partition_point(|&most| most < size) as u8
    }

    /// Priority of scheduled packets of the message that has the `rank`-th fewest bytes left (from 0) out of `active` that are granted. The lowest
    /// priorities are used, so that a message that comes and is shorter finds a free one above (3.4); with more messages than priorities the last
    /// ones share the lowest.
    pub fn of_rank(&self, rank: usize, active: usize) -> u8 {
        let used = active.clamp(1, PRIORITIES - usize::from(self.unscheduled));
        (PRIORITIES - used + rank.min(used - 1)) as u8
    }
}
