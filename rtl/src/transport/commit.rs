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
    #[registers(Bit: full_1, full)]
    #[registers(W<422, 7>: entry_1, entry)]
    swallowed: DFF<Bit>,
    // bit 8: a write failed in the generation 7:0
    #[signals(Bit: take, moves, fails, waits, error, is_answer, to_response, has_room, done)]
    #[signals(U<8>: qp_1, qp, generation)]
    #[registers(Bit: fail_valid_r, forget)]
    failed: Ram<U<9>, 8>,
    responses: Skid<Commit>,
    answers: Skid<Commit>,
    kind: Signal<Local, U<2>>,
    item: Signal<Local, Commit>,
    fail_r: DFF<U<16>>,
    forget_qp: DFF<U<8>>,
}

#[kernel]
impl Logic for CommitStage {
    fn update(&mut self) {
        inputs!([responses, answers]: reset);
        kind = entry.get_bits::<2>(0);
        qp = entry.get_bits::<8>(2);
        generation = entry.get_bits::<8>(10);
        waits = entry.get_bit(421);
        is_answer = kind == 3;
        error = waits & written.data.get_bit(0);

        // out: at most one item an entry; an entry that sends nothing needs no room
        to_response = !is_answer & !swallowed & (error | (kind != 0));
        has_room = (responses.up.ready | !to_response) & (answers.up.ready | !is_answer);
        done = full & (written.valid | !waits) & has_room;
        written.ready = full & waits & has_room;
        item = bit_cast_ww::<421, 7, 422, 7>(entry);
        if error {
            if is_answer {
                item = bit_cast_ww::<421, 7, 422, 7>(entry) | (bit_cast_w::<421, 7, 1>(bits_u::<1>(1)) << 419);
            } else {
                // kind 1, syndrome 0x63, the MSN without the message that does not end now; everything else as it was
                item = (bit_cast_ww::<421, 7, 422, 7>(entry)
                    & !((bit_cast_w::<421, 7, 32>(bits_u::<32>(0xffff_ffffu64)) << 42)
                        | bit_cast_w::<421, 7, 2>(bits_u::<2>(3))))
                    | (bit_cast_w::<421, 7, 24>(
                        entry.get_bits::<24>(50) - bit_cast_u::<24, 1>(entry.get_bits::<1>(419)),
                    ) << 50)
                    | (bit_cast_w::<421, 7, 8>(bits_u::<8>(99)) << 42)
                    | bit_cast_w::<421, 7, 2>(bits_u::<2>(1));
            }
        }
        responses.up.data = item;
        responses.up.valid = done & to_response;
        answers.up.data = item;
        answers.up.valid = done & is_answer;
        StreamOut::<Commit>::link(&mut response, &mut responses.down);
        StreamOut::<Commit>::link(&mut answer, &mut answers.down);

        // failed queue pairs; a creation waits for a failure that is marked in the same clock
        fails = done & error & !is_answer;
        inputs!(failed: we = forget, waddr = forget_qp);
        failed.wdata = bits_u::<9>(0);
        if fails {
            failed.we = true;
            failed.waddr = qp;
            failed.wdata = (bit_cast_u::<9, 1>(bits_u::<1>(1)) << 8) | bit_cast_u::<9, 8>(generation);
        } else {
            forget = false;
        }
        if context_valid {
            forget = true;
            forget_qp = context_qp;
        }
        fail_valid_r = fails & !swallowed;
        fail_r = entry.get_bits::<16>(2);
        fail_valid = fail_valid_r;
        fail_qp = fail_r.get_bits::<8>(0);
        fail_generation = fail_r.get_bits::<8>(8);

        // in; while an entry waits its row is read again, and the one before it may fail in the clock in which it moves on
        qp_1 = entry_1.get_bits::<8>(2);
        moves = !full | done;
        if moves {
            assign!(full.d = full_1, entry.d = entry_1);
            swallowed = (failed.rdata
                == ((bit_cast_u::<9, 1>(bits_u::<1>(1)) << 8) | bit_cast_u::<9, 8>(entry_1.get_bits::<8>(10))))
                | (fails & (entry_1.get_bits::<16>(2) == entry.get_bits::<16>(2)));
        }
        take = !full_1 | moves;
        up.ready = take;
        failed.raddr = qp_1;
        if take {
            assign!(full_1.d = up.valid, entry_1.d = up.data);
            failed.raddr = up.data.get_bits::<8>(2);
        }
        reset!(full_1, full, fail_valid_r);
    }
}

#[cfg(test)]
#[path = "commit_tests.rs"]
mod tests;
