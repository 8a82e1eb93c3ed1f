//! From a data packet to its header and the plan of its frame.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 3 | FIFO of packets, which wait here for their payload |
//! | 3 - 10 | [`TxHeader`] |
//! | 10 | header whole; how many beats of payload, where the frame ends |
//! | 11 - 14 | FIFO of rows |

use super::header::TxHeader;
use crate::nic::words::{Context, TxPacket};
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::transport::{ExtensionKind, TxPacket as Packet};
use crate::words::tx::{CollectingHeaders, FrameRow, PlainHeaders, TakenPacket, TypeOfService};
use crate::words::wire::{Extension, IcrcLengths};
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
    /// Its queue pair.
    pub context_qp: Signal<In, U<8>>,
    /// It.
    pub context_data: Signal<In, Context>,
    /// Register: own Ethernet address, first byte in the highest bits.
    pub own_mac: Signal<In, U<48>>,
    /// Register: own IPv4 address.
    pub own_ip: Signal<In, U<32>>,
    /// Register: UDP port of plain RoCEv2.
    pub port_roce: Signal<In, U<16>>,
    /// Register: UDP port of INT being collected.
    pub port_int: Signal<In, U<16>>,
    /// Register: partition key.
    pub pkey: Signal<In, U<16>>,
    /// Register: DSCP.
    pub dscp: Signal<In, U<6>>,
    /// Register: ECN field of queue pairs without INT.
    pub ecn: Signal<In, U<2>>,
    /// Register: time to live.
    pub ttl: Signal<In, U<8>>,
    /// Packets.
    pub packet: StreamIn<TxPacket>,
    /// Rows, in the same order.
    pub row: StreamOut<FrameRow>,
    packets: StreamFifo<W<196, 4>, 6, 64>,
    word: Signal<Local, Packet>,
    words: Signal<Local, U<11>>,
    beyond: Signal<Local, U<13>>,
    take: Signal<Local, Bit>,
    header: TxHeader,
    service: Signal<Local, TypeOfService>,
    taken: Signal<Local, TakenPacket>,
    beside: Delay<TakenPacket, 7>,
    // 10
    made: Signal<Local, TakenPacket>,
    old: Signal<Local, Packet>,
    extra: Signal<Local, ExtensionKind>,
    has_int: Signal<Local, Bit>,
    given: Signal<Local, Extension>,
    plain: Signal<Local, PlainHeaders>,
    collecting: Signal<Local, CollectingHeaders>,
    length: Signal<Local, U<13>>,
    rounded: Signal<Local, U<13>>,
    full: Signal<Local, U<13>>,
    begins: Signal<Local, U<7>>,
    last_bytes: Signal<Local, U<7>>,
    tail: Signal<Local, U<7>>,
    row_11: DFF<FrameRow>,
    valid_11: DFF<Bit>,
    rows: StreamFifo<FrameRow, 5, 12>,
}

#[kernel]
impl Logic for DataHeader {
    fn update(&mut self) {
        inputs!([packets, rows]: reset);
        StreamIn::<TxPacket>::link(&mut self.packet, &mut self.packets.up);
        inputs!(header: context_write, context_qp, context_data, own_mac, own_ip, port_roce, port_int);
        self.header.port_echo.next = self.port_int.val();
        inputs!(header: pkey, ttl);
        fields!(service: dscp, ecn);
        self.header.service.next = self.service.val();

        // 3: behind the BTH stand extension, payload and pad, ICRC
        self.word.next = bit_cast_word::<Packet, TxPacket>(self.packets.down.data.val());
        self.take.next = self.packets.down.valid.val() & !self.rows.crowded.val();
        self.packets.down.ready.next = self.take.val();
        self.words.next = bit_cast_u::<11, 13>((self.word.val().length + 3) >> 2);
        self.beyond.next = bits_u::<13>(4);
        if self.word.val().extension_kind == ExtensionKind::Reth {
            self.beyond.next = bits_u::<13>(20);
        }
        if self.word.val().extension_kind == ExtensionKind::Aeth {
            self.beyond.next = bits_u::<13>(8);
        }
        inputs!(header from word: qp, generation, opcode, psn, ack_req);
        self.header.pad.next = bits_u::<2>(0) - bit_cast_u::<2, 13>(self.word.val().length);
        self.header.body.next = (bit_cast_u::<13, 11>(self.words.val()) << 2) + self.beyond.val();
        self.header.echoes.next = false;
        self.header.int_given.next = bits_u::<6>(0);
        fields!(taken: packet = word, taken = take);
        self.beside.d.next = self.taken.val();

        // 10: BTH and extension behind UDP, or behind the two zero bytes of an empty INT header
        self.made.next = self.beside.q.val();
        assign!(old = made.packet, extra = old.extension_kind);
        self.has_int.next = self.header.int_bytes.val() != 0;
        self.given.next = bit_cast_word::<Extension, W<128, 2>>(self.old.val().extension);
        self.plain.next = bits_zero::<PlainHeaders>(0);
        self.plain.next.bth = self.header.bth.val();
        self.begins.next = bits_u::<7>(54);
        if self.extra.val() == ExtensionKind::Reth {
            self.plain.next.extension = self.given.val();
            self.begins.next = bits_u::<7>(6);
        }
        if self.extra.val() == ExtensionKind::Aeth {
            self.plain.next.extension.aeth = self.given.val().aeth;
            self.begins.next = bits_u::<7>(58);
        }
        self.collecting.next = bits_zero::<CollectingHeaders>(0);
        fields!(collecting: extension = plain.extension, bth = header.bth);
        self.length.next = self.old.val().length;
        self.rounded.next = self.length.val() + 3;
        self.full.next = self.length.val() + 63;
        self.last_bytes.next = bit_cast_u::<7, 4>(self.rounded.val().get_bits::<4>(2)) << 2;
        if self.rounded.val().get_bits::<4>(2) == 0 {
            // no payload at all counts as a full beat, too: its end lies one beat further on
            self.last_bytes.next = bits_u::<7>(64);
        }
        self.tail.next = self.begins.val() + self.last_bytes.val();
        self.row_11.d.next.headers.behind = bit_cast_bus::<240, 4, PlainHeaders>(self.plain.val());
        if self.has_int.val() {
            self.row_11.d.next.headers.behind = bit_cast_bus::<240, 4, CollectingHeaders>(self.collecting.val());
            self.tail.next = self.begins.val() + self.last_bytes.val() + 2;
        }
        self.row_11.d.next.headers.outer = self.header.outer.val();
        self.row_11.d.next.icrc_lengths = bit_cast_word::<IcrcLengths, U<32>>(self.header.icrc_lengths.val());
        self.row_11.d.next.beats = bit_cast_u::<7, 13>(self.full.val() >> 6);
        self.row_11.d.next.tail = self.tail.val();
        self.row_11.d.next.spill = self.tail.val() > 60;
        self.row_11.d.next.fills = self.extra.val() == ExtensionKind::Reth;
        fields!(row_11.d: int_on = has_int, extension = extra);
        self.row_11.d.next.drop = !self.header.alive.val();
        fields!(row_11.d from old:
            note.ends_read = ends_read, note.response = response, note.qp = qp, note.generation = generation,
            note.psn = psn, note.tag = tag);
        self.valid_11.d.next = self.made.val().taken;
        inputs!(rows: up.data = row_11, up.valid = valid_11);
        StreamOut::<FrameRow>::link(&mut self.row, &mut self.rows.down);
    }
}
