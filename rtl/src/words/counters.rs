//! Pulses of the counters, one bit each, under the names of [`hpcc_models::nic::Counter`].

use crate::prim::uint::U;
use rust_hdl::prelude::Bit;

crate::word! {
    /// One pulse a counter, in the order of `Counter::ALL`.
    pub struct CounterPulse {
        /// Frames handed over by the MAC.
        rx_frames: Bit,
        /// Frames handed to the MAC.
        tx_frames: Bit,
        /// Dropped: shorter than Ethernet, IPv4 and UDP headers.
        drop_short_frame: Bit,
        /// Dropped: destination Ethernet address is not ours.
        drop_wrong_mac: Bit,
        /// Dropped: not IPv4.
        drop_not_ipv4: Bit,
        /// Dropped: IP version is not 4.
        drop_ip_version: Bit,
        /// Dropped: IPv4 options.
        drop_ip_options: Bit,
        /// Dropped: IPv4 length does not fit.
        drop_ip_length: Bit,
        /// Dropped: IPv4 header checksum.
        drop_ip_checksum: Bit,
        /// Dropped: fragment.
        drop_ip_fragment: Bit,
        /// Dropped: destination IPv4 address is not ours.
        drop_wrong_ip: Bit,
        /// Dropped: not UDP.
        drop_not_udp: Bit,
        /// Dropped: UDP length differs from what IP carries.
        drop_udp_length: Bit,
        /// Dropped: UDP port is none of ours.
        drop_udp_port: Bit,
        /// Dropped: UDP checksum.
        drop_udp_checksum: Bit,
        /// Dropped: INT header or stack longer than the packet.
        drop_int_length: Bit,
        /// Dropped: packet too short for its transport headers, pad and ICRC.
        drop_transport_length: Bit,
        /// Dropped: ICRC.
        drop_icrc: Bit,
        /// Dropped: opcode undefined or of another transport service.
        drop_opcode: Bit,
        /// Dropped: transport version.
        drop_transport_version: Bit,
        /// Dropped: partition key.
        drop_partition_key: Bit,
        /// Dropped: no such queue pair.
        drop_unknown_qp: Bit,
        /// Dropped: source IPv4 address is not the queue pair's peer.
        drop_wrong_peer: Bit,
        /// Dropped: INT port on a plain queue pair or the reverse, or a kind of packet that this port does not carry.
        drop_wrong_port: Bit,
        /// Dropped: the queue pair's half concerned has ended with an error.
        drop_qp_ended: Bit,
        /// Dropped: the acknowledgement queue is full.
        drop_ack_queue_full: Bit,
        /// Dropped: one READ more than the responder queues.
        drop_read_depth: Bit,
        /// Dropped: response or echo that nothing asked for.
        drop_stray: Bit,
        /// Dropped: READ response of a wrong kind or length for its PSN.
        drop_bad_read_response: Bit,
        /// Ignored: acknowledgement of a PSN never sent.
        ghost_acks: Bit,
        /// Ignored: a reserved syndrome.
        ignored_syndromes: Bit,
        /// Requests with a PSN ahead of the one expected.
        out_of_sequence: Bit,
        /// Requests with a PSN already executed.
        duplicates: Bit,
        /// Negative acknowledgements sent, of any code.
        naks_sent: Bit,
        /// Negative acknowledgements received, of any code.
        naks_received: Bit,
        /// READ responses or acknowledgements that showed a READ response lost.
        read_gaps: Bit,
        /// Retransmission timeouts.
        timeouts: Bit,
        /// Data packets and READ requests sent a second time.
        retransmitted: Bit,
        /// INT stacks with more than five hops; the first five are used.
        int_many_hops: Bit,
        /// INT stacks with a speed code that is not valid; congestion control ignores them.
        int_bad_speed: Bit,
        /// Congestion notification packets.
        cnps: Bit,
        /// Control packets carried out.
        control_accepted: Bit,
        /// Control packets refused: switched off, source, key, sequence, rate or content.
        control_refused: Bit,
        /// Work requests completed with an error.
        error_completions: Bit,
        /// Lost: no room in the buffer of received frames, because memory holds its payload up. Only hardware has one.
        drop_rx_buffer_full: Bit,
        /// Requests and READ responses with the mark "congestion experienced".
        ce_packets: Bit,
        /// Congestion notification packets sent.
        cnps_sent: Bit,
        /// Ignored: response to a probe that is not newer than the last one taken, or that was not sent.
        probe_stray: Bit,
        /// Lost: short, when its queue pair had its share of the buffer of received frames. Only hardware has one.
        drop_rx_share: Bit,
        /// Dropped: the MAC calls the frame bad.
        drop_bad_frame: Bit,
        /// Requests of a kind that is not carried out, answered as invalid.
        refused_requests: Bit,
        /// Queue pairs one of whose halves has ended with an error.
        qp_errors: Bit,
        /// Receiver-not-ready NAKs received.
        rnr_naks_received: Bit,
        /// Zero.
        reserved: U<11>,
    }

    /// What the responder counts.
    pub struct ResponderCounts {
        /// Dropped: no such queue pair.
        drop_unknown_qp: Bit,
        /// Dropped: the queue pair's half concerned has ended with an error.
        drop_qp_ended: Bit,
        /// Dropped: the acknowledgement queue is full.
        drop_ack_queue_full: Bit,
        /// Dropped: one READ more than the responder queues.
        drop_read_depth: Bit,
        /// Dropped: response or echo that nothing asked for.
        drop_stray: Bit,
        /// Requests with a PSN ahead of the one expected.
        out_of_sequence: Bit,
        /// Requests with a PSN already executed.
        duplicates: Bit,
        /// Negative acknowledgements sent, of any code.
        naks_sent: Bit,
        /// Requests of a kind that is not carried out, answered as invalid.
        refused_requests: Bit,
    }

    /// What the requester counts.
    pub struct RequesterCounts {
        /// Ignored: acknowledgement of a PSN never sent.
        ghost_acks: Bit,
        /// Ignored: a reserved syndrome.
        ignored_syndromes: Bit,
        /// Requests with a PSN already executed.
        duplicates: Bit,
        /// Negative acknowledgements received, of any code.
        naks_received: Bit,
        /// READ responses or acknowledgements that showed a READ response lost.
        read_gaps: Bit,
        /// Dropped: response or echo that nothing asked for.
        drop_stray: Bit,
        /// Dropped: READ response of a wrong kind or length for its PSN.
        drop_bad_read_response: Bit,
        /// Dropped: the queue pair's half concerned has ended with an error.
        drop_qp_ended: Bit,
        /// Work requests completed with an error.
        error_completions: Bit,
        /// INT stacks with more than five hops; the first five are used.
        int_many_hops: Bit,
        /// INT stacks with a speed code that is not valid; congestion control ignores them.
        int_bad_speed: Bit,
        /// Receiver-not-ready NAKs received.
        rnr_naks_received: Bit,
    }

    /// What the requester counts of a READ response.
    pub struct ReadCounts {
        /// Requests with a PSN already executed.
        duplicates: Bit,
        /// Dropped: response or echo that nothing asked for.
        drop_stray: Bit,
        /// Dropped: READ response of a wrong kind or length for its PSN.
        drop_bad_read_response: Bit,
        /// Dropped: the queue pair's half concerned has ended with an error.
        drop_qp_ended: Bit,
    }
}
