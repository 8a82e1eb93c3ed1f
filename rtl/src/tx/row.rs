//! From a data packet to its header and the plan of its frame.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 3 | FIFO of packets |
//! | 3 - 10 | [`TxHeader`] |
//! | 10 | header whole; how many beats of payload, where the frame ends |
//! | 11 | what the first beat is |
//! | 12 | `FrameQueue`: frames wait here for their payload |

use super::frame_queue::FrameQueue;
use super::header::TxHeader;
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::transport::{ExtensionKind, TxPacket};
use crate::words::tx::{
    CollectingHeaders, FramePlan, FrameRow, FrameSettings, PlainHeaders, ReadSend, TakenPacket, TypeOfService,
    WaitingPacket,
};
use crate::words::wire::{Extension, IcrcLengths, Opcode};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// A packet a clock.
#[block]
pub struct DataHeader {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A context is written.
    pub context_write: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// Register: READ requests have a plan and a row like any packet.
    pub ack_pause: Signal<In, Bit>,
    /// Registers that frames are made by.
    pub settings: Signal<In, FrameSettings>,
    /// Packets.
    pub packet: StreamIn<TxPacket>,
    /// READ requests that need not wait for frames of data; the others have plan and row like any packet.
    pub read: StreamOut<ReadSend>,
    /// Plan of the frame at hand; taken with the frame's last beat.
    pub plan: StreamOut<FramePlan>,
    /// The frame of a request that had a plan has been handed over.
    pub gone: Signal<In, Bit>,
    /// Row of the plan of the clock before.
    pub row: Signal<Out, FrameRow>,
    /// Whether a packet is a READ request is decided in front of the FIFO, because it decides whether the packet leaves it.
    packets: StreamFifo<WaitingPacket, 6, 64>,
    /// READ request that passes beside the queue of frames.
    read_beside: DFF<ReadSend>,
    /// A READ request waits to pass beside that queue.
    beside_full: DFF<Bit>,
    header: TxHeader,
    beside: Delay<TakenPacket, 7>,
    coming: Signal<Local, TxPacket>,
    #[signals(WaitingPacket: arriving, waiting)]
    word: Signal<Local, TxPacket>,
    words: Signal<Local, U<11>>,
    beyond: Signal<Local, U<13>>,
    #[signals(Bit: aside, take)]
    service: Signal<Local, TypeOfService>,
    taken: Signal<Local, TakenPacket>,
    // 10
    #[signals(U<13>: length, rounded, full)]
    #[signals(U<7>: begins, last_bytes)]
    queue: FrameQueue,
    made: Signal<Local, TakenPacket>,
    old: Signal<Local, TxPacket>,
    extra: Signal<Local, ExtensionKind>,
    has_int: Signal<Local, Bit>,
    given: Signal<Local, Extension>,
    plain: Signal<Local, PlainHeaders>,
    collecting: Signal<Local, CollectingHeaders>,
    /// Clock 11: headers of the frame and where its parts end.
    row_11: DFF<FrameRow>,
    /// Clock 11: a frame.
    valid_11: DFF<Bit>,
    /// Clock 11: beats of payload that the frame takes.
    beats_11: DFF<U<7>>,
    /// The header fills the first beat; the packet's queue pair is gone.
    #[registers(Bit:
        /// Clock 11: the header fills the first beat.
        fills_11,
        /// Clock 11: the frame's queue pair is gone, so that nothing is sent of it.
        drop_11,
        /// Clock 11: the frame is a request.
        request_11)]
    #[signals(Bit: leads, spills)]
    planned: Signal<Local, FramePlan>,
    stored: Signal<Local, FrameRow>,
}

