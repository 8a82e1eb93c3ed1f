//! Rules of order and length for one request, two clocks after its queue pair's state is known.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::bit_cast_word;
use crate::words::requester::PsnDistance;
use crate::words::responder::{ResponderState, ResponsesLeft, RoundedLength};
use crate::words::transport::RxPacket;
use crate::words::wire::RdmaHeader;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Rules. Row and state stay for three clocks; the last of the outputs follow the state by two.
#[block]
pub struct Rules {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Request.
    pub row: Signal<In, RxPacket>,
    /// Its queue pair, from one clock after the row on.
    pub known: Signal<In, ResponderState>,
    /// What has left the response queue.
    pub left: Signal<In, ResponsesLeft>,
    /// Register: READ requests queued per queue pair.
    pub cfg_reads: Signal<In, U<8>>,
    /// The response queue has no room.
    pub full: Signal<In, Bit>,
    /// The queue pair is this row's, takes requests, and its answer has room.
    pub live: Signal<Out, Bit>,
    /// The queue pair is not the one that this row was meant for.
    pub is_void: Signal<Out, Bit>,
    /// No room for an answer.
    pub crowded: Signal<Out, Bit>,
    /// The half has ended.
    pub has_ended: Signal<Out, Bit>,
    /// The PSN is ahead of the one expected.
    pub gap: Signal<Out, Bit>,
    /// It is behind.
    pub old: Signal<Out, Bit>,
    /// It is the one expected.
    pub in_turn: Signal<Out, Bit>,
    /// A WRITE packet continues the message in progress, or starts one, in the right lengths.
    pub fits: Signal<Out, Bit>,
    /// A READ is well formed and not inside a message.
    pub read_fits: Signal<Out, Bit>,
    /// A repeated READ reaches beyond what was executed, or has a payload.
    pub stray: Signal<Out, Bit>,
    /// As many READs wait as may.
    pub depth: Signal<Out, Bit>,
    /// Twice as many; repeated ones replace others, but not without end.
    pub deeper: Signal<Out, Bit>,
    /// Where the payload goes.
    pub base: Signal<Out, U<64>>,
    /// One past its last byte.
    pub address: Signal<Out, U<64>>,
    /// Bytes of the message to come after it.
    pub remaining: Signal<Out, U<32>>,
    /// PSN before the one expected.
    pub previous: Signal<Out, U<24>>,
    /// PSN after it.
    pub after_one: Signal<Out, U<24>>,
    /// PSN after a READ at it.
    pub after_read: Signal<Out, U<24>>,
    /// MSN after one more message.
    pub next_msn: Signal<Out, U<24>>,
    /// WRITE of any position.
    pub is_write: Signal<Out, Bit>,
    /// READ request.
    pub is_read: Signal<Out, Bit>,
    /// First or only packet of a WRITE.
    pub starts: Signal<Out, Bit>,
    /// Last or only packet of a WRITE.
    pub ends: Signal<Out, Bit>,
    /// No payload.
    pub empty: Signal<Out, Bit>,
    /// The gap before the expected PSN has been reported.
    pub reported: Signal<Out, Bit>,
    /// Packets of the READ's answer.
    pub count: Signal<Out, U<24>>,
    less_one: Signal<Local, U<12>>,
    rounded_2: DFF<RoundedLength>,
    mtu_2: DFF<U<13>>,
    own_3: DFF<Bit>,
    ended_3: DFF<Bit>,
    distance_3: DFF<PsnDistance>,
    back_3: DFF<U<24>>,
    packets_3: DFF<U<25>>,
    write_3: DFF<Bit>,
    read_3: DFF<Bit>,
    start_3: DFF<Bit>,
    end_3: DFF<Bit>,
    base_3: DFF<U<64>>,
    remaining_3: DFF<U<32>>,
    long_3: DFF<Bit>,
    none_3: DFF<Bit>,
    whole_3: DFF<Bit>,
    within_3: DFF<Bit>,
    reads_3: DFF<U<8>>,
    reported_3: DFF<Bit>,
    live_4: DFF<Bit>,
    void_4: DFF<Bit>,
    crowded_4: DFF<Bit>,
    over_4: DFF<Bit>,
    gap_4: DFF<Bit>,
    old_4: DFF<Bit>,
    next_4: DFF<Bit>,
    fits_4: DFF<Bit>,
    read_fits_4: DFF<Bit>,
    stray_4: DFF<Bit>,
    depth_4: DFF<Bit>,
    deeper_4: DFF<Bit>,
    base_4: DFF<U<64>>,
    address_4: DFF<U<64>>,
    remaining_4: DFF<U<32>>,
    previous_4: DFF<U<24>>,
    after_one_4: DFF<U<24>>,
    after_read_4: DFF<U<24>>,
    msn_4: DFF<U<24>>,
    opcode: Signal<Local, U<8>>,
    reth: Signal<Local, RdmaHeader>,
    payload: Signal<Local, U<32>>,
}

