//! From the pulses of the blocks to one pulse a counter, in the order of `hpcc_models::nic::Counter::ALL`. One clock.
//!
//! Where two blocks feed one counter, a pulse that comes together with another waits a clock.

use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Places in `Counter::ALL` that the responder's count bits mean.
pub const RESPONDER_PLACES: [usize; 8] = [21, 24, 25, 26, 27, 31, 32, 33];
/// Places in `Counter::ALL` that the requester's count bits mean.
pub const REQUESTER_PLACES: [usize; 11] = [29, 30, 32, 34, 35, 27, 28, 24, 43, 38, 39];

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
    /// Responder, see [`RESPONDER_PLACES`].
    pub responder: Signal<In, U<8>>,
    /// Requester, see [`REQUESTER_PLACES`].
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
    own: Signal<Local, U<64>>,
    responders: Signal<Local, U<64>>,
    requesters: Signal<Local, U<64>>,
    second: DFF<U<64>>,
    third: DFF<U<64>>,
    out: DFF<U<64>>,
}

#[kernel]
impl Logic for CounterPulses {
    fn update(&mut self) {
        self.own.next = bit_cast_u::<64, 44>(self.dispatch.val())
            | bit_cast_u::<64, 1>(bit_cast_b(self.rx_frame.val()))
            | (bit_cast_u::<64, 1>(bit_cast_b(self.tx_frame.val())) << 1)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.failed.val())) << 33)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.timeout.val())) << 36)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.repeated.val())) << 37)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.many_hops.val())) << 38)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.bad_speed.val())) << 39)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.accepted.val())) << 41)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.refused.val())) << 42)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.lost.val())) << 44)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.marked.val())) << 45)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.notified.val())) << 46);
        self.responders.next = (bit_cast_u::<64, 1>(self.responder.val().get_bits::<1>(0)) << 21)
            | (bit_cast_u::<64, 1>(self.responder.val().get_bits::<1>(1)) << 24)
            | (bit_cast_u::<64, 1>(self.responder.val().get_bits::<1>(2)) << 25)
            | (bit_cast_u::<64, 1>(self.responder.val().get_bits::<1>(3)) << 26)
            | (bit_cast_u::<64, 1>(self.responder.val().get_bits::<1>(4)) << 27)
            | (bit_cast_u::<64, 1>(self.responder.val().get_bits::<1>(5)) << 31)
            | (bit_cast_u::<64, 1>(self.responder.val().get_bits::<1>(6)) << 32)
            | (bit_cast_u::<64, 1>(self.responder.val().get_bits::<1>(7)) << 33);
        self.requesters.next = (bit_cast_u::<64, 1>(self.requester.val().get_bits::<1>(0)) << 29)
            | (bit_cast_u::<64, 1>(self.requester.val().get_bits::<1>(1)) << 30)
            | (bit_cast_u::<64, 1>(self.requester.val().get_bits::<1>(2)) << 32)
            | (bit_cast_u::<64, 1>(self.requester.val().get_bits::<1>(3)) << 34)
            | (bit_cast_u::<64, 1>(self.requester.val().get_bits::<1>(4)) << 35)
            | (bit_cast_u::<64, 1>(self.requester.val().get_bits::<1>(5)) << 27)
            | (bit_cast_u::<64, 1>(self.requester.val().get_bits::<1>(6)) << 28)
            | (bit_cast_u::<64, 1>(self.requester.val().get_bits::<1>(7)) << 24)
            | (bit_cast_u::<64, 1>(self.requester.val().get_bits::<1>(8)) << 43)
            | (bit_cast_u::<64, 1>(self.requester.val().get_bits::<1>(9)) << 38)
            | (bit_cast_u::<64, 1>(self.requester.val().get_bits::<1>(10)) << 39);
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
    use crate::sim::{init, step};
    use crate::transport::requester::COUNTERS;
    use crate::transport::responder::RESPONDER_COUNTERS;
    use hpcc_models::nic::Counter;

    fn place(counter: Counter) -> usize {
        Counter::ALL
            .iter()
            .position(|other| *other == counter)
            .expect("in the list")
    }

    #[test]
    fn places_are_those_of_the_counters() {
        assert_eq!(RESPONDER_COUNTERS.map(place), RESPONDER_PLACES);
        assert_eq!(COUNTERS.map(place), REQUESTER_PLACES);
        let others = [
            Counter::RxFrames,
            Counter::TxFrames,
            Counter::Timeouts,
            Counter::Retransmitted,
            Counter::Cnps,
        ];
        assert_eq!(others.map(place), [0, 1, 36, 37, 40]);
        let others = [
            Counter::IntManyHops,
            Counter::IntBadSpeed,
            Counter::ControlAccepted,
            Counter::ControlRefused,
            Counter::RxBufferFull,
            Counter::CePackets,
            Counter::CnpsSent,
        ];
        assert_eq!(others.map(place), [38, 39, 41, 42, 44, 45, 46]);
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
