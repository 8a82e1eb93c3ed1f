//! 1/n in Verilog: every n against the model, and against RustHDL in lockstep; the dividers beside it.

use hpcc_models::fixed::reciprocal::{paper_table, Interpolated, PaperTable, Reciprocal as Model1n};
use hpcc_rtl::prim::divider::{Divider, DividerRadix4};
use hpcc_rtl::prim::reciprocal::{PaperReciprocal, Reciprocal};
use hpcc_rtl::sim::{length, Ports};
use hpcc_testbench::verilated::lockstep::{Lockstep, Random};
use hpcc_testbench::verilated::{sources, Model};

/// Drives every n below `end`, one a clock, through the Verilated block and compares with the model.
fn enumerate<B: Ports + Default>(top: &str, latency: u64, end: u64, model: &impl Model1n) {
    let mut verilated = Model::new(&sources(top, &mut B::default()).expect("emits")).expect("builds");
    let limb = |name: &str| verilated.port(name).expect("port").limb;
    let (n_at, mantissa_at, shift_at) = (limb("n"), limb("mantissa"), limb("shift"));
    for clock in 0..end + latency {
        verilated.inputs[n_at] = clock.min(end - 1);
        verilated.step();
        if let Some(n) = clock.checked_sub(latency) {
            let inverse = model.reciprocal(n);
            let got = (verilated.outputs[mantissa_at], verilated.outputs[shift_at]);
            let expected = (u64::from(inverse.mantissa), u64::from(inverse.shift()));
            assert_eq!(got, expected, "{top}: n = {n}");
        }
    }
}

#[test]
fn every_n_through_the_interpolated_reciprocal() {
    enumerate::<Reciprocal>("reciprocal", Reciprocal::LATENCY as u64, 1 << 24, &Interpolated);
}

#[test]
fn every_n_through_the_papers_table() {
    /// A little beyond the largest n of the table.
    const END: u64 = paper_table::LARGEST + (1 << 16);
    let table = PaperTable::default();
    enumerate::<PaperReciprocal>("paper_reciprocal", PaperReciprocal::LATENCY as u64, END, &table);
}

/// All divisors of the paper's range would take minutes; these are all up to 2^16, every breakpoint above and its neighbour.
#[test]
fn dividers_divide() {
    fn enumerate<B: Ports + Default>(top: &str, latency: usize) {
        let mut verilated = Model::new(&sources(top, &mut B::default()).expect("emits")).expect("builds");
        let stored = paper_table::breakpoints(paper_table::EPSILON_INVERSE);
        let above = stored.into_iter().filter(|n| *n > 1 << 16).flat_map(|n| [n - 1, n]);
        verilated.set("rst", 0);
        for divisor in (0..=1u64 << 16).chain(above) {
            let dividend = 0xff_ffff - divisor % 77;
            verilated.set("dividend", dividend);
            verilated.set("divisor", divisor);
            verilated.set("start", 1);
            verilated.step();
            verilated.set("start", 0);
            for _ in 0..latency {
                assert_eq!(
                    verilated.get("done"),
                    Some(u64::from(false)),
                    "{top}: {dividend} / {divisor}"
                );
                verilated.step();
            }
            let got = ["done", "quotient", "remainder"].map(|port| verilated.get(port).expect("port"));
            let quotient = dividend.checked_div(divisor).unwrap_or(0xff_ffff);
            let remainder = dividend.checked_rem(divisor).unwrap_or(dividend);
            assert_eq!(got, [1, quotient, remainder], "{top}: {dividend} / {divisor}");
        }
    }
    enumerate::<Divider>("divider", Divider::LATENCY);
    enumerate::<DividerRadix4>("divider_radix4", DividerRadix4::LATENCY);
}

/// Random inputs in lockstep with RustHDL, in both branches. (That the Verilog is right for every input is tested above; here the descriptions are
/// told apart.)
fn agrees<B: Ports + Default + 'static>(top: &str) {
    let lockstep = || Lockstep::<B, Random>::random(top).clocks(length(200_000));
    for lockstep in [lockstep(), lockstep().on_ecp5()] {
        lockstep.run().unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn rusthdl_and_verilog_agree() {
    agrees::<Reciprocal>("reciprocal");
    agrees::<PaperReciprocal>("paper_reciprocal");
    agrees::<Divider>("divider");
    agrees::<DividerRadix4>("divider_radix4");
}
