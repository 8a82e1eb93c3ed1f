//! The scheduler in RustHDL and in Verilog, every output in every clock, under random events and stalls.

use hpcc_rtl::sched::Scheduler;
use hpcc_rtl::sim::{length, Ports};
use hpcc_testbench::drive::sched_traffic::SchedTraffic;
use hpcc_testbench::verilated::lockstep::Lockstep;

fn agrees<B: Ports + Default + 'static>(top: &'static str, flows: u64, clocks: u64) {
    Lockstep::<B, SchedTraffic>::new(top, Box::default, move |ports, seed| {
        SchedTraffic::new(ports, seed, flows)
    })
    .clocks(clocks)
    .run()
    .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_small_scheduler() {
    agrees::<Scheduler<3, 5, 4, 3, 3, 1>>("scheduler_3x5", 15, length(150_000));
}

#[test]
fn a_small_scheduler_with_delays() {
    agrees::<Scheduler<3, 5, 4, 3, 3, 6>>("scheduler_3x5_rows", 15, length(150_000));
}
