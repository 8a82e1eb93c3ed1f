//! Data packets: headers in front of payload, pad and ICRC behind it.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 14 | [`DataHeader`] |
//! | 14 | header and payload meet: a beat of the frame each clock |
//! | 15 - 17 | [`FrameBytes`] |
//! | 16 - 32 | [`IcrcAppend`] |
//! | 32 and the frame's beats less one | its first beat |
//!
//! The frame FIFO in [`IcrcAppend`] holds two frames of the largest MTU: memory that stalls makes frames late, but never leaves a
//! gap inside one.

use super::append::IcrcAppend;
use super::frame_bytes::FrameBytes;
use super::row::DataHeader;
use super::Beat;
use crate::nic::words::{Context, TxPacket};
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_ww, W};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Payload as it comes from the memory reader: 511:0 data, first byte lowest; 518:512 bytes; 519 last; 520 bus error, with `last`.
pub type Payload = W<521, 9>;

/// A frame takes as many clocks as it has beats, as long as packets, payload and the receiver keep up.
#[block]
pub struct DataBuilder {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high for at least 32 clocks.
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
    /// Packets; one whose queue pair is gone or of another generation is dropped with its payload.
    pub packet: StreamIn<TxPacket>,
    /// Their payloads, in the same order; none for a packet without.
    pub payload: StreamIn<Payload>,
    /// Frames.
    pub frame: StreamOut<Beat>,
    /// A frame whose payload had a bus error has been handed over, marked bad.
    pub read_error: Signal<Out, Bit>,
    /// The last response of a READ has been handed over, without bus error.
    pub read_left: Signal<Out, Bit>,
    /// Queue pair of either.
    pub note_qp: Signal<Out, U<8>>,
    /// Its generation.
    pub note_generation: Signal<Out, U<8>>,
    /// The packet was a READ response.
    pub note_response: Signal<Out, Bit>,
    /// Its PSN.
    pub note_psn: Signal<Out, U<24>>,
    /// Tag of its READ.
    pub note_tag: Signal<Out, U<2>>,
    headers: DataHeader,
    // 14
    row: Signal<Local, W<672, 11>>,
    beats: Signal<Local, U<7>>,
    spill: Signal<Local, Bit>,
    drop: Signal<Local, Bit>,
    lead: Signal<Local, Bit>,
    pull: Signal<Local, Bit>,
    last_pull: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    error: Signal<Local, Bit>,
    number: DFF<U<2>>,
    pulled: DFF<U<7>>,
    spoiled: DFF<Bit>,
    // 15
    go_15: DFF<Bit>,
    payload_15: DFF<W<512, 8>>,
    count_15: DFF<U<7>>,
    bytes: FrameBytes,
    valid_15: DFF<Bit>,
    number_15: DFF<U<2>>,
    last_15: DFF<Bit>,
    penultimate_15: DFF<Bit>,
    bad_15: DFF<Bit>,
    row_15: DFF<W<672, 11>>,
    // 16
    valid_16: DFF<Bit>,
    number_16: DFF<U<2>>,
    last_16: DFF<Bit>,
    penultimate_16: DFF<Bit>,
    bad_16: DFF<Bit>,
    row_16: DFF<W<672, 11>>,
    append: IcrcAppend<8, 136>,
    // 32
    given: Signal<Local, Bit>,
    note: Signal<Local, U<44>>,
    error_out: DFF<Bit>,
    left_out: DFF<Bit>,
    note_out: DFF<U<44>>,
}

