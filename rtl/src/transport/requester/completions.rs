//! Completions on their way to the host: the word and a FIFO of 64.
//!
//! While the FIFO is full how a message ended stays with the message, whose place in the ring is taken until its completion has left:
//! work requests wait, and nothing else does.

use crate::emit::naming::named_inside;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bits_u, U};
use crate::words::work::{Completion, CompletionStatus};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Makes completions of work requests.
#[block]
pub struct Completions {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: drops what waits.
    pub reset: Signal<In, Bit>,
    /// Time, ns.
    pub now: Signal<In, U<48>>,
    /// A work request ends in this clock. Only while `room` is high.
    pub push: Signal<In, Bit>,
    /// Its number.
    pub id: Signal<In, U<64>>,
    /// Its queue pair.
    pub qpn: Signal<In, U<24>>,
    /// Its operation.
    pub operation: Signal<In, U<8>>,
    /// Place in the order of [`hpcc_models::nic::Status`].
    pub status: Signal<In, CompletionStatus>,
    /// Its length.
    pub length: Signal<In, U<32>>,
    /// There is room for a completion.
    pub room: Signal<Out, Bit>,
    /// Completions, oldest first.
    pub completion: StreamOut<Completion>,
    /// Bytes that were moved: none if the work request failed.
    moved: Signal<Local, U<32>>,
    /// A completion was made in the clock before.
    push_1: DFF<Bit>,
    /// That completion.
    item_1: DFF<Completion>,
    /// Completions until the host takes them.
    fifo: StreamFifo<Completion, 6, 56>,
}

#[kernel]
impl Logic for Completions {
    fn update(&mut self) {
        fifo.reset = reset;
        moved = if status != CompletionStatus::Ok { bits_u::<32>(0) } else { length };
        fields!(item_1.d: id, qpn, operation);
        item_1.status = status;
        fields!(item_1.d: length = moved, completed_at = now);
        item_1.reserved = bits_u::<8>(0);
        push_1 = push & !reset;
        fifo.up.data = item_1;
        fifo.up.valid = push_1;
        // eight places for what is on the way when the FIFO says so
        room = !fifo.crowded;
        StreamOut::<Completion>::link(&mut completion, &mut fifo.down);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
