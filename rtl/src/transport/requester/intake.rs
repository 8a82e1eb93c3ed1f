//! Work requests: what they ask for, the local region, and their division into messages.
//!
//! A message on the wire spans 2^`SEGMENT` PSNs at most; a longer work request becomes several, each with its own RETH, and
//! has one completion. The work request stays on its stream until its last message is made, so other inputs of the requester
//! go on between its messages.

use crate::host::regions::RegionCheck;
use crate::nic::words::{Region, Work};
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::responder::RoundedLength;
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
    /// Work requests.
    pub work: StreamIn<Work>,
    /// A region slot is written.
    pub region_valid: Signal<In, Bit>,
    /// Slot.
    pub region_slot: Signal<In, U<5>>,
    /// Its new content.
    pub region_data: Signal<In, Region>,
    /// MTU code of the work request's queue pair, a clock before its message is used.
    pub mtu: Signal<In, U<3>>,
    /// The message was queued, or the work request refused.
    pub advance: Signal<In, Bit>,
    /// With `advance`: it was refused.
    pub refuse: Signal<In, Bit>,
    /// Generation that the first message was queued under.
    pub generation: Signal<In, U<8>>,
    /// Its queue pair exists, and is the one that its first message was queued on.
    pub live: Signal<In, Bit>,
    /// Its queue pair has ended.
    pub dead: Signal<In, Bit>,
    /// What a work request cut off by that ends with.
    pub carry: Signal<In, U<4>>,
    /// A work request waits, and its region has been looked up.
    pub waiting: Signal<Out, Bit>,
    /// It is to be refused.
    pub refused: Signal<Out, Bit>,
    /// With this status, a place in the order of [`hpcc_models::nic::Status`].
    pub status: Signal<Out, U<4>>,
    /// Messages of it have been queued before.
    pub begun: Signal<Out, Bit>,
    /// They were queued under this generation.
    pub begun_generation: Signal<Out, U<8>>,
    /// PSNs of the message.
    pub psns: Signal<Out, U<24>>,
    /// Bytes of the message.
    pub length: Signal<Out, U<32>>,
    /// It is the work request's last.
    pub last: Signal<Out, Bit>,
    /// Its local address.
    pub local_address: Signal<Out, U<64>>,
    /// Its remote address.
    pub remote_address: Signal<Out, U<64>>,
    check: RegionCheck,
    age: DFF<U<3>>,
    split: DFF<Bit>,
    split_generation: DFF<U<8>>,
    rest: DFF<U<32>>,
    local_at: DFF<U<64>>,
    remote_at: DFF<U<64>>,
    /// What these become if a message is taken now.
    rest_next: DFF<U<32>>,
    local_next: DFF<U<64>>,
    remote_next: DFF<U<64>>,
    packets: DFF<U<24>>,
    #[init(Constant::new(U(QPS as u64)))]
    limit: Constant<U<24>>,
    #[init(Constant::new(U(1 << SEGMENT)))]
    span: Constant<U<24>>,
    #[init(Constant::new(U(SEGMENT as u64)))]
    width: Constant<U<5>>,
    request: Signal<Local, WorkRequest>,
    invalid: Signal<Local, Bit>,
    bytes: Signal<Local, U<32>>,
    less_one: Signal<Local, U<12>>,
    raised: Signal<Local, RoundedLength>,
    more: Signal<Local, Bit>,
    part: Signal<Local, U<32>>,
    from: Signal<Local, U<64>>,
    to: Signal<Local, U<64>>,
}

#[kernel]
impl<const QPS: usize, const SEGMENT: usize> Logic for Intake<QPS, SEGMENT> {
    fn update(&mut self) {
        inputs!(check: reset, region_valid, region_slot, region_data);
        self.request.next = bit_cast_word::<WorkRequest, Work>(self.work.data.val());
        inputs!(check from request: key = local_key, address = local_address, length);
        self.check.access.next = bits_u::<2>(0);
        self.invalid.next = (self.request.val().qpn >= self.limit.val())
            | (self.request.val().operation > 1)
            | (self.request.val().length > 0x8000_0000u64);

        // no such queue pair; ended; no local access
        clear!(refused, status);
        if self.split.q.val() {
            self.refused.next = !self.live.val() | self.dead.val();
            self.status.next = bits_u::<4>(8);
            if self.live.val() {
                self.status.next = self.carry.val();
            }
        } else if !self.live.val() | self.invalid.val() {
            self.refused.next = true;
            self.status.next = bits_u::<4>(7);
        } else if self.dead.val() {
            self.refused.next = true;
            self.status.next = bits_u::<4>(8);
        } else if !self.check.allowed.val() {
            self.refused.next = true;
            self.status.next = bits_u::<4>(5);
        }

        // what is left of the work request
        assign! {
            begun = split, begun_generation = split_generation, bytes = request.length, from = request.local_address,
            to = request.remote_address
        }
        if self.split.q.val() {
            assign!(bytes = rest, from = local_at, to = remote_at);
        }

        // packets of it, rounded up
        self.less_one.next = bits_u::<12>(255);
        if self.mtu.val() == 1 {
            self.less_one.next = bits_u::<12>(511);
        }
        if self.mtu.val() == 2 {
            self.less_one.next = bits_u::<12>(1023);
        }
        if self.mtu.val() == 3 {
            self.less_one.next = bits_u::<12>(2047);
        }
        if self.mtu.val() >= 4 {
            self.less_one.next = bits_u::<12>(4095);
        }
        self.raised.next = bit_cast_word::<RoundedLength, U<33>>(
            bit_cast_u::<33, 32>(self.bytes.val()) + bit_cast_u::<33, 12>(self.less_one.val()),
        );
        self.packets.d.next = bit_cast_u::<24, 25>(self.raised.val().units >> self.mtu.val());

        // the message: at least one PSN
        self.more.next = self.packets.q.val() > self.span.val();
        self.part.next = (bits_u::<32>(256) << self.mtu.val()) << self.width.val();
        self.rest_next.d.next = self.bytes.val() - self.part.val();
        self.local_next.d.next = self.from.val() + bit_cast_u::<64, 32>(self.part.val());
        self.remote_next.d.next = self.to.val() + bit_cast_u::<64, 32>(self.part.val());
        assign!(psns = packets, length = bytes);
        if self.packets.q.val() == 0 {
            self.psns.next = bits_u::<24>(1);
        }
        if self.more.val() {
            assign!(psns = span, length = part);
        }
        self.last.next = !self.more.val();
        assign!(local_address = from, remote_address = to);

        // onwards
        self.work.ready.next = self.advance.val() & (self.refuse.val() | !self.more.val());
        self.waiting.next = self.work.valid.val() & (self.age.q.val() >= 4);
        if self.work.valid.val() & (self.age.q.val() < 4) {
            self.age.d.next = self.age.q.val() + 1;
        }
        if self.advance.val() {
            if self.refuse.val() | !self.more.val() {
                clear!(split, age);
            } else {
                self.split.d.next = true;
                assign! {
                    split_generation.d = generation, rest.d = rest_next, local_at.d = local_next,
                    remote_at.d = remote_next
                }
            }
        }
        reset!(split, age);
    }
}
