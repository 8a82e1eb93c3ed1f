//! From words to TCP hosts: rules of a stack, queues in packets, packets lost on purpose.

use hpcc_models::net::tcp::{LossRecovery, TcpConfig, TcpLaw, TcpSetup};
use hpcc_models::net::{ArrivalDrops, Config, FlowControl, Topology};

use super::spec::{QueueSpec, TcpSpec};

/// Packets that may wait at a port, if nothing is said.
const QUEUE_PACKETS: u32 = 1000;
/// Packets waiting from which DCTCP's are marked, if nothing is said (HCC, Fig. 4(d)).
const MARK_PACKETS: u32 = 65;
/// Packets of ns-3's handshake that its error model counts.
const HANDSHAKE: u64 = 2;

fn ps(ms: f64, field: &str) -> Result<u64, String> {
    if ms.is_finite() && (0.0..=1e6).contains(&ms) {
        Ok((ms * 1e9).round() as u64)
    } else {
        Err(format!("{field}: expected 0 to 1e6 ms, got {ms}"))
    }
}

/// Is the profile ns-3's.
fn is_ns3(spec: &TcpSpec) -> Result<bool, String> {
    match spec.profile.as_deref() {
        None | Some("rfc") => Ok(false),
        Some("ns3") => Ok(true),
        Some(other) => Err(format!("tcp.profile: expected rfc or ns3, got `{other}`")),
    }
}

/// Rules of a stack under a law.
pub fn stack(spec: &TcpSpec, law: TcpLaw) -> Result<TcpConfig, String> {
    let ns3 = is_ns3(spec)?;
    let mut config = if ns3 { TcpConfig::ns3(law) } else { TcpConfig::rfc(law) };
    let between = |field: &str, value: u32, least: u32, most: u32| {
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        Err(format!("tcp.{field}: expected {least} to {most}, got {value}"))
    };
    if let Some(ms) = spec.min_rto_ms {
        config.min_rto_ps = ps(ms, "tcp.min_rto_ms")?;
        if !ns3 {
            config.delayed_ack_ps = TcpConfig::delayed_ack_for(config.min_rto_ps);
        }
    }
    if let Some(ms) = spec.delayed_ack_ms {
        config.delayed_ack_ps = ps(ms, "tcp.delayed_ack_ms")?;
    }
    if law == TcpLaw::HpccProbes {
        // Proportional reduction needs a window that a loss reduces, and ns-3 has no such host.
        for (field, value, expected) in [
            ("profile", &spec.profile, "rfc"),
            ("recovery", &spec.recovery, "classic"),
        ] {
            if let Some(other) = value.as_deref().filter(|&v| v != expected) {
                return Err(format!(
                    "tcp.{field}: expected {expected} with hpcc-probes, got `{other}`"
                ));
            }
        }
    }
    config.recovery = match spec.recovery.as_deref() {
        None | Some("classic") => LossRecovery::Classic,
        Some("prr") if spec.sack == Some(false) && !ns3 => {
            return Err("tcp.recovery: expected classic without selective acknowledgement, got `prr`".into())
        }
        Some("prr") => LossRecovery::Prr,
        Some(other) => return Err(format!("tcp.recovery: expected classic or prr, got `{other}`")),
    };
    if spec.hystart == Some(true) && !(ns3 && law == TcpLaw::Cubic) {
        return Err("tcp.hystart: expected only with cubic in profile ns3".into());
    }
    config.mss = between("mss", spec.mss.unwrap_or(config.mss), 64, 9000)?;
    config.initial_window = between("initial_window", spec.initial_window.unwrap_or(10), 1, 1_000_000)?;
    config.delayed_ack = between("delayed_ack", spec.delayed_ack.unwrap_or(2), 1, 1000)?;
    config.initial_ssthresh = spec.initial_ssthresh.unwrap_or(config.initial_ssthresh);
    config.retries = spec.retries.unwrap_or(config.retries);
    config.sack = spec.sack.unwrap_or(config.sack);
    config.timestamps = spec.timestamps.unwrap_or(config.timestamps);
    let cubic = &mut config.cubic;
    cubic.fast_convergence = spec.fast_convergence.unwrap_or(cubic.fast_convergence);
    cubic.friendly = spec.friendly.unwrap_or(cubic.friendly);
    cubic.hystart = spec.hystart.unwrap_or(cubic.hystart);
    let gain = spec.gain.unwrap_or(config.dctcp.gain);
    if !(gain > 0.0 && gain <= 1.0) {
        return Err(format!("tcp.gain: expected above 0 and at most 1, got {gain}"));
    }
    config.dctcp.gain = gain;
    Ok(config)
}

