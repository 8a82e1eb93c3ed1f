//! A network of three hosts and a switch: two of them send to the third, under HPCC.
//!
//! `cargo run -p hpcc-models --example three_hosts`

use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::net::{star, CcSlot, Config, Direct, FlowSpec, SamplePlan, Simulator, SlotParams};
use std::error::Error;

/// Base round-trip time, ns.
const BASE_RTT_NS: u64 = 9_000;
const BYTES: u64 = 1_000_000;

/// A law for each host's port; the simulator asks for it.
fn law(port: &SlotParams) -> Result<Box<dyn CcSlot>, String> {
    let params = HpccParams::new(port.line_rate_bps, BASE_RTT_NS as u32);
    let law = Hpcc::<f64>::new(params).map_err(|error| error.to_string())?;
    Ok(Box::new(Direct::new(Box::new(law))))
}

/// Completion times of the two flows, ns.
fn simulate() -> Result<Vec<u64>, Box<dyn Error>> {
    // hosts 0, 1 and 2, links of 100 Gb/s and 1 us
    let topology = star(3, 100, 1000);
    let flow = |src| FlowSpec {
        src,
        dst: 2,
        bytes: BYTES,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    };
    let config = Config::paper(BASE_RTT_NS, true);
    let mut network = Simulator::new(
        &topology,
        vec![flow(0), flow(1)],
        config,
        SamplePlan::default(),
        &mut law,
    )?;
    network.run_until(1_000_000_000);
    let outcome = network.finish();
    let times = outcome.records.iter().map(|record| record.fct_ps().map(|ps| ps / 1000));
    Ok(times
        .collect::<Option<_>>()
        .ok_or("a flow did not end within a millisecond")?)
}

fn main() -> Result<(), Box<dyn Error>> {
    for (host, ns) in simulate()?.iter().enumerate() {
        println!("host {host}: {BYTES} bytes in {:.1} us", *ns as f64 / 1000.0);
    }
    Ok(())
}

#[test]
fn two_senders_share_the_port() {
    let times = simulate().expect("a run");
    // a megabyte alone takes 80 us of payload on 100 Gb/s; two of them 160 us
    assert!(times.iter().all(|ns| (150_000..220_000).contains(ns)), "{times:?}");
}
