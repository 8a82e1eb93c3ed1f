//! The engine on numbers small enough to check by eye.

use super::compare::{Comparison, Errors, Expected};
use super::*;
use hpcc_models::cc::hpcc::Branch;

fn seen(u: f64, w: f64) -> Option<Seen> {
    Some(Seen {
        u,
        w,
        wc: None,
        inc_stage: Some(1),
        branch: Some(Branch::Additive),
        rates: None,
    })
}

#[test]
fn percentiles_are_nearest_rank() {
    let errors: Vec<f64> = (1..=200).rev().map(f64::from).collect();
    let got = Errors::of(&errors);
    assert_eq!(
        (got.mean, got.p50, got.p99, got.max, got.worst_row),
        (100.5, 100.0, 198.0, 200.0, 0)
    );
    assert_eq!(Errors::of(&[]), Errors::default());
    assert_eq!(Errors::of(&[2.0]).p99, 2.0);
}

#[test]
fn comparison_counts_what_differs() {
    let want = [
        seen(1.0, 100.0),
        seen(0.5, 100.0),
        seen(0.0, 100.0),
        None,
        seen(1.0, 10.0),
    ];
    let mut got = [
        seen(1.0, 100.0),
        seen(0.5, 101.0),
        seen(0.0, 100.0),
        None,
        seen(1.0, 10.0),
    ];
    let equal = Comparison::new("a", "b", Expected::Exact, &want, &want);
    assert_eq!((equal.mismatches, equal.first_divergence, equal.w.max), (0, None, 0.0));
    if let Some(last) = &mut got[4] {
        last.branch = Some(Branch::Multiplicative);
        last.inc_stage = None;
    }
    let c = Comparison::new("a", "b", Expected::Exact, &got, &want);
    assert_eq!((c.mismatches, c.first_divergence), (2, Some(1)));
    assert_eq!(
        (c.branches, c.stages, c.w.max, c.w.worst_row),
        (Some(1), Some(0), 0.01, 1)
    );
    let within = |bound| Comparison::new("a", "b", Expected::Within(bound), &got, &want).first_divergence;
    assert_eq!((within(0.009), within(0.011)), (Some(1), None));
    got[3] = seen(1.0, 1.0);
    let c = Comparison::new("a", "b", Expected::Exact, &got, &want);
    assert_eq!((c.mismatches, c.u.max), (3, f64::INFINITY));
}

#[test]
fn a_wrong_bit_in_the_rtl_fails_the_run_and_is_shown() {
    let (_, setting) = hpcc_models::cc::synthetic::settings().swap_remove(0);
    let setting = hpcc_models::cc::synthetic::Synthetic { rows: 300, ..setting };
    let mut cosim = Cosim::run(setting.trace().unwrap(), &Options::default()).unwrap();
    assert_eq!(report::failed(&cosim, None), None);
    if let Some(seen) = &mut cosim.runs[2].seen[200] {
        seen.w += 1.0 / 2048.0;
    }
    let [_, fixed, rtl] = &cosim.runs[..] else {
        panic!("three models")
    };
    let wrong = Comparison::new("rtl", "fixed", Expected::Exact, &rtl.seen, &fixed.seen);
    cosim.comparisons[2] = wrong;
    assert_eq!(
        report::failed(&cosim, None).as_deref(),
        Some("rtl and fixed differ on 1 rows")
    );
    let table = report::table(&cosim, std::path::Path::new("a.csv"));
    assert!(table.contains("rtl and fixed first part at line 0, flow"), "{table}");
}
