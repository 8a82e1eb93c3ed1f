//! The result of every table, and what every table can do.

/// Bits of the result's fraction.
pub const FRACTION_BITS: u32 = 17;

/// An approximation of 1/n: `mantissa / 2^17 x 2^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inverse {
    /// UQ1.17 from one up to, not including, two: 18 bits, the top one set.
    pub mantissa: u32,
    /// Power of two: 0 for n = 1 and otherwise negative, [`Inverse::OF_ZERO`] excepted.
    pub exponent: i32,
}

impl Inverse {
    /// What 1/0 is defined as: above every other result, every bit of both ports of the hardware set.
    pub const OF_ZERO: Self = Self {
        mantissa: (1 << (FRACTION_BITS + 1)) - 1,
        exponent: 31 - EXPONENT_BIAS,
    };

    /// `(1 + fraction / 2^17) x 2^exponent`.
    pub fn new(fraction: u32, exponent: i32) -> Self {
        Self {
            mantissa: 1 << FRACTION_BITS | fraction,
            exponent,
        }
    }

    /// The number itself, exact.
    pub fn value(self) -> f64 {
        f64::from(self.mantissa) * 2f64.powi(self.exponent - FRACTION_BITS as i32)
    }

    /// The exponent as the hardware's 5-bit port `shift` carries it: plus 24, so that the leading zeros of a 24-bit n
    /// are the shift of an n that is no power of two.
    pub fn shift(self) -> u32 {
        (self.exponent + EXPONENT_BIAS) as u32
    }
}

/// What [`Inverse::shift`] adds to the exponent: the width of the hardware's n.
pub const EXPONENT_BIAS: i32 = 24;

/// A way to compute 1/n.
pub trait Reciprocal {
    /// 1/n; [`Inverse::OF_ZERO`] for zero, 1/[`largest`](Self::largest) for larger n.
    fn reciprocal(&self, n: u64) -> Inverse;
    /// Largest n for which [`bound`](Self::bound) holds.
    fn largest(&self) -> u64;
    /// Bytes of all the tables it reads, bits rounded up once.
    fn table_bytes(&self) -> usize;
    /// Bound on the relative error for every n from 1 to [`largest`](Self::largest).
    fn bound(&self) -> f64;
}

/// Position of the leading one of `n`: `floor(log2 n)`. `n` is not zero.
pub(super) const fn leading_one(n: u64) -> u32 {
    63 - n.leading_zeros()
}
