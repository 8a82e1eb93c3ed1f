//! One hop of MEASUREINFLIGHT: what changed at a hop in, normalised utilisation `u' / eta` out, one hop every clock.
//!
//! Clocks count from the event's entry into the pipeline, as in all blocks of this folder.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 3 | inputs | `dts`, `dtx`, both queues and the two coefficients of the hop's speed | 24, 20, 16 bits |
//! | 12, 17 | `rate` | `dtx` x busy time / `dts`, without and with the fraction of the reciprocal | UQ14.37 |
//! | 4 | `low_queue` | `min(q, q')` | 16 bits |
//! | 7, 12 | `queue` | `min(q, q')` x weight | UQ18.32 |
//! | 13 - 16 | `base` | rate term + queue term + half a unit | UQ19.37 |
//! | 17 | `rate.sum` | and the product with the fraction of the reciprocal | UQ20.37 |
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
    queue: MulPipe<16, 34, 50>,
    queue_12: Delay<U<50>, 5>,
    base_16: Delay<U<56>, 3>,
    used_17: Delay<Bit, 12>,
    interval: Interval,
    whole_18: Delay<Bit, 13>,
    tau_18: Delay<U<17>, 13>,
    /// Clock 4: the smaller of both queue lengths.
    low_queue: DFF<U<16>>,
    /// Clock 4: weight of a unit of queue at the hop's speed.
    weight_4: DFF<U<34>>,
    /// Clock 13: rate term without the fraction of the reciprocal, queue term and half a unit, UQ19.37.
    base: DFF<U<56>>,
    total: Signal<Local, U<57>>,
    /// Clock 18: utilisation over eta, UQ17.34, saturated; zero where the hop is not used.
    result: DFF<U<51>>,
}

#[kernel]
impl Logic for HopLane {
    fn update(&mut self) {
        rate.numerator = bit_cast_u::<24, 20>(sample.tx) << 3;
        inputs!(rate from sample: elapsed, busy_time);
        low_queue = if sample.last_queued < sample.queued { sample.last_queued } else { sample.queued };
        weight_4 = sample.queue_weight;
        inputs!(queue: a = low_queue, b = weight_4);
        queue_12 = queue.p;
        // the low five bits of the queue term are zero: half a unit of the result goes in there without an adder
        base = bit_cast_u::<56, 51>(rate.aligned) + ((bit_cast_u::<56, 50>(queue_12) << 5) | 4);
        base_16 = base;
        rate.addend = base_16;
        total = rate.sum;
        used_17 = used;
        result = total.get_bits::<51>(3);
        if total.get_bits::<3>(54).any() {
            result = bits_u::<51>(0x7ffffffffffffu64);
        }
        if !used_17 {
            result = bits_u::<51>(0);
        }
        utilisation = result;

        inputs!(interval: elapsed = sample.elapsed, base_rtt, base_rtt_shift);
        whole_18 = interval.whole;
        whole = whole_18;
        tau_18 = interval.tau;
        tau = tau_18;
    }
}
