//! Constant table with a registered output, two clocks from address to data.
//!
//! Maps to block RAM with its output register.

use super::uint::{mask, U};
use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;

/// `data` is entry `addr` of two clocks ago: 2^`A` entries of `D` bits.
#[block(no_default)]
pub struct Rom<const A: usize, const D: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Entry asked for.
    pub addr: Signal<In, U<A>>,
    /// The entry, two clocks later.
    pub data: Signal<Out, U<D>>,
    _table: Vec<u64>,
    _fetched: u64,
}

impl<const A: usize, const D: usize> Rom<A, D> {
    /// A table with these entries.
    ///
    /// # Panics
    /// If the table has not exactly 2^`A` entries of at most `D` bits.
    pub fn new(table: Vec<u64>) -> Self {
        assert_eq!(table.len(), 1 << A, "entries of a ROM");
        assert!(
            table.iter().all(|entry| *entry <= mask(D)),
            "an entry of a ROM exceeds {D} bits"
        );
        Self {
            clock: Default::default(),
            addr: Default::default(),
            data: Default::default(),
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
        Verilog::Blackbox(BlackBox {
            name: format!(
                "hpcc_rom #(.WIDTH({D}), .ADDRESS({A}), .CONTENTS({{\n{}}}))",
                contents(&self._table, D)
            ),
            code: include_str!("rom.sv").into(),
        })
    }
}

/// Entries in one line of the Verilog.
const IN_A_LINE: usize = 8;

/// The entries as a concatenation, the last one first because it has the highest bits.
fn contents(table: &[u64], width: usize) -> String {
    let line = |entries: &[u64]| {
        let entries = entries.iter().rev().map(|entry| format!("{width}'h{entry:x}"));
        format!("    {}", entries.collect::<Vec<_>>().join(", "))
    };
    let lines: Vec<String> = table.chunks(IN_A_LINE).rev().map(line).collect();
    lines.join(",\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step};

    #[test]
    fn every_entry_arrives_two_clocks_later() {
        let table: Vec<u64> = (0..256u64).map(|i| i * 2654435761 % (1 << 20)).collect();
        let mut rom = Box::new(Rom::<8, 20>::new(table.clone()));
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
