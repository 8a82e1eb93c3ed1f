//! Replicas from a scenario to its files: same arrivals for every variant, intervals, warm-up, buckets.

use std::collections::BTreeMap;

use hpcc_sim::plan::{Job, Run};
use hpcc_sim::scenario::numbers::{numbers, quantile_95};
use hpcc_sim::scenario::output::{write_runs, OutDir};
use hpcc_sim::scenario::runner::run_all;
use hpcc_sim::scenario::spec::{parse_set, plan, Overrides};

const STUDY: &str = include_str!("../../../examples/study/study.toml");

fn jobs(set: &[&str]) -> Result<Vec<Job>, String> {
    let small = [
        "network.leaves=2",
        "network.spines=2",
        "network.hosts=2",
        "traffic.0.until_us=1500",
    ];
    let set = small.iter().chain(set).map(|s| parse_set(s).unwrap());
    let overrides = Overrides {
        set: set.collect(),
        ..Overrides::default()
    };
    plan("study.toml", STUDY, &overrides)?.iter().map(Job::new).collect()
}

fn study(set: &[&str]) -> Vec<Run> {
    run_all(&jobs(set).unwrap(), 2).unwrap()
}

/// Rows of a CSV file by its columns.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), header.len(), "{line}");
        let pairs = header.iter().zip(cells);
        pairs.map(|(name, cell)| (name.to_string(), cell.to_string())).collect()
    };
    lines.map(row).collect()
}

/// The study of the book at a small size: intervals and differences of the files are those of the rows of `numbers.csv`, computed here again.
#[test]
fn the_study_has_intervals() {
    let runs = study(&["run.warm_up_us=0"]);
    assert_eq!(runs.len(), 30);
    let flows = |run: &Run| {
        let list = run.job.flows.iter();
        list.map(|f| (f.src, f.dst, f.bytes, f.start_ps)).collect::<Vec<_>>()
    };
    for seed in 0..5 {
        for law in 1..6 {
            assert_eq!(flows(&runs[seed]), flows(&runs[5 * law + seed]), "{seed} {law}");
        }
        assert!(seed == 0 || flows(&runs[0]) != flows(&runs[seed]));
    }
    let temp = tempfile::tempdir().unwrap();
    write_runs(&OutDir::create(temp.path()).unwrap(), &runs, &[]).unwrap();
    let file = |name: &str| rows(&std::fs::read_to_string(temp.path().join(name)).unwrap());
    let all = file("numbers.csv");
    let values = |label: &str, number: &str, size: &str| -> Vec<f64> {
        let own = all
            .iter()
            .filter(|r| r["run"] == label && r["number"] == number && r["size"] == size);
        own.map(|r| r["value"].parse().unwrap()).collect()
    };
    let check = |row: &BTreeMap<String, String>, values: &[f64], count: &str| {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        assert_eq!(row[count], values.len().to_string());
        let close = |cell: &str, ours: f64| {
            let cell: f64 = cell.parse().unwrap();
            assert!((cell - ours).abs() <= 1e-5 + 1e-9 * ours.abs(), "{cell} {ours} {row:?}");
        };
        close(&row["mean"], mean);
        if values.len() < 3 {
            assert_eq!((&*row["low_95"], &*row["high_95"]), ("", ""));
            return;
        }
        let deviation = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0)).sqrt();
        let half = quantile_95(values.len() - 1).unwrap() * deviation / n.sqrt();
        close(&row["low_95"], mean - half);
        close(&row["high_95"], mean + half);
    };
    for row in file("intervals.csv") {
        check(&row, &values(&row["run"], &row["number"], &row["size"]), "seeds");
    }
    let mut paired = 0;
    for row in file("differences.csv").iter().filter(|r| r["size"] == "all") {
        let own = values(&row["run"], &row["number"], "all");
        let first = values("HPCC", &row["number"], "all");
        let pairs: Vec<f64> = own.iter().zip(&first).map(|(a, b)| a - b).collect();
        check(row, &pairs, "pairs");
        paired += 1;
    }
    assert!(paired >= 5 * 15, "{paired}");
    // Too few flows for a 99th percentile, enough for a median.
    let mark = |number: &str| {
        let mut own = all.iter().filter(|r| r["number"] == number && r["size"] == "all");
        own.all(|r| (r["flows"].parse::<usize>().unwrap() < 300) == (r["no_upper_bound"] == "true"))
    };
    assert!(mark("slowdown_p99"));
}

/// Flows before the warm-up are in no number, and buckets add up to what is counted by hand.
#[test]
fn warm_up_and_buckets() {
    let set = ["run.warm_up_us=700", "run.seeds=1", "run.size_edges=[20000, 500000]"];
    let runs = study(&set);
    let run = &runs[0];
    assert_eq!(runs.len(), 6);
    let all = numbers(run);
    let count = |size: &str| {
        all.iter()
            .find(|n| n.name == "flows" && n.size == size)
            .map_or(0.0, |n| n.value)
    };
    let by_hand = |least: u64, most: u64| {
        let own = run.job.flows.iter().filter(|f| f.start_ps >= 700_000_000);
        own.filter(|f| f.bytes > least && f.bytes <= most).count() as f64
    };
    let seen = ["<=20KB", "20KB-500KB", ">500KB", "all"].map(count);
    let expected = [(0, 20_000), (20_000, 500_000), (500_000, u64::MAX), (0, u64::MAX)].map(|(a, b)| by_hand(a, b));
    assert_eq!(seen, expected);
    assert!(seen[3] > 0.0 && (seen[3] as usize) < run.job.flows.len());
}

#[test]
fn wrong_values_are_refused() {
    let error = |set: &str| jobs(&[set]).unwrap_err();
    assert!(error("run.seeds=0").ends_with("run.seeds: expected 1 to 1000, got 0"));
    assert!(error("run.warm_up_us=-1").starts_with("run.warm_up_us: expected 0 or more"));
    assert!(error("run.warm_up_us=1e9").starts_with("run.warm_up_us: expected 0 or more"));
    assert!(error("run.size_edges=[10, 10]").starts_with("run.size_edges: expected ascending"));
    assert!(error("run.size_edges=[0]").starts_with("run.size_edges: expected ascending"));
}
