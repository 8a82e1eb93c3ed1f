//! The Verilog for Lattice parts that instantiates a multiplier of theirs, with a model of that cell written from its data sheet, in lockstep with RustHDL.

use hpcc_rtl::prim::mul::{MulPipe, Multiplier};
use hpcc_rtl::prim::reciprocal::Reciprocal;
use hpcc_rtl::prim::wide::W;
use hpcc_rtl::sim::Ports;
use hpcc_testbench::verilated::lockstep::{Lockstep, Random};
use hpcc_testbench::verilated::{sources, Sources};

/// The Verilog of a block for ECP5, the model of the cell with it.
fn with_cells<B: Ports + Default>(top: &str) -> Sources {
    let mut sources = sources(top, Box::<B>::default().as_mut()).expect("emits");
    let model = ("MULT18X18D.sv".into(), include_str!("ecp5_cells.sv").into());
    sources.files.insert(0, model);
    sources.defines = vec!["SYNTH_ECP5".into()];
    sources
}

fn agrees<B: Ports + Default + 'static>(top: &str) {
    Lockstep::<B, Random>::random(top)
        .clocks(20_000)
        .run_against(&with_cells::<B>(top))
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Every number of rows and columns of tiles.
#[test]
fn multipliers_of_one_to_four_tiles() {
    agrees::<MulPipe<8, 9, 17>>("cells_mul_1x1");
    agrees::<MulPipe<16, 34, 50>>("cells_mul_2x1");
    agrees::<MulPipe<51, 17, 51, 17>>("cells_mul_3x1");
    agrees::<MulPipe<18, 64, 40, 3>>("cells_mul_4x2");
    agrees::<MulPipe<24, 20, 44>>("cells_mul_2x2");
    agrees::<MulPipe<34, 51, 64, 21>>("cells_mul_3x2");
    agrees::<MulPipe<64, 16, 64, 16>>("cells_mul_4x1");
    agrees::<MulPipe<51, 50, 64, 37>>("cells_mul_3x3");
    agrees::<MulPipe<51, 52, 64, 39>>("cells_mul_4x3");
    agrees::<Multiplier<W<68, 2>, W<68, 2>, W<136, 3>, 0>>("cells_mul_4x4");
}

/// What stands on a multiplier.
#[test]
fn the_reciprocal() {
    agrees::<Reciprocal>("cells_reciprocal");
}

/// A tile that lies a place too far up is noticed.
#[test]
fn a_wrong_tile_is_noticed() {
    let mut sources = with_cells::<MulPipe<24, 20, 44>>("cells_wrong");
    let tile = "tiles[34*c +: 34] = product[33:0]";
    let text = sources
        .files
        .iter_mut()
        .map(|(_, text)| text)
        .find(|text| text.contains(tile));
    let text = text.expect("the multiplier");
    *text = text.replace(tile, "tiles[34*c +: 34] = product[34:1]");
    let lockstep = Lockstep::<MulPipe<24, 20, 44>, Random>::random("cells_wrong");
    let error = lockstep.run_against(&sources).expect_err("must differ").to_string();
    assert!(error.contains("differ at clock"), "{error}");
}
