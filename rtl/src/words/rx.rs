//! Frames that have come in, until the engines of the transport have them.

use super::dma::BytePlace;
use super::transport::{Commit, CommitHead, FrameRole};
use super::wire::{AethSyndrome, BaseTransportHeader, IntHeader, IntStack, Ipv4Header, Opcode, UdpHeader};
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::kind! {
    /// Where a judged frame goes.
    pub enum FrameFate {
        /// Dropped and counted.
        Dropped,
        /// A request, to the responder.
        Request,
        /// A READ response, to the requester, which decides.
        ReadResponse,
        /// An acknowledgement, to the commit stage.
        Acknowledgement,
        /// A READ echo, to the congestion control of the READ response flow.
        Echo,
        /// A probe, answered at once.
        Probe,
        /// The response to a probe, to the congestion control of the request flow if it counts.
        ProbeResponse,
        /// A congestion notification, to the congestion control of the request flow.
        Notification,
        /// A control packet, to the manager.
        Control,
    }
}

crate::codes! {
    /// Why a frame is dropped: 1 + the place of its first fault in `FrameFaults`.
    pub struct DropCode: 5 {
        /// Not at all.
        None = 0,
        /// The MAC says so.
        MacError = 1,
        /// Shorter than its headers; the first that has a counter here.
        ShortFrame = 2,
        /// Unknown opcode; the last whose counter has its number.
        Opcode = 18,
        /// Extension and pad longer than the packet, counted as every length of the transport.
        ExtensionLength = 19,
        /// Version of the transport header.
        TransportVersion = 20,
        /// Partition key.
        PartitionKey = 21,
    }

    /// What dispatch counts of a frame: the place in the NIC's list of counters. Those of drops up to the opcode have the number of the
    /// drop code.
    pub struct FrameCount: 6 {
        /// Nothing.
        None = 0,
        /// Shorter than its headers.
        ShortFrame = 2,
        /// A length of the transport.
        TransportLength = 16,
        /// Unknown opcode.
        Opcode = 18,
        /// Version of the transport header.
        TransportVersion = 19,
        /// Partition key.
        PartitionKey = 20,
        /// No such queue pair.
        UnknownQp = 21,
        /// Not from the queue pair's peer.
        WrongPeer = 22,
        /// A port that does not carry such a packet.
        WrongPort = 23,
        /// An answer that nothing asked for.
        Stray = 27,
        /// Congestion notification.
        Cnp = 40,
        /// The MAC calls the frame bad.
        BadFrame = 49,
    }
}

