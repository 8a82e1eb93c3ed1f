//! Two rows of grants into one: the lower service tag first, turns on ties.
//!
//! A flow's tag grows by one with each grant and never falls behind the tag in service, so flows that all have more to send
//! than the line carries are served in rounds, whatever engine they belong to (self-clocked fair queueing, one packet
//! group a flow). A chain of these blocks serves all engines; a grant passes each in one clock.
//!
//! A grant that is alone goes at once. Two are compared in one clock, and one of them goes in the next: one in two clocks,
//! as often as [`Expand`](super::expand::Expand) takes one.

use crate::prim::skid::{Skid, StreamIn, StreamOut};
use crate::prim::uint::{bits_u, U};
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
    /// Priority of the grant on `down`, a bit each.
    pub down_priority: Signal<Out, U<8>>,
    skid: Skid<Grant>,
    /// Beside the grants, from registers: found out of three bits behind `skid` it would be in the path from `down` to its own `ready`.
    priorities: Skid<U<8>>,
    // those of the clock before are offered still; of these, the engine's own goes first; and if their tags were the same
    #[registers(Bit:
        /// The grants that are offered were offered a clock ago too, so that `own_first` is theirs.
        compared,
        /// The engine's own grant goes first: its service tag is lower, or the tags are equal and it is its turn.
        own_first,
        /// Of two grants with equal tags the engine's own goes first.
        turn)]
    #[signals(Bit: both, own_may, chain_may, own_goes, chain_goes)]
    lead: Signal<Local, U<6>>,
}

#[kernel]
impl Logic for Merge {
    fn update(&mut self) {
        inputs!([skid, priorities]: reset);
        both = chain.valid & own.valid;
        own_may = !chain.valid | (compared & own_first);
        chain_may = !own.valid | (compared & !own_first);
        own_goes = own.valid & own_may;
        chain_goes = chain.valid & chain_may;
        skid.up.valid = own_goes | chain_goes;
        // whether one goes does not matter to what is ready to go
        skid.up.data = if own.valid & (!chain.valid | own_first) { own.data } else { chain.data };
        // without their `valid`, which the grants behind have on their way anyway
        own.ready = skid.up.ready & own_may;
        chain.ready = skid.up.ready & chain_may;
        if both & compared & skid.up.ready {
            turn = !own_first;
        }
        lead = chain.data.val().tag - own.data.val().tag;
        own_first = (lead.any() & !lead.get_bit(5)) | ((lead == 0) & turn);
        compared = both & !(compared & skid.up.ready);
        priorities.up.valid = skid.up.valid;
        priorities.up.data = bits_u::<8>(1) << skid.up.data.val().pause_class;
        priorities.down.ready = down.ready;
        down_priority = priorities.down.data;
        StreamOut::<Grant>::link(&mut down, &mut skid.down);
        reset!(compared, turn);
    }
}
