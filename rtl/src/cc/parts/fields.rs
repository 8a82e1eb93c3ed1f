//! What a law of INT wants of an event.

use crate::emit::naming::named_inside;
use crate::prim::uint::U;
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_word, Many};
use crate::words::congestion::{AckWord, CcEventKind};
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
    kind: Signal<Local, CcEventKind>,
}

#[kernel]
impl Logic for AckFields {
    fn update(&mut self) {
        word.hops = bit_cast_word::<Many<HopRecordWord, 5>, W<320, 5>>(event.telemetry.hops);
        word.now = event.telemetry.now;
        word.path_id = event.telemetry.path_id;
        word.n_hop = event.telemetry.n_hop;
        word.snd_nxt = event.snd_nxt;
        word.psn_next = event.psn_next;
        word.int_valid = event.telemetry.int_valid;
        kind = bit_cast_word::<CcEventKind, U<3>>(event.telemetry.event_kind);
        word.probe = kind == CcEventKind::Probe;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
