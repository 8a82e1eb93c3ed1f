//! `U<N>`: an unsigned number of at most 64 bits in one machine word.
//!
//! RustHDL's own `Bits<N>` goes through heap-allocated integers for shifts and slices; `U<N>` is two to ninety times
//! faster and multiplies. `#[hdl_gen]` accepts it because the macro goes by spelling only: any function whose name
//! begins with `bit_cast` or `bits` becomes a cast to the width of its result, and the methods `val`, `index`,
//! `get_bits`, `get_bit`, `replace_bit`, `any`, `all` and `xor` are translated by name. Arithmetic wraps at `N` bits, as the
//! emitted Verilog does. Wider values: [`W`](super::wide::W).

use rust_hdl::prelude::*;
use std::cmp::Ordering;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Not, Shl, Shr, Sub};

/// Unsigned number of `N` bits, 1 to 64. The upper `64 - N` bits of the word are always zero.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Default, Debug, PartialOrd, Ord)]
pub struct U<const N: usize>(pub u64);

/// The word whose lower `n` bits are ones; all ones from 64 on.
#[inline(always)]
pub const fn mask(n: usize) -> u64 {
    if n >= 64 {
        !0
    } else {
        (1 << n) - 1
    }
}

/// A port value as 64-bit limbs, least significant first: what a generic test bench or primitive needs of a type.
pub trait Limbs: Synth {
    /// Number of limbs: `BITS / 64`, rounded up.
    const LIMBS: usize = Self::BITS.div_ceil(64);
    /// Writes the value to the first [`Self::LIMBS`] limbs of `out`.
    fn to_limbs(self, out: &mut [u64]);
    /// The value in the first [`Self::LIMBS`] limbs; bits beyond the width are dropped.
    fn from_limbs(limbs: &[u64]) -> Self;
}

impl<const N: usize> Limbs for U<N> {
    #[inline(always)]
    fn to_limbs(self, out: &mut [u64]) {
        out[0] = self.0;
    }
    #[inline(always)]
    fn from_limbs(limbs: &[u64]) -> Self {
        U(limbs[0] & mask(N))
    }
}

impl Limbs for bool {
    #[inline(always)]
    fn to_limbs(self, out: &mut [u64]) {
        out[0] = self as u64;
    }
    #[inline(always)]
    fn from_limbs(limbs: &[u64]) -> Self {
        limbs[0] & 1 == 1
    }
}

impl<const N: usize> Limbs for Bits<N> {
    fn to_limbs(self, out: &mut [u64]) {
        out[..N.div_ceil(64)].fill(0);
        for bit in (0..N).filter(|bit| self.get_bit(*bit)) {
            out[bit / 64] |= 1 << (bit % 64);
        }
    }
    fn from_limbs(limbs: &[u64]) -> Self {
        let set = |bit: usize| (limbs[bit / 64] >> (bit % 64)) & 1 == 1;
        (0..N).fold(Self::default(), |value, bit| value.replace_bit(bit, set(bit)))
    }
}

/// The waveform value of `bits` bits of a little-endian limb array, most significant bit first.
pub(super) fn vcd_bits(limbs: &[u64], bits: usize) -> VCDValue {
    let bit = |i: usize| (limbs[i / 64] >> (i % 64)) & 1 == 1;
    if bits == 1 {
        return bit(0).into();
    }
    VCDValue::Vector(
        (0..bits)
            .rev()
            .map(|i| if bit(i) { vcd::Value::V1 } else { vcd::Value::V0 })
            .collect(),
    )
}

impl<const N: usize> Synth for U<N> {
    const BITS: usize = N;
    fn descriptor() -> TypeDescriptor {
        TypeDescriptor {
            name: format!("U::<{N}>"),
            kind: TypeKind::Bits(N),
        }
    }
    fn vcd(self) -> VCDValue {
        vcd_bits(&[self.0], N)
    }
    fn verilog(self) -> VerilogLiteral {
        Bits::<N>::from(self.0).into()
    }
}

impl<const N: usize> From<u64> for U<N> {
    #[inline(always)]
    fn from(value: u64) -> Self {
        debug_assert!(value <= mask(N), "0x{value:x} does not fit {N} bits");
        U(value & mask(N))
    }
}

impl<const N: usize> From<U<N>> for Bits<N> {
    fn from(value: U<N>) -> Self {
        Bits::<N>::from(value.0)
    }
}

impl<const N: usize> U<N> {
    /// The value modulo 2^`N`.
    #[inline(always)]
    const fn wrap(value: u64) -> Self {
        U(value & mask(N))
    }
}

macro_rules! wrapping_operator {
    ($trait:ident $method:ident |$a:ident, $b:ident| $result:expr) => {
        impl<const N: usize> $trait for U<N> {
            type Output = U<N>;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                U::wrap($result)
            }
        }
        impl<const N: usize> $trait<u64> for U<N> {
            type Output = U<N>;
            #[inline(always)]
            fn $method(self, other: u64) -> Self {
                let ($a, $b) = (self.0, other);
                U::wrap($result)
            }
        }
    };
}
wrapping_operator!(Add add |a, b| a.wrapping_add(b));
wrapping_operator!(Sub sub |a, b| a.wrapping_sub(b));
wrapping_operator!(BitAnd bitand |a, b| a & b);
wrapping_operator!(BitOr bitor |a, b| a | b);
wrapping_operator!(BitXor bitxor |a, b| a ^ b);

impl<const N: usize> Not for U<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        U(!self.0 & mask(N))
    }
}

