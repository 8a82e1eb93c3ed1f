//! Rules of emission: blocks whose stock Verilog disagrees with their simulation, and every construct the emitter knows,
//! in lockstep and under `-Wall`.

use crate::constructs::*;
use hpcc_rtl::sim::Ports;
use hpcc_testbench::verilated::lockstep::{Lockstep, Random};
use hpcc_testbench::verilated::sources;

/// Lint with nothing to say, then random inputs.
fn agrees<B: Ports + Default + 'static>(top: &str) {
    let text = || {
        sources(top, &mut *Box::<B>::default())
            .expect("emitted")
            .files
            .into_iter()
            .map(|(_, text)| text)
            .collect::<String>()
    };
    let result = Lockstep::<B, Random>::random(top).clocks(20_000).run();
    result.unwrap_or_else(|error| panic!("{error}\n{}", text()));
}

#[test]
fn widths_hazards_of_the_stock_emitter() {
    agrees::<Hazards>("hazards");
}

#[test]
fn operators_and_slices() {
    agrees::<Operators>("operators");
    agrees::<WideBus>("wide_bus");
    agrees::<Limited>("limited");
}

#[test]
fn registers_states_and_reset() {
    agrees::<Traffic>("traffic");
}

#[test]
fn arrays_loops_and_children() {
    agrees::<Lanes>("lanes");
    agrees::<Nested>("nested");
}

#[test]
fn interfaces_and_joins() {
    agrees::<TwoStages>("two_stages");
}

#[test]
fn structs_in_one_signal() {
    agrees::<Packed>("packed_fields");
}

#[test]
fn rust_hdl_bits_and_widgets() {
    agrees::<WithBits>("with_bits");
    agrees::<WithFifo>("with_fifo");
}
