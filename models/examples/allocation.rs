//! Max-min fair shares of two links: once for a whole graph, then kept up to date while demands change.
//!
//! `cargo run -p hpcc-models --example allocation`

use hpcc_models::alloc::{exact, Change, Flow, Graph, Incremental, INFINITE};
use std::error::Error;

const GBPS: u64 = 1_000_000_000;

/// Shares at first, and after the second flow asks for 10 Gb/s alone.
fn shares() -> Result<(Vec<u64>, Vec<u64>), Box<dyn Error>> {
    let flow = |path: &[usize]| Flow {
        demand: INFINITE,
        path: path.to_vec(),
    };
    // link 0 has 100 Gb/s, link 1 has 40; the last flow crosses both
    let graph = Graph::new(vec![100 * GBPS, 40 * GBPS], vec![flow(&[0]), flow(&[1]), flow(&[0, 1])])?;
    let first = exact::solve(&graph);
    let mut kept = Incremental::new(graph);
    kept.apply(Change::Demand {
        flow: 1,
        demand: 10 * GBPS,
    });
    Ok((first, kept.shares().to_vec()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (first, then) = shares()?;
    for (flow, (a, b)) in first.iter().zip(&then).enumerate() {
        println!("flow {flow}: {} Gb/s, then {} Gb/s", a / GBPS, b / GBPS);
    }
    Ok(())
}

#[test]
fn shares_are_those_of_the_definition() {
    let (first, then) = shares().expect("a graph");
    assert_eq!(first, [80 * GBPS, 20 * GBPS, 20 * GBPS]);
    assert_eq!(then, [70 * GBPS, 10 * GBPS, 30 * GBPS]);
}