#[kernel]
impl Logic for DataBuilder {
    fn update(&mut self) {
        inputs!([headers, append], reset);
        inputs!(
            headers,
            context_write,
            context_qp,
            context_data,
            own_mac,
            own_ip,
            port_roce,
            port_int,
            pkey,
            dscp,
            ecn,
            ttl
        );
        StreamIn::<TxPacket>::link(&mut self.packet, &mut self.headers.packet);

        // 14: a beat of header only, then beats that take payload, then one for what is left if it does not fit
        self.row.next = self.headers.row.data.val();
        self.beats.next = self.row.val().get_bits::<7>(608);
        self.spill.next = self.row.val().get_bit(622);
        self.drop.next = self.row.val().get_bit(627);
        self.lead.next = self.row.val().get_bit(623) & (self.number.q.val() == 0) & !self.drop.val();
        self.pull.next = (self.pulled.q.val() != self.beats.val()) & !self.lead.val();
        self.last_pull.next = self.pull.val() & (self.pulled.q.val() + 1 == self.beats.val());
        if self.drop.val() {
            self.ends.next = self.last_pull.val() | !self.pull.val();
        } else {
            self.ends.next = !self.lead.val() & ((self.last_pull.val() & !self.spill.val()) | !self.pull.val());
        }
        self.go.next =
            self.headers.row.valid.val() & !self.append.crowded.val() & (!self.pull.val() | self.payload.valid.val());
        self.payload.ready.next = self.go.val() & self.pull.val();
        self.headers.row.ready.next = self.go.val() & self.ends.val();
        self.error.next = self.spoiled.q.val() | (self.pull.val() & self.payload.data.val().get_bit(520));
        if self.go.val() {
            if self.number.q.val() != 2 {
                self.number.d.next = self.number.q.val() + 1;
            }
            if self.pull.val() {
                self.pulled.d.next = self.pulled.q.val() + 1;
            }
            self.spoiled.d.next = self.error.val();
            if self.ends.val() {
                self.number.d.next = bits_u::<2>(0);
                self.pulled.d.next = bits_u::<7>(0);
                self.spoiled.d.next = false;
            }
        }
        self.go_15.d.next = self.go.val();
        self.payload_15.d.next = bit_cast_ww::<512, 8, 521, 9>(self.payload.data.val());
        self.count_15.d.next = bits_u::<7>(0);
        if self.pull.val() {
            self.count_15.d.next = self.payload.data.val().get_bits::<7>(512);
        }
        self.valid_15.d.next = self.go.val() & !self.drop.val();
        self.number_15.d.next = self.number.q.val();
        self.last_15.d.next = self.ends.val();
        self.penultimate_15.d.next = self.last_pull.val() & self.spill.val();
        self.bad_15.d.next = self.error.val();
        self.row_15.d.next = self.row.val();

        // 15
        self.bytes.enable.next = self.go_15.q.val();
        self.bytes.number.next = self.number_15.q.val();
        self.bytes.header.next =
            bit_cast_ww::<832, 13, 576, 9>(bit_cast_ww::<576, 9, 672, 11>(self.row_15.q.val())) << 256;
        self.bytes.payload.next = self.payload_15.q.val();
        self.bytes.count.next = self.count_15.q.val();
        self.bytes.code.next = bit_cast_u::<3, 2>(self.row_15.q.val().get_bits::<2>(625))
            | (bit_cast_u::<3, 1>(self.row_15.q.val().get_bits::<1>(624)) << 2);
        self.valid_16.d.next = self.valid_15.q.val();
        self.number_16.d.next = self.number_15.q.val();
        self.last_16.d.next = self.last_15.q.val();
        self.penultimate_16.d.next = self.penultimate_15.q.val();
        self.bad_16.d.next = self.bad_15.q.val();
        self.row_16.d.next = self.row_15.q.val();

        // 16
        self.append.valid.next = self.valid_16.q.val();
        self.append.number.next = self.number_16.q.val();
        self.append.last.next = self.last_16.q.val();
        self.append.penultimate.next = self.penultimate_16.q.val();
        self.append.spill.next = self.row_16.q.val().get_bit(622);
        self.append.tail.next = self.row_16.q.val().get_bits::<7>(615);
        self.append.outer.next =
            bit_cast_ww::<336, 6, 576, 9>(bit_cast_ww::<576, 9, 672, 11>(self.row_16.q.val()) >> 240);
        self.append.icrc_lengths.next = self.row_16.q.val().get_bits::<32>(576);
        self.append.int_code.next = bit_cast_u::<3, 1>(self.row_16.q.val().get_bits::<1>(624));
        self.append.bad.next = self.bad_16.q.val();
        self.append.note.next = self.row_16.q.val().get_bits::<44>(628);
        self.append.data.next = self.bytes.q.val();

        // 32
        self.frame.data.next = self.append.down.data.val();
        self.frame.valid.next = self.append.down.valid.val();
        self.append.down.ready.next = self.frame.ready.val();
        self.given.next =
            self.append.down.valid.val() & self.frame.ready.val() & self.append.down.data.val().get_bit(576);
        self.note.next = self.append.down_note.val();
        self.note_out.d.next = self.note.val();
        self.error_out.d.next = self.given.val() & self.append.down.data.val().get_bit(577);
        self.left_out.d.next =
            self.given.val() & !self.append.down.data.val().get_bit(577) & self.note.val().get_bit(0);
        self.read_error.next = self.error_out.q.val();
        self.read_left.next = self.left_out.q.val();
        self.note_response.next = self.note_out.q.val().get_bit(1);
        self.note_qp.next = self.note_out.q.val().get_bits::<8>(2);
        self.note_generation.next = self.note_out.q.val().get_bits::<8>(10);
        self.note_psn.next = self.note_out.q.val().get_bits::<24>(18);
        self.note_tag.next = self.note_out.q.val().get_bits::<2>(42);

        if self.reset.val() {
            self.number.d.next = bits_u::<2>(0);
            self.pulled.d.next = bits_u::<7>(0);
            self.spoiled.d.next = false;
            self.valid_15.d.next = false;
            self.valid_16.d.next = false;
            self.error_out.d.next = false;
            self.left_out.d.next = false;
        }
    }
}
