//! Flows that start after others and collectives, from a scenario to its files.

use std::collections::BTreeSet;

use hpcc_sim::plan::{Job, Run};
use hpcc_sim::scenario::output::{summary, write_run, OutDir};
use hpcc_sim::scenario::runner::run_all;
use hpcc_sim::scenario::spec::{parse_set, plan, Overrides};

fn job(traffic: &str, set: &[&str]) -> Result<Job, String> {
    let text = format!(
        "name='x'\nlaw='none'\nnetwork={{topology='star',hosts=8,buffer_mb=1000}}\nrun={{stop_us=20000}}\ntraffic=[{traffic}]\n"
    );
    let overrides = Overrides {
        set: set.iter().map(|s| parse_set(s).unwrap()).collect(),
        ..Overrides::default()
    };
    Job::new(&plan("x", &text, &overrides)?[0])
}

fn run(traffic: &str, set: &[&str]) -> Run {
    run_all(&[job(traffic, set).unwrap()], 1).unwrap().remove(0)
}

/// A chain of requests: 0 to 1, then 1 to 2 and, once that is acknowledged, two more of host 1; host 3 hears of the first after a delay.
#[test]
fn flows_start_after_others() {
    let run = run(
        "{kind='flow',tag='a',src=0,dst=1,bytes=1000},{kind='flow',tag='b',src=1,dst=2,bytes=1000,after=['a']},\
         {kind='flow',src=1,dst=3,bytes=1000,after=['b','c'],when='acknowledged',any=true,delay_us=2,count=2,every_us=3},\
         {kind='flow',tag='c',src=1,dst=4,bytes=1000,start_us=900},{kind='flow',src=3,dst=0,bytes=1000,after=['a'],delay_us=2}",
        &[],
    );
    let records = &run.outcome.records;
    let received = |flow: usize| records[flow].received_ps.unwrap();
    assert_eq!(records[1].started_ps, received(0));
    let acknowledged = records[1].finished_ps.unwrap();
    assert_eq!(records[2].started_ps, acknowledged + 2_000_000);
    assert_eq!(records[3].started_ps, acknowledged + 5_000_000);
    assert_eq!(records[5].started_ps, received(0) + 2_000_000);
}

