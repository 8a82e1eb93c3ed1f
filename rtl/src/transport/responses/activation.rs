//! A READ becomes active: its state to the packet selector, its range to the scheduler.

use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::wide::W;
use crate::prim::word::bit_cast_word;
use crate::sched::ports::WorkOut;
use crate::words::transport::{Commit, ReadRequest, ReadState};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Registers on the way out. The state is out no later than the work.
#[block]
pub struct Activation {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// The READ of `entry` becomes active; only behind a clock that is not `busy`.
    pub activate: Signal<In, Bit>,
    /// Its queue pair.
    pub qp: Signal<In, U<8>>,
    /// Its tag.
    pub tag: Signal<In, U<4>>,
    /// And epoch.
    pub epoch: Signal<In, U<4>>,
    /// And answer word.
    pub entry: Signal<In, Commit>,
    /// One past the READ's last PSN.
    pub end_psn: Signal<In, U<24>>,
    /// The READ goes on where the one before it ends, which need not have left.
    pub goes_on: Signal<In, Bit>,
    /// The scheduler does not take the work of the one before in this clock: none can become active in the next.
    pub busy: Signal<Out, Bit>,
    /// Work of the READ response flows: a restart, or more of the same.
    pub work: WorkOut,
    /// A READ has become active.
    pub read_valid: Signal<Out, Bit>,
    /// Of this queue pair.
    pub read_qp: Signal<Out, U<8>>,
    /// What it asks for.
    pub read_data: Signal<Out, ReadState>,
    #[registers(Bit: full, pulse, restart)]
    flow: DFF<U<16>>,
    last: DFF<U<24>>,
    read: DFF<ReadState>,
    asked: Signal<Local, ReadRequest>,
}

#[kernel]
impl Logic for Activation {
    fn update(&mut self) {
        asked = bit_cast_word::<ReadRequest, W<336, 6>>(entry.int_stack);
        if work.ready {
            full = false;
        }
        pulse = activate;
        // what is not told yet stays; else whatever is there, so that nothing wide waits for a decision
        if !full {
            flow = (bit_cast_u::<16, 8>(qp) << 1) | 1;
            last = end_psn;
            restart = !goes_on;
            fields!(read.d from entry: generation, first_psn = psn);
            fields!(read.d from asked: count, address, length);
            fields!(read.d: msn = entry.msn, tag, epoch);
        }
        if activate {
            full = true;
        }
        assign! {
            work.valid = full, work.flow = flow, work.generation = read.generation, work.restart = restart,
            work.start = read.first_psn, work.end = last, read_valid = pulse
        }
        busy = full & !work.ready;
        read_qp = flow.get_bits::<8>(1);
        read_data = read;
        reset!(full, pulse);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
