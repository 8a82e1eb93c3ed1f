//! Levels of groups on their way to the engines: what a rate means to a visit is computed once, when it is written.
//!
//! Both halves of the rate are multiplied by both times one after the other, in one multiplier of 17 by 17 bits.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 0 | inputs | group and rate; the registers of this clock count | UQ7.27 |
//! | 1, 2 | `rate_1` | low and high half of the rate x visit interval | |
//! | 3, 4 | `rate_1` | low and high half of the rate x time of the window | |
//! | 5 | `earned_5` | sum of the first two products | 19 bits, bytes |
//! | 7 | `flown_7` | sum of the last two | UQ23.11 |
//! | 8 | `word_8` | the level | |
//!
//! For 31 clocks after a reset every group gets none instead: all ones, one group a clock.
//!
//! Bit for bit [`hpcc_models::sched::Level::new`].

use crate::prim::delay::Delay;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::sched::GroupLevel;
use crate::words::visit::{EarnedSum, IntervalProduct, RateHalves, TimeProduct, WindowBytes};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from one level to the next, at least. A register of the NIC is written every fourth clock at most.
pub const LEVEL_INTERVAL: u64 = 4;

/// Computes levels, one every [`LEVEL_INTERVAL`] clocks.
#[block]
pub struct Levels {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: no group has a level.
    pub reset: Signal<In, Bit>,
    /// Clock 0: a level is written, not within 32 clocks after reset, and not within three after another.
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
    /// Clock 8: the engines write a level.
    pub written: Signal<Out, Bit>,
    /// Clock 8: its group.
    pub written_group: Signal<Out, U<4>>,
    /// Clock 8: the level.
    pub level: Signal<Out, GroupLevel>,
    // 1 to 4
    /// Which product is begun, 1 to 4; 0 is none.
    step: DFF<U<3>>,
    /// Rate in hand, UQ7.27 bytes per ns.
    rate_1: DFF<U<34>>,
    halves: Signal<Local, RateHalves>,
    /// Visit interval when the rate was written, ns.
    interval_1: DFF<U<12>>,
    /// Time of the window when the rate was written, ns.
    time_1: DFF<U<16>>,
    #[registers(Bit:
        /// The level bounds no window: the rate in hand is none, or limits bound rates alone.
        unbounded_1,
        /// As `unbounded_1`, of the rate whose products are complete.
        unbounded_5)]
    product: MulPipe<17, 17, 34>,
    // 3 to 6
    /// Which product shows.
    shown: Delay<U<3>, 2>,
    /// Of the product before, what the next one is added to.
    below: DFF<U<17>>,
    by_interval: Signal<Local, IntervalProduct>,
    by_time: Signal<Local, TimeProduct>,
    sum: Signal<Local, EarnedSum>,
    /// Bytes that the rate earns in a visit interval.
    earned_5: DFF<U<19>>,
    /// Rate whose products are complete, UQ7.27 bytes per ns.
    rate_5: DFF<U<34>>,
    /// Group of the rate in hand.
    group_1: DFF<U<4>>,
    /// Group of the rate whose products are complete.
    group_5: DFF<U<4>>,
    // 7
    /// Clock 7: rate times the time of the window, UQ23.11 bytes.
    flown_7: DFF<U<34>>,
    #[registers(Bit:
        /// Clock 7: a level is complete.
        write_7,
        /// Clock 8: the engines write a level.
        write_8)]
    /// Groups that still get no level after a reset.
    settle: DFF<U<5>>,
    /// Clock 8: group of the level.
    group_8: DFF<U<4>>,
    window: Signal<Local, U<35>>,
    window_bytes: Signal<Local, WindowBytes>,
    /// Clock 8: the level.
    word_8: DFF<GroupLevel>,
}

#[kernel]
impl Logic for Levels {
    fn update(&mut self) {
        // 0
        if step.any() {
            step = step + 1;
        }
        if step == 4 {
            step = bits_u::<3>(0);
        }
        if write {
            step = bits_u::<3>(1);
            assign!(
                rate_1.d = rate,
                group_1.d = group,
                interval_1.d = interval,
                time_1.d = cap_time
            );
            unbounded_1 = !cap_window | rate.all();
        }

        // 1 to 4
        halves = bit_cast_word::<RateHalves, U<34>>(rate_1);
        product.a = if (step == 1) | (step == 3) { halves.low } else { halves.high };
        product.b =
            if (step == 1) | (step == 2) { bit_cast_u::<17, 12>(interval_1) } else { bit_cast_u::<17, 16>(time_1) };
        shown = step;
        if step == 4 {
            assign!(rate_5.d = rate_1, group_5.d = group_1, unbounded_5.d = unbounded_1);
        }

        // 3 to 6: the upper product stands 17 bits above the lower one. Of a time's the lowest 16 bits are fractions that count for nothing
        by_interval = bit_cast_word::<IntervalProduct, U<34>>(product.p);
        by_time = bit_cast_word::<TimeProduct, U<34>>(product.p);
        below = by_interval.high;
        sum = bit_cast_word::<EarnedSum, U<34>>(product.p + bit_cast_u::<34, 17>(below));
        if shown == 2 {
            earned_5 = sum.bytes;
        }
        if shown == 3 {
            below = bit_cast_u::<17, 18>(by_time.whole);
        }
        if shown == 4 {
            flown_7 = product.p + product.p + bit_cast_u::<34, 17>(below);
        }
        write_7 = shown == 4;

        // 7: rounded up to whole bytes, one at least
        window = if flown_7 == 0 { bits_u::<35>(2048) } else { bit_cast_u::<35, 34>(flown_7) + 2047 };
        window_bytes = bit_cast_word::<WindowBytes, U<35>>(window);
        write_8 = write_7;
        group_8 = group_5;
        word_8 = bits_zero::<GroupLevel>(0);
        word_8.rate = rate_5;
        word_8.earned = bit_cast_u::<20, 19>(earned_5) + 1;
        word_8.window = window_bytes.bytes;
        if unbounded_5 | window_bytes.over {
            word_8.window = !bits_u::<23>(0);
        }
        if settle.any() {
            settle = settle - 1;
            write_8 = true;
            group_8 = bit_cast_u::<4, 5>(settle);
            word_8.rate = !bits_u::<34>(0);
            word_8.earned = !bits_u::<20>(0);
            word_8.window = !bits_u::<23>(0);
        }
        if reset {
            settle = bits_u::<5>(31);
        }

        assign!(written = write_8, written_group = group_8, level = word_8);
    }
}
