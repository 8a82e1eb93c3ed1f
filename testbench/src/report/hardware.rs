//! The tables of what each emitted top, and each block of the NIC, costs and how fast it is.

use super::blocks::Block;
use super::synth::{place, standard_cells, synthesise, Cells, Placement, StandardCells, SynthError, Target};
use crate::verilated::Sources;
use hpcc_rtl::cc::dcqcn::DcqcnSlot;
use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_rtl::cc::powertcp::PowerSlot;
use hpcc_rtl::cc::slot::LawSlot;
use hpcc_rtl::cc::theta::ThetaSlot;
use hpcc_rtl::prim::divider::{Divider, DividerRadix4};
use hpcc_rtl::prim::reciprocal::{PaperReciprocal, Reciprocal};
use std::fmt::Write;

/// Clock rate that placement aims at, megahertz.
const GOAL_MHZ: u32 = 220;

/// One top or block, measured.
#[derive(Debug, Clone)]
pub struct Row {
    /// Module, or path of the block.
    pub name: String,
    /// Cells on Lattice ECP5.
    pub ecp5: Cells,
    /// Cells on Xilinx UltraScale+.
    pub xcup: Cells,
    /// After place and route on the smallest ECP5 of speed grade 8 that has room, one of each seed, the slowest first; none if not asked for or not possible.
    pub placements: Vec<Placement>,
    /// In 45 nm standard cells; nothing if not asked for or not possible.
    pub cells45: Option<StandardCells>,
}

impl Row {
    /// The placement in the middle, so that its path can be shown; of an even number the slower of the two there.
    fn median(&self) -> Option<&Placement> {
        self.placements.get(self.placements.len().saturating_sub(1) / 2)
    }
}

/// What to measure beside the cells.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// Placements on ECP5, of seeds from 1.
    pub seeds: u32,
    /// Whether to map to 45 nm standard cells.
    pub cells45: bool,
}

/// Measures a block of the NIC; `say` hears what is being done. Wiring around black boxes has no clock rate.
pub fn measure_block(block: &Block, wanted: Wanted, say: &dyn Fn(String)) -> Result<Row, SynthError> {
    let wanted = if block.wiring { Wanted::default() } else { wanted };
    measure(&block.path, &block.sources, wanted, say)
}

/// Measures what a row is named after.
pub fn measure(name: &str, sources: &Sources, wanted: Wanted, say: &dyn Fn(String)) -> Result<Row, SynthError> {
    let step = |what: &str| say(format!("{name}: {what}"));
    step("synthesis for ECP5");
    let ecp5 = synthesise(sources, Target::Ecp5)?;
    step("synthesis for UltraScale+");
    let xcup = synthesise(sources, Target::Xcup)?;
    let cells45 = if wanted.cells45 {
        step("synthesis for 45 nm standard cells");
        Some(standard_cells(sources)?)
    } else {
        None
    };
    let mut placements = vec![];
    for seed in 1..=wanted.seeds {
        step(&format!("place and route, seed {seed} of {}", wanted.seeds));
        placements.push(place(sources, GOAL_MHZ, seed)?);
    }
    placements.sort_by(|a, b| a.fmax_mhz.total_cmp(&b.fmax_mhz));
    Ok(Row {
        name: name.into(),
        ecp5,
        xcup,
        placements,
        cells45,
    })
}

/// Clocks from input to output and clocks between inputs, of the tops for which that is fixed.
fn timing(name: &str) -> (String, &'static str) {
    match name {
        "hpcc_cc" => (HpccSlot::<300, 9>::LATENCY.to_string(), "1, same flow 6"),
        "hpcc_cc_dcqcn" => (DcqcnSlot::<300, 9>::LATENCY.to_string(), "1, same flow 6"),
        "hpcc_cc_powertcp" => (PowerSlot::<300, 9>::LATENCY.to_string(), "1, same flow 6"),
        "hpcc_cc_theta" => (ThetaSlot::<300, 9>::LATENCY.to_string(), "1, same flow 6"),
        "hpcc_reciprocal" => (Reciprocal::LATENCY.to_string(), "1"),
        "hpcc_reciprocal_paper" => (PaperReciprocal::LATENCY.to_string(), "1"),
        "hpcc_divider" => (Divider::LATENCY.to_string(), "25"),
        "hpcc_divider_radix4" => (DividerRadix4::LATENCY.to_string(), "14"),
        _ => ("-".into(), "-"),
    }
}

