//! From a scenario file and the command line to the list of runs.

use toml::{Table, Value};

use super::checks::{check_fidelity, check_ignored, check_keys, check_overruled};
use super::effects;
use super::overrides::{Overrides, Planned};
use super::place::place_in_file;
use super::Scenario;
use crate::plan::laws::LawSpec;
use crate::plan::Fidelity;
use crate::toml_error::{table_error, toml_error};

/// Reads a scenario and makes the list of runs. `file` is used in errors.
pub fn plan(file: &str, text: &str, overrides: &Overrides) -> Result<Vec<Planned>, String> {
    let base: Scenario = toml::from_str(text).map_err(|e| toml_error(file, text, &e))?;
    let (whole, runs) = changed(file, text, &base, overrides)?;
    check_keys(file, &base, overrides, &runs)?;
    check_fidelity(overrides, &runs)?;
    // The file's keys against its own topology; what `--set` adds against the topology that is run.
    let own: Table = text.parse().map_err(|e| format!("{file}: {e}"))?;
    let keys = |table: &Table| -> Vec<String> {
        let network = table.get("network").and_then(Value::as_table);
        network.map_or(Vec::new(), |n| n.keys().cloned().collect())
    };
    let of_file = |key: String| place_in_file(file, text, &key);
    check_ignored(&of_file, &base.network, &keys(&own))?;
    let set = overrides
        .set
        .iter()
        .filter_map(|(path, _)| path.strip_prefix("network."));
    let set: Vec<String> = set.map(String::from).collect();
    let of_set = |_: String| overrides.set_from().to_string();
    check_ignored(&of_set, &runs[0].scenario.network, &set)?;
    if !overrides.no_variants {
        check_overruled(&whole, overrides)?;
    }
    effects::of_set(overrides, &runs)?;
    // What the command line changes may leave a key of the file idle, as long as the file's own runs need it; a sweep's scenario may be made for its axes.
    if !overrides.axes {
        let own_runs = || {
            let plain = Overrides {
                full: overrides.full,
                ..Overrides::default()
            };
            changed(file, text, &base, &plain).map(|(_, runs)| runs)
        };
        effects::of_file(file, text, &own, &runs, own_runs)?;
    }
    Ok(runs)
}

/// The scenario with the command line's changes, and its runs.
fn changed(file: &str, text: &str, base: &Scenario, overrides: &Overrides) -> Result<(Scenario, Vec<Planned>), String> {
    let mut table: Table = text.parse().map_err(|e| format!("{file}: {e}"))?;
    if overrides.full {
        if base.full.is_empty() {
            return Err(format!(
                "--full: expected only with a scenario that has a table [full]; {file} has none"
            ));
        }
        apply_all(&mut table, &base.full, file)?;
    }
    if let Some(law) = &overrides.law {
        table.insert("law".into(), Value::String(law.clone()));
    }
    if let Some(fidelity) = overrides.fidelity {
        table.insert("fidelity".into(), Value::String(fidelity.name().into()));
    }
    if let Some(seed) = overrides.seed {
        table.insert("seed".into(), Value::Integer(seed as i64));
    }
    let set_from = overrides.set_from();
    for (index, (key, value)) in overrides.set.iter().enumerate() {
        if overrides.set[..index].iter().any(|(other, _)| other == key) {
            return Err(format!("{set_from} {key}: expected once"));
        }
        apply(&mut table, key, value.clone()).map_err(|e| format!("{set_from} {key}: {e}"))?;
    }
    if overrides.no_variants {
        table.remove("variant");
    }
    let finish = |table: Table, what: &str| -> Result<Scenario, String> {
        let mut scenario: Scenario = table.try_into().map_err(|error| table_error(what, &error))?;
        if scenario.title.is_empty() {
            scenario.title.clone_from(&scenario.name);
        }
        Ok(scenario)
    };
    let found = |mut scenario: Scenario| -> Result<Scenario, String> {
        scenario.find_files(file).map_err(|error| format!("{file}: {error}"))?;
        Ok(scenario)
    };
    let whole = finish(table.clone(), set_from)?;
    let mut runs: Vec<Planned> = Vec::new();
    for variant in &whole.variant {
        let mut set = variant.set.clone();
        if overrides.law.is_some() {
            set.remove("law");
        }
        if set.is_empty() && variant.grid.is_empty() && overrides.law.is_some() {
            continue;
        }
        for point in combinations(&variant.grid).map_err(|e| format!("{file}: variant {}: {e}", variant.label))? {
            let mut own = table.clone();
            own.remove("variant");
            apply_all(&mut own, &set, file)?;
            let mut label = variant.label.clone();
            for (path, value) in point {
                let name = path.rsplit('.').next().unwrap_or(&path);
                label += &format!(
                    " {name} {}",
                    value.as_str().map_or_else(|| value.to_string(), String::from)
                );
                apply(&mut own, &path, value).map_err(|e| format!("{file}: {path}: {e}"))?;
            }
            let mut scenario = found(finish(own, &format!("{file}: variant {label}"))?)?;
            if overrides.fidelity.is_some() && !LawSpec::named(&scenario.law)?.kind.in_hardware() {
                scenario.fidelity = Fidelity::Golden;
            }
            runs.push(Planned {
                label: Some(label),
                scenario,
            });
        }
    }
    if runs.is_empty() {
        runs.push(Planned {
            label: None,
            scenario: found(whole.clone())?,
        });
    }
    let runs = with_seeds(runs, overrides)?;
    Ok((whole, runs))
}

