//! The HPCC module: wiring only, and the delays that carry an event's flow past the arithmetic.

use super::admit::Admit;
use super::average::Average;
use super::inverse::InverseUtilisation;
use super::lane::HopLane;
use super::maximum::Maximum;
use super::records::Records;
use super::registers::RegisterBlock;
use super::window::WindowUpdate;
use crate::cc::slot::{CommandIn, ConfigIn, EventIn, UpdateOut};
use crate::prim::counter::SaturatingCounter;
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::wide::{bit_cast_w, W};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from the one in which an event is taken to the one in which its update is offered, the receiver being ready:
/// three of entry, 56 of pipeline, three of FIFO.
pub const LATENCY: usize = 62;

/// Congestion-control slot filled by HPCC, for `FLOWS` flows (2^`A` at most).
///
/// One event a clock for different flows, one every six clocks for the same flow; latency [`LATENCY`]. Updates leave in
/// the order of events. A creation is answered by an update with the first window and rate; removed flows, old
/// generations, kinds other than acknowledgements, and INT that is absent or has an unknown speed code are answered by
/// none.
#[block]
pub struct HpccSlot<const FLOWS: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high. Nothing is taken for 2^`A` clocks after it.
    pub reset: Signal<In, Bit>,
    /// Register write port, [`hpcc_models::fixed::registers::address`].
    pub param: ConfigIn,
    /// Creation and removal of flows.
    pub command: CommandIn,
    /// Events.
    pub event: EventIn,
    /// Updates.
    pub update: UpdateOut,
    /// Acknowledgements of a flow that does not exist or of an earlier generation.
    pub count_late: Signal<Out, U<32>>,
    /// Acknowledgements of a flow number past the configured count.
    pub count_out_of_range: Signal<Out, U<32>>,
    /// Acknowledgements whose INT was ignored for a speed code without entry.
    pub count_bad_speed: Signal<Out, U<32>>,
    /// Acknowledgements with more than five hops: the first five were used.
    pub count_many_hops: Signal<Out, U<32>>,
    /// Acknowledgements that came over another path than the last.
    pub count_path_changed: Signal<Out, U<32>>,
    /// Acknowledgements that found records older than the limit.
    pub count_stale_flow: Signal<Out, U<32>>,
    registers: RegisterBlock,
    admit: Admit<FLOWS, A>,
    records: Records<A>,
    lane: [HopLane; 5],
    maximum: Maximum,
    average: Average<A>,
    inverse: InverseUtilisation,
    window: WindowUpdate<A>,
    updates: StreamFifo<W<143, 3>, 7, 64>,
    tag_23: Delay<U<24>, 23>,
    tag_43: Delay<U<24>, 20>,
    tag_56: Delay<U<24>, 13>,
    steps_31: Delay<U<5>, 26>,
    steps_51: Delay<U<4>, 20>,
    live_56: Delay<Bit, 5>,
    utilisation_56: Delay<U<51>, 24>,
    late: SaturatingCounter,
    out_of_range: SaturatingCounter,
    bad_speed: SaturatingCounter,
    many_hops: SaturatingCounter,
    path_changed: SaturatingCounter,
    stale_flow: SaturatingCounter,
    write_busy: Signal<Local, Bit>,
    write_weight: Signal<Local, Bit>,
    write_stale: Signal<Local, Bit>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize> Logic for HpccSlot<FLOWS, A> {
    fn update(&mut self) {
        inputs!(
            [
                registers,
                admit,
                updates,
                late,
                out_of_range,
                bad_speed,
                many_hops,
                path_changed,
                stale_flow
            ],
            reset
        );

        // registers: scalars below 16, the speed table above, 16 entries each
        self.registers.write.next = self.param.write.val();
        self.registers.address.next = self.param.address.val();
        self.registers.data.next = self.param.data.val();
        self.write_busy.next = self.param.write.val() & (self.param.address.val().get_bits::<2>(4) == 1);
        self.write_weight.next = self.param.write.val() & (self.param.address.val().get_bits::<2>(4) == 2);
        self.write_stale.next = self.param.write.val() & (self.param.address.val().get_bits::<2>(4) == 3);
        inputs!(records, write_busy, write_weight, write_stale);
        self.records.table_address.next = self.param.address.val().get_bits::<4>(0);
        self.records.table_data.next = self.param.data.val();

        EventIn::link(&mut self.event, &mut self.admit.event);
        CommandIn::link(&mut self.command, &mut self.admit.command);
        self.admit.crowded.next = self.updates.crowded.val();

        self.records.valid.next = self.admit.valid.val();
        self.records.command.next = self.admit.is_command.val();
        self.records.create.next = self.admit.create.val();
        self.records.flow.next = self.admit.flow.val();
        self.records.generation.next = self.admit.generation.val();
        self.records.word.next = self.admit.word.val();
        self.records.reaction.next = self.registers.reaction.val();
        self.records.stale_limit.next = self.registers.stale_limit.val();

        for i in 0..5 {
            self.lane[i].elapsed.next = self.records.elapsed[i].val();
            self.lane[i].tx.next = self.records.tx[i].val();
            self.lane[i].queue_len.next = self.records.queue_len[i].val();
            self.lane[i].busy_time.next = self.records.busy_time[i].val();
            self.lane[i].queue_weight.next = self.records.queue_weight[i].val();
            self.lane[i].used.next = self.records.used[i].val();
            self.lane[i].base_rtt.next = self.registers.base_rtt.val();
            self.lane[i].base_rtt_shift.next = self.registers.base_rtt_shift.val();
            self.maximum.utilisation[i].next = self.lane[i].utilisation.val();
            self.maximum.tau[i].next = self.lane[i].tau.val();
            self.maximum.whole[i].next = self.lane[i].whole.val();
        }

        // generation and flow past the arithmetic
        self.tag_23.d.next =
            (bit_cast_u::<24, 8>(self.admit.generation.val()) << 16) | bit_cast_u::<24, A>(self.admit.flow.val());
        self.tag_43.d.next = self.tag_23.q.val();
        self.tag_56.d.next = self.tag_43.q.val();
        // kind of step: another path 4, reference moves 3, measured 2, creation 1, update follows 0
        self.steps_31.d.next = (bit_cast_u::<5, 1>(bit_cast_b(self.records.path_changed.val())) << 4)
            | (bit_cast_u::<5, 1>(bit_cast_b(self.records.update_reference.val())) << 3)
            | (bit_cast_u::<5, 1>(bit_cast_b(self.records.measured.val())) << 2)
            | (bit_cast_u::<5, 1>(bit_cast_b(self.records.created.val())) << 1)
            | bit_cast_u::<5, 1>(bit_cast_b(self.records.live.val()));
        self.steps_51.d.next = self.steps_31.q.val().get_bits::<4>(0);

        self.average.largest.next = self.maximum.largest.val();
        self.average.tau.next = self.maximum.largest_tau.val();
        self.average.whole.next = self.maximum.largest_whole.val();
        self.average.none.next = self.maximum.none.val();
        self.average.flow.next = bit_cast_u::<A, 24>(self.tag_23.q.val());
        self.average.valid.next = self.steps_31.q.val().get_bit(0);
        self.average.restart.next = self.steps_31.q.val().get_bit(1) | self.steps_31.q.val().get_bit(4);
        self.average.measured.next = self.steps_31.q.val().get_bit(2);
        self.average.inverse_base_rtt.next = self.registers.inverse_base_rtt.val();
        self.average.c_init.next = self.registers.c_init.val();
        self.inverse.utilisation.next = self.average.utilisation.val();
        self.utilisation_56.d.next = self.average.utilisation.val();

        self.window.flow.next = bit_cast_u::<A, 24>(self.tag_43.q.val());
        self.window.inverse.next = self.inverse.inverse.val();
        self.window.congested.next = self.inverse.congested.val();
        self.window.valid.next = self.steps_51.q.val().get_bit(0);
        self.window.create.next = self.steps_51.q.val().get_bit(1);
        self.window.measured.next = self.steps_51.q.val().get_bit(2);
        self.window.update_reference.next = self.steps_51.q.val().get_bit(3);
        self.window.max_stage.next = self.registers.max_stage.val();
        self.window.w_init.next = self.registers.w_init.val();
        self.window.w_min.next = self.registers.w_min.val();
        self.window.w_ai.next = self.registers.w_ai.val();
        self.window.rate_per_window.next = self.registers.rate_per_window.val();

        // update: utilisation 142:92, rate 91:58, window 57:24, generation 23:16, flow 15:0
        self.live_56.d.next = self.steps_51.q.val().get_bit(0);
        self.updates.up.valid.next = self.live_56.q.val();
        self.updates.up.data.next = (bit_cast_w::<143, 3, 51>(self.utilisation_56.q.val()) << 92)
            | (bit_cast_w::<143, 3, 34>(self.window.rate.val()) << 58)
            | (bit_cast_w::<143, 3, 34>(self.window.window.val()) << 24)
            | bit_cast_w::<143, 3, 24>(self.tag_56.q.val());
        self.update.valid.next = self.updates.down.valid.val();
        self.updates.down.ready.next = self.update.ready.val();
        self.update.flow.next = self.updates.down.data.val().get_bits::<16>(0);
        self.update.generation.next = self.updates.down.data.val().get_bits::<8>(16);
        self.update.window.next = self.updates.down.data.val().get_bits::<34>(24);
        self.update.rate.next = self.updates.down.data.val().get_bits::<34>(58);
        self.update.utilisation.next = self.updates.down.data.val().get_bits::<51>(92);

        self.late.pulse.next = self.records.late.val();
        self.out_of_range.pulse.next = self.admit.out_of_range.val();
        self.bad_speed.pulse.next = self.records.bad_speed.val();
        self.many_hops.pulse.next = self.records.many_hops.val();
        self.path_changed.pulse.next = self.records.path_changed.val();
        self.stale_flow.pulse.next = self.records.stale_flow.val();
        self.count_late.next = self.late.count.val();
        self.count_out_of_range.next = self.out_of_range.count.val();
        self.count_bad_speed.next = self.bad_speed.count.val();
        self.count_many_hops.next = self.many_hops.count.val();
        self.count_path_changed.next = self.path_changed.count.val();
        self.count_stale_flow.next = self.stale_flow.count.val();
    }
}
