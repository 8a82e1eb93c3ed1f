//! Random numbers, a new one every clock: Marsaglia's xorshift of 64 bits (shifts 13, 7, 17), period 2^64 - 1.

use super::uint::{bits_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// The generator. It starts with the same number in every simulation; all of its slices of 16 bits are uniform.
#[block]
pub struct Xorshift {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The number.
    pub word: Signal<Out, U<64>>,
    #[signals(U<64>: first, second)]
    state: DFF<U<64>>,
}

#[kernel]
impl Logic for Xorshift {
    fn update(&mut self) {
        first = state ^ (state << 13);
        second = first ^ (first >> 7);
        state = second ^ (second << 17);
        // zero is where flip-flops start, and where the generator would stay
        if state == 0 {
            state = bits_u::<64>(0x2545_f491);
        }
        word = state;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step};

    #[test]
    fn numbers_are_those_of_xorshift_and_slices_are_uniform() {
        let mut block: Box<Xorshift> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut want = 0u64;
        let mut buckets = [[0u32; 16]; 7];
        for clock in 0..32_000 {
            let got = step(block.as_mut(), |b| b.word.val().0);
            assert_eq!(got, want, "clock {clock}");
            for (slice, buckets) in buckets.iter_mut().enumerate() {
                buckets[(got >> (8 * slice + 12) & 15) as usize] += 1;
            }
            want = if want == 0 {
                0x2545_f491
            } else {
                let first = want ^ want << 13;
                let second = first ^ first >> 7;
                second ^ second << 17
            };
        }
        // 2000 expected, standard deviation 43
        assert!(buckets.iter().flatten().all(|n| n.abs_diff(2000) < 220), "{buckets:?}");
    }
}
