//! Two rows of grants into one: the lower service tag first, turns on ties.
//!
//! A flow's tag grows by one with each grant and never falls behind the tag in service, so flows that all have more to send
//! than the line carries are served in rounds, whatever engine they belong to (self-clocked fair queueing, one packet
//! group a flow). A chain of these blocks serves all engines; a grant passes each in one clock.

use crate::prim::skid::{Skid, StreamIn, StreamOut};
use crate::prim::uint::U;
use crate::words::sched::Grant;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Merge of two streams of grants.
#[block]
pub struct Merge {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Grants of the engines before.
    pub chain: StreamIn<Grant>,
    /// Grants of this engine.
    pub own: StreamIn<Grant>,
    /// Both.
    pub down: StreamOut<Grant>,
    skid: Skid<Grant>,
    turn: DFF<Bit>,
    lead: Signal<Local, U<6>>,
    own_first: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Merge {
    fn update(&mut self) {
        skid.reset = reset;
        lead = chain.data.val().tag - own.data.val().tag;
        own_first = own.valid & (!chain.valid | (lead.any() & !lead.get_bit(5)) | ((lead == 0) & turn));
        skid.up.valid = chain.valid | own.valid;
        skid.up.data = if own_first { own.data } else { chain.data };
        own.ready = skid.up.ready & own_first;
        chain.ready = skid.up.ready & !own_first;
        if skid.up.ready & chain.valid & own.valid {
            turn = !own_first;
        }
        StreamOut::<Grant>::link(&mut down, &mut skid.down);
        reset!(turn);
    }
}
