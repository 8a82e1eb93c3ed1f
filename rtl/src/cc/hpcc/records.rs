//! NEWACK, lines 21 to 27 without the arithmetic: hop records, sequence numbers, and what kind of step an event is.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 - 2 | `memory` | the flow's record |
//! | 3 | `known`, `same_path`, `age`, `ahead` | comparisons with it |
//! | 4 | `old`, `newer` | stale flow, `ack.seq > lastUpdateSeq` |
//! | 5 | outputs, `write`, the word to write | the order of decisions of [`hpcc_models::cc::hpcc`] |
//!
//! The write of clock 5 is in the RAM before the flow's next read, because a flow enters every six clocks at most: no
//! bypass over these 418 bits.
//!
//! Record word: hops 319:0, last ACK 367:320, path id 379:368, hops of the path 383:380, lastUpdateSeq 407:384,
//! generation 415:408, records exist 416, flow exists 417.
//! Event word: hops 319:0, now 367:320, path id 379:368, hops of the path 383:380, snd_nxt 407:384, PSN 431:408, INT valid 432.

use super::hop::HopStage;
use crate::prim::delay::Delay;
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{bit_cast_b, bit_cast_u, LoopIdx, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Event word of the pipeline.
pub type EventWord = W<433, 7>;
type RecordWord = W<418, 7>;

/// Records of 2^`A` flows.
#[block]
pub struct Records<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: an event or command enters.
    pub valid: Signal<In, Bit>,
    /// Clock 0: it is a command.
    pub command: Signal<In, Bit>,
    /// Clock 0: the command creates.
    pub create: Signal<In, Bit>,
    /// Clock 0: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 0: generation.
    pub generation: Signal<In, U<8>>,
    /// Clock 0: event word.
    pub word: Signal<In, EventWord>,
    /// Register: 1 per ACK, 2 per RTT.
    pub reaction: Signal<In, U<2>>,
    /// Register: age limit, ns.
    pub stale_limit: Signal<In, U<32>>,
    /// Clock 3, to each lane: `dts`.
    pub elapsed: [Signal<Out, U<24>>; 5],
    /// Clock 3, to each lane: `dtx`.
    pub tx: [Signal<Out, U<20>>; 5],
    /// Clock 3, to each lane: smaller queue.
    pub queue_len: [Signal<Out, U<16>>; 5],
    /// Clock 3, to each lane: register of the speed.
    pub busy_time: [Signal<Out, U<34>>; 5],
    /// Clock 3, to each lane: register of the speed.
    pub queue_weight: [Signal<Out, U<34>>; 5],
    /// Clock 5, to each lane: takes part in the maximum.
    pub used: [Signal<Out, Bit>; 5],
    /// Clock 5: live event or creation, an update will follow.
    pub live: Signal<Out, Bit>,
    /// Clock 5: creation.
    pub created: Signal<Out, Bit>,
    /// Clock 5: another path.
    pub path_changed: Signal<Out, Bit>,
    /// Clock 5: Algorithm 1 applies.
    pub measured: Signal<Out, Bit>,
    /// Clock 5: `ack.seq > lastUpdateSeq`.
    pub update_reference: Signal<Out, Bit>,
    /// Clock 5, counter pulse: flow unknown or of another generation.
    pub late: Signal<Out, Bit>,
    /// Clock 5, counter pulse: a speed code without entry.
    pub bad_speed: Signal<Out, Bit>,
    /// Clock 5, counter pulse: more than five hops.
    pub many_hops: Signal<Out, Bit>,
    /// Clock 5, counter pulse: records older than the limit.
    pub stale_flow: Signal<Out, Bit>,
    /// Table write port.
    pub table_address: Signal<In, U<4>>,
    /// Table write port.
    pub table_data: Signal<In, U<48>>,
    /// Table write port.
    pub write_busy: Signal<In, Bit>,
    /// Table write port.
    pub write_weight: Signal<In, Bit>,
    /// Table write port.
    pub write_stale: Signal<In, Bit>,
    memory: TableRam<RecordWord, A>,
    hop: [HopStage; 5],
    word_2: Delay<EventWord, 2>,
    info_4: Delay<W<88, 2>, 2>,
    int_valid_4: Delay<Bit, 2>,
    slot_2: Delay<U<11>, 2>,
    slot_3: DFF<U<11>>,
    slot_4: DFF<U<11>>,
    flow_5: Delay<U<A>, 5>,
    known: DFF<Bit>,
    has_records: DFF<Bit>,
    same_path: DFF<Bit>,
    unknown_speed: DFF<Bit>,
    age: DFF<U<48>>,
    ahead: DFF<U<24>>,
    last_seq_4: Delay<U<24>, 2>,
    known_4: DFF<Bit>,
    has_records_4: DFF<Bit>,
    same_path_4: DFF<Bit>,
    unknown_speed_4: DFF<Bit>,
    old: DFF<Bit>,
    newer: DFF<Bit>,
    is_event: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    quiet: Signal<Local, Bit>,
    moved: Signal<Local, Bit>,
    aged: Signal<Local, Bit>,
    measure: Signal<Local, Bit>,
    hop_count: Signal<Local, U<4>>,
    used_r: [DFF<Bit>; 5],
    live_r: DFF<Bit>,
    created_r: DFF<Bit>,
    path_changed_r: DFF<Bit>,
    measured_r: DFF<Bit>,
    update_reference_r: DFF<Bit>,
    late_r: DFF<Bit>,
    bad_speed_r: DFF<Bit>,
    many_hops_r: DFF<Bit>,
    stale_flow_r: DFF<Bit>,
    write: DFF<Bit>,
    head: DFF<U<10>>,
    last_seq_5: DFF<U<24>>,
    now_path_5: DFF<U<64>>,
}

