//! The messages of all queue pairs: the requester's own copy, and the bus that tells Select.

use crate::prim::banked_table::HeldBankedTable;
use crate::prim::ram::RamReg;
use crate::prim::table_ram::DirectRam;
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::bit_cast_number;
use crate::words::context::RegionGuard;
use crate::words::requester::{LaterMessage, OwnMessage, OwnWork, RingPlace, RingPointers};
use crate::words::transport::Message;
use crate::words::work::{CompletionStatus, WorkRequest};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Rings of 16 messages.
#[block]
pub struct Ring {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Queue pair whose ring is read.
    pub qp: Signal<In, U<8>>,
    /// Place to read, unless `shows` or `being_written`.
    pub place: Signal<In, U<5>>,
    /// The place to read is one of `stored`, unless `being_written`.
    pub shows: Signal<In, Bit>,
    /// The place to read is one of `written`.
    pub being_written: Signal<In, Bit>,
    /// Of `stored` or `written` not the oldest message counts, but the first that may be a READ with missing data.
    pub read: Signal<In, Bit>,
    /// Places as memory shows them, a clock later.
    pub stored: Signal<In, RingPointers>,
    /// Places that were written a clock before, a clock later.
    pub written: Signal<In, RingPointers>,
    /// The place that was to be read, two clocks later.
    pub looked_place: Signal<Out, U<5>>,
    /// The message there is taken, two clocks later,
    pub take: Signal<In, Bit>,
    /// and stays here from the clock after until another is. A message that is made in the clock of the place or later does not show yet.
    pub message: Signal<Out, OwnMessage>,
    /// Its local address, from a clock later on.
    pub base: Signal<Out, U<64>>,
    /// The region of that memory, as late.
    pub guard: Signal<Out, RegionGuard>,
    /// Work request of the message, as late.
    pub ended_work: Signal<Out, OwnWork>,
    /// How the message at the place of three clocks ago ended, if its completion waits.
    pub status: Signal<Out, CompletionStatus>,
    /// A message is done, but its completion has no room.
    pub defer: Signal<In, Bit>,
    /// Queue pair of the message.
    pub defer_qp: Signal<In, U<8>>,
    /// Position of the message in its ring.
    pub defer_place: Signal<In, U<5>>,
    /// How it ended.
    pub defer_status: Signal<In, CompletionStatus>,
    /// A message is made in this clock; it is written in the next.
    pub push: Signal<In, Bit>,
    /// Queue pair of the message that is made.
    pub push_qp: Signal<In, U<8>>,
    /// Place of the message that is made.
    pub tail: Signal<In, U<5>>,
    /// Work request of the message.
    pub work: Signal<In, WorkRequest>,
    /// First PSN of the message that is made.
    pub start: Signal<In, U<24>>,
    /// One past its last.
    pub finish: Signal<In, U<24>>,
    /// The work request ends with it.
    pub last: Signal<In, Bit>,
    /// Generation.
    pub generation: Signal<In, U<8>>,
    /// Local address in memory.
    pub local_address: Signal<In, U<64>>,
    /// The region of that memory.
    pub local_guard: Signal<In, RegionGuard>,
    /// Remote address.
    pub remote_address: Signal<In, U<64>>,
    /// Bytes.
    pub length: Signal<In, U<32>>,
    /// Bus: a message is written.
    pub bus_valid: Signal<Out, Bit>,
    /// Bus: queue pair 11:4, place 3:0.
    pub bus_address: Signal<Out, U<12>>,
    /// Bus: the message.
    pub bus_data: Signal<Out, Message>,
    /// Registers straight before the memories: the address has a long way to many block RAMs. Which place counts is chosen behind them, because
    /// two of the three come a clock later.
    looked_qp: DFF<U<8>>,
    #[registers(Bit:
        /// The place is taken from the state as stored.
        of_stored,
        /// The place is taken from the state that is being written.
        of_written,
        /// The place wanted is that of the oldest READ with missing data, else that of the oldest message.
        of_read)]
    #[registers(U<5>:
        /// Place that the state machine asks for.
        given,
        /// Position in the ring that is looked at, a clock later.
        position_1)]
    #[signals(U<5>: place_written, position)]
    #[signals(RingPlace: looked, added, deferred)]
    memory: DirectRam<OwnMessage, 12>,
    /// Local addresses and work requests of the messages: they are needed later, so that fewer block RAMs wait for the address. 2048 places for the first 128
    /// queue pairs, 512 for those behind.
    later: HeldBankedTable<LaterMessage, 12, 11, 9>,
    /// Place of the message whose later part is read.
    later_place: DFF<U<12>>,
    /// The message's later part is taken a clock after the message.
    taken: DFF<Bit>,
    /// Output register of the messages' memory: nothing is chosen between, which the block RAM then has inside.
    message_taken: DFF<OwnMessage>,
    /// The work request does not end with the message: a flip-flop of its own, because from a block RAM it is a long way to what decides by it. Inverted, so
    /// that it is not taken for the output register again.
    goes_on: DFF<Bit>,
    #[signals(OwnMessage: arrived, shown, own)]
    #[signals(LaterMessage: found, kept)]
    /// How messages ended whose completions wait.
    statuses: RamReg<CompletionStatus, 12>,
    /// The status of a message whose completion waits is written.
    defers: DFF<Bit>,
    /// Place of that message.
    defers_at: DFF<U<12>>,
    /// Status of that message.
    defers_status: DFF<CompletionStatus>,
    memory_place: Signal<Local, U<12>>,
    /// A message is written.
    valid: DFF<Bit>,
    /// Place of the message that is written.
    address: DFF<U<12>>,
    /// Message that is written.
    data: DFF<Message>,
}

