//! First beat of a frame: does it qualify for INT, and what its header fields become.
//!
//! Ethernet with at most one VLAN tag, IPv4 without options, UDP and the INT header all lie in the first 64 bytes. The conditions
//! are those of [`hpcc_models::wire::StampConfig`].

use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::switch::{PathBytes, StampWindow, TaggedBeat, TwoBytes, UntaggedBeat};
use crate::words::wire::IntHeader;
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
    without_tag: Signal<Local, UntaggedBeat>,
    with_tag: Signal<Local, TaggedBeat>,
    type_outer: Signal<Local, U<16>>,
    is_tagged: Signal<Local, Bit>,
    // 1: IPv4 header to INT header, 30 bytes
    window: DFF<StampWindow>,
    port_bytes: Signal<Local, TwoBytes>,
    ip_bytes: Signal<Local, TwoBytes>,
    udp_bytes: Signal<Local, TwoBytes>,
    checksum_bytes: Signal<Local, TwoBytes>,
    path_bytes: Signal<Local, PathBytes>,
    new_int: Signal<Local, IntHeader>,
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
        self.without_tag.next = bit_cast_word::<UntaggedBeat, W<512, 8>>(self.data.val());
        self.with_tag.next = bit_cast_word::<TaggedBeat, W<512, 8>>(self.data.val());
        self.type_outer.next = self.without_tag.val().ethertype;
        self.is_tagged.next = self.type_outer.val() == 0x0081;
        if self.go.val() {
            self.tagged_1.d.next = self.is_tagged.val();
            if self.is_tagged.val() {
                self.window.d.next = bit_cast_word::<StampWindow, W<240, 4>>(self.with_tag.val().window);
                self.candidate.d.next =
                    self.first.val() & self.keep.val().get_bit(47) & (self.with_tag.val().ethertype == 0x0008);
            } else {
                self.window.d.next = bit_cast_word::<StampWindow, W<240, 4>>(self.without_tag.val().window);
                self.candidate.d.next =
                    self.first.val() & self.keep.val().get_bit(43) & (self.type_outer.val() == 0x0008);
            }
        }

        // numbers: most significant byte first on the wire
        fields!(ip_bytes from window: low = total_length_low, high = total_length_high);
        self.ip_in.next = bit_cast_number::<16, TwoBytes>(self.ip_bytes.val());
        fields!(checksum_bytes from window: low = checksum_low, high = checksum_high);
        self.checksum_in.next = bit_cast_number::<16, TwoBytes>(self.checksum_bytes.val());
        fields!(port_bytes from window: low = port_low, high = port_high);
        self.port.next = bit_cast_number::<16, TwoBytes>(self.port_bytes.val());
        fields!(udp_bytes from window: low = udp_length_low, high = udp_length_high);
        self.udp_in.next = bit_cast_number::<16, TwoBytes>(self.udp_bytes.val());
        self.n_hop.next = self.window.q.val().n_hop;
        fields!(path_bytes from window: low = path_low, high = path_high);
        self.path.next = bit_cast_number::<12, PathBytes>(self.path_bytes.val());
        // the number of hops saturates
        self.new_int.next.path_id = self.path.val() ^ self.switch_id.val();
        self.new_int.next.n_hop = self.n_hop.val();
        if self.n_hop.val() != 15 {
            self.new_int.next.n_hop = self.n_hop.val() + 1;
        }
        if self.go.val() {
            // version 4 and five words; DSCP; not a fragment; UDP; no UDP checksum
            self.fields_2.d.next = self.candidate.q.val()
                & (self.window.q.val().version_ihl == 0x45)
                & (self.window.q.val().dscp == self.dscp.val())
                & (self.window.q.val().fragment_high == 0)
                & !self.window.q.val().more_fragments
                & (self.window.q.val().fragment_low == 0)
                & (self.window.q.val().protocol == 17)
                & (self.window.q.val().udp_checksum == 0);
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
            self.int_2.d.next = bit_cast_number::<16, IntHeader>(self.new_int.val());
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
            advance!(tagged_3, ip_len_3, udp_len_3);
            self.checksum_3.d.next = !(bit_cast_u::<16, 17>(self.sum_2.q.val())
                + bit_cast_u::<16, 1>(bit_cast_b(self.sum_2.q.val().get_bit(16))));
            advance!(int_3, position_3);
        }
        assign! {
            stamp = stamp_3, grow = grow_3, has_tag = tagged_3, position = position_3, ip_len = ip_len_3,
            udp_len = udp_len_3, checksum = checksum_3, int_header = int_3
        }
    }
}
