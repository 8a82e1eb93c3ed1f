//! Responder: what becomes of a request of the peer. One request in five clocks.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | row offered | its queue pair's state is read, its region looked up |
//! | 1 | `row_1` | packets of a READ |
//! | 2 | `known`, `sum_2` | distance from the expected PSN, lengths |
//! | 3 | `distance_3`, ... | order, rules of messages |
//! | 4 | `fits_4`, ... | with the verdict on the region: outcome, state written |
//! | 5 | `action` | |
//!
//! The next row comes in while the decision is handed over. If it is not, the next one waits in clock 4.
//!
//! The state moves with the decision; the payload goes to memory and the answer out afterwards, in that order. Reference:
//! `hpcc_models::nic::Nic::receive` for requests (`respond`, `responder`), but for three things that only the whole NIC can know:
//! a write error comes back on `fail`, what has left and what was taken back on `left`, and `full` says when answers have no room.

pub mod rules;
pub mod state;
#[cfg(test)]
mod tests;

use crate::host::regions::RegionCheck;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::words::context::{QpContext, Region};
use crate::words::counters::ResponderCounts;
use crate::words::responder::{ResponderState, ResponsesLeft};
use crate::words::transport::{Action, Commit, CommitKind, ReadRequest, RxPacket};
use crate::words::wire::{AethSyndrome, Opcode, RdmaHeader};
use crate::{block, kernel};
use hpcc_models::nic::Counter;
use rules::Rules;
use rust_hdl::prelude::*;
use state::ResponderTables;

/// What [`Responder::count`] counts, in the order of `ResponderCounts`. The first also stands for a queue pair that was removed meanwhile.
pub const RESPONDER_COUNTERS: [Counter; 8] = [
    Counter::UnknownQp,
    Counter::QpEnded,
    Counter::AckQueueFull,
    Counter::ReadDepth,
    Counter::Stray,
    Counter::OutOfSequence,
    Counter::Duplicates,
    Counter::NaksSent,
];

/// Responder of 256 queue pairs.
#[block]
pub struct Responder {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A queue pair is created or removed; at most every third clock.
    pub context_valid: Signal<In, Bit>,
    /// Which.
    pub context_qp: Signal<In, U<8>>,
    /// Its context.
    pub context_data: Signal<In, QpContext>,
    /// A region slot is written.
    pub region_valid: Signal<In, Bit>,
    /// Which.
    pub region_slot: Signal<In, U<5>>,
    /// Its content.
    pub region_data: Signal<In, Region>,
    /// Register: READ requests queued per queue pair, at most 100.
    pub cfg_reads: Signal<In, U<8>>,
    /// The response queue has no room for answers to new requests.
    pub full: Signal<In, Bit>,
    /// The response queue has something to tell; not in every clock.
    pub left_valid: Signal<In, Bit>,
    /// Of this queue pair.
    pub left_qp: Signal<In, U<8>>,
    /// And generation.
    pub left_generation: Signal<In, U<8>>,
    /// What: a `ResponseNotice`.
    pub left_what: Signal<In, U<3>>,
    /// A write of this queue pair failed; not in every clock.
    pub fail_valid: Signal<In, Bit>,
    /// Queue pair.
    pub fail_qp: Signal<In, U<8>>,
    /// Generation.
    pub fail_generation: Signal<In, U<8>>,
    /// Requests.
    pub row: StreamIn<RxPacket>,
    /// One decision for each.
    pub action: StreamOut<Action>,
    /// Pulses in the order of [`RESPONDER_COUNTERS`].
    pub count: Signal<Out, U<8>>,
    #[signals(RdmaHeader: offered_reth, reth)]
    #[signals(Bit: take, decides, allowed)]
    /// The verdict on the region shows for one clock.
    waited: DFF<Bit>,
    regions: RegionCheck,
    tables: ResponderTables,
    phase: DFF<U<3>>,
    offered: Signal<Local, RxPacket>,
    allowed_kept: DFF<Bit>,
    // 1
    row_1: DFF<RxPacket>,
    overtaken: DFF<Bit>,
    same: Signal<Local, Bit>,
    // 2
    rules: Rules,
    known: DFF<ResponderState>,
    left_2: DFF<ResponsesLeft>,
    // 4
    #[signals(Bit: report, again, reread, reread_stray, invalid, refused, depth, do_write, do_read, do_reread, nak)]
    #[signals(Bit: answered)]
    #[signals(U<24>: psn, msn)]
    syndrome: Signal<Local, AethSyndrome>,
    kind: Signal<Local, CommitKind>,
    carried: Signal<Local, W<336, 6>>,
    asked: Signal<Local, ReadRequest>,
    state: Signal<Local, ResponderState>,
    commit: Signal<Local, Commit>,
    full_5: DFF<Bit>,
    action_5: DFF<Action>,
    count_5: DFF<ResponderCounts>,
}

