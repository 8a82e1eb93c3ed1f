//! A READ becomes active: its state to the packet selector, its range to the scheduler.

use crate::nic::words::{Commit, ReadState};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::wide::bit_cast_w;
use crate::sched::ports::WorkOut;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Registers on the way out. The state is out no later than the work.
#[block]
pub struct Activation {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// The READ of `entry` becomes active; only while not `busy`.
    pub activate: Signal<In, Bit>,
    /// Its queue pair.
    pub qp: Signal<In, U<8>>,
    /// Its tag.
    pub tag: Signal<In, U<2>>,
    /// And answer word.
    pub entry: Signal<In, Commit>,
    /// The scheduler has not taken the work of the one before.
    pub busy: Signal<Out, Bit>,
    /// One past the READ's last PSN.
    pub end_psn: Signal<Out, U<24>>,
    /// Work of the READ response flows, always a restart.
    pub work: WorkOut,
    /// A READ has become active.
    pub read_valid: Signal<Out, Bit>,
    /// Of this queue pair.
    pub read_qp: Signal<Out, U<8>>,
    /// What it asks for.
    pub read_data: Signal<Out, ReadState>,
    full: DFF<Bit>,
    flow: DFF<U<16>>,
    last: DFF<U<24>>,
    pulse: DFF<Bit>,
    read: DFF<ReadState>,
}

#[kernel]
impl Logic for Activation {
    fn update(&mut self) {
        self.end_psn.next = self.entry.val().get_bits::<24>(18) + self.entry.val().get_bits::<24>(176);
        if self.work.ready.val() {
            self.full.d.next = false;
        }
        self.pulse.d.next = self.activate.val();
        if self.activate.val() {
            self.full.d.next = true;
            self.flow.d.next = (bit_cast_u::<16, 8>(self.qp.val()) << 1) | 1;
            self.last.d.next = self.entry.val().get_bits::<24>(18) + self.entry.val().get_bits::<24>(176);
            self.read.d.next = bit_cast_w::<178, 3, 8>(self.entry.val().get_bits::<8>(10))
                | (bit_cast_w::<178, 3, 24>(self.entry.val().get_bits::<24>(18)) << 8)
                | (bit_cast_w::<178, 3, 24>(self.entry.val().get_bits::<24>(176)) << 32)
                | (bit_cast_w::<178, 3, 64>(self.entry.val().get_bits::<64>(80)) << 56)
                | (bit_cast_w::<178, 3, 32>(self.entry.val().get_bits::<32>(144)) << 120)
                | (bit_cast_w::<178, 3, 24>(self.entry.val().get_bits::<24>(50)) << 152)
                | (bit_cast_w::<178, 3, 2>(self.tag.val()) << 176);
        }
        self.busy.next = self.full.q.val();
        self.work.valid.next = self.full.q.val();
        self.work.flow.next = self.flow.q.val();
        self.work.generation.next = self.read.q.val().get_bits::<8>(0);
        self.work.restart.next = true;
        self.work.start.next = self.read.q.val().get_bits::<24>(8);
        self.work.end.next = self.last.q.val();
        self.read_valid.next = self.pulse.q.val();
        self.read_qp.next = self.flow.q.val().get_bits::<8>(1);
        self.read_data.next = self.read.q.val();
        if self.reset.val() {
            self.full.d.next = false;
            self.pulse.d.next = false;
        }
    }
}
