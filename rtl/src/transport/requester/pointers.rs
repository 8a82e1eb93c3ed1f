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
    /// Clock 1: the place as it was written in clock 0.
    pub place: Signal<Out, U<5>>,
    /// Clock 1: nothing was written in clock 0, so that the memory will show the place, in `stored`.
    pub shows: Signal<Out, Bit>,
    /// Clock 1: the place is being written in this clock, so that it will be in `written`, whatever `shows` says.
    pub being_written: Signal<Out, Bit>,
    /// Clock 2: the places as the memory shows them.
    pub stored: Signal<Out, RingPointers>,
    /// Clock 2: the places that were written a clock ago.
    pub written: Signal<Out, RingPointers>,
    /// Clock 0: the state that may be written in this clock would be this queue pair's.
    pub meets_write: Signal<In, Bit>,
    /// Clock 0: or the one that may be written in the next clock.
    pub meets_next_write: Signal<In, Bit>,
    /// A state is written, of another queue pair than in the clock before.
    pub we: Signal<In, Bit>,
    /// Of this queue pair.
    pub write_qp: Signal<In, U<8>>,
    /// The state.
    pub new_state: Signal<In, RequesterState>,
    /// Instead the state becomes void, so that all places are 0. Who reads them in this clock or the one before is of an earlier generation.
    pub voids: Signal<In, Bit>,
    /// That of this queue pair.
    pub voided_qp: Signal<In, U<8>>,
    #[signals(RingPointers: pointers_now)]
    memory: TableRam<RingPointers, 8>,
    // in clock 1: what is written then would be this queue pair's; what was written a clock ago was, which the memory does not show
    #[registers(Bit:
        /// Clock 1: what is written in this clock is of the queue pair that is read.
        same,
        /// Clock 1: what was written a clock ago was of the queue pair that is read.
        met,
        /// A state was written a clock ago.
        wrote)]
    /// Places that were written a clock ago.
    written_1: DFF<RingPointers>,
}

#[kernel]
impl Logic for Pointers {
    fn update(&mut self) {
        memory.raddr = qp;
        fields!(pointers_now from new_state: head, read_at);
        inputs!(memory: waddr = write_qp, wdata = pointers_now);
        memory.we = we | voids;
        if voids {
            memory.waddr = voided_qp;
            memory.wdata = bits_zero::<RingPointers>(0);
        }
        same = meets_next_write;
        assign!(met.d = meets_write, wrote.d = we, written_1.d = pointers_now);
        // what is being written is late, so that it is chosen out of its register
        being_written = we & same;
        assign!(stored = memory.rdata, written = written_1);
        place = if read { written_1.read_at } else { written_1.head };
        shows = !(wrote & met);
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

    /// What clock 1 said, and which place it should be.
    #[derive(Default)]
    struct Looked {
        given: u64,
        shows: bool,
        newest: bool,
        read: bool,
        expected: u64,
    }

    /// In every clock, with writes of the same queue pair in the clock of the read, the one behind it, and before; now and then the places of one that is not
    /// read become void.
    #[test]
    fn every_place_is_the_one_written_last() {
        let mut block: Box<Pointers> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(8);
        let (mut written, mut asked) = ([[0u64; 2]; 4], 0);
        let (mut at, mut before) = (0, Looked::default());
        // nobody has been asked for before the first clock
        let mut writer = Some(0);
        for clock in 0..20_000 {
            let (qp, next_at) = (stimulus.below(4), stimulus.below(4));
            (block.meets_write.next, block.meets_next_write.next) = (qp == at, qp == next_at);
            let read = stimulus.chance(0.4);
            let we = writer != Some(at) && stimulus.chance(0.6);
            writer = we.then_some(at);
            let pointers = [stimulus.uniform(5), stimulus.uniform(5)];
            let mut state = [0u64; 3];
            RequesterState::HEAD.put(&mut state, pointers[0]);
            RequesterState::READ_AT.put(&mut state, pointers[1]);
            (block.qp.next, block.read.next) = (U(qp), read);
            let voids = (0..4).find(|other| ![qp, asked as u64].contains(other) && !we && stimulus.chance(0.1));
            (block.we.next, block.write_qp.next) = (we, U(at));
            (block.voids.next, block.voided_qp.next) = (voids.is_some(), U(voids.unwrap_or_default()));
            block.new_state.next = RequesterState::from_slice(&state);
            let (given, shows, newest, stored, newer) = step(block.as_mut(), |block| {
                (
                    block.place.val().0,
                    block.shows.val(),
                    block.being_written.val(),
                    block.stored.val(),
                    block.written.val(),
                )
            });
            let of = |pointers: RingPointers, read: bool| if read { pointers.read_at.0 } else { pointers.head.0 };
            let expected = before.expected;
            let shown = match before {
                Looked { newest: true, read, .. } => of(newer, read),
                Looked { shows: true, read, .. } => of(stored, read),
                Looked { given, .. } => given,
            };
            assert_eq!(shown, expected, "clock {clock}");
            if we {
                written[at as usize] = pointers;
            }
            if let Some(voided) = voids {
                written[voided as usize] = [0; 2];
            }
            before = Looked {
                given,
                shows,
                newest,
                read,
                expected: written[asked][usize::from(read)],
            };
            (asked, at) = (qp as usize, next_at);
        }
    }
}
