//! What the requester keeps of each queue pair, and the copies of other blocks' tables that it reads.
//!
//! The state of a queue pair carries its generation. Where that is not the context's, the state is void: the queue pair starts
//! at the context's first PSN with an empty ring. Creation voids what is left of any earlier generation too, and the sweep after reset,
//! a dead context of generation 0, voids all; a removal does not, because the ring is still to be completed. The RAMs are written
//! together by a creation one clock after it or as soon as nobody else may write, in the order of the creations; two clocks from `qp` to the outputs. What stands in a
//! void state is put aside a clock later, in the [pipes](super::fast).
//!
//! The state has two parts, [`PostState`] and [`AckState`], each written by its own pipe and by the state machine, so that a work request and an answer go on in the
//! same clock, of whatever queue pairs. Where something has been posted and nothing answered yet, only the second part is void. What one pipe reads of the
//! other's part may be as old as that pipe is long: then there is more outstanding than in fact, and less room.

use crate::prim::ram::{LoopRam, RamReg};
use crate::prim::short_fifo::ShortFifo;
use crate::prim::uint::U;
use crate::prim::word::bit_cast_word;
use crate::words::context::QpContext;
use crate::words::requester::{
    AckProgress, AckState, GenerationHalves, LandingContext, PostContext, PostState, RequesterContext, RequesterState,
    SentTo, VoidBy,
};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Tables by queue pair.
#[block]
pub struct Store {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: contexts that have not landed are dropped.
    pub reset: Signal<In, Bit>,
    /// A queue pair is created or removed; at most every fifth clock.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// A packet was sent for the first time.
    pub sent_valid: Signal<In, Bit>,
    /// Queue pair whose highest PSN sent has grown.
    pub sent_qp: Signal<In, U<8>>,
    /// Generation of the queue pair whose PSN has grown.
    pub sent_generation: Signal<In, U<8>>,
    /// One past its PSN; of a READ request one past the last response's.
    pub sent_end: Signal<In, U<24>>,
    /// Queue pair to read, for an answer, a READ response or the state machine.
    pub qp: Signal<In, U<8>>,
    /// A state may be written in the next clock, by whom ever.
    pub will_write: Signal<In, Bit>,
    /// Something of these may be written in this clock.
    pub writing: Signal<In, Bit>,
    /// Write what answers own. Only with `writing`.
    pub we: Signal<In, Bit>,
    /// Write what posting owns too: the state machine does. Only with `we`.
    pub whole: Signal<In, Bit>,
    /// Queue pair to write.
    pub write_qp: Signal<In, U<8>>,
    /// New state.
    pub new_state: Signal<In, RequesterState>,
    /// Queue pair to read, for a work request.
    pub post_qp: Signal<In, U<8>>,
    /// A work request may write in this clock; not with `whole`.
    pub posting: Signal<In, Bit>,
    /// Write what posting owns. Only with `posting`.
    pub post_we: Signal<In, Bit>,
    /// Queue pair to write.
    pub post_write_qp: Signal<In, U<8>>,
    /// New state.
    pub new_posted: Signal<In, PostState>,
    /// From the next clock on compare the state's generation with `generation`, not with the context's: for removal, which may come after the context's.
    pub removing: Signal<In, Bit>,
    /// See `removing`.
    pub generation: Signal<In, U<8>>,
    /// The state, two clocks after `qp`, if it is not void.
    pub state: Signal<Out, RequesterState>,
    /// What posting owns of it is void, and so is the rest.
    pub all_void: Signal<Out, VoidBy>,
    /// What answers own of it is void.
    pub acked_void: Signal<Out, VoidBy>,
    /// Generation that it is compared with.
    pub own_generation: Signal<Out, U<8>>,
    /// First PSN of the context.
    pub first_psn: Signal<Out, U<24>>,
    /// The queue pair exists.
    pub alive: Signal<Out, Bit>,
    /// Generation of the context.
    pub context_generation: Signal<Out, U<8>>,
    /// MTU code.
    pub mtu: Signal<Out, U<3>>,
    /// The queue pair collects INT.
    pub int_on: Signal<Out, Bit>,
    /// Protection domain.
    pub domain: Signal<Out, U<16>>,
    /// This generation has sent something.
    pub sent_known: Signal<Out, Bit>,
    /// One past the highest PSN it sent.
    pub sent_to: Signal<Out, U<24>>,
    /// What posting owns of the state of `post_qp`, two clocks later.
    pub posted: Signal<Out, PostState>,
    /// It is void.
    pub posted_void: Signal<Out, VoidBy>,
    /// What it needs of the rest.
    pub progress: Signal<Out, AckProgress>,
    /// That is void.
    pub progress_void: Signal<Out, VoidBy>,
    /// Context of `post_qp`.
    pub post_context: Signal<Out, PostContext>,
    /// A context waits until nobody else writes.
    pub crowded: Signal<Out, Bit>,
    /// A creation voids the state
    pub voids: Signal<Out, Bit>,
    /// of this queue pair.
    pub voided_qp: Signal<Out, U<8>>,
    #[signals(Bit: lands, voiding, writes_posted, writes_acked)]
    contexts: RamReg<RequesterContext, 8>,
    acks: LoopRam<AckState, 8>,
    /// Read by the state machine, and by answers.
    posts: LoopRam<PostState, 8>,
    /// Copies for work requests.
    post_contexts: RamReg<PostContext, 8>,
    own_posts: LoopRam<PostState, 8>,
    progresses: LoopRam<AckProgress, 8>,
    acked: Signal<Local, AckState>,
    with_machine: Signal<Local, PostState>,
    new_acked: Signal<Local, AckState>,
    written_posted: Signal<Local, PostState>,
    new_progress: Signal<Local, AckProgress>,
    #[signals(U<8>: posted_at, acked_at)]
    #[signals(RequesterContext: landed)]
    #[signals(PostContext: own_context, landed_post)]
    #[signals(PostState: own_posted)]
    #[signals(AckProgress: own_progress)]
    sent: RamReg<SentTo, 8>,
    /// Contexts that have not landed: the tables are written in any clock, so a second one may come before the first has.
    landing: ShortFifo<LandingContext, 2, 1>,
    /// Nobody else writes a state, as it was known a clock ago.
    quiet: DFF<Bit>,
    arriving: Signal<Local, LandingContext>,
    waits: Signal<Local, LandingContext>,
    by_generation: DFF<Bit>,
    compared: Signal<Local, U<8>>,
    /// Generations: of the context or of the one that is removed, of the parts of the state, and the same for work requests.
    #[signals(GenerationHalves: of_compared, of_posted, of_acked, of_own_context, of_own_posted, of_progress)]
    /// The context of the state machine's or the answer's queue pair.
    known: Signal<Local, RequesterContext>,
}

