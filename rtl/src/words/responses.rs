//! What the response queue keeps of each queue pair.

use super::transport::{CommitKind, ReadRequest};
use super::wire::AethSyndrome;
use crate::prim::uint::U;
use rust_hdl::prelude::Bit;

crate::kind! {
    /// What the response queue takes up.
    pub enum ResponseInput {
        /// A queue pair is created or removed.
        Creation,
        /// A READ's last response has left, or one could not be read.
        ReadEnd,
        /// An answer of the responder.
        Answer,
    }

    /// What the response queue does in a clock.
    pub enum ResponseStep {
        /// Nothing is to be decided.
        Idle,
        /// Compares once more.
        Compare,
        /// Looks at what was compared.
        Look,
        /// Decides.
        Decide,
        /// The responder hears of a READ that found no place.
        Tell,
        /// The answer at the head of the list is addressed.
        AddressHead,
        /// It is on its way from memory.
        AwaitHead,
        /// It is compared with the list.
        CompareHead,
        /// It leaves, or becomes the READ that is answered.
        Pop,
        /// The next answer in the list is addressed.
        AddressNext,
        /// It is on its way from memory.
        AwaitNext,
        /// It is compared with the answer that came.
        CompareNext,
        /// Is it taken back?
        Judge,
        /// The rest of the list is given back.
        Finish,
        /// A READ becomes active.
        Activate,
    }
}

crate::word! {
    /// An answer in the hands of the response queue; its INT lies in a table.
    pub struct QueuedAnswer {
        /// Kind of the item.
        kind: CommitKind,
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// PSN: of the acknowledgement, or the READ's first.
        psn: U<24>,
        /// AETH syndrome.
        syndrome: AethSyndrome,
        /// MSN.
        msn: U<24>,
        /// `msn` counts a message that ends with this packet; of a READ's end, it failed.
        ends_or_failed: Bit,
        /// Bytes of INT.
        int_length: U<6>,
        /// Where the INT lies.
        int_at: U<3>,
        /// What a READ asks for.
        asked: ReadRequest,
    }

    /// READs that are being answered, and the list of the answers that wait behind them.
    pub struct ResponseList {
        /// Generation of the queue pair.
        generation: U<8>,
        /// A READ is being answered.
        active: Bit,
        /// The responder half has ended.
        dead: Bit,
        /// The queue pair collects INT.
        int_on: Bit,
        /// Answers that wait.
        waiting: U<11>,
        /// The first of them.
        head: U<10>,
        /// The last.
        tail: U<10>,
        /// One past the last PSN of the READ that is answered last.
        end_psn: U<24>,
        /// Its tag: grows by one with each READ that becomes active.
        tag: U<5>,
        /// READs before it that are active and have not left.
        ahead: U<4>,
        /// Grows by one when READs begin anew.
        epoch: U<4>,
        /// PSNs from the start of the flow to there.
        reach: U<24>,
    }

    /// What came for a queue pair, compared with its list.
    pub struct Compared {
        /// It is of the queue pair's generation, whose responder half has not ended.
        own: Bit,
        /// A READ is being answered.
        active: Bit,
        /// Answers wait.
        waits: Bit,
        /// READs before the last active one are active.
        several: Bit,
        /// The answer is a READ.
        is_read: Bit,
        /// The answer is a READ that may become active behind the last active one.
        follows: Bit,
        /// The PSN is that behind the last active READ; of an end: it is the end of that READ.
        at_end: Bit,
        /// The PSN lies before the end of the last active READ.
        before_end: Bit,
        /// The end is that of the last active READ, by its tag.
        of_last: Bit,
        /// Of the oldest active one.
        of_oldest: Bit,
        /// Of any active one.
        of_active: Bit,
    }

    /// The last response of a READ has left, or one could not be read from memory.
    pub struct ReadEnd {
        /// Queue pair.
        qp: U<8>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// PSN of the response.
        psn: U<24>,
        /// It could not be read.
        failed: Bit,
        /// It failed because the region of its memory stands no longer.
        refused: Bit,
        /// Tag of its READ.
        tag: U<5>,
    }

    /// An answer's MSN, in whose lower bits the end of a READ has its tag.
    pub struct EndInMsn {
        /// Tag of the READ.
        tag: U<5>,
        /// The rest of the MSN; of an end it means nothing.
        upper: U<19>,
    }

    /// What the scheduler hears of a READ that becomes active.
    pub struct ReadWork {
        /// Queue pair.
        qp: U<8>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// The flow begins anew.
        restart: Bit,
        /// First PSN.
        first_psn: U<24>,
        /// One past the last.
        end_psn: U<24>,
    }

    /// A queue pair is created or removed.
    pub struct QpChange {
        /// Queue pair.
        qp: U<8>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// The queue pair or flow exists.
        alive: Bit,
        /// The queue pair collects INT.
        int_on: Bit,
    }
}
