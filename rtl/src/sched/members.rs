//! Who has work, by groups, and what the groups have sent: the registers `ACTIVE` and `SENT`.
//!
//! | clock | what |
//! |---|---|
//! | 7 | the flow's membership is read |
//! | 8 | an event's outcome: has the flow work |
//! | 9 | membership written; who comes and who goes is known |
//! | 10 | who comes and who goes is counted; bytes of packets and corrections are summed |
//!
//! Clocks are those of [`super::sender`]. A flow has an event every three clocks at most, so it is written before it is read
//! again. `ACTIVE` is who came less who went. Bytes are summed modulo 2^24. One group after the other is brought up to date, so
//! `ACTIVE` and `SENT` are at most 24 clocks late:
//!
//! | clock of a turn | computed |
//! |---|---|
//! | 0 | who came to a group and who went, its packets and its corrections are read |
//! | 1 | both differences; the total of bytes is read |
//! | 2 | `ACTIVE` written; the total's low bits are the difference; did they pass zero, and which way |
//! | 3 | total written |
//!
//! Membership: [`hpcc_models::sched::Membership`].

use super::group_sum::GroupSum;
use crate::emit::naming::named_with;
use crate::prim::delay::Delay;
use crate::prim::lut_ram::LutRam;
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::sched::FlowShared;
use crate::words::visit::{CorrectionSign, LeavingFlow, Member, SentBytes, SumStep};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Membership of 2^`A` flows.
#[block]
pub struct Members<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: nobody is active, nothing was sent. Every flow is cleared after it; for 16 clocks nobody comes and
    /// nothing leaves.
    pub reset: Signal<In, Bit>,
    /// Register: wire bytes of a packet beside its payload.
    pub overhead: Signal<In, U<10>>,
    /// Clock 7: flow.
    pub flow_next: Signal<In, U<A>>,
    /// Clock 8: something happened to it.
    pub notify: Signal<In, Bit>,
    /// Clock 8: it does not exist, or an earlier generation was meant.
    pub late: Signal<In, Bit>,
    /// Clock 8: it is cleared after reset.
    pub clear: Signal<In, Bit>,
    /// Clock 8: its sender state.
    pub sender: Signal<In, FlowShared>,
    /// Clock 8: next PSN to send.
    pub snd_nxt: Signal<In, U<24>>,
    /// Clock 8: work was added or the flow created.
    pub worked: Signal<In, Bit>,
    /// Clock 8: the group is written.
    pub limited: Signal<In, Bit>,
    /// Clock 8: the group.
    pub group: Signal<In, U<4>>,
    /// Clock 8: a granted packet used `unused` bytes less than a full one.
    pub adjusted: Signal<In, Bit>,
    /// Clock 8: bytes, two's complement.
    pub unused: Signal<In, U<20>>,
    /// A packet of this flow leaves.
    pub leaves: Signal<In, Bit>,
    /// The flow.
    pub leaving: Signal<In, U<A>>,
    /// Group to look at.
    pub look: Signal<In, U<4>>,
    /// One clock later: its flows with work.
    pub active: Signal<Out, U<16>>,
    /// One clock later: bytes that it has sent on the wire.
    pub sent: Signal<Out, U<64>>,
    member: TableRam<Member, A>,
    at_exit: TableRam<LeavingFlow, A>,
    from: Signal<Local, U<24>>,
    event_9: DFF<Bit>,
    clear_9: DFF<Bit>,
    flow_8: DFF<U<A>>,
    flow_9: DFF<U<A>>,
    active_9: DFF<Bit>,
    mtu_9: DFF<U<3>>,
    limited_9: DFF<Bit>,
    group_9: DFF<U<4>>,
    adjusted_9: DFF<Bit>,
    unused_9: DFF<U<20>>,
    group_new: Signal<Local, U<4>>,
    comes: DFF<Bit>,
    comes_to: DFF<U<4>>,
    goes: DFF<Bit>,
    goes_from: DFF<U<4>>,
    adjusted_10: DFF<Bit>,
    unused_10: DFF<U<20>>,
    unused_sign: Signal<Local, CorrectionSign>,
    came: GroupSum,
    went: GroupSum,
    leaves_2: Delay<Bit, 2>,
    bytes: Signal<Local, U<13>>,
    leaves_3: DFF<Bit>,
    left_group: DFF<U<4>>,
    left_bytes: DFF<U<13>>,
    packets: GroupSum,
    corrections: GroupSum,
    turn: DFF<U<4>>,
    turn_1: DFF<U<4>>,
    turn_2: DFF<U<4>>,
    turn_3: DFF<U<4>>,
    clearing: DFF<Bit>,
    clearing_2: Delay<Bit, 2>,
    clearing_3: DFF<Bit>,
    count_2: DFF<U<16>>,
    sum_2: DFF<U<24>>,
    step: Signal<Local, SumStep>,
    falls: Signal<Local, Bit>,
    borrows: Signal<Local, Bit>,
    low_3: DFF<U<24>>,
    high_3: DFF<U<40>>,
    up_3: DFF<Bit>,
    down_3: DFF<Bit>,
    carry: Signal<Local, U<40>>,
    high_new: Signal<Local, U<40>>,
    low_new: Signal<Local, U<24>>,
    low: LutRam<U<24>, 4>,
    high: LutRam<U<40>, 4>,
    shown: LutRam<SentBytes, 4>,
    counted: LutRam<U<16>, 4>,
}