#[kernel]
impl Logic for Store {
    fn update(&mut self) {
        // a context lands when neither of the tables that it voids is written
        arriving.qp = context_qp;
        arriving.voids = context_data.alive | !context_data.generation.any();
        arriving.created.alive = context_data.alive;
        arriving.created.generation = context_data.generation;
        arriving.created.mtu = context_data.mtu;
        arriving.created.int_on = context_data.int_on;
        arriving.created.first_psn = context_data.send_psn;
        arriving.created.domain = context_data.domain;
        inputs!(landing: reset, up.data = arriving, up.valid = context_valid);
        waits = landing.down.data;
        quiet = !will_write;
        lands = landing.down.valid & quiet & !sent_valid;
        landing.down.ready = lands;
        crowded = landing.down.valid;
        landed = waits.created;
        fields!(landed_post from landed: alive, generation, mtu, first_psn, domain);
        inputs!(contexts: we = lands, waddr = waits.qp, wdata = landed);
        inputs!(post_contexts: we = lands, waddr = waits.qp, wdata = landed_post);
        // what is not used is void, whatever else stands there
        voiding = lands & waits.voids;
        assign!(voids = voiding, voided_qp = waits.qp);
        sent.we = sent_valid | voiding;
        sent.waddr = if sent_valid { sent_qp } else { waits.qp };
        sent.wdata.next.end_psn = sent_end;
        sent.wdata.next.generation = sent_generation;
        sent.wdata.next.used = sent_valid;
        // whether something is written comes late, so that what and where is chosen by whether it may be
        acked_at = if writing { write_qp } else { waits.qp };
        writes_acked = we | voiding;
        fields!(new_acked from new_state:
            una, accepted, gap_psn, gap_known, dead, head, read_at, retired, carry, generation, told, listed);
        new_acked.used = writing;
        inputs!(acks: we = writes_acked, waddr = acked_at, wdata = new_acked);
        fields!(new_progress from new_acked: una, told, retired, dead, generation, used);
        inputs!(progresses: we = writes_acked, waddr = acked_at, wdata = new_progress);
        posted_at = waits.qp;
        if posting {
            posted_at = post_write_qp;
        }
        written_posted = new_posted;
        written_posted.used = posting;
        if whole {
            posted_at = write_qp;
            fields!(written_posted from new_state: assigned, admit, tail, posted, generation);
            written_posted.used = true;
        }
        writes_posted = post_we | whole | voiding;
        inputs!([posts, own_posts]: we = writes_posted, waddr = posted_at, wdata = written_posted);
        inputs!([contexts, acks, posts, sent]: raddr = qp);
        inputs!([post_contexts, own_posts, progresses]: raddr = post_qp);

        known = contexts.rdata;
        assign!(
            alive = known.alive,
            context_generation = known.generation,
            mtu = known.mtu,
            int_on = known.int_on
        );
        assign!(first_psn = known.first_psn, domain = known.domain);
        sent_known = sent.rdata.val().used & (sent.rdata.val().generation == known.generation);
        sent_to = sent.rdata.val().end_psn;

        by_generation = removing;
        compared = if by_generation { generation } else { known.generation };
        own_generation = compared;
        acked = acks.rdata;
        with_machine = posts.rdata;
        fields!(state from acked:
            una, accepted, gap_psn, gap_known, dead, head, read_at, retired, carry, generation, told, listed);
        fields!(state from with_machine: assigned, admit, tail, posted);
        // in halves, because the words come late out of block RAM
        of_compared = bit_cast_word::<GenerationHalves, U<8>>(compared);
        of_posted = bit_cast_word::<GenerationHalves, U<8>>(with_machine.generation);
        of_acked = bit_cast_word::<GenerationHalves, U<8>>(acked.generation);
        each!((voids_it, part, of_part) in [(all_void, with_machine, of_posted), (acked_void, acked, of_acked)] {
            voids_it.lower = !part.used | (of_part.lower != of_compared.lower);
            voids_it.upper = of_part.upper != of_compared.upper;
        });

        own_context = post_contexts.rdata;
        own_posted = own_posts.rdata;
        own_progress = progresses.rdata;
        assign!(post_context = own_context, posted = own_posted, progress = own_progress);
        of_own_context = bit_cast_word::<GenerationHalves, U<8>>(own_context.generation);
        of_own_posted = bit_cast_word::<GenerationHalves, U<8>>(own_posted.generation);
        of_progress = bit_cast_word::<GenerationHalves, U<8>>(own_progress.generation);
        each!((voids_it, part, of_part) in [(posted_void, own_posted, of_own_posted), (progress_void, own_progress, of_progress)] {
            voids_it.lower = !part.used | (of_part.lower != of_own_context.lower);
            voids_it.upper = of_part.upper != of_own_context.upper;
        });
    }
}
