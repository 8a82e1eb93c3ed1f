//! Stream FIFO of 15 items in distributed RAM, for what a pipe that cannot stop gives away: an item passes an empty one in one clock.

use super::lut_ram::LutRam;
use super::skid::StreamOut;
use super::uint::U;
use crate::emit::naming::named_inside;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Fifteen items beside the one that is offered. Its source stops when `crowded` is high; six items may still come then.
#[block]
pub struct ShortFifo<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: empties the FIFO.
    pub reset: Signal<In, Bit>,
    /// Take `data`.
    pub put: Signal<In, Bit>,
    /// Item.
    pub data: Signal<In, T>,
    /// Eight items or more waited behind the offered one in the clock before.
    pub crowded: Signal<Out, Bit>,
    /// Items out.
    pub down: StreamOut<T>,
    #[registers(Bit: full, shown, crowd)]
    #[registers(U<4>: head, tail)]
    #[signals(Bit: leaves, moves, passes, writes)]
    #[signals(U<4>: next_head, count)]
    item: DFF<T>,
    memory: LutRam<T, 4>,
}

#[kernel]
impl<T: Synth> Logic for ShortFifo<T> {
    fn update(&mut self) {
        leaves = !full | down.ready;
        moves = shown & leaves;
        passes = put & leaves & (head == tail);
        writes = put & !passes;
        if down.ready {
            full = false;
        }
        if moves {
            full = true;
            item = memory.rdata;
        }
        if passes {
            full = true;
            item = data;
        }
        next_head = head;
        if moves {
            next_head = head + 1;
        }
        head = next_head;
        memory.raddr = next_head;
        inputs!(memory: we = writes, waddr = tail, wdata = data);
        // what is written in this clock shows one clock later
        shown = next_head != tail;
        if writes {
            tail = tail + 1;
        }
        count = tail - head;
        crowd = count > 7;
        assign!(crowded = crowd, down.valid = full, down.data = item);
        reset!(full, shown, crowd, head, tail);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use std::collections::VecDeque;

    /// A source that looks at `crowded` and has six items on the way; a receiver of changing speed.
    #[test]
    fn every_item_leaves_once_and_in_order() {
        for (offer, accept) in [(0.1, 1.0), (1.0, 1.0), (1.0, 0.3), (0.5, 0.5), (1.0, 0.0)] {
            let mut fifo: Box<ShortFifo<U<16>>> = Box::default();
            init(fifo.as_mut()).expect("complete block");
            let mut stimulus = Stimulus::new(9);
            let (mut next, mut seen, mut stopped, mut offered) = (0u64, 0u64, VecDeque::from([false; 6]), None);
            let mut gap = 0;
            for clock in 0..5000 {
                fifo.reset.next = clock < 2;
                let stops = stopped.pop_front().expect("six");
                let go = clock > 2 && !stops && stimulus.chance(offer);
                fifo.put.next = go;
                fifo.data.next = U(next & 0xffff);
                fifo.down.ready.next = stimulus.chance(accept);
                let (crowded, valid, taken, data) = step(fifo.as_mut(), |f| {
                    let taken = f.down.valid.val() & f.down.ready.val();
                    (f.crowded.val(), f.down.valid.val(), taken, f.down.data.val().0)
                });
                stopped.push_back(crowded);
                assert!(
                    offered.is_none_or(|before| valid && before == data),
                    "clock {clock}: an offer stays"
                );
                // what comes into an empty FIFO is there in the clock after; otherwise there may be one clock without an offer
                gap = if seen == next || valid { 0 } else { gap + 1 };
                assert!(gap < 2, "clock {clock}");
                offered = (valid && !taken).then_some(data);
                if taken {
                    assert_eq!(data, seen & 0xffff, "clock {clock}");
                    seen += 1;
                }
                next += u64::from(go);
            }
            assert!(accept == 0.0 || seen + 20 > next, "{seen} of {next}");
            assert!(accept == 0.0 || seen > 400, "{seen}");
            assert!(accept < 1.0 || offer < 1.0 || seen > 4980, "one a clock: {seen}");
        }
    }
}
