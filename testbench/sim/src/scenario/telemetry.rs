//! From the words of `[telemetry]` to bytes on packets, which packets collect, and how telemetry comes back.

use hpcc_models::cc::hpcc::RateSignal;
use hpcc_models::cc::ProbeRule;
use hpcc_models::net::{Carrier, Config, Feedback, Sampling, TelemetryBytes};

use super::spec::{Scenario, TelemetrySpec};
use crate::plan::laws::{LawKind, LawSpec};
use crate::plan::Fidelity;

/// Sets the format's bytes, which packets collect and what comes back.
pub fn collecting(scenario: &Scenario, law: &mut LawSpec, config: &mut Config) -> Result<(), String> {
    let spec = &scenario.telemetry;
    let given = [
        ("format", spec.format.is_some()),
        ("mode", spec.mode.is_some()),
        ("every", spec.every.is_some()),
        ("probe_packets", spec.probe_packets.is_some()),
        ("probe_timeout_us", spec.probe_timeout_us.is_some()),
        ("feedback", spec.feedback.is_some()),
        ("ack_every", spec.ack_every.is_some()),
        ("rx_clock", spec.rx_clock.is_some()),
        ("n_aware", spec.n_aware.is_some()),
        ("utilisation_us", spec.utilisation_us.is_some()),
        ("shown_gbps", spec.shown_gbps.is_some()),
        ("silent", !spec.silent.is_empty()),
    ];
    // TCP's data carry nothing, and its acknowledgements are its own.
    let on_tcp = [
        "format",
        "mode",
        "probe_packets",
        "probe_timeout_us",
        "utilisation_us",
        "shown_gbps",
        "silent",
    ];
    let acts = |key: &str| law.kind == LawKind::Hpcc || law.kind.runs_hpcc() && on_tcp.contains(&key);
    if let Some((key, _)) = given.iter().find(|(key, given)| *given && !acts(key)) {
        return Err(format!("telemetry.{key}: expected only with hpcc, got {}", law.name));
    }
    if let Some(format) = &spec.format {
        let bytes = TelemetryBytes::named(format).ok_or_else(|| {
            format!("telemetry.format: expected fig7, ifa, ioam, ioam-incremental or int-md, got `{format}`")
        })?;
        config.framing = config.framing.with_telemetry(bytes);
        config.second_fraction = format.starts_with("ioam");
        config.stamps.path_of_links = format != "fig7";
    }
    stamps(scenario, law, config)?;
    let only_probes = law.kind.runs_hpcc() && law.kind != LawKind::Hpcc;
    let mode = spec
        .mode
        .as_deref()
        .unwrap_or(if only_probes { "probe" } else { "inband" });
    if only_probes && mode != "probe" {
        return Err(format!(
            "telemetry.mode: expected probe with {}, got `{mode}`",
            law.name
        ));
    }
    only_with(spec.every.is_some(), "every", mode == "sample", "mode sample")?;
    for (key, given) in &given[3..5] {
        only_with(*given, key, mode == "probe", "mode probe")?;
    }
    match mode {
        "inband" => {}
        "sample" => {
            let every = byte("every", spec.every)?;
            let at_latest_ps = u64::from(law.stale_limit_ns) * 1000 / 4;
            config.sampling = Some(Sampling { every, at_latest_ps });
        }
        "probe" => config.probes = Some(probes(scenario)?),
        other => {
            return Err(format!(
                "telemetry.mode: expected inband, sample or probe, got `{other}`"
            ))
        }
    }
    config.feedback = feedback(scenario, mode)?;
    law.n_aware = config.feedback.count_flows;
    Ok(())
}

/// What switches say of themselves.
fn stamps(scenario: &Scenario, law: &mut LawSpec, config: &mut Config) -> Result<(), String> {
    let spec = &scenario.telemetry;
    let stamps = &mut config.stamps;
    if let Some(us) = spec.utilisation_us {
        let int_md = spec.format.as_deref() == Some("int-md");
        only_with(true, "utilisation_us", int_md, "format int-md")?;
        if !(0.1..=1e6).contains(&us) {
            return Err(format!("telemetry.utilisation_us: expected 0.1 to 1e6, got {us}"));
        }
        if scenario.fidelity != Fidelity::Golden {
            let fidelity = scenario.fidelity.name();
            return Err(format!(
                "telemetry.utilisation_us: expected none at {fidelity}, got {us}"
            ));
        }
        stamps.utilisation_ps = Some((us * 1e6) as u64);
        law.rate_signal = RateSignal::Utilisation;
    }
    if let Some(gbps) = spec.shown_gbps {
        let whole_port = spec.qos.as_deref().is_none_or(|qos| qos == "off");
        only_with(true, "shown_gbps", whole_port, "qos off")?;
        let bps = gbps.saturating_mul(1_000_000_000);
        if !config.speed_codes.contains_key(&bps) {
            return Err(format!(
                "telemetry.shown_gbps: expected a speed with an INT code, got {gbps}"
            ));
        }
        stamps.shown_bps = Some(bps);
    }
    stamps.silent = spec.silent.clone();
    Ok(())
}

