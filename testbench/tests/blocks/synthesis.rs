//! Yosys on the primitives as emitted: memories stay memories, products become multipliers, nothing becomes a latch.

use hpcc_rtl::prim::delay::Delay;
use hpcc_rtl::prim::mul::MulPipe;
use hpcc_rtl::prim::ram::{Ram, RamReg};
use hpcc_rtl::prim::rom::Rom;
use hpcc_rtl::prim::uint::*;
use hpcc_rtl::sched::merge::Merge;
use hpcc_testbench::report::synth::{place, standard_cells, synthesise, Cells, Target};
use hpcc_testbench::verilated::sources;
use rust_hdl::prelude::*;

/// One of each, in one design, because starting Yosys takes longer than synthesising them.
#[derive(LogicBlock)]
struct Primitives {
    clock: Signal<In, Clock>,
    a: Signal<In, U<34>>,
    b: Signal<In, U<51>>,
    we: Signal<In, Bit>,
    product: Signal<Out, U<64>>,
    from_ram: Signal<Out, U<34>>,
    from_ram_reg: Signal<Out, U<34>>,
    from_rom: Signal<Out, U<32>>,
    past: Signal<Out, U<34>>,
    mul: MulPipe<34, 51, 64, 21>,
    ram: Ram<U<34>, 9>,
    ram_reg: RamReg<U<34>, 9>,
    rom: Rom<8, 32>,
    delay: Delay<U<34>, 40>,
}

impl Default for Primitives {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            a: Default::default(),
            b: Default::default(),
            we: Default::default(),
            product: Default::default(),
            from_ram: Default::default(),
            from_ram_reg: Default::default(),
            from_rom: Default::default(),
            past: Default::default(),
            mul: Default::default(),
            ram: Default::default(),
            ram_reg: Default::default(),
            rom: Rom::new((0..256u64).map(|i| (i * 0x9e37_79b9) & 0xffff_ffff).collect()),
            delay: Default::default(),
        }
    }
}

impl Logic for Primitives {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, mul, ram, ram_reg, rom, delay);
        self.mul.a.next = self.a.val();
        self.mul.b.next = self.b.val();
        self.product.next = self.mul.p.val();
        self.ram.raddr.next = self.b.val().get_bits::<9>(0);
        self.ram.waddr.next = self.b.val().get_bits::<9>(9);
        self.ram.we.next = self.we.val();
        self.ram.wdata.next = self.a.val();
        self.from_ram.next = self.ram.rdata.val();
        self.ram_reg.raddr.next = self.b.val().get_bits::<9>(18);
        self.ram_reg.waddr.next = self.b.val().get_bits::<9>(27);
        self.ram_reg.we.next = self.we.val();
        self.ram_reg.wdata.next = self.a.val();
        self.from_ram_reg.next = self.ram_reg.rdata.val();
        self.rom.addr.next = self.b.val().get_bits::<8>(36);
        self.from_rom.next = self.rom.data.val();
        self.delay.d.next = self.a.val();
        self.past.next = self.delay.q.val();
    }
}

fn cells(target: Target) -> Cells {
    let sources = sources("primitives", &mut Primitives::default()).unwrap_or_else(|error| panic!("{error}"));
    let cells = synthesise(&sources, target).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(cells.latches(), 0, "{cells:?}");
    cells
}

#[test]
fn word_level_cells_are_memories_and_products() {
    let cells = cells(Target::Generic);
    assert_eq!(cells.multipliers(), 6, "{cells:?}");
    // two RAMs and the ROM; the delay is still a chain of registers
    assert_eq!(cells.block_rams(), 3, "{cells:?}");
}

#[test]
fn ecp5_uses_its_multipliers_and_memories() {
    let cells = cells(Target::Ecp5);
    assert_eq!(cells.multipliers(), 6, "{cells:?}");
    // two RAMs, the ROM, and the delay, which is a memory instead of 40 x 34 flip-flops
    assert_eq!(cells.block_rams(), 4, "{cells:?}");
    assert!(cells.flip_flops() < 600, "{cells:?}");
}

#[test]
fn xilinx_uses_its_multipliers_memories_and_shift_registers() {
    let cells = cells(Target::Xcup);
    assert_eq!(cells.multipliers(), 6, "{cells:?}");
    assert_eq!(cells.block_rams(), 3, "{cells:?}");
    assert!(cells.shift_registers() >= 34, "{cells:?}");
}

/// The netlist that is placed has plain vectors where the Verilog has the package's words.
#[test]
fn a_block_whose_ports_are_words_is_placed() {
    let sources = sources("hpcc_sched_merge", &mut Merge::default()).unwrap_or_else(|error| panic!("{error}"));
    assert!(sources
        .files
        .iter()
        .any(|(_, text)| text.contains("hpcc_nic_pkg::grant_t own_data")));
    let placed = place(&sources, 200, 1).unwrap_or_else(|error| panic!("{error}"));
    assert!(placed.fmax_mhz > 100.0 && placed.levels > 0, "{placed:?}");
}

/// Both RAMs and the ROM have more than 4096 bits; the delay is a chain of registers. What takes longest is the sum of a product's tiles.
#[test]
fn standard_cells_have_rams_and_a_clock_rate() {
    let sources = sources("primitives", &mut Primitives::default()).unwrap_or_else(|error| panic!("{error}"));
    let cells = standard_cells(&sources).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(cells.macros, 3, "{cells:?}");
    assert!((400.0..1000.0).contains(&cells.mhz) && cells.levels > 10, "{cells:?}");
    assert!(cells.slowest_path.starts_with("mul."), "{cells:?}");
    // 40 x 34 flip-flops of 4.5 square micrometres and a product of as much
    assert!((0.006..0.03).contains(&cells.area_mm2), "{cells:?}");
}
