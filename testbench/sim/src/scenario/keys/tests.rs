//! The table of keys against the program: names, defaults, ranges, words; the schema against built-in scenarios.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toml::Table;

use super::hand::{path, RANGES, WORDS};
use super::*;
use crate::plan::Job;
use crate::scenario::builtin::BUILTIN;
use crate::scenario::spec::{parse_set, plan, Overrides, Scenario};

const LEAST: &str =
    "name='x'\nrun={stop_us=10}\nnetwork={topology='star',hosts=3}\ntraffic=[{kind='flow',src=0,dst=2,bytes=5}]\n";

/// What a schema of this kind says of a value: where it does not fit.
fn fault(schema: &Value, value: &Value, at: &str) -> Option<String> {
    let said = |what: &str| Some(format!("{at}: {what}"));
    for (word, all) in [("anyOf", false), ("oneOf", true)] {
        if let Some(list) = schema[word].as_array() {
            let fits = list.iter().filter(|s| fault(s, value, at).is_none()).count();
            return if fits == 1 || !all && fits > 0 {
                None
            } else {
                said("no alternative, or several")
            };
        }
    }
    let fits = match schema["type"].as_str().unwrap_or_default() {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{at}: {other}"),
    };
    if !fits {
        return said("another type");
    }
    if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
        return said("another word");
    }
    if let Some(number) = value.as_f64() {
        let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        if least.is_some_and(|l| number < l) || most.is_some_and(|m| number > m) {
            return said("out of range");
        }
    }
    if let Some(list) = value.as_array() {
        let count = |word: &str| schema[word].as_u64().map(|n| n as usize);
        if count("minItems").is_some_and(|n| list.len() < n) || count("maxItems").is_some_and(|n| list.len() > n) {
            return said("another length");
        }
        return list
            .iter()
            .enumerate()
            .find_map(|(i, v)| fault(&schema["items"], v, &format!("{at}.{i}")));
    }
    let table = value.as_object()?;
    let missing = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    if let Some(name) = missing.into_iter().find(|name| !table.contains_key(*name)) {
        return said(&format!("lacks {name}"));
    }
    let properties = schema["properties"].as_object()?;
    table.iter().find_map(|(name, value)| match properties.get(name) {
        Some(schema) => fault(schema, value, &format!("{at}.{name}")),
        None => said(&format!("has {name}")),
    })
}

fn json(text: &str) -> Value {
    serde_json::to_value(text.parse::<Table>().unwrap()).unwrap()
}

/// Each table's keys are those that serde expects, which it says of an unknown one; and each has a sentence.
#[test]
fn the_table_has_every_key() {
    let all = sections();
    let names: BTreeMap<&str, BTreeSet<&str>> = all
        .iter()
        .map(|s| (s.path.as_str(), s.keys.iter().map(|k| k.name.as_str()).collect()))
        .collect();
    for section in &all {
        assert!(
            !section.meaning.is_empty() && !section.keys.is_empty(),
            "{}",
            section.path
        );
        for key in &section.keys {
            let sentence = key.meaning.ends_with('.') && key.meaning.len() > 3;
            assert!(sentence, "{} {}: a sentence is missing", section.path, key.name);
            assert!(!key.default.contains("fn ") && !key.default.contains('{'), "{key:?}");
        }
    }
    let unknown: [(&str, String); 11] = [
        ("", format!("nokey=1\n{LEAST}")),
        ("network", LEAST.replace("hosts=3", "hosts=3,nokey=1")),
        (
            "network.link_change",
            LEAST.replace("hosts=3", "hosts=3,link_change=[{at_us=1,link=0,nokey=1}]"),
        ),
        (
            "network.link_loss",
            LEAST.replace("hosts=3", "hosts=3,link_loss=[{loss=0.1,link=0,nokey=1}]"),
        ),
        ("run", LEAST.replace("stop_us=10", "stop_us=10,nokey=1")),
        ("cc.precision", format!("{LEAST}cc={{precision={{nokey=1}}}}")),
        ("tcp", format!("{LEAST}tcp={{nokey=1}}")),
        ("telemetry", format!("{LEAST}telemetry={{nokey=1}}")),
        ("circuits", format!("{LEAST}circuits={{nokey=1}}")),
        ("hcc", format!("{LEAST}hcc={{nokey=1}}")),
        ("variant", format!("{LEAST}variant=[{{nokey=1}}]")),
    ];
    let expected = |text: &str| -> BTreeSet<String> {
        let error = toml::from_str::<Scenario>(text).unwrap_err().message().to_string();
        let (_, list) = error.split_once("expected").unwrap_or_else(|| panic!("{error}"));
        list.split('`').skip(1).step_by(2).map(String::from).collect()
    };
    let own = |path: &str| names[path].iter().map(|n| n.to_string()).collect::<BTreeSet<_>>();
    for (path, text) in unknown {
        assert_eq!(own(path), expected(&text), "[{path}]");
    }
    let kinds = expected(&LEAST.replace("'flow'", "'nokind'"));
    let of_table: BTreeSet<String> = names
        .keys()
        .filter_map(|p| p.strip_prefix("traffic "))
        .map(String::from)
        .collect();
    assert_eq!(of_table, kinds);
    for kind in kinds {
        let text = LEAST.replace("kind='flow',src=0,dst=2,bytes=5", &format!("kind='{kind}',nokey=1"));
        assert_eq!(own(&format!("traffic {kind}")), expected(&text), "{kind}");
    }
    // Laws' keys have a table of their own in the program.
    let laws: Vec<&str> = names["laws"].iter().copied().collect();
    assert!(laws.iter().all(|key| !hand::laws_with(key).is_empty()));
    for name in crate::plan::laws::LAW_NAMES.into_iter().chain(["homa"]) {
        for key in crate::plan::laws::LawSpec::named(name).unwrap().kind.keys() {
            assert!(laws.contains(&key), "{name} has {key}");
        }
    }
}

