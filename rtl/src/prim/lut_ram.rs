//! Small table in distributed RAM, one clock from address to word, without bypass.

use super::uint::U;
use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;

/// `rdata` is the word at `raddr` of one clock ago, as it was before that clock's write: 2^`A` words, all zero at the start of a simulation.
#[block]
pub struct LutRam<T: Synth, const A: usize> {
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

impl<T: Synth, const A: usize> Logic for LutRam<T, A> {
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
        Verilog::Blackbox(BlackBox {
            name: format!("hpcc_lut_ram #(.WIDTH({}), .ADDRESS({A}))", T::BITS),
            code: include_str!("lut_ram.sv").into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};

    #[test]
    fn reads_show_the_word_before_the_write() {
        let mut ram: Box<LutRam<U<16>, 2>> = Box::default();
        init(ram.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(6);
        let (mut words, mut past) = ([0u64; 4], 0);
        for clock in 0..4000 {
            let (we, w, r) = (stimulus.chance(0.5), stimulus.uniform(2), stimulus.uniform(2));
            let data = stimulus.uniform(16);
            (ram.we.next, ram.waddr.next, ram.raddr.next, ram.wdata.next) = (we, U(w), U(r), U(data));
            assert_eq!(step(ram.as_mut(), |ram| ram.rdata.val().0), past, "clock {clock}");
            past = words[r as usize];
            if we {
                words[w as usize] = data;
            }
        }
    }
}
