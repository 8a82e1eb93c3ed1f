//! Responder: what becomes of a request of the peer. A request a clock; of one queue pair one in five clocks.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | `row_0` | its queue pair's state is read, its region looked up |
//! | 1 | `row_1` | packets of a READ |
//! | 2 | `known_2`, `row_2` | distance from the expected PSN, lengths |
//! | 3 | `known_3` | order, rules of messages |
//! | 4 | `known_4` | with the verdict on the region: what it is |
//! | 5 | `known_5`, `do_write_5`, ... | state written, action made |
//! | 6 | `actions` | |
//!
//! A row waits in clock 0 while one of its queue pair is in clocks 1 to 4, which is known when it gets there: those inside move on in every
//! clock. It also waits when twelve actions have not been taken; the queue of actions holds all that are inside.
//! A [creation](state) lets no row enter in two clocks, and what rows inside decide about its queue pair is not written.
//!
//! The state moves with the decision; the payload goes to memory and the answer out afterwards, in that order. Reference:
//! `hpcc_models::nic::Nic::receive` for requests (`respond`, `responder`), but for three things that only the whole NIC can know:
//! a write error comes back on `fail`, what has left and what was taken back on `left`, and `full` says when answers have no room.

pub mod rules;
pub mod state;
#[cfg(test)]
mod tests;

use crate::host::regions::RegionCheck;
use crate::prim::delay::Delay;
use crate::prim::short_fifo::ShortFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::context::{QpContext, Region, RegionAccess, RegionGuard};
use crate::words::counters::ResponderCounts;
use crate::words::responder::{ResponderState, ResponsesLeft};
use crate::words::transport::{Action, CommitKind, RxPacket};
use crate::words::wire::{AethSyndrome, Opcode, RdmaHeader};
use crate::{block, kernel};
use hpcc_models::nic::Counter;
use rules::Rules;
use rust_hdl::prelude::*;
use state::ResponderTables;

/// What [`Responder::count`] counts, in the order of `ResponderCounts`. The first also stands for a queue pair that was removed meanwhile.
pub const RESPONDER_COUNTERS: [Counter; 9] = [
    Counter::UnknownQp,
    Counter::QpEnded,
    Counter::AckQueueFull,
    Counter::ReadDepth,
    Counter::Stray,
    Counter::OutOfSequence,
    Counter::Duplicates,
    Counter::NaksSent,
    Counter::RefusedRequest,
];

/// Responder of 256 queue pairs.
#[block]
pub struct Responder {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A queue pair is created or removed; at most every third clock. Rows of its new generation come from the fourth clock after on.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// The entry of a region's key is written.
    pub region_valid: Signal<In, Bit>,
    /// Region that is written.
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
    /// What the response queue tells, a `ResponseNotice`.
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
    pub count: Signal<Out, U<9>>,
    // 0
    #[registers(Bit:
        /// A row waits to enter the pipe.
        full_0,
        /// The inverse of `full_0`, a register of its own that enables the wide register of the row.
        vacant_0,
        /// There is room for the action of another row.
        open)]
    /// The row waits for this one clock, for the next one too, ...
    #[registers(Bit:
        /// A row of the waiting row's queue pair has so many clocks to go until its state can be read.
        hold_1, hold_2, hold_3, hold_4)]
    #[signals(Bit: moves, loads, fills, same_0, same_1, same_2, same_3, leaves)]
    #[signals(RdmaHeader: reth_0, reth_5)]
    /// Rows that have entered and whose actions have not been taken.
    inside: DFF<U<5>>,
    #[registers(RxPacket:
        /// Row that waits to enter the pipe.
        row_0,
        /// Row in the clock of the name.
        row_1, row_2)]
    regions: RegionCheck,
    /// Clock 3: protection domain of the queue pair.
    domain_3: DFF<U<16>>,
    /// Clock 5: guard of the region that the row uses.
    guard_5: DFF<RegionGuard>,
    tables: ResponderTables,
    // 1 to 4
    #[registers(Bit:
        /// A row is in the clock of the name.
        valid_1, valid_2, valid_3, valid_4, valid_5,
        /// The queue pair was created anew since the row in the clock of the name entered: what the row has read of it is void.
        void_2, void_3, void_4, void_5)]
    #[registers(U<8>:
        /// Queue pair of the row in the clock of the name.
        qp_3, qp_4)]
    rules: Rules,
    #[registers(ResponderState:
        /// State of the queue pair in the clock of the name.
        known_2, known_3, known_4, known_5)]
    #[registers(ResponsesLeft:
        /// READs and NAKs of the queue pair that have left the NIC, in the clock of the name.
        left_2, left_3, left_4, left_5)]
    rows: Delay<RxPacket, 3>,
    // 4: what it is
    #[signals(Bit: report, reread, invalid, refused, do_write, do_read, do_reread, nak)]
    // 5: outcome
    #[registers(Bit:
        /// Clock 5: a row of a queue pair that lives, and there is room for what it makes.
        live_5,
        /// Clock 5: a gap in the PSNs is reported by a NAK.
        report_5,
        /// Clock 5: a WRITE that was executed before is acknowledged again.
        again_5,
        /// Clock 5: invalid request: NAK.
        invalid_5,
        /// Clock 5: the region does not allow the access: NAK.
        refused_5,
        /// Clock 5: a WRITE is executed.
        do_write_5,
        /// Clock 5: a READ is taken.
        do_read_5,
        /// Clock 5: a READ is answered once more.
        do_reread_5,
        /// Clock 5: the row ends the queue pair with a NAK.
        nak_5)]
    #[registers(Bit:
        /// Clock 5: the row is the last one of its message.
        ends_5,
        /// Clock 5: the payload goes to memory.
        take_5,
        /// Clock 5: the gap in the PSNs has been reported, with this row.
        reported_5,
        /// Clock 5: a message is complete, or a READ is taken: MSN counts.
        ends_or_reads_5)]
    #[signals(U<24>: psn, msn)]
    #[signals(Bit: answered)]
    row_5: Signal<Local, RxPacket>,
    syndrome: Signal<Local, AethSyndrome>,
    kind: Signal<Local, CommitKind>,
    state: Signal<Local, ResponderState>,
    made: Signal<Local, Action>,
    actions: ShortFifo<Action, 4, 8>,
    /// Clock 5: what is counted of the row.
    count_5: DFF<ResponderCounts>,
}

