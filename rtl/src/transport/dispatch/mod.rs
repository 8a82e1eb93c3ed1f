//! Dispatch: what becomes of each frame, in the order of the frames.
//!
//! Verdicts of the parser wait in a table with as many places as the packet buffer has frames, so none is ever lost; only the places of their queue
//! pairs and what decides where they go stand in a FIFO, so that it is in registers when the rest shows. Then one row a clock, and none ever stands still before it is in its queues:
//!
//! | clock | does |
//! |---|---|
//! | 0 | queue pair out of the FIFO; row and context read |
//! | 1 | context into registers |
//! | 2 | row in registers; checks, fate ([`classify`]) |
//! | 3 | what does not come from the peer is dropped; requests and READ responses into the queue of their engine, every row into the queue of turns |
//! | 4 | counted; the oldest turn acts: skips, commits, reports, with the engine's decision if it needs one |
//!
//! Engines decide as fast as they can, each in its order; the queue of turns puts their decisions in the order of the frames. A row leaves the
//! table while fewer than sixteen are behind it, so each queue holds all that can come. What goes out with a frame and decides nothing, its INT
//! stack before all, is not in the queue of turns, nor do engines see it: it is held in a table of sixteen words, in the order of the frames,
//! which is read at a place that a register holds. So no register as wide as that waits for what is decided last.
//!
//! A short frame beyond its queue pair's [`share`] of the packet buffer goes to no engine.
//!
//! Buffer command, memory job and commit entry of a frame leave together, so all three are in the order of the frames. An acknowledgement keeps the
//! time at which the parser judged it, for laws that measure round trips.
//! Reference: `receive` of `hpcc_models::nic`.

pub mod classify;
pub mod share;
#[cfg(test)]
mod tests;

use crate::prim::async_ram::AsyncRam;
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::lut_fifo::LutFifo;
use crate::prim::ram::Ram;
use crate::prim::short_fifo::ShortFifo;
use crate::prim::skid::{Skid, StreamIn, StreamOut};
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::words::congestion::CcEventKind;
use crate::words::context::QpContext;
use crate::words::dma::{ByteAddress, DmaJob};
use crate::words::flows::Notice;
use crate::words::rx::{
    ArrivedFrame, BufferCommand, CommitEntry, ControlPacket, DropCode, FrameCount, FrameFate, FrameHead, FramePlace,
    FrameTurn, HeldFrame, IntBody, IntParts, JudgedFrame,
};
use crate::words::transport::{
    AckKind, AckSend, Action, AnswerKind, CommitKind, CongestionMark, FrameRole, ReadRequest, RxPacket,
};
use crate::words::wire::{AckHeader, Extension, IntStack};
use crate::{block, kernel};
use classify::{Classify, Meant};
use hpcc_models::nic::Counter;
use rust_hdl::prelude::*;
use share::Share;

/// Number of counters that dispatch may count, the first of [`Counter::ALL`].
pub const COUNTERS: usize = 50;
const _: () = assert!(Counter::BadFrame as usize + 1 == COUNTERS);

