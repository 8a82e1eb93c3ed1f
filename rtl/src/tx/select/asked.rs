//! The READ that was asked for last: does a grant lie in it?
//!
//! The scheduler grants PSNs within a READ until it hears what the READ covers. Such grants are void and count no packet.

use crate::emit::naming::named_inside;
use crate::prim::uint::U;
use crate::prim::word::bit_cast_word;
use crate::words::requester::PsnDistance;
use crate::words::tx::LookedGrant;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Keeps the range of one READ.
#[block]
pub struct AskedRead {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: none was asked for.
    pub reset: Signal<In, Bit>,
    /// The request of a READ leaves.
    pub asks: Signal<In, Bit>,
    /// Its grant.
    pub grant: Signal<In, LookedGrant>,
    /// First PSN of the READ.
    pub first_psn: Signal<In, U<24>>,
    /// One past the last one.
    pub end_psn: Signal<In, U<24>>,
    /// Another grant.
    pub coming: Signal<In, LookedGrant>,
    /// The other grant of one clock ago lay in the READ as it was known then.
    pub inside_read: Signal<Out, Bit>,
    #[registers(Bit: known, inside_r)]
    #[registers(U<24>: first_r, end_r)]
    #[signals(PsnDistance: from_first, from_end)]
    asked: DFF<LookedGrant>,
}

#[kernel]
impl Logic for AskedRead {
    fn update(&mut self) {
        from_first = bit_cast_word::<PsnDistance, U<24>>(coming.psn - first_r);
        from_end = bit_cast_word::<PsnDistance, U<24>>(coming.psn - end_r);
        inside_r = known
            & (coming.flow == asked.flow)
            & (coming.generation == asked.generation)
            & !from_first.negative
            & from_end.negative;
        if asks {
            known = true;
            assign!(asked.d = grant, first_r.d = first_psn, end_r.d = end_psn);
        }
        inside_read = inside_r;
        reset!(known);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
