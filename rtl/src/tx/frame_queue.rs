//! Frames whose headers are made: those that wait for their payload, and those that need none.
//!
//! Payload comes from memory in the order in which packets were selected, so frames with payload keep that order. A READ request need not wait behind
//! READ responses whose payload is still being fetched: they are of other flows. It goes before them, unless a request stands before it, because requests
//! keep their order; and in turns with those whose payload is there, so that rows of requests and of responses do not follow each other. With READs both ways
//! each side would otherwise wait for the memory of the other, in every loop.
//!
//! | clock | does |
//! |---|---|
//! | 0 | a row into the table, its plan into one of two queues |
//! | 1 | the plan is offered, if nothing stands before it |
//! | 2 | its row, as long as the plan is offered and in the clock behind |
//!
//! Whether a packet may go ahead, and whether there is room, is decided when its headers begin to be made.

use crate::emit::naming::named_inside;
use crate::prim::async_ram::AsyncRam;
use crate::prim::short_fifo::ShortFifo;
use crate::prim::skid::StreamOut;
use crate::prim::uint::U;
use crate::prim::word::bit_cast_number;
use crate::words::tx::{FramePlan, FrameRow, QueuedPlan, RowPlace};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// A frame a clock in and out; sixteen of each kind from the clock in which a packet enters to that in which the last beat of its frame is taken.
#[block]
pub struct FrameQueue {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// The next packet is a READ request.
    pub next_read: Signal<In, Bit>,
    /// It is a request.
    pub next_request: Signal<In, Bit>,
    /// There is room for it.
    pub admits: Signal<Out, Bit>,
    /// It goes ahead of READ responses.
    pub next_ahead: Signal<Out, Bit>,
    /// Its headers begin to be made.
    pub enters: Signal<In, Bit>,
    /// The headers of one that entered are made.
    pub valid: Signal<In, Bit>,
    /// It goes ahead, as was said when it entered.
    pub ahead: Signal<In, Bit>,
    /// It is a request.
    pub request: Signal<In, Bit>,
    /// Its row.
    pub row: Signal<In, FrameRow>,
    /// Its plan.
    pub plan: Signal<In, FramePlan>,
    /// The plan of the frame at hand; taken with the frame's last beat.
    pub down: StreamOut<FramePlan>,
    /// There is payload.
    pub payload: Signal<In, Bit>,
    /// A beat of it is taken.
    pub beat: Signal<In, Bit>,
    /// It has begun, and so stays at hand.
    pub begun: Signal<In, Bit>,
    /// Row of the plan of the clock before.
    pub down_row: Signal<Out, FrameRow>,
    // the frame of which a beat was taken last goes ahead; there was payload a clock ago
    #[registers(Bit: went_ahead, supplied)]
    // a frame has left, a clock ago
    #[registers(Bit: left, left_ahead, left_request)]
    // frames of either kind, and requests among those that keep their order: from where headers are made to where they have left
    #[registers(U<5>: inside, inside_ahead, requests)]
    #[registers(Bit: room, room_ahead, free_way)]
    // for a READ request, on whichever way it goes
    #[registers(Bit: room_read)]
    #[registers(U<4>: place, place_ahead)]
    #[signals(Bit: room_next, room_ahead_next, free_way_next)]
    #[signals(Bit: goes_ahead, takes, takes_ahead, leaves, leaves_ahead, in_turn, first)]
    // counts change
    #[signals(Bit: enter, leave, enter_ahead, leave_ahead, enter_request, leave_request)]
    // of the row that is written, and of the one that is read
    #[signals(RowPlace: written_at)]
    at: DFF<U<5>>,
    rows: AsyncRam<FrameRow, 5>,
    in_order: ShortFifo<QueuedPlan, 4, 16>,
    before_them: ShortFifo<QueuedPlan, 4, 16>,
    queued: Signal<Local, QueuedPlan>,
    at_hand: Signal<Local, QueuedPlan>,
    /// The first of those that keep their order.
    ordered: Signal<Local, QueuedPlan>,
}

#[kernel]
impl Logic for FrameQueue {
    fn update(&mut self) {
        inputs!([in_order, before_them]: reset);

        // what may enter; what has left is counted a clock later
        goes_ahead = next_read & free_way;
        next_ahead = goes_ahead;
        admits = if next_read { room_read } else { room };
        takes = enters & !goes_ahead;
        takes_ahead = enters & goes_ahead;
        leaves = left & !left_ahead;
        leaves_ahead = left & left_ahead;
        enter = takes & !leaves;
        leave = leaves & !takes;
        enter_ahead = takes_ahead & !leaves_ahead;
        leave_ahead = leaves_ahead & !takes_ahead;
        enter_request = takes & next_request & !(leaves & left_request);
        leave_request = leaves & left_request & !(takes & next_request);
        if enter {
            inside = inside + 1;
        }
        if leave {
            inside = inside - 1;
        }
        if enter_ahead {
            inside_ahead = inside_ahead + 1;
        }
        if leave_ahead {
            inside_ahead = inside_ahead - 1;
        }
        if enter_request {
            requests = requests + 1;
        }
        if leave_request {
            requests = requests - 1;
        }
        // compared before it is known what enters and what has left
        room_next = if inside == 16 { leave } else { !(enter & (inside == 15)) };
        room_ahead_next = if inside_ahead == 16 { leave_ahead } else { !(enter_ahead & (inside_ahead == 15)) };
        free_way_next = if requests.any() { leave_request & (requests == 1) } else { !enter_request };
        assign!(
            room.d = room_next,
            room_ahead.d = room_ahead_next,
            free_way.d = free_way_next
        );
        room_read = if free_way_next { room_ahead_next } else { room_next };

        // in
        written_at.ahead = ahead;
        written_at.place = if ahead { place_ahead } else { place };
        queued.plan = plan;
        queued.request = request;
        queued.at = bit_cast_number::<5, RowPlace>(written_at);
        inputs!(rows: we = valid, waddr = queued.at, wdata = row);
        inputs!([in_order, before_them]: up.data = queued);
        in_order.up.valid = valid & !ahead;
        before_them.up.valid = valid & ahead;
        if valid & !ahead {
            place = place + 1;
        }
        if valid & ahead {
            place_ahead = place_ahead + 1;
        }

        // out: between frames one that goes ahead, unless it is the turn of a READ response that has its payload
        supplied = payload;
        ordered = in_order.down.data;
        in_turn = went_ahead & supplied & in_order.down.valid & !ordered.request;
        first = if begun { went_ahead } else { before_them.down.valid & !in_turn };
        at_hand = if first { before_them.down.data } else { ordered };
        down.data = at_hand.plan;
        down.valid = before_them.down.valid | in_order.down.valid;
        before_them.down.ready = down.ready & first;
        in_order.down.ready = down.ready & !first;
        if beat {
            went_ahead = first;
        }
        assign!(
            left.d = down.ready,
            left_ahead.d = first,
            left_request.d = at_hand.request
        );
        at = at_hand.at;
        rows.raddr = at;
        down_row = rows.rdata;
        reset!(went_ahead, left, inside, inside_ahead, requests, place, place_ahead);
        if reset {
            room = true;
            room_ahead = true;
            room_read = true;
            free_way = true;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
