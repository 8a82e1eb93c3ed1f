//! IPv4, UDP, and where the BTH begins behind the INT stack. Two clocks.

use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
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
    /// From bit 0: version, options, total length below 20, header checksum (always zero here), fragment, address, protocol, UDP length,
    /// port, checksum where none may be.
    pub faults: Signal<Out, U<10>>,
    /// IPv4 header sum, to be folded: right if it folds to ones.
    pub ip_sum: Signal<Out, U<20>>,
    /// 0 plain, 1 INT collected, 2 INT echoed, 3 control.
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
    port: Signal<Local, U<16>>,
    total: Signal<Local, U<16>>,
    udp: Signal<Local, U<16>>,
    is_int: Signal<Local, Bit>,
    // 1
    header_1: DFF<W<784, 13>>,
    has_tag_1: DFF<Bit>,
    role_1: DFF<U<2>>,
    code_1: DFF<U<3>>,
    faults_1: DFF<U<10>>,
    end_1: DFF<U<17>>,
    sum_a: DFF<U<17>>,
    sum_b: DFF<U<17>>,
    sum_c: DFF<U<17>>,
    sum_d: DFF<U<17>>,
    sum_e: DFF<U<17>>,
    checksum_1: DFF<Bit>,
    int_bytes: Signal<Local, U<6>>,
    ip_short: Signal<Local, U<16>>,
    udp_short: Signal<Local, U<16>>,
    // 2
    faults_2: DFF<U<10>>,
    ip_sum_2: DFF<U<20>>,
    role_2: DFF<U<2>>,
    code_2: DFF<U<3>>,
    int_len_2: DFF<U<6>>,
    udp_len_2: DFF<U<16>>,
    end_2: DFF<U<17>>,
    summed_2: DFF<Bit>,
    src_ip_2: DFF<U<32>>,
    ecn_2: DFF<U<2>>,
    body_2: DFF<W<560, 9>>,
    transport_2: DFF<W<224, 4>>,
    icrc_2: DFF<W<224, 4>>,
    has_tag_2: DFF<Bit>,
}

