//! Rules of order and length for a request a clock.
//!
//! | clock | given | computed |
//! |---|---|---|
//! | 1 | `row` | bytes of a full packet, those of a READ in whole packets |
//! | 2 | `row_2`, `known` | distance from the expected PSN, lengths |
//! | 3 | `known_3`, `full` | order, rules of messages |
//! | 4 | `known_4` | tests; addresses and numbers for each outcome |
//! | 5 | | addresses and numbers |

use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::bit_cast_word;
use crate::transport::rounding::Rounding;
use crate::words::requester::PsnDistance;
use crate::words::responder::{ResponderState, ResponsesLeft, RoundedLength};
use crate::words::transport::RxPacket;
use crate::words::wire::{Opcode, RdmaHeader};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Rules. Ports are of clock 4 where they do not say otherwise.
#[block]
pub struct Rules {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Request, clock 1.
    pub row: Signal<In, RxPacket>,
    /// The same in clock 2.
    pub row_2: Signal<In, RxPacket>,
    /// Its queue pair, clock 2.
    pub known: Signal<In, ResponderState>,
    /// What has left the response queue, clock 2.
    pub left: Signal<In, ResponsesLeft>,
    /// `known` in clock 3.
    pub known_3: Signal<In, ResponderState>,
    /// `known` in clock 4.
    pub known_4: Signal<In, ResponderState>,
    /// Register: READ requests queued per queue pair.
    pub cfg_reads: Signal<In, U<8>>,
    /// The response queue has no room, clock 3.
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
    /// A WRITE packet continues the message in progress, or starts one, in the right lengths, of a queue pair that takes WRITEs.
    pub fits: Signal<Out, Bit>,
    /// A READ is well formed and not inside a message, of a queue pair that takes READs.
    pub read_fits: Signal<Out, Bit>,
    /// A repeated READ reaches beyond what was executed, or has a payload.
    pub stray: Signal<Out, Bit>,
    /// As many READs wait as may.
    pub depth: Signal<Out, Bit>,
    /// Twice as many; repeated ones replace others, but not without end.
    pub deeper: Signal<Out, Bit>,
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
    /// Clock 5: one past the payload's last byte, as the peer counts it.
    pub address: Signal<Out, U<64>>,
    /// Clock 5: bytes of the message to come after it.
    pub remaining: Signal<Out, U<32>>,
    /// Clock 5: PSN after it.
    pub after_one: Signal<Out, U<24>>,
    /// Clock 5: PSN after a READ at it.
    pub after_read: Signal<Out, U<24>>,
    /// Clock 5: MSN after one more message.
    pub next_msn: Signal<Out, U<24>>,
    /// Clock 5: packets of the READ's answer.
    pub count: Signal<Out, U<24>>,
    #[registers(Bit:
        /// Clock 3: the queue pair exists, and the row is of its generation.
        own_3,
        /// Clock 3: the queue pair has ended in an error.
        ended_3,
        /// The row is a WRITE packet, in the clock of the name.
        write_3,
        /// The row is a READ request, in the clock of the name.
        read_3,
        /// The row begins a message, in the clock of the name: WRITE First or Only.
        start_3,
        /// The row ends a message, in the clock of the name: WRITE Last or Only.
        end_3,
        /// Clock 3: the message is longer than 2^31 bytes.
        long_3,
        /// The row has no payload, in the clock of the name.
        none_3,
        /// Clock 3: the queue pair takes no WRITEs.
        refuse_write_3,
        /// Clock 3: the queue pair takes no READs.
        refuse_read_3,
        /// Clock 3: the payload is as long as a full packet's.
        whole_3,
        /// Clock 3: the payload is not longer than a full packet's.
        within_3,
        /// The gap in the PSNs has been reported, and that NAK was not taken back, in the clock of the name.
        reported_3)]
    #[registers(Bit:
        /// Clock 4: a queue pair that lives, and room for what the row makes.
        live_4,
        /// Clock 4: there is no such queue pair.
        void_4,
        /// Clock 4: there is no room for what the row makes.
        crowded_4,
        /// Clock 4: the queue pair has ended.
        over_4,
        /// Clock 4: PSN of the row lies behind the expected one.
        gap_4,
        /// Clock 4: PSN of the row lies before the expected one.
        old_4,
        /// Clock 4: PSN of the row is the expected one.
        next_4,
        /// Clock 4: a WRITE packet of this kind and length may come next.
        fits_4,
        /// Clock 4: a READ request of this length may come next.
        read_fits_4,
        /// Clock 4: a repeated READ asks for PSNs that were never its own.
        stray_4,
        /// Clock 4: as many READs as may be are not answered.
        depth_4)]
    #[registers(Bit:
        /// Clock 4: twice as many READs as may be are not answered.
        deeper_4,
        /// The row is a WRITE packet, in the clock of the name.
        write_4,
        /// The row is a READ request, in the clock of the name.
        read_4,
        /// The row begins a message, in the clock of the name: WRITE First or Only.
        start_4,
        /// The row ends a message, in the clock of the name: WRITE Last or Only.
        end_4,
        /// The row has no payload, in the clock of the name.
        none_4,
        /// The gap in the PSNs has been reported, and that NAK was not taken back, in the clock of the name.
        reported_4)]
    #[registers(U<24>:
        /// Clock 3: distance of the expected PSN from that of the row.
        back_3,
        /// Clock 5: PSN behind the expected one.
        after_one_5,
        /// Clock 5: expected PSN behind the READ.
        after_read_5,
        /// Clock 5: MSN of the next complete message.
        msn_5,
        /// Clock 5: response packets of the READ.
        count_5)]
    #[registers(U<64>:
        /// Address that the payload is written to, as the peer counts it, in the clock of the name.
        base_3, base_4,
        /// Clock 5: address behind the payload.
        address_5)]
    #[registers(U<32>:
        /// Bytes of payload, in the clock of the name.
        payload_3, payload_4,
        /// Bytes of the message that are still to come, with this row, in the clock of the name.
        remaining_3, remaining_4,
        /// Clock 5: bytes of the message that are still to come behind this row.
        remaining_5)]
    #[combinational]
    rounding: Rounding,
    /// Clock 2: bytes of the READ, rounded up to whole packets.
    rounded_2: DFF<RoundedLength>,
    /// Clock 2: payload of a full packet.
    mtu_2: DFF<U<13>>,
    /// Clock 3: distance of the row's PSN from the expected one.
    distance_3: DFF<PsnDistance>,
    #[registers(U<25>:
        /// Response packets of the READ, in the clock of the name.
        packets_3, packets_4)]
    /// Clock 3: READs that are not answered.
    reads_3: DFF<U<8>>,
    #[signals(RdmaHeader: reth, reth_2)]
    opcode: Signal<Local, Opcode>,
}

