//! Each primitive's Rust description and its Verilog, side by side in every clock, and the Verilog under `-Wall`.

use hpcc_rtl::host::registers::counters::CounterBank;
use hpcc_rtl::prim::async_ram::AsyncRam;
use hpcc_rtl::prim::banked_table::BankedTable;
use hpcc_rtl::prim::crc::{CrcFold, CrcState};
use hpcc_rtl::prim::delay::Delay;
use hpcc_rtl::prim::fifo::StreamFifo;
use hpcc_rtl::prim::forward_ram::ForwardRam;
use hpcc_rtl::prim::lut_fifo::LutFifo;
use hpcc_rtl::prim::lut_ram::LutRam;
use hpcc_rtl::prim::mul::{MulPipe, Multiplier};
use hpcc_rtl::prim::ram::{LoopRam, Ram, RamReg};
use hpcc_rtl::prim::rom::Rom;
use hpcc_rtl::prim::short_fifo::ShortFifo;
use hpcc_rtl::prim::table_ram::{DirectRam, TableRam};
use hpcc_rtl::prim::uint::U;
use hpcc_rtl::prim::wide::W;
use hpcc_rtl::rx::covered::CoveredBytes;
use hpcc_rtl::rx::icrc_bytes::IcrcBytes;
use hpcc_rtl::sim::Ports;
use hpcc_rtl::tx::frame_bytes::FrameBytes;
use hpcc_testbench::verilated::lockstep::{Lockstep, Random};
use hpcc_testbench::verilated::{sources, FAST};

