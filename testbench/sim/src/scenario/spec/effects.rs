//! Keys that would change nothing in any run are refused by name.

use toml::{Table, Value};

use super::overrides::{Overrides, Planned};
use super::place::place_in_file;
use super::{RoutingSpec, Scenario, TrafficSpec};
use crate::plan::laws::{LawKind, LawSpec};
use crate::plan::Fidelity;
use hpcc_models::net::tcp::TcpLaw;

/// A key, or all keys of a table, and the runs in which it has an effect.
struct Rule {
    key: &'static str,
    /// After "expected only".
    only: &'static str,
    acts: fn(&Scenario) -> bool,
}

const RULES: [Rule; 19] = [
    Rule {
        key: "cc.driver",
        only: "at fidelity cc-rtl",
        acts: |run| run.fidelity == Fidelity::CcRtl,
    },
    Rule {
        key: "cc.latency_ns",
        only: "at fidelity golden, fixed or cc-rtl, with a law that is not TCP's or HOMA's: a whole NIC has its own latency",
        acts: |run| !run.fidelity.whole_nic() && in_a_slot(run),
    },
    Rule {
        key: "cc.min_rate_mbps",
        only: "with a law that is not TCP's or HOMA's, or with hpcc-probes",
        acts: |run| in_a_slot(run) || has_tcp(run, &[TcpLaw::HpccProbes]),
    },
    Rule {
        key: "network.mark_packets",
        only: "with a law that reads marks: dcqcn, dctcp, dctcp-tcp",
        acts: |run| matches!(kind(run), Some(LawKind::Dcqcn | LawKind::Dctcp)) || has_tcp(run, &[TcpLaw::Dctcp]),
    },
    Rule {
        key: "network.retry_timeout_us",
        only: "with a law that is not TCP's or HOMA's, and flow_control other than irn, which has timeouts of its own",
        acts: |run| run.network.flow_control != "irn" && in_a_slot(run),
    },
    Rule {
        key: "network.pause_scales_with_speed",
        only: "with flow_control = \"pfc\"",
        acts: |run| run.network.flow_control == "pfc",
    },
    Rule {
        key: "network.spray",
        only: "with routing = \"spray\"",
        acts: |run| run.network.routing == Some(RoutingSpec::Spray),
    },
    Rule {
        key: "network.flowlet_ns",
        only: "with routing = \"flowlet\"",
        acts: |run| run.network.routing == Some(RoutingSpec::Flowlet),
    },
    Rule {
        key: "network.reorder",
        only: ORDER,
        acts: has_slot_receivers,
    },
    Rule {
        key: "network.reorder_packets",
        only: ANY_ORDER,
        acts: |run| run.network.takes_any_order() && has_slot_receivers(run),
    },
    Rule {
        key: "network.reorder_us",
        only: ANY_ORDER,
        acts: |run| run.network.takes_any_order() && has_slot_receivers(run),
    },
    Rule {
        key: "network.routing",
        only: "in a network where some switch has several equal paths",
        acts: |run| !matches!(run.network.topology.as_str(), "star" | "dumbbell" | "chain" | "three-tier"),
    },
    Rule {
        key: "tcp.gain",
        only: "with dctcp-tcp",
        acts: |run| has_tcp(run, &[TcpLaw::Dctcp]),
    },
    Rule {
        key: "tcp.friendly",
        only: "with cubic",
        acts: |run| has_tcp(run, &[TcpLaw::Cubic]),
    },
    Rule {
        key: "tcp.fast_convergence",
        only: "with cubic",
        acts: |run| has_tcp(run, &[TcpLaw::Cubic]),
    },
    Rule {
        key: "tcp.initial_window",
        only: "with a TCP law other than hpcc-probes, whose first window is HPCC's",
        acts: has_own_window,
    },
    Rule {
        key: "tcp.initial_ssthresh",
        only: "with a TCP law other than hpcc-probes, which has no slow start",
        acts: has_own_window,
    },
    // The simulator whose profile it is counts two arrivals of a handshake.
    Rule {
        key: "tcp.profile",
        only: "with a TCP law, of the scenario or of a flow, or with tcp.drop_arrivals",
        acts: |run| !tcp_laws(run).is_empty() || !run.tcp.drop_arrivals.is_empty(),
    },
    Rule {
        key: "tcp",
        only: "with a TCP law, of the scenario or of a flow",
        acts: |run| !tcp_laws(run).is_empty(),
    },
];

const ORDER: &str = "with a law that is not TCP's or HOMA's, at fidelity golden, fixed or cc-rtl, and flow_control other than irn: other receivers have their own way";
const ANY_ORDER: &str =
    "with reorder = \"any\", and a law that is not TCP's or HOMA's, at fidelity golden, fixed or cc-rtl";

