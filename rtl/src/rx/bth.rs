//! BTH and extension: opcode, lengths. Two clocks.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::rx::{TransportBytes, TransportFaults};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Decoder of the 28 bytes after the INT stack, first byte in the highest bits. Outputs two clocks after the inputs.
#[block]
pub struct Transport {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// 28 bytes.
    pub bytes: Signal<In, W<224, 4>>,
    /// UDP length.
    pub udp_len: Signal<In, U<16>>,
    /// Bytes of INT header and stack.
    pub int_len: Signal<In, U<6>>,
    /// There is a VLAN tag.
    pub has_tag: Signal<In, Bit>,
    /// IPv4 header sum.
    pub ip_sum: Signal<In, U<20>>,
    /// Register: partition key; the low 15 bits decide.
    pub pkey: Signal<In, U<16>>,
    /// `TransportFaults`.
    pub faults: Signal<Out, U<7>>,
    /// Opcode.
    pub opcode: Signal<Out, U<8>>,
    /// Acknowledge request.
    pub ack_req: Signal<Out, Bit>,
    /// Destination QP.
    pub dest_qp: Signal<Out, U<24>>,
    /// PSN.
    pub psn: Signal<Out, U<24>>,
    /// 16 bytes after the BTH.
    pub extension: Signal<Out, W<128, 2>>,
    /// First byte of the payload in the frame.
    pub payload_at: Signal<Out, U<7>>,
    /// Bytes of payload without pad.
    pub payload_len: Signal<Out, U<16>>,
    header: Signal<Local, TransportBytes>,
    op: Signal<Local, U<8>>,
    known: Signal<Local, Bit>,
    need_int: Signal<Local, U<16>>,
    need_all: Signal<Local, U<16>>,
    // 1
    bytes_1: DFF<TransportBytes>,
    faults_1: DFF<TransportFaults>,
    reth_1: DFF<Bit>,
    aeth_1: DFF<Bit>,
    room_1: DFF<U<16>>,
    at_1: DFF<U<7>>,
    ip_fold_1: DFF<U<17>>,
    extra: Signal<Local, U<5>>,
    need: Signal<Local, U<5>>,
    // 2
    faults_2: DFF<TransportFaults>,
    opcode_2: DFF<U<8>>,
    ack_req_2: DFF<Bit>,
    dest_qp_2: DFF<U<24>>,
    psn_2: DFF<U<24>>,
    extension_2: DFF<W<128, 2>>,
    at_2: DFF<U<7>>,
    len_2: DFF<U<16>>,
}

#[kernel]
impl Logic for Transport {
    fn update(&mut self) {
        // stage 1
        self.header.next = bit_cast_word::<TransportBytes, W<224, 4>>(self.bytes.val());
        self.op.next = self.header.val().bth.opcode;
        // the reliable connection service without the reserved 15, the notification and the echo
        self.known.next =
            ((self.op.val() < 0x18) & (self.op.val() != 0x15)) | (self.op.val() == 0x81) | (self.op.val() == 0xd1);
        // UDP 8, INT; then BTH 12 and ICRC 4
        self.need_int.next = bit_cast_u::<16, 6>(self.int_len.val()) + 8;
        self.need_all.next = bit_cast_u::<16, 6>(self.int_len.val()) + 24;
        self.bytes_1.d.next = self.header.val();
        self.reth_1.d.next = (self.op.val() == 0x06) | (self.op.val() == 0x0a) | (self.op.val() == 0x0c);
        self.aeth_1.d.next =
            (self.op.val() == 0x0d) | (self.op.val() == 0x0f) | (self.op.val() == 0x10) | (self.op.val() == 0x11);
        self.room_1.d.next = self.udp_len.val() - self.need_all.val();
        self.faults_1.d.next.int_length = self.udp_len.val() < self.need_int.val();
        self.faults_1.d.next.bth_length = self.udp_len.val() < self.need_all.val();
        self.faults_1.d.next.opcode = !self.known.val();
        self.faults_1.d.next.extension_length = false;
        self.faults_1.d.next.transport_version = self.header.val().bth.version != 0;
        // the highest bit is the membership, not a part of the key
        self.faults_1.d.next.partition_key =
            bit_cast_u::<15, 16>(self.header.val().bth.pkey) != bit_cast_u::<15, 16>(self.pkey.val());
        self.faults_1.d.next.ip_checksum = false;
        // IPv4 20, UDP 8, BTH 12, after Ethernet 14 or 18
        self.at_1.d.next = bit_cast_u::<7, 6>(self.int_len.val()) + 54;
        if self.has_tag.val() {
            self.at_1.d.next = bit_cast_u::<7, 6>(self.int_len.val()) + 58;
        }
        self.ip_fold_1.d.next = bit_cast_u::<17, 16>(bit_cast_u::<16, 20>(self.ip_sum.val()))
            + bit_cast_u::<17, 4>(self.ip_sum.val().get_bits::<4>(16));

        // stage 2
        self.extra.next = bits_u::<5>(0);
        if self.reth_1.q.val() {
            self.extra.next = bits_u::<5>(16);
        }
        if self.aeth_1.q.val() {
            self.extra.next = bits_u::<5>(4);
        }
        self.need.next = self.extra.val() + bit_cast_u::<5, 2>(self.bytes_1.q.val().bth.pad);
        self.len_2.d.next = self.room_1.q.val() - bit_cast_u::<16, 5>(self.need.val());
        self.at_2.d.next = self.at_1.q.val() + bit_cast_u::<7, 5>(self.extra.val());
        // a sum of ones is right; there is no second carry, the sum never exceeds ten words
        self.faults_2.d.next = self.faults_1.q.val();
        self.faults_2.d.next.extension_length = self.room_1.q.val() < bit_cast_u::<16, 5>(self.need.val());
        self.faults_2.d.next.ip_checksum = self.ip_fold_1.q.val() != 0xffff;
        assign! {
            opcode_2.d = bytes_1.bth.opcode, ack_req_2.d = bytes_1.bth.ack_req, dest_qp_2.d = bytes_1.bth.qpn,
            psn_2.d = bytes_1.bth.psn, extension_2.d = bytes_1.extension
        }

        self.faults.next = bit_cast_number::<7, TransportFaults>(self.faults_2.q.val());
        assign! {
            opcode = opcode_2, ack_req = ack_req_2, dest_qp = dest_qp_2, psn = psn_2, extension = extension_2,
            payload_at = at_2, payload_len = len_2
        }
    }
}
