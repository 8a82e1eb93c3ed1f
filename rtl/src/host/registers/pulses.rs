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
    /// A frame was beyond its queue pair's share of the packet buffer.
    pub unfair: Signal<In, Bit>,
    /// A request or READ response came with the mark "congestion experienced".
    pub marked: Signal<In, Bit>,
    /// A congestion notification packet was built.
    pub notified: Signal<In, Bit>,
    /// A response to a probe did not count.
    pub stray: Signal<In, Bit>,
    /// A frame went to the MAC.
    pub tx_frame: Signal<In, Bit>,
    /// Dispatch, in the order of `Counter::ALL`.
    pub dispatch: Signal<In, U<50>>,
    /// Responder: `ResponderCounts`.
    pub responder: Signal<In, U<9>>,
    /// Requester: `RequesterCounts`.
    pub requester: Signal<In, U<12>>,
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
    /// A half of a queue pair was the first of its halves to end.
    pub died: Signal<In, Bit>,
    /// One bit a counter.
    pub pulses: Signal<Out, U<64>>,
    #[signals(CounterPulse: of_own, of_responder, of_requester)]
    #[signals(U<64>: own, responders, requesters)]
    #[registers(U<64>: second, third, out)]
    from_responder: Signal<Local, ResponderCounts>,
    from_requester: Signal<Local, RequesterCounts>,
}

