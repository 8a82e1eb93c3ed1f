//! The HPCC module's RustHDL and its Verilog side by side: every output in every clock, under real events, stalls and
//! commands; and the Verilog under `-Wall`.

use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_testbench::drive::slot_stimulus::SlotDrive;
use hpcc_testbench::verilated::lockstep::Lockstep;

#[test]
fn hpcc_slot_agrees_with_its_verilog_in_every_clock() {
    Lockstep::new("hpcc_slot", Box::<HpccSlot<50, 6>>::default, |ports, seed| {
        SlotDrive::new(ports, seed, 50)
    })
    .clocks(200_000)
    .run()
    .unwrap_or_else(|error| panic!("{error}"));
}
