//! From the place of a PSN in its message to the packet, its memory job and what the scheduler hears of it.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | bytes before the packet: place x MTU |
//! | 1 | `bytes_before` | address; bytes of the message from here on, and of a full packet |
//! | 2 | `address`, `left` | payload; extension |
//! | 3 | `length`, `extension` | the words; what a full packet has more than the payload, and the payload |
//! | 4 | packet and job in their FIFOs | bytes on the wire less than a full packet |
//! | 5 | feedback in its FIFO; the request of a READ of several packets has two, of PSNs and of bytes, in FIFOs of their own, and the first goes first | |
//! | 6 | feedback of bytes beside its FIFO: what is of the same flow and waits is one sum | |
//!
//! The scheduler takes what concerns one flow once in some ten clocks, and grants within a READ are void at the rate of the pipe: without the sums
//! the bytes they give back would wait longer than the responses of the READ take.
//!
//! One a clock. Nothing stops on the way: who feeds it looks at `room` first.

use crate::host::region_guards::RegionGuards;
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::lut_fifo::LutFifo;
use crate::prim::short_fifo::ShortFifo;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::sched::ports::FeedbackOut;
use crate::words::context::{Region, RegionGuard};
use crate::words::dma::DmaJob;
use crate::words::flows::QpFlow;
use crate::words::transport::{ExtensionKind, TxPacket};
use crate::words::tx::{FeedbackFrom, GrantFeedback};
use crate::words::wire::{AckHeader, AethSyndrome, Extension, Opcode, RdmaHeader};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Codes of [`Form::form`].
pub mod code {
    /// Nothing leaves; the scheduler gets the bytes of a full packet back.
    pub const VOID: u64 = 0;
    /// WRITE packet.
    pub const WRITE: u64 = 1;
    /// READ request.
    pub const READ: u64 = 2;
    /// READ response.
    pub const RESPONSE: u64 = 3;
}

