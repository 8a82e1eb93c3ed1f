//! Two streams into one, turn about.

use super::skid::{StreamIn, StreamOut};
use crate::emit::naming::named_with;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Items of `first` and `second` on `down`, registered; when both wait they take turns. One item every two clocks at
/// least.
#[block]
pub struct StreamMerge<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// One stream.
    pub first: StreamIn<T>,
    /// The other.
    pub second: StreamIn<T>,
    /// Both.
    pub down: StreamOut<T>,
    #[registers(Bit:
        /// An item is offered.
        full,
        /// If both streams have an item, the second one goes first.
        turn)]
    #[signals(Bit: room, pick_second)]
    /// The item that is offered.
    item: DFF<T>,
}

#[kernel]
impl<T: Synth> Logic for StreamMerge<T> {
    fn update(&mut self) {
        room = !full | down.ready;
        pick_second = second.valid & (turn | !first.valid);
        first.ready = room & !pick_second;
        second.ready = room & pick_second;
        assign!(down.valid = full, down.data = item);
        if room {
            full = first.valid | second.valid;
            if pick_second {
                item = second.data;
                turn = false;
            } else {
                item = first.data;
                if first.valid {
                    turn = true;
                }
            }
        }
        reset!(full, turn);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_with::<Self>(
            &[("WIDTH", T::BITS)],
            &["first_data", "second_data", "down_data", "item"],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::uint::U;
    use crate::sim::{init, step, Stimulus};

    #[test]
    fn both_streams_arrive_whole_in_order_and_in_turn() {
        for accept in [0.3, 1.0] {
            let mut merge: Box<StreamMerge<U<16>>> = Box::default();
            init(merge.as_mut()).expect("complete block");
            let mut stimulus = Stimulus::new(5);
            let (mut next, mut seen) = ([0u64; 2], [0u64; 2]);
            for _ in 0..4000 {
                merge.first.valid.next = true;
                merge.first.data.next = U(next[0]);
                merge.second.valid.next = true;
                merge.second.data.next = U(0x8000 | next[1]);
                merge.down.ready.next = stimulus.chance(accept);
                let (first, second, out, data) = step(merge.as_mut(), |m| {
                    (
                        m.first.ready.val(),
                        m.second.ready.val(),
                        m.down.valid.val() & m.down.ready.val(),
                        m.down.data.val().0,
                    )
                });
                next[0] += u64::from(first);
                next[1] += u64::from(second);
                if out {
                    let from = (data >> 15) as usize;
                    assert_eq!(data & 0x7fff, seen[from]);
                    seen[from] += 1;
                }
            }
            assert!(seen[0].abs_diff(seen[1]) <= 1 && seen[0] > 500, "{seen:?}");
        }
    }
}
