//! What an event does to a flow: sequence numbers, timer, retries. One event a clock, a flow every three clocks.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | operation |
//! | 2, 3 | `index`, `engine` | flow / engines and the rest; both RAMs are addressed |
//! | 5 | `memory`, `visited` | the flow's sender state and what visits made of it |
//! | 6 | `sender_6`, `nxt_6`, `max_6` | `snd_nxt` after pending rewinds, highest PSN |
//! | 7 | differences | against `una`, `end`, the timer |
//! | (7) | `written` | decided, written back and forwarded |
//! | 8 | outputs | to the engines and to the congestion control |
//!
//! Bit for bit [`hpcc_models::sched::SenderState::handle`].

use super::pacing::PacingUpdate;
use super::ports::{OpWord, PacingWord, SenderFull, SenderWord, VisitedWord};
use crate::emit::naming::named;
use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_b, bit_cast_p, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww};
use rust_hdl::prelude::*;

/// Sender state of 2^`A` flows; an engine's index has `I` bits.
#[derive(LogicBlock, Default)]
pub struct Sender<const A: usize, const I: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: an operation.
    pub valid: Signal<In, Bit>,
    /// Clock 0: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 0: operation.
    pub word: Signal<In, OpWord>,
    /// Constant: number of engines.
    pub engines: Signal<In, U<3>>,
    /// Constant: 2^18 / engines, rounded up.
    pub inverse: Signal<In, U<17>>,
    /// Register: wire bytes of a packet beside its payload.
    pub overhead: Signal<In, U<10>>,
    /// Register: visit interval of the cap, ns.
    pub interval: Signal<In, U<12>>,
    /// Register: timeout, 1.024 us.
    pub timeout: Signal<In, U<16>>,
    /// Register: retry limit.
    pub retry_limit: Signal<In, U<4>>,
    /// Clock 6: time in units of 1.024 us.
    pub timer_now: Signal<In, U<16>>,
    /// Clock 6: priorities whose timers start over with each look.
    pub held: Signal<In, U<8>>,
    /// Clock 2: index whose visited word is wanted two clocks later.
    pub index: Signal<Out, U<I>>,
    /// Clock 4: engine of that index.
    pub engine_4: Signal<Out, U<3>>,
    /// Clock 4: visited word of that engine.
    pub visited: Signal<In, VisitedWord>,
    /// Clock 8: the engines take notice.
    pub notify: Signal<Out, Bit>,
    /// Clock 8: which engine.
    pub engine: Signal<Out, U<3>>,
    /// Clock 8: index in that engine.
    pub engine_index: Signal<Out, U<I>>,
    /// Clock 8: flow.
    pub flow_8: Signal<Out, U<A>>,
    /// Clock 8: sender state for visits.
    pub sender: Signal<Out, SenderWord>,
    /// Clock 8: pacing.
    pub pacing: Signal<Out, PacingWord>,
    /// Clock 8: pacing is written.
    pub paced: Signal<Out, Bit>,
    /// Clock 8: the flow may have something to send.
    pub wake: Signal<Out, Bit>,
    /// Clock 8: the flow is cleared.
    pub clear: Signal<Out, Bit>,
    /// Clock 8: an event for the congestion control.
    pub to_cc: Signal<Out, Bit>,
    /// Clock 8: it is a timeout.
    pub timed_out: Signal<Out, Bit>,
    /// Clock 8: PSN of the event.
    pub psn: Signal<Out, U<24>>,
    /// Clock 8: next PSN to send, after the event.
    pub snd_nxt: Signal<Out, U<24>>,
    /// Clock 8: packets that the event acknowledges newly.
    pub acked: Signal<Out, U<24>>,
    /// Clock 8: MTU code.
    pub acked_mtu: Signal<Out, U<3>>,
    /// Clock 8: generation.
    pub generation: Signal<Out, U<8>>,
    /// Clock 8: the flow has ended at its retry limit.
    pub ended: Signal<Out, Bit>,
    /// Clock 8, counter pulse: a flow that does not exist, or an earlier generation.
    pub late: Signal<Out, Bit>,
    /// Clock 8, counter pulse: acknowledges what was never sent.
    pub beyond: Signal<Out, Bit>,
    quotient: MulPipe<16, 17, 15, 18>,
    flow_2: Delay<U<A>, 2>,
    remainder: Signal<Local, U<A>>,
    engine_3: DFF<U<3>>,
    engine_4r: DFF<U<3>>,
    engine_8: Delay<U<3>, 4>,
    index_8: Delay<U<I>, 6>,
    flow_7: Delay<U<A>, 5>,
    flow_8r: DFF<U<A>>,
    memory: ForwardRam<SenderFull, A>,
    visited_5: DFF<VisitedWord>,
    op_5: Delay<OpWord, 5>,
    op_6: DFF<OpWord>,
    op_7: DFF<OpWord>,
    valid_7: Delay<Bit, 7>,
    fresh: Signal<Local, Bit>,
    restarted: Signal<Local, Bit>,
    stale: Signal<Local, Bit>,
    sender_6: DFF<SenderFull>,
    sender_7: DFF<SenderFull>,
    nxt_6: DFF<U<24>>,
    max_6: DFF<U<24>>,
    restarted_6: DFF<Bit>,
    restarted_7: DFF<Bit>,
    rewinds_6: DFF<U<4>>,
    rewinds_7: DFF<U<4>>,
    restarts_6: DFF<U<4>>,
    restarts_7: DFF<U<4>>,
    nxt_7: DFF<U<24>>,
    distance: DFF<U<24>>,
    reach: DFF<U<24>>,
    read_reach: DFF<U<24>>,
    end_reach: DFF<U<24>>,
    read_left: DFF<U<24>>,
    read_new: DFF<U<24>>,
    outstanding: DFF<U<24>>,
    new_work: DFF<U<24>>,
    // which of them are zero, and whether `reach` is more than 2^22, all known before they are compared further
    at_una: DFF<Bit>,
    none_out: DFF<Bit>,
    no_work: DFF<Bit>,
    no_read: DFF<Bit>,
    reach_less_one: Signal<Local, U<24>>,
    far: DFF<Bit>,
    age: DFF<U<16>>,
    held_7: DFF<Bit>,
    now_7: DFF<U<16>>,
    mtu_6: DFF<U<3>>,
    pacing_word: PacingUpdate,
    // decisions of clock 7
    kind: Signal<Local, U<4>>,
    own: Signal<Local, Bit>,
    old: Signal<Local, Bit>,
    is_ack: Signal<Local, Bit>,
    was_sent: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    rewind: Signal<Local, Bit>,
    expired: Signal<Local, Bit>,
    una: Signal<Local, U<24>>,
    end_psn: Signal<Local, U<24>>,
    read_from: Signal<Local, U<24>>,
    read_to: Signal<Local, U<24>>,
    adjust: Signal<Local, U<20>>,
    generation_new: Signal<Local, U<8>>,
    rewinds: Signal<Local, U<4>>,
    restarts: Signal<Local, U<4>>,
    mtu: Signal<Local, U<3>>,
    pause_class: Signal<Local, U<3>>,
    alive: Signal<Local, Bit>,
    windowless: Signal<Local, Bit>,
    timerless: Signal<Local, Bit>,
    since: Signal<Local, U<16>>,
    retries: Signal<Local, U<4>>,
    sent: Signal<Local, U<8>>,
    armed: Signal<Local, Bit>,
    written: Signal<Local, SenderFull>,
    passed: Signal<Local, U<24>>,
    nxt_new: Signal<Local, U<24>>,
    sender_8: DFF<SenderWord>,
    notify_8: DFF<Bit>,
    paced_8: DFF<Bit>,
    wake_8: DFF<Bit>,
    clear_8: DFF<Bit>,
    to_cc_8: DFF<Bit>,
    timed_out_8: DFF<Bit>,
    psn_8: DFF<U<24>>,
    snd_nxt_8: DFF<U<24>>,
    acked_8: DFF<U<24>>,
    mtu_8: DFF<U<3>>,
    generation_8: DFF<U<8>>,
    ended_8: DFF<Bit>,
    late_8: DFF<Bit>,
    beyond_8: DFF<Bit>,
}

