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
use crate::emit::naming::named_by_size;
use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_p, bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::requester::PsnDistance;
use crate::words::sched::{FlowCap, FlowShared, OpKind, Operation, PacingState, SenderFlow, Visited};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Sender state of 2^`A` flows; an engine's index has `I` bits.
#[block]
pub struct Sender<const A: usize, const I: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: an operation.
    pub valid: Signal<In, Bit>,
    /// Clock 0: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 0: operation.
    pub word: Signal<In, Operation>,
    /// Constant: number of engines.
    pub engines: Signal<In, U<3>>,
    /// Constant: 2^18 / engines, rounded up.
    pub inverse: Signal<In, U<17>>,
    /// Register: wire bytes of a packet beside its payload.
    pub overhead: Signal<In, U<10>>,
    /// Register: visit interval of the cap, ns.
    pub interval: Signal<In, U<12>>,
    /// Register: a limit bounds the window too.
    pub cap_window: Signal<In, Bit>,
    /// Register: to its rate times this, ns.
    pub cap_time: Signal<In, U<16>>,
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
    pub visited: Signal<In, Visited>,
    /// Clock 8: the engines take notice.
    pub notify: Signal<Out, Bit>,
    /// Clock 8: which engine.
    pub engine: Signal<Out, U<3>>,
    /// Clock 8: index in that engine.
    pub engine_index: Signal<Out, U<I>>,
    /// Clock 8: flow.
    pub flow_8: Signal<Out, U<A>>,
    /// Clock 8: sender state for visits.
    pub sender: Signal<Out, FlowShared>,
    /// Clock 8: pacing; zero of a flow that is cleared.
    pub pacing: Signal<Out, PacingState>,
    /// Clock 8: pacing is written.
    pub paced: Signal<Out, Bit>,
    /// Clock 8: cap and group; zero of a flow that is cleared.
    pub cap: Signal<Out, FlowCap>,
    /// Clock 8: cap and group are written.
    pub limited: Signal<Out, Bit>,
    /// Clock 7: flow.
    pub flow_next: Signal<Out, U<A>>,
    /// Clock 8: work was added or the flow created, so that what is unsent counts from the oldest PSN, whatever visits say.
    pub worked: Signal<Out, Bit>,
    /// Clock 8: a granted packet used `unused` bytes less than a full one.
    pub adjusted: Signal<Out, Bit>,
    /// Clock 8: bytes, two's complement.
    pub unused: Signal<Out, U<20>>,
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
    memory: ForwardRam<SenderFlow, A>,
    visited_5: DFF<Visited>,
    op_5: Delay<Operation, 5>,
    op_6: DFF<Operation>,
    op_7: DFF<Operation>,
    valid_7: Delay<Bit, 7>,
    fresh: Signal<Local, Bit>,
    restarted: Signal<Local, Bit>,
    stale: Signal<Local, Bit>,
    sender_6: DFF<SenderFlow>,
    sender_7: DFF<SenderFlow>,
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
    distance_sign: Signal<Local, PsnDistance>,
    reach: DFF<U<24>>,
    reach_sign: Signal<Local, PsnDistance>,
    read_reach: DFF<U<24>>,
    end_reach: DFF<U<24>>,
    read_left: DFF<PsnDistance>,
    read_new: DFF<PsnDistance>,
    outstanding: DFF<U<24>>,
    outstanding_sign: Signal<Local, PsnDistance>,
    new_work: DFF<PsnDistance>,
    /// Which of them are zero, and whether `reach` is more than 2^22, all known before they are compared further.
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
    stopped_6: DFF<Bit>,
    group_8: DFF<U<4>>,
    created_8: DFF<Bit>,
    limited_8: DFF<Bit>,
    worked_8: DFF<Bit>,
    adjusted_8: DFF<Bit>,
    unused_8: DFF<U<20>>,
    /// Decisions of clock 7.
    kind: Signal<Local, OpKind>,
    own: Signal<Local, Bit>,
    old: Signal<Local, Bit>,
    is_ack: Signal<Local, Bit>,
    was_sent: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    rewind: Signal<Local, Bit>,
    expired: Signal<Local, Bit>,
    written: Signal<Local, SenderFlow>,
    passed: Signal<Local, U<24>>,
    passed_sign: Signal<Local, PsnDistance>,
    nxt_new: Signal<Local, U<24>>,
    sender_8: DFF<FlowShared>,
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

