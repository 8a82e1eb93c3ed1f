//! Packets between the parser, the engines of the transport and the frame builders.

use super::context::RegionGuard;
use super::wire::{AethSyndrome, Opcode};
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::kind! {
    /// What a frame without payload is.
    pub enum AckKind {
        /// Acknowledgement, positive or negative, with AETH.
        Acknowledgement,
        /// Echo of a READ response's INT.
        Echo,
        /// Answer to a probe: its INT, under its number in the place of the PSN.
        ProbeResponse,
        /// Congestion notification.
        Notification,
        /// Probe: its number in the place of the PSN, and an INT header of two zero bytes. It goes to the port on which INT is collected.
        Probe,
        /// READ request, of queue pairs with INT with an empty INT header. It is a request and has a place in their order.
        ReadRequest,
    }

    /// What happens to the probes of a queue pair.
    pub enum ProbeKind {
        /// Nothing.
        Nothing,
        /// A request with payload has left.
        Left,
        /// A response came.
        Answered,
        /// The queue pair is created or removed.
        Begins,
    }

    /// What a frame's UDP port says about its INT.
    pub enum FrameRole {
        /// There is none.
        Plain,
        /// Collected on the way here.
        Collected,
        /// Collected on the way there and echoed by the peer.
        Echoed,
        /// A control packet.
        Control,
    }

    /// What follows a packet's payload.
    pub enum CommitKind {
        /// Nothing.
        Nothing,
        /// An acknowledgement is to be sent.
        Acknowledge,
        /// A READ is to be answered.
        Read,
        /// The requester learns of an answer.
        Answer,
    }

    /// What a peer answers to a request.
    pub enum AnswerKind {
        /// Acknowledgement or negative acknowledgement.
        Acknowledgement,
        /// Data of a READ.
        ReadData,
        /// Data of a READ behind a gap: the READ is asked for again.
        ReadGap,
        /// Data of a READ that is here already: only its echo counts.
        ReadDuplicate,
        /// Data of a READ whose memory may not be used any more.
        ReadRefused,
    }

    /// What happens to the notifications of a queue pair.
    pub enum NotifyKind {
        /// Nothing.
        Nothing,
        /// A marked packet came.
        Marked,
        /// The notification that was due leaves.
        Leaves,
        /// The queue pair is created or removed.
        Begins,
    }

    /// What the departure of a request means for the send times of its queue pair, [`hpcc_models::nic::Departure`].
    pub enum DepartureKind {
        /// Nothing.
        Untimed,
        /// Its time is kept.
        Timed,
        /// Its number is timed and it was sent before: its time is forgotten.
        Repeated,
        /// The first one after the flow has gone back: all times are forgotten.
        Rewound,
    }

    /// What a data packet carries between BTH and payload.
    pub enum ExtensionKind {
        /// Nothing.
        None,
        /// RETH.
        Reth,
        /// AETH.
        Aeth,
        /// Not used; as nothing.
        Unused,
    }
}

