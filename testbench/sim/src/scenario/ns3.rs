//! Runs in the profile of the authors' ns-3 simulator: its configuration file decides framing, parameters and rules.

use hpcc_models::cc::dcqcn::DcqcnParams;
use hpcc_models::cc::hpcc::Reaction;
use hpcc_models::cc::powertcp::Profile;
use hpcc_models::net::ns3::{CcMode, Ns3Config};
use hpcc_models::net::{Config, Topology};

use crate::plan::laws::{LawKind, LawSpec};

/// The law that a configuration asks for.
pub fn law(config: &Ns3Config) -> Result<LawSpec, String> {
    let name = match (config.cc_mode, config.has_win) {
        (CcMode::Hpcc, _) => "hpcc",
        (CcMode::Dcqcn, false) => "dcqcn",
        (CcMode::Dcqcn, true) => "dcqcn+win",
        (CcMode::Timely, false) => "timely",
        (CcMode::Timely, true) => "timely+win",
        (CcMode::Dctcp, _) => "dctcp",
    };
    let mut law = LawSpec::named(name)?;
    configure(&mut law, config);
    law.whole_rates = true;
    law.multi_rate = config.multi_rate && config.cc_mode == CcMode::Hpcc;
    law.reaction = reaction(config);
    Ok(law)
}

fn reaction(config: &Ns3Config) -> Reaction {
    if config.fast_react {
        Reaction::Hpcc
    } else {
        Reaction::PerRtt
    }
}

/// Keys of a configuration that a law takes its parameters from.
fn keys(kind: LawKind) -> &'static [&'static str] {
    match kind {
        LawKind::Hpcc => &[
            "RATE_AI",
            "MIN_RATE",
            "U_TARGET",
            "MI_THRESH",
            "FAST_REACT",
            "MULTI_RATE",
        ],
        LawKind::Dcqcn => &[
            "RATE_AI",
            "RATE_HAI",
            "MIN_RATE",
            "EWMA_GAIN",
            "ALPHA_RESUME_INTERVAL",
            "RATE_DECREASE_INTERVAL",
            "RP_TIMER",
            "FAST_RECOVERY_TIMES",
            "CLAMP_TARGET_RATE",
        ],
        LawKind::Timely => &["RATE_AI", "RATE_HAI", "MIN_RATE"],
        LawKind::Dctcp => &["DCTCP_RATE_AI", "MIN_RATE", "EWMA_GAIN"],
        LawKind::PowerTcp => &["MIN_RATE", "U_TARGET", "FAST_REACT"],
        LawKind::Theta => &["MIN_RATE", "FAST_REACT"],
        LawKind::Tcp(_) | LawKind::Homa | LawKind::LineRate | LawKind::Own(_) => &[],
    }
}

/// Gives a law the parameters that a configuration has for it.
fn configure(law: &mut LawSpec, config: &Ns3Config) {
    law.min_rate = Some(config.min_rate);
    law.eta = config.u_target;
    law.max_stage = config.mi_thresh as u8;
    law.w_ai_rate = Some(config.rate_ai);
    // That simulator never takes a record for stale; this is the longest age a 24-bit time stamp can tell.
    law.stale_limit_ns = (1 << 23) - 1;
    law.gain = Some(config.gain);
    law.rate_ai = Some(if law.kind == LawKind::Dctcp {
        config.dctcp_rate_ai
    } else {
        config.rate_ai
    });
    law.rate_hai = Some(config.rate_hai);
    let ns = |us: f64| (us * 1000.0) as u64;
    law.dcqcn = (law.kind == LawKind::Dcqcn).then(|| DcqcnParams {
        alpha_interval: ns(config.alpha_interval_us),
        decrease_interval: ns(config.decrease_interval_us),
        increase_interval: ns(config.increase_timer_us),
        fast_recovery: config.fast_recovery_times,
        clamp_target: config.clamp_target_rate,
        ..DcqcnParams::new(1, 1.0)
    });
    // Only the simulator of PowerTCP's authors has such files for it.
    law.power_default = Profile::Authors;
    law.power_eta = (law.kind == LawKind::PowerTcp).then_some(config.u_target);
    if matches!(law.kind, LawKind::PowerTcp | LawKind::Theta) {
        law.reaction = reaction(config);
    }
}

/// When queues are sampled, ps: from, to. A time shorter than the microsecond between two samples is how that simulator's monitor is switched
/// off; then the whole run is sampled.
pub fn monitor(config: &Ns3Config) -> (u64, u64) {
    let (from, to) = (config.monitor_start_ps, config.monitor_end_ps);
    if to.saturating_sub(from) < 1_000_000 {
        (from, u64::MAX)
    } else {
        (from, to)
    }
}

/// Links without an error rate of their own get the configuration's.
pub fn apply_error_rate(topology: &mut Topology, config: &Ns3Config) {
    for link in topology.links.iter_mut().filter(|l| l.loss == 0.0) {
        link.loss = config.error_rate;
    }
}

/// `--cc` on top of a configuration: another law in that configuration's network, with the parameters that the file has for it. Returns
/// the law and one line for each thing in the file that it does not take.
pub fn replace_law(name: &str, profile: &Ns3Config, config: &mut Config) -> Result<(LawSpec, Vec<String>), String> {
    let mut law = LawSpec::named(name)?;
    configure(&mut law, profile);
    // What the name itself says (hpcc-per-rtt) stays; `hpcc` reacts as the file says.
    if name == "hpcc" {
        law.reaction = reaction(profile);
    }
    let mode = match law.kind {
        // theta reads no INT, but in that simulator its packets carry it
        LawKind::Hpcc | LawKind::PowerTcp | LawKind::Theta => CcMode::Hpcc,
        LawKind::Dcqcn => CcMode::Dcqcn,
        LawKind::Timely => CcMode::Timely,
        LawKind::Dctcp => CcMode::Dctcp,
        LawKind::Tcp(_) | LawKind::Homa | LawKind::LineRate | LawKind::Own(_) => {
            return Err(format!(
                "--cc {name}: expected a law of that simulator with --ns3-config"
            ))
        }
    };
    let other = Ns3Config {
        cc_mode: mode,
        has_win: law.windowed,
        var_win: law.windowed,
        ..profile.clone()
    };
    *config = other.network();
    config.int_arrivals = law.wants_arrivals();
    let mut notes = Vec::new();
    if law.kind == LawKind::Hpcc && profile.multi_rate {
        notes.push(format!("--cc {name}: MULTI_RATE 1 is not taken: one rate a flow"));
    }
    for (key, now, given) in [
        ("HAS_WIN", law.windowed, profile.has_win),
        ("VAR_WIN", law.windowed, profile.var_win),
    ] {
        if now != given && profile.given.iter().any(|k| k == key) {
            notes.push(format!(
                "--cc {name}: {key} {} is not taken: the law's name says {}",
                u8::from(given),
                u8::from(now)
            ));
        }
    }
    let all = [LawKind::Hpcc, LawKind::Dcqcn, LawKind::Timely, LawKind::Dctcp];
    let others: Vec<&str> = profile
        .given
        .iter()
        .map(String::as_str)
        .filter(|key| all.iter().any(|kind| keys(*kind).contains(key)) && !keys(law.kind).contains(key))
        .collect();
    if !others.is_empty() {
        notes.push(format!(
            "--cc {name}: parameters of other laws, which have no effect: {}",
            others.join(", ")
        ));
    }
    Ok((law, notes))
}
