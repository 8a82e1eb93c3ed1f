//! Iterative dividers, 24 bits by 24 bits: what the paper's table of 1/n replaces (section 4.3).
//!
//! Both restore: a trial subtraction is kept where it does not borrow. [`Divider`] makes one quotient bit a clock with one
//! subtractor, [`DividerRadix4`] two with three subtractors side by side. A division begins in a clock in which `start` and
//! `ready` are high; `done` is high in the one clock in which `quotient` and `remainder` are valid, and the next division can begin in it.
//! Division by zero gives a quotient of all ones and the dividend as remainder. `reset` (synchronous, high) abandons a division.
//!
//! | block | clocks from `start` to `done` | clocks between divisions |
//! |---|---|---|
//! | [`Divider`] | 25 | 25 |
//! | [`DividerRadix4`] | 14 | 14 |

use super::uint::{bit_cast_u, bits_u, U};
use super::word::{bit_cast_number, bit_cast_word};
use crate::words::numbers::{
    DividendBits, DividendPairs, DividerDifference, DividerDifference4, LongerRemainder, LongerRemainder4,
};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One quotient bit a clock.
#[block]
pub struct Divider {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Begin, where `ready`.
    pub start: Signal<In, Bit>,
    /// Number to divide.
    pub dividend: Signal<In, U<24>>,
    /// Number to divide by.
    pub divisor: Signal<In, U<24>>,
    /// No division is under way.
    pub ready: Signal<Out, Bit>,
    /// The results are valid in this clock.
    pub done: Signal<Out, Bit>,
    /// `dividend / divisor`, rounded down.
    pub quotient: Signal<Out, U<24>>,
    /// `dividend - quotient x divisor`.
    pub remainder: Signal<Out, U<24>>,
    #[registers(U<24>:
        /// The divisor.
        divisor_r,
        /// Upper part of the dividend that is left, less than the divisor; at the end the remainder.
        remainder_r)]
    /// Dividend bits leave at the top while quotient bits enter at the bottom.
    /// Bits of the dividend that are to come, above the bits of the quotient that are known.
    quotient_r: DFF<U<24>>,
    /// Clocks that the division still takes.
    left: DFF<U<5>>,
    /// The quotient is complete, for one clock.
    done_r: DFF<Bit>,
    partial: Signal<Local, U<26>>,
    bits: Signal<Local, DividendBits>,
    longer: Signal<Local, LongerRemainder>,
    difference: Signal<Local, DividerDifference>,
}

impl Divider {
    /// Clocks from `start` to `done`.
    pub const LATENCY: usize = 25;
}

#[kernel]
impl Logic for Divider {
    fn update(&mut self) {
        ready = left == 0;
        assign!(done = done_r, quotient = quotient_r, remainder = remainder_r);

        bits = bit_cast_word::<DividendBits, U<24>>(quotient_r);
        fields!(longer: lowest = bits.top, remainder = remainder_r);
        longer.zero = false;
        partial = bit_cast_number::<26, LongerRemainder>(longer);
        difference = bit_cast_word::<DividerDifference, U<26>>(partial - bit_cast_u::<26, 24>(divisor_r));
        done_r = left == 1;
        if left == 0 {
            assign!(quotient_r.d = dividend, divisor_r.d = divisor);
            remainder_r = bits_u::<24>(0);
            if start {
                left = bits_u::<5>(24);
            }
        } else {
            left = left - 1;
            remainder_r = difference.remainder;
            quotient_r = (quotient_r << 1) | 1;
            if difference.borrow {
                remainder_r = bit_cast_u::<24, 26>(partial);
                quotient_r = quotient_r << 1;
            }
        }
        reset!(left, done_r);
    }
}

/// Two quotient bits a clock.
#[block]
pub struct DividerRadix4 {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Begin, where `ready`.
    pub start: Signal<In, Bit>,
    /// Number to divide.
    pub dividend: Signal<In, U<24>>,
    /// Number to divide by.
    pub divisor: Signal<In, U<24>>,
    /// No division is under way.
    pub ready: Signal<Out, Bit>,
    /// The results are valid in this clock.
    pub done: Signal<Out, Bit>,
    /// `dividend / divisor`, rounded down.
    pub quotient: Signal<Out, U<24>>,
    /// `dividend - quotient x divisor`.
    pub remainder: Signal<Out, U<24>>,
    #[registers(U<24>:
        /// The divisor.
        divisor_r,
        /// Bits of the dividend that are to come, above the bits of the quotient that are known.
        quotient_r,
        /// Upper part of the dividend that is left, less than the divisor; at the end the remainder.
        remainder_r)]
    #[signals(DividerDifference4: once, twice, thrice)]
    /// Clocks that the division still takes.
    left: DFF<U<4>>,
    /// The quotient is complete, for one clock.
    done_r: DFF<Bit>,
    /// Three times the divisor.
    triple_r: DFF<U<26>>,
    bits: Signal<Local, DividendPairs>,
    longer: Signal<Local, LongerRemainder4>,
    partial: Signal<Local, U<27>>,
}

