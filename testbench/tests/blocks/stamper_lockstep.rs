//! The INT stamper's Verilog in lockstep with its RustHDL description, on frames that it stamps and on noise, with stalls.

use hpcc_rtl::switch::IntStamper;
use hpcc_testbench::drive::frames::Frames;
use hpcc_testbench::verilated::lockstep::Lockstep;

#[test]
fn verilog_agrees_in_every_clock() {
    Lockstep::<IntStamper, Frames>::new("int_stamper", Box::default, Frames::new)
        .clocks(60_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}
