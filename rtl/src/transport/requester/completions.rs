//! Completions on their way to the host: the word and a FIFO of 64.
//!
//! While the FIFO is full how a message ended stays with the message, whose place in the ring is taken until its completion has left:
//! work requests wait, and nothing else does.

use crate::emit::naming::named_inside;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bits_u, U};
use crate::words::requester::OwnWork;
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
    /// So did one in the fast path in the clock before: never both, and by itself because it is late.
    pub push_fast: Signal<In, Bit>,
    /// Number of the queue pair.
    pub qpn: Signal<In, U<24>>,
    /// Operation of the work request.
    pub operation: Signal<In, U<8>>,
    /// Place in the order of [`hpcc_models::nic::Status`].
    pub status: Signal<In, CompletionStatus>,
    /// It is refused, so that no message was made of it,
    pub refused: Signal<In, Bit>,
    /// and this is its number.
    pub id: Signal<In, U<64>>,
    /// A clock later, if it is not refused: number and length.
    pub ended_work: Signal<In, OwnWork>,
    /// There is room for a completion.
    pub room: Signal<Out, Bit>,
    /// Completions, oldest first.
    pub completion: StreamOut<Completion>,
    /// A completion was made in the clock before; of a work request that was refused.
    #[registers(Bit: push_1, refused_1)]
    /// That completion, but for number and length of a message's work request.
    item_1: DFF<Completion>,
    item: Signal<Local, Completion>,
    /// Completions until the host takes them.
    fifo: StreamFifo<Completion, 6, 56>,
}

#[kernel]
impl Logic for Completions {
    fn update(&mut self) {
        fifo.reset = reset;
        fields!(item_1.d: id, qpn, operation);
        item_1.status = status;
        fields!(item_1.d: completed_at = now);
        item_1.length = bits_u::<32>(0);
        item_1.reserved = bits_u::<8>(0);
        refused_1 = refused;
        push_1 = push & !reset;
        item = item_1;
        if !refused_1 {
            item.id = ended_work.id;
            // a work request that failed has moved nothing
            if item_1.status == CompletionStatus::Ok {
                item.length = ended_work.total;
            }
        }
        fifo.up.data = item;
        fifo.up.valid = push_1 | push_fast;
        // eight places for what is on the way when the FIFO says so
        room = !fifo.crowded;
        StreamOut::<Completion>::link(&mut completion, &mut fifo.down);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
