//! The requester's state machine: see the module's table of states.

use super::answers::Answer;
use super::choice::Choice;
use super::completions::Completions;
use super::intake::Intake;
use super::outlet::{Events, Outlet};
use super::reads::{Decision, ReadCheck};
use super::store::{OwnMessage, Store};
use super::walk::Walk;
use crate::cc::slot::EventOut;
use crate::emit::naming::named_as;
use crate::nic::words::{AckSend, Action, Commit, Completion, Context, Message, Region, RxRow, Work};
use crate::prim::ram::Ram;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww};
use crate::sched::ports::EndedIn;
use rust_hdl::prelude::*;

/// Requester of the queue pairs below `QPS`, with messages of 2^`SEGMENT` PSNs at most and four times that outstanding.
#[derive(LogicBlock, Default)]
pub struct Requester<const QPS: usize, const SEGMENT: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Time, ns.
    pub now: Signal<In, U<48>>,
    /// Register: READs outstanding at most, 1 to 16.
    pub max_reads: Signal<In, U<5>>,
    /// Register: INT speed codes that are valid.
    pub speeds: Signal<In, U<16>>,
    /// Bus: a queue pair is created or removed.
    pub context_valid: Signal<In, Bit>,
    /// Its number.
    pub context_qp: Signal<In, U<8>>,
    /// Its context.
    pub context_data: Signal<In, Context>,
    /// Bus: a region slot is written.
    pub region_valid: Signal<In, Bit>,
    /// Slot.
    pub region_slot: Signal<In, U<5>>,
    /// Its content.
    pub region_data: Signal<In, Region>,
    /// Bus: a packet was sent for the first time.
    pub sent_valid: Signal<In, Bit>,
    /// Its queue pair.
    pub sent_qp: Signal<In, U<8>>,
    /// Its generation.
    pub sent_generation: Signal<In, U<8>>,
    /// One past its PSN; of a READ request one past the last response's.
    pub sent_end: Signal<In, U<24>>,
    /// READ responses, in the order of arrival.
    pub row: StreamIn<RxRow>,
    /// What becomes of each.
    pub action: StreamOut<Action>,
    /// Acknowledgements, and READ responses whose fate in memory is known (`KIND` 3).
    pub answer: StreamIn<Commit>,
    /// Flows at their retry limit.
    pub ended: EndedIn,
    /// Packets under which host memory failed: flow 15:0, generation 23:16, PSN 47:24.
    pub read_error: StreamIn<U<48>>,
    /// Queue pairs to remove, queue pair 7:0 and generation 15:8; taken when the last completion has been made.
    pub remove: StreamIn<U<16>>,
    /// Work requests.
    pub work: StreamIn<Work>,
    /// Bus: a message is queued.
    pub message_valid: Signal<Out, Bit>,
    /// Queue pair 11:4, place in its ring 3:0.
    pub message_address: Signal<Out, U<12>>,
    /// The message.
    pub message_data: Signal<Out, Message>,
    /// Work for the scheduler: flow 15:0, generation 23:16, one past the last PSN 47:24.
    pub schedule: StreamOut<U<48>>,
    /// Acknowledgements for the scheduler and for congestion control.
    pub cc_event: EventOut,
    /// Completions.
    pub completion: StreamOut<Completion>,
    /// READ echoes; one that finds no room is dropped, the next one covers it.
    pub echo: StreamOut<AckSend>,
    /// Flows that the scheduler is to remove: flow 15:0, generation 23:16.
    pub kill: StreamOut<U<24>>,
    /// Counter pulses in the order of [`COUNTERS`](super::COUNTERS).
    pub counts: Signal<Out, U<11>>,
    choice: Choice,
    store: Store,
    intake: Intake<QPS, SEGMENT>,
    step: Walk<SEGMENT>,
    reply: Answer,
    judge: ReadCheck,
    decision: Decision,
    finished: Completions,
    events: Events,
    actions: Outlet<Action>,
    echoes: Outlet<AckSend>,
    schedules: Outlet<U<48>>,
    kills: Outlet<U<24>>,
    ring: Ram<OwnMessage, 12>,
    // states, one high; `save` beside `idle`
    started: DFF<Bit>,
    idle: DFF<Bit>,
    load: DFF<Bit>,
    look: DFF<Bit>,
    fetch: DFF<Bit>,
    decide: DFF<Bit>,
    finish: DFF<Bit>,
    check: DFF<Bit>,
    act: DFF<Bit>,
    post: DFF<Bit>,
    bury: DFF<Bit>,
    emit: DFF<Bit>,
    save: DFF<Bit>,
    flushing: DFF<Bit>,
    admitting: DFF<Bit>,
    // the operation
    op_row: DFF<Bit>,
    op_answer: DFF<Bit>,
    op_ended: DFF<Bit>,
    op_error: DFF<Bit>,
    op_remove: DFF<Bit>,
    op_work: DFF<Bit>,
    response: DFF<Bit>,
    qp: DFF<U<8>>,
    generation: DFF<U<8>>,
    psn: DFF<U<24>>,
    live: DFF<Bit>,
    same: Signal<Local, Bit>,
    // the queue pair's state
    una: DFF<U<24>>,
    accepted: DFF<U<24>>,
    assigned: DFF<U<24>>,
    gap: DFF<U<24>>,
    gap_valid: DFF<Bit>,
    dead: DFF<Bit>,
    head: DFF<U<5>>,
    admit: DFF<U<5>>,
    tail: DFF<U<5>>,
    read_at: DFF<U<5>>,
    reads: DFF<U<5>>,
    carry: DFF<U<4>>,
    own_generation: DFF<U<8>>,
    mtu: DFF<U<3>>,
    int_on: DFF<Bit>,
    sent_known: DFF<Bit>,
    sent_to: DFF<U<24>>,
    changed: DFF<Bit>,
    // the walk
    pointer: DFF<U<5>>,
    next_pointer: Signal<Local, U<5>>,
    message: DFF<OwnMessage>,
    message_read: Signal<Local, Bit>,
    message_last: Signal<Local, Bit>,
    distance: DFF<U<24>>,
    reach: DFF<U<24>>,
    progress: DFF<U<24>>,
    before: DFF<U<24>>,
    old: DFF<Bit>,
    ghost: DFF<Bit>,
    twice: DFF<Bit>,
    found: DFF<Bit>,
    missing: DFF<U<24>>,
    skip: Signal<Local, U<24>>,
    at_head: DFF<Bit>,
    taken: DFF<Bit>,
    popped: DFF<Bit>,
    guilty: DFF<Bit>,
    guilty_now: Signal<Local, Bit>,
    status: DFF<U<4>>,
    refuse: DFF<Bit>,
    scheduled: DFF<Bit>,
    schedule_to: DFF<U<24>>,
    blocked: DFF<Bit>,
    blocked_qp: DFF<U<8>>,
    lag: Signal<Local, U<24>>,
    accepted_now: Signal<Local, U<24>>,
    passed: Signal<Local, U<24>>,
    lost: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    // verdicts on READ responses before they are checked
    is_stray: DFF<Bit>,
    is_twice: DFF<Bit>,
    is_bad: DFF<Bit>,
    is_over: DFF<Bit>,
    is_void: DFF<Bit>,
    is_gap: DFF<Bit>,
    flagged: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    hit: [Signal<Local, Bit>; 11],
    counts_out: DFF<U<11>>,
    new_end: Signal<Local, U<24>>,
    outgoing: DFF<Message>,
    outgoing_valid: DFF<Bit>,
    outgoing_address: DFF<U<12>>,
}