/// The rows as a Markdown table, with what was not measured said so.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| top | latency | interval | ECP5 LUT4 | FF | DSP | BRAM | Fmax | 45 nm | UltraScale+ LUT | FF | SRL | DSP | BRAM18 |\n",
    );
    text += "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    let rate = |mhz: Option<f64>| mhz.map_or("not measured".into(), |mhz| format!("{mhz:.1} MHz"));
    for row in rows {
        let (latency, interval) = timing(&row.name);
        let (e, x) = (&row.ecp5, &row.xcup);
        let _ = writeln!(
            text,
            "| {} | {latency} | {interval} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.name,
            e.luts(),
            e.flip_flops(),
            e.multipliers(),
            e.block_rams(),
            rate(row.median().map(|placed| placed.fmax_mhz)),
            rate(row.cells45.as_ref().map(|cells| cells.mhz)),
            x.luts(),
            x.flip_flops(),
            x.shift_registers(),
            x.multipliers(),
            x.block_rams(),
        );
    }
    text + &paths(rows)
}

/// The slowest path of each row: in the median placement, with the span of all, and in standard cells.
fn paths(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        if let (Some(path), Some(slowest), Some(fastest)) =
            (row.median(), row.placements.first(), row.placements.last())
        {
            let of = match row.placements.len() {
                1 => "one seed".to_string(),
                seeds => format!(
                    "median of {seeds} seeds ({:.1} to {:.1})",
                    slowest.fmax_mhz, fastest.fmax_mhz
                ),
            };
            let _ = writeln!(
                text,
                "{} on {}: {:.1} MHz, {of}, {} levels, {:.0} % wire: {}",
                row.name,
                path.part,
                path.fmax_mhz,
                path.levels,
                100.0 * path.wire_share,
                path.slowest_path
            );
        }
        if let Some(cells) = &row.cells45 {
            let _ = writeln!(
                text,
                "{} in 45 nm: {:.0} MHz, {} cells, {:.3} mm2 and {} RAM macros: {}",
                row.name, cells.mhz, cells.levels, cells.area_mm2, cells.macros, cells.slowest_path
            );
        }
    }
    text
}

/// One line of the table of blocks.
fn block_line(name: &str, ecp5: &Cells, xcup: &Cells, rates: [Option<f64>; 2]) -> String {
    let [fmax, cells45] = rates.map(|mhz| mhz.map_or("-".into(), |mhz| format!("{mhz:.0}")));
    format!(
        "| {name} | {} | {} | {} | {} | {} | {fmax} | {cells45} | {} | {} | {} | {} | {} | {} |\n",
        ecp5.luts(),
        ecp5.flip_flops(),
        ecp5.lut_rams(),
        ecp5.multipliers(),
        ecp5.block_rams(),
        xcup.luts(),
        xcup.flip_flops(),
        xcup.shift_registers(),
        xcup.lut_rams(),
        xcup.multipliers(),
        xcup.block_rams(),
    )
}

