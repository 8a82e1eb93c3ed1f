//! What an event does to a flow: sequence numbers, timer, retries. One event a clock, a flow every five clocks.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | operation |
//! | 2, 3 | `index`, `engine` | flow / engines and the rest; both RAMs are addressed |
//! | 5 | `memory`, `visited` | the flow's sender state and what visits made of it |
//! | 6 | `sender_6`, `nxt_6`, `max_6`, `age` | `snd_nxt` after pending rewinds, highest PSN; how long the timer has run |
//! | 7 | `own`, signs of differences | against `una`, `end`, the timer |
//! | 8 | decisions | what it is, and which fields it changes |
//! | 9 | `written`, outputs | what becomes of the flow, written back and forwarded; to the engines and to the congestion control |
//!
//! Bit for bit [`hpcc_models::sched::SenderState::handle`].

use super::engine_of::EngineOf;
use super::pacing::PacingUpdate;
use crate::emit::naming::named_by_size;
use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::rom::Rom;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::requester::PsnDistance;
use crate::words::sched::{FlowCap, FlowShared, OpKind, Operation, PacingState, SenderFlow, Visited};
use crate::{block, kernel};
use hpcc_models::sched::formats::rnr_wait;
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
    /// Register, in clock 6: waits for a receiver that is not ready; 7 is no limit.
    pub rnr_retry: Signal<In, U<3>>,
    /// Clock 5: time in units of 1.024 us.
    pub timer_now: Signal<In, U<16>>,
    /// Clock 6: priorities whose timers start over with each look.
    pub held: Signal<In, U<8>>,
    /// Clock 2: index whose visited word is wanted two clocks later.
    pub index: Signal<Out, U<I>>,
    /// Clock 4: engine of that index.
    pub engine_4: Signal<Out, U<3>>,
    /// Clock 4: visited word of that engine.
    pub visited: Signal<In, Visited>,
    /// Clock 9: the engines take notice.
    pub notify: Signal<Out, Bit>,
    /// Clock 8: an engine will take notice in the next clock,
    pub notify_next: Signal<Out, Bit>,
    /// this one,
    pub engine_next: Signal<Out, U<3>>,
    /// of a flow that is cleared.
    pub clear_next: Signal<Out, Bit>,
    /// Clock 9: index in that engine.
    pub engine_index: Signal<Out, U<I>>,
    /// Clock 9: flow.
    pub flow_9: Signal<Out, U<A>>,
    /// Clock 9: sender state for visits: a flow that waits for its receiver has no work.
    pub sender: Signal<Out, FlowShared>,
    /// Clock 9: the same with its work.
    pub known: Signal<Out, FlowShared>,
    /// Clock 9: pacing; zero of a flow that is cleared.
    pub pacing: Signal<Out, PacingState>,
    /// Clock 9: pacing is written.
    pub paced: Signal<Out, Bit>,
    /// Clock 9: cap and group; zero of a flow that is cleared.
    pub cap: Signal<Out, FlowCap>,
    /// Clock 9: cap and group are written.
    pub limited: Signal<Out, Bit>,
    /// Clock 8: flow.
    pub flow_next: Signal<Out, U<A>>,
    /// Clock 9: work was added or the flow created, so that what is unsent counts from the oldest PSN, whatever visits say.
    pub worked: Signal<Out, Bit>,
    /// Clock 9: the flow may have something to send.
    pub wake: Signal<Out, Bit>,
    /// Clock 9: the flow is cleared.
    pub clear: Signal<Out, Bit>,
    /// Clock 9: an event for the congestion control.
    pub to_cc: Signal<Out, Bit>,
    /// Clock 9: it is a timeout.
    pub timed_out: Signal<Out, Bit>,
    /// Clock 9: PSN of the event.
    pub psn: Signal<Out, U<24>>,
    /// Clock 9: next PSN to send, after the event; not of one that creates, restarts or clears the flow.
    pub snd_nxt: Signal<Out, U<24>>,
    /// Clock 9: packets that the event acknowledges newly.
    pub acked: Signal<Out, U<24>>,
    /// Clock 9: MTU code.
    pub acked_mtu: Signal<Out, U<3>>,
    /// Clock 9: generation.
    pub generation: Signal<Out, U<8>>,
    /// Clock 9: the flow has ended at its retry limit.
    pub ended: Signal<Out, Bit>,
    /// Clock 9: at that of waits for its receiver.
    pub tired: Signal<Out, Bit>,
    /// Clock 8, counter pulse: a flow that does not exist, or an earlier generation.
    pub late: Signal<Out, Bit>,
    /// Clock 8, counter pulse: acknowledges what was never sent.
    pub beyond: Signal<Out, Bit>,
    #[registers(U<3>:
        /// Clock 6: MTU code of the flow, of an operation that creates it the new one.
        mtu_6,
        /// Clock 9: MTU code of the flow before the operation.
        mtu_9)]
    #[registers(Operation:
        /// Operation in hand in the clock of the name.
        op_6, op_7, op_8)]
    #[registers(SenderFlow:
        /// Sender state as read from the memory, in the clock of the name.
        sender_6, sender_7, sender_8,
        /// Clock 9: sender state after the operation, written back to the memory.
        written_9)]
    #[registers(U<24>:
        /// Clock 6: next PSN to send; `una` while a rewind, restart or creation is still unknown to the visits.
        nxt_6,
        /// Clock 6: one past the highest PSN that was sent; `una` for a flow that visits have not seen yet.
        max_6,
        /// Next PSN to send, in the clock of the name.
        nxt_7, nxt_8,
        /// Packets from `una` to the PSN of the operation, in the clock of the name.
        distance_7, distance_8,
        /// Clock 9: PSN of the event; after a timeout the oldest one that is not acknowledged.
        psn_9,
        /// Clock 9: next PSN to send, after the event.
        snd_nxt_9,
        /// Clock 9: packets that the event acknowledges newly.
        acked_9)]
    #[registers(U<4>:
        /// Clock 6: count of rewinds if this operation asks for one: never a count that visits have carried out.
        rewinds_6,
        /// As `rewinds_6`, in the clock of the name.
        rewinds_7, rewinds_8,
        /// Clock 6: count of restarts if this operation is one: never a count that visits have carried out.
        restarts_6,
        /// As `restarts_6`, in the clock of the name.
        restarts_7, restarts_8,
        /// Clock 9: group of the flow, written with its cap.
        group_9)]
    #[registers(Bit:
        /// Visits have not yet seen the flow's newest generation, restart or rewind, in the clock of the name.
        stale_6, stale_7, stale_8,
        /// Visits have not yet seen the flow's newest generation or restart, in the clock of the name.
        restarted_6, restarted_7,
        /// Clock 6: the flow has work, and its rate is 0.
        stopped_6,
        /// Clock 7: the timer must not run: the flow's priority is paused, or its rate is 0.
        held_7)]
    #[registers(Bit:
        /// Clock 7: the flow exists, and the operation is meant for its generation.
        own,
        /// Clock 7: ACK or NAK for the flow's generation.
        acknowledges,
        /// Clock 7: periodic look at the timer of a flow that exists and has one.
        looks,
        /// Clock 7: PSN of the operation is `una`.
        at_una,
        /// Clock 7: the next PSN is `una`: no packet is in flight.
        none_out,
        /// Clock 7: PSN of the operation is the end of the work.
        no_work,
        /// Clock 7: second PSN of the operation is `una`.
        no_read,
        /// Clock 7: PSN of the operation lies before `una`.
        old,
        /// Clock 7: the highest PSN that was sent lies before `una`.
        max_old,
        /// Clock 7: the highest PSN that was sent is 2^22 PSNs or more from `una`.
        far,
        /// Clock 7: PSN of the operation lies beyond all that was sent.
        past_max,
        /// Clock 7: the next PSN lies before `una`.
        nxt_old)]
    #[registers(Bit:
        /// Clock 7: PSN of the operation lies beyond the next PSN.
        past_nxt,
        /// Clock 7: the end of the READ that was asked for last lies before `una`.
        read_old,
        /// Clock 7: PSN of the operation lies within that READ or before it.
        read_on,
        /// Clock 7: the end of the work lies before `una`.
        end_old,
        /// Clock 7: PSN of the operation is the end of the work or lies beyond it.
        more_work,
        /// Clock 7: second PSN of the operation lies before `una`.
        read_behind,
        /// Clock 7: packets have been sent since the timer looked last.
        moved,
        /// Clock 7: the timer has run for the timeout.
        ripe,
        /// Clock 7: the retry limit is not reached.
        again)]
    #[registers(Bit:
        /// Clock 8: as `own`.
        own_8,
        /// Clock 8: as `acknowledges`.
        acknowledges_8,
        /// Clock 8: acknowledgement of packets that were sent or of a READ that was asked for: `una` follows it.
        good,
        /// Clock 8: as `old`.
        old_8,
        /// Clock 8: the acknowledgement moves `una`, so that the timer starts over and retries are 0.
        jumps,
        /// Clock 8: the acknowledgement moves `una` past the READ that was asked for last.
        ends_read,
        /// Clock 8: retransmission timeout.
        expired,
        /// Clock 8: go back to `una`: a NAK, or a timeout within the retry limit.
        rewind,
        /// Clock 8: the timer looks and finds nothing in flight: it stops.
        disarms,
        /// Clock 8: the timer looks and starts over: it was off, packets were sent since, or the flow is held.
        arms,
        /// Clock 8: the operation brings work beyond the end.
        extends,
        /// Clock 8: a READ request was sent: its PSNs are taken for the response.
        advances)]
    #[registers(Bit:
        /// Clock 8: the next PSN lies before `una` as it will be.
        behind,
        /// Clock 9: the flow is created.
        created_9,
        /// Clock 9: cap and group of the flow are written.
        limited_9,
        /// Clock 9: work was added, or the flow was created or restarted.
        worked_9,
        /// Clock 9: an operation ends here, and the engine takes notice.
        notify_9,
        /// Clock 9: rate and window of the flow are written.
        paced_9,
        /// Clock 9: the flow may have something to send and joins the ring.
        wake_9,
        /// Clock 9: the flow is cleared after reset.
        clear_9,
        /// Clock 9: the event goes to the congestion control.
        to_cc_9)]
    #[registers(Bit:
        /// Clock 8: the operation creates the flow.
        creates,
        /// Clock 8: the operation clears the flow after reset.
        clears,
        /// Clock 8: the operation restarts the flow at another PSN.
        starts_over,
        /// Clock 8: the operation removes the flow.
        removes)]
    #[registers(Bit:
        /// Clock 9: the event is a timeout.
        timed_out_9,
        /// Clock 9: the flow has ended at its retry limit.
        ended_9,
        /// Clock 9: the flow has ended at its limit of waits for a receiver that is not ready.
        tired_9,
        /// Clock 9, counter pulse: the flow does not exist, or the operation was meant for an earlier generation.
        late_9,
        /// Clock 9, counter pulse: acknowledgement of a PSN that was never sent.
        beyond_9)]
    // a receiver that is not ready: the time is over, the waits are as many as may be, or none may be; a wait begins, is said again, lasts, ends; the flow ends
    #[registers(Bit:
        /// Clock 7: the wait for a receiver that is not ready is over.
        lasted,
        /// Clock 7: the flow has waited for its receiver as often as it may.
        worn,
        /// Clock 7: the flow may not wait for its receiver at all.
        never,
        /// Clock 8: an RNR NAK begins a wait.
        begins_wait,
        /// Clock 8: a NAK during a wait, which changes nothing.
        said_again,
        /// Clock 8: the timer looks, and the wait goes on.
        lapses,
        /// Clock 8: the timer looks, and the wait is over: the flow sends again.
        releases,
        /// Clock 8: an RNR NAK ends the flow: it has waited as often as it may.
        tires)]
    #[registers(U<20>:
        /// Time left of the wait, units of 1.024 us, in the clock of the name.
        rest_7, rest_8)]
    #[registers(U<24>:
        /// Clock 9: end of the work as visits see it: none while the flow waits for its receiver.
        shown_end_9)]
    #[signals(Bit: waiting, stays, asks_wait, worn_now)]
    #[signals(U<20>: long_age)]
    #[signals(U<24>: shown_end)]
    /// Waits by timer code, 1.024 us.
    #[init(Rom::new((0..32).map(|code| rnr_wait(code).into()).collect()))]
    rnr_times: Rom<5, 20>,
    /// Waits since the last progress, before this event.
    waited: Signal<Local, U<3>>,
    #[signals(Bit: fresh, restarted, stale, own_now, was_sent, clear_now, good_now, jumps_now, idle, expired_now)]
    #[signals(PsnDistance: acked_reach, reach, read_reach, end_reach, outstanding, max_left, nxt_left, read_left)]
    #[signals(PsnDistance: read_new, new_work)]
    #[signals(U<24>: reach_less_one, una_new, nxt_new)]
    #[registers(U<16>:
        /// Clock 6: time since the timer was armed, units of 1.024 us, modulo 2^16.
        age)]
    owner: EngineOf<A, I>,
    flow_2: Delay<U<A>, 2>,
    engine_8: Delay<U<3>, 4>,
    index_9: Delay<U<I>, 7>,
    flow_8: Delay<U<A>, 6>,
    memory: ForwardRam<SenderFlow, A, 1>,
    op_5: Delay<Operation, 5>,
    valid_8: Delay<Bit, 8>,
    now_8: Delay<U<16>, 3>,
    pacing_word: PacingUpdate,
    /// Clocks 6, 7 and 8.
    kind_6: Signal<Local, OpKind>,
    kind_7: Signal<Local, OpKind>,
    kind: Signal<Local, OpKind>,
    /// Clock 9: flow.
    flow_9r: DFF<U<A>>,
    /// Clock 5: what visits made of the flow.
    visited_5: DFF<Visited>,
    written: Signal<Local, SenderFlow>,
    /// Clock 9: generation of the flow before the operation.
    generation_9: DFF<U<8>>,
}

