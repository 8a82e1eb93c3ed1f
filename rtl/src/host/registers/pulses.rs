//! From the pulses of the blocks to one pulse a counter, in the order of `hpcc_models::nic::Counter::ALL`. One clock.
//!
//! Where two blocks feed one counter, a pulse that comes together with another waits a clock.

use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::counters::{CounterPulse, RequesterCounts, ResponderCounts};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Joins the pulses.
#[block]
pub struct CounterPulses {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A frame came from the MAC.
    pub rx_frame: Signal<In, Bit>,
    /// A frame found no room in the packet buffer.
    pub lost: Signal<In, Bit>,
    /// A request or READ response came with the mark "congestion experienced".
    pub marked: Signal<In, Bit>,
    /// A congestion notification packet was built.
    pub notified: Signal<In, Bit>,
    /// A frame went to the MAC.
    pub tx_frame: Signal<In, Bit>,
    /// Dispatch, in the order of `Counter::ALL`.
    pub dispatch: Signal<In, U<44>>,
    /// Responder: `ResponderCounts`.
    pub responder: Signal<In, U<8>>,
    /// Requester: `RequesterCounts`.
    pub requester: Signal<In, U<11>>,
    /// A negative acknowledgement because memory failed.
    pub failed: Signal<In, Bit>,
    /// A retransmission timeout.
    pub timeout: Signal<In, Bit>,
    /// A packet was sent again.
    pub repeated: Signal<In, Bit>,
    /// An echo had more hops than records.
    pub many_hops: Signal<In, Bit>,
    /// An echo had a speed code that is not valid.
    pub bad_speed: Signal<In, Bit>,
    /// A control packet was carried out.
    pub accepted: Signal<In, Bit>,
    /// A control packet was refused.
    pub refused: Signal<In, Bit>,
    /// One bit a counter.
    pub pulses: Signal<Out, U<64>>,
    of_own: Signal<Local, CounterPulse>,
    own: Signal<Local, U<64>>,
    from_responder: Signal<Local, ResponderCounts>,
    of_responder: Signal<Local, CounterPulse>,
    from_requester: Signal<Local, RequesterCounts>,
    of_requester: Signal<Local, CounterPulse>,
    responders: Signal<Local, U<64>>,
    requesters: Signal<Local, U<64>>,
    second: DFF<U<64>>,
    third: DFF<U<64>>,
    out: DFF<U<64>>,
}

