//! BTH and extension: opcode, lengths. Two clocks.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::rx::{TransportBytes, TransportFaults};
use crate::words::wire::Opcode;
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
    pub opcode: Signal<Out, Opcode>,
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
    #[signals(U<16>: need_int, need_all)]
    header: Signal<Local, TransportBytes>,
    op: Signal<Local, Opcode>,
    known: Signal<Local, Bit>,
    // 1
    #[registers(Bit:
        /// Stage 1: the packet has a RETH.
        reth_1,
        /// Stage 1: the packet has an AETH.
        aeth_1)]
    #[signals(U<5>: extra, need)]
    /// Stage 1: BTH and extension as they came.
    bytes_1: DFF<TransportBytes>,
    /// What is wrong with the transport header so far, in the stage of the name.
    faults_1: DFF<TransportFaults>,
    /// Stage 1: bytes between BTH and ICRC.
    room_1: DFF<U<16>>,
    /// Stage 1: first byte behind the BTH in the frame.
    at_1: DFF<U<7>>,
    /// Stage 1: sum of the IPv4 header, folded once.
    ip_fold_1: DFF<U<17>>,
    // 2
    #[registers(U<24>:
        /// Stage 2: destination queue pair.
        dest_qp_2,
        /// Stage 2: PSN.
        psn_2)]
    /// What is wrong with the transport header so far, in the stage of the name.
    faults_2: DFF<TransportFaults>,
    /// Stage 2: BTH operation code.
    opcode_2: DFF<Opcode>,
    /// Stage 2: the packet asks for an acknowledgement.
    ack_req_2: DFF<Bit>,
    /// Stage 2: 16 bytes behind the BTH.
    extension_2: DFF<W<128, 2>>,
    /// Stage 2: first byte of the payload in the frame.
    at_2: DFF<U<7>>,
    /// Stage 2: bytes of payload without pad.
    len_2: DFF<U<16>>,
}

#[kernel]
impl Logic for Transport {
    fn update(&mut self) {
        // stage 1
        header = bit_cast_word::<TransportBytes, W<224, 4>>(bytes);
        op = header.bth.opcode;
        // the reliable connection service, whose codes lie below 0x18
        known = (bit_cast_number::<8, Opcode>(op) < 0x18) & (op != Opcode::Reserved);
        if (op == Opcode::Cnp) | (op == Opcode::ReadEcho) | (op == Opcode::Probe) | (op == Opcode::ProbeResponse) {
            known = true;
        }
        // UDP 8, INT; then BTH 12 and ICRC 4
        need_int = bit_cast_u::<16, 6>(int_len) + 8;
        need_all = bit_cast_u::<16, 6>(int_len) + 24;
        bytes_1 = header;
        reth_1 = (op == Opcode::WriteFirst) | (op == Opcode::WriteOnly) | (op == Opcode::ReadRequest);
        aeth_1 = (op == Opcode::ReadResponseFirst)
            | (op == Opcode::ReadResponseLast)
            | (op == Opcode::ReadResponseOnly)
            | (op == Opcode::Acknowledge);
        room_1 = udp_len - need_all;
        faults_1.int_length = udp_len < need_int;
        faults_1.bth_length = udp_len < need_all;
        faults_1.opcode = !known;
        faults_1.extension_length = false;
        faults_1.transport_version = header.bth.version != 0;
        // the highest bit is the membership, not a part of the key
        faults_1.partition_key = bit_cast_u::<15, 16>(header.bth.pkey) != bit_cast_u::<15, 16>(pkey);
        faults_1.ip_checksum = false;
        // IPv4 20, UDP 8, BTH 12, after Ethernet 14 or 18
        at_1 = if has_tag { bit_cast_u::<7, 6>(int_len) + 58 } else { bit_cast_u::<7, 6>(int_len) + 54 };
        ip_fold_1 = bit_cast_u::<17, 16>(bit_cast_u::<16, 20>(ip_sum)) + bit_cast_u::<17, 4>(ip_sum.get_bits::<4>(16));

        // stage 2
        extra = if reth_1 { bits_u::<5>(16) } else { bits_u::<5>(0) };
        if aeth_1 {
            extra = bits_u::<5>(4);
        }
        need = extra + bit_cast_u::<5, 2>(bytes_1.bth.pad);
        len_2 = room_1 - bit_cast_u::<16, 5>(need);
        at_2 = at_1 + bit_cast_u::<7, 5>(extra);
        // a sum of ones is right; there is no second carry, the sum never exceeds ten words
        faults_2 = faults_1;
        faults_2.extension_length = room_1 < bit_cast_u::<16, 5>(need);
        faults_2.ip_checksum = ip_fold_1 != 0xffff;
        assign! {
            opcode_2.d = bytes_1.bth.opcode, ack_req_2.d = bytes_1.bth.ack_req, dest_qp_2.d = bytes_1.bth.qpn,
            psn_2.d = bytes_1.bth.psn, extension_2.d = bytes_1.extension
        }

        faults = bit_cast_number::<7, TransportFaults>(faults_2);
        assign! {
            opcode = opcode_2, ack_req = ack_req_2, dest_qp = dest_qp_2, psn = psn_2, extension = extension_2,
            payload_at = at_2, payload_len = len_2
        }
    }
}
