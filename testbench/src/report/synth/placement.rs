//! Place and route by nextpnr on ECP5, of the netlist whose cells were counted.

use super::part::{self, Part};
use super::{folder, harness, output_registers, read_json, synthesised, yosys, SynthError, Target};
use crate::report::blocks;
use crate::tools::{cache, run, webassembly, Tool};
use crate::verilated::Sources;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// File that says which part it was.
const PART: &str = "part.txt";

/// The harness is synthesised around a black box, then the block's mapped netlist takes the box's place.
const SCRIPT: &str = "read_verilog -sv box.sv harness.sv
synth_ecp5 -top HARNESS
design -stash harness
read_json block.json
design -copy-from harness -as HARNESS HARNESS
hierarchy -top HARNESS
flatten
opt_clean
write_json netlist.json
";

/// Result of placing and routing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Highest clock rate after routing, megahertz.
    pub fmax_mhz: f64,
    /// The part that it is placed on.
    pub part: String,
    /// From where to where the slowest path goes.
    pub slowest_path: String,
    /// Lookup tables, carry chains (once, however long), multipliers and the like on it.
    pub levels: usize,
    /// Share of its delay that is wire.
    pub wire_share: f64,
}

/// Places and routes a top on the smallest ECP5 of speed grade 8 with room for it, aiming at `goal_mhz`.
pub fn place(sources: &Sources, goal_mhz: u32, seed: u32) -> Result<Placement, SynthError> {
    let clocked = clocked(sources)?;
    let boxed = harness::black_box(&sources.top, &sources.ports, clocked);
    let wrapped = harness::wrap(&sources.top, &sources.ports, clocked);
    let script = SCRIPT.replace("HARNESS", &harness::top(&sources.top));
    let (goal, seed) = (goal_mhz.to_string(), seed.to_string());
    let settings = [
        Tool::NextpnrEcp5.requirement(),
        boxed.as_str(),
        wrapped.as_str(),
        script.as_str(),
        output_registers::STEP,
        part::STEP,
        goal.as_str(),
        seed.as_str(),
    ];
    let dir = folder("placed", sources, &settings);
    if !dir.is_dir() {
        let netlist = synthesised(sources, Target::Ecp5)?.join("netlist.json");
        cache::folder(&dir, |dir| -> Result<(), SynthError> {
            std::fs::copy(&netlist, dir.join("block.json"))?;
            std::fs::write(dir.join("box.sv"), &boxed)?;
            std::fs::write(dir.join("harness.sv"), &wrapped)?;
            yosys(dir, &script)?;
            let (netlist, mut mapped) = read_json(dir.join("netlist.json"))?;
            let top = harness::top(&sources.top);
            output_registers::take_in(&mut mapped, &top);
            std::fs::write(netlist, mapped.to_string())?;
            let part = Part::smallest_for(&mapped, &top);
            std::fs::write(dir.join(PART), part.name)?;
            let mut command = webassembly(Tool::NextpnrEcp5, dir)?;
            command.args(part.options());
            command.args(part.placer(&mapped, &top));
            command.args(["--json", "netlist.json", "--freq", &goal]);
            command.args([
                "--seed",
                &seed,
                "--report",
                "timing.json",
                "--timing-allow-fail",
                "--lpf-allow-unconstrained",
            ]);
            run(
                command.args(["--quiet", "--log", "nextpnr.log"]),
                "nextpnr comes from its wheel",
            )?;
            Ok(())
        })?;
    }
    let part = std::fs::read_to_string(dir.join(PART))?;
    read(dir.join("timing.json"), part)
}

/// Whether the top has a clock.
fn clocked(sources: &Sources) -> Result<bool, SynthError> {
    let file = format!("{}.sv", sources.top);
    let text = sources.files.iter().find(|(name, _)| *name == file);
    let header = text.and_then(|(_, text)| blocks::header(text, &sources.top));
    header.map(blocks::clocked).ok_or_else(|| SynthError::Result {
        file: file.into(),
        reason: "no module of that name".into(),
    })
}

