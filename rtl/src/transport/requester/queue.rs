//! The queue pair in hand: its state in registers, and what each step changes in it.

use crate::prim::uint::{bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::requester::PsnDistance;
use crate::words::requester::RequesterState;
use crate::words::work::CompletionStatus;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// State of one queue pair between `start` and `save`. Fields as in [`RequesterState`].
#[block]
pub struct Queue {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// In the clock of `load`: the queue pair's state.
    pub loaded: Signal<In, RequesterState>,
    /// In the clock of `start`: its MTU code.
    pub loaded_mtu: Signal<In, U<3>>,
    /// In the clock of `start`: it collects INT.
    pub loaded_int_on: Signal<In, Bit>,
    /// In the clock of `start`: its protection domain.
    pub loaded_domain: Signal<In, U<16>>,
    /// In the clock of `load`: the PSN of the input lies before `una`.
    pub loaded_old: Signal<In, Bit>,
    /// In the clock of `load`: it was not sent.
    pub loaded_unsent: Signal<In, Bit>,
    /// In the clock of `load`: it lies before `accepted`.
    pub loaded_before_gap: Signal<In, Bit>,
    /// Another queue pair's turn, whose state comes with `load`, a clock later or not at all.
    pub start: Signal<In, Bit>,
    /// Take the state into the registers.
    pub load: Signal<In, Bit>,
    /// Write it back, if it has changed.
    pub save: Signal<In, Bit>,
    /// `una` becomes `new_una`.
    pub advance: Signal<In, Bit>,
    /// See `advance`.
    pub new_una: Signal<In, U<24>>,
    /// The oldest message leaves the ring.
    pub pop: Signal<In, Bit>,
    /// The message that `pop` or `hand` is about is a READ.
    pub is_read: Signal<In, Bit>,
    /// No READ with missing data is before `position`.
    pub pass: Signal<In, Bit>,
    /// See `pass`.
    pub position: Signal<In, U<5>>,
    /// The READ data of `psn` is taken.
    pub take: Signal<In, Bit>,
    /// See `take`.
    pub psn: Signal<In, U<24>>,
    /// A READ gap at `una` is reported.
    pub lose: Signal<In, Bit>,
    /// The scheduler gets the next message.
    pub hand: Signal<In, Bit>,
    /// A message enters the ring; it ends at `new_end`.
    pub push: Signal<In, Bit>,
    /// See `push`.
    pub new_end: Signal<In, U<24>>,
    /// The queue pair is dead, its ring empty.
    pub bury: Signal<In, Bit>,
    /// With `bury`: what a work request cut off by it ends with.
    pub status: Signal<In, CompletionStatus>,
    /// The message at `told` has no completion, or it has left.
    pub tell: Signal<In, Bit>,
    /// A completion waits: the queue pair is to be listed; see `listed`.
    pub enlist: Signal<In, Bit>,
    /// Nothing waits any more.
    pub delist: Signal<In, Bit>,
    /// Oldest PSN without acknowledgement.
    pub una: Signal<Out, U<24>>,
    /// PSNs by which the last `advance` has brought it further since `load`.
    pub passed: Signal<Out, U<24>>,
    /// End of the READ data taken.
    pub accepted: Signal<Out, U<24>>,
    /// Next PSN without a message.
    pub assigned: Signal<Out, U<24>>,
    /// A gap at `una` has been reported.
    pub gap_known: Signal<Out, Bit>,
    /// Ended.
    pub dead: Signal<Out, Bit>,
    /// Oldest message.
    pub head: Signal<Out, U<5>>,
    /// First message that the scheduler does not have.
    pub admit: Signal<Out, U<5>>,
    /// Next place.
    pub tail: Signal<Out, U<5>>,
    /// READs with the scheduler.
    pub reads: Signal<Out, U<5>>,
    /// Status of a work request cut off.
    pub carry: Signal<Out, CompletionStatus>,
    /// Generation of the state.
    pub own_generation: Signal<Out, U<8>>,
    /// MTU code.
    pub mtu: Signal<Out, U<3>>,
    /// Collects INT.
    pub int_on: Signal<Out, Bit>,
    /// Protection domain.
    pub domain: Signal<Out, U<16>>,
    /// The state has changed since `start`.
    pub changed: Signal<Out, Bit>,
    /// Oldest message whose completion has not left.
    pub told: Signal<Out, U<5>>,
    /// The queue pair waits to give completions away.
    pub listed: Signal<Out, Bit>,
    /// After `load`: the PSN lay before `una`.
    pub old: Signal<Out, Bit>,
    /// It was never sent.
    pub ghost: Signal<Out, Bit>,
    /// Its READ data was taken before.
    pub twice: Signal<Out, Bit>,
    /// The state is to be written.
    pub we: Signal<Out, Bit>,
    /// New state.
    pub new_state: Signal<Out, RequesterState>,
    #[registers(U<24>:
        /// `una` when the state was loaded.
        una_before,
        /// PSNs that the operation has acknowledged newly.
        passed_r)]
    #[registers(Bit:
        /// The queue pair asks for INT.
        int_on_r,
        /// The operation has changed the state, which is written back.
        changed_r,
        /// PSN of the operation lies before `una`.
        is_old,
        /// PSN of the operation was never sent.
        unsent,
        /// PSN of the operation lies before that of the READ data missing first.
        before_gap,
        /// A READ left the ring a clock ago.
        pops_read,
        /// A READ was given to the scheduler a clock ago.
        hands_read)]
    // the first READ with missing data was not before the message that has left, or that the scheduler has got, a clock ago
    #[registers(Bit:
        /// The oldest READ with missing data left with its message a clock ago.
        follows_head,
        /// The message given to the scheduler a clock ago was no READ, and no READ with missing data was before it.
        follows_admit)]
    // no READ with missing data was before the oldest message, or before the first that the scheduler does not have, a clock ago
    #[registers(Bit:
        /// No READ with missing data was before the oldest message, a clock ago.
        reads_at_head,
        /// No READ with missing data was before the first message that the scheduler does not have, a clock ago.
        reads_at_admit)]
    lag: Signal<Local, PsnDistance>,
    /// State of the queue pair in hand.
    state: DFF<RequesterState>,
    /// Protection domain of the queue pair in hand.
    domain_r: DFF<U<16>>,
    /// MTU code of the queue pair in hand.
    mtu_r: DFF<U<3>>,
    written: Signal<Local, RequesterState>,
}