#[kernel]
impl<const A: usize, const I: usize> Logic for Sender<A, I> {
    fn update(&mut self) {
        // 0 to 4: engine and index
        inputs!(owner: flow, engines, inverse);
        flow_2 = flow;
        engine_8 = owner.engine;
        index_9 = owner.index;
        assign!(index = owner.index, engine_4 = owner.engine);
        flow_8 = flow_2;
        flow_9r = flow_8;
        memory.raddr = flow_2;
        visited_5 = visited;
        op_5 = word;
        op_6 = op_5;
        valid_8 = valid;
        inputs!(pacing_word from word: rate, window);
        inputs!(pacing_word: interval, overhead);
        pacing_word.mtu = mtu_6;
        pacing_word.timed = cap_window & (word.kind == OpKind::Limit) & !word.rate.all();
        pacing_word.flight = cap_time;
        pacing = pacing_word.word;
        cap = bits_zero::<FlowCap>(0);
        fields!(cap: pacing = pacing_word.word, group = group_9);
        if created_9 {
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
        age = timer_now - memory.rdata.val().since;
        now_8 = timer_now;

        // 6: the time that a timer code asks for shows in clock 8; how much of a wait is left
        rnr_times.addr = op_6.rnr_timer;
        long_age = bit_cast_u::<20, 16>(age);
        lasted = long_age >= sender_6.rnr_left;
        rest_7 = sender_6.rnr_left - long_age;
        rest_8 = rest_7;
        worn = (sender_6.rnr_waits == rnr_retry) & !rnr_retry.all();
        never = !rnr_retry.any();

        // 6: differences; of all but the first only signs and zeros matter. Of two distances that are not negative the longer one is
        // told by the sign of their difference, in which `una` cancels
        advance!(op_7, sender_7, nxt_7, rewinds_7, restarts_7, restarted_7, stale_7);
        distance_7 = op_6.psn - sender_6.shared.una;
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
        reach_less_one = max_6 + !sender_6.shared.una;
        old = acked_reach.negative;
        max_old = reach.negative;
        far = reach_less_one.get_bit(22);
        past_max = max_left.negative;
        nxt_old = outstanding.negative;
        past_nxt = nxt_left.negative;
        read_old = read_reach.negative;
        read_on = !read_left.negative;
        end_old = end_reach.negative;
        more_work = !new_work.negative;
        read_behind = read_new.negative;
        at_una = op_6.psn == sender_6.shared.una;
        none_out = nxt_6 == sender_6.shared.una;
        no_work = op_6.psn == sender_6.shared.end_psn;
        no_read = op_6.second == sender_6.shared.una;
        moved = bit_cast_u::<8, 24>(nxt_6) != sender_6.sent;
        ripe = age >= timeout;
        again = sender_6.retries < retry_limit;
        held_7 = held.get_bit(sender_6.shared.pause_class.index()) | stopped_6;
        kind_6 = op_6.kind;
        own_now = sender_6.shared.alive & (sender_6.shared.generation == op_6.generation);
        own = own_now;
        acknowledges = own_now & ((kind_6 == OpKind::Ack) | (kind_6 == OpKind::Nak) | (kind_6 == OpKind::Wait));
        looks = (kind_6 == OpKind::Tick) & sender_6.shared.alive & !sender_6.timerless;

        // 7: what it is
        advance!(op_8, sender_8, nxt_8, rewinds_8, restarts_8, stale_8, distance_8);
        kind_7 = op_7.kind;
        // sent, or asked for by a READ request; after a restart what was sent before counts unless it is far from it. Of a flow
        // without timer, READ responses, what has been sent since the restart: its leaving is what ends the READ
        was_sent = if max_old | (restarted_7 & far) { at_una } else { !past_max };
        if sender_7.timerless {
            was_sent = if nxt_old { at_una } else { !past_nxt };
        }
        good_now = acknowledges & !old & (was_sent | read_old | read_on) & (end_old | no_work | !more_work);
        jumps_now = good_now & !at_una;
        idle = none_out | nxt_old;
        expired_now = looks & sender_7.armed & !idle & !moved & ripe & !held_7 & !sender_7.waits;
        assign!(
            own_8.d = own,
            acknowledges_8.d = acknowledges,
            old_8.d = old,
            good.d = good_now,
            jumps.d = jumps_now,
            expired.d = expired_now
        );
        ends_read = jumps_now & !read_on;
        // a receiver that is not ready: progress ends the wait before, and without progress what is said again changes nothing
        waiting = sender_7.waits;
        stays = waiting & at_una;
        worn_now = if jumps_now { never } else { worn };
        asks_wait = good_now & (kind_7 == OpKind::Wait) & !stays;
        begins_wait = asks_wait & !worn_now;
        tires = asks_wait & worn_now;
        said_again = good_now & (kind_7 == OpKind::Nak) & stays;
        releases = looks & waiting & lasted;
        lapses = looks & waiting & !lasted;
        rewind = (good_now & (kind_7 == OpKind::Nak) & !stays) | (asks_wait & !worn_now) | (expired_now & again);
        disarms = looks & idle & !waiting;
        arms = looks & !idle & (!sender_7.armed | held_7 | moved) & !waiting;
        creates = kind_7 == OpKind::Create;
        clears = kind_7 == OpKind::Clear;
        starts_over = own & (kind_7 == OpKind::Restart);
        removes = own & (kind_7 == OpKind::Remove);
        extends = own & !no_work & more_work & (kind_7 == OpKind::Work);
        advances = own & !no_read & !read_behind & (kind_7 == OpKind::Advance);
        // the next PSN lies before what is acknowledged, or before what was
        behind = if good_now { past_nxt } else { nxt_old };

        // 8: what becomes of the flow
        kind = op_8.kind;
        written = sender_8;
        if good {
            written.shared.una = op_8.psn;
        }
        if jumps {
            written.retries = bits_u::<4>(0);
            written.since = now_8;
            written.waits = false;
            written.rnr_waits = bits_u::<3>(0);
        }
        if ends_read {
            fields!(written from op_8: shared.from = psn, shared.to = psn);
        }
        if disarms {
            written.armed = false;
        }
        if arms {
            written.armed = true;
            written.since = now_8;
            written.sent = bit_cast_u::<8, 24>(nxt_8);
        }
        if expired {
            written.since = now_8;
            if rewind {
                written.retries = sender_8.retries + 1;
            } else {
                written.shared.alive = false;
            }
        }
        waited = if jumps { bits_u::<3>(0) } else { sender_8.rnr_waits };
        if begins_wait {
            written.waits = true;
            written.rnr_left = rnr_times.data;
            written.rnr_waits = waited + 1;
            written.since = now_8;
            written.armed = false;
        }
        if tires {
            written.shared.alive = false;
        }
        if lapses {
            written.rnr_left = rest_8;
            written.since = now_8;
        }
        if releases {
            written.waits = false;
            written.rnr_left = bits_u::<20>(0);
            written.since = now_8;
        }
        if rewind {
            // nothing is inside any more; how far READs were asked for stays known
            fields!(written: shared.from = written.shared.to, shared.rewinds = rewinds_8);
        }
        if extends {
            written.shared.end_psn = op_8.psn;
        }
        if advances {
            fields!(written from op_8: shared.from = psn, shared.to = second);
            // a rewind that is still to come asks again, also within this READ
            if stale_8 {
                written.shared.from = op_8.second;
            }
        }
        if starts_over {
            fields!(written from op_8: shared.una = second, shared.end_psn = psn, shared.from = second, shared.to = second);
            fields!(written: shared.restarts = restarts_8);
            written.retries = bits_u::<4>(0);
            written.armed = false;
            written.waits = false;
        }
        if creates {
            written = bits_zero::<SenderFlow>(0);
            fields!(written from op_8: shared.una = psn, shared.end_psn = psn, shared.from = psn, shared.to = psn);
            fields!(written from sender_8: shared.rewinds, shared.restarts);
            fields!(written from op_8:
                shared.generation = generation, shared.mtu = mtu, shared.pause_class = pause_class,
                shared.windowless = windowless);
            written.shared.alive = true;
            written.timerless = op_8.timerless;
        }
        if removes {
            written.shared.alive = false;
        }
        if clears {
            written = bits_zero::<SenderFlow>(0);
        }
        written_9 = written;
        // whoever waits for its receiver has no work for visits
        shown_end = if written.waits { written.shared.una } else { written.shared.end_psn };
        shown_end_9 = shown_end;

        // 8: next PSN as the congestion control shall see it
        una_new = if good { op_8.psn } else { sender_8.shared.una };
        nxt_new = if behind | rewind { una_new } else { nxt_8 };

        // 8: to whom it matters
        pacing_word.none = clears;
        notify_9 = valid_8;
        paced_9 = valid_8 & ((own_8 & (kind == OpKind::Update)) | creates);
        wake_9 = valid_8
            & ((own_8 & ((kind == OpKind::Work) | (kind == OpKind::Update) | (kind == OpKind::Limit)))
                | starts_over
                | jumps
                | rewind
                | releases
                | creates);
        created_9 = creates;
        group_9 = if clears { bits_u::<4>(0) } else { op_8.group };
        limited_9 = valid_8 & ((own_8 & (kind == OpKind::Limit)) | creates);
        worked_9 = (kind == OpKind::Work) | (kind == OpKind::Restart) | creates;
        clear_now = valid_8 & clears;
        clear_9 = clear_now;
        to_cc_9 = valid_8
            & ((acknowledges_8 & (old_8 | good) & !said_again)
                | (own_8 & (kind == OpKind::Notify))
                | (expired & rewind));
        timed_out_9 = valid_8 & expired & rewind;
        psn_9 = if expired { sender_8.shared.una } else { op_8.psn };
        snd_nxt_9 = nxt_new;
        acked_9 = if good { distance_8 } else { bits_u::<24>(0) };
        mtu_9 = sender_8.shared.mtu;
        generation_9 = sender_8.shared.generation;
        ended_9 = valid_8 & ((expired & !rewind) | tires);
        tired_9 = tires;
        late_9 = valid_8 & !own_8 & (kind != OpKind::Tick) & !creates & !clears;
        beyond_9 = valid_8 & acknowledges_8 & !old_8 & !good;

        // 9
        inputs!(memory: we = valid_8, waddr = flow_8, wdata = written_9);
        notify = notify_9;
        assign!(notify_next = valid_8, engine_next = engine_8, clear_next = clear_now);
        engine_index = index_9;
        assign! {
            flow_9 = flow_9r, known = written_9.shared, sender = written_9.shared, paced = paced_9, limited = limited_9
        }
        sender.end_psn = shown_end_9;
        flow_next = flow_8;
        assign! {
            worked = worked_9, wake = wake_9, clear = clear_9,
            to_cc = to_cc_9, timed_out = timed_out_9, psn = psn_9, snd_nxt = snd_nxt_9, acked = acked_9,
            acked_mtu = mtu_9, generation = generation_9, ended = ended_9, tired = tired_9, late = late_9, beyond = beyond_9
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_by_size::<Self>(A > 9)
    }
}
