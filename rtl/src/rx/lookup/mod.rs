//! From the queue pair number of a frame to the place of its context.
//!
//! The lowest bits of a queue pair's own number are its place in every table of the NIC; the rest is a tag, which the host or the peer may choose.
//! So the lookup is one read: the entry at the place says whether a queue pair lives there and with which tag. Numbers follow each other every clock.
//!
//! | clock | does |
//! |---|---|
//! | 0 | number into registers |
//! | 1, 2 | entry of its place read |
//! | 3 | tag compared: the place if a queue pair of this tag lives there, 0 if none does, where no queue pair ever lives |
//! | 4 | place a clock early |
//! | 5 | place |
//!
//! Entries come from the context bus. The [manager](crate::host::manager) refuses a number that does not fit its place, so each living queue pair
//! has one number and each number names one queue pair at most.

#[cfg(test)]
mod tests;

use crate::emit::naming::named_as;
use crate::prim::ram::RamReg;
use crate::prim::uint::{bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::rx::{KnownNumber, QpNumber};
use crate::{block, kernel};
use hpcc_models::nic::registers::QP_COUNT;
use rust_hdl::prelude::*;

/// Clocks from a number to its place.
pub const LOOKUP_LATENCY: usize = 5;

// places have the eight bits of `QpNumber::place`; the entry of the last one is cleared too late for a number that is read in that clock
const _: () = assert!(QP_COUNT < 256);

/// Places by number.
#[block]
pub struct QpLookup {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: there are no queue pairs. For 256 clocks more nobody is found, entries are cleared, and contexts are not heard.
    pub reset: Signal<In, Bit>,
    /// A context is written; who asks from the next clock on sees its number.
    pub context_valid: Signal<In, Bit>,
    /// Place.
    pub context_qp: Signal<In, U<8>>,
    /// Context.
    pub context_data: Signal<In, QpContext>,
    /// Number asked for.
    pub in_number: Signal<In, U<24>>,
    /// Its place, four clocks later; zero if nobody has it.
    pub out_next_place: Signal<Out, U<8>>,
    /// The same, five clocks later.
    pub out_place: Signal<Out, U<8>>,
    /// Who lives at each place.
    entries: RamReg<KnownNumber, 8>,
    #[registers(QpNumber:
        /// Number asked for, in the clock of the name.
        number_1, number_2, number_3)]
    #[registers(U<8>:
        /// Place of the number asked for, 0 if nobody has it; `found_then` is a clock later.
        found, found_then)]
    /// Entries are cleared after a reset, one a clock.
    clearing: DFF<Bit>,
    /// Place that is cleared.
    at: DFF<U<8>>,
    named: Signal<Local, QpNumber>,
    known: Signal<Local, KnownNumber>,
}

#[kernel]
impl Logic for QpLookup {
    fn update(&mut self) {
        // entries: a number of zero is that of the place, whose tag is zero too
        named = bit_cast_word::<QpNumber, U<24>>(context_data.local_qpn);
        known = bits_zero::<KnownNumber>(0);
        known.alive = context_data.alive;
        known.tag = named.tag;
        inputs!(entries: we = context_valid, waddr = context_qp, wdata = known);
        if clearing {
            entries.we = true;
            entries.waddr = at;
            entries.wdata = bits_zero::<KnownNumber>(0);
            at = at + 1;
            clearing = !at.all();
        }

        // lookup
        number_1 = bit_cast_word::<QpNumber, U<24>>(in_number);
        entries.raddr = number_1.place;
        advance!(number_2, number_3);
        found = bits_u::<8>(0);
        if entries.rdata.val().alive & (entries.rdata.val().tag == number_3.tag) & !clearing {
            found = number_3.place;
        }
        found_then = found;
        assign!(out_next_place = found, out_place = found_then);
        if reset {
            clearing = true;
            at = bits_u::<8>(0);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_as::<Self>("rx_qp_lookup")
    }
}