#[kernel]
impl Logic for DataHeader {
    fn update(&mut self) {
        inputs!([packets, queue]: reset);

        // 0
        coming = packet.data;
        arriving.packet = coming;
        arriving.read = coming.opcode == Opcode::ReadRequest;
        packets.up.data = arriving;
        packets.up.valid = packet.valid;
        packet.ready = packets.up.ready;
        inputs!(header: context_write, context_qp, context_data, settings);
        fields!(service from settings: dscp, ecn);
        header.service = service;

        // 3: behind the BTH stand extension, payload and pad, ICRC
        assign!(waiting = packets.down.data, word = waiting.packet);
        header.dscp_int = if word.response { settings.dscp } else { settings.dscp_request };
        // requests keep their order
        queue.closed = ack_pause;
        aside = waiting.read & queue.free_way;
        take = packets.down.valid & queue.admits & !aside;
        queue.enters = take;
        queue.enters_request = !word.response;
        packets.down.ready = if aside { !beside_full } else { queue.admits };
        // from a register: whether it is taken moves no FIFO in the same clock
        if !beside_full {
            fields!(read_beside.d from word: qp, generation, psn, ack_req, reth = extension, departure_kind = tag);
            beside_full = packets.down.valid & aside;
        } else {
            beside_full = !read.ready;
        }
        assign!(read.data = read_beside, read.valid = beside_full);
        words = bit_cast_u::<11, 13>((word.length + 3) >> 2);
        beyond = if word.extension_kind == ExtensionKind::Reth { bits_u::<13>(20) } else { bits_u::<13>(4) };
        if word.extension_kind == ExtensionKind::Aeth {
            beyond = bits_u::<13>(8);
        }
        inputs!(header from word: qp, generation, opcode, psn, ack_req);
        header.pad = bits_u::<2>(0) - bit_cast_u::<2, 13>(word.length);
        header.body = (bit_cast_u::<13, 11>(words) << 2) + beyond;
        header.echoes = false;
        header.int_given = bits_u::<6>(0);
        fields!(taken: packet = word, taken = take);
        beside = taken;

        // 10: BTH and extension behind UDP, or behind the two zero bytes of an empty INT header
        made = beside;
        assign!(old = made.packet, extra = old.extension_kind);
        has_int = header.int_bytes != 0;
        given = bit_cast_word::<Extension, W<128, 2>>(old.extension);
        plain = bits_zero::<PlainHeaders>(0);
        plain.bth = header.bth;
        // an empty INT header is two bytes
        begins = if has_int { bits_u::<7>(56) } else { bits_u::<7>(54) };
        if extra == ExtensionKind::Reth {
            plain.extension = given;
            begins = if has_int { bits_u::<7>(8) } else { bits_u::<7>(6) };
        }
        if extra == ExtensionKind::Aeth {
            plain.extension.aeth = given.aeth;
            begins = if has_int { bits_u::<7>(60) } else { bits_u::<7>(58) };
        }
        collecting = bits_zero::<CollectingHeaders>(0);
        fields!(collecting: extension = plain.extension, bth = header.bth);
        length = old.length;
        rounded = length + 3;
        full = length + 63;
        last_bytes = bit_cast_u::<7, 4>(rounded.get_bits::<4>(2)) << 2;
        if rounded.get_bits::<4>(2) == 0 {
            // no payload at all counts as a full beat, too: its end lies one beat further on
            last_bytes = bits_u::<7>(64);
        }
        row_11.headers.behind = bit_cast_bus::<240, 4, PlainHeaders>(plain);
        if has_int {
            row_11.headers.behind = bit_cast_bus::<240, 4, CollectingHeaders>(collecting);
        }
        row_11.headers.outer = header.outer;
        row_11.icrc_lengths = bit_cast_word::<IcrcLengths, U<32>>(header.icrc_lengths);
        beats_11 = bit_cast_u::<7, 13>(full >> 6);
        row_11.tail = begins + last_bytes;
        fills_11 = extra == ExtensionKind::Reth;
        fields!(row_11.d: int_on = has_int, extension = extra);
        drop_11 = !header.alive;
        row_11.note.payload = old.length.any();
        row_11.turns = old.response & (old.length <= 128);
        fields!(row_11.d from old:
            note.ends_read = ends_read, note.response = response, note.qp = qp, note.generation = generation,
            note.psn = psn, note.tag = tag, note.refused = refused);
        valid_11 = made.taken;
        request_11 = !old.response;

        // 11: a header that fills the first beat, of a frame that is sent, leaves no room for payload in it
        spills = row_11.tail > 60;
        leads = fills_11 & !drop_11;
        assign!(
            planned.beats = beats_11,
            planned.spill = spills,
            planned.drop = drop_11,
            planned.refused = row_11.note.refused
        );
        planned.pulls = beats_11.any() & !leads;
        planned.alone = !leads & ((beats_11 == 0) | ((beats_11 == 1) & (drop_11 | !spills)));
        stored = row_11;
        stored.spill = spills;
        inputs!(queue:
            valid = valid_11, request = request_11, row = stored, plan = planned, gone);
        StreamOut::<FramePlan>::link(&mut plan, &mut queue.down);
        row = queue.down_row;
        reset!(beside_full);
    }
}
