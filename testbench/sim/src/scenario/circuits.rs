//! From a scenario's words to the circuits beside its packet network.

use hpcc_models::net::tcp::TcpLaw;
use hpcc_models::net::{CircuitConfig, Config, SignalRule};

use super::spec::Scenario;

fn ps(us: f64, field: &str) -> Result<u64, String> {
    if (0.0..=1e6).contains(&us) {
        Ok((us * 1e6).round() as u64)
    } else {
        Err(format!("circuits.{field}: expected 0 to 1e6 us, got {us}"))
    }
}

/// Adds a scenario's circuits, if it has them, to the network's rules.
pub fn circuits(scenario: &Scenario, config: &mut Config) -> Result<(), String> {
    let stacks = config.tcp.iter().flat_map(|setup| &setup.stacks);
    let retcp = stacks.clone().any(|stack| stack.law == TcpLaw::ReTcp);
    let Some(spec) = &scenario.circuits else {
        if retcp {
            return Err("law: expected a table [circuits] with retcp, whose windows follow circuits".into());
        }
        return Ok(());
    };
    let network = &scenario.network;
    if network.topology != "racks" {
        return Err(format!(
            "circuits: expected only with topology racks, got {}",
            network.topology
        ));
    }
    if network.flow_control == "pfc" {
        return Err("network.flow_control: expected go-back-n, irn or drop-tail with circuits, through which no pause can go back".into());
    }
    let refused = [
        ("network.ack_priority", network.ack_priority),
        ("network.link_change", !network.link_change.is_empty()),
        ("network.link_loss", !network.link_loss.is_empty()),
        ("telemetry.queues", scenario.telemetry.queues.is_some()),
        ("hcc", scenario.hcc.is_some()),
        ("fidelity: nic", scenario.fidelity.whole_nic()),
        ("law: homa", config.homa.is_some()),
    ];
    if let Some((what, _)) = refused.iter().find(|r| r.1) {
        return Err(format!("{what}: expected not together with circuits"));
    }
    for (field, given) in [
        ("prebuffer_us", spec.prebuffer_us.is_some()),
        ("prebuffer_packets", spec.prebuffer_packets.is_some()),
    ] {
        if given && !retcp {
            return Err(format!("circuits.{field}: expected only with retcp"));
        }
    }
    if !(1..=10_000).contains(&spec.rate_gbps) {
        return Err(format!(
            "circuits.rate_gbps: expected 1 to 10000, got {}",
            spec.rate_gbps
        ));
    }
    config.circuits = Some(CircuitConfig {
        rate_bps: spec.rate_gbps * 1_000_000_000,
        // Two links, to the optical switch and from it.
        delay_ps: 2 * network.delay_ns * 1000,
        day_ps: ps(spec.day_us, "day_us")?,
        night_ps: ps(spec.night_us, "night_us")?,
        signal: match retcp {
            true => Some(SignalRule {
                prebuffer_ps: ps(spec.prebuffer_us.unwrap_or(0.0), "prebuffer_us")?,
                enlarged_packets: spec.prebuffer_packets,
            }),
            false => None,
        },
        watch: (spec.watch[0], spec.watch[1]),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::plan::Job;
    use crate::scenario::spec::{parse_set, plan, Overrides};

    const SCENARIO: &str = "name='x'\ntitle='t'\nrun={stop_us=10}\n\
        network={topology='racks',racks=4,hosts=2,rate_gbps=25,middle_gbps=[25],delay_ns=2000,flow_control='irn'}\n\
        circuits={rate_gbps=100,day_us=225,night_us=20}\n[[traffic]]\nkind='racks'\nfrom=[0]\nto=[1]\nbytes=5\n";

    fn job(set: &[&str]) -> Result<Job, String> {
        let overrides = Overrides {
            set: set.iter().map(|s| parse_set(s)).collect::<Result<_, _>>()?,
            ..Overrides::default()
        };
        Job::new(&plan("x", SCENARIO, &overrides)?[0])
    }

    const RETCP: [&str; 2] = ["law=retcp", "network.flow_control=drop-tail"];

    #[test]
    fn keys_reach_the_circuits() {
        let made = job(&[]).unwrap();
        let circuits = made.config.circuits.unwrap();
        assert_eq!((circuits.rate_bps, circuits.delay_ps), (100_000_000_000, 4_000_000));
        assert_eq!((circuits.day_ps, circuits.night_ps), (225_000_000, 20_000_000));
        assert_eq!((circuits.watch, circuits.signal), ((0, 1), None));
        assert_eq!(made.topology.racks(), [[0, 1], [2, 3], [4, 5], [6, 7]]);
        let pairs: Vec<(u32, u32)> = made.flows.iter().map(|f| (f.src, f.dst)).collect();
        assert_eq!(pairs, [(0, 2), (1, 3)]);
        // Every rack to every other.
        assert_eq!(job(&["traffic.0.from=[]", "traffic.0.to=[]"]).unwrap().flows.len(), 24);
        let keys = ["circuits.prebuffer_us=600", "circuits.prebuffer_packets=195"];
        let made = job(&[RETCP, keys].concat()).unwrap();
        let signal = made.config.circuits.unwrap().signal.unwrap();
        assert_eq!((signal.prebuffer_ps, signal.enlarged_packets), (600_000_000, Some(195)));
    }

    #[test]
    fn one_line_errors() {
        for (set, expected) in [
            (
                vec!["circuits.prebuffer_us=600"],
                "circuits.prebuffer_us: expected only with retcp",
            ),
            (
                vec!["circuits.prebuffer_packets=9"],
                "circuits.prebuffer_packets: expected only with retcp",
            ),
            (
                vec!["network.flow_control=pfc"],
                "network.flow_control: expected go-back-n, irn or drop-tail with circuits, through which no pause can go back",
            ),
            (
                vec!["network.ack_priority=true"],
                "network.ack_priority: expected not together with circuits",
            ),
            (
                vec!["circuits.day_us=-1"],
                "circuits.day_us: expected 0 to 1e6 us, got -1",
            ),
            (
                vec!["network.topology=star", "network.racks=3"],
                "--set: network.racks: star has no such key",
            ),
            (vec!["traffic.0.to=[4]"], "traffic.0.to: expected racks below 4, got 4"),
            (
                vec!["traffic.0.to=[0]"],
                "traffic.0: expected a pair of different racks",
            ),
        ] {
            assert_eq!(job(&set).unwrap_err(), expected);
        }
        let error = job(&["circuits.speed=3"]).unwrap_err();
        assert!(error.contains("speed") && !error.contains('\n'), "{error}");
        let without = SCENARIO.replace("circuits={rate_gbps=100,day_us=225,night_us=20}\n", "law='retcp'\n");
        let without = without.replace("'irn'", "'drop-tail'");
        let error = Job::new(&plan("x", &without, &Overrides::default()).unwrap()[0]).unwrap_err();
        assert_eq!(
            error,
            "law: expected a table [circuits] with retcp, whose windows follow circuits"
        );
    }
}
