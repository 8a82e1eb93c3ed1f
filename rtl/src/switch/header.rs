//! First beat of a frame: does it qualify for INT, and what its header fields become.
//!
//! Ethernet with at most one VLAN tag, IPv4 without options, UDP and the INT header all lie in the first 64 bytes. The conditions
//! are those of [`hpcc_models::wire::StampConfig`].

use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_ww, W};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Three stages that move when `go` is high; byte 0 of the frame is in the lowest bits of `data`.
#[block]
pub struct StampHeader {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The pipeline moves.
    pub go: Signal<In, Bit>,
    /// The beat.
    pub data: Signal<In, W<512, 8>>,
    /// Its byte enables.
    pub keep: Signal<In, U<64>>,
    /// It is the first of its frame.
    pub first: Signal<In, Bit>,
    /// UDP destination port of INT being collected.
    pub int_port: Signal<In, U<16>>,
    /// DSCP of packets to stamp.
    pub dscp: Signal<In, U<6>>,
    /// Id of the switch.
    pub switch_id: Signal<In, U<12>>,
    /// Three moves later: the frame qualifies.
    pub stamp: Signal<Out, Bit>,
    /// It qualifies and gets a record.
    pub grow: Signal<Out, Bit>,
    /// It has a VLAN tag.
    pub has_tag: Signal<Out, Bit>,
    /// Where the record goes, in units of four bytes from the start of the frame: 11 to 20.
    pub position: Signal<Out, U<5>>,
    /// New IPv4 total length.
    pub ip_len: Signal<Out, U<16>>,
    /// New IPv4 header checksum.
    pub checksum: Signal<Out, U<16>>,
    /// New UDP length.
    pub udp_len: Signal<Out, U<16>>,
    /// New `nHop` and `pathID`.
    pub int_header: Signal<Out, U<16>>,
    type_outer: Signal<Local, U<16>>,
    is_tagged: Signal<Local, Bit>,
    // 1: IPv4 header to INT header, 30 bytes
    window: DFF<W<240, 4>>,
    candidate: DFF<Bit>,
    tagged_1: DFF<Bit>,
    port: Signal<Local, U<16>>,
    ip_in: Signal<Local, U<16>>,
    udp_in: Signal<Local, U<16>>,
    checksum_in: Signal<Local, U<16>>,
    n_hop: Signal<Local, U<4>>,
    path: Signal<Local, U<12>>,
    // 2: every condition on its own, sums
    fields_2: DFF<Bit>,
    port_2: DFF<Bit>,
    tagged_2: DFF<Bit>,
    grows_2: DFF<Bit>,
    ip_2: DFF<U<16>>,
    udp_total_2: DFF<U<17>>,
    least_2: DFF<U<16>>,
    ip_len_2: DFF<U<16>>,
    udp_len_2: DFF<U<16>>,
    sum_2: DFF<U<17>>,
    int_2: DFF<U<16>>,
    position_2: DFF<U<5>>,
    ours: Signal<Local, Bit>,
    // 3
    stamp_3: DFF<Bit>,
    grow_3: DFF<Bit>,
    tagged_3: DFF<Bit>,
    ip_len_3: DFF<U<16>>,
    udp_len_3: DFF<U<16>>,
    checksum_3: DFF<U<16>>,
    int_3: DFF<U<16>>,
    position_3: DFF<U<5>>,
}

