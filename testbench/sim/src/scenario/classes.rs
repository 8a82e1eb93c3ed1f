//! From the words of `[telemetry]` to traffic classes in the network and codes of their speeds in the law.

use hpcc_models::net::{ClassRules, ClassSchedule, ClassTelemetry, Config, Topology, MAX_CLASSES};

use super::links;
use super::spec::{Scenario, TrafficSpec};
use crate::plan::laws::{LawKind, LawSpec};

/// Sets classes in the network's rules and their speeds in the law. `counts`: flows of each source of traffic.
pub fn classes(
    scenario: &Scenario,
    counts: &[usize],
    topology: &Topology,
    law: &mut LawSpec,
    config: &mut Config,
) -> Result<(), String> {
    let spec = &scenario.telemetry;
    let queues = spec.queues.unwrap_or(1);
    if !(1..=MAX_CLASSES).contains(&queues) {
        return Err(format!("telemetry.queues: expected 1 to {MAX_CLASSES}, got {queues}"));
    }
    if queues == 1 {
        let idle = [
            ("weights", spec.weights.is_some()),
            ("schedule", spec.schedule.is_some()),
            ("qos", spec.qos.as_deref().is_some_and(|qos| qos != "off")),
            ("classes", !spec.classes.is_empty()),
        ];
        return match idle.iter().find(|(_, given)| *given) {
            Some((key, _)) => Err(format!(
                "telemetry.{key}: expected only with telemetry.queues of 2 or more"
            )),
            None => Ok(()),
        };
    }
    if law.kind == LawKind::Homa {
        return Err(format!(
            "telemetry.queues: expected 1 with homa, which has eight priorities of its own, got {queues}"
        ));
    }
    let weights = spec.weights.clone().unwrap_or_else(|| vec![1; queues]);
    if weights.len() != queues || weights.iter().any(|w| !(1..=1000).contains(w)) {
        return Err(format!(
            "telemetry.weights: expected {queues} numbers from 1 to 1000, got {weights:?}"
        ));
    }
    let schedule = match spec.schedule.as_deref() {
        None | Some("dwrr") => ClassSchedule::Dwrr,
        Some("strict") if spec.weights.is_some() => {
            return Err("telemetry.weights: expected only with schedule dwrr".into())
        }
        Some("strict") => ClassSchedule::Strict,
        Some(other) => return Err(format!("telemetry.schedule: expected dwrr or strict, got `{other}`")),
    };
    let qos = spec.qos.as_deref().unwrap_or("off");
    let telemetry = match qos {
        "off" => ClassTelemetry::Port,
        "sojourn" => ClassTelemetry::Sojourn,
        "class" | "class-search" => ClassTelemetry::Class,
        "shared" => ClassTelemetry::Shared,
        other => {
            return Err(format!(
                "telemetry.qos: expected off, sojourn, class, class-search or shared, got `{other}`"
            ))
        }
    };
    if qos != "off" && law.kind != LawKind::Hpcc {
        return Err(format!("telemetry.qos: expected off with {}, got `{qos}`", law.name));
    }
    let by_weight = matches!(telemetry, ClassTelemetry::Class | ClassTelemetry::Shared);
    if by_weight && schedule == ClassSchedule::Strict {
        return Err(format!(
            "telemetry.qos: expected off or sojourn with schedule strict, which guarantees no class a bandwidth, got `{qos}`"
        ));
    }
    let rules = ClassRules {
        weights,
        schedule,
        telemetry,
        active_ps: scenario.cc.t_ns.ns() * 1000,
        of_flow: of_flow(scenario, counts, queues)?,
    };
    if by_weight {
        law.other_speeds = speed_codes(&rules, topology, scenario, config)?;
        law.class_search = qos == "class-search";
    }
    config.classes = Some(rules);
    Ok(())
}

/// Class of each flow.
fn of_flow(scenario: &Scenario, counts: &[usize], queues: usize) -> Result<Vec<u8>, String> {
    let given = &scenario.telemetry.classes;
    if given.len() > scenario.traffic.len() {
        return Err(format!(
            "telemetry.classes: expected one for each of {} sources of traffic at most, got {}",
            scenario.traffic.len(),
            given.len()
        ));
    }
    let mut all = Vec::new();
    for (index, (traffic, &count)) in scenario.traffic.iter().zip(counts).enumerate() {
        let class = given.get(index).copied().unwrap_or(0);
        if usize::from(class) >= queues {
            return Err(format!(
                "telemetry.classes.{index}: expected below {queues}, got {class}"
            ));
        }
        if class > 0 && matches!(traffic, TrafficSpec::ClosedLoop { .. }) {
            return Err(format!(
                "telemetry.classes.{index}: expected 0 for closed loops, got {class}"
            ));
        }
        all.resize(all.len() + count, class);
    }
    Ok(all)
}

/// Gives every bandwidth that a class can have a code; those that the table lacks, in the order of the codes.
fn speed_codes(
    rules: &ClassRules,
    topology: &Topology,
    scenario: &Scenario,
    config: &mut Config,
) -> Result<Vec<u64>, String> {
    let ports = links::speeds(scenario, topology);
    let bandwidths: Vec<u64> = ports.iter().flat_map(|&port| rules.speeds(port)).collect();
    config
        .cover_speeds(bandwidths)
        .map_err(|error| format!("telemetry.weights: {error}"))
}

#[cfg(test)]
mod tests {
    use crate::plan::Job;
    use crate::scenario::spec::{plan, Overrides};

    fn job(telemetry: &str) -> Result<Job, String> {
        let text = format!(
            "name='x'\ntitle='t'\nnetwork={{topology='star',hosts=4}}\nrun={{stop_us=10}}\n[telemetry]\n{telemetry}\n\
            [[traffic]]\nkind='incast'\nsenders=2\nreceiver=3\nbytes=5\n[[traffic]]\nkind='flow'\nsrc=2\ndst=3\nbytes=5\n"
        );
        Job::new(&plan("x", &text, &Overrides::default())?[0])
    }

    #[test]
    fn classes_reach_flows_and_codes() {
        let job = job("queues=2\nweights=[1, 3]\nqos='shared'\nclasses=[1, 0]").unwrap();
        let rules = job.config.classes.unwrap();
        assert_eq!(rules.of_flow, [1, 1, 0]);
        // 25 and 100 Gb/s have codes; 75 has not.
        assert_eq!(job.law.other_speeds, [75_000_000_000]);
        assert_eq!(job.config.speed_codes[&75_000_000_000], 9);
    }

    #[test]
    fn one_line_errors() {
        for (text, error) in [
            ("queues=9", "telemetry.queues: expected 1 to 8, got 9"),
            (
                "qos='class'",
                "telemetry.qos: expected only with telemetry.queues of 2 or more",
            ),
            (
                "queues=2\nweights=[1]",
                "telemetry.weights: expected 2 numbers from 1 to 1000, got [1]",
            ),
            ("queues=2\nclasses=[2]", "telemetry.classes.0: expected below 2, got 2"),
            (
                "queues=2\nschedule='fifo'",
                "telemetry.schedule: expected dwrr or strict, got `fifo`",
            ),
        ] {
            assert_eq!(job(text).unwrap_err(), error);
        }
        let many = job("queues=8\nweights=[1, 2, 4, 8, 16, 32, 64, 128]\nqos='shared'").unwrap_err();
        assert!(
            many.starts_with("telemetry.weights: INT: expected at most 7 speeds of links and classes"),
            "{many}"
        );
        assert!(job("queues=2\nschedule='strict'\nqos='shared'")
            .unwrap_err()
            .starts_with("telemetry.qos: "));
    }
}