#[kernel]
impl Logic for Responder {
    fn update(&mut self) {
        inputs!(tables:
            context_valid, context_qp, context_data, left_valid, left_qp, left_generation, left_what, fail_valid,
            fail_qp, fail_generation);
        inputs!(regions: region_valid, region_data);
        inputs!(actions: reset);

        // 0: a row that comes while one of its queue pair moves on has to wait until that one's state can be read
        moves = full_0 & open & !hold_1 & !context_valid & !tables.closed;
        loads = !full_0 | moves;
        row.ready = loads;
        same_0 = full_0 & (row.data.val().qp == row_0.qp);
        same_1 = valid_1 & (row.data.val().qp == row_1.qp);
        same_2 = valid_2 & (row.data.val().qp == row_2.qp);
        same_3 = valid_3 & (row.data.val().qp == qp_3);
        assign!(hold_1.d = hold_2, hold_2.d = hold_3, hold_3.d = hold_4);
        hold_4 = false;
        fills = row.valid;
        if full_0 & !moves {
            fills = true;
        }
        full_0 = fills;
        // a register of its own for the many bits of the row: what else hangs on it moves early in the clock
        vacant_0 = !fills;
        if vacant_0 | moves {
            row_0 = row.data;
        }
        if loads {
            hold_1 = same_0 | same_1 | same_2 | same_3;
            hold_2 = same_0 | same_1 | same_2;
            hold_3 = same_0 | same_1;
            hold_4 = same_0;
        }
        leaves = actions.down.valid & action.ready;
        if moves & !leaves {
            inside = inside + 1;
        }
        if leaves & !moves {
            inside = inside - 1;
        }
        open = inside < 12;
        reth_0 = bit_cast_word::<RdmaHeader, W<128, 2>>(row_0.extension);
        tables.qp = row_0.qp;
        inputs!(regions from reth_0: address, key, length);
        regions.needed =
            if row_0.opcode == Opcode::ReadRequest { RegionAccess::RemoteRead } else { RegionAccess::RemoteWrite };
        valid_1 = moves;
        row_1 = row_0;

        // 1 to 3; a creation makes void what rows inside have read of its queue pair
        advance!(valid_2, valid_3, valid_4, valid_5, row_2);
        assign! {
            known_2.d = tables.word, left_2.d = tables.left
        }
        advance!(known_3, known_4, known_5, left_3, left_4, left_5);
        rows = row_2;
        assign!(qp_3.d = row_2.qp, qp_4.d = qp_3, domain_3.d = row_2.domain);
        // a message that goes on uses the region of its first packet, as long as that stands
        regions.goes_on = (row_2.opcode == Opcode::WriteMiddle) | (row_2.opcode == Opcode::WriteLast);
        inputs!(regions: next_guard = known_2.guard, next_address = known_2.address, domain = domain_3);
        void_2 = tables.creates & (tables.created_qp == row_1.qp);
        void_3 = void_2 | (tables.creates & (tables.created_qp == row_2.qp));
        void_4 = void_3 | (tables.creates & (tables.created_qp == qp_3));
        void_5 = void_4 | (tables.creates & (tables.created_qp == qp_4));
        inputs!(rules: row = row_1, row_2, known = known_2, left = left_2, known_3, known_4);
        inputs!(rules: cfg_reads, full);

        // 4: what it is
        report = rules.live & rules.gap & !rules.reported;
        reread = rules.live & rules.old & rules.is_read;
        invalid = rules.live & rules.in_turn & !((rules.is_write & rules.fits) | (rules.is_read & rules.read_fits));
        refused = !regions.allowed & ((reread & !rules.stray) | (rules.live & rules.in_turn & !invalid));
        do_write = rules.live & rules.in_turn & rules.is_write & !invalid & !refused;
        do_read = rules.live & rules.in_turn & rules.is_read & !invalid & !refused & !rules.depth;
        do_reread = reread & !rules.stray & !refused & !rules.deeper;
        nak = invalid | refused;
        live_5 = valid_4 & rules.live;
        again_5 = rules.live & rules.old & !rules.is_read;
        assign! {
            report_5.d = report, invalid_5.d = invalid, refused_5.d = refused, do_write_5.d = do_write,
            do_read_5.d = do_read, do_reread_5.d = do_reread, nak_5.d = nak, ends_5.d = rules.ends,
            guard_5.d = regions.guard
        }
        take_5 = do_write & !rules.empty;
        reported_5 = (rules.reported & !rules.in_turn) | report;
        ends_or_reads_5 = (do_write & rules.ends) | do_read;
        count_5 = bits_zero::<ResponderCounts>(0);
        if valid_4 {
            fields!(count_5.d from rules:
                drop_unknown_qp = is_void, drop_qp_ended = has_ended, drop_ack_queue_full = crowded);
            count_5.drop_read_depth = (reread & !rules.stray & !refused & rules.deeper)
                | (rules.live & rules.in_turn & rules.is_read & !invalid & !refused & rules.depth);
            count_5.drop_stray = reread & rules.stray;
            count_5.out_of_sequence = rules.live & rules.gap;
            count_5.duplicates = rules.live & rules.old;
            count_5.naks_sent = report | nak;
            count_5.refused_requests = invalid & !rules.is_write & !rules.is_read;
        }
        count = bit_cast_number::<9, ResponderCounts>(count_5);

        // 5: the answer
        row_5 = rows;
        reth_5 = bit_cast_word::<RdmaHeader, W<128, 2>>(row_5.extension);
        answered = row_5.int_on | row_5.ack_req | ends_5;
        psn = row_5.psn;
        syndrome = AethSyndrome::Ack;
        msn = known_5.msn;
        kind = CommitKind::Acknowledge;
        if report_5 {
            psn = known_5.expected_psn;
            syndrome = AethSyndrome::NakSequence;
        }
        if again_5 {
            psn = known_5.newest_write;
        }
        if invalid_5 {
            syndrome = AethSyndrome::NakInvalidRequest;
        }
        if refused_5 {
            syndrome = AethSyndrome::NakRemoteAccess;
        }
        if ends_or_reads_5 {
            msn = rules.next_msn;
        }
        if do_write_5 & !answered {
            kind = CommitKind::Nothing;
        }
        made = bits_zero::<Action>(0);
        fields!(made: take = take_5, address = regions.location, guard = guard_5);
        if do_read_5 | do_reread_5 {
            kind = CommitKind::Read;
        }
        fields!(made:
            kind, psn, syndrome, msn, ends = ends_or_reads_5, length = reth_5.length, count = rules.count,
            duplicate = do_reread_5);
        made.commits = report_5 | again_5 | nak_5 | do_write_5 | do_read_5 | do_reread_5;
        inputs!(actions: up.valid = valid_5, up.data = made);
        StreamOut::<Action>::link(&mut action, &mut actions.down);

        // 5: the new state
        state = known_5;
        state.msn = msn;
        state.reads = known_5.reads + bit_cast_u::<8, 1>(bit_cast_b(do_read_5 | do_reread_5));
        state.naks_taken_back = left_5.naks_taken_back;
        state.reported = reported_5;
        state.in_message = known_5.in_message & !nak_5;
        state.ended = nak_5;
        if do_write_5 {
            fields!(state from rules: expected_psn = after_one, address, remaining);
            state.guard = guard_5;
            state.newest_write = row_5.psn;
            state.in_message = !ends_5;
        }
        if do_read_5 {
            state.expected_psn = rules.after_read;
        }
        tables.we = live_5 & !void_5;
        inputs!(tables: wqp = row_5.qp, wdata = state);

        if reset {
            vacant_0 = true;
        }
        reset!(full_0, open, inside, valid_1, valid_2, valid_3, valid_4, valid_5, live_5);
        if reset {
            count_5 = bits_zero::<ResponderCounts>(0);
        }
    }
}
