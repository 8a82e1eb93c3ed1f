//! What a study can rest on: ideal times, base round trips, seeds of paths, ends of runs, speeds, files, memory.

use hpcc_models::measure::NS3_SIZE_CLASSES;
use hpcc_sim::plan::{failures, Job, Run};
use hpcc_sim::scenario::figures::analyse;
use hpcc_sim::scenario::output::{self, rates_csv, OutDir};
use hpcc_sim::scenario::runner::run_all;
use hpcc_sim::scenario::spec::{parse_set, plan, Overrides};
use hpcc_sim::scenario::{builtin, files};

/// A scenario of one star of 100 Gb/s and 1 us with this traffic, and changes as of `--set`.
fn text(hosts: u32, traffic: &str) -> String {
    format!(
        "name='x'\ntitle='t'\nnetwork={{topology='star',hosts={hosts}}}\nrun={{stop_us=20000,queue_series=true}}\ntraffic=[{traffic}]\n"
    )
}

fn overrides(set: &[&str]) -> Overrides {
    Overrides {
        set: set.iter().map(|s| parse_set(s).unwrap()).collect(),
        ..Overrides::default()
    }
}

fn job(text: &str, set: &[&str]) -> Result<Job, String> {
    Job::new(&plan("x", text, &overrides(set))?[0])
}

fn run(text: &str, set: &[&str]) -> Run {
    run_all(&[job(text, set).unwrap()], 1).unwrap().remove(0)
}

const ONE: &str = "{kind='flow',src=0,dst=2,bytes=1000000}";
const TWO: &str = "{kind='incast',senders=2,receiver=2,bytes=300000}";

/// A full packet of 1024 + 98 bytes over two hops of 80 ps a byte, its acknowledgement of 86, four delays of 1 us: 4,193,280 ps.
#[test]
fn t_is_the_networks_own() {
    let auto = job(&text(3, ONE), &[]).unwrap();
    assert_eq!((auto.config.window_t_ns(), auto.t_of_network), (4194, true));
    assert_eq!(
        job(&text(3, ONE), &["cc.t_ns=auto"]).unwrap().config.window_t_ns(),
        4194
    );
    // only hosts that talk count: those of a chain's first switch, or of both ends
    let chain = "name='x'\ntitle='t'\nnetwork={topology='chain',hosts=2,middle_gbps=[100],delay_ns=10000}\nrun={stop_us=1000}\n";
    let near = format!("{chain}traffic=[{{kind='flow',src=0,dst=1,bytes=1000}}]\n");
    let far =
        format!("{chain}traffic=[{{kind='flow',src=0,dst=1,bytes=1000}},{{kind='flow',src=0,dst=2,bytes=1000}}]\n");
    let t = |text: &str| job(text, &[]).unwrap().config.window_t_ns();
    assert_eq!((t(&near) / 1000, t(&far) / 1000), (40, 60));
}

#[test]
fn a_t_that_is_too_small_is_said_with_both_numbers() {
    let warning = |t: &str| job(&text(3, ONE), &[&format!("cc.t_ns={t}")]).unwrap().warning_of_t();
    assert_eq!(
        warning("2000").unwrap(),
        "warning: cc.t_ns: 2000 is less than the largest base round trip of the hosts that talk, 4194"
    );
    assert_eq!(warning("4194"), None);
    for t in ["0", "100000001", "-5", "2.5", "soon"] {
        let error = job(&text(3, ONE), &[&format!("cc.t_ns={t}")]).unwrap_err();
        assert!(
            error.contains("nanoseconds from 1 to 100000000, or \"auto\""),
            "{error}"
        );
    }
}

/// A wide area of 10 ms: the window is 250 MB, of which INT tells a queue with units 48 times as large. Two flows share the link without loss, and
/// its registers' 100 us end the hardware's law.
#[test]
fn t_reaches_a_wide_area() {
    let set = [
        "network.delay_ns=5000000",
        "network.buffer_mb=4000",
        "network.retry_timeout_us=1000000",
        "run.stop_us=1000000",
    ];
    let wide = job(&text(3, TWO), &set).unwrap();
    assert_eq!((wide.config.window_t_ns() / 1000, wide.config.int_multi), (20_000, 48));
    let over = run(&text(3, TWO), &set);
    assert!(over.outcome.records.iter().all(|r| r.finished_ps.is_some()));
    let refused = run_all(
        &[job(&text(3, TWO), &[&set[..], &["fidelity=fixed"]].concat()).unwrap()],
        1,
    );
    assert!(refused.err().unwrap().contains("base_rtt_ns"));
    // 100 ms at 400 Gb/s are 5 GB: more than INT tells in any unit
    let error = job(&text(3, ONE), &["cc.t_ns=100000000", "network.rate_gbps=400"]).unwrap_err();
    assert!(error.starts_with("cc.t_ns: expected a window of at most"), "{error}");
}

