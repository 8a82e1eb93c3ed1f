//! Where a value stands that an error is about: on the command line, in a variant, in the file.

use super::overrides::{Overrides, Planned};
use super::Scenario;
use crate::toml_error::line_of;

/// `FILE:LINE` of a key, or of the innermost table around it that is written; `FILE` alone where nothing of it is.
pub(super) fn place_in_file(file: &str, text: &str, key: &str) -> String {
    let path: Vec<&str> = key.split('.').collect();
    match line_of(text, &path) {
        Some(line) => format!("{file}:{line}"),
        None => file.into(),
    }
}

/// A fault of a planned run with the place of the field that it begins with, `traffic.0.load: expected ...`: the option that has set it, else the
/// line of its variant, of `[full]` or of the scenario.
pub fn placed(file: &str, text: &str, overrides: &Overrides, planned: &Planned, fault: &str) -> String {
    let field = fault.split(": ").next().unwrap_or_default();
    let within = |path: &str| {
        let longer = |a: &str, b: &str| {
            a.strip_prefix(b)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        longer(field, path) || longer(path, field)
    };
    if overrides.set.iter().any(|(path, _)| within(path)) {
        return format!("{}: {fault}", overrides.set_from());
    }
    let options = [
        ("law", "--cc", overrides.law.is_some()),
        ("fidelity", "--fidelity", overrides.fidelity.is_some()),
        ("seed", "--seed", overrides.seed.is_some()),
    ];
    if let Some((_, option, _)) = options.iter().find(|(key, _, given)| *given && *key == field) {
        return format!("{option}: {fault}");
    }
    let line = line_of_change(text, overrides, planned, &within).or_else(|| {
        let path: Vec<&str> = field.split('.').collect();
        line_of(text, &path)
    });
    match line {
        Some(line) => format!("{file}:{line}: {fault}"),
        None => format!("{file}: {fault}"),
    }
}

/// The line of the variant's, or of the full size's, own value.
fn line_of_change(
    text: &str,
    overrides: &Overrides,
    planned: &Planned,
    within: &dyn Fn(&str) -> bool,
) -> Option<usize> {
    let scenario: Scenario = toml::from_str(text).ok()?;
    let label = planned.label.as_deref().unwrap_or_default();
    for (index, variant) in scenario.variant.iter().enumerate() {
        if label != variant.label && !label.starts_with(&format!("{} ", variant.label)) {
            continue;
        }
        for (name, table) in [("set", &variant.set), ("grid", &variant.grid)] {
            if let Some(key) = table.keys().find(|key| within(key)) {
                return line_of(text, &["variant", &index.to_string(), name, key]);
            }
        }
    }
    let full = scenario.full.keys().find(|key| overrides.full && within(key))?;
    line_of(text, &["full", full])
}
