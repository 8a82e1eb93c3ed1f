//! A job: everything one simulation needs; and a run: the job with what came out.

use super::fidelity::Fidelity;
use super::finding::Finding;
use super::laws::LawSpec;
use hpcc_models::net::{
    ArrivalDrops, ClosedLoop, Config, FlowSpec, HccConfig, LinkChange, Outcome, SamplePlan, Topology,
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
    /// Packets lost on purpose.
    pub arrival_drops: Vec<ArrivalDrops>,
    /// Agents of HCC.
    pub hcc: Option<HccPlan>,
    /// Ends here at the latest, ps.
    pub stop_ps: u64,
    /// Times in results count from here, ps.
    pub origin_ps: u64,
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
    /// What was checked while it ran.
    pub checks: Vec<Finding>,
}

impl Run {
    /// Label in figures.
    pub fn label(&self) -> &str {
        self.job.label.as_deref().unwrap_or(&self.job.law.name)
    }
}