#[kernel]
impl<const A: usize> Logic for Records<A> {
    fn update(&mut self) {
        self.memory.raddr.next = self.flow.val();
        self.word_2.d.next = self.word.val();
        // now 47:0, path id 59:48, hops of the path 63:60, snd_nxt 87:64
        self.info_4.d.next = bit_cast_ww::<88, 2, 433, 7>(self.word_2.q.val() >> 320);
        self.int_valid_4.d.next = self.word_2.q.val().get_bit(432);
        self.flow_5.d.next = self.flow.val();
        // slot: valid 10, command 9, create 8, generation 7:0
        self.slot_2.d.next = (bit_cast_u::<11, 1>(bit_cast_b(self.valid.val())) << 10)
            | (bit_cast_u::<11, 1>(bit_cast_b(self.command.val())) << 9)
            | (bit_cast_u::<11, 1>(bit_cast_b(self.create.val())) << 8)
            | bit_cast_u::<11, 8>(self.generation.val());
        self.slot_3.d.next = self.slot_2.q.val();
        self.slot_4.d.next = self.slot_3.q.val();

        // clock 2: comparisons with the record
        self.known.d.next = self.memory.rdata.val().get_bit(417)
            & (self.memory.rdata.val().get_bits::<8>(408) == self.slot_2.q.val().get_bits::<8>(0));
        self.has_records.d.next = self.memory.rdata.val().get_bit(416);
        self.same_path.d.next = self.memory.rdata.val().get_bits::<16>(368) == self.word_2.q.val().get_bits::<16>(368);
        self.age.d.next = self.word_2.q.val().get_bits::<48>(320) - self.memory.rdata.val().get_bits::<48>(320);
        self.ahead.d.next = self.word_2.q.val().get_bits::<24>(408) - self.memory.rdata.val().get_bits::<24>(384);
        self.last_seq_4.d.next = self.memory.rdata.val().get_bits::<24>(384);
        self.unknown_speed.d.next = ((self.word_2.q.val().get_bits::<4>(380) > 0) & !self.hop[0].speed_valid.val())
            | ((self.word_2.q.val().get_bits::<4>(380) > 1) & !self.hop[1].speed_valid.val())
            | ((self.word_2.q.val().get_bits::<4>(380) > 2) & !self.hop[2].speed_valid.val())
            | ((self.word_2.q.val().get_bits::<4>(380) > 3) & !self.hop[3].speed_valid.val())
            | ((self.word_2.q.val().get_bits::<4>(380) > 4) & !self.hop[4].speed_valid.val());

        // clock 3
        self.known_4.d.next = self.known.q.val();
        self.has_records_4.d.next = self.has_records.q.val();
        self.same_path_4.d.next = self.same_path.q.val();
        self.unknown_speed_4.d.next = self.unknown_speed.q.val();
        self.old.d.next =
            self.age.q.val().get_bits::<16>(32).any() | (self.age.q.val().get_bits::<32>(0) > self.stale_limit.val());
        self.newer.d.next = (self.reaction.val() == 1) | (self.ahead.q.val().any() & !self.ahead.q.val().get_bit(23));

        // clock 4: the order of decisions
        self.is_event.next = self.slot_4.q.val().get_bit(10) & !self.slot_4.q.val().get_bit(9);
        self.accepted.next =
            self.is_event.val() & self.known_4.q.val() & self.int_valid_4.q.val() & !self.unknown_speed_4.q.val();
        self.quiet.next = self.has_records_4.q.val() & (self.reaction.val() == 2) & !self.newer.q.val();
        self.moved.next = self.has_records_4.q.val() & !self.quiet.val() & !self.same_path_4.q.val();
        self.aged.next = self.has_records_4.q.val() & !self.quiet.val() & self.same_path_4.q.val() & self.old.q.val();
        self.measure.next =
            self.has_records_4.q.val() & !self.quiet.val() & self.same_path_4.q.val() & !self.old.q.val();
        self.hop_count.next = self.info_4.q.val().get_bits::<4>(60);
        for i in 0..5 {
            self.hop[i].code.next = self.word.val().get_bits::<4>(i * 64 + 60);
            self.hop[i].fresh.next = self.word_2.q.val().get_bits::<64>(i * 64);
            self.hop[i].recorded.next = self.memory.rdata.val().get_bits::<64>(i * 64);
            self.hop[i].hold.next = self.has_records_4.q.val() & self.same_path_4.q.val() & !self.old.q.val();
            inputs!(hop[i], table_address, table_data, write_busy, write_weight, write_stale);
            self.elapsed[i].next = self.hop[i].elapsed.val();
            self.tx[i].next = self.hop[i].tx.val();
            self.queue_len[i].next = self.hop[i].queue_len.val();
            self.busy_time[i].next = self.hop[i].busy_time.val();
            self.queue_weight[i].next = self.hop[i].queue_weight.val();
            self.used_r[i].d.next = self.hop[i].counts.val() & (self.hop_count.val() > i.val());
            self.used[i].next = self.used_r[i].q.val();
        }
        self.live_r.d.next = self.accepted.val()
            | (self.slot_4.q.val().get_bit(10) & self.slot_4.q.val().get_bit(9) & self.slot_4.q.val().get_bit(8));
        self.created_r.d.next = self.slot_4.q.val().get_bit(9);
        self.path_changed_r.d.next = self.accepted.val() & self.moved.val();
        self.measured_r.d.next = self.accepted.val() & self.measure.val();
        self.update_reference_r.d.next = self.newer.q.val();
        self.late_r.d.next = self.is_event.val() & !self.known_4.q.val();
        self.bad_speed_r.d.next =
            self.is_event.val() & self.known_4.q.val() & self.int_valid_4.q.val() & self.unknown_speed_4.q.val();
        self.many_hops_r.d.next = self.accepted.val() & (self.hop_count.val() > 5);
        self.stale_flow_r.d.next = self.accepted.val() & self.aged.val();
        self.live.next = self.live_r.q.val();
        self.created.next = self.created_r.q.val();
        self.path_changed.next = self.path_changed_r.q.val();
        self.measured.next = self.measured_r.q.val();
        self.update_reference.next = self.update_reference_r.q.val();
        self.late.next = self.late_r.q.val();
        self.bad_speed.next = self.bad_speed_r.q.val();
        self.many_hops.next = self.many_hops_r.q.val();
        self.stale_flow.next = self.stale_flow_r.q.val();

        // clock 5: write back. head: flow exists 9, records exist 8, generation 7:0
        self.write.d.next = (self.accepted.val() & !self.quiet.val())
            | (self.slot_4.q.val().get_bit(10) & self.slot_4.q.val().get_bit(9));
        self.head.d.next = (bit_cast_u::<10, 1>(bit_cast_b(
            !self.slot_4.q.val().get_bit(9) | self.slot_4.q.val().get_bit(8),
        )) << 9)
            | (bit_cast_u::<10, 1>(bit_cast_b(!self.slot_4.q.val().get_bit(9))) << 8)
            | bit_cast_u::<10, 8>(self.slot_4.q.val().get_bits::<8>(0));
        self.last_seq_5.d.next = self.info_4.q.val().get_bits::<24>(64);
        if self.measure.val() & !self.newer.q.val() {
            self.last_seq_5.d.next = self.last_seq_4.q.val();
        }
        self.now_path_5.d.next = self.info_4.q.val().get_bits::<64>(0);
        self.memory.we.next = self.write.q.val();
        self.memory.waddr.next = self.flow_5.q.val();
        self.memory.wdata.next = (bit_cast_w::<418, 7, 10>(self.head.q.val()) << 408)
            | (bit_cast_w::<418, 7, 24>(self.last_seq_5.q.val()) << 384)
            | (bit_cast_w::<418, 7, 64>(self.now_path_5.q.val()) << 320)
            | (bit_cast_w::<418, 7, 64>(self.hop[4].stored.val()) << 256)
            | (bit_cast_w::<418, 7, 64>(self.hop[3].stored.val()) << 192)
            | (bit_cast_w::<418, 7, 64>(self.hop[2].stored.val()) << 128)
            | (bit_cast_w::<418, 7, 64>(self.hop[1].stored.val()) << 64)
            | bit_cast_w::<418, 7, 64>(self.hop[0].stored.val());
    }
}