#[test]
fn wrong_words_are_errors() {
    let flow = |rest: &str| {
        format!("{{kind='flow',tag='alpha',src=0,dst=1,bytes=9}},{{kind='flow',src=1,dst=2,bytes=9,{rest}}}")
    };
    let many = |rest: &str| format!("{{kind='collective',operation='all-reduce',bytes=8000,{rest}}}");
    for (traffic, expected) in [
        (
            flow("after=['alhpa']"),
            "traffic.1.after: expected tags of other traffic, got `alhpa`; did you mean alpha?",
        ),
        (
            flow("tag='alpha'"),
            "traffic.1.tag: expected each tag once, got `alpha` again",
        ),
        (flow("when='received'"), "traffic.1.when: expected only beside after"),
        (flow("delay_us=1"), "traffic.1.delay_us: expected only beside after"),
        (
            flow("after=['alpha'],start_us=3"),
            "traffic.1.start_us: expected delay_us in its place",
        ),
        (
            many("hosts=[0,1,9]"),
            "traffic.0.hosts: expected hosts of the topology, got 9",
        ),
        (
            many("hosts=[0,1,2],algorithm='halving-doubling'"),
            "traffic.0.hosts: expected a power of two",
        ),
        (many("algorithm='direct'"), "traffic.0.algorithm: expected ring"),
        (many("chunks=0"), "traffic.0.bytes: expected at least a byte"),
        (
            "{kind='permutation',bytes=9,hosts=[8]}".into(),
            "traffic.0.hosts: expected hosts",
        ),
    ] {
        let error = job(&traffic, &[]).map(|_| ()).unwrap_err();
        assert!(error.contains(expected), "{traffic}: {error}");
    }
    // A circle, and a place that cannot know, are found when the run starts.
    for (traffic, expected) in [
        ("{kind='flow',tag='a',src=0,dst=1,bytes=9,after=['b']},{kind='flow',tag='b',src=1,dst=0,bytes=9,after=['a']}", "wait for it themselves"),
        ("{kind='flow',tag='a',src=0,dst=1,bytes=9},{kind='flow',src=2,dst=0,bytes=9,after=['a']}", "a delay of at least 2000 ns"),
    ] {
        let error = run_all(&[job(traffic, &[]).unwrap()], 1).map(|_| ()).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

/// Two operations over the same hosts, between other traffic: numbers of flows are shifted, and what the files say is what the flows did.
#[test]
fn files_tell_times_and_bandwidth() {
    let run = run(
        "{kind='flow',src=0,dst=1,bytes=1000},\
         {kind='collective',tag='ring',operation='all-reduce',hosts=[1,3,5,7],bytes=4096000,repetitions=2,start_us=100},\
         {kind='flow',src=7,dst=0,bytes=1000,after=['ring'],delay_us=2},\
         {kind='collective',operation='broadcast',hosts=[6,2],bytes=1024000,start_us=2000}",
        &[],
    );
    // 1000 packets a step one way, of which the first is longer and passed on whole, and at most the acknowledgements of the opposite stream; bandwidth by hand from that.
    let exact = (999.0 * 1106.0 + 2.0 * 1122.0) * 0.08 + 2000.0;
    let told = summary(&run, &[])["collectives"].clone();
    assert_eq!(
        (&told[0]["tag"], &told[0]["hosts"], &told[0]["steps"]),
        (&"ring".into(), &4.into(), &6.into())
    );
    for repetition in told[0]["repetitions"].as_array().unwrap() {
        let time = repetition["time_ns"].as_f64().unwrap();
        assert!(
            time >= 6.0 * exact && time <= 6.0 * (exact + 1000.0 * 86.0 * 0.08),
            "{time} for {exact}"
        );
        let bus = repetition["busbw_gbps"].as_f64().unwrap();
        assert!((bus - 4_096_000.0 * 8.0 / time * 1.5).abs() < 1e-6, "{bus}");
        assert!((bus / repetition["algbw_gbps"].as_f64().unwrap() - 1.5).abs() < 1e-9);
    }
    assert_eq!(
        (&told[1]["tag"], &told[1]["steps"]),
        (&"collective 1".into(), &1.into())
    );
    let one = told[1]["repetitions"][0]["time_ns"].as_f64().unwrap();
    assert!((one - exact).abs() < 1.0, "alone: {one} for {exact}");
    let dir = tempfile::tempdir().unwrap();
    write_run(&OutDir::create(dir.path()).unwrap(), &run, &[]).unwrap();
    let steps = std::fs::read_to_string(dir.path().join("collectives.csv")).unwrap();
    let lines: Vec<&str> = steps.lines().collect();
    assert_eq!(lines[0], "tag,repetition,step,messages,start_ns,end_ns,longest_ns");
    assert_eq!(lines.len(), 1 + 2 * 6 + 1);
    assert!(
        lines[1].starts_with("ring,0,0,4,100000,") && lines[7].starts_with("ring,1,0,4,"),
        "{steps}"
    );
    // The flow behind both repetitions starts when all of them have arrived.
    let last = run.outcome.records[1..1 + 48]
        .iter()
        .filter_map(|r| r.received_ps)
        .max()
        .unwrap();
    assert_eq!(run.outcome.records[49].started_ps, last + 2_000_000);
    // Without collectives nothing of them is said.
    let plain = self::run("{kind='flow',src=0,dst=1,bytes=1000}", &[]);
    assert!(summary(&plain, &[]).get("collectives").is_none());
}

/// Every law ends a ring, and none is faster than no law at all alone on a switch.
#[test]
fn every_law_ends_a_collective() {
    let ring = "{kind='collective',operation='all-reduce',bytes=800000}";
    let time = |set: &[&str]| {
        let run = run(ring, set);
        assert_eq!(run.outcome.records.len(), 14 * 8);
        let plan = &run.job.collectives[0];
        plan.repetitions(&run.outcome.records)[0].ps().unwrap()
    };
    let bound = time(&[]);
    for law in ["hpcc", "powertcp", "dcqcn", "dctcp", "timely"] {
        assert!(time(&[&format!("law={law}")]) >= bound, "{law}");
    }
    for other in [&["law=homa"][..], &["law=cubic", "network.flow_control=drop-tail"]] {
        time(other);
    }
}

/// A permutation is one circle, another for each seed; all-to-all is every pair once.
#[test]
fn permutation_and_all_to_all() {
    let pairs = |traffic: &str, set: &[&str]| -> Vec<(u32, u32)> {
        job(traffic, set)
            .unwrap()
            .flows
            .iter()
            .map(|f| (f.src, f.dst))
            .collect()
    };
    let permutation = |seed: u32| pairs("{kind='permutation',bytes=9}", &[&format!("seed={seed}")]);
    let seen: BTreeSet<_> = (0..20).map(permutation).collect();
    assert_eq!(seen.len(), 20);
    for pairs in &seen {
        let (from, to): (BTreeSet<u32>, BTreeSet<u32>) = pairs.iter().copied().unzip();
        assert_eq!((from.len(), to.len()), (8, 8));
        assert!(pairs.iter().all(|(a, b)| a != b));
    }
    // Who sends to whom is uniform over 7 others: chi-square with 6 degrees of freedom, one in a thousand.
    let mut counts = [0.0_f64; 8];
    (0..7000).for_each(|seed| counts[permutation(seed)[0].1 as usize] += 1.0);
    let chi_square: f64 = counts[1..].iter().map(|n| (n - 1000.0).powi(2) / 1000.0).sum();
    assert!(chi_square < 22.5, "{counts:?}");
    let all = pairs("{kind='all-to-all',bytes=9,hosts=[2,4,6]}", &[]);
    assert_eq!(all, [(2, 4), (4, 6), (6, 2), (2, 6), (4, 2), (6, 4)]);
}

/// Measurements of the book's page on collectives; `cargo test -p hpcc-sim --test collectives -- --ignored --nocapture`.
#[test]
#[ignore = "prints a table"]
fn laws_on_collectives() {
    let text = |operation: &str, bytes: u64| {
        format!(
            "name='x'\nnetwork={{topology='fat-tree',k=4}}\nrun={{stop_us=200000}}\n\
             traffic=[{{kind='collective',bytes={bytes},{operation}}}]\n"
        )
    };
    let operations = [
        ("ring all-reduce", "operation='all-reduce'"),
        (
            "halving-doubling all-reduce",
            "operation='all-reduce',algorithm='halving-doubling'",
        ),
        (
            "tree all-reduce, 16 chunks",
            "operation='all-reduce',algorithm='tree',chunks=16",
        ),
        ("all-to-all", "operation='all-to-all'"),
    ];
    for (name, operation) in operations {
        for bytes in [160_000, 16_000_000] {
            for (law, routing) in [
                ("none", "ecmp"),
                ("hpcc", "ecmp"),
                ("powertcp", "ecmp"),
                ("dcqcn", "ecmp"),
                ("hpcc", "adaptive"),
                ("dcqcn", "adaptive"),
            ] {
                let set = [format!("law={law}"), format!("network.routing={routing}")];
                let overrides = Overrides {
                    set: set.iter().map(|s| parse_set(s).unwrap()).collect(),
                    ..Overrides::default()
                };
                let job = Job::new(&plan("x", &text(operation, bytes), &overrides).unwrap()[0]).unwrap();
                let run = run_all(&[job], 1).unwrap().remove(0);
                let own = &run.job.collectives[0];
                let span = own.repetitions(&run.outcome.records)[0];
                let slowest = own
                    .steps(&run.outcome.records)
                    .iter()
                    .map(|(_, s)| s.longest_ps)
                    .max()
                    .unwrap();
                let ps = span.ps().unwrap_or(0);
                println!(
                    "| {name} | {bytes} | `{law}` | `{routing}` | {:.1} | {:.2} | {:.1} | {} |",
                    ps as f64 / 1e6,
                    own.bus_gbps(ps),
                    slowest as f64 / 1e6,
                    run.outcome.samples.fabric.max() / 1000
                );
            }
        }
    }
}
