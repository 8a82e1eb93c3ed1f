//! The queue pair in hand: its state in registers, and what each step changes in it.

use super::store::Store;
use crate::nic::words::Context;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::bit_cast_w;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// State of one queue pair between `load` and `save`. Fields as in [`QueueState`](super::store::QueueState).
#[block]
pub struct Queue {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A queue pair is created or removed.
    pub context_valid: Signal<In, Bit>,
    /// Its number.
    pub context_qp: Signal<In, U<8>>,
    /// Its context.
    pub context_data: Signal<In, Context>,
    /// A packet was sent for the first time.
    pub sent_valid: Signal<In, Bit>,
    /// Its queue pair.
    pub sent_qp: Signal<In, U<8>>,
    /// Its generation.
    pub sent_generation: Signal<In, U<8>>,
    /// One past its PSN.
    pub sent_end: Signal<In, U<24>>,
    /// Queue pair to read, two clocks before `load`.
    pub next_qp: Signal<In, U<8>>,
    /// Queue pair in hand, from `load` on.
    pub qp: Signal<In, U<8>>,
    /// Take the state into the registers.
    pub load: Signal<In, Bit>,
    /// Write it back, if it has changed.
    pub save: Signal<In, Bit>,
    /// See [`Store`].
    pub removing: Signal<In, Bit>,
    /// See [`Store`].
    pub generation: Signal<In, U<8>>,
    /// `una` becomes `new_una`.
    pub advance: Signal<In, Bit>,
    /// See `advance`.
    pub new_una: Signal<In, U<24>>,
    /// The oldest message leaves the ring.
    pub pop: Signal<In, Bit>,
    /// The message that `pop` or `hand` is about is a READ.
    pub is_read: Signal<In, Bit>,
    /// No READ with missing data is before `position`.
    pub pass: Signal<In, Bit>,
    /// See `pass`.
    pub position: Signal<In, U<5>>,
    /// The READ data of `psn` is taken.
    pub take: Signal<In, Bit>,
    /// See `take`.
    pub psn: Signal<In, U<24>>,
    /// A READ gap at `una` is reported.
    pub lose: Signal<In, Bit>,
    /// The scheduler gets the next message.
    pub hand: Signal<In, Bit>,
    /// A message enters the ring; it ends at `new_end`.
    pub push: Signal<In, Bit>,
    /// See `push`.
    pub new_end: Signal<In, U<24>>,
    /// The queue pair is dead, its ring empty.
    pub bury: Signal<In, Bit>,
    /// With `bury`: what a work request cut off by it ends with.
    pub status: Signal<In, U<4>>,
    /// Read from the tables in the clock of `load`: the queue pair exists.
    pub alive: Signal<Out, Bit>,
    /// In the clock of `load`: generation of the context.
    pub context_generation: Signal<Out, U<8>>,
    /// In the clock of `load`: oldest message.
    pub head_loaded: Signal<Out, U<5>>,
    /// In the clock of `load`: no READ with missing data is before this message.
    pub read_loaded: Signal<Out, U<5>>,
    /// The same two without a look at the generation: what is read there is of use only if the ring is not empty.
    pub head_early: Signal<Out, U<5>>,
    /// See `head_early`.
    pub read_early: Signal<Out, U<5>>,
    /// Oldest PSN without acknowledgement.
    pub una: Signal<Out, U<24>>,
    /// `una` when the state was loaded.
    pub una_before: Signal<Out, U<24>>,
    /// End of the READ data taken.
    pub accepted: Signal<Out, U<24>>,
    /// Next PSN without a message.
    pub assigned: Signal<Out, U<24>>,
    /// A gap at `una` has been reported.
    pub gap_known: Signal<Out, Bit>,
    /// Ended.
    pub dead: Signal<Out, Bit>,
    /// Oldest message.
    pub head: Signal<Out, U<5>>,
    /// First message that the scheduler does not have.
    pub admit: Signal<Out, U<5>>,
    /// Next place.
    pub tail: Signal<Out, U<5>>,
    /// READs with the scheduler.
    pub reads: Signal<Out, U<5>>,
    /// Status of a work request cut off.
    pub carry: Signal<Out, U<4>>,
    /// Generation of the state.
    pub own_generation: Signal<Out, U<8>>,
    /// MTU code.
    pub mtu: Signal<Out, U<3>>,
    /// Collects INT.
    pub int_on: Signal<Out, Bit>,
    /// Something was sent.
    pub sent_known: Signal<Out, Bit>,
    /// One past the highest PSN sent.
    pub sent_to: Signal<Out, U<24>>,
    /// The state has changed since `load`.
    pub changed: Signal<Out, Bit>,
    store: Store,
    una_r: DFF<U<24>>,
    una_before_r: DFF<U<24>>,
    accepted_r: DFF<U<24>>,
    assigned_r: DFF<U<24>>,
    gap_r: DFF<U<24>>,
    gap_valid_r: DFF<Bit>,
    dead_r: DFF<Bit>,
    head_r: DFF<U<5>>,
    admit_r: DFF<U<5>>,
    tail_r: DFF<U<5>>,
    read_at_r: DFF<U<5>>,
    reads_r: DFF<U<5>>,
    carry_r: DFF<U<4>>,
    generation_r: DFF<U<8>>,
    mtu_r: DFF<U<3>>,
    int_on_r: DFF<Bit>,
    sent_known_r: DFF<Bit>,
    sent_to_r: DFF<U<24>>,
    changed_r: DFF<Bit>,
    lag: Signal<Local, U<24>>,
    accepted_now: Signal<Local, U<24>>,
}

