//! Simple dual-port RAM: one write port, one read port, one clock.
//!
//! A read of the address that is written in the same clock returns the new value, by a bypass beside the block RAM
//! (whose own answer differs between vendors). All words start as zero.

use super::uint::U;
use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;

/// `rdata` is the word at `raddr` of one clock ago, including what was written in that clock: 2^`A` words.
#[block]
pub struct Ram<T: Synth, const A: usize> {
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

impl<T: Synth, const A: usize> Logic for Ram<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self.we.val() {
                self._memory[self.waddr.val().index()] = self.wdata.val();
            }
            self.rdata.next = self._memory[self.raddr.val().index()];
        }
    }
    fn connect(&mut self) {
        self.rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        module(T::BITS, A, 0, 0)
    }
}

/// [`Ram`] with an output register: `rdata` is the word at `raddr` of two clocks ago, as it was after that clock's write.
#[block]
pub struct RamReg<T: Synth, const A: usize> {
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

impl<T: Synth, const A: usize> Logic for RamReg<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self.we.val() {
                self._memory[self.waddr.val().index()] = self.wdata.val();
            }
            self.rdata.next = self._word;
            self._word = self._memory[self.raddr.val().index()];
        }
    }
    fn connect(&mut self) {
        self.rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        module(T::BITS, A, 1, 0)
    }
}

/// [`RamReg`] for a loop that reads and writes back: `rdata` is the word at `raddr` of two clocks ago, as it was after the write of the clock behind that.
#[block]
pub struct LoopRam<T: Synth, const A: usize> {
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
    _address: usize,
}

impl<T: Synth, const A: usize> Logic for LoopRam<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self.we.val() {
                self._memory[self.waddr.val().index()] = self.wdata.val();
            }
            self.rdata.next = self._memory[self._address];
            self._address = self.raddr.val().index();
        }
    }
    fn connect(&mut self) {
        self.rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        module(T::BITS, A, 1, 1)
    }
}

/// The library's module with the parameters of one instance.
fn module(width: usize, address: usize, output_register: u8, next_write: u8) -> Verilog {
    let mut parameters = format!(".WIDTH({width}), .ADDRESS({address}), .OUTPUT_REGISTER({output_register})");
    if next_write != 0 {
        parameters += ", .NEXT_WRITE(1)";
    }
    Verilog::Blackbox(BlackBox {
        name: format!("hpcc_ram #({parameters})"),
        code: include_str!("ram.sv").into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};

    /// Four words, so that reads and writes meet all the time; all forms against an array.
    #[test]
    fn reads_see_the_write_of_the_same_clock_and_in_a_loop_the_next() {
        let mut ram: Box<Ram<U<16>, 2>> = Box::default();
        let mut reg: Box<RamReg<U<16>, 2>> = Box::default();
        let mut own: Box<LoopRam<U<16>, 2>> = Box::default();
        init(ram.as_mut()).expect("complete block");
        init(reg.as_mut()).expect("complete block");
        init(own.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(3);
        let (mut words, mut one_ago, mut two_ago, mut newer, mut last) = ([0u64; 4], 0, 0, 0, 0);
        for clock in 0..4000 {
            let (we, w, r) = (stimulus.chance(0.5), stimulus.uniform(2), stimulus.uniform(2));
            let data = stimulus.uniform(16);
            (ram.we.next, ram.waddr.next, ram.raddr.next, ram.wdata.next) = (we, U(w), U(r), U(data));
            (reg.we.next, reg.waddr.next, reg.raddr.next, reg.wdata.next) = (we, U(w), U(r), U(data));
            (own.we.next, own.waddr.next, own.raddr.next, own.wdata.next) = (we, U(w), U(r), U(data));
            assert_eq!(step(ram.as_mut(), |ram| ram.rdata.val().0), one_ago, "clock {clock}");
            assert_eq!(step(reg.as_mut(), |reg| reg.rdata.val().0), two_ago, "clock {clock}");
            assert_eq!(step(own.as_mut(), |own| own.rdata.val().0), newer, "clock {clock}");
            if we {
                words[w as usize] = data;
            }
            (newer, last) = (words[last as usize], r);
            (two_ago, one_ago) = (one_ago, words[r as usize]);
        }
    }
}