#[kernel]
impl Logic for Queue {
    fn update(&mut self) {
        if advance {
            state.una = new_una;
            passed_r = new_una - una_before;
        }
        if pop {
            state.head = state.head + 1;
        }
        // a clock later: `pop` and `hand` are late, and nobody asks for it as early
        if follows_head {
            state.read_at = state.head;
        }
        if follows_admit {
            state.read_at = state.admit;
        }
        follows_head = pop & reads_at_head;
        follows_admit = hand & !is_read & reads_at_admit;
        // what they compare has not changed in the clock before
        reads_at_head = state.read_at == state.head;
        reads_at_admit = state.read_at == state.admit;
        if pass {
            state.read_at = position;
        }
        if take {
            state.accepted = psn + 1;
        }
        if lose {
            state.gap_psn = state.una;
            state.gap_known = true;
        }
        if hand {
            state.admit = state.admit + 1;
        }
        // a clock later: neither `save` nor who asks for the number comes as early
        pops_read = pop & is_read;
        hands_read = hand & is_read;
        if pops_read {
            state.retired = state.retired + 1;
        }
        if hands_read {
            state.posted = state.posted + 1;
        }
        if push {
            state.tail = state.tail + 1;
            state.assigned = new_end;
        }
        if tell {
            state.told = state.told + 1;
        }
        if enlist {
            state.listed = true;
        }
        if delist {
            state.listed = false;
        }
        if bury {
            state.dead = true;
            // what is counted a clock later counts no more
            fields!(state.d from state: head = tail, admit = tail, read_at = tail, posted, retired = posted);
            state.carry = status;
        }
        if advance | pop | pass | take | lose | hand | push | tell | enlist | delist | bury {
            changed_r = true;
        }
        if load {
            state = loaded;
            una_before = loaded.una;
            passed_r = bits_u::<24>(0);
            assign!(
                is_old.d = loaded_old,
                unsent.d = loaded_unsent,
                before_gap.d = loaded_before_gap
            );
        }
        if start {
            assign!(
                mtu_r.d = loaded_mtu,
                int_on_r.d = loaded_int_on,
                domain_r.d = loaded_domain
            );
            changed_r = false;
        }

        assign! {
            una = state.una, passed = passed_r, accepted = state.accepted, assigned = state.assigned
        }
        gap_known = state.gap_known & (state.gap_psn == state.una);
        carry = state.carry;
        assign! {
            dead = state.dead, head = state.head, admit = state.admit, tail = state.tail,
            own_generation = state.generation, told = state.told, listed = state.listed,
            mtu = mtu_r, int_on = int_on_r, domain = domain_r, changed = changed_r
        }

        reads = state.posted - state.retired;

        // where the input's PSN lies
        old = is_old;
        ghost = !is_old & unsent;
        twice = is_old | before_gap;

        // back to the table; no READ data is missing before `una`
        lag = bit_cast_word::<PsnDistance, U<24>>(state.accepted - state.una);
        we = save & changed_r;
        written = state;
        if lag.negative {
            written.accepted = state.una;
        }
        new_state = written;
    }
}
