//! A READ becomes active: its state to the packet selector, its range to the scheduler.

use crate::emit::naming::named_inside;
use crate::prim::short_fifo::ShortFifo;
use crate::prim::uint::{bit_cast_u, U};
use crate::sched::ports::WorkOut;
use crate::words::responses::{QueuedAnswer, ReadWork};
use crate::words::transport::{ReadRequest, ReadState};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Registers on the way out, and a queue of work. The state is out before the work.
#[block]
pub struct Activation {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// The READ of `entry` becomes active; six more may behind a clock in which `crowded` was high.
    pub activate: Signal<In, Bit>,
    /// Queue pair of the READ.
    pub qp: Signal<In, U<8>>,
    /// Tag of the READ.
    pub tag: Signal<In, U<5>>,
    /// And epoch.
    pub epoch: Signal<In, U<4>>,
    /// And what came.
    pub entry: Signal<In, QueuedAnswer>,
    /// One past the READ's last PSN.
    pub end_psn: Signal<In, U<24>>,
    /// The READ goes on where the one before it ends, which need not have left.
    pub goes_on: Signal<In, Bit>,
    /// The scheduler has not taken the work of several yet.
    pub crowded: Signal<Out, Bit>,
    /// Work of the READ response flows: a restart, or more of the same.
    pub work: WorkOut,
    /// A READ has become active.
    pub read_valid: Signal<Out, Bit>,
    /// Of this queue pair.
    pub read_qp: Signal<Out, U<8>>,
    /// What the READ asks for.
    pub read_data: Signal<Out, ReadState>,
    #[registers(Bit:
        /// A READ becomes active, for one clock.
        pulse,
        /// Its responses begin the flow anew, because no READ was active before it.
        restart)]
    /// Queue pair of the READ.
    qp_r: DFF<U<8>>,
    /// PSN of the last response of the READ.
    last: DFF<U<24>>,
    /// State of the READ for the packet selector.
    read: DFF<ReadState>,
    asked: Signal<Local, ReadRequest>,
    works: ShortFifo<ReadWork, 3, 2>,
    told: Signal<Local, ReadWork>,
    next_work: Signal<Local, ReadWork>,
}

#[kernel]
impl Logic for Activation {
    fn update(&mut self) {
        asked = entry.asked;
        pulse = activate;
        assign!(qp_r.d = qp, last.d = end_psn);
        restart = !goes_on;
        fields!(read.d from entry: generation, first_psn = psn);
        fields!(read.d from asked: count, address, guard, length);
        fields!(read.d: msn = entry.msn, tag, epoch);
        assign!(read_valid = pulse, read_qp = qp_r, read_data = read);

        fields!(told: qp = qp_r, restart = restart, end_psn = last);
        fields!(told from read: generation, first_psn);
        inputs!(works: reset, up.valid = pulse, up.data = told);
        next_work = works.down.data;
        assign! {
            work.valid = works.down.valid, work.generation = next_work.generation, work.restart = next_work.restart,
            work.start = next_work.first_psn, work.end = next_work.end_psn, crowded = works.crowded
        }
        work.flow = (bit_cast_u::<16, 8>(next_work.qp) << 1) | 1;
        works.down.ready = work.ready;
        reset!(pulse);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
