//! The tables of what each emitted top, and each block of the NIC, costs and how fast it is.

use super::blocks::Block;
use super::synth::{place, synthesise, Cells, Placement, SynthError, Target};
use crate::verilated::{top_sources, Sources};
use hpcc_rtl::cc::dcqcn::DcqcnSlot;
use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_rtl::cc::powertcp::PowerSlot;
use hpcc_rtl::cc::slot::LawSlot;
use hpcc_rtl::cc::theta::ThetaSlot;
use hpcc_rtl::emit::EmitError;
use hpcc_rtl::prim::divider::{Divider, DividerRadix4};
use hpcc_rtl::prim::reciprocal::{PaperReciprocal, Reciprocal};
use hpcc_rtl::tops::Top;
use std::fmt::Write;

/// Clock rate that placement aims at, megahertz.
const GOAL_MHZ: u32 = 220;

/// Why a row cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum HardwareError {
    /// The top cannot be emitted.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// Synthesis or placement failed.
    #[error(transparent)]
    Synth(#[from] SynthError),
}

/// One top or block, measured.
#[derive(Debug, Clone)]
pub struct Row {
    /// Module, or path of the block.
    pub name: String,
    /// Cells on Lattice ECP5.
    pub ecp5: Cells,
    /// Cells on Xilinx UltraScale+.
    pub xcup: Cells,
    /// After place and route on ECP5, speed grade 8; nothing if not asked for or not possible.
    pub placement: Option<Placement>,
}

/// Measures a top; `say` hears what is being done.
pub fn measure(top: &Top, seeds: u32, say: &dyn Fn(String)) -> Result<Row, HardwareError> {
    let sources = top_sources(top)?;
    measure_sources(top.name, &sources, seeds, say)
}

/// Measures a block of the NIC.
pub fn measure_block(block: &Block, seeds: u32, say: &dyn Fn(String)) -> Result<Row, HardwareError> {
    let seeds = if block.wiring { 0 } else { seeds };
    measure_sources(&block.path, &block.sources, seeds, say)
}

fn measure_sources(name: &str, sources: &Sources, seeds: u32, say: &dyn Fn(String)) -> Result<Row, HardwareError> {
    let step = |what: &str| say(format!("{name}: {what}"));
    step("synthesis for ECP5");
    let ecp5 = synthesise(sources, Target::Ecp5)?;
    step("synthesis for UltraScale+");
    let xcup = synthesise(sources, Target::Xcup)?;
    let mut placement: Option<Placement> = None;
    for seed in 1..=seeds {
        step(&format!("place and route, seed {seed} of {seeds}"));
        let placed = place(sources, GOAL_MHZ, seed)?;
        if placement.as_ref().is_none_or(|best| placed.fmax_mhz > best.fmax_mhz) {
            placement = Some(placed);
        }
    }
    Ok(Row {
        name: name.into(),
        ecp5,
        xcup,
        placement,
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
        "| top | latency | interval | ECP5 LUT4 | FF | DSP | BRAM | Fmax | UltraScale+ LUT | FF | SRL | DSP | BRAM18 |\n",
    );
    text += "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for row in rows {
        let (latency, interval) = timing(&row.name);
        let rate = row
            .placement
            .as_ref()
            .map_or("not measured".into(), |p| format!("{:.1} MHz", p.fmax_mhz));
        let (e, x) = (&row.ecp5, &row.xcup);
        let _ = writeln!(
            text,
            "| {} | {latency} | {interval} | {} | {} | {} | {} | {rate} | {} | {} | {} | {} | {} |",
            row.name,
            e.luts(),
            e.flip_flops(),
            e.multipliers(),
            e.block_rams(),
            x.luts(),
            x.flip_flops(),
            x.shift_registers(),
            x.multipliers(),
            x.block_rams(),
        );
    }
    for row in rows {
        if let Some(placement) = &row.placement {
            let _ = writeln!(text, "{}: slowest path {}", row.name, placement.slowest_path);
        }
    }
    text
}

