//! Clock rate and area in 45 nm standard cells (Nangate Open Cell Library, typical corner), before layout: Yosys and ABC map the
//! block, `timing` finds its slowest path. What `report` says of these cells is logic, with a statistical load for wires: an upper
//! bound, good to compare blocks.
//!
//! RAMs of more than 4096 bits that are read through a register become macros of 512 words of 64 bits, all others flip-flops.

mod liberty;
mod library;
mod netlist;
mod timing;

use super::{folder, read_json, write_files, yosys, SynthError};
use crate::tools::{cache, nangate, NANGATE};
use crate::verilated::Sources;
use library::Library;
use netlist::{Netlist, MACRO};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Names what the timing assumes in the key of a result; to be changed with it.
const ASSUMES: &str =
    "latest edges, slowest transitions, wire load of the library, 0.1 ns outside, macros 0.6 ns and 0.1 ns";

/// The macro for `memory_libmap`. One costs less than any RAM that is left to it costs as flip-flops.
const RAM: &str = "ram block $__SRAM_ {
  abits 9;
  width 64;
  cost 64;
  init any;
  port sr \"R\" {
    clock posedge;
    rdinit any;
  }
  port sw \"W\" {
    clock posedge;
  }
}
";

/// The macro as a cell.
const RAM_BOX: &str = "(* blackbox *)
module SRAM_512X64 (input CLK, input WE, input [8:0] WADDR, input [63:0] WDATA, input [8:0] RADDR, output [63:0] RDATA);
endmodule
";

/// How the one becomes the other.
const RAM_MAP: &str = "module $__SRAM_ (input PORT_R_CLK, input [8:0] PORT_R_ADDR, output [63:0] PORT_R_RD_DATA,
  input PORT_W_CLK, input PORT_W_WR_EN, input [8:0] PORT_W_ADDR, input [63:0] PORT_W_WR_DATA);
  parameter INIT = 0;
  parameter PORT_R_RD_INIT_VALUE = 0;
  SRAM_512X64 _TECHMAP_REPLACE_ (.CLK(PORT_R_CLK), .WE(PORT_W_WR_EN), .WADDR(PORT_W_ADDR), .WDATA(PORT_W_WR_DATA),
    .RADDR(PORT_R_ADDR), .RDATA(PORT_R_RD_DATA));
endmodule
";

/// What drives the logic that ABC sees and what it drives.
const AROUND: &str = "set_driving_cell BUF_X2\nset_load 5.0\n";

/// Bits of the largest RAM that becomes flip-flops, as a power of two.
const SMALL: u32 = 12;

/// The script. Attributes that ask for block or distributed RAM say nothing about cells.
fn script(top: &str, files: &str) -> String {
    let small = (0..=SMALL).map(|words| {
        let width = 1 << (SMALL - words);
        let words = 1 << words;
        format!("setattr -set ram_style \"logic\" t:$mem_v2 r:SIZE<={words} %i r:WIDTH<={width} %i\n")
    });
    let small: String = small.collect();
    format!(
        "read_verilog -sv {files}
read_verilog -lib ram_box.v
synth -flatten -top {top} -run :fine
setattr -unset ram_style -unset rom_style t:$mem_v2
{small}memory_libmap -lib ram.txt
techmap -map ram_map.v
memory_map
opt -fast -full
techmap
opt -fast
dfflibmap -liberty stdcells.lib
abc -liberty stdcells.lib -D 1000 -constr around.txt -script +strash;ifraig;scorr;dc2;dch,-f;map,-B,0.9;topo;buffer,-c,-N,12,-p;upsize,{{D}};dnsize,{{D}}
opt_clean -purge
setattr -unset src *
write_json netlist.json
"
    )
}

/// A block in standard cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StandardCells {
    /// Clock rate, megahertz.
    pub mhz: f64,
    /// From where to where the slowest path goes.
    pub slowest_path: String,
    /// Cells on it.
    pub levels: usize,
    /// Area of the cells without RAM macros, square millimetres.
    pub area_mm2: f64,
    /// RAM macros of 512 words of 64 bits.
    pub macros: usize,
}

/// A signal as the emitted Verilog names it, without the mark of instances.
fn short(name: &str) -> String {
    name.replace("u_", "")
}

fn measured(module: &serde_json::Value, library: &Library) -> Result<StandardCells, String> {
    let list = Netlist::read(module, library).map_err(|cell| format!("a cell `{cell}` that the library lacks"))?;
    let slowest = timing::slowest(&list).ok_or("no path")?;
    let area = list.cells.iter().filter_map(|cell| library.cells.get(cell.kind));
    Ok(StandardCells {
        mhz: 1e3 / slowest.period,
        slowest_path: format!("{} -> {}", short(&slowest.from), short(&slowest.to)),
        levels: slowest.levels,
        area_mm2: area.map(|cell| cell.area).sum::<f64>() * 1e-6,
        macros: list.cells.iter().filter(|cell| cell.kind == MACRO).count(),
    })
}

/// Maps a block and measures it.
pub fn standard_cells(sources: &Sources) -> Result<StandardCells, SynthError> {
    let names: Vec<&str> = sources.files.iter().map(|(name, _)| name.as_str()).collect();
    let script = script(&sources.top, &names.join(" "));
    let settings = [NANGATE, script.as_str(), RAM, RAM_BOX, RAM_MAP, AROUND, ASSUMES];
    let dir = folder("cells45", sources, &settings);
    cache::folder(&dir, |dir| -> Result<(), SynthError> {
        let cells = nangate()?;
        let text = std::fs::read_to_string(&cells)?;
        let unread = |file: PathBuf, reason: String| SynthError::Result { file, reason };
        let library = Library::read(&text).ok_or_else(|| unread(cells, "no liberty file as expected".into()))?;
        write_files(dir, &sources.files)?;
        let beside = [
            ("stdcells.lib", text.as_str()),
            ("ram.txt", RAM),
            ("ram_box.v", RAM_BOX),
            ("ram_map.v", RAM_MAP),
            ("around.txt", AROUND),
        ];
        for (name, text) in beside {
            std::fs::write(dir.join(name), text)?;
        }
        yosys(dir, &script)?;
        std::fs::remove_file(dir.join("stdcells.lib"))?;
        let (file, value) = read_json(dir.join("netlist.json"))?;
        let result = measured(&value["modules"][&sources.top], &library).map_err(|reason| unread(file, reason))?;
        std::fs::write(dir.join("result.json"), serde_json::json!(result).to_string())?;
        Ok(())
    })?;
    let (file, value) = read_json(dir.join("result.json"))?;
    serde_json::from_value(value).map_err(|error| SynthError::Result {
        file,
        reason: error.to_string(),
    })
}
