//! A queue pair's share of the packet buffer: how many of its short frames may wait for an engine.
//!
//! Short frames come faster than an engine decides about them. A peer that sends nothing else would fill the buffer, and
//! then everybody's frames are lost. So a short frame that finds as many of its queue pair as there is room is dropped: it
//! keeps its place in the order of frames, where it takes one clock. Room is the free beats less eight for each short frame
//! that will go to an engine: while it is decided about, some six beats more come. This is the rule of dynamic thresholds
//! (Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998): whoever comes late finds
//! room, however many fill their share. While fewer than 64 short frames wait for engines, a queue pair may have eight in
//! any case: several READ requests come close together.
//!
//! Two numbers for each queue pair, of frames that entered and of frames that left, so that each has one writer. Its queue pair is known a
//! clock before a frame comes or leaves, so that the word is in a register when it counts; what the frame before it has written is beside it.
//!
//! | clock | a frame that enters | one that leaves |
//! |---|---|---|
//! | -1 | both numbers of its queue pair are read | its number is read |
//! | 1 | counted; how many wait, but for what left in the two clocks before | counted |
//! | 2 | compared with the room; into the queue of marks; its number is written | its number is written |
//!
//! A mark can be read five clocks after its frame came, as is a frame that passed an empty queue of verdicts and two registers.

use crate::emit::naming::named_inside;
use crate::prim::fifo::StreamFifo;
use crate::prim::ram::LoopRam;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::words::rx::ShareMark;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Shares of all queue pairs. In the 256 clocks after a reset the numbers are cleared, and no frame is counted.
#[block]
pub struct Share {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: nothing waits.
    pub reset: Signal<In, Bit>,
    /// Beats of the packet buffer that are free.
    pub free: Signal<In, U<10>>,
    /// A frame enters.
    pub enters: Signal<In, Bit>,
    /// Queue pair of the frame that may enter in the next clock.
    pub next_qp: Signal<In, U<8>>,
    /// It is short and for an engine, as far as its headers say.
    pub short: Signal<In, Bit>,
    /// The oldest frame leaves.
    pub leaves: Signal<In, Bit>,
    /// Queue pair of the frame that may leave in the next clock.
    pub next_leaving_qp: Signal<In, U<8>>,
    /// The oldest frame is beyond its queue pair's share.
    pub over: Signal<Out, Bit>,
    /// Short frames that entered, by queue pair; all numbers modulo 1024.
    entered: LoopRam<U<10>, 8>,
    /// Those that left.
    left: LoopRam<U<10>, 8>,
    /// The same for the frames that enter.
    left_copy: LoopRam<U<10>, 8>,
    marks: StreamFifo<ShareMark, 9, 512>,
    #[registers(Bit:
        /// A frame entered so many clocks ago as the name says.
        entered_1,
        /// That frame is short and for an engine, so that it is counted.
        counted_1,
        /// A frame entered so many clocks ago as the name says.
        entered_2,
        /// That frame is short and for an engine, so that it is counted.
        counted_2,
        /// The oldest frame left a clock ago.
        left_1,
        /// Few beats are kept, so that a share is at least eight frames.
        few,
        /// The frame that entered is of the queue pair of the one before.
        entered_again,
        /// The frame that left is of the queue pair of the one before.
        left_again,
        /// The number of frames that entered is written.
        writes_entered,
        /// The number of frames that left is written.
        writes_left)]
    #[registers(U<8>:
        /// Queue pair of the frame that enters, or entered so many clocks ago as the name says.
        qp, qp_1,
        /// Queue pair of the frame that may leave.
        leaving_qp,
        /// Queue pair of the frame that left one clock ago, and two.
        left_qp,
        /// Queue pair of the frame that enters, or entered so many clocks ago as the name says.
        qp_2,
        /// Queue pair of the frame that left one clock ago, and two.
        left_qp_2)]
    #[signals(Bit: clearing)]
    #[registers(U<10>:
        /// Short frames of the queue pair that wait.
        waiting,
        /// Short frames that a queue pair may have waiting.
        room,
        /// Number of frames that entered, as written last.
        last_entered,
        /// Number of frames that left, as written last.
        last_left)]
    #[signals(U<10>: so_far, so_far_left, with_it, with_it_left)]
    #[signals(U<13>: free_beats)]
    #[signals(Bit: goes_on, ends)]
    /// Beats kept for the short frames that will go to an engine, eight for each.
    kept: DFF<U<13>>,
    #[signals(ShareMark: mark, oldest)]
    #[signals(U<8>: clear_at)]
    /// Numbers cleared since the reset, 256 in the end.
    cleared: DFF<U<9>>,
}

