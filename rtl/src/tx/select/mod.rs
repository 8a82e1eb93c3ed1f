//! Select: from a grant of the scheduler to a packet, or to none.
//!
//! A grant names a flow and a PSN. Even flows carry requests: the message with that PSN is looked for in the ring of the queue pair,
//! from where the last one was found. Odd flows carry READ responses: the READ with that PSN is looked for in the ring of those that are being
//! answered. A grant for which there is nothing (any more) is void, and the scheduler gets its bytes back.
//!
//! Grants go through a pipe that looks at two messages (or READs) of the ring, that of the last packet and the next one:
//!
//! | clock | what |
//! |---|---|
//! | -1 | the ring place of the grant that begins next is addressed |
//! | 0 | it has waited in a register, and enters; its context is addressed |
//! | 1 | its ring place shows, as it was after a write of the clock before |
//! | 2 | the message or READ is addressed, from a register: the address has a long way to many block RAMs |
//! | 3 | the next one of the ring is addressed |
//! | 4 | the message shows, 250 bits, or the READ: the PSN's distances from its first and its end |
//! | 5 | does it contain the PSN? Then [`form::Form`] begins |
//! | 6 | does the next one? |
//!
//! A grant enters every second clock, every fourth while payload waits to be fetched (but for void ones within a READ that has been asked for); one of the same flow when the one before it is found, which writes where: five clocks for a packet of the
//! same message, six for the first one of the next. Responses of READs of four packets and more do not wait for that, nor do grants within a READ
//! that has been asked for, which are void: the scheduler gives them until it hears that the READ covers them. A grant that neither message holds
//! leaves the pipe, and those behind it too, for a search that takes them one by one in their order and goes round the ring, one message a clock: 23 clocks at
//! most, for a rewind or a void grant. No grant enters the pipe until the search has done with all of them.
//!
//! READs that begin anew have another epoch than those before them, and a READ of another epoch than the last one's holds nothing.
//!
//! A creation voids the rings of its queue pair, one place a clock, long before the requester can have filled them, so that no message
//! and no READ of an earlier generation is ever found when the generation's number comes again.

pub mod asked;
pub mod departs;
pub mod form;
#[cfg(test)]
mod tests;

use crate::prim::banked_table::BankedTable;
use crate::prim::ram::{LoopRam, Ram, RamReg};
use crate::prim::short_fifo::ShortFifo;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::sched::ports::{FeedbackOut, SendIn};
use crate::words::context::{QpContext, Region, RegionGuard};
use crate::words::dma::DmaJob;
use crate::words::flows::{GrantMarks, QpFlow, QpHalf};
use crate::words::requester::{PsnDistance, RingPlace};
use crate::words::transport::{DepartureKind, ReadState};
use crate::words::transport::{Message, TxPacket};
use crate::words::tx::{LookedGrant, RingCursor, RingVoids, SelectContext, SelectMessage, SelectRead, SelectStep};
use crate::{block, kernel};
use asked::AskedReads;
use departs::Departs;
use form::Form;
use rust_hdl::prelude::*;

