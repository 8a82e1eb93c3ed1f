//! One step of the walk over a queue pair's ring: what an answer does to one message.

use crate::emit::naming::{named, named_as};
use crate::prim::uint::U;
use rust_hdl::prelude::*;

/// How far an answer moves `una` in the oldest message, and whether the scheduler may have it: at most four times 2^`SEGMENT` PSNs
/// are outstanding. Without registers.
///
/// Reference: `acknowledge`, `take_read_packet` and `next` of `hpcc_models::nic`'s requester.
#[derive(LogicBlock)]
pub struct Walk<const SEGMENT: usize> {
    /// Oldest PSN without acknowledgement.
    pub una: Signal<In, U<24>>,
    /// PSN up to which the answer acknowledges, exclusive.
    pub limit: Signal<In, U<24>>,
    /// The data of the READ response at `limit` has arrived.
    pub with_data: Signal<In, Bit>,
    /// First PSN of the message.
    pub start: Signal<In, U<24>>,
    /// One past its last PSN.
    pub finish: Signal<In, U<24>>,
    /// It is a READ.
    pub read: Signal<In, Bit>,
    /// PSN to find.
    pub sought: Signal<In, U<24>>,
    /// READs admitted.
    pub reads: Signal<In, U<5>>,
    /// READs admitted at most.
    pub max_reads: Signal<In, U<5>>,
    /// `una` after the answer.
    pub new_una: Signal<Out, U<24>>,
    /// The message is done.
    pub complete: Signal<Out, Bit>,
    /// The data was taken.
    pub taken: Signal<Out, Bit>,
    /// The message holds the PSN sought.
    pub holds: Signal<Out, Bit>,
    /// The message ends behind the PSN sought.
    pub reaches: Signal<Out, Bit>,
    /// The scheduler may have the message.
    pub fits: Signal<Out, Bit>,
    ahead: Signal<Local, U<24>>,
    left: Signal<Local, U<24>>,
    offset: Signal<Local, U<24>>,
    count: Signal<Local, U<24>>,
    behind: Signal<Local, U<24>>,
    span: Constant<U<24>>,
}

impl<const SEGMENT: usize> Default for Walk<SEGMENT> {
    fn default() -> Self {
        Self {
            una: Default::default(),
            limit: Default::default(),
            with_data: Default::default(),
            start: Default::default(),
            finish: Default::default(),
            read: Default::default(),
            sought: Default::default(),
            reads: Default::default(),
            max_reads: Default::default(),
            new_una: Default::default(),
            complete: Default::default(),
            taken: Default::default(),
            holds: Default::default(),
            reaches: Default::default(),
            fits: Default::default(),
            ahead: Default::default(),
            left: Default::default(),
            offset: Default::default(),
            count: Default::default(),
            behind: Default::default(),
            span: Constant::new(U(4 << SEGMENT)),
        }
    }
}

impl<const SEGMENT: usize> Logic for Walk<SEGMENT> {
    #[hdl_gen]
    fn update(&mut self) {
        self.ahead.next = self.limit.val() - self.una.val();
        self.left.next = self.finish.val() - self.una.val();
        self.new_una.next = self.una.val();
        self.complete.next = false;
        self.taken.next = false;
        if self.read.val() {
            // an acknowledgement never completes a READ, only its data does
            if self.with_data.val() & (self.ahead.val() == 0) {
                self.taken.next = true;
                self.new_una.next = self.una.val() + 1;
                self.complete.next = self.left.val() == 1;
            }
        } else {
            if self.ahead.val().any() & !self.ahead.val().get_bit(23) {
                if self.ahead.val() < self.left.val() {
                    self.new_una.next = self.limit.val();
                } else {
                    self.new_una.next = self.finish.val();
                    self.complete.next = true;
                }
            }
        }
        self.offset.next = self.sought.val() - self.start.val();
        self.count.next = self.finish.val() - self.start.val();
        self.holds.next = self.offset.val() < self.count.val();
        self.behind.next = self.finish.val() - self.sought.val() - 1;
        self.reaches.next = !self.behind.val().get_bit(23);
        self.fits.next =
            (self.left.val() <= self.span.val()) & (!self.read.val() | (self.reads.val() < self.max_reads.val()));
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_as(format!("walk_s{SEGMENT}"))
    }
}

/// Where the PSN of a packet lies. Two clocks from `measure`.
#[derive(LogicBlock, Default)]
pub struct Distance {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Take the inputs.
    pub measure: Signal<In, Bit>,
    /// The PSN.
    pub psn: Signal<In, U<24>>,
    /// Oldest PSN without acknowledgement.
    pub una: Signal<In, U<24>>,
    /// End of the READ data taken.
    pub accepted: Signal<In, U<24>>,
    /// Something was sent.
    pub sent_known: Signal<In, Bit>,
    /// One past the highest PSN sent.
    pub sent_to: Signal<In, U<24>>,
    /// Before `una`.
    pub old: Signal<Out, Bit>,
    /// Never sent.
    pub ghost: Signal<Out, Bit>,
    /// READ data there is taken already.
    pub twice: Signal<Out, Bit>,
    distance: DFF<U<24>>,
    reach: DFF<U<24>>,
    progress: DFF<U<24>>,
    nothing: DFF<Bit>,
    is_old: DFF<Bit>,
    is_ghost: DFF<Bit>,
    is_twice: DFF<Bit>,
}

impl Logic for Distance {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, distance, reach, progress, nothing, is_old, is_ghost, is_twice);
        if self.measure.val() {
            self.distance.d.next = self.psn.val() - self.una.val();
            self.reach.d.next = self.sent_to.val() - self.una.val();
            self.progress.d.next = self.psn.val() - self.accepted.val();
            self.nothing.d.next = !self.sent_known.val();
        }
        self.is_old.d.next = self.distance.q.val().get_bit(23);
        self.is_ghost.d.next =
            !self.distance.q.val().get_bit(23) & (self.nothing.q.val() | (self.distance.q.val() >= self.reach.q.val()));
        self.is_twice.d.next = self.distance.q.val().get_bit(23) | self.progress.q.val().get_bit(23);
        self.old.next = self.is_old.q.val();
        self.ghost.next = self.is_ghost.q.val();
        self.twice.next = self.is_twice.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}