crate::word! {
    /// An accepted transport packet beside the context of its queue pair.
    pub struct RxPacket {
        /// BTH opcode.
        opcode: Opcode,
        /// Acknowledge request.
        ack_req: Bit,
        /// Queue pair.
        qp: U<8>,
        /// PSN.
        psn: U<24>,
        /// 16 bytes after the BTH, first byte in the highest bits: RETH, or AETH and 12 more.
        extension: W<128, 2>,
        /// Bytes of payload without pad.
        payload_length: U<16>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// MTU code.
        mtu: U<3>,
        /// The queue pair collects INT.
        int_on: Bit,
        /// Protection domain of the queue pair.
        domain: U<16>,
        /// The queue pair takes no WRITEs.
        refuse_write: Bit,
        /// The queue pair takes no READs.
        refuse_read: Bit,
    }

    /// What is to happen once the memory has taken a packet's payload.
    pub struct Commit {
        /// Kind of the item.
        kind: CommitKind,
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// PSN: of the acknowledgement, the READ's first, or the answer's.
        psn: U<24>,
        /// AETH syndrome. For answers `Ack` also for READ data.
        syndrome: AethSyndrome,
        /// MSN; of acknowledgements that have come, the NIC's clock at their arrival, ns modulo 2^24.
        msn: U<24>,
        /// Bytes of INT.
        int_length: U<6>,
        /// Kind of answer, if the entry is an answer.
        answer: AnswerKind,
        /// The queue pair collects INT.
        int_on: Bit,
        /// Of the responder: `msn` counts a message that ends with this packet. Of answers: a write error happened (set by the
        /// commit stage).
        ends_or_failed: Bit,
        /// Of answers: the packet came with the mark "congestion experienced".
        ecn: Bit,
        /// INT of the packet, first byte in the highest bits; of a READ a `ReadRequest` in the lowest bits.
        int_stack: W<336, 6>,
    }

    /// A [`Commit`] without its INT, or the `ReadRequest` in its place: its lower bits.
    pub struct CommitHead {
        /// Kind of the item.
        kind: CommitKind,
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// PSN: of the acknowledgement, the READ's first, or the answer's.
        psn: U<24>,
        /// AETH syndrome. For answers `Ack` also for READ data.
        syndrome: AethSyndrome,
        /// MSN; of acknowledgements that have come, the NIC's clock at their arrival, ns modulo 2^24.
        msn: U<24>,
        /// Bytes of INT.
        int_length: U<6>,
        /// Kind of answer, if the entry is an answer.
        answer: AnswerKind,
        /// The queue pair collects INT.
        int_on: Bit,
        /// Of the responder: `msn` counts a message that ends with this packet. Of answers: a write error happened (set by the
        /// commit stage).
        ends_or_failed: Bit,
        /// Of answers: the packet came with the mark "congestion experienced".
        ecn: Bit,
    }

    /// In which generation a write of a queue pair's peer failed.
    pub struct FailedGeneration {
        /// The generation.
        generation: U<8>,
        /// There is one.
        failed: Bit,
    }

    /// What an engine decides about a packet. Dispatch adds what the packet brought: queue pair, INT.
    pub struct Action {
        /// Take the payload; skip it otherwise.
        take: Bit,
        /// Where in memory it goes; of a READ, where the first byte that it asks for is.
        address: U<64>,
        /// Of a READ: the region that must still stand when it is answered.
        guard: RegionGuard,
        /// There is something to commit.
        commits: Bit,
        /// Kind of the item.
        kind: CommitKind,
        /// PSN: of the acknowledgement, the READ's first, or the answer's.
        psn: U<24>,
        /// AETH syndrome.
        syndrome: AethSyndrome,
        /// MSN; of READ data, whether it is the last of its READ.
        msn: U<24>,
        /// Kind of answer, if the entry is an answer.
        answer: AnswerKind,
        /// Of the responder: `msn` counts a message that ends with this packet.
        ends: Bit,
        /// Of a READ: bytes.
        length: U<32>,
        /// Of a READ: number of PSNs that its responses take.
        count: U<24>,
        /// Of a READ: it was asked for before.
        duplicate: Bit,
    }

    /// A frame without payload on its way out.
    pub struct AckSend {
        /// What it is. Of a congestion notification only queue pair and generation count.
        kind: AckKind,
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// PSN.
        psn: U<24>,
        /// AETH syndrome.
        syndrome: AethSyndrome,
        /// MSN.
        msn: U<24>,
        /// Bytes of INT; 0 on plain queue pairs.
        int_length: U<6>,
        /// INT, first byte in the highest bits.
        int_stack: W<336, 6>,
    }

    /// A request or READ response that came with the mark "congestion experienced".
    pub struct CongestionMark {
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// READ response; low: request.
        response: Bit,
    }

    /// Notifications to the sender of one kind of packets of a queue pair.
    pub struct Notified {
        /// One waits to be sent.
        due: Bit,
        /// `at` is valid.
        told: Bit,
        /// When the last one was asked for, 1.024 us, modulo 2^28.
        at: U<28>,
    }

    /// Notifications of a queue pair.
    pub struct NotifyState {
        /// Generation of the queue pair.
        generation: U<8>,
        /// Of requests.
        requests: Notified,
        /// Of READ responses.
        responses: Notified,
    }

    /// A step of the notification point.
    pub struct NotifyStep {
        /// Kind of event.
        kind: NotifyKind,
        /// Queue pair and direction of the marked packet.
        mark: CongestionMark,
    }

    /// Probes of the path of a queue pair's requests, [`hpcc_models::cc::Probing`].
    pub struct ProbeState {
        /// Generation of the queue pair.
        generation: U<8>,
        /// The queue pair collects INT.
        int_on: Bit,
        /// A probe has been sent.
        begun: Bit,
        /// Number of the last one.
        sent: U<24>,
        /// Number of the last response that counted.
        accepted: U<24>,
        /// When the last one was sent, ns, modulo 2^32.
        at: U<32>,
        /// Requests with payload since then, 255 at most.
        packets: U<8>,
    }

    /// A step of a queue pair's probes.
    pub struct ProbeStep {
        /// Kind of event.
        kind: ProbeKind,
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// Number of the response.
        number: U<24>,
        /// The queue pair that is created collects INT.
        int_on: Bit,
    }

    /// A probe that is to be sent.
    pub struct ProbeTurn {
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// Number.
        number: U<24>,
    }

    /// A data packet on its way out; its payload follows on the stream of the memory reader.
    pub struct TxPacket {
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// BTH opcode.
        opcode: Opcode,
        /// PSN.
        psn: U<24>,
        /// Acknowledge request.
        ack_req: Bit,
        /// Which extension the packet has.
        extension_kind: ExtensionKind,
        /// The extension, first byte in the highest bits; an AETH fills the highest 32.
        extension: W<128, 2>,
        /// Bytes of payload.
        length: U<13>,
        /// Last response of a READ: tell the response queue when it has left.
        ends_read: Bit,
        /// The packet is a READ response.
        response: Bit,
        /// Tag of its READ; of a request its `DepartureKind`.
        tag: U<5>,
        /// The region of its payload stands no longer: it has no payload, is spoiled, and ends its queue pair.
        refused: Bit,
    }

    /// When a packet of a queue pair's requests left.
    pub struct SendTime {
        /// The NIC's clock, ns.
        sent_at: U<48>,
        /// The packet.
        psn: U<24>,
    }

    /// Which places of a queue pair's send times hold one.
    pub struct TimedPlaces {
        /// By places.
        timed: U<16>,
        /// Generation of the queue pair.
        generation: U<8>,
    }

    /// Place of a packet in the send times of all queue pairs.
    pub struct TimedPlace {
        /// Place among those of the queue pair.
        place: U<4>,
        /// Queue pair.
        qp: U<8>,
    }

    /// A request that has left.
    pub struct DepartedRequest {
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// PSN.
        psn: U<24>,
        /// What it means.
        departure: DepartureKind,
    }

    /// A message of the requester, as it lies in its queue pair's ring.
    pub struct Message {
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
        /// Local address in memory.
        local_address: U<64>,
        /// Remote address.
        remote_address: U<64>,
        /// Remote key.
        remote_key: U<32>,
        /// Bytes of this message.
        length: U<32>,
        /// The region of its memory, which must still stand.
        guard: RegionGuard,
        /// Number of the work request.
        id: U<64>,
        /// Bytes of the work request.
        total: U<32>,
        /// Not used.
        reserved: U<17>,
    }

    /// A READ that is being answered.
    pub struct ReadState {
        /// Generation.
        generation: U<8>,
        /// PSN of the first response.
        first_psn: U<24>,
        /// Number of responses.
        count: U<24>,
        /// First byte in memory.
        address: U<64>,
        /// The region that must still stand.
        guard: RegionGuard,
        /// Bytes.
        length: U<32>,
        /// MSN of the responses.
        msn: U<24>,
        /// Grows by one with each READ of the queue pair that becomes active: says which READ a response belongs to, and, modulo 8, its place in the ring of active READs.
        tag: U<5>,
        /// Grows by one when READs begin anew: what it was with before is void.
        epoch: U<4>,
    }

    /// What a READ asks for, in the place of INT.
    pub struct ReadRequest {
        /// First byte in memory.
        address: U<64>,
        /// Bytes.
        length: U<32>,
        /// Number of PSNs that its responses take.
        count: U<24>,
        /// It was asked for before.
        duplicate: Bit,
        /// The region that must still stand.
        guard: RegionGuard,
    }
}
