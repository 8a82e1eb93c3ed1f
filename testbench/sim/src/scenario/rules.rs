//! From a scenario's words to its law and to the network's rules under it.

use hpcc_models::fixed::Precision;
use hpcc_models::net::tcp::{TcpLaw, TcpSetup};
use hpcc_models::net::{Config, FlowControl, IrnRules, Recovery, WindowUse};

use super::spec::{NetworkSpec, QueueSpec, Scenario, TrafficSpec};
use super::{homa, routing, tcp};
use crate::plan::laws::{LawKind, LawSpec};
use crate::plan::Fidelity;

/// Which flows are TCP connections: all under a TCP law, else those of sources that name one. `flows` is the scenario's list of flows.
pub fn tcp_setup(scenario: &Scenario, law: &LawSpec, flows: usize, config: &mut Config) -> Result<(), String> {
    let network = &scenario.network;
    let queue = QueueSpec {
        queue_packets: network.queue_packets,
        mark_packets: network.mark_packets,
    };
    let drop_tail = network.flow_control == "drop-tail";
    if !drop_tail && queue.queue_packets.is_some() {
        return Err("network.queue_packets: expected only with flow_control = \"drop-tail\"".into());
    }
    if let LawKind::Tcp(own) = law.kind {
        tcp::all(config, &scenario.tcp, queue, own)?;
        if !drop_tail {
            return Err(format!("network.flow_control: expected drop-tail with {}", law.name));
        }
        return Ok(());
    }
    let mut setup = TcpSetup::default();
    let mut at = 0;
    for (index, traffic) in scenario.traffic.iter().enumerate() {
        let TrafficSpec::Flow { count, tcp: name, .. } = traffic else {
            if !names_tcp(&scenario.traffic[index..]) {
                break;
            }
            return Err(format!(
                "traffic.{index}: expected flows only, beside flows with a TCP law of their own"
            ));
        };
        let number = match name {
            None => 0,
            Some(name) => {
                let own = TcpLaw::named(name).filter(|&l| l != TcpLaw::Commanded);
                let own = own.ok_or_else(|| format!("traffic.{index}.tcp: expected a TCP law, got `{name}`"))?;
                let on_probes = law.kind == LawKind::Hpcc && config.probes.is_some();
                if own == TcpLaw::HpccProbes && !(on_probes && scenario.fidelity == Fidelity::Golden) {
                    return Err(format!(
                        "traffic.{index}.tcp: expected hpcc-probes only beside a law hpcc with telemetry.mode probe at fidelity golden"
                    ));
                }
                setup.stacks.push(tcp::stack(&scenario.tcp, own)?);
                setup.stacks.len() as u8
            }
        };
        at += *count as usize;
        setup.of_flow.resize(at.min(flows), number);
    }
    let marks = setup.stacks.iter().any(|s| s.law == TcpLaw::Dctcp);
    if drop_tail {
        tcp::queues(config, &scenario.tcp, queue, marks)?;
    } else {
        config.mark_packets = queue.mark_packets;
    }
    config.tcp = (!setup.stacks.is_empty()).then_some(setup);
    Ok(())
}

fn names_tcp(traffic: &[TrafficSpec]) -> bool {
    traffic
        .iter()
        .any(|t| matches!(t, TrafficSpec::Flow { tcp: Some(_), .. }))
}

/// The law with the scenario's parameters.
pub fn law(scenario: &Scenario) -> Result<LawSpec, String> {
    let mut law = LawSpec::named(&scenario.law)?;
    for (key, value) in &scenario.cc.law {
        // The plan has seen to it that every key is one of some run's law.
        if law.kind.keys().contains(&key.as_str()) {
            law.set_key(key, value)?;
        }
    }
    law.driver = scenario.cc.driver;
    law.min_rate = scenario.cc.min_rate_mbps.map(|m| m * 1_000_000);
    law.precision = scenario.cc.precision.map(Precision::from);
    if law.precision.is_some() && (scenario.fidelity != Fidelity::Fixed || law.kind != LawKind::Hpcc) {
        return Err(format!(
            "cc.precision: expected only with HPCC at fidelity fixed, got {} at {}",
            law.name,
            scenario.fidelity.name()
        ));
    }
    Ok(law)
}

