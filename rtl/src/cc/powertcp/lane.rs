//! NORMPOWER of one hop: what changed at a hop in, power over base power out, one hop every clock.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 3 | inputs | `dts`, `dtx`, both queues and the two coefficients of the hop's speed | 24, 20, 16 bits |
//! | 4 | `plus`, `minus` | `8 dtx + 5 q` and `5 q'`: a unit of `txBytes` is 128 bytes, one of `qLen` 80 | 24 bits |
//! | 5 | `arrived` | their difference, 0 where a queue drained faster than the counters say | 24 bits |
//! | 21 | `current` | times the time of a unit, over `dts`: the current over the hop's speed (lines 19 - 21), not below the floor | UQ14.37 |
//! | 6, 7 | `queue`, `voltage` | `1 + q / (b tau)` (lines 22, 23) | UQ18.16 |
//! | 25 | `product` | lines 24 - 26 | UQ32.31 |
//! | 26 | `power` | saturated, zero where the hop does not count | UQ20.31 |

use crate::cc::parts::current::Current;
use crate::cc::parts::interval::Interval;
use crate::prim::delay::Delay;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::words::congestion::HopSample;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Lane of one hop, 23 clocks from the differences to the power.
#[block]
pub struct PowerLane {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 3: what changed at the hop.
    pub sample: Signal<In, HopSample>,
    /// Clock 5: the hop takes part in the maximum.
    pub used: Signal<In, Bit>,
    /// Register: the byte counter counts arrivals.
    pub arrivals: Signal<In, Bit>,
    /// Register: smallest current, UQ11.37.
    pub floor: Signal<In, U<48>>,
    /// Register: `tau`.
    pub base_rtt: Signal<In, U<17>>,
    /// Register: shift that normalises `tau`.
    pub base_rtt_shift: Signal<In, U<3>>,
    /// Clock 26: power over base power and eta, zero where the hop is not used.
    pub power: Signal<Out, U<51>>,
    /// Clock 26: `dts` shifted like `tau`, meaningful below `tau`.
    pub tau: Signal<Out, U<17>>,
    /// Clock 26: `dts >= tau`.
    pub whole: Signal<Out, Bit>,
    #[registers(U<24>:
        /// Clock 4: bytes sent and queue length now, in eighths of a unit of 128 bytes.
        plus,
        /// Clock 4: queue length before, in the same unit; zero where the byte counter counts arrivals.
        minus,
        /// Clock 5: bytes that arrived at the hop, in the same unit, not below zero.
        arrived)]
    elapsed_5: Delay<U<24>, 2>,
    busy_5: Delay<U<34>, 2>,
    current: Current,
    queue: MulPipe<16, 34, 50>,
    voltage_21: Delay<U<34>, 14>,
    product: MulPipe<51, 34, 63, 22>,
    used_25: Delay<Bit, 20>,
    interval: Interval,
    whole_26: Delay<Bit, 21>,
    tau_26: Delay<U<17>, 21>,
    bytes: Signal<Local, U<24>>,
    difference: Signal<Local, U<25>>,
    /// Clock 7: queue over bandwidth-delay product, and one.
    voltage: DFF<U<50>>,
    /// Clock 26: power over eta, UQ17.34, saturated; zero where the hop is not used.
    power_r: DFF<U<51>>,
}

#[kernel]
impl Logic for PowerLane {
    fn update(&mut self) {
        bytes = bit_cast_u::<24, 20>(sample.tx) << 3;
        plus = bytes + (bit_cast_u::<24, 16>(sample.queued) << 2) + bit_cast_u::<24, 16>(sample.queued);
        minus = (bit_cast_u::<24, 16>(sample.last_queued) << 2) + bit_cast_u::<24, 16>(sample.last_queued);
        if arrivals {
            plus = bytes;
            minus = bits_u::<24>(0);
        }
        difference = bit_cast_u::<25, 24>(plus) - bit_cast_u::<25, 24>(minus);
        arrived = if difference.get_bit(24) { bits_u::<24>(0) } else { bit_cast_u::<24, 25>(difference) };
        elapsed_5 = sample.elapsed;
        busy_5 = sample.busy_time;
        inputs!(current: came = arrived, elapsed = elapsed_5.q, unit_time = busy_5.q, floor);

        inputs!(queue from sample: a = queued, b = queue_weight);
        // one, and half a unit of the result
        voltage = queue.p + bits_u::<50>(0x1_0000_8000u64);
        voltage_21 = voltage.get_bits::<34>(16);
        product.a = current.lambda;
        product.b = voltage_21;
        used_25 = used;
        power_r = bit_cast_u::<51, 63>(product.p);
        if product.p.get_bits::<12>(51).any() {
            power_r = bits_u::<51>(0x7ffffffffffffu64);
        }
        if !used_25 {
            power_r = bits_u::<51>(0);
        }
        power = power_r;

        inputs!(interval: elapsed = sample.elapsed, base_rtt, base_rtt_shift);
        whole_26 = interval.whole;
        whole = whole_26;
        tau_26 = interval.tau;
        tau = tau_26;
    }
}
