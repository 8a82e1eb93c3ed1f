//! A value `D` clocks later.
//!
//! Short delays are shift registers (SRLs on Xilinx). Lattice parts have none and would spend a flip-flop per bit and
//! clock, so there delays of more than 16 clocks become a circular buffer in RAM. Both forms start with zeros.

use crate::emit::naming::named_as;
use rust_hdl::prelude::*;

/// Longest delay that stays a chain of flip-flops on Lattice parts.
const MAX_CHAIN: usize = 16;

/// `q` is `d` of `D` clocks ago, `D` at least 1; zero before that. No reset.
#[derive(LogicBlock)]
pub struct Delay<T: Synth, const D: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Value now.
    pub d: Signal<In, T>,
    /// Value of `D` clocks ago.
    pub q: Signal<Out, T>,
    _memory: Vec<T>,
    _at: usize,
}

impl<T: Synth, const D: usize> Default for Delay<T, D> {
    fn default() -> Self {
        const { assert!(D >= 1, "a delay of no clocks is a wire") };
        Self {
            clock: Default::default(),
            d: Default::default(),
            q: Default::default(),
            _memory: vec![T::default(); D],
            _at: 0,
        }
    }
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
        Verilog::Custom(match D {
            1 => "initial q = 0;\nalways @(posedge clock) q <= d;".into(),
            2..=MAX_CHAIN => chain(T::BITS, D),
            _ => format!(
                "`ifdef SYNTH_ECP5\n{}\n`else\n{}\n`endif",
                circular(T::BITS, D),
                chain(T::BITS, D)
            ),
        })
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_as(format!("delay_w{}_d{D}", T::BITS))
    }
}

/// Shift register of `depth - 1` stages and the output register.
fn chain(width: usize, depth: usize) -> String {
    let (top, last) = (width - 1, depth - 2);
    let shift = match last {
        0 => String::new(),
        _ => format!("\n  for (i = 1; i <= {last}; i = i + 1) stage[i] <= stage[i-1];"),
    };
    format!(
        "reg [{top}:0] stage [0:{last}];
integer i;
initial begin
  q = 0;
  for (i = 0; i <= {last}; i = i + 1) stage[i] = 0;
end
always @(posedge clock) begin
  stage[0] <= d;{shift}
  q <= stage[{last}];
end"
    )
}

/// Buffer of `depth - 1` entries, written one place behind the read, with registered output and the output register.
fn circular(width: usize, depth: usize) -> String {
    let (top, entries) = (width - 1, depth - 1);
    let address = (usize::BITS - (entries - 1).leading_zeros()) as usize;
    format!(
        "reg [{top}:0] stage [0:{last}];
reg [{top}:0] old;
reg [{a}:0] write;
reg [{a}:0] read;
integer i;
initial begin
  q = 0;
  old = 0;
  write = 0;
  read = {address}'d1;
  for (i = 0; i <= {last}; i = i + 1) stage[i] = 0;
end
always @(posedge clock) begin
  stage[write] <= d;
  old <= stage[read];
  q <= old;
  write <= read;
  read <= (read == {address}'d{last}) ? {address}'d0 : read + {address}'d1;
end",
        last = entries - 1,
        a = address - 1,
    )
}

crate::ports! { [T: crate::prim::uint::Limbs, const D: usize] Delay<T, D> { in d; out q } }

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