impl<const N: usize> PartialEq<u64> for U<N> {
    #[inline(always)]
    fn eq(&self, other: &u64) -> bool {
        self.0 == *other
    }
}

impl<const N: usize> PartialOrd<u64> for U<N> {
    #[inline(always)]
    fn partial_cmp(&self, other: &u64) -> Option<Ordering> {
        self.0.partial_cmp(other)
    }
}

impl<const N: usize> Shl<u64> for U<N> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u64) -> Self {
        U(if by > 63 { 0 } else { (self.0 << by) & mask(N) })
    }
}

impl<const N: usize> Shr<u64> for U<N> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u64) -> Self {
        U(if by > 63 { 0 } else { self.0 >> by })
    }
}

impl<const N: usize, const M: usize> Shl<U<M>> for U<N> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: U<M>) -> Self {
        self << by.0
    }
}

impl<const N: usize, const M: usize> Shr<U<M>> for U<N> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: U<M>) -> Self {
        self >> by.0
    }
}

impl<const N: usize> U<N> {
    /// Bits `low` to `low + M - 1`; bits beyond the width read as zero.
    #[inline(always)]
    pub fn get_bits<const M: usize>(&self, low: usize) -> U<M> {
        U(if low > 63 { 0 } else { (self.0 >> low) & mask(M) })
    }
    /// Bit `index`; false beyond the width.
    #[inline(always)]
    pub fn get_bit(&self, index: usize) -> bool {
        index < 64 && (self.0 >> index) & 1 == 1
    }
    /// The value with bit `index` set to `bit`; unchanged where `index` is beyond the width.
    #[inline(always)]
    pub fn replace_bit(&self, index: usize, bit: bool) -> Self {
        if index >= N {
            return *self;
        }
        U((self.0 & !(1 << index)) | ((bit as u64) << index))
    }
    /// True if any bit is set.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.0 != 0
    }
    /// True if every bit is set.
    #[inline(always)]
    pub fn all(&self) -> bool {
        self.0 == mask(N)
    }
    /// Parity: true if an odd number of bits is set.
    #[inline(always)]
    pub fn xor(&self) -> bool {
        self.0.count_ones() & 1 == 1
    }
    /// The value as an array index or slice position.
    #[inline(always)]
    pub fn index(&self) -> usize {
        self.0 as usize
    }
}

/// Full product of two numbers; its only use is as the argument of [`bit_cast_p`].
pub struct Product(u128);

impl<const N: usize, const M: usize> Mul<U<M>> for U<N> {
    type Output = Product;
    #[inline(always)]
    fn mul(self, other: U<M>) -> Product {
        Product(self.0 as u128 * other.0 as u128)
    }
}

/// The lower `K` bits of a product.
#[inline(always)]
pub fn bit_cast_p<const K: usize>(product: Product) -> U<K> {
    U(product.0 as u64 & mask(K))
}

/// `x` extended with zeros or cut to `M` bits.
#[inline(always)]
pub fn bit_cast_u<const M: usize, const N: usize>(x: U<N>) -> U<M> {
    U(x.0 & mask(M))
}

/// A condition as a one-bit number.
#[inline(always)]
pub fn bit_cast_b(x: bool) -> U<1> {
    U(x as u64)
}

/// A literal as a number of `N` bits. Takes literals only: a loop variable or a constant is out of scope where the
/// macro evaluates the call again.
#[inline(always)]
pub fn bits_u<const N: usize>(x: u64) -> U<N> {
    x.into()
}

/// A loop variable as a value in a description: `self.select.val() == i.val()`.
pub trait LoopIdx {
    /// The loop variable's value in this turn.
    fn val(self) -> u64;
}

impl LoopIdx for usize {
    #[inline(always)]
    fn val(self) -> u64 {
        self as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of six-bit numbers, against plain arithmetic modulo 64.
    #[test]
    fn six_bit_arithmetic_wraps_like_integers_modulo_64() {
        for a in 0..64u64 {
            for b in 0..64u64 {
                let (x, y) = (U::<6>(a), U::<6>(b));
                assert_eq!((x + y).0, (a + b) % 64);
                assert_eq!((x - y).0, (a + 64 - b) % 64);
                assert_eq!(bit_cast_p::<12>(x * y).0, a * b);
                assert_eq!((x << y).0, if b < 6 { (a << b) % 64 } else { 0 });
                assert_eq!((x >> y).0, if b < 6 { a >> b } else { 0 });
                assert_eq!((x < y, x == y, x > b), (a < b, a == b, a > b));
                assert_eq!((x ^ y).0 | (x & y).0, (x | y).0);
            }
        }
    }

    /// Full-width numbers have no spare bit to hide a carry in.
    #[test]
    fn sixty_four_bits_wrap() {
        let max = U::<64>(!0);
        assert_eq!((max + 1).0, 0);
        assert_eq!((U::<64>(0) - 1).0, !0);
        assert!(max.all() && !max.xor() && (!max) == 0);
        assert_eq!(max << 64, U(0));
    }

    /// Slices beyond the width read zero, as the emitted shift does.
    #[test]
    fn slices_beyond_the_width_are_zero() {
        let x = U::<12>(0xabc);
        assert_eq!(x.get_bits::<8>(8), U(0xa));
        assert_eq!(x.get_bits::<8>(70), U(0));
        assert!(!x.get_bit(12) && !x.get_bit(99) && x.get_bit(11));
        assert_eq!(x.replace_bit(0, true).replace_bit(11, false), U(0x2bd));
        assert_eq!(x.replace_bit(12, true), x);
    }
}
