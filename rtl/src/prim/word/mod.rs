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

mod cast;
mod declare;
mod many;
mod place;

pub use cast::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
pub use many::Many;
pub use place::{bits_of_kind, deposit, extract, low};

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
