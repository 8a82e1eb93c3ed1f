//! The parser: wiring of its stages, the frame's first two beats, and what is held until its last.

use super::align::HeaderAlign;
use super::bth::Transport;
use super::icrc::IcrcCheck;
use super::icrc_bytes::IcrcBytes;
use super::outer::OuterHeader;
use super::udp_sum::UdpSum;
use super::verdict::Verdict;
use crate::prim::axi::AxisFrameIn;
use crate::prim::delay::Delay;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_ww, W};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::switch::length::BeatLength;
use crate::words::rx::{DropCode, EthernetFaults, FirstBytes, FrameFaults, MacBytes, OuterFaults, TransportFaults};
use crate::words::wire::Opcode;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from the edge that takes a frame's last beat to the clock in which `out_valid` speaks of it.
pub const RX_PARSER_LATENCY: usize = 13;

/// Parser of one port. It never stalls: `s_axis_tready` is always high. Reset for at least [`RX_PARSER_LATENCY`] clocks.
#[block]
pub struct RxParser {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Frames; `tready` is always high.
    pub s_axis: AxisFrameIn,
    /// Register: own Ethernet address, first byte in the highest bits.
    pub cfg_mac: Signal<In, U<48>>,
    /// Register: own IPv4 address.
    pub cfg_ip: Signal<In, U<32>>,
    /// Register: UDP port of plain RoCEv2.
    pub cfg_port_roce: Signal<In, U<16>>,
    /// Register: UDP port of INT being collected.
    pub cfg_port_int: Signal<In, U<16>>,
    /// Register: UDP port of INT echoed.
    pub cfg_port_echo: Signal<In, U<16>>,
    /// Register: UDP port of control packets.
    pub cfg_port_control: Signal<In, U<16>>,
    /// Register: the ICRC of what echoes INT covers the INT too.
    pub cfg_echo_icrc_full: Signal<In, Bit>,
    /// Register: partition key.
    pub cfg_pkey: Signal<In, U<16>>,
    /// A frame has ended; everything below speaks of it.
    pub out_valid: Signal<Out, Bit>,
    /// Why it is dropped.
    pub out_drop: Signal<Out, DropCode>,
    /// 0 plain, 1 INT collected, 2 INT echoed, 3 control.
    pub out_role: Signal<Out, U<2>>,
    /// Source IPv4 address.
    pub out_src_ip: Signal<Out, U<32>>,
    /// ECN field.
    pub out_ecn: Signal<Out, U<2>>,
    /// Bytes of INT header and stack.
    pub out_int_len: Signal<Out, U<6>>,
    /// 70 bytes after UDP, the first in the highest bits: INT header and stack, or a control packet.
    pub out_body: Signal<Out, W<560, 9>>,
    /// BTH opcode.
    pub out_opcode: Signal<Out, Opcode>,
    /// Acknowledge request.
    pub out_ack_req: Signal<Out, Bit>,
    /// Destination QP.
    pub out_dest_qp: Signal<Out, U<24>>,
    /// PSN.
    pub out_psn: Signal<Out, U<24>>,
    /// 16 bytes after the BTH, the first in the highest bits: RETH, or AETH and 12 bytes of something else.
    pub out_extension: Signal<Out, W<128, 2>>,
    /// First byte of the payload in the frame.
    pub out_payload_at: Signal<Out, U<7>>,
    /// Bytes of payload without pad.
    pub out_payload_len: Signal<Out, U<16>>,
    /// UDP length.
    pub out_udp_len: Signal<Out, U<16>>,
    // clock 0
    #[registers(U<11>: number, number_0)]
    #[registers(Bit: valid_0, last_0, user_0)]
    #[signals(MacBytes: mac_bytes, own_mac)]
    data_0: DFF<W<512, 8>>,
    keep_0: DFF<U<64>>,
    // clock 1
    #[registers(Bit: valid_1, first_1, window_done_1, last_1, has_tag_1)]
    #[registers(W<512, 8>: data_1, head_1)]
    number_1: DFF<U<2>>,
    window: Signal<Local, W<1024, 16>>,
    // clock 2
    #[signals(FirstBytes: first_bytes, head)]
    align: HeaderAlign,
    has_tag_2: DFF<Bit>,
    l2_faults_2: DFF<EthernetFaults>,
    // clocks 2 to 4
    outer: OuterHeader,
    l2_faults_6: Delay<U<2>, 4>,
    data_4: Delay<W<512, 8>, 3>,
    number_4: Delay<U<2>, 3>,
    valid_4: Delay<Bit, 3>,
    length: BeatLength,
    number_3: Delay<U<11>, 3>,
    frame_len_4: DFF<U<18>>,
    end_beat: Signal<Local, U<11>>,
    in_beat: Signal<Local, U<6>>,
    covered_4: DFF<U<7>>,
    any_covered_4: DFF<Bit>,
    // clocks 4 to 6
    transport: Transport,
    icrc_bytes: IcrcBytes,
    covered_6: Delay<U<7>, 2>,
    enable_6: Delay<Bit, 2>,
    first_6: Delay<Bit, 2>,
    outer_faults_6: Delay<U<10>, 2>,
    // clocks 6 to 10
    #[registers(Bit: summed_held, control_held)]
    icrc: IcrcCheck,
    udp: UdpSum,
    faults_9: Delay<U<21>, 3>,
    end_9: Delay<U<17>, 5>,
    summed_9: Delay<Bit, 5>,
    role_9: Delay<U<2>, 5>,
    window_done_9: Delay<Bit, 8>,
    frame_len_10: Delay<U<18>, 6>,
    user_10: Delay<Bit, 10>,
    verdict: Verdict,
    of_ethernet: Signal<Local, EthernetFaults>,
    of_outer: Signal<Local, OuterFaults>,
    of_transport: Signal<Local, TransportFaults>,
    faults_6: Signal<Local, FrameFaults>,
    faults_held: DFF<U<21>>,
    end_held: DFF<U<17>>,
    // clock 11 to 12: what the verdict speaks of
    #[registers(U<2>: role, ecn)]
    #[registers(U<16>: udp_len, payload_len)]
    #[registers(U<24>: dest_qp, psn)]
    window_done_11: Delay<Bit, 2>,
    ended_12: Delay<Bit, 11>,
    role_11: Delay<U<2>, 2>,
    src_ip_11: Delay<U<32>, 7>,
    udp_len_11: Delay<U<16>, 7>,
    ecn_11: Delay<U<2>, 7>,
    int_len_11: Delay<U<6>, 7>,
    body_11: Delay<W<560, 9>, 7>,
    opcode_11: Delay<Opcode, 5>,
    ack_req_11: Delay<Bit, 5>,
    dest_qp_11: Delay<U<24>, 5>,
    psn_11: Delay<U<24>, 5>,
    extension_11: Delay<W<128, 2>, 5>,
    payload_at_11: Delay<U<7>, 5>,
    payload_len_11: Delay<U<16>, 5>,
    src_ip: DFF<U<32>>,
    int_len: DFF<U<6>>,
    body: DFF<W<560, 9>>,
    opcode: DFF<Opcode>,
    ack_req: DFF<Bit>,
    extension: DFF<W<128, 2>>,
    payload_at: DFF<U<7>>,
}