#[kernel]
impl Logic for Responder {
    fn update(&mut self) {
        inputs!(tables:
            context_valid, context_qp, context_data, left_valid, left_qp, left_generation, left_what, fail_valid,
            fail_qp, fail_generation);
        inputs!(regions: reset, region_valid, region_slot, region_data);

        // 0
        take = (phase == 0) & row.valid;
        row.ready = phase == 0;
        offered = row.data;
        offered_reth = bit_cast_word::<RdmaHeader, W<128, 2>>(offered.extension);
        reth = bit_cast_word::<RdmaHeader, W<128, 2>>(row_1.extension);
        tables.qp = offered.qp;
        inputs!(regions from offered_reth: address, key, length);
        regions.access = if offered.opcode == Opcode::ReadRequest { bits_u::<2>(2) } else { bits_u::<2>(1) };
        same = context_valid & (context_qp == row_1.qp);
        overtaken = overtaken | same;
        if phase != 0 {
            phase = phase + 1;
        }
        decides = (phase == 4) & !full_5;
        if phase == 4 {
            phase = bits_u::<3>(4);
        }
        if decides {
            phase = bits_u::<3>(0);
        }
        waited = phase == 4;
        allowed = if waited { allowed_kept } else { regions.allowed };
        allowed_kept = allowed;
        if take {
            phase = bits_u::<3>(1);
            row_1 = offered;
            overtaken = context_valid & (context_qp == offered.qp);
        }

        // 1 to 3
        if phase == 1 {
            assign!(known.d = tables.word, left_2.d = tables.left);
        }
        inputs!(rules: row = row_1, known, left = left_2);
        inputs!(rules: cfg_reads, full);

        // 4: outcome
        report = rules.live & rules.gap & !rules.reported;
        again = rules.live & rules.old & !rules.is_read;
        reread = rules.live & rules.old & rules.is_read;
        reread_stray = reread & rules.stray;
        invalid = rules.live & rules.in_turn & !((rules.is_write & rules.fits) | (rules.is_read & rules.read_fits));
        refused = !allowed
            & ((reread & !rules.stray) | (rules.live & rules.in_turn & !invalid & (rules.is_read | rules.starts)));
        do_write = rules.live & rules.in_turn & rules.is_write & !invalid & !refused;
        do_read = rules.live & rules.in_turn & rules.is_read & !invalid & !refused & !rules.depth;
        do_reread = reread & !rules.stray & !refused & !rules.deeper;
        depth = (reread & !rules.stray & !refused & rules.deeper)
            | (rules.live & rules.in_turn & rules.is_read & !invalid & !refused & rules.depth);
        nak = invalid | refused;
        answered = row_1.int_on | row_1.ack_req | rules.ends;

        // 4: the answer
        psn = row_1.psn;
        syndrome = AethSyndrome::Ack;
        msn = known.msn;
        kind = CommitKind::Acknowledge;
        if report {
            psn = known.expected_psn;
            syndrome = AethSyndrome::NakSequence;
        }
        if again {
            psn = rules.previous;
        }
        if invalid {
            syndrome = AethSyndrome::NakInvalidRequest;
        }
        if refused {
            syndrome = AethSyndrome::NakRemoteAccess;
        }
        if (do_write & rules.ends) | do_read {
            msn = rules.next_msn;
        }
        if do_write & !answered {
            kind = CommitKind::Nothing;
        }
        fields!(asked: address = reth.address, length = reth.length, count = rules.count, duplicate = do_reread);
        carried = row_1.int_stack;
        if do_read | do_reread {
            kind = CommitKind::Read;
            carried = bit_cast_bus::<336, 6, ReadRequest>(asked);
        }
        commit = bits_zero::<Commit>(0);
        fields!(commit:
            kind, qp = row_1.qp, generation = row_1.generation, psn, syndrome, msn, int_length = row_1.int_length,
            int_stack = carried, int_on = row_1.int_on);
        commit.ends_or_failed = (do_write & rules.ends) | do_read;
        if action.ready {
            full_5 = false;
        }
        if decides {
            full_5 = true;
            action_5.take = do_write & !rules.empty;
            action_5.address = rules.base;
            action_5.commits = report | again | nak | do_write | do_read | do_reread;
            action_5.commit = commit;
        }
        action.valid = full_5;
        action.data = action_5;

        // 4: the new state
        state = known;
        state.msn = msn;
        state.reads = known.reads + bit_cast_u::<8, 1>(bit_cast_b(do_read | do_reread));
        state.naks_taken_back = left_2.naks_taken_back;
        state.reported = (rules.reported & !rules.in_turn) | report;
        state.in_message = known.in_message & !nak;
        state.ended = nak;
        if do_write {
            fields!(state from rules: expected_psn = after_one, address, remaining);
            state.in_message = !rules.ends;
        }
        if do_read {
            state.expected_psn = rules.after_read;
        }
        tables.we = decides & rules.live & !overtaken & !same;
        inputs!(tables: wqp = row_1.qp, wdata = state);
        count_5 = bits_zero::<ResponderCounts>(0);
        if decides {
            fields!(count_5.d from rules:
                drop_unknown_qp = is_void, drop_qp_ended = has_ended, drop_ack_queue_full = crowded);
            fields!(count_5.d: drop_read_depth = depth, drop_stray = reread_stray);
            count_5.out_of_sequence = rules.live & rules.gap;
            count_5.duplicates = rules.live & rules.old;
            count_5.naks_sent = report | nak;
        }
        count = bit_cast_number::<8, ResponderCounts>(count_5);

        if reset {
            clear!(phase, full_5);
            count_5 = bits_zero::<ResponderCounts>(0);
        }
    }
}
