//! Normalisation: shifts a number left until its top bit is set, one conditional shift a clock, largest first.
//!
//! A zero comes out as zero with the largest shift. One stage per power of two keeps each at a zero test and a
//! two-way selection, which no other form beats in clock rate.

use super::uint::{mask, U};
use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;

/// 24 bits, five clocks.
pub type Normalise24 = Normalise<24, 5>;
/// 51 bits, six clocks.
pub type Normalise51 = Normalise<51, 6>;

/// Numbers of `N` bits in `S` stages, one clock each; `S` is the number of bits of `N - 1`.
#[block(check(N >= 24 && N <= 1 << S && N > 1 << (S - 1), "a stage for each bit of a shift, and 24 bits at least"))]
pub struct Normalise<const N: usize, const S: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The number.
    pub n: Signal<In, U<N>>,
    /// Upper 24 bits of `n << shift`.
    pub x: Signal<Out, U<24>>,
    /// Leading zeros of `n`, 0 to `N` - 1; all ones for zero.
    pub shift: Signal<Out, U<S>>,
    #[init([(0, 0); S])]
    _stages: [(u64, u64); S],
}

impl<const N: usize, const S: usize> Logic for Normalise<N, S> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let mut before = (self.n.val().0, 0);
            for at in 0..S {
                let by = 1 << (S - 1 - at);
                let (word, moved) = before;
                let after = match word >> (N - by) {
                    0 => (word << by & mask(N), moved | by as u64),
                    _ => before,
                };
                before = std::mem::replace(&mut self._stages[at], after);
            }
            let (word, moved) = self._stages[S - 1];
            self.x.next = U(word >> (N - 24));
            self.shift.next = U(moved);
        }
    }
    fn connect(&mut self) {
        self.x.connect();
        self.shift.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Blackbox(BlackBox {
            name: format!("hpcc_normalise #(.WIDTH({N}))"),
            code: include_str!("normalise.sv").into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use std::collections::VecDeque;

    #[test]
    fn shift_is_the_number_of_leading_zeros() {
        let (mut narrow, mut wide): (Box<Normalise24>, Box<Normalise51>) = Default::default();
        init(narrow.as_mut()).expect("complete block");
        init(wide.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(11);
        let mut past = VecDeque::from(vec![(0, 0); 6]);
        for clock in 0..20_000 {
            let (n, w) = (stimulus.corner(24), stimulus.corner(51));
            (narrow.n.next, wide.n.next) = (U(n), U(w));
            let a = step(narrow.as_mut(), |b| (b.x.val().0, b.shift.val().0));
            let b = step(wide.as_mut(), |b| (b.x.val().0, b.shift.val().0));
            let expected = |n: u64, bits: u32, top: u64| match n {
                0 => (0, top),
                _ => (
                    n << (n.leading_zeros() - (64 - bits)),
                    u64::from(n.leading_zeros() - (64 - bits)),
                ),
            };
            if clock >= 6 {
                assert_eq!(a, expected(past[1].0, 24, 31), "clock {clock}");
                let wide = expected(past[0].1, 51, 63);
                assert_eq!(b, (wide.0 >> 27, wide.1), "clock {clock}");
            }
            past.pop_front();
            past.push_back((n, w));
        }
    }
}
