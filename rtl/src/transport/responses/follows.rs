//! Which READ may become active behind those that are being answered.

use crate::emit::naming::named_inside;
use crate::prim::uint::U;
use crate::prim::wide::W;
use crate::prim::word::bit_cast_word;
use crate::words::responses::ResponseList;
use crate::words::transport::{Commit, CommitKind, ReadRequest};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Combinational. A READ goes on where the last active one ends, unless too much of the flow is on its way already.
#[block]
pub struct Follows {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// List of the queue pair.
    pub list: Signal<In, ResponseList>,
    /// An answer.
    pub answer: Signal<In, Commit>,
    /// It is a READ that may become active behind the last active one.
    pub follows: Signal<Out, Bit>,
    asked: Signal<Local, ReadRequest>,
    count: Signal<Local, U<24>>,
    too_far: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Follows {
    fn update(&mut self) {
        asked = bit_cast_word::<ReadRequest, W<336, 6>>(answer.int_stack);
        count = asked.count;
        // no flow goes on for 2^22 PSNs without a restart
        too_far = (list.ahead.any() & (count >= 32))
            | ((list.ahead > 1) & (count >= 17))
            | list.ahead.all()
            | (list.reach >= 0x20_0000)
            | (count >= 0x20_0000);
        follows = (answer.kind == CommitKind::Read) & (answer.psn == list.end_psn) & !too_far;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
