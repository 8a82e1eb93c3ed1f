//! Constant table with a registered output, two clocks from address to data.
//!
//! Maps to block RAM. On ECP5 the block RAM's clock-to-output of 4.3 ns would limit the clock and Yosys does not use its
//! output register, so there a table of up to 1024 entries becomes four banks of lookup tables, each registered, and a
//! registered selection. Larger ones stay in block RAM.

use super::uint::{mask, U};
use crate::block;
use crate::emit::naming::named_as;
use rust_hdl::prelude::*;

/// Address bits from which on a table stays in block RAM on ECP5 too: lookup tables would cost more than they gain.
const BLOCK_RAM_FROM: usize = 11;

/// `data` is entry `addr` of two clocks ago: 2^`A` entries of `D` bits.
#[block(no_default)]
pub struct Rom<const A: usize, const D: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Entry asked for.
    pub addr: Signal<In, U<A>>,
    /// The entry, two clocks later.
    pub data: Signal<Out, U<D>>,
    _name: String,
    _table: Vec<u64>,
    _fetched: u64,
}

impl<const A: usize, const D: usize> Rom<A, D> {
    /// A table under the name its module shall carry (`rom_<name>`).
    ///
    /// # Panics
    /// If the table has not exactly 2^`A` entries of at most `D` bits.
    pub fn new(name: &str, table: Vec<u64>) -> Self {
        assert_eq!(table.len(), 1 << A, "ROM {name}: entries");
        assert!(
            table.iter().all(|entry| *entry <= mask(D)),
            "ROM {name}: an entry exceeds {D} bits"
        );
        Self {
            clock: Default::default(),
            addr: Default::default(),
            data: Default::default(),
            _name: name.into(),
            _table: table,
            _fetched: 0,
        }
    }
}

impl<const A: usize, const D: usize> Logic for Rom<A, D> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.data.next = U(self._fetched);
            self._fetched = self._table[self.addr.val().index()];
        }
    }
    fn connect(&mut self) {
        self.data.connect();
    }
    fn hdl(&self) -> Verilog {
        let block = block_ram(&self._table, D);
        Verilog::Custom(match A {
            0..=2 | BLOCK_RAM_FROM.. => block,
            _ => format!("`ifdef SYNTH_ECP5\n{}`else\n{block}`endif", banks(&self._table, A, D)),
        })
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_as::<Self>(format!("rom_{}", self._name))
    }
}

fn block_ram(table: &[u64], width: usize) -> String {
    let entries: String = table
        .iter()
        .enumerate()
        .map(|(i, x)| format!("  mem[{i}] = {width}'h{x:x};\n"))
        .collect();
    format!(
        "(* rom_style = \"block\" *) reg [{top}:0] mem [0:{last}];
reg [{top}:0] fetched;
initial begin
  data = 0;
  fetched = 0;
{entries}end
always @(posedge clk) begin
  fetched <= mem[addr];
  data <= fetched;
end
",
        top = width - 1,
        last = table.len() - 1,
    )
}

fn banks(table: &[u64], address: usize, width: usize) -> String {
    let (top, entries) = (width - 1, table.len() / 4);
    let mut text = String::new();
    for bank in 0..4 {
        text += &format!(
            "(* rom_style = \"logic\" *) reg [{top}:0] mem{bank} [0:{}];\n",
            entries - 1
        );
        text += &format!("reg [{top}:0] fetched{bank};\n");
    }
    text += "reg [1:0] bank;\ninitial begin\n  data = 0;\n  bank = 0;\n";
    for bank in 0..4 {
        text += &format!("  fetched{bank} = 0;\n");
    }
    for (i, entry) in table.iter().enumerate() {
        text += &format!("  mem{}[{}] = {width}'h{entry:x};\n", i / entries, i % entries);
    }
    text += "end\nalways @(posedge clk) begin\n";
    for bank in 0..4 {
        text += &format!("  fetched{bank} <= mem{bank}[addr[{}:0]];\n", address - 3);
    }
    text += &format!("  bank <= addr[{}:{}];\n", address - 1, address - 2);
    text + "  data <= bank[1] ? (bank[0] ? fetched3 : fetched2) : (bank[0] ? fetched1 : fetched0);\nend\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step};

    #[test]
    fn every_entry_arrives_two_clocks_later() {
        let table: Vec<u64> = (0..256u64).map(|i| i * 2654435761 % (1 << 20)).collect();
        let mut rom = Box::new(Rom::<8, 20>::new("test", table.clone()));
        init(rom.as_mut()).expect("complete block");
        for clock in 0..258 {
            rom.addr.next = U(clock as u64 & 255);
            let got = step(rom.as_mut(), |rom| rom.data.val().0);
            if clock >= 2 {
                assert_eq!(got, table[clock - 2]);
            }
        }
    }
}
