//! What the types do not say: ranges, words of texts, defaults that a law or the program has, and the laws' own keys.

use super::key::{Key, Section, Type};
use crate::plan::laws::{LawSpec, HOMA_NAME, LAW_NAMES, TCP_NAMES};

/// Smallest and largest value of keys that the program holds against both, by dotted path.
pub(super) const RANGES: [(&str, f64, f64); 33] = [
    ("network.rate_gbps", 1.0, 10_000.0),
    ("network.leaves", 1.0, 1000.0),
    ("network.spines", 1.0, 1000.0),
    ("network.k", 2.0, 64.0),
    ("network.aggregations", 1.0, 1000.0),
    ("network.edges", 1.0, 1000.0),
    ("network.racks", 2.0, 1000.0),
    ("network.pods", 1.0, 64.0),
    ("network.mtu", 64.0, 9000.0),
    ("network.buffer_mb", 1.0, 4095.0),
    ("network.loss", 0.0, 1.0),
    ("network.ecn_kmin_kb", 0.0, 1e6),
    ("network.ecn_kmax_kb", 0.0, 1e6),
    ("network.ecn_pmax", 0.0, 1.0),
    ("network.flowlet_ns", 1.0, 1e9),
    ("network.reorder_packets", 1.0, 1e6),
    ("network.reorder_us", 0.001, 1e6),
    ("cc.t_ns", 1.0, 1e8),
    ("run.seeds", 1.0, 1000.0),
    ("run.meter_us", 0.0, 1e8),
    ("telemetry.queues", 1.0, 8.0),
    ("telemetry.every", 1.0, 255.0),
    ("telemetry.probe_packets", 1.0, 255.0),
    ("telemetry.ack_every", 1.0, 255.0),
    ("laws.gain", 0.0, 1.0),
    ("laws.alpha", 0.0, 1.0),
    ("laws.beta", 0.0, 1.0),
    ("laws.tau_factor", 1.0, 2.0),
    ("laws.current_floor", 0.0, 1.0),
    ("laws.stale_limit_us", 0.001, 8388.0),
    ("laws.max_stage", 0.0, 255.0),
    ("laws.fast_recovery", 0.0, 30.0),
    ("laws.min_decrease", 0.0, 0.99),
];

/// Words of keys whose type is a text.
pub(super) const WORDS: [(&str, &[&str]); 11] = [
    (
        "network.flow_control",
        &["pfc", "go-back-n", "irn", "drop-tail", "dynamic-thresholds"],
    ),
    ("tcp.profile", &["rfc", "ns3"]),
    ("tcp.recovery", &["classic", "prr"]),
    (
        "telemetry.format",
        &["fig7", "ifa", "ioam", "ioam-incremental", "int-md"],
    ),
    ("telemetry.mode", &["inband", "sample", "probe"]),
    ("telemetry.feedback", &["ack", "coalesced", "notify", "rx"]),
    ("telemetry.rx_clock", &["t", "t-and-queue"]),
    ("telemetry.schedule", &["dwrr", "strict"]),
    ("telemetry.qos", &["off", "sojourn", "class", "class-search", "shared"]),
    ("hcc.demand", &["infinite", "backlog"]),
    ("laws.increase_rule", &["timer", "qcn"]),
];

/// Adds range, words and what else is known.
pub(super) fn refine(section: &str, key: &mut Key) {
    let path = path(section, &key.name);
    if let Some((_, least, most)) = RANGES.iter().find(|(own, _, _)| *own == path) {
        key.range = Some((*least, *most));
    }
    if let Some((_, words)) = WORDS.iter().find(|(own, _)| *own == path) {
        key.of = Type::Word(words.iter().map(|word| (*word).into()).collect());
    }
}

/// Dotted path of a key.
pub(super) fn path(section: &str, name: &str) -> String {
    match section {
        "" => name.into(),
        section => format!("{section}.{name}"),
    }
}

