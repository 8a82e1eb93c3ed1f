//! Beats of frames on their way out.

use super::context::RegionGuard;
use super::flows::{GrantMarks, QpHalf};
use super::transport::{ExtensionKind, TxPacket};
use super::wire::{Extension, IcrcLengths, Opcode, OuterHeaders};
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::kind! {
    /// What the packet selector does in a clock.
    pub enum SelectStep {
        /// Nothing is looked for.
        Idle,
        /// A grant's context, ring place and READ are addressed.
        Address,
        /// They are on their way from memory.
        Await,
        /// They show.
        Context,
        /// Messages show, one a clock.
        Search,
    }
}

crate::word! {
    /// A beat of a frame: `Beat` by name.
    pub struct FrameBeat {
        /// Bytes, the first lowest.
        data: W<512, 8>,
        /// Which of them belong to the frame.
        keep: U<64>,
        /// The beat is the last of its frame.
        last: Bit,
        /// The frame is bad; with `last`.
        bad: Bit,
    }

    /// Payload as it comes from the memory reader.
    pub struct PayloadBeat {
        /// Bytes, the first lowest.
        data: W<512, 8>,
        /// How many of them belong to the payload.
        count: U<7>,
        /// The beat is the last of its payload.
        last: Bit,
        /// A bus error happened; with `last`.
        failed: Bit,
    }

    /// What the response queue, the requester and the send times are told when a data frame has left.
    pub struct FrameNote {
        /// Last response of a READ.
        ends_read: Bit,
        /// The packet is a READ response.
        response: Bit,
        /// The frame has payload.
        payload: Bit,
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// PSN.
        psn: U<24>,
        /// Tag of its READ; of a request its `DepartureKind`.
        tag: U<5>,
        /// It was spoiled because the region of its payload stands no longer.
        refused: Bit,
    }

    /// Type of service of an IPv4 header.
    pub struct TypeOfService {
        /// ECN field: 0 not capable of marks, 1 or 2 capable, 3 marked.
        ecn: U<2>,
        /// Differentiated services code point.
        dscp: U<6>,
    }

    /// The other end of a queue pair.
    pub struct Peer {
        /// IPv4 address.
        ip: U<32>,
        /// Ethernet address, first byte in the highest bits.
        mac: U<48>,
        /// Queue pair number.
        qpn: U<24>,
        /// UDP source port of what is sent to it.
        source_port: U<16>,
    }

    /// What headers need of a context: its lower bits.
    pub struct HeaderContext {
        /// The queue pair exists.
        alive: Bit,
        /// Generation of the queue pair.
        generation: U<8>,
        /// The other end.
        peer: Peer,
        /// Payload of a full packet is 256 << mtu bytes, 0 to 4.
        mtu: U<3>,
        /// Collects INT.
        int_on: Bit,
    }

    /// A packet for which headers are to be made.
    pub struct HeaderRequest {
        /// BTH opcode.
        opcode: Opcode,
        /// PSN.
        psn: U<24>,
        /// Acknowledge request.
        ack_req: Bit,
        /// Bytes of pad.
        pad: U<2>,
        /// Bytes behind the BTH: extension, payload, pad, ICRC.
        body: U<13>,
        /// The packet echoes the INT given; low: it collects, if its queue pair does.
        echoes: Bit,
        /// Bytes of INT given.
        int_given: U<6>,
        /// Generation that the packet belongs to.
        generation: U<8>,
    }

    /// What headers are made of when the context is known.
    pub struct HeaderPlan {
        /// The other end.
        peer: Peer,
        /// UDP destination port.
        destination_port: U<16>,
        /// Type of service.
        service: TypeOfService,
        /// BTH opcode.
        opcode: Opcode,
        /// PSN.
        psn: U<24>,
        /// Acknowledge request.
        ack_req: Bit,
        /// Bytes of pad.
        pad: U<2>,
        /// Bytes of INT.
        int_bytes: U<6>,
        /// The queue pair exists and is of the packet's generation.
        alive: Bit,
    }

    /// Lengths of a packet.
    pub struct PacketLengths {
        /// As the ICRC reads them.
        icrc: IcrcLengths,
        /// UDP length.
        udp: U<16>,
        /// Total length of IPv4.
        ip: U<16>,
    }

    /// A data packet that waits for its header to be made.
    pub struct WaitingPacket {
        /// The packet.
        packet: TxPacket,
        /// The packet is a READ request.
        read: Bit,
    }

    /// A READ request that goes beside the frames of data.
    pub struct ReadSend {
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// PSN.
        psn: U<24>,
        /// Acknowledge request.
        ack_req: Bit,
        /// RETH, first byte in the highest bits.
        reth: W<128, 2>,
        /// Its `DepartureKind`.
        departure_kind: U<5>,
    }

    /// A data packet whose header is being made.
    pub struct TakenPacket {
        /// The packet.
        packet: TxPacket,
        /// There is one.
        taken: Bit,
    }

    /// What follows UDP in a packet without INT, first byte in the highest bits.
    pub struct PlainHeaders {
        /// Zero.
        spare: U<16>,
        /// RETH, AETH or zero.
        extension: Extension,
        /// BTH.
        bth: W<96, 2>,
    }

    /// What follows UDP in a packet that collects INT and has no record yet, first byte in the highest bits.
    pub struct CollectingHeaders {
        /// RETH, AETH or zero.
        extension: Extension,
        /// BTH.
        bth: W<96, 2>,
        /// INT header, zero.
        int_header: U<16>,
    }

    /// Headers of a data packet, first byte in the highest bits.
    pub struct DataHeaders {
        /// `PlainHeaders` or `CollectingHeaders`.
        behind: W<240, 4>,
        /// `OuterHeaders`.
        outer: W<336, 6>,
    }

    /// Header of a data packet and the plan of its frame.
    pub struct FrameRow {
        /// Headers, zero behind their end.
        headers: DataHeaders,
        /// Lengths without INT.
        icrc_lengths: IcrcLengths,
        /// Where the frame ends, as the block that appends the ICRC has it.
        tail: U<7>,
        /// The ICRC does not fit into the beat in which `tail` counts.
        spill: Bit,
        /// The packet has an INT header.
        int_on: Bit,
        /// Which extension.
        extension: ExtensionKind,
        /// It takes turns with the other kind: a READ request, or a READ response of at most 128 bytes.
        turns: Bit,
        /// What is told when the frame has left.
        note: FrameNote,
    }

    /// What beats a frame has: few bits, so that whatever takes them off their queue late in the clock moves no more than these.
    pub struct FramePlan {
        /// Beats of payload.
        beats: U<7>,
        /// The ICRC does not fit into the beat in which the row's `tail` counts.
        spill: Bit,
        /// The packet's queue pair is gone: nothing is sent.
        drop: Bit,
        /// The region of its payload stands no longer: it has none, and is spoiled.
        refused: Bit,
        /// The first beat takes payload.
        pulls: Bit,
        /// The first beat is the last.
        alone: Bit,
    }

    /// The plan of a frame that waits.
    pub struct QueuedPlan {
        /// It.
        plan: FramePlan,
        /// Where its row lies.
        at: U<4>,
        /// The frame is a request.
        request: Bit,
    }

    /// The end of an acknowledgement or the like, and what its ICRC covers.
    pub struct AckEnd {
        /// The ICRC does not fit into the beat in which `tail` counts.
        spill: Bit,
        /// End of what the ICRC covers.
        tail: U<7>,
        /// Lengths as the ICRC reads them.
        icrc_lengths: IcrcLengths,
        /// 0 without INT, else 1 + records.
        int_code: U<3>,
        /// There is INT, and the ICRC does not cover it.
        behind_int: Bit,
        /// It takes turns with the other kind: a READ request, or a READ response of at most 128 bytes.
        turns: Bit,
        /// Of a READ request: what is told when it has left.
        note: FrameNote,
    }

    /// A beat of a frame on its way to the block that appends the ICRC.
    pub struct BuiltBeat {
        /// Its number in the frame: 0, 1, or 2 for all later ones.
        number: U<2>,
        /// The beat is the last of its frame.
        last: Bit,
        /// It is the last but one of a frame that spills.
        penultimate: Bit,
        /// The ICRC does not fit into the beat in which `tail` counts.
        spill: Bit,
        /// End of what the ICRC covers, 10 to 124.
        tail: U<7>,
        /// Ethernet, IPv4 and UDP header of the frame.
        outer: OuterHeaders,
        /// Lengths as the ICRC reads them.
        icrc_lengths: IcrcLengths,
        /// 0 without INT, else 1 + records.
        int_code: U<3>,
        /// There is INT, and the ICRC does not cover it.
        behind_int: Bit,
        /// The frame is bad; with `last`.
        bad: Bit,
        /// Its frame is an acknowledgement or the like, which may come between the beats of a data packet.
        ack: Bit,
        /// It takes turns with the other kind: a READ request, or a READ response of at most 128 bytes.
        turns: Bit,
        /// Travels beside the frame.
        note: FrameNote,
    }

    /// What the selection of packets needs of a context.
    pub struct SelectContext {
        /// The queue pair exists.
        alive: Bit,
        /// Generation of the queue pair.
        generation: U<8>,
        /// Payload of a full packet is 256 << mtu bytes, 0 to 4.
        mtu: U<3>,
        /// Collects INT.
        int_on: Bit,
    }

    /// Where the READ ends that a queue pair has asked for last.
    pub struct AskedEnd {
        /// One past its last PSN.
        end_psn: U<24>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// One has been asked for since the queue pair was created.
        known: Bit,
    }

    /// A grant for which a packet is looked for.
    pub struct LookedGrant {
        /// Flow.
        flow: QpHalf,
        /// Generation.
        generation: U<8>,
        /// PSN.
        psn: U<24>,
        /// What is special about the packet.
        marks: GrantMarks,
    }

    /// Where the message of the last packet of a queue pair was found.
    pub struct RingCursor {
        /// Place in the ring.
        place: U<4>,
        /// Packets since an acknowledgement was asked for.
        since_asked: U<8>,
        /// Generation of the queue pair.
        generation: U<8>,
    }

    /// What the selection of packets needs of a `Message`: its lower bits.
    pub struct SelectMessage {
        /// First PSN.
        first_psn: U<24>,
        /// One past the last PSN.
        end_psn: U<24>,
        /// READ; low: WRITE.
        read: Bit,
        /// The work request ends with this message.
        last: Bit,
        /// Generation.
        generation: U<8>,
        /// Local address.
        local_address: U<64>,
        /// Remote address.
        remote_address: U<64>,
        /// Remote key.
        remote_key: U<32>,
        /// Bytes of this message.
        length: U<32>,
        /// The region of its memory, which must still stand.
        guard: RegionGuard,
    }

    /// What the selection of packets needs of a READ that is answered.
    pub struct SelectRead {
        /// First PSN.
        first_psn: U<24>,
        /// One past the last PSN.
        end_psn: U<24>,
        /// It has fewer than four packets.
        few: Bit,
        /// Generation.
        generation: U<8>,
        /// First byte in memory.
        address: U<64>,
        /// The region of that memory, which must still stand.
        guard: RegionGuard,
        /// Bytes.
        length: U<32>,
        /// MSN of the responses.
        msn: U<24>,
        /// Tag of the READ.
        tag: U<5>,
        /// Epoch of the READs that it belongs to.
        epoch: U<4>,
    }

    /// Which place of a ring of messages or READs is voided next.
    pub struct RingVoids {
        /// The place.
        place: U<4>,
        /// There is one.
        some: Bit,
    }

    /// Which packet a feedback to the scheduler is about.
    pub struct FeedbackFrom {
        /// PSN.
        psn: U<24>,
        /// Flow number.
        flow: U<9>,
        /// Generation.
        generation: U<8>,
    }

    /// What the scheduler hears of a packet that it granted.
    pub struct GrantFeedback {
        /// Which packet.
        from: FeedbackFrom,
        /// Bytes less than a full packet, or the PSN behind a READ request.
        value: U<24>,
        /// A READ request that covers PSNs up to `value`.
        advance: Bit,
    }

    /// What the place of the payload in a frame depends on.
    pub struct StartCode {
        /// Which extension stands before it.
        extension: ExtensionKind,
        /// An INT header without records does.
        int_header: Bit,
    }

    /// Registers of the NIC that frames are made by.
    pub struct FrameSettings {
        /// Own Ethernet address, first byte in the highest bits.
        mac: U<48>,
        /// Own IPv4 address.
        ip: U<32>,
        /// UDP port of plain RoCEv2.
        port_roce: U<16>,
        /// UDP port of INT being collected.
        port_int: U<16>,
        /// UDP port of INT echoed.
        port_echo: U<16>,
        /// The ICRC of what echoes INT covers the INT too.
        echo_icrc_full: Bit,
        /// Partition key.
        pkey: U<16>,
        /// Differentiated services code point.
        dscp: U<6>,
        /// The same of requests of queue pairs with INT.
        dscp_request: U<6>,
        /// The same of congestion notifications.
        cnp_dscp: U<6>,
        /// ECN field of requests and READ responses of queue pairs without INT.
        ecn: U<2>,
        /// Time to live.
        ttl: U<8>,
    }

    /// What a beat does to the CRC register.
    pub struct CrcStep {
        /// It has bytes that the ICRC covers.
        covers: Bit,
        /// The beat is the first of its frame.
        first: Bit,
        /// Its frame is an acknowledgement or the like, which comes between the beats of another.
        aside: Bit,
    }

    /// What happens to a beat when its ICRC is known.
    pub struct AppendPlan {
        /// There is a beat.
        valid: Bit,
        /// The ICRC, or half of it, goes into this beat.
        appends: Bit,
        /// Its upper half, the lower one ended the beat before.
        high: Bit,
        /// Where it goes within eight bytes, two bytes each.
        offset: U<2>,
        /// Which eight bytes it goes into.
        eight: U<3>,
        /// Bytes of the beat that belong to the frame.
        count: U<7>,
        /// The beat is the last of its frame.
        last: Bit,
        /// The frame is bad; counts with `last`.
        bad: Bit,
        /// Its frame is an acknowledgement or the like.
        ack: Bit,
        /// It takes turns with the other kind: a READ request, or a READ response of at most 128 bytes.
        turns: Bit,
        /// What is told when the frame has left.
        note: FrameNote,
    }

    /// A beat of a frame with its note, in the FIFO.
    pub struct NotedBeat {
        /// The beat.
        beat: FrameBeat,
        /// It takes turns with the other kind: a READ request, or a READ response of at most 128 bytes.
        turns: Bit,
        /// What is told when the frame has left.
        note: FrameNote,
    }
}
