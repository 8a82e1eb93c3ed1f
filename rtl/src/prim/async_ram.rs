//! Small table in distributed RAM that is read without a clock: for wide words whose place is known from a register.

use super::uint::U;
use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;

/// `rdata` is the word at `raddr` in the same clock: 2^`A` words, all zero at the start of a simulation.
#[block]
pub struct AsyncRam<T: Synth, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Word to read.
    pub raddr: Signal<In, U<A>>,
    /// The word, in the same clock.
    pub rdata: Signal<Out, T>,
    /// Write enable.
    pub we: Signal<In, Bit>,
    /// Word to write.
    pub waddr: Signal<In, U<A>>,
    /// New value, which shows from the next clock on.
    pub wdata: Signal<In, T>,
    #[init(vec![T::default(); 2usize.pow(A as u32)])]
    _memory: Vec<T>,
}

impl<T: Synth, const A: usize> Logic for AsyncRam<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.we.val() {
            self._memory[self.waddr.val().index()] = self.wdata.val();
        }
        self.rdata.next = self._memory[self.raddr.val().index()];
    }
    fn connect(&mut self) {
        self.rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Blackbox(BlackBox {
            name: format!("hpcc_async_ram #(.WIDTH({}), .ADDRESS({A}))", T::BITS),
            code: include_str!("async_ram.sv").into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};

    #[test]
    fn reads_show_what_was_written_in_the_clocks_before() {
        let mut ram: Box<AsyncRam<U<16>, 2>> = Box::default();
        init(ram.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(6);
        let mut words = [0u64; 4];
        for clock in 0..4000 {
            let (we, w, r) = (stimulus.chance(0.5), stimulus.uniform(2), stimulus.uniform(2));
            let data = stimulus.uniform(16);
            (ram.we.next, ram.waddr.next, ram.raddr.next) = (we, U(w), U(r));
            ram.wdata.next = U(data);
            let got = step(ram.as_mut(), |ram| ram.rdata.val().0);
            assert_eq!(got, words[r as usize], "clock {clock}");
            if we {
                words[w as usize] = data;
            }
        }
    }
}