/// One line of the table of blocks.
fn block_line(name: &str, ecp5: &Cells, xcup: &Cells, rate: &str) -> String {
    format!(
        "| {name} | {} | {} | {} | {} | {} | {rate} | {} | {} | {} | {} | {} | {} |\n",
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
        "| block | ECP5 LUT4 | FF | LUT RAM | DSP | BRAM | Fmax, MHz | UltraScale+ LUT | FF | SRL | LUT RAM | DSP | BRAM18 |\n",
    );
    text += "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    let (mut ecp5, mut xcup) = (Cells::default(), Cells::default());
    for row in rows {
        let rate = row
            .placement
            .as_ref()
            .map_or("-".into(), |p| format!("{:.0}", p.fmax_mhz));
        text += &block_line(&row.name, &row.ecp5, &row.xcup, &rate);
        ecp5.add(&row.ecp5);
        xcup.add(&row.xcup);
    }
    let placed = rows.iter().filter_map(|row| Some((row, row.placement.as_ref()?)));
    let slowest = placed.clone().min_by(|a, b| a.1.fmax_mhz.total_cmp(&b.1.fmax_mhz));
    let rate = slowest.map_or("-".into(), |(_, p)| format!("{:.0}", p.fmax_mhz));
    text += &block_line("**sum, slowest**", &ecp5, &xcup, &rate);
    let _ = writeln!(text, "\nlatches: {}\n", ecp5.latches() + xcup.latches());
    for (row, path) in placed {
        let _ = writeln!(
            text,
            "{}: {:.1} MHz, {} levels, {:.0} % wire: {}",
            row.name,
            path.fmax_mhz,
            path.levels,
            100.0 * path.wire_share,
            path.slowest_path
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_says_so() {
        let cells = |names: &[(&str, u64)]| Cells(names.iter().map(|(name, n)| (name.to_string(), *n)).collect());
        let row = Row {
            name: "hpcc_cc".into(),
            ecp5: cells(&[
                ("LUT4", 10),
                ("CCU2C", 3),
                ("TRELLIS_FF", 7),
                ("MULT18X18D", 2),
                ("DP16KD", 1),
            ]),
            xcup: cells(&[
                ("LUT6", 5),
                ("LUT2", 1),
                ("FDRE", 6),
                ("SRL16E", 4),
                ("DSP48E2", 2),
                ("RAMB36E2", 1),
            ]),
            placement: None,
        };
        let text = table(&[row]);
        let last = text.lines().nth(2).expect("row");
        assert!(
            last.ends_with("| 16 | 7 | 2 | 1 | not measured | 6 | 6 | 4 | 2 | 2 |"),
            "{last}"
        );
    }
    #[test]
    fn the_last_row_of_the_blocks_is_their_sum() {
        let row = |name: &str, luts: u64, fmax: Option<f64>| Row {
            name: name.into(),
            ecp5: Cells([("LUT4".into(), luts), ("DP16KD".into(), 2)].into()),
            xcup: Cells(
                [
                    ("LUT6".into(), luts / 2),
                    ("RAMB36E2".into(), 1),
                    ("RAM32M16".into(), 3),
                ]
                .into(),
            ),
            placement: fmax.map(|fmax_mhz| Placement {
                fmax_mhz,
                slowest_path: "a -> b".into(),
                levels: 3,
                wire_share: 0.5,
            }),
        };
        let rows = [
            row("rx.parser", 100, Some(180.0)),
            row("rx (wiring)", 20, None),
            row("tx.data", 50, Some(170.4)),
        ];
        let text = block_table(&rows);
        assert!(
            text.contains("| rx (wiring) | 20 | 0 | 0 | 0 | 2 | - | 10 | 0 | 0 | 3 | 0 | 2 |"),
            "{text}"
        );
        assert!(
            text.contains("| **sum, slowest** | 170 | 0 | 0 | 0 | 6 | 170 | 85 | 0 | 0 | 9 | 0 | 6 |"),
            "{text}"
        );
        assert!(text.contains("latches: 0\n") && text.ends_with("tx.data: 170.4 MHz, 3 levels, 50 % wire: a -> b\n"));
    }
}