/// Forms packets.
#[block]
pub struct Form {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Register: wire bytes of a packet beside its payload, as the scheduler charges them.
    pub overhead: Signal<In, U<10>>,
    /// Clock 0: a grant.
    pub valid: Signal<In, Bit>,
    /// What becomes of it, one of [`code`].
    pub form: Signal<In, U<2>>,
    /// Flow.
    pub flow: Signal<In, U<9>>,
    /// Generation.
    pub generation: Signal<In, U<8>>,
    /// PSN.
    pub psn: Signal<In, U<24>>,
    /// Place of the PSN in its message.
    pub place: Signal<In, U<24>>,
    /// Last packet of its message.
    pub last: Signal<In, Bit>,
    /// Acknowledge request.
    pub ack_req: Signal<In, Bit>,
    /// One past the last PSN of the message.
    pub end_psn: Signal<In, U<24>>,
    /// Address that the place counts from: local, of a READ request remote.
    pub base: Signal<In, U<64>>,
    /// The entry of a region's key is written.
    pub region_valid: Signal<In, Bit>,
    /// Region that is written.
    pub region_data: Signal<In, Region>,
    /// The region of the payload.
    pub guard: Signal<In, RegionGuard>,
    /// Remote address of the message.
    pub remote: Signal<In, U<64>>,
    /// Remote key; of READ responses their MSN.
    pub key: Signal<In, U<32>>,
    /// Tag of the READ that is answered.
    pub tag: Signal<In, U<5>>,
    /// Bytes of the message.
    pub total: Signal<In, U<32>>,
    /// MTU code.
    pub mtu: Signal<In, U<3>>,
    /// The queue pair collects INT.
    pub int_on: Signal<In, Bit>,
    /// Payload waited to be fetched in the clock before.
    pub waits: Signal<Out, Bit>,
    /// Room for eight more.
    pub room: Signal<Out, Bit>,
    /// Packets.
    pub packet: StreamOut<TxPacket>,
    /// Payload to fetch, in the order of the packets that have some.
    pub job: StreamOut<DmaJob>,
    /// Pulse: a job is made, which `job` may offer later.
    pub job_made: Signal<Out, Bit>,
    /// To the scheduler.
    pub feedback: FeedbackOut,
    #[registers(U<64>:
        /// Clock 1: address that places of the message count from.
        base_1,
        /// Clock 2: address of the packet's payload; of a READ request the remote address.
        address,
        /// Clock 3: as `address`.
        address_3)]
    #[registers(U<32>:
        /// Bytes of the message, in the clock of the name.
        total_1,
        /// Clock 2: bytes of the message from the packet on.
        left,
        /// Bytes of the message, in the clock of the name.
        total_2)]
    #[registers(U<13>:
        /// Clock 3: bytes of payload.
        length,
        /// Clock 2: payload of a full packet.
        full,
        /// Clock 3: as `full`.
        full_3,
        /// Clock 4: bytes of payload with their pad.
        padded_4)]
    #[registers(Bit:
        /// Last packet of its message, in the clock of the name.
        last_3, last_4,
        /// A grant is in the clock of the name.
        valid_4,
        /// Clock 4: the packet has payload to be fetched.
        has_payload,
        /// A grant is in the clock of the name.
        valid_5,
        /// Clock 5: the packet is a READ request, the PSNs of which the scheduler skips.
        advances_5,
        /// A fetch of payload waited in the clock before.
        stalled)]
    #[registers(U<2>:
        /// What becomes of the grant, in the clock of the name: void, WRITE, READ request, READ response.
        form_3, form_4)]
    #[registers(U<24>:
        /// Clock 4: bytes that the scheduler has charged for the grant.
        allowed_4,
        /// One past the last PSN of the message, in the clock of the name.
        end_4,
        /// Clock 5: bytes that the packet was shorter than charged, two's complement.
        spared_5,
        /// One past the last PSN of the message, in the clock of the name.
        end_5)]
    #[registers(FeedbackFrom:
        /// Flow, generation and PSN that the feedback is about, in the clock of the name.
        from_4, from_5)]
    /// Feedback is offered to the scheduler.
    offers: DFF<Bit>,
    /// Feedback that is offered.
    offered: DFF<GrantFeedback>,
    /// Bytes of one flow, a sum until they are offered.
    gathers: DFF<Bit>,
    /// Bytes of one flow that come back, a sum until they are offered.
    gathered: DFF<GrantFeedback>,
    /// The bytes that come next, one every second clock.
    spares: DFF<Bit>,
    /// None is held: a register of its own, since `spares` enables a wide one.
    takes: DFF<Bit>,
    stays: Signal<Local, Bit>,
    /// Bytes that come back next.
    spare: DFF<GrantFeedback>,
    #[signals(Bit: moves, joins)]
    place_2: Delay<U<24>, 2>,
    remote_2: Delay<U<64>, 2>,
    key_2: Delay<U<32>, 2>,
    /// Clock 1: MTU code.
    mtu_1: DFF<U<3>>,
    last_2: Delay<Bit, 2>,
    form_2: Delay<U<2>, 2>,
    valid_3: Delay<Bit, 3>,
    ack_req_3: Delay<Bit, 3>,
    int_on_3: Delay<Bit, 3>,
    psn_3: Delay<U<24>, 3>,
    end_3: Delay<U<24>, 3>,
    flow_3: Delay<U<9>, 3>,
    generation_3: Delay<U<8>, 3>,
    tag_3: Delay<U<5>, 3>,
    /// Two's complement.
    beside: Signal<Local, U<24>>,
    packets: StreamFifo<TxPacket, 6, 52>,
    jobs: LutFifo<DmaJob, 4, 2>,
    feedbacks: LutFifo<GrantFeedback, 4, 6>,
    /// What READ requests tell of their PSNs.
    advances: ShortFifo<GrantFeedback, 4, 6>,
    /// Clock 1: bytes of the message before the packet.
    bytes_before: DFF<U<36>>,
    remaining: Signal<Local, U<37>>,
    payload: Signal<Local, U<32>>,
    /// Clock 3: extension header of the packet.
    extension: DFF<W<128, 2>>,
    /// Clock 3: which extension header the packet has.
    extension_kind: DFF<ExtensionKind>,
    reth: Signal<Local, RdmaHeader>,
    aeth: Signal<Local, AckHeader>,
    answer: Signal<Local, Extension>,
    half: Signal<Local, QpFlow>,
    /// Does the region of the payload stand? Looked at as late as can be, one clock before the fetch is made.
    guards: RegionGuards,
    guard_2: Delay<RegionGuard, 2>,
    refused: Signal<Local, Bit>,
    /// Clock 3: BTH operation code.
    opcode: DFF<Opcode>,
    first: Signal<Local, Bit>,
    /// Clock 4: the packet.
    word_4: DFF<TxPacket>,
    /// Clock 4: the fetch of its payload.
    job_4: DFF<DmaJob>,
}

