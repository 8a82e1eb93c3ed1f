//! Flows of a scenario that start after others: those that say so, and collectives.

use std::collections::BTreeMap;

use hpcc_models::net::{Moment, StartRule, Topology};
use hpcc_models::workload::{Algorithm, Collective, Operation};

use super::spec::{AlgorithmSpec, MomentSpec, OperationSpec, Scenario, TrafficSpec};
use super::time::ps;
use crate::names::did_you_mean;
use crate::plan::CollectivePlan;

/// The collective that a source of traffic describes, if it does. `index`: its place in the list.
pub(super) fn collective(
    index: usize,
    traffic: &TrafficSpec,
    topology: &Topology,
) -> Result<Option<Collective>, String> {
    let TrafficSpec::Collective {
        operation,
        algorithm,
        hosts,
        bytes,
        chunks,
        repetitions,
        start_us,
        pause_us,
        ..
    } = traffic
    else {
        return Ok(None);
    };
    let (operation, usual) = match operation {
        OperationSpec::AllReduce => (Operation::AllReduce, AlgorithmSpec::Ring),
        OperationSpec::AllGather => (Operation::AllGather, AlgorithmSpec::Ring),
        OperationSpec::ReduceScatter => (Operation::ReduceScatter, AlgorithmSpec::Ring),
        OperationSpec::Broadcast => (Operation::Broadcast, AlgorithmSpec::Tree),
        OperationSpec::AllToAll => (Operation::AllToAll, AlgorithmSpec::Direct),
    };
    let algorithm = match algorithm.unwrap_or(usual) {
        AlgorithmSpec::Ring => Algorithm::Ring,
        AlgorithmSpec::RecursiveDoubling => Algorithm::RecursiveDoubling,
        AlgorithmSpec::HalvingDoubling => Algorithm::HalvingDoubling,
        AlgorithmSpec::Tree => Algorithm::Tree,
        AlgorithmSpec::Direct => Algorithm::Direct,
    };
    let field = |name: &str| format!("traffic.{index}.{name}");
    Ok(Some(Collective {
        operation,
        algorithm,
        hosts: hosts_of(&field("hosts"), hosts, topology)?,
        bytes: *bytes,
        chunks: *chunks,
        repetitions: *repetitions,
        start_ps: ps(*start_us, &field("start_us"))?,
        pause_ps: ps(*pause_us, &field("pause_us"))?,
    }))
}

/// The hosts of a list, or all if it is empty.
pub(super) fn hosts_of(field: &str, list: &[u32], topology: &Topology) -> Result<Vec<u32>, String> {
    if list.is_empty() {
        return Ok(topology.hosts());
    }
    match list
        .iter()
        .find(|&&n| topology.is_switch.get(n as usize) != Some(&false))
    {
        Some(other) => Err(format!("{field}: expected hosts of the topology, got {other}")),
        None => Ok(list.to_vec()),
    }
}

/// What the scenario's flows wait for, and its collectives. `counts`: flows of each source of traffic.
pub(super) fn rules(
    scenario: &Scenario,
    topology: &Topology,
    counts: &[usize],
) -> Result<(Vec<StartRule>, Vec<CollectivePlan>), String> {
    let mut firsts = vec![0];
    counts
        .iter()
        .for_each(|count| firsts.push(firsts[firsts.len() - 1] + count));
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, traffic) in scenario.traffic.iter().enumerate() {
        let Some(tag) = traffic.tag() else { continue };
        if names.insert(tag, index).is_some() {
            return Err(format!(
                "traffic.{index}.tag: expected each tag once, got `{tag}` again"
            ));
        }
    }
    let (mut rules, mut collectives) = (Vec::new(), Vec::new());
    for (index, traffic) in scenario.traffic.iter().enumerate() {
        let first = firsts[index];
        if let Some(collective) = collective(index, traffic, topology)? {
            let made = collective.flows().map_err(|error| format!("traffic.{index}.{error}"))?;
            let shifted = made.rules.into_iter().map(|rule| StartRule {
                flow: rule.flow + first as u32,
                after: rule
                    .after
                    .iter()
                    .map(|&(flow, moment)| (flow + first as u32, moment))
                    .collect(),
                ..rule
            });
            rules.extend(shifted);
            let usual = || format!("collective {}", collectives.len());
            collectives.push(CollectivePlan {
                tag: traffic.tag().map_or_else(usual, String::from),
                collective,
                first,
                places: made.places,
            });
        }
        let TrafficSpec::Flow {
            after,
            any,
            when,
            delay_us,
            start_us,
            every_us,
            count,
            ..
        } = traffic
        else {
            continue;
        };
        let field = |name: &str| format!("traffic.{index}.{name}");
        if after.is_empty() {
            let given = [
                ("any", any.is_some()),
                ("when", when.is_some()),
                ("delay_us", delay_us.is_some()),
            ];
            if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
                return Err(format!("{}: expected only beside after", field(key)));
            }
            continue;
        }
        if *start_us != 0.0 {
            return Err(format!(
                "{}: expected delay_us in its place beside after",
                field("start_us")
            ));
        }
        let moment = match when.unwrap_or_default() {
            MomentSpec::Received => Moment::Received,
            MomentSpec::Acknowledged => Moment::Acknowledged,
        };
        let mut moments = Vec::new();
        for name in after {
            let Some(&other) = names.get(name.as_str()) else {
                let near = did_you_mean(name, names.keys().copied());
                return Err(format!(
                    "{}: expected tags of other traffic, got `{name}`{near}",
                    field("after")
                ));
            };
            moments.extend((firsts[other]..firsts[other + 1]).map(|flow| (flow as u32, moment)));
        }
        for number in 0..*count {
            let delay = delay_us.unwrap_or(0.0) + every_us * f64::from(number);
            rules.push(StartRule {
                flow: first as u32 + number,
                after: moments.clone(),
                any: any.unwrap_or(false),
                delay_ps: ps(delay, &field("delay_us"))?,
            });
        }
    }
    if !rules.is_empty() && scenario.fidelity.whole_nic() {
        return Err("traffic: expected no flows that start after others with whole NICs".into());
    }
    Ok((rules, collectives))
}
