//! When the timed packets of each queue pair left, for laws that measure round trips.
//!
//! Which packets are timed, and what makes a time void: [`hpcc_models::nic::SendTimes`]. Times lie in block RAM, sixteen a queue pair, each
//! beside the PSN that it is of; a word a queue pair says which of them hold one, so that going back and creation clear all in one clock.
//!
//! | clock | of a request that leaves |
//! |---|---|
//! | 0 | its queue pair's word is read |
//! | 1 | word and time are written |
//!
//! | clock | of a packet that is asked for |
//! |---|---|
//! | 0 - 1 | packet into a register |
//! | 1 - 3 | time and word are read, as they are at the end of clock 1 |
//! | 3 - 4 | is it the packet's? |

use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::ram::{Ram, RamReg};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::context::QpContext;
use crate::words::transport::{DepartedRequest, DepartureKind, SendTime, TimedPlace, TimedPlaces};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from the one in which `asked_psn` is there to the one in which its answer is.
pub const ASK_LATENCY: usize = 4;

/// A request and a question a clock.
#[block]
pub struct SendTimes {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high. Forgets no time: the context bus does that.
    pub reset: Signal<In, Bit>,
    /// The NIC's clock, ns.
    pub now: Signal<In, U<48>>,
    /// Register: the last of every 2^n packet numbers is timed.
    pub spacing: Signal<In, U<4>>,
    /// Bus: a queue pair is created or removed. At most every third clock.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// A request leaves. At most every second clock in the mean.
    pub left_valid: Signal<In, Bit>,
    /// Queue pair of the request that has left.
    pub left_qp: Signal<In, U<8>>,
    /// Generation of the queue pair whose request has left.
    pub left_generation: Signal<In, U<8>>,
    /// PSN of the request that has left.
    pub left_psn: Signal<In, U<24>>,
    /// What its departure means, a `DepartureKind`.
    pub left_departure: Signal<In, U<2>>,
    /// Queue pair of the packet that is asked for.
    pub asked_qp: Signal<In, U<8>>,
    /// PSN of the packet that is asked for.
    pub asked_psn: Signal<In, U<24>>,
    /// [`ASK_LATENCY`] clocks later: when the packet left is known.
    pub known: Signal<Out, Bit>,
    /// When that was, ns.
    pub sent_at: Signal<Out, U<48>>,
    times: RamReg<SendTime, 12>,
    places: Ram<TimedPlaces, 8>,
    asked_places: Ram<TimedPlaces, 8>,
    /// A queue pair whose times are still to be cleared.
    begins: DFF<Bit>,
    begins_qp: DFF<U<8>>,
    begins_generation: DFF<U<8>>,
    // a request that leaves, clock 1
    leaves: DFF<Bit>,
    request: DFF<DepartedRequest>,
    left_at: DFF<U<48>>,
    shifted: Signal<Local, U<24>>,
    place: Signal<Local, U<4>>,
    mine: Signal<Local, U<16>>,
    counts: Signal<Local, Bit>,
    written_qp: Signal<Local, U<8>>,
    written: Signal<Local, TimedPlaces>,
    written_place: Signal<Local, TimedPlace>,
    written_time: Signal<Local, SendTime>,
    // a packet that is asked for, clocks 1 to 3
    asked_qp_1: DFF<U<8>>,
    asked_psn_1: DFF<U<24>>,
    asked_shifted: Signal<Local, U<24>>,
    asked_place: Signal<Local, TimedPlace>,
    place_3: Delay<U<4>, 2>,
    psn_3: Delay<U<24>, 2>,
    timed_3: DFF<U<16>>,
    known_r: DFF<Bit>,
    sent_at_r: DFF<U<48>>,
}

#[kernel]
impl Logic for SendTimes {
    fn update(&mut self) {
        // requests, 0
        inputs!(places: raddr = left_qp);
        assign!(leaves.d = left_valid, left_at.d = now);
        fields!(request.d: qp = left_qp, generation = left_generation, psn = left_psn);
        self.request.d.next.departure = bit_cast_word::<DepartureKind, U<2>>(self.left_departure.val());

        // 1
        self.shifted.next = self.request.q.val().psn >> self.spacing.val();
        self.place.next = bit_cast_u::<4, 24>(self.shifted.val());
        self.mine.next = bits_u::<16>(1) << self.place.val();
        self.counts.next = self.leaves.q.val()
            & (self.request.q.val().departure != DepartureKind::Untimed)
            & (self.places.rdata.val().generation == self.request.q.val().generation);
        self.written_qp.next = self.begins_qp.q.val();
        self.written.next.generation = self.begins_generation.q.val();
        self.written.next.timed = bits_u::<16>(0);
        if self.counts.val() {
            self.written_qp.next = self.request.q.val().qp;
            self.written.next.generation = self.request.q.val().generation;
            if self.request.q.val().departure == DepartureKind::Timed {
                self.written.next.timed = self.places.rdata.val().timed | self.mine.val();
            }
            if self.request.q.val().departure == DepartureKind::Repeated {
                self.written.next.timed = self.places.rdata.val().timed & !self.mine.val();
            }
        }
        self.places.we.next = self.counts.val() | self.begins.q.val();
        inputs!(places: waddr = written_qp, wdata = written);
        inputs!(asked_places: we = places.we, waddr = written_qp, wdata = written);
        self.times.we.next = self.counts.val() & (self.request.q.val().departure == DepartureKind::Timed);
        fields!(written_place: place, qp = request.qp);
        self.times.waddr.next = bit_cast_number::<12, TimedPlace>(self.written_place.val());
        fields!(written_time: sent_at = left_at, psn = request.psn);
        inputs!(times: wdata = written_time);

        // creations and removals, as soon as no request is written
        if !self.counts.val() {
            self.begins.d.next = false;
        }
        if self.context_valid.val() {
            self.begins.d.next = true;
            assign!(begins_qp.d = context_qp, begins_generation.d = context_data.generation);
        }

        // questions, 0
        assign!(asked_qp_1.d = asked_qp, asked_psn_1.d = asked_psn);
        // 1
        self.asked_shifted.next = self.asked_psn_1.q.val() >> self.spacing.val();
        self.asked_place.next.place = bit_cast_u::<4, 24>(self.asked_shifted.val());
        self.asked_place.next.qp = self.asked_qp_1.q.val();
        self.times.raddr.next = bit_cast_number::<12, TimedPlace>(self.asked_place.val());
        inputs!(asked_places: raddr = asked_qp_1);
        self.place_3.d.next = self.asked_place.val().place;
        self.psn_3.d.next = self.asked_psn_1.q.val();
        // 2
        self.timed_3.d.next = self.asked_places.rdata.val().timed;
        // 3
        self.known_r.d.next = self.timed_3.q.val().get_bit(self.place_3.q.val().index())
            & (self.times.rdata.val().psn == self.psn_3.q.val());
        self.sent_at_r.d.next = self.times.rdata.val().sent_at;
        assign!(known = known_r, sent_at = sent_at_r);
        reset!(begins, leaves);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "send_times_tests.rs"]
mod tests;
