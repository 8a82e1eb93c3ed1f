//! One hop of MEASUREINFLIGHT: what changed at a hop in, normalised utilisation `u' / eta` out, one hop every clock.
//!
//! Clocks count from the event's entry into the pipeline, as in all blocks of this folder.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 3 | inputs | `dts`, `dtx`, both queues and the two coefficients of the hop's speed | 24, 20, 16 bits |
//! | 12 - 16 | `rate` | `dtx` x busy time / `dts` | UQ14.37 |
//! | 4 | `low_queue` | `min(q, q')` | 16 bits |
//! | 7, 12 | `queue` | `min(q, q')` x weight | UQ18.32 |
//! | 13 - 16 | `base` | rate term + queue term + half a unit | UQ19.37 |
//! | 17 | `total` | and the fraction of the reciprocal | UQ20.37 |
//! | 18 | `utilisation` | rounded, saturated, zero where the hop does not count | UQ17.34 |
//! | 5, 18 | `interval` | `dts` normalised like `T`; `dts >= T` | 17 bits, 1 bit |

use crate::cc::parts::interval::Interval;
use crate::cc::parts::quotient::Quotient;
use crate::prim::delay::Delay;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::words::congestion::HopSample;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Lane of one hop, 15 clocks from the differences to the utilisation.
#[block]
pub struct HopLane {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 3: what changed at the hop.
    pub sample: Signal<In, HopSample>,
    /// Clock 5: the hop takes part in the maximum.
    pub used: Signal<In, Bit>,
    /// Register: `T`.
    pub base_rtt: Signal<In, U<17>>,
    /// Register: shift that normalises `T`.
    pub base_rtt_shift: Signal<In, U<3>>,
    /// Clock 18: `u' / eta`, zero where the hop is not used.
    pub utilisation: Signal<Out, U<51>>,
    /// Clock 18: `dts` shifted like `T`, meaningful below `T`.
    pub tau: Signal<Out, U<17>>,
    /// Clock 18: `dts >= T`.
    pub whole: Signal<Out, Bit>,
    rate: Quotient,
    low_queue: DFF<U<16>>,
    weight_4: DFF<U<34>>,
    queue: MulPipe<16, 34, 50>,
    queue_12: Delay<U<50>, 5>,
    base: DFF<U<56>>,
    base_16: Delay<U<56>, 3>,
    total: DFF<U<57>>,
    used_17: Delay<Bit, 12>,
    result: DFF<U<51>>,
    interval: Interval,
    whole_18: Delay<Bit, 13>,
    tau_18: Delay<U<17>, 13>,
}

#[kernel]
impl Logic for HopLane {
    fn update(&mut self) {
        self.rate.numerator.next = bit_cast_u::<24, 20>(self.sample.val().tx) << 3;
        inputs!(rate from sample: elapsed, busy_time);
        self.low_queue.d.next = self.sample.val().queued;
        if self.sample.val().last_queued < self.sample.val().queued {
            self.low_queue.d.next = self.sample.val().last_queued;
        }
        self.weight_4.d.next = self.sample.val().queue_weight;
        inputs!(queue: a = low_queue, b = weight_4);
        self.queue_12.d.next = self.queue.p.val();
        // the low five bits of the queue term are zero: half a unit of the result goes in there without an adder
        self.base.d.next =
            bit_cast_u::<56, 51>(self.rate.aligned.val()) + ((bit_cast_u::<56, 50>(self.queue_12.q.val()) << 5) | 4);
        self.base_16.d.next = self.base.q.val();
        self.total.d.next = bit_cast_u::<57, 56>(self.base_16.q.val()) + bit_cast_u::<57, 51>(self.rate.extra.val());
        self.used_17.d.next = self.used.val();
        self.result.d.next = self.total.q.val().get_bits::<51>(3);
        if self.total.q.val().get_bits::<3>(54).any() {
            self.result.d.next = bits_u::<51>(0x7ffffffffffffu64);
        }
        if !self.used_17.q.val() {
            self.result.d.next = bits_u::<51>(0);
        }
        self.utilisation.next = self.result.q.val();

        inputs!(interval: elapsed = sample.elapsed, base_rtt, base_rtt_shift);
        self.whole_18.d.next = self.interval.whole.val();
        self.whole.next = self.whole_18.q.val();
        self.tau_18.d.next = self.interval.tau.val();
        self.tau.next = self.tau_18.q.val();
    }
}