#[kernel]
impl Logic for Rules {
    fn update(&mut self) {
        // 1: bytes of a full packet; a READ's bytes rounded up
        self.reth.next = bit_cast_word::<RdmaHeader, W<128, 2>>(self.row.val().extension);
        self.mtu_2.d.next = bits_u::<13>(256) << self.row.val().mtu;
        self.less_one.next = bits_u::<12>(255);
        if self.row.val().mtu >= 1 {
            self.less_one.next = bits_u::<12>(511);
        }
        if self.row.val().mtu >= 2 {
            self.less_one.next = bits_u::<12>(1023);
        }
        if self.row.val().mtu >= 3 {
            self.less_one.next = bits_u::<12>(2047);
        }
        if self.row.val().mtu >= 4 {
            self.less_one.next = bits_u::<12>(4095);
        }
        self.rounded_2.d.next = bit_cast_word::<RoundedLength, U<33>>(
            bit_cast_u::<33, 32>(self.reth.val().length) + bit_cast_u::<33, 12>(self.less_one.val()),
        );

        // 2
        self.opcode.next = self.row.val().opcode;
        self.own_3.d.next = self.known.val().alive & (self.known.val().generation == self.row.val().generation);
        self.ended_3.d.next = self.known.val().ended | self.left.val().ended;
        self.distance_3.d.next =
            bit_cast_word::<PsnDistance, U<24>>(self.row.val().psn - self.known.val().expected_psn);
        self.back_3.d.next = self.known.val().expected_psn - self.row.val().psn;
        self.packets_3.d.next = self.rounded_2.q.val().units >> self.row.val().mtu;
        if self.reth.val().length == 0 {
            self.packets_3.d.next = bits_u::<25>(1);
        }
        self.start_3.d.next = (self.opcode.val() == 0x06) | (self.opcode.val() == 0x0a);
        self.end_3.d.next = (self.opcode.val() == 0x08) | (self.opcode.val() == 0x0a);
        self.write_3.d.next = (self.opcode.val() == 0x06)
            | (self.opcode.val() == 0x07)
            | (self.opcode.val() == 0x08)
            | (self.opcode.val() == 0x0a);
        self.read_3.d.next = self.opcode.val() == 0x0c;
        assign!(base_3.d = known.address, remaining_3.d = known.remaining);
        if (self.opcode.val() == 0x06) | (self.opcode.val() == 0x0a) {
            assign!(base_3.d = reth.address, remaining_3.d = reth.length);
        }
        self.long_3.d.next = self.reth.val().length > 0x8000_0000u64;
        self.none_3.d.next = self.row.val().payload_length == 0;
        self.whole_3.d.next = self.row.val().payload_length == bit_cast_u::<16, 13>(self.mtu_2.q.val());
        self.within_3.d.next = self.row.val().payload_length <= bit_cast_u::<16, 13>(self.mtu_2.q.val());
        self.reads_3.d.next = self.known.val().reads - self.left.val().reads;
        self.reported_3.d.next =
            self.known.val().reported & (self.known.val().naks_taken_back == self.left.val().naks_taken_back);

        // 3
        self.payload.next = bit_cast_u::<32, 16>(self.row.val().payload_length);
        self.live_4.d.next = self.own_3.q.val() & !self.full.val() & !self.ended_3.q.val();
        self.void_4.d.next = !self.own_3.q.val();
        self.crowded_4.d.next = self.own_3.q.val() & self.full.val();
        self.over_4.d.next = self.own_3.q.val() & !self.full.val() & self.ended_3.q.val();
        self.gap_4.d.next = !self.distance_3.q.val().negative & self.back_3.q.val().any();
        self.old_4.d.next = self.distance_3.q.val().negative;
        self.next_4.d.next = self.back_3.q.val() == 0;
        self.fits_4.d.next = (self.start_3.q.val() != self.known.val().in_message)
            & !(self.start_3.q.val() & self.long_3.q.val())
            & ((self.end_3.q.val() & self.within_3.q.val() & (self.payload.val() == self.remaining_3.q.val()))
                | (!self.end_3.q.val() & self.whole_3.q.val() & (self.payload.val() <= self.remaining_3.q.val())));
        self.read_fits_4.d.next = !self.known.val().in_message & self.none_3.q.val() & !self.long_3.q.val();
        self.stray_4.d.next =
            (self.packets_3.q.val() > bit_cast_u::<25, 24>(self.back_3.q.val())) | !self.none_3.q.val();
        self.depth_4.d.next = self.reads_3.q.val() >= self.cfg_reads.val();
        self.deeper_4.d.next = self.reads_3.q.val() >= (self.cfg_reads.val() << 1);
        self.base_4.d.next = self.base_3.q.val();
        self.address_4.d.next = self.base_3.q.val() + bit_cast_u::<64, 32>(self.payload.val());
        self.remaining_4.d.next = self.remaining_3.q.val() - self.payload.val();
        self.previous_4.d.next = self.known.val().expected_psn - 1;
        self.after_one_4.d.next = self.known.val().expected_psn + 1;
        self.after_read_4.d.next = self.known.val().expected_psn + bit_cast_u::<24, 25>(self.packets_3.q.val());
        self.msn_4.d.next = self.known.val().msn + 1;

        assign! {
            live = live_4, is_void = void_4, crowded = crowded_4, has_ended = over_4, gap = gap_4, old = old_4,
            in_turn = next_4, fits = fits_4, read_fits = read_fits_4, stray = stray_4, depth = depth_4,
            deeper = deeper_4, base = base_4, address = address_4, remaining = remaining_4, previous = previous_4,
            after_one = after_one_4, after_read = after_read_4, next_msn = msn_4, is_write = write_3, is_read = read_3,
            starts = start_3, ends = end_3, empty = none_3, reported = reported_3
        }
        self.count.next = bit_cast_u::<24, 25>(self.packets_3.q.val());
    }
}
