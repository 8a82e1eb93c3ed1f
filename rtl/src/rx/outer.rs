//! IPv4, UDP, and where the BTH begins behind the INT stack. Two clocks.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_ww, W};
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::words::rx::{InnerHeaders, OuterFaults};
use crate::words::transport::FrameRole;
use crate::words::wire::{IntAmount, IpUdpHeaders, Ipv4Header, Ipv4Words};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Decoder of the 98 bytes from the start of IP, first byte in the highest bits. Outputs two clocks after the inputs.
#[block]
pub struct OuterHeader {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// 98 bytes.
    pub header: Signal<In, W<784, 13>>,
    /// There is a VLAN tag.
    pub has_tag: Signal<In, Bit>,
    /// Register: own IPv4 address.
    pub own_ip: Signal<In, U<32>>,
    /// Register: UDP port of plain RoCEv2.
    pub port_roce: Signal<In, U<16>>,
    /// Register: UDP port of INT being collected.
    pub port_int: Signal<In, U<16>>,
    /// Register: UDP port of INT echoed.
    pub port_echo: Signal<In, U<16>>,
    /// Register: UDP port of control packets.
    pub port_control: Signal<In, U<16>>,
    /// Register: the ICRC of what comes on the port of INT echoed covers the INT.
    pub echo_icrc_full: Signal<In, Bit>,
    /// `OuterFaults`.
    pub faults: Signal<Out, U<10>>,
    /// IPv4 header sum, to be folded: right if it folds to ones.
    pub ip_sum: Signal<Out, U<20>>,
    /// What the port says: `FrameRole`.
    pub role: Signal<Out, U<2>>,
    /// 0 without INT, else 1 + records.
    pub code: Signal<Out, U<3>>,
    /// Bytes of INT header and stack.
    pub int_len: Signal<Out, U<6>>,
    /// UDP length.
    pub udp_len: Signal<Out, U<16>>,
    /// End of the IP packet in the frame.
    pub ip_end: Signal<Out, U<17>>,
    /// The same one clock earlier.
    pub ip_end_early: Signal<Out, U<17>>,
    /// Plain packet with a UDP checksum.
    pub summed: Signal<Out, Bit>,
    /// Source address.
    pub src_ip: Signal<Out, U<32>>,
    /// ECN field.
    pub ecn: Signal<Out, U<2>>,
    /// 70 bytes after UDP.
    pub body: Signal<Out, W<560, 9>>,
    /// 28 bytes after INT: BTH and extension.
    pub transport: Signal<Out, W<224, 4>>,
    /// IPv4 and UDP header as the ICRC reads them, with the CRC's initial value in the first four bytes.
    pub icrc_headers: Signal<Out, W<224, 4>>,
    /// There is INT, and the ICRC does not cover it.
    pub behind_int: Signal<Out, Bit>,
    /// There is a VLAN tag.
    pub has_tag_out: Signal<Out, Bit>,
    #[signals(U<16>: port, total, udp)]
    given: Signal<Local, InnerHeaders>,
    summands: Signal<Local, Ipv4Words>,
    is_int: Signal<Local, Bit>,
    /// What the port says.
    named: Signal<Local, FrameRole>,
    // 1
    #[registers(Bit:
        /// The frame has a VLAN tag, in the stage of the name.
        has_tag_1,
        /// Stage 1: the UDP checksum is not zero.
        checksum_1)]
    #[registers(U<17>:
        /// End of the IP packet in the frame, bytes, in the stage of the name.
        end_1,
        /// Stage 1: sum of two of the ten words of the IPv4 header.
        sum_a, sum_b, sum_c, sum_d, sum_e)]
    #[signals(U<16>: ip_short, udp_short)]
    /// Stage 1: header as it came.
    header_1: DFF<InnerHeaders>,
    /// What the UDP port says of the frame, in the stage of the name.
    role_1: DFF<FrameRole>,
    /// 0 without INT, else one more than the records of its stack, in the stage of the name.
    code_1: DFF<U<3>>,
    /// What is wrong with the frame so far, in the stage of the name.
    faults_1: DFF<OuterFaults>,
    bus_1: Signal<Local, W<784, 13>>,
    amount: Signal<Local, IntAmount>,
    int_bytes: Signal<Local, U<6>>,
    /// Bytes of INT that the ICRC does not cover.
    left_out_1: DFF<U<6>>,
    /// Stage 1: the ICRC covers the INT.
    covers_int: DFF<Bit>,
    // 2
    #[registers(Bit:
        /// Stage 2: plain packet with a UDP checksum.
        summed_2,
        /// The frame has a VLAN tag, in the stage of the name.
        has_tag_2,
        /// Stage 2: there is INT, and the ICRC does not cover it.
        behind_int_2)]
    /// What is wrong with the frame so far, in the stage of the name.
    faults_2: DFF<OuterFaults>,
    /// Stage 2: sum of the ten words of the IPv4 header, not folded.
    ip_sum_2: DFF<U<20>>,
    /// What the UDP port says of the frame, in the stage of the name.
    role_2: DFF<FrameRole>,
    /// 0 without INT, else one more than the records of its stack, in the stage of the name.
    code_2: DFF<U<3>>,
    /// Stage 2: bytes of INT header and stack.
    int_len_2: DFF<U<6>>,
    /// Stage 2: UDP length.
    udp_len_2: DFF<U<16>>,
    /// End of the IP packet in the frame, bytes, in the stage of the name.
    end_2: DFF<U<17>>,
    /// Stage 2: source address.
    src_ip_2: DFF<U<32>>,
    /// Stage 2: ECN field.
    ecn_2: DFF<U<2>>,
    /// Stage 2: 70 bytes behind the UDP header.
    body_2: DFF<W<560, 9>>,
    /// What follows UDP, by how much INT there is.
    #[signals(W<224, 4>: none_or_0, hops_1_or_2, hops_3_or_4, hops_5, few, many)]
    /// Stage 2: 28 bytes behind the INT: BTH and extension.
    transport_2: DFF<W<224, 4>>,
    /// Stage 2: IPv4 and UDP header as the ICRC reads them, with the CRC's initial value in the first four bytes.
    icrc_2: DFF<IpUdpHeaders>,
}

