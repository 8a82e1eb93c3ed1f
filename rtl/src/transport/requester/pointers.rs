//! Where the messages of a queue pair lie in its ring, a clock before its whole state shows, so that the ring is addressed from a register.
//!
//! The same words as in the state, written with it; in a void state they mean nothing.

use crate::emit::naming::named_inside;
use crate::prim::ram::Ram;
use crate::prim::uint::U;
use crate::words::requester::{RequesterState, RingPointers};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Pointers of 256 queue pairs.
#[block]
pub struct Pointers {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: queue pair to read.
    pub qp: Signal<In, U<8>>,
    /// Clock 1: not the oldest message, but the first that may be a READ with missing data.
    pub read: Signal<In, Bit>,
    /// Clock 1: or the oldest whose completion waits.
    pub told: Signal<In, Bit>,
    /// Clock 1: its place, as it is after writes of the clocks 0 and 1.
    pub place: Signal<Out, U<5>>,
    /// A state is written.
    pub we: Signal<In, Bit>,
    /// Of this queue pair.
    pub write_qp: Signal<In, U<8>>,
    /// The state.
    pub new_state: Signal<In, RequesterState>,
    #[signals(RingPointers: written, now)]
    memory: Ram<RingPointers, 8>,
    qp_1: DFF<U<8>>,
}

#[kernel]
impl Logic for Pointers {
    fn update(&mut self) {
        qp_1 = qp;
        memory.raddr = qp;
        fields!(written from new_state: head, read_at, told);
        inputs!(memory: we, waddr = write_qp, wdata = written);
        now = memory.rdata;
        if we & (write_qp == qp_1) {
            now = written;
        }
        place = now.head;
        if read {
            place = now.read_at;
        }
        if told {
            place = now.told;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