/// Select for 2^`A` queue pairs (`A` at most 8), `M` = `A` + 4 bits of address of a message or READ. It has room for 2^`L` + 2^`H` of each, `L` = `M` - 1, which
/// is sixteen for every queue pair that is ever created.
#[block]
pub struct Select<const A: usize, const M: usize, const L: usize, const H: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Register: wire bytes of a packet beside its payload, as the scheduler charges them.
    pub overhead: Signal<In, U<10>>,
    /// Register: an acknowledgement is asked for with every so manyth packet of a queue pair, at least 1.
    pub ack_interval: Signal<In, U<8>>,
    /// Register: the last of every 2^n packet numbers of a queue pair's requests is timed.
    pub times_spacing: Signal<In, U<4>>,
    /// Register: they are timed at all.
    pub times_enable: Signal<In, Bit>,
    /// A context is written; after one that is alive no other for 24 clocks.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// The context.
    pub context_data: Signal<In, QpContext>,
    /// The entry of a region's key is written.
    pub region_valid: Signal<In, Bit>,
    /// Region that is written.
    pub region_data: Signal<In, Region>,
    /// A message is written.
    pub message_valid: Signal<In, Bit>,
    /// Queue pair and place in its ring.
    pub message_address: Signal<In, U<12>>,
    /// The message.
    pub message_data: Signal<In, Message>,
    /// A READ begins to be answered.
    pub read_valid: Signal<In, Bit>,
    /// Queue pair of the READ.
    pub read_qp: Signal<In, U<8>>,
    /// The READ.
    pub read_data: Signal<In, ReadState>,
    /// Grants.
    pub send: SendIn,
    /// Packets.
    pub packet: StreamOut<TxPacket>,
    /// Their payload, in order; packets without payload have no job.
    pub job: StreamOut<DmaJob>,
    /// Pulse: a job is made, which `job` may offer later. None is made for an earlier generation from the 48th clock after a context on.
    pub job_made: Signal<Out, Bit>,
    /// To the scheduler.
    pub feedback: FeedbackOut,
    /// Pulse: the highest PSN sent of a queue pair's requests has grown.
    pub sent_valid: Signal<Out, Bit>,
    /// Queue pair whose highest PSN sent has grown.
    pub sent_qp: Signal<Out, U<8>>,
    /// Generation of the queue pair whose PSN has grown.
    pub sent_generation: Signal<Out, U<8>>,
    /// One past the highest PSN sent.
    pub sent_end: Signal<Out, U<24>>,
    /// Counter pulse: a grant was void.
    pub void_grant: Signal<Out, Bit>,
    /// Counter pulse: a packet that was sent before.
    pub repeated: Signal<Out, Bit>,
    contexts: RamReg<SelectContext, A>,
    cursors: LoopRam<RingCursor, A>,
    /// No grant looks for a message in the clock in which it is written.
    messages: BankedTable<SelectMessage, M, L, H>,
    /// What is written there: from a register, because it is a long way to so many block RAMs.
    message_written: DFF<SelectMessage>,
    /// Place of that message.
    message_written_at: DFF<U<12>>,
    /// A message is written.
    writes_message: DFF<Bit>,
    /// READs that are answered, sixteen of a queue pair.
    reads: BankedTable<SelectRead, M, L, H>,
    /// Where the READ of the last response was found.
    read_places: Ram<U<4>, A>,
    /// The epoch of the READs that are answered.
    epochs: RamReg<U<4>, A>,
    read: Signal<Local, SelectRead>,
    read_written: Signal<Local, SelectRead>,
    written_place: Signal<Local, RingPlace>,
    written_address: Signal<Local, U<12>>,
    read_address: Signal<Local, U<12>>,
    /// Where the last packet of the flow in clock 1 was found, unless it is `of_cursor`: the READ, or what is being written.
    slot_1: Signal<Local, U<4>>,
    of_cursor: Signal<Local, Bit>,
    /// Clock 2: the ring place is that of the queue pair's cursor.
    of_cursor_2: DFF<Bit>,
    #[registers(U<4>:
        /// Clock 2: ring place that did not come from the table of cursors.
        given_slot_2,
        /// Clock 2: ring place of the cursor, as the table shows it.
        cursor_slot_2)]
    slot_2: Signal<Local, U<4>>,
    // what is kept of the flow in clock 2
    /// Clock 2: where the last packet of the queue pair was found, and packets since an acknowledgement was asked for.
    cursor_2: DFF<RingCursor>,
    /// Clock 2: ring place at which the last READ response of the queue pair was found.
    read_place_2: DFF<U<4>>,
    /// Places of a created queue pair that are still to be voided, and its place in the ring, which is written first.
    voids: DFF<RingVoids>,
    /// Queue pair the rings of which are voided.
    voided: DFF<U<8>>,
    /// Generation of that queue pair.
    voided_generation: DFF<U<8>>,
    /// The cursor of a created queue pair is to be written.
    void_cursor: DFF<Bit>,
    /// The same of its READs.
    read_voids: DFF<RingVoids>,
    void_place: Signal<Local, RingPlace>,
    /// The grant that begins next.
    waiting: DFF<Bit>,
    /// A grant was offered and not taken a clock ago.
    offered_before: DFF<Bit>,
    /// The grant on offer.
    peeked: Signal<Local, LookedGrant>,
    offered_flow: Signal<Local, QpFlow>,
    /// Grant that enters the pipe next.
    next: DFF<LookedGrant>,
    /// It enters the pipe.
    enters: Signal<Local, Bit>,
    /// Clocks before the next one while payload waits to be fetched: what is granted leaves soon, or limits written meanwhile come late.
    pause: DFF<U<2>>,
    /// One of the same flow is inside whose place is not written.
    meets: Signal<Local, Bit>,
    #[registers(Bit:
        /// A grant is in the clock of the name.
        valid_1, valid_2, valid_3, valid_4, valid_5, valid_6,
        /// Clock 4: the queue pair asks for INT.
        int_4,
        /// Clock 3: the cursor belongs to an earlier generation of the queue pair.
        fresh_3)]
    #[registers(LookedGrant:
        /// Grant in the clock of the name.
        grant_1, grant_2, grant_3, grant_4)]
    #[registers(U<8>:
        /// Clock 3: packets since an acknowledgement was asked for, with this one.
        since_3,
        /// Clock 4: as `since_3`; 1 in a new generation.
        counted_4)]
    #[registers(U<3>:
        /// Clock 4: MTU code of the queue pair.
        mtu_4)]
    #[registers(U<4>:
        /// Ring place in the clock of the name.
        slot_3, slot_4,
        /// Epoch of the queue pair's READs in the clock of the name.
        epoch_3, epoch_4,
        /// Epoch of the queue pair's READs, of what is compared.
        epoch_now)]
    // the grant in this clock of the pipe has the flow of the one that begins next
    #[registers(Bit:
        /// The grant that begins next is of the flow of the grant in the clock of the name.
        same_2, same_3, same_4, same_5)]
    // generation for which the place in clock 2 is looked at, and the context in clock 3
    #[signals(U<8>: generation_2, generation_3)]
    /// Clock 3: context of the queue pair.
    context_3: DFF<SelectContext>,
    /// The epoch that the READ that shows must have.
    epoch_shown: Signal<Local, U<4>>,
    /// Something is in clocks 2 to 5 of the pipe.
    inside: DFF<Bit>,
    /// Something is in the pipe.
    occupied: Signal<Local, Bit>,
    /// The queue pair in clock 3 is the one that the grant is for.
    exists: Signal<Local, Bit>,
    /// What is kept of the queue pair that is searched is at hand; its first message shows in the next clock.
    search_begins: Signal<Local, Bit>,
    /// Messages of the search have shown, none of which was the one, and not all of the ring.
    searching: DFF<Bit>,
    /// Grants for the search.
    searches: ShortFifo<LookedGrant, 2, 1>,
    searched: Signal<Local, LookedGrant>,
    /// The grant that leaves the pipe goes there; it goes there now.
    diverts: Signal<Local, Bit>,
    /// A grant left the pipe for the search a clock ago.
    diverts_r: DFF<Bit>,
    /// Some are there, or on their way.
    diverted: Signal<Local, Bit>,
    diverting: Signal<Local, LookedGrant>,
    /// A grant of the search begins; it did a clock ago.
    begins: Signal<Local, Bit>,
    /// The search has a grant in hand.
    begun: DFF<Bit>,
    /// The grant whose message shows is of responses: a register of its own, since it chooses 250 bits.
    shows_read: DFF<Bit>,
    /// Generation and PSN of the grant whose message shows.
    shown: Signal<Local, LookedGrant>,
    /// Step 0: idle, 1: addressed, 2: the words show and the search begins, 3: it goes on.
    step: DFF<SelectStep>,
    /// Clocks since the search began to compare.
    age: DFF<U<5>>,
    /// The grant that is decided about.
    grant: DFF<LookedGrant>,
    /// Ring place that the search addresses next.
    slot: DFF<U<4>>,
    /// Ring place of what is compared.
    found_slot: DFF<U<4>>,
    qp: Signal<Local, U<8>>,
    address: Signal<Local, U<8>>,
    later_address: Signal<Local, U<8>>,
    slot_now: Signal<Local, U<4>>,
    #[signals(RingPlace: message_place, looked_place)]
    /// The message or READ that is addressed; the message of the cursor, if `at_cursor`.
    given_place: DFF<RingPlace>,
    /// The message at the cursor is addressed.
    at_cursor: DFF<Bit>,
    looked_address: Signal<Local, U<12>>,
    cursor_new: Signal<Local, RingCursor>,
    /// What is written of the place that was found, or of a created queue pair: a clock later, since the decision is late in its clock.
    #[registers(Bit:
        /// The cursor of `written_qp` is written.
        writes_cursor,
        /// The place of the last READ response of `written_qp` is written.
        writes_read_place)]
    /// Queue pair whose cursor or place is written.
    written_qp: DFF<U<8>>,
    /// Cursor that is written.
    written_cursor: DFF<RingCursor>,
    /// It, with no packets since an acknowledgement was asked for if this one asks.
    cursor_found: Signal<Local, RingCursor>,
    /// The grant in clock 1 is of the flow of what was decided a clock ago.
    follows_found: DFF<Bit>,
    /// The tables do not show that place yet.
    forwards: Signal<Local, Bit>,
    /// MTU code of the queue pair, of what is compared.
    mtu_now: DFF<U<3>>,
    /// The queue pair asks for INT, of what is compared.
    int_now: DFF<Bit>,
    /// What showed a clock ago, where the PSN lies in it, and how far from its end.
    message: DFF<SelectMessage>,
    /// PSNs from the first of the message to that of the grant.
    place: DFF<U<24>>,
    /// PSNs from the end of the message to that of the grant, modulo 2^24.
    beyond: DFF<U<24>>,
    first_now: Signal<Local, U<24>>,
    end_now: Signal<Local, U<24>>,
    #[signals(PsnDistance: from_first, from_end)]
    /// The message is of the grant's generation, the READ also of the epoch.
    ours: DFF<Bit>,
    /// The PSN is the first of the message.
    starts: DFF<Bit>,
    /// The grant that begins next, or is taken.
    coming: Signal<Local, LookedGrant>,
    /// Whether it lies in the last READ that was asked for: no packet is counted for it, so it needs not wait for those before it.
    asked: AskedReads,
    /// Tag of the READ that showed a clock ago.
    tag: DFF<U<5>>,
    /// The READ that shows has fewer than four packets; so had the last one of which a packet was found.
    few: DFF<Bit>,
    /// The last READ of which a packet was found has fewer than four packets.
    brief: DFF<Bit>,
    /// Tag of the READ that is answered.
    tag_r: DFF<U<5>>,
    odd: Signal<Local, Bit>,
    looked: Signal<Local, Bit>,
    /// The message that showed contains the PSN.
    contains: Signal<Local, Bit>,
    /// It is the last one of the ring.
    around: DFF<Bit>,
    /// The search ends.
    concludes: Signal<Local, Bit>,
    hit: Signal<Local, Bit>,
    missed: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    is_read: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    departs: Departs,
    /// Packets since an acknowledgement was asked for, with this one, and that they are enough.
    counted: DFF<U<8>>,
    /// So many packets that an acknowledgement is asked for.
    enough: DFF<Bit>,
    sends: Signal<Local, Bit>,
    /// What becomes of the grant: void, WRITE, READ request, READ response.
    what: DFF<U<2>>,
    /// A grant is decided and goes to `form`.
    go: DFF<Bit>,
    /// Last packet of its message.
    last_r: DFF<Bit>,
    /// The packet asks for an acknowledgement.
    ack_req: DFF<Bit>,
    /// One past the last PSN of the message.
    end_psn: DFF<U<24>>,
    /// Address that places of the message count from.
    base: DFF<U<64>>,
    /// Remote address of the message.
    remote: DFF<U<64>>,
    /// The region of the packet's payload.
    guard: DFF<RegionGuard>,
    /// Remote key of the message; of a READ response its MSN.
    key: DFF<U<32>>,
    /// Bytes of the message.
    total: DFF<U<32>>,
    /// Place of the packet in its message.
    place_r: DFF<U<24>>,
    /// PSN of the packet.
    psn_r: DFF<U<24>>,
    /// Flow of the packet: queue pair, requests or READ responses.
    flow_r: DFF<QpHalf>,
    /// Generation of the flow.
    generation_r: DFF<U<8>>,
    /// What the scheduler said of the grant: repeated, asks for an acknowledgement, first after a rewind.
    marks_r: DFF<GrantMarks>,
    /// MTU code of the packet.
    mtu: DFF<U<3>>,
    /// The packet collects INT.
    int_on: DFF<Bit>,
    /// The packet was not sent before.
    first_time: DFF<Bit>,
    /// A packet leaves, which is told to the requester.
    sent_r: DFF<Bit>,
    /// Counter pulse: a void grant.
    void_r: DFF<Bit>,
    /// Counter pulse: a packet that was sent before.
    repeated_r: DFF<Bit>,
    /// PSN behind the packet that leaves; behind its READ if it is a READ request.
    sent_end_r: DFF<U<24>>,
    /// Flow of the packet that leaves.
    sent_flow: DFF<QpHalf>,
    /// Generation of the packet that leaves.
    sent_generation_r: DFF<U<8>>,
    form: Form,
}

