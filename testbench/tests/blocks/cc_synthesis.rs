//! Yosys on the HPCC module as emitted, for 300, 4096 and 8192 flows: no latch, every table a memory, every product a
//! multiplier; and its average loop on a real part.

use hpcc_rtl::cc::dcqcn::DcqcnSlot;
use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_rtl::cc::parts::average::Average;
use hpcc_rtl::cc::powertcp::PowerSlot;
use hpcc_rtl::cc::theta::ThetaSlot;
use hpcc_testbench::report::synth::{synthesise, Cells, Target};
use hpcc_testbench::verilated::sources;
use rust_hdl::prelude::Block;

fn cells(top: &str, block: &mut dyn Block, target: Target) -> Cells {
    let sources = sources(top, block).unwrap_or_else(|error| panic!("{error}"));
    let cells = synthesise(&sources, target).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(cells.latches(), 0, "{top}: {cells:?}");
    cells
}

/// 17-bit tiles: five lanes of 2x2 + 1x2 + 1x1 + 3x1; the average 1x2 + 3x2 + 3x2; the inverse 1; the window 3x2 and 2x2.
const MULTIPLIERS: u64 = 5 * 10 + 14 + 1 + 10;
/// Records, average, window, update FIFO, event ring; three tables of five hops; six reciprocal tables.
const MEMORIES: u64 = 5 + 15 + 6;

#[test]
fn every_table_is_a_memory_for_any_number_of_flows() {
    let sizes: [(&str, Box<dyn Block>); 3] = [
        ("hpcc_300", Box::<HpccSlot<300, 9>>::default()),
        ("hpcc_4096", Box::<HpccSlot<4096, 12>>::default()),
        ("hpcc_8192", Box::<HpccSlot<8192, 13>>::default()),
    ];
    for (top, mut block) in sizes {
        let cells = cells(top, block.as_mut(), Target::Generic);
        assert_eq!(cells.multipliers(), MULTIPLIERS, "{top}: {cells:?}");
        assert_eq!(cells.block_rams(), MEMORIES, "{top}: {cells:?}");
    }
}

/// As HPCC's, but each lane has 3x2 for its power (and no more for its queue), the factor 3x2, the window 3x2, 2x2 and 2x2.
const POWER_MULTIPLIERS: u64 = 5 * 16 + 14 + 1 + 6 + 14;

#[test]
fn every_table_of_powertcp_is_a_memory() {
    let cells = cells("powertcp_300", &mut PowerSlot::<300, 9>::default(), Target::Generic);
    assert_eq!(cells.multipliers(), POWER_MULTIPLIERS, "{cells:?}");
    assert_eq!(cells.block_rams(), MEMORIES, "{cells:?}");
}

/// 17-bit tiles: the quotient 2x2, 1x1 and three of 1x1, the base's reciprocal 1x1, the voltage 2x2, the power 3x2, the average 1x2, 3x2 and 3x2, the
/// factor 1x1 and 3x2, the window 3x2, 2x2 and 2x2, its scale 1x2 and 2x2.
const THETA_MULTIPLIERS: u64 = 8 + 1 + 4 + 6 + 14 + 7 + 14 + 6;
/// Records, average, window, update FIFO, event ring; three reciprocal tables.
const THETA_MEMORIES: u64 = 5 + 3;

#[test]
fn every_table_of_theta_is_a_memory() {
    let cells = cells("theta_300", &mut ThetaSlot::<300, 9>::default(), Target::Generic);
    assert_eq!(cells.multipliers(), THETA_MULTIPLIERS, "{cells:?}");
    assert_eq!(cells.block_rams(), THETA_MEMORIES, "{cells:?}");
}

/// 17-bit tiles: alpha 2x2, the cut 2x2 and 2x1, the window 2x2.
const DCQCN_MULTIPLIERS: u64 = 4 + 4 + 2 + 4;
/// Timers, alpha, rates, update FIFO, the walk's table.
const DCQCN_MEMORIES: u64 = 5;

#[test]
fn every_table_of_dcqcn_is_a_memory() {
    let cells = cells("dcqcn_300", &mut DcqcnSlot::<300, 9>::default(), Target::Generic);
    assert_eq!(cells.multipliers(), DCQCN_MULTIPLIERS, "{cells:?}");
    assert_eq!(cells.block_rams(), DCQCN_MEMORIES, "{cells:?}");
}

#[test]
fn the_average_loop_maps_to_multipliers_and_block_ram_on_ecp5() {
    let cells = cells("average", &mut Average::<9>::default(), Target::Ecp5);
    assert_eq!(cells.multipliers(), 14, "{cells:?}");
    assert_eq!(cells.block_rams(), 2, "{cells:?}");
}
