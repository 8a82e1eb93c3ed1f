//! What the command line and the file say must have an effect on some run: fidelity, keys of topologies, of laws, of variants.

use toml::Table;

use super::overrides::{Overrides, Planned};
use super::{NetworkSpec, Scenario};
use crate::plan::laws::keys::{is_key_of_any, ECN_KEYS};
use crate::plan::laws::LawSpec;
use crate::plan::Fidelity;

/// A fidelity that no run can have would have no effect.
pub(super) fn check_fidelity(overrides: &Overrides, runs: &[Planned]) -> Result<(), String> {
    let Some(fidelity) = overrides.fidelity.filter(|f| *f != Fidelity::Golden) else {
        return Ok(());
    };
    if runs.iter().all(|run| run.scenario.fidelity == Fidelity::Golden) {
        let name = fidelity.name();
        return Err(format!(
            "--fidelity: expected golden, got {name}: no run has a law that is in hardware"
        ));
    }
    Ok(())
}

/// What the command line sets and every variant sets otherwise would have no effect.
pub(super) fn check_overruled(scenario: &Scenario, overrides: &Overrides) -> Result<(), String> {
    let given = [
        ("fidelity", "--fidelity", overrides.fidelity.is_some()),
        ("seed", "--seed", overrides.seed.is_some()),
    ];
    let given = given.iter().filter(|g| g.2).map(|g| (g.0.to_string(), g.1.to_string()));
    let set = overrides
        .set
        .iter()
        .map(|(key, _)| (key.clone(), format!("--set {key}")));
    for (path, option) in given.chain(set) {
        let sets = |table: &Table| table.contains_key(&path);
        let variants = &scenario.variant;
        if !variants.is_empty() && variants.iter().all(|v| sets(&v.set) || sets(&v.grid)) {
            return Err(format!(
                "{option}: expected a value that not every variant sets for itself"
            ));
        }
    }
    Ok(())
}

/// A key of the network that the topology does not have would have no effect.
pub(super) fn check_ignored(
    from: &dyn Fn(String) -> String,
    network: &NetworkSpec,
    keys: &[String],
) -> Result<(), String> {
    let topology = network.topology.as_str();
    let shaping = [
        "hosts",
        "rate_gbps",
        "middle_gbps",
        "delay_ns",
        "middle_delay_ns",
        "pods",
        "racks",
        "leaves",
        "spines",
        "k",
        "aggregations",
        "edges",
    ];
    let own: &[&str] = match topology {
        "star" => &["hosts", "rate_gbps", "delay_ns"],
        "dumbbell" | "chain" => &["hosts", "rate_gbps", "middle_gbps", "delay_ns"],
        "racks" => &["racks", "hosts", "rate_gbps", "middle_gbps", "delay_ns"],
        "leaf-spine" => &[
            "leaves",
            "spines",
            "hosts",
            "rate_gbps",
            "middle_gbps",
            "delay_ns",
            "middle_delay_ns",
        ],
        "fat-tree" if network.k.is_some() => &["k", "rate_gbps", "middle_gbps", "delay_ns", "middle_delay_ns"],
        "fat-tree" => &["pods"],
        "three-tier" => &[
            "aggregations",
            "edges",
            "hosts",
            "rate_gbps",
            "middle_gbps",
            "delay_ns",
            "middle_delay_ns",
        ],
        "testbed" | "four-pods" => &[],
        file if file.contains('.') => &[],
        // Not a topology: that is said where it is built.
        _ => return Ok(()),
    };
    let ignored = |key: &&String| shaping.contains(&key.as_str()) && !own.contains(&key.as_str());
    match keys.iter().find(ignored) {
        Some(key) => {
            let path = format!("network.{key}");
            Err(format!("{}: {path}: {topology} has no such key", from(path.clone())))
        }
        None => Ok(()),
    }
}

/// Every key of a law must be one that the law of a run has: of its own run for a variant, of some run for `--set`, for a sweep's axis and
/// for the scenario itself (with `--cc` the scenario's own keys may be another law's).
pub(super) fn check_keys(file: &str, base: &Scenario, overrides: &Overrides, runs: &[Planned]) -> Result<(), String> {
    let laws: Vec<LawSpec> = runs
        .iter()
        .map(|run| LawSpec::named(&run.scenario.law))
        .collect::<Result<_, _>>()?;
    let has = |law: &LawSpec, path: &str| match path.split_once('.') {
        Some(("cc", key)) if is_key_of_any(key) => law.kind.keys().contains(&key),
        Some(("network", key)) if ECN_KEYS.contains(&key) => law.kind.reads_marks(),
        _ => true,
    };
    let refuse = |from: &str, path: &str, law: &LawSpec| {
        if path.starts_with("network.") {
            return Err(format!("{from}: {path}: {} reads no marks", law.name));
        }
        let keys = law.kind.keys().join(", ");
        Err(format!("{from}: {path}: {} has no such key; it has {keys}", law.name))
    };
    for (run, law) in runs.iter().zip(&laws) {
        let unknown = run.scenario.cc.law.keys().find(|key| !is_key_of_any(key));
        if let Some(key) = unknown {
            return refuse(file, &format!("cc.{key}"), law);
        }
    }
    for (path, _) in &overrides.set {
        if !laws.iter().any(|law| has(law, path)) {
            return refuse(overrides.set_from(), path, &laws[0]);
        }
    }
    let own = base.cc.law.keys().filter(|_| overrides.law.is_none());
    for key in own {
        let path = format!("cc.{key}");
        if !laws.iter().any(|law| has(law, &path)) {
            return refuse(file, &path, &laws[0]);
        }
    }
    for variant in &base.variant {
        let mut of_variant = runs.iter().zip(&laws).filter(|(run, _)| {
            let label = run.label.as_deref();
            label.is_some_and(|label| label.starts_with(&variant.label))
        });
        let Some((_, law)) = of_variant.next() else { continue };
        // a grid over laws: each of its runs is checked when it is made
        let varies = variant.grid.contains_key("law");
        for path in variant
            .set
            .keys()
            .chain(variant.grid.keys())
            .filter(|_| !varies && overrides.law.is_none())
        {
            if !has(law, path) {
                return refuse(&format!("{file}: variant {}", variant.label), path, law);
            }
        }
    }
    Ok(())
}
