//! Stream FIFO in distributed RAM: one item a clock in and out, two clocks from empty to the output.
//!
//! For few items, which distributed RAM shows early enough for one register behind it; [`super::fifo`] has two, for the slow output of a block RAM, and
//! [`super::short_fifo`] lets an item pass an empty RAM, for a choice before that register. `crowded` warns early, as there.

use super::skid::{StreamIn, StreamOut};
use crate::block;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// Holds 2^`A` items beside the one in the output register; `crowded` (registered) while at least `MARK` are held.
#[block]
pub struct LutFifo<T: Synth, const A: usize, const MARK: usize> {
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
}

impl<T: Synth, const A: usize, const MARK: usize> Logic for LutFifo<T, A, MARK> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let push = self.up.valid.val() && self.up.ready.val();
            let advance = !self.down.valid.val() || self.down.ready.val();
            self.crowded.next = self._items.len() >= MARK;
            if advance {
                let item = self._items.pop_front();
                self.down.valid.next = item.is_some();
                if let Some(item) = item {
                    self.down.data.next = item;
                }
            }
            if push {
                self._items.push_back(self.up.data.val());
            }
            if self.reset.val() {
                self._items.clear();
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
            name: format!("hpcc_lut_fifo #(.WIDTH({}), .ADDRESS({A}), .MARK({MARK}))", T::BITS),
            code: include_str!("lut_fifo.sv").into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::uint::U;
    use crate::sim::{init, step, Stimulus};

    fn stream(offer: f64, accept: f64, clocks: u64) -> u64 {
        let mut fifo: Box<LutFifo<U<16>, 3, 4>> = Box::default();
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
            assert!(sent - received <= 9, "more than the FIFO holds");
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

    /// Nothing is taken out: one item stands in the output register, the others in the RAM, of which four are the mark.
    #[test]
    fn crowded_from_the_mark_on() {
        for (items, crowded) in [(0, false), (4, false), (5, true), (9, true)] {
            let mut fifo: Box<LutFifo<U<16>, 3, 4>> = Box::default();
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
            assert_eq!((sent, last), (items, (crowded, items < 9)));
        }
    }

    #[test]
    fn one_item_every_clock_after_two() {
        assert_eq!(stream(1.0, 1.0, 1003), 1000);
    }
}