#[kernel]
impl Logic for RxParser {
    fn update(&mut self) {
        s_axis.tready = true;

        // clock 0
        assign! {
            valid_0.d = s_axis.tvalid, last_0.d = s_axis.tlast, user_0.d = s_axis.tuser, data_0.d = s_axis.tdata,
            keep_0.d = s_axis.tkeep, number_0.d = number
        }
        if s_axis.tvalid {
            // saturates: no IP packet reaches that far
            if !number.all() {
                number = number + 1;
            }
            if s_axis.tlast {
                number = bits_u::<11>(0);
            }
        }

        // clock 1: the first beat stays beside those that follow
        valid_1 = valid_0;
        first_1 = number_0 == 0;
        last_1 = valid_0 & last_0;
        data_1 = data_0;
        window_done_1 = valid_0 & ((number_0 == 1) | ((number_0 == 0) & last_0));
        first_bytes = bit_cast_word::<FirstBytes, W<512, 8>>(data_0);
        number_1 = if number_0 < 2 { bit_cast_u::<2, 11>(number_0) } else { bits_u::<2>(2) };
        if valid_0 & (number_0 == 0) {
            head_1 = data_0;
            has_tag_1 = first_bytes.ethertype == 0x0081;
        }
        window = bit_cast_ww::<1024, 16, 512, 8>(head_1);
        if !first_1 {
            window = bit_cast_ww::<1024, 16, 512, 8>(head_1) | (bit_cast_ww::<1024, 16, 512, 8>(data_1) << 512);
        }

        // clock 2
        inputs!(align: window, has_tag = has_tag_1);
        has_tag_2 = has_tag_1;
        mac_bytes = bit_cast_word::<MacBytes, U<48>>(cfg_mac);
        fields!(own_mac from mac_bytes:
            byte_0 = byte_5, byte_1 = byte_4, byte_2 = byte_3, byte_3 = byte_2, byte_4 = byte_1, byte_5 = byte_0);
        head = bit_cast_word::<FirstBytes, W<512, 8>>(head_1);
        // destination address, and 08 00 on the wire
        l2_faults_2.wrong_mac = head.destination != bit_cast_number::<48, MacBytes>(own_mac);
        l2_faults_2.not_ipv4 =
            (!has_tag_1 & (head.ethertype != 0x0008)) | (has_tag_1 & (head.tagged_ethertype != 0x0008));

        // clocks 2 to 4
        inputs!(outer:
            header = align.q, has_tag = has_tag_2, own_ip = cfg_ip, port_roce = cfg_port_roce, port_int = cfg_port_int,
            port_echo = cfg_port_echo, port_control = cfg_port_control, echo_icrc_full = cfg_echo_icrc_full);
        l2_faults_6 = bit_cast_number::<2, EthernetFaults>(l2_faults_2);
        data_4 = data_1;
        number_4 = number_1;
        valid_4 = valid_1;
        length.go = true;
        length.keep = keep_0;
        number_3 = number_0;
        frame_len_4 = (bit_cast_u::<18, 11>(number_3) << 6) + bit_cast_u::<18, 7>(length.bytes);
        // whole beats before the one that the packet ends in, a part of that one, nothing behind
        end_beat = outer.ip_end_early.get_bits::<11>(6);
        in_beat = bit_cast_u::<6, 17>(outer.ip_end_early);
        clear!(covered_4, any_covered_4);
        if number_3 < end_beat {
            covered_4 = bits_u::<7>(64);
            any_covered_4 = true;
        }
        if number_3 == end_beat {
            covered_4 = bit_cast_u::<7, 6>(in_beat);
            any_covered_4 = in_beat.any();
        }

        // clocks 4 to 6
        inputs!(transport from outer: bytes = transport, udp_len, int_len, has_tag = has_tag_out, ip_sum);
        inputs!(transport: pkey = cfg_pkey);
        outer_faults_6 = outer.faults;
        inputs!(icrc_bytes: data = data_4.q, number = number_4.q, covered = covered_4);
        inputs!(icrc_bytes from outer: headers = icrc_headers, has_tag = has_tag_out, code, with_int);
        covered_6 = covered_4;
        enable_6 = valid_4 & any_covered_4;
        first_6 = number_4 == 0;

        // clocks 4 and 6 to 10
        inputs!(icrc: bytes = icrc_bytes.q, enable = enable_6.q, first = first_6.q, covered = covered_6.q);
        inputs!(udp: data = data_4.q, enable = valid_4.q);
        udp.first = number_4 == 0;
        inputs!(udp: has_tag = outer.has_tag_out, covered = covered_4, udp_len = outer.udp_len);
        of_ethernet = bit_cast_word::<EthernetFaults, U<2>>(l2_faults_6);
        of_outer = bit_cast_word::<OuterFaults, U<10>>(outer_faults_6);
        of_transport = bit_cast_word::<TransportFaults, U<7>>(transport.faults);
        faults_6 = bits_zero::<FrameFaults>(0);
        fields!(faults_6 from of_ethernet: wrong_mac, not_ipv4);
        fields!(faults_6 from of_outer:
            ip_version, ip_options, ip_length, ip_fragment, wrong_ip, not_udp, udp_length, udp_port, udp_checksum);
        fields!(faults_6 from of_transport:
            ip_checksum, int_length, bth_length, opcode, extension_length, transport_version, partition_key);
        faults_9 = bit_cast_number::<21, FrameFaults>(faults_6);
        end_9 = outer.ip_end;
        summed_9 = outer.summed;
        role_9 = outer.role;
        window_done_9 = window_done_1;
        if window_done_9 {
            assign! {
                faults_held.d = faults_9.q, end_held.d = end_9.q, summed_held.d = summed_9.q
            }
            control_held = role_9 == 3;
        }

        // clocks 10 to 12
        frame_len_10 = frame_len_4;
        user_10 = user_0;
        inputs!(verdict:
            faults = faults_held, mac_error = user_10.q, frame_len = frame_len_10.q, ip_end = end_held,
            summed = summed_held, udp_right = udp.right, icrc_right = icrc.right, control = control_held);

        window_done_11 = window_done_9;
        ended_12 = last_1;
        role_11 = role_9;
        src_ip_11 = outer.src_ip;
        udp_len_11 = outer.udp_len;
        ecn_11 = outer.ecn;
        int_len_11 = outer.int_len;
        body_11 = outer.body;
        opcode_11 = transport.opcode;
        ack_req_11 = transport.ack_req;
        dest_qp_11 = transport.dest_qp;
        psn_11 = transport.psn;
        extension_11 = transport.extension;
        payload_at_11 = transport.payload_at;
        payload_len_11 = transport.payload_len;
        if window_done_11 {
            assign! {
                role.d = role_11.q, src_ip.d = src_ip_11.q, udp_len.d = udp_len_11.q, ecn.d = ecn_11.q,
                int_len.d = int_len_11.q, body.d = body_11.q, opcode.d = opcode_11.q, ack_req.d = ack_req_11.q,
                dest_qp.d = dest_qp_11.q, psn.d = psn_11.q, extension.d = extension_11.q,
                payload_at.d = payload_at_11.q, payload_len.d = payload_len_11.q
            }
        }
        out_valid = ended_12;
        out_drop = bit_cast_word::<DropCode, U<5>>(verdict.drop_code);
        assign! {
            out_role = role, out_src_ip = src_ip, out_ecn = ecn, out_int_len = int_len, out_body = body,
            out_opcode = opcode, out_ack_req = ack_req, out_dest_qp = dest_qp, out_psn = psn, out_extension = extension,
            out_payload_at = payload_at, out_payload_len = payload_len, out_udp_len = udp_len
        }

        reset!(number, valid_0);
    }
}
