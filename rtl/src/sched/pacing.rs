//! The pacing word of an update: rate, credit cap, window in packets.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 0 | inputs | rate and window | UQ7.27, UQ23.11 |
//! | 3 | `earned`, `flown` | rate x visit interval; rate x time of the window of limits | 19 bits, bytes; UQ23.11 |
//! | 4 | `window_4` | the window given, or that of a limit | UQ23.11 |
//! | 6 | input | MTU code | |
//! | 7 | `wire_7`, `round_7` | wire bytes of a packet and one; window plus one MTU less one unit | 13 bits, UQ24.11 |
//! | 8 | `word_8` | cap, window in packets | 20 bits, 16 bits |
//! | 9 | `word_9` | nothing of a flow that is cleared | |
//!
//! Bit for bit [`hpcc_models::sched::Pacing::new`], and for a limit [`hpcc_models::sched::Cap::new`].

use crate::prim::delay::Delay;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::sched::PacingState;
use crate::words::visit::RoundedFineWindow;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Computes pacing words, one a clock.
#[block]
pub struct PacingUpdate {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: rate.
    pub rate: Signal<In, U<34>>,
    /// Clock 0: window.
    pub window: Signal<In, U<34>>,
    /// Clock 0: the window is the rate times `flight`, whatever `window` says.
    pub timed: Signal<In, Bit>,
    /// Register: time of the window of limits, ns.
    pub flight: Signal<In, U<16>>,
    /// Register: visit interval, ns.
    pub interval: Signal<In, U<12>>,
    /// Register: wire bytes of a packet beside its payload.
    pub overhead: Signal<In, U<10>>,
    /// Clock 6: MTU code.
    pub mtu: Signal<In, U<3>>,
    /// Clock 8: the word is zero: the flow is cleared.
    pub none: Signal<In, Bit>,
    /// Clock 9: pacing word.
    pub word: Signal<Out, PacingState>,
    earned: MulPipe<34, 12, 19, 27>,
    earned_7: Delay<U<19>, 4>,
    rate_7: Delay<U<34>, 7>,
    flown: MulPipe<34, 16, 34, 16>,
    window_3: Delay<U<34>, 3>,
    timed_3: Delay<Bit, 3>,
    window_6: Delay<U<34>, 2>,
    /// Clock 4: window, UQ23.11 bytes: that of the law, or of a limit its rate times the time of the window, not zero.
    window_4: DFF<U<34>>,
    /// Clock 7: MTU code.
    mtu_7: DFF<U<3>>,
    /// Clock 7: bytes of a full packet on the wire, and one more.
    wire_7: DFF<U<13>>,
    /// Clock 7: window, UQ24.11 bytes, and a packet's payload less the smallest fraction, so that cutting rounds up.
    round_7: DFF<U<35>>,
    rounded: Signal<Local, RoundedFineWindow>,
    packets: Signal<Local, U<16>>,
    cap: Signal<Local, U<20>>,
    /// Clock 8: rate, cap and window in packets.
    word_8: DFF<PacingState>,
    /// Clock 9: as `word_8`; zero if the flow is cleared.
    word_9: DFF<PacingState>,
}

#[kernel]
impl Logic for PacingUpdate {
    fn update(&mut self) {
        inputs!(earned: a = rate, b = interval);
        earned_7 = earned.p;
        rate_7 = rate;
        inputs!(flown: a = rate, b = flight);
        window_3 = window;
        timed_3 = timed;

        // 3: a limit always lets one packet go
        window_4 = window_3;
        if timed_3 {
            window_4 = if flown.p == 0 { bits_u::<34>(1) } else { flown.p };
        }
        window_6 = window_4;

        // 6
        mtu_7 = mtu;
        wire_7 = bits_u::<13>(4097) + bit_cast_u::<13, 10>(overhead);
        round_7 = bit_cast_u::<35, 34>(window_6) + bits_u::<35>(0x7f_ffff);
        if mtu == 0 {
            wire_7 = bits_u::<13>(257) + bit_cast_u::<13, 10>(overhead);
            round_7 = bit_cast_u::<35, 34>(window_6) + bits_u::<35>(0x7_ffff);
        }
        if mtu == 1 {
            wire_7 = bits_u::<13>(513) + bit_cast_u::<13, 10>(overhead);
            round_7 = bit_cast_u::<35, 34>(window_6) + bits_u::<35>(0xf_ffff);
        }
        if mtu == 2 {
            wire_7 = bits_u::<13>(1025) + bit_cast_u::<13, 10>(overhead);
            round_7 = bit_cast_u::<35, 34>(window_6) + bits_u::<35>(0x1f_ffff);
        }
        if mtu == 3 {
            wire_7 = bits_u::<13>(2049) + bit_cast_u::<13, 10>(overhead);
            round_7 = bit_cast_u::<35, 34>(window_6) + bits_u::<35>(0x3f_ffff);
        }

        // 7
        rounded = bit_cast_word::<RoundedFineWindow, U<35>>(round_7);
        packets = rounded.whole >> mtu_7;
        cap = bit_cast_u::<20, 19>(earned_7) + bit_cast_u::<20, 13>(wire_7);
        word_8 = bits_zero::<PacingState>(0);
        fields!(word_8.d: rate = rate_7.q, cap, window = packets);

        // 8
        word_9 = word_8;
        if none {
            word_9 = bits_zero::<PacingState>(0);
        }
        word = word_9;
    }
}
