//! Keeps the tables of the lookup: clears them after reset, and takes numbers that contexts bring, one at a time.
//!
//! | step | clocks | does |
//! |---|---|---|
//! | `Clear` | 32 | a word of every table a clock |
//! | `Idle` | 1 | the oldest context that waits |
//! | `Read`, `Compare`, `Decide` | 3 | the number that its place had; the same: done |
//! | `Scan`, `Match`, `Write` | 34 | a word of every slice's table, for the values of the old number: who has them now |
//! | `Scan`, `Match`, `Write` | 34 | the same for the values of the new number |
//!
//! A queue pair that did not exist has no old number, and one that does not exist any more no new one. The words of all slices are written in one
//! clock: a number is found or not, and no number that is made of an old and a new one is found in between. A context that is written again with
//! the number that it had changes no table.

use crate::emit::naming::named_inside;
use crate::prim::async_ram::AsyncRam;
use crate::prim::short_fifo::ShortFifo;
use crate::prim::uint::{bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::rx::{KnownNumber, LookupStep, NumberChange, NumberSlices, PlaceColumn, QpPlace};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// A word of a slice's table, gathered place by place, the last one first.
#[block]
pub struct GatheredColumn {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: nobody.
    pub reset: Signal<In, Bit>,
    /// The next place is there.
    pub shifts: Signal<In, Bit>,
    /// Its bit.
    pub takes: Signal<In, Bit>,
    /// The word, a register.
    pub column: Signal<Out, U<32>>,
    /// Places of the bank whose numbers have the value of this slice, a bit each.
    gathered: DFF<U<32>>,
    shifted: Signal<Local, PlaceColumn>,
}

#[kernel]
impl Logic for GatheredColumn {
    fn update(&mut self) {
        shifted.newest = takes;
        shifted.earlier = bit_cast_u::<31, 32>(gathered);
        if shifts {
            gathered = bit_cast_number::<32, PlaceColumn>(shifted);
        }
        column = gathered;
        reset!(gathered);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

/// Writer of the tables. A number is in them 39 clocks after its context if the queue pair did not exist, 73 clocks if it had another one, and
/// out of them after 39, if nothing waits before it. Seventeen contexts may wait: those that come when as many do are lost.
#[block]
pub struct NumberUpdate {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: there are no queue pairs. Tables are clear 32 clocks later, and contexts that come meanwhile wait.
    pub reset: Signal<In, Bit>,
    /// A context is written.
    pub context_valid: Signal<In, Bit>,
    /// Place.
    pub context_qp: Signal<In, U<8>>,
    /// Context.
    pub context_data: Signal<In, QpContext>,
    /// The tables have the number of every context, a register. Low from the clock after a context.
    pub settled: Signal<Out, Bit>,
    /// Tables are being cleared, one clock late: whatever they say, there is no queue pair.
    pub clears: Signal<Out, Bit>,
    /// Of each bank: a word of each slice's table is written.
    pub write: [Signal<Out, Bit>; 5],
    /// Of each slice: which word, the value that the slice has in numbers.
    pub values: [Signal<Out, U<5>>; 5],
    /// Of each slice: the word, bit n of the place n.
    pub columns: [Signal<Out, U<32>>; 5],
    // a context, clocks 0 and 1
    #[signals(KnownNumber: brought, wanted)]
    own_number: Signal<Local, U<24>>,
    /// A context was written a clock ago.
    written: DFF<Bit>,
    /// Place of that context, and the number that it brings.
    change: DFF<NumberChange>,
    queue: ShortFifo<NumberChange, 4, 8>,
    head: Signal<Local, NumberChange>,
    // what every place has
    numbers: [AsyncRam<U<26>, 5>; 5],
    wanted_number: Signal<Local, U<26>>,
    terms: [Signal<Local, U<26>>; 5],
    /// The queue pair whose turn it is lives in this bank.
    mine: [DFF<Bit>; 5],
    /// Number of the place that is read.
    seen: DFF<KnownNumber>,
    // one context at a time
    #[registers(Bit:
        /// The context brings the number that the place has.
        same,
        /// The values that are gathered are those of the new number, else those of the old one.
        of_new,
        /// A place is compared in this clock.
        scanned,
        /// Tables are cleared.
        clears_r,
        /// Whoever asks sees the numbers of all contexts.
        settled_r)]
    #[signals(Bit: clearing, stores, writes, done)]
    /// State of the update.
    step: DFF<LookupStep>,
    /// Place in the bank, or value of the slices while tables are cleared.
    count: DFF<U<5>>,
    /// The number whose slices' values are looked for.
    target: DFF<KnownNumber>,
    /// Places of the bank whose numbers have the value of this slice, a bit each.
    gathered: [GatheredColumn; 5],
}

#[kernel]
impl Logic for NumberUpdate {
    fn update(&mut self) {
        // 0: a host that names no number means the place's. Who does not exist has none, so that two of them are the same
        own_number = if context_data.local_qpn == 0 { bit_cast_u::<24, 8>(context_qp) } else { context_data.local_qpn };
        brought = bits_zero::<KnownNumber>(0);
        if context_data.alive {
            brought.alive = true;
            brought.number = bit_cast_word::<NumberSlices, U<25>>(bit_cast_u::<25, 24>(own_number));
        }
        written = context_valid;
        change.place = bit_cast_word::<QpPlace, U<8>>(context_qp);
        change.known = brought;
        // 1
        inputs!(queue: reset, up.valid = written, up.data = change);
        head = queue.down.data;
        wanted = head.known;
        wanted_number = bit_cast_number::<26, KnownNumber>(wanted);

        // numbers by place
        clearing = step == LookupStep::Clear;
        stores = (step == LookupStep::Decide) & !same;
        for i in 0..5 {
            mine[i] = head.place.bank == i.val();
            inputs!(numbers[i]: raddr = count, waddr = count);
            numbers[i].we = clearing | (stores & mine[i]);
            numbers[i].wdata = if clearing { bits_u::<26>(0) } else { wanted_number };
            terms[i] = if mine[i] { numbers[i].rdata } else { bits_u::<26>(0) };
        }
        seen = bit_cast_word::<KnownNumber, U<26>>(terms[0] | terms[1] | terms[2] | terms[3] | terms[4]);

        // who has the values of the target, the last place first
        scanned = step == LookupStep::Scan;
        for slice in 0..5 {
            inputs!(gathered[slice]: reset, shifts = scanned);
            gathered[slice].takes = seen.alive & (seen.number.slices[slice] == target.number.slices[slice]);
            columns[slice] = gathered[slice].column;
            values[slice] = if clearing { count } else { target.number.slices[slice] };
        }

        // one context at a time
        writes = step == LookupStep::Write;
        done = ((step == LookupStep::Decide) & same) | (writes & (of_new | !wanted.alive));
        queue.down.ready = done;
        for i in 0..5 {
            write[i] = clearing | (writes & mine[i]);
        }
        match step {
            LookupStep::Clear => {
                count = count - 1;
                if count == 1 {
                    step = LookupStep::Idle;
                }
            }
            LookupStep::Idle => {
                count = head.place.place;
                if queue.down.valid {
                    step = LookupStep::Read;
                }
            }
            LookupStep::Read => {
                step = LookupStep::Compare;
            }
            LookupStep::Compare => {
                step = LookupStep::Decide;
                target = seen;
                same = bit_cast_number::<26, KnownNumber>(seen) == wanted_number;
            }
            LookupStep::Decide => {
                step = if same { LookupStep::Idle } else { LookupStep::Scan };
                count = bits_u::<5>(31);
                of_new = !target.alive;
                if !target.alive {
                    target = wanted;
                }
            }
            LookupStep::Scan => {
                count = count - 1;
                if count == 0 {
                    step = LookupStep::Match;
                }
            }
            LookupStep::Match => {
                step = LookupStep::Write;
            }
            _ => {
                step = if done { LookupStep::Idle } else { LookupStep::Scan };
                count = bits_u::<5>(31);
                of_new = true;
                target = wanted;
            }
        }
        clears_r = clearing;
        clears = clears_r;
        settled_r = (step == LookupStep::Idle) & !context_valid & !written & !queue.down.valid;
        settled = settled_r;
        reset!(written, step, count, scanned, settled_r);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
