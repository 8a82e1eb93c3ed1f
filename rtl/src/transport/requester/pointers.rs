//! Where the messages of a queue pair lie in its ring, a clock before its whole state shows, so that the ring is addressed from a register.
//!
//! The same words as in the state, written with it.

use crate::emit::naming::named_inside;
use crate::prim::table_ram::TableRam;
use crate::prim::uint::U;
use crate::prim::word::bits_zero;
use crate::words::requester::{RequesterState, RingPointers};
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
    /// Clock 1: the memory will show an outdated place, for there was a write in the clocks 0 or 1.
    pub outdated: Signal<Out, Bit>,
    /// Clock 1: the place as it was written then.
    pub place: Signal<Out, U<5>>,
    /// Clock 2: the place as the memory shows it.
    pub stored_place: Signal<Out, U<5>>,
    /// Clock 0: the state that may be written in this clock would be this queue pair's.
    pub meets_write: Signal<In, Bit>,
    /// Clock 0: or the one that may be written in the next clock.
    pub meets_next_write: Signal<In, Bit>,
    /// A state is written.
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
    #[signals(RingPointers: written, newer, stored)]
    memory: TableRam<RingPointers, 8>,
    #[registers(Bit: read_1, told_1)]
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
        outdated = writes | missed;
        newer = if writes { written } else { written_1 };
        stored = memory.rdata;
        assign!(read_1.d = read, told_1.d = told);
        each!((place, of, reads, tells) in [(place, newer, read, told), (stored_place, stored, read_1, told_1)] {
            place = of.head;
            if reads {
                place = of.read_at;
            }
            if tells {
                place = of.told;
            }
        });
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
        let (mut at, mut before) = (0, (None, 0));
        for clock in 0..20_000 {
            let (qp, next_at) = (stimulus.below(4), stimulus.below(4));
            (block.meets_write.next, block.meets_next_write.next) = (qp == at, qp == next_at);
            let (we, read, told) = (stimulus.chance(0.5), stimulus.chance(0.4), stimulus.chance(0.2));
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
            let (newer, stored) = step(block.as_mut(), |block| {
                let newer = block.outdated.val().then(|| block.place.val().0);
                (newer, block.stored_place.val().0)
            });
            let (of_write, expected) = before;
            assert_eq!(of_write.unwrap_or(stored), expected, "clock {clock}");
            if we {
                written[at as usize] = pointers;
            }
            if let Some(voided) = voids {
                written[voided as usize] = [0; 3];
            }
            let which = if told { 2 } else { usize::from(read) };
            before = (newer, written[asked][which]);
            (asked, at) = (qp as usize, next_at);
        }
    }
}
