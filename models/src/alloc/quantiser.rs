//! Levels to which demands are rounded up before they are reported, so that many flows share one entry of a map.
//!
//! The paper cites two ways to quantise and gives no levels. Here they are geometric from 1 Mb/s, 8 an octave by default (steps of
//! 9.05 %): code 0 is no demand, 254 the line rate, 255 an infinite demand. Rounding up never makes a share larger than the capacity
//! allows, since shares are computed from the levels; a flow that its demand limits leaves at most one step of its share unused.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use thiserror::Error;

use super::INFINITE;

/// Lowest level above 0, bit/s.
pub const LOWEST: u64 = 1_000_000;
/// Code of the line rate.
const LINE: u8 = 254;
/// Code of an infinite demand.
const NO_LIMIT: u8 = 255;

/// Why there is no such quantiser.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QuantiserError {
    /// Zero levels.
    #[error("expected at least 1 level an octave, got 0")]
    NoLevels,
    /// More levels than codes.
    #[error("expected at most {most} levels an octave up to {line_rate} bit/s (codes have 8 bits), got {got}")]
    TooFine {
        /// Most that fit.
        most: u32,
        /// Line rate, bit/s.
        line_rate: u64,
        /// What was asked for.
        got: u32,
    },
}

/// Geometric levels up to a line rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantiser {
    /// Level of code `index + 1`, bit/s, ascending, all below the line rate.
    levels: Vec<u64>,
    line_rate: u64,
}

impl Quantiser {
    /// `per_octave` levels for each doubling from 1 Mb/s to `line_rate` bit/s. Computed in integers: the same on every machine.
    pub fn new(per_octave: u32, line_rate: u64) -> Result<Self, QuantiserError> {
        if per_octave == 0 {
            return Err(QuantiserError::NoLevels);
        }
        let octaves = (line_rate / LOWEST).max(1).ilog2() + 1;
        let too_fine = |levels: usize| levels > usize::from(LINE) - 1;
        let mut levels = Vec::new();
        let base = BigUint::from(LOWEST).pow(per_octave.min(256));
        for step in 0..octaves * per_octave.min(256) + 1 {
            let level = (&base << step).nth_root(per_octave.min(256));
            let level = level.to_u64().unwrap_or(INFINITE);
            if level >= line_rate {
                break;
            }
            levels.push(level);
        }
        if per_octave > 256 || too_fine(levels.len()) {
            return Err(QuantiserError::TooFine {
                most: (u32::from(LINE) - 1) / octaves,
                line_rate,
                got: per_octave,
            });
        }
        Ok(Self { levels, line_rate })
    }

    /// Smallest level that is not below a demand, bit/s.
    pub fn raise(&self, demand: u64) -> u64 {
        self.value(self.code(demand))
    }

    /// Code of the smallest level that is not below a demand (bit/s). A finite demand above the line rate counts as infinite.
    pub fn code(&self, demand: u64) -> u8 {
        if demand == 0 {
            return 0;
        }
        if demand > self.line_rate {
            return NO_LIMIT;
        }
        let below = self.levels.partition_point(|&level| level < demand);
        if below == self.levels.len() {
            LINE
        } else {
            below as u8 + 1
        }
    }

    /// Level of a code, bit/s. Codes that no level has mean the line rate.
    pub fn value(&self, code: u8) -> u64 {
        match code {
            0 => 0,
            NO_LIMIT => INFINITE,
            _ => self
                .levels
                .get(usize::from(code) - 1)
                .copied()
                .unwrap_or(self.line_rate),
        }
    }
}
