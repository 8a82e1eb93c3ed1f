//! The parser: wiring of its stages, the frame's first two beats, and what is kept until its last.
//!
//! What the headers say is kept in small tables until the verdict: every beat carries its frame's number modulo 16, which is the place of it
//! there. A frame of one beat is ten clocks in them, so that sixteen places are enough.

use super::align::HeaderAlign;
use super::bth::Transport;
use super::covered::CoveredBytes;
use super::icrc::IcrcCheck;
use super::icrc_bytes::IcrcBytes;
use super::outer::OuterHeader;
use super::udp_sum::UdpSum;
use super::verdict::Verdict;
use crate::prim::axi::AxisFrameIn;
use crate::prim::delay::Delay;
use crate::prim::lut_ram::LutRam;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_ww, W};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::switch::length::BeatLength;
use crate::words::rx::{
    DropCode, EthernetFaults, FirstBytes, FrameFaults, HeaderFields, MacBytes, OuterFaults, OuterJudgement,
    TransportFaults, TransportFields,
};
use crate::words::transport::FrameRole;
use crate::words::wire::Opcode;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from the edge that takes a frame's last beat to the clock in which `out_valid` speaks of it.
pub const RX_PARSER_LATENCY: usize = 14;
/// Clocks by which `out_dest_qp` comes before the rest of a verdict.
pub const QP_EARLIER: usize = 5;

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
    /// Destination QP of the frame of which the outputs below speak [`QP_EARLIER`] clocks later.
    pub out_dest_qp: Signal<Out, U<24>>,
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
    /// PSN.
    pub out_psn: Signal<Out, U<24>>,
    /// 16 bytes after the BTH, the first in the highest bits: RETH, or AETH and 12 bytes of something else.
    pub out_extension: Signal<Out, W<128, 2>>,
    /// First byte of the payload in the frame.
    pub out_payload_at: Signal<Out, U<7>>,
    /// Bytes of payload without pad.
    pub out_payload_len: Signal<Out, U<16>>,
    /// The UDP length is that of a control packet.
    pub out_control_length: Signal<Out, Bit>,
    // clock 0
    #[registers(U<11>:
        /// Number of the next beat in its frame, saturated at 2047.
        number,
        /// Clock 0: number of the beat in its frame.
        number_0)]
    #[registers(Bit:
        /// The next beat is the first of a frame.
        at_first,
        /// Clock 0: a first beat is taken.
        takes_first_0,
        /// Clock 0: the beat is the first of its frame.
        first_0,
        /// A beat is in the clock of the name.
        valid_0,
        /// The beat is the last of its frame, in the clock of the name.
        last_0,
        /// Clock 0: the MAC marks the frame as bad.
        user_0)]
    #[registers(U<4>:
        /// Number of the frame, modulo 16: where its headers are kept.
        frame,
        /// Clock 0: number of the frame.
        frame_0)]
    #[signals(MacBytes: mac_bytes, own_mac)]
    /// The beat, in the clock of the name.
    data_0: DFF<W<512, 8>>,
    /// Clock 0: bytes of the beat that the frame has.
    keep_0: DFF<U<64>>,
    // clock 1
    #[registers(Bit:
        /// A beat is in the clock of the name.
        valid_1,
        /// Clock 1: the beat is the first of its frame.
        first_1,
        /// Clock 1: with this beat 128 bytes of the frame or all of it are there, so that headers can be read.
        window_done_1,
        /// The beat is the last of its frame, in the clock of the name.
        last_1,
        /// The frame has a VLAN tag, in the clock of the name.
        has_tag_1)]
    #[registers(W<512, 8>:
        /// The beat, in the clock of the name.
        data_1,
        /// Clock 1: first beat of the frame.
        head_1)]
    /// Clock 1: number of the beat: 0, 1, or 2 for all behind.
    number_1: DFF<U<2>>,
    window: Signal<Local, W<1024, 16>>,
    // clock 2
    #[signals(FirstBytes: first_bytes, head)]
    align: HeaderAlign,
    /// The frame has a VLAN tag, in the clock of the name.
    has_tag_2: DFF<Bit>,
    /// Clock 2: what is wrong with the Ethernet header.
    l2_faults_2: DFF<EthernetFaults>,
    // clocks 2 to 4
    outer: OuterHeader,
    l2_faults_4: Delay<U<2>, 2>,
    data_4: Delay<W<512, 8>, 3>,
    number_4: Delay<U<2>, 3>,
    valid_4: Delay<Bit, 3>,
    length: BeatLength,
    number_3: Delay<U<11>, 3>,
    /// Clock 4: bytes of the frame so far.
    frame_len_4: DFF<U<18>>,
    end_beat: Signal<Local, U<11>>,
    in_beat: Signal<Local, U<6>>,
    /// Clock 4: bytes of the beat that belong to the IP packet.
    covered_4: DFF<U<7>>,
    /// Clock 4: bytes of the beat belong to the IP packet.
    any_covered_4: DFF<Bit>,
    // clocks 4 to 6
    transport: Transport,
    covered: CoveredBytes,
    // clocks 4 to 7
    icrc_bytes: IcrcBytes,
    covered_7: Delay<U<7>, 3>,
    enable_7: Delay<Bit, 3>,
    first_7: Delay<Bit, 3>,
    // clocks 7 to 11, and 6 to 11
    icrc: IcrcCheck,
    #[registers(Bit:
        /// The beat is the first of its frame, in the clock of the name.
        first_5, first_6,
        /// The frame has a VLAN tag, in the clock of the name.
        has_tag_5, has_tag_6,
        /// A beat is in the clock of the name.
        valid_5, valid_6)]
    #[registers(U<16>:
        /// UDP length in the clock of the name.
        udp_len_5, udp_len_6)]
    udp: UdpSum,
    // what the headers say, kept from clock 4 or 6 on, and where
    frame_4: Delay<U<4>, 4>,
    frame_6: Delay<U<4>, 2>,
    /// Clock 7: number of the frame.
    frame_7: DFF<U<4>>,
    frame_10: Delay<U<4>, 3>,
    frame_12: Delay<U<4>, 2>,
    window_done_4: Delay<Bit, 3>,
    window_done_6: Delay<Bit, 2>,
    outer_judged: Signal<Local, OuterJudgement>,
    outer_faults: LutRam<OuterJudgement, 4>,
    transport_faults: LutRam<U<7>, 4>,
    qps: LutRam<U<24>, 4>,
    #[signals(HeaderFields: header, kept)]
    #[signals(TransportFields: packet, kept_packet)]
    headers: LutRam<HeaderFields, 4>,
    packets: LutRam<TransportFields, 4>,
    // clocks 11 to 13
    frame_len_11: Delay<U<18>, 7>,
    user_11: Delay<Bit, 11>,
    verdict: Verdict,
    judged: Signal<Local, OuterJudgement>,
    of_transport: Signal<Local, TransportFaults>,
    faults: Signal<Local, FrameFaults>,
    ended_13: Delay<Bit, 12>,
}

