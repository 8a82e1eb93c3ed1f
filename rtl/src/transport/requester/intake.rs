//! Work requests: what they ask for, the local region, and their division into messages.
//!
//! A message on the wire spans 2^`SEGMENT` PSNs at most; a longer work request becomes several, each with its own RETH, and
//! has one completion. The work request stays on its stream until its last message is made, so other inputs of the requester
//! go on between its messages.

use super::longest_message;
use crate::host::regions::RegionCheck;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::transport::rounding::Rounding;
use crate::words::context::{Region, RegionAccess, RegionGuard};
use crate::words::numbers::{HalfSum, MemoryHalves};
use crate::words::responder::RoundedLength;
use crate::words::work::CompletionStatus;
use crate::words::work::WorkRequest;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Numbers of queue pairs below `QPS`; messages of 2^`SEGMENT` PSNs at most, `SEGMENT` 0 to 20.
#[block(check(QPS <= 256 && SEGMENT <= 20, "256 queue pairs and segments of 2^20 packets at most"))]
pub struct Intake<const QPS: usize, const SEGMENT: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Work requests that the fast path leaves to the state machine.
    pub work: StreamIn<WorkRequest>,
    /// The work request whose region is checked: that on `work` while one waits there, before that the one that enters the fast path.
    pub front: Signal<In, WorkRequest>,
    /// The state machine has had the turn for two clocks; otherwise the message is that of the whole work request on `request`, two clocks later.
    pub turn: Signal<In, Bit>,
    /// The work request of the message: that on `work` while the state machine has the turn.
    pub request: Signal<In, WorkRequest>,
    /// The entry of a region's key is written.
    pub region_valid: Signal<In, Bit>,
    /// Region that is written.
    pub region_data: Signal<In, Region>,
    /// Protection domain of the queue pair of `front`, three clocks ago.
    pub domain: Signal<In, U<16>>,
    /// MTU code of the work request's queue pair, two clocks before its message is used and in the clock behind that.
    pub mtu: Signal<In, U<3>>,
    /// The message was queued.
    pub queues: Signal<In, Bit>,
    /// The work request was refused.
    pub refuse: Signal<In, Bit>,
    /// Generation that the first message was queued under.
    pub generation: Signal<In, U<8>>,
    /// Its queue pair exists, and is the one that its first message was queued on.
    pub live: Signal<In, Bit>,
    /// Its queue pair has ended.
    pub dead: Signal<In, Bit>,
    /// What a work request cut off by that ends with.
    pub carry: Signal<In, CompletionStatus>,
    /// The local region of `front`, four clocks ago, allows it.
    pub allowed: Signal<Out, Bit>,
    /// `front` has no queue pair, operation or length.
    pub invalid: Signal<Out, Bit>,
    /// A work request waits, and its region has been looked up.
    pub waiting: Signal<Out, Bit>,
    /// It is to be refused, as `live` and `dead` said a clock ago.
    pub refused: Signal<Out, Bit>,
    /// With this status.
    pub status: Signal<Out, CompletionStatus>,
    /// Messages of it have been queued before.
    pub begun: Signal<Out, Bit>,
    /// They were queued under this generation.
    pub begun_generation: Signal<Out, U<8>>,
    /// PSNs of the message.
    pub psns: Signal<Out, U<24>>,
    /// Bytes of the message.
    pub length: Signal<Out, U<32>>,
    /// The message is the last of its work request.
    pub last: Signal<Out, Bit>,
    /// Its local address in memory: that of `front`, five clocks ago, or what is left of that work request.
    pub local_address: Signal<Out, U<64>>,
    /// The region of that memory.
    pub local_guard: Signal<Out, RegionGuard>,
    /// Remote address of the message.
    pub remote_address: Signal<Out, U<64>>,
    #[registers(U<64>:
        /// Local address of what is left of the work request.
        local_at,
        /// Remote address of what is left of the work request.
        remote_at)]
    #[signals(Bit: more, refuses, is_done)]
    /// The state machine has the turn, and the work request is no longer whole: a clock later.
    cut: DFF<Bit>,
    /// The state machine has had the turn for a clock.
    machine: DFF<Bit>,
    /// `mtu`, a clock later.
    mtu_1: DFF<U<3>>,
    reason: Signal<Local, CompletionStatus>,
    /// `invalid`, a clock later.
    invalid_1: DFF<Bit>,
    /// The work request is refused, for the reason in `status_r`.
    refused_r: DFF<Bit>,
    /// Completion status of a work request that is refused.
    status_r: DFF<CompletionStatus>,
    #[signals(U<32>: bytes, part)]
    #[signals(U<64>: from, to)]
    check: RegionCheck,
    /// The region of `front`, five clocks ago.
    guard_5: DFF<RegionGuard>,
    /// What these become if a message is taken now. Addresses are added in halves, the upper one a clock later.
    rest_next: DFF<U<32>>,
    #[registers(HalfSum:
        /// Lower half of the local or remote address behind the message, with the carry into the upper half.
        local_lower, remote_lower)]
    #[registers(U<32>:
        /// Upper half of that address.
        local_upper, remote_upper)]
    #[signals(MemoryHalves: from_halves, to_halves, local_next, remote_next)]
    #[init(Constant::new(U(QPS as u64)))]
    limit: Constant<U<24>>,
    #[init(Constant::new(U(longest_message(SEGMENT))))]
    span: Constant<U<24>>,
    #[init(Constant::new(U(SEGMENT as u64)))]
    width: Constant<U<5>>,
    /// Clocks that the work request has stood at the state machine, at most 4.
    age: DFF<U<3>>,
    /// The work request is longer than one message, and the first one has been taken.
    split: DFF<Bit>,
    /// Generation of the queue pair when the first message was taken.
    split_generation: DFF<U<8>>,
    /// Bytes left of the work request.
    rest: DFF<U<32>>,
    /// Packets that are left of the work request.
    packets: DFF<U<24>>,
    /// There are none.
    no_packets: DFF<Bit>,
    /// More packets are left of the work request than one message may have.
    above_span: DFF<Bit>,
    /// What is left of the work request, rounded up to whole packets, in units of 256 bytes.
    units: DFF<U<25>>,
    counted: Signal<Local, U<24>>,
    /// The work request at the check.
    asking: Signal<Local, WorkRequest>,
    asked: Signal<Local, WorkRequest>,
    #[combinational]
    rounding: Rounding,
    raised: Signal<Local, RoundedLength>,
}

