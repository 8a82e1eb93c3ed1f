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
use crate::nic::words::{Action, Commit, Context, Region, RxRow};
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::{block, kernel};
use hpcc_models::nic::Counter;
use rules::Rules;
use rust_hdl::prelude::*;
use state::{ResponderState, StateWord};

/// What the bits of [`Responder::count`] count. The first also stands for a queue pair that was removed meanwhile.
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
    /// Bit 0: a READ is answered or void; bit 1: a negative acknowledgement was taken back; bit 2: the responder half
    /// has ended.
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
    take: Signal<Local, Bit>,
    decides: Signal<Local, Bit>,
    // the verdict on the region shows for one clock
    waited: DFF<Bit>,
    allowed_kept: DFF<Bit>,
    allowed: Signal<Local, Bit>,
    regions: RegionCheck,
    tables: ResponderState,
    // 1
    row_1: DFF<RxRow>,
    overtaken: DFF<Bit>,
    same: Signal<Local, Bit>,
    // 2
    known: DFF<StateWord>,
    left_2: DFF<U<8>>,
    cuts_2: DFF<U<2>>,
    ended_2: DFF<Bit>,
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
    expected: Signal<Local, U<24>>,
    syndrome: Signal<Local, U<8>>,
    kind: Signal<Local, U<2>>,
    carried: Signal<Local, W<336, 6>>,
    to: Signal<Local, U<64>>,
    remaining: Signal<Local, U<32>>,
    in_message: Signal<Local, Bit>,
    reported: Signal<Local, Bit>,
    commit: Signal<Local, Commit>,
    full_5: DFF<Bit>,
    action_5: DFF<Action>,
    count_5: DFF<U<8>>,
}

#[kernel]
impl Logic for Responder {
    fn update(&mut self) {
        inputs!(
            tables,
            context_valid,
            context_qp,
            context_data,
            left_valid,
            left_qp,
            left_generation,
            left_what,
            fail_valid,
            fail_qp,
            fail_generation
        );
        inputs!(regions, reset, region_valid, region_slot, region_data);

        // 0
        self.take.next = (self.phase.q.val() == 0) & self.row.valid.val();
        self.row.ready.next = self.phase.q.val() == 0;
        self.tables.qp.next = self.row.data.val().get_bits::<8>(11);
        self.regions.address.next = self.row.data.val().get_bits::<64>(107);
        self.regions.key.next = self.row.data.val().get_bits::<32>(75);
        self.regions.length.next = self.row.data.val().get_bits::<32>(43);
        self.regions.access.next = bits_u::<2>(1);
        if self.row.data.val().get_bits::<8>(0) == 0x0c {
            self.regions.access.next = bits_u::<2>(2);
        }
        self.same.next = self.context_valid.val() & (self.context_qp.val() == self.row_1.q.val().get_bits::<8>(11));
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
            self.row_1.d.next = self.row.data.val();
            self.overtaken.d.next =
                self.context_valid.val() & (self.context_qp.val() == self.row.data.val().get_bits::<8>(11));
        }

        // 1 to 3
        if self.phase.q.val() == 1 {
            self.known.d.next = self.tables.word.val();
            self.left_2.d.next = self.tables.left_reads.val();
            self.cuts_2.d.next = self.tables.cuts.val();
            self.ended_2.d.next = self.tables.ended.val();
        }
        self.rules.row.next = self.row_1.q.val();
        self.rules.known.next = self.known.q.val();
        self.rules.left_reads.next = self.left_2.q.val();
        self.rules.cuts.next = self.cuts_2.q.val();
        self.rules.ended.next = self.ended_2.q.val();
        inputs!(rules, cfg_reads, full);

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
        self.answered.next = self.row_1.q.val().get_bit(547) | self.row_1.q.val().get_bit(8) | self.rules.ends.val();

