//! RAM for a read-modify-write loop: three clocks from address to word, with every write on the way forwarded.
//!
//! A read of clock `t` shows at `t + 3` and contains all writes of clocks `t`, `t + 1` and `t + 2`. A loop that writes `P`
//! clocks after its word showed may therefore visit the same word every `P + 1` clocks. The block RAM's slow output goes
//! straight to a register; only the third stage selects. If it is known a clock before what is written where, it says so then, and the third stage
//! compares nothing.

use super::uint::U;
use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;

/// 2^`A` words of `T`, all zero at the start of a simulation. `wdata` comes `ANNOUNCED` clocks, 0 or 1, behind `we` and `waddr`; its clock is that of the write.
#[block(check(ANNOUNCED <= 1, "a write is announced one clock before its data or not at all"))]
pub struct ForwardRam<T: Synth, const A: usize, const ANNOUNCED: usize = 0> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Word to read.
    pub raddr: Signal<In, U<A>>,
    /// The word, three clocks later.
    pub rdata: Signal<Out, T>,
    /// Write enable.
    pub we: Signal<In, Bit>,
    /// Word to write.
    pub waddr: Signal<In, U<A>>,
    /// New value.
    pub wdata: Signal<In, T>,
    #[init(vec![T::default(); 1 << A])]
    _memory: Vec<T>,
    #[init([0; 2])]
    _address: [usize; 2],
    #[init([T::default(); 2])]
    _word: [T; 2],
    _announced: Option<usize>,
}

impl<T: Synth, const A: usize, const ANNOUNCED: usize> Logic for ForwardRam<T, A, ANNOUNCED> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let told = self.we.val().then(|| self.waddr.val().index());
            let written = if ANNOUNCED == 0 { told } else { self._announced };
            self._announced = told;
            let forward = |address: usize, word: T| {
                if written == Some(address) {
                    self.wdata.val()
                } else {
                    word
                }
            };
            let third = forward(self._address[1], self._word[1]);
            let second = forward(self._address[0], self._word[0]);
            self.rdata.next = third;
            self._word[1] = second;
            self._address[1] = self._address[0];
            if let Some(address) = written {
                self._memory[address] = self.wdata.val();
            }
            self._address[0] = self.raddr.val().index();
            self._word[0] = self._memory[self._address[0]];
        }
    }
    fn connect(&mut self) {
        self.rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        let mut parameters = format!(".WIDTH({}), .ADDRESS({A})", T::BITS);
        if ANNOUNCED != 0 {
            parameters += ", .ANNOUNCED(1)";
        }
        Verilog::Blackbox(BlackBox {
            name: format!("hpcc_forward_ram #({parameters})"),
            code: include_str!("forward_ram.sv").into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};

    /// Four words and random traffic: what shows is the array as it stood after the writes of the two clocks that followed.
    #[test]
    fn writes_on_the_way_are_forwarded() {
        let mut ram: Box<ForwardRam<U<16>, 2, 0>> = Box::default();
        let mut announced: Box<ForwardRam<U<16>, 2, 1>> = Box::default();
        init(ram.as_mut()).expect("complete block");
        init(announced.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(3);
        let mut words = [0u64; 4];
        let mut reads = [0usize; 3];
        let mut next = (false, 0);
        for clock in 0..20_000 {
            let ((we, w), r) = (next, stimulus.uniform(2));
            next = (stimulus.chance(0.6), stimulus.uniform(2));
            let data = stimulus.uniform(16);
            (ram.we.next, ram.waddr.next, ram.raddr.next, ram.wdata.next) = (we, U(w), U(r), U(data));
            // the read of three clocks ago, after the writes up to the previous clock
            let got = step(ram.as_mut(), |ram| ram.rdata.val().0);
            assert!(clock < 3 || got == words[reads[0]], "clock {clock}");
            (announced.we.next, announced.waddr.next) = (next.0, U(next.1));
            (announced.raddr.next, announced.wdata.next) = (U(r), U(data));
            let got = step(announced.as_mut(), |ram| ram.rdata.val().0);
            assert!(clock < 3 || got == words[reads[0]], "announced, clock {clock}");
            if we {
                words[w as usize] = data;
            }
            reads = [reads[1], reads[2], r as usize];
        }
    }
}
