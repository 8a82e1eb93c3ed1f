//! Headers on the wire, the INT stack, the ICRC and packet captures.
//!
//! Two levels per header: a view over bytes with checked construction, and a `Repr` of its meaning with `parse`, `emit`
//! and a length. The byte offsets of a header live in the private module `field` of its file and nowhere else.
//!
//! `Ethernet 14 [VLAN 4] | IPv4 20 | UDP 8 | [INT 2 + 8 n] | BTH 12 | [RETH 16 or AETH 4] | payload | pad | ICRC 4`

mod addr;
mod aeth;
mod bth;
mod bytes;
mod capture;
mod checksum;
mod control;
mod datagram;
mod error;
mod ethernet;
mod icrc;
mod int;
mod ipv4;
mod notification;
mod opcode;
mod packet;
mod pcap;
mod ports;
mod reth;
mod siphash;
mod stamp;
mod strip;
pub mod telemetry;
mod udp;
mod verbs;

pub use addr::{MacAddr, ParseMacError};
pub use aeth::{rnr_wait_ns, AethRepr, AethView, NakCode, Syndrome, AETH_LEN, SYNDROME_ACK};
pub use bth::{BthRepr, BthView, BTH_LEN, PKEY_DEFAULT};
pub use capture::{each_packet, CapturedPacket};
pub use checksum::{internet_checksum, udp_checksum};
pub use control::{ControlOp, ControlRepr, ControlView, CONTROL_LEN};
pub use datagram::{udp_frame, Route};
pub use error::WireError;
pub use ethernet::{EthernetRepr, EthernetView, ETHERTYPE_IPV4, ETHERTYPE_VLAN};
pub use icrc::{crc32, crc32_update, icrc, icrc_with_int, ICRC_LEN, ICRC_PRESET};
pub use int::{
    int_header_len, pack_record, unpack_record, IntStack, INT_EMPTY, INT_FIXED_LEN, INT_MAX_LEN, INT_RECORD_LEN,
    MAX_N_HOP,
};
pub use ipv4::{mark_congestion, Ipv4Repr, Ipv4View, ECN_CE, IPV4_LEN, PROTOCOL_UDP};
pub use notification::{NotificationRepr, NOTIFICATION_LEN};
pub use opcode::{Opcode, Position, CNP_LEN};
pub use packet::{Extension, RocePacket};
pub use pcap::{read_pcap, PcapError, PcapSink, TimedFrame};
pub use ports::{PortRole, Ports};
pub use reth::{RethRepr, RethView, RETH_LEN};
pub use siphash::siphash24;
pub use stamp::{wire_occupancy, StampConfig, Stamped, Stamper, MIN_WIRE_FRAME};
pub use strip::strip_int;
pub use udp::{UdpRepr, UdpView, UDP_LEN};
pub use verbs::{
    atomic_answer, parse_atomic_answer, split, AtomicRepr, Verb, VerbHeader, ATOMIC_ACKNOWLEDGE, IMMEDIATE_LEN,
};

/// Bytes of the smallest frame that is looked at: Ethernet, IPv4 and UDP headers.
pub const MIN_FRAME_LEN: usize = 42;

/// Bytes a frame occupies on the wire beyond those handed to the MAC: FCS 4, preamble 8, gap 12.
pub const FRAME_OVERHEAD: usize = 24;

/// PSN, MSN and QP numbers are 24 bits wide.
pub const MASK_24: u32 = 0x00ff_ffff;

/// Distance from `b` to `a` in 24-bit serial arithmetic: positive when `a` is ahead, in `-2^23 .. 2^23`.
pub fn psn_diff(a: u32, b: u32) -> i32 {
    (a.wrapping_sub(b) << 8) as i32 >> 8
}

#[cfg(test)]
mod tests {
    use super::psn_diff;

    #[test]
    fn psn_distance_wraps_at_24_bits() {
        assert_eq!(psn_diff(5, 3), 2);
        assert_eq!(psn_diff(3, 5), -2);
        assert_eq!(psn_diff(0, 0xff_ffff), 1);
        assert_eq!(psn_diff(0xff_ffff, 0), -1);
        assert_eq!(psn_diff(0x7f_ffff, 0), 0x7f_ffff);
        assert_eq!(psn_diff(0x80_0000, 0), -0x80_0000);
        assert_eq!(psn_diff(0x7f_fffe, 0xff_ffff), 0x7f_ffff);
    }
}
