//! The modules of the laws, RustHDL and Verilog side by side: every output in every clock, under real events, stalls and
//! commands; and the Verilog under `-Wall`.

use hpcc_rtl::cc::dcqcn::DcqcnSlot;
use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_rtl::cc::powertcp::PowerSlot;
use hpcc_rtl::cc::slot::LawSlot;
use hpcc_rtl::cc::theta::ThetaSlot;
use hpcc_rtl::sim::length;
use hpcc_testbench::drive::slot_stimulus::SlotDrive;
use hpcc_testbench::verilated::lockstep::Lockstep;

fn agrees<S: LawSlot + 'static>(top: &str, active: u64, seed: u64, clocks: u64) {
    Lockstep::new(top, Box::<S>::default, move |ports, seed| {
        SlotDrive::new(ports, S::LAW, seed, active)
    })
    .seed(seed)
    .clocks(clocks)
    .run()
    .unwrap_or_else(|error| panic!("{error}"));
}

/// With its sibling below, a million clocks every night; two tests, so that both cores of a small machine have work.
#[test]
fn hpcc_slot_agrees_with_its_verilog_in_every_clock() {
    agrees::<HpccSlot<50, 6>>("hpcc_slot", 50, 1, length(500_000));
}

#[test]
fn hpcc_slot_agrees_with_its_verilog_in_every_clock_again() {
    agrees::<HpccSlot<50, 6>>("hpcc_slot", 50, 2, length(500_000));
}

#[test]
fn powertcp_slot_agrees_with_its_verilog_in_every_clock() {
    agrees::<PowerSlot<50, 6>>("powertcp_slot", 50, 1, length(500_000));
}

#[test]
fn theta_slot_agrees_with_its_verilog_in_every_clock() {
    agrees::<ThetaSlot<50, 6>>("theta_slot", 50, 1, length(500_000));
}

/// With all kinds of events, and ticks of the walk inside.
#[test]
fn dcqcn_slot_agrees_with_its_verilog_in_every_clock() {
    agrees::<DcqcnSlot<50, 6>>("dcqcn_slot", 50, 1, length(500_000));
}

/// Few flows: nearly every event waits for the one before it.
#[test]
fn three_flows_agree_with_the_verilog_in_every_clock() {
    agrees::<HpccSlot<50, 6>>("hpcc_slot", 3, 3, 30_000);
    agrees::<PowerSlot<50, 6>>("powertcp_slot", 3, 3, 30_000);
    agrees::<ThetaSlot<50, 6>>("theta_slot", 3, 3, 30_000);
    agrees::<DcqcnSlot<50, 6>>("dcqcn_slot", 3, 3, 30_000);
}

/// The number of flows is a parameter: the paper's 300, and two that need more address bits than the paper has flows.
#[test]
fn any_number_of_flows_agrees_with_its_verilog() {
    agrees::<HpccSlot<300, 9>>("hpcc_slot_300", 300, 4, 20_000);
    agrees::<HpccSlot<4096, 12>>("hpcc_slot_4096", 300, 5, 20_000);
    agrees::<HpccSlot<8192, 13>>("hpcc_slot_8192", 300, 6, 24_000);
    agrees::<PowerSlot<4096, 12>>("powertcp_slot_4096", 300, 5, 20_000);
    agrees::<ThetaSlot<4096, 12>>("theta_slot_4096", 300, 5, 20_000);
    agrees::<DcqcnSlot<4096, 12>>("dcqcn_slot_4096", 300, 5, 20_000);
}
