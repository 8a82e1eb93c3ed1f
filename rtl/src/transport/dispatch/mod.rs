//! Dispatch: what becomes of each frame, in the order of the frames.
//!
//! Verdicts of the parser wait in a FIFO as deep as the packet buffer has frames, so none is ever lost. Then one row a clock:
//!
//! | clock | does |
//! |---|---|
//! | 0 | row out of the FIFO, context read |
//! | 1 | row and context into registers |
//! | 2 | checks, fate ([`classify`]) |
//! | 3 | hands requests and READ responses to their engine |
//! | 4 | acts: skips, commits, reports, or waits for the engine's decision while the next row is with its own |
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

use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::ram::Ram;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::congestion::CcEventKind;
use crate::words::context::QpContext;
use crate::words::dma::DmaJob;
use crate::words::flows::Notice;
use crate::words::rx::{
    ArrivedFrame, BufferCommand, CommitEntry, ControlPacket, DropCode, FrameCount, FrameFate, JudgedFrame,
};
use crate::words::transport::{AckKind, AckSend, Action, AnswerKind, CommitKind, CongestionMark, RxPacket};
use crate::words::wire::{AckHeader, Extension};
use crate::{block, kernel};
use classify::Classify;
use hpcc_models::nic::Counter;
use rust_hdl::prelude::*;
use share::Share;

/// Number of counters that dispatch may count, the first of [`Counter::ALL`]. The one behind them counts frames that never get here.
pub const COUNTERS: usize = 44;
const _: () = assert!(Counter::RxBufferFull as usize == COUNTERS);

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
    /// The parser's outputs.
    pub verdict: Signal<In, JudgedFrame>,
    /// The packet buffer lost the frame whose last beat came two clocks ago.
    pub lost: Signal<In, Bit>,
    /// Beats of the packet buffer that are free.
    pub free: Signal<In, U<10>>,
    /// A context is written.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair.
    pub context_qp: Signal<In, U<8>>,
    /// Its context.
    pub context_data: Signal<In, QpContext>,
    /// Commands to the packet buffer.
    pub command: StreamOut<BufferCommand>,
    /// Jobs of the memory writer.
    pub job: StreamOut<DmaJob>,
    /// What is to happen when memory has the payload.
    pub commit: StreamOut<CommitEntry>,
    /// Requests, to the responder.
    pub request: StreamOut<RxPacket>,
    /// Its decisions.
    pub request_action: StreamIn<Action>,
    /// READ responses, to the requester.
    pub response: StreamOut<RxPacket>,
    /// Its decisions.
    pub response_action: StreamIn<Action>,
    /// READ echoes, responses to probes and congestion notifications.
    pub notice: StreamOut<Notice>,
    /// Control packets.
    pub control: StreamOut<ControlPacket>,
    /// Answers to probes. One that finds 32 waiting is dropped: whoever asks will ask again.
    pub answer: StreamOut<AckSend>,
    /// A request or READ response came with the mark "congestion experienced". At most every second clock in the mean.
    pub mark_valid: Signal<Out, Bit>,
    /// Whose.
    pub mark: Signal<Out, CongestionMark>,
    /// Pulses in the order of [`Counter::ALL`].
    pub counts: Signal<Out, U<44>>,
    /// A frame was dropped because its queue pair had its share of the packet buffer.
    pub unfair: Signal<Out, Bit>,
    #[signals(Bit: advance, hands, moves, drops, can_leave, done, decided, engine, taken)]
    #[registers(Bit: valid_1, valid_2, valid_3, handed, valid_4, command_full, job_full, commit_full, notice_full)]
    #[registers(Bit: control_full, over_3, over, unfair_out)]
    #[registers(JudgedFrame: row_1, row_2)]
    #[registers(U<24>: came_1, came_2, came_3, came)]
    #[registers(FrameFate: fate_3, fate)]
    #[registers(FrameCount: counter_3, counter)]
    #[registers(RxPacket: row_3, row)]
    #[registers(ControlPacket: body_3, body, control_word)]
    lost_13: Delay<Bit, 11>,
    rows: StreamFifo<ArrivedFrame, 9, 512>,
    share: Share,
    contexts: Ram<QpContext, 8>,
    #[combinational]
    classify: Classify,
    context_2: DFF<QpContext>,
    command_word: DFF<BufferCommand>,
    job_word: DFF<DmaJob>,
    commit_word: DFF<CommitEntry>,
    notice_word: DFF<Notice>,
    answers: StreamFifo<AckSend, 5, 32>,
    answered: Signal<Local, AckSend>,
    /// Place of the counter.
    place: Signal<Local, U<6>>,
    entering: Signal<Local, ArrivedFrame>,
    arriving: Signal<Local, ArrivedFrame>,
    action: Signal<Local, Action>,
    heard: Signal<Local, CcEventKind>,
    given: Signal<Local, Extension>,
    aeth: Signal<Local, AckHeader>,
    counts_out: DFF<U<44>>,
}

