//! From the queue pair number of a frame to the place of its context.
//!
//! A queue pair's own number is any of 24 bits: it may have been given by a program or a machine that knows nothing of this
//! NIC's tables. All numbers are compared at once, so frames may follow each other every clock. A comparator for each would be a register of
//! every number and more logic than that; instead the number is cut in five slices, and tables in distributed RAM say of each slice who has its value.
//!
//! | clock | does |
//! |---|---|
//! | 0 | number into registers |
//! | 1 | tables read: those who have all five slices |
//! | 2 | place within each bank of 32 |
//! | 3 | place of the one that has it, 0 if none has: no queue pair ever lives there |
//! | 4 | place a clock early |
//! | 5 | place |
//!
//! Numbers come from the context bus. Those of living queue pairs differ: the host sees to that. A word of a table speaks of 32 queue pairs, so a
//! number that comes or goes is 38 clocks of work, in which lookups go on: see [`update`]. Who needs to know that a number is found waits for
//! `settled`, as the manager does before it tells the host that a queue pair exists.
//!
//! | file | holds |
//! |---|---|
//! | `slices` | tables of 32 queue pairs, and the lookup in them |
//! | `update` | what writes them |

pub mod slices;
#[cfg(test)]
mod tests;
pub mod update;

use crate::emit::naming::named_as;
use crate::prim::uint::{bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::context::QpContext;
use crate::words::rx::{NumberSlices, QpPlace};
use crate::{block, kernel};
use hpcc_models::nic::registers::QP_COUNT;
use rust_hdl::prelude::*;
use slices::SliceBank;
use update::NumberUpdate;

/// Clocks from a number to its place.
pub const LOOKUP_LATENCY: usize = 5;

// five banks
const _: () = assert!(QP_COUNT > 128 && QP_COUNT <= 160);

/// Places by number.
#[block]
pub struct QpLookup {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: there are no queue pairs. Who asks from the next clock on finds none.
    pub reset: Signal<In, Bit>,
    /// A context is written; who asks sees its number as soon as `settled` says so. Seventeen may wait.
    pub context_valid: Signal<In, Bit>,
    /// Place.
    pub context_qp: Signal<In, U<8>>,
    /// Context.
    pub context_data: Signal<In, QpContext>,
    /// Whoever asks sees the numbers of all contexts: a register, low from the clock after a context and while tables are cleared. High again 75
    /// clocks after a context at most, if none waited before it.
    pub settled: Signal<Out, Bit>,
    /// Number asked for.
    pub in_number: Signal<In, U<24>>,
    /// Its place, four clocks later; zero if nobody has it.
    pub out_next_place: Signal<Out, U<8>>,
    /// The same, five clocks later.
    pub out_place: Signal<Out, U<8>>,
    /// Number asked for.
    key: DFF<NumberSlices>,
    tables: NumberUpdate,
    banks: [SliceBank; 5],
    numbered: [Signal<Local, U<3>>; 5],
    #[registers(U<8>:
        /// Place of the number asked for, 0 if nobody has it; `found_then` is a clock later.
        found, found_then)]
    place_found: Signal<Local, QpPlace>,
}

#[kernel]
impl Logic for QpLookup {
    fn update(&mut self) {
        inputs!(tables: reset, context_valid, context_qp, context_data);
        outputs!(tables: settled);
        key = bit_cast_word::<NumberSlices, U<25>>(bit_cast_u::<25, 24>(in_number));
        for i in 0..5 {
            banks[i].key = key;
            banks[i].clears = tables.clears;
            banks[i].write = tables.write[i];
            for slice in 0..5 {
                banks[i].values[slice] = tables.values[slice];
                banks[i].columns[slice] = tables.columns[slice];
            }
            numbered[i] = if banks[i].found { bits_u::<3>(0) + i.val() } else { bits_u::<3>(0) };
        }
        // numbers differ, so at most one bank has found it
        place_found.place = banks[0].place | banks[1].place | banks[2].place | banks[3].place | banks[4].place;
        place_found.bank = numbered[1] | numbered[2] | numbered[3] | numbered[4];
        found = bit_cast_number::<8, QpPlace>(place_found);
        found_then = found;
        assign!(out_next_place = found, out_place = found_then);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_as::<Self>("rx_qp_lookup")
    }
}
