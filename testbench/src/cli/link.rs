//! `run link`: two NICs on a wire.

use crate::nic::device::Wave;
use crate::nic::link::{self, LinkOutcome};
use crate::nic::link_config::{LinkOperation, LinkSpec};
use crate::nic::link_provenance::table_summary;
use crate::nic::link_report::{findings, screen, table, table_csv, write, TableRow};
use crate::nic::{DeviceError, ModelNic, RtlNic};
use crate::verilated::Model;
use hpcc_models::nic::LinkConfig;
use hpcc_sim::cli::{progress, say, Failure};
use hpcc_sim::plan::provenance::Stopwatch;
use hpcc_sim::plan::Fidelity;
use hpcc_sim::scenario::output::OutDir;
use std::path::Path;

/// Name of the scenario.
pub const NAME: &str = "link";
/// Path MTUs of the table.
const MTUS: [u32; 5] = [256, 512, 1024, 2048, 4096];

fn simulate(spec: &LinkSpec, fidelity: Fidelity) -> Result<LinkOutcome, DeviceError> {
    let bar = progress("work requests");
    let outcome = match fidelity {
        Fidelity::NicRtl => link::run::<RtlNic<Model>>(spec, &bar),
        _ => link::run::<ModelNic>(spec, &bar),
    };
    bar.finish_and_clear();
    outcome
}

/// Runs the scenario with `key=value` settings and, if wanted, waveforms.
pub fn run(set: &[String], fidelity: Option<Fidelity>, out: &Path, vcd: Option<Wave>) -> Result<(), Failure> {
    let mut spec = LinkSpec::parse(set).map_err(|error| Failure::Input(format!("--set: {error}")))?;
    if vcd.is_some() && spec.table {
        return Err(Failure::Input("--vcd: expected table=off beside it".into()));
    }
    spec.vcd = vcd;
    let fidelity = match fidelity.unwrap_or(Fidelity::NicRtl) {
        known @ (Fidelity::Golden | Fidelity::NicRtl) => known,
        other => {
            let error = format!("--fidelity: expected golden or nic-rtl for link, got {}", other.name());
            return Err(Failure::Input(error));
        }
    };
    if spec.op.has_queues() && fidelity != Fidelity::Golden {
        let error = format!(
            "--fidelity: expected golden beside op={}: the hardware has no queues with receives",
            spec.op.name()
        );
        return Err(Failure::Input(error));
    }
    let dir = OutDir::create(out).map_err(Failure::Input)?;
    if spec.table {
        return run_table(&spec, fidelity, &dir);
    }
    let outcome = simulate(&spec, fidelity).map_err(Failure::input)?;
    let findings = findings(&spec, &outcome);
    write(&dir, &spec, &outcome, &findings, fidelity.name()).map_err(Failure::Input)?;
    say(&screen(&spec, &outcome, &findings, fidelity.name(), &dir))?;
    match findings.iter().find(|finding| !finding.passed()) {
        None => Ok(()),
        Some(failed) => Err(Failure::Check(format!("{}: {}", failed.name, failed.detail()))),
    }
}

/// Every MTU, one way and both ways, on the ideal wire.
fn run_table(spec: &LinkSpec, fidelity: Fidelity, dir: &OutDir) -> Result<(), Failure> {
    let (one_way, both_ways) = match spec.op {
        LinkOperation::Send | LinkOperation::BidirectionalSend => {
            (LinkOperation::Send, LinkOperation::BidirectionalSend)
        }
        LinkOperation::Write | LinkOperation::Bidirectional => (LinkOperation::Write, LinkOperation::Bidirectional),
        LinkOperation::Read | LinkOperation::BidirectionalRead => {
            (LinkOperation::Read, LinkOperation::BidirectionalRead)
        }
    };
    let watch = Stopwatch::start();
    let mut rows = Vec::new();
    for mtu in MTUS {
        let case = |op| LinkSpec {
            link: LinkConfig {
                delay_ns: spec.link.delay_ns,
                rate_gbps: spec.link.rate_gbps,
                ..LinkConfig::default()
            },
            mtu,
            op,
            pcap: false,
            ..spec.clone()
        };
        let (a, b) = (case(one_way), case(both_ways));
        let first = simulate(&a, fidelity).map_err(Failure::input)?;
        let second = simulate(&b, fidelity).map_err(Failure::input)?;
        for (case, outcome) in [(&a, &first), (&b, &second)] {
            let failed = findings(case, outcome)
                .into_iter()
                .find(|finding| !finding.passed() && finding.name != "throughput");
            if let Some(failed) = failed {
                let error = format!("MTU {mtu}, {}: {}: {}", case.op.name(), failed.name, failed.detail());
                return Err(Failure::Check(error));
            }
        }
        rows.push(TableRow::new(mtu, (&a, &first), (&b, &second)));
    }
    dir.write("table.csv", table_csv(&rows).as_bytes())
        .map_err(Failure::Input)?;
    let summary = table_summary(spec, fidelity.name(), &watch);
    dir.write("summary.json", summary.as_bytes()).map_err(Failure::Input)?;
    say(&table(&rows, one_way, spec.int, fidelity.name()))
}