/// Dispatch of one port.
#[block]
pub struct Dispatch {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// The NIC's clock, ns.
    pub now: Signal<In, U<48>>,
    /// A frame has been judged.
    pub verdict_valid: Signal<In, Bit>,
    /// The parser's outputs, with the place of the queue pair.
    pub verdict: Signal<In, JudgedFrame>,
    /// Place of the queue pair of the frame that may be judged in the next clock.
    pub next_qp: Signal<In, U<8>>,
    /// The packet buffer lost the frame whose last beat came two clocks ago.
    pub lost: Signal<In, Bit>,
    /// Beats of the packet buffer that are free.
    pub free: Signal<In, U<10>>,
    /// A context is written.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// Commands to the packet buffer.
    pub command: StreamOut<BufferCommand>,
    /// Jobs of the memory writer.
    pub job: StreamOut<DmaJob>,
    /// What is to happen when memory has the payload.
    pub commit: StreamOut<CommitEntry>,
    /// Requests, to the responder.
    pub request: StreamOut<RxPacket>,
    /// Decisions of the responder.
    pub request_action: StreamIn<Action>,
    /// READ responses, to the requester.
    pub response: StreamOut<RxPacket>,
    /// Decisions of the requester.
    pub response_action: StreamIn<Action>,
    /// READ echoes, responses to probes and congestion notifications.
    pub notice: StreamOut<Notice>,
    /// Control packets.
    pub control: StreamOut<ControlPacket>,
    /// Answers to probes. One that finds 32 waiting is dropped: whoever asks will ask again.
    pub answer: StreamOut<AckSend>,
    /// A request or READ response came with the mark "congestion experienced". Never in two clocks in a row.
    pub mark_valid: Signal<Out, Bit>,
    /// Queue pair and direction of the marked packet.
    pub mark: Signal<Out, CongestionMark>,
    /// Pulses in the order of [`Counter::ALL`].
    pub counts: Signal<Out, U<50>>,
    /// A frame was dropped because its queue pair had its share of the packet buffer.
    pub unfair: Signal<Out, Bit>,
    /// Pulse: a frame has come to where its queue pair is looked up.
    pub frame_enters: Signal<Out, Bit>,
    /// Pulse: a frame that has entered is done with, the oldest first.
    pub frame_done: Signal<Out, Bit>,
    /// With `frame_done`: memory is to be written.
    pub write_made: Signal<Out, Bit>,
    // 0 to 3
    #[signals(Bit: comes, enters, drops, whole_1)]
    #[registers(Bit:
        /// A frame may leave the FIFO: there is room for its row.
        open,
        /// A frame is in the clock of the name.
        valid_1, valid_2, valid_3,
        /// Clock 3: the frame is beyond its queue pair's share of the packet buffer.
        over_3,
        /// Clock 3: the parser found a fault.
        faulty_3,
        /// Clock 3: the frame comes from the peer of its queue pair.
        of_peer_3,
        /// Clock 3: the frame is of a kind that only the peer may send.
        minds_peer_3,
        /// Clock 4: the frame is counted.
        counts_4,
        /// Counter pulse: a frame was dropped because its queue pair had its share of the packet buffer.
        unfair_out)]
    #[registers(Bit: entered, left, write_left)]
    row_2: Signal<Local, JudgedFrame>,
    #[signals(ArrivedFrame: entering, arrived)]
    /// Rows behind the FIFO.
    inside: DFF<U<5>>,
    lost_14: Delay<Bit, 12>,
    /// The heads of the frames that wait.
    rows: StreamFifo<FrameHead, 9, 512>,
    #[signals(FrameHead: coming, leaving)]
    #[registers(FrameHead:
        /// Queue pair and role of the frame, in the clock of the name.
        head_1, head_2)]
    /// Clock 2: parts of the INT that the frame carries.
    parts_2: DFF<IntParts>,
    /// The frames, and the places of the next one that comes and of the next one that goes on.
    waiting: TableRam<ArrivedFrame, 9>,
    #[registers(U<9>:
        /// Place of the next frame that comes in.
        last,
        /// Place of the next frame that goes on.
        oldest)]
    share: Share,
    contexts: Ram<QpContext, 8>,
    #[combinational]
    meant: Meant,
    #[combinational]
    classify: Classify,
    /// Clock 2: context of the queue pair.
    context_2: DFF<QpContext>,
    judged: Signal<Local, RxPacket>,
    fate_2: Signal<Local, FrameFate>,
    turn_2: Signal<Local, FrameTurn>,
    /// The rest of the row.
    held_2: Signal<Local, HeldFrame>,
    /// Of the frames that wait for their turn, and the places of the next one that comes and of the oldest.
    held: AsyncRam<HeldFrame, 4>,
    #[registers(U<4>:
        /// Place of the next frame that waits for its turn.
        last_held,
        /// Place of the oldest frame that waits for its turn.
        oldest_held)]
    given: Signal<Local, Extension>,
    aeth: Signal<Local, AckHeader>,
    /// Clock 3: what is to be done with the frame when its turn comes.
    turn_3: DFF<FrameTurn>,
    /// The same, but for one that does not come from its queue pair's peer.
    sorted: Signal<Local, FrameTurn>,
    foreign: Signal<Local, Bit>,
    /// Clock 3: what an engine sees of the frame.
    row_3: DFF<RxPacket>,
    #[registers(FrameCount:
        /// Clock 3: counter of a frame that is not dropped here.
        counter_3,
        /// Clock 3: counter of the frame's fault.
        fault_3,
        /// Clock 4: counter of the frame.
        counted_4)]
    /// Place of the counter.
    place: Signal<Local, U<6>>,
    /// Counter pulses.
    counts_out: DFF<U<50>>,
    // queues
    #[registers(Bit:
        /// A notice waits at the output.
        notice_full,
        /// A control packet waits at the output.
        control_full,
        /// A notice may be made.
        notice_room,
        /// A control packet may be taken.
        control_room,
        /// A frame came with the mark "congestion experienced".
        mark_out)]
    requests: ShortFifo<RxPacket, 4, 8>,
    responses: ShortFifo<RxPacket, 4, 8>,
    turns: ShortFifo<FrameTurn, 4, 8>,
    // 4
    turn: Signal<Local, FrameTurn>,
    frame: Signal<Local, HeldFrame>,
    #[signals(Bit: acknowledges, room, acts, done, engine, taken, committed, notice_waits, control_waits)]
    action: Signal<Local, Action>,
    stack: Signal<Local, W<336, 6>>,
    reads: Signal<Local, ReadRequest>,
    address: Signal<Local, ByteAddress>,
    asked: Signal<Local, BufferCommand>,
    to_write: Signal<Local, DmaJob>,
    entry: Signal<Local, CommitEntry>,
    commands: Skid<BufferCommand>,
    jobs: Skid<DmaJob>,
    commits: Skid<CommitEntry>,
    /// Notice at the output.
    notice_word: DFF<Notice>,
    /// Control packet at the output.
    control_word: DFF<ControlPacket>,
    /// Queue pair of the frame with that mark.
    marked: DFF<CongestionMark>,
    answers: LutFifo<AckSend, 5, 32>,
    answered: Signal<Local, AckSend>,
    heard: Signal<Local, CcEventKind>,
}

