//! One hop of MEASUREINFLIGHT: differences in, normalised utilisation `u' / eta` out, one hop every clock.
//!
//! Clocks count from the event's entry into the pipeline, as in all blocks of this folder.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 3 | inputs | `dts`, `dtx`, `min(q, q')` and the two coefficients of the hop's speed | 24, 20, 16 bits |
//! | 7, 8 | `busy` | `dtx` x busy time | UQ32.22 ns |
//! | 4 - 8 | `normalise` | `dts` shifted until its top bit is set | 24 bits |
//! | 9 - 11 | `moved` | busy time shifted alike, bits lost at the top remembered | |
//! | 12 | `aligned` | saturated | UQ14.37 |
//! | 9 - 13 | `reciprocal` | 1 / normalised `dts` | 1.17 |
//! | 6, 12 | `queue` | `min(q, q')` x weight | UQ18.32 |
//! | 13 - 16 | `base` | aligned busy time + queue term + half a unit | UQ19.37 |
//! | 14 - 16 | `extra` | aligned busy time x fraction of the reciprocal | UQ14.37 |
//! | 17 | `total` | both | UQ20.37 |
//! | 18 | `utilisation` | rounded, saturated, zero where the hop does not count | UQ17.34 |
//! | 4, 5, 18 | `tau`, `whole` | `dts` normalised like `T`; `dts >= T` | 17 bits, 1 bit |

use crate::prim::delay::Delay;
use crate::prim::mul::MulPipe;
use crate::prim::normalise::Normalise24;
use crate::prim::reciprocal::ReciprocalMantissa;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Lane of one hop, 15 clocks from the differences to the utilisation.
#[block]
pub struct HopLane {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 3: `dts`, ns.
    pub elapsed: Signal<In, U<24>>,
    /// Clock 3: `dtx`, units.
    pub tx: Signal<In, U<20>>,
    /// Clock 3: smaller queue, units.
    pub queue_len: Signal<In, U<16>>,
    /// Clock 3: register of the hop's speed.
    pub busy_time: Signal<In, U<34>>,
    /// Clock 3: register of the hop's speed.
    pub queue_weight: Signal<In, U<34>>,
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
    busy: MulPipe<20, 34, 54>,
    busy_8: DFF<U<54>>,
    normalise: Normalise24,
    moved_9: DFF<U<60>>,
    lost_9: DFF<Bit>,
    shift_9: DFF<U<3>>,
    moved_10: DFF<U<60>>,
    lost_10: DFF<Bit>,
    shift_10: DFF<U<1>>,
    moved_11: DFF<U<60>>,
    lost_11: DFF<Bit>,
    aligned: DFF<U<51>>,
    aligned_13: DFF<U<51>>,
    reciprocal: ReciprocalMantissa,
    queue: MulPipe<16, 34, 50>,
    queue_12: Delay<U<50>, 6>,
    base: DFF<U<56>>,
    base_16: Delay<U<56>, 3>,
    extra: MulPipe<51, 17, 51, 17>,
    total: DFF<U<57>>,
    used_17: Delay<Bit, 12>,
    result: DFF<U<51>>,
    whole_4: DFF<Bit>,
    whole_18: Delay<Bit, 14>,
    tau_4: DFF<U<17>>,
    tau_5: DFF<U<17>>,
    tau_18: Delay<U<17>, 13>,
    wide: Signal<Local, U<60>>,
}

