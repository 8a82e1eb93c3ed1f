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
    /// The beat is the first of its frame.
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
    #[signals(TwoBytes: port_bytes, ip_bytes, udp_bytes, checksum_bytes)]
    #[registers(Bit:
        /// Move 1: the first beat of an IPv4 frame that holds all headers up to the INT header.
        candidate,
        /// Move 1: the frame has a VLAN tag.
        tagged_1)]
    #[signals(U<16>: port, ip_in, udp_in, checksum_in)]
    /// Move 1: the headers from IPv4 to INT.
    window: DFF<StampWindow>,
    path_bytes: Signal<Local, PathBytes>,
    new_int: Signal<Local, IntHeader>,
    n_hop: Signal<Local, U<4>>,
    path: Signal<Local, U<12>>,
    // 2: every condition on its own, sums
    #[registers(Bit:
        /// Move 2: the IPv4 and UDP headers are those of a frame to stamp.
        fields_2,
        /// Move 2: the UDP destination port is that of INT being collected.
        port_2,
        /// Move 2: the frame has a VLAN tag.
        tagged_2,
        /// Move 2: there is room for another record.
        grows_2)]
    #[registers(U<16>:
        /// Move 2: IPv4 total length of the frame as it came.
        ip_2,
        /// Move 2: IPv4 total length that the frame has at least, with its records.
        least_2,
        /// Move 2: IPv4 total length with the new record.
        ip_len_2,
        /// Move 2: UDP length with the new record.
        udp_len_2,
        /// Move 2: the new INT header.
        int_2)]
    #[registers(U<17>:
        /// Move 2: IPv4 total length that belongs to the UDP length.
        udp_total_2,
        /// Move 2: the sum of the IPv4 header with the record's bytes, before its carry.
        sum_2)]
    /// Move 2: where the record goes, in units of four bytes.
    position_2: DFF<U<5>>,
    ours: Signal<Local, Bit>,
    // 3
    #[registers(Bit:
        /// Move 3: the frame qualifies.
        stamp_3,
        /// Move 3: the frame qualifies and gets a record.
        grow_3,
        /// Move 3: the frame has a VLAN tag.
        tagged_3)]
    #[registers(U<16>:
        /// Move 3: IPv4 total length with the new record.
        ip_len_3,
        /// Move 3: UDP length with the new record.
        udp_len_3,
        /// Move 3: IPv4 header checksum with the new record.
        checksum_3,
        /// Move 3: the new INT header.
        int_3)]
    /// Move 3: where the record goes, in units of four bytes.
    position_3: DFF<U<5>>,
}

#[kernel]
impl Logic for StampHeader {
    fn update(&mut self) {
        // EtherTypes with the first byte of the wire in the low half: 0x8100 a tag, 0x0800 IPv4
        without_tag = bit_cast_word::<UntaggedBeat, W<512, 8>>(data);
        with_tag = bit_cast_word::<TaggedBeat, W<512, 8>>(data);
        type_outer = without_tag.ethertype;
        is_tagged = type_outer == 0x0081;
        if go {
            tagged_1 = is_tagged;
            if is_tagged {
                window = bit_cast_word::<StampWindow, W<240, 4>>(with_tag.window);
                candidate = first & keep.get_bit(47) & (with_tag.ethertype == 0x0008);
            } else {
                window = bit_cast_word::<StampWindow, W<240, 4>>(without_tag.window);
                candidate = first & keep.get_bit(43) & (type_outer == 0x0008);
            }
        }

        // numbers: most significant byte first on the wire
        fields!(ip_bytes from window: low = total_length_low, high = total_length_high);
        ip_in = bit_cast_number::<16, TwoBytes>(ip_bytes);
        fields!(checksum_bytes from window: low = checksum_low, high = checksum_high);
        checksum_in = bit_cast_number::<16, TwoBytes>(checksum_bytes);
        fields!(port_bytes from window: low = port_low, high = port_high);
        port = bit_cast_number::<16, TwoBytes>(port_bytes);
        fields!(udp_bytes from window: low = udp_length_low, high = udp_length_high);
        udp_in = bit_cast_number::<16, TwoBytes>(udp_bytes);
        n_hop = window.n_hop;
        fields!(path_bytes from window: low = path_low, high = path_high);
        path = bit_cast_number::<12, PathBytes>(path_bytes);
        // the number of hops saturates
        new_int.path_id = path ^ switch_id;
        new_int.n_hop = if n_hop != 15 { n_hop + 1 } else { n_hop };
        if go {
            // version 4 and five words; DSCP; not a fragment; UDP; no UDP checksum
            fields_2 = candidate
                & (window.version_ihl == 0x45)
                & (window.dscp == dscp)
                & (window.fragment_high == 0)
                & !window.more_fragments
                & (window.fragment_low == 0)
                & (window.protocol == 17)
                & (window.udp_checksum == 0);
            port_2 = port == int_port;
            tagged_2 = tagged_1;
            grows_2 = n_hop < 5;
            ip_2 = ip_in;
            udp_total_2 = bit_cast_u::<17, 16>(udp_in) + 20;
            ip_len_2 = ip_in + 8;
            udp_len_2 = udp_in + 8;
            sum_2 = bit_cast_u::<17, 16>(!checksum_in) + 8;
            // IPv4 20, UDP 8, INT 2 + 8 n, BTH 12, ICRC 4
            if n_hop < 5 {
                least_2 = (bit_cast_u::<16, 4>(n_hop) << 3) + 46;
            } else {
                least_2 = bits_u::<16>(86);
            }
            if tagged_1 {
                position_2 = (bit_cast_u::<5, 4>(n_hop) << 1) + 12;
            } else {
                position_2 = (bit_cast_u::<5, 4>(n_hop) << 1) + 11;
            }
            int_2 = bit_cast_number::<16, IntHeader>(new_int);
        }

        // a total length of 65528 or more could not grow
        ours = fields_2
            & port_2
            & (bit_cast_u::<17, 16>(ip_2) == udp_total_2)
            & (ip_2 >= least_2)
            & !ip_2.get_bits::<13>(3).all();
        if go {
            stamp_3 = ours;
            grow_3 = ours & grows_2;
            advance!(tagged_3, ip_len_3, udp_len_3);
            checksum_3 = !(bit_cast_u::<16, 17>(sum_2) + bit_cast_u::<16, 1>(bit_cast_b(sum_2.get_bit(16))));
            advance!(int_3, position_3);
        }
        assign! {
            stamp = stamp_3, grow = grow_3, has_tag = tagged_3, position = position_3, ip_len = ip_len_3,
            udp_len = udp_len_3, checksum = checksum_3, int_header = int_3
        }
    }
}
