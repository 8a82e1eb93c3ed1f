//! `W<N, L>`: a bus of `N` bits in `L` words of 64.
//!
//! A wide bus is moved whole and taken apart with `get_bits`; it is put together with shifts and `|`:
//! `(bit_cast_w::<512, 8, 32>(high) << 32) | bit_cast_w::<512, 8, 32>(low)`. A slice wider than 64 bits is
//! `bit_cast_ww::<336, 6, 512, 8>(bus >> 64)`. In the emitted Verilog it is a plain vector.

use super::uint::{mask, vcd_bits, Limbs, U};
use rust_hdl::prelude::*;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// Bus of `N` bits in `L` = `N / 64`, rounded up, words, least significant first. Bits beyond `N` are always zero.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct W<const N: usize, const L: usize>(pub [u64; L]);

impl<const N: usize, const L: usize> W<N, L> {
    const WORDS_MATCH: () = assert!(L == N.div_ceil(64), "W<N, L> needs L = N / 64, rounded up");
    const LAST_MASK: u64 = if N.is_multiple_of(64) { !0 } else { mask(N % 64) };

    /// The words cut to `N` bits.
    #[inline(always)]
    fn masked(mut words: [u64; L]) -> Self {
        words[L - 1] &= Self::LAST_MASK;
        W(words)
    }
    /// Bits `low` to `low + M - 1`, `M` at most 64; bits beyond the width read as zero.
    #[inline(always)]
    pub fn get_bits<const M: usize>(&self, low: usize) -> U<M> {
        const { assert!(M <= 64, "slices of more than 64 bits: bit_cast_ww(x >> low)") };
        let (word, bit) = (low / 64, low % 64);
        let at = |i: usize| if i < L { self.0[i] } else { 0 };
        let upper = if bit == 0 { 0 } else { at(word + 1) << (64 - bit) };
        U(((at(word) >> bit) | upper) & mask(M))
    }
    /// Bit `index`; false beyond the width.
    #[inline(always)]
    pub fn get_bit(&self, index: usize) -> bool {
        index < N && (self.0[index / 64] >> (index % 64)) & 1 == 1
    }
    /// The value with bit `index` set to `bit`; unchanged where `index` is beyond the width.
    #[inline(always)]
    pub fn replace_bit(&self, index: usize, bit: bool) -> Self {
        let mut words = self.0;
        if index < N {
            words[index / 64] = (words[index / 64] & !(1 << (index % 64))) | ((bit as u64) << (index % 64));
        }
        W(words)
    }
    /// True if any bit is set.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.0.iter().any(|word| *word != 0)
    }
    /// True if every bit is set.
    #[inline(always)]
    pub fn all(&self) -> bool {
        !(!*self).any()
    }
    /// Parity: true if an odd number of bits is set.
    #[inline(always)]
    pub fn xor(&self) -> bool {
        self.0.iter().map(|word| word.count_ones()).sum::<u32>() & 1 == 1
    }
}

/// Bit position of a word.
#[inline(always)]
const fn limb_offset(word: usize) -> usize {
    word * 64
}

impl<const N: usize, const L: usize> Default for W<N, L> {
    fn default() -> Self {
        let () = Self::WORDS_MATCH;
        W([0; L])
    }
}

impl<const N: usize, const L: usize> Limbs for W<N, L> {
    #[inline(always)]
    fn to_limbs(self, out: &mut [u64]) {
        out[..L].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn from_limbs(limbs: &[u64]) -> Self {
        let mut words = [0; L];
        words.copy_from_slice(&limbs[..L]);
        Self::masked(words)
    }
}

impl<const N: usize, const L: usize> From<W<N, L>> for Bits<N> {
    fn from(value: W<N, L>) -> Self {
        Bits::<N>::from_limbs(&value.0)
    }
}

impl<const N: usize, const L: usize> Synth for W<N, L> {
    const BITS: usize = N;
    fn descriptor() -> TypeDescriptor {
        TypeDescriptor {
            name: format!("W::<{N}>"),
            kind: TypeKind::Bits(N),
        }
    }
    fn vcd(self) -> VCDValue {
        vcd_bits(&self.0, N)
    }
    fn verilog(self) -> VerilogLiteral {
        Bits::<N>::from(self).into()
    }
}

macro_rules! wordwise_operator {
    ($trait:ident $method:ident $op:tt) => {
        impl<const N: usize, const L: usize> $trait for W<N, L> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let mut words = self.0;
                for (word, other) in words.iter_mut().zip(other.0) {
                    *word $op other;
                }
                W(words)
            }
        }
    };
}
wordwise_operator!(BitAnd bitand &=);
wordwise_operator!(BitOr bitor |=);
wordwise_operator!(BitXor bitxor ^=);

