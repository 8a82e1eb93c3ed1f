//! What came for a queue pair, compared with the list of what waits for it.

use super::follows::Follows;
use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, U};
use crate::words::responses::ResponseList;
use crate::words::transport::{Commit, CommitKind};
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
    pub came: Signal<In, Commit>,
    /// It is of the queue pair's generation, whose responder half has not ended.
    pub own: Signal<Out, Bit>,
    /// A READ is being answered.
    pub active: Signal<Out, Bit>,
    /// Answers wait.
    pub waits: Signal<Out, Bit>,
    /// READs before the last active one are active.
    pub several: Signal<Out, Bit>,
    /// The answer is a READ.
    pub is_read: Signal<Out, Bit>,
    /// The answer is a READ that may become active behind the last active one.
    pub follows: Signal<Out, Bit>,
    /// The PSN is that behind the last active READ; of an end: it is the end of that READ.
    pub at_end: Signal<Out, Bit>,
    /// The PSN lies before the end of the last active READ.
    pub before_end: Signal<Out, Bit>,
    /// The end is that of the last active READ, by its tag.
    pub of_last: Signal<Out, Bit>,
    /// Of the oldest active one.
    pub of_oldest: Signal<Out, Bit>,
    /// Of any active one.
    pub of_active: Signal<Out, Bit>,
    successor: Follows,
    compared: Signal<Local, ResponseList>,
    answer: Signal<Local, Commit>,
    covered: Signal<Local, U<24>>,
    /// Active READs behind the one that ends.
    behind: Signal<Local, U<4>>,
}

#[kernel]
impl Logic for Comparison {
    fn update(&mut self) {
        compared = list;
        answer = came;
        own = (compared.generation == answer.generation) & !compared.dead;
        active = compared.active;
        waits = compared.waiting.any();
        several = compared.ahead.any();
        is_read = answer.kind == CommitKind::Read;
        at_end = answer.psn == compared.end_psn;
        inputs!(successor: list, answer = came);
        follows = successor.follows;
        covered = compared.end_psn + !answer.psn;
        before_end = !covered.get_bit(23);
        behind = compared.tag - answer.msn.get_bits::<4>(0);
        of_last = behind == 0;
        of_oldest = behind == bit_cast_u::<4, 3>(compared.ahead);
        of_active = behind <= bit_cast_u::<4, 3>(compared.ahead);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