/// The blocks of the NIC as a Markdown table with their sum and, below it, the slowest path of each.
pub fn block_table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| block | ECP5 LUT4 | FF | LUT RAM | DSP | BRAM | Fmax, MHz | 45 nm, MHz | UltraScale+ LUT | FF | SRL | LUT RAM | DSP | BRAM18 |\n",
    );
    text += "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    let (mut ecp5, mut xcup) = (Cells::default(), Cells::default());
    let rates = |row: &Row| {
        let placed = row.median().map(|placed| placed.fmax_mhz);
        [placed, row.cells45.as_ref().map(|cells| cells.mhz)]
    };
    for row in rows {
        text += &block_line(&row.name, &row.ecp5, &row.xcup, rates(row));
        ecp5.add(&row.ecp5);
        xcup.add(&row.xcup);
    }
    let slowest = [0, 1].map(|at| rows.iter().filter_map(|row| rates(row)[at]).min_by(f64::total_cmp));
    text += &block_line("**sum, slowest**", &ecp5, &xcup, slowest);
    let _ = writeln!(text, "\nlatches: {}\n", ecp5.latches() + xcup.latches());
    text + &paths(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placement(fmax_mhz: f64) -> Placement {
        Placement {
            fmax_mhz,
            part: "LFE5U-25F-8".into(),
            slowest_path: "a -> b".into(),
            levels: 3,
            wire_share: 0.5,
        }
    }

    fn row(name: &str, ecp5: &[(&str, u64)], xcup: &[(&str, u64)], rates: &[f64]) -> Row {
        let cells = |names: &[(&str, u64)]| Cells(names.iter().map(|(name, n)| (name.to_string(), *n)).collect());
        Row {
            name: name.into(),
            ecp5: cells(ecp5),
            xcup: cells(xcup),
            placements: rates.iter().copied().map(placement).collect(),
            cells45: None,
        }
    }

    #[test]
    fn what_was_not_measured_says_so() {
        let ecp5 = [
            ("LUT4", 10),
            ("CCU2C", 3),
            ("TRELLIS_FF", 7),
            ("MULT18X18D", 2),
            ("DP16KD", 1),
        ];
        let xcup = [
            ("LUT6", 5),
            ("LUT2", 1),
            ("FDRE", 6),
            ("SRL16E", 4),
            ("DSP48E2", 2),
            ("RAMB36E2", 1),
        ];
        let text = table(&[row("hpcc_cc", &ecp5, &xcup, &[])]);
        let last = text.lines().nth(2).expect("row");
        assert!(
            last.ends_with("| 16 | 7 | 2 | 1 | not measured | not measured | 6 | 6 | 4 | 2 | 2 |"),
            "{last}"
        );
    }

    #[test]
    fn the_last_row_of_the_blocks_is_their_sum() {
        let block = |name: &str, luts: u64, rates: &[f64]| {
            let xcup = [("LUT6", luts / 2), ("RAMB36E2", 1), ("RAM32M16", 3)];
            row(name, &[("LUT4", luts), ("DP16KD", 2)], &xcup, rates)
        };
        let mut rows = [
            block("rx.parser", 100, &[170.0, 180.0, 181.0]),
            block("rx (wiring)", 20, &[]),
            block("tx.data", 50, &[170.4]),
        ];
        rows[2].cells45 = Some(StandardCells {
            mhz: 805.6,
            slowest_path: "c -> d".into(),
            levels: 30,
            area_mm2: 0.0204,
            macros: 5,
        });
        let text = block_table(&rows);
        assert!(
            text.contains("| rx (wiring) | 20 | 0 | 0 | 0 | 2 | - | - | 10 | 0 | 0 | 3 | 0 | 2 |"),
            "{text}"
        );
        assert!(
            text.contains("| **sum, slowest** | 170 | 0 | 0 | 0 | 6 | 170 | 806 | 85 | 0 | 0 | 9 | 0 | 6 |"),
            "{text}"
        );
        let below = "latches: 0

rx.parser on LFE5U-25F-8: 180.0 MHz, median of 3 seeds (170.0 to 181.0), 3 levels, 50 % wire: a -> b
tx.data on LFE5U-25F-8: 170.4 MHz, one seed, 3 levels, 50 % wire: a -> b
tx.data in 45 nm: 806 MHz, 30 cells, 0.020 mm2 and 5 RAM macros: c -> d
";
        assert!(text.ends_with(below), "{text}");
    }

    #[test]
    fn the_median_is_one_of_the_placements() {
        let median = |rates: &[f64]| row("a", &[], &[], rates).median().map(|placed| placed.fmax_mhz);
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[150.0]), Some(150.0));
        assert_eq!(median(&[150.0, 160.0]), Some(150.0));
        assert_eq!(median(&[150.0, 160.0, 190.0]), Some(160.0));
    }
}
