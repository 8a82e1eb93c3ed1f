//! `run`: one scenario, or topology and flow files in the ns-3 simulator's formats.

use std::path::PathBuf;

use hpcc_models::net::ns3::{read_flows, read_topology, Ns3Config, Ns3Flow};
use hpcc_models::net::SamplePlan;

use super::{say, Failure};
use crate::plan::laws::{LawKind, LawSpec};
use crate::plan::provenance::{identity, InputFile};
use crate::plan::{failures, Fidelity, Job, Run};
use crate::scenario::figures::{analyse, Analysis};
use crate::scenario::output::{write_run, OutDir};
use crate::scenario::runner::run_all_saving;
use crate::scenario::spec::{parse_set, placed, plan, Overrides, Planned};
use crate::scenario::traffic::read_text;
use crate::scenario::{builtin, ns3, tcp_files, whole_nics};
use crate::summary;

/// Simulate a network: a built-in scenario, a scenario file, or ns-3 topology and flow files
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Built-in scenario (see `scenarios`) or scenario file (TOML)
    #[arg(required_unless_present = "topology", conflicts_with_all = ["topology", "flows", "ns3_config"])]
    pub name: Option<String>,
    /// Topology file in the ns-3 HPCC simulator's format
    #[arg(long, requires = "flows")]
    topology: Option<String>,
    /// Flow file in the same simulator's format
    #[arg(long, requires = "topology")]
    flows: Option<String>,
    /// That simulator's configuration file: its framing, parameters and rules are used
    #[arg(long, requires = "topology")]
    ns3_config: Option<String>,
    /// Law in place of the scenario's: hpcc, hpcc-per-ack, hpcc-per-rtt, hpcc-rxrate, hpcc-alpha1, dcqcn, dcqcn+win, timely, timely+win, dctcp,
    /// powertcp, theta-powertcp; with HOMA hosts: homa; with TCP hosts: newreno, linuxreno, cubic, dctcp-tcp, hpcc-probes. Beside an ns-3 configuration the law takes the
    /// parameters that the file has for it
    #[arg(long, value_name = "LAW")]
    pub cc: Option<String>,
    /// How deep the sender is simulated
    #[arg(long, value_enum)]
    pub fidelity: Option<Fidelity>,
    /// Folder for results
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Seed of traffic, marking and loss
    #[arg(long)]
    pub seed: Option<u64>,
    /// Change one value of the scenario, such as cc.w_ai=25 or traffic.0.bytes=1000
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Full size instead of the version that runs in seconds
    #[arg(long)]
    pub full: bool,
    /// Also write one self-contained page, report.html
    #[arg(long)]
    pub html: bool,
    /// Runs at a time (default: the machine's cores)
    #[arg(long, value_name = "N", conflicts_with = "topology", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

/// What is to be run, and how it is called.
struct Plan {
    name: String,
    title: String,
    figure: Option<String>,
    jobs: Vec<Job>,
}

impl Args {
    /// Runs it and writes the results.
    pub fn run(self) -> Result<(), Failure> {
        let plan = if self.topology.is_some() {
            self.ns3_plan()
        } else {
            self.scenario_plan()
        };
        let plan = plan.map_err(Failure::Input)?;
        let fit = plan.jobs.iter().try_for_each(whole_nics::check);
        fit.map_err(|error| Failure::Input(format!("{}: {error}", plan.name)))?;
        let path = self
            .out
            .clone()
            .unwrap_or_else(|| PathBuf::from("out").join(&plan.name));
        let dir = OutDir::create(&path).map_err(Failure::Input)?;
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let threads = self.threads.map_or(cores, usize::from);
        let runs = run_all_saving(&plan.jobs, threads, |run| write_labelled(&dir, run)).map_err(Failure::Input)?;
        let analysis = analyse(&plan.name, &plan.title, plan.figure.as_deref(), &runs).map_err(Failure::Input)?;
        write_results(&dir, &plan, &runs, &analysis, self.html).map_err(Failure::Input)?;
        say(&summary::screen(&plan.title, &runs, &analysis, &path))?;
        failures(&analysis.findings).map_or(Ok(()), |text| Err(Failure::Check(text)))
    }

