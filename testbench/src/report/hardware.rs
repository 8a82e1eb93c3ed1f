//! The table of what each emitted top costs and how fast it is.

use super::synth::{place, synthesise, Cells, Placement, SynthError, Target};
use crate::verilated::top_sources;
use hpcc_rtl::cc::hpcc::LATENCY;
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

/// One top, measured.
#[derive(Debug, Clone)]
pub struct Row {
    /// Module.
    pub name: &'static str,
    /// Cells on Lattice ECP5.
    pub ecp5: Cells,
    /// Cells on Xilinx UltraScale+.
    pub xcup: Cells,
    /// After place and route on ECP5, speed grade 8; nothing if not asked for.
    pub placement: Option<Placement>,
}

/// Measures a top; `say` hears what is being done.
pub fn measure(top: &Top, seeds: u32, say: &dyn Fn(String)) -> Result<Row, HardwareError> {
    let sources = top_sources(top)?;
    let step = |what: &str| say(format!("{}: {what}", top.name));
    step("synthesis for ECP5");
    let ecp5 = synthesise(&sources, Target::Ecp5)?;
    step("synthesis for UltraScale+");
    let xcup = synthesise(&sources, Target::Xcup)?;
    let mut placement: Option<Placement> = None;
    for seed in 1..=seeds {
        step(&format!("place and route, seed {seed} of {seeds}"));
        let placed = place(&sources, GOAL_MHZ, seed)?;
        if placement.as_ref().is_none_or(|best| placed.fmax_mhz > best.fmax_mhz) {
            placement = Some(placed);
        }
    }
    Ok(Row {
        name: top.name,
        ecp5,
        xcup,
        placement,
    })
}

/// Clocks from input to output and clocks between inputs, of the tops for which that is fixed.
fn timing(name: &str) -> (String, &'static str) {
    match name {
        "hpcc_cc" => (LATENCY.to_string(), "1, same flow 6"),
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
        let (latency, interval) = timing(row.name);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_says_so() {
        let cells = |names: &[(&str, u64)]| Cells(names.iter().map(|(name, n)| (name.to_string(), *n)).collect());
        let row = Row {
            name: "hpcc_cc",
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
}