/// The network's rules under a law.
pub fn config(scenario: &Scenario, law: &LawSpec) -> Result<Config, String> {
    let spec = &scenario.network;
    let mut config = Config::paper(scenario.cc.t_ns.ns(), law.uses_int());
    if !(64..=9000).contains(&spec.mtu) {
        return Err(format!("network.mtu: expected 64 to 9000, got {}", spec.mtu));
    }
    if !(1..=4095).contains(&spec.buffer_mb) {
        return Err(format!("network.buffer_mb: expected 1 to 4095, got {}", spec.buffer_mb));
    }
    config.mtu = spec.mtu;
    config.buffer_bytes = spec.buffer_mb * 1024 * 1024;
    config.switch_ack_priority = spec.ack_priority;
    config.host_acks_ignore_pause = spec.ack_priority;
    config.retry_timeout_ps = Some(spec.retry_timeout_us.clamp(1, 10_000_000) * 1_000_000);
    config.seed = scenario.seed;
    config.ideal = scenario.run.ideal.into();
    config.ecmp_seed = spec.ecmp_seed.unwrap_or(scenario.seed);
    config.rate_moves_next_send = law.kind.moves_next_send();
    config.int_arrivals = law.wants_arrivals();
    config.window_use = if law.windowed { WindowUse::Law } else { WindowUse::None };
    let homa = law.kind == LawKind::Homa;
    if homa {
        homa::hosts(law, scenario.fidelity, &mut config)?;
    }
    match spec.flow_control.as_str() {
        "dynamic-thresholds" if homa => config.flow_control = FlowControl::EgressLimit,
        other if homa && other != "pfc" => {
            return Err(format!(
                "network.flow_control: expected pfc or dynamic-thresholds with homa, got `{other}`"
            ))
        }
        "pfc" => {
            config.flow_control = FlowControl::Pfc {
                shift: 3,
                faster_ports_get_more: spec.pause_scales_with_speed,
            };
        }
        "go-back-n" | "drop-tail" => config.flow_control = FlowControl::EgressLimit,
        "irn" => {
            config.flow_control = FlowControl::EgressLimit;
            config.recovery = Recovery::Irn(IrnRules::PAPER);
        }
        other => {
            return Err(format!(
                "network.flow_control: expected pfc, go-back-n, irn or drop-tail, got `{other}`"
            ))
        }
    }
    routing::paths(spec, &mut config)?;
    if law.kind == LawKind::Dctcp {
        config.mark_like_dctcp();
    }
    thresholds(spec, &mut config)?;
    let default = if scenario.fidelity == Fidelity::Golden {
        0
    } else {
        law.kind.latency_ns()
    };
    config.cc_latency_ps = scenario.cc.latency_ns.unwrap_or(default) * 1000;
    Ok(config)
}

/// The scenario's marking thresholds in place of the law's.
fn thresholds(spec: &NetworkSpec, config: &mut Config) -> Result<(), String> {
    for (&rate, rule) in &mut config.ecn {
        let scale = |kb: f64| (kb * 1000.0 * rate as f64 / 25e9).round() as u64;
        rule.k_min = spec.ecn_kmin_kb.map_or(rule.k_min, scale);
        rule.k_max = spec.ecn_kmax_kb.map_or(rule.k_max, scale);
        rule.p_max = spec.ecn_pmax.unwrap_or(rule.p_max);
        let sane = |kb: Option<f64>| kb.is_none_or(|kb| (0.0..=1e6).contains(&kb));
        if !sane(spec.ecn_kmin_kb) || !sane(spec.ecn_kmax_kb) || rule.k_min > rule.k_max {
            return Err(format!(
                "network.ecn_kmin_kb: expected 0 to 1000000 and at most ecn_kmax_kb, got {} and {}",
                rule.k_min as f64 * 25e6 / rate as f64,
                rule.k_max as f64 * 25e6 / rate as f64
            ));
        }
        if !(0.0..=1.0).contains(&rule.p_max) {
            return Err(format!("network.ecn_pmax: expected 0 to 1, got {}", rule.p_max));
        }
    }
    Ok(())
}
