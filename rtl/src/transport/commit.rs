//! What follows from a packet waits here until the memory has taken its payload.
//!
//! Entries come in the order of the write jobs, so one token belongs to the next entry that waits for a write. A bus error turns what
//! the responder wanted to send into a negative acknowledgement (remote operational error) and ends the queue pair: what it
//! commits later in the same generation is swallowed. The requester hears of its own errors in the `ENDS_OR_FAILED` bit.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 1 | entry into a register, failed generation of its queue pair out of the RAM |
//! | 1 - 2 | is it the entry's? |
//! | 2 - 3 | token awaited; response, answer or nothing |

use crate::nic::words::Commit;
use crate::prim::ram::Ram;
use crate::prim::skid::{Skid, StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One entry a clock while nobody waits.
#[block]
pub struct CommitStage {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high; nothing may be outstanding. Forgets no failed queue pair: the context bus does that.
    pub reset: Signal<In, Bit>,
    /// A queue pair is created or removed: it has not failed. At most every third clock.
    pub context_valid: Signal<In, Bit>,
    /// Which.
    pub context_qp: Signal<In, U<8>>,
    /// Entries ([`Commit`]); bit 421: it waits for a write.
    pub up: StreamIn<W<422, 7>>,
    /// One token a write job, in order: bus error.
    pub written: StreamIn<U<1>>,
    /// Acknowledgements and READs (`KIND` 1 and 2).
    pub response: StreamOut<Commit>,
    /// Answers to the requester (`KIND` 3).
    pub answer: StreamOut<Commit>,
    /// A write of a request failed: the responder half of this queue pair ends.
    pub fail_valid: Signal<Out, Bit>,
    /// Queue pair.
    pub fail_qp: Signal<Out, U<8>>,
    /// Its generation.
    pub fail_generation: Signal<Out, U<8>>,
    full_1: DFF<Bit>,
    entry_1: DFF<W<422, 7>>,
    full: DFF<Bit>,
    entry: DFF<W<422, 7>>,
    swallowed: DFF<Bit>,
    // bit 8: a write failed in the generation 7:0
    failed: Ram<U<9>, 8>,
    take: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    qp_1: Signal<Local, U<8>>,
    waits: Signal<Local, Bit>,
    kind: Signal<Local, U<2>>,
    qp: Signal<Local, U<8>>,
    generation: Signal<Local, U<8>>,
    error: Signal<Local, Bit>,
    is_answer: Signal<Local, Bit>,
    to_response: Signal<Local, Bit>,
    has_room: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    item: Signal<Local, Commit>,
    responses: Skid<Commit>,
    answers: Skid<Commit>,
    fail_valid_r: DFF<Bit>,
    fail_r: DFF<U<16>>,
    forget: DFF<Bit>,
    forget_qp: DFF<U<8>>,
}

#[kernel]
impl Logic for CommitStage {
    fn update(&mut self) {
        inputs!([responses, answers]: reset);
        self.kind.next = self.entry.q.val().get_bits::<2>(0);
        self.qp.next = self.entry.q.val().get_bits::<8>(2);
        self.generation.next = self.entry.q.val().get_bits::<8>(10);
        self.waits.next = self.entry.q.val().get_bit(421);
        self.is_answer.next = self.kind.val() == 3;
        self.error.next = self.waits.val() & self.written.data.val().get_bit(0);

        // out: at most one item an entry; an entry that sends nothing needs no room
        self.to_response.next =
            !self.is_answer.val() & !self.swallowed.q.val() & (self.error.val() | (self.kind.val() != 0));
        self.has_room.next = (self.responses.up.ready.val() | !self.to_response.val())
            & (self.answers.up.ready.val() | !self.is_answer.val());
        self.done.next = self.full.q.val() & (self.written.valid.val() | !self.waits.val()) & self.has_room.val();
        self.written.ready.next = self.full.q.val() & self.waits.val() & self.has_room.val();
        self.item.next = bit_cast_ww::<421, 7, 422, 7>(self.entry.q.val());
        if self.error.val() {
            if self.is_answer.val() {
                self.item.next = bit_cast_ww::<421, 7, 422, 7>(self.entry.q.val())
                    | (bit_cast_w::<421, 7, 1>(bits_u::<1>(1)) << 419);
            } else {
                // kind 1, syndrome 0x63, the MSN without the message that does not end now; everything else as it was
                self.item.next = (bit_cast_ww::<421, 7, 422, 7>(self.entry.q.val())
                    & !((bit_cast_w::<421, 7, 32>(bits_u::<32>(0xffff_ffffu64)) << 42)
                        | bit_cast_w::<421, 7, 2>(bits_u::<2>(3))))
                    | (bit_cast_w::<421, 7, 24>(
                        self.entry.q.val().get_bits::<24>(50)
                            - bit_cast_u::<24, 1>(self.entry.q.val().get_bits::<1>(419)),
                    ) << 50)
                    | (bit_cast_w::<421, 7, 8>(bits_u::<8>(99)) << 42)
                    | bit_cast_w::<421, 7, 2>(bits_u::<2>(1));
            }
        }
        self.responses.up.data.next = self.item.val();
        self.responses.up.valid.next = self.done.val() & self.to_response.val();
        self.answers.up.data.next = self.item.val();
        self.answers.up.valid.next = self.done.val() & self.is_answer.val();
        StreamOut::<Commit>::link(&mut self.response, &mut self.responses.down);
        StreamOut::<Commit>::link(&mut self.answer, &mut self.answers.down);

        // failed queue pairs; a creation waits for a failure that is marked in the same clock
        self.fails.next = self.done.val() & self.error.val() & !self.is_answer.val();
        inputs!(failed: we = forget, waddr = forget_qp);
        self.failed.wdata.next = bits_u::<9>(0);
        if self.fails.val() {
            self.failed.we.next = true;
            self.failed.waddr.next = self.qp.val();
            self.failed.wdata.next =
                (bit_cast_u::<9, 1>(bits_u::<1>(1)) << 8) | bit_cast_u::<9, 8>(self.generation.val());
        } else {
            self.forget.d.next = false;
        }
        if self.context_valid.val() {
            self.forget.d.next = true;
            self.forget_qp.d.next = self.context_qp.val();
        }
        self.fail_valid_r.d.next = self.fails.val() & !self.swallowed.q.val();
        self.fail_r.d.next = self.entry.q.val().get_bits::<16>(2);
        self.fail_valid.next = self.fail_valid_r.q.val();
        self.fail_qp.next = self.fail_r.q.val().get_bits::<8>(0);
        self.fail_generation.next = self.fail_r.q.val().get_bits::<8>(8);

        // in; while an entry waits its row is read again, and the one before it may fail in the clock in which it moves on
        self.qp_1.next = self.entry_1.q.val().get_bits::<8>(2);
        self.moves.next = !self.full.q.val() | self.done.val();
        if self.moves.val() {
            assign!(full.d = full_1, entry.d = entry_1);
            self.swallowed.d.next = (self.failed.rdata.val()
                == ((bit_cast_u::<9, 1>(bits_u::<1>(1)) << 8)
                    | bit_cast_u::<9, 8>(self.entry_1.q.val().get_bits::<8>(10))))
                | (self.fails.val() & (self.entry_1.q.val().get_bits::<16>(2) == self.entry.q.val().get_bits::<16>(2)));
        }
        self.take.next = !self.full_1.q.val() | self.moves.val();
        self.up.ready.next = self.take.val();
        self.failed.raddr.next = self.qp_1.val();
        if self.take.val() {
            assign!(full_1.d = up.valid, entry_1.d = up.data);
            self.failed.raddr.next = self.up.data.val().get_bits::<8>(2);
        }
        reset!(full_1, full, fail_valid_r);
    }
}

#[cfg(test)]
#[path = "commit_tests.rs"]
mod tests;