    fn scenario_plan(&self) -> Result<Plan, String> {
        let name = self.name.as_deref().unwrap_or_default();
        let (file, text) = match builtin::find(name) {
            Some(found) => (format!("scenario {name}"), found.text.to_string()),
            None if name.ends_with(".toml") => (name.to_string(), read_text(name)?),
            None => {
                return Err(format!(
                    "scenario `{name}`: expected a name from `{} scenarios` or a .toml file",
                    identity().name
                ))
            }
        };
        let set = self
            .set
            .iter()
            .map(|s| parse_set(s).map_err(|e| format!("--set: {e}")))
            .collect::<Result<_, _>>()?;
        let overrides = Overrides {
            law: self.cc.clone(),
            fidelity: self.fidelity,
            seed: self.seed,
            set,
            full: self.full,
            no_variants: false,
            axes: false,
        };
        let planned = plan(&file, &text, &overrides)?;
        let stays = |p: &&Planned| self.fidelity.is_some_and(|f| f != p.scenario.fidelity);
        let golden: Vec<&str> = planned
            .iter()
            .filter(stays)
            .filter_map(|p| p.label.as_deref())
            .collect();
        if !golden.is_empty() {
            eprintln!(
                "note: not at the fidelity asked for, but at their own: {}",
                golden.join(", ")
            );
        }
        let jobs = planned
            .iter()
            .map(|p| Job::new(p).map_err(|fault| placed(&file, &text, &overrides, p, &fault)))
            .collect::<Result<_, _>>()?;
        let first = &planned[0].scenario;
        // The figure's analysis compares the scenario's own laws.
        let figure = if self.cc.is_some() { None } else { first.figure.clone() };
        Ok(Plan {
            name: first.name.clone(),
            title: first.title.clone(),
            figure,
            jobs,
        })
    }