#[kernel]
impl Logic for Dispatch {
    fn update(&mut self) {
        rows.reset = reset;
        lost_13 = lost;
        entering.frame = verdict;
        entering.came = bit_cast_u::<24, 48>(now);
        rows.up.data = entering;
        rows.up.valid = verdict_valid & !lost_13;
        inputs!(contexts: we = context_valid, waddr = context_qp);
        contexts.wdata = context_data;

        // what the row asks for leaves in one clock, when everything before it has left
        can_leave = (!command_full | command.ready)
            & (!job_full | job.ready)
            & (!commit_full | commit.ready)
            & (!notice_full | notice.ready)
            & (!control_full | control.ready);
        engine = (fate == FrameFate::Request) | (fate == FrameFate::ReadResponse);
        action = request_action.data;
        decided = request_action.valid;
        if fate == FrameFate::ReadResponse {
            action = response_action.data;
            decided = response_action.valid;
        }
        request_action.ready = valid_4 & can_leave & (fate == FrameFate::Request);
        response_action.ready = valid_4 & can_leave & (fate == FrameFate::ReadResponse);
        done = can_leave & valid_4 & (!engine | decided);

        // the row behind goes to its engine meanwhile
        request.valid = valid_3 & !handed & (fate_3 == FrameFate::Request);
        request.data = row_3;
        response.valid = valid_3 & !handed & (fate_3 == FrameFate::ReadResponse);
        response.data = row_3;
        hands = handed
            | ((fate_3 != FrameFate::Request) & (fate_3 != FrameFate::ReadResponse))
            | ((fate_3 == FrameFate::Request) & request.ready)
            | ((fate_3 == FrameFate::ReadResponse) & response.ready);
        moves = valid_3 & hands & (!valid_4 | done);
        advance = !valid_3 | moves;
        handed = valid_3 & hands & !moves;
        if done {
            valid_4 = false;
        }
        if moves {
            valid_4 = true;
            assign!(
                fate.d = fate_3,
                counter.d = counter_3,
                over.d = over_3,
                row.d = row_3,
                came.d = came_3,
                body.d = body_3
            );
        }

        // who has its share of the packet buffer gets no more short frames to an engine
        inputs!(share: reset, free);
        share.enters = verdict_valid & !lost_13;
        share.qp = bit_cast_u::<8, 24>(verdict.qpn);
        // four beats at most, whatever the headers: fewer clocks than an engine takes
        share.short = (verdict.drop_code == DropCode::None) & verdict.qpn.any() & (verdict.payload_length < 128);
        share.leaves = advance & valid_2;
        share.leaving_qp = bit_cast_u::<8, 24>(row_2.qpn);
        drops = share.over
            & ((classify.fate == FrameFate::Request)
                | (classify.fate == FrameFate::ReadResponse)
                | (classify.fate == FrameFate::Acknowledgement));

        // a stalled row keeps reading its own context
        rows.down.ready = advance;
        arriving = rows.down.data;
        contexts.raddr = bit_cast_u::<8, 24>(row_1.qpn);
        if advance {
            contexts.raddr = bit_cast_u::<8, 24>(arriving.frame.qpn);
            assign!(
                valid_1.d = rows.down.valid,
                row_1.d = arriving.frame,
                came_1.d = arriving.came
            );
            advance!(valid_2, row_2, came_2, came_3);
            context_2 = contexts.rdata;
            valid_3 = valid_2;
            assign! {
                fate_3.d = classify.fate, counter_3.d = classify.counter, row_3.d = classify.row
            }
            over_3 = drops;
            if drops {
                fate_3 = FrameFate::Dropped;
                counter_3 = FrameCount::None;
            }
            fields!(body_3.d from row_2: body, source_ip, right_length = control_length);
        }
        inputs!(classify: raw = row_2, of_queue_pair = context_2);

        given = bit_cast_word::<Extension, W<128, 2>>(row.extension);
        aeth = bit_cast_word::<AckHeader, U<32>>(given.aeth);
        taken = engine & action.take;

        // marks count whatever the engines say
        mark_valid = done & engine & row.ecn.all();
        mark = bits_zero::<CongestionMark>(0);
        fields!(mark from row: qp, generation);
        mark.response = fate == FrameFate::ReadResponse;

        if command.ready {
            command_full = false;
        }
        if job.ready {
            job_full = false;
        }
        if commit.ready {
            commit_full = false;
        }
        if notice.ready {
            notice_full = false;
        }
        if control.ready {
            control_full = false;
        }
        counts_out = bits_u::<44>(0);
        place = bit_cast_number::<6, FrameCount>(counter);
        if done {
            command_full = true;
            command_word = bits_zero::<BufferCommand>(0);
            if taken {
                command_word.take = true;
                fields!(command_word.d from row: at = payload_at, length = payload_length);
            }
            job_full = taken;
            job_word.address = action.address;
            job_word.length = bit_cast_u::<13, 16>(row.payload_length);
            commit_full = (engine & action.commits) | (fate == FrameFate::Acknowledgement);
            fields!(commit_word.d: commit = action.commit, waits = taken);
            if fate == FrameFate::Acknowledgement {
                commit_word = bits_zero::<CommitEntry>(0);
                commit_word.commit.kind = CommitKind::Answer;
                commit_word.commit.answer = AnswerKind::Acknowledgement;
                fields!(commit_word.d from row: commit.qp = qp, commit.generation = generation, commit.psn = psn);
                commit_word.commit.syndrome = aeth.syndrome;
                commit_word.commit.msn = came;
                fields!(commit_word.d from row:
                    commit.int_length = int_length, commit.int_stack = int_stack, commit.int_on = int_on);
                commit_word.commit.ecn = row.ecn.all();
            }
            notice_full =
                (fate == FrameFate::Echo) | (fate == FrameFate::Notification) | (fate == FrameFate::ProbeResponse);
            control_full = fate == FrameFate::Control;
            if counter != FrameCount::None {
                counts_out = bits_u::<44>(1) << place;
            }
        }
        heard = if fate == FrameFate::Notification { CcEventKind::Cnp } else { CcEventKind::Ack };
        if fate == FrameFate::ProbeResponse {
            heard = CcEventKind::Probe;
        }
        if done {
            notice_word.event_kind = bit_cast_number::<3, CcEventKind>(heard);
            notice_word.response = fate == FrameFate::Echo;
            fields!(notice_word.d from row: qp, generation, psn);
            notice_word.ecn = row.ecn.all();
            fields!(notice_word.d from row: int_length, int_stack);
            control_word = body;
        }
        command.valid = command_full;
        command.data = command_word;
        job.valid = job_full;
        job.data = job_word;
        commit.valid = commit_full;
        commit.data = commit_word;
        notice.valid = notice_full;
        notice.data = notice_word;
        control.valid = control_full;
        control.data = control_word;
        counts = counts_out;
        unfair_out = done & over;
        unfair = unfair_out;

        // a probe is answered beside everything else
        answered = bits_zero::<AckSend>(0);
        answered.kind = AckKind::ProbeResponse;
        fields!(answered from row: qp, generation, psn, int_length, int_stack);
        answers.reset = reset;
        answers.up.data = answered;
        answers.up.valid = done & (fate == FrameFate::Probe) & answers.up.ready;
        StreamOut::<AckSend>::link(&mut answer, &mut answers.down);
        reset! {
            valid_1, valid_2, valid_3, command_full, job_full, commit_full, valid_4, handed, notice_full, control_full
        }
    }
}
