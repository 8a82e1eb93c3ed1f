//! One hop's record: differences between the record and the acknowledgement, and what becomes of the record.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0, 1 | `speeds` | registers of the hop's speed |
//! | 2 | inputs | recorded and fresh hop, 64 bits as on the wire |
//! | 3 | `elapsed_3`, `tx_3`, `queue_3` | differences modulo 2^24 and 2^20, smaller queue |
//! | 4 | `not_newer`, `stale` | the rules for counters that cannot be told apart |
//! | 5 | `stored` | the record to write back |

use super::speed_table::SpeedTable;
use crate::prim::delay::Delay;
use crate::prim::uint::U;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Record stage of one hop.
#[block]
pub struct HopStage {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: speed code of the acknowledgement.
    pub code: Signal<In, U<4>>,
    /// Clock 2: hop of the acknowledgement.
    pub fresh: Signal<In, U<64>>,
    /// Clock 2: hop of the record.
    pub recorded: Signal<In, U<64>>,
    /// Clock 4: the record is of this path and recent, so an old counter keeps its record.
    pub hold: Signal<In, Bit>,
    /// Clock 2: the speed code has an entry.
    pub speed_valid: Signal<Out, Bit>,
    /// Clock 3: `dts`, ns.
    pub elapsed: Signal<Out, U<24>>,
    /// Clock 3: `dtx`, units.
    pub tx: Signal<Out, U<20>>,
    /// Clock 3: smaller queue, units.
    pub queue_len: Signal<Out, U<16>>,
    /// Clock 3: register of the hop's speed.
    pub busy_time: Signal<Out, U<34>>,
    /// Clock 3: register of the hop's speed.
    pub queue_weight: Signal<Out, U<34>>,
    /// Clock 4: the hop may take part in the maximum.
    pub counts: Signal<Out, Bit>,
    /// Clock 5: the hop to write back.
    pub stored: Signal<Out, U<64>>,
    /// Table write port: entry.
    pub table_address: Signal<In, U<4>>,
    /// Table write port: value.
    pub table_data: Signal<In, U<48>>,
    /// Table write port: busy time.
    pub write_busy: Signal<In, Bit>,
    /// Table write port: queue weight.
    pub write_weight: Signal<In, Bit>,
    /// Table write port: stale time.
    pub write_stale: Signal<In, Bit>,
    speeds: SpeedTable,
    valid_2: DFF<Bit>,
    busy_3: Delay<U<34>, 2>,
    weight_3: Delay<U<34>, 2>,
    stale_3: Delay<U<24>, 2>,
    elapsed_3: DFF<U<24>>,
    tx_3: DFF<U<20>>,
    queue_3: DFF<U<16>>,
    not_newer: DFF<Bit>,
    stale: DFF<Bit>,
    fresh_4: Delay<U<64>, 2>,
    recorded_4: Delay<U<64>, 2>,
    stored_5: DFF<U<64>>,
}

#[kernel]
impl Logic for HopStage {
    fn update(&mut self) {
        self.speeds.code.next = self.code.val();
        self.speeds.address.next = self.table_address.val();
        self.speeds.data.next = self.table_data.val();
        inputs!(speeds, write_busy, write_weight, write_stale);
        self.valid_2.d.next = self.speeds.valid.val();
        self.speed_valid.next = self.valid_2.q.val();
        self.busy_3.d.next = self.speeds.busy_time.val();
        self.weight_3.d.next = self.speeds.queue_weight.val();
        self.stale_3.d.next = self.speeds.stale_ns.val();
        self.busy_time.next = self.busy_3.q.val();
        self.queue_weight.next = self.weight_3.q.val();

        // on the wire: speed 63:60, ts 59:36, txBytes 35:16, qLen 15:0
        self.elapsed_3.d.next = self.fresh.val().get_bits::<24>(36) - self.recorded.val().get_bits::<24>(36);
        self.tx_3.d.next = self.fresh.val().get_bits::<20>(16) - self.recorded.val().get_bits::<20>(16);
        self.queue_3.d.next = self.fresh.val().get_bits::<16>(0);
        if self.recorded.val().get_bits::<16>(0) < self.fresh.val().get_bits::<16>(0) {
            self.queue_3.d.next = self.recorded.val().get_bits::<16>(0);
        }
        self.elapsed.next = self.elapsed_3.q.val();
        self.tx.next = self.tx_3.q.val();
        self.queue_len.next = self.queue_3.q.val();

        self.not_newer.d.next = (self.elapsed_3.q.val() == 0) | self.elapsed_3.q.val().get_bit(23);
        self.stale.d.next = self.elapsed_3.q.val() >= self.stale_3.q.val();
        self.counts.next = !self.not_newer.q.val() & !self.stale.q.val();

        self.fresh_4.d.next = self.fresh.val();
        self.recorded_4.d.next = self.recorded.val();
        self.stored_5.d.next = self.fresh_4.q.val();
        if self.hold.val() & self.not_newer.q.val() {
            self.stored_5.d.next = self.recorded_4.q.val();
        }
        self.stored.next = self.stored_5.q.val();
    }
}