#[kernel]
impl Logic for RxParser {
    fn update(&mut self) {
        s_axis.tready = true;

        // clock 0
        assign! {
            valid_0.d = s_axis.tvalid, last_0.d = s_axis.tlast, user_0.d = s_axis.tuser, data_0.d = s_axis.tdata,
            keep_0.d = s_axis.tkeep, number_0.d = number, frame_0.d = frame, first_0.d = at_first
        }
        takes_first_0 = s_axis.tvalid & at_first;
        if s_axis.tvalid {
            at_first = s_axis.tlast;
            // saturates: no IP packet reaches that far
            if !number.all() {
                number = number + 1;
            }
            if s_axis.tlast {
                number = bits_u::<11>(0);
                frame = frame + 1;
            }
        }

        // clock 1: the first beat stays beside those that follow
        valid_1 = valid_0;
        first_1 = first_0;
        last_1 = valid_0 & last_0;
        data_1 = data_0;
        window_done_1 = valid_0 & ((number_0 == 1) | (first_0 & last_0));
        first_bytes = bit_cast_word::<FirstBytes, W<512, 8>>(data_0);
        number_1 = if number_0 < 2 { bit_cast_u::<2, 11>(number_0) } else { bits_u::<2>(2) };
        if takes_first_0 {
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
        l2_faults_4 = bit_cast_number::<2, EthernetFaults>(l2_faults_2);
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

        // clocks 4 to 7
        inputs!(transport from outer: bytes = transport, udp_len, int_len, has_tag = has_tag_out, ip_sum);
        inputs!(transport: pkey = cfg_pkey);
        inputs!(covered: data = data_4.q, covered = covered_4);
        inputs!(icrc_bytes: number = number_4.q, bytes = covered.q);
        inputs!(icrc_bytes from outer: headers = icrc_headers, has_tag = has_tag_out, code, behind_int);
        covered_7 = covered_4;
        enable_7 = valid_4 & any_covered_4;
        first_7 = number_4 == 0;
        first_5 = number_4 == 0;
        assign!(
            has_tag_5.d = outer.has_tag_out,
            valid_5.d = valid_4.q,
            udp_len_5.d = outer.udp_len
        );
        advance!(first_6, has_tag_6, valid_6, udp_len_6);

        // clocks 7 to 11, and 6 to 11
        inputs!(icrc: bytes = icrc_bytes.q, enable = enable_7.q, first = first_7.q, covered = covered_7.q);
        inputs!(udp: bytes = covered.q, enable = valid_6, first = first_6, has_tag = has_tag_6, udp_len = udp_len_6);

        // what the headers say waits for the frame's last beat
        frame_4 = frame_0;
        frame_6 = frame_4;
        frame_7 = frame_6;
        frame_10 = frame_7;
        frame_12 = frame_10;
        window_done_4 = window_done_1;
        window_done_6 = window_done_4;
        outer_judged.ethernet = bit_cast_word::<EthernetFaults, U<2>>(l2_faults_4);
        outer_judged.outer = bit_cast_word::<OuterFaults, U<10>>(outer.faults);
        fields!(outer_judged from outer: ip_end, summed);
        outer_judged.control = outer.role == 3;
        inputs!(outer_faults:
            we = window_done_4.q, waddr = frame_4.q, wdata = outer_judged, raddr = frame_10.q);
        fields!(header from outer: body, source_ip = src_ip, ecn, int_length = int_len);
        // UDP header 8, control packet 68
        header.control_length = outer.udp_len == 76;
        header.role = bit_cast_word::<FrameRole, U<2>>(outer.role);
        inputs!(headers: we = window_done_4.q, waddr = frame_4.q, wdata = header, raddr = frame_12.q);
        inputs!(transport_faults:
            we = window_done_6.q, waddr = frame_6.q, wdata = transport.faults, raddr = frame_10.q);
        inputs!(qps: we = window_done_6.q, waddr = frame_6.q, wdata = transport.dest_qp, raddr = frame_7);
        fields!(packet from transport:
            opcode, ack_req, psn, extension, payload_at, payload_length = payload_len);
        inputs!(packets: we = window_done_6.q, waddr = frame_6.q, wdata = packet, raddr = frame_12.q);

        // clocks 11 to 13
        judged = outer_faults.rdata;
        of_transport = bit_cast_word::<TransportFaults, U<7>>(transport_faults.rdata);
        faults = bits_zero::<FrameFaults>(0);
        fields!(faults from judged: wrong_mac = ethernet.wrong_mac, not_ipv4 = ethernet.not_ipv4);
        fields!(faults from judged:
            ip_version = outer.ip_version, ip_options = outer.ip_options, ip_length = outer.ip_length,
            ip_fragment = outer.ip_fragment, wrong_ip = outer.wrong_ip, not_udp = outer.not_udp,
            udp_length = outer.udp_length, udp_port = outer.udp_port, udp_checksum = outer.udp_checksum);
        fields!(faults from of_transport:
            ip_checksum, int_length, bth_length, opcode, extension_length, transport_version, partition_key);
        frame_len_11 = frame_len_4;
        user_11 = user_0;
        verdict.faults = bit_cast_number::<21, FrameFaults>(faults);
        inputs!(verdict:
            mac_error = user_11.q, frame_len = frame_len_11.q, ip_end = judged.ip_end, summed = judged.summed,
            udp_right = udp.right, icrc_right = icrc.right, control = judged.control);
        ended_13 = last_1;

        out_dest_qp = qps.rdata;
        out_valid = ended_13;
        out_drop = bit_cast_word::<DropCode, U<5>>(verdict.drop_code);
        kept = headers.rdata;
        out_role = bit_cast_number::<2, FrameRole>(kept.role);
        assign! {
            out_src_ip = kept.source_ip, out_ecn = kept.ecn, out_int_len = kept.int_length, out_body = kept.body,
            out_control_length = kept.control_length
        }
        kept_packet = packets.rdata;
        assign! {
            out_opcode = kept_packet.opcode, out_ack_req = kept_packet.ack_req, out_psn = kept_packet.psn,
            out_extension = kept_packet.extension, out_payload_at = kept_packet.payload_at,
            out_payload_len = kept_packet.payload_length
        }

        reset!(number, valid_0, takes_first_0);
        if reset {
            at_first = true;
        }
    }
}
