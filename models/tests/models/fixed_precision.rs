//! The law at a chosen precision: at the hardware's it is the shipped fixed-point law bit for bit, on whole traces of every setting; with
//! fewer bits its error grows and never crosses over.

use hpcc_models::cc::synthetic::{settings, Synthetic};
use hpcc_models::cc::CongestionControl;
use hpcc_models::fixed::{FixedHpcc, Precision};

#[test]
fn at_the_hardwares_precision_every_state_of_every_trace_is_the_shipped_laws() {
    for (name, setting) in settings() {
        let trace = Synthetic {
            rows: 20_000,
            ..setting
        }
        .trace()
        .unwrap();
        let params = trace.header.params.clone();
        let mut shipped = FixedHpcc::new(params.clone()).unwrap();
        let mut ours = FixedHpcc::at_precision(params, &Precision::HARDWARE).unwrap();
        assert_eq!(shipped.registers(), ours.registers(), "{name}");
        for flow in trace.flows() {
            assert_eq!(shipped.create(flow, 0), ours.create(flow, 0));
        }
        for (index, row) in trace.rows.iter().enumerate() {
            let event = trace.event(row);
            assert_eq!(shipped.handle(&event), ours.handle(&event), "{name}, row {index}");
            assert_eq!(shipped.state(event.flow), ours.state(event.flow), "{name}, row {index}");
        }
    }
}

/// Mean relative error of the window against the shipped law, free running over one trace.
fn mean_error(setting: &Synthetic, precision: Precision) -> f64 {
    let trace = setting.trace().unwrap();
    let params = trace.header.params.clone();
    let mut shipped = FixedHpcc::new(params.clone()).unwrap();
    let mut ours = FixedHpcc::at_precision(params, &precision).unwrap();
    for flow in trace.flows() {
        shipped.create(flow, 0);
        ours.create(flow, 0);
    }
    let errors: Vec<f64> = trace
        .rows
        .iter()
        .filter_map(|row| {
            let event = trace.event(row);
            let (a, b) = (shipped.handle(&event)?, ours.handle(&event)?);
            Some((b.window / a.window - 1.0).abs())
        })
        .collect();
    errors.iter().sum::<f64>() / errors.len() as f64
}

#[test]
fn fewer_bits_and_smaller_tables_are_worse() {
    let (_, setting) = settings().swap_remove(0);
    let setting = Synthetic { rows: 5_000, ..setting };
    let hardware = Precision::HARDWARE;
    let at = |precision| mean_error(&setting, precision);
    let bits: Vec<f64> = [20, 12, 8, 4]
        .map(|utilisation| {
            at(Precision {
                utilisation,
                ..hardware
            })
        })
        .to_vec();
    let plain = |entries| Precision {
        entries,
        interpolated: false,
        ..hardware
    };
    let tables: Vec<f64> = [1024, 64, 8, 1].map(|entries| at(plain(entries))).to_vec();
    let windows: Vec<f64> = [4, -2, -8].map(|window| at(Precision { window, ..hardware })).to_vec();
    println!("bits {bits:?} tables {tables:?} windows {windows:?}");
    for series in [bits, tables, windows] {
        assert!(series.windows(2).all(|w| w[0] < w[1]), "{series:?}");
    }
}
