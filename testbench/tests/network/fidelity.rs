//! `fixed` and `cc-rtl` give the same bytes; golden differs from fixed by less than another seed does.

use hpcc_testbench::plan::Fidelity;
use hpcc_testbench::plan::{Job, Run};
use hpcc_testbench::scenario::builtin::find;
use hpcc_testbench::scenario::output::{flows_csv, queues_csv, rates_csv};
use hpcc_testbench::scenario::runner::run_all;
use hpcc_testbench::scenario::spec::{parse_set, plan, Overrides};

fn run(name: &str, fidelity: Fidelity, seed: u64, set: &[&str]) -> Run {
    let set = set.iter().map(|s| parse_set(s).unwrap()).collect();
    let overrides = Overrides {
        fidelity: Some(fidelity),
        seed: Some(seed),
        set,
        law: Some("hpcc".into()),
        ..Overrides::default()
    };
    let planned = plan(name, find(name).unwrap().text, &overrides).unwrap();
    let job = Job::new(&planned[0]).unwrap();
    run_all(&[job], 1).unwrap().remove(0)
}

fn files(run: &Run) -> [String; 3] {
    [flows_csv, queues_csv, rates_csv].map(|write| write(&run.outcome))
}

fn assert_same(a: &Run, b: &Run) {
    for (what, (a, b)) in ["flows.csv", "queues.csv", "rates.csv"]
        .iter()
        .zip(files(a).iter().zip(&files(b)))
    {
        let differing = a.lines().zip(b.lines()).position(|(a, b)| a != b);
        assert!(
            a == b,
            "{what}: first difference in line {:?}",
            differing.map(|l| l + 1)
        );
    }
}

#[test]
fn rtl_and_fixed_point_give_the_same_bytes() {
    let set = ["traffic.0.bytes=60000", "run.sample_ns=200"];
    let fixed = run("incast16", Fidelity::Fixed, 1, &set);
    let rtl = run("incast16", Fidelity::CcRtl, 1, &set);
    assert!(fixed.outcome.counters.acks > 900 && files(&fixed)[2].lines().count() > 1000);
    assert_same(&fixed, &rtl);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let set = [
        "network.loss=0.001",
        "network.retry_timeout_us=100",
        "traffic.0.bytes=100000",
    ];
    let first = run("incast16", Fidelity::Golden, 5, &set);
    assert!(first.outcome.counters.losses > 0);
    assert!(first.outcome.records.iter().all(|r| r.finished_ps.is_some()));
    assert_same(&first, &run("incast16", Fidelity::Golden, 5, &set));
}