/// Most seeds of a scenario.
const MOST_SEEDS: u64 = 1000;

/// Each run once for each of its seeds. The seed is the last part of the label, and each run's own scenario has one seed.
fn with_seeds(runs: Vec<Planned>, overrides: &Overrides) -> Result<Vec<Planned>, String> {
    let mut all = Vec::new();
    for run in runs {
        let seeds = run.scenario.run.seeds;
        if !(1..=MOST_SEEDS).contains(&seeds) {
            return Err(format!("run.seeds: expected 1 to {MOST_SEEDS}, got {seeds}"));
        }
        if seeds == 1 {
            all.push(run);
            continue;
        }
        if overrides.axes {
            return Err(format!(
                "run.seeds: expected 1 in a sweep, whose axis `seed` does the same, got {seeds}"
            ));
        }
        for seed in run.scenario.seed..run.scenario.seed.saturating_add(seeds) {
            let mut own = run.clone();
            own.scenario.seed = seed;
            own.scenario.run.seeds = 1;
            // A figure's analysis looks for the runs of its own scenario.
            own.scenario.figure = None;
            own.label = Some(match &run.label {
                Some(label) => format!("{label} seed {seed}"),
                None => format!("seed {seed}"),
            });
            all.push(own);
        }
    }
    Ok(all)
}

/// Most combinations of a grid or a sweep.
const MOST: usize = 100_000;

/// Every combination of lists of values by dotted path, the last path fastest; one empty combination if there are none.
pub(in crate::scenario) fn combinations(axes: &Table) -> Result<Vec<Vec<(String, Value)>>, String> {
    let mut all: Vec<Vec<(String, Value)>> = vec![Vec::new()];
    for (axis, values) in axes {
        let Value::Array(values) = values else {
            return Err(format!("{axis}: expected a list of values"));
        };
        if values.is_empty() || all.len() * values.len() > MOST {
            return Err(format!(
                "{axis}: expected 1 value or more, and {MOST} combinations at most"
            ));
        }
        if let Some(twice) = (1..values.len()).find(|&at| values[..at].contains(&values[at])) {
            return Err(format!("{axis}: expected each value once, got {} again", values[twice]));
        }
        let extend = |point: &Vec<(String, Value)>| {
            let with = |v: &Value| point.iter().cloned().chain([(axis.clone(), v.clone())]).collect();
            values.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(extend).collect();
    }
    Ok(all)
}

fn apply_all(table: &mut Table, changes: &Table, file: &str) -> Result<(), String> {
    for (key, value) in changes {
        apply(table, key, value.clone()).map_err(|e| format!("{file}: {key}: {e}"))?;
    }
    Ok(())
}

/// Sets one value by dotted path; parts that are numbers index arrays.
fn apply(table: &mut Table, path: &str, value: Value) -> Result<(), String> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(a, b)| (a, Some(b)));
    let Some(rest) = rest else {
        table.insert(first.into(), value);
        return Ok(());
    };
    let slot = table.entry(first).or_insert_with(|| Value::Table(Table::new()));
    match slot {
        Value::Table(inner) => apply(inner, rest, value),
        Value::Array(list) => {
            let (index, rest) = rest
                .split_once('.')
                .ok_or("expected an index and a key, such as traffic.0.bytes")?;
            let len = list.len();
            let item = index.parse::<usize>().ok().and_then(|i| list.get_mut(i));
            match item {
                Some(Value::Table(inner)) => apply(inner, rest, value),
                _ => Err(format!("expected an index below {len}, got `{index}`")),
            }
        }
        _ => Err(format!("expected `{first}` to be a table")),
    }
}

/// `--set key=value`: the value as TOML, or as a plain string.
pub fn parse_set(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| format!("expected key=value, got `{text}`"))?;
    let parsed = format!("v = {value}")
        .parse::<Table>()
        .ok()
        .and_then(|mut t| t.remove("v"));
    Ok((key.trim().into(), parsed.unwrap_or_else(|| Value::String(value.into()))))
}

#[cfg(test)]
mod tests {
    use super::super::TrafficSpec;
    use super::*;

    const TEXT: &str = "name='x'\ntitle='t'\nnetwork={topology='star',hosts=3}\nrun={stop_us=10}\n\
        [[traffic]]\nkind='flow'\nsrc=0\ndst=2\nbytes=5\n[[variant]]\nlabel='a'\nset={law='dcqcn'}\n[[variant]]\nlabel='b'\n\
        set={'cc.w_ai'=25}\n[full]\n'traffic.0.bytes'=500\n";

