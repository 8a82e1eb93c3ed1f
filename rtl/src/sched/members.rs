//! Who has work, by groups, and what the groups have sent: the registers `ACTIVE` and `SENT`.
//!
//! | clock | what |
//! |---|---|
//! | 8 | the flow's membership is read |
//! | 9 | an event's outcome: has the flow work |
//! | 10 | membership written; who comes and who goes is known |
//! | 11 | who comes and who goes is counted |
//!
//! Bytes of corrections are summed three clocks after their flow was named, two to its group and one to the bytes; those of packets a clock later: what leaves
//! comes from the other end of the scheduler.
//!
//! Clocks are those of [`super::sender`]. A flow has an event every five clocks at most, so it is written before it is read
//! again. `ACTIVE` is who came less who went. Bytes are summed modulo 2^24. One group after the other is brought up to date, so
//! `ACTIVE` and `SENT` are at most 25 clocks late:
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
    /// Clock 8: flow.
    pub flow_next: Signal<In, U<A>>,
    /// Clock 9: something happened to it.
    pub notify: Signal<In, Bit>,
    /// Clock 9: it does not exist, or an earlier generation was meant.
    pub late: Signal<In, Bit>,
    /// Clock 9: it is cleared after reset.
    pub clear: Signal<In, Bit>,
    /// Clock 9: its sender state.
    pub sender: Signal<In, FlowShared>,
    /// Clock 9: next PSN to send.
    pub snd_nxt: Signal<In, U<24>>,
    /// Clock 9: work was added or the flow created.
    pub worked: Signal<In, Bit>,
    /// Clock 9: the group is written.
    pub limited: Signal<In, Bit>,
    /// Clock 9: the group.
    pub group: Signal<In, U<4>>,
    /// A flow whose bytes may be corrected two clocks later.
    pub corrected_flow: Signal<In, U<A>>,
    /// Two clocks later: its packets used so many bytes less than full ones.
    pub corrected: Signal<In, Bit>,
    /// Bytes, two's complement.
    pub refund: Signal<In, U<20>>,
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
    low_new: Signal<Local, U<24>>,
    #[registers(Bit:
        /// Clock 10: an event of a flow that exists has ended: its membership is written.
        event_10,
        /// Clock 10: the flow is cleared after reset.
        clear_10,
        /// Clock 10: the flow exists.
        alive_10,
        /// Clock 10: the flow has no window and got no new work: what is unsent counts, not what is unacknowledged.
        by_sent_10,
        /// Clock 10: the next PSN is not the end of the work.
        unsent_10,
        /// Clock 10: the oldest PSN without acknowledgement is not the end of the work.
        unacknowledged_10,
        /// Clock 10: the flow's group is written.
        limited_10,
        /// Clock 11: a flow counts as one with work from now on.
        comes,
        /// Clock 11: the flow counted as one with work before, and is counted out of its old group.
        goes,
        /// A refund of bytes is added to its group's sum.
        corrected_1,
        /// A packet leaves; its flow is in `leaving_1`.
        leaves_1,
        /// Three clocks after `leaves_1`: the packet's bytes are added to its group's sum.
        leaves_4,
        /// After a reset: sums of one group after the other are set to zero.
        clearing)]
    #[registers(Bit:
        /// Third clock of a turn: as `clearing` when the turn began.
        clearing_3,
        /// Third clock of a turn: the low 24 bits of the group's total have passed zero upwards (`up_3`) or downwards (`down_3`).
        up_3, down_3)]
    #[registers(U<A>:
        /// Flow of the event in the clock of the name.
        flow_9, flow_10,
        /// Flow of the packet that leaves.
        leaving_1)]
    #[registers(U<4>:
        /// Clock 10: group that the flow is moved to.
        group_10,
        /// Clock 11: group in which the flow is counted in.
        comes_to,
        /// Clock 11: group from which the flow is counted out.
        goes_from,
        /// Group of the flow whose refund is `refund_1`.
        corrected_group,
        /// Group of the packet whose bytes are `left_bytes`.
        left_group,
        /// Group that is brought up to date: first clock of its turn.
        turn,
        /// Group that is brought up to date, in the clock of its turn that the name says.
        turn_1, turn_2, turn_3)]
    #[registers(U<20>:
        /// Bytes that come back to the group, two's complement.
        refund_1)]
    #[registers(U<24>:
        /// Second clock of a turn: low 24 bits of the group's total, bytes sent less refunds.
        sum_2,
        /// Third clock of a turn: as `sum_2`.
        low_3)]
    #[signals(Bit: falls, borrows, active_now)]
    #[signals(U<40>: carry, high_new)]
    member: TableRam<Member, A>,
    at_exit: TableRam<LeavingFlow, A>,
    at_correction: TableRam<U<4>, A>,
    came: GroupSum,
    went: GroupSum,
    leaves_3: Delay<Bit, 2>,
    packets: GroupSum,
    corrections: GroupSum,
    clearing_2: Delay<Bit, 2>,
    low: LutRam<U<24>, 4>,
    high: LutRam<U<40>, 4>,
    shown: LutRam<SentBytes, 4>,
    counted: LutRam<U<16>, 4>,
    /// Clock 10: MTU code of the flow.
    mtu_10: DFF<U<3>>,
    group_new: Signal<Local, U<4>>,
    refund_sign: Signal<Local, CorrectionSign>,
    bytes: Signal<Local, U<13>>,
    /// Bytes of the packet that left, on the wire, as a full packet.
    left_bytes: DFF<U<13>>,
    /// Second clock of a turn: flows of the group with work.
    count_2: DFF<U<16>>,
    step: Signal<Local, SumStep>,
    /// Third clock of a turn: upper 40 bits of the group's total before this turn.
    high_3: DFF<U<40>>,
}