const PERMUTATION: &str = "name='x'\ntitle='t'\nnetwork={topology='fat-tree',pods=1}\nrun={stop_us=20000}\n\
    traffic=[{kind='racks',from=[0],to=[1],bytes=200000}]\n";

#[test]
fn the_seed_reaches_the_choice_of_paths() {
    let times = |set: &[&str]| -> Vec<_> {
        run(PERMUTATION, set)
            .outcome
            .records
            .iter()
            .map(|r| r.fct_ps())
            .collect()
    };
    let seeds = ["seed=1", "seed=2", "seed=3"].map(|seed| times(&[seed]));
    assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2] && seeds[0] != seeds[2]);
    assert_eq!(times(&["seed=2"]), seeds[1]);
    let fixed = ["seed=1", "seed=2"].map(|seed| times(&[seed, "network.ecmp_seed=0"]));
    assert_eq!(fixed[0], fixed[1]);
}

/// Law `none`, a message alone: slowdown 1 to the picosecond.
#[test]
fn a_message_alone_has_slowdown_one() {
    for bytes in [1, 1000, 1024, 100_001, 3_000_000] {
        let traffic = format!("{{kind='flow',src=0,dst=2,bytes={bytes}}}");
        let alone = run(&text(3, &traffic), &["law=none", "network.buffer_mb=1000"]);
        assert_eq!(alone.outcome.records[0].slowdown(), Some(1.0), "{bytes} bytes");
        // INT's price stays in the slowdown
        let hpcc = run(&text(3, &traffic), &[]);
        assert!(hpcc.outcome.records[0].slowdown().unwrap() > 1.0, "{bytes} bytes");
        assert_eq!(hpcc.outcome.records[0].ideal_ps, alone.outcome.records[0].ideal_ps);
    }
}

/// Built-in scenarios that run in a second or two, with the exact ideal: no flow of any law is below 1.
#[test]
fn no_flow_beats_the_exact_time() {
    for name in ["incast2", "incast16", "fig6", "fig9a", "four-laws", "fig13"] {
        let found = builtin::find(name).unwrap();
        let planned = plan(name, found.text, &overrides(&["run.ideal=exact"])).unwrap();
        for mut planned in planned {
            planned.scenario.fidelity = Default::default();
            let run = run_all(&[Job::new(&planned).unwrap()], 1).unwrap().remove(0);
            let least = run
                .outcome
                .records
                .iter()
                .filter_map(|r| r.slowdown())
                .fold(f64::MAX, f64::min);
            assert!(least >= 1.0, "{name} {:?}: {least}", planned.label);
        }
    }
}

/// Flows that the end cuts off fail a run that drains, and are a number of one that ends at its time.
#[test]
fn a_run_ends_when_it_is_told_to() {
    let traffic = "{kind='flow',src=0,dst=2,bytes=100000000},{kind='flow',src=1,dst=2,bytes=1000}";
    let judged = |end: &str| {
        let run = run(&text(3, traffic), &["run.stop_us=100", &format!("run.end={end}")]);
        let findings = analyse("x", "t", None, std::slice::from_ref(&run)).unwrap().findings;
        let open: Vec<usize> = NS3_SIZE_CLASSES
            .iter()
            .map(|class| output::unfinished(&run, *class))
            .collect();
        (failures(&findings), open, output::summary(&run, &findings))
    };
    let (fault, open, _) = judged("drain");
    assert!(fault.unwrap().contains("flows_finished"));
    assert_eq!(open.iter().sum::<usize>(), 1);
    let (fault, open, summary) = judged("at");
    assert_eq!((fault, open.iter().sum::<usize>()), (None, 1));
    assert_eq!(summary["slowdown"]["all"]["unfinished"], 1);
    let error = job(&text(3, ONE), &["run.end=later"]).unwrap_err();
    assert!(error.contains("drain"), "{error}");
}

