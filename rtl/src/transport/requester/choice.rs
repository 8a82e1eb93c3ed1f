//! Which input of the requester is next: the first of those that wait, in a fixed order. It stays on its stream until `save`.
//!
//! READ responses and answers come first, but no more than 31 in a row while anything else waits: a peer that sends acknowledgements
//! without end would keep work requests from ever being taken. More often would be too much: responses of 256 bytes fill the packet buffer
//! meanwhile.

use crate::prim::skid::StreamIn;
use crate::prim::uint::{bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::sched::ports::EndedIn;
use crate::words::flows::{FailedPacket, FlowPacket, QpFlow};
use crate::words::requester::QpOfGeneration;
use crate::words::transport::{Commit, RxPacket};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Chooses the next operation and keeps what it is about. One of the outputs `row` to `work` is high after the choice.
#[block]
pub struct Choice {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Choose in this clock.
    pub idle: Signal<In, Bit>,
    /// Nothing is being done, but for `save`.
    pub free: Signal<In, Bit>,
    /// The operation chosen before is done: its item is taken, except a work request.
    pub save: Signal<In, Bit>,
    /// No READ response may be chosen. While one waits this goes low at most.
    pub hold_rows: Signal<In, Bit>,
    /// READ responses.
    pub rows: StreamIn<RxPacket>,
    /// Answers.
    pub answers: StreamIn<Commit>,
    /// Flows at their retry limit.
    pub limits: EndedIn,
    /// Packets whose payload could not be read.
    pub errors: StreamIn<FailedPacket>,
    /// Removals: `QpOfGeneration`.
    pub removals: StreamIn<QpOfGeneration>,
    /// Queue pairs whose completions wait for room.
    pub tells: StreamIn<QpOfGeneration>,
    /// There is room for one.
    pub room: Signal<In, Bit>,
    /// Removals wait for completions.
    pub hold_removals: Signal<In, Bit>,
    /// With `save`: not all completions of `tell` have found room, and its queue pair stays.
    pub kept: Signal<In, Bit>,
    /// With `save`: completions that wait come before the removal, which stays.
    pub removal_waits: Signal<In, Bit>,
    /// A work request waits.
    pub work_waits: Signal<In, Bit>,
    /// Queue pair of the work request.
    pub work_qp: Signal<In, U<8>>,
    /// An input waits and can be chosen.
    pub any: Signal<Out, Bit>,
    /// An input waits, or is just being taken.
    pub calls: Signal<Out, Bit>,
    /// READ response.
    pub row: Signal<Out, Bit>,
    /// Answer.
    pub answer: Signal<Out, Bit>,
    /// Retry limit.
    pub ended: Signal<Out, Bit>,
    /// Memory error.
    pub error: Signal<Out, Bit>,
    /// Removal.
    pub remove: Signal<Out, Bit>,
    /// Completions have room.
    pub tell: Signal<Out, Bit>,
    /// Work request.
    pub work: Signal<Out, Bit>,
    /// Queue pair concerned.
    pub qp: Signal<Out, U<8>>,
    /// Generation concerned; not of work requests.
    pub generation: Signal<Out, U<8>>,
    /// PSN concerned, if any.
    pub psn: Signal<Out, U<24>>,
    /// It concerns a flow of READ responses, which has no requester.
    pub response: Signal<Out, Bit>,
    /// With `error`: the region of the payload stands no longer; low: host memory failed.
    pub refused: Signal<Out, Bit>,
    #[registers(Bit:
        /// Operation in hand: a READ response.
        op_row,
        /// Operation in hand: an answer.
        op_answer,
        /// Operation in hand: the flow has ended at its retry limit.
        op_ended,
        /// Operation in hand: the memory reader failed.
        op_error,
        /// Operation in hand: the queue pair is removed.
        op_remove,
        /// Operation in hand: a completion that waits is told.
        op_tell,
        /// Operation in hand: a work request.
        op_work,
        /// The flow of the operation in hand sends READ responses.
        op_response,
        /// Operation in hand: the region of the payload stands no longer.
        op_refused,
        /// As many operations about packets as may be have passed other inputs that wait.
        passed,
        /// An operation was chosen a clock ago.
        chose,
        /// That operation was about a packet.
        chose_packet,
        /// A READ response waits, as seen a clock ago.
        row_seen,
        /// An answer waits, as seen a clock ago.
        answer_seen,
        /// A flow that has ended at its retry limit waits, as seen a clock ago.
        limit_seen,
        /// A failure of the memory reader waits, as seen a clock ago.
        error_seen,
        /// A removal waits, as seen a clock ago.
        removal_seen,
        /// A completion waits to be told and there is room for it, as seen a clock ago.
        tell_seen,
        /// The completion that was told leaves its queue in this clock.
        tell_goes)]
    #[registers(U<8>:
        /// Queue pair of the operation in hand.
        op_qp,
        /// Generation that the operation in hand is meant for.
        op_generation)]
    #[signals(QpFlow: limit_flow, error_flow)]
    waits: [Signal<Local, Bit>; 7],
    /// Operations about packets since the last other one, 31 at most; `passed` if they were as many a clock ago, while another input waited.
    packets: DFF<U<5>>,
    #[signals(Bit: packet, flow_waits, in_hand)]
    row_word: Signal<Local, RxPacket>,
    answer_word: Signal<Local, Commit>,
    /// PSN of the operation in hand.
    op_psn: DFF<U<24>>,
    failed: Signal<Local, FailedPacket>,
    failure: Signal<Local, FlowPacket>,
    removal: Signal<Local, QpOfGeneration>,
    #[signals(U<8>: packet_qp, flow_qp, own_qp)]
    new_qp: Signal<Local, U<8>>,
}