/// Random inputs on a default block.
fn agrees<B: Ports + Default + 'static>(top: &str) {
    Lockstep::<B, Random>::random(top)
        .clocks(20_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

/// The same of the branch for Lattice parts.
fn agrees_on_ecp5<B: Ports + Default + 'static>(top: &str) {
    Lockstep::<B, Random>::random(top)
        .on_ecp5()
        .clocks(20_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn multipliers_of_one_to_four_tiles() {
    agrees::<MulPipe<8, 9, 17>>("mul_small");
    agrees::<MulPipe<24, 20, 44>>("mul_2x2");
    agrees::<MulPipe<18, 64, 40, 3>>("mul_slice");
    agrees::<MulPipe<34, 51, 64, 21>>("mul_3x2");
    agrees::<MulPipe<51, 52, 64, 39>>("mul_4x3");
    agrees::<Multiplier<W<68, 2>, W<68, 2>, W<136, 3>, 0>>("mul_4x4");
}

/// The branch for Lattice parts, which instantiates their multiplier, with every number of rows and columns of tiles.
#[test]
fn multipliers_of_the_ecp5_branch() {
    agrees_on_ecp5::<MulPipe<8, 9, 17>>("cells_mul_1x1");
    agrees_on_ecp5::<MulPipe<16, 34, 50>>("cells_mul_2x1");
    agrees_on_ecp5::<MulPipe<51, 17, 51, 17>>("cells_mul_3x1");
    agrees_on_ecp5::<MulPipe<64, 16, 64, 16>>("cells_mul_4x1");
    agrees_on_ecp5::<MulPipe<24, 20, 44>>("cells_mul_2x2");
    agrees_on_ecp5::<MulPipe<34, 51, 64, 21>>("cells_mul_3x2");
    agrees_on_ecp5::<MulPipe<18, 64, 40, 3>>("cells_mul_4x2");
    agrees_on_ecp5::<MulPipe<51, 50, 64, 37>>("cells_mul_3x3");
    agrees_on_ecp5::<MulPipe<51, 52, 64, 39>>("cells_mul_4x3");
    agrees_on_ecp5::<Multiplier<W<68, 2>, W<68, 2>, W<136, 3>, 0>>("cells_mul_4x4");
}

#[test]
fn delays() {
    agrees::<Delay<U<7>, 1>>("delay_1");
    agrees::<Delay<bool, 2>>("delay_2");
    agrees::<Delay<U<24>, 3>>("delay_3");
    agrees::<Delay<W<100, 2>, 40>>("delay_40");
}

/// The branch for Lattice parts of a long delay holds no vendor cell, so it can be simulated too.
#[test]
fn circular_delays_of_the_ecp5_branch() {
    agrees_on_ecp5::<Delay<U<9>, 17>>("circular_17");
    agrees_on_ecp5::<Delay<U<9>, 18>>("circular_18");
    agrees_on_ecp5::<Delay<U<9>, 33>>("circular_33");
    agrees_on_ecp5::<Delay<U<9>, 64>>("circular_64");
    agrees_on_ecp5::<Delay<U<3>, 17>>("circular_3_17");
    agrees_on_ecp5::<Delay<U<8>, 6>>("circular_8_6");
    agrees_on_ecp5::<Delay<W<100, 2>, 8>>("circular_100_8");
}

/// Nor does the one that cuts long tables into slices of a block RAM, of which the last is narrower.
#[test]
fn sliced_tables_of_the_ecp5_branch() {
    agrees_on_ecp5::<TableRam<U<10>, 11>>("table_10_11");
    agrees_on_ecp5::<TableRam<U<10>, 12>>("table_10_12");
    agrees_on_ecp5::<DirectRam<W<77, 2>, 12>>("direct_77_12");
    agrees_on_ecp5::<DirectRam<U<9>, 13>>("direct_9_13");
    agrees_on_ecp5::<TableRam<U<3>, 14>>("table_3_14");
}

#[test]
fn memories() {
    agrees::<Ram<U<16>, 2>>("ram_small");
    agrees::<Ram<W<506, 8>, 9>>("ram_wide");
    agrees::<RamReg<U<16>, 2>>("ram_reg_small");
    agrees::<RamReg<W<100, 2>, 5>>("ram_reg");
    agrees::<BankedTable<U<16>, 4, 3, 2>>("banked_table_small");
    agrees::<BankedTable<W<186, 3>, 12, 11, 9>>("banked_table");
    agrees::<AsyncRam<U<9>, 2>>("async_ram_small");
    agrees::<AsyncRam<W<680, 11>, 4>>("async_ram_wide");
}

/// What a simulator runs faster is the same in every clock, from the first one on and through resets. It is not for synthesis, and what nobody
/// else reads is assigned at once there, which lint would have otherwise.
#[test]
fn texts_for_fast_simulation() {
    fn agrees<B: Ports + Default + 'static>(top: &str) {
        let mut sources = sources(top, Box::<B>::default().as_mut()).expect("emits");
        (sources.defines, sources.optimise) = (vec![FAST.into()], 1);
        let lockstep = Lockstep::<B, Random>::random(top).clocks(20_000);
        lockstep.run_against(&sources).unwrap_or_else(|error| panic!("{error}"));
    }
    agrees::<Delay<U<7>, 1>>("fast_delay_1");
    agrees::<Delay<bool, 2>>("fast_delay_2");
    agrees::<Delay<U<9>, 7>>("fast_delay_7");
    agrees::<Delay<U<40>, 2>>("fast_delay_40_2");
    agrees::<Delay<W<100, 2>, 2>>("fast_delay_100_2");
    agrees::<Delay<W<100, 2>, 40>>("fast_delay_100_40");
    agrees::<Ram<U<16>, 2>>("fast_ram_small");
    agrees::<Ram<W<506, 8>, 9>>("fast_ram_wide");
    agrees::<RamReg<U<16>, 2>>("fast_ram_reg_small");
    agrees::<RamReg<W<100, 2>, 5>>("fast_ram_reg");
    agrees::<LoopRam<U<16>, 2>>("fast_loop_ram_small");
    agrees::<LoopRam<W<100, 2>, 5>>("fast_loop_ram");
    agrees::<TableRam<U<1>, 1>>("fast_table_1_1");
    agrees::<TableRam<W<140, 3>, 10>>("fast_table_140_10");
    agrees::<DirectRam<U<1>, 1>>("fast_direct_1_1");
    agrees::<DirectRam<W<140, 3>, 10>>("fast_direct_140_10");
    agrees::<AsyncRam<W<680, 11>, 4>>("fast_async_ram");
    agrees::<LutRam<U<9>, 2>>("fast_lut_ram_small");
    agrees::<LutRam<W<100, 2>, 6>>("fast_lut_ram");
    agrees::<ForwardRam<U<9>, 2>>("fast_forward_ram_small");
    agrees::<ForwardRam<W<100, 2>, 5>>("fast_forward_ram");
    agrees::<StreamFifo<U<1>, 1, 2>>("fast_fifo_1_1");
    agrees::<StreamFifo<U<16>, 3, 4>>("fast_fifo_16_3");
    agrees::<StreamFifo<W<577, 10>, 4, 9>>("fast_fifo_577_4");
    agrees::<LutFifo<U<1>, 1, 2>>("fast_lut_fifo_1_1");
    agrees::<LutFifo<U<16>, 3, 4>>("fast_lut_fifo_16_3");
    agrees::<LutFifo<W<577, 10>, 4, 9>>("fast_lut_fifo_577_4");
    agrees::<ShortFifo<U<1>, 1, 1>>("fast_short_fifo_1_1");
    agrees::<ShortFifo<W<577, 10>, 4, 8>>("fast_short_fifo_577_4");
    agrees::<MulPipe<17, 17, 34, 0>>("fast_mul_17_17");
    agrees::<MulPipe<12, 34, 19, 27>>("fast_mul_12_34");
    agrees::<MulPipe<16, 34, 50, 0>>("fast_mul_16_34");
    agrees::<MulPipe<34, 30, 64, 0>>("fast_mul_34_30");
    agrees::<MulPipe<34, 34, 34, 27>>("fast_mul_34_34_27");
    agrees::<MulPipe<34, 34, 34, 34>>("fast_mul_34_34_34");
    agrees::<MulPipe<34, 51, 64, 21>>("fast_mul_34_51");
    agrees::<MulPipe<51, 34, 52, 32>>("fast_mul_51_34");
    agrees::<MulPipe<60, 51, 60, 51>>("fast_mul_60_51");
    agrees::<CrcFold>("fast_crc_fold");
    agrees::<CrcState>("fast_crc_state");
    agrees::<CoveredBytes>("fast_covered_bytes");
    agrees::<IcrcBytes>("fast_icrc_bytes");
    agrees::<FrameBytes>("fast_frame_bytes");
    agrees::<CounterBank>("fast_counter_bank");
}

#[test]
fn tables_in_both_branches() {
    let table = || {
        Box::new(Rom::<6, 33>::new(
            (0..64u64).map(|i| (i * 0x1234_5679_abcd) >> 22).collect(),
        ))
    };
    Lockstep::new("rom", table, Random::new)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
    Lockstep::new("rom", table, Random::new)
        .on_ecp5()
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

/// A comparison that cannot fail proves nothing: one changed operator in the Verilog must be seen and located.
#[test]
fn a_wrong_verilog_is_noticed() {
    let lockstep = Lockstep::<MulPipe<24, 20, 44>, Random>::random("mul_wrong");
    let mut sources = sources("mul_wrong", &mut MulPipe::<24, 20, 44>::default()).expect("emits");
    let text = &mut sources.files[0].1;
    let product = "{{HEIGHT{1'b0}}, x_r[17*c +: WIDTH]} * ";
    assert!(text.contains(product));
    *text = text.replace(product, &product.replace('*', "+"));
    let error = lockstep.run_against(&sources).expect_err("must differ").to_string();
    assert!(
        error.contains("differ at clock") && error.contains("p: RustHDL 44'h"),
        "{error}"
    );
    assert!(error.contains("HPCC_LOCKSTEP_SEED=1 cargo test"), "{error}");
    let wave = error
        .lines()
        .find_map(|line| line.trim().strip_prefix("waveform: "))
        .expect("a waveform");
    assert!(std::fs::metadata(wave).expect("written").len() > 1000);
}

/// So is a tile of the branch for Lattice parts that lies a place too far up.
#[test]
fn a_wrong_tile_is_noticed() {
    let lockstep = Lockstep::<MulPipe<24, 20, 44>, Random>::random("cells_wrong").on_ecp5();
    let mut sources = lockstep.sources().expect("emits");
    let tile = "products[34*c +: 34] = product[33:0]";
    let mut texts = sources.files.iter_mut().map(|(_, text)| text);
    let text = texts.find(|text| text.contains(tile)).expect("the multiplier");
    *text = text.replace(tile, "products[34*c +: 34] = product[34:1]");
    let error = lockstep.run_against(&sources).expect_err("must differ").to_string();
    assert!(error.contains("differ at clock"), "{error}");
}