    fn ns3_plan(&self) -> Result<Plan, String> {
        let topology_file = self.topology.as_deref().unwrap_or_default();
        let flow_file = self.flows.as_deref().unwrap_or_default();
        if self.full {
            return Err("--full: expected a scenario, not --topology".into());
        }
        let law = self.cc.as_deref().map(LawSpec::named).transpose()?;
        if let (
            Some(
                law @ LawSpec {
                    kind: LawKind::Tcp(_), ..
                },
            ),
            None,
        ) = (law, &self.ns3_config)
        {
            if self.fidelity.unwrap_or_default() != Fidelity::Golden {
                return Err(format!("--fidelity: expected golden with {}", law.name));
            }
            let job = tcp_files::job(topology_file, flow_file, law, self.seed.unwrap_or(1), &self.set)?;
            return Ok(Plan {
                title: format!("{topology_file}, {flow_file}"),
                name: job.name.clone(),
                figure: None,
                jobs: vec![job],
            });
        }
        if !self.set.is_empty() {
            return Err("--set: expected a scenario, or TCP hosts, not --topology with a law of a slot".into());
        }
        let mut topology = read_topology(topology_file, &read_text(topology_file)?).map_err(|e| e.to_string())?;
        let file = read_flows(flow_file, &read_text(flow_file)?, &topology).map_err(|e| e.to_string())?;
        file.warnings.iter().for_each(|w| eprintln!("warning: {w}"));
        let flows = file.flows;
        let profile = match &self.ns3_config {
            Some(file) => Some(Ns3Config::read(file, &read_text(file)?).map_err(|e| e.to_string())?),
            None => None,
        };
        let link_change = match (&profile, &self.ns3_config) {
            (Some(profile), Some(file)) => {
                let change = profile.link_down.change(file, &topology);
                change.map_err(|e| e.to_string())?
            }
            _ => None,
        };
        let fidelity = self.fidelity.unwrap_or_default();
        let (mut law, mut config, stop_ps, monitor) = match &profile {
            Some(profile) => {
                profile.warnings.iter().for_each(|w| eprintln!("warning: {w}"));
                ns3::apply_error_rate(&mut topology, profile);
                let monitor = ns3::monitor(profile);
                (ns3::law(profile)?, profile.network(), profile.stop_ps, monitor)
            }
            None => {
                let law = LawSpec::named(self.cc.as_deref().unwrap_or("hpcc"))?;
                let last = flows.iter().map(|f| f.spec().start_ps).max().unwrap_or(0);
                let config = ns3::own_rules(&law, fidelity)?;
                (law, config, last + 1_000_000_000_000, (0, u64::MAX))
            }
        };
        if let (Some(name), Some(profile)) = (&self.cc, &profile) {
            let notes;
            (law, notes) = ns3::replace_law(name, profile, &mut config)?;
            notes.iter().for_each(|note| eprintln!("warning: {note}"));
        }
        config.seed = self.seed.unwrap_or(1);
        // The PowerTCP authors' simulator is a newer one, which starts a flow at the nanosecond that its file says.
        let rounded = profile.is_some() && matches!(law.kind, LawKind::PowerTcp | LawKind::Theta);
        let spec = |f: &Ns3Flow| if rounded { f.spec_rounded() } else { f.spec() };
        let specs: Vec<_> = flows.iter().map(spec).collect();
        let first = specs.iter().map(|f| f.start_ps).min().unwrap_or(0);
        // As that simulator counts: traffic starts at 2 s, results count from there.
        let origin_ps = if profile.is_some() { monitor.0.min(first) } else { first };
        let small = topology.nodes() < 256;
        let name = std::path::Path::new(flow_file)
            .file_stem()
            .map_or("ns3".into(), |s| s.to_string_lossy().into_owned());
        let job = Job {
            name: name.clone(),
            label: None,
            law,
            fidelity,
            seed: config.seed,
            resolved: serde_json::json!({
                "topology": topology_file,
                "flows": flow_file,
                "ns3_config": profile.as_ref().map(|p| format!("{p:?}")),
            }),
            inputs: [Some(topology_file), Some(flow_file), self.ns3_config.as_deref()]
                .into_iter()
                .flatten()
                .filter_map(InputFile::of)
                .collect(),
            link_changes: link_change.into_iter().collect(),
            plan: SamplePlan {
                start_ps: monitor.0.max(origin_ps),
                interval_ps: 1_000_000,
                meter_ps: 0,
                end_ps: monitor.1,
                queue_series: small,
                flow_series: if specs.len() <= 64 { 64 } else { 16 },
                series_every: 1,
            },
            topology,
            flows: specs,
            config,
            loops: Vec::new(),
            arrival_drops: Vec::new(),
            hcc: None,
            stop_ps,
            origin_ps,
        };
        Ok(Plan {
            title: format!("{topology_file}, {flow_file}"),
            name,
            figure: None,
            jobs: vec![job],
        })
    }
}

/// Each variant's files, as soon as its run is over.
fn write_labelled(dir: &OutDir, run: &Run) -> Result<(), String> {
    let Some(label) = &run.job.label else { return Ok(()) };
    write_run(&dir.sub(label)?, run, &[])
}

/// What needs all runs.
fn write_results(dir: &OutDir, plan: &Plan, runs: &[Run], analysis: &Analysis, html: bool) -> Result<(), String> {
    // The findings compare runs; they stand in the summaries of the first, which is the scenario's own.
    if let Some(first) = runs.first() {
        write_run(dir, first, &analysis.findings)?;
        if let Some(label) = &first.job.label {
            write_run(&dir.sub(label)?, first, &analysis.findings)?;
        }
    }
    for figure in &analysis.figures {
        dir.write(&format!("{}.svg", figure.name), figure.svg()?.as_bytes())?;
        figure.png(&dir.path().join(format!("{}.png", figure.name)))?;
    }
    if html {
        dir.write("report.html", summary::page(&plan.title, runs, analysis)?.as_bytes())?;
    }
    Ok(())
}
