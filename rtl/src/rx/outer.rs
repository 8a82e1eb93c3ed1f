//! IPv4, UDP, and where the BTH begins behind the INT stack. Two clocks.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_ww, W};
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::words::rx::{InnerHeaders, OuterFaults};
use crate::words::transport::FrameRole;
use crate::words::wire::{IpUdpHeaders, Ipv4Header, Ipv4Words};
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
    /// There is a VLAN tag.
    pub has_tag_out: Signal<Out, Bit>,
    given: Signal<Local, InnerHeaders>,
    summands: Signal<Local, Ipv4Words>,
    port: Signal<Local, U<16>>,
    total: Signal<Local, U<16>>,
    udp: Signal<Local, U<16>>,
    is_int: Signal<Local, Bit>,
    // 1
    header_1: DFF<InnerHeaders>,
    has_tag_1: DFF<Bit>,
    role_1: DFF<FrameRole>,
    code_1: DFF<U<3>>,
    faults_1: DFF<OuterFaults>,
    end_1: DFF<U<17>>,
    sum_a: DFF<U<17>>,
    sum_b: DFF<U<17>>,
    sum_c: DFF<U<17>>,
    sum_d: DFF<U<17>>,
    sum_e: DFF<U<17>>,
    checksum_1: DFF<Bit>,
    bus_1: Signal<Local, W<784, 13>>,
    int_bytes: Signal<Local, U<6>>,
    ip_short: Signal<Local, U<16>>,
    udp_short: Signal<Local, U<16>>,
    // 2
    faults_2: DFF<OuterFaults>,
    ip_sum_2: DFF<U<20>>,
    role_2: DFF<FrameRole>,
    code_2: DFF<U<3>>,
    int_len_2: DFF<U<6>>,
    udp_len_2: DFF<U<16>>,
    end_2: DFF<U<17>>,
    summed_2: DFF<Bit>,
    src_ip_2: DFF<U<32>>,
    ecn_2: DFF<U<2>>,
    body_2: DFF<W<560, 9>>,
    transport_2: DFF<W<224, 4>>,
    icrc_2: DFF<IpUdpHeaders>,
    has_tag_2: DFF<Bit>,
}

