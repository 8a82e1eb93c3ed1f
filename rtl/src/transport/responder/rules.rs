//! Rules of order and length for one request, two clocks after its queue pair's state is known.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::bit_cast_word;
use crate::words::requester::PsnDistance;
use crate::words::responder::{ResponderState, ResponsesLeft, RoundedLength};
use crate::words::transport::RxPacket;
use crate::words::wire::{Opcode, RdmaHeader};
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
    #[registers(Bit: own_3, ended_3, write_3, read_3, start_3, end_3, long_3, none_3, whole_3, within_3, reported_3)]
    #[registers(Bit: live_4, void_4, crowded_4, over_4, gap_4, old_4, next_4, fits_4, read_fits_4, stray_4, depth_4)]
    #[registers(Bit: deeper_4)]
    #[registers(U<24>: back_3, previous_4, after_one_4, after_read_4, msn_4)]
    #[registers(U<64>: base_3, base_4, address_4)]
    #[registers(U<32>: remaining_3, remaining_4)]
    less_one: Signal<Local, U<12>>,
    rounded_2: DFF<RoundedLength>,
    mtu_2: DFF<U<13>>,
    distance_3: DFF<PsnDistance>,
    packets_3: DFF<U<25>>,
    reads_3: DFF<U<8>>,
    opcode: Signal<Local, Opcode>,
    reth: Signal<Local, RdmaHeader>,
    payload: Signal<Local, U<32>>,
}

#[kernel]
impl Logic for Rules {
    fn update(&mut self) {
        // 1: bytes of a full packet; a READ's bytes rounded up
        reth = bit_cast_word::<RdmaHeader, W<128, 2>>(row.extension);
        mtu_2 = bits_u::<13>(256) << row.mtu;
        less_one = if row.mtu >= 1 { bits_u::<12>(511) } else { bits_u::<12>(255) };
        if row.mtu >= 2 {
            less_one = bits_u::<12>(1023);
        }
        if row.mtu >= 3 {
            less_one = bits_u::<12>(2047);
        }
        if row.mtu >= 4 {
            less_one = bits_u::<12>(4095);
        }
        rounded_2 =
            bit_cast_word::<RoundedLength, U<33>>(bit_cast_u::<33, 32>(reth.length) + bit_cast_u::<33, 12>(less_one));

        // 2
        opcode = row.opcode;
        own_3 = known.alive & (known.generation == row.generation);
        ended_3 = known.ended | left.ended;
        distance_3 = bit_cast_word::<PsnDistance, U<24>>(row.psn - known.expected_psn);
        back_3 = known.expected_psn - row.psn;
        packets_3 = if reth.length == 0 { bits_u::<25>(1) } else { rounded_2.units >> row.mtu };
        start_3 = (opcode == Opcode::WriteFirst) | (opcode == Opcode::WriteOnly);
        end_3 = (opcode == Opcode::WriteLast) | (opcode == Opcode::WriteOnly);
        write_3 = (opcode == Opcode::WriteFirst)
            | (opcode == Opcode::WriteMiddle)
            | (opcode == Opcode::WriteLast)
            | (opcode == Opcode::WriteOnly);
        read_3 = opcode == Opcode::ReadRequest;
        assign!(base_3.d = known.address, remaining_3.d = known.remaining);
        if (opcode == Opcode::WriteFirst) | (opcode == Opcode::WriteOnly) {
            assign!(base_3.d = reth.address, remaining_3.d = reth.length);
        }
        long_3 = reth.length > 0x8000_0000u64;
        none_3 = row.payload_length == 0;
        whole_3 = row.payload_length == bit_cast_u::<16, 13>(mtu_2);
        within_3 = row.payload_length <= bit_cast_u::<16, 13>(mtu_2);
        reads_3 = known.reads - left.reads;
        reported_3 = known.reported & (known.naks_taken_back == left.naks_taken_back);

        // 3
        payload = bit_cast_u::<32, 16>(row.payload_length);
        live_4 = own_3 & !full & !ended_3;
        void_4 = !own_3;
        crowded_4 = own_3 & full;
        over_4 = own_3 & !full & ended_3;
        gap_4 = !distance_3.negative & back_3.any();
        old_4 = distance_3.negative;
        next_4 = back_3 == 0;
        fits_4 = (start_3 != known.in_message)
            & !(start_3 & long_3)
            & ((end_3 & within_3 & (payload == remaining_3)) | (!end_3 & whole_3 & (payload <= remaining_3)));
        read_fits_4 = !known.in_message & none_3 & !long_3;
        stray_4 = (packets_3 > bit_cast_u::<25, 24>(back_3)) | !none_3;
        depth_4 = reads_3 >= cfg_reads;
        deeper_4 = reads_3 >= (cfg_reads << 1);
        base_4 = base_3;
        address_4 = base_3 + bit_cast_u::<64, 32>(payload);
        remaining_4 = remaining_3 - payload;
        previous_4 = known.expected_psn - 1;
        after_one_4 = known.expected_psn + 1;
        after_read_4 = known.expected_psn + bit_cast_u::<24, 25>(packets_3);
        msn_4 = known.msn + 1;

        assign! {
            live = live_4, is_void = void_4, crowded = crowded_4, has_ended = over_4, gap = gap_4, old = old_4,
            in_turn = next_4, fits = fits_4, read_fits = read_fits_4, stray = stray_4, depth = depth_4,
            deeper = deeper_4, base = base_4, address = address_4, remaining = remaining_4, previous = previous_4,
            after_one = after_one_4, after_read = after_read_4, next_msn = msn_4, is_write = write_3, is_read = read_3,
            starts = start_3, ends = end_3, empty = none_3, reported = reported_3
        }
        count = bit_cast_u::<24, 25>(packets_3);
    }
}