impl DividerRadix4 {
    /// Clocks from `start` to `done`: the first makes three times the divisor.
    pub const LATENCY: usize = 14;
}

#[kernel]
impl Logic for DividerRadix4 {
    fn update(&mut self) {
        ready = left == 0;
        assign!(done = done_r, quotient = quotient_r, remainder = remainder_r);

        bits = bit_cast_word::<DividendPairs, U<24>>(quotient_r);
        fields!(longer: lowest = bits.top, remainder = remainder_r);
        longer.zero = false;
        partial = bit_cast_number::<27, LongerRemainder4>(longer);
        once = bit_cast_word::<DividerDifference4, U<27>>(partial - bit_cast_u::<27, 24>(divisor_r));
        twice = bit_cast_word::<DividerDifference4, U<27>>(partial - (bit_cast_u::<27, 24>(divisor_r) << 1));
        thrice = bit_cast_word::<DividerDifference4, U<27>>(partial - bit_cast_u::<27, 26>(triple_r));
        triple_r = (bit_cast_u::<26, 24>(divisor_r) << 1) + bit_cast_u::<26, 24>(divisor_r);
        done_r = left == 1;
        if left == 0 {
            assign!(quotient_r.d = dividend, divisor_r.d = divisor);
            remainder_r = bits_u::<24>(0);
            if start {
                left = bits_u::<4>(13);
            }
        } else {
            left = left - 1;
            if left != 13 {
                remainder_r = bit_cast_u::<24, 27>(partial);
                quotient_r = quotient_r << 2;
                if !once.borrow {
                    remainder_r = once.remainder;
                    quotient_r = (quotient_r << 2) | 1;
                }
                if !twice.borrow {
                    remainder_r = twice.remainder;
                    quotient_r = (quotient_r << 2) | 2;
                }
                if !thrice.borrow {
                    remainder_r = thrice.remainder;
                    quotient_r = (quotient_r << 2) | 3;
                }
            }
        }
        reset!(left, done_r);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Ports, Stimulus};

    /// Begins a division as often as the block takes one; checks the results and the clocks they take.
    fn divides<B: Ports + Default>(latency: u64, pairs: impl Iterator<Item = (u64, u64)>) {
        let mut block: Box<B> = Box::default();
        init(block.as_mut()).expect("complete block");
        let (mut pairs, mut clock) = (pairs.peekable(), 0u64);
        let mut running: Option<(u64, u64, u64)> = None;
        while pairs.peek().is_some() || running.is_some() {
            let next = pairs.peek().copied();
            let (dividend, divisor) = next.unwrap_or_default();
            block.set_inputs(&mut [0, u64::from(next.is_some()), dividend, divisor]);
            let mut seen = [0; 4];
            step(block.as_mut(), |block| block.get_outputs(&mut seen));
            let [ready, done, quotient, remainder] = seen;
            assert_eq!(
                done == 1,
                running.is_some_and(|(begun, _, _)| clock == begun + latency),
                "clock {clock}"
            );
            if done == 1 {
                let (_, a, b) = running.take().expect("a division was under way");
                let expected = (a.checked_div(b).unwrap_or(0xff_ffff), a.checked_rem(b).unwrap_or(a));
                assert_eq!((quotient, remainder), expected, "{a} / {b}");
            }
            assert_eq!(ready == 1, running.is_none(), "clock {clock}");
            if ready == 1 && pairs.next().is_some() {
                running = Some((clock, dividend, divisor));
            }
            clock += 1;
        }
    }

    /// Every dividend and divisor of seven bits, in the lower and in the upper bits, and corners of 24 bits.
    fn pairs() -> impl Iterator<Item = (u64, u64)> {
        let small = (0..128u64).flat_map(|a| (0..128).map(move |b| (a, b)));
        let large = (0..128u64).flat_map(|a| (0..128).map(move |b| (a << 17 | 0x1ffff, b << 17 | b)));
        let mut stimulus = Stimulus::new(8);
        small
            .chain(large)
            .chain((0..5000).map(move |_| (stimulus.corner(24), stimulus.corner(24))))
    }

    #[test]
    fn one_bit_a_clock() {
        divides::<Divider>(Divider::LATENCY as u64, pairs());
    }

    #[test]
    fn two_bits_a_clock() {
        divides::<DividerRadix4>(DividerRadix4::LATENCY as u64, pairs());
    }

    fn is_abandoned<B: Ports + Default>() {
        let mut block: Box<B> = Box::default();
        init(block.as_mut()).expect("complete block");
        for clock in 0..60 {
            block.set_inputs(&mut [u64::from(clock == 10), u64::from(clock == 0), 100, 7]);
            let mut seen = [0; 4];
            step(block.as_mut(), |block| block.get_outputs(&mut seen));
            let [ready, done, ..] = seen;
            assert!(done == 0 && (ready == 1) == (clock == 0 || clock > 10), "clock {clock}");
        }
    }

    #[test]
    fn a_reset_abandons_the_division() {
        is_abandoned::<Divider>();
        is_abandoned::<DividerRadix4>();
    }
}
