//! The macros that declare words and kinds.

/// Makes words: structs of `U`, `W`, `Bit`, kinds, `Many` and other words, the first field in the lowest bits.
#[macro_export]
macro_rules! word {
    ($(
        $(#[doc = $doc:expr])*
        $vis:vis struct $name:ident { $( $(#[doc = $field_doc:expr])* $field:ident : $ty:ty, )* }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis struct $name { $( $(#[doc = $field_doc])* pub $field: $ty, )* }

        const _: () = {
            use $crate::prim::uint::Limbs as _;
            use $crate::prim::word::{deposit, extract, low};
            use rust_hdl::prelude::{Bits, Synth, TypeDescriptor, TypeField, TypeKind, VCDValue, VerilogLiteral};

            #[allow(non_camel_case_types)]
            enum At { $($field,)* }
            const WIDTHS: &[usize] = &[$(<$ty as Synth>::BITS,)*];
            const BITS: usize = low(WIDTHS, WIDTHS.len());

            impl $crate::prim::word::Word for $name {
                const NAME: &'static str = stringify!($name);
                const DOC: &'static str = concat!($($doc, "\n",)*);
                const FIELDS: &'static [$crate::prim::word::Field] = &[$($crate::prim::word::Field {
                    name: stringify!($field),
                    doc: concat!($($field_doc, "\n",)*),
                    low: low(WIDTHS, At::$field as usize),
                    width: <$ty as Synth>::BITS,
                },)*];
            }

            // the names that `#[hdl_gen]` asks for
            #[allow(dead_code, missing_docs)]
            impl $name { $crate::word_places! { $($field: $ty,)* } }

            // the places of fields for those who see limbs
            #[allow(dead_code, missing_docs)]
            impl $name { $crate::word_fields! { $name $($field)* } }

            impl Synth for $name {
                const BITS: usize = BITS;
                fn descriptor() -> TypeDescriptor {
                    TypeDescriptor {
                        name: concat!(stringify!($name), "\n", $($doc, "\n",)*).into(),
                        kind: TypeKind::Composite(vec![$(Box::new(TypeField {
                            fieldname: concat!(stringify!($field), "\n", $($field_doc, "\n",)*).into(),
                            kind: <$ty as Synth>::descriptor(),
                        }),)*]),
                    }
                }
                fn vcd(self) -> VCDValue {
                    VCDValue::Composite(vec![$(Box::new(self.$field.vcd()),)*])
                }
                fn verilog(self) -> VerilogLiteral {
                    let mut limbs = [0; BITS.div_ceil(64)];
                    self.to_limbs(&mut limbs);
                    Bits::<BITS>::from_limbs(&limbs).into()
                }
            }

            impl $crate::prim::uint::Limbs for $name {
                #[inline]
                fn to_limbs(self, out: &mut [u64]) {
                    out[..BITS.div_ceil(64)].fill(0);
                    $({
                        let mut part = [0; <$ty as $crate::prim::uint::Limbs>::LIMBS];
                        self.$field.to_limbs(&mut part);
                        deposit(out, low(WIDTHS, At::$field as usize), <$ty as Synth>::BITS, &part);
                    })*
                }
                #[inline]
                fn from_limbs(limbs: &[u64]) -> Self {
                    Self { $($field: {
                        let mut part = [0; <$ty as $crate::prim::uint::Limbs>::LIMBS];
                        extract(limbs, low(WIDTHS, At::$field as usize), <$ty as Synth>::BITS, &mut part);
                        <$ty as $crate::prim::uint::Limbs>::from_limbs(&part)
                    },)* }
                }
            }
        };
    )*};
}

/// `get_my_width_x` and `get_my_offset_x` of every field of a [`word!`](crate::word).
#[doc(hidden)]
#[macro_export]
macro_rules! word_places {
    ($($field:ident : $ty:ty,)*) => {
        $crate::prim::word::pastey::paste! {$(
            #[inline(always)]
            pub fn [<get_my_width_ $field>](&self) -> usize {
                <$ty as Synth>::BITS
            }
            #[inline(always)]
            pub fn [<get_my_offset_ $field>](&self) -> usize {
                low(WIDTHS, At::$field as usize)
            }
        )*}
    };
}

/// Of every field of a [`word!`](crate::word) a constant of its name: its place.
#[doc(hidden)]
#[macro_export]
macro_rules! word_fields {
    ($name:ident $($field:ident)*) => {
        $crate::prim::word::pastey::paste! {$(
            pub const [<$field:upper>]: $crate::prim::word::Field =
                <$name as $crate::prim::word::Word>::FIELDS[At::$field as usize];
        )*}
    };
}

/// Makes enumerations; the first value is the default and the code zero. A code that no value has, which only a port of a
/// test can bring, reads as the last value. `enum Status: 8 { .. }` is wider than its values need.
#[macro_export]
macro_rules! kind {
    ($(
        $(#[doc = $doc:expr])*
        $vis:vis enum $name:ident $(: $bits:literal)? { $( $(#[doc = $value_doc:expr])* $value:ident, )* }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $( $(#[doc = $value_doc])* $value, )* }

        impl $name {
            /// All values in the order of their codes.
            pub const ALL: &'static [Self] = &[$(Self::$value,)*];
        }

        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        const _: () = {
            use $crate::prim::uint::Limbs;
            use $crate::prim::word::bits_of_kind;
            use rust_hdl::prelude::*;
            const NEEDED: usize = bits_of_kind($name::ALL.len());
            #[allow(unused_mut, unused_assignments)]
            const BITS: usize = {
                let mut bits = NEEDED;
                $( bits = $bits; )?
                assert!(bits >= NEEDED, "the kind has more values than its width holds");
                bits
            };

            impl Synth for $name {
                const BITS: usize = BITS;
                fn descriptor() -> TypeDescriptor {
                    TypeDescriptor {
                        name: concat!(stringify!($name), $(":", $bits,)? "\n", $($doc, "\n",)*).into(),
                        kind: TypeKind::Enum(vec![$(
                            concat!(stringify!($name), "::", stringify!($value), "\n", $($value_doc, "\n",)*).into(),
                        )*]),
                    }
                }
                fn vcd(self) -> VCDValue {
                    VCDValue::String(match self { $(Self::$value => stringify!($value),)* }.into())
                }
                fn verilog(self) -> VerilogLiteral {
                    Bits::<BITS>::from(self as u64).into()
                }
            }

            impl Limbs for $name {
                #[inline]
                fn to_limbs(self, out: &mut [u64]) {
                    out[0] = self as u64;
                }
                #[inline]
                fn from_limbs(limbs: &[u64]) -> Self {
                    let code = limbs[0] & $crate::prim::uint::mask(BITS);
                    $name::ALL[(code as usize).min($name::ALL.len() - 1)]
                }
            }
        };
    )*};
}

/// Makes numbers whose values have names on the wire, as opcodes: `struct Opcode: 8 { SendFirst = 0x00, .. }`. Unlike a
/// [`kind!`](crate::kind) it holds every value, also one that has no name, because a peer may send anything. The first value is the default
/// and zero.
#[macro_export]
macro_rules! codes {
    ($(
        $(#[doc = $doc:expr])*
        $vis:vis struct $name:ident: $bits:literal { $( $(#[doc = $value_doc:expr])* $value:ident = $code:literal, )* }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis struct $name(
            /// The number.
            pub u64,
        );

        // named as the values of an enumeration, which is what a kernel compares with
        #[allow(non_upper_case_globals)]
        impl $name {
            $( $(#[doc = $value_doc])* pub const $value: Self = Self($code); )*
            /// All values with a name.
            pub const ALL: &'static [Self] = &[$(Self::$value,)*];
        }

        const _: () = {
            use $crate::prim::uint::{mask, Limbs};
            use rust_hdl::prelude::*;
            assert!($name::ALL[0].0 == 0, "the first value is what a register starts with");
            $( assert!($crate::prim::word::fits($code, $bits), "the value does not fit"); )*

            impl Synth for $name {
                const BITS: usize = $bits;
                fn descriptor() -> TypeDescriptor {
                    TypeDescriptor {
                        name: concat!(stringify!($name), ":", $bits, "\n", $($doc, "\n",)*).into(),
                        kind: TypeKind::Enum(vec![$(
                            concat!(stringify!($name), "::", stringify!($value), "=", $code, "\n", $($value_doc, "\n",)*).into(),
                        )*]),
                    }
                }
                fn vcd(self) -> VCDValue {
                    VCDValue::String(match self {
                        $(Self::$value => stringify!($value).into(),)*
                        Self(other) => format!("{other:#x}"),
                    })
                }
                fn verilog(self) -> VerilogLiteral {
                    Bits::<$bits>::from(self.0).into()
                }
            }

            impl Limbs for $name {
                #[inline]
                fn to_limbs(self, out: &mut [u64]) {
                    out[0] = self.0;
                }
                #[inline]
                fn from_limbs(limbs: &[u64]) -> Self {
                    Self(limbs[0] & mask($bits))
                }
            }
        };
    )*};
}
