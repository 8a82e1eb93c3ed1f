//! One hop's record: differences between the record and the acknowledgement, and what becomes of the record.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 1 | input | registers of the hop's speed |
//! | 2 | inputs | recorded and fresh hop, 64 bits as on the wire |
//! | 3 | `sample` | differences modulo 2^24 and 2^20, both queues, registers of the speed |
//! | 4 | `not_newer`, `stale` | the rules for counters that cannot be told apart |
//! | 5 | `stored` | the record to write back |

use crate::emit::naming::named_as;
use crate::prim::delay::Delay;
use crate::prim::uint::U;
use crate::words::congestion::{HopSample, SpeedEntry};
use crate::words::switch::HopRecordWord;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Record stage of one hop.
#[block]
pub struct HopStage {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 1: what the speed code of the acknowledgement stands for.
    pub speed: Signal<In, SpeedEntry>,
    /// Clock 2: hop of the acknowledgement.
    pub fresh: Signal<In, HopRecordWord>,
    /// Clock 2: hop of the record.
    pub recorded: Signal<In, HopRecordWord>,
    /// Clock 4: the record is of this path and recent, so an old counter keeps its record.
    pub hold: Signal<In, Bit>,
    /// Clock 2: the speed code has an entry.
    pub speed_valid: Signal<Out, Bit>,
    /// Clock 4: the path has no such hop, so its record stays as long as the path is held.
    pub absent: Signal<In, Bit>,
    /// Rule: records do not grow old.
    pub ageless: Signal<In, Bit>,
    /// Clock 3: what the lane gets.
    pub sample: Signal<Out, HopSample>,
    /// Clock 4: the hop may take part in the maximum.
    pub counts: Signal<Out, Bit>,
    /// Clock 5: the hop to write back.
    pub stored: Signal<Out, HopRecordWord>,
    valid_2: DFF<Bit>,
    busy_3: Delay<U<34>, 2>,
    weight_3: Delay<U<34>, 2>,
    stale_3: Delay<U<24>, 2>,
    elapsed_3: DFF<U<24>>,
    tx_3: DFF<U<20>>,
    queue_3: DFF<U<16>>,
    last_queue_3: DFF<U<16>>,
    not_newer: DFF<Bit>,
    stale: DFF<Bit>,
    fresh_4: Delay<HopRecordWord, 2>,
    recorded_4: Delay<HopRecordWord, 2>,
    stored_5: DFF<HopRecordWord>,
}

#[kernel]
impl Logic for HopStage {
    fn update(&mut self) {
        assign!(valid_2.d = speed.valid, speed_valid = valid_2);
        self.busy_3.d.next = self.speed.val().busy_time;
        self.weight_3.d.next = self.speed.val().queue_weight;
        self.stale_3.d.next = self.speed.val().stale_ns;

        self.elapsed_3.d.next = self.fresh.val().ts - self.recorded.val().ts;
        self.tx_3.d.next = self.fresh.val().tx_bytes - self.recorded.val().tx_bytes;
        assign!(queue_3.d = fresh.queued, last_queue_3.d = recorded.queued);
        fields!(sample:
            elapsed = elapsed_3, tx = tx_3, queued = queue_3, last_queued = last_queue_3, busy_time = busy_3.q,
            queue_weight = weight_3.q);

        self.not_newer.d.next =
            (self.elapsed_3.q.val() == 0) | (self.elapsed_3.q.val().get_bit(23) & !self.ageless.val());
        self.stale.d.next = (self.elapsed_3.q.val() >= self.stale_3.q.val()) & !self.ageless.val();
        self.counts.next = !self.not_newer.q.val() & !self.stale.q.val();

        self.fresh_4.d.next = self.fresh.val();
        self.recorded_4.d.next = self.recorded.val();
        self.stored_5.d.next = self.fresh_4.q.val();
        if self.hold.val() & (self.not_newer.q.val() | self.absent.val()) {
            self.stored_5.d.next = self.recorded_4.q.val();
        }
        self.stored.next = self.stored_5.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_as::<Self>("cc_hop_stage")
    }
}
