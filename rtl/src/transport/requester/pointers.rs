//! Where the messages of a queue pair lie in its ring, a clock before its whole state shows, so that the ring is addressed from a register.
//!
//! The same words as in the state, written with it.

use crate::emit::naming::named_inside;
use crate::prim::table_ram::TableRam;
use crate::prim::uint::U;
use crate::prim::word::bits_zero;
use crate::words::requester::{PlaceFrom, RequesterState, RingPointers};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Pointers of 256 queue pairs.
#[block]
pub struct Pointers {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: queue pair to read.
    pub qp: Signal<In, U<8>>,
    /// Clock 1: not the oldest message, but the first that may be a READ with missing data.
    pub read: Signal<In, Bit>,
    /// Clock 1: or the oldest whose completion waits.
    pub told: Signal<In, Bit>,
    /// Clock 1: the place as it was written in the clocks 0 or 1,
    pub place: Signal<Out, U<5>>,
    /// Clock 1: which counts if one was, for then the memory will show an outdated one; otherwise which of `stored`.
    pub place_from: Signal<Out, PlaceFrom>,
    /// Clock 2: the places as the memory shows them.
    pub stored: Signal<Out, RingPointers>,
    /// Clock 0: the state that may be written in this clock would be this queue pair's.
    pub meets_write: Signal<In, Bit>,
    /// Clock 0: or the one that may be written in the next clock.
    pub meets_next_write: Signal<In, Bit>,
    /// A state may be written in this clock, of another queue pair than in the clock before.
    pub writing: Signal<In, Bit>,
    /// A state is written. Only with `writing`.
    pub we: Signal<In, Bit>,
    /// Of this queue pair.
    pub write_qp: Signal<In, U<8>>,
    /// The state.
    pub new_state: Signal<In, RequesterState>,
    /// Instead the state becomes void, so that all places are 0. Who reads them in this clock or the one before is of an earlier generation.
    pub voids: Signal<In, Bit>,
    /// That of this queue pair.
    pub voided_qp: Signal<In, U<8>>,
    // the queue pair's are being written, or were a clock ago
    #[signals(Bit: writes, missed)]
    #[signals(RingPointers: written, newer)]
    memory: TableRam<RingPointers, 8>,
    // in clock 1: what is written then would be this queue pair's; what was written a clock ago was, which the memory does not show
    #[registers(Bit: same, met, wrote)]
    written_1: DFF<RingPointers>,
}

#[kernel]
impl Logic for Pointers {
    fn update(&mut self) {
        memory.raddr = qp;
        fields!(written from new_state: head, read_at, told);
        inputs!(memory: waddr = write_qp, wdata = written);
        memory.we = we | voids;
        if voids {
            memory.waddr = voided_qp;
            memory.wdata = bits_zero::<RingPointers>(0);
        }
        same = meets_next_write;
        assign!(met.d = meets_write, wrote.d = we, written_1.d = written);
        missed = wrote & met;
        writes = we & same;
        // whether it is written is late
        newer = if writing & same { written } else { written_1 };
        stored = memory.rdata;
        place = newer.head;
        place_from = PlaceFrom::Head;
        if read {
            place = newer.read_at;
            place_from = PlaceFrom::ReadAt;
        }
        if told {
            place = newer.told;
            place_from = PlaceFrom::Told;
        }
        if writes | missed {
            place_from = PlaceFrom::Given;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::word::Word;
    use crate::sim::{init, step, Stimulus};

    /// In every clock, with writes of the same queue pair in the clock of the read, the one behind it, and before; now and then the places of one that is not
    /// read become void.
    #[test]
    fn every_place_is_the_one_written_last() {
        let mut block: Box<Pointers> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(8);
        let (mut written, mut asked) = ([[0u64; 3]; 4], 0);
        let (mut at, mut before) = (0, (0, PlaceFrom::Given, 0));
        let mut writer = None;
        for clock in 0..20_000 {
            let (qp, next_at) = (stimulus.below(4), stimulus.below(4));
            (block.meets_write.next, block.meets_next_write.next) = (qp == at, qp == next_at);
            let (read, told) = (stimulus.chance(0.4), stimulus.chance(0.2));
            let writing = writer != Some(at) && stimulus.chance(0.8);
            let we = writing && stimulus.chance(0.7);
            writer = writing.then_some(at);
            block.writing.next = writing;
            let pointers = [stimulus.uniform(5), stimulus.uniform(5), stimulus.uniform(5)];
            let mut state = [0u64; 3];
            RequesterState::HEAD.put(&mut state, pointers[0]);
            RequesterState::READ_AT.put(&mut state, pointers[1]);
            RequesterState::TOLD.put(&mut state, pointers[2]);
            (block.qp.next, block.read.next, block.told.next) = (U(qp), read, told);
            let voids = (0..4).find(|other| ![qp, asked as u64].contains(other) && !we && stimulus.chance(0.1));
            (block.we.next, block.write_qp.next) = (we, U(at));
            (block.voids.next, block.voided_qp.next) = (voids.is_some(), U(voids.unwrap_or_default()));
            block.new_state.next = RequesterState::from_slice(&state);
            let (place, from, stored) = step(block.as_mut(), |block| {
                (block.place.val().0, block.place_from.val(), block.stored.val())
            });
            let (given, given_from, expected) = before;
            let shown = match given_from {
                PlaceFrom::Head => stored.head.0,
                PlaceFrom::ReadAt => stored.read_at.0,
                PlaceFrom::Told => stored.told.0,
                PlaceFrom::Given => given,
            };
            assert_eq!(shown, expected, "clock {clock}");
            if we {
                written[at as usize] = pointers;
            }
            if let Some(voided) = voids {
                written[voided as usize] = [0; 3];
            }
            let which = if told { 2 } else { usize::from(read) };
            before = (place, from, written[asked][which]);
            (asked, at) = (qp as usize, next_at);
        }
    }
}
