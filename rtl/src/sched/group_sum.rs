//! Running sums of sixteen groups: one addition a clock, in RAM.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | a group and what is added |
//! | 1 | `amount`, the sum that is known | the new sum, written |
//!
//! An addition to the group of the clock before takes the sum that is just being written.

use crate::emit::naming::named;
use crate::prim::lut_ram::LutRam;
use crate::prim::uint::{bits_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Sums of sixteen groups, modulo 2^24.
#[block]
pub struct GroupSum {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: something is added.
    pub add: Signal<In, Bit>,
    /// Clock 0: the group.
    pub group: Signal<In, U<4>>,
    /// Clock 0: what is added.
    pub amount: Signal<In, U<24>>,
    /// Clock 0: the group starts over at zero; `add` is high and `amount` zero.
    pub clear: Signal<In, Bit>,
    /// Group to look at.
    pub look: Signal<In, U<4>>,
    /// One clock later: its sum without the additions of the last two clocks.
    pub sum: Signal<Out, U<24>>,
    #[registers(Bit:
        /// Clock 1: something is added.
        add_1,
        /// Clock 1: the group starts over at zero.
        clear_1,
        /// Clock 1: the addition of the clock before was to the same group.
        again)]
    #[registers(U<24>:
        /// Clock 1: what is added.
        amount_1,
        /// Sum after the latest addition.
        last)]
    #[signals(U<24>: known, total)]
    own: LutRam<U<24>, 4>,
    shown: LutRam<U<24>, 4>,
    /// Clock 1: the group.
    group_1: DFF<U<4>>,
}

#[kernel]
impl Logic for GroupSum {
    fn update(&mut self) {
        // 0
        own.raddr = group;
        assign!(add_1.d = add, group_1.d = group, amount_1.d = amount, clear_1.d = clear);
        again = add_1 & (group_1 == group);

        // 1
        known = if again { last } else { own.rdata };
        if clear_1 {
            known = bits_u::<24>(0);
        }
        total = known + amount_1;
        last = total;
        inputs!(own: we = add_1, waddr = group_1, wdata = total);
        inputs!(shown: we = add_1, waddr = group_1, wdata = total, raddr = look);
        sum = shown.rdata;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}
