//! Waits until nothing that was on its way is on its way any more.
//!
//! Before a queue pair's or region's removal is reported, memory must have answered every burst that was issued for it. Frames that have been looked up
//! leave in their order, and so do the writes that they ask for, and the reads of packets to be sent: what was on its way is counted once, and counted down
//! as the oldest ones end. What comes later is not waited for, and does not wait.

use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// At most 31 frames, 255 writes and 255 reads are on their way.
#[block]
pub struct Fence {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: nothing is on its way.
    pub reset: Signal<In, Bit>,
    /// Pulse: wait for what is on its way now.
    pub start: Signal<In, Bit>,
    /// Pulse: a frame is on its way, and may ask for a write.
    pub frame_enters: Signal<In, Bit>,
    /// Pulse: the oldest frame has left.
    pub frame_done: Signal<In, Bit>,
    /// Pulse, with `frame_done`: a write is on its way.
    pub write_made: Signal<In, Bit>,
    /// Pulse: the oldest write has ended.
    pub write_done: Signal<In, Bit>,
    /// Pulse: a read is on its way.
    pub read_made: Signal<In, Bit>,
    /// Pulse: the oldest read has ended.
    pub read_done: Signal<In, Bit>,
    /// What was on its way with the last `start` has ended. Low from the clock after `start` on.
    pub quiet: Signal<Out, Bit>,
    /// On their way now.
    #[registers(U<5>: frames, frames_left)]
    #[registers(U<8>:
        /// Writes that are on their way.
        writes,
        /// Writes that are still waited for.
        writes_left,
        /// Reads that are on their way.
        reads,
        /// Reads that are still waited for.
        reads_left)]
    #[signals(U<5>: frames_now)]
    #[signals(U<8>: writes_now, reads_now)]
    /// Frames are waited for; then writes.
    #[registers(Bit: waits_frames, waits_writes, quiet_r)]
    done: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Fence {
    fn update(&mut self) {
        frames_now = frames + bit_cast_u::<5, 1>(bit_cast_b(frame_enters)) - bit_cast_u::<5, 1>(bit_cast_b(frame_done));
        writes_now = writes + bit_cast_u::<8, 1>(bit_cast_b(write_made)) - bit_cast_u::<8, 1>(bit_cast_b(write_done));
        reads_now = reads + bit_cast_u::<8, 1>(bit_cast_b(read_made)) - bit_cast_u::<8, 1>(bit_cast_b(read_done));
        assign!(frames.d = frames_now, writes.d = writes_now, reads.d = reads_now);

        // the oldest ones first
        if frame_done & frames_left.any() {
            frames_left = frames_left - 1;
        }
        if write_done & writes_left.any() {
            writes_left = writes_left - 1;
        }
        if read_done & reads_left.any() {
            reads_left = reads_left - 1;
        }
        if waits_frames & !frames_left.any() {
            waits_frames = false;
            waits_writes = true;
            writes_left = writes_now;
        }
        done = waits_writes & !writes_left.any() & !reads_left.any();
        quiet_r = done;
        if start {
            assign!(frames_left.d = frames_now, reads_left.d = reads_now);
            waits_frames = true;
            clear!(waits_writes, quiet_r);
        }
        quiet = quiet_r;
        reset!(
            frames,
            frames_left,
            writes,
            writes_left,
            reads,
            reads_left,
            waits_frames,
            waits_writes,
            quiet_r
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use std::collections::VecDeque;

    /// Frames, writes and reads that come and go at random, each with a number; quiet is told when the last of those that were there has gone, with all
    /// writes of those frames, and not before.
    #[test]
    fn quiet_when_what_was_there_has_gone() {
        let mut block: Box<Fence> = Box::default();
        init(block.as_mut()).expect("complete block");
        block.reset.next = true;
        step(block.as_mut(), |_| ());
        block.reset.next = false;
        let mut stimulus = Stimulus::new(5);
        let (mut frames, mut writes, mut reads) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        let mut number = 0u64;
        // numbers below this one are waited for, since that clock
        let mut fence: Option<(u64, u64)> = None;
        let (mut told, mut late) = (0, 0);
        for clock in 0..60_000u64 {
            // now and then nothing ends for a while
            let ends = clock / 300 % 4 != 0;
            number += 1;
            let enters = frames.len() < 30 && stimulus.chance(0.3);
            let leaves = ends && !frames.is_empty() && stimulus.chance(0.3);
            let makes = leaves && writes.len() < 200 && stimulus.chance(0.7);
            let written = ends && !writes.is_empty() && stimulus.chance(0.25);
            let reads_on = reads.len() < 200 && stimulus.chance(0.2);
            let read = ends && !reads.is_empty() && stimulus.chance(0.25);
            let start = fence.is_none() && stimulus.chance(0.05);
            // a frame enters before the fence of the same clock
            if enters {
                frames.push_back(number);
            }
            if reads_on {
                reads.push_back(number);
            }
            if leaves {
                let frame = frames.pop_front().expect("one");
                if makes {
                    writes.push_back(frame);
                }
            }
            if written {
                writes.pop_front();
            }
            if read {
                reads.pop_front();
            }
            block.start.next = start;
            block.frame_enters.next = enters;
            block.frame_done.next = leaves;
            block.write_made.next = makes;
            block.write_done.next = written;
            block.read_made.next = reads_on;
            block.read_done.next = read;
            let quiet = step(block.as_mut(), |b| b.quiet.val());
            if start {
                fence = Some((number, clock));
                continue;
            }
            let Some((below, since)) = fence else { continue };
            let there = [&frames, &writes, &reads]
                .iter()
                .any(|all| all.iter().any(|one| *one <= below));
            assert!(
                !quiet || !there,
                "clock {clock}: quiet since {since} while something is there"
            );
            late = if there { 0 } else { late + 1 };
            if quiet {
                fence = None;
                told += 1;
            } else {
                // writes that were made by frames that came in with the last of those before may be waited for, too
                assert!(late < 400, "clock {clock}: nothing is there any more");
            }
        }
        assert!(told > 60, "{told}");
    }
}
