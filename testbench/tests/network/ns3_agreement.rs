//! Runs of the authors' simulator, replayed from its own files: completion time of every flow, queue lengths, slowdown percentiles.
//!
//! HPCC, DCTCP and TIMELY agree to the nanosecond on every flow and to the byte on every queue sample. DCQCN draws random numbers for its
//! marks, ours are others: there percentiles are compared.

use std::path::PathBuf;

use hpcc_models::measure::{SizeClass, NS3_SIZE_CLASSES};
use hpcc_models::net::ns3::{read_flows, read_topology, Ns3Config};
use hpcc_models::net::{SamplePlan, Simulator};
use hpcc_sim::plan::Fidelity;
use hpcc_sim::scenario::ns3;

fn data(name: &str) -> (String, String) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("data/ns3-runs")
        .join(name);
    (
        name.into(),
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())),
    )
}

/// Lines of a CSV after its header, split.
fn rows(name: &str) -> Vec<Vec<String>> {
    data(name)
        .1
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(String::from).collect())
        .collect()
}

/// Replays one run, sampling queues every microsecond for `monitor_ns` from 2 s on.
fn replay(topology: &str, flows: &str, config: &str, monitor_ns: u64, fidelity: Fidelity) -> Simulator {
    let (file, text) = data(config);
    let config = Ns3Config::read(&file, &text).unwrap();
    let (file, text) = data(topology);
    let topology = read_topology(&file, &text).unwrap();
    let (file, text) = data(flows);
    let specs = read_flows(&file, &text, &topology)
        .unwrap()
        .flows
        .iter()
        .map(|f| f.spec())
        .collect();
    let plan = SamplePlan {
        start_ps: 2_000_000_000_000,
        interval_ps: 1_000_000,
        end_ps: 2_000_000_000_000 + monitor_ns * 1000,
        queue_series: topology.nodes() < 50,
        ..SamplePlan::default()
    };
    let law = ns3::law(&config).unwrap();
    let mut sim = Simulator::new(&topology, specs, config.network(), plan, &mut |p| law.slot(p, fidelity)).unwrap();
    sim.run_until(config.stop_ps);
    sim
}

/// Completion times: all equal, or the first flow that differs.
fn assert_exact(sim: &Simulator, fct: &str) {
    let recorded = rows(fct);
    assert_eq!(recorded.len(), sim.records().len());
    for (flow, (want, got)) in recorded.iter().zip(sim.records()).enumerate() {
        let number = |i: usize| want[i].parse::<u64>().unwrap();
        assert_eq!(got.started_ps, number(4) * 1000, "{fct}: start of flow {flow}, ps");
        assert_eq!(
            got.ideal_ps,
            Some(number(6) * 1000),
            "{fct}: ideal time of flow {flow}, ps"
        );
        assert_eq!(
            got.fct_ps(),
            Some(number(5) * 1000),
            "{fct}: completion time of flow {flow}, ps"
        );
    }
}

/// Queue series: every recorded sample.
fn assert_queue(sim: &Simulator, name: &str, node: u32, interface: u32) {
    let mut points = sim
        .samples()
        .queues
        .iter()
        .filter(|p| (p.node, p.interface) == (node, interface))
        .peekable();
    let mut bytes = 0;
    for row in rows(name) {
        let t_ns: u64 = row[0].parse().unwrap();
        while let Some(point) = points.next_if(|p| p.t_ps / 1000 - 2_000_000_000 <= t_ns) {
            bytes = point.bytes;
        }
        assert_eq!(bytes.to_string(), row[1], "{name}: queue at {t_ns} ns");
    }
}

#[test]
fn two_to_one() {
    let name = |what| format!("two_to_one.{what}");
    let sim = replay(
        &name("topo.txt"),
        &name("flow.txt"),
        &name("config.txt"),
        2_000_000,
        Fidelity::Golden,
    );
    assert_exact(&sim, &name("fct.csv"));
    assert_queue(&sim, &name("qlen.csv"), 3, 3);
}

#[test]
fn incast16() {
    let name = |what| format!("incast16.{what}");
    let sim = replay(
        &name("topo.txt"),
        &name("flow.txt"),
        &name("config.txt"),
        1_500_000,
        Fidelity::Golden,
    );
    assert_exact(&sim, &name("fct.csv"));
    assert_queue(&sim, &name("qlen.csv"), 17, 17);
}