/// 56, 150 and 300 Gb/s have no code of their own in the INT table: with one they behave as the listed speeds on both sides of them, once messages
/// are as long in round trips at every speed. 16 first windows fall into the queue at once; in the second half of the time HPCC
/// holds a quarter of one, PowerTCP, whose windows are below a packet then, 2 to 6. A law that reads nothing keeps all 16. More than
/// seven such speeds are an error, of laws that read INT.
#[test]
fn speeds_without_a_code_get_one() {
    // The longest queue after half of the time, in bandwidth-delay products, and the whole time over that of the payload alone.
    let measured = |law: &str, gbps: u64| {
        let traffic = format!("{{kind='incast',senders=16,receiver=16,bytes={}}}", 10_000 * gbps);
        let set = [format!("network.rate_gbps={gbps}"), format!("law={law}")];
        let run = run(&text(17, &traffic), &[&set[0], &set[1]]);
        let payload_ps = 16 * 10_000 * 8_000;
        let late = run.outcome.samples.queues.iter().filter(|p| p.t_ps > payload_ps / 2);
        let most = late.map(|p| p.bytes).max().unwrap_or(0);
        let end = run
            .outcome
            .records
            .iter()
            .map(|r| r.finished_ps.unwrap())
            .max()
            .unwrap();
        (
            most as f64 * 8.0 / (gbps * run.job.config.window_t_ns()) as f64,
            end as f64 / payload_ps as f64,
        )
    };
    for law in ["hpcc", "powertcp"] {
        for (below, gbps, above) in [(50, 56, 100), (100, 150, 200), (200, 300, 400)] {
            let ((low, low_end), (own, end), (high, high_end)) =
                (measured(law, below), measured(law, gbps), measured(law, above));
            assert!(
                own < 1.25 * low.max(high),
                "{law} at {gbps} Gb/s: a queue of {own} beside {low} and {high}"
            );
            let ends = 0.98 * low_end.min(high_end)..1.02 * low_end.max(high_end);
            assert!(
                ends.contains(&end),
                "{law} at {gbps} Gb/s ends at {end} beside {low_end} and {high_end}"
            );
        }
    }
    let many = "{at_us=1,link=0,rate_gbps=1},{at_us=2,link=0,rate_gbps=2},{at_us=3,link=0,rate_gbps=3},{at_us=4,link=0,rate_gbps=4},\
        {at_us=5,link=0,rate_gbps=5},{at_us=6,link=0,rate_gbps=6},{at_us=7,link=0,rate_gbps=7},{at_us=8,link=0,rate_gbps=8}";
    let set = format!("network.link_change=[{many}]");
    let error = job(&text(3, ONE), &[&set]).unwrap_err();
    assert!(error.starts_with("network: INT: expected at most 7 speeds"), "{error}");
    assert!(job(&text(3, ONE), &[&set, "law=dcqcn"]).is_ok());
}

/// 10 KB over 20 kb/s take seconds, in which nothing changes for milliseconds: a point for each packet and not for each microsecond.
#[test]
fn what_does_not_change_takes_no_memory() {
    let dir = tempfile::tempdir().unwrap();
    let (topology, flows) = (dir.path().join("t.txt"), dir.path().join("f.csv"));
    std::fs::write(&topology, "3 1 2\n2\n0 2 20kbps 1us 0\n1 2 20kbps 1us 0\n").unwrap();
    std::fs::write(&flows, "flow,src,dst,size_bytes,start_ns\n0,0,1,10000,0\n").unwrap();
    let set = overrides(&["law=none", "network.retry_timeout_us=10000000", "run.stop_us=20000000"]);
    let job = files::job(topology.to_str().unwrap(), flows.to_str().unwrap(), &set).unwrap();
    let run = run_all(&[job], 1).unwrap().remove(0);
    assert!(run.outcome.records[0].fct_ps().unwrap() > 4_000_000_000_000);
    let samples = &run.outcome.samples;
    assert!(
        samples.flows.len() < 40 && samples.queues.len() < 40,
        "{} {}",
        samples.flows.len(),
        samples.queues.len()
    );
    assert!(rates_csv(&run.outcome).len() < 4000);
}