#[kernel]
impl Logic for Rules {
    fn update(&mut self) {
        // 1: bytes of a full packet; a READ's bytes rounded up
        reth = bit_cast_word::<RdmaHeader, W<128, 2>>(row.extension);
        mtu_2 = bits_u::<13>(256) << row.mtu;
        inputs!(rounding from reth: length);
        rounding.mtu = row.mtu;
        rounded_2 = rounding.rounded;

        // 2
        opcode = row_2.opcode;
        reth_2 = bit_cast_word::<RdmaHeader, W<128, 2>>(row_2.extension);
        own_3 = known.alive & (known.generation == row_2.generation);
        ended_3 = known.ended | left.ended;
        distance_3 = bit_cast_word::<PsnDistance, U<24>>(row_2.psn - known.expected_psn);
        back_3 = known.expected_psn - row_2.psn;
        packets_3 = if reth_2.length == 0 { bits_u::<25>(1) } else { rounded_2.whole >> row_2.mtu };
        start_3 = (opcode == Opcode::WriteFirst) | (opcode == Opcode::WriteOnly);
        end_3 = (opcode == Opcode::WriteLast) | (opcode == Opcode::WriteOnly);
        write_3 = (opcode == Opcode::WriteFirst)
            | (opcode == Opcode::WriteMiddle)
            | (opcode == Opcode::WriteLast)
            | (opcode == Opcode::WriteOnly);
        read_3 = opcode == Opcode::ReadRequest;
        assign!(base_3.d = known.address, remaining_3.d = known.remaining);
        if (opcode == Opcode::WriteFirst) | (opcode == Opcode::WriteOnly) {
            assign!(base_3.d = reth_2.address, remaining_3.d = reth_2.length);
        }
        long_3 = reth_2.length > 0x8000_0000u64;
        none_3 = row_2.payload_length == 0;
        assign!(
            refuse_write_3.d = row_2.refuse_write,
            refuse_read_3.d = row_2.refuse_read
        );
        whole_3 = row_2.payload_length == bit_cast_u::<16, 13>(mtu_2);
        within_3 = row_2.payload_length <= bit_cast_u::<16, 13>(mtu_2);
        payload_3 = bit_cast_u::<32, 16>(row_2.payload_length);
        reads_3 = known.reads - left.reads;
        reported_3 = known.reported & (known.naks_taken_back == left.naks_taken_back);

        // 3
        live_4 = own_3 & !full & !ended_3;
        void_4 = !own_3;
        crowded_4 = own_3 & full;
        over_4 = own_3 & !full & ended_3;
        gap_4 = !distance_3.negative & back_3.any();
        old_4 = distance_3.negative;
        next_4 = back_3 == 0;
        fits_4 = (start_3 != known_3.in_message)
            & !(start_3 & long_3)
            & !refuse_write_3
            & ((end_3 & within_3 & (payload_3 == remaining_3)) | (!end_3 & whole_3 & (payload_3 <= remaining_3)));
        read_fits_4 = !known_3.in_message & none_3 & !long_3 & !refuse_read_3;
        stray_4 = (packets_3 > bit_cast_u::<25, 24>(back_3)) | !none_3;
        depth_4 = reads_3 >= cfg_reads;
        deeper_4 = reads_3 >= (cfg_reads << 1);
        advance!(
            write_4,
            read_4,
            start_4,
            end_4,
            none_4,
            reported_4,
            base_4,
            remaining_4,
            payload_4,
            packets_4
        );
        assign! {
            live = live_4, is_void = void_4, crowded = crowded_4, has_ended = over_4, gap = gap_4, old = old_4,
            in_turn = next_4, fits = fits_4, read_fits = read_fits_4, stray = stray_4, depth = depth_4,
            deeper = deeper_4, is_write = write_4, is_read = read_4, starts = start_4, ends = end_4, empty = none_4,
            reported = reported_4
        }

        // 4
        address_5 = base_4 + bit_cast_u::<64, 32>(payload_4);
        remaining_5 = remaining_4 - payload_4;
        after_one_5 = known_4.expected_psn + 1;
        count_5 = bit_cast_u::<24, 25>(packets_4);
        after_read_5 = known_4.expected_psn + bit_cast_u::<24, 25>(packets_4);
        msn_5 = known_4.msn + 1;
        assign! {
            address = address_5, remaining = remaining_5, after_one = after_one_5,
            after_read = after_read_5, next_msn = msn_5, count = count_5
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