#[test]
fn fat_websearch50() {
    let name = |what| format!("fat_websearch50.{what}");
    let sim = replay(
        &name("topo.txt"),
        &name("flow.txt"),
        &name("config.txt"),
        0,
        Fidelity::Golden,
    );
    assert_exact(&sim, &name("fct.csv"));
}

fn fat320(law: &str, fidelity: Fidelity) -> Simulator {
    let name = |what: &str| format!("fat320_fbhadoop30/{what}");
    replay(
        &name("topo.txt"),
        &name("flow.txt"),
        &name(&format!("{law}.config.txt")),
        2_000_000,
        fidelity,
    )
}

/// Recorded slowdown percentiles of one law: class, then 50th, 95th, 99th.
fn assert_slowdowns(sim: &Simulator, law: &str, tolerance: f64) {
    let table = rows("fat320_fbhadoop30/slowdown.csv");
    for row in table.iter().filter(|row| row[0] == law) {
        let class = NS3_SIZE_CLASSES
            .iter()
            .find(|c| c.name == row[2])
            .copied()
            .unwrap_or(SizeClass::ALL);
        let mut slowdowns: Vec<f64> = sim
            .flows()
            .iter()
            .zip(sim.records())
            .filter(|(flow, _)| class.contains(flow.bytes))
            .filter_map(|(_, record)| record.slowdown())
            .map(|s| s.max(1.0))
            .collect();
        slowdowns.sort_by(f64::total_cmp);
        assert_eq!(slowdowns.len().to_string(), row[3], "{law} {}: flows", row[2]);
        for (column, p) in [(4, 50.0), (5, 95.0), (6, 99.0)] {
            let want: f64 = row[column].parse().unwrap();
            // The recorded table takes the element at rank n x p / 100.
            let got = slowdowns[((slowdowns.len() as f64 * p / 100.0) as usize).min(slowdowns.len() - 1)];
            println!("{law} {} p{p}: recorded {want:.3}, here {got:.3}", row[2]);
            assert!(
                (got / want - 1.0).abs() <= tolerance,
                "{law} {} p{p}: expected {want}, got {got}",
                row[2]
            );
        }
    }
}

/// Recorded queue percentiles of one law: within a part of them or so many kB.
fn assert_queues(sim: &Simulator, law: &str, part: f64, kb: f64) {
    let samples = sim.samples();
    let mut all = samples.to_host.clone();
    all.merge(&samples.fabric);
    for row in rows("fat320_fbhadoop30/qlen_percentiles.csv")
        .iter()
        .filter(|row| row[0] == law)
    {
        let queues = match row[2].as_str() {
            "tor_to_host" => &samples.to_host,
            "fabric_ports" => &samples.fabric,
            _ => &all,
        };
        assert_eq!(queues.samples().to_string(), row[3], "{law} {}: samples", row[2]);
        for (column, p) in [(4, 50.0), (5, 95.0), (6, 99.0), (7, 99.9)] {
            let want: f64 = row[column].parse().unwrap();
            let got = (queues.percentile(p) / 1000) as f64;
            println!("{law} {} queue p{p}: recorded {want} kB, here {got} kB", row[2]);
            let close = (got - want).abs() <= (want * part).max(kb);
            assert!(close, "{law} {} p{p}: expected {want} kB, got {got} kB", row[2]);
        }
    }
}

#[test]
fn fat320_hpcc_dctcp_timely_to_the_nanosecond() {
    for law in ["hpcc", "dctcp", "timely"] {
        let sim = fat320(law, Fidelity::Golden);
        assert_exact(&sim, &format!("fat320_fbhadoop30/{law}.fct.csv"));
        assert_slowdowns(&sim, law, 0.001);
        assert_queues(&sim, law, 0.0, 0.0);
        assert_eq!(
            (sim.counters().packet_hops, sim.counters().pauses),
            (26_599_800, 0),
            "{law}"
        );
    }
}

#[test]
fn fat320_dcqcn_by_percentiles() {
    let sim = fat320("dcqcn", Fidelity::Golden);
    assert_slowdowns(&sim, "dcqcn", 0.10);
    assert_queues(&sim, "dcqcn", 0.10, 0.0);
}

#[test]
fn fat320_fixed_point_by_percentiles() {
    let sim = fat320("hpcc", Fidelity::Fixed);
    assert_slowdowns(&sim, "hpcc", 0.025);
    assert_queues(&sim, "hpcc", 0.0, 1.0);
}
