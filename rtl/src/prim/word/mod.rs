//! Words: values with named fields, in kernels and in the Verilog.
//!
//! [`word!`](crate::word) makes a plain Rust struct that travels in `Signal`, `DFF` and every primitive, and a packed
//! struct of the Verilog package with the same fields and the same comments. [`kind!`](crate::kind) does the same for an
//! enumeration. The first field has the lowest bits. The words of the NIC are declared in [`crate::words`].
//!
//! ```text
//! self.written.next = self.sender_7.q.val();              // the whole word first
//! if self.good.val() { self.written.next.una = self.op_7.q.val().psn; }
//! match self.op_7.q.val().kind { OpKind::Ack => .., _ => .. }
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `declare` | `word!` and `kind!` |
//! | `place` | fields in and out of limbs |
//! | `many` | several values of one type as one field |
//! | `cast` | words from and to buses and numbers |
//!
//! Tests and test benches, which see words as limbs, find a field by the word's constant of its name: `RxPacket::PSN.get(&limbs)`.

mod cast;
mod declare;
mod many;
mod place;

pub use cast::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
pub use many::Many;
pub use place::{bits_of_kind, deposit, extract, fits, low};

#[doc(hidden)]
pub use pastey;

use super::uint::Limbs;

/// Place of a field in its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Comment.
    pub doc: &'static str,
    /// Lowest bit.
    pub low: usize,
    /// Width in bits.
    pub width: usize,
}

impl Field {
    /// The field's low 64 bits.
    pub fn get(self, limbs: &[u64]) -> u64 {
        let (word, shift) = (self.low / 64, self.low % 64);
        let high = limbs.get(word + 1).copied().unwrap_or(0);
        let value = u128::from(limbs[word]) | u128::from(high) << 64;
        let mask = if self.width >= 64 { u64::MAX } else { (1 << self.width) - 1 };
        (value >> shift) as u64 & mask
    }
    /// Sets the field, or its low 64 bits; `value` is cut to the width.
    pub fn put(self, limbs: &mut [u64], value: u64) {
        for bit in 0..self.width.min(64) {
            let (word, shift) = ((self.low + bit) / 64, (self.low + bit) % 64);
            limbs[word] = limbs[word] & !(1 << shift) | (value >> bit & 1) << shift;
        }
    }
    /// The part of the field from bit `low` on, as a field.
    pub const fn part(self, low: usize, width: usize) -> Self {
        Self {
            name: self.name,
            doc: self.doc,
            low: self.low + low,
            width,
        }
    }
    /// The field's bytes, those in the highest bits first (network order).
    pub fn bytes(self, limbs: &[u64]) -> Vec<u8> {
        let count = self.width / 8;
        (0..count)
            .map(|i| self.part(8 * (count - 1 - i), 8).get(limbs) as u8)
            .collect()
    }
    /// Sets the field from bytes, the first into the highest bits; bytes that are missing are zero.
    pub fn put_bytes(self, limbs: &mut [u64], bytes: &[u8]) {
        let count = self.width / 8;
        for i in 0..count {
            let byte = bytes.get(i).copied().unwrap_or(0);
            self.part(8 * (count - 1 - i), 8).put(limbs, byte.into());
        }
    }
}

/// A value with named fields.
pub trait Word: Limbs {
    /// Name of the type.
    const NAME: &'static str;
    /// Comment.
    const DOC: &'static str;
    /// All fields, lowest first.
    const FIELDS: &'static [Field];

    /// The word in the lowest bits of some limbs, as ports of a model hold it; bits beyond the last limb are zero.
    fn from_slice(limbs: &[u64]) -> Self {
        let mut own = vec![0; Self::LIMBS];
        let shared = own.len().min(limbs.len());
        own[..shared].copy_from_slice(&limbs[..shared]);
        Self::from_limbs(&own)
    }
    /// The word as an array of limbs, the lowest first; those beyond the word are zero.
    fn array<const L: usize>(self) -> [u64; L] {
        const { assert!(L >= Self::LIMBS) };
        let mut limbs = [0; L];
        self.to_limbs(&mut limbs[..Self::LIMBS]);
        limbs
    }
    /// The word as limbs, the lowest first.
    fn limbs(self) -> Vec<u64> {
        let mut limbs = vec![0; Self::LIMBS];
        self.to_limbs(&mut limbs);
        limbs
    }
}

/// Separates the name in a type's description from the comment behind it, which travels in the same text because
/// RustHDL's description has no place for one.
pub fn name_and_doc(text: &str) -> (&str, Option<&str>) {
    match text.split_once('\n') {
        Some((name, doc)) => (name, Some(doc)),
        None => (text, None),
    }
}

/// The values of an enumeration as its description lists them: name with its type, comment, code. A label is `Step::Idle`, whose code is its
/// place, or `Opcode::Cnp=129`.
pub fn values_of(labels: &[String]) -> impl Iterator<Item = (&str, Option<&str>, usize)> {
    labels.iter().enumerate().map(|(place, label)| {
        let (name, doc) = name_and_doc(label);
        match name.split_once('=') {
            Some((name, code)) => (name, doc, code.parse().unwrap_or(place)),
            None => (name, doc, place),
        }
    })
}