#[kernel]
impl Logic for CounterPulses {
    fn update(&mut self) {
        // dispatch pulses none of those that are set here
        self.of_own.next = bit_cast_word::<CounterPulse, U<64>>(bit_cast_u::<64, 44>(self.dispatch.val()));
        if self.rx_frame.val() {
            self.of_own.next.rx_frames = true;
        }
        if self.tx_frame.val() {
            self.of_own.next.tx_frames = true;
        }
        if self.failed.val() {
            self.of_own.next.naks_sent = true;
        }
        if self.timeout.val() {
            self.of_own.next.timeouts = true;
        }
        if self.repeated.val() {
            self.of_own.next.retransmitted = true;
        }
        if self.many_hops.val() {
            self.of_own.next.int_many_hops = true;
        }
        if self.bad_speed.val() {
            self.of_own.next.int_bad_speed = true;
        }
        if self.accepted.val() {
            self.of_own.next.control_accepted = true;
        }
        if self.refused.val() {
            self.of_own.next.control_refused = true;
        }
        if self.lost.val() {
            self.of_own.next.drop_rx_buffer_full = true;
        }
        if self.marked.val() {
            self.of_own.next.ce_packets = true;
        }
        if self.notified.val() {
            self.of_own.next.cnps_sent = true;
        }
        self.own.next = bit_cast_number::<64, CounterPulse>(self.of_own.val());
        self.from_responder.next = bit_cast_word::<ResponderCounts, U<8>>(self.responder.val());
        self.of_responder.next = bits_zero::<CounterPulse>(0);
        self.of_responder.next.drop_unknown_qp = self.from_responder.val().drop_unknown_qp;
        self.of_responder.next.drop_qp_ended = self.from_responder.val().drop_qp_ended;
        self.of_responder.next.drop_ack_queue_full = self.from_responder.val().drop_ack_queue_full;
        self.of_responder.next.drop_read_depth = self.from_responder.val().drop_read_depth;
        self.of_responder.next.drop_stray = self.from_responder.val().drop_stray;
        self.of_responder.next.out_of_sequence = self.from_responder.val().out_of_sequence;
        self.of_responder.next.duplicates = self.from_responder.val().duplicates;
        self.of_responder.next.naks_sent = self.from_responder.val().naks_sent;
        self.responders.next = bit_cast_number::<64, CounterPulse>(self.of_responder.val());
        self.from_requester.next = bit_cast_word::<RequesterCounts, U<11>>(self.requester.val());
        self.of_requester.next = bits_zero::<CounterPulse>(0);
        self.of_requester.next.ghost_acks = self.from_requester.val().ghost_acks;
        self.of_requester.next.ignored_syndromes = self.from_requester.val().ignored_syndromes;
        self.of_requester.next.duplicates = self.from_requester.val().duplicates;
        self.of_requester.next.naks_received = self.from_requester.val().naks_received;
        self.of_requester.next.read_gaps = self.from_requester.val().read_gaps;
        self.of_requester.next.drop_stray = self.from_requester.val().drop_stray;
        self.of_requester.next.drop_bad_read_response = self.from_requester.val().drop_bad_read_response;
        self.of_requester.next.drop_qp_ended = self.from_requester.val().drop_qp_ended;
        self.of_requester.next.error_completions = self.from_requester.val().error_completions;
        self.of_requester.next.int_many_hops = self.from_requester.val().int_many_hops;
        self.of_requester.next.int_bad_speed = self.from_requester.val().int_bad_speed;
        self.requesters.next = bit_cast_number::<64, CounterPulse>(self.of_requester.val());
        self.out.d.next =
            self.own.val() | self.responders.val() | self.requesters.val() | self.second.q.val() | self.third.q.val();
        self.second.d.next = (self.own.val() & self.responders.val())
            | (self.second.q.val() & (self.own.val() | self.responders.val() | self.requesters.val()));
        self.third.d.next = ((self.own.val() | self.responders.val()) & self.requesters.val())
            | (self.third.q.val()
                & (self.own.val() | self.responders.val() | self.requesters.val() | self.second.q.val()));
        self.pulses.next = self.out.q.val();
        if self.reset.val() {
            self.second.d.next = 0.into();
            self.third.d.next = 0.into();
            self.out.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::word::Word;
    use crate::sim::{init, step};
    use crate::transport::requester::COUNTERS;
    use crate::transport::responder::RESPONDER_COUNTERS;
    use hpcc_models::nic::Counter;

    fn names<T: Word>() -> Vec<&'static str> {
        T::FIELDS.iter().map(|field| field.name).collect()
    }

    #[test]
    fn pulses_have_the_names_of_the_counters() {
        let named = |all: &[Counter]| all.iter().map(|counter| counter.name()).collect::<Vec<_>>();
        let pulses = names::<CounterPulse>();
        assert_eq!(pulses[..pulses.len() - 1], named(Counter::ALL));
        assert_eq!(names::<ResponderCounts>(), named(&RESPONDER_COUNTERS));
        assert_eq!(names::<RequesterCounts>(), named(&COUNTERS));
    }

    #[test]
    fn three_pulses_at_once_count_three() {
        let mut pulses: Box<CounterPulses> = Box::default();
        init(pulses.as_mut()).expect("complete block");
        pulses.reset.next = true;
        step(pulses.as_mut(), |_| ());
        pulses.reset.next = false;
        let mut total = 0;
        for clock in 0..8 {
            let now = clock == 2;
            pulses.dispatch.next = U(u64::from(now) << 27);
            pulses.responder.next = U(u64::from(now) << 4);
            pulses.requester.next = U(u64::from(now) << 5);
            total += step(pulses.as_mut(), |p| p.pulses.val().0 >> 27 & 1);
        }
        assert_eq!(total, 3);
    }
}
