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
use crate::nic::words::{Action, Context, Region, RxRow};
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::words::counters::ResponderCounts;
use crate::words::responder::{ResponderState, ResponsesLeft};
use crate::words::transport::{Action as ActionWord, Commit, CommitKind, ReadRequest, RxPacket};
use crate::words::wire::RdmaHeader;
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
    pub context_data: Signal<In, Context>,
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
    pub row: StreamIn<RxRow>,
    /// One decision for each.
    pub action: StreamOut<Action>,
    /// Pulses in the order of [`RESPONDER_COUNTERS`].
    pub count: Signal<Out, U<8>>,
    phase: DFF<U<3>>,
    offered: Signal<Local, RxPacket>,
    offered_reth: Signal<Local, RdmaHeader>,
    reth: Signal<Local, RdmaHeader>,
    take: Signal<Local, Bit>,
    decides: Signal<Local, Bit>,
    /// The verdict on the region shows for one clock.
    waited: DFF<Bit>,
    allowed_kept: DFF<Bit>,
    allowed: Signal<Local, Bit>,
    regions: RegionCheck,
    tables: ResponderTables,
    // 1
    row_1: DFF<RxPacket>,
    overtaken: DFF<Bit>,
    same: Signal<Local, Bit>,
    // 2
    known: DFF<ResponderState>,
    left_2: DFF<ResponsesLeft>,
    rules: Rules,
    // 4
    report: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    reread: Signal<Local, Bit>,
    reread_stray: Signal<Local, Bit>,
    invalid: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    depth: Signal<Local, Bit>,
    do_write: Signal<Local, Bit>,
    do_read: Signal<Local, Bit>,
    do_reread: Signal<Local, Bit>,
    nak: Signal<Local, Bit>,
    answered: Signal<Local, Bit>,
    psn: Signal<Local, U<24>>,
    msn: Signal<Local, U<24>>,
    syndrome: Signal<Local, U<8>>,
    kind: Signal<Local, CommitKind>,
    carried: Signal<Local, W<336, 6>>,
    asked: Signal<Local, ReadRequest>,
    state: Signal<Local, ResponderState>,
    commit: Signal<Local, Commit>,
    full_5: DFF<Bit>,
    action_5: DFF<ActionWord>,
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
        self.take.next = (self.phase.q.val() == 0) & self.row.valid.val();
        self.row.ready.next = self.phase.q.val() == 0;
        self.offered.next = bit_cast_word::<RxPacket, RxRow>(self.row.data.val());
        self.offered_reth.next = bit_cast_word::<RdmaHeader, W<128, 2>>(self.offered.val().extension);
        self.reth.next = bit_cast_word::<RdmaHeader, W<128, 2>>(self.row_1.q.val().extension);
        self.tables.qp.next = self.offered.val().qp;
        inputs!(regions from offered_reth: address, key, length);
        self.regions.access.next = bits_u::<2>(1);
        if self.offered.val().opcode == 0x0c {
            self.regions.access.next = bits_u::<2>(2);
        }
        self.same.next = self.context_valid.val() & (self.context_qp.val() == self.row_1.q.val().qp);
        self.overtaken.d.next = self.overtaken.q.val() | self.same.val();
        if self.phase.q.val() != 0 {
            self.phase.d.next = self.phase.q.val() + 1;
        }
        self.decides.next = (self.phase.q.val() == 4) & !self.full_5.q.val();
        if self.phase.q.val() == 4 {
            self.phase.d.next = bits_u::<3>(4);
        }
        if self.decides.val() {
            self.phase.d.next = bits_u::<3>(0);
        }
        self.waited.d.next = self.phase.q.val() == 4;
        self.allowed.next = self.regions.allowed.val();
        if self.waited.q.val() {
            self.allowed.next = self.allowed_kept.q.val();
        }
        self.allowed_kept.d.next = self.allowed.val();
        if self.take.val() {
            self.phase.d.next = bits_u::<3>(1);
            self.row_1.d.next = self.offered.val();
            self.overtaken.d.next = self.context_valid.val() & (self.context_qp.val() == self.offered.val().qp);
        }

        // 1 to 3
        if self.phase.q.val() == 1 {
            assign!(known.d = tables.word, left_2.d = tables.left);
        }
        inputs!(rules: row = row_1, known, left = left_2);
        inputs!(rules: cfg_reads, full);

        // 4: outcome
        self.report.next = self.rules.live.val() & self.rules.gap.val() & !self.rules.reported.val();
        self.again.next = self.rules.live.val() & self.rules.old.val() & !self.rules.is_read.val();
        self.reread.next = self.rules.live.val() & self.rules.old.val() & self.rules.is_read.val();
        self.reread_stray.next = self.reread.val() & self.rules.stray.val();
        self.invalid.next = self.rules.live.val()
            & self.rules.in_turn.val()
            & !((self.rules.is_write.val() & self.rules.fits.val())
                | (self.rules.is_read.val() & self.rules.read_fits.val()));
        self.refused.next = !self.allowed.val()
            & ((self.reread.val() & !self.rules.stray.val())
                | (self.rules.live.val()
                    & self.rules.in_turn.val()
                    & !self.invalid.val()
                    & (self.rules.is_read.val() | self.rules.starts.val())));
        self.do_write.next = self.rules.live.val()
            & self.rules.in_turn.val()
            & self.rules.is_write.val()
            & !self.invalid.val()
            & !self.refused.val();
        self.do_read.next = self.rules.live.val()
            & self.rules.in_turn.val()
            & self.rules.is_read.val()
            & !self.invalid.val()
            & !self.refused.val()
            & !self.rules.depth.val();
        self.do_reread.next =
            self.reread.val() & !self.rules.stray.val() & !self.refused.val() & !self.rules.deeper.val();
        self.depth.next = (self.reread.val() & !self.rules.stray.val() & !self.refused.val() & self.rules.deeper.val())
            | (self.rules.live.val()
                & self.rules.in_turn.val()
                & self.rules.is_read.val()
                & !self.invalid.val()
                & !self.refused.val()
                & self.rules.depth.val());
        self.nak.next = self.invalid.val() | self.refused.val();
        self.answered.next = self.row_1.q.val().int_on | self.row_1.q.val().ack_req | self.rules.ends.val();

        // 4: the answer
        self.psn.next = self.row_1.q.val().psn;
        self.syndrome.next = bits_u::<8>(0x1f);
        self.msn.next = self.known.q.val().msn;
        self.kind.next = CommitKind::Acknowledge;
        if self.report.val() {
            self.psn.next = self.known.q.val().expected_psn;
            self.syndrome.next = bits_u::<8>(0x60);
        }
        if self.again.val() {
            self.psn.next = self.rules.previous.val();
        }
        if self.invalid.val() {
            self.syndrome.next = bits_u::<8>(0x61);
        }
        if self.refused.val() {
            self.syndrome.next = bits_u::<8>(0x62);
        }
        if (self.do_write.val() & self.rules.ends.val()) | self.do_read.val() {
            self.msn.next = self.rules.next_msn.val();
        }
        if self.do_write.val() & !self.answered.val() {
            self.kind.next = CommitKind::Nothing;
        }
        fields!(asked: address = reth.address, length = reth.length, count = rules.count, duplicate = do_reread);
        self.carried.next = self.row_1.q.val().int_stack;
        if self.do_read.val() | self.do_reread.val() {
            self.kind.next = CommitKind::Read;
            self.carried.next = bit_cast_bus::<336, 6, ReadRequest>(self.asked.val());
        }
        self.commit.next = bits_zero::<Commit>(0);
        fields!(commit:
            kind, qp = row_1.qp, generation = row_1.generation, psn, syndrome, msn, int_length = row_1.int_length,
            int_stack = carried, int_on = row_1.int_on);
        self.commit.next.ends_or_failed = (self.do_write.val() & self.rules.ends.val()) | self.do_read.val();
        if self.action.ready.val() {
            self.full_5.d.next = false;
        }
        if self.decides.val() {
            self.full_5.d.next = true;
            self.action_5.d.next.take = self.do_write.val() & !self.rules.empty.val();
            self.action_5.d.next.address = self.rules.base.val();
            self.action_5.d.next.commits = self.report.val()
                | self.again.val()
                | self.nak.val()
                | self.do_write.val()
                | self.do_read.val()
                | self.do_reread.val();
            self.action_5.d.next.commit = self.commit.val();
        }
        self.action.valid.next = self.full_5.q.val();
        self.action.data.next = bit_cast_bus::<487, 8, ActionWord>(self.action_5.q.val());

        // 4: the new state
        self.state.next = self.known.q.val();
        self.state.next.msn = self.msn.val();
        self.state.next.reads =
            self.known.q.val().reads + bit_cast_u::<8, 1>(bit_cast_b(self.do_read.val() | self.do_reread.val()));
        self.state.next.naks_taken_back = self.left_2.q.val().naks_taken_back;
        self.state.next.reported = (self.rules.reported.val() & !self.rules.in_turn.val()) | self.report.val();
        self.state.next.in_message = self.known.q.val().in_message & !self.nak.val();
        self.state.next.ended = self.nak.val();
        if self.do_write.val() {
            fields!(state from rules: expected_psn = after_one, address, remaining);
            self.state.next.in_message = !self.rules.ends.val();
        }
        if self.do_read.val() {
            self.state.next.expected_psn = self.rules.after_read.val();
        }
        self.tables.we.next = self.decides.val() & self.rules.live.val() & !self.overtaken.q.val() & !self.same.val();
        inputs!(tables: wqp = row_1.qp, wdata = state);
        self.count_5.d.next = bits_zero::<ResponderCounts>(0);
        if self.decides.val() {
            fields!(count_5.d from rules:
                drop_unknown_qp = is_void, drop_qp_ended = has_ended, drop_ack_queue_full = crowded);
            fields!(count_5.d: drop_read_depth = depth, drop_stray = reread_stray);
            self.count_5.d.next.out_of_sequence = self.rules.live.val() & self.rules.gap.val();
            self.count_5.d.next.duplicates = self.rules.live.val() & self.rules.old.val();
            self.count_5.d.next.naks_sent = self.report.val() | self.nak.val();
        }
        self.count.next = bit_cast_number::<8, ResponderCounts>(self.count_5.q.val());

        if self.reset.val() {
            clear!(phase, full_5);
            self.count_5.d.next = bits_zero::<ResponderCounts>(0);
        }
    }
}
