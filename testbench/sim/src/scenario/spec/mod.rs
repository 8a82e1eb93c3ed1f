//! Scenario files (TOML): network, traffic, law, how long, which variants are compared.
//!
//! `set` of a variant, `full`, and `--set` on the command line change single values by dotted path (`cc.w_ai = 25`, `traffic.0.bytes = 1000`).

mod base_rtt;
mod checks;
mod circuits;
mod effects;
mod hcc;
mod network;
mod overrides;
mod paths;
mod place;
mod plan;
mod tcp;
mod telemetry;
mod traffic;

use hpcc_models::fixed::Precision;
use hpcc_models::net::IdealRule;
use serde::{Deserialize, Serialize};
use toml::Table;

use crate::plan::laws::cc_rtl::Driver;
use crate::plan::Fidelity;

pub use base_rtt::BaseRtt;
pub use circuits::CircuitSpec;
pub use hcc::{FailureSpec, HccSpec};
pub use network::{LinkChangeSpec, LinkLossSpec, NetworkSpec, ReorderSpec, RoutingSpec, SpraySpec};
pub use overrides::{Overrides, Planned};
pub use paths::{find, is_path};
pub use place::placed;
pub(super) use plan::combinations;
pub use plan::{parse_set, plan};
pub use tcp::{QueueSpec, TcpSpec};
pub use telemetry::TelemetrySpec;
pub use traffic::{AlgorithmSpec, MomentSpec, OperationSpec, TrafficSpec};

/// One scenario.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Name, of results and figures.
    pub name: String,
    /// One line, in figures and on the screen (default: the name).
    #[serde(default)]
    pub title: String,
    /// Which figure it reproduces: chooses the analysis.
    #[serde(default)]
    pub figure: Option<String>,
    /// The paper's sentence about it.
    #[serde(default)]
    pub paper: Option<String>,
    /// Law by name, as `--cc` takes it.
    #[serde(default = "hpcc")]
    pub law: String,
    /// How deep senders are simulated.
    #[serde(default)]
    pub fidelity: Fidelity,
    /// Seed of arrivals, marks, losses and paths.
    #[serde(default = "one")]
    pub seed: u64,
    /// Network.
    pub network: NetworkSpec,
    /// Congestion control.
    #[serde(default)]
    pub cc: CcSpec,
    /// TCP hosts.
    #[serde(default)]
    pub tcp: TcpSpec,
    /// Telemetry and traffic classes.
    #[serde(default)]
    pub telemetry: TelemetrySpec,
    /// Circuits between racks.
    #[serde(default)]
    pub circuits: Option<CircuitSpec>,
    /// Agents of HCC.
    #[serde(default)]
    pub hcc: Option<HccSpec>,
    /// Traffic, added up.
    #[serde(default, deserialize_with = "traffic::list")]
    pub traffic: Vec<TrafficSpec>,
    /// How long, and what is observed.
    pub run: RunSpec,
    /// Runs to compare; none: one run.
    #[serde(default, skip_serializing)]
    pub variant: Vec<Variant>,
    /// Changes that make it full size.
    #[serde(default, skip_serializing)]
    pub full: Table,
}

/// Congestion control of a scenario: what every law has, beside the keys of the law itself.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default)]
pub struct CcSpec {
    /// `T`, ns; `auto`: the largest base round trip of the pairs of hosts that talk.
    pub t_ns: BaseRtt,
    /// Smallest rate, Mb/s.
    pub min_rate_mbps: Option<u64>,
    /// `rusthdl` or `verilated`: how the RTL runs at `cc-rtl`.
    pub driver: Driver,
    /// A window takes effect this long after its acknowledgement, ns.
    pub latency_ns: Option<u64>,
    /// HPCC at fidelity `fixed` only: another precision than the hardware's.
    pub precision: Option<PrecisionSpec>,
    /// Parameters of the law.
    #[serde(flatten)]
    pub law: Table,
}

/// Precision of the fixed-point law; what is not given is the hardware's.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct PrecisionSpec {
    /// Fraction bits of `U / eta` and of `tau / T`, 1 to 34.
    pub fraction_bits: u32,
    /// Fraction bits of windows, -12 (units of 4096 bytes) to 11.
    pub window_bits: i32,
    /// Entries of the table of 1/n, a power of two up to 4096.
    pub table_entries: u32,
    /// The table is interpolated.
    pub interpolated: bool,
}

