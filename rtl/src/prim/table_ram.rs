//! RAM without bypass: two clocks from address to word, the block RAM's output straight into a register, or one clock without that register.
//!
//! For tables whose user never depends on a word that is written in the clock of its read; such a read shows the old word.

use super::uint::U;
use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;

/// `rdata` is the word at `raddr` of two clocks ago, as it was before that clock's write: 2^`A` words, all zero at the start of a simulation.
#[block]
pub struct TableRam<T: Synth, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Word to read.
    pub raddr: Signal<In, U<A>>,
    /// The word, two clocks later.
    pub rdata: Signal<Out, T>,
    /// Write enable.
    pub we: Signal<In, Bit>,
    /// Word to write.
    pub waddr: Signal<In, U<A>>,
    /// New value.
    pub wdata: Signal<In, T>,
    #[init(vec![T::default(); 1 << A])]
    _memory: Vec<T>,
    #[init(T::default())]
    _word: T,
}

impl<T: Synth, const A: usize> Logic for TableRam<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.rdata.next = self._word;
            self._word = self._memory[self.raddr.val().index()];
            if self.we.val() {
                self._memory[self.waddr.val().index()] = self.wdata.val();
            }
        }
    }
    fn connect(&mut self) {
        self.rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        module(T::BITS, A, 1)
    }
}

/// [`TableRam`] without its output register: `rdata` is the word at `raddr` of one clock ago, as it was before that clock's write.
#[block]
pub struct DirectRam<T: Synth, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Word to read.
    pub raddr: Signal<In, U<A>>,
    /// The word, one clock later.
    pub rdata: Signal<Out, T>,
    /// Write enable.
    pub we: Signal<In, Bit>,
    /// Word to write.
    pub waddr: Signal<In, U<A>>,
    /// New value.
    pub wdata: Signal<In, T>,
    #[init(vec![T::default(); 1 << A])]
    _memory: Vec<T>,
}

impl<T: Synth, const A: usize> Logic for DirectRam<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.rdata.next = self._memory[self.raddr.val().index()];
            if self.we.val() {
                self._memory[self.waddr.val().index()] = self.wdata.val();
            }
        }
    }
    fn connect(&mut self) {
        self.rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        module(T::BITS, A, 0)
    }
}

/// The library's module with the parameters of one instance.
fn module(width: usize, address: usize, output_register: u8) -> Verilog {
    let mut parameters = format!(".WIDTH({width}), .ADDRESS({address})");
    if output_register == 0 {
        parameters += ", .OUTPUT_REGISTER(0)";
    }
    Verilog::Blackbox(BlackBox {
        name: format!("hpcc_table_ram #({parameters})"),
        code: include_str!("table_ram.sv").into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};

    #[test]
    fn reads_show_the_word_before_the_write() {
        let mut ram: Box<TableRam<U<16>, 2>> = Box::default();
        let mut direct: Box<DirectRam<U<16>, 2>> = Box::default();
        init(ram.as_mut()).expect("complete block");
        init(direct.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(4);
        let (mut words, mut past) = ([0u64; 4], [0u64; 2]);
        for clock in 0..4000 {
            let (we, w, r) = (stimulus.chance(0.5), stimulus.uniform(2), stimulus.uniform(2));
            let data = stimulus.uniform(16);
            (ram.we.next, ram.waddr.next, ram.raddr.next, ram.wdata.next) = (we, U(w), U(r), U(data));
            (direct.we.next, direct.waddr.next) = (we, U(w));
            (direct.raddr.next, direct.wdata.next) = (U(r), U(data));
            assert_eq!(step(direct.as_mut(), |ram| ram.rdata.val().0), past[1], "clock {clock}");
            assert_eq!(step(ram.as_mut(), |ram| ram.rdata.val().0), past[0], "clock {clock}");
            past = [past[1], words[r as usize]];
            if we {
                words[w as usize] = data;
            }
        }
    }
}