#[kernel]
impl Logic for Share {
    fn update(&mut self) {
        inputs!(marks: reset);
        clearing = cleared < 256;
        clear_at = bit_cast_u::<8, 9>(cleared);
        if clearing {
            cleared = cleared + 1;
        }

        // -1
        entered.raddr = next_qp;
        left_copy.raddr = next_qp;
        qp = next_qp;

        // 0
        entered_1 = enters;
        counted_1 = short & !clearing;
        qp_1 = qp;
        entered_again = entered_1 & counted_1 & (qp_1 == qp);

        // 1
        so_far = if entered_again { last_entered } else { entered.rdata };
        with_it = so_far + 1;
        last_entered = with_it;
        writes_entered = entered_1 & counted_1;
        qp_2 = qp_1;
        waiting = so_far - left_copy.rdata;
        assign!(entered_2.d = entered_1, counted_2.d = counted_1);

        // 2
        inputs!(entered: we = writes_entered, waddr = qp_2, wdata = last_entered);
        mark.counted = counted_2;
        mark.over = counted_2 & waiting.any() & (waiting >= room) & !(few & (waiting < 8));
        few = kept < 512;
        free_beats = bit_cast_u::<13, 10>(free);
        room = bits_u::<10>(0);
        if free_beats > kept {
            room = bit_cast_u::<10, 13>(free_beats - kept);
        }
        marks.up.valid = entered_2;
        marks.up.data = mark;

        // out
        oldest = marks.down.data;
        over = oldest.over;
        marks.down.ready = leaves;
        goes_on = entered_2 & counted_2 & !mark.over;
        ends = leaves & oldest.counted & !oldest.over;
        if goes_on & !ends {
            kept = kept + 8;
        }
        if ends & !goes_on {
            kept = kept - 8;
        }
        left.raddr = next_leaving_qp;
        leaving_qp = next_leaving_qp;
        left_1 = leaves & oldest.counted;
        left_qp = leaving_qp;
        left_again = left_1 & (left_qp == leaving_qp);
        so_far_left = if left_again { last_left } else { left.rdata };
        with_it_left = so_far_left + 1;
        last_left = with_it_left;
        assign!(writes_left.d = left_1, left_qp_2.d = left_qp);
        inputs!([left, left_copy]: we = writes_left, waddr = left_qp_2, wdata = last_left);

        if clearing {
            each!((table) in [(entered), (left), (left_copy)] {
                table.we = true;
                table.waddr = clear_at;
                table.wdata = bits_u::<10>(0);
            });
        }
        reset!(entered_1, entered_2, left_1, writes_entered, writes_left, cleared, kept);
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

    /// Clocks from a frame to its mark.
    const LATENCY: u64 = 5;

    /// Against a count of what waits, with queue pairs that come again in the next clock, and a reset in between.
    #[test]
    fn every_mark_is_that_of_a_count() {
        let mut block: Box<Share> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(1);
        let mut waiting = [0u64; 256];
        // when it came, queue pair, counted, how many of its queue pair waited, beyond the share
        let mut marks: VecDeque<(u64, usize, bool, u64, Option<bool>)> = VecDeque::new();
        // short frames for an engine; the room and whether they were few, a clock ago
        let (mut total, mut room, mut few) = (0u64, 0, false);
        let (mut over, mut under) = (0, 0);
        // of the frame that may enter, told a clock before; of the frame that left a clock ago, which does not count yet as gone
        let (mut next_qp, mut gone) = (0, None::<usize>);
        for clock in 0..40_000u64 {
            let phase = clock % 20_000;
            block.reset.next = phase < 4;
            if phase < 4 {
                waiting = [0; 256];
                gone = None;
                marks.clear();
                total = 0;
            }
            // the numbers stand once all are cleared
            let quiet = phase < 4 + 256;
            let (busy, slow) = (phase / 2000 % 2 == 0, phase / 1000 % 2 == 0);
            let qp = std::mem::replace(
                &mut next_qp,
                [3, 4, 200, stimulus.below(256)][stimulus.below(4) as usize] as usize,
            );
            let enters = phase >= 4 && marks.len() < 500 && stimulus.chance(if busy { 0.9 } else { 0.4 });
            let short = stimulus.chance(0.8);
            let free = if slow { stimulus.below(80) } else { stimulus.below(513) };
            let shown = marks.front().is_some_and(|mark| mark.0 + LATENCY <= clock);
            let leaves = shown && stimulus.chance(if slow { 0.3 } else { 0.7 });
            let next_leaving = marks.get(usize::from(leaves)).map_or(0, |mark| mark.1);
            (block.enters.next, block.short.next, block.next_qp.next) = (enters, short, U(next_qp as u64));
            (block.leaves.next, block.free.next) = (leaves, U(free));
            block.next_leaving_qp.next = U(next_leaving as u64);
            // frames of two clocks ago are compared with the room there was a clock ago
            let mut change = 0;
            for mark in marks.iter_mut().filter(|mark| mark.0 + 2 == clock) {
                let beyond = mark.2 && mark.3 > 0 && mark.3 >= room && !(few && mark.3 < 8);
                mark.4 = Some(beyond);
                change += i64::from(mark.2 && !beyond);
            }
            (room, few) = (free.saturating_sub(8 * total), total < 64);
            if enters {
                let counted = short && !quiet;
                marks.push_back((clock, qp, counted, waiting[qp], None));
                waiting[qp] += u64::from(counted);
            }
            let got = step(block.as_mut(), |block| block.over.val());
            if shown {
                let expected = marks[0].4.expect("compared");
                assert_eq!(got, expected, "clock {clock}");
                (over, under) = (over + u64::from(expected), under + u64::from(!expected));
            }
            if let Some(qp) = gone.take() {
                waiting[qp] -= 1;
            }
            if leaves {
                let (_, qp, counted, _, beyond) = marks.pop_front().expect("shown");
                change -= i64::from(counted && beyond == Some(false));
                gone = counted.then_some(qp);
            }
            total = total.checked_add_signed(change).expect("frames that leave had entered");
        }
        assert!(over > 3000 && under > 3000, "{over} {under}");
    }
}
