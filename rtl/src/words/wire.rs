//! Headers as frames carry them, the first byte in the highest bits: the last field of a word comes first on the wire.
//!
//! Sources: IEEE 802.3, RFC 791 (IPv4), RFC 768 (UDP), InfiniBand specification 1.4 chapter 9 (BTH, RETH, AETH) and its annex
//! A17 (RoCEv2, ICRC), section 4.1 of the HPCC paper (INT).

use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::codes! {
    /// BTH opcode (InfiniBand specification 1.4, 9.2: reliable connection; annex A17 for the congestion notification).
    /// From 0xd1 on it is the range left to manufacturers: opcodes of this NIC.
    pub struct Opcode: 8 {
        /// SEND, first packet. No kind of SEND is executed.
        SendFirst = 0x00,
        /// SEND, middle.
        SendMiddle = 0x01,
        /// SEND, last.
        SendLast = 0x02,
        /// SEND, last, with immediate data.
        SendLastImmediate = 0x03,
        /// SEND, only.
        SendOnly = 0x04,
        /// SEND, only, with immediate data.
        SendOnlyImmediate = 0x05,
        /// RDMA WRITE, first packet.
        WriteFirst = 0x06,
        /// RDMA WRITE, middle.
        WriteMiddle = 0x07,
        /// RDMA WRITE, last.
        WriteLast = 0x08,
        /// RDMA WRITE, last, with immediate data. Not executed.
        WriteLastImmediate = 0x09,
        /// RDMA WRITE, only.
        WriteOnly = 0x0a,
        /// RDMA WRITE, only, with immediate data. Not executed.
        WriteOnlyImmediate = 0x0b,
        /// RDMA READ request.
        ReadRequest = 0x0c,
        /// RDMA READ response, first packet.
        ReadResponseFirst = 0x0d,
        /// RDMA READ response, middle: the one without AETH.
        ReadResponseMiddle = 0x0e,
        /// RDMA READ response, last.
        ReadResponseLast = 0x0f,
        /// RDMA READ response, only.
        ReadResponseOnly = 0x10,
        /// Acknowledgement, positive or negative.
        Acknowledge = 0x11,
        /// Answer to an atomic operation, which this NIC never asks for.
        AtomicAcknowledge = 0x12,
        /// Atomic: compare and swap. Not executed.
        CompareSwap = 0x13,
        /// Atomic: fetch and add. Not executed.
        FetchAdd = 0x14,
        /// Not in use.
        Reserved = 0x15,
        /// SEND, last, with invalidate. Not executed.
        SendLastInvalidate = 0x16,
        /// SEND, only, with invalidate. Not executed.
        SendOnlyInvalidate = 0x17,
        /// Congestion notification packet.
        Cnp = 0x81,
        /// Echo of a READ response's INT.
        ReadEcho = 0xd1,
        /// Probe of the path of a queue pair's data.
        Probe = 0xd2,
        /// Answer to a probe, with the INT that it collected.
        ProbeResponse = 0xd3,
    }

    /// AETH syndrome (InfiniBand specification 1.4, 9.7.5.2). Bits 6:5 are 0 for an acknowledgement, 1 receiver not ready,
    /// 3 negative.
    pub struct AethSyndrome: 8 {
        /// Acknowledges, with the credit code 0.
        AckNoCredit = 0x00,
        /// Acknowledges; credits are not in use.
        Ack = 0x1f,
        /// Negative: a PSN is missing; the requester goes back to the PSN of the packet.
        NakSequence = 0x60,
        /// Negative: invalid request.
        NakInvalidRequest = 0x61,
        /// Negative: remote access error.
        NakRemoteAccess = 0x62,
        /// Negative: remote operational error.
        NakRemoteOperation = 0x63,
    }
}

