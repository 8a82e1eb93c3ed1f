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
        self.skid.reset.next = self.reset.val();
        self.lead.next = self.chain.data.val().tag - self.own.data.val().tag;
        self.own_first.next = self.own.valid.val()
            & (!self.chain.valid.val()
                | (self.lead.val().any() & !self.lead.val().get_bit(5))
                | ((self.lead.val() == 0) & self.turn.q.val()));
        self.skid.up.valid.next = self.chain.valid.val() | self.own.valid.val();
        self.skid.up.data.next = self.chain.data.val();
        if self.own_first.val() {
            self.skid.up.data.next = self.own.data.val();
        }
        self.own.ready.next = self.skid.up.ready.val() & self.own_first.val();
        self.chain.ready.next = self.skid.up.ready.val() & !self.own_first.val();
        if self.skid.up.ready.val() & self.chain.valid.val() & self.own.valid.val() {
            self.turn.d.next = !self.own_first.val();
        }
        StreamOut::<Grant>::link(&mut self.down, &mut self.skid.down);
        reset!(turn);
    }
}