/// Defaults are those that a scenario without the key has.
#[test]
fn defaults_are_the_programs() {
    let read: Scenario = toml::from_str(LEAST).unwrap();
    let resolved = serde_json::to_value(&read).unwrap();
    let mut compared = 0;
    for section in sections()
        .iter()
        .filter(|s| ["", "network", "cc", "run"].contains(&s.path.as_str()))
    {
        let table = match section.path.as_str() {
            "" => &resolved,
            path => &resolved[path],
        };
        for key in section.keys.iter().filter(|k| !k.required && !k.default.is_empty()) {
            // Given in the text above, filled in later, or not written.
            if ["hosts", "traffic", "variant", "title"].contains(&key.name.as_str()) || table.get(&key.name).is_none() {
                continue;
            }
            let default = json(&format!("v = {}", key.default))["v"].clone();
            let (ours, theirs) = (&default, &table[&key.name]);
            let same = ours == theirs || ours.as_f64().is_some() && ours.as_f64() == theirs.as_f64();
            assert!(same, "{} {}: {ours} for {theirs}", section.path, key.name);
            compared += 1;
        }
    }
    assert!(compared >= 25, "{compared}");
}

/// Built-in scenarios fit the schema, and mistakes do not.
#[test]
fn scenarios_fit_the_schema() {
    let schema = schema();
    for builtin in BUILTIN {
        assert_eq!(fault(&schema, &json(builtin.text), builtin.name), None);
    }
    for (text, at) in [
        (LEAST.replace("hosts=3", "host=3"), "x.network: has host"),
        (LEAST.replace("hosts=3", "hosts='3'"), "x.network.hosts: another type"),
        (LEAST.replace("name='x'\n", ""), "x: lacks name"),
        (
            LEAST.replace("hosts=3", "hosts=3,routing='spay'"),
            "x.network.routing: another word",
        ),
        (LEAST.replace("bytes=5", ""), "x.traffic.0: no alternative, or several"),
    ] {
        assert_eq!(fault(&schema, &json(&text), "x").as_deref(), Some(at));
    }
}