crate::word! {
    /// Why a frame is dropped: the first fault in this order counts.
    pub struct FrameFaults {
        /// The MAC says so.
        mac_error: Bit,
        /// Shorter than 42 bytes.
        short_frame: Bit,
        /// Another Ethernet address.
        wrong_mac: Bit,
        /// Not IPv4.
        not_ipv4: Bit,
        /// Version of IP.
        ip_version: Bit,
        /// IP options.
        ip_options: Bit,
        /// Length of IP.
        ip_length: Bit,
        /// IPv4 header checksum.
        ip_checksum: Bit,
        /// A fragment.
        ip_fragment: Bit,
        /// Another IP address.
        wrong_ip: Bit,
        /// Not UDP.
        not_udp: Bit,
        /// Length of UDP.
        udp_length: Bit,
        /// A UDP port of nobody.
        udp_port: Bit,
        /// UDP checksum, or one where none may be.
        udp_checksum: Bit,
        /// INT longer than the packet.
        int_length: Bit,
        /// BTH and ICRC longer than the packet.
        bth_length: Bit,
        /// ICRC.
        icrc: Bit,
        /// Unknown opcode.
        opcode: Bit,
        /// Extension and pad longer than the packet.
        extension_length: Bit,
        /// Version of the transport header.
        transport_version: Bit,
        /// Partition key.
        partition_key: Bit,
    }

    /// Faults of Ethernet.
    pub struct EthernetFaults {
        /// Another Ethernet address.
        wrong_mac: Bit,
        /// Not IPv4.
        not_ipv4: Bit,
    }

    /// Faults of IPv4 and UDP.
    pub struct OuterFaults {
        /// Version of IP.
        ip_version: Bit,
        /// IP options.
        ip_options: Bit,
        /// Length of IP.
        ip_length: Bit,
        /// IPv4 header checksum.
        ip_checksum: Bit,
        /// A fragment.
        ip_fragment: Bit,
        /// Another IP address.
        wrong_ip: Bit,
        /// Not UDP.
        not_udp: Bit,
        /// Length of UDP.
        udp_length: Bit,
        /// A UDP port of nobody.
        udp_port: Bit,
        /// UDP checksum, or one where none may be.
        udp_checksum: Bit,
    }

    /// Faults of INT, BTH and extension, and the IPv4 header checksum, whose sum is known then.
    pub struct TransportFaults {
        /// INT longer than the packet.
        int_length: Bit,
        /// BTH and ICRC longer than the packet.
        bth_length: Bit,
        /// Unknown opcode.
        opcode: Bit,
        /// Extension and pad longer than the packet.
        extension_length: Bit,
        /// Version of the transport header.
        transport_version: Bit,
        /// Partition key.
        partition_key: Bit,
        /// IPv4 header checksum.
        ip_checksum: Bit,
    }

    /// What the headers up to UDP say of a frame before its sums are known.
    pub struct OuterJudgement {
        /// Faults of Ethernet.
        ethernet: EthernetFaults,
        /// Faults of IPv4 and UDP.
        outer: OuterFaults,
        /// End of the IP packet in the frame.
        ip_end: U<17>,
        /// It is a plain packet with a UDP checksum.
        summed: Bit,
        /// It is a control packet, which has no transport header.
        control: Bit,
    }

    /// Fields of a frame up to its INT.
    pub struct HeaderFields {
        /// 70 bytes after UDP, first byte in the highest bits.
        body: W<560, 9>,
        /// IPv4 address of the sender.
        source_ip: U<32>,
        /// Kind of UDP port that the frame came to.
        role: FrameRole,
        /// ECN field of IPv4.
        ecn: U<2>,
        /// Bytes of INT header and stack.
        int_length: U<6>,
        /// The UDP length is that of a control packet.
        control_length: Bit,
    }

    /// Fields of a frame from its BTH on.
    pub struct TransportFields {
        /// BTH opcode.
        opcode: Opcode,
        /// Acknowledge request.
        ack_req: Bit,
        /// PSN.
        psn: U<24>,
        /// First byte of the payload in the frame.
        payload_at: U<7>,
        /// Bytes of payload without pad.
        payload_length: U<16>,
        /// 16 bytes after the BTH, first byte in the highest bits.
        extension: W<128, 2>,
    }

    /// Bytes of an Ethernet address.
    pub struct MacBytes {
        /// In the lowest bits.
        byte_0: U<8>,
        /// Above it.
        byte_1: U<8>,
        /// Above it.
        byte_2: U<8>,
        /// Above it.
        byte_3: U<8>,
        /// Above it.
        byte_4: U<8>,
        /// In the highest bits.
        byte_5: U<8>,
    }

    /// First bytes of a frame as they stand in its first beat, the first byte lowest.
    pub struct FirstBytes {
        /// Address of the receiver.
        destination: U<48>,
        /// Address of the sender.
        source: U<48>,
        /// What follows: 81 00 is a VLAN tag.
        ethertype: U<16>,
        /// Tag control information, if there is a tag.
        tag: U<16>,
        /// What follows a tag.
        tagged_ethertype: U<16>,
    }

    /// Headers from IPv4 on, first byte in the highest bits.
    pub struct InnerHeaders {
        /// What follows an INT header.
        after: W<544, 9>,
        /// INT header, if the port says so.
        int_header: IntHeader,
        /// UDP.
        udp: UdpHeader,
        /// IPv4.
        ip: Ipv4Header,
    }

    /// 28 bytes from the BTH on, first byte in the highest bits.
    pub struct TransportBytes {
        /// 16 bytes behind the BTH.
        extension: W<128, 2>,
        /// BTH.
        bth: BaseTransportHeader,
    }

    /// 70 bytes after UDP of a packet with INT, first byte in the highest bits.
    pub struct IntBody {
        /// What follows a full INT stack.
        rest: W<224, 4>,
        /// INT.
        int_stack: IntStack,
    }

    /// A frame as the parser judges it.
    pub struct JudgedFrame {
        /// 70 bytes after UDP, first byte in the highest bits.
        body: W<560, 9>,
        /// IPv4 address of the sender.
        source_ip: U<32>,
        /// Why it is dropped.
        drop_code: DropCode,
        /// Kind of UDP port that the frame came to.
        role: FrameRole,
        /// ECN field of IPv4.
        ecn: U<2>,
        /// Bytes of INT header and stack.
        int_length: U<6>,
        /// BTH opcode.
        opcode: Opcode,
        /// Acknowledge request.
        ack_req: Bit,
        /// First byte of the payload in the frame.
        payload_at: U<7>,
        /// Place of its queue pair, zero if nobody has the number.
        qp: U<8>,
        /// PSN.
        psn: U<24>,
        /// Bytes of payload without pad.
        payload_length: U<16>,
        /// 16 bytes after the BTH, first byte in the highest bits.
        extension: W<128, 2>,
        /// UDP carries exactly as much as a control packet.
        control_length: Bit,
    }

    /// A judged frame that waits.
    pub struct ArrivedFrame {
        /// It.
        frame: JudgedFrame,
        /// The NIC's clock when it was judged, ns modulo 2^24.
        came: U<24>,
    }

    /// What decides where a judged frame goes, known before the rest of it has been read.
    pub struct FrameHead {
        /// Place of its queue pair, zero if nobody has the number.
        qp: U<8>,
        /// Why it is dropped.
        drop_code: DropCode,
        /// Kind of UDP port that the frame came to.
        role: FrameRole,
        /// Bytes of INT header and stack.
        int_length: U<6>,
        /// Where its opcode sends it.
        meant: FrameFate,
    }

    /// Parts of an INT stack that a frame has; a control packet has all of its bytes.
    pub struct IntParts {
        /// The header.
        header: Bit,
        /// The first hop's record.
        hop_1: Bit,
        /// The second.
        hop_2: Bit,
        /// The third.
        hop_3: Bit,
        /// The fourth.
        hop_4: Bit,
        /// The fifth.
        hop_5: Bit,
    }

    /// What decides when a frame has its turn, and where it then goes.
    pub struct FrameTurn {
        /// Where the frame goes.
        fate: FrameFate,
        /// The responder decides about it.
        request: Bit,
        /// The requester decides about it.
        response: Bit,
        /// The congestion control hears of it.
        notice: Bit,
        /// It is a control packet.
        control: Bit,
        /// It came with the mark "congestion experienced".
        ecn: Bit,
    }

    /// The rest of a frame that waits for its turn: what goes out with it.
    pub struct HeldFrame {
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// PSN.
        psn: U<24>,
        /// First byte of the payload in the frame.
        payload_at: U<7>,
        /// Bytes of payload without pad.
        payload_length: U<16>,
        /// AETH syndrome, if it has one.
        syndrome: AethSyndrome,
        /// The queue pair collects INT.
        int_on: Bit,
        /// Bytes of INT header and stack.
        int_length: U<6>,
        /// The NIC's clock when it was judged, ns modulo 2^24.
        came: U<24>,
        /// What follows UDP. The INT stack is zero behind its length, but of a control packet, which has none.
        body: IntBody,
        /// IPv4 address of the sender.
        source_ip: U<32>,
        /// UDP carries exactly as much as a control packet.
        right_length: Bit,
    }

    /// Own number of a queue pair, by which its peer names it.
    pub struct QpNumber {
        /// Place in the tables of this NIC.
        place: U<8>,
        /// Any value that the host chose.
        tag: U<16>,
    }

    /// What the lookup knows of a place.
    pub struct KnownNumber {
        /// A queue pair lives there.
        alive: Bit,
        /// Tag of its number.
        tag: U<16>,
    }

    /// A control packet.
    pub struct ControlPacket {
        /// 70 bytes after UDP, first byte in the highest bits.
        body: W<560, 9>,
        /// IPv4 address of the sender.
        source_ip: U<32>,
        /// UDP carries exactly as much as a control packet.
        right_length: Bit,
    }

    /// What is to happen with the payload of the oldest frame in the packet buffer.
    pub struct BufferCommand {
        /// Hand it out; skip the frame otherwise.
        take: Bit,
        /// First byte in the frame, even.
        at: FramePlace,
        /// Bytes.
        length: U<16>,
        /// Where in its page of memory the first byte goes.
        to: BytePlace,
    }

    /// A commit that waits for a write, or not.
    pub struct CommitEntry {
        /// What is to happen once memory has the payload.
        commit: Commit,
        /// The entry waits for a write.
        waits: Bit,
    }

    /// The same without its INT, which waits elsewhere.
    pub struct CommitTurn {
        /// What is to happen once memory has the payload.
        commit: CommitHead,
        /// The entry waits for a write.
        waits: Bit,
    }

    /// What is known of a frame that waits for an engine.
    pub struct ShareMark {
        /// It is one of the short frames of its queue pair.
        counted: Bit,
        /// It came when its queue pair had its share of the packet buffer.
        over: Bit,
    }

    /// Place of a payload's first byte in its frame.
    pub struct FramePlace {
        /// In its beat.
        in_beat: U<6>,
        /// In the second beat.
        second_beat: Bit,
    }

    /// Place of a payload's last byte, counted from the first byte of its first line of memory.
    pub struct LastPlace {
        /// In its line.
        in_line: U<6>,
        /// Line.
        line: U<11>,
    }
}