#[kernel]
impl Logic for Form {
    fn update(&mut self) {
        inputs!([packets, jobs, feedbacks, advances]: reset);
        inputs!(guards: region_valid, region_data, guard = guard_2.q);
        room = !packets.crowded & !jobs.crowded & !feedbacks.crowded & !advances.crowded;
        stalled = jobs.down.valid & !job.ready;
        waits = stalled;
        place_2 = place;
        remote_2 = remote;
        guard_2 = guard;
        key_2 = key;
        mtu_1 = mtu;
        last_2 = last;
        form_2 = form;
        valid_3 = valid;
        ack_req_3 = ack_req;
        int_on_3 = int_on;
        psn_3 = psn;
        end_3 = end_psn;
        flow_3 = flow;
        generation_3 = generation;
        tag_3 = tag;

        // 0
        bytes_before = (bit_cast_u::<36, 24>(place) << 8) << mtu;
        assign!(base_1.d = base, total_1.d = total);

        // 1
        address = base_1 + bit_cast_u::<64, 36>(bytes_before);
        remaining = bit_cast_u::<37, 32>(total_1) - bit_cast_u::<37, 36>(bytes_before);
        left = if remaining.get_bit(36) { bits_u::<32>(0) } else { bit_cast_u::<32, 37>(remaining) };
        total_2 = total_1;
        full = if mtu_1 == 0 { bits_u::<13>(256) } else { bits_u::<13>(4096) };
        if mtu_1 == 1 {
            full = bits_u::<13>(512);
        }
        if mtu_1 == 2 {
            full = bits_u::<13>(1024);
        }
        if mtu_1 == 3 {
            full = bits_u::<13>(2048);
        }

        // 2: payload; a READ request has none
        assign!(full_3.d = full, payload = left);
        if left > bit_cast_u::<32, 13>(full) {
            payload = bit_cast_u::<32, 13>(full);
        }
        length = bit_cast_u::<13, 32>(payload);
        assign!(address_3.d = address, last_3.d = last_2.q, form_3.d = form_2.q);
        first = !place_2.any();
        extension_kind = ExtensionKind::None;
        fields!(reth: length = total_2, key = key_2.q, address = remote_2.q);
        if form_2 == 2 {
            // what is left of the READ
            fields!(reth: length = left, address);
        }
        aeth.msn = bit_cast_u::<24, 32>(key_2);
        aeth.syndrome = AethSyndrome::Ack;
        answer = bits_zero::<Extension>(0);
        answer.aeth = bit_cast_number::<32, AckHeader>(aeth);
        extension = bit_cast_bus::<128, 2, RdmaHeader>(reth);
        // First, Middle, Last, Only
        opcode = if last_2 { Opcode::WriteLast } else { Opcode::WriteMiddle };
        if first {
            extension_kind = ExtensionKind::Reth;
            opcode = if last_2 { Opcode::WriteOnly } else { Opcode::WriteFirst };
        }
        if form_2 == 2 {
            length = bits_u::<13>(0);
            opcode = Opcode::ReadRequest;
            extension_kind = ExtensionKind::Reth;
        }
        if form_2 == 3 {
            extension = bit_cast_bus::<128, 2, Extension>(answer);
            opcode = Opcode::ReadResponseMiddle;
            extension_kind = ExtensionKind::None;
            if last_2 {
                opcode = Opcode::ReadResponseLast;
                extension_kind = ExtensionKind::Aeth;
            }
            if first {
                opcode = Opcode::ReadResponseFirst;
                extension_kind = ExtensionKind::Aeth;
                if last_2 {
                    opcode = Opcode::ReadResponseOnly;
                }
            }
        }

        // 3: a full packet has a full payload and a full INT stack of 42 bytes and no extension
        padded_4 = (length + 3) & 0x1ffc;
        beside = if extension_kind == ExtensionKind::Reth { bits_u::<24>(0xfffff0) } else { bits_u::<24>(0) };
        if extension_kind == ExtensionKind::Aeth {
            beside = bits_u::<24>(0xfffffc);
        }
        if !int_on_3 {
            beside = if extension_kind == ExtensionKind::Reth { bits_u::<24>(42 - 16) } else { bits_u::<24>(42) };
            if extension_kind == ExtensionKind::Aeth {
                beside = bits_u::<24>(42 - 4);
            }
        }
        // a region that was removed or replaced meanwhile: the packet leaves without payload, spoiled
        refused = length.any() & ((form_3 == 1) | (form_3 == 3)) & !guards.stands;
        if (form_3 == 0) | refused {
            padded_4 = bits_u::<13>(0);
        }
        if form_3 == 0 {
            beside = bit_cast_u::<24, 10>(overhead);
        }
        allowed_4 = bit_cast_u::<24, 13>(full_3) + beside;
        valid_4 = valid_3;
        form_4 = form_3;
        last_4 = last_3;
        end_4 = end_3;
        has_payload = length.any() & (form_3 != 0) & !refused;
        fields!(job_4.d: address = address_3, length);
        half = bit_cast_word::<QpFlow, U<16>>(bit_cast_u::<16, 9>(flow_3));
        fields!(word_4.d:
            qp = half.qp, generation = generation_3.q, opcode, psn = psn_3.q, ack_req = ack_req_3.q, extension_kind,
            extension, length);
        word_4.refused = refused;
        if refused {
            word_4.length = bits_u::<13>(0);
        }
        word_4.ends_read = (form_3 == 3) & last_3;
        word_4.response = form_3 == 3;
        word_4.tag = tag_3;
        fields!(from_4.d: psn = psn_3.q, flow = flow_3.q, generation = generation_3.q);

        // 4
        packets.up.valid = valid_4 & (form_4 != 0);
        packets.up.data = word_4;
        jobs.up.valid = valid_4 & has_payload;
        job_made = valid_4 & has_payload;
        jobs.up.data = job_4;
        valid_5 = valid_4;
        // the grant itself has brought the scheduler past a READ of one packet
        advances_5 = (form_4 == 2) & !last_4;
        spared_5 = allowed_4 - bit_cast_u::<24, 13>(padded_4);
        advance!(end_5, from_5);

        // 5
        feedbacks.up.valid = valid_5 & (advances_5 | spared_5.any());
        feedbacks.up.data.next.from = from_5;
        feedbacks.up.data.next.value = spared_5;
        feedbacks.up.data.next.advance = false;
        advances.up.valid = valid_5 & advances_5;
        advances.up.data.next.from = from_5;
        advances.up.data.next.value = end_5;
        advances.up.data.next.advance = true;
        StreamOut::<TxPacket>::link(&mut packet, &mut packets.down);
        StreamOut::<DmaJob>::link(&mut job, &mut jobs.down);
        // of the two FIFOs, one register: what is offered stays
        feedback.valid = offers;
        moves = (feedback.ready | !offers) & !advances.down.valid;
        joins = (spare.from.flow == gathered.from.flow)
            & (spare.from.generation == gathered.from.generation)
            // far from where a sum would wrap
            & ((gathered.value + 0x2_0000) < 0x4_0000);
        if feedback.ready | !offers {
            offers = gathers | advances.down.valid;
            offered = gathered;
            if advances.down.valid {
                offered = advances.down.data;
            }
        }
        if moves | !gathers {
            gathers = spares;
            gathered = spare;
        } else if spares & joins {
            gathered.value = gathered.value + spare.value;
        }
        // whether the FIFO moves hangs on a register alone
        stays = spares & !(moves | !gathers | joins);
        if takes {
            stays = feedbacks.down.valid;
        }
        if !spares {
            spare = feedbacks.down.data;
        }
        spares = stays;
        takes = !stays;
        advances.down.ready = feedback.ready | !offers;
        feedbacks.down.ready = takes;
        feedback.psn = offered.from.psn;
        feedback.flow = bit_cast_u::<16, 9>(offered.from.flow);
        feedback.generation = offered.from.generation;
        feedback.value = offered.value;
        feedback.advance = offered.advance;
        reset!(offers, gathers, spares, takes);
    }
}
