//! Verilog of the registers and of the manager of queue pairs in lockstep with RustHDL; against the register map and the NIC's model they
//! stand in `rtl/src/host/tests`.

use hpcc_rtl::host::manager::Manager;
use hpcc_rtl::host::registers::Registers;
use hpcc_rtl::sim::Ports;
use hpcc_testbench::verilated::lockstep::{Lockstep, Random};

/// Lint must say nothing, and random inputs must not tell Verilog and RustHDL apart.
fn agrees<B: Ports + Default + 'static>(top: &str, clocks: u64) {
    Lockstep::<B, Random>::random(top)
        .clocks(clocks)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn registers_in_lockstep() {
    agrees::<Registers>("registers", 40_000);
}

#[test]
fn manager_in_lockstep() {
    agrees::<Manager>("manager", 40_000);
}
