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
    settle: DFF<U<5>>,
    write_3: Delay<Bit, 3>,
    write_4: DFF<Bit>,
    group_3: Delay<U<4>, 3>,
    group_4: DFF<U<4>>,
    rate_3: Delay<U<34>, 3>,
    none: Signal<Local, Bit>,
    window: Signal<Local, U<35>>,
    word_4: DFF<GroupLevel>,
}

#[kernel]
impl Logic for Levels {
    fn update(&mut self) {
        inputs!(earned: a = rate, b = interval);
        inputs!(flown: a = rate, b = cap_time);
        self.write_3.d.next = self.write.val();
        self.write_4.d.next = self.write_3.q.val();
        self.group_3.d.next = self.group.val();
        self.group_4.d.next = self.group_3.q.val();
        self.rate_3.d.next = self.rate.val();

        // 3: rounded up to whole bytes, one at least
        self.none.next = !self.cap_window.val() | self.rate_3.q.val().all();
        self.window.next = bit_cast_u::<35, 34>(self.flown.p.val()) + 2047;
        if self.flown.p.val() == 0 {
            self.window.next = bits_u::<35>(2048);
        }
        if self.none.val() | self.window.val().get_bit(34) {
            self.window.next = !bits_u::<35>(0);
        }
        self.word_4.d.next = bits_zero::<GroupLevel>(0);
        self.word_4.d.next.rate = self.rate_3.q.val();
        self.word_4.d.next.earned = bit_cast_u::<20, 19>(self.earned.p.val()) + 1;
        self.word_4.d.next.window = self.window.val().get_bits::<23>(11);
        if self.settle.q.val().any() {
            self.settle.d.next = self.settle.q.val() - 1;
            self.write_4.d.next = true;
            self.group_4.d.next = bit_cast_u::<4, 5>(self.settle.q.val());
            self.word_4.d.next.rate = !bits_u::<34>(0);
            self.word_4.d.next.earned = !bits_u::<20>(0);
            self.word_4.d.next.window = !bits_u::<23>(0);
        }
        if self.reset.val() {
            self.settle.d.next = bits_u::<5>(31);
        }

        assign!(written = write_4, written_group = group_4, level = word_4);
    }
}
