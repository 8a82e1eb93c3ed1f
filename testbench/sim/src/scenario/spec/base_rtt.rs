//! `cc.t_ns`: a number, or the network's own.

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// `T` of the law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseRtt {
    /// The largest base round trip of the pairs of hosts that talk.
    #[default]
    Auto,
    /// So many ns.
    Ns(u64),
}

impl BaseRtt {
    /// The number; 0 for one that has not been looked up.
    pub fn ns(self) -> u64 {
        match self {
            Self::Auto => 0,
            Self::Ns(ns) => ns,
        }
    }
}

impl Serialize for BaseRtt {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => to.serialize_str("auto"),
            Self::Ns(ns) => to.serialize_u64(*ns),
        }
    }
}

impl<'de> Deserialize<'de> for BaseRtt {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Words;
        impl Visitor<'_> for Words {
            type Value = BaseRtt;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                write!(f, "nanoseconds from 1 to 100000000, or \"auto\"")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<BaseRtt, E> {
                match word {
                    "auto" => Ok(BaseRtt::Auto),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
                }
            }
            fn visit_u64<E: Error>(self, ns: u64) -> Result<BaseRtt, E> {
                match ns {
                    1..=100_000_000 => Ok(BaseRtt::Ns(ns)),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Unsigned(ns), &self)),
                }
            }
            fn visit_i64<E: Error>(self, ns: i64) -> Result<BaseRtt, E> {
                match u64::try_from(ns) {
                    Ok(ns) => self.visit_u64(ns),
                    Err(_) => Err(E::invalid_value(serde::de::Unexpected::Signed(ns), &self)),
                }
            }
        }
        from.deserialize_any(Words)
    }
}
