//! What an event does to a flow: sequence numbers, timer, retries. One event a clock, a flow every three clocks.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | operation |
//! | 2, 3 | `index`, `engine` | flow / engines and the rest; both RAMs are addressed |
//! | 5 | `memory`, `visited` | the flow's sender state and what visits made of it |
//! | 6 | `sender_6`, `nxt_6`, `max_6` | `snd_nxt` after pending rewinds, highest PSN |
//! | (6) | signs of differences | against `una`, `end`, the timer: decided |
//! | 7 | decisions | what becomes of the flow, written back and forwarded |
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
    /// Register, in clock 6: timeout, 1.024 us.
    pub timeout: Signal<In, U<16>>,
    /// Register, in clock 6: retry limit.
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
    #[registers(U<3>: flow_3, product_3, engine_4r, mtu_6, mtu_8)]
    #[registers(Operation: op_6, op_7)]
    #[signals(Bit: fresh, restarted, stale, own_6, is_ack_6, at_una_6, was_sent, good_6, none_out, no_work, no_read)]
    #[signals(Bit: far, looks, idle, moved, held_6, expired_6)]
    #[registers(SenderFlow: sender_6, sender_7)]
    #[registers(U<24>: nxt_6, max_6, nxt_7, distance, psn_8, snd_nxt_8, acked_8)]
    #[registers(Bit: stale_6, stale_7, restarted_6, stopped_6, own, is_ack, old, good, at_una, read_on, expired, rewind, disarms, arms)]
    #[registers(Bit: extends, advances, behind, created_8)]
    #[registers(Bit: limited_8, worked_8, adjusted_8, notify_8, paced_8, wake_8, clear_8, to_cc_8, timed_out_8)]
    #[registers(Bit: ended_8, late_8, beyond_8)]
    #[registers(U<4>: rewinds_6, rewinds_7, restarts_6, restarts_7, group_8)]
    #[signals(PsnDistance: acked_reach, reach, read_reach, end_reach, outstanding, max_left, nxt_left, read_left)]
    #[signals(PsnDistance: read_new, new_work)]
    #[signals(U<24>: reach_less_one, nxt_new)]
    #[signals(U<16>: age)]
    #[registers(U<16>: now_7)]
    quotient: MulPipe<16, 17, 15, 18>,
    flow_2: Delay<U<A>, 2>,
    engine_8: Delay<U<3>, 4>,
    index_8: Delay<U<I>, 6>,
    flow_7: Delay<U<A>, 5>,
    memory: ForwardRam<SenderFlow, A>,
    op_5: Delay<Operation, 5>,
    valid_7: Delay<Bit, 7>,
    pacing_word: PacingUpdate,
    /// Clocks 6 and 7.
    kind_6: Signal<Local, OpKind>,
    kind: Signal<Local, OpKind>,
    flow_8r: DFF<U<A>>,
    visited_5: DFF<Visited>,
    unused_8: DFF<U<20>>,
    written: Signal<Local, SenderFlow>,
    sender_8: DFF<FlowShared>,
    generation_8: DFF<U<8>>,
}

