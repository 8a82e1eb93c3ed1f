//! Seeded random inputs, the same on every machine.

use crate::prim::uint::{mask, Limbs};
use hpcc_models::seeds::seed;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random source of a test: the same seed gives the same inputs everywhere.
#[derive(Clone, Debug)]
pub struct Stimulus {
    rng: ChaCha8Rng,
}

/// Clocks, events or bytes of a long test: a fifth of the whole, so that a commit is tested while one waits, and the whole of it with
/// `HPCC_LONG=1` in the environment, as every night.
pub fn length(whole: u64) -> u64 {
    if is_whole() {
        whole
    } else {
        whole / 5
    }
}

/// Whether long tests run at their whole length.
///
/// # Panics
/// Panics where `HPCC_LONG` is neither 0 nor 1.
pub fn is_whole() -> bool {
    match std::env::var("HPCC_LONG").as_deref() {
        Ok("1") => true,
        Ok("0") | Err(_) => false,
        Ok(other) => panic!("HPCC_LONG: expected 0 or 1, got `{other}`"),
    }
}

impl Stimulus {
    /// Starts the stream of a test's seed; with `HPCC_SEED` in the environment another stream, the same for the same value ([`hpcc_models::seeds`]).
    pub fn new(number: u64) -> Self {
        Self::exactly(seed(number))
    }
    /// Starts the stream of a seed that a user has given, whatever `HPCC_SEED` says.
    pub fn exactly(seed: u64) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
        }
    }
    /// A number of `bits` bits, 1 to 64, all values equally likely.
    #[inline(always)]
    pub fn uniform(&mut self, bits: usize) -> u64 {
        self.rng.random::<u64>() & mask(bits)
    }
    /// A word of which every bit is random; of a kind a value that it has.
    pub fn word<T: Limbs>(&mut self) -> T {
        let limbs: Vec<u64> = (0..T::LIMBS).map(|_| self.uniform(64)).collect();
        T::from_limbs(&limbs)
    }
    /// A number of `bits` bits, half of the time a corner: zero, one, the maximum and its neighbours, a single bit,
    /// a run of ones, or a number much shorter than the width.
    pub fn corner(&mut self, bits: usize) -> u64 {
        let max = mask(bits);
        let position = self.rng.random_range(0..bits as u32);
        let value = match self.rng.random_range(0..14u32) {
            0 => 0,
            1 => 1,
            2 => max,
            3 => max - 1,
            4 => 1 << position,
            5 => max ^ (1 << position),
            6 => self.uniform(64) >> (63 - position),
            _ => self.uniform(64),
        };
        value & max
    }
    /// True with the given probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }
    /// A number below `limit`, which is at least 1.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.rng.random_range(0..limit)
    }
    /// The generator itself, for the distributions of `rand`.
    pub fn rng(&mut self) -> &mut ChaCha8Rng {
        &mut self.rng
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_come_up_and_stay_in_range() {
        let mut stimulus = Stimulus::new(1);
        let seen: Vec<u64> = (0..1000).map(|_| stimulus.corner(13)).collect();
        assert!(seen.iter().all(|x| *x < 1 << 13));
        for corner in [0, 1, 0x1fff, 0x1ffe] {
            assert!(seen.contains(&corner), "{corner:x}");
        }
        let again: Vec<u64> = (0..1000).scan(Stimulus::new(1), |s, _| Some(s.corner(13))).collect();
        assert_eq!(seen, again, "a seed must repeat");
    }
}