#[kernel]
impl Logic for OuterHeader {
    fn update(&mut self) {
        // stage 1
        given = bit_cast_word::<InnerHeaders, W<784, 13>>(header);
        assign! {
            total = given.ip.total_length, port = given.udp.destination_port, udp = given.udp.length,
            header_1.d = given, has_tag_1.d = has_tag
        }
        end_1 = if has_tag { bit_cast_u::<17, 16>(total) + 18 } else { bit_cast_u::<17, 16>(total) + 14 };
        is_int = ((port == port_int) | (port == port_echo)) & (port != port_roce);
        named = if port == port_echo { FrameRole::Echoed } else { FrameRole::Control };
        if port == port_int {
            named = FrameRole::Collected;
        }
        if port == port_roce {
            named = FrameRole::Plain;
        }
        role_1 = named;
        covers_int = echo_icrc_full & (named == FrameRole::Echoed);
        code_1 = bits_u::<3>(0);
        left_out_1 = bits_u::<6>(0);
        if is_int {
            code_1 = bits_u::<3>(6);
            left_out_1 = bits_u::<6>(42);
            if given.int_header.n_hop < 5 {
                code_1 = bit_cast_u::<3, 4>(given.int_header.n_hop + 1);
                left_out_1 = (bit_cast_u::<6, 4>(given.int_header.n_hop) << 3) + 2;
            }
            if echo_icrc_full & (named == FrameRole::Echoed) {
                left_out_1 = bits_u::<6>(0);
            }
        }
        checksum_1 = given.udp.checksum != 0;
        faults_1 = bits_zero::<OuterFaults>(0);
        faults_1.ip_version = given.ip.version != 4;
        faults_1.ip_options = given.ip.ihl != 5;
        faults_1.ip_length = total < 20;
        faults_1.ip_fragment = given.ip.more_fragments | (given.ip.fragment_offset != 0);
        faults_1.wrong_ip = given.ip.destination != own_ip;
        faults_1.not_udp = given.ip.protocol != 17;
        faults_1.udp_length = (total < 28) | ((bit_cast_u::<17, 16>(udp) + 20) != bit_cast_u::<17, 16>(total));
        faults_1.udp_port = !is_int & (port != port_roce) & (port != port_control);
        summands = bit_cast_word::<Ipv4Words, W<160, 3>>(bit_cast_bus::<160, 3, Ipv4Header>(given.ip));
        sum_a = bit_cast_u::<17, 16>(summands.version_tos) + bit_cast_u::<17, 16>(summands.total_length);
        sum_b = bit_cast_u::<17, 16>(summands.identification) + bit_cast_u::<17, 16>(summands.fragment);
        sum_c = bit_cast_u::<17, 16>(summands.ttl_protocol) + bit_cast_u::<17, 16>(summands.checksum);
        sum_d = bit_cast_u::<17, 16>(summands.source_high) + bit_cast_u::<17, 16>(summands.source_low);
        sum_e = bit_cast_u::<17, 16>(summands.destination_high) + bit_cast_u::<17, 16>(summands.destination_low);

        // stage 2: bytes of INT are 0, 2, 10, .. 42
        int_bytes = if code_1 != 0 { (bit_cast_u::<6, 3>(code_1) << 3) - 6 } else { bits_u::<6>(0) };
        bus_1 = bit_cast_bus::<784, 13, InnerHeaders>(header_1);
        // a choice by one bit of the code after the other: two of the cases share a table
        amount = bit_cast_word::<IntAmount, U<3>>(code_1);
        none_or_0 = if amount.one {
            bit_cast_ww::<224, 4, 784, 13>(bus_1 >> 320)
        } else {
            bit_cast_ww::<224, 4, 784, 13>(bus_1 >> 336)
        };
        hops_1_or_2 = if amount.one {
            bit_cast_ww::<224, 4, 784, 13>(bus_1 >> 192)
        } else {
            bit_cast_ww::<224, 4, 784, 13>(bus_1 >> 256)
        };
        hops_3_or_4 = if amount.one {
            bit_cast_ww::<224, 4, 784, 13>(bus_1 >> 64)
        } else {
            bit_cast_ww::<224, 4, 784, 13>(bus_1 >> 128)
        };
        hops_5 = bit_cast_ww::<224, 4, 784, 13>(bus_1);
        few = if amount.two { hops_1_or_2 } else { none_or_0 };
        many = if amount.two { hops_5 } else { hops_3_or_4 };
        transport_2 = if amount.four { many } else { few };
        // the initial value DEBB20E3, first byte E3, in IP bytes 0 to 3; ones for what a router may change
        ip_short = header_1.ip.total_length - bit_cast_u::<16, 6>(left_out_1);
        udp_short = header_1.udp.length - bit_cast_u::<16, 6>(left_out_1);
        icrc_2.ip.version = header_1.ip.version ^ bits_u::<4>(0xe);
        icrc_2.ip.ihl = header_1.ip.ihl ^ bits_u::<4>(0x3);
        // 20 is the second byte of the initial value, all of it inverted by the ones
        icrc_2.ip.dscp = bits_u::<6>(0x37);
        icrc_2.ip.ecn = bits_u::<2>(0x3);
        icrc_2.ip.total_length = ip_short ^ bits_u::<16>(0xbbde);
        fields!(icrc_2.d from header_1:
            ip.identification, ip.reserved, ip.do_not_fragment, ip.more_fragments, ip.fragment_offset);
        icrc_2.ip.ttl = bits_u::<8>(0xff);
        icrc_2.ip.protocol = header_1.ip.protocol;
        icrc_2.ip.checksum = bits_u::<16>(0xffff);
        fields!(icrc_2.d from header_1: ip.source, ip.destination, udp.source_port, udp.destination_port);
        fields!(icrc_2.d: udp.length = udp_short);
        icrc_2.udp.checksum = bits_u::<16>(0xffff);
        faults_2 = faults_1;
        faults_2.udp_checksum = (role_1 != FrameRole::Plain) & checksum_1;
        summed_2 = (role_1 == FrameRole::Plain) & checksum_1;
        ip_sum_2 = bit_cast_u::<20, 17>(sum_a)
            + bit_cast_u::<20, 17>(sum_b)
            + bit_cast_u::<20, 17>(sum_c)
            + bit_cast_u::<20, 17>(sum_d)
            + bit_cast_u::<20, 17>(sum_e);
        advance!(role_2, code_2);
        assign!(int_len_2.d = int_bytes, udp_len_2.d = header_1.udp.length);
        end_2 = end_1;
        assign!(src_ip_2.d = header_1.ip.source, ecn_2.d = header_1.ip.ecn);
        body_2 = bit_cast_ww::<560, 9, 784, 13>(bus_1);
        has_tag_2 = has_tag_1;
        behind_int_2 = (code_1 != 0) & !covers_int;

        faults = bit_cast_number::<10, OuterFaults>(faults_2);
        ip_sum = ip_sum_2;
        role = bit_cast_number::<2, FrameRole>(role_2);
        assign! {
            code = code_2, int_len = int_len_2, udp_len = udp_len_2, ip_end = end_2, ip_end_early = end_1,
            summed = summed_2, src_ip = src_ip_2, ecn = ecn_2, body = body_2, transport = transport_2
        }
        icrc_headers = bit_cast_bus::<224, 4, IpUdpHeaders>(icrc_2);
        assign!(has_tag_out = has_tag_2, behind_int = behind_int_2);
    }
}