crate::word! {
    /// Ethernet header without tag.
    pub struct EthernetHeader {
        /// What follows; 0x0800 is IPv4.
        ethertype: U<16>,
        /// Address of the sender.
        source: U<48>,
        /// Address of the receiver.
        destination: U<48>,
    }

    /// IPv4 header without options.
    pub struct Ipv4Header {
        /// Address of the receiver.
        destination: U<32>,
        /// Address of the sender.
        source: U<32>,
        /// Header checksum.
        checksum: U<16>,
        /// What follows; 17 is UDP.
        protocol: U<8>,
        /// Time to live.
        ttl: U<8>,
        /// Place of the fragment in its datagram, in units of 8 bytes.
        fragment_offset: U<13>,
        /// More fragments follow.
        more_fragments: Bit,
        /// Not to be fragmented.
        do_not_fragment: Bit,
        /// Zero.
        reserved: Bit,
        /// Identification.
        identification: U<16>,
        /// Bytes of header and payload.
        total_length: U<16>,
        /// Explicit congestion notification: 3 is congestion experienced.
        ecn: U<2>,
        /// Differentiated services code point.
        dscp: U<6>,
        /// Words of 32 bits in the header; 5 without options.
        ihl: U<4>,
        /// 4.
        version: U<4>,
    }

    /// UDP header.
    pub struct UdpHeader {
        /// Checksum; 0 is none.
        checksum: U<16>,
        /// Bytes of header and payload.
        length: U<16>,
        /// Port of the receiver.
        destination_port: U<16>,
        /// Port of the sender.
        source_port: U<16>,
    }

    /// What stands in front of INT or BTH.
    pub struct OuterHeaders {
        /// UDP.
        udp: UdpHeader,
        /// IPv4.
        ip: Ipv4Header,
        /// Ethernet.
        ethernet: EthernetHeader,
    }

    /// IPv4 and UDP header, as a packet carries them or as the ICRC reads them.
    pub struct IpUdpHeaders {
        /// UDP.
        udp: UdpHeader,
        /// IPv4.
        ip: Ipv4Header,
    }

    /// An IPv4 header as the ten words of 16 bits that its checksum sums up.
    pub struct Ipv4Words {
        /// Receiver, second half.
        destination_low: U<16>,
        /// Receiver, first half.
        destination_high: U<16>,
        /// Sender, second half.
        source_low: U<16>,
        /// Sender, first half.
        source_high: U<16>,
        /// Header checksum.
        checksum: U<16>,
        /// Time to live, protocol.
        ttl_protocol: U<16>,
        /// Flags and fragment offset.
        fragment: U<16>,
        /// Identification.
        identification: U<16>,
        /// Bytes of header and payload.
        total_length: U<16>,
        /// Version, header length, DSCP, ECN.
        version_tos: U<16>,
    }

    /// An IPv4 address as the two words of 16 bits that a checksum sums up.
    pub struct AddressHalves {
        /// Second half.
        low: U<16>,
        /// First half.
        high: U<16>,
    }

    /// Lengths that the ICRC reads: those of the packet without INT.
    pub struct IcrcLengths {
        /// UDP length.
        udp: U<16>,
        /// Total length of IPv4.
        ip: U<16>,
    }

    /// In front of the INT stack.
    pub struct IntHeader {
        /// XOR of the ids of the switches on the path.
        path_id: U<12>,
        /// Switches on the path.
        n_hop: U<4>,
    }

    /// How much INT a packet has, 0 without and else 1 + records, bit by bit.
    pub struct IntAmount {
        /// One.
        one: Bit,
        /// Two.
        two: Bit,
        /// Four.
        four: Bit,
    }

    /// INT header and the records of five hops.
    pub struct IntStack {
        /// Record of the fifth switch.
        hop_5: U<64>,
        /// Of the fourth.
        hop_4: U<64>,
        /// Of the third.
        hop_3: U<64>,
        /// Of the second.
        hop_2: U<64>,
        /// Of the first.
        hop_1: U<64>,
        /// Header.
        header: IntHeader,
    }

    /// The records of an INT stack in the order of [`HopRecords`](crate::cc::slot::Hops): the first switch in the lowest bits.
    pub struct HopRecords {
        /// Record of the first switch.
        hop_1: U<64>,
        /// Of the second.
        hop_2: U<64>,
        /// Of the third.
        hop_3: U<64>,
        /// Of the fourth.
        hop_4: U<64>,
        /// Of the fifth.
        hop_5: U<64>,
    }

    /// Base transport header.
    pub struct BaseTransportHeader {
        /// Packet sequence number.
        psn: U<24>,
        /// Zero.
        reserved: U<7>,
        /// Acknowledge request.
        ack_req: Bit,
        /// Destination queue pair.
        qpn: U<24>,
        /// Zero.
        reserved_6: U<6>,
        /// Backward explicit congestion notification: set in a notification, zero elsewhere.
        becn: Bit,
        /// Forward explicit congestion notification: zero.
        fecn: Bit,
        /// Partition key.
        pkey: U<16>,
        /// Transport header version, 0.
        version: U<4>,
        /// Bytes of pad behind the payload.
        pad: U<2>,
        /// Migration state; set.
        migrated: Bit,
        /// Solicited event.
        solicited: Bit,
        /// Opcode.
        opcode: Opcode,
    }

    /// RDMA extended transport header.
    pub struct RdmaHeader {
        /// Bytes of the message.
        length: U<32>,
        /// Remote key.
        key: U<32>,
        /// Remote address.
        address: U<64>,
    }

    /// Acknowledgement extended transport header.
    pub struct AckHeader {
        /// Message sequence number.
        msn: U<24>,
        /// Syndrome.
        syndrome: AethSyndrome,
    }

    /// The 16 bytes behind a BTH where an AETH may stand first.
    pub struct Extension {
        /// What follows an AETH.
        rest: W<96, 2>,
        /// AETH.
        aeth: U<32>,
    }
}