#[kernel]
impl Logic for Dispatch {
    fn update(&mut self) {
        inputs!([rows, requests, responses, turns, commands, jobs, commits, answers, share]: reset);
        lost_14 = lost;
        meant.opcode = verdict.opcode;
        entering.frame = verdict;
        entering.came = bit_cast_u::<24, 48>(now);
        comes = verdict_valid & !lost_14;
        inputs!(waiting: we = comes, waddr = last, wdata = entering, raddr = oldest);
        if comes {
            last = last + 1;
        }
        fields!(coming from verdict: qp, drop_code, role, int_length);
        coming.meant = meant.fate;
        rows.up.data = coming;
        rows.up.valid = comes;
        inputs!(contexts: we = context_valid, waddr = context_qp);
        contexts.wdata = context_data;

        // 4: the oldest turn acts when all that it may need has room and its engine has decided; no two marks follow each other
        turn = turns.down.data;
        held.raddr = oldest_held;
        frame = held.rdata;
        room = commands.up.ready
            & jobs.up.ready
            & commits.up.ready
            & (!turn.notice | notice_room)
            & (!turn.control | control_room)
            & !(turn.ecn & mark_out);
        engine = turn.request | turn.response;
        action = if turn.response { response_action.data } else { request_action.data };
        acts = room & (!turn.request | request_action.valid) & (!turn.response | response_action.valid);
        turns.down.ready = acts;
        request_action.ready = turns.down.valid & room & turn.request;
        response_action.ready = turns.down.valid & room & turn.response;
        done = turns.down.valid & acts;
        taken = engine & action.take;
        acknowledges = turn.fate == FrameFate::Acknowledgement;
        committed = (engine & action.commits) | acknowledges;
        if done {
            oldest_held = oldest_held + 1;
        }

        // 0: as many rows as every queue has room for
        rows.down.ready = open;
        enters = rows.down.valid & open;
        if enters & !done {
            inside = inside + 1;
        }
        if done & !enters {
            inside = inside - 1;
        }
        open = inside < 15;
        if enters {
            oldest = oldest + 1;
        }
        leaving = rows.down.data;
        contexts.raddr = leaving.qp;
        assign!(valid_1.d = enters, head_1.d = leaving);

        // 1
        valid_2 = valid_1;
        context_2 = contexts.rdata;
        head_2 = head_1;
        whole_1 = head_1.role == FrameRole::Control;
        parts_2.header = whole_1 | (head_1.int_length >= 2);
        parts_2.hop_1 = whole_1 | (head_1.int_length > 8);
        parts_2.hop_2 = whole_1 | (head_1.int_length > 16);
        parts_2.hop_3 = whole_1 | (head_1.int_length > 24);
        parts_2.hop_4 = whole_1 | (head_1.int_length > 32);
        parts_2.hop_5 = whole_1 | (head_1.int_length > 40);

        // 2
        arrived = waiting.rdata;
        row_2 = arrived.frame;
        // who has its share of the packet buffer gets no more short frames to an engine
        share.free = free;
        share.enters = comes;
        share.next_qp = next_qp;
        // four beats at most, whatever the headers: fewer clocks than an engine takes for one queue pair
        share.short = (verdict.drop_code == DropCode::None) & verdict.qp.any() & (verdict.payload_length < 128);
        share.leaves = valid_2;
        share.next_leaving_qp = head_1.qp;
        inputs!(classify: raw = row_2, head = head_2, parts = parts_2, of_queue_pair = context_2);
        judged = classify.row;
        drops = share.over
            & ((classify.fate == FrameFate::Request)
                | (classify.fate == FrameFate::ReadResponse)
                | (classify.fate == FrameFate::Acknowledgement));
        fate_2 = if drops { FrameFate::Dropped } else { classify.fate };
        given = bit_cast_word::<Extension, W<128, 2>>(row_2.extension);
        aeth = bit_cast_word::<AckHeader, U<32>>(given.aeth);
        turn_2.fate = fate_2;
        turn_2.request = fate_2 == FrameFate::Request;
        turn_2.response = fate_2 == FrameFate::ReadResponse;
        turn_2.notice =
            (fate_2 == FrameFate::Echo) | (fate_2 == FrameFate::Notification) | (fate_2 == FrameFate::ProbeResponse);
        turn_2.control = fate_2 == FrameFate::Control;
        turn_2.ecn = row_2.ecn.all();
        fields!(held_2 from judged: qp, generation, psn, payload_length, int_on);
        fields!(held_2: syndrome = aeth.syndrome, came = arrived.came, body = classify.body, int_length = head_2.int_length);
        fields!(held_2 from row_2: payload_at, source_ip, right_length = control_length);
        inputs!(held: we = valid_2, waddr = last_held, wdata = held_2);
        if valid_2 {
            last_held = last_held + 1;
        }
        assign! {
            turn_3.d = turn_2, row_3.d = judged, over_3.d = drops, counter_3.d = classify.counter,
            faulty_3.d = classify.faulty, fault_3.d = classify.fault, of_peer_3.d = classify.of_peer,
            minds_peer_3.d = classify.minds_peer
        }
        valid_3 = valid_2;

        // 3
        foreign = minds_peer_3 & !of_peer_3;
        requests.up.valid = valid_3 & turn_3.request & !foreign;
        requests.up.data = row_3;
        responses.up.valid = valid_3 & turn_3.response & !foreign;
        responses.up.data = row_3;
        sorted = turn_3;
        if foreign {
            sorted.fate = FrameFate::Dropped;
            sorted.request = false;
            sorted.response = false;
            sorted.notice = false;
        }
        inputs!(turns: up.valid = valid_3, up.data = sorted);
        StreamOut::<RxPacket>::link(&mut request, &mut requests.down);
        StreamOut::<RxPacket>::link(&mut response, &mut responses.down);
        counts_out = bits_u::<50>(0);
        counted_4 = if faulty_3 { fault_3 } else { counter_3 };
        if foreign {
            counted_4 = FrameCount::WrongPeer;
        }
        counts_4 = valid_3 & (foreign | !over_3);
        place = bit_cast_number::<6, FrameCount>(counted_4);
        if counts_4 & (counted_4 != FrameCount::None) {
            counts_out = bits_u::<50>(1) << place;
        }
        counts = counts_out;
        unfair_out = valid_3 & over_3 & !foreign;
        unfair = unfair_out;

        // 4: what leaves of a turn leaves in one clock, so that all three are in the order of the frames
        address = bit_cast_word::<ByteAddress, U<64>>(action.address);
        asked.take = taken;
        asked.at = bit_cast_word::<FramePlace, U<7>>(frame.payload_at);
        asked.length = frame.payload_length;
        fields!(asked.to from address: in_line, line = line.in_page);
        inputs!(commands: up.valid = done, up.data = asked);
        StreamOut::<BufferCommand>::link(&mut command, &mut commands.down);
        to_write.address = action.address;
        to_write.length = bit_cast_u::<13, 16>(frame.payload_length);
        jobs.up.valid = done & taken;
        jobs.up.data = to_write;
        StreamOut::<DmaJob>::link(&mut job, &mut jobs.down);
        // what is committed is what the engine says, or that an acknowledgement came, with what the frame brought; a READ asks where that had INT
        stack = bit_cast_bus::<336, 6, IntStack>(frame.body.int_stack);
        fields!(reads from action: address, guard, length, count, duplicate);
        fields!(entry: waits = taken, commit.int_stack = stack);
        entry.commit.ecn = acknowledges & turn.ecn;
        fields!(entry from frame:
            commit.qp = qp, commit.generation = generation, commit.int_length = int_length, commit.int_on = int_on);
        fields!(entry from action:
            commit.kind = kind, commit.psn = psn, commit.syndrome = syndrome, commit.msn = msn, commit.answer = answer,
            commit.ends_or_failed = ends);
        if acknowledges {
            entry.commit.kind = CommitKind::Answer;
            entry.commit.answer = AnswerKind::Acknowledgement;
            fields!(entry from frame: commit.psn = psn, commit.syndrome = syndrome, commit.msn = came);
            entry.commit.ends_or_failed = false;
        }
        if engine & (action.kind == CommitKind::Read) {
            entry.commit.int_stack = bit_cast_bus::<336, 6, ReadRequest>(reads);
        }
        commits.up.valid = done & committed;
        commits.up.data = entry;
        StreamOut::<CommitEntry>::link(&mut commit, &mut commits.down);

        // marks count whatever the engines say
        mark_out = done & engine & turn.ecn;
        fields!(marked.d: qp = frame.qp, generation = frame.generation, response = turn.response);
        assign!(mark_valid = mark_out, mark = marked);

        // registers of their own for turns: the others enable all bits of a word
        notice_waits = if notice_full { !notice.ready } else { done & turn.notice };
        control_waits = if control_full { !control.ready } else { done & turn.control };
        assign!(notice_full.d = notice_waits, control_full.d = control_waits);
        notice_room = !notice_waits;
        control_room = !control_waits;
        heard = if turn.fate == FrameFate::Notification { CcEventKind::Cnp } else { CcEventKind::Ack };
        if turn.fate == FrameFate::ProbeResponse {
            heard = CcEventKind::Probe;
        }
        if !notice_full {
            notice_word.event_kind = bit_cast_number::<3, CcEventKind>(heard);
            notice_word.response = turn.fate == FrameFate::Echo;
            fields!(notice_word.d from frame: qp, generation, psn, int_length);
            fields!(notice_word.d: ecn = turn.ecn, int_stack = stack);
        }
        if !control_full {
            control_word.body = bit_cast_bus::<560, 9, IntBody>(frame.body);
            fields!(control_word.d from frame: source_ip, right_length);
        }
        assign! {
            notice.valid = notice_full, notice.data = notice_word, control.valid = control_full, control.data = control_word
        }

        // a probe is answered beside everything else
        answered = bits_zero::<AckSend>(0);
        answered.kind = AckKind::ProbeResponse;
        fields!(answered from frame: qp, generation, psn, int_length);
        answered.int_stack = stack;
        answers.up.data = answered;
        answers.up.valid = done & (turn.fate == FrameFate::Probe) & answers.up.ready;
        StreamOut::<AckSend>::link(&mut answer, &mut answers.down);
        // for those who wait until nothing of a queue pair is on its way
        assign!(entered.d = enters, left.d = done);
        write_left = done & taken;
        assign!(frame_enters = entered, frame_done = left, write_made = write_left);
        reset! {
            entered, left, write_left, open, inside, last, oldest, last_held, oldest_held, valid_1, valid_2, valid_3, notice_full, control_full, notice_room, control_room, mark_out, unfair_out,
            counts_4, counts_out
        }
    }
}
