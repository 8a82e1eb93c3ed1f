//! What came for a queue pair, compared with the list of what waits for it.

use super::follows::Follows;
use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::responses::{Compared, EndInMsn, QueuedAnswer, ResponseList};
use crate::words::transport::CommitKind;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Combinational. The response queue has two, for what comes and for what is in hand: a choice of what to compare would stand before the comparison.
#[block]
pub struct Comparison {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// List of the queue pair.
    pub list: Signal<In, ResponseList>,
    /// An answer, or the end of a READ as [`Intake`](super::intake::Intake) gives it.
    pub came: Signal<In, QueuedAnswer>,
    /// How they stand.
    pub says: Signal<Out, Compared>,
    successor: Follows,
    covered: Signal<Local, U<24>>,
    /// Active READs behind the one that ends.
    behind: Signal<Local, U<5>>,
    /// The READ that ends.
    ended: Signal<Local, EndInMsn>,
    found: Signal<Local, Compared>,
}

#[kernel]
impl Logic for Comparison {
    fn update(&mut self) {
        inputs!(successor: list, answer = came);
        covered = list.end_psn + !came.psn;
        ended = bit_cast_word::<EndInMsn, U<24>>(came.msn);
        behind = list.tag - ended.tag;
        found.own = (list.generation == came.generation) & !list.dead;
        found.active = list.active;
        found.waits = list.waiting.any();
        found.several = list.ahead.any();
        found.is_read = came.kind == CommitKind::Read;
        found.follows = successor.follows;
        found.at_end = came.psn == list.end_psn;
        found.before_end = !covered.get_bit(23);
        found.of_last = list.tag == ended.tag;
        found.of_oldest = behind == bit_cast_u::<5, 4>(list.ahead);
        found.of_active = behind <= bit_cast_u::<5, 4>(list.ahead);
        says = found;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