    #[test]
    fn variants_sets_and_full() {
        let runs = plan("x", TEXT, &Overrides::default()).unwrap();
        assert_eq!(runs.len(), 2);
        assert_eq!(
            (
                runs[0].scenario.law.as_str(),
                runs[1].scenario.cc.law["w_ai"].as_integer()
            ),
            ("dcqcn", Some(25))
        );
        let set = vec![parse_set("network.hosts=9").unwrap()];
        let runs = plan(
            "x",
            TEXT,
            &Overrides {
                law: Some("dctcp".into()),
                full: true,
                set,
                ..Overrides::default()
            },
        )
        .unwrap();
        assert_eq!(runs.len(), 1);
        assert_eq!(
            (runs[0].scenario.law.as_str(), runs[0].scenario.network.hosts),
            ("dctcp", 9)
        );
        assert!(matches!(
            runs[0].scenario.traffic[0],
            TrafficSpec::Flow { bytes: 500, .. }
        ));
    }

    /// Comparators without hardware stay as they are beside laws that have it; alone they are refused.
    #[test]
    fn a_fidelity_is_that_of_laws_in_hardware() {
        let at = |text: &str, fidelity| {
            let overrides = Overrides {
                fidelity: Some(fidelity),
                ..Overrides::default()
            };
            let runs = plan("x", text, &overrides)?;
            Ok::<_, String>(runs.iter().map(|run| run.scenario.fidelity).collect::<Vec<_>>())
        };
        let text = TEXT.replace("dcqcn", "timely");
        assert_eq!(at(&text, Fidelity::Fixed).unwrap(), [Fidelity::Golden, Fidelity::Fixed]);
        assert_eq!(at(TEXT, Fidelity::CcRtl).unwrap(), [Fidelity::CcRtl; 2]);
        let none = text.replace("set={'cc.w_ai'=25}", "set={law='dctcp'}");
        assert_eq!(
            at(&none, Fidelity::Fixed).unwrap_err(),
            "--fidelity: expected golden, got fixed: no run has a law that is in hardware"
        );
        assert_eq!(at(&none, Fidelity::Golden).unwrap(), [Fidelity::Golden; 2]);
    }

    #[test]
    fn a_grid_is_every_combination() {
        let grid = "[[variant]]\nlabel='b'\ngrid={'cc.w_ai'=[25, 50],seed=[1, 2]}\n";
        let text = TEXT.replace("[[variant]]\nlabel='b'\nset={'cc.w_ai'=25}\n", grid);
        let runs = plan("x", &text, &Overrides::default()).unwrap();
        let labels: Vec<&str> = runs.iter().filter_map(|r| r.label.as_deref()).collect();
        assert_eq!(
            labels,
            [
                "a",
                "b w_ai 25 seed 1",
                "b w_ai 25 seed 2",
                "b w_ai 50 seed 1",
                "b w_ai 50 seed 2"
            ]
        );
        assert_eq!(
            (runs[4].scenario.seed, runs[4].scenario.cc.law["w_ai"].as_integer()),
            (2, Some(50))
        );
        let wrong = plan("x", &text.replace("[25, 50]", "25"), &Overrides::default()).unwrap_err();
        assert_eq!(wrong, "x: variant b: cc.w_ai: expected a list of values");
    }

    #[test]
    fn every_variant_has_the_same_seeds() {
        let text = TEXT
            .replace("stop_us=10", "stop_us=10,seeds=3")
            .replace("name='x'", "name='x'\nseed=7");
        let runs = plan("x", &text, &Overrides::default()).unwrap();
        let shown: Vec<_> = runs
            .iter()
            .map(|r| (r.label.as_deref().unwrap(), r.scenario.seed))
            .collect();
        let expected = [
            ("a seed 7", 7),
            ("a seed 8", 8),
            ("a seed 9", 9),
            ("b seed 7", 7),
            ("b seed 8", 8),
            ("b seed 9", 9),
        ];
        assert_eq!(shown, expected);
        for bad in ["0", "1001"] {
            let text = TEXT.replace("stop_us=10", &format!("stop_us=10,seeds={bad}"));
            let error = plan("x", &text, &Overrides::default()).unwrap_err();
            assert!(
                error.ends_with(&format!("run.seeds: expected 1 to 1000, got {bad}")),
                "{error}"
            );
        }
        let sweep = Overrides {
            axes: true,
            no_variants: true,
            ..Overrides::default()
        };
        let error = plan("x", &text, &sweep).unwrap_err();
        assert!(error.contains("whose axis `seed` does the same"), "{error}");
    }

    #[test]
    fn one_line_errors() {
        let error = |text: &str| plan("s.toml", text, &Overrides::default()).unwrap_err();
        let bad = TEXT.replace("stop_us=10", "stop_us='soon'");
        assert!(error(&bad).starts_with("s.toml:4: "), "{}", error(&bad));
        assert!(error("name=1").starts_with("s.toml:1: "));
        let set = vec![parse_set("network.hosts=many").unwrap()];
        let refused = plan(
            "s",
            TEXT,
            &Overrides {
                set,
                ..Overrides::default()
            },
        )
        .unwrap_err();
        assert!(!refused.contains('\n') && refused.contains("--set"), "{refused}");
    }
}
