//! How long a flow may wait before it is worth another visit: the row of [`super::waiting`] that is surely short enough.
//!
//! With `b` bits in what is missing for a packet and `e` bits in the rate, the packet is at least 2^(b - 1 - e) away. Powers of
//! two need no division; a flow that comes too early earns what it can, and waits the rest in a shorter row.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 2, 3 | inputs | MTU, priority; rate |
//! | 9 | `zeros` | leading zeros of the rate |
//! | 13 | inputs | credit after the visit |
//! | 14 | `missing` | payload of a packet less the credit, bytes |
//! | 15 | `row_15` | row |

use crate::prim::delay::Delay;
use crate::prim::normalise::Normalise51;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Chooses the row; a hint that costs visits or lateness when wrong, never credit.
#[block]
pub struct Choice {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 3: rate, UQ7.27 bytes per ns.
    pub rate: Signal<In, U<34>>,
    /// Clock 2: MTU code.
    pub mtu: Signal<In, U<3>>,
    /// Clock 2: priority.
    pub pause_bit: Signal<In, U<3>>,
    /// Paused priorities.
    pub pause: Signal<In, U<8>>,
    /// Clock 13: whole bytes of credit, two's complement.
    pub credit: Signal<In, U<21>>,
    /// Clock 15: row.
    pub row: Signal<Out, U<4>>,
    normalise: Normalise51,
    zeros: Delay<U<6>, 5>,
    mtu_13: Delay<U<3>, 11>,
    pause_bit_13: Delay<U<3>, 11>,
    payload: Signal<Local, U<22>>,
    /// Clock 14: bytes of credit that the flow lacks for its next packet, two's complement.
    missing: DFF<U<22>>,
    /// Clock 14: the flow's priority is paused.
    held: DFF<Bit>,
    bits: Signal<Local, U<6>>,
    steps: Signal<Local, U<7>>,
    /// Clock 15: row in which the flow waits: the longer until its next packet, the higher.
    row_15: DFF<U<4>>,
}

#[kernel]
impl Logic for Choice {
    fn update(&mut self) {
        normalise.n = bit_cast_u::<51, 34>(rate) << 3;
        zeros = normalise.shift;
        mtu_13 = mtu;
        pause_bit_13 = pause_bit;

        // 13
        payload = if mtu_13 == 0 { bits_u::<22>(256) } else { bits_u::<22>(4096) };
        if mtu_13 == 1 {
            payload = bits_u::<22>(512);
        }
        if mtu_13 == 2 {
            payload = bits_u::<22>(1024);
        }
        if mtu_13 == 3 {
            payload = bits_u::<22>(2048);
        }
        missing = payload - bit_cast_u::<22, 21>(credit);
        if credit.get_bit(20) {
            // in debt: a whole packet is missing and more
            missing = payload;
        }
        held = pause.get_bit(pause_bit_13.index());

        // 14: bits of what is missing, zero if nothing is
        bits = if missing.get_bits::<4>(3).any() { bits_u::<6>(4) } else { bits_u::<6>(0) };
        if missing.get_bits::<2>(7).any() {
            bits = bits_u::<6>(8);
        }
        if missing.get_bit(9) {
            bits = bits_u::<6>(10);
        }
        if missing.get_bit(10) {
            bits = bits_u::<6>(11);
        }
        if missing.get_bit(11) {
            bits = bits_u::<6>(12);
        }
        if missing.get_bit(12) {
            bits = bits_u::<6>(13);
        }
        // the packet is at least 2^(bits - 1 - (48 - zeros) + 27 - 3) = 2^(steps - 25) ticks away, and the visit itself takes
        // about a hundred nanoseconds: row 2 and longer ones delay by half the time, 2^(row + 2) <= 2^(steps - 26). With 29 steps it is
        // 16 ticks, of which half and the visit would be too long, so row 1 delays by a quarter
        steps = bit_cast_u::<7, 6>(bits) + bit_cast_u::<7, 6>(zeros);
        row_15 = bits_u::<4>(0);
        if missing.any() & !missing.get_bit(21) & (bits != 0) {
            if steps >= 29 {
                row_15 = bits_u::<4>(1);
            }
            if steps >= 30 {
                row_15 = bits_u::<4>(2);
            }
            if steps >= 31 {
                row_15 = bit_cast_u::<4, 7>(steps - 28);
            }
            if steps >= 42 {
                row_15 = bits_u::<4>(15);
            }
        }
        // a flow without a rate is as one that is paused
        if held | (zeros == 63) {
            row_15 = bits_u::<4>(4);
        }
        row = row_15;
    }
}
