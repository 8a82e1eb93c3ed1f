//! The ECP5 that a block is placed on: the smallest that holds it with room to spare. On a larger one its parts are strewn over the whole die, and what
//! is measured is how far apart. It also says which of nextpnr's placers places the block.

use super::Cells;
use serde_json::Value;

/// An ECP5 of speed grade 8.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    /// Name in Lattice's data sheet FPGA-DS-02012, which the figures are from.
    pub name: &'static str,
    /// Device and package as nextpnr's options.
    device: &'static str,
    package: &'static str,
    /// Tables of four inputs, and as many flip-flops.
    luts: u64,
    block_rams: u64,
    multipliers: u64,
}

/// The smallest first.
const PARTS: [Part; 3] = [
    Part {
        name: "LFE5U-25F-8",
        device: "--25k",
        package: "CABGA381",
        luts: 24_288,
        block_rams: 56,
        multipliers: 28,
    },
    Part {
        name: "LFE5U-45F-8",
        device: "--45k",
        package: "CABGA554",
        luts: 43_848,
        block_rams: 108,
        multipliers: 72,
    },
    Part {
        name: "LFE5U-85F-8",
        device: "--85k",
        package: "CABGA756",
        luts: 83_640,
        block_rams: 208,
        multipliers: 156,
    },
];

/// Names the choice in the key of a placement.
pub(super) const STEP: &str =
    "two thirds of the tables and flip-flops, nine tenths of block RAM, three quarters of the multipliers; static from 16000 tables on where at most half of the multipliers are in use, else heap with slow paths three times as heavy";

/// Tables from which on nextpnr's electrostatic placer is used: minutes for a block for which its own choice, `heap`, needs up to an hour. Smaller
/// blocks are placed in minutes by either, and `heap` leaves them shorter wires; so it does where more than half of the multipliers are in use, which
/// `static` strews. What clock rates both find is in `docs/src/evidence/numbers.md`.
const STATIC_FROM: u64 = 16_000;

/// Tables in use: of distributed RAM four hold the bits, two more write them.
fn tables(needed: &Cells) -> u64 {
    needed.luts() + 6 * needed.lut_rams()
}

/// Cells of a mapped and flattened netlist of Yosys.
fn cells(netlist: &Value, top: &str) -> Cells {
    let mut cells = Cells::default();
    let module = netlist["modules"][top]["cells"].as_object();
    for kind in module
        .into_iter()
        .flatten()
        .filter_map(|(_, cell)| cell["type"].as_str())
    {
        *cells.0.entry(kind.into()).or_default() += 1;
    }
    cells
}

impl Part {
    /// The smallest with room for the netlist; the largest if none has.
    pub(super) fn smallest_for(netlist: &Value, top: &str) -> Self {
        let needed = cells(netlist, top);
        let fitting = PARTS.iter().find(|part| part.has_room(&needed));
        *fitting.unwrap_or(&PARTS[PARTS.len() - 1])
    }

    /// Most of what nextpnr can fill without long ways around: multipliers stand in few columns, so that where they are nearly all in use, logic is far from some.
    fn has_room(&self, needed: &Cells) -> bool {
        3 * tables(needed).max(needed.flip_flops()) <= 2 * self.luts
            && 10 * needed.block_rams() <= 9 * self.block_rams
            && 4 * needed.multipliers() <= 3 * self.multipliers
    }

    /// The placer for a mapped netlist on this part, as options of nextpnr.
    pub(super) fn placer(&self, netlist: &Value, top: &str) -> &'static [&'static str] {
        let needed = cells(netlist, top);
        if tables(&needed) >= STATIC_FROM && 2 * needed.multipliers() <= self.multipliers {
            &["--placer", "static"]
        } else {
            // slow paths weigh three times as much as nextpnr lets them
            &["--placer", "heap", "--placer-heap-timingweight", "30"]
        }
    }

    /// As options of nextpnr.
    pub(super) fn options(&self) -> [&'static str; 5] {
        [self.device, "--speed", "8", "--package", self.package]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A netlist of so many cells of each kind.
    fn netlist(counts: &[(&str, u64)]) -> Value {
        let mut cells = serde_json::Map::new();
        for (kind, count) in counts {
            cells.extend((0..*count).map(|i| (format!("{kind}_{i}"), json!({ "type": kind }))));
        }
        json!({"modules": {"block": {"cells": cells}}})
    }

    #[test]
    fn a_block_is_placed_on_the_smallest_part_with_room() {
        let name = |counts: &[(&str, u64)]| Part::smallest_for(&netlist(counts), "block").name;
        assert_eq!(name(&[("LUT4", 16_192), ("TRELLIS_FF", 16_192)]), "LFE5U-25F-8");
        assert_eq!(name(&[("LUT4", 16_193)]), "LFE5U-45F-8");
        assert_eq!(name(&[("CCU2C", 8_097)]), "LFE5U-45F-8");
        assert_eq!(name(&[("TRELLIS_DPR16X4", 2_699)]), "LFE5U-45F-8");
        assert_eq!(name(&[("TRELLIS_FF", 16_193)]), "LFE5U-45F-8");
        assert_eq!(name(&[("DP16KD", 50)]), "LFE5U-25F-8");
        assert_eq!(name(&[("DP16KD", 97)]), "LFE5U-45F-8");
        assert_eq!(name(&[("DP16KD", 98)]), "LFE5U-85F-8");
        assert_eq!(name(&[("MULT18X18D", 21)]), "LFE5U-25F-8");
        assert_eq!(name(&[("MULT18X18D", 54)]), "LFE5U-45F-8");
        assert_eq!(name(&[("MULT18X18D", 55)]), "LFE5U-85F-8");
        assert_eq!(name(&[("OTHER", 99)]), "LFE5U-25F-8");
    }

    #[test]
    fn large_blocks_are_placed_by_the_quick_placer() {
        let of = |counts: &[(&str, u64)]| {
            let netlist = netlist(counts);
            Part::smallest_for(&netlist, "block").placer(&netlist, "block")[1]
        };
        assert_eq!(of(&[("LUT4", 15_999)]), "heap");
        assert_eq!(of(&[("LUT4", 16_000), ("MULT18X18D", 78)]), "static");
        assert_eq!(of(&[("LUT4", 16_000), ("MULT18X18D", 79)]), "heap");
        assert_eq!(of(&[("LUT4", 16_000)]), "static");
        assert_eq!(of(&[("LUT4", 10_000), ("TRELLIS_DPR16X4", 1_000)]), "static");
        assert_eq!(of(&[("DP16KD", 200)]), "heap");
    }
}