/// A value just outside a range fails in the schema and in the program; both ends fail in neither.
#[test]
fn ranges_are_the_programs() {
    let schema = schema();
    let laws = ["hpcc", "dcqcn", "timely", "dctcp", "powertcp", "theta-powertcp"];
    for (key, least, most) in RANGES {
        let dotted = key.replace("laws.", "cc.");
        let beside: &[&str] = match dotted.split_once('.').map(|(_, name)| name).unwrap_or_default() {
            "leaves" | "spines" => &["network.topology='leaf-spine'", "network.leaves=2", "network.spines=2"],
            "k" => &["network.topology='fat-tree'"],
            "aggregations" | "edges" => &["network.topology='three-tier'"],
            "racks" => &["network.topology='racks'"],
            "pods" => &["network.topology='fat-tree'"],
            "ecn_kmin_kb" => &["law='dcqcn'", "network.ecn_kmax_kb=1e6"],
            "ecn_kmax_kb" => &["law='dcqcn'", "network.ecn_kmin_kb=0"],
            "ecn_pmax" => &["law='dcqcn'"],
            "flowlet_ns" => &[
                "network.topology='fat-tree'",
                "network.k=2",
                "network.routing='flowlet'",
            ],
            "reorder_packets" | "reorder_us" => &["network.reorder='any'"],
            "every" => &["telemetry.mode='sample'"],
            "probe_packets" => &["telemetry.mode='probe'"],
            "ack_every" => &["telemetry.feedback='coalesced'"],
            _ => &[],
        };
        let run = |value: f64, law: &str| {
            let text = match value.fract() == 0.0 && value.abs() < 1e15 {
                true => format!("{dotted}={}", value as i64),
                false => format!("{dotted}={value}"),
            };
            let mut set: Vec<(String, toml::Value)> = Vec::new();
            let law_set = format!("law={law}");
            let words = beside
                .iter()
                .copied()
                .filter(|b| !b.starts_with(&format!("{dotted}=")))
                .chain([text.as_str()]);
            for word in words.chain(key.starts_with("laws.").then_some(law_set.as_str())) {
                set.push(parse_set(word).unwrap());
            }
            let hosts = LEAST.replace(
                ",hosts=3",
                if text.contains("k=") || beside.iter().any(|b| b.contains("fat-tree")) {
                    ""
                } else {
                    ",hosts=3"
                },
            );
            let overrides = Overrides {
                set,
                ..Overrides::default()
            };
            plan("x", &hosts, &overrides).and_then(|runs| Job::new(&runs[0]).map(|_| ()))
        };
        let of_law: Vec<&str> = match key.strip_prefix("laws.") {
            Some(name) => hand::laws_with(name)
                .into_iter()
                .filter(|law| laws.contains(law))
                .collect(),
            None => vec!["hpcc"],
        };
        let step = |value: f64| {
            if value.fract() == 0.0 && most - least > 1.0 {
                1.0
            } else {
                1e-4
            }
        };
        let section = match key.split_once('.') {
            Some(("laws", name)) => &schema["properties"]["cc"]["properties"][name],
            Some((table, name)) => &schema["properties"][table]["properties"][name],
            None => &schema,
        };
        let whole = section["type"] == "integer" || !section["anyOf"].is_null();
        for (value, inside) in [
            (least - step(least), false),
            (least, true),
            (most, true),
            (most + step(most), false),
        ] {
            let own = if whole {
                serde_json::json!(value as i64)
            } else {
                serde_json::json!(value)
            };
            assert_eq!(fault(section, &own, key).is_none(), inside, "schema: {key} {value}");
            // The largest trees take long to build.
            let large = inside && value > 60.0 && ["network.k", "network.pods", "network.racks"].contains(&key);
            for law in of_law.iter().filter(|_| !large) {
                let error = run(value, law).err();
                let refused = error
                    .as_ref()
                    .is_some_and(|e| e.contains(&format!("{dotted}: ")) || !inside);
                assert_eq!(refused, !inside, "{key}={value} of {law}: {error:?}");
            }
        }
    }
    // Words that the table names are read; others are not.
    for (key, words) in WORDS
        .iter()
        .filter(|(key, _)| key.starts_with("network.") || key.starts_with("telemetry.format"))
    {
        for (word, fits) in words.iter().map(|w| (*w, true)).chain([("noword", false)]) {
            let homa = if word == "dynamic-thresholds" { "homa" } else { "hpcc" };
            let set = [format!("{key}={word}"), format!("law={homa}")]
                .map(|s| parse_set(&s).unwrap())
                .to_vec();
            let overrides = Overrides {
                set,
                ..Overrides::default()
            };
            let made = plan("x", LEAST, &overrides).and_then(|runs| Job::new(&runs[0]).map(|_| ()));
            assert_eq!(made.is_ok(), fits, "{key} {word}: {made:?}");
        }
    }
    assert!(sections().iter().any(|s| s
        .keys
        .iter()
        .any(|k| path(&s.path, &k.name) == "network.k" && k.range.is_some())));
}
