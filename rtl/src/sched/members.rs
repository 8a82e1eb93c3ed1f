//! Who has work, by groups, and what the groups have sent: the registers `ACTIVE` and `SENT`.
//!
//! | clock | what |
//! |---|---|
//! | 7 | the flow's membership is read |
//! | 8 | an event's outcome: has the flow work |
//! | 9 | membership written; who comes and who goes is known |
//! | 10 | `ACTIVE` counts; bytes of packets and corrections gather |
//!
//! Clocks are those of [`super::sender`]. A flow has an event every three clocks at most, so it is written before it is read
//! again. Bytes gather in 24 bits a group; one group after the other is brought up to date, so `SENT` is at most 20 clocks late.
//!
//! Membership: [`hpcc_models::sched::Membership`].

use crate::emit::naming::named_with;
use crate::prim::delay::Delay;
use crate::prim::ram::Ram;
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, LoopIdx, U};
use crate::words::sched::FlowShared;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Membership of 2^`A` flows.
#[block]
pub struct Members<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: nobody is active, nothing was sent. Every flow is cleared after it.
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
    /// Clock 8: work was added.
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
    // active 0, group 4:1
    member: TableRam<U<5>, A>,
    // group 3:0, MTU code 6:4
    at_exit: TableRam<U<7>, A>,
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
    count: [DFF<U<16>>; 16],
    up: [Signal<Local, Bit>; 16],
    down: [Signal<Local, Bit>; 16],
    looked: DFF<U<16>>,
    leaves_2: Delay<Bit, 2>,
    bytes: Signal<Local, U<13>>,
    leaves_3: DFF<Bit>,
    left_group: DFF<U<4>>,
    left_bytes: DFF<U<13>>,
    gathered: [DFF<U<24>>; 16],
    plus: [Signal<Local, U<24>>; 16],
    minus: [Signal<Local, U<24>>; 16],
    turn: DFF<U<4>>,
    place: DFF<U<4>>,
    add: DFF<U<24>>,
    addend: Signal<Local, U<64>>,
    clearing: DFF<Bit>,
    clearing_1: DFF<Bit>,
    totals: Ram<U<64>, 4>,
    shown: Ram<U<64>, 4>,
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
        self.mtu_9.d.next = self.sender.val().mtu;
        self.limited_9.d.next = self.limited.val();
        self.group_9.d.next = self.group.val();
        self.adjusted_9.d.next = self.adjusted.val();
        self.unused_9.d.next = self.unused.val();

        // 9
        self.group_new.next = self.member.rdata.val().get_bits::<4>(1);
        if self.limited_9.q.val() {
            self.group_new.next = self.group_9.q.val();
        }
        self.member.we.next = self.event_9.q.val();
        self.member.waddr.next = self.flow_9.q.val();
        self.member.wdata.next =
            (bit_cast_u::<5, 4>(self.group_new.val()) << 1) | bit_cast_u::<5, 1>(bit_cast_b(self.active_9.q.val()));
        self.at_exit.we.next = self.member.we.val();
        self.at_exit.waddr.next = self.flow_9.q.val();
        self.at_exit.wdata.next =
            (bit_cast_u::<7, 3>(self.mtu_9.q.val()) << 4) | bit_cast_u::<7, 4>(self.group_new.val());
        self.comes.d.next = self.event_9.q.val() & self.active_9.q.val();
        self.comes_to.d.next = self.group_new.val();
        // who was there before a reset has gone with it
        self.goes.d.next = self.event_9.q.val() & self.member.rdata.val().get_bit(0) & !self.clear_9.q.val();
        self.goes_from.d.next = self.member.rdata.val().get_bits::<4>(1);
        self.adjusted_10.d.next = self.adjusted_9.q.val();
        self.unused_10.d.next = self.unused_9.q.val();

        // packets: two clocks to the flow's word, one to its bytes
        self.at_exit.raddr.next = self.leaving.val();
        self.leaves_2.d.next = self.leaves.val();
        self.bytes.next = bits_u::<13>(4096);
        if self.at_exit.rdata.val().get_bits::<3>(4) == 0 {
            self.bytes.next = bits_u::<13>(256);
        }
        if self.at_exit.rdata.val().get_bits::<3>(4) == 1 {
            self.bytes.next = bits_u::<13>(512);
        }
        if self.at_exit.rdata.val().get_bits::<3>(4) == 2 {
            self.bytes.next = bits_u::<13>(1024);
        }
        if self.at_exit.rdata.val().get_bits::<3>(4) == 3 {
            self.bytes.next = bits_u::<13>(2048);
        }
        self.leaves_3.d.next = self.leaves_2.q.val();
        self.left_group.d.next = self.at_exit.rdata.val().get_bits::<4>(0);
        self.left_bytes.d.next = self.bytes.val() + bit_cast_u::<13, 10>(self.overhead.val());

        // 10
        for i in 0..16 {
            self.up[i].next = self.comes.q.val() & (self.comes_to.q.val() == i.val());
            self.down[i].next = self.goes.q.val() & (self.goes_from.q.val() == i.val());
            if self.up[i].val() & !self.down[i].val() {
                self.count[i].d.next = self.count[i].q.val() + 1;
            }
            if self.down[i].val() & !self.up[i].val() {
                self.count[i].d.next = self.count[i].q.val() - 1;
            }
            self.plus[i].next = bits_u::<24>(0);
            if self.leaves_3.q.val() & (self.left_group.q.val() == i.val()) {
                self.plus[i].next = bit_cast_u::<24, 13>(self.left_bytes.q.val());
            }
            self.minus[i].next = bits_u::<24>(0);
            if self.adjusted_10.q.val() & (self.goes_from.q.val() == i.val()) {
                self.minus[i].next = bit_cast_u::<24, 20>(self.unused_10.q.val());
                if self.unused_10.q.val().get_bit(19) {
                    self.minus[i].next = bit_cast_u::<24, 20>(self.unused_10.q.val()) | bits_u::<24>(0xf0_0000);
                }
            }
            self.gathered[i].d.next = self.gathered[i].q.val() + self.plus[i].val() - self.minus[i].val();
            if self.turn.q.val() == i.val() {
                self.gathered[i].d.next = self.plus[i].val() - self.minus[i].val();
            }
        }

        // one group after the other
        self.turn.d.next = self.turn.q.val() + 1;
        self.place.d.next = self.turn.q.val();
        self.add.d.next = bits_u::<24>(0);
        self.looked.d.next = bits_u::<16>(0);
        for i in 0..16 {
            if self.turn.q.val() == i.val() {
                self.add.d.next = self.gathered[i].q.val();
            }
            if self.look.val() == i.val() {
                self.looked.d.next = self.count[i].q.val();
            }
        }
        self.addend.next = bit_cast_u::<64, 24>(self.add.q.val());
        if self.add.q.val().get_bit(23) {
            self.addend.next = bit_cast_u::<64, 24>(self.add.q.val()) | !bits_u::<64>(0xff_ffff);
        }
        self.totals.raddr.next = self.turn.q.val();
        self.totals.we.next = true;
        self.totals.waddr.next = self.place.q.val();
        self.totals.wdata.next = self.totals.rdata.val() + self.addend.val();
        self.clearing_1.d.next = self.clearing.q.val();
        if self.clearing_1.q.val() {
            self.totals.wdata.next = bits_u::<64>(0);
        }
        if self.turn.q.val().all() {
            self.clearing.d.next = false;
        }
        self.shown.raddr.next = self.look.val();
        self.shown.we.next = true;
        self.shown.waddr.next = self.place.q.val();
        self.shown.wdata.next = self.totals.wdata.val();
        self.active.next = self.looked.q.val();
        self.sent.next = self.shown.rdata.val();

        if self.reset.val() {
            self.turn.d.next = bits_u::<4>(0);
            self.clearing.d.next = true;
            self.event_9.d.next = false;
            self.adjusted_9.d.next = false;
            self.adjusted_10.d.next = false;
            self.comes.d.next = false;
            self.goes.d.next = false;
            self.leaves_3.d.next = false;
            for i in 0..16 {
                self.count[i].d.next = bits_u::<16>(0);
                self.gathered[i].d.next = bits_u::<24>(0);
            }
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_with::<Self>(&[("ADDRESS", A)], &["flow_next", "leaving", "flow_8", "flow_9"])
    }
}