/// Tables of flows for every law, from the command line and from a scenario; every key of a scenario beside two files.
#[test]
fn two_files_are_a_scenario() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    std::fs::write(path("t.txt"), "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n").unwrap();
    std::fs::write(
        path("f.csv"),
        "flow,src,dst,size_bytes,start_ns\n0,0,1,10000,5000\n1,1,0,20000,7000\n",
    )
    .unwrap();
    for law in ["hpcc", "dcqcn", "powertcp", "homa", "cubic", "none"] {
        let changed = Overrides {
            law: Some(law.into()),
            ..overrides(&["run.stop_us=5000", "network.buffer_mb=7"])
        };
        let job = files::job(&path("t.txt"), &path("f.csv"), &changed).unwrap_or_else(|e| panic!("{law}: {e}"));
        assert_eq!(
            (job.stop_ps, job.origin_ps, job.config.buffer_bytes),
            (5_000_000_000, 5_000_000, 7 << 20),
            "{law}"
        );
        let run = run_all(&[job], 1).unwrap().remove(0);
        assert!(run.outcome.records.iter().all(|r| r.finished_ps.is_some()), "{law}");
    }
    let with = |set: &[&str]| files::job(&path("t.txt"), &path("f.csv"), &overrides(set));
    assert_eq!(with(&["cc.eta=0.9"]).unwrap().law.eta, 0.9);
    let marked = with(&["law=dcqcn", "network.ecn_kmin_kb=1", "network.ecn_kmax_kb=2"]).unwrap();
    assert_eq!(marked.config.ecn[&100_000_000_000].k_min, 4000);
    assert!(with(&["cc.gain=0.9"]).unwrap_err().contains("hpcc has no such key"));
    // from a scenario beside its files, wherever the program runs
    let scenario =
        "name='x'\ntitle='t'\nnetwork={topology='t.txt'}\nrun={stop_us=1000}\ntraffic=[{kind='file',path='f.csv'}]\n";
    std::fs::write(path("s.toml"), scenario).unwrap();
    let planned = plan(&path("s.toml"), scenario, &Overrides::default()).unwrap();
    assert_eq!(Job::new(&planned[0]).unwrap().flows.len(), 2);
    let error = plan(
        &path("s.toml"),
        &scenario.replace("f.csv", "g.csv"),
        &Overrides::default(),
    )
    .unwrap_err();
    assert!(
        error.contains(&path("g.csv")) && error.contains("nor g.csv in the working directory"),
        "{error}"
    );
}

#[test]
fn a_comparison_is_one_table() {
    let text = format!(
        "{}[[variant]]\nlabel='a, b'\nset={{seed=1}}\n[[variant]]\nlabel='c'\nset={{law='dcqcn'}}\n",
        text(3, TWO)
    );
    let planned = plan("x", &text, &Overrides::default()).unwrap();
    let jobs: Vec<Job> = planned.iter().map(|p| Job::new(p).unwrap()).collect();
    let runs = run_all(&jobs, 1).unwrap();
    let temp = tempfile::tempdir().unwrap();
    let dir = OutDir::create(temp.path()).unwrap();
    output::write_runs(&dir, &runs, &[]).unwrap();
    let rows = std::fs::read_to_string(temp.path().join("flows.csv")).unwrap();
    let starts: Vec<&str> = rows.lines().map(|l| &l[..l.len().min(9)]).collect();
    assert_eq!(starts.len(), 5);
    assert!(rows.starts_with("run,flow,src,"));
    assert!(
        starts[1].starts_with("\"a, b\",0") && starts[2].starts_with("\"a, b\",1"),
        "{starts:?}"
    );
    assert!(
        starts[3].starts_with("c,0,") && starts[4].starts_with("c,1,"),
        "{starts:?}"
    );
}

#[test]
fn mistakes_are_named() {
    let incast = |receiver: u32| {
        job(
            &text(
                9,
                &format!("{{kind='incast',senders=4,first=2,receiver={receiver},bytes=5}}"),
            ),
            &[],
        )
    };
    assert_eq!(
        incast(5).unwrap_err(),
        "traffic.0.receiver: expected a host that is not among the senders 2 to 5, got 5"
    );
    assert!(incast(1).is_ok() && incast(6).is_ok());
    let sizes = job(
        &text(3, "{kind='poisson',sizes='web-search',load=0.1,until_us=10}"),
        &[],
    )
    .unwrap_err();
    assert_eq!(
        sizes,
        "traffic.0.sizes: expected websearch, fb-hadoop, ali-storage, google-rpc or a file, got `web-search`; did you mean websearch?"
    );
    let error = |set: &str| job(&text(3, ONE), &[set]).unwrap_err();
    assert!(error("law=hppc").ends_with("got `hppc`; did you mean hpcc?"));
    assert!(error("network.topology=fattree").ends_with("got `fattree`; did you mean fat-tree?"));
    assert!(
        error("network.buffer_mbs=3").ends_with("did you mean buffer_mb?"),
        "{}",
        error("network.buffer_mbs=3")
    );
}