#[kernel]
impl<const A: usize, const I: usize> Logic for Sender<A, I> {
    fn update(&mut self) {
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
        inputs!(pacing_word from word: rate, window);
        inputs!(pacing_word: interval, overhead);
        self.pacing_word.mtu.next = self.mtu_6.q.val();
        self.pacing_word.timed.next =
            self.cap_window.val() & (self.word.val().kind == OpKind::Limit) & !self.word.val().rate.all();
        self.pacing_word.flight.next = self.cap_time.val();
        self.pacing.next = self.pacing_word.word.val();
        self.cap.next = bits_zero::<FlowCap>(0);
        fields!(cap: pacing = pacing_word.word, group = group_8);
        if self.created_8.q.val() {
            self.cap.next.pacing.rate = !bits_u::<34>(0);
            self.cap.next.pacing.cap = !bits_u::<20>(0);
            self.cap.next.pacing.window = !bits_u::<16>(0);
            self.cap.next.group = bits_u::<4>(0);
        }

        // 5: what visits have and have not seen
        self.fresh.next = self.visited_5.q.val().generation != self.memory.rdata.val().shared.generation;
        self.restarted.next = self.visited_5.q.val().restarts != self.memory.rdata.val().shared.restarts;
        self.stale.next = self.fresh.val()
            | self.restarted.val()
            | (self.visited_5.q.val().seen != self.memory.rdata.val().shared.rewinds);
        assign!(sender_6.d = memory.rdata, nxt_6.d = visited_5.nxt);
        if self.stale.val() {
            self.nxt_6.d.next = self.memory.rdata.val().shared.una;
        }
        self.max_6.d.next = self.visited_5.q.val().max;
        if self.fresh.val() {
            self.max_6.d.next = self.memory.rdata.val().shared.una;
        }
        assign!(restarted_6.d = restarted, stopped_6.d = visited_5.stopped);
        // the next counts: never the ones that visits have carried out
        self.rewinds_6.d.next = self.memory.rdata.val().shared.rewinds + 1;
        if (self.memory.rdata.val().shared.rewinds + 1) == self.visited_5.q.val().seen {
            self.rewinds_6.d.next = self.memory.rdata.val().shared.rewinds + 2;
        }
        self.restarts_6.d.next = self.memory.rdata.val().shared.restarts + 1;
        if (self.memory.rdata.val().shared.restarts + 1) == self.visited_5.q.val().restarts {
            self.restarts_6.d.next = self.memory.rdata.val().shared.restarts + 2;
        }
        self.mtu_6.d.next = self.memory.rdata.val().shared.mtu;
        if self.op_5.q.val().kind == OpKind::Create {
            self.mtu_6.d.next = self.op_5.q.val().mtu;
        }

        // 6: differences
        advance!(sender_7, nxt_7, restarted_7, rewinds_7, restarts_7);
        self.distance.d.next = self.op_6.q.val().psn - self.sender_6.q.val().shared.una;
        self.reach.d.next = self.max_6.q.val() - self.sender_6.q.val().shared.una;
        self.read_reach.d.next = self.sender_6.q.val().shared.to - self.sender_6.q.val().shared.una;
        self.end_reach.d.next = self.sender_6.q.val().shared.end_psn - self.sender_6.q.val().shared.una;
        self.read_left.d.next =
            bit_cast_word::<PsnDistance, U<24>>(self.sender_6.q.val().shared.to - self.op_6.q.val().psn);
        self.read_new.d.next =
            bit_cast_word::<PsnDistance, U<24>>(self.op_6.q.val().second - self.sender_6.q.val().shared.una);
        self.outstanding.d.next = self.nxt_6.q.val() - self.sender_6.q.val().shared.una;
        self.new_work.d.next =
            bit_cast_word::<PsnDistance, U<24>>(self.op_6.q.val().psn - self.sender_6.q.val().shared.end_psn);
        self.at_una.d.next = self.op_6.q.val().psn == self.sender_6.q.val().shared.una;
        self.none_out.d.next = self.nxt_6.q.val() == self.sender_6.q.val().shared.una;
        self.no_work.d.next = self.op_6.q.val().psn == self.sender_6.q.val().shared.end_psn;
        self.no_read.d.next = self.op_6.q.val().second == self.sender_6.q.val().shared.una;
        self.reach_less_one.next = self.max_6.q.val() + !self.sender_6.q.val().shared.una;
        self.far.d.next = self.reach_less_one.val().get_bit(22);
        self.age.d.next = self.timer_now.val() - self.sender_6.q.val().since;
        self.held_7.d.next = self
            .held
            .val()
            .get_bit(self.sender_6.q.val().shared.pause_class.index())
            | self.stopped_6.q.val();
        self.now_7.d.next = self.timer_now.val();

        // 7: what it is
        self.kind.next = self.op_7.q.val().kind;
        self.own.next = self.sender_7.q.val().shared.alive
            & (self.sender_7.q.val().shared.generation == self.op_7.q.val().generation);
        self.is_ack.next = self.own.val() & ((self.kind.val() == OpKind::Ack) | (self.kind.val() == OpKind::Nak));
        self.distance_sign.next = bit_cast_word::<PsnDistance, U<24>>(self.distance.q.val());
        self.reach_sign.next = bit_cast_word::<PsnDistance, U<24>>(self.reach.q.val());
        self.outstanding_sign.next = bit_cast_word::<PsnDistance, U<24>>(self.outstanding.q.val());
        self.old.next = self.distance_sign.val().negative;
        // sent, or asked for by a READ request; after a restart what was sent before counts unless it is far from it. Of a flow
        // without timer, READ responses, what has been sent since the restart: its leaving is what ends the READ
        self.was_sent.next = self.distance.q.val() <= self.reach.q.val();
        if self.reach_sign.val().negative | (self.restarted_7.q.val() & self.far.q.val()) {
            self.was_sent.next = self.at_una.q.val();
        }
        if self.sender_7.q.val().timerless {
            self.was_sent.next = self.distance.q.val() <= self.outstanding.q.val();
            if self.outstanding_sign.val().negative {
                self.was_sent.next = self.at_una.q.val();
            }
        }
        self.good.next = self.is_ack.val()
            & !self.old.val()
            & (self.was_sent.val() | (self.distance.q.val() <= self.read_reach.q.val()))
            & (self.distance.q.val() <= self.end_reach.q.val());
        self.expired.next = (self.kind.val() == OpKind::Tick)
            & self.sender_7.q.val().shared.alive
            & self.sender_7.q.val().armed
            & !self.sender_7.q.val().timerless
            & !self.none_out.q.val()
            & !self.outstanding_sign.val().negative
            & (bit_cast_u::<8, 24>(self.nxt_7.q.val()) == self.sender_7.q.val().sent)
            & (self.age.q.val() >= self.timeout.val())
            & !self.held_7.q.val();
        self.rewind.next = (self.good.val() & (self.kind.val() == OpKind::Nak))
            | (self.expired.val() & (self.sender_7.q.val().retries < self.retry_limit.val()));

        // 7: what becomes of the flow
        self.written.next = self.sender_7.q.val();
        if self.good.val() {
            self.written.next.shared.una = self.op_7.q.val().psn;
            if !self.at_una.q.val() {
                self.written.next.retries = bits_u::<4>(0);
                self.written.next.since = self.now_7.q.val();
                if self.read_left.q.val().negative {
                    fields!(written from op_7: shared.from = psn, shared.to = psn);
                }
            }
        }
        if (self.kind.val() == OpKind::Tick) & self.sender_7.q.val().shared.alive & !self.sender_7.q.val().timerless {
            if self.none_out.q.val() | self.outstanding_sign.val().negative {
                self.written.next.armed = false;
            } else {
                if !self.sender_7.q.val().armed
                    | self.held_7.q.val()
                    | (bit_cast_u::<8, 24>(self.nxt_7.q.val()) != self.sender_7.q.val().sent)
                {
                    self.written.next.armed = true;
                    self.written.next.since = self.now_7.q.val();
                    self.written.next.sent = bit_cast_u::<8, 24>(self.nxt_7.q.val());
                }
            }
        }
        if self.expired.val() {
            self.written.next.since = self.now_7.q.val();
            if self.rewind.val() {
                self.written.next.retries = self.sender_7.q.val().retries + 1;
            } else {
                self.written.next.shared.alive = false;
            }
        }
        if self.rewind.val() {
            // nothing is inside any more; how far READs were asked for stays known
            fields!(written: shared.from = written.shared.to, shared.rewinds = rewinds_7);
        }
        match self.kind.val() {
            OpKind::Work => {
                if self.own.val() & !self.no_work.q.val() & !self.new_work.q.val().negative {
                    self.written.next.shared.end_psn = self.op_7.q.val().psn;
                }
            }
            OpKind::Advance => {
                if self.own.val() & !self.no_read.q.val() & !self.read_new.q.val().negative {
                    fields!(written from op_7: shared.from = psn, shared.to = second);
                }
            }
            OpKind::Adjust => {
                if self.own.val() {
                    self.written.next.shared.adjust =
                        self.sender_7.q.val().shared.adjust + bit_cast_u::<20, 24>(self.op_7.q.val().second);
                }
            }
            OpKind::Restart => {
                if self.own.val() {
                    fields!(written from op_7:
                        shared.una = second, shared.end_psn = psn, shared.from = second, shared.to = second);
                    fields!(written: shared.restarts = restarts_7);
                    self.written.next.retries = bits_u::<4>(0);
                    self.written.next.armed = false;
                }
            }
            OpKind::Create => {
                self.written.next = bits_zero::<SenderFlow>(0);
                fields!(written from op_7: shared.una = psn, shared.end_psn = psn, shared.from = psn, shared.to = psn);
                fields!(written from sender_7: shared.adjust, shared.rewinds, shared.restarts);
                fields!(written from op_7:
                    shared.generation = generation, shared.mtu = mtu, shared.pause_class = pause_class,
                    shared.windowless = windowless);
                self.written.next.shared.alive = true;
                self.written.next.timerless = self.op_7.q.val().timerless;
            }
            OpKind::Remove => {
                if self.own.val() {
                    self.written.next.shared.alive = false;
                }
            }
            OpKind::Clear => self.written.next = bits_zero::<SenderFlow>(0),
            _ => {}
        }
        inputs!(memory: we = valid_7.q, waddr = flow_7.q, wdata = written);

        // 7: next PSN as the congestion control shall see it
        self.passed.next = self.outstanding.q.val();
        if self.good.val() {
            self.passed.next = self.outstanding.q.val() - self.distance.q.val();
        }
        self.passed_sign.next = bit_cast_word::<PsnDistance, U<24>>(self.passed.val());
        self.nxt_new.next = self.nxt_7.q.val();
        if self.passed_sign.val().negative | self.rewind.val() {
            self.nxt_new.next = self.written.val().shared.una;
        }

        // 8: to whom it matters
        self.pacing_word.none.next = self.kind.val() == OpKind::Clear;
        assign!(sender_8.d = written.shared, notify_8.d = valid_7.q);
        self.paced_8.d.next = self.valid_7.q.val()
            & ((self.own.val() & (self.kind.val() == OpKind::Update)) | (self.kind.val() == OpKind::Create));
        self.wake_8.d.next = self.valid_7.q.val()
            & ((self.own.val()
                & ((self.kind.val() == OpKind::Work)
                    | (self.kind.val() == OpKind::Update)
                    | (self.kind.val() == OpKind::Limit)
                    | (self.kind.val() == OpKind::Restart)))
                | (self.good.val() & !self.at_una.q.val())
                | self.rewind.val()
                | (self.kind.val() == OpKind::Create));
        self.created_8.d.next = self.kind.val() == OpKind::Create;
        self.group_8.d.next = self.op_7.q.val().group;
        if self.kind.val() == OpKind::Clear {
            self.group_8.d.next = bits_u::<4>(0);
        }
        self.limited_8.d.next = self.valid_7.q.val()
            & ((self.own.val() & (self.kind.val() == OpKind::Limit)) | (self.kind.val() == OpKind::Create));
        self.worked_8.d.next = (self.kind.val() == OpKind::Work)
            | (self.kind.val() == OpKind::Restart)
            | (self.kind.val() == OpKind::Create);
        self.adjusted_8.d.next = self.valid_7.q.val() & self.own.val() & (self.kind.val() == OpKind::Adjust);
        self.unused_8.d.next = bit_cast_u::<20, 24>(self.op_7.q.val().second);
        self.clear_8.d.next = self.valid_7.q.val() & (self.kind.val() == OpKind::Clear);
        self.to_cc_8.d.next = self.valid_7.q.val()
            & ((self.is_ack.val() & (self.old.val() | self.good.val()))
                | (self.own.val() & (self.kind.val() == OpKind::Notify))
                | (self.expired.val() & self.rewind.val()));
        self.timed_out_8.d.next = self.valid_7.q.val() & self.expired.val() & self.rewind.val();
        self.psn_8.d.next = self.op_7.q.val().psn;
        if self.expired.val() {
            self.psn_8.d.next = self.written.val().shared.una;
        }
        self.snd_nxt_8.d.next = self.nxt_new.val();
        self.acked_8.d.next = bits_u::<24>(0);
        if self.good.val() {
            self.acked_8.d.next = self.distance.q.val();
        }
        self.mtu_8.d.next = self.sender_7.q.val().shared.mtu;
        self.generation_8.d.next = self.sender_7.q.val().shared.generation;
        self.ended_8.d.next = self.valid_7.q.val() & self.expired.val() & !self.rewind.val();
        self.late_8.d.next = self.valid_7.q.val()
            & !self.own.val()
            & (self.kind.val() != OpKind::Tick)
            & (self.kind.val() != OpKind::Create)
            & (self.kind.val() != OpKind::Clear);
        self.beyond_8.d.next = self.valid_7.q.val() & self.is_ack.val() & !self.old.val() & !self.good.val();

        self.notify.next = self.notify_8.q.val();
        self.engine.next = self.engine_8.q.val();
        self.engine_index.next = self.index_8.q.val();
        assign! {
            flow_8 = flow_8r, sender = sender_8, paced = paced_8, limited = limited_8
        }
        self.flow_next.next = self.flow_7.q.val();
        assign! {
            worked = worked_8, adjusted = adjusted_8, unused = unused_8, wake = wake_8, clear = clear_8,
            to_cc = to_cc_8, timed_out = timed_out_8, psn = psn_8, snd_nxt = snd_nxt_8, acked = acked_8,
            acked_mtu = mtu_8, generation = generation_8, ended = ended_8, late = late_8, beyond = beyond_8
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_by_size::<Self>(A > 9)
    }
}