#[kernel]
impl Logic for Ring {
    fn update(&mut self) {
        // the lower bits of a position are its place
        assign!(
            given.d = place,
            of_written.d = being_written,
            of_read.d = read,
            looked_qp.d = qp
        );
        of_stored = shows & !being_written;
        // out of registers; what the memory shows comes last
        place_written = if of_read { written.read_at } else { written.head };
        position = if of_written { place_written } else { given };
        if of_stored {
            position = if of_read { stored.read_at } else { stored.head };
        }
        position_1 = position;
        looked_place = position_1;
        looked.place = bit_cast_u::<4, 5>(position);
        looked.qp = looked_qp;
        added.place = bit_cast_u::<4, 5>(tail);
        added.qp = push_qp;
        deferred.place = bit_cast_u::<4, 5>(defer_place);
        deferred.qp = defer_qp;
        memory_place = bit_cast_number::<12, RingPlace>(looked);
        memory.raddr = memory_place;
        arrived = memory.rdata;
        if take {
            message_taken = arrived;
            goes_on = !arrived.last;
        }
        shown = message_taken;
        shown.last = !goes_on;
        message = shown;
        valid = push;
        address = bit_cast_number::<12, RingPlace>(added);
        fields!(data.d: first_psn = start, end_psn = finish);
        data.read = work.operation.get_bit(0);
        fields!(data.d:
            last, generation, local_address, guard = local_guard, remote_address, remote_key = work.remote_key, length,
            id = work.id,
            total = work.length);
        assign!(bus_valid = valid, bus_address = address);
        bus_data = data;
        inputs!(memory: we = valid, waddr = address);
        fields!(own from data: first_psn, end_psn, read, last);
        own.length = bit_cast_u::<13, 32>(data.length);
        memory.wdata = own;
        later_place = memory_place;
        taken = take;
        inputs!(later: raddr = later_place, take = taken);
        found = later.rdata;
        assign!(base = found.base, guard = found.guard, ended_work = found.work);
        inputs!(later: we = valid, waddr = address);
        fields!(kept from data: base = local_address, guard, work.id = id, work.total = total);
        later.wdata = kept;
        statuses.raddr = memory_place;
        status = statuses.rdata;
        // a clock later, as whether a message is done comes late; nobody reads it before
        assign!(defers.d = defer, defers_status.d = defer_status);
        defers_at = bit_cast_number::<12, RingPlace>(deferred);
        inputs!(statuses: we = defers, waddr = defers_at, wdata = defers_status);
    }
}
