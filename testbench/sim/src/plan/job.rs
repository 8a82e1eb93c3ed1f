//! A job: everything one simulation needs; and a run: the job with what came out.

use super::collective::CollectivePlan;
use super::fidelity::Fidelity;
use super::finding::Finding;
use super::laws::LawSpec;
use super::provenance::InputFile;
use hpcc_models::net::{
    ArrivalDrops, ClosedLoop, Config, FlowPoint, FlowRecord, FlowSpec, HccConfig, IdealRule, LinkChange, Outcome,
    SamplePlan, SlotParams, StartRule, Topology,
};

/// Everything one simulation needs.
#[derive(Clone, Debug)]
pub struct Job {
    /// Scenario's name.
    pub name: String,
    /// Label among the runs of a scenario.
    pub label: Option<String>,
    /// Law.
    pub law: LawSpec,
    /// Fidelity.
    pub fidelity: Fidelity,
    /// Seed.
    pub seed: u64,
    /// The scenario with all changes made and all defaults filled in, as `summary.json` has it.
    pub resolved: serde_json::Value,
    /// Files that it was made from.
    pub inputs: Vec<InputFile>,
    /// Network.
    pub topology: Topology,
    /// Traffic.
    pub flows: Vec<FlowSpec>,
    /// Rules.
    pub config: Config,
    /// Observation.
    pub plan: SamplePlan,
    /// Link changes.
    pub link_changes: Vec<LinkChange>,
    /// Requests, responses and pauses.
    pub loops: Vec<ClosedLoop>,
    /// Flows that start after others.
    pub start_rules: Vec<StartRule>,
    /// Collectives among the flows.
    pub collectives: Vec<CollectivePlan>,
    /// Packets lost on purpose.
    pub arrival_drops: Vec<ArrivalDrops>,
    /// Agents of HCC.
    pub hcc: Option<HccPlan>,
    /// Ends here at the latest, ps.
    pub stop_ps: u64,
    /// Times in results count from here, ps.
    pub origin_ps: u64,
    /// `T` was looked up in the network.
    pub t_of_network: bool,
    /// All flows must be over when the run ends.
    pub drains: bool,
    /// Queues are watched to the end of [`Self::plan`], also when all flows are over before it.
    pub watches_on: bool,
    /// Which flows its numbers count, and by which sizes.
    pub numbers: NumbersPlan,
}

/// Which flows the numbers of a run count, and by which sizes.
#[derive(Clone, Debug, Default)]
pub struct NumbersPlan {
    /// Flows that start earlier than this after the run's origin are left out, ps.
    pub warm_up_ps: u64,
    /// Edges of size buckets, bytes, ascending; none: the usual ones.
    pub size_edges: Vec<u64>,
}

/// Agents of HCC, and the pairs of hosts whose flows they control (source, destination).
#[derive(Clone, Debug)]
pub struct HccPlan {
    /// Rules.
    pub config: HccConfig,
    /// Pairs of hosts.
    pub pairs: Vec<(u32, u32)>,
}

/// One finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// What was asked.
    pub job: Job,
    /// What came out.
    pub outcome: Outcome,
    /// Real time it took, seconds.
    pub wall_s: f64,
    /// Processor time it took, seconds; of all its threads. `None` where the system does not say.
    pub cpu_s: Option<f64>,
    /// What was checked while it ran.
    pub checks: Vec<Finding>,
}

impl Job {
    /// The sender's port, as a law gets it: the first host's link, `T`, and the window of one `T`.
    pub fn port(&self) -> SlotParams {
        let is_switch = |node: u32| self.topology.is_switch[node as usize];
        let host_link = self.topology.links.iter().find(|l| !is_switch(l.a) || !is_switch(l.b));
        let line_rate_bps = host_link.map_or(1, |l| l.rate_bps);
        let base_rtt_ns = self.config.window_t_ns();
        SlotParams {
            line_rate_bps,
            base_rtt_ns,
            w_init_bytes: (u128::from(line_rate_bps) * u128::from(base_rtt_ns) / 8_000_000_000) as u64,
            mtu: self.config.mtu,
            int_multi: self.config.int_multi,
        }
    }
}

impl Run {
    /// Label in figures.
    pub fn label(&self) -> &str {
        self.job.label.as_deref().unwrap_or(&self.job.law.name)
    }

    /// Label without the seed that `run.seeds` or a grid has added.
    pub fn label_without_seed(&self) -> &str {
        let label = self.label();
        let seed = format!("seed {}", self.job.seed);
        match label.strip_suffix(&seed).map(str::trim_end) {
            Some("") => &self.job.law.name,
            Some(rest) if label[rest.len()..].starts_with(' ') => rest,
            _ => label,
        }
    }

    /// Does a flow count: it started after the warm-up.
    pub fn counts(&self, flow: &FlowSpec, record: &FlowRecord) -> bool {
        let start = match record.finished_ps {
            Some(_) => record.started_ps,
            None => flow.start_ps,
        };
        start.saturating_sub(self.job.origin_ps) >= self.job.numbers.warm_up_ps
    }

    /// Completion time of a flow over the ideal one. That of the authors' simulator is no lower bound: less than 1 is 1, as in their analysis.
    pub fn slowdown(&self, record: &FlowRecord) -> Option<f64> {
        let least = match self.job.config.ideal {
            IdealRule::Ns3 => 1.0,
            IdealRule::Exact => 0.0,
        };
        record.slowdown().map(|s| s.max(least))
    }

    /// Flow series with a point at each sample that goes into them, though only what changes is kept.
    pub fn flow_points(&self) -> Vec<FlowPoint> {
        let plan = &self.job.plan;
        let step_ps = plan.interval_ps * u64::from(plan.series_every.max(1));
        self.outcome.samples.flows_at_each_sample(step_ps)
    }
}
