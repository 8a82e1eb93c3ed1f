//! TCP hosts on topology and flow files: the job of `run --topology T --flows F --cc cubic`.

use std::path::Path;

use hpcc_models::net::ns3::{read_flow_table, read_topology};
use hpcc_models::net::tcp::TcpLaw;
use hpcc_models::net::{Config, IdealRule, SamplePlan};
use serde_json::json;
use toml::{Table, Value};

use super::spec::{parse_set, TcpRunSpec};
use super::tcp;
use super::traffic::read_text;
use crate::plan::laws::{LawKind, LawSpec};
use crate::plan::provenance::InputFile;
use crate::plan::{Fidelity, Job};
use crate::toml_error::table_error;

/// A run ends this long after its last flow has started, ps; earlier when all have ended.
const LONGEST_PS: u64 = 100_000_000_000_000;
/// Between samples of queues, ps.
const SAMPLE_PS: u64 = 10_000_000;
/// Interval of the meters, ps.
const METER_PS: u64 = 1_000_000_000;

/// Reads the files and makes the job. `set` holds `--set` of the command line: keys `tcp.*`, `network.queue_packets` and
/// `network.mark_packets`.
pub fn job(topology_file: &str, flow_file: &str, law: LawSpec, seed: u64, set: &[String]) -> Result<Job, String> {
    let LawKind::Tcp(own) = law.kind else {
        return Err(format!("--cc: expected a TCP law, got {}", law.name));
    };
    if own == TcpLaw::Commanded {
        return Err("--cc hcc: expected a scenario with a table [hcc], not --topology".into());
    }
    if own == TcpLaw::ReTcp {
        return Err("--cc retcp: expected a scenario with a table [circuits], not --topology".into());
    }
    if own == TcpLaw::HpccProbes {
        return Err("--cc hpcc-probes: expected a scenario, whose cc.t_ns is HPCC's, not --topology".into());
    }
    let topology = read_topology(topology_file, &read_text(topology_file)?).map_err(|e| e.to_string())?;
    let read = read_flow_table(flow_file, &read_text(flow_file)?, &topology).map_err(|e| e.to_string())?;
    read.warnings.iter().for_each(|w| eprintln!("warning: {w}"));
    let flows = read.flows;
    let spec = run_spec(set)?;
    tcp::only_for_another_law(&spec.tcp, spec.network, own)?;
    let mut config = Config::paper(0, false);
    config.ideal = IdealRule::Ns3;
    config.seed = seed;
    tcp::all(&mut config, &spec.tcp, spec.network, own)?;
    let arrival_drops = tcp::arrival_drops(&spec.tcp, &topology)?;
    let first = flows.iter().map(|f| f.start_ps).min().unwrap_or(0);
    let last = flows.iter().map(|f| f.start_ps).max().unwrap_or(0);
    let stem = Path::new(flow_file).file_stem();
    Ok(Job {
        name: stem.map_or("tcp".into(), |s| s.to_string_lossy().into_owned()),
        label: None,
        law,
        fidelity: Fidelity::Golden,
        seed,
        resolved: json!({"topology": topology_file, "flows": flow_file, "set": set}),
        inputs: [topology_file, flow_file]
            .into_iter()
            .filter_map(InputFile::of)
            .collect(),
        plan: SamplePlan {
            start_ps: first,
            interval_ps: SAMPLE_PS,
            meter_ps: METER_PS,
            end_ps: u64::MAX,
            queue_series: topology.nodes() < 256,
            flow_series: if flows.len() <= 64 { 64 } else { 16 },
            series_every: 1,
        },
        topology,
        flows,
        config,
        link_changes: Vec::new(),
        loops: Vec::new(),
        arrival_drops,
        hcc: None,
        stop_ps: last + LONGEST_PS,
        origin_ps: first,
    })
}

/// `--set key=value` by dotted path.
fn run_spec(set: &[String]) -> Result<TcpRunSpec, String> {
    let mut table = Table::new();
    for text in set {
        let (key, value) = parse_set(text).map_err(|e| format!("--set: {e}"))?;
        let expected = || format!("--set {key}: expected tcp.KEY, network.queue_packets or network.mark_packets");
        let (room, name) = key.split_once('.').ok_or_else(expected)?;
        let inner = table.entry(room).or_insert_with(|| Value::Table(Table::new()));
        let before = inner.as_table_mut().ok_or_else(expected)?.insert(name.into(), value);
        if before.is_some() {
            return Err(format!("--set {key}: expected once"));
        }
    }
    table.try_into().map_err(|error| table_error("--set", &error))
}
