//! What a scenario asks for that NICs on its hosts do not have: one line each, before anything is written.

use super::telemetry;
use crate::nic::queue_pairs::MAX_QPS;
use hpcc_models::fixed::dcqcn::DEFAULT_WALK;
use hpcc_models::net::{Clock, DemandRule, Recovery, SlotParams, WindowUse};
use hpcc_models::nic::MAX_MESSAGE;
use hpcc_sim::plan::laws::LawKind;
use hpcc_sim::plan::Job;
use std::collections::BTreeMap;

/// Payload of all flows together at most: it stands in memory at both ends.
const MAX_TOTAL: u64 = 1 << 29;
/// Flows of a NIC, and its clock period, ns.
const NIC_FLOWS: u64 = 300;
const CLOCK_NS: u64 = 5;
/// Delay of a host's link at least: a step is half of that, two clocks of 5 ns.
const LEAST_DELAY_PS: u64 = 20_000;

/// Whether NICs can be the hosts of a job; always, where it does not ask for whole NICs.
pub fn check(job: &Job) -> Result<(), String> {
    if !job.fidelity.whole_nic() {
        return Ok(());
    }
    let fidelity = job.fidelity.name();
    let wrong =
        |field: &str, expected: &str, got: &str| Err(format!("{field}: expected {expected} at {fidelity}, got {got}"));
    // the windows that a law has in hardware: DCQCN's bounds nothing
    let window_use = match job.law.kind {
        LawKind::Hpcc | LawKind::PowerTcp | LawKind::Theta => Some(WindowUse::Law),
        LawKind::Dcqcn => Some(WindowUse::None),
        _ => None,
    };
    if window_use != Some(job.config.window_use) {
        return wrong("law", "hpcc, dcqcn, powertcp or theta-powertcp", &job.law.name);
    }
    if job.config.recovery != Recovery::GoBackN {
        return wrong("network.flow_control", "pfc or go-back-n", "irn");
    }
    if telemetry::format_of(job).is_none() || job.config.clock != Clock::Exact || job.law.whole_rates {
        return wrong("--ns3-config", "none", "one with its own framing");
    }
    if !matches!(job.config.mtu, 256 | 512 | 1024 | 2048 | 4096) {
        return wrong(
            "network.mtu",
            "256, 512, 1024, 2048 or 4096",
            &job.config.mtu.to_string(),
        );
    }
    telemetry::check(job)?;
    if job.config.classes.is_some() {
        return wrong("telemetry.queues", "1", "more");
    }
    if let Some(hcc) = &job.hcc {
        // the NIC enforces levels; what else the agents of the simulator's hosts can do has no effect here
        for (field, on) in [
            ("hcc.window", hcc.config.window),
            ("hcc.dither", hcc.config.dither),
            ("hcc.two_sided", hcc.config.two_sided),
        ] {
            if on {
                return wrong(field, "false", "true");
            }
        }
        if hcc.config.demand != DemandRule::Infinite {
            return wrong("hcc.demand", "infinite", "backlog");
        }
    }
    if !job.loops.is_empty() || job.config.tcp.is_some() {
        return wrong("traffic", "flows of HPCC, each with a start", "closed loops or TCP");
    }
    flows(job)?;
    timers(job)?;
    links(job)
}

/// DCQCN's timers are looked at by a walk over all flows of the NIC, so no interval may be shorter.
fn timers(job: &Job) -> Result<(), String> {
    if job.law.kind != LawKind::Dcqcn {
        return Ok(());
    }
    let most = job
        .flows
        .iter()
        .map(|flow| flow.src)
        .fold(BTreeMap::<u32, u64>::new(), |mut count, src| {
            *count.entry(src).or_default() += 1;
            count
        });
    let notified = most.into_values().max().unwrap_or(0);
    let walk_ns = CLOCK_NS * (NIC_FLOWS + notified * u64::from(DEFAULT_WALK - 1));
    // the intervals are the same at every port
    let p = job.law.dcqcn_params(&SlotParams {
        line_rate_bps: 100_000_000_000,
        base_rtt_ns: 10_000,
        w_init_bytes: 125_000,
        mtu: job.config.mtu,
        int_multi: 1,
    })?;
    for (key, interval) in [
        ("alpha_interval_us", p.alpha_interval),
        ("decrease_interval_us", p.decrease_interval),
        ("increase_interval_us", p.increase_interval),
    ] {
        if interval < walk_ns {
            return Err(format!(
                "cc.{key}: expected at least {} at {}, in which the timers' walk has seen every flow, got {}",
                walk_ns as f64 / 1e3,
                job.fidelity.name(),
                interval as f64 / 1e3
            ));
        }
    }
    Ok(())
}

fn flows(job: &Job) -> Result<(), String> {
    let fidelity = job.fidelity.name();
    let mut count = BTreeMap::<u32, u32>::new();
    for (index, flow) in job.flows.iter().enumerate() {
        if flow.bytes > MAX_MESSAGE {
            let bytes = flow.bytes;
            return Err(format!(
                "flow {index}: bytes: expected at most {MAX_MESSAGE} at {fidelity}, got {bytes}"
            ));
        }
        for node in [flow.src, flow.dst] {
            let flows = count.entry(node).or_default();
            *flows += 1;
            if *flows > MAX_QPS {
                return Err(format!(
                    "traffic: expected at most {MAX_QPS} flows at a host at {fidelity}, host {node} has more"
                ));
            }
        }
    }
    let total = job.flows.iter().fold(0u64, |sum, flow| sum.saturating_add(flow.bytes));
    if total > MAX_TOTAL {
        return Err(format!(
            "traffic: expected at most {MAX_TOTAL} bytes at {fidelity}, got {total}"
        ));
    }
    Ok(())
}

fn links(job: &Job) -> Result<(), String> {
    let fidelity = job.fidelity.name();
    let mut count = BTreeMap::<u32, u32>::new();
    for link in &job.topology.links {
        for node in [link.a, link.b] {
            if job.topology.is_switch[node as usize] {
                continue;
            }
            if link.delay_ps < LEAST_DELAY_PS {
                return Err(format!(
                    "network: expected links to hosts of at least 20 ns at {fidelity}, host {node} has a shorter one"
                ));
            }
            let links = count.entry(node).or_default();
            *links += 1;
            if *links > 1 {
                return Err(format!(
                    "network: expected one link to each host at {fidelity}, host {node} has more"
                ));
            }
        }
    }
    Ok(())
}
