//! Levels of groups on their way to the engines: what a rate means to a visit is computed once, when it is written.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 0 | inputs | group and rate | UQ7.27 |
//! | 3 | `earned`, `flown` | rate x visit interval; rate x time of the window | bytes; UQ23.11 |
//! | 4 | `word_4` | the level | |
//!
//! For 31 clocks after a reset every group gets none instead: all ones, one group a clock.
//!
//! Bit for bit [`hpcc_models::sched::Level::new`].

use crate::prim::delay::Delay;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bits_zero;
use crate::words::sched::GroupLevel;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Computes levels, one a clock.
#[block]
pub struct Levels {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: no group has a level.
    pub reset: Signal<In, Bit>,
    /// Clock 0: a level is written, not within 32 clocks after reset.
    pub write: Signal<In, Bit>,
    /// Clock 0: its group.
    pub group: Signal<In, U<4>>,
    /// Clock 0: rate, UQ7.27 bytes per ns; all ones for none.
    pub rate: Signal<In, U<34>>,
    /// Register: visit interval, ns.
    pub interval: Signal<In, U<12>>,
    /// Register: a limit bounds the window too.
    pub cap_window: Signal<In, Bit>,
    /// Register: to its rate times this, ns.
    pub cap_time: Signal<In, U<16>>,
    /// Clock 4: the engines write a level.
    pub written: Signal<Out, Bit>,
    /// Clock 4: its group.
    pub written_group: Signal<Out, U<4>>,
    /// Clock 4: the level.
    pub level: Signal<Out, GroupLevel>,
    earned: MulPipe<34, 12, 19, 27>,
    flown: MulPipe<34, 16, 34, 16>,
    write_3: Delay<Bit, 3>,
    group_3: Delay<U<4>, 3>,
    rate_3: Delay<U<34>, 3>,
    settle: DFF<U<5>>,
    write_4: DFF<Bit>,
    group_4: DFF<U<4>>,
    none: Signal<Local, Bit>,
    window: Signal<Local, U<35>>,
    word_4: DFF<GroupLevel>,
}

#[kernel]
impl Logic for Levels {
    fn update(&mut self) {
        inputs!(earned: a = rate, b = interval);
        inputs!(flown: a = rate, b = cap_time);
        write_3 = write;
        write_4 = write_3;
        group_3 = group;
        group_4 = group_3;
        rate_3 = rate;

        // 3: rounded up to whole bytes, one at least
        none = !cap_window | rate_3.all();
        window = if flown.p == 0 { bits_u::<35>(2048) } else { bit_cast_u::<35, 34>(flown.p) + 2047 };
        if none | window.get_bit(34) {
            window = !bits_u::<35>(0);
        }
        word_4 = bits_zero::<GroupLevel>(0);
        word_4.rate = rate_3;
        word_4.earned = bit_cast_u::<20, 19>(earned.p) + 1;
        word_4.window = window.get_bits::<23>(11);
        if settle.any() {
            settle = settle - 1;
            write_4 = true;
            group_4 = bit_cast_u::<4, 5>(settle);
            word_4.rate = !bits_u::<34>(0);
            word_4.earned = !bits_u::<20>(0);
            word_4.window = !bits_u::<23>(0);
        }
        if reset {
            settle = bits_u::<5>(31);
        }

        assign!(written = write_4, written_group = group_4, level = word_4);
    }
}
