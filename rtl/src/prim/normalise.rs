//! Normalisation: shifts a number left until its top bit is set, one conditional shift a clock, largest first.
//!
//! A zero comes out as zero with the largest shift. One stage per power of two keeps each at a zero test and a
//! two-way selection, which no other form beats in clock rate.

use super::uint::{bits_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// 24 bits, five clocks.
#[block]
pub struct Normalise24 {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The number.
    pub n: Signal<In, U<24>>,
    /// `n << shift`.
    pub x: Signal<Out, U<24>>,
    /// Leading zeros of `n`, 0 to 23; 31 for zero.
    pub shift: Signal<Out, U<5>>,
    word: [DFF<U<24>>; 5],
    moved: [DFF<U<5>>; 5],
}

#[kernel]
impl Logic for Normalise24 {
    fn update(&mut self) {
        self.word[0].d.next = self.n.val();
        self.moved[0].d.next = bits_u::<5>(0);
        if self.n.val() < 0x100 {
            self.word[0].d.next = self.n.val() << 16;
            self.moved[0].d.next = bits_u::<5>(16);
        }
        self.word[1].d.next = self.word[0].q.val();
        self.moved[1].d.next = self.moved[0].q.val();
        if self.word[0].q.val() < 0x1_0000 {
            self.word[1].d.next = self.word[0].q.val() << 8;
            self.moved[1].d.next = self.moved[0].q.val() | 8;
        }
        self.word[2].d.next = self.word[1].q.val();
        self.moved[2].d.next = self.moved[1].q.val();
        if self.word[1].q.val() < 0x10_0000 {
            self.word[2].d.next = self.word[1].q.val() << 4;
            self.moved[2].d.next = self.moved[1].q.val() | 4;
        }
        self.word[3].d.next = self.word[2].q.val();
        self.moved[3].d.next = self.moved[2].q.val();
        if self.word[2].q.val() < 0x40_0000 {
            self.word[3].d.next = self.word[2].q.val() << 2;
            self.moved[3].d.next = self.moved[2].q.val() | 2;
        }
        self.word[4].d.next = self.word[3].q.val();
        self.moved[4].d.next = self.moved[3].q.val();
        if self.word[3].q.val() < 0x80_0000 {
            self.word[4].d.next = self.word[3].q.val() << 1;
            self.moved[4].d.next = self.moved[3].q.val() | 1;
        }
        self.x.next = self.word[4].q.val();
        self.shift.next = self.moved[4].q.val();
    }
}

/// 51 bits, six clocks.
#[block]
pub struct Normalise51 {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The number.
    pub n: Signal<In, U<51>>,
    /// Upper 24 bits of `n << shift`.
    pub x: Signal<Out, U<24>>,
    /// Leading zeros of `n`, 0 to 50; 63 for zero.
    pub shift: Signal<Out, U<6>>,
    word: [DFF<U<51>>; 5],
    last: DFF<U<24>>,
    moved: [DFF<U<6>>; 6],
}

#[kernel]
impl Logic for Normalise51 {
    fn update(&mut self) {
        self.word[0].d.next = self.n.val();
        self.moved[0].d.next = bits_u::<6>(0);
        if self.n.val() < 0x8_0000 {
            self.word[0].d.next = self.n.val() << 32;
            self.moved[0].d.next = bits_u::<6>(32);
        }
        self.word[1].d.next = self.word[0].q.val();
        self.moved[1].d.next = self.moved[0].q.val();
        if self.word[0].q.val() < 0x8_0000_0000u64 {
            self.word[1].d.next = self.word[0].q.val() << 16;
            self.moved[1].d.next = self.moved[0].q.val() | 16;
        }
        self.word[2].d.next = self.word[1].q.val();
        self.moved[2].d.next = self.moved[1].q.val();
        if self.word[1].q.val() < 0x800_0000_0000u64 {
            self.word[2].d.next = self.word[1].q.val() << 8;
            self.moved[2].d.next = self.moved[1].q.val() | 8;
        }
        self.word[3].d.next = self.word[2].q.val();
        self.moved[3].d.next = self.moved[2].q.val();
        if self.word[2].q.val() < 0x8000_0000_0000u64 {
            self.word[3].d.next = self.word[2].q.val() << 4;
            self.moved[3].d.next = self.moved[2].q.val() | 4;
        }
        self.word[4].d.next = self.word[3].q.val();
        self.moved[4].d.next = self.moved[3].q.val();
        if self.word[3].q.val() < 0x2_0000_0000_0000u64 {
            self.word[4].d.next = self.word[3].q.val() << 2;
            self.moved[4].d.next = self.moved[3].q.val() | 2;
        }
        self.last.d.next = self.word[4].q.val().get_bits::<24>(27);
        self.moved[5].d.next = self.moved[4].q.val();
        if self.word[4].q.val() < 0x4_0000_0000_0000u64 {
            self.last.d.next = self.word[4].q.val().get_bits::<24>(26);
            self.moved[5].d.next = self.moved[4].q.val() | 1;
        }
        self.x.next = self.last.q.val();
        self.shift.next = self.moved[5].q.val();
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
