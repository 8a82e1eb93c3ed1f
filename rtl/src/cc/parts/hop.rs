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
    #[registers(Bit:
        /// Clock 2: the speed code has an entry.
        valid_2,
        /// Clock 4: the acknowledgement's record of this hop is not newer than the flow's.
        not_newer,
        /// Clock 4: the byte counter may have wrapped between the two records.
        stale)]
    #[registers(U<16>:
        /// Clock 3: queue length in the acknowledgement.
        queue_3,
        /// Clock 3: queue length in the flow's record.
        last_queue_3)]
    busy_3: Delay<U<34>, 2>,
    weight_3: Delay<U<34>, 2>,
    stale_3: Delay<U<24>, 2>,
    fresh_4: Delay<HopRecordWord, 2>,
    recorded_4: Delay<HopRecordWord, 2>,
    /// Clock 3: time between the records, ns.
    elapsed_3: DFF<U<24>>,
    /// Clock 3: bytes sent between the records, units of 128 bytes.
    tx_3: DFF<U<20>>,
    /// Clock 5: record of the hop that is written back.
    stored_5: DFF<HopRecordWord>,
}

#[kernel]
impl Logic for HopStage {
    fn update(&mut self) {
        assign!(valid_2.d = speed.valid, speed_valid = valid_2);
        busy_3 = speed.busy_time;
        weight_3 = speed.queue_weight;
        stale_3 = speed.stale_ns;

        elapsed_3 = fresh.ts - recorded.ts;
        tx_3 = fresh.tx_bytes - recorded.tx_bytes;
        assign!(queue_3.d = fresh.queued, last_queue_3.d = recorded.queued);
        fields!(sample:
            elapsed = elapsed_3, tx = tx_3, queued = queue_3, last_queued = last_queue_3, busy_time = busy_3.q,
            queue_weight = weight_3.q);

        not_newer = (elapsed_3 == 0) | (elapsed_3.get_bit(23) & !ageless);
        stale = (elapsed_3 >= stale_3) & !ageless;
        counts = !not_newer & !stale;

        fresh_4 = fresh;
        recorded_4 = recorded;
        stored_5 = if hold & (not_newer | absent) { recorded_4 } else { fresh_4 };
        stored = stored_5;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_as::<Self>("cc_hop_stage")
    }
}