#[kernel]
impl<const A: usize, const I: usize> Logic for Sender<A, I> {
    fn update(&mut self) {
        // 0 to 4: engine and index
        quotient.a = bit_cast_u::<16, A>(flow);
        quotient.b = inverse;
        flow_2 = flow;
        // the rest is below 8: the lowest bits of what it is the difference of suffice
        flow_3 = bit_cast_u::<3, A>(flow_2);
        product_3 = bit_cast_p::<3>(bit_cast_u::<3, 15>(quotient.p) * engines);
        engine_4r = flow_3 - product_3;
        engine_8 = engine_4r;
        index = bit_cast_u::<I, 15>(quotient.p);
        engine_4 = engine_4r;
        index_8 = bit_cast_u::<I, 15>(quotient.p);
        flow_7 = flow_2;
        flow_8r = flow_7;
        memory.raddr = flow_2;
        visited_5 = visited;
        op_5 = word;
        op_6 = op_5;
        op_7 = op_6;
        valid_7 = valid;
        inputs!(pacing_word from word: rate, window);
        inputs!(pacing_word: interval, overhead);
        pacing_word.mtu = mtu_6;
        pacing_word.timed = cap_window & (word.kind == OpKind::Limit) & !word.rate.all();
        pacing_word.flight = cap_time;
        pacing = pacing_word.word;
        cap = bits_zero::<FlowCap>(0);
        fields!(cap: pacing = pacing_word.word, group = group_8);
        if created_8 {
            cap.pacing.rate = !bits_u::<34>(0);
            cap.pacing.cap = !bits_u::<20>(0);
            cap.pacing.window = !bits_u::<16>(0);
            cap.group = bits_u::<4>(0);
        }

        // 5: what visits have and have not seen
        fresh = visited_5.generation != memory.rdata.val().shared.generation;
        restarted = visited_5.restarts != memory.rdata.val().shared.restarts;
        stale = fresh | restarted | (visited_5.seen != memory.rdata.val().shared.rewinds);
        assign!(sender_6.d = memory.rdata, nxt_6.d = visited_5.nxt);
        if stale {
            nxt_6 = memory.rdata.val().shared.una;
        }
        max_6 = if fresh { memory.rdata.val().shared.una } else { visited_5.max };
        assign!(restarted_6.d = restarted, stopped_6.d = visited_5.stopped);
        stale_6 = stale;
        // the next counts: never the ones that visits have carried out
        rewinds_6 = memory.rdata.val().shared.rewinds + 1;
        if (memory.rdata.val().shared.rewinds + 1) == visited_5.seen {
            rewinds_6 = memory.rdata.val().shared.rewinds + 2;
        }
        restarts_6 = memory.rdata.val().shared.restarts + 1;
        if (memory.rdata.val().shared.restarts + 1) == visited_5.restarts {
            restarts_6 = memory.rdata.val().shared.restarts + 2;
        }
        mtu_6 = if op_5.kind == OpKind::Create { op_5.mtu } else { memory.rdata.val().shared.mtu };

        // 6: differences; of all but the first only signs and zeros matter. Of two distances that are not negative the longer one is
        // told by the sign of their difference, in which `una` cancels
        advance!(sender_7, nxt_7, rewinds_7, restarts_7, stale_7);
        distance = op_6.psn - sender_6.shared.una;
        acked_reach = bit_cast_word::<PsnDistance, U<24>>(op_6.psn - sender_6.shared.una);
        reach = bit_cast_word::<PsnDistance, U<24>>(max_6 - sender_6.shared.una);
        read_reach = bit_cast_word::<PsnDistance, U<24>>(sender_6.shared.to - sender_6.shared.una);
        end_reach = bit_cast_word::<PsnDistance, U<24>>(sender_6.shared.end_psn - sender_6.shared.una);
        outstanding = bit_cast_word::<PsnDistance, U<24>>(nxt_6 - sender_6.shared.una);
        max_left = bit_cast_word::<PsnDistance, U<24>>(max_6 - op_6.psn);
        nxt_left = bit_cast_word::<PsnDistance, U<24>>(nxt_6 - op_6.psn);
        read_left = bit_cast_word::<PsnDistance, U<24>>(sender_6.shared.to - op_6.psn);
        read_new = bit_cast_word::<PsnDistance, U<24>>(op_6.second - sender_6.shared.una);
        new_work = bit_cast_word::<PsnDistance, U<24>>(op_6.psn - sender_6.shared.end_psn);
        at_una_6 = op_6.psn == sender_6.shared.una;
        none_out = nxt_6 == sender_6.shared.una;
        no_work = op_6.psn == sender_6.shared.end_psn;
        no_read = op_6.second == sender_6.shared.una;
        reach_less_one = max_6 + !sender_6.shared.una;
        far = reach_less_one.get_bit(22);
        age = timer_now - sender_6.since;
        held_6 = held.get_bit(sender_6.shared.pause_class.index()) | stopped_6;
        now_7 = timer_now;

        // 6: what it is
        kind_6 = op_6.kind;
        own_6 = sender_6.shared.alive & (sender_6.shared.generation == op_6.generation);
        is_ack_6 = own_6 & ((kind_6 == OpKind::Ack) | (kind_6 == OpKind::Nak));
        // sent, or asked for by a READ request; after a restart what was sent before counts unless it is far from it. Of a flow
        // without timer, READ responses, what has been sent since the restart: its leaving is what ends the READ
        was_sent = if reach.negative | (restarted_6 & far) { at_una_6 } else { !max_left.negative };
        if sender_6.timerless {
            was_sent = if outstanding.negative { at_una_6 } else { !nxt_left.negative };
        }
        good_6 = is_ack_6
            & !acked_reach.negative
            & (was_sent | read_reach.negative | !read_left.negative)
            & (end_reach.negative | no_work | new_work.negative);
        looks = (kind_6 == OpKind::Tick) & sender_6.shared.alive & !sender_6.timerless;
        idle = none_out | outstanding.negative;
        moved = bit_cast_u::<8, 24>(nxt_6) != sender_6.sent;
        expired_6 = looks & sender_6.armed & !idle & !moved & (age >= timeout) & !held_6;
        assign!(
            own.d = own_6,
            is_ack.d = is_ack_6,
            good.d = good_6,
            at_una.d = at_una_6,
            expired.d = expired_6
        );
        old = acked_reach.negative;
        read_on = !read_left.negative;
        rewind = (good_6 & (kind_6 == OpKind::Nak)) | (expired_6 & (sender_6.retries < retry_limit));
        disarms = looks & idle;
        arms = looks & !idle & (!sender_6.armed | held_6 | moved);
        extends = own_6 & !no_work & !new_work.negative;
        advances = own_6 & !no_read & !read_new.negative;
        // the next PSN lies before what is acknowledged, or before what was
        behind = if good_6 { nxt_left.negative } else { outstanding.negative };

        // 7: what becomes of the flow
        kind = op_7.kind;
        written = sender_7;
        if good {
            written.shared.una = op_7.psn;
            if !at_una {
                written.retries = bits_u::<4>(0);
                written.since = now_7;
                if !read_on {
                    fields!(written from op_7: shared.from = psn, shared.to = psn);
                }
            }
        }
        if disarms {
            written.armed = false;
        }
        if arms {
            written.armed = true;
            written.since = now_7;
            written.sent = bit_cast_u::<8, 24>(nxt_7);
        }
        if expired {
            written.since = now_7;
            if rewind {
                written.retries = sender_7.retries + 1;
            } else {
                written.shared.alive = false;
            }
        }
        if rewind {
            // nothing is inside any more; how far READs were asked for stays known
            fields!(written: shared.from = written.shared.to, shared.rewinds = rewinds_7);
        }
        match kind {
            OpKind::Work => {
                if extends {
                    written.shared.end_psn = op_7.psn;
                }
            }
            OpKind::Advance => {
                if advances {
                    fields!(written from op_7: shared.from = psn, shared.to = second);
                    // a rewind that is still to come asks again, also within this READ
                    if stale_7 {
                        written.shared.from = op_7.second;
                    }
                }
            }
            OpKind::Adjust => {
                if own {
                    written.shared.adjust = sender_7.shared.adjust + bit_cast_u::<20, 24>(op_7.second);
                }
            }
            OpKind::Restart => {
                if own {
                    fields!(written from op_7:
                        shared.una = second, shared.end_psn = psn, shared.from = second, shared.to = second);
                    fields!(written: shared.restarts = restarts_7);
                    written.retries = bits_u::<4>(0);
                    written.armed = false;
                }
            }
            OpKind::Create => {
                written = bits_zero::<SenderFlow>(0);
                fields!(written from op_7: shared.una = psn, shared.end_psn = psn, shared.from = psn, shared.to = psn);
                fields!(written from sender_7: shared.adjust, shared.rewinds, shared.restarts);
                fields!(written from op_7:
                    shared.generation = generation, shared.mtu = mtu, shared.pause_class = pause_class,
                    shared.windowless = windowless);
                written.shared.alive = true;
                written.timerless = op_7.timerless;
            }
            OpKind::Remove => {
                if own {
                    written.shared.alive = false;
                }
            }
            OpKind::Clear => written = bits_zero::<SenderFlow>(0),
            _ => {}
        }
        inputs!(memory: we = valid_7.q, waddr = flow_7.q, wdata = written);

        // 7: next PSN as the congestion control shall see it
        nxt_new = if behind | rewind { written.shared.una } else { nxt_7 };

        // 8: to whom it matters
        pacing_word.none = kind == OpKind::Clear;
        assign!(sender_8.d = written.shared, notify_8.d = valid_7.q);
        paced_8 = valid_7 & ((own & (kind == OpKind::Update)) | (kind == OpKind::Create));
        wake_8 = valid_7
            & ((own
                & ((kind == OpKind::Work)
                    | (kind == OpKind::Update)
                    | (kind == OpKind::Limit)
                    | (kind == OpKind::Restart)))
                | (good & !at_una)
                | rewind
                | (kind == OpKind::Create));
        created_8 = kind == OpKind::Create;
        group_8 = if kind == OpKind::Clear { bits_u::<4>(0) } else { op_7.group };
        limited_8 = valid_7 & ((own & (kind == OpKind::Limit)) | (kind == OpKind::Create));
        worked_8 = (kind == OpKind::Work) | (kind == OpKind::Restart) | (kind == OpKind::Create);
        adjusted_8 = valid_7 & own & (kind == OpKind::Adjust);
        unused_8 = bit_cast_u::<20, 24>(op_7.second);
        clear_8 = valid_7 & (kind == OpKind::Clear);
        to_cc_8 = valid_7 & ((is_ack & (old | good)) | (own & (kind == OpKind::Notify)) | (expired & rewind));
        timed_out_8 = valid_7 & expired & rewind;
        psn_8 = if expired { written.shared.una } else { op_7.psn };
        snd_nxt_8 = nxt_new;
        acked_8 = if good { distance } else { bits_u::<24>(0) };
        mtu_8 = sender_7.shared.mtu;
        generation_8 = sender_7.shared.generation;
        ended_8 = valid_7 & expired & !rewind;
        late_8 = valid_7 & !own & (kind != OpKind::Tick) & (kind != OpKind::Create) & (kind != OpKind::Clear);
        beyond_8 = valid_7 & is_ack & !old & !good;

        notify = notify_8;
        engine = engine_8;
        engine_index = index_8;
        assign! {
            flow_8 = flow_8r, sender = sender_8, paced = paced_8, limited = limited_8
        }
        flow_next = flow_7;
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
