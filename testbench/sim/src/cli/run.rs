//! `run`: one scenario, or topology and flow files in the ns-3 simulator's formats.

use std::collections::BTreeSet;
use std::path::PathBuf;

use hpcc_models::net::ns3::{is_table, read_flows, Ns3Config, Ns3Flow};
use hpcc_models::net::SamplePlan;

use super::{say, Failure};
use crate::names::did_you_mean;
use crate::plan::laws::LawKind;
use crate::plan::provenance::{identity, InputFile};
use crate::plan::{failures, Fidelity, Job, NumbersPlan, Run};
use crate::scenario::figures::{analyse, Analysis};
use crate::scenario::output::{write_run, write_runs, OutDir};
use crate::scenario::runner::run_all_saving;
use crate::scenario::spec::{parse_set, placed, plan, Overrides, Planned};
use crate::scenario::traffic::{read_flow_file, read_text, read_topology_file};
use crate::scenario::{builtin, files, ns3, whole_nics};
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
    /// powertcp, theta-powertcp, none (line rate, no window); with HOMA hosts: homa; with TCP hosts: newreno, linuxreno, cubic, dctcp-tcp, hpcc-probes. Beside an ns-3 configuration the law takes the
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
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
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
            self.files_plan()
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
        let notes: BTreeSet<String> = plan.jobs.iter().filter_map(Job::warning_of_t).collect();
        notes.iter().for_each(|note| eprintln!("{note}"));
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
                let near = did_you_mean(name, builtin::BUILTIN.iter().map(|found| found.name));
                return Err(format!(
                    "scenario `{name}`: expected a name from `{} scenarios` or a .toml file{near}",
                    identity().name
                ));
            }
        };
        let overrides = self.overrides()?;
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

    /// What the command line changes.
    fn overrides(&self) -> Result<Overrides, String> {
        let set = self.set.iter().map(|s| parse_set(s).map_err(|e| format!("--set: {e}")));
        Ok(Overrides {
            law: self.cc.clone(),
            fidelity: self.fidelity,
            seed: self.seed,
            set: set.collect::<Result<_, _>>()?,
            full: self.full,
            no_variants: false,
            axes: false,
        })
    }

    /// Topology and flow files, with that simulator's configuration or without.
    fn files_plan(&self) -> Result<Plan, String> {
        if self.full {
            return Err("--full: expected a scenario, not --topology".into());
        }
        let topology_file = self.topology.as_deref().unwrap_or_default();
        let flow_file = self.flows.as_deref().unwrap_or_default();
        let job = match &self.ns3_config {
            Some(config_file) => self.ns3_job(topology_file, flow_file, config_file)?,
            None => files::job(topology_file, flow_file, &self.overrides()?)?,
        };
        Ok(Plan {
            title: format!("{topology_file}, {flow_file}"),
            name: job.name.clone(),
            figure: None,
            jobs: vec![job],
        })
    }

    fn ns3_job(&self, topology_file: &str, flow_file: &str, config_file: &str) -> Result<Job, String> {
        if let Some(set) = self.set.first() {
            return Err(format!(
                "--set {set}: expected a key of {config_file}, whose simulator's profile has no keys of scenarios"
            ));
        }
        let mut topology = read_topology_file(topology_file)?;
        let text = read_text(flow_file)?;
        let profile = Ns3Config::read(config_file, &read_text(config_file)?).map_err(|e| e.to_string())?;
        let link_change = profile
            .link_down
            .change(config_file, &topology)
            .map_err(|e| e.to_string())?;
        profile.warnings.iter().for_each(|w| eprintln!("warning: {w}"));
        ns3::apply_error_rate(&mut topology, &profile);
        let (mut law, mut config) = (ns3::law(&profile)?, profile.network());
        let monitor = ns3::monitor(&profile);
        if let Some(name) = &self.cc {
            let notes;
            (law, notes) = ns3::replace_law(name, &profile, &mut config)?;
            notes.iter().for_each(|note| eprintln!("warning: {note}"));
        }
        config.seed = self.seed.unwrap_or(1);
        // The PowerTCP authors' simulator is a newer one, which starts a flow at the nanosecond that its file says.
        let rounded = matches!(law.kind, LawKind::PowerTcp | LawKind::Theta);
        let specs = if is_table(&text) {
            read_flow_file(flow_file, &topology)?
        } else {
            let file = read_flows(flow_file, &text, &topology).map_err(|e| e.to_string())?;
            file.warnings.iter().for_each(|w| eprintln!("warning: {w}"));
            let spec = |f: &Ns3Flow| if rounded { f.spec_rounded() } else { f.spec() };
            file.flows.iter().map(spec).collect()
        };
        let first = specs.iter().map(|f| f.start_ps).min().unwrap_or(0);
        // As that simulator counts: traffic starts at 2 s, results count from there.
        let origin_ps = monitor.0.min(first);
        let small = topology.nodes() < 256;
        let name = std::path::Path::new(flow_file)
            .file_stem()
            .map_or("ns3".into(), |s| s.to_string_lossy().into_owned());
        Ok(Job {
            name,
            label: None,
            law,
            fidelity: self.fidelity.unwrap_or_default(),
            seed: config.seed,
            resolved: serde_json::json!({
                "topology": topology_file,
                "flows": flow_file,
                "ns3_config": format!("{profile:?}"),
            }),
            inputs: [topology_file, flow_file, config_file]
                .into_iter()
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
            start_rules: Vec::new(),
            collectives: Vec::new(),
            arrival_drops: Vec::new(),
            hcc: None,
            stop_ps: profile.stop_ps,
            origin_ps,
            t_of_network: false,
            drains: true,
            watches_on: true,
            numbers: NumbersPlan::default(),
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
    match runs.first().map(|first| (first, &first.job.label)) {
        Some((first, Some(label))) => {
            write_runs(dir, runs, &analysis.findings)?;
            write_run(&dir.sub(label)?, first, &analysis.findings)?;
        }
        Some((first, None)) => write_run(dir, first, &analysis.findings)?,
        None => {}
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