/// Keys of laws: name, type, meaning.
const LAWS: [(&str, Type, &str); 34] = [
    ("w_ai", Type::Number, "HPCC: additive step of the window, bytes."),
    (
        "eta",
        Type::Number,
        "HPCC, PowerTCP: target utilisation, above 0 and at most 1.",
    ),
    (
        "max_stage",
        Type::Integer,
        "HPCC: additive stages before a multiplicative one.",
    ),
    (
        "stale_limit_us",
        Type::Number,
        "HPCC, PowerTCP, theta-PowerTCP: records older than this are replaced, us.",
    ),
    (
        "profile",
        Type::Text,
        "DCQCN: `authors` or `sigcomm`; PowerTCP, theta-PowerTCP: `paper` or `authors`.",
    ),
    ("gain", Type::Number, "DCQCN, DCTCP: gain `g` of the estimate of marks."),
    (
        "alpha_interval_us",
        Type::Number,
        "DCQCN: the estimate falls each time, us.",
    ),
    (
        "decrease_interval_us",
        Type::Number,
        "DCQCN: a decrease at most each time, us.",
    ),
    ("increase_interval_us", Type::Number, "DCQCN: timer of increases, us."),
    ("fast_recovery", Type::Integer, "DCQCN: rounds of fast recovery."),
    (
        "rate_ai_mbps",
        Type::Number,
        "DCQCN, TIMELY, DCTCP: additive step, Mb/s.",
    ),
    (
        "rate_hai_mbps",
        Type::Number,
        "DCQCN, TIMELY: step of hyper increase, Mb/s.",
    ),
    ("clamp_target", Type::Flag, "DCQCN: a decrease clamps the target rate."),
    (
        "increase_rule",
        Type::Text,
        "DCQCN: increases by timer alone or by timer and bytes.",
    ),
    ("byte_reset", Type::Integer, "DCQCN: bytes of the byte counter."),
    ("immediate", Type::Flag, "DCQCN: a mark decreases at once."),
    ("first_rate_mbps", Type::Number, "DCQCN: first rate, Mb/s."),
    (
        "min_decrease",
        Type::Number,
        "DCQCN: smallest part by which a decrease lowers the rate.",
    ),
    (
        "alpha",
        Type::Number,
        "TIMELY: weight of the newest difference of round trips.",
    ),
    ("beta", Type::Number, "TIMELY: factor of a decrease."),
    (
        "t_low_us",
        Type::Number,
        "TIMELY: below this round trip rates rise, us.",
    ),
    (
        "t_high_us",
        Type::Number,
        "TIMELY: above this round trip rates fall, us.",
    ),
    (
        "min_rtt_us",
        Type::Number,
        "TIMELY: round trip by which differences are normalised, us.",
    ),
    (
        "gamma",
        Type::Number,
        "PowerTCP, theta-PowerTCP: weight of the newest window, above 0 and at most 1.",
    ),
    (
        "beta_flows",
        Type::Number,
        "PowerTCP, theta-PowerTCP: additive step as the window over so many flows.",
    ),
    (
        "beta_mbps",
        Type::Number,
        "PowerTCP, theta-PowerTCP: additive step, Mb/s.",
    ),
    (
        "current_floor",
        Type::Number,
        "PowerTCP, theta-PowerTCP: least current, as a part of the line rate.",
    ),
    (
        "old_window",
        Type::Text,
        "PowerTCP, theta-PowerTCP: `per-round-trip`, `per-packet` or `last-full`.",
    ),
    (
        "reaction",
        Type::Text,
        "PowerTCP, theta-PowerTCP: `per-ack`, `window-per-round-trip` or `per-round-trip`.",
    ),
    (
        "tau_factor",
        Type::Number,
        "theta-PowerTCP: what the base round trip is multiplied with.",
    ),
    ("rtt_bytes", Type::Integer, "HOMA: bytes sent without a grant."),
    (
        "overcommitment",
        Type::Integer,
        "HOMA: messages that a receiver grants to at a time.",
    ),
    (
        "unscheduled_levels",
        Type::Integer,
        "HOMA: priorities of bytes without a grant.",
    ),
    (
        "resend_us",
        Type::Number,
        "HOMA: a receiver asks again after this long, us.",
    ),
];

/// The section of laws' keys: those of the table above that some law has.
pub(super) fn laws() -> Section {
    let keys = LAWS.iter().map(|(name, of, meaning)| Key {
        name: (*name).into(),
        of: of.clone(),
        required: false,
        default: String::new(),
        range: None,
        meaning: (*meaning).into(),
    });
    Section {
        path: "laws".into(),
        meaning: "Parameters of laws, in the table `cc`.".into(),
        keys: keys.collect(),
    }
}

/// Laws that have a key.
pub(super) fn laws_with(key: &str) -> Vec<&'static str> {
    let names = LAW_NAMES.into_iter().chain([HOMA_NAME]).chain(TCP_NAMES);
    let has = |name: &&str| LawSpec::named(name).is_ok_and(|law| law.kind.keys().contains(&key));
    names.filter(has).collect()
}
