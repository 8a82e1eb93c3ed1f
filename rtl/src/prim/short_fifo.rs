//! Short stream FIFO in distributed RAM: one item a clock in and out, one clock from empty to the output.
//!
//! An item that comes while nothing is stored goes straight to the output register, so a queue that is mostly empty costs no
//! more time than a register. For wide items and few of them, where [`super::fifo`] would spend block RAM and three clocks.
//! `crowded` warns early, as there.

use super::skid::{StreamIn, StreamOut};
use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// Holds 2^`A` items beside the one in the output register; `crowded` while at least `MARK` of those are held. All outputs are registers.
#[block]
pub struct ShortFifo<T: Synth, const A: usize, const MARK: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: empties the FIFO.
    pub reset: Signal<In, Bit>,
    /// Items in.
    pub up: StreamIn<T>,
    /// Items out.
    pub down: StreamOut<T>,
    /// At least `MARK` items were behind the output register one clock ago.
    pub crowded: Signal<Out, Bit>,
    #[init(VecDeque::new())]
    _items: VecDeque<T>,
}

impl<T: Synth, const A: usize, const MARK: usize> Logic for ShortFifo<T, A, MARK> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let push = self.up.valid.val() && self.up.ready.val();
            let advance = !self.down.valid.val() || self.down.ready.val();
            self.crowded.next = self._items.len() >= MARK;
            let mut passes = false;
            if advance {
                let stored = self._items.pop_front();
                passes = stored.is_none();
                self.down.valid.next = stored.is_some() || push;
                self.down.data.next = stored.unwrap_or(self.up.data.val());
            }
            if push && !passes {
                self._items.push_back(self.up.data.val());
            }
            if self.reset.val() {
                self._items.clear();
                self.down.valid.next = false;
                self.crowded.next = false;
            }
            self.up.ready.next = self._items.len() < 2usize.pow(A as u32) && !self.reset.val();
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
            name: format!("hpcc_short_fifo #(.WIDTH({}), .ADDRESS({A}), .MARK({MARK}))", T::BITS),
            code: include_str!("short_fifo.sv").into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::uint::U;
    use crate::sim::{init, step, Stimulus};

    /// Against a list, with a reset now and then; returns how many items came through.
    fn stream(offer: f64, accept: f64, clocks: u64) -> u64 {
        let mut fifo: Box<ShortFifo<U<16>, 2, 3>> = Box::default();
        init(fifo.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(9);
        let (mut sent, mut received, mut offered) = (0u64, 0u64, false);
        let mut held: VecDeque<u64> = VecDeque::new();
        let mut many = false;
        for clock in 0..clocks {
            let reset = clock % 5000 == 4999;
            offered |= stimulus.chance(offer);
            fifo.reset.next = reset;
            fifo.up.valid.next = offered;
            fifo.up.data.next = U(sent & 0xffff);
            fifo.down.ready.next = stimulus.chance(accept);
            let (taken, shown, given, data, crowded) = step(fifo.as_mut(), |f| {
                (
                    f.up.valid.val() & f.up.ready.val(),
                    f.down.valid.val(),
                    f.down.valid.val() & f.down.ready.val(),
                    f.down.data.val().0,
                    f.crowded.val(),
                )
            });
            // of those that were held a clock ago one stood in the output register
            assert_eq!(crowded, many, "clock {clock}");
            many = !reset && held.len() > 3;
            // what came a clock ago shows now
            assert_eq!(shown.then_some(data), held.front().copied(), "clock {clock}");
            if given {
                held.pop_front();
                received += 1;
            }
            if taken {
                held.push_back(sent & 0xffff);
                sent += 1;
                offered = false;
            }
            assert!(held.len() <= 5, "more than the FIFO holds");
            if reset {
                held.clear();
            }
        }
        received
    }

    #[test]
    fn items_come_out_in_order_a_clock_later_under_any_stalls() {
        for offer in [0.1, 0.5, 1.0] {
            for accept in [0.1, 0.5, 1.0] {
                assert!(stream(offer, accept, 20_000) > 1000);
            }
        }
    }

    #[test]
    fn one_item_every_clock_after_one() {
        // one clock in which it is not ready yet, one on the way
        assert_eq!(stream(1.0, 1.0, 1002), 1000);
    }

    /// Nothing is taken out: one item stands in the output register, four in the RAM.
    #[test]
    fn it_holds_what_it_promises() {
        let mut fifo: Box<ShortFifo<U<16>, 2, 3>> = Box::default();
        init(fifo.as_mut()).expect("complete block");
        let mut sent = 0;
        for _ in 0..30 {
            fifo.up.valid.next = true;
            fifo.down.ready.next = false;
            sent += u32::from(step(fifo.as_mut(), |f| f.up.valid.val() & f.up.ready.val()));
        }
        assert_eq!(sent, 5);
    }
}
