//! Normalised power from the round-trip time and its gradient, and the weight's inputs.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 5 | input | round-trip time beside the one before | 24 bits |
//! | 21 | `current` | `1 + dRTT / dt`, not below the floor (line 17) | UQ14.37 |
//! | 6 - 15 | `normalise`, `reciprocal` | 1 / base round-trip time of the flow, where it measures one | 1.17 |
//! | 16 | `inverse`, `shift` | that, or the registers' | 2^50 over the shifted base |
//! | 20 | `product` | RTT x inverse | 58 bits |
//! | 21 - 23 | `sum_21`, `moved_22`, `voltage` | RTT over its base, rounded to nearest, saturated | UQ15.19 |
//! | 27 | `power` | current x voltage (lines 18, 19) | UQ23.31 |
//! | 28 | outputs | saturated | UQ20.31 |
//! | 6 - 28 | `whole`, `tau` | time since the last acknowledgement against the base | |

use crate::cc::parts::current::Current;
use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::mul::MulPipe;
use crate::prim::normalise::Normalise24;
use crate::prim::reciprocal::ReciprocalMantissa;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::words::congestion::{DelaySample, PowerScalars};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Power of a round-trip time, 23 clocks.
#[block]
pub struct DelayPower {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 5: the round-trip time beside the one before.
    pub sample: Signal<In, DelaySample>,
    /// Registers of the law.
    pub scalars: Signal<In, PowerScalars>,
    /// Clock 28: power over base power and eta.
    pub power: Signal<Out, U<51>>,
    /// Clock 28: time since the last acknowledgement, shifted like the base, meaningful below it.
    pub tau: Signal<Out, U<17>>,
    /// Clock 28: that time is the base or more.
    pub whole: Signal<Out, Bit>,
    /// Clock 28: 2^50 over the shifted base.
    pub inverse_base_rtt: Signal<Out, U<34>>,
    #[registers(U<34>:
        /// Clock 16: 2^50 over the shifted base round-trip time.
        inverse,
        /// Clock 23: round-trip time over its base, UQ15.19, saturated.
        voltage)]
    #[registers(U<5>:
        /// Clock 16: places by which the base is shifted.
        shift,
        /// Places by which the product is still to be shifted, in the clock of the name.
        left_17, left_21)]
    #[registers(U<2>:
        /// Clock 22: places that are left to shift by, up to three.
        left_22, fine_17)]
    #[registers(U<17>: tau_17, tau_18)]
    current: Current,
    current_23: Delay<U<51>, 2>,
    normalise: Normalise24,
    shift_15: Delay<U<5>, 5>,
    reciprocal: ReciprocalMantissa,
    rtt_16: Delay<U<24>, 11>,
    product: MulPipe<24, 34, 58>,
    left_20: Delay<U<5>, 3>,
    power_mul: MulPipe<51, 34, 60, 25>,
    whole_28: Delay<Bit, 22>,
    elapsed_16: Delay<U<17>, 11>,
    tau_28: Delay<U<17>, 10>,
    inverse_28: Delay<U<34>, 12>,
    divisor: Signal<Local, U<24>>,
    /// Clock 21: product of round-trip time and inverse, with half a unit.
    sum_21: DFF<U<59>>,
    /// Clock 22: that sum, shifted by a multiple of four.
    moved_22: DFF<U<44>>,
    last: Signal<Local, U<44>>,
    /// Clock 28: power over base power and eta, saturated.
    power_r: DFF<U<51>>,
    /// Clock 6: the time since the last acknowledgement is the base or more.
    whole_6: DFF<Bit>,
}

#[kernel]
impl Logic for DelayPower {
    fn update(&mut self) {
        inputs!(current from sample: came, elapsed);
        inputs!(current from scalars: unit_time, floor = current_floor);
        current_23 = current.lambda;

        // the base that the flow has measured counts as one nanosecond at least
        divisor = if !sample.base_rtt.any() { bits_u::<24>(1) } else { bit_cast_u::<24, 17>(sample.base_rtt) };
        normalise.n = divisor;
        reciprocal.x = normalise.x;
        // 17 of the 24 bits may be set: seven shifts are none
        shift_15 = normalise.shift - 7;
        shift = bit_cast_u::<5, 3>(scalars.base_rtt_shift);
        inverse = scalars.inverse_base_rtt;
        if scalars.mode.smallest_rtt {
            shift = shift_15;
            inverse = (bit_cast_u::<34, 17>(reciprocal.fraction) << 16) | 0x2_0000_0000u64;
        }

        rtt_16 = sample.rtt;
        inputs!(product: a = rtt_16.q, b = inverse);
        // of the 31 bits below the voltage the shift has made up for some: 15 and up to 16 are left
        left_17 = bits_u::<5>(16) - shift;
        left_20 = left_17;
        sum_21 = bit_cast_u::<59, 58>(product.p) + (bits_u::<59>(0x4000) << left_20);
        left_21 = left_20;
        moved_22 = sum_21.get_bits::<44>(15) >> (bit_cast_u::<5, 3>(left_21.get_bits::<3>(2)) << 2);
        left_22 = left_21.get_bits::<2>(0);
        last = moved_22 >> left_22;
        voltage = bit_cast_u::<34, 44>(last);
        if last.get_bits::<10>(34).any() {
            voltage = bits_u::<34>(0x3_ffff_ffffu64);
        }
        inputs!(power_mul: a = current_23.q, b = voltage);
        power_r = bit_cast_u::<51, 60>(power_mul.p);
        if power_mul.p.get_bits::<9>(51).any() {
            power_r = bits_u::<51>(0x7ffffffffffffu64);
        }
        power = power_r;

        whole_6 = sample.elapsed >= bit_cast_u::<24, 17>(sample.base_rtt);
        whole_28 = whole_6;
        whole = whole_28;
        elapsed_16 = bit_cast_u::<17, 24>(sample.elapsed);
        tau_17 = elapsed_16 << (bit_cast_u::<5, 3>(shift.get_bits::<3>(2)) << 2);
        fine_17 = shift.get_bits::<2>(0);
        tau_18 = tau_17 << fine_17;
        tau_28 = tau_18;
        tau = tau_28;
        inverse_28 = inverse;
        inverse_base_rtt = inverse_28;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