impl<const N: usize, const L: usize> Not for W<N, L> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self::masked(self.0.map(|word| !word))
    }
}

impl<const N: usize, const L: usize> Shl<u64> for W<N, L> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u64) -> Self {
        let (skip, bit) = ((by / 64) as usize, by % 64);
        let at = |i: usize| if i < L { self.0[i] } else { 0 };
        let mut words = [0; L];
        for (i, word) in words.iter_mut().enumerate().skip(skip) {
            let lower = if bit == 0 || i == skip { 0 } else { at(i - skip - 1) >> (64 - bit) };
            *word = (at(i - skip) << bit) | lower;
        }
        Self::masked(words)
    }
}

impl<const N: usize, const L: usize> Shr<u64> for W<N, L> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u64) -> Self {
        let mut words = [0; L];
        for (i, word) in words.iter_mut().enumerate() {
            *word = self.get_bits::<64>(limb_offset(i).saturating_add(by as usize)).0;
        }
        W(words)
    }
}

impl<const N: usize, const L: usize, const M: usize> Shl<U<M>> for W<N, L> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: U<M>) -> Self {
        self << by.0
    }
}

impl<const N: usize, const L: usize, const M: usize> Shr<U<M>> for W<N, L> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: U<M>) -> Self {
        self >> by.0
    }
}

/// A narrow value extended with zeros to a bus, or cut where the bus is narrower.
#[inline(always)]
pub fn bit_cast_w<const N: usize, const L: usize, const M: usize>(x: U<M>) -> W<N, L> {
    let mut words = [0; L];
    words[0] = x.0;
    W::masked(words)
}

/// A bus extended with zeros or cut to `M` bits (`K` words).
#[inline(always)]
pub fn bit_cast_ww<const M: usize, const K: usize, const N: usize, const L: usize>(x: W<N, L>) -> W<M, K> {
    let mut words = [0; K];
    let shared = K.min(L);
    words[..shared].copy_from_slice(&x.0[..shared]);
    W::masked(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Bus = W<100, 2>;

    fn value(x: Bus) -> u128 {
        x.0[0] as u128 | (x.0[1] as u128) << 64
    }

    fn bus(x: u128) -> Bus {
        Bus::from_limbs(&[x as u64, (x >> 64) as u64])
    }

    const LOW_100: u128 = (1 << 100) - 1;

    /// Every shift distance and slice position of a width that is no multiple of 64, against 128-bit integers.
    #[test]
    fn shifts_and_slices_agree_with_u128() {
        let pattern = 0xf_edcb_a987_6543_210f_1e2d_3c4bu128 | 1 << 99;
        for by in 0..140u64 {
            let (left, right) = if by < 128 { (pattern << by & LOW_100, pattern >> by) } else { (0, 0) };
            assert_eq!(value(bus(pattern) << by), left, "<< {by}");
            assert_eq!(value(bus(pattern) >> by), right, ">> {by}");
            assert_eq!(
                bus(pattern).get_bits::<37>(by as usize).0,
                right as u64 & mask(37),
                "[{by} +: 37]"
            );
            assert_eq!(bus(pattern).get_bit(by as usize), right & 1 == 1);
        }
    }

    #[test]
    fn casts_cut_and_extend() {
        let x = bus(LOW_100);
        assert!(x.all() && !(!x).any());
        assert_eq!(bit_cast_ww::<70, 2, 100, 2>(x).0, [!0, 0x3f]);
        assert_eq!(bit_cast_ww::<200, 4, 100, 2>(x).0, [!0, mask(36), 0, 0]);
        assert_eq!(bit_cast_w::<100, 2, 7>(U(0x55)).0, [0x55, 0]);
        assert_eq!(x.replace_bit(99, false).get_bits::<4>(96), U(7));
        assert!((x ^ x.replace_bit(3, false)).xor());
    }

    #[test]
    fn bits_of_rust_hdl_hold_the_same_value() {
        let x = bus(0x9_8765_4321_0fed_cba9_8765_4321);
        assert_eq!(
            Bus::from_limbs(&{
                let mut out = [0; 2];
                Bits::<100>::from(x).to_limbs(&mut out);
                out
            }),
            x
        );
    }
}
