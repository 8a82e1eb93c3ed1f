//! From a scenario's words to the agents of HCC.

use hpcc_models::alloc::agent::{Drain, Settings, WHOLE};
use hpcc_models::alloc::Quantiser;
use hpcc_models::net::{AgentFailure, DemandRule, HccConfig, Topology};

use super::spec::HccSpec;
use super::time::ps;
use crate::plan::HccPlan;

/// Time from a change of capacity to the last source's new rate on the evaluation's tree, ns.
const REACTION_NS: u64 = 150_000;

fn thousandths(percent: f64, most: f64, field: &str) -> Result<u32, String> {
    if (0.0..=most).contains(&percent) {
        Ok((percent * f64::from(WHOLE) / 100.0).round() as u32)
    } else {
        Err(format!("hcc.{field}: expected 0 to {most}, got {percent}"))
    }
}

/// Agents for the flows of a scenario, if it has them.
pub fn agents(spec: Option<&HccSpec>, topology: &Topology) -> Result<Option<HccPlan>, String> {
    let Some(spec) = spec.filter(|s| s.on) else {
        return Ok(None);
    };
    let hosts = topology.hosts();
    for (field, [first, last]) in [("sources", spec.sources), ("destinations", spec.destinations)] {
        if first > last || !hosts.contains(&first) || !hosts.contains(&last) {
            return Err(format!(
                "hcc.{field}: expected first and last host, got {first} and {last}"
            ));
        }
    }
    let line = topology.links.iter().map(|l| l.rate_bps).max().unwrap_or(1);
    let quantiser = match spec.quantisation {
        0 => None,
        levels => Some(Quantiser::new(levels, line).map_err(|e| format!("hcc.quantisation: {e}"))?),
    };
    let drain = Drain {
        granted: 900,
        times: if spec.drain { 10 } else { 0 },
        reaction_ns: REACTION_NS,
    };
    let settings = Settings {
        quantiser,
        threshold: thousandths(spec.threshold_percent, 50.0, "threshold_percent")?,
        headroom: thousandths(spec.headroom_percent, 100.0, "headroom_percent")?,
        drain,
        offers: false,
    };
    if !(0.0..=1.0).contains(&spec.loss) {
        return Err(format!("hcc.loss: expected 0 to 1, got {}", spec.loss));
    }
    let failures = spec.failure.iter().map(|f| {
        Ok(AgentFailure {
            level: f.level,
            index: f.index,
            from_ps: ps(f.from_us, "hcc.failure.from_us")?,
            to_ps: ps(f.to_us, "hcc.failure.to_us")?,
        })
    });
    let failures = failures.collect::<Result<Vec<_>, String>>()?;
    let repairs = spec.loss > 0.0 || !failures.is_empty();
    let config = HccConfig {
        settings,
        levels: spec.levels,
        cycle: spec.cycle,
        parent_cycles: spec.parent_cycles,
        demand: match spec.demand.as_str() {
            "infinite" => DemandRule::Infinite,
            "backlog" => DemandRule::Backlog,
            other => return Err(format!("hcc.demand: expected infinite or backlog, got `{other}`")),
        },
        dither: spec.dither,
        window: spec.window,
        loss: spec.loss,
        refresh_cycles: if repairs { spec.refresh_cycles } else { 0 },
        failures,
        two_sided: spec.two_sided,
        central: spec.central,
    };
    let [from, to] = spec.sources;
    let pairs = (from..=to).flat_map(|src| (spec.destinations[0]..=spec.destinations[1]).map(move |dst| (src, dst)));
    Ok(Some(HccPlan {
        config,
        pairs: pairs.filter(|(src, dst)| src != dst).collect(),
    }))
}