#[kernel]
impl Logic for CounterPulses {
    fn update(&mut self) {
        // dispatch pulses none of those that are set here
        of_own = bit_cast_word::<CounterPulse, U<64>>(bit_cast_u::<64, 50>(dispatch));
        if rx_frame {
            of_own.rx_frames = true;
        }
        if tx_frame {
            of_own.tx_frames = true;
        }
        if failed {
            of_own.naks_sent = true;
        }
        if timeout {
            of_own.timeouts = true;
        }
        if repeated {
            of_own.retransmitted = true;
        }
        if many_hops {
            of_own.int_many_hops = true;
        }
        if bad_speed {
            of_own.int_bad_speed = true;
        }
        if accepted {
            of_own.control_accepted = true;
        }
        if refused {
            of_own.control_refused = true;
        }
        if lost {
            of_own.drop_rx_buffer_full = true;
        }
        if unfair {
            of_own.drop_rx_share = true;
        }
        if marked {
            of_own.ce_packets = true;
        }
        if notified {
            of_own.cnps_sent = true;
        }
        if stray {
            of_own.probe_stray = true;
        }
        if died {
            of_own.qp_errors = true;
        }
        own = bit_cast_number::<64, CounterPulse>(of_own);
        from_responder = bit_cast_word::<ResponderCounts, U<9>>(responder);
        of_responder = bits_zero::<CounterPulse>(0);
        fields!(of_responder from from_responder:
            drop_unknown_qp, drop_qp_ended, drop_ack_queue_full, drop_read_depth, drop_stray, out_of_sequence,
            duplicates, naks_sent, refused_requests);
        responders = bit_cast_number::<64, CounterPulse>(of_responder);
        from_requester = bit_cast_word::<RequesterCounts, U<12>>(requester);
        of_requester = bits_zero::<CounterPulse>(0);
        fields!(of_requester from from_requester:
            ghost_acks, ignored_syndromes, duplicates, naks_received, read_gaps, drop_stray, drop_bad_read_response,
            drop_qp_ended, error_completions, int_many_hops, int_bad_speed, rnr_naks_received);
        requesters = bit_cast_number::<64, CounterPulse>(of_requester);
        out = own | responders | requesters | second | third;
        second = (own & responders) | (second & (own | responders | requesters));
        third = ((own | responders) & requesters) | (third & (own | responders | requesters | second));
        pulses = out;
        reset!(second, third, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::word::Word;
    use crate::sim::{init, step, Stimulus};
    use crate::transport::requester::COUNTERS as REQUESTER;
    use crate::transport::responder::RESPONDER_COUNTERS as RESPONDER;
    use hpcc_models::nic::Counter::{self, *};

    /// Counters of the blocks' single lines, in the order of [`lines`].
    const LINES: [Counter; 15] = [
        RxFrames,
        RxBufferFull,
        CePackets,
        CnpsSent,
        TxFrames,
        NaksSent,
        Timeouts,
        Retransmitted,
        IntManyHops,
        IntBadSpeed,
        ControlAccepted,
        ControlRefused,
        ProbeStray,
        RxShare,
        QpError,
    ];

    fn names<T: Word>() -> Vec<&'static str> {
        T::FIELDS.iter().map(|field| field.name).collect()
    }

    #[test]
    fn pulses_have_the_names_of_the_counters() {
        let named = |all: &[Counter]| all.iter().map(|counter| counter.name()).collect::<Vec<_>>();
        let pulses = names::<CounterPulse>();
        assert_eq!(pulses[..pulses.len() - 1], named(Counter::ALL));
        assert_eq!(names::<ResponderCounts>(), named(&RESPONDER));
        assert_eq!(names::<RequesterCounts>(), named(&REQUESTER));
    }

    fn lines(block: &mut CounterPulses, on: u64) {
        let bit = |line: u64| on >> line & 1 == 1;
        block.rx_frame.next = bit(0);
        block.lost.next = bit(1);
        block.marked.next = bit(2);
        block.notified.next = bit(3);
        block.tx_frame.next = bit(4);
        block.failed.next = bit(5);
        block.timeout.next = bit(6);
        block.repeated.next = bit(7);
        block.many_hops.next = bit(8);
        block.bad_speed.next = bit(9);
        block.accepted.next = bit(10);
        block.refused.next = bit(11);
        block.stray.next = bit(12);
        block.unfair.next = bit(13);
        block.died.next = bit(14);
    }

    /// Whatever comes together, every pulse is counted once, by its own counter, and none is left behind. The three sources never pulse one
    /// counter in three clocks of four: that is what two clocks of waiting are for.
    #[test]
    fn every_pulse_reaches_its_counter_once() {
        let mut block: Box<CounterPulses> = Box::default();
        init(block.as_mut()).expect("complete block");
        block.reset.next = true;
        step(block.as_mut(), |_| ());
        block.reset.next = false;
        let mut stimulus = Stimulus::new(1);
        let (mut expected, mut got) = ([0u64; 64], [0u64; 64]);
        let mut together = 0;
        for clock in 0..12_000u64 {
            let drawn = |stimulus: &mut Stimulus, bits| stimulus.uniform(bits) & stimulus.uniform(bits);
            let offered = clock % 4 == 0 && clock < 11_990;
            let (on, responder, requester) = if offered {
                (
                    drawn(&mut stimulus, 15),
                    drawn(&mut stimulus, 9),
                    drawn(&mut stimulus, 12),
                )
            } else {
                (0, 0, 0)
            };
            // dispatch pulses none of the counters of the lines
            let free = (0..50).filter(|&i| LINES.iter().all(|c| *c as usize != i));
            let mask = free.fold(0, |mask, i| mask | 1u64 << i);
            let dispatch = if offered { drawn(&mut stimulus, 50) & mask } else { 0 };
            let waits = |c: Counter| dispatch >> (c as usize) & 1 == 1;
            together += u64::from(RESPONDER.iter().any(|&c| waits(c)));
            lines(&mut block, on);
            block.responder.next = U(responder);
            block.requester.next = U(requester);
            block.dispatch.next = U(dispatch);
            for (bits, counters) in [(on, &LINES[..]), (responder, &RESPONDER), (requester, &REQUESTER)] {
                let set = counters.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
                set.for_each(|(_, counter)| expected[*counter as usize] += 1);
            }
            for (i, count) in expected.iter_mut().enumerate() {
                *count += dispatch >> i & 1;
            }
            let pulses = step(block.as_mut(), |b| b.pulses.val().0);
            for (i, count) in got.iter_mut().enumerate() {
                *count += pulses >> i & 1;
            }
        }
        assert_eq!(got, expected);
        assert!(together > 1000, "{together}");
        let counted = [&LINES[..], &RESPONDER, &REQUESTER].concat();
        assert!(counted.iter().all(|counter| got[*counter as usize] > 100), "{got:?}");
    }
}
