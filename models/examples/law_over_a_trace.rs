//! HPCC over a recorded trace of acknowledgements, in floating point and bit for bit as the hardware computes it.
//!
//! `cargo run -p hpcc-models --example law_over_a_trace -- [TRACE.csv]`

use hpcc_models::cc::hpcc::Hpcc;
use hpcc_models::cc::trace::Trace;
use hpcc_models::cc::CongestionControl;
use hpcc_models::fixed::FixedHpcc;
use std::error::Error;
use std::path::{Path, PathBuf};

/// What the two laws made of a trace.
struct Compared {
    rows: usize,
    smallest_window: f64,
    /// Greatest difference of the two windows, relative.
    worst: f64,
}

fn compare(path: &Path) -> Result<Compared, Box<dyn Error>> {
    let trace = Trace::read(path)?;
    let mut golden = Hpcc::<f64>::new(trace.header.params.clone())?;
    let mut fixed = FixedHpcc::new(trace.header.params.clone())?;
    for flow in trace.flows() {
        golden.create(flow, 0);
        fixed.create(flow, 0);
    }
    let mut found = Compared {
        rows: 0,
        smallest_window: f64::INFINITY,
        worst: 0.0,
    };
    for row in &trace.rows {
        let event = trace.event(row);
        // `None`: the acknowledgement changes nothing, such as one of an old generation.
        if let (Some(a), Some(b)) = (golden.handle(&event), fixed.handle(&event)) {
            found.rows += 1;
            found.smallest_window = found.smallest_window.min(a.window);
            found.worst = found.worst.max((b.window / a.window - 1.0).abs());
        }
    }
    Ok(found)
}

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/data/ack-traces/incast16.csv")
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or_else(recorded, PathBuf::from);
    let found = compare(&path)?;
    println!(
        "{} acknowledgements; smallest window {:.0} bytes; fixed point differs by {:.4} % at most",
        found.rows,
        found.smallest_window,
        100.0 * found.worst
    );
    Ok(())
}

#[test]
fn fixed_point_follows_the_law_over_the_recorded_incast() {
    let found = compare(&recorded()).expect("a trace");
    assert!(
        found.rows > 1000 && found.worst > 0.0 && found.worst < 0.02,
        "{}",
        found.worst
    );
}