#[kernel]
impl<const A: usize, const M: usize, const L: usize, const H: usize> Logic for Select<A, M, L, H> {
    fn update(&mut self) {
        inputs!(form: reset, overhead, region_valid, region_data, guard);

        // the buses
        self.contexts.we.next = self.context_valid.val();
        self.contexts.waddr.next = bit_cast_u::<A, 8>(self.context_qp.val());
        self.contexts.wdata.next.alive = self.context_data.val().alive;
        self.contexts.wdata.next.generation = self.context_data.val().generation;
        self.contexts.wdata.next.mtu = self.context_data.val().mtu;
        self.contexts.wdata.next.int_on = self.context_data.val().int_on;
        self.void_place.next.qp = self.voided.q.val();
        self.void_place.next.place = self.voids.q.val().place;
        self.messages.we.next = self.writes_message.q.val();
        self.messages.waddr.next = bit_cast_u::<M, 12>(self.message_written_at.q.val());
        self.messages.wdata.next = self.message_written.q.val();
        self.writes_message.d.next = self.message_valid.val() | self.voids.q.val().some;
        self.message_written_at.d.next = self.message_address.val();
        self.message_written.d.next = bit_cast_word::<SelectMessage, Message>(self.message_data.val());
        if !self.message_valid.val() {
            self.message_written_at.d.next = bit_cast_number::<12, RingPlace>(self.void_place.val());
            // a message of no packets
            self.message_written.d.next.first_psn = bits_u::<24>(0);
            self.message_written.d.next.end_psn = bits_u::<24>(0);
        }
        if !self.message_valid.val() & self.voids.q.val().some {
            self.voids.d.next.place = self.voids.q.val().place + 1;
            self.voids.d.next.some = !self.voids.q.val().place.all();
        }
        if self.context_valid.val() & self.context_data.val().alive {
            self.voids.d.next.place = bits_u::<4>(0);
            self.voids.d.next.some = true;
            assign!(voided.d = context_qp, voided_generation.d = context_data.generation);
            self.void_cursor.d.next = true;
            self.read_voids.d.next.place = bits_u::<4>(0);
            self.read_voids.d.next.some = true;
        }
        self.written_place.next.qp = self.read_qp.val();
        self.written_place.next.place = bit_cast_u::<4, 5>(self.read_data.val().tag);
        fields!(read_written from read_data: generation, first_psn, address, guard, length, msn, tag, epoch);
        self.read_written.next.end_psn = self.read_data.val().first_psn + self.read_data.val().count;
        self.read_written.next.few = self.read_data.val().count < 4;
        if !self.read_valid.val() & self.read_voids.q.val().some {
            self.written_place.next.qp = self.voided.q.val();
            self.written_place.next.place = self.read_voids.q.val().place;
            self.read_written.next = bits_zero::<SelectRead>(0);
            self.read_voids.d.next.place = self.read_voids.q.val().place + 1;
            self.read_voids.d.next.some = !self.read_voids.q.val().place.all();
        }
        self.reads.wdata.next = self.read_written.val();
        self.written_address.next = bit_cast_number::<12, RingPlace>(self.written_place.val());
        self.reads.we.next = self.read_valid.val() | self.read_voids.q.val().some;
        self.reads.waddr.next = bit_cast_u::<M, 12>(self.written_address.val());
        self.epochs.we.next = self.read_valid.val();
        self.epochs.waddr.next = bit_cast_u::<A, 8>(self.read_qp.val());
        self.epochs.wdata.next = self.read_data.val().epoch;

        // before: a grant waits
        self.send.ready.next = !self.waiting.q.val();
        self.offered_flow.next = bit_cast_word::<QpFlow, U<16>>(self.send.flow.val());
        self.coming.next = self.next.q.val();
        if !self.waiting.q.val() {
            self.waiting.d.next = self.send.valid.val();
            fields!(coming from offered_flow: flow.response = response, flow.qp = qp);
            fields!(coming from send: generation, psn);
            self.coming.next.marks = bit_cast_word::<GrantMarks, U<3>>(self.send.kind.val());
        }
        self.next.d.next = self.coming.val();
        self.peeked.next = self.next.q.val();
        fields!(peeked from offered_flow: flow.response = response, flow.qp = qp);
        fields!(peeked from send: generation, psn);
        inputs!(asked: grant, offered = peeked, waiting);
        self.offered_before.d.next = self.send.valid.val() & self.waiting.q.val();
        self.asked.still.next = self.offered_before.q.val();

        // -1: the tables
        self.searched.next = self.searches.down.data.val();
        self.address.next = self.coming.val().flow.qp;
        if self.searches.down.valid.val() {
            self.address.next = self.searched.val().flow.qp;
        }
        self.cursors.raddr.next = bit_cast_u::<A, 8>(self.address.val());

        // 0: what is not needed for the address of a message is read a clock later, when it is known from a register
        self.later_address.next = self.next.q.val().flow.qp;
        if self.begun.q.val() {
            self.later_address.next = self.grant.q.val().flow.qp;
        }
        self.read_places.raddr.next = bit_cast_u::<A, 8>(self.later_address.val());
        self.contexts.raddr.next = bit_cast_u::<A, 8>(self.later_address.val());
        self.epochs.raddr.next = bit_cast_u::<A, 8>(self.later_address.val());

        // the pipe: places show in clock 1, contexts in clock 2
        assign!(
            grant_1.d = next,
            valid_2.d = valid_1,
            grant_2.d = grant_1,
            grant_3.d = grant_2,
            cursor_2.d = cursors.rdata,
            read_place_2.d = read_places.rdata
        );
        self.generation_2.next = self.grant.q.val().generation;
        if self.valid_2.q.val() {
            self.generation_2.next = self.grant_2.q.val().generation;
        }
        self.valid_3.d.next = self.valid_2.q.val();
        // packets of another generation do not count
        self.since_3.d.next = self.cursor_2.q.val().since_asked + 1;
        self.fresh_3.d.next = self.cursor_2.q.val().generation != self.generation_2.val();
        self.counted_4.d.next = self.since_3.q.val();
        if self.fresh_3.q.val() {
            self.counted_4.d.next = bits_u::<8>(1);
        }
        self.slot_1.next = self.read_places.rdata.val();
        self.cursor_found.next = self.written_cursor.q.val();
        if self.ack_req.q.val() {
            self.cursor_found.next.since_asked = bits_u::<8>(0);
        }
        self.forwards.next = self.what.q.val().any() & self.follows_found.q.val();
        if self.forwards.val() {
            self.slot_1.next = self.written_cursor.q.val().place;
            self.cursor_2.d.next = self.cursor_found.val();
        }
        // the place out of the block RAM comes late: it counts behind a register
        self.of_cursor.next = !self.grant_1.q.val().flow.response & !self.forwards.val();
        self.cursor_slot_2.d.next = self.cursors.rdata.val().place;
        assign!(given_slot_2.d = slot_1, of_cursor_2.d = of_cursor);
        self.slot_2.next = self.given_slot_2.q.val();
        if self.of_cursor_2.q.val() {
            self.slot_2.next = self.cursor_slot_2.q.val();
        }
        assign!(slot_3.d = slot_2, epoch_3.d = epochs.rdata);
        assign!(
            context_3.d = contexts.rdata,
            mtu_4.d = context_3.mtu,
            int_4.d = context_3.int_on
        );
        self.generation_3.next = self.grant.q.val().generation;
        if self.valid_3.q.val() {
            self.generation_3.next = self.grant_3.q.val().generation;
        }
        self.exists.next =
            self.context_3.q.val().alive & (self.context_3.q.val().generation == self.generation_3.val());
        self.valid_4.d.next = self.valid_3.q.val() & self.exists.val();
        assign! {
            grant_4.d = grant_3, slot_4.d = slot_3, epoch_4.d = epoch_3, valid_5.d = valid_4
        }
        self.inside.d.next = self.valid_1.q.val() | self.valid_2.q.val() | self.valid_3.q.val() | self.valid_4.q.val();
        self.occupied.next = self.valid_1.q.val() | self.inside.q.val() | self.valid_6.q.val();

        // the search, `Idle`: when nothing is looked for, or what was is decided; by then its words have been kept, so the next one's are addressed
        self.qp.next = self.grant.q.val().flow.qp;
        if self.step.q.val() == SelectStep::Address {
            self.step.d.next = SelectStep::Await;
        }
        if self.step.q.val() == SelectStep::Await {
            self.step.d.next = SelectStep::Context;
        }

        // 4, 5: the grant whose message shows; in the search always the one at hand
        self.search_begins.next = (self.step.q.val() == SelectStep::Search) & (self.age.q.val() == 2);
        assign!(shown = grant, epoch_shown = epoch_now);
        if self.valid_4.q.val() {
            assign!(shown = grant_4, epoch_shown = epoch_4);
        }
        self.shows_read.d.next = self.grant.q.val().flow.response;
        if self.valid_4.q.val() {
            self.shows_read.d.next = self.grant_4.q.val().flow.response;
        }
        if self.valid_3.q.val() {
            self.shows_read.d.next = self.grant_3.q.val().flow.response;
        }
        if self.valid_4.q.val() | self.search_begins.val() {
            assign!(
                epoch_now.d = epoch_4,
                mtu_now.d = mtu_4,
                int_now.d = int_4,
                counted.d = counted_4
            );
            self.enough.d.next = self.counted_4.q.val() >= self.ack_interval.val();
        }

        // search, 3: where it begins
        self.odd.next = self.grant.q.val().flow.response;
        self.slot_now.next = self.slot.q.val();
        if self.step.q.val() == SelectStep::Context {
            self.slot_now.next = self.cursor_2.q.val().place;
            if self.odd.val() {
                self.slot_now.next = self.read_place_2.q.val();
            }
            self.age.d.next = bits_u::<5>(1);
            self.step.d.next = SelectStep::Search;
        }
        self.slot.d.next = self.slot_now.val() + 1;
        fields!(message_place: qp, place = slot_now);
        if self.valid_1.q.val() {
            self.message_place.next.qp = self.grant_1.q.val().flow.qp;
            self.message_place.next.place = self.slot_1.val();
        } else if self.valid_2.q.val() {
            self.message_place.next.qp = self.grant_2.q.val().flow.qp;
            self.message_place.next.place = self.slot_2.val() + 1;
        }
        assign!(given_place.d = message_place);
        self.at_cursor.d.next = self.valid_1.q.val() & self.of_cursor.val();
        self.looked_place.next = self.given_place.q.val();
        if self.at_cursor.q.val() {
            self.looked_place.next.place = self.cursor_slot_2.q.val();
        }
        self.looked_address.next = bit_cast_number::<12, RingPlace>(self.looked_place.val());
        self.messages.raddr.next = bit_cast_u::<M, 12>(self.looked_address.val());
        self.read_address.next = bit_cast_number::<12, RingPlace>(self.given_place.q.val());
        self.reads.raddr.next = bit_cast_u::<M, 12>(self.read_address.val());

        // the message shows, or the READ
        self.message.d.next = self.messages.rdata.val();
        self.first_now.next = self.messages.rdata.val().first_psn;
        self.end_now.next = self.messages.rdata.val().end_psn;
        self.ours.d.next = self.messages.rdata.val().generation == self.shown.val().generation;
        self.read.next = self.reads.rdata.val();
        assign!(tag.d = read.tag, few.d = read.few);
        if self.shows_read.q.val() {
            assign!(first_now = read.first_psn, end_now = read.end_psn);
            self.ours.d.next = (self.read.val().generation == self.shown.val().generation)
                & (self.read.val().epoch == self.epoch_shown.val());
            // a READ as if it were a message: address, bytes, and its MSN in the place of the key
            self.message.d.next = bits_zero::<SelectMessage>(0);
            self.message.d.next.length = self.read.val().length;
            self.message.d.next.remote_key = bit_cast_u::<32, 24>(self.read.val().msn);
            self.message.d.next.local_address = self.read.val().address;
            self.message.d.next.guard = self.read.val().guard;
        }
        self.place.d.next = self.shown.val().psn - self.first_now.val();
        self.beyond.d.next = self.shown.val().psn - self.end_now.val();
        // of requests alone
        self.starts.d.next = self.shown.val().psn == self.messages.rdata.val().first_psn;

        // is the PSN in it? In the search age 4 is the first message or READ, age 19 the last
        self.looked.next = self.searching.q.val();
        self.found_slot.d.next = self.slot.q.val() - 3;
        if self.valid_4.q.val() {
            self.found_slot.d.next = self.slot_4.q.val();
        } else if self.valid_5.q.val() {
            self.found_slot.d.next = self.found_slot.q.val() + 1;
        }
        self.diverted.next = self.searches.down.valid.val() | self.diverts_r.q.val();
        if self.valid_5.q.val() | self.valid_6.q.val() {
            self.looked.next = !self.diverted.val();
        }
        // no message and no READ has more than 2^23 packets
        self.from_first.next = bit_cast_word::<PsnDistance, U<24>>(self.place.q.val());
        self.from_end.next = bit_cast_word::<PsnDistance, U<24>>(self.beyond.q.val());
        self.contains.next = self.ours.q.val() & !self.from_first.val().negative & self.from_end.val().negative;
        self.hit.next = self.looked.val() & self.contains.val();
        self.around.d.next = self.age.q.val() == 18;
        self.missed.next = self.searching.q.val() & !self.contains.val() & self.around.q.val();
        // the pipe is empty meanwhile
        self.concludes.next = self.searching.q.val() & (self.contains.val() | self.around.q.val());
        self.searching.d.next =
            (self.step.q.val() == SelectStep::Search) & (self.age.q.val() >= 3) & !self.concludes.val();
        self.valid_6.d.next = self.valid_5.q.val() & !self.diverted.val() & !self.contains.val();
        // who comes behind one that is searched for keeps its order
        self.diverts.next = (self.valid_5.q.val() & self.diverted.val())
            | (self.valid_6.q.val() & (self.diverted.val() | !self.contains.val()));
        self.diverts_r.d.next = self.diverts.val();
        fields!(diverting: flow = flow_r, generation = generation_r, psn = psn_r, marks = marks_r);
        inputs!(searches: reset, up.data = diverting, up.valid = diverts_r);
        if self.step.q.val() == SelectStep::Search {
            self.age.d.next = self.age.q.val() + 1;
            // is the queue pair still the one that the grant is for?
            if (self.age.q.val() == 1) & !self.exists.val() {
                self.step.d.next = SelectStep::Idle;
            }
        }
        // the same flow: the place that the one before has found is written in the clock in which it is found. Packets of a long READ need not
        // wait for it: they are in the READ of the last packet or in the next one
        if self.hit.val() & self.odd.val() {
            self.brief.d.next = self.few.q.val();
        }
        self.meets.next = !self.asked.inside_read.val()
            & (!self.next.q.val().flow.response | self.brief.q.val())
            & ((self.valid_2.q.val() & self.same_2.q.val())
                | (self.valid_3.q.val() & self.same_3.q.val())
                | (self.valid_4.q.val() & self.same_4.q.val())
                | (self.valid_5.q.val() & self.same_5.q.val() & !self.hit.val()));
        // clock 1 is empty while a grant waits, which has come in since the last one entered
        self.same_2.d.next = self.grant_1.q.val().flow == self.coming.val().flow;
        self.same_3.d.next = self.grant_2.q.val().flow == self.coming.val().flow;
        self.same_4.d.next = self.grant_3.q.val().flow == self.coming.val().flow;
        self.same_5.d.next = self.grant_4.q.val().flow == self.coming.val().flow;
        self.enters.next = self.waiting.q.val()
            & self.form.room.val()
            & !self.meets.val()
            & !(self.form.waits.val() & self.pause.q.val().any() & !self.asked.inside_read.val())
            & !self.diverts.val()
            & !self.diverted.val()
            & (self.step.q.val() == SelectStep::Idle);
        self.begins.next = self.searches.down.valid.val()
            & self.form.room.val()
            & !self.occupied.val()
            & (self.step.q.val() == SelectStep::Idle);
        self.searches.down.ready.next = self.begins.val();
        self.begun.d.next = self.begins.val();
        if self.concludes.val() {
            self.step.d.next = SelectStep::Idle;
        }
        if self.valid_4.q.val() {
            assign!(grant.d = grant_4);
        }
        self.valid_1.d.next = self.enters.val();
        if self.pause.q.val().any() {
            self.pause.d.next = self.pause.q.val() - 1;
        }
        if self.enters.val() {
            self.waiting.d.next = false;
        }
        if self.enters.val() & !self.asked.inside_read.val() {
            self.pause.d.next = bits_u::<2>(3);
        }
        if self.begins.val() {
            self.step.d.next = SelectStep::Address;
            self.grant.d.next = self.searched.val();
        }
        self.last.next = self.beyond.q.val().all();
        self.is_read.next = !self.odd.val() & self.message.q.val().read;
        self.sends.next =
            self.hit.val() & (!self.is_read.val() | self.starts.q.val() | self.grant.q.val().marks.rewound);
        self.asked.end_psn.next = self.message.q.val().end_psn;
        if !self.is_read.val() {
            self.asked.end_psn.next = self.grant.q.val().psn;
        }
        self.asked.writes.next = self.hit.val()
            & !self.odd.val()
            & (self.grant.q.val().marks.rewound | (self.is_read.val() & self.starts.q.val()));
        // every so manyth packet, the last of a message, READ requests, timed ones that go unasked, and whenever the scheduler asks
        inputs!(departs: spacing = times_spacing, enable = times_enable, psn = shown.psn, marks = grant.marks, read = is_read);
        self.asks.next = !self.odd.val()
            & (self.last.val()
                | self.is_read.val()
                | self.grant.q.val().marks.asks
                | self.grant.q.val().marks.rewound
                | (self.departs.timed.val() & !self.int_now.q.val())
                | self.enough.q.val());
        // places of a created queue pair, in a clock in which none is found
        inputs!(asked: voids = void_cursor, voided);
        self.follows_found.d.next = self.grant.q.val().flow == self.next.q.val().flow;
        fields!(cursor_new: place = found_slot, since_asked = counted, generation = grant.generation);
        self.writes_cursor.d.next = self.void_cursor.q.val();
        self.writes_read_place.d.next = self.void_cursor.q.val();
        assign!(written_qp.d = qp, written_cursor.d = cursor_new);
        if self.sends.val() {
            self.writes_cursor.d.next = !self.odd.val();
            self.writes_read_place.d.next = self.odd.val();
        } else {
            self.written_qp.d.next = self.voided.q.val();
            self.written_cursor.d.next = bits_zero::<RingCursor>(0);
            self.written_cursor.d.next.generation = self.voided_generation.q.val();
        }
        self.cursors.we.next = self.writes_cursor.q.val();
        self.cursors.waddr.next = bit_cast_u::<A, 8>(self.written_qp.q.val());
        self.cursors.wdata.next = self.cursor_found.val();
        self.read_places.we.next = self.writes_read_place.q.val();
        self.read_places.waddr.next = bit_cast_u::<A, 8>(self.written_qp.q.val());
        self.read_places.wdata.next = self.written_cursor.q.val().place;
        if !self.sends.val() & !self.context_valid.val() {
            self.void_cursor.d.next = false;
        }

        // 6
        self.go.d.next = (self.hit.val() | self.missed.val()) & !self.reset.val();
        self.what.d.next = bits_u::<2>(0);
        if self.sends.val() {
            self.what.d.next = bits_u::<2>(1);
            if self.is_read.val() {
                self.what.d.next = bits_u::<2>(2);
            }
            if self.odd.val() {
                self.what.d.next = bits_u::<2>(3);
            }
        }
        assign! {
            last_r.d = last, ack_req.d = asks, end_psn.d = message.end_psn, base.d = message.local_address
        }
        if self.is_read.val() {
            self.base.d.next = self.message.q.val().remote_address;
        }
        assign! {
            total.d = message.length, remote.d = message.remote_address, key.d = message.remote_key, place_r.d = place,
            guard.d = message.guard,
            psn_r.d = grant.psn, tag_r.d = tag, flow_r.d = grant.flow, generation_r.d = grant.generation,
            marks_r.d = grant.marks, mtu.d = mtu_now, int_on.d = int_now
        }
        if !self.odd.val() {
            self.tag_r.d.next = bit_cast_u::<5, 2>(bit_cast_number::<2, DepartureKind>(self.departs.departure.val()));
        }
        self.first_time.d.next = !self.grant.q.val().marks.repeated;
        inputs!(form: valid = go, form = what);
        self.form.flow.next = bit_cast_number::<9, QpHalf>(self.flow_r.q.val());
        inputs!(form:
            generation = generation_r, psn = psn_r, place = place_r, last = last_r, ack_req, end_psn, base, remote, key,
            total, tag = tag_r, mtu, int_on);
        // 7: who waits for it hears that a request leaves
        self.sent_r.d.next =
            self.go.q.val() & self.first_time.q.val() & ((self.what.q.val() == 1) | (self.what.q.val() == 2));
        self.repeated_r.d.next = self.go.q.val() & !self.first_time.q.val() & (self.what.q.val() != 0);
        self.void_r.d.next = self.go.q.val() & (self.what.q.val() == 0);
        self.sent_end_r.d.next = self.psn_r.q.val() + 1;
        if self.what.q.val() == 2 {
            self.sent_end_r.d.next = self.end_psn.q.val();
        }
        assign! {
            sent_valid = sent_r, sent_end = sent_end_r, sent_qp = sent_flow.qp, sent_generation = sent_generation_r,
            sent_flow.d = flow_r, sent_generation_r.d = generation_r, void_grant = void_r, repeated = repeated_r
        }

        StreamOut::<TxPacket>::link(&mut self.packet, &mut self.form.packet);
        StreamOut::<DmaJob>::link(&mut self.job, &mut self.form.job);
        outputs!(form: job_made);
        FeedbackOut::link(&mut self.feedback, &mut self.form.feedback);
        reset!(
            waiting,
            void_cursor,
            pause,
            valid_1,
            valid_2,
            valid_3,
            valid_4,
            valid_5,
            valid_6,
            inside,
            searching,
            begun,
            diverts_r,
            writes_cursor,
            writes_read_place,
            writes_message
        );
        reset!(step);
        if self.reset.val() {
            self.voids.d.next.some = false;
            self.read_voids.d.next.some = false;
        }
    }
}
