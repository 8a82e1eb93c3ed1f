//! What the requester keeps of each queue pair and of each message.

use super::context::RegionGuard;
use super::transport::AnswerKind;
use super::wire::AethSyndrome;
use super::work::CompletionStatus;
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::kind! {
    /// What is known of a READ response before it is compared with its READ.
    pub enum ResponseCase {
        /// It is to be compared.
        Compare,
        /// Nothing asked for it.
        Unasked,
        /// It came before.
        Duplicate,
        /// Its AETH is negative.
        Negative,
        /// The queue pair has ended.
        Ended,
        /// The queue pair is gone.
        Gone,
        /// A READ response before it is missing.
        Gap,
    }
}

crate::word! {
    /// Difference of two PSNs, which are counted modulo 2^24: what is compared is less than half of that apart.
    pub struct PsnDistance {
        /// Lower bits.
        magnitude: U<23>,
        /// The first lies before the second.
        negative: Bit,
    }

    /// AETH syndrome.
    pub struct Syndrome {
        /// Credits, or why not.
        value: U<5>,
        /// 0 acknowledgement, 1 receiver not ready, 3 negative acknowledgement.
        code: U<3>,
    }

    /// The newest answer of a queue pair: where it lies, and which answer joins it.
    pub struct AnswerTag {
        /// Its place in the ring of answers.
        place: U<8>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// PSN of the READ data that follows.
        psn: U<24>,
        /// It is about READ data of a READ that goes on.
        joinable: Bit,
    }

    /// Which answer it is.
    pub struct AnswerName {
        /// Queue pair.
        qp: U<8>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// PSN that is answered.
        psn: U<24>,
    }

    /// Place of a message, or of a READ that is answered, in the rings of all queue pairs.
    pub struct RingPlace {
        /// Place in the ring; of a READ its tag modulo 16.
        place: U<4>,
        /// Queue pair.
        qp: U<8>,
    }

    /// Pointers into the ring of a queue pair, as its state has them.
    pub struct RingPointers {
        /// The oldest message.
        head: U<5>,
        /// The first that may be a READ with missing data.
        read_at: U<5>,
    }

    /// An acknowledgement on its way to the scheduler.
    pub struct AnswerEvent {
        /// PSN up to which everything is acknowledged, exclusive.
        psn: U<24>,
        /// Generation.
        generation: U<8>,
        /// Queue pair.
        qp: U<8>,
        /// The acknowledgement is negative, so that the flow goes back.
        nak: Bit,
        /// The receiver was not ready.
        not_ready: Bit,
        /// Then its timer code.
        rnr_timer: U<5>,
        /// There is INT.
        int_valid: Bit,
        /// Switches on the path.
        n_hop: U<4>,
        /// XOR of their ids.
        path_id: U<12>,
        /// Bytes acknowledged.
        bytes: U<32>,
        /// Records of the hops.
        hops: W<320, 5>,
        /// The acknowledged packet was marked "congestion experienced".
        ecn: Bit,
        /// The NIC's clock when it came, ns; of READ data, when it was decided.
        now: U<48>,
        /// When the acknowledged packet left, ns.
        sent_at: U<48>,
        /// The time at which the packet left is known.
        sent_valid: Bit,
    }

    /// The NIC's clock in two halves, ns: of what has come only the lower one is kept.
    pub struct ClockHalves {
        /// Lower half.
        lower: U<24>,
        /// Upper half.
        upper: U<24>,
    }

    /// The lower half of that clock, with the bit by which a time in it is told from one half of what it lasts (8 ms) later.
    pub struct ClockLower {
        /// All others.
        rest: U<23>,
        /// That bit.
        top: Bit,
    }

    /// A generation in halves.
    pub struct GenerationHalves {
        /// Lower half.
        lower: U<4>,
        /// Upper half.
        upper: U<4>,
    }

    /// Whether a part of a queue pair's state is void: it is if one of the two is high.
    pub struct VoidBy {
        /// It has never been written, or the lower half of its generation is another than the context's.
        lower: Bit,
        /// The upper half is.
        upper: Bit,
    }

    /// The requester's state of a queue pair. Positions count messages modulo 32: `told <= head <= admit <= tail <= told + 16`;
    /// messages before `head` are done, those before `admit` are with the scheduler. It is kept in two parts, each with one owner: [`PostState`] and
    /// [`AckState`].
    pub struct RequesterState {
        /// Oldest PSN without acknowledgement.
        una: U<24>,
        /// No READ data before it is missing, though the last of it may still be on its way to memory; not before `una`.
        accepted: U<24>,
        /// Next PSN without a message.
        assigned: U<24>,
        /// PSN of the READ gap that was reported last.
        gap_psn: U<24>,
        /// There is one.
        gap_known: Bit,
        /// Ended.
        dead: Bit,
        /// Position of the oldest message that is not done.
        head: U<5>,
        /// Position of the first message that the scheduler does not have.
        admit: U<5>,
        /// Position of the next message.
        tail: U<5>,
        /// Position before which no READ has missing data.
        read_at: U<5>,
        /// READs that the scheduler has got, modulo 32,
        posted: U<5>,
        /// and of these those that are done.
        retired: U<5>,
        /// Status of a work request that the end of the queue pair cut off.
        carry: CompletionStatus,
        /// Generation of the queue pair.
        generation: U<8>,
        /// Position of the oldest message whose completion has not left.
        told: U<5>,
        /// The queue pair waits to give completions away.
        listed: Bit,
    }

    /// What posting owns of [`RequesterState`]: work requests alone move it, and the state machine.
    pub struct PostState {
        /// Next PSN without a message.
        assigned: U<24>,
        /// Position of the first message that the scheduler does not have.
        admit: U<5>,
        /// Position of the next message.
        tail: U<5>,
        /// READs that the scheduler has got, modulo 32.
        posted: U<5>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// This has been written.
        used: Bit,
    }

    /// What answers and READ responses own of [`RequesterState`].
    pub struct AckState {
        /// Oldest PSN without acknowledgement.
        una: U<24>,
        /// No READ data before it is missing.
        accepted: U<24>,
        /// PSN of the READ gap that was reported last.
        gap_psn: U<24>,
        /// There is one.
        gap_known: Bit,
        /// Ended.
        dead: Bit,
        /// Position of the oldest message that is not done.
        head: U<5>,
        /// Position before which no READ has missing data.
        read_at: U<5>,
        /// READs that are done, modulo 32.
        retired: U<5>,
        /// Status of a work request that the end of the queue pair cut off.
        carry: CompletionStatus,
        /// Generation of the queue pair.
        generation: U<8>,
        /// Position of the oldest message whose completion has not left.
        told: U<5>,
        /// The queue pair waits to give completions away.
        listed: Bit,
        /// This has been written.
        used: Bit,
    }

    /// What posting needs of [`AckState`]. It may be some clocks old: what is free or acknowledged meanwhile counts later.
    pub struct AckProgress {
        /// Oldest PSN without acknowledgement.
        una: U<24>,
        /// Position of the oldest message whose completion has not left.
        told: U<5>,
        /// READs that are done, modulo 32.
        retired: U<5>,
        /// Ended.
        dead: Bit,
        /// Generation of the queue pair.
        generation: U<8>,
        /// This has been written.
        used: Bit,
    }

    /// What the requester needs of a context.
    pub struct RequesterContext {
        /// The queue pair exists.
        alive: Bit,
        /// Generation of the queue pair.
        generation: U<8>,
        /// Payload of a full packet is 256 << mtu bytes, 0 to 4.
        mtu: U<3>,
        /// Collects INT.
        int_on: Bit,
        /// First PSN sent.
        first_psn: U<24>,
        /// Protection domain.
        domain: U<16>,
    }

    /// What posting needs of a context.
    pub struct PostContext {
        /// The queue pair exists.
        alive: Bit,
        /// Generation of the queue pair.
        generation: U<8>,
        /// Payload of a full packet is 256 << mtu bytes, 0 to 4.
        mtu: U<3>,
        /// First PSN sent.
        first_psn: U<24>,
        /// Protection domain.
        domain: U<16>,
    }

    /// A context on its way into the requester's table.
    pub struct LandingContext {
        /// Queue pair.
        qp: U<8>,
        /// Context of the queue pair.
        created: RequesterContext,
        /// It voids what is left of an earlier generation.
        voids: Bit,
    }

    /// How far a queue pair has sent.
    pub struct SentTo {
        /// One past the highest PSN sent.
        end_psn: U<24>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// Something was sent.
        used: Bit,
    }

    /// A message as the requester itself needs it.
    pub struct OwnMessage {
        /// First PSN.
        first_psn: U<24>,
        /// One past the last PSN.
        end_psn: U<24>,
        /// READ; low: WRITE.
        read: Bit,
        /// The work request ends with this message.
        last: Bit,
        /// Bytes of this message, modulo 8192: what whole packets leave for the last is looked for, and no more.
        length: U<13>,
    }

    /// What is needed of a message later than the rest.
    pub struct LaterMessage {
        /// Local address in memory.
        base: U<64>,
        /// The region of that memory, which must still stand.
        guard: RegionGuard,
        /// Work request of the message.
        work: OwnWork,
    }

    /// What the completion says of a message's work request.
    pub struct OwnWork {
        /// Number of the work request.
        id: U<64>,
        /// Bytes of the work request.
        total: U<32>,
    }

    /// What the fast path needs of a READ response.
    pub struct ArrivedResponse {
        /// Queue pair.
        qp: U<8>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// PSN.
        psn: U<24>,
        /// Bytes of payload.
        length: U<16>,
        /// Its opcode says that it is the last of its READ.
        ends: Bit,
        /// It has an AETH that does not acknowledge.
        negative: Bit,
    }

    /// What becomes of the payload of a READ response that is taken.
    pub struct ReadDecision {
        /// Local address of the READ's first byte.
        base: U<64>,
        /// Bytes of the READ before this payload.
        ahead: U<36>,
        /// The response is the last of its READ.
        last: Bit,
    }

    /// A work request that is to be posted.
    pub struct PostStep {
        /// Queue pair.
        qp: U<8>,
        /// Place in the window of work requests.
        place: U<4>,
        /// Bytes.
        length: U<32>,
        /// A READ.
        read: Bit,
        /// It has no queue pair, operation or length.
        invalid: Bit,
    }

    /// What enters the requester's fast path: an acknowledgement, READ data that is in memory, or a READ response.
    pub struct FastStep {
        /// A READ response; otherwise an answer.
        response: Bit,
        /// Queue pair.
        qp: U<8>,
        /// Place among the answers that are held.
        place: U<4>,
        /// Generation of the packet's queue pair.
        generation: U<8>,
        /// PSN of the packet.
        psn: U<24>,
        /// Which answer.
        answer: AnswerKind,
        /// AETH syndrome of the answer.
        syndrome: AethSyndrome,
        /// Memory refused its data.
        failed: Bit,
        /// The queue pair of the answer collects INT.
        int_on: Bit,
        /// Bytes of payload of the READ response.
        length: U<16>,
        /// The READ response says that it is the last of its READ.
        ends: Bit,
        /// It has an AETH that does not acknowledge.
        negative: Bit,
    }

    /// A queue pair of a generation.
    pub struct QpOfGeneration {
        /// Number of the queue pair.
        qp: U<8>,
        /// Generation of the queue pair.
        generation: U<8>,
    }
}
