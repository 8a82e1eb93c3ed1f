//! What switches say of themselves in other ways than the paper's (HPCC++): paths by their links, capacities that are not to be known outside, the
//! utilisation in place of a byte counter, nothing at all.

use crate::cc::hpcc::{TX_WRAP, UTILISATION_UNIT};

/// Ways of the switches of a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StampRules {
    /// `pathID` joins switches and their links ([`crate::wire::telemetry::path_bits`]), as every format but Fig. 7's has it: a move to a parallel
    /// link is seen.
    pub path_of_links: bool,
    /// Every port is shown as one of this speed, bits per second, with its bytes and queue in proportion: `u'` is what it was, the capacity stays
    /// hidden (draft-miao-ccwg-hpcc, 9.1: privacy across domains).
    pub shown_bps: Option<u64>,
    /// The record's bytes are the link's utilisation, measured over at least this long, ps (draft-miao-tsv-hpcc-info, Fig. 3).
    pub utilisation_ps: Option<u64>,
    /// Nodes of switches that write nothing.
    pub silent: Vec<u32>,
}

impl StampRules {
    /// Bytes of a port of `rate_bps` as one of the speed that is shown has them. The whole counter is scaled and not what a record holds of it:
    /// scaled after its wrap it would jump there.
    pub fn shown(&self, rate_bps: u64, bytes: u64) -> u64 {
        match self.shown_bps {
            Some(shown) => (u128::from(bytes) * u128::from(shown) / u128::from(rate_bps.max(1))) as u64,
            None => bytes,
        }
    }
}

/// A port's measurement of its utilisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Utilisation {
    /// When it last ended, ps.
    since: u64,
    /// The port's bytes then.
    bytes: u64,
    /// What came of it, units of [`UTILISATION_UNIT`].
    value: u32,
}

impl Utilisation {
    /// The newest measurement at `now`, where the port of `rate_bps` has sent `bytes` since the start and measures for `window_ps` at least.
    pub fn measure(&mut self, now: u64, bytes: u64, rate_bps: u64, window_ps: u64) -> u32 {
        let span = now - self.since;
        if span >= window_ps.max(1) {
            let used = (bytes - self.bytes) as f64 * 8e12 / (span as f64 * rate_bps as f64);
            self.value = ((used / UTILISATION_UNIT) as u32).min(TX_WRAP - 1);
            (self.since, self.bytes) = (now, bytes);
        }
        self.value
    }
}
