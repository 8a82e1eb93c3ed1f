//! Seeds of tests: the same numbers in every run of a commit, others with `HPCC_SEED` in the environment. Tests of every crate take theirs
//! from here.

use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// What `HPCC_SEED` adds to every seed: 0 without it, its number, or for `random` one that is drawn once for the process. It is printed, so
/// that a run can be repeated.
///
/// # Panics
/// Panics where `HPCC_SEED` is neither a number nor `random`: a night with a wrong word would otherwise be the same as every other.
pub fn fresh_seed() -> u64 {
    static SEED: OnceLock<Result<u64, String>> = OnceLock::new();
    let seed = SEED.get_or_init(|| {
        let wanted = std::env::var("HPCC_SEED").unwrap_or_default();
        let seed = read(&wanted, || {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            now.map_or(1, |t| t.as_nanos() as u64 & 0xffff_ffff)
        })?;
        if !wanted.is_empty() {
            eprintln!("HPCC_SEED={seed}");
        }
        Ok(seed)
    });
    match seed {
        Ok(seed) => *seed,
        Err(fault) => panic!("{fault}"),
    }
}

/// The value that a text of `HPCC_SEED` stands for.
fn read(text: &str, draw: impl Fn() -> u64) -> Result<u64, String> {
    match text {
        "" => Ok(0),
        "random" => Ok(draw()),
        number => number
            .parse()
            .map_err(|_| format!("HPCC_SEED: expected a number or `random`, got `{number}`")),
    }
}

/// A test's seed `n`; with `HPCC_SEED` another, the same for the same value.
pub fn seed(n: u64) -> u64 {
    n ^ fresh_seed().rotate_left(32)
}

/// The generator of a test's seed `n`.
pub fn generator(n: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_or_random_and_nothing_else() {
        let read = |text| read(text, || 77);
        assert_eq!([read(""), read("5"), read("random")], [Ok(0), Ok(5), Ok(77)]);
        for text in ["abc", "-1", "1e3", "Random"] {
            let expected = format!("HPCC_SEED: expected a number or `random`, got `{text}`");
            assert_eq!(read(text), Err(expected));
        }
    }

    /// Numbers beside each other stay apart, and the process has one value for all of them.
    #[test]
    fn seeds_differ_as_their_numbers_do() {
        assert_eq!(seed(1) ^ seed(2), 3);
        assert_eq!(seed(0), fresh_seed().rotate_left(32));
    }
}