#[kernel]
impl Logic for StampHeader {
    fn update(&mut self) {
        // EtherTypes with the first byte of the wire in the low half: 0x8100 a tag, 0x0800 IPv4
        self.type_outer.next = self.data.val().get_bits::<16>(96);
        self.is_tagged.next = self.type_outer.val() == 0x0081;
        if self.go.val() {
            self.tagged_1.d.next = self.is_tagged.val();
            if self.is_tagged.val() {
                self.window.d.next = bit_cast_ww::<240, 4, 512, 8>(self.data.val() >> 144);
                self.candidate.d.next =
                    self.first.val() & self.keep.val().get_bit(47) & (self.data.val().get_bits::<16>(128) == 0x0008);
            } else {
                self.window.d.next = bit_cast_ww::<240, 4, 512, 8>(self.data.val() >> 112);
                self.candidate.d.next =
                    self.first.val() & self.keep.val().get_bit(43) & (self.type_outer.val() == 0x0008);
            }
        }

        // numbers: most significant byte first on the wire
        self.ip_in.next = (bit_cast_u::<16, 8>(self.window.q.val().get_bits::<8>(16)) << 8)
            | bit_cast_u::<16, 8>(self.window.q.val().get_bits::<8>(24));
        self.checksum_in.next = (bit_cast_u::<16, 8>(self.window.q.val().get_bits::<8>(80)) << 8)
            | bit_cast_u::<16, 8>(self.window.q.val().get_bits::<8>(88));
        self.port.next = (bit_cast_u::<16, 8>(self.window.q.val().get_bits::<8>(176)) << 8)
            | bit_cast_u::<16, 8>(self.window.q.val().get_bits::<8>(184));
        self.udp_in.next = (bit_cast_u::<16, 8>(self.window.q.val().get_bits::<8>(192)) << 8)
            | bit_cast_u::<16, 8>(self.window.q.val().get_bits::<8>(200));
        self.n_hop.next = self.window.q.val().get_bits::<4>(228);
        self.path.next = (bit_cast_u::<12, 4>(self.window.q.val().get_bits::<4>(224)) << 8)
            | bit_cast_u::<12, 8>(self.window.q.val().get_bits::<8>(232));
        if self.go.val() {
            // version 4 and five words; DSCP; not a fragment; UDP; no UDP checksum
            self.fields_2.d.next = self.candidate.q.val()
                & (self.window.q.val().get_bits::<8>(0) == 0x45)
                & (self.window.q.val().get_bits::<6>(10) == self.dscp.val())
                & (self.window.q.val().get_bits::<6>(48) == 0)
                & (self.window.q.val().get_bits::<8>(56) == 0)
                & (self.window.q.val().get_bits::<8>(72) == 17)
                & (self.window.q.val().get_bits::<16>(208) == 0);
            self.port_2.d.next = self.port.val() == self.int_port.val();
            self.tagged_2.d.next = self.tagged_1.q.val();
            self.grows_2.d.next = self.n_hop.val() < 5;
            self.ip_2.d.next = self.ip_in.val();
            self.udp_total_2.d.next = bit_cast_u::<17, 16>(self.udp_in.val()) + 20;
            self.ip_len_2.d.next = self.ip_in.val() + 8;
            self.udp_len_2.d.next = self.udp_in.val() + 8;
            self.sum_2.d.next = bit_cast_u::<17, 16>(!self.checksum_in.val()) + 8;
            // IPv4 20, UDP 8, INT 2 + 8 n, BTH 12, ICRC 4
            if self.n_hop.val() < 5 {
                self.least_2.d.next = (bit_cast_u::<16, 4>(self.n_hop.val()) << 3) + 46;
            } else {
                self.least_2.d.next = bits_u::<16>(86);
            }
            if self.tagged_1.q.val() {
                self.position_2.d.next = (bit_cast_u::<5, 4>(self.n_hop.val()) << 1) + 12;
            } else {
                self.position_2.d.next = (bit_cast_u::<5, 4>(self.n_hop.val()) << 1) + 11;
            }
            if self.n_hop.val() == 15 {
                self.int_2.d.next = bits_u::<16>(0xf000) | bit_cast_u::<16, 12>(self.path.val() ^ self.switch_id.val());
            } else {
                self.int_2.d.next = (bit_cast_u::<16, 4>(self.n_hop.val() + 1) << 12)
                    | bit_cast_u::<16, 12>(self.path.val() ^ self.switch_id.val());
            }
        }

        // a total length of 65528 or more could not grow
        self.ours.next = self.fields_2.q.val()
            & self.port_2.q.val()
            & (bit_cast_u::<17, 16>(self.ip_2.q.val()) == self.udp_total_2.q.val())
            & (self.ip_2.q.val() >= self.least_2.q.val())
            & !self.ip_2.q.val().get_bits::<13>(3).all();
        if self.go.val() {
            self.stamp_3.d.next = self.ours.val();
            self.grow_3.d.next = self.ours.val() & self.grows_2.q.val();
            self.tagged_3.d.next = self.tagged_2.q.val();
            self.ip_len_3.d.next = self.ip_len_2.q.val();
            self.udp_len_3.d.next = self.udp_len_2.q.val();
            self.checksum_3.d.next = !(bit_cast_u::<16, 17>(self.sum_2.q.val())
                + bit_cast_u::<16, 1>(bit_cast_b(self.sum_2.q.val().get_bit(16))));
            self.int_3.d.next = self.int_2.q.val();
            self.position_3.d.next = self.position_2.q.val();
        }
        self.stamp.next = self.stamp_3.q.val();
        self.grow.next = self.grow_3.q.val();
        self.has_tag.next = self.tagged_3.q.val();
        self.position.next = self.position_3.q.val();
        self.ip_len.next = self.ip_len_3.q.val();
        self.udp_len.next = self.udp_len_3.q.val();
        self.checksum.next = self.checksum_3.q.val();
        self.int_header.next = self.int_3.q.val();
    }
}
