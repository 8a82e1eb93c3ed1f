//! Laws that a program brings along: a name, keys, and what makes the law of them.

use super::values::between;
use hpcc_models::cc::CongestionControl;
use hpcc_models::net::SlotParams;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

/// Makes a law for flows of one kind of port, from the values of its keys.
pub type MakeLaw = fn(values: &Values, port: &SlotParams) -> Result<Box<dyn CongestionControl>, String>;

/// A law that the program which uses this crate adds. Two laws of one name are the same law.
#[derive(Clone, Copy)]
pub struct OwnLaw {
    /// Name as in `law = ...`, `--cc` and results; none of this crate's.
    pub name: &'static str,
    /// Keys in the table `[cc]`, beside those that every law has.
    pub keys: &'static [OwnKey],
    /// Packets carry INT, which the law's events then have.
    pub int: bool,
    /// Switches mark, and `network.ecn_kmin_kb`, `ecn_kmax_kb`, `ecn_pmax` say when.
    pub marks: bool,
    /// The law at fidelity `golden`.
    pub golden: MakeLaw,
    /// The law in fixed point, at fidelity `fixed`.
    pub fixed: Option<MakeLaw>,
}

/// A key of a law: a number.
#[derive(Clone, Copy, Debug)]
pub struct OwnKey {
    /// Name; where a law of this crate has the same key, both may have it.
    pub name: &'static str,
    /// Unit; empty for a number without one.
    pub unit: &'static str,
    /// Value where the scenario says nothing.
    pub default: f64,
    /// Smallest and largest value.
    pub range: (f64, f64),
    /// What it does, in a sentence.
    pub meaning: &'static str,
}

impl OwnLaw {
    /// A law without a name and keys yet, which reads neither INT nor marks and is at fidelity `golden` alone.
    pub const fn new(golden: MakeLaw) -> Self {
        Self {
            name: "",
            keys: &[],
            int: false,
            marks: false,
            golden,
            fixed: None,
        }
    }

    /// The value of a key, as far as the key takes it.
    pub(super) fn check(&self, key: &str, value: &toml::Value) -> Result<(), String> {
        let known = self.keys.iter().find(|known| known.name == key);
        known.map_or(Ok(()), |known| {
            between(key, value, known.range.0, known.range.1).map(|_| ())
        })
    }

    /// Every key with its value: that of `given`, or the default.
    pub(super) fn values(&self, given: &BTreeMap<String, toml::Value>) -> Result<Values, String> {
        let mut values = Values::default();
        for key in self.keys {
            let value = match given.get(key.name) {
                Some(value) => between(key.name, value, key.range.0, key.range.1)?,
                None => key.default,
            };
            values.0.push((key.name, value));
        }
        Ok(values)
    }
}

impl PartialEq for OwnLaw {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OwnLaw {}

/// The name alone: addresses of functions differ from run to run, and sweeps know a job by this text.
impl fmt::Debug for OwnLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnLaw({:?})", self.name)
    }
}

/// Values of a law's keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(Vec<(&'static str, f64)>);

impl Values {
    /// The value of one of the law's keys.
    ///
    /// # Panics
    ///
    /// If the law has no such key.
    pub fn number(&self, key: &str) -> f64 {
        let found = self.0.iter().find(|(name, _)| *name == key);
        found.unwrap_or_else(|| panic!("the law has no key `{key}`")).1
    }

    /// Names and values, in the order of the law's keys.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.0.iter().copied()
    }
}

static LAWS: OnceLock<&'static [OwnLaw]> = OnceLock::new();

/// The laws of this process are these besides the crate's. The crate's own names are taken.
pub(crate) fn install(laws: &'static [OwnLaw], taken: impl Fn(&str) -> bool) -> Result<(), String> {
    for (index, law) in laws.iter().enumerate() {
        let twice = laws[..index].iter().any(|other| other.name == law.name);
        if law.name.is_empty() || twice || taken(law.name) {
            return Err(format!("law `{}`: expected a name that no other law has", law.name));
        }
        let outside = |key: &&OwnKey| !(key.range.0..=key.range.1).contains(&key.default);
        if let Some(key) = law.keys.iter().find(outside) {
            return Err(format!(
                "law `{}`: {}: expected a default within its range, got {}",
                law.name, key.name, key.default
            ));
        }
    }
    LAWS.get_or_init(|| laws);
    Ok(())
}

/// The program's own laws.
pub fn all() -> &'static [OwnLaw] {
    LAWS.get().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: OwnLaw = OwnLaw {
        name: "mine",
        keys: &[OwnKey {
            name: "target_us",
            unit: "us",
            default: 20.0,
            range: (1.0, 1000.0),
            meaning: "Target.",
        }],
        ..OwnLaw::new(|_, _| Err("not made".into()))
    };

    #[test]
    fn keys_have_defaults_and_ranges() {
        let given = |value: f64| BTreeMap::from([("target_us".to_string(), toml::Value::Float(value))]);
        assert_eq!(LAW.values(&BTreeMap::new()).unwrap().number("target_us"), 20.0);
        assert_eq!(LAW.values(&given(7.5)).unwrap().number("target_us"), 7.5);
        assert_eq!(
            LAW.values(&given(0.5)).unwrap_err(),
            "cc.target_us: expected 1 to 1000, got 0.5"
        );
        assert_eq!(format!("{LAW:?}"), "OwnLaw(\"mine\")");
    }

    #[test]
    fn names_are_each_laws_own() {
        let free = |_: &str| false;
        let error = "law `mine`: expected a name that no other law has";
        assert_eq!(install(&[LAW, LAW], free).unwrap_err(), error);
        assert_eq!(install(&[LAW], |name| name == "mine").unwrap_err(), error);
        const OUTSIDE: OwnLaw = OwnLaw {
            keys: &[OwnKey {
                default: 0.0,
                ..LAW.keys[0]
            }],
            ..LAW
        };
        let error = install(&[OUTSIDE], free).unwrap_err();
        assert_eq!(
            error,
            "law `mine`: target_us: expected a default within its range, got 0"
        );
    }
}