fn only_with(given: bool, key: &str, holds: bool, what: &str) -> Result<(), String> {
    if given && !holds {
        return Err(format!("telemetry.{key}: expected only with {what}"));
    }
    Ok(())
}

/// A number of packets; 1 where none is given.
fn byte(key: &str, value: Option<u32>) -> Result<u32, String> {
    let value = value.unwrap_or(1);
    if (1..=255).contains(&value) {
        Ok(value)
    } else {
        Err(format!("telemetry.{key}: expected 1 to 255, got {value}"))
    }
}

fn probes(scenario: &Scenario) -> Result<ProbeRule, String> {
    let spec = &scenario.telemetry;
    let t_us = scenario.cc.t_ns.ns() as f64 / 1e3;
    let interval_ps = scenario.cc.t_ns.ns() * 1000;
    let usual_us = ProbeRule::usual_timeout_ps(interval_ps) as f64 / 1e6;
    let timeout_us = spec.probe_timeout_us.unwrap_or(usual_us);
    if !(timeout_us >= t_us && timeout_us <= 1e6) {
        return Err(format!(
            "telemetry.probe_timeout_us: expected T ({t_us} us) to 1e6, got {timeout_us}"
        ));
    }
    Ok(ProbeRule {
        interval_ps,
        packets: byte("probe_packets", spec.probe_packets)?,
        timeout_ps: (timeout_us * 1e6) as u64,
    })
}

fn feedback(scenario: &Scenario, mode: &str) -> Result<Feedback, String> {
    let spec: &TelemetrySpec = &scenario.telemetry;
    let word = spec.feedback.as_deref().unwrap_or("ack");
    only_with(
        spec.ack_every.is_some(),
        "ack_every",
        word != "ack",
        "feedback coalesced, notify or rx",
    )?;
    only_with(spec.rx_clock.is_some(), "rx_clock", word == "rx", "feedback rx")?;
    let after_queue = match spec.rx_clock.as_deref() {
        None | Some("t") => false,
        Some("t-and-queue") => true,
        Some(other) => return Err(format!("telemetry.rx_clock: expected t or t-and-queue, got `{other}`")),
    };
    let carrier = match word {
        "ack" | "coalesced" => Carrier::Ack,
        "notify" => Carrier::Notification,
        "rx" => Carrier::Receiver { after_queue },
        other => {
            return Err(format!(
                "telemetry.feedback: expected ack, coalesced, notify or rx, got `{other}`"
            ))
        }
    };
    if mode == "probe" && !matches!(word, "ack" | "coalesced") {
        return Err(format!(
            "telemetry.feedback: expected ack or coalesced with mode probe, got `{word}`"
        ));
    }
    let count_flows = spec.n_aware.unwrap_or(false);
    // the behavioural NIC runs the law in f64, too
    let golden = matches!(scenario.fidelity, Fidelity::Golden | Fidelity::NicModel);
    for (key, on) in [("feedback", word == "rx"), ("n_aware", count_flows)] {
        if on && !golden {
            return Err(format!(
                "telemetry.{key}: expected the default at {}",
                scenario.fidelity.name()
            ));
        }
    }
    let least = scenario.cc.min_rate_mbps.map(|mbps| mbps * 1_000_000);
    let default = Feedback::default();
    Ok(Feedback {
        carrier,
        ack_every: byte("ack_every", spec.ack_every)?,
        count_flows,
        min_rate_bps: least.unwrap_or(default.min_rate_bps),
    })
}

#[cfg(test)]
mod tests {
    use crate::plan::Job;
    use crate::scenario::spec::{plan, Overrides};
    use hpcc_models::cc::hpcc::RateSignal;
    use hpcc_models::cc::ProbeRule;
    use hpcc_models::net::{Carrier, StampRules};

    fn job(telemetry: &str) -> Result<Job, String> {
        let text = format!(
            "name='x'\ntitle='t'\nnetwork={{topology='star',hosts=4}}\nrun={{stop_us=10}}\ncc={{t_ns=13000}}\n[telemetry]\n{telemetry}\n\
            [[traffic]]\nkind='incast'\nsenders=2\nreceiver=3\nbytes=5\n"
        );
        Job::new(&plan("x", &text, &Overrides::default())?[0])
    }