        // 4: the answer
        self.psn.next = self.row_1.q.val().get_bits::<24>(19);
        self.syndrome.next = bits_u::<8>(0x1f);
        self.msn.next = self.known.q.val().get_bits::<24>(24);
        self.kind.next = bits_u::<2>(1);
        if self.report.val() {
            self.psn.next = self.known.q.val().get_bits::<24>(0);
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
            self.kind.next = bits_u::<2>(0);
        }
        self.carried.next = bit_cast_ww::<336, 6, 550, 9>(self.row_1.q.val() >> 200);
        if self.do_read.val() | self.do_reread.val() {
            self.kind.next = bits_u::<2>(2);
            self.carried.next = bit_cast_w::<336, 6, 64>(self.row_1.q.val().get_bits::<64>(107))
                | (bit_cast_w::<336, 6, 32>(self.row_1.q.val().get_bits::<32>(43)) << 64)
                | (bit_cast_w::<336, 6, 24>(self.rules.count.val()) << 96)
                | (bit_cast_w::<336, 6, 1>(bit_cast_b(self.do_reread.val())) << 120);
        }
        self.commit.next = bit_cast_w::<421, 7, 2>(self.kind.val())
            | (bit_cast_w::<421, 7, 8>(self.row_1.q.val().get_bits::<8>(11)) << 2)
            | (bit_cast_w::<421, 7, 8>(self.row_1.q.val().get_bits::<8>(536)) << 10)
            | (bit_cast_w::<421, 7, 24>(self.psn.val()) << 18)
            | (bit_cast_w::<421, 7, 8>(self.syndrome.val()) << 42)
            | (bit_cast_w::<421, 7, 24>(self.msn.val()) << 50)
            | (bit_cast_w::<421, 7, 6>(self.row_1.q.val().get_bits::<6>(194)) << 74)
            | (bit_cast_ww::<421, 7, 336, 6>(self.carried.val()) << 80)
            | (bit_cast_w::<421, 7, 1>(self.row_1.q.val().get_bits::<1>(547)) << 418)
            | (bit_cast_w::<421, 7, 1>(bit_cast_b(
                (self.do_write.val() & self.rules.ends.val()) | self.do_read.val(),
            )) << 419);
        if self.action.ready.val() {
            self.full_5.d.next = false;
        }
        if self.decides.val() {
            self.full_5.d.next = true;
            self.action_5.d.next = bit_cast_w::<487, 8, 1>(bit_cast_b(self.do_write.val() & !self.rules.empty.val()))
                | (bit_cast_w::<487, 8, 64>(self.rules.base.val()) << 1)
                | (bit_cast_w::<487, 8, 1>(bit_cast_b(
                    self.report.val()
                        | self.again.val()
                        | self.nak.val()
                        | self.do_write.val()
                        | self.do_read.val()
                        | self.do_reread.val(),
                )) << 65)
                | (bit_cast_ww::<487, 8, 421, 7>(self.commit.val()) << 66);
        }
        self.action.valid.next = self.full_5.q.val();
        self.action.data.next = self.action_5.q.val();

        // 4: the new state
        self.expected.next = self.known.q.val().get_bits::<24>(0);
        if self.do_write.val() {
            self.expected.next = self.rules.after_one.val();
        }
        if self.do_read.val() {
            self.expected.next = self.rules.after_read.val();
        }
        self.to.next = self.known.q.val().get_bits::<64>(48);
        self.remaining.next = self.known.q.val().get_bits::<32>(112);
        self.in_message.next = self.known.q.val().get_bit(163) & !self.nak.val();
        if self.do_write.val() {
            self.to.next = self.rules.address.val();
            self.remaining.next = self.rules.remaining.val();
            self.in_message.next = !self.rules.ends.val();
        }
        self.reported.next = (self.rules.reported.val() & !self.rules.in_turn.val()) | self.report.val();
        self.tables.we.next = self.decides.val() & self.rules.live.val() & !self.overtaken.q.val() & !self.same.val();
        self.tables.wqp.next = self.row_1.q.val().get_bits::<8>(11);
        self.tables.wdata.next = bit_cast_w::<166, 3, 24>(self.expected.val())
            | (bit_cast_w::<166, 3, 24>(self.msn.val()) << 24)
            | (bit_cast_w::<166, 3, 64>(self.to.val()) << 48)
            | (bit_cast_w::<166, 3, 32>(self.remaining.val()) << 112)
            | (bit_cast_w::<166, 3, 8>(
                self.known.q.val().get_bits::<8>(144)
                    + bit_cast_u::<8, 1>(bit_cast_b(self.do_read.val() | self.do_reread.val())),
            ) << 144)
            | (bit_cast_w::<166, 3, 8>(self.known.q.val().get_bits::<8>(152)) << 152)
            | (bit_cast_w::<166, 3, 2>(self.cuts_2.q.val()) << 160)
            | (bit_cast_w::<166, 3, 1>(bit_cast_b(self.reported.val())) << 162)
            | (bit_cast_w::<166, 3, 1>(bit_cast_b(self.in_message.val())) << 163)
            | (bit_cast_w::<166, 3, 1>(bit_cast_b(self.nak.val())) << 164)
            | (bit_cast_w::<166, 3, 1>(self.known.q.val().get_bits::<1>(165)) << 165);
        self.count_5.d.next = bits_u::<8>(0);
        if self.decides.val() {
            self.count_5.d.next = bit_cast_u::<8, 1>(bit_cast_b(self.rules.is_void.val()))
                | (bit_cast_u::<8, 1>(bit_cast_b(self.rules.has_ended.val())) << 1)
                | (bit_cast_u::<8, 1>(bit_cast_b(self.rules.crowded.val())) << 2)
                | (bit_cast_u::<8, 1>(bit_cast_b(self.depth.val())) << 3)
                | (bit_cast_u::<8, 1>(bit_cast_b(self.reread_stray.val())) << 4)
                | (bit_cast_u::<8, 1>(bit_cast_b(self.rules.live.val() & self.rules.gap.val())) << 5)
                | (bit_cast_u::<8, 1>(bit_cast_b(self.rules.live.val() & self.rules.old.val())) << 6)
                | (bit_cast_u::<8, 1>(bit_cast_b(self.report.val() | self.nak.val())) << 7);
        }
        self.count.next = self.count_5.q.val();

        if self.reset.val() {
            self.phase.d.next = bits_u::<3>(0);
            self.full_5.d.next = false;
            self.count_5.d.next = bits_u::<8>(0);
        }
    }
}