#[kernel]
impl<const A: usize> Logic for Members<A> {
    fn update(&mut self) {
        // 8, 9
        member.raddr = flow_next;
        flow_9 = flow_next;
        flow_10 = flow_9;
        // compared for both that it may count from: which of them it is comes from far away
        event_10 = notify & !late;
        clear_10 = clear;
        assign!(alive_10.d = sender.alive);
        by_sent_10 = sender.windowless & !worked;
        unsent_10 = snd_nxt != sender.end_psn;
        unacknowledged_10 = sender.una != sender.end_psn;
        assign! {
            mtu_10.d = sender.mtu, limited_10.d = limited, group_10.d = group
        }

        // 10
        active_now = alive_10 & unacknowledged_10;
        if by_sent_10 {
            active_now = alive_10 & unsent_10;
        }
        group_new = if limited_10 { group_10 } else { member.rdata.val().group };
        inputs!(member: we = event_10, waddr = flow_10);
        member.wdata.next.active = active_now;
        member.wdata.next.group = group_new;
        inputs!(at_exit: we = member.we, waddr = flow_10);
        at_exit.wdata.next.group = group_new;
        at_exit.wdata.next.mtu = mtu_10;
        inputs!(at_correction: we = member.we, waddr = flow_10, wdata = group_new);
        comes = event_10 & active_now;
        comes_to = group_new;
        // who was there before a reset has gone with it
        goes = event_10 & member.rdata.val().active & !clear_10;
        goes_from = member.rdata.val().group;

        // corrections: two clocks to the flow's group
        at_correction.raddr = corrected_flow;
        assign!(
            corrected_1.d = corrected,
            refund_1.d = refund,
            corrected_group.d = at_correction.rdata
        );

        // packets: a clock on the way, two to the flow's word, one to its bytes
        assign!(leaving_1.d = leaving, leaves_1.d = leaves);
        at_exit.raddr = leaving_1;
        leaves_3 = leaves_1;
        bytes = if at_exit.rdata.val().mtu == 0 { bits_u::<13>(256) } else { bits_u::<13>(4096) };
        if at_exit.rdata.val().mtu == 1 {
            bytes = bits_u::<13>(512);
        }
        if at_exit.rdata.val().mtu == 2 {
            bytes = bits_u::<13>(1024);
        }
        if at_exit.rdata.val().mtu == 3 {
            bytes = bits_u::<13>(2048);
        }
        leaves_4 = leaves_3;
        left_group = at_exit.rdata.val().group;
        left_bytes = bytes + bit_cast_u::<13, 10>(overhead);

        // 11: after a reset one group after the other is cleared
        came.amount = bits_u::<24>(1);
        went.amount = bits_u::<24>(1);
        packets.amount = bit_cast_u::<24, 13>(left_bytes);
        refund_sign = bit_cast_word::<CorrectionSign, U<20>>(refund_1);
        corrections.amount = bit_cast_u::<24, 20>(refund_1);
        if refund_sign.negative {
            corrections.amount = bit_cast_u::<24, 20>(refund_1) | bits_u::<24>(0xf0_0000);
        }
        came.add = comes | clearing;
        came.group = comes_to;
        went.add = goes | clearing;
        went.group = goes_from;
        packets.add = leaves_4 | clearing;
        packets.group = left_group;
        corrections.add = corrected_1 | clearing;
        corrections.group = corrected_group;
        came.clear = clearing;
        went.clear = clearing;
        packets.clear = clearing;
        corrections.clear = clearing;
        if clearing {
            came.group = turn;
            came.amount = bits_u::<24>(0);
            went.group = turn;
            went.amount = bits_u::<24>(0);
            packets.group = turn;
            packets.amount = bits_u::<24>(0);
            corrections.group = turn;
            corrections.amount = bits_u::<24>(0);
        }
        // one group after the other
        turn = turn + 1;
        turn_1 = turn;
        advance!(turn_2, turn_3);
        came.look = turn;
        went.look = turn;
        packets.look = turn;
        corrections.look = turn;
        count_2 = bit_cast_u::<16, 24>(came.sum - went.sum);
        sum_2 = packets.sum - corrections.sum;
        low.raddr = turn_1;
        high.raddr = turn_1;
        // a sum moves by less than 2^23 between two turns: its sign and the borrow tell which way the low bits passed zero
        step = bit_cast_word::<SumStep, U<24>>(sum_2 - low.rdata);
        falls = step.negative;
        borrows = sum_2 < low.rdata;
        assign!(low_3.d = sum_2, high_3.d = high.rdata);
        up_3 = !falls & borrows;
        down_3 = falls & !borrows;
        carry = if down_3 { !bits_u::<40>(0) } else { bit_cast_u::<40, 1>(bit_cast_b(up_3)) };
        high_new = high_3 + carry;
        low_new = low_3;
        clearing_2 = clearing;
        clearing_3 = clearing_2;
        if turn.all() {
            clearing = false;
        }
        if clearing_3 {
            clear!(high_new, low_new);
        }
        low.we = true;
        inputs!(low: waddr = turn_3, wdata = low_new);
        high.we = true;
        inputs!(high: waddr = turn_3, wdata = high_new);
        shown.raddr = look;
        shown.we = true;
        shown.waddr = turn_3;
        shown.wdata.next.low = low_new;
        shown.wdata.next.high = high_new;
        sent = bit_cast_number::<64, SentBytes>(shown.rdata);
        counted.raddr = look;
        counted.we = true;
        inputs!(counted: waddr = turn_2, wdata = count_2);
        if clearing_2 {
            counted.wdata = bits_u::<16>(0);
        }
        active = counted.rdata;

        if reset {
            turn = bits_u::<4>(0);
            clearing = true;
            clear!(event_10, corrected_1, comes, goes, leaves_1, leaves_4);
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_with::<Self>(
            &[("ADDRESS", A)],
            &[
                "flow_next",
                "corrected_flow",
                "leaving",
                "leaving_1",
                "flow_9",
                "flow_10",
            ],
        )
    }
}
