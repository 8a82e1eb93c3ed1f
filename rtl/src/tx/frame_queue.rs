//! Frames whose headers are made and that wait for their payload, or for the frames before them.
//!
//! Payload comes from memory in the order in which packets were selected, so frames keep that order. A READ request need not wait behind
//! READ responses: they are of other flows. It does not come here, but [beside the frames of data](super::ack), unless a request is under way here or
//! behind here, because requests keep their order. With READs both ways each side would otherwise wait for the memory and for the wire of the other, in every loop.
//!
//! | clock | does |
//! |---|---|
//! | 0 | a row into the table, its plan into the queue |
//! | 1 | the plan is offered, if nothing stands before it |
//! | 2 | its row, as long as the plan is offered and in the clock behind |
//!
//! Whether a request is under way, and whether there is room, is known when a packet's headers begin to be made.

use crate::emit::naming::named_inside;
use crate::prim::async_ram::AsyncRam;
use crate::prim::short_fifo::ShortFifo;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::words::tx::{FramePlan, FrameRow, QueuedPlan};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// A frame a clock in and out; sixteen from the clock in which a packet enters to that in which the last beat of its frame is taken.
#[block]
pub struct FrameQueue {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// There is room for a packet.
    pub admits: Signal<Out, Bit>,
    /// A READ request may go beside the frames of data: no request is under way, from here to where its frame is handed over.
    pub free_way: Signal<Out, Bit>,
    /// Register: none ever may.
    pub closed: Signal<In, Bit>,
    /// A packet's headers begin to be made.
    pub enters: Signal<In, Bit>,
    /// The frame that enters is a request.
    pub enters_request: Signal<In, Bit>,
    /// The headers of one that entered are made.
    pub valid: Signal<In, Bit>,
    /// The frame is a request.
    pub request: Signal<In, Bit>,
    /// Row of the frame.
    pub row: Signal<In, FrameRow>,
    /// Plan of the frame.
    pub plan: Signal<In, FramePlan>,
    /// The plan of the frame at hand; taken with the frame's last beat.
    pub down: StreamOut<FramePlan>,
    /// Row of the plan of the clock before.
    pub down_row: Signal<Out, FrameRow>,
    /// The frame of a request has been handed over.
    pub gone: Signal<In, Bit>,
    // a frame has left, a clock ago; it was a request that is not sent
    #[registers(Bit:
        /// A frame left the queue a clock ago.
        left,
        /// That frame was a request of a queue pair that is gone: nothing is sent of it.
        dropped)]
    /// Frames from where headers are made to where they have left.
    inside: DFF<U<5>>,
    /// Requests from where headers are made to where they are handed over: at most those inside and, behind, 170 frames of one beat.
    requests: DFF<U<8>>,
    #[registers(Bit:
        /// A frame may enter.
        room,
        /// No request is inside, so that a READ request may pass beside.
        no_request)]
    #[registers(U<4>:
        /// Place at which the next frame's row is written.
        place,
        /// Place of the frame that leaves.
        at)]
    // counts change
    #[signals(Bit: enter, leave)]
    #[signals(U<8>: come, go)]
    rows: AsyncRam<FrameRow, 4>,
    in_order: ShortFifo<QueuedPlan, 4, 16>,
    #[signals(QueuedPlan: queued, at_hand)]
    shown: Signal<Local, FramePlan>,
}

#[kernel]
impl Logic for FrameQueue {
    fn update(&mut self) {
        in_order.reset = reset;

        // what may enter; what has left is counted a clock later
        admits = room;
        free_way = no_request;
        enter = enters & !left;
        leave = left & !enters;
        if enter {
            inside = inside + 1;
        }
        if leave {
            inside = inside - 1;
        }
        // compared before it is known what enters and what has left
        room = if inside == 16 { leave } else { !(enter & (inside == 15)) };
        come = bit_cast_u::<8, 1>(bit_cast_b(enters & enters_request));
        go = bit_cast_u::<8, 1>(bit_cast_b(gone)) + bit_cast_u::<8, 1>(bit_cast_b(dropped));
        requests = requests + come - go;
        no_request = !requests.any() & !(enters & enters_request) & !closed;

        // in
        fields!(queued: plan, request, at = place);
        inputs!(rows: we = valid, waddr = place, wdata = row);
        inputs!(in_order: up.data = queued, up.valid = valid);
        if valid {
            place = place + 1;
        }

        // out
        at_hand = in_order.down.data;
        shown = at_hand.plan;
        assign!(down.data = shown, down.valid = in_order.down.valid);
        in_order.down.ready = down.ready;
        left = down.ready;
        dropped = down.ready & at_hand.request & shown.drop;
        at = at_hand.at;
        rows.raddr = at;
        down_row = rows.rdata;
        reset!(left, dropped, inside, requests, place);
        if reset {
            room = true;
            no_request = true;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
