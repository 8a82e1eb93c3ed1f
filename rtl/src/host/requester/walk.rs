//! One step of the walk over a queue pair's ring: what an answer does to one message.

use crate::emit::naming::named_as;
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