#[kernel]
impl Logic for HopLane {
    fn update(&mut self) {
        self.busy.a.next = self.tx.val();
        self.busy.b.next = self.busy_time.val();
        self.busy_8.d.next = self.busy.p.val();
        self.normalise.n.next = self.elapsed.val();
        self.reciprocal.x.next = self.normalise.x.val();

        // shift by 0, 8, 16 or 24
        self.wide.next = bit_cast_u::<60, 54>(self.busy_8.q.val());
        self.moved_9.d.next = self.wide.val();
        self.lost_9.d.next = false;
        if self.normalise.shift.val().get_bits::<2>(3) == 1 {
            self.moved_9.d.next = self.wide.val() << 8;
            self.lost_9.d.next = self.wide.val().get_bits::<8>(52).any();
        }
        if self.normalise.shift.val().get_bits::<2>(3) == 2 {
            self.moved_9.d.next = self.wide.val() << 16;
            self.lost_9.d.next = self.wide.val().get_bits::<16>(44).any();
        }
        if self.normalise.shift.val().get_bits::<2>(3) == 3 {
            self.moved_9.d.next = self.wide.val() << 24;
            self.lost_9.d.next = self.wide.val().get_bits::<24>(36).any();
        }
        self.shift_9.d.next = self.normalise.shift.val().get_bits::<3>(0);
        // shift by 0, 2, 4 or 6
        self.moved_10.d.next = self.moved_9.q.val();
        self.lost_10.d.next = self.lost_9.q.val();
        if self.shift_9.q.val().get_bits::<2>(1) == 1 {
            self.moved_10.d.next = self.moved_9.q.val() << 2;
            self.lost_10.d.next = self.lost_9.q.val() | self.moved_9.q.val().get_bits::<2>(58).any();
        }
        if self.shift_9.q.val().get_bits::<2>(1) == 2 {
            self.moved_10.d.next = self.moved_9.q.val() << 4;
            self.lost_10.d.next = self.lost_9.q.val() | self.moved_9.q.val().get_bits::<4>(56).any();
        }
        if self.shift_9.q.val().get_bits::<2>(1) == 3 {
            self.moved_10.d.next = self.moved_9.q.val() << 6;
            self.lost_10.d.next = self.lost_9.q.val() | self.moved_9.q.val().get_bits::<6>(54).any();
        }
        self.shift_10.d.next = self.shift_9.q.val().get_bits::<1>(0);
        // shift by 0 or 1
        self.moved_11.d.next = self.moved_10.q.val();
        self.lost_11.d.next = self.lost_10.q.val();
        if self.shift_10.q.val().any() {
            self.moved_11.d.next = self.moved_10.q.val() << 1;
            self.lost_11.d.next = self.lost_10.q.val() | self.moved_10.q.val().get_bit(59);
        }
        self.aligned.d.next = self.moved_11.q.val().get_bits::<51>(9);
        if self.lost_11.q.val() {
            self.aligned.d.next = bits_u::<51>(0x7ffffffffffffu64);
        }

        self.aligned_13.d.next = self.aligned.q.val();
        self.extra.a.next = self.aligned_13.q.val();
        self.extra.b.next = self.reciprocal.fraction.val();
        self.queue.a.next = self.queue_len.val();
        self.queue.b.next = self.queue_weight.val();
        self.queue_12.d.next = self.queue.p.val();
        // the low five bits of the queue term are zero: half a unit of the result goes in there without an adder
        self.base.d.next =
            bit_cast_u::<56, 51>(self.aligned.q.val()) + ((bit_cast_u::<56, 50>(self.queue_12.q.val()) << 5) | 4);
        self.base_16.d.next = self.base.q.val();
        self.total.d.next = bit_cast_u::<57, 56>(self.base_16.q.val()) + bit_cast_u::<57, 51>(self.extra.p.val());
        self.used_17.d.next = self.used.val();
        self.result.d.next = self.total.q.val().get_bits::<51>(3);
        if self.total.q.val().get_bits::<3>(54).any() {
            self.result.d.next = bits_u::<51>(0x7ffffffffffffu64);
        }
        if !self.used_17.q.val() {
            self.result.d.next = bits_u::<51>(0);
        }
        self.utilisation.next = self.result.q.val();

        self.whole_4.d.next = self.elapsed.val() >= bit_cast_u::<24, 17>(self.base_rtt.val());
        self.whole_18.d.next = self.whole_4.q.val();
        self.whole.next = self.whole_18.q.val();
        self.tau_4.d.next = self.elapsed.val().get_bits::<17>(0);
        if self.base_rtt_shift.val().get_bit(2) {
            self.tau_4.d.next = self.elapsed.val().get_bits::<17>(0) << 4;
        }
        self.tau_5.d.next = self.tau_4.q.val() << self.base_rtt_shift.val().get_bits::<2>(0);
        self.tau_18.d.next = self.tau_5.q.val();
        self.tau.next = self.tau_18.q.val();
    }
}
