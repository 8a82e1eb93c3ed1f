//! Casts between words, buses and numbers; `#[hdl_gen]` knows them by the beginning of their names.

use crate::prim::uint::{mask, Limbs, U};
use crate::prim::wide::W;
use rust_hdl::prelude::Synth;

/// A word as a bus of the same bits. In kernels only at the border to blocks that still take a bus.
#[inline(always)]
pub fn bit_cast_bus<const N: usize, const L: usize, T: Limbs>(word: T) -> W<N, L> {
    let mut limbs = [0; L];
    word.to_limbs(&mut limbs[..T::LIMBS]);
    W::from_limbs(&limbs)
}

/// A word of at most 64 bits as a number.
#[inline(always)]
pub fn bit_cast_number<const N: usize, T: Limbs>(word: T) -> U<N> {
    let mut limbs = [0];
    word.to_limbs(&mut limbs);
    U(limbs[0] & mask(N))
}

/// The word in the lower bits of a bus.
#[inline(always)]
pub fn bit_cast_word<T: Limbs, B: Limbs>(bus: B) -> T {
    const { assert!(B::LIMBS <= 64 && B::BITS >= T::BITS) };
    let mut limbs = [0; 64];
    bus.to_limbs(&mut limbs[..B::LIMBS]);
    T::from_limbs(&limbs[..T::LIMBS])
}

/// A word of zeros: `bits_zero::<OpWord>(0)`. The argument is there for the macro.
#[inline(always)]
pub fn bits_zero<T: Synth>(_: u64) -> T {
    T::default()
}
