//! Stream FIFO in block RAM: one item a clock in and out, three clocks from empty to the output.
//!
//! The RAM's output and the register behind it are two elastic stages, so the slow block-RAM output never meets logic.
//! `crowded` warns early: a pipeline that cannot stop feeds the FIFO and is itself fed only while `crowded` is low.

use super::skid::{StreamIn, StreamOut};
use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// Holds 2^`A` items beside the two in the output stages; `crowded` (registered) while at least `MARK` are held.
#[block]
pub struct StreamFifo<T: Synth, const A: usize, const MARK: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: empties the FIFO.
    pub reset: Signal<In, Bit>,
    /// Items in.
    pub up: StreamIn<T>,
    /// Items out.
    pub down: StreamOut<T>,
    /// At least `MARK` items were in the RAM one clock ago.
    pub crowded: Signal<Out, Bit>,
    #[init(VecDeque::new())]
    _items: VecDeque<T>,
    #[init(None)]
    _word: Option<T>,
}

impl<T: Synth, const A: usize, const MARK: usize> Logic for StreamFifo<T, A, MARK> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let push = self.up.valid.val() && self.up.ready.val();
            let advance_out = !self.down.valid.val() || self.down.ready.val();
            let advance_word = self._word.is_none() || advance_out;
            self.crowded.next = self._items.len() >= MARK;
            if advance_out {
                self.down.valid.next = self._word.is_some();
                if let Some(word) = self._word.take() {
                    self.down.data.next = word;
                }
            }
            if advance_word {
                self._word = self._items.pop_front();
            }
            if push {
                self._items.push_back(self.up.data.val());
            }
            if self.reset.val() {
                self._items.clear();
                self._word = None;
                self.down.valid.next = false;
                self.crowded.next = false;
            }
            self.up.ready.next = self._items.len() < (1 << A) && !self.reset.val();
        }
    }
    fn connect(&mut self) {
        self.up.ready.connect();
        self.down.data.connect();
        self.down.valid.connect();
        self.crowded.connect();
    }
    fn hdl(&self) -> Verilog {
        const { assert!(MARK <= 1 << A) };
        Verilog::Blackbox(BlackBox {
            name: format!("hpcc_fifo #(.WIDTH({}), .ADDRESS({A}), .MARK({MARK}))", T::BITS),
            code: include_str!("fifo.sv").into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::uint::U;
    use crate::sim::{init, step, Stimulus};

    fn stream(offer: f64, accept: f64, clocks: u64) -> u64 {
        let mut fifo: Box<StreamFifo<U<16>, 3, 4>> = Box::default();
        init(fifo.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(9);
        let (mut sent, mut received, mut offered) = (0u64, 0u64, false);
        for clock in 0..clocks {
            offered |= stimulus.chance(offer);
            fifo.up.valid.next = offered;
            fifo.up.data.next = U(sent & 0xffff);
            fifo.down.ready.next = stimulus.chance(accept);
            let (taken, given, data) = step(fifo.as_mut(), |f| {
                (
                    f.up.valid.val() & f.up.ready.val(),
                    f.down.valid.val() & f.down.ready.val(),
                    f.down.data.val().0,
                )
            });
            if given {
                assert_eq!(data, received & 0xffff, "clock {clock}");
                received += 1;
            }
            if taken {
                sent += 1;
                offered = false;
            }
            assert!(sent - received <= 10, "more than the FIFO holds");
        }
        received
    }

    #[test]
    fn items_come_out_in_order_under_any_stalls() {
        for offer in [0.1, 0.5, 1.0] {
            for accept in [0.1, 0.5, 1.0] {
                assert!(stream(offer, accept, 20_000) > 1000);
            }
        }
    }

    /// Nothing is taken out: two items stand in the output registers, the others in the RAM, of which four are the mark.
    #[test]
    fn crowded_from_the_mark_on() {
        for (items, crowded) in [(0, false), (5, false), (6, true), (10, true)] {
            let mut fifo: Box<StreamFifo<U<16>, 3, 4>> = Box::default();
            init(fifo.as_mut()).expect("complete block");
            let (mut sent, mut last) = (0, (false, false));
            for _ in 0..30 {
                fifo.up.valid.next = sent < items;
                fifo.down.ready.next = false;
                let taken = step(fifo.as_mut(), |f| {
                    last = (f.crowded.val(), f.up.ready.val());
                    f.up.valid.val() & f.up.ready.val()
                });
                sent += u32::from(taken);
            }
            assert_eq!((sent, last), (items, (crowded, items < 10)));
        }
    }

    #[test]
    fn one_item_every_clock_after_three() {
        assert_eq!(stream(1.0, 1.0, 1004), 1000);
    }
}