/// Receivers whose order `network.reorder` decides.
fn has_slot_receivers(run: &Scenario) -> bool {
    in_a_slot(run) && !run.fidelity.whole_nic() && run.network.flow_control != "irn"
}

fn kind(run: &Scenario) -> Option<LawKind> {
    LawSpec::named(&run.law).ok().map(|law| law.kind)
}

/// The law decides for each flow by itself; TCP and HOMA are hosts of another kind.
fn in_a_slot(run: &Scenario) -> bool {
    !matches!(kind(run), Some(LawKind::Tcp(_) | LawKind::Homa))
}

/// TCP laws of the scenario and of its flows.
fn tcp_laws(run: &Scenario) -> Vec<TcpLaw> {
    let own = match kind(run) {
        Some(LawKind::Tcp(law)) => Some(law),
        _ => None,
    };
    let flows = run.traffic.iter().filter_map(|traffic| match traffic {
        TrafficSpec::Flow { tcp: Some(name), .. } => TcpLaw::named(name),
        _ => None,
    });
    own.into_iter().chain(flows).collect()
}

fn has_tcp(run: &Scenario, laws: &[TcpLaw]) -> bool {
    tcp_laws(run).iter().any(|law| laws.contains(law))
}

/// Some TCP law has a window that is not HPCC's.
fn has_own_window(run: &Scenario) -> bool {
    tcp_laws(run).iter().any(|law| *law != TcpLaw::HpccProbes)
}

/// The rule of a key, if it has one: the first that names it or its table. Packets are lost on purpose under every law.
fn rule(key: &str) -> Option<&'static Rule> {
    let names = |rule: &&Rule| {
        let rest = key.strip_prefix(rule.key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    RULES.iter().find(names).filter(|_| key != "tcp.drop_arrivals")
}

/// Dotted names of the values in `value`, which is called `path`.
fn leaves(path: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                leaves(&format!("{path}.{key}"), value, found);
            }
        }
        _ => found.push(path.into()),
    }
}

/// The first of some values that changes nothing in any run: its name and its rule.
fn idle<'a>(
    values: impl Iterator<Item = (&'a String, &'a Value)>,
    runs: &[Planned],
) -> Option<(String, &'static Rule)> {
    let mut keys = Vec::new();
    values.for_each(|(path, value)| leaves(path, value, &mut keys));
    keys.into_iter().find_map(|key| {
        let rule = rule(&key)?;
        let acts = runs.iter().any(|run| (rule.acts)(&run.scenario));
        (!acts).then_some((key, rule))
    })
}

/// What `--set` or an axis changes must change some run.
pub(super) fn of_set(overrides: &Overrides, runs: &[Planned]) -> Result<(), String> {
    match idle(overrides.set.iter().map(|(path, value)| (path, value)), runs) {
        Some((key, rule)) => Err(format!("{}: {key}: expected only {}", overrides.set_from(), rule.only)),
        None => Ok(()),
    }
}

/// What the file says must change some run, of those asked for or of its own; a variant's values one of its own.
pub(super) fn of_file(
    file: &str,
    text: &str,
    table: &Table,
    runs: &[Planned],
    own_runs: impl FnOnce() -> Result<Vec<Planned>, String>,
) -> Result<(), String> {
    let tables = ["variant", "full"];
    let base = || table.iter().filter(|(key, _)| !tables.contains(&key.as_str()));
    let suspect = idle(base(), runs).is_some();
    let variants = table.get("variant").and_then(Value::as_array);
    if !suspect && variants.is_none() {
        return Ok(());
    }
    let own = own_runs()?;
    if let Some((key, rule)) = idle(base(), &own).filter(|_| suspect) {
        let place = place_in_file(file, text, &key);
        return Err(format!("{place}: {key}: expected only {}", rule.only));
    }
    for variant in variants.into_iter().flatten().filter_map(Value::as_table) {
        let label = variant.get("label").and_then(Value::as_str).unwrap_or_default();
        let of_variant = |run: &&Planned| run.label.as_deref().is_some_and(|own| own.starts_with(label));
        let of_variant: Vec<Planned> = own.iter().filter(of_variant).cloned().collect();
        let values = ["set", "grid"].iter().filter_map(|name| variant.get(*name)?.as_table());
        if let Some((key, rule)) = idle(values.flatten(), &of_variant) {
            return Err(format!("{file}: variant {label}: {key}: expected only {}", rule.only));
        }
    }
    Ok(())
}
