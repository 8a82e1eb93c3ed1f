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
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::prim::word::bit_cast_number;
use crate::words::tx::TypeOfService;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Header 575:0, first byte in the highest bits; lengths without INT 607:576; beats of payload 614:608; tail 621:615 and spill 622 as
/// [`super::append::IcrcAppend`] has them; header fills the first beat 623; INT 624; extension kind 626:625; drop 627; note 671:628: ends
/// a READ, response, queue pair 8, generation 8, PSN 24, tag 2.
pub type Row = W<672, 11>;

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
    pub row: StreamOut<Row>,
    packets: StreamFifo<W<196, 4>, 6, 64>,
    word: Signal<Local, W<196, 4>>,
    words: Signal<Local, U<11>>,
    beyond: Signal<Local, U<13>>,
    take: Signal<Local, Bit>,
    header: TxHeader,
    service: Signal<Local, TypeOfService>,
    beside: Delay<W<197, 4>, 7>,
    // 10
    old: Signal<Local, W<197, 4>>,
    extra: Signal<Local, U<2>>,
    has_int: Signal<Local, Bit>,
    behind: Signal<Local, W<576, 9>>,
    moved: Signal<Local, W<576, 9>>,
    length: Signal<Local, U<13>>,
    rounded: Signal<Local, U<13>>,
    full: Signal<Local, U<13>>,
    begins: Signal<Local, U<7>>,
    last_bytes: Signal<Local, U<7>>,
    tail: Signal<Local, U<7>>,
    plan: Signal<Local, U<64>>,
    row_11: DFF<W<672, 11>>,
    valid_11: DFF<Bit>,
    rows: StreamFifo<W<672, 11>, 5, 12>,
}

#[kernel]
impl Logic for DataHeader {
    fn update(&mut self) {
        inputs!([packets, rows], reset);
        StreamIn::<TxPacket>::link(&mut self.packet, &mut self.packets.up);
        inputs!(
            header,
            context_write,
            context_qp,
            context_data,
            own_mac,
            own_ip,
            port_roce,
            port_int
        );
        self.header.port_echo.next = self.port_int.val();
        inputs!(header, pkey, ttl);
        self.service.next.dscp = self.dscp.val();
        self.service.next.ecn = self.ecn.val();
        self.header.tos.next = bit_cast_number::<8, TypeOfService>(self.service.val());

        // 3: behind the BTH stand extension, payload and pad, ICRC
        self.word.next = self.packets.down.data.val();
        self.take.next = self.packets.down.valid.val() & !self.rows.crowded.val();
        self.packets.down.ready.next = self.take.val();
        self.words.next = (self.word.val().get_bits::<13>(179) + 3).get_bits::<11>(2);
        self.beyond.next = bits_u::<13>(4);
        if self.word.val().get_bits::<2>(49) == 1 {
            self.beyond.next = bits_u::<13>(20);
        }
        if self.word.val().get_bits::<2>(49) == 2 {
            self.beyond.next = bits_u::<13>(8);
        }
        self.header.qp.next = self.word.val().get_bits::<8>(0);
        self.header.generation.next = self.word.val().get_bits::<8>(8);
        self.header.opcode.next = self.word.val().get_bits::<8>(16);
        self.header.psn.next = self.word.val().get_bits::<24>(24);
        self.header.ack_req.next = self.word.val().get_bit(48);
        self.header.pad.next = bits_u::<2>(0) - self.word.val().get_bits::<2>(179);
        self.header.body.next = (bit_cast_u::<13, 11>(self.words.val()) << 2) + self.beyond.val();
        self.header.echoes.next = false;
        self.header.int_given.next = bits_u::<6>(0);
        self.beside.d.next = bit_cast_ww::<197, 4, 196, 4>(self.word.val()).replace_bit(196, self.take.val());

        // 10: BTH and extension behind UDP, or behind the two zero bytes of an empty INT header
        self.old.next = self.beside.q.val();
        self.extra.next = self.old.val().get_bits::<2>(49);
        self.has_int.next = self.header.int_bytes.val() != 0;
        self.behind.next = bit_cast_ww::<576, 9, 96, 2>(self.header.bth.val()) << 144;
        self.begins.next = bits_u::<7>(54);
        if self.extra.val() == 1 {
            self.behind.next = (bit_cast_ww::<576, 9, 96, 2>(self.header.bth.val()) << 144)
                | (bit_cast_w::<576, 9, 64>(self.old.val().get_bits::<64>(51)) << 16)
                | (bit_cast_w::<576, 9, 64>(self.old.val().get_bits::<64>(115)) << 80);
            self.begins.next = bits_u::<7>(6);
        }
        if self.extra.val() == 2 {
            self.behind.next = (bit_cast_ww::<576, 9, 96, 2>(self.header.bth.val()) << 144)
                | (bit_cast_w::<576, 9, 32>(self.old.val().get_bits::<32>(147)) << 112);
            self.begins.next = bits_u::<7>(58);
        }
        self.moved.next = self.behind.val();
        self.length.next = self.old.val().get_bits::<13>(179);
        self.rounded.next = self.length.val() + 3;
        self.full.next = self.length.val() + 63;
        self.last_bytes.next = bit_cast_u::<7, 4>(self.rounded.val().get_bits::<4>(2)) << 2;
        if self.rounded.val().get_bits::<4>(2) == 0 {
            // no payload at all counts as a full beat, too: its end lies one beat further on
            self.last_bytes.next = bits_u::<7>(64);
        }
        self.tail.next = self.begins.val() + self.last_bytes.val();
        if self.has_int.val() {
            self.moved.next = self.behind.val() >> 16;
            self.tail.next = self.begins.val() + self.last_bytes.val() + 2;
        }
        self.plan.next = bit_cast_u::<64, 7>(self.full.val().get_bits::<7>(6))
            | (bit_cast_u::<64, 7>(self.tail.val()) << 7)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.tail.val() > 60)) << 14)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.extra.val() == 1)) << 15)
            | (bit_cast_u::<64, 1>(bit_cast_b(self.has_int.val())) << 16)
            | (bit_cast_u::<64, 2>(self.extra.val()) << 17)
            | (bit_cast_u::<64, 1>(bit_cast_b(!self.header.alive.val())) << 19)
            | (bit_cast_u::<64, 2>(self.old.val().get_bits::<2>(192)) << 20)
            | (bit_cast_u::<64, 16>(self.old.val().get_bits::<16>(0)) << 22)
            | (bit_cast_u::<64, 24>(self.old.val().get_bits::<24>(24)) << 38)
            | (bit_cast_u::<64, 2>(self.old.val().get_bits::<2>(194)) << 62);
        self.row_11.d.next = (bit_cast_ww::<672, 11, 336, 6>(self.header.outer.val()) << 240)
            | bit_cast_ww::<672, 11, 576, 9>(self.moved.val())
            | (bit_cast_w::<672, 11, 32>(self.header.icrc_lengths.val()) << 576)
            | (bit_cast_w::<672, 11, 64>(self.plan.val()) << 608);
        self.valid_11.d.next = self.old.val().get_bit(196);
        self.rows.up.data.next = self.row_11.q.val();
        self.rows.up.valid.next = self.valid_11.q.val();
        StreamOut::<Row>::link(&mut self.row, &mut self.rows.down);
    }
}
