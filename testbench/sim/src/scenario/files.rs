//! Topology and flow files without a configuration of the authors' simulator: a scenario of two files, every key of which can be set.

use std::path::Path;

use hpcc_models::net::ns3::read_flow_table;
use toml::{Table, Value};

use super::spec::{placed, plan, Overrides};
use super::traffic::{read_text, read_topology_file};
use crate::plan::laws::{LawKind, LawSpec};
use crate::plan::Job;

/// A run ends this long after its last flow has started unless `run.stop_us` says otherwise, us; earlier when all have ended.
const LONGEST_US: f64 = 1e6;
/// The same with TCP hosts, whose timeouts are longer.
const LONGEST_TCP_US: f64 = 1e8;
/// Latest end of a scenario, us.
const LATEST_US: f64 = 1e8;

/// The job of two files and what the command line changes.
pub fn job(topology_file: &str, flow_file: &str, overrides: &Overrides) -> Result<Job, String> {
    let law = LawSpec::named(overrides.law.as_deref().unwrap_or("hpcc"))?;
    let topology = read_topology_file(topology_file)?;
    let flows = read_flow_table(flow_file, &read_text(flow_file)?, &topology)
        .map_err(|e| e.to_string())?
        .flows;
    let first = flows.iter().map(|f| f.start_ps).min().unwrap_or(0);
    let last = flows.iter().map(|f| f.start_ps).max().unwrap_or(0);
    let tcp = matches!(law.kind, LawKind::Tcp(_));
    let longest = if tcp { LONGEST_TCP_US } else { LONGEST_US };
    // A name alone would be one of a built-in shape.
    let here = Path::new(topology_file).parent() == Some(Path::new(""));
    let topology_path = if here {
        format!("./{topology_file}")
    } else {
        topology_file.into()
    };
    let mut network = table([("topology", Value::from(topology_path))]);
    let mut run = table([
        ("stop_us", Value::from((last as f64 / 1e6 + longest).min(LATEST_US))),
        ("sample_from_us", Value::from(first as f64 / 1e6)),
        ("queue_series", Value::from(topology.nodes() < 256)),
        ("flow_series", Value::from(if flows.len() <= 64 { 64 } else { 16 })),
    ]);
    if tcp {
        network.insert("flow_control".into(), "drop-tail".into());
        run.insert("sample_ns".into(), Value::from(10_000));
        run.insert("meter_us".into(), Value::from(1000));
    }
    let stem = Path::new(flow_file).file_stem();
    let traffic = table([("kind", Value::from("file")), ("path", Value::from(flow_file))]);
    let scenario = table([
        (
            "name",
            stem.map_or("files".into(), |s| s.to_string_lossy()).as_ref().into(),
        ),
        ("title", format!("{topology_file}, {flow_file}").into()),
        ("law", law.name.as_str().into()),
        ("network", network.into()),
        ("traffic", vec![Value::from(traffic)].into()),
        ("run", run.into()),
    ]);
    let name = "--topology";
    let text = scenario.to_string();
    let planned = plan(name, &text, overrides)?.remove(0);
    let job = Job::new(&planned).map_err(|fault| placed(name, &text, overrides, &planned, &fault));
    // Times count from the first flow: files of that simulator start at 2 s.
    job.map(|job| Job {
        origin_ps: first,
        ..job
    })
}

fn table<const N: usize>(entries: [(&str, Value); N]) -> Table {
    entries.into_iter().map(|(key, value)| (key.into(), value)).collect()
}