#[kernel]
impl<const QPS: usize, const SEGMENT: usize> Logic for Intake<QPS, SEGMENT> {
    fn update(&mut self) {
        inputs!(check: region_valid, region_data, domain);
        check.goes_on = false;
        check.next_guard = bits_zero::<RegionGuard>(0);
        check.next_address = bits_u::<64>(0);
        asking = front;
        inputs!(check from asking: key = local_key, address = local_address, length);
        check.needed = if asking.operation.get_bit(0) { RegionAccess::LocalWrite } else { RegionAccess::Local };
        invalid = (asking.qpn >= limit) | (asking.operation > 1) | (asking.length > 0x8000_0000u64);
        // as long as the state machine looks at it, `front` stays
        invalid_1 = invalid;
        allowed = check.allowed;

        // no such queue pair; ended; no local access
        clear!(refuses);
        reason = CompletionStatus::Ok;
        if split {
            refuses = !live | dead;
            reason = if live { carry } else { CompletionStatus::Flushed };
        } else if !live | invalid_1 {
            refuses = true;
            reason = CompletionStatus::InvalidWork;
        } else if dead {
            refuses = true;
            reason = CompletionStatus::Flushed;
        } else if !check.allowed {
            refuses = true;
            reason = CompletionStatus::LocalAccessError;
        }
        assign!(
            refused_r.d = refuses,
            status_r.d = reason,
            refused = refused_r,
            status = status_r
        );

        // what is left of the work request
        asked = request;
        assign! {
            begun = split, begun_generation = split_generation, bytes = asked.length, from = check.location,
            to = asked.remote_address
        }
        cut = split & turn;
        if cut {
            assign!(bytes = rest, from = local_at, to = remote_at);
        }

        // packets of it, rounded up
        inputs!(rounding: length = bytes, mtu);
        raised = rounding.rounded;
        units = raised.whole;
        mtu_1 = mtu;
        counted = bit_cast_u::<24, 25>(units >> mtu_1);
        packets = counted;
        no_packets = counted == 0;
        above_span = counted > span;

        // the message: at least one PSN
        machine = turn;
        more = machine & above_span;
        part = (bits_u::<32>(256) << mtu) << width;
        rest_next = bytes - part;
        each!((address, halves, sum, high, next_address) in [
            (from, from_halves, local_lower, local_upper, local_next), (to, to_halves, remote_lower, remote_upper, remote_next)
        ] {
            halves = bit_cast_word::<MemoryHalves, U<64>>(address);
            assign!(next_address.lower = sum.half, next_address.upper = high);
            high = halves.upper + bit_cast_u::<32, 1>(bit_cast_b(sum.carry));
            sum = bit_cast_word::<HalfSum, U<33>>(bit_cast_u::<33, 32>(halves.lower) + bit_cast_u::<33, 32>(part));
        });
        assign!(psns = packets, length = bytes);
        if no_packets {
            psns = bits_u::<24>(1);
        }
        if more {
            assign!(psns = span, length = part);
        }
        last = !more;
        guard_5 = check.guard;
        assign!(local_address = from, local_guard = guard_5, remote_address = to);

        // onwards
        is_done = refuse | (queues & !more);
        work.ready = is_done;
        waiting = work.valid & (age >= 4);
        if work.valid & (age < 4) {
            age = age + 1;
        }
        if queues & more {
            split = true;
            assign!(split_generation.d = generation, rest.d = rest_next);
            local_at = bit_cast_number::<64, MemoryHalves>(local_next);
            remote_at = bit_cast_number::<64, MemoryHalves>(remote_next);
        }
        if is_done {
            clear!(split, age);
        }
        reset!(split, age);
    }
}
