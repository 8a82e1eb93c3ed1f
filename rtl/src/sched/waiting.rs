//! Where flows wait for their next visit: a row that is visited at once, and rows of fixed delays.
//!
//! In a row of fixed delay flows become due in the order in which they came, so a plain FIFO in block RAM is a calendar
//! without links: one flow in and one out a clock. Row 0 has no delay, row 1 delays by 4 ticks (32 ns), row `n` from 2 on by
//! 2^(n+2) ticks: 128 ns, 256 ns and so on. With one row this is the ring of the paper. The shortest row that has a flow due
//! goes first, so that fast flows never wait behind slow ones; every sixteenth flow comes from each row in turn if it has one
//! due, so that none starves.
//!
//! | clock | what |
//! |---|---|
//! | 0 | a flow comes, its row and the tick with it |
//! | 3 | it may stand at the head of its row |
//! | 4 | the head is marked due (rows 1 and up) |

use crate::emit::naming::named_by_size;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{LoopIdx, U};
use crate::words::visit::{RingEntry, WaitingEntry};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Most rows.
pub const MAX_ROWS: usize = 12;

/// `ROWS` rows, 1 to [`MAX_ROWS`], for 2^`I` flows. A flow is a word of 38 bits that is not looked at.
#[block(check(ROWS >= 1 && ROWS < MAX_ROWS, "one row to eleven"))]
pub struct Waiting<const I: usize, const ROWS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: all rows are emptied.
    pub reset: Signal<In, Bit>,
    /// Tick now.
    pub tick: Signal<In, U<20>>,
    /// A flow comes.
    pub enter: Signal<In, Bit>,
    /// The flow.
    pub flow: Signal<In, RingEntry>,
    /// Its row; the last one if there are fewer.
    pub row: Signal<In, U<4>>,
    /// Flows that are due.
    pub down: StreamOut<RingEntry>,
    #[signals(Bit: turned, offered)]
    fifo: [StreamFifo<WaitingEntry, I, 1>; ROWS],
    /// The head of the row has waited as long as the row delays.
    due: [DFF<Bit>; ROWS],
    elapsed: [Signal<Local, U<20>>; ROWS],
    ripe: [Signal<Local, Bit>; ROWS],
    present: [Signal<Local, Bit>; MAX_ROWS],
    free: [Signal<Local, Bit>; MAX_ROWS],
    take: [Signal<Local, Bit>; MAX_ROWS],
    #[init(Constant::new(U(ROWS as u64 - 1)))]
    last_row: Constant<U<4>>,
    entering: Signal<Local, WaitingEntry>,
    chosen_row: Signal<Local, U<4>>,
    /// Row that is asked first.
    turn: DFF<U<4>>,
}

