//! Co-simulation on synthetic traces: what recordings lack (wraps, five hops, mixed speeds, 64 senders, other parameters).

use hpcc_models::cc::synthetic::{settings, Synthetic};
use hpcc_testbench::cosim::rtl::Simulator;
use hpcc_testbench::cosim::{report, Cosim, Options};
use std::path::Path;

/// Free-running bounds of the fixed-point law: mean and 99th percentile of the relative error of `W`.
const MEAN: f64 = 1e-3;
const P99: f64 = 5e-3;

/// Runs one setting and checks every pair of models.
fn check(name: &str, setting: &Synthetic, options: &Options) {
    let cosim = Cosim::run(setting.trace().unwrap(), options).unwrap();
    let table = report::table(&cosim, Path::new(name));
    println!("{table}");
    assert_eq!(report::failed(&cosim, None), None, "{table}");
    // what `--out` calls golden is the trace's own law, queues above 16 bits included
    for (seen, row) in cosim.runs[0].seen.iter().zip(&cosim.rows) {
        assert_eq!(
            seen.map(|seen| (seen.u, seen.w)),
            Some((row.recorded.u, row.recorded.w))
        );
    }
    for comparison in &cosim.comparisons {
        let exact = comparison.model == "golden";
        let (mean, p99) = if exact { (0.0, 0.0) } else { (MEAN, P99) };
        assert!(comparison.w.mean <= mean && comparison.w.p99 <= p99, "{table}");
    }
}

#[test]
fn models_agree_on_every_setting() {
    for (name, setting) in settings() {
        let setting = Synthetic { rows: 600, ..setting };
        check(name, &setting, &Options::default());
    }
}

/// Longer, with the emitted Verilog in the place of RustHDL and other stalls.
#[test]
fn verilated_module_agrees_too() {
    for (name, setting) in settings() {
        let options = Options {
            seed: 7,
            simulator: Simulator::Verilated,
            ..Options::default()
        };
        check(name, &setting, &options);
    }
}