#[kernel]
impl Logic for Queue {
    fn update(&mut self) {
        inputs!(
            store,
            context_valid,
            context_qp,
            context_data,
            sent_valid,
            sent_qp,
            sent_generation,
            sent_end
        );
        self.store.qp.next = self.next_qp.val();
        inputs!(store, removing, generation);
        outputs!(store, alive, context_generation);
        self.head_early.next = self.store.head.val();
        self.read_early.next = self.store.read_at.val();
        self.head_loaded.next = self.store.state.val().get_bits::<5>(98);
        self.read_loaded.next = self.store.state.val().get_bits::<5>(113);

        if self.advance.val() {
            self.una_r.d.next = self.new_una.val();
        }
        if self.pop.val() {
            self.head_r.d.next = self.head_r.q.val() + 1;
            self.reads_r.d.next = self.reads_r.q.val() - bit_cast_u::<5, 1>(bit_cast_b(self.is_read.val()));
            if self.read_at_r.q.val() == self.head_r.q.val() {
                self.read_at_r.d.next = self.head_r.q.val() + 1;
            }
        }
        if self.pass.val() {
            self.read_at_r.d.next = self.position.val();
        }
        if self.take.val() {
            self.accepted_r.d.next = self.psn.val() + 1;
        }
        if self.lose.val() {
            self.gap_r.d.next = self.una_r.q.val();
            self.gap_valid_r.d.next = true;
        }
        if self.hand.val() {
            self.admit_r.d.next = self.admit_r.q.val() + 1;
            self.reads_r.d.next = self.reads_r.q.val() + bit_cast_u::<5, 1>(bit_cast_b(self.is_read.val()));
        }
        if self.push.val() {
            self.tail_r.d.next = self.tail_r.q.val() + 1;
            self.assigned_r.d.next = self.new_end.val();
        }
        if self.bury.val() {
            self.dead_r.d.next = true;
            self.head_r.d.next = self.tail_r.q.val();
            self.admit_r.d.next = self.tail_r.q.val();
            self.read_at_r.d.next = self.tail_r.q.val();
            self.reads_r.d.next = bits_u::<5>(0);
            self.carry_r.d.next = self.status.val();
        }
        if self.advance.val()
            | self.pop.val()
            | self.pass.val()
            | self.take.val()
            | self.lose.val()
            | self.hand.val()
            | self.push.val()
            | self.bury.val()
        {
            self.changed_r.d.next = true;
        }
        if self.load.val() {
            self.una_r.d.next = self.store.state.val().get_bits::<24>(0);
            self.una_before_r.d.next = self.store.state.val().get_bits::<24>(0);
            self.accepted_r.d.next = self.store.state.val().get_bits::<24>(24);
            self.assigned_r.d.next = self.store.state.val().get_bits::<24>(48);
            self.gap_r.d.next = self.store.state.val().get_bits::<24>(72);
            self.gap_valid_r.d.next = self.store.state.val().get_bit(96);
            self.dead_r.d.next = self.store.state.val().get_bit(97);
            self.head_r.d.next = self.store.state.val().get_bits::<5>(98);
            self.admit_r.d.next = self.store.state.val().get_bits::<5>(103);
            self.tail_r.d.next = self.store.state.val().get_bits::<5>(108);
            self.read_at_r.d.next = self.store.state.val().get_bits::<5>(113);
            self.reads_r.d.next = self.store.state.val().get_bits::<5>(118);
            self.carry_r.d.next = self.store.state.val().get_bits::<4>(123);
            self.generation_r.d.next = self.store.state.val().get_bits::<8>(127);
            self.mtu_r.d.next = self.store.mtu.val();
            self.int_on_r.d.next = self.store.int_on.val();
            self.sent_known_r.d.next = self.store.sent_known.val();
            self.sent_to_r.d.next = self.store.sent_to.val();
            self.changed_r.d.next = false;
        }

        self.una.next = self.una_r.q.val();
        self.una_before.next = self.una_before_r.q.val();
        self.accepted.next = self.accepted_r.q.val();
        self.assigned.next = self.assigned_r.q.val();
        self.gap_known.next = self.gap_valid_r.q.val() & (self.gap_r.q.val() == self.una_r.q.val());
        self.dead.next = self.dead_r.q.val();
        self.head.next = self.head_r.q.val();
        self.admit.next = self.admit_r.q.val();
        self.tail.next = self.tail_r.q.val();
        self.reads.next = self.reads_r.q.val();
        self.carry.next = self.carry_r.q.val();
        self.own_generation.next = self.generation_r.q.val();
        self.mtu.next = self.mtu_r.q.val();
        self.int_on.next = self.int_on_r.q.val();
        self.sent_known.next = self.sent_known_r.q.val();
        self.sent_to.next = self.sent_to_r.q.val();
        self.changed.next = self.changed_r.q.val();

        // back to the table; no READ data is missing before `una`
        self.lag.next = self.accepted_r.q.val() - self.una_r.q.val();
        self.accepted_now.next = self.accepted_r.q.val();
        if self.lag.val().get_bit(23) {
            self.accepted_now.next = self.una_r.q.val();
        }
        self.store.we.next = self.save.val() & self.changed_r.q.val();
        self.store.write_qp.next = self.qp.val();
        self.store.new_state.next = bit_cast_w::<135, 3, 24>(self.una_r.q.val())
            | (bit_cast_w::<135, 3, 24>(self.accepted_now.val()) << 24)
            | (bit_cast_w::<135, 3, 24>(self.assigned_r.q.val()) << 48)
            | (bit_cast_w::<135, 3, 24>(self.gap_r.q.val()) << 72)
            | (bit_cast_w::<135, 3, 1>(bit_cast_b(self.gap_valid_r.q.val())) << 96)
            | (bit_cast_w::<135, 3, 1>(bit_cast_b(self.dead_r.q.val())) << 97)
            | (bit_cast_w::<135, 3, 5>(self.head_r.q.val()) << 98)
            | (bit_cast_w::<135, 3, 5>(self.admit_r.q.val()) << 103)
            | (bit_cast_w::<135, 3, 5>(self.tail_r.q.val()) << 108)
            | (bit_cast_w::<135, 3, 5>(self.read_at_r.q.val()) << 113)
            | (bit_cast_w::<135, 3, 5>(self.reads_r.q.val()) << 118)
            | (bit_cast_w::<135, 3, 4>(self.carry_r.q.val()) << 123)
            | (bit_cast_w::<135, 3, 8>(self.generation_r.q.val()) << 127);
    }
}