/// A cell by the signal that the emitted Verilog names, without what the tools add.
fn short(cell: &str) -> String {
    let cell = cell.trim_start_matches("u_block.");
    let ends = [
        "_TRELLIS_FF_",
        "_LUT4_",
        "_CCU2C_",
        "_PFUMX_",
        "_L6MUX21_",
        "_DP16KD_",
        "_MULT18X18D_",
    ];
    let end = ends.iter().filter_map(|mark| cell.find(mark)).min();
    cell[..end.unwrap_or(cell.len())].replace("u_", "")
}

fn read(file: PathBuf, part: String) -> Result<Placement, SynthError> {
    let (file, value) = read_json(file)?;
    parse(&value, part).ok_or_else(|| SynthError::Result {
        file,
        reason: "no clock rate".into(),
    })
}

/// nextpnr's report: the slowest clock and the longest path between two registers.
fn parse(value: &serde_json::Value, part: String) -> Option<Placement> {
    let rates = value["fmax"].as_object()?.values();
    let fmax_mhz = rates
        .filter_map(|rate| rate["achieved"].as_f64())
        .fold(f64::INFINITY, f64::min);
    let clocked = |path: &&serde_json::Value| {
        ["from", "to"]
            .iter()
            .all(|side| path[*side].as_str().is_some_and(|edge| edge.starts_with("posedge")))
    };
    let hops = value["critical_paths"]
        .as_array()
        .into_iter()
        .flatten()
        .find(clocked)
        .and_then(|path| path["path"].as_array());
    let hops = hops.map_or(&[][..], Vec::as_slice);
    let end = |hop: Option<&serde_json::Value>, side: &str| {
        hop.and_then(|hop| hop[side]["cell"].as_str()).map_or("?".into(), short)
    };
    let delay = |wanted: &str| -> f64 {
        let chosen = hops.iter().filter(|hop| wanted.is_empty() || hop["type"] == wanted);
        chosen.filter_map(|hop| hop["delay"].as_f64()).sum()
    };
    fmax_mhz.is_finite().then(|| Placement {
        fmax_mhz,
        part,
        slowest_path: format!("{} -> {}", end(hops.first(), "from"), end(hops.last(), "to")),
        levels: hops
            .iter()
            .filter(|hop| hop["type"] == "logic" && hop["to"]["port"] != "FCO")
            .count(),
        wire_share: delay("routing") / delay("").max(1e-9),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_path_between_registers_is_read() {
        let hop = |kind: &str, from: &str, to: &str, delay: f64| json!({"type": kind, "delay": delay, "from": {"cell": from}, "to": {"cell": to}});
        let report = json!({
            "fmax": {"clk": {"achieved": 160.5, "constraint": 220}},
            "critical_paths": [
                {"from": "<async>", "to": "posedge clk", "path": [hop("source", "pin", "pin", 9.0)]},
                {"from": "posedge clk", "to": "posedge clk", "path": [
                    hop("clk-to-q", "u_block.u_state.row_q_TRELLIS_FF_Q_7", "u_block.u_state.row_q_TRELLIS_FF_Q_7", 0.5),
                    hop("routing", "u_block.u_state.row_q_TRELLIS_FF_Q_7", "u_block.a_LUT4_Z", 1.0),
                    hop("logic", "u_block.a_LUT4_Z", "u_block.a_LUT4_Z", 0.25),
                    json!({"type": "logic", "delay": 0.0, "from": {"cell": "c"}, "to": {"cell": "c", "port": "FCO"}}),
                    hop("routing", "u_block.a_LUT4_Z", "captured_TRELLIS_FF_Q", 2.0),
                    hop("setup", "captured_TRELLIS_FF_Q", "captured_TRELLIS_FF_Q", 0.25),
                ]},
            ],
        });
        let placement = parse(&report, "LFE5U-25F-8".into()).expect("report");
        assert_eq!(placement.slowest_path, "state.row_q -> captured");
        assert_eq!(
            (placement.fmax_mhz, placement.levels, placement.wire_share),
            (160.5, 1, 0.75)
        );
        assert_eq!(parse(&json!({"fmax": {}}), String::new()), None);
    }
}