impl Default for PrecisionSpec {
    fn default() -> Self {
        let hardware = Precision::HARDWARE;
        Self {
            fraction_bits: hardware.utilisation,
            window_bits: hardware.window,
            table_entries: hardware.entries,
            interpolated: hardware.interpolated,
        }
    }
}

impl From<PrecisionSpec> for Precision {
    fn from(spec: PrecisionSpec) -> Self {
        Self {
            utilisation: spec.fraction_bits,
            window: spec.window_bits,
            entries: spec.table_entries,
            interpolated: spec.interpolated,
        }
    }
}

impl Default for CcSpec {
    fn default() -> Self {
        Self {
            t_ns: BaseRtt::Auto,
            min_rate_mbps: None,
            driver: Driver::Rusthdl,
            latency_ns: None,
            precision: None,
            law: Table::new(),
        }
    }
}

/// Length and observation of a run.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// Ends here at the latest, us; earlier when all flows are over.
    pub stop_us: f64,
    /// `drain`: all flows must be over by then. `at`: the run ends there, and what is unfinished is counted.
    #[serde(default)]
    pub end: EndSpec,
    /// What completion times are compared with: `exact` (the message alone on its own path, without telemetry) or `ns3` (that simulator's formula).
    #[serde(default)]
    pub ideal: IdealSpec,
    /// Runs of each variant: with the scenario's seed and the ones after it, each for all variants, so that they see the same arrivals.
    #[serde(default = "one")]
    pub seeds: u64,
    /// Flows that start before this are left out of every number (not of `flows.csv`), us.
    #[serde(default)]
    pub warm_up_us: f64,
    /// Edges of the buckets of message sizes, bytes, ascending; none: 3000, 10 000, 100 000, 1 000 000, 10 000 000.
    #[serde(default)]
    pub size_edges: Vec<u64>,
    /// Between samples, ns.
    #[serde(default = "thousand")]
    pub sample_ns: u64,
    /// Samples start, us.
    #[serde(default)]
    pub sample_from_us: f64,
    /// Every n-th sample goes into the series.
    #[serde(default = "every")]
    pub series_every: u32,
    /// Flows with a number below this have series.
    #[serde(default = "series_flows")]
    pub flow_series: u32,
    /// Interval of the meters of ports and flows (`ports.csv`, `goodput.csv`), us; 0: none.
    #[serde(default)]
    pub meter_us: f64,
    /// Queue lengths as series too.
    #[serde(default = "yes")]
    pub queue_series: bool,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndSpec {
    /// All flows are over.
    #[default]
    Drain,
    /// At `stop_us`.
    At,
}

/// What completion times are compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdealSpec {
    /// The exact time of the message alone.
    #[default]
    Exact,
    /// The formula of the authors' simulator.
    Ns3,
}

impl From<IdealSpec> for IdealRule {
    fn from(spec: IdealSpec) -> Self {
        match spec {
            IdealSpec::Exact => Self::Exact,
            IdealSpec::Ns3 => Self::Ns3,
        }
    }
}

/// One of the runs that a scenario compares.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Label in figures and name of the folder.
    pub label: String,
    /// Changes by dotted path.
    #[serde(default)]
    pub set: Table,
    /// Lists of values by dotted path: one run for each combination, its values added to the label.
    #[serde(default)]
    pub grid: Table,
}

impl Scenario {
    /// Files that the scenario names, if they are files: topology, flow sizes, flows.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let of_traffic = self.traffic.iter().filter_map(|traffic| match traffic {
            TrafficSpec::Poisson { sizes, .. } | TrafficSpec::PoissonBetween { sizes, .. } => Some(sizes.as_str()),
            TrafficSpec::File { path } => Some(path.as_str()),
            _ => None,
        });
        [self.network.topology.as_str()].into_iter().chain(of_traffic)
    }
}

fn hpcc() -> String {
    "hpcc".into()
}
fn one() -> u64 {
    1
}
fn thousand() -> u64 {
    1000
}
fn every() -> u32 {
    1
}
fn series_flows() -> u32 {
    64
}
fn yes() -> bool {
    true
}
