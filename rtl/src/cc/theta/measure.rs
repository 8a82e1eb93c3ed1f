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
    current: Current,
    current_23: Delay<U<51>, 2>,
    divisor: Signal<Local, U<24>>,
    normalise: Normalise24,
    shift_15: Delay<U<5>, 5>,
    reciprocal: ReciprocalMantissa,
    inverse: DFF<U<34>>,
    shift: DFF<U<5>>,
    rtt_16: Delay<U<24>, 11>,
    product: MulPipe<24, 34, 58>,
    left_17: DFF<U<5>>,
    left_20: Delay<U<5>, 3>,
    sum_21: DFF<U<59>>,
    left_21: DFF<U<5>>,
    moved_22: DFF<U<44>>,
    left_22: DFF<U<2>>,
    last: Signal<Local, U<44>>,
    voltage: DFF<U<34>>,
    power_mul: MulPipe<51, 34, 60, 25>,
    power_r: DFF<U<51>>,
    whole_6: DFF<Bit>,
    whole_28: Delay<Bit, 22>,
    elapsed_16: Delay<U<17>, 11>,
    tau_17: DFF<U<17>>,
    fine_17: DFF<U<2>>,
    tau_18: DFF<U<17>>,
    tau_28: Delay<U<17>, 10>,
    inverse_28: Delay<U<34>, 12>,
}

#[kernel]
impl Logic for DelayPower {
    fn update(&mut self) {
        self.current.came.next = self.sample.val().came;
        self.current.elapsed.next = self.sample.val().elapsed;
        self.current.unit_time.next = self.scalars.val().unit_time;
        self.current.floor.next = self.scalars.val().current_floor;
        self.current_23.d.next = self.current.lambda.val();

        // the base that the flow has measured counts as one nanosecond at least
        self.divisor.next = bit_cast_u::<24, 17>(self.sample.val().base_rtt);
        if !self.sample.val().base_rtt.any() {
            self.divisor.next = bits_u::<24>(1);
        }
        self.normalise.n.next = self.divisor.val();
        self.reciprocal.x.next = self.normalise.x.val();
        // 17 of the 24 bits may be set: seven shifts are none
        self.shift_15.d.next = self.normalise.shift.val() - 7;
        self.shift.d.next = bit_cast_u::<5, 3>(self.scalars.val().base_rtt_shift);
        self.inverse.d.next = self.scalars.val().inverse_base_rtt;
        if self.scalars.val().mode.smallest_rtt {
            self.shift.d.next = self.shift_15.q.val();
            self.inverse.d.next = (bit_cast_u::<34, 17>(self.reciprocal.fraction.val()) << 16) | 0x2_0000_0000u64;
        }

        self.rtt_16.d.next = self.sample.val().rtt;
        self.product.a.next = self.rtt_16.q.val();
        self.product.b.next = self.inverse.q.val();
        // of the 31 bits below the voltage the shift has made up for some: 15 and up to 16 are left
        self.left_17.d.next = bits_u::<5>(16) - self.shift.q.val();
        self.left_20.d.next = self.left_17.q.val();
        self.sum_21.d.next =
            bit_cast_u::<59, 58>(self.product.p.val()) + (bits_u::<59>(0x4000) << self.left_20.q.val());
        self.left_21.d.next = self.left_20.q.val();
        self.moved_22.d.next =
            self.sum_21.q.val().get_bits::<44>(15) >> (bit_cast_u::<5, 3>(self.left_21.q.val().get_bits::<3>(2)) << 2);
        self.left_22.d.next = self.left_21.q.val().get_bits::<2>(0);
        self.last.next = self.moved_22.q.val() >> self.left_22.q.val();
        self.voltage.d.next = bit_cast_u::<34, 44>(self.last.val());
        if self.last.val().get_bits::<10>(34).any() {
            self.voltage.d.next = bits_u::<34>(0x3_ffff_ffffu64);
        }
        self.power_mul.a.next = self.current_23.q.val();
        self.power_mul.b.next = self.voltage.q.val();
        self.power_r.d.next = bit_cast_u::<51, 60>(self.power_mul.p.val());
        if self.power_mul.p.val().get_bits::<9>(51).any() {
            self.power_r.d.next = bits_u::<51>(0x7ffffffffffffu64);
        }
        self.power.next = self.power_r.q.val();

        self.whole_6.d.next = self.sample.val().elapsed >= bit_cast_u::<24, 17>(self.sample.val().base_rtt);
        self.whole_28.d.next = self.whole_6.q.val();
        self.whole.next = self.whole_28.q.val();
        self.elapsed_16.d.next = bit_cast_u::<17, 24>(self.sample.val().elapsed);
        self.tau_17.d.next = self.elapsed_16.q.val() << (bit_cast_u::<5, 3>(self.shift.q.val().get_bits::<3>(2)) << 2);
        self.fine_17.d.next = self.shift.q.val().get_bits::<2>(0);
        self.tau_18.d.next = self.tau_17.q.val() << self.fine_17.q.val();
        self.tau_28.d.next = self.tau_18.q.val();
        self.tau.next = self.tau_28.q.val();
        self.inverse_28.d.next = self.inverse.q.val();
        self.inverse_base_rtt.next = self.inverse_28.q.val();
    }
}