#[kernel]
impl<const I: usize, const ROWS: usize> Logic for Waiting<I, ROWS> {
    fn update(&mut self) {
        assign!(turn.d = turn, chosen_row = row);
        if row > last_row {
            chosen_row = last_row;
        }
        fields!(entering: entry = flow, since = tick);
        for i in 0..12 {
            present[i] = false;
            free[i] = true;
            take[i] = false;
        }
        for i in 0..ROWS {
            fifo[i].reset = reset;
            fifo[i].up.valid = enter & (chosen_row == i.val());
            fifo[i].up.data = entering;
            elapsed[i] = tick - (fifo[i].down.data).since;
            present[i] = fifo[i].down.valid;
            ripe[i] = elapsed[i] >= 4;
        }
        for i in 1..ROWS {
            present[i] = fifo[i].down.valid & due[i];
        }
        for i in 2..ROWS {
            ripe[i] = elapsed[i].get_bits::<20>(i + 2).any();
        }
        clear!(turned, offered);
        for i in 0..ROWS {
            if present[i] {
                offered = true;
                if turn == i.val() {
                    turned = true;
                }
            }
            free[i + 1] = free[i] & !present[i];
        }
        down.valid = offered;
        // by flows, not by clocks: whoever asks only in certain clocks must not pass a row over for ever
        if offered & down.ready {
            turn = turn + 1;
        }
        down.data = fifo[0].down.data.val().entry;
        for i in 0..ROWS {
            take[i] = present[i] & ((turned & (turn == i.val())) | (!turned & free[i]));
            if take[i] {
                down.data = (fifo[i].down.data).entry;
            }
            fifo[i].down.ready = take[i] & down.ready;
            // once due a head stays due, however long nobody asks
            due[i] = fifo[i].down.valid & (due[i] | ripe[i]) & !(take[i] & down.ready);
        }
        reset!(turn);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_by_size::<Self>(ROWS > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::word::Word;
    use crate::sim::{init, step, Stimulus};

    /// A flow as it lies in the ring.
    fn entry(bits: u64) -> RingEntry {
        RingEntry::from_slice(&[bits])
    }

    /// Every flow comes out once, not before its delay, and in order within its row, under any stalls.
    #[test]
    fn nobody_is_lost_or_early() {
        let mut waiting: Box<Waiting<6, 6>> = Box::default();
        init(waiting.as_mut()).expect("complete block");
        let mut random = Stimulus::new(2);
        let mut inside: Vec<Option<(u64, u64)>> = vec![None; 60];
        let (mut left, mut accept) = (0u32, 1.0);
        for clock in 0..60_000u64 {
            let tick = (clock * 5) >> 3;
            if clock % 1000 == 0 {
                accept = [1.0, 0.3, 0.02][random.below(3) as usize];
            }
            let flow = random.below(60) as usize;
            let row = random.below(8);
            let enter = inside[flow].is_none() && clock > 4;
            waiting.reset.next = clock < 2;
            waiting.tick.next = U(tick & 0xf_ffff);
            (waiting.enter.next, waiting.flow.next, waiting.row.next) = (enter, entry(flow as u64), U(row));
            waiting.down.ready.next = random.chance(accept);
            let out = step(waiting.as_mut(), |w| {
                (w.down.valid.val() & w.down.ready.val()).then(|| w.down.data.val().limbs()[0])
            });
            if let Some(out) = out {
                let (since, row) = inside[out as usize].take().expect("the flow is inside");
                let delay = [0, 4, 16, 32, 64, 128][row.min(5) as usize];
                assert!(
                    tick - since >= delay,
                    "clock {clock}: row {row} after {} ticks",
                    tick - since
                );
                if accept == 1.0 && clock % 1000 > 500 {
                    assert!(
                        tick - since <= delay + 40,
                        "clock {clock}: row {row} after {} ticks",
                        tick - since
                    );
                }
                left += 1;
            }
            if enter {
                inside[flow] = Some((tick, row.min(5)));
            }
        }
        assert!(left > 10_000, "{left}");
        assert!(inside
            .iter()
            .flatten()
            .all(|(since, _)| 60_000 * 5 / 8 - since < 20_000));
    }

    /// Also a sink that asks in one clock of sixteen gets a flow of each row before long, whichever clock that is.
    #[test]
    fn a_periodic_sink_starves_no_row() {
        for phase in 0..16 {
            let mut waiting: Box<Waiting<6, 6>> = Box::default();
            init(waiting.as_mut()).expect("complete block");
            // four flows keep row 0 busy, one waits in row 3
            let (mut coming, mut served) = (Vec::from([(40, 3), (0, 0), (1, 0), (2, 0), (3, 0)]), 0);
            for clock in 0..2000u64 {
                let next = if clock > 4 { coming.pop() } else { None };
                let (flow, row) = next.unwrap_or_default();
                waiting.reset.next = clock < 2;
                waiting.tick.next = U((clock * 5) >> 3);
                (waiting.enter.next, waiting.flow.next, waiting.row.next) = (next.is_some(), entry(flow), U(row));
                waiting.down.ready.next = clock % 16 == phase;
                let out = step(waiting.as_mut(), |w| {
                    (w.down.valid.val() & w.down.ready.val()).then(|| w.down.data.val().limbs()[0])
                });
                match out {
                    Some(40) => {
                        served += 1;
                        coming.push((40, 3));
                    }
                    Some(flow) => coming.push((flow, 0)),
                    None => {}
                }
            }
            assert!(served >= 5, "phase {phase}: {served}");
        }
    }
}
