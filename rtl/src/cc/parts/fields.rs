//! What a law of INT wants of an event.

use crate::emit::naming::named_inside;
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_word, Many};
use crate::words::congestion::AckWord;
use crate::words::sched::LawEvent;
use crate::words::switch::HopRecordWord;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// An event's telemetry and sequence numbers. Without registers.
#[block]
pub struct AckFields {
    /// The event.
    pub event: Signal<In, LawEvent>,
    /// What of it the pipeline carries.
    pub word: Signal<Out, AckWord>,
}

#[kernel]
impl Logic for AckFields {
    fn update(&mut self) {
        self.word.next.hops = bit_cast_word::<Many<HopRecordWord, 5>, W<320, 5>>(self.event.val().telemetry.hops);
        self.word.next.now = self.event.val().telemetry.now;
        self.word.next.path_id = self.event.val().telemetry.path_id;
        self.word.next.n_hop = self.event.val().telemetry.n_hop;
        self.word.next.snd_nxt = self.event.val().snd_nxt;
        self.word.next.psn_next = self.event.val().psn_next;
        self.word.next.int_valid = self.event.val().telemetry.int_valid;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