/// Queues in packets; marks where a law listens to them.
pub fn queues(config: &mut Config, spec: &TcpSpec, queue: QueueSpec, marks: bool) -> Result<(), String> {
    let packets = queue.queue_packets.unwrap_or(QUEUE_PACKETS);
    if packets == 0 {
        return Err("network.queue_packets: expected 1 or more, got 0".into());
    }
    // ns-3 marks in a queue in front of the device's own, which holds one packet more.
    let device = u32::from(marks && is_ns3(spec)?);
    config.flow_control = FlowControl::DropTail {
        packets: packets + device,
    };
    let threshold = queue.mark_packets.or(marks.then_some(MARK_PACKETS));
    config.mark_packets = threshold.map(|k| k + device);
    Ok(())
}

/// A key that the only law of a run does not know would have no effect.
pub fn only_for_another_law(spec: &TcpSpec, queue: QueueSpec, law: TcpLaw) -> Result<(), String> {
    let keys = [
        ("tcp.gain", spec.gain.is_some(), TcpLaw::Dctcp, "dctcp-tcp"),
        (
            "network.mark_packets",
            queue.mark_packets.is_some(),
            TcpLaw::Dctcp,
            "dctcp-tcp",
        ),
        ("tcp.friendly", spec.friendly.is_some(), TcpLaw::Cubic, "cubic"),
        (
            "tcp.fast_convergence",
            spec.fast_convergence.is_some(),
            TcpLaw::Cubic,
            "cubic",
        ),
    ];
    match keys.iter().find(|(_, given, of, _)| *given && *of != law) {
        Some((key, _, _, name)) => Err(format!("{key}: expected only with {name}")),
        None => Ok(()),
    }
}

/// Rules of a network whose hosts are all TCP's.
pub fn all(config: &mut Config, spec: &TcpSpec, queue: QueueSpec, law: TcpLaw) -> Result<(), String> {
    config.tcp = Some(TcpSetup::all(stack(spec, law)?));
    config.ecn.clear();
    queues(config, spec, queue, law == TcpLaw::Dctcp)
}