    #[test]
    fn words_reach_the_network() {
        let probes = job("mode='probe'\nprobe_packets=4").unwrap().config.probes.unwrap();
        assert_eq!(
            probes,
            ProbeRule {
                interval_ps: 13_000_000,
                packets: 4,
                timeout_ps: 100_000_000
            }
        );
        let found = job("feedback='rx'\nack_every=16\nrx_clock='t-and-queue'\nn_aware=true").unwrap();
        let feedback = found.config.feedback;
        assert_eq!(feedback.carrier, Carrier::Receiver { after_queue: true });
        assert!(feedback.ack_every == 16 && feedback.count_flows && found.law.n_aware);
        let found = job("format='int-md'\nutilisation_us=2\nshown_gbps=400\nsilent=[4]").unwrap();
        let stamps = StampRules {
            path_of_links: true,
            shown_bps: Some(400_000_000_000),
            utilisation_ps: Some(2_000_000),
            silent: vec![4],
        };
        assert_eq!(found.config.stamps, stamps);
        assert_eq!(found.law.rate_signal, RateSignal::Utilisation);
        assert!(!job("").unwrap().config.stamps.path_of_links);
    }

    /// HPCC under TCP has probes without being told; what its packets do not do is refused.
    #[test]
    fn tcp_on_probes() {
        let job = |rest: &str| {
            let text = format!(
                "name='x'\ntitle='t'\nlaw='hpcc-probes'\nnetwork={{topology='star',hosts=4,flow_control='drop-tail'}}\nrun={{stop_us=10}}\n{rest}\n\
                [[traffic]]\nkind='incast'\nsenders=2\nreceiver=3\nbytes=5\n"
            );
            Job::new(&plan("x", &text, &Overrides::default())?[0])
        };
        let found = job("cc={eta=0.9}\ntelemetry={probe_packets=2}").unwrap();
        assert!(found.config.int && found.config.probes.unwrap().packets == 2 && found.law.eta == 0.9);
        for (rest, error) in [
            (
                "telemetry={mode='inband'}",
                "telemetry.mode: expected probe with hpcc-probes",
            ),
            (
                "telemetry={every=2}",
                "telemetry.every: expected only with hpcc, got hpcc-probes",
            ),
            (
                "telemetry={feedback='rx'}",
                "telemetry.feedback: expected only with hpcc, got",
            ),
            ("tcp={profile='ns3'}", "tcp.profile: expected rfc with hpcc-probes"),
            (
                "tcp={initial_window=4}",
                "tcp.initial_window: expected only with a TCP law other",
            ),
            ("cc={eta=2.0}", "cc.eta: expected"),
        ] {
            let found = job(rest).unwrap_err();
            assert!(found.contains(error), "{found}");
        }
    }

    #[test]
    fn one_line_errors() {
        for (text, error) in [
            ("mode='sample'\nevery=0", "telemetry.every: expected 1 to 255, got 0"),
            ("every=2", "telemetry.every: expected only with mode sample"),
            (
                "mode='all'",
                "telemetry.mode: expected inband, sample or probe, got `all`",
            ),
            (
                "probe_packets=2",
                "telemetry.probe_packets: expected only with mode probe",
            ),
            (
                "mode='probe'\nprobe_timeout_us=1",
                "telemetry.probe_timeout_us: expected T (13 us) to 1e6, got 1",
            ),
            (
                "ack_every=2",
                "telemetry.ack_every: expected only with feedback coalesced, notify or rx",
            ),
            (
                "feedback='nak'",
                "telemetry.feedback: expected ack, coalesced, notify or rx, got `nak`",
            ),
            (
                "mode='probe'\nfeedback='rx'",
                "telemetry.feedback: expected ack or coalesced with mode probe, got `rx`",
            ),
            ("rx_clock='t'", "telemetry.rx_clock: expected only with feedback rx"),
            (
                "utilisation_us=2",
                "telemetry.utilisation_us: expected only with format int-md",
            ),
            (
                "format='int-md'\nutilisation_us=0.01",
                "telemetry.utilisation_us: expected 0.1 to 1e6, got 0.01",
            ),
            (
                "shown_gbps=33",
                "telemetry.shown_gbps: expected a speed with an INT code, got 33",
            ),
        ] {
            assert_eq!(job(text).unwrap_err(), error);
        }
    }
}
