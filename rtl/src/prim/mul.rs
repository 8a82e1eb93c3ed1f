//! Pipelined unsigned multiplier, split into the 17-bit tiles that the multipliers of FPGAs take.
//!
//! 17 bits is the widest unsigned operand of both the signed 18-bit port of Xilinx' DSP48E2 and Lattice's 18 x 18
//! multiplier. In: `a`, `b` every clock. Out: bits `LOW` to `LOW + P - 1` of `a * b`, [`mul_latency`] clocks later. The stages are
//! described in `mul.sv`.

use super::uint::{Limbs, U};
use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;

/// Bits of one tile.
const TILE: usize = 17;
/// Widest operand: four tiles.
const MAX_OPERAND: usize = 4 * TILE;

/// Clocks from operands of `a` and `b` bits to their product: 2 for one tile (17 x 17), 3 where one operand has at most
/// 17 bits, 4 where one has at most 34, 5 otherwise.
pub const fn mul_latency(a: usize, b: usize) -> usize {
    let (narrow, wide) = if a < b { (a, b) } else { (b, a) };
    match narrow.div_ceil(TILE) {
        1 if wide <= TILE => 2,
        1 => 3,
        2 => 4,
        _ => 5,
    }
}

/// Multiplier between numbers of at most 64 bits: `P` bits from bit `LOW` of the product of `A` and `B` bits.
pub type MulPipe<const A: usize, const B: usize, const P: usize, const LOW: usize = 0> =
    Multiplier<U<A>, U<B>, U<P>, LOW>;

/// Multiplier between ports of any unsigned type up to 68 bits; [`MulPipe`] is the usual form.
#[block]
pub struct Multiplier<TA: Limbs, TB: Limbs, TP: Limbs, const LOW: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// First factor.
    pub a: Signal<In, TA>,
    /// Second factor.
    pub b: Signal<In, TB>,
    /// Bits `LOW` and up of the product.
    pub p: Signal<Out, TP>,
    _pipe: [TP; 4],
}

impl<TA: Limbs, TB: Limbs, TP: Limbs, const LOW: usize> Multiplier<TA, TB, TP, LOW> {
    /// Clocks from `a` and `b` to `p`.
    pub const LATENCY: usize = mul_latency(TA::BITS, TB::BITS);
    const FITS: () = assert!(
        TA::BITS <= MAX_OPERAND && TB::BITS <= MAX_OPERAND && LOW + TP::BITS <= TA::BITS + TB::BITS,
        "operands of at most 68 bits, and the slice lies within the product"
    );

    /// The slice of the full product that `p` shows.
    fn product(&self) -> TP {
        let (mut a, mut b, mut full, mut cut) = ([0; 2], [0; 2], [0u64; 4], [0u64; 4]);
        self.a.val().to_limbs(&mut a);
        self.b.val().to_limbs(&mut b);
        for (i, x) in a.iter().enumerate() {
            let mut carry = 0u128;
            for (j, y) in b.iter().enumerate() {
                let sum = full[i + j] as u128 + *x as u128 * *y as u128 + carry;
                full[i + j] = sum as u64;
                carry = sum >> 64;
            }
            full[i + 2] = carry as u64;
        }
        let limb = |i: usize| full.get(i).copied().unwrap_or(0);
        for (i, word) in cut.iter_mut().enumerate() {
            let (skip, bit) = (i + LOW / 64, LOW % 64);
            *word = limb(skip) >> bit | if bit == 0 { 0 } else { limb(skip + 1) << (64 - bit) };
        }
        TP::from_limbs(&cut)
    }
}

impl<TA: Limbs, TB: Limbs, TP: Limbs, const LOW: usize> Logic for Multiplier<TA, TB, TP, LOW> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.p.next = self._pipe[Self::LATENCY - 2];
            for stage in (1..Self::LATENCY - 1).rev() {
                self._pipe[stage] = self._pipe[stage - 1];
            }
            self._pipe[0] = self.product();
        }
    }
    fn connect(&mut self) {
        self.p.connect();
    }
    fn hdl(&self) -> Verilog {
        let () = Self::FITS;
        let (a, b, p) = (TA::BITS, TB::BITS, TP::BITS);
        Verilog::Blackbox(BlackBox {
            name: format!("hpcc_mul #(.A({a}), .B({b}), .P({p}), .LOW({LOW}))"),
            code: include_str!("mul.sv").into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::wide::W;
    use crate::sim::{init, step, Stimulus};
    use std::collections::VecDeque;

    /// Streams corner-weighted operands through and compares every product with 128-bit arithmetic.
    fn products_are_exact<const A: usize, const B: usize, const P: usize, const LOW: usize>() {
        let mut mul: Box<MulPipe<A, B, P, LOW>> = Box::default();
        init(mul.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(17);
        let mut expected = VecDeque::new();
        for clock in 0..2000 {
            let (a, b) = (stimulus.corner(A), stimulus.corner(B));
            (mul.a.next, mul.b.next) = (U(a), U(b));
            expected.push_back((a as u128 * b as u128) >> LOW & ((1u128 << P) - 1));
            let got = step(mul.as_mut(), |mul| mul.p.val().0);
            if clock >= mul_latency(A, B) {
                assert_eq!(
                    got as u128,
                    expected.pop_front().expect("in flight"),
                    "clock {clock} {A}x{B}"
                );
            }
        }
    }

    #[test]
    fn products_of_every_tiling_are_exact() {
        products_are_exact::<8, 9, 17, 0>();
        products_are_exact::<51, 17, 51, 17>();
        products_are_exact::<17, 17, 34, 0>();
        products_are_exact::<24, 20, 44, 0>();
        products_are_exact::<34, 51, 64, 21>();
        products_are_exact::<64, 64, 63, 64>();
        products_are_exact::<18, 64, 40, 3>();
    }

    /// The widest form: 68 by 68 bits, checked by (2^68 - 1)^2 = 2^136 - 2^69 + 1.
    #[test]
    fn sixty_eight_bits_square() {
        let mut mul: Box<Multiplier<W<68, 2>, W<68, 2>, W<136, 3>, 0>> = Box::default();
        init(mul.as_mut()).expect("complete block");
        (mul.a.next, mul.b.next) = (W([!0, 15]), W([!0, 15]));
        for _ in 0..mul_latency(68, 68) {
            step(mul.as_mut(), |_| ());
        }
        assert_eq!(step(mul.as_mut(), |mul| mul.p.val().0), [1, !0 << 5, 0xff]);
    }
}