#[kernel]
impl Logic for OuterHeader {
    fn update(&mut self) {
        // stage 1: byte n of IP is in bits 8 (97 - n) up
        self.total.next = self.header.val().get_bits::<16>(752);
        self.port.next = self.header.val().get_bits::<16>(592);
        self.udp.next = self.header.val().get_bits::<16>(576);
        self.header_1.d.next = self.header.val();
        self.has_tag_1.d.next = self.has_tag.val();
        self.end_1.d.next = bit_cast_u::<17, 16>(self.total.val()) + 14;
        if self.has_tag.val() {
            self.end_1.d.next = bit_cast_u::<17, 16>(self.total.val()) + 18;
        }
        self.is_int.next = ((self.port.val() == self.port_int.val()) | (self.port.val() == self.port_echo.val()))
            & (self.port.val() != self.port_roce.val());
        self.role_1.d.next = bits_u::<2>(3);
        if self.port.val() == self.port_echo.val() {
            self.role_1.d.next = bits_u::<2>(2);
        }
        if self.port.val() == self.port_int.val() {
            self.role_1.d.next = bits_u::<2>(1);
        }
        if self.port.val() == self.port_roce.val() {
            self.role_1.d.next = bits_u::<2>(0);
        }
        self.code_1.d.next = bits_u::<3>(0);
        if self.is_int.val() {
            self.code_1.d.next = bits_u::<3>(6);
            if self.header.val().get_bits::<4>(556) < 5 {
                self.code_1.d.next = bit_cast_u::<3, 4>(self.header.val().get_bits::<4>(556) + 1);
            }
        }
        self.checksum_1.d.next = self.header.val().get_bits::<16>(560) != 0;
        self.faults_1.d.next = bit_cast_u::<10, 1>(bit_cast_b(self.header.val().get_bits::<4>(780) != 4))
            | (bit_cast_u::<10, 1>(bit_cast_b(self.header.val().get_bits::<4>(776) != 5)) << 1)
            | (bit_cast_u::<10, 1>(bit_cast_b(self.total.val() < 20)) << 2)
            | (bit_cast_u::<10, 1>(bit_cast_b(self.header.val().get_bits::<14>(720) != 0)) << 4)
            | (bit_cast_u::<10, 1>(bit_cast_b(self.header.val().get_bits::<32>(624) != self.own_ip.val())) << 5)
            | (bit_cast_u::<10, 1>(bit_cast_b(self.header.val().get_bits::<8>(704) != 17)) << 6)
            | (bit_cast_u::<10, 1>(bit_cast_b(
                (self.total.val() < 28)
                    | ((bit_cast_u::<17, 16>(self.udp.val()) + 20) != bit_cast_u::<17, 16>(self.total.val())),
            )) << 7)
            | (bit_cast_u::<10, 1>(bit_cast_b(
                !self.is_int.val()
                    & (self.port.val() != self.port_roce.val())
                    & (self.port.val() != self.port_control.val()),
            )) << 8);
        self.sum_a.d.next = bit_cast_u::<17, 16>(self.header.val().get_bits::<16>(768))
            + bit_cast_u::<17, 16>(self.header.val().get_bits::<16>(752));
        self.sum_b.d.next = bit_cast_u::<17, 16>(self.header.val().get_bits::<16>(736))
            + bit_cast_u::<17, 16>(self.header.val().get_bits::<16>(720));
        self.sum_c.d.next = bit_cast_u::<17, 16>(self.header.val().get_bits::<16>(704))
            + bit_cast_u::<17, 16>(self.header.val().get_bits::<16>(688));
        self.sum_d.d.next = bit_cast_u::<17, 16>(self.header.val().get_bits::<16>(672))
            + bit_cast_u::<17, 16>(self.header.val().get_bits::<16>(656));
        self.sum_e.d.next = bit_cast_u::<17, 16>(self.header.val().get_bits::<16>(640))
            + bit_cast_u::<17, 16>(self.header.val().get_bits::<16>(624));

        // stage 2: bytes of INT are 0, 2, 10, .. 42
        self.int_bytes.next = bits_u::<6>(0);
        if self.code_1.q.val() != 0 {
            self.int_bytes.next = (bit_cast_u::<6, 3>(self.code_1.q.val()) << 3) - 6;
        }
        self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.header_1.q.val());
        if self.code_1.q.val() == 0 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.header_1.q.val() >> 336);
        }
        if self.code_1.q.val() == 1 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.header_1.q.val() >> 320);
        }
        if self.code_1.q.val() == 2 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.header_1.q.val() >> 256);
        }
        if self.code_1.q.val() == 3 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.header_1.q.val() >> 192);
        }
        if self.code_1.q.val() == 4 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.header_1.q.val() >> 128);
        }
        if self.code_1.q.val() == 5 {
            self.transport_2.d.next = bit_cast_ww::<224, 4, 784, 13>(self.header_1.q.val() >> 64);
        }
        // the initial value DEBB20E3, first byte E3, in IP bytes 0 to 3; ones for what a router may change
        self.ip_short.next = self.header_1.q.val().get_bits::<16>(752) - bit_cast_u::<16, 6>(self.int_bytes.val());
        self.udp_short.next = self.header_1.q.val().get_bits::<16>(576) - bit_cast_u::<16, 6>(self.int_bytes.val());
        self.icrc_2.d.next = (bit_cast_w::<224, 4, 8>(self.header_1.q.val().get_bits::<8>(776) ^ bits_u::<8>(0xe3))
            << 216)
            | (bit_cast_w::<224, 4, 8>(bits_u::<8>(0xdf)) << 208)
            | (bit_cast_w::<224, 4, 16>(self.ip_short.val() ^ bits_u::<16>(0xbbde)) << 192)
            | (bit_cast_w::<224, 4, 32>(self.header_1.q.val().get_bits::<32>(720)) << 160)
            | (bit_cast_w::<224, 4, 8>(bits_u::<8>(0xff)) << 152)
            | (bit_cast_w::<224, 4, 8>(self.header_1.q.val().get_bits::<8>(704)) << 144)
            | (bit_cast_w::<224, 4, 16>(bits_u::<16>(0xffff)) << 128)
            | (bit_cast_w::<224, 4, 64>(self.header_1.q.val().get_bits::<64>(624)) << 64)
            | (bit_cast_w::<224, 4, 32>(self.header_1.q.val().get_bits::<32>(592)) << 32)
            | (bit_cast_w::<224, 4, 16>(self.udp_short.val()) << 16)
            | bit_cast_w::<224, 4, 16>(bits_u::<16>(0xffff));
        self.faults_2.d.next = self.faults_1.q.val()
            | (bit_cast_u::<10, 1>(bit_cast_b((self.role_1.q.val() != 0) & self.checksum_1.q.val())) << 9);
        self.summed_2.d.next = (self.role_1.q.val() == 0) & self.checksum_1.q.val();
        self.ip_sum_2.d.next = bit_cast_u::<20, 17>(self.sum_a.q.val())
            + bit_cast_u::<20, 17>(self.sum_b.q.val())
            + bit_cast_u::<20, 17>(self.sum_c.q.val())
            + bit_cast_u::<20, 17>(self.sum_d.q.val())
            + bit_cast_u::<20, 17>(self.sum_e.q.val());
        self.role_2.d.next = self.role_1.q.val();
        self.code_2.d.next = self.code_1.q.val();
        self.int_len_2.d.next = self.int_bytes.val();
        self.udp_len_2.d.next = self.header_1.q.val().get_bits::<16>(576);
        self.end_2.d.next = self.end_1.q.val();
        self.src_ip_2.d.next = self.header_1.q.val().get_bits::<32>(656);
        self.ecn_2.d.next = self.header_1.q.val().get_bits::<2>(768);
        self.body_2.d.next = bit_cast_ww::<560, 9, 784, 13>(self.header_1.q.val());
        self.has_tag_2.d.next = self.has_tag_1.q.val();

        self.faults.next = self.faults_2.q.val();
        self.ip_sum.next = self.ip_sum_2.q.val();
        self.role.next = self.role_2.q.val();
        self.code.next = self.code_2.q.val();
        self.int_len.next = self.int_len_2.q.val();
        self.udp_len.next = self.udp_len_2.q.val();
        self.ip_end.next = self.end_2.q.val();
        self.ip_end_early.next = self.end_1.q.val();
        self.summed.next = self.summed_2.q.val();
        self.src_ip.next = self.src_ip_2.q.val();
        self.ecn.next = self.ecn_2.q.val();
        self.body.next = self.body_2.q.val();
        self.transport.next = self.transport_2.q.val();
        self.icrc_headers.next = self.icrc_2.q.val();
        self.has_tag_out.next = self.has_tag_2.q.val();
    }
}