#[kernel]
impl<const A: usize> Logic for Members<A> {
    fn update(&mut self) {
        // 7, 8
        self.member.raddr.next = self.flow_next.val();
        self.flow_8.d.next = self.flow_next.val();
        self.flow_9.d.next = self.flow_8.q.val();
        self.from.next = self.sender.val().una;
        if self.sender.val().windowless & !self.worked.val() {
            self.from.next = self.snd_nxt.val();
        }
        self.event_9.d.next = self.notify.val() & !self.late.val();
        self.clear_9.d.next = self.clear.val();
        self.active_9.d.next = self.sender.val().alive & (self.from.val() != self.sender.val().end_psn);
        assign! {
            mtu_9.d = sender.mtu, limited_9.d = limited, group_9.d = group, adjusted_9.d = adjusted, unused_9.d = unused
        }

        // 9
        self.group_new.next = self.member.rdata.val().group;
        if self.limited_9.q.val() {
            self.group_new.next = self.group_9.q.val();
        }
        inputs!(member: we = event_9, waddr = flow_9);
        self.member.wdata.next.active = self.active_9.q.val();
        self.member.wdata.next.group = self.group_new.val();
        inputs!(at_exit: we = member.we, waddr = flow_9);
        self.at_exit.wdata.next.group = self.group_new.val();
        self.at_exit.wdata.next.mtu = self.mtu_9.q.val();
        self.comes.d.next = self.event_9.q.val() & self.active_9.q.val();
        self.comes_to.d.next = self.group_new.val();
        // who was there before a reset has gone with it
        self.goes.d.next = self.event_9.q.val() & self.member.rdata.val().active & !self.clear_9.q.val();
        self.goes_from.d.next = self.member.rdata.val().group;
        advance!(adjusted_10, unused_10);

        // packets: two clocks to the flow's word, one to its bytes
        self.at_exit.raddr.next = self.leaving.val();
        self.leaves_2.d.next = self.leaves.val();
        self.bytes.next = bits_u::<13>(4096);
        if self.at_exit.rdata.val().mtu == 0 {
            self.bytes.next = bits_u::<13>(256);
        }
        if self.at_exit.rdata.val().mtu == 1 {
            self.bytes.next = bits_u::<13>(512);
        }
        if self.at_exit.rdata.val().mtu == 2 {
            self.bytes.next = bits_u::<13>(1024);
        }
        if self.at_exit.rdata.val().mtu == 3 {
            self.bytes.next = bits_u::<13>(2048);
        }
        self.leaves_3.d.next = self.leaves_2.q.val();
        self.left_group.d.next = self.at_exit.rdata.val().group;
        self.left_bytes.d.next = self.bytes.val() + bit_cast_u::<13, 10>(self.overhead.val());

        // 10: after a reset one group after the other is cleared
        self.came.amount.next = bits_u::<24>(1);
        self.went.amount.next = bits_u::<24>(1);
        self.packets.amount.next = bit_cast_u::<24, 13>(self.left_bytes.q.val());
        self.unused_sign.next = bit_cast_word::<CorrectionSign, U<20>>(self.unused_10.q.val());
        self.corrections.amount.next = bit_cast_u::<24, 20>(self.unused_10.q.val());
        if self.unused_sign.val().negative {
            self.corrections.amount.next = bit_cast_u::<24, 20>(self.unused_10.q.val()) | bits_u::<24>(0xf0_0000);
        }
        self.came.add.next = self.comes.q.val() | self.clearing.q.val();
        self.came.group.next = self.comes_to.q.val();
        self.went.add.next = self.goes.q.val() | self.clearing.q.val();
        self.went.group.next = self.goes_from.q.val();
        self.packets.add.next = self.leaves_3.q.val() | self.clearing.q.val();
        self.packets.group.next = self.left_group.q.val();
        self.corrections.add.next = self.adjusted_10.q.val() | self.clearing.q.val();
        self.corrections.group.next = self.goes_from.q.val();
        self.came.clear.next = self.clearing.q.val();
        self.went.clear.next = self.clearing.q.val();
        self.packets.clear.next = self.clearing.q.val();
        self.corrections.clear.next = self.clearing.q.val();
        if self.clearing.q.val() {
            self.came.group.next = self.turn.q.val();
            self.came.amount.next = bits_u::<24>(0);
            self.went.group.next = self.turn.q.val();
            self.went.amount.next = bits_u::<24>(0);
            self.packets.group.next = self.turn.q.val();
            self.packets.amount.next = bits_u::<24>(0);
            self.corrections.group.next = self.turn.q.val();
            self.corrections.amount.next = bits_u::<24>(0);
        }
        // one group after the other
        self.turn.d.next = self.turn.q.val() + 1;
        self.turn_1.d.next = self.turn.q.val();
        advance!(turn_2, turn_3);
        self.came.look.next = self.turn.q.val();
        self.went.look.next = self.turn.q.val();
        self.packets.look.next = self.turn.q.val();
        self.corrections.look.next = self.turn.q.val();
        self.count_2.d.next = bit_cast_u::<16, 24>(self.came.sum.val() - self.went.sum.val());
        self.sum_2.d.next = self.packets.sum.val() - self.corrections.sum.val();
        self.low.raddr.next = self.turn_1.q.val();
        self.high.raddr.next = self.turn_1.q.val();
        // a sum moves by less than 2^23 between two turns: its sign and the borrow tell which way the low bits passed zero
        self.step.next = bit_cast_word::<SumStep, U<24>>(self.sum_2.q.val() - self.low.rdata.val());
        self.falls.next = self.step.val().negative;
        self.borrows.next = self.sum_2.q.val() < self.low.rdata.val();
        assign!(low_3.d = sum_2, high_3.d = high.rdata);
        self.up_3.d.next = !self.falls.val() & self.borrows.val();
        self.down_3.d.next = self.falls.val() & !self.borrows.val();
        self.carry.next = bit_cast_u::<40, 1>(bit_cast_b(self.up_3.q.val()));
        if self.down_3.q.val() {
            self.carry.next = !bits_u::<40>(0);
        }
        self.high_new.next = self.high_3.q.val() + self.carry.val();
        self.low_new.next = self.low_3.q.val();
        self.clearing_2.d.next = self.clearing.q.val();
        self.clearing_3.d.next = self.clearing_2.q.val();
        if self.turn.q.val().all() {
            self.clearing.d.next = false;
        }
        if self.clearing_3.q.val() {
            clear!(high_new, low_new);
        }
        self.low.we.next = true;
        inputs!(low: waddr = turn_3, wdata = low_new);
        self.high.we.next = true;
        inputs!(high: waddr = turn_3, wdata = high_new);
        self.shown.raddr.next = self.look.val();
        self.shown.we.next = true;
        self.shown.waddr.next = self.turn_3.q.val();
        self.shown.wdata.next.low = self.low_new.val();
        self.shown.wdata.next.high = self.high_new.val();
        self.sent.next = bit_cast_number::<64, SentBytes>(self.shown.rdata.val());
        self.counted.raddr.next = self.look.val();
        self.counted.we.next = true;
        inputs!(counted: waddr = turn_2, wdata = count_2);
        if self.clearing_2.q.val() {
            self.counted.wdata.next = bits_u::<16>(0);
        }
        self.active.next = self.counted.rdata.val();

        if self.reset.val() {
            self.turn.d.next = bits_u::<4>(0);
            self.clearing.d.next = true;
            clear!(event_9, adjusted_9, adjusted_10, comes, goes, leaves_3);
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_with::<Self>(&[("ADDRESS", A)], &["flow_next", "leaving", "flow_8", "flow_9"])
    }
}
