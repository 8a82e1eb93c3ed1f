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
    bytes: Signal<Local, U<24>>,
    plus: DFF<U<24>>,
    minus: DFF<U<24>>,
    difference: Signal<Local, U<25>>,
    arrived: DFF<U<24>>,
    elapsed_5: Delay<U<24>, 2>,
    busy_5: Delay<U<34>, 2>,
    current: Current,
    queue: MulPipe<16, 34, 50>,
    voltage: DFF<U<50>>,
    voltage_21: Delay<U<34>, 14>,
    product: MulPipe<51, 34, 63, 22>,
    used_25: Delay<Bit, 20>,
    power_r: DFF<U<51>>,
    interval: Interval,
    whole_26: Delay<Bit, 21>,
    tau_26: Delay<U<17>, 21>,
}

#[kernel]
impl Logic for PowerLane {
    fn update(&mut self) {
        self.bytes.next = bit_cast_u::<24, 20>(self.sample.val().tx) << 3;
        self.plus.d.next = self.bytes.val()
            + (bit_cast_u::<24, 16>(self.sample.val().queued) << 2)
            + bit_cast_u::<24, 16>(self.sample.val().queued);
        self.minus.d.next = (bit_cast_u::<24, 16>(self.sample.val().last_queued) << 2)
            + bit_cast_u::<24, 16>(self.sample.val().last_queued);
        if self.arrivals.val() {
            self.plus.d.next = self.bytes.val();
            self.minus.d.next = bits_u::<24>(0);
        }
        self.difference.next = bit_cast_u::<25, 24>(self.plus.q.val()) - bit_cast_u::<25, 24>(self.minus.q.val());
        self.arrived.d.next = bit_cast_u::<24, 25>(self.difference.val());
        if self.difference.val().get_bit(24) {
            self.arrived.d.next = bits_u::<24>(0);
        }
        self.elapsed_5.d.next = self.sample.val().elapsed;
        self.busy_5.d.next = self.sample.val().busy_time;
        inputs!(current: came = arrived, elapsed = elapsed_5.q, unit_time = busy_5.q, floor);

        inputs!(queue from sample: a = queued, b = queue_weight);
        // one, and half a unit of the result
        self.voltage.d.next = self.queue.p.val() + bits_u::<50>(0x1_0000_8000u64);
        self.voltage_21.d.next = self.voltage.q.val().get_bits::<34>(16);
        self.product.a.next = self.current.lambda.val();
        self.product.b.next = self.voltage_21.q.val();
        self.used_25.d.next = self.used.val();
        self.power_r.d.next = bit_cast_u::<51, 63>(self.product.p.val());
        if self.product.p.val().get_bits::<12>(51).any() {
            self.power_r.d.next = bits_u::<51>(0x7ffffffffffffu64);
        }
        if !self.used_25.q.val() {
            self.power_r.d.next = bits_u::<51>(0);
        }
        self.power.next = self.power_r.q.val();

        inputs!(interval: elapsed = sample.elapsed, base_rtt, base_rtt_shift);
        self.whole_26.d.next = self.interval.whole.val();
        self.whole.next = self.whole_26.q.val();
        self.tau_26.d.next = self.interval.tau.val();
        self.tau.next = self.tau_26.q.val();
    }
}
