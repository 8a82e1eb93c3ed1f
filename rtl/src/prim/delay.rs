//! A value `D` clocks later.
//!
//! Short delays are shift registers (SRLs on Xilinx). Lattice parts have none and would spend a flip-flop per bit and
//! clock, so there delays of more than 16 clocks, and of more than 5 from eight bits on, become a circular buffer in RAM. Both forms start with zeros.

use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;

/// `q` is `d` of `D` clocks ago, `D` at least 1; zero before that. No reset.
#[block(check(D >= 1, "a delay of no clocks is a wire"))]
pub struct Delay<T: Synth, const D: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Value now.
    pub d: Signal<In, T>,
    /// Value of `D` clocks ago.
    pub q: Signal<Out, T>,
    #[init(vec![T::default(); D])]
    _memory: Vec<T>,
    #[init(0)]
    _at: usize,
}

impl<T: Synth, const D: usize> Logic for Delay<T, D> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self._memory[self._at] = self.d.val();
            self._at = (self._at + 1) % D;
            self.q.next = self._memory[self._at];
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Blackbox(BlackBox {
            name: format!("hpcc_delay #(.WIDTH({}), .DEPTH({D}))", T::BITS),
            code: include_str!("delay.sv").into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::uint::U;
    use crate::sim::{init, step};

    fn shows_the_past<const D: usize>() {
        let mut delay: Box<Delay<U<24>, D>> = Box::default();
        init(delay.as_mut()).expect("complete block");
        for clock in 0..3 * D as u64 + 4 {
            delay.d.next = U(clock + 1);
            let got = step(delay.as_mut(), |delay| delay.q.val().0);
            assert_eq!(got, (clock + 1).saturating_sub(D as u64), "clock {clock}, delay {D}");
        }
    }

    #[test]
    fn delays_by_exactly_d_clocks() {
        shows_the_past::<1>();
        shows_the_past::<2>();
        shows_the_past::<3>();
        shows_the_past::<45>();
    }
}
