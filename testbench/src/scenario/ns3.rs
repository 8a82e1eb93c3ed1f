//! Runs in the profile of the authors' ns-3 simulator: its configuration file decides framing, parameters and rules.

use hpcc_models::cc::dcqcn::DcqcnParams;
use hpcc_models::cc::hpcc::Reaction;
use hpcc_models::net::ns3::{CcMode, Ns3Config};
use hpcc_models::net::{Config, Topology, WindowRule, WindowUse};

use crate::plan::laws::rtl_slot::LATENCY_NS;
use crate::plan::laws::{LawKind, LawSpec};
use crate::plan::Fidelity;

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
    law.min_rate = Some(config.min_rate);
    law.eta = config.u_target;
    law.max_stage = config.mi_thresh as u8;
    law.w_ai_rate = Some(config.rate_ai);
    // That simulator never takes a record for stale; this is the longest age a 24-bit time stamp can tell.
    law.stale_limit_ns = (1 << 23) - 1;
    law.whole_rates = true;
    law.multi_rate = config.multi_rate && config.cc_mode == CcMode::Hpcc;
    law.reaction = if config.fast_react {
        Reaction::Hpcc
    } else {
        Reaction::PerRtt
    };
    law.gain = Some(config.gain);
    law.rate_ai = Some(if config.cc_mode == CcMode::Dctcp {
        config.dctcp_rate_ai
    } else {
        config.rate_ai
    });
    law.rate_hai = Some(config.rate_hai);
    let ns = |us: f64| (us * 1000.0) as u64;
    law.dcqcn = (config.cc_mode == CcMode::Dcqcn).then(|| DcqcnParams {
        alpha_interval: ns(config.alpha_interval_us),
        decrease_interval: ns(config.decrease_interval_us),
        increase_interval: ns(config.increase_timer_us),
        fast_recovery: config.fast_recovery_times,
        clamp_target: config.clamp_target_rate,
        ..DcqcnParams::new(1, 1.0)
    });
    Ok(law)
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

/// Rules for ns-3 topology and flow files without a configuration: our own framing, window and `T` from the topology.
pub fn own_rules(law: &LawSpec, fidelity: Fidelity) -> Config {
    let mut config = Config::paper(0, law.uses_int());
    config.window = WindowRule::LargestPair;
    config.rate_moves_next_send = law.kind == LawKind::Hpcc;
    config.window_use = if law.windowed { WindowUse::Law } else { WindowUse::None };
    if law.kind == LawKind::Dctcp {
        config.mark_like_dctcp();
    }
    if fidelity != Fidelity::Golden {
        config.cc_latency_ps = LATENCY_NS * 1000;
    }
    config
}

/// `--cc` on top of a configuration: another law with its own parameters in that configuration's network.
pub fn replace_law(
    configured: &LawSpec,
    name: &str,
    profile: &Ns3Config,
    config: &mut Config,
) -> Result<LawSpec, String> {
    let mut law = LawSpec::named(name)?;
    if law.kind == configured.kind {
        law = LawSpec {
            name: law.name,
            windowed: law.windowed,
            reaction: law.reaction,
            rate_signal: law.rate_signal,
            fairness: law.fairness,
            whole_rates: false,
            multi_rate: false,
            ..configured.clone()
        };
    }
    let mode = match law.kind {
        LawKind::Hpcc => CcMode::Hpcc,
        LawKind::Dcqcn => CcMode::Dcqcn,
        LawKind::Timely => CcMode::Timely,
        LawKind::Dctcp => CcMode::Dctcp,
        LawKind::Tcp(_) => {
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
    Ok(law)
}