impl<const QPS: usize, const SEGMENT: usize> Logic for Requester<QPS, SEGMENT> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, store, intake, judge, finished, events, actions, echoes, schedules, kills, ring);
        dff_setup!(self, clock, started, idle, load, look, fetch, decide, finish, check, act, post, bury, emit, save);
        dff_setup!(self, clock, flushing, admitting, op_row, op_answer, op_ended, op_error, op_remove, op_work);
        dff_setup!(self, clock, response, qp, generation, psn, live, una, accepted, assigned, gap, gap_valid, dead);
        dff_setup!(
            self,
            clock,
            head,
            admit,
            tail,
            read_at,
            reads,
            carry,
            own_generation,
            mtu,
            int_on
        );
        dff_setup!(self, clock, sent_known, sent_to, changed, pointer, message, distance, reach, progress, before);
        dff_setup!(self, clock, old, ghost, twice, found, missing, at_head, taken, popped, guilty, status, refuse);
        dff_setup!(self, clock, scheduled, schedule_to, blocked, blocked_qp);
        dff_setup!(self, clock, is_stray, is_twice, is_bad, is_over, is_void, is_gap);
        dff_setup!(self, clock, counts_out, outgoing, outgoing_valid, outgoing_address);

        // what the children see all the time
        self.finished.reset.next = self.reset.val();
        self.intake.reset.next = self.reset.val();
        self.events.reset.next = self.reset.val();
        self.actions.reset.next = self.reset.val();
        self.echoes.reset.next = self.reset.val();
        self.schedules.reset.next = self.reset.val();
        self.kills.reset.next = self.reset.val();
        self.store.context_valid.next = self.context_valid.val();
        self.store.context_qp.next = self.context_qp.val();
        self.store.context_data.next = self.context_data.val();
        self.store.sent_valid.next = self.sent_valid.val();
        self.store.sent_qp.next = self.sent_qp.val();
        self.store.sent_generation.next = self.sent_generation.val();
        self.store.sent_end.next = self.sent_end.val();
        self.intake.region_valid.next = self.region_valid.val();
        self.intake.region_slot.next = self.region_slot.val();
        self.intake.region_data.next = self.region_data.val();
        self.intake.mtu.next = self.mtu.q.val();
        self.intake.generation.next = self.own_generation.q.val();
        StreamIn::<Work>::link(&mut self.work, &mut self.intake.work);
        StreamOut::<Action>::link(&mut self.action, &mut self.actions.down);
        StreamOut::<Completion>::link(&mut self.completion, &mut self.finished.completion);
        StreamOut::<AckSend>::link(&mut self.echo, &mut self.echoes.down);
        StreamOut::<U<48>>::link(&mut self.schedule, &mut self.schedules.down);
        StreamOut::<U<24>>::link(&mut self.kill, &mut self.kills.down);
        EventOut::link(&mut self.cc_event, &mut self.events.cc_event);
        for i in 0..11 {
            self.hit[i].next = false;
        }
        self.done.next = false;

        // 0: the next input
        self.choice.row_waits.next =
            self.row.valid.val() & !self.actions.full.val() & !(self.save.q.val() & self.op_row.q.val());
        self.choice.row_data.next = self.row.data.val();
        self.choice.answer_waits.next = self.answer.valid.val() & !(self.save.q.val() & self.op_answer.q.val());
        self.choice.answer_data.next = self.answer.data.val();
        self.choice.ended_waits.next = self.ended.valid.val() & !(self.save.q.val() & self.op_ended.q.val());
        self.choice.ended_data.next =
            bit_cast_u::<24, 16>(self.ended.flow.val()) | (bit_cast_u::<24, 8>(self.ended.generation.val()) << 16);
        self.choice.error_waits.next = self.read_error.valid.val() & !(self.save.q.val() & self.op_error.q.val());
        self.choice.error_data.next = self.read_error.data.val();
        self.choice.remove_waits.next = self.remove.valid.val() & !(self.save.q.val() & self.op_remove.q.val());
        self.choice.remove_data.next = self.remove.data.val();
        self.choice.work_waits.next = self.intake.waiting.val() & !self.blocked.q.val();
        self.choice.work_qp.next = self.work.data.val().get_bits::<8>(64);
        self.row.ready.next = self.save.q.val() & self.op_row.q.val();
        self.answer.ready.next = self.save.q.val() & self.op_answer.q.val();
        self.ended.ready.next = self.save.q.val() & self.op_ended.q.val();
        self.read_error.ready.next = self.save.q.val() & self.op_error.q.val();
        self.remove.ready.next = self.save.q.val() & self.op_remove.q.val();
        self.store.qp.next = self.qp.q.val();
        if self.idle.q.val() {
            self.store.qp.next = self.choice.qp.val();
            self.idle.d.next = !self.choice.any.val();
            self.load.d.next = self.choice.any.val();
            self.op_row.d.next = self.choice.row.val();
            self.op_answer.d.next = self.choice.answer.val();
            self.op_ended.d.next = self.choice.ended.val();
            self.op_error.d.next = self.choice.error.val();
            self.op_remove.d.next = self.choice.remove.val();
            self.op_work.d.next = self.choice.work.val();
            self.qp.d.next = self.choice.qp.val();
            self.generation.d.next = self.choice.generation.val();
            self.psn.d.next = self.choice.psn.val();
            self.response.d.next = self.choice.response.val();
            self.changed.d.next = false;
            self.flushing.d.next = false;
            self.admitting.d.next = false;
            self.found.d.next = false;
            self.taken.d.next = false;
            self.popped.d.next = false;
            self.at_head.d.next = false;
            self.guilty.d.next = false;
            self.scheduled.d.next = false;
            self.is_stray.d.next = false;
            self.is_twice.d.next = false;
            self.is_bad.d.next = false;
            self.is_over.d.next = false;
            self.is_void.d.next = false;
            self.is_gap.d.next = false;
        }

        // 1: its queue pair
        self.store.removing.next = self.op_remove.q.val();
        self.store.generation.next = self.generation.q.val();
        self.same.next = self.store.context_generation.val() == self.generation.q.val();
        self.reply.commit.next = self.answer.data.val();
        self.echoes.data.next = self.reply.echo.val();
        self.echoes.put.next = false;
        if self.load.q.val() {
            self.load.d.next = false;
            self.una.d.next = self.store.state.val().get_bits::<24>(0);
            self.accepted.d.next = self.store.state.val().get_bits::<24>(24);
            self.assigned.d.next = self.store.state.val().get_bits::<24>(48);
            self.gap.d.next = self.store.state.val().get_bits::<24>(72);
            self.gap_valid.d.next = self.store.state.val().get_bit(96);
            self.dead.d.next = self.store.state.val().get_bit(97);
            self.head.d.next = self.store.state.val().get_bits::<5>(98);
            self.admit.d.next = self.store.state.val().get_bits::<5>(103);
            self.tail.d.next = self.store.state.val().get_bits::<5>(108);
            self.read_at.d.next = self.store.state.val().get_bits::<5>(113);
            self.reads.d.next = self.store.state.val().get_bits::<5>(118);
            self.carry.d.next = self.store.state.val().get_bits::<4>(123);
            self.own_generation.d.next = self.store.state.val().get_bits::<8>(127);
            self.mtu.d.next = self.store.mtu.val();
            self.int_on.d.next = self.store.int_on.val();
            self.sent_known.d.next = self.store.sent_known.val();
            self.sent_to.d.next = self.store.sent_to.val();
            self.live.d.next = (self.store.alive.val() & self.same.val() & !self.response.q.val())
                | self.op_remove.q.val()
                | (self.op_work.q.val()
                    & self.store.alive.val()
                    & (!self.intake.begun.val()
                        | (self.intake.begun_generation.val() == self.store.context_generation.val())));
            self.pointer.d.next = self.store.state.val().get_bits::<5>(98);
            if self.op_row.q.val() {
                self.pointer.d.next = self.store.state.val().get_bits::<5>(113);
            }
            self.before.d.next = self.store.state.val().get_bits::<24>(0);
            if self.op_answer.q.val() & self.reply.duplicate.val() {
                self.echoes.put.next = self.answer.data.val().get_bit(418) & !self.echoes.full.val();
                self.done.next = true;
            } else {
                self.look.d.next = true;
            }
        }

        // 2: what is not worth a look at the messages ends here
        self.ring.raddr.next =
            bit_cast_u::<12, 4>(self.pointer.q.val().get_bits::<4>(0)) | (bit_cast_u::<12, 8>(self.qp.q.val()) << 4);
        self.next_pointer.next = self.pointer.q.val() + 1;
        self.judge.row.next = self.row.data.val();
        if self.look.q.val() {
            self.look.d.next = false;
            self.distance.d.next = self.psn.q.val() - self.una.q.val();
            self.reach.d.next = self.sent_to.q.val() - self.una.q.val();
            self.progress.d.next = self.psn.q.val() - self.accepted.q.val();
            self.fetch.d.next = true;
            if !self.admitting.q.val() {
                if self.op_ended.q.val() | self.op_error.q.val() | self.op_remove.q.val() {
                    self.status.d.next = bits_u::<4>(8);
                    if self.op_ended.q.val() {
                        self.status.d.next = bits_u::<4>(1);
                        self.psn.d.next = self.una.q.val();
                    }
                    if self.op_error.q.val() {
                        self.status.d.next = bits_u::<4>(6);
                    }
                    self.flushing.d.next = true;
                    if !self.live.q.val() | self.dead.q.val() {
                        self.fetch.d.next = false;
                        self.done.next = true;
                    } else {
                        if self.head.q.val() == self.tail.q.val() {
                            self.fetch.d.next = false;
                            self.bury.d.next = true;
                        }
                    }
                }
                if self.op_work.q.val() {
                    self.fetch.d.next = false;
                    self.post.d.next = true;
                    self.refuse.d.next = true;
                    self.status.d.next = bits_u::<4>(8);
                    if self.intake.begun.val() {
                        if self.live.q.val() {
                            self.status.d.next = self.carry.q.val();
                            self.refuse.d.next = self.dead.q.val();
                        }
                    } else {
                        if !self.live.q.val() | self.intake.invalid.val() {
                            self.status.d.next = bits_u::<4>(7);
                        } else {
                            if !self.dead.q.val() {
                                self.status.d.next = bits_u::<4>(5);
                                self.refuse.d.next = !self.intake.allowed.val();
                            }
                        }
                    }
                }
                if self.op_answer.q.val() & (!self.live.q.val() | self.dead.q.val()) {
                    self.fetch.d.next = false;
                    self.done.next = true;
                    self.hit[7].next = self.live.q.val() & self.reply.acknowledgement.val();
                }
                if self.op_row.q.val() {
                    self.is_void.d.next = !self.live.q.val();
                    self.is_over.d.next = self.live.q.val() & self.dead.q.val();
                    self.is_bad.d.next = self.live.q.val() & !self.dead.q.val() & self.judge.negative.val();
                    if !self.live.q.val() | self.dead.q.val() | self.judge.negative.val() {
                        self.fetch.d.next = false;
                        self.act.d.next = true;
                    }
                }
            }
        }

        // 3
        if self.fetch.q.val() {
            self.fetch.d.next = false;
            self.decide.d.next = true;
            self.message.d.next = self.ring.rdata.val();
            self.old.d.next = self.distance.q.val().get_bit(23);
            self.ghost.d.next = !self.distance.q.val().get_bit(23)
                & (!self.sent_known.q.val() | (self.distance.q.val() >= self.reach.q.val()));
            self.twice.d.next = self.distance.q.val().get_bit(23) | self.progress.q.val().get_bit(23);
        }

        // 4: the step over one message
        self.step.una.next = self.una.q.val();
        self.step.limit.next = self.reply.limit.val();
        self.step.with_data.next = self.reply.data.val();
        self.step.start.next = self.message.q.val().get_bits::<24>(0);
        self.step.finish.next = self.message.q.val().get_bits::<24>(24);
        self.message_read.next = self.message.q.val().get_bit(48);
        self.message_last.next = self.message.q.val().get_bit(49);
        self.step.read.next = self.message.q.val().get_bit(48);
        self.step.sought.next = self.psn.q.val();
        self.step.reads.next = self.reads.q.val();
        self.step.max_reads.next = self.max_reads.val();
        self.guilty_now.next = self.guilty.q.val() | self.step.holds.val();
        self.skip.next = self.message.q.val().get_bits::<24>(0) - self.accepted.q.val();
        self.finished.push.next = false;
        self.finished.now.next = self.now.val();
        self.finished.id.next = self.message.q.val().get_bits::<64>(146);
        self.finished.qpn.next = bit_cast_u::<24, 8>(self.qp.q.val());
        self.finished.operation.next = bit_cast_u::<8, 1>(self.message.q.val().get_bits::<1>(48));
        self.finished.length.next = self.message.q.val().get_bits::<32>(210);
        self.finished.status.next = bits_u::<4>(0);
        if self.decide.q.val() {
            self.decide.d.next = false;
            self.ring.raddr.next = bit_cast_u::<12, 4>(self.next_pointer.val().get_bits::<4>(0))
                | (bit_cast_u::<12, 8>(self.qp.q.val()) << 4);
            if self.admitting.q.val() {
                self.emit.d.next = true;
                if self.step.fits.val() {
                    self.admit.d.next = self.admit.q.val() + 1;
                    self.pointer.d.next = self.next_pointer.val();
                    self.reads.d.next = self.reads.q.val() + bit_cast_u::<5, 1>(self.message.q.val().get_bits::<1>(48));
                    self.scheduled.d.next = true;
                    self.schedule_to.d.next = self.message.q.val().get_bits::<24>(24);
                    if self.next_pointer.val() != self.tail.q.val() {
                        self.emit.d.next = false;
                        self.fetch.d.next = true;
                    }
                }
            }
            if !self.admitting.q.val() & self.flushing.q.val() {
                if self.guilty_now.val() {
                    self.finished.status.next = self.status.q.val();
                } else {
                    self.finished.status.next = bits_u::<4>(8);
                }
                if self.message_last.val() & !self.finished.room.val() {
                    self.decide.d.next = true;
                } else {
                    self.finished.push.next = self.message_last.val();
                    self.guilty.d.next = self.guilty_now.val() & !self.message_last.val();
                    self.pointer.d.next = self.next_pointer.val();
                    self.head.d.next = self.next_pointer.val();
                    if self.next_pointer.val() == self.tail.q.val() {
                        self.bury.d.next = true;
                    } else {
                        self.fetch.d.next = true;
                    }
                }
            }
            if !self.admitting.q.val() & self.op_row.q.val() {
                self.act.d.next = true;
                if self.twice.q.val() {
                    self.is_twice.d.next = true;
                } else if self.ghost.q.val() | (self.pointer.q.val() == self.admit.q.val()) {
                    self.is_stray.d.next = true;
                } else if self.found.q.val() {
                    // beyond the READ whose data is missing: a gap if it belongs to a READ at all
                    if self.step.reaches.val() {
                        self.is_gap.d.next = self.message_read.val();
                        self.is_stray.d.next = !self.message_read.val();
                    } else {
                        self.act.d.next = false;
                        self.fetch.d.next = true;
                        self.pointer.d.next = self.next_pointer.val();
                    }
                } else if self.message_read.val() {
                    self.found.d.next = true;
                    self.missing.d.next = self.message.q.val().get_bits::<24>(0);
                    if self.skip.val().get_bit(23) {
                        self.missing.d.next = self.accepted.q.val();
                    }
                    self.act.d.next = false;
                    if self.step.reaches.val() {
                        self.check.d.next = true;
                    } else {
                        self.fetch.d.next = true;
                        self.pointer.d.next = self.next_pointer.val();
                    }
                } else {
                    if self.step.reaches.val() {
                        self.is_stray.d.next = true;
                    } else {
                        // no READ before the next message
                        self.read_at.d.next = self.next_pointer.val();
                        self.changed.d.next = true;
                        self.act.d.next = false;
                        self.fetch.d.next = true;
                        self.pointer.d.next = self.next_pointer.val();
                    }
                }
            }
            if !self.admitting.q.val() & !self.flushing.q.val() & self.op_answer.q.val() {
                if self.reply.acknowledgement.val() & (self.ghost.q.val() | self.reply.ignored.val()) {
                    self.hit[0].next = self.ghost.q.val();
                    self.hit[1].next = !self.ghost.q.val();
                    self.done.next = true;
                } else if self.head.q.val() == self.admit.q.val() {
                    self.finish.d.next = true;
                } else if self.step.complete.val() & self.message_last.val() & !self.finished.room.val() {
                    self.decide.d.next = true;
                } else {
                    self.finish.d.next = true;
                    self.una.d.next = self.step.new_una.val();
                    self.taken.d.next = self.step.taken.val();
                    self.at_head.d.next = !self.step.complete.val();
                    if self.step.complete.val() {
                        self.finished.push.next = self.message_last.val();
                        self.popped.d.next = true;
                        self.head.d.next = self.next_pointer.val();
                        self.pointer.d.next = self.next_pointer.val();
                        if self.read_at.q.val() == self.head.q.val() {
                            self.read_at.d.next = self.next_pointer.val();
                        }
                        self.reads.d.next =
                            self.reads.q.val() - bit_cast_u::<5, 1>(self.message.q.val().get_bits::<1>(48));
                        if !self.step.taken.val()
                            & ((self.step.new_una.val() != self.reply.limit.val()) | self.reply.data.val())
                            & (self.next_pointer.val() != self.admit.q.val())
                        {
                            self.finish.d.next = false;
                            self.fetch.d.next = true;
                        }
                    }
                }
            }
        }

        // 5: what goes on from an answer
        self.ends.next = self.reply.fatal.val() & !(self.reply.nak.val() & self.old.q.val());
        self.lost.next = ((self.reply.acknowledgement.val() & !self.reply.nak.val()) | self.reply.gap.val())
            & !self.old.q.val()
            & (self.una.q.val() != self.reply.limit.val())
            & self.at_head.q.val()
            & self.message_read.val()
            & !(self.gap_valid.q.val() & (self.gap.q.val() == self.una.q.val()));
        self.passed.next = self.una.q.val() - self.before.q.val();
        self.events.now.next = self.now.val();
        self.events.speeds.next = self.speeds.val();
        self.events.put.next = false;
        self.events.nak.next = self.reply.nak.val() | self.lost.val();
        self.events.qp.next = self.qp.q.val();
        self.events.generation.next = self.generation.q.val();
        self.events.psn.next = self.una.q.val();
        if self.old.q.val() & self.reply.acknowledgement.val() {
            self.events.psn.next = self.reply.limit.val();
        }
        self.events.bytes.next = (bit_cast_u::<32, 24>(self.passed.val()) << 8) << self.mtu.q.val();
        if self.reply.data.val() {
            self.events.bytes.next = bits_u::<32>(0);
        }
        self.events.commit.next = self.answer.data.val();
        self.events.with_int.next = self.reply.acknowledgement.val() & self.int_on.q.val();
        self.hit[9].next = self.events.many.val();
        self.hit[10].next = self.events.bad.val();
        if self.finish.q.val() {
            if self.ends.val() {
                self.finish.d.next = false;
                self.hit[3].next = self.reply.nak.val();
                self.status.d.next = self.reply.status.val();
                self.flushing.d.next = true;
                if self.head.q.val() == self.tail.q.val() {
                    self.bury.d.next = true;
                } else {
                    self.fetch.d.next = true;
                }
            } else if !self.events.full.val() {
                self.finish.d.next = false;
                self.events.put.next = self.reply.acknowledgement.val() | self.passed.val().any() | self.lost.val();
                self.hit[3].next = self.reply.nak.val();
                self.hit[4].next = self.lost.val();
                if self.lost.val() {
                    self.gap.d.next = self.una.q.val();
                    self.gap_valid.d.next = true;
                }
                self.echoes.put.next = self.taken.q.val() & self.int_on.q.val() & !self.echoes.full.val();
                self.changed.d.next = true;
                if self.popped.q.val() & (self.admit.q.val() != self.tail.q.val()) {
                    self.admitting.d.next = true;
                    self.pointer.d.next = self.admit.q.val();
                    self.look.d.next = true;
                } else {
                    self.done.next = true;
                }
            }
        }

        // 5, 6: a READ response
        self.judge.message.next = self.message.q.val();
        self.judge.missing.next = self.missing.q.val();
        if self.check.q.val() {
            self.check.d.next = false;
            self.act.d.next = true;
        }
        self.flagged.next = self.is_stray.q.val()
            | self.is_twice.q.val()
            | self.is_bad.q.val()
            | self.is_over.q.val()
            | self.is_void.q.val()
            | self.is_gap.q.val();
        self.take.next = !self.flagged.val() & self.judge.in_order.val() & self.judge.sound.val();
        self.decision.row.next = self.row.data.val();
        self.decision.address.next = self.judge.address.val();
        self.decision.take.next = self.take.val() & self.row.data.val().get_bits::<16>(178).any();
        self.decision.answer.next = bits_u::<2>(2);
        self.decision.commits.next = self.is_gap.q.val() | (!self.flagged.val() & self.judge.beyond.val());
        if self.take.val() {
            self.decision.answer.next = bits_u::<2>(1);
            self.decision.commits.next = true;
        }
        if self.is_twice.q.val() {
            self.decision.answer.next = bits_u::<2>(3);
            self.decision.commits.next = self.int_on.q.val();
        }
        self.actions.put.next = self.act.q.val();
        self.actions.data.next = self.decision.action.val();
        if self.act.q.val() {
            self.act.d.next = false;
            self.done.next = true;
            self.hit[2].next = self.is_twice.q.val();
            self.hit[5].next =
                self.is_stray.q.val() | (!self.flagged.val() & !self.judge.in_order.val() & !self.judge.beyond.val());
            self.hit[6].next =
                self.is_bad.q.val() | (!self.flagged.val() & self.judge.in_order.val() & !self.judge.sound.val());
            self.hit[7].next = self.is_over.q.val();
            if self.take.val() {
                self.accepted.d.next = self.psn.q.val() + 1;
                self.changed.d.next = true;
                if self.judge.last.val() {
                    self.read_at.d.next = self.next_pointer.val();
                }
            }
        }

        // a work request's next message, or its end
        self.new_end.next = self.assigned.q.val() + self.intake.psns.val();
        self.intake.advance.next = false;
        self.intake.refuse.next = self.refuse.q.val();
        self.outgoing_valid.d.next = false;
        self.outgoing_address.d.next =
            bit_cast_u::<12, 4>(self.tail.q.val().get_bits::<4>(0)) | (bit_cast_u::<12, 8>(self.qp.q.val()) << 4);
        self.outgoing.d.next = bit_cast_w::<384, 6, 24>(self.assigned.q.val())
            | (bit_cast_w::<384, 6, 24>(self.new_end.val()) << 24)
            | (bit_cast_w::<384, 6, 1>(self.work.data.val().get_bits::<1>(88)) << 48)
            | (bit_cast_w::<384, 6, 1>(bit_cast_b(self.intake.last.val())) << 49)
            | (bit_cast_w::<384, 6, 8>(self.own_generation.q.val()) << 50)
            | (bit_cast_w::<384, 6, 64>(self.intake.local.val()) << 58)
            | (bit_cast_w::<384, 6, 64>(self.intake.remote.val()) << 122)
            | (bit_cast_w::<384, 6, 32>(self.work.data.val().get_bits::<32>(256)) << 186)
            | (bit_cast_w::<384, 6, 32>(self.intake.length.val()) << 218)
            | (bit_cast_w::<384, 6, 64>(self.work.data.val().get_bits::<64>(0)) << 250)
            | (bit_cast_w::<384, 6, 32>(self.work.data.val().get_bits::<32>(288)) << 314);
        if self.post.q.val() {
            if self.refuse.q.val() {
                self.finished.id.next = self.work.data.val().get_bits::<64>(0);
                self.finished.qpn.next = self.work.data.val().get_bits::<24>(64);
                self.finished.operation.next = self.work.data.val().get_bits::<8>(88);
                self.finished.status.next = self.status.q.val();
                self.finished.length.next = self.work.data.val().get_bits::<32>(288);
                if self.finished.room.val() {
                    self.post.d.next = false;
                    self.finished.push.next = true;
                    self.intake.advance.next = true;
                    self.done.next = true;
                }
            } else if (self.tail.q.val() - self.head.q.val()) == 16 {
                self.post.d.next = false;
                self.blocked.d.next = true;
                self.blocked_qp.d.next = self.qp.q.val();
                self.done.next = true;
            } else {
                self.post.d.next = false;
                self.intake.advance.next = true;
                self.outgoing_valid.d.next = true;
                self.tail.d.next = self.tail.q.val() + 1;
                self.assigned.d.next = self.new_end.val();
                self.changed.d.next = true;
                self.admitting.d.next = true;
                self.pointer.d.next = self.admit.q.val();
                self.look.d.next = true;
            }
        }
        self.hit[8].next = self.finished.push.val() & self.finished.status.val().any();
        self.message_valid.next = self.outgoing_valid.q.val();
        self.message_address.next = self.outgoing_address.q.val();
        self.message_data.next = self.outgoing.q.val();
        self.ring.we.next = self.outgoing_valid.q.val();
        self.ring.waddr.next = self.outgoing_address.q.val();
        self.ring.wdata.next = bit_cast_w::<242, 4, 50>(self.outgoing.q.val().get_bits::<50>(0))
            | (bit_cast_w::<242, 4, 64>(self.outgoing.q.val().get_bits::<64>(58)) << 50)
            | (bit_cast_ww::<242, 4, 384, 6>(self.outgoing.q.val() >> 218) << 114);

        // messages for the scheduler
        self.schedules.put.next = false;
        self.schedules.data.next = bit_cast_u::<48, 9>(bit_cast_u::<9, 8>(self.qp.q.val()) << 1)
            | (bit_cast_u::<48, 8>(self.own_generation.q.val()) << 16)
            | (bit_cast_u::<48, 24>(self.schedule_to.q.val()) << 24);
        if self.emit.q.val() & (!self.scheduled.q.val() | !self.schedules.full.val()) {
            self.emit.d.next = false;
            self.schedules.put.next = self.scheduled.q.val();
            self.done.next = true;
        }

        // the end of a queue pair; the scheduler has ended it itself, or the manager does
        self.kills.put.next = false;
        self.kills.data.next = bit_cast_u::<24, 9>(bit_cast_u::<9, 8>(self.qp.q.val()) << 1)
            | (bit_cast_u::<24, 8>(self.own_generation.q.val()) << 16);
        if self.bury.q.val() & !self.kills.full.val() {
            self.bury.d.next = false;
            self.kills.put.next = self.op_answer.q.val() | self.op_error.q.val();
            self.dead.d.next = true;
            self.head.d.next = self.tail.q.val();
            self.admit.d.next = self.tail.q.val();
            self.read_at.d.next = self.tail.q.val();
            self.reads.d.next = bits_u::<5>(0);
            self.carry.d.next = bits_u::<4>(8);
            if self.guilty.q.val() {
                self.carry.d.next = self.status.q.val();
            }
            self.changed.d.next = true;
            self.done.next = true;
        }

        // last: back, and the next one
        if self.done.val() {
            self.idle.d.next = true;
            self.save.d.next = true;
        }
        self.lag.next = self.accepted.q.val() - self.una.q.val();
        self.accepted_now.next = self.accepted.q.val();
        if self.lag.val().get_bit(23) {
            self.accepted_now.next = self.una.q.val();
        }
        self.store.we.next = self.save.q.val() & self.changed.q.val();
        self.store.write_qp.next = self.qp.q.val();
        self.store.new_state.next = bit_cast_w::<136, 3, 24>(self.una.q.val())
            | (bit_cast_w::<136, 3, 24>(self.accepted_now.val()) << 24)
            | (bit_cast_w::<136, 3, 24>(self.assigned.q.val()) << 48)
            | (bit_cast_w::<136, 3, 24>(self.gap.q.val()) << 72)
            | (bit_cast_w::<136, 3, 1>(bit_cast_b(self.gap_valid.q.val())) << 96)
            | (bit_cast_w::<136, 3, 1>(bit_cast_b(self.dead.q.val())) << 97)
            | (bit_cast_w::<136, 3, 5>(self.head.q.val()) << 98)
            | (bit_cast_w::<136, 3, 5>(self.admit.q.val()) << 103)
            | (bit_cast_w::<136, 3, 5>(self.tail.q.val()) << 108)
            | (bit_cast_w::<136, 3, 5>(self.read_at.q.val()) << 113)
            | (bit_cast_w::<136, 3, 5>(self.reads.q.val()) << 118)
            | (bit_cast_w::<136, 3, 4>(self.carry.q.val()) << 123)
            | (bit_cast_w::<136, 3, 8>(self.own_generation.q.val()) << 127)
            | (bit_cast_w::<136, 3, 1>(bit_cast_b(true)) << 135);
        if self.save.q.val() {
            self.save.d.next = false;
            if self.changed.q.val() & !self.op_work.q.val() & (self.qp.q.val() == self.blocked_qp.q.val()) {
                self.blocked.d.next = false;
            }
        }
        self.counts_out.d.next = bit_cast_u::<11, 1>(bit_cast_b(self.hit[0].val()))
            | (bit_cast_u::<11, 1>(bit_cast_b(self.hit[1].val())) << 1)
            | (bit_cast_u::<11, 1>(bit_cast_b(self.hit[2].val())) << 2)
            | (bit_cast_u::<11, 1>(bit_cast_b(self.hit[3].val())) << 3)
            | (bit_cast_u::<11, 1>(bit_cast_b(self.hit[4].val())) << 4)
            | (bit_cast_u::<11, 1>(bit_cast_b(self.hit[5].val())) << 5)
            | (bit_cast_u::<11, 1>(bit_cast_b(self.hit[6].val())) << 6)
            | (bit_cast_u::<11, 1>(bit_cast_b(self.hit[7].val())) << 7)
            | (bit_cast_u::<11, 1>(bit_cast_b(self.hit[8].val())) << 8)
            | (bit_cast_u::<11, 1>(bit_cast_b(self.hit[9].val())) << 9)
            | (bit_cast_u::<11, 1>(bit_cast_b(self.hit[10].val())) << 10);
        self.counts.next = self.counts_out.q.val();
        if self.reset.val() | !self.started.q.val() {
            self.load.d.next = false;
            self.look.d.next = false;
            self.fetch.d.next = false;
            self.decide.d.next = false;
            self.finish.d.next = false;
            self.check.d.next = false;
            self.act.d.next = false;
            self.post.d.next = false;
            self.bury.d.next = false;
            self.emit.d.next = false;
            self.save.d.next = false;
            self.blocked.d.next = false;
            self.idle.d.next = true;
            self.started.d.next = true;
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_as(format!("requester_q{QPS}_s{SEGMENT}"))
    }
}

crate::ports! {
    [const QPS: usize, const SEGMENT: usize] Requester<QPS, SEGMENT> {
        in reset, now, max_reads, speeds, context_valid, context_qp, context_data, region_valid, region_slot, region_data,
            sent_valid, sent_qp, sent_generation, sent_end, row.data, row.valid, action.ready, answer.data, answer.valid,
            ended.valid, ended.flow, ended.generation, read_error.data, read_error.valid, remove.data, remove.valid,
            work.data, work.valid, schedule.ready, cc_event.ready, completion.ready, echo.ready, kill.ready;
        out row.ready, action.data, action.valid, answer.ready, ended.ready, read_error.ready, remove.ready, work.ready,
            message_valid, message_address, message_data, schedule.data, schedule.valid, cc_event.valid, cc_event.kind,
            cc_event.flow, cc_event.generation, cc_event.psn_next, cc_event.snd_nxt, cc_event.int_valid, cc_event.n_hop,
            cc_event.path_id, cc_event.hops, cc_event.ecn, cc_event.sent_at, cc_event.bytes, cc_event.now,
            completion.data, completion.valid, echo.data, echo.valid, kill.data, kill.valid, counts
    }
}
