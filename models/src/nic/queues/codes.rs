//! Enumerations that stand in entries and commands: each item has one number, one name and one sentence.

/// Declares an enumeration whose items have numbers. The first line of an item's documentation is its row in the book.
macro_rules! codes {
    ($(#[$doc:meta])* $type:ident { $(#[doc = $about:literal] $name:ident = $code:literal, $text:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type { $(#[doc = $about] $name,)* }

        impl $type {
            /// All items, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Number in entries and commands.
            pub const fn code(self) -> u8 {
                match self { $(Self::$name => $code,)* }
            }

            /// The item of a number, if there is one.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$name),)* _ => None }
            }

            /// Name in tables and reports.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Meaning of the item, in one sentence.
            pub fn about(self) -> &'static str {
                match self { $(Self::$name => $about.trim_ascii_start(),)* }
            }
        }
    };
}

pub(super) use codes;
