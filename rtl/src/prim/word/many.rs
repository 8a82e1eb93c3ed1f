//! Several values of one type as one field of a word.

use super::{deposit, extract};
use crate::prim::uint::Limbs;
use rust_hdl::prelude::*;
use std::ops::{Index, IndexMut};

/// `N` values of one type, the first in the lowest bits: `x.val().hops[2].ts`, `x.next.hops[i].ts = ..`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Many<T, const N: usize>(pub [T; N]);

impl<T: Synth, const N: usize> Default for Many<T, N> {
    fn default() -> Self {
        Many([T::default(); N])
    }
}

impl<T, const N: usize> Index<usize> for Many<T, N> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        &self.0[index]
    }
}

impl<T, const N: usize> IndexMut<usize> for Many<T, N> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.0[index]
    }
}

impl<T: Limbs, const N: usize> Synth for Many<T, N> {
    const BITS: usize = N * T::BITS;
    fn descriptor() -> TypeDescriptor {
        let item = |i| {
            Box::new(TypeField {
                fieldname: format!("[{i}]"),
                kind: T::descriptor(),
            })
        };
        TypeDescriptor {
            name: format!("[{N}]"),
            kind: TypeKind::Composite((0..N).map(item).collect()),
        }
    }
    fn vcd(self) -> VCDValue {
        VCDValue::Composite(self.0.iter().map(|item| Box::new(item.vcd())).collect())
    }
    fn verilog(self) -> VerilogLiteral {
        // only ever asked for the default
        assert!(self == Self::default(), "a literal of an array");
        0u64.into()
    }
}

impl<T: Limbs, const N: usize> Limbs for Many<T, N> {
    fn to_limbs(self, out: &mut [u64]) {
        out[..Self::LIMBS].fill(0);
        let mut item = [0; 64];
        for (i, value) in self.0.into_iter().enumerate() {
            value.to_limbs(&mut item[..T::LIMBS]);
            deposit(out, i * T::BITS, T::BITS, &item[..T::LIMBS]);
        }
    }
    fn from_limbs(limbs: &[u64]) -> Self {
        let (mut all, mut item) = (Self::default(), [0; 64]);
        for i in 0..N {
            extract(limbs, i * T::BITS, T::BITS, &mut item[..T::LIMBS]);
            all.0[i] = T::from_limbs(&item[..T::LIMBS]);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::uint::U;

    /// Seven values of 12 bits are 84: the sixth lies across the border of the first 64.
    #[test]
    fn the_first_value_is_lowest_and_all_come_back() {
        let values = Many::<U<12>, 7>([0x123, 0x456, 0x789, 0xabc, 0xdef, 0x321, 0xfed].map(U));
        assert_eq!(<Many<U<12>, 7>>::BITS, 84);
        let mut limbs = [u64::MAX; 2];
        values.to_limbs(&mut limbs);
        assert_eq!(limbs, [0x1def_abc7_8945_6123, 0xf_ed32]);
        assert_eq!(<Many<U<12>, 7>>::from_limbs(&limbs), values);
    }
}