/// Packets lost on purpose.
pub fn arrival_drops(spec: &TcpSpec, topology: &Topology) -> Result<Vec<ArrivalDrops>, String> {
    if spec.drop_arrivals.is_empty() {
        return Ok(Vec::new());
    }
    let between = |l: &hpcc_models::net::Link| topology.is_switch[l.a as usize] && topology.is_switch[l.b as usize];
    let link = topology.links.iter().position(between);
    let link = link.ok_or("tcp.drop_arrivals: expected a link between two switches")?;
    let first = if is_ns3(spec)? { HANDSHAKE } else { 0 };
    let numbers = spec.drop_arrivals.iter().map(|&n| {
        n.checked_sub(first)
            .ok_or_else(|| format!("tcp.drop_arrivals: expected {first} or more, got {n}"))
    });
    Ok(vec![ArrivalDrops {
        link,
        towards_b: true,
        numbers: numbers.collect::<Result<_, _>>()?,
    }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use hpcc_models::net::{dumbbell, star};

    fn spec(text: &str) -> TcpSpec {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn what_is_not_said_is_the_profiles() {
        let rfc = stack(&spec(""), TcpLaw::Cubic).unwrap();
        assert_eq!(rfc, TcpConfig::rfc(TcpLaw::Cubic));
        let ns3 = stack(&spec("profile = 'ns3'\nmin_rto_ms = 1000"), TcpLaw::NewReno).unwrap();
        assert_eq!(
            (ns3.min_rto_ps, ns3.delayed_ack_ps),
            (1_000_000_000_000, 200_000_000_000)
        );
        // The wait for a second segment goes with the smallest timeout.
        let slow = stack(&spec("min_rto_ms = 4"), TcpLaw::NewReno).unwrap();
        assert_eq!(slow.delayed_ack_ps, 1_000_000_000);
    }

    /// ns-3's marking queue stands before a device that holds one packet more.
    #[test]
    fn queues_in_packets() {
        let mut config = Config::paper(0, false);
        all(&mut config, &spec(""), QueueSpec::default(), TcpLaw::Dctcp).unwrap();
        assert_eq!(config.flow_control, FlowControl::DropTail { packets: 1000 });
        assert_eq!(config.mark_packets, Some(65));
        all(
            &mut config,
            &spec("profile = 'ns3'"),
            QueueSpec::default(),
            TcpLaw::Dctcp,
        )
        .unwrap();
        assert_eq!(config.flow_control, FlowControl::DropTail { packets: 1001 });
        assert_eq!(config.mark_packets, Some(66));
        all(
            &mut config,
            &spec("profile = 'ns3'"),
            QueueSpec::default(),
            TcpLaw::Cubic,
        )
        .unwrap();
        assert_eq!((config.mark_packets, config.ecn.len()), (None, 0));
    }

    #[test]
    fn one_line_errors() {
        let error = |text: &str, law| stack(&spec(text), law).unwrap_err();
        assert_eq!(
            error("profile = 'ns4'", TcpLaw::Cubic),
            "tcp.profile: expected rfc or ns3, got `ns4`"
        );
        assert_eq!(
            error("recovery = 'fack'", TcpLaw::Cubic),
            "tcp.recovery: expected classic or prr, got `fack`"
        );
        assert_eq!(
            error("recovery = 'prr'", TcpLaw::HpccProbes),
            "tcp.recovery: expected classic with hpcc-probes, got `prr`"
        );
        assert_eq!(error("mss = 1", TcpLaw::Cubic), "tcp.mss: expected 64 to 9000, got 1");
        assert!(error("hystart = true", TcpLaw::NewReno).starts_with("tcp.hystart: expected only with cubic"));
        assert!(error("min_rto_ms = -1", TcpLaw::NewReno).starts_with("tcp.min_rto_ms: expected 0 to 1e6 ms"));
    }

    #[test]
    fn keys_of_another_law_are_refused() {
        let check = |text: &str, marks, law| {
            let queue = QueueSpec {
                mark_packets: marks,
                ..QueueSpec::default()
            };
            only_for_another_law(&spec(text), queue, law)
        };
        assert_eq!(check("gain = 0.1\nmss = 1000", Some(9), TcpLaw::Dctcp), Ok(()));
        assert_eq!(check("friendly = false", None, TcpLaw::Cubic), Ok(()));
        for (text, marks, why) in [
            ("gain = 0.1", None, "tcp.gain: expected only with dctcp-tcp"),
            ("", Some(65), "network.mark_packets: expected only with dctcp-tcp"),
            (
                "fast_convergence = true",
                None,
                "tcp.fast_convergence: expected only with cubic",
            ),
        ] {
            assert_eq!(check(text, marks, TcpLaw::NewReno).unwrap_err(), why);
        }
    }

    #[test]
    fn drops_count_ns3s_handshake() {
        let ns3 = spec("profile = 'ns3'\ndrop_arrivals = [302, 303]");
        let drops = arrival_drops(&ns3, &dumbbell(1, 10, 1, 1000)).unwrap();
        assert_eq!((drops[0].link, drops[0].numbers.as_slice()), (2, [300, 301].as_slice()));
        assert!(arrival_drops(&ns3, &star(3, 10, 1000))
            .unwrap_err()
            .contains("between two switches"));
        let handshake = spec("profile = 'ns3'\ndrop_arrivals = [1]");
        let error = arrival_drops(&handshake, &dumbbell(1, 10, 1, 1000)).unwrap_err();
        assert_eq!(error, "tcp.drop_arrivals: expected 2 or more, got 1");
    }
}