#[kernel]
impl Logic for OuterHeader {
    fn update(&mut self) {
        // stage 1
        self.given.next = bit_cast_word::<InnerHeaders, W<784, 13>>(self.header.val());
        assign! {
            total = given.ip.total_length, port = given.udp.destination_port, udp = given.udp.length,
            header_1.d = given, has_tag_1.d = has_tag
        }
        self.end_1.d.next = bit_cast_u::<17, 16>(self.total.val()) + 14;
        if self.has_tag.val() {
            self.end_1.d.next = bit_cast_u::<17, 16>(self.total.val()) + 18;
        }
        self.is_int.next = ((self.port.val() == self.port_int.val()) | (self.port.val() == self.port_echo.val()))
            & (self.port.val() != self.port_roce.val());
        self.role_1.d.next = FrameRole::Control;
        if self.port.val() == self.port_echo.val() {
            self.role_1.d.next = FrameRole::Echoed;
        }
        if self.port.val() == self.port_int.val() {
            self.role_1.d.next = FrameRole::Collected;
        }
        if self.port.val() == self.port_roce.val() {
            self.role_1.d.next = FrameRole::Plain;
        }
        self.code_1.d.next = bits_u::<3>(0);
        if self.is_int.val() {
            self.code_1.d.next = bits_u::<3>(6);
            if self.given.val().int_header.n_hop < 5 {
                self.code_1.d.next = bit_cast_u::<3, 4>(self.given.val().int_header.n_hop + 1);
            }
        }
        self.checksum_1.d.next = self.given.val().udp.checksum != 0;
        self.faults_1.d.next = bits_zero::<OuterFaults>(0);
        self.faults_1.d.next.ip_version = self.given.val().ip.version != 4;
        self.faults_1.d.next.ip_options = self.given.val().ip.ihl != 5;
        self.faults_1.d.next.ip_length = self.total.val() < 20;
        self.faults_1.d.next.ip_fragment =
            self.given.val().ip.more_fragments | (self.given.val().ip.fragment_offset != 0);
        self.faults_1.d.next.wrong_ip = self.given.val().ip.destination != self.own_ip.val();
        self.faults_1.d.next.not_udp = self.given.val().ip.protocol != 17;
        self.faults_1.d.next.udp_length = (self.total.val() < 28)
            | ((bit_cast_u::<17, 16>(self.udp.val()) + 20) != bit_cast_u::<17, 16>(self.total.val()));
        self.faults_1.d.next.udp_port = !self.is_int.val()
            & (self.port.val() != self.port_roce.val())
            & (self.port.val() != self.port_control.val());
        self.summands.next =
            bit_cast_word::<Ipv4Words, W<160, 3>>(bit_cast_bus::<160, 3, Ipv4Header>(self.given.val().ip));
        self.sum_a.d.next = bit_cast_u::<17, 16>(self.summands.val().version_tos)
            + bit_cast_u::<17, 16>(self.summands.val().total_length);
        self.sum_b.d.next = bit_cast_u::<17, 16>(self.summands.val().identification)
            + bit_cast_u::<17, 16>(self.summands.val().fragment);
        self.sum_c.d.next =
            bit_cast_u::<17, 16>(self.summands.val().ttl_protocol) + bit_cast_u::<17, 16>(self.summands.val().checksum);
        self.sum_d.d.next = bit_cast_u::<17, 16>(self.summands.val().source_high)
            + bit_cast_u::<17, 16>(self.summands.val().source_low);
        self.sum_e.d.next = bit_cast_u::<17, 16>(self.summands.val().destination_high)
            + bit_cast_u::<17, 16>(self.summands.val().destination_low);

        // stage 2: bytes of INT are 0, 2, 10, .. 42
        self.int_bytes.next = bits_u::<6>(0);
        if self.code_1.q.val() != 0 {
            self.int_bytes.next = (bit_cast_u::<6, 3>(self.code_1.q.val()) << 3) - 6;
        }
        self.bus_1.next = bit_cast_bus::<784, 13, InnerHeaders>(self.header_1.q.val());
        self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.bus_1.val());
        if self.code_1.q.val() == 0 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.bus_1.val() >> 336);
        }
        if self.code_1.q.val() == 1 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.bus_1.val() >> 320);
        }
        if self.code_1.q.val() == 2 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.bus_1.val() >> 256);
        }
        if self.code_1.q.val() == 3 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.bus_1.val() >> 192);
        }
        if self.code_1.q.val() == 4 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.bus_1.val() >> 128);
        }
        if self.code_1.q.val() == 5 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.bus_1.val() >> 64);
        }
        // the initial value DEBB20E3, first byte E3, in IP bytes 0 to 3; ones for what a router may change
        self.ip_short.next = self.header_1.q.val().ip.total_length - bit_cast_u::<16, 6>(self.int_bytes.val());
        self.udp_short.next = self.header_1.q.val().udp.length - bit_cast_u::<16, 6>(self.int_bytes.val());
        self.icrc_2.d.next.ip.version = self.header_1.q.val().ip.version ^ bits_u::<4>(0xe);
        self.icrc_2.d.next.ip.ihl = self.header_1.q.val().ip.ihl ^ bits_u::<4>(0x3);
        // 20 is the second byte of the initial value, all of it inverted by the ones
        self.icrc_2.d.next.ip.dscp = bits_u::<6>(0x37);
        self.icrc_2.d.next.ip.ecn = bits_u::<2>(0x3);
        self.icrc_2.d.next.ip.total_length = self.ip_short.val() ^ bits_u::<16>(0xbbde);
        fields!(icrc_2.d from header_1:
            ip.identification, ip.reserved, ip.do_not_fragment, ip.more_fragments, ip.fragment_offset);
        self.icrc_2.d.next.ip.ttl = bits_u::<8>(0xff);
        self.icrc_2.d.next.ip.protocol = self.header_1.q.val().ip.protocol;
        self.icrc_2.d.next.ip.checksum = bits_u::<16>(0xffff);
        fields!(icrc_2.d from header_1: ip.source, ip.destination, udp.source_port, udp.destination_port);
        fields!(icrc_2.d: udp.length = udp_short);
        self.icrc_2.d.next.udp.checksum = bits_u::<16>(0xffff);
        self.faults_2.d.next = self.faults_1.q.val();
        self.faults_2.d.next.udp_checksum = (self.role_1.q.val() != FrameRole::Plain) & self.checksum_1.q.val();
        self.summed_2.d.next = (self.role_1.q.val() == FrameRole::Plain) & self.checksum_1.q.val();
        self.ip_sum_2.d.next = bit_cast_u::<20, 17>(self.sum_a.q.val())
            + bit_cast_u::<20, 17>(self.sum_b.q.val())
            + bit_cast_u::<20, 17>(self.sum_c.q.val())
            + bit_cast_u::<20, 17>(self.sum_d.q.val())
            + bit_cast_u::<20, 17>(self.sum_e.q.val());
        advance!(role_2, code_2);
        assign!(int_len_2.d = int_bytes, udp_len_2.d = header_1.udp.length);
        self.end_2.d.next = self.end_1.q.val();
        assign!(src_ip_2.d = header_1.ip.source, ecn_2.d = header_1.ip.ecn);
        self.body_2.d.next = bit_cast_ww::<560, 9, 784, 13>(self.bus_1.val());
        self.has_tag_2.d.next = self.has_tag_1.q.val();

        self.faults.next = bit_cast_number::<10, OuterFaults>(self.faults_2.q.val());
        self.ip_sum.next = self.ip_sum_2.q.val();
        self.role.next = bit_cast_number::<2, FrameRole>(self.role_2.q.val());
        assign! {
            code = code_2, int_len = int_len_2, udp_len = udp_len_2, ip_end = end_2, ip_end_early = end_1,
            summed = summed_2, src_ip = src_ip_2, ecn = ecn_2, body = body_2, transport = transport_2
        }
        self.icrc_headers.next = bit_cast_bus::<224, 4, IpUdpHeaders>(self.icrc_2.q.val());
        self.has_tag_out.next = self.has_tag_2.q.val();
    }
}