#[kernel]
impl Logic for Choice {
    fn update(&mut self) {
        rows.ready = save & op_row;
        answers.ready = save & op_answer;
        limits.ready = save & op_ended;
        errors.ready = save & op_error;
        removals.ready = save & op_remove & !removal_waits;
        tell_goes = save & op_tell & !kept;
        tells.ready = tell_goes;
        // what waits is seen a clock later, and not before what was taken is gone
        in_hand = save | !free;
        row_seen = rows.valid & !hold_rows & !(op_row & in_hand);
        answer_seen = answers.valid & !(op_answer & in_hand);
        waits[0] = row_seen & !passed;
        waits[1] = answer_seen & !passed;
        limit_seen = limits.valid & !(op_ended & in_hand);
        error_seen = errors.valid & !(op_error & in_hand);
        removal_seen = removals.valid & !hold_removals & !(op_remove & in_hand);
        tell_seen = tells.valid & room & !(op_tell & in_hand) & !tell_goes;
        waits[2] = limit_seen;
        waits[3] = error_seen;
        waits[4] = removal_seen;
        waits[5] = work_waits;
        waits[6] = tell_seen;
        passed = packets.all() & (waits[2] | waits[3] | waits[4] | waits[5] | waits[6]);
        packet = waits[0] | waits[1];
        flow_waits = waits[2] | waits[3];
        any = packet | flow_waits | waits[4] | waits[5] | waits[6];
        calls = any | (rows.valid & !hold_rows) | answers.valid;
        row_word = rows.data;
        answer_word = answers.data;
        // counted in the clock after the choice
        chose = idle & any;
        chose_packet = packet;
        if chose {
            if !chose_packet {
                packets = bits_u::<5>(0);
            } else if !packets.all() {
                packets = packets + 1;
            }
        }
        if idle {
            clear! {
                op_row, op_answer, op_ended, op_error, op_remove, op_tell, op_work, op_response, op_refused, op_generation, op_psn
            }
        }
        limit_flow = bit_cast_word::<QpFlow, U<16>>(limits.flow);
        failed = errors.data;
        failure = failed.packet;
        error_flow = bit_cast_word::<QpFlow, U<16>>(failure.flow);
        removal = removals.data;
        // in three pairs, so that no queue pair goes past all the others
        packet_qp = if waits[0] { row_word.qp } else { answer_word.qp };
        flow_qp = if waits[2] { limit_flow.qp } else { error_flow.qp };
        own_qp = work_qp;
        if waits[4] {
            own_qp = removal.qp;
        }
        if waits[6] {
            own_qp = tells.data.val().qp;
        }
        new_qp = if flow_waits { flow_qp } else { own_qp };
        if packet {
            new_qp = packet_qp;
        }
        if waits[0] {
            if idle {
                op_row = true;
                assign!(op_generation.d = row_word.generation, op_psn.d = row_word.psn);
            }
        } else if waits[1] {
            if idle {
                op_answer = true;
                assign!(op_generation.d = answer_word.generation, op_psn.d = answer_word.psn);
            }
        } else if waits[2] {
            if idle {
                op_ended = true;
                assign!(op_generation.d = limits.generation, op_response.d = limit_flow.response);
            }
        } else if waits[3] {
            if idle {
                op_error = true;
                assign! {
                    op_generation.d = failure.generation, op_psn.d = failure.psn, op_response.d = error_flow.response,
                    op_refused.d = failed.refused
                }
            }
        } else if waits[6] {
            if idle {
                op_tell = true;
                op_generation = tells.data.val().generation;
            }
        } else if waits[4] {
            if idle {
                op_remove = true;
                op_generation = removal.generation;
            }
        } else if idle {
            op_work = waits[5];
        }
        if idle {
            op_qp = new_qp;
        }
        assign! {
            row = op_row, answer = op_answer, ended = op_ended, error = op_error, remove = op_remove, tell = op_tell,
            work = op_work, qp = op_qp, generation = op_generation, psn = op_psn, response = op_response, refused = op_refused
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step};

    /// Takes every input in the clock behind its choice: which of row, answer, limit, error, tell, removal and work it was.
    fn chosen(waiting: [bool; 7], operations: usize) -> Vec<usize> {
        let mut block: Box<Choice> = Box::default();
        init(block.as_mut()).expect("complete block");
        let [row, answer, limit, error, tell, removal, work] = waiting;
        block.rows.valid.next = row;
        block.answers.valid.next = answer;
        block.limits.valid.next = limit;
        block.errors.valid.next = error;
        block.tells.valid.next = tell;
        block.removals.valid.next = removal;
        block.work_waits.next = work;
        block.room.next = true;
        block.kept.next = false;
        block.removal_waits.next = false;
        block.hold_rows.next = false;
        block.hold_removals.next = false;
        let mut order = vec![];
        block.save.next = false;
        for clock in 0.. {
            // one clock to choose, one to look, one to take; the item behind waits in the clock after and is seen in the next one
            block.idle.next = clock % 5 == 0;
            block.free.next = clock % 5 == 0 || clock % 5 > 2;
            block.save.next = clock % 5 == 2;
            let (any, ops) = step(block.as_mut(), |b| {
                let ops = [&b.row, &b.answer, &b.ended, &b.error, &b.tell, &b.remove, &b.work];
                (b.any.val(), ops.map(|op| op.val()))
            });
            assert!(
                any || clock % 5 != 0 || clock == 0,
                "clock {clock}: something always waits"
            );
            if clock % 5 == 1 && clock > 5 {
                let which: Vec<usize> = (0..7).filter(|i| ops[*i]).collect();
                assert_eq!(which.len(), 1, "clock {clock}");
                order.extend(which);
            }
            if order.len() == operations {
                break;
            }
        }
        order
    }

    /// What comes when packets and these wait all the time: so many packets first.
    fn behind_packets(waiting: [bool; 7], packets: usize) -> usize {
        let order = chosen(waiting, 2 * (packets + 1));
        let first = *order.iter().find(|which| **which > 1).expect("something else");
        let packet = if waiting[0] { 0 } else { 1 };
        let turn: Vec<usize> = std::iter::repeat_n(packet, packets).chain([first]).collect();
        assert_eq!(order, [turn.clone(), turn].concat());
        first
    }

    #[test]
    fn packets_come_first_but_not_without_end_while_something_else_waits() {
        let packets = |row, answer, work| chosen([row, answer, false, false, false, false, work], 40);
        assert_eq!(packets(true, true, false), [0; 40]);
        assert_eq!(packets(false, true, false), [1; 40]);
        assert_eq!(packets(false, false, true), [6; 40]);
        assert_eq!(behind_packets([true, true, false, false, false, false, true], 31), 6);
        assert_eq!(behind_packets([false, true, false, false, false, false, true], 31), 6);
        // the others among themselves in their order
        assert_eq!(behind_packets([false, true, true, true, true, true, true], 31), 2);
        assert_eq!(behind_packets([false, true, false, true, true, true, true], 31), 3);
        assert_eq!(behind_packets([false, true, false, false, true, true, true], 31), 4);
        assert_eq!(behind_packets([false, true, false, false, false, true, true], 31), 5);
    }
}