impl<const A: usize, const I: usize> Logic for Sender<A, I> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, pacing_word);
        clock!(self, clock, quotient, flow_2, engine_3, engine_4r, engine_8, index_8);
        clock!(self, clock, flow_7, flow_8r, memory, visited_5, op_5, op_6, op_7);
        clock!(
            self,
            clock,
            valid_7,
            sender_6,
            sender_7,
            nxt_6,
            max_6,
            restarted_6,
            restarted_7
        );
        clock!(self, clock, rewinds_6, rewinds_7, restarts_6, restarts_7);
        clock!(self, clock, read_reach, end_reach, read_left, read_new);
        clock!(self, clock, nxt_7, distance, reach, outstanding);
        clock!(self, clock, new_work, age, held_7, now_7, mtu_6);
        clock!(self, clock, at_una, none_out, no_work, no_read, far);
        clock!(self, clock, sender_8, notify_8, paced_8);
        clock!(self, clock, wake_8, clear_8, to_cc_8, timed_out_8, psn_8, snd_nxt_8);
        clock!(self, clock, acked_8, mtu_8, generation_8, ended_8, late_8, beyond_8);
        // 0 to 4: engine and index
        self.quotient.a.next = bit_cast_u::<16, A>(self.flow.val());
        self.quotient.b.next = self.inverse.val();
        self.flow_2.d.next = self.flow.val();
        self.remainder.next = self.flow_2.q.val() - bit_cast_p::<A>(self.quotient.p.val() * self.engines.val());
        self.engine_3.d.next = bit_cast_u::<3, A>(self.remainder.val());
        self.engine_4r.d.next = self.engine_3.q.val();
        self.engine_8.d.next = self.engine_4r.q.val();
        self.index.next = bit_cast_u::<I, 15>(self.quotient.p.val());
        self.engine_4.next = self.engine_4r.q.val();
        self.index_8.d.next = bit_cast_u::<I, 15>(self.quotient.p.val());
        self.flow_7.d.next = self.flow_2.q.val();
        self.flow_8r.d.next = self.flow_7.q.val();
        self.memory.raddr.next = self.flow_2.q.val();
        self.visited_5.d.next = self.visited.val();
        self.op_5.d.next = self.word.val();
        self.op_6.d.next = self.op_5.q.val();
        self.op_7.d.next = self.op_6.q.val();
        self.valid_7.d.next = self.valid.val();
        self.pacing_word.rate.next = self.word.val().get_bits::<34>(94);
        self.pacing_word.window.next = self.word.val().get_bits::<34>(60);
        self.pacing_word.interval.next = self.interval.val();
        self.pacing_word.overhead.next = self.overhead.val();
        self.pacing_word.mtu.next = self.mtu_6.q.val();
        self.pacing.next = self.pacing_word.word.val();

        // 5: what visits have and have not seen
        self.fresh.next = self.visited_5.q.val().get_bits::<8>(52) != self.memory.rdata.val().get_bits::<8>(116);
        self.restarted.next = self.visited_5.q.val().get_bits::<4>(60) != self.memory.rdata.val().get_bits::<4>(128);
        self.stale.next = self.fresh.val()
            | self.restarted.val()
            | (self.visited_5.q.val().get_bits::<4>(48) != self.memory.rdata.val().get_bits::<4>(124));
        self.sender_6.d.next = self.memory.rdata.val();
        self.nxt_6.d.next = self.visited_5.q.val().get_bits::<24>(0);
        if self.stale.val() {
            self.nxt_6.d.next = self.memory.rdata.val().get_bits::<24>(0);
        }
        self.max_6.d.next = self.visited_5.q.val().get_bits::<24>(24);
        if self.fresh.val() {
            self.max_6.d.next = self.memory.rdata.val().get_bits::<24>(0);
        }
        self.restarted_6.d.next = self.restarted.val();
        // the next counts: never the ones that visits have carried out
        self.rewinds_6.d.next = self.memory.rdata.val().get_bits::<4>(124) + 1;
        if (self.memory.rdata.val().get_bits::<4>(124) + 1) == self.visited_5.q.val().get_bits::<4>(48) {
            self.rewinds_6.d.next = self.memory.rdata.val().get_bits::<4>(124) + 2;
        }
        self.restarts_6.d.next = self.memory.rdata.val().get_bits::<4>(128) + 1;
        if (self.memory.rdata.val().get_bits::<4>(128) + 1) == self.visited_5.q.val().get_bits::<4>(60) {
            self.restarts_6.d.next = self.memory.rdata.val().get_bits::<4>(128) + 2;
        }
        self.mtu_6.d.next = self.memory.rdata.val().get_bits::<3>(132);
        if self.op_5.q.val().get_bits::<4>(0) == 8 {
            self.mtu_6.d.next = self.op_5.q.val().get_bits::<3>(128);
        }

        // 6: differences
        self.sender_7.d.next = self.sender_6.q.val();
        self.nxt_7.d.next = self.nxt_6.q.val();
        self.restarted_7.d.next = self.restarted_6.q.val();
        self.rewinds_7.d.next = self.rewinds_6.q.val();
        self.restarts_7.d.next = self.restarts_6.q.val();
        self.distance.d.next = self.op_6.q.val().get_bits::<24>(12) - self.sender_6.q.val().get_bits::<24>(0);
        self.reach.d.next = self.max_6.q.val() - self.sender_6.q.val().get_bits::<24>(0);
        self.read_reach.d.next = self.sender_6.q.val().get_bits::<24>(72) - self.sender_6.q.val().get_bits::<24>(0);
        self.end_reach.d.next = self.sender_6.q.val().get_bits::<24>(24) - self.sender_6.q.val().get_bits::<24>(0);
        self.read_left.d.next = self.sender_6.q.val().get_bits::<24>(72) - self.op_6.q.val().get_bits::<24>(12);
        self.read_new.d.next = self.op_6.q.val().get_bits::<24>(36) - self.sender_6.q.val().get_bits::<24>(0);
        self.outstanding.d.next = self.nxt_6.q.val() - self.sender_6.q.val().get_bits::<24>(0);
        self.new_work.d.next = self.op_6.q.val().get_bits::<24>(12) - self.sender_6.q.val().get_bits::<24>(24);
        self.at_una.d.next = self.op_6.q.val().get_bits::<24>(12) == self.sender_6.q.val().get_bits::<24>(0);
        self.none_out.d.next = self.nxt_6.q.val() == self.sender_6.q.val().get_bits::<24>(0);
        self.no_work.d.next = self.op_6.q.val().get_bits::<24>(12) == self.sender_6.q.val().get_bits::<24>(24);
        self.no_read.d.next = self.op_6.q.val().get_bits::<24>(36) == self.sender_6.q.val().get_bits::<24>(0);
        self.reach_less_one.next = self.max_6.q.val() + !self.sender_6.q.val().get_bits::<24>(0);
        self.far.d.next = self.reach_less_one.val().get_bit(22);
        self.age.d.next = self.timer_now.val() - self.sender_6.q.val().get_bits::<16>(140);
        self.held_7.d.next = self
            .held
            .val()
            .get_bit(self.sender_6.q.val().get_bits::<3>(135).index());
        self.now_7.d.next = self.timer_now.val();

        // 7: what it is
        self.kind.next = self.op_7.q.val().get_bits::<4>(0);
        self.own.next = self.sender_7.q.val().get_bit(138)
            & (self.sender_7.q.val().get_bits::<8>(116) == self.op_7.q.val().get_bits::<8>(4));
        self.is_ack.next = self.own.val() & (self.kind.val() < 2);
        self.old.next = self.distance.q.val().get_bit(23);
        // sent, or asked for by a READ request; after a restart what was sent before counts unless it is far from it. Of a flow
        // without timer, READ responses, what has been sent since the restart: its leaving is what ends the READ
        self.was_sent.next = self.distance.q.val() <= self.reach.q.val();
        if self.reach.q.val().get_bit(23) | (self.restarted_7.q.val() & self.far.q.val()) {
            self.was_sent.next = self.at_una.q.val();
        }
        if self.sender_7.q.val().get_bit(169) {
            self.was_sent.next = self.distance.q.val() <= self.outstanding.q.val();
            if self.outstanding.q.val().get_bit(23) {
                self.was_sent.next = self.at_una.q.val();
            }
        }
        self.good.next = self.is_ack.val()
            & !self.old.val()
            & (self.was_sent.val() | (self.distance.q.val() <= self.read_reach.q.val()))
            & (self.distance.q.val() <= self.end_reach.q.val());
        self.expired.next = (self.kind.val() == 7)
            & self.sender_7.q.val().get_bit(138)
            & self.sender_7.q.val().get_bit(168)
            & !self.sender_7.q.val().get_bit(169)
            & !self.none_out.q.val()
            & !self.outstanding.q.val().get_bit(23)
            & (self.nxt_7.q.val().get_bits::<8>(0) == self.sender_7.q.val().get_bits::<8>(160))
            & (self.age.q.val() >= self.timeout.val())
            & !self.held_7.q.val();
        self.rewind.next = (self.good.val() & (self.kind.val() == 1))
            | (self.expired.val() & (self.sender_7.q.val().get_bits::<4>(156) < self.retry_limit.val()));

        // 7: what becomes of the flow
        self.una.next = self.sender_7.q.val().get_bits::<24>(0);
        self.end_psn.next = self.sender_7.q.val().get_bits::<24>(24);
        self.read_from.next = self.sender_7.q.val().get_bits::<24>(48);
        self.read_to.next = self.sender_7.q.val().get_bits::<24>(72);
        self.adjust.next = self.sender_7.q.val().get_bits::<20>(96);
        self.generation_new.next = self.sender_7.q.val().get_bits::<8>(116);
        self.rewinds.next = self.sender_7.q.val().get_bits::<4>(124);
        self.restarts.next = self.sender_7.q.val().get_bits::<4>(128);
        self.mtu.next = self.sender_7.q.val().get_bits::<3>(132);
        self.pause_class.next = self.sender_7.q.val().get_bits::<3>(135);
        self.alive.next = self.sender_7.q.val().get_bit(138);
        self.windowless.next = self.sender_7.q.val().get_bit(139);
        self.since.next = self.sender_7.q.val().get_bits::<16>(140);
        self.retries.next = self.sender_7.q.val().get_bits::<4>(156);
        self.sent.next = self.sender_7.q.val().get_bits::<8>(160);
        self.armed.next = self.sender_7.q.val().get_bit(168);
        self.timerless.next = self.sender_7.q.val().get_bit(169);
        if self.good.val() {
            self.una.next = self.op_7.q.val().get_bits::<24>(12);
            if !self.at_una.q.val() {
                self.retries.next = bits_u::<4>(0);
                self.since.next = self.now_7.q.val();
                if self.read_left.q.val().get_bit(23) {
                    self.read_from.next = self.op_7.q.val().get_bits::<24>(12);
                    self.read_to.next = self.op_7.q.val().get_bits::<24>(12);
                }
            }
        }
        if self.own.val() & (self.kind.val() == 3) & !self.no_work.q.val() & !self.new_work.q.val().get_bit(23) {
            self.end_psn.next = self.op_7.q.val().get_bits::<24>(12);
        }
        if self.own.val() & (self.kind.val() == 4) & !self.no_read.q.val() & !self.read_new.q.val().get_bit(23) {
            self.read_from.next = self.op_7.q.val().get_bits::<24>(12);
            self.read_to.next = self.op_7.q.val().get_bits::<24>(36);
        }
        if self.own.val() & (self.kind.val() == 5) {
            self.adjust.next = self.sender_7.q.val().get_bits::<20>(96) + self.op_7.q.val().get_bits::<20>(36);
        }
        if (self.kind.val() == 7) & self.sender_7.q.val().get_bit(138) & !self.sender_7.q.val().get_bit(169) {
            if self.none_out.q.val() | self.outstanding.q.val().get_bit(23) {
                self.armed.next = false;
            } else {
                if !self.sender_7.q.val().get_bit(168)
                    | self.held_7.q.val()
                    | (self.nxt_7.q.val().get_bits::<8>(0) != self.sender_7.q.val().get_bits::<8>(160))
                {
                    self.armed.next = true;
                    self.since.next = self.now_7.q.val();
                    self.sent.next = self.nxt_7.q.val().get_bits::<8>(0);
                }
            }
        }
        if self.expired.val() {
            self.since.next = self.now_7.q.val();
            if self.rewind.val() {
                self.retries.next = self.sender_7.q.val().get_bits::<4>(156) + 1;
            } else {
                self.alive.next = false;
            }
        }
        if self.rewind.val() {
            // nothing is inside any more; how far READs were asked for stays known
            self.read_from.next = self.read_to.val();
            self.rewinds.next = self.rewinds_7.q.val();
        }
        if self.own.val() & (self.kind.val() == 11) {
            self.una.next = self.op_7.q.val().get_bits::<24>(36);
            self.end_psn.next = self.op_7.q.val().get_bits::<24>(12);
            self.read_from.next = self.op_7.q.val().get_bits::<24>(36);
            self.read_to.next = self.op_7.q.val().get_bits::<24>(36);
            self.restarts.next = self.restarts_7.q.val();
            self.retries.next = bits_u::<4>(0);
            self.armed.next = false;
        }
        if self.kind.val() == 8 {
            self.una.next = self.op_7.q.val().get_bits::<24>(12);
            self.end_psn.next = self.op_7.q.val().get_bits::<24>(12);
            self.read_from.next = self.op_7.q.val().get_bits::<24>(12);
            self.read_to.next = self.op_7.q.val().get_bits::<24>(12);
            self.generation_new.next = self.op_7.q.val().get_bits::<8>(4);
            self.mtu.next = self.op_7.q.val().get_bits::<3>(128);
            self.pause_class.next = self.op_7.q.val().get_bits::<3>(131);
            self.windowless.next = self.op_7.q.val().get_bit(134);
            self.timerless.next = self.op_7.q.val().get_bit(135);
            self.alive.next = true;
            self.since.next = bits_u::<16>(0);
            self.retries.next = bits_u::<4>(0);
            self.sent.next = bits_u::<8>(0);
            self.armed.next = false;
        }
        if (self.own.val() & (self.kind.val() == 9)) | (self.kind.val() == 10) {
            self.alive.next = false;
        }
        self.written.next = (bit_cast_w::<170, 3, 1>(bit_cast_b(self.timerless.val())) << 169)
            | (bit_cast_w::<170, 3, 1>(bit_cast_b(self.armed.val())) << 168)
            | (bit_cast_w::<170, 3, 8>(self.sent.val()) << 160)
            | (bit_cast_w::<170, 3, 4>(self.retries.val()) << 156)
            | (bit_cast_w::<170, 3, 16>(self.since.val()) << 140)
            | (bit_cast_w::<170, 3, 1>(bit_cast_b(self.windowless.val())) << 139)
            | (bit_cast_w::<170, 3, 1>(bit_cast_b(self.alive.val())) << 138)
            | (bit_cast_w::<170, 3, 3>(self.pause_class.val()) << 135)
            | (bit_cast_w::<170, 3, 3>(self.mtu.val()) << 132)
            | (bit_cast_w::<170, 3, 4>(self.restarts.val()) << 128)
            | (bit_cast_w::<170, 3, 4>(self.rewinds.val()) << 124)
            | (bit_cast_w::<170, 3, 8>(self.generation_new.val()) << 116)
            | (bit_cast_w::<170, 3, 20>(self.adjust.val()) << 96)
            | (bit_cast_w::<170, 3, 24>(self.read_to.val()) << 72)
            | (bit_cast_w::<170, 3, 24>(self.read_from.val()) << 48)
            | (bit_cast_w::<170, 3, 24>(self.end_psn.val()) << 24)
            | bit_cast_w::<170, 3, 24>(self.una.val());
        self.memory.we.next = self.valid_7.q.val();
        self.memory.waddr.next = self.flow_7.q.val();
        self.memory.wdata.next = self.written.val();

        // 7: next PSN as the congestion control shall see it
        self.passed.next = self.outstanding.q.val();
        if self.good.val() {
            self.passed.next = self.outstanding.q.val() - self.distance.q.val();
        }
        self.nxt_new.next = self.nxt_7.q.val();
        if self.passed.val().get_bit(23) | self.rewind.val() {
            self.nxt_new.next = self.una.val();
        }

        // 8: to whom it matters
        self.sender_8.d.next = bit_cast_ww::<140, 3, 170, 3>(self.written.val());
        self.notify_8.d.next = self.valid_7.q.val();
        self.paced_8.d.next =
            self.valid_7.q.val() & ((self.own.val() & (self.kind.val() == 6)) | (self.kind.val() == 8));
        self.wake_8.d.next = self.valid_7.q.val()
            & ((self.own.val() & ((self.kind.val() == 3) | (self.kind.val() == 6) | (self.kind.val() == 11)))
                | (self.good.val() & !self.at_una.q.val())
                | self.rewind.val()
                | (self.kind.val() == 8));
        self.clear_8.d.next = self.valid_7.q.val() & (self.kind.val() == 10);
        self.to_cc_8.d.next = self.valid_7.q.val()
            & ((self.is_ack.val() & (self.old.val() | self.good.val()))
                | (self.own.val() & (self.kind.val() == 2))
                | (self.expired.val() & self.rewind.val()));
        self.timed_out_8.d.next = self.valid_7.q.val() & self.expired.val() & self.rewind.val();
        self.psn_8.d.next = self.op_7.q.val().get_bits::<24>(12);
        if self.expired.val() {
            self.psn_8.d.next = self.una.val();
        }
        self.snd_nxt_8.d.next = self.nxt_new.val();
        self.acked_8.d.next = bits_u::<24>(0);
        if self.good.val() {
            self.acked_8.d.next = self.distance.q.val();
        }
        self.mtu_8.d.next = self.sender_7.q.val().get_bits::<3>(132);
        self.generation_8.d.next = self.sender_7.q.val().get_bits::<8>(116);
        self.ended_8.d.next = self.valid_7.q.val() & self.expired.val() & !self.rewind.val();
        self.late_8.d.next = self.valid_7.q.val()
            & !self.own.val()
            & (self.kind.val() != 7)
            & (self.kind.val() != 8)
            & (self.kind.val() != 10);
        self.beyond_8.d.next = self.valid_7.q.val() & self.is_ack.val() & !self.old.val() & !self.good.val();

        self.notify.next = self.notify_8.q.val();
        self.engine.next = self.engine_8.q.val();
        self.engine_index.next = self.index_8.q.val();
        self.flow_8.next = self.flow_8r.q.val();
        self.sender.next = self.sender_8.q.val();
        self.paced.next = self.paced_8.q.val();
        self.wake.next = self.wake_8.q.val();
        self.clear.next = self.clear_8.q.val();
        self.to_cc.next = self.to_cc_8.q.val();
        self.timed_out.next = self.timed_out_8.q.val();
        self.psn.next = self.psn_8.q.val();
        self.snd_nxt.next = self.snd_nxt_8.q.val();
        self.acked.next = self.acked_8.q.val();
        self.acked_mtu.next = self.mtu_8.q.val();
        self.generation.next = self.generation_8.q.val();
        self.ended.next = self.ended_8.q.val();
        self.late.next = self.late_8.q.val();
        self.beyond.next = self.beyond_8.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

crate::ports! {
    [const A: usize, const I: usize] Sender<A, I> {
        in valid, flow, word, engines, inverse, overhead, interval, timeout, retry_limit, timer_now, held, visited;
        out index, engine_4, notify, engine, engine_index, flow_8, sender, pacing, paced, wake, clear, to_cc, timed_out, psn,
            snd_nxt, acked, acked_mtu, generation, ended, late, beyond
    }
}
