//! Values of keys: what each kind of value may be, with an error of one line.

use toml::Value;

fn fault(key: &str, expected: &str, got: &Value) -> String {
    format!("cc.{key}: expected {expected}, got {got}")
}

pub(super) fn number(key: &str, value: &Value, expected: &str) -> Result<f64, String> {
    let number = match value {
        Value::Integer(n) => Some(*n as f64),
        Value::Float(n) => Some(*n),
        _ => None,
    };
    number
        .filter(|n| n.is_finite() && *n >= 0.0)
        .ok_or_else(|| fault(key, expected, value))
}

pub(super) fn between(key: &str, value: &Value, low: f64, high: f64) -> Result<f64, String> {
    let expected = format!("{low} to {high}");
    let n = number(key, value, &expected)?;
    if (low..=high).contains(&n) {
        Ok(n)
    } else {
        Err(fault(key, &expected, value))
    }
}

/// A time in microseconds, in ns.
pub(super) fn nanoseconds(key: &str, value: &Value) -> Result<u64, String> {
    between(key, value, 0.001, 1e6).map(|us| (us * 1000.0).round() as u64)
}

/// A rate in Mb/s, in bits per second.
pub(super) fn rate(key: &str, value: &Value) -> Result<u64, String> {
    between(key, value, 0.0, 1e6).map(|mbps| (mbps * 1e6).round() as u64)
}

pub(super) fn whole(key: &str, value: &Value, high: u64) -> Result<u64, String> {
    let expected = format!("a whole number from 0 to {high}");
    match value {
        Value::Integer(n) if (0..=high as i64).contains(n) => Ok(*n as u64),
        _ => Err(fault(key, &expected, value)),
    }
}

pub(super) fn flag(key: &str, value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| fault(key, "true or false", value))
}

pub(super) fn one_of<T: Copy>(key: &str, value: &Value, words: &[(&str, T)]) -> Result<T, String> {
    let found = words.iter().find(|(word, _)| value.as_str() == Some(*word));
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        fault(key, &format!("one of {}", names.join(", ")), value)
    })
}
