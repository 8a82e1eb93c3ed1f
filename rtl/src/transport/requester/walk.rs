//! One step of the walk over a queue pair's ring: what an answer does to one message.

use crate::prim::uint::U;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// How far an answer moves `una` in the oldest message, and whether the scheduler may have it: at most four times 2^`SEGMENT` PSNs
/// are outstanding. `una`, `limit` and `sought` stay for two clocks, in the second of which the message is there.
///
/// PSNs are compared by the sign of their distance: messages and what is outstanding are shorter than half of all PSNs.
///
/// Reference: `acknowledge`, `take_read_packet` and `next` of `hpcc_models::nic`'s requester.
#[block]
pub struct Walk<const SEGMENT: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
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
    moves: DFF<Bit>,
    at_una: DFF<Bit>,
    una_next: DFF<U<24>>,
    beyond: Signal<Local, U<24>>,
    from_start: Signal<Local, U<24>>,
    from_finish: Signal<Local, U<24>>,
    left_less_one: Signal<Local, U<24>>,
    #[init(Constant::new(U((1 << 24) - (4 << SEGMENT))))]
    above: Constant<U<24>>,
}

#[kernel]
impl<const SEGMENT: usize> Logic for Walk<SEGMENT> {
    fn update(&mut self) {
        self.ahead.next = self.limit.val() - self.una.val();
        self.at_una.d.next = self.limit.val() == self.una.val();
        self.moves.d.next = !self.ahead.val().get_bit(23) & (self.limit.val() != self.una.val());
        self.una_next.d.next = self.una.val() + 1;
        self.beyond.next = self.limit.val() - self.finish.val();
        self.new_una.next = self.una.val();
        self.complete.next = false;
        self.taken.next = false;
        if self.read.val() {
            // an acknowledgement never completes a READ, only its data does
            if self.with_data.val() & self.at_una.q.val() {
                self.taken.next = true;
                self.new_una.next = self.una_next.q.val();
                self.complete.next = self.una_next.q.val() == self.finish.val();
            }
        } else {
            if self.moves.q.val() {
                if self.beyond.val().get_bit(23) {
                    self.new_una.next = self.limit.val();
                } else {
                    self.new_una.next = self.finish.val();
                    self.complete.next = true;
                }
            }
        }
        self.from_start.next = self.sought.val() - self.start.val();
        self.from_finish.next = self.sought.val() - self.finish.val();
        self.holds.next = !self.from_start.val().get_bit(23) & self.from_finish.val().get_bit(23);
        self.reaches.next = self.from_finish.val().get_bit(23);
        // what is left is not more than the span, a power of two
        self.left_less_one.next = self.finish.val() + !self.una.val();
        self.fits.next = ((self.left_less_one.val() & self.above.val()) == 0)
            & (!self.read.val() | (self.reads.val() < self.max_reads.val()));
    }
}

/// Where the PSN of a packet lies. Two clocks from `measure`.
#[block]
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
    distance: Signal<Local, U<24>>,
    beyond: Signal<Local, U<24>>,
    progress: Signal<Local, U<24>>,
    is_old: DFF<Bit>,
    unsent: DFF<Bit>,
    before_gap: DFF<Bit>,
}

#[kernel]
impl Logic for Distance {
    fn update(&mut self) {
        self.distance.next = self.psn.val() - self.una.val();
        self.beyond.next = self.psn.val() - self.sent_to.val();
        self.progress.next = self.psn.val() - self.accepted.val();
        if self.measure.val() {
            self.is_old.d.next = self.distance.val().get_bit(23);
            self.unsent.d.next = !self.sent_known.val() | !self.beyond.val().get_bit(23);
            self.before_gap.d.next = self.progress.val().get_bit(23);
        }
        self.old.next = self.is_old.q.val();
        self.ghost.next = !self.is_old.q.val() & self.unsent.q.val();
        self.twice.next = self.is_old.q.val() | self.before_gap.q.val();
    }
}
