//! What the INT stamper of a switch puts into frames.

use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::kind! {
    /// Where the record of this hop is, seen from a beat.
    pub enum RecordAt {
        /// Nowhere: none is inserted, or not yet.
        Nowhere,
        /// It goes into this beat.
        Here,
        /// It is in an earlier beat.
        Before,
    }
}

crate::word! {
    /// What a hop records of itself, as the wire has it with the first byte in the highest bits.
    pub struct HopRecordWord {
        /// Bytes in the queue, in units of 80 bytes times the multiplier.
        queued: U<16>,
        /// Bytes sent before this frame, in units of 128 bytes times the multiplier.
        tx_bytes: U<20>,
        /// When the frame left, ns.
        ts: U<24>,
        /// Code of the port's speed.
        speed: U<4>,
    }

    /// IPv4 header, UDP header and INT header as they stand in a beat, the first byte lowest.
    pub struct StampWindow {
        /// 45: version 4, five words.
        version_ihl: U<8>,
        /// ECN.
        ecn: U<2>,
        /// DSCP.
        dscp: U<6>,
        /// Total length, first byte.
        total_length_high: U<8>,
        /// Second byte.
        total_length_low: U<8>,
        /// Identification.
        identification: U<16>,
        /// Fragment offset, upper bits.
        fragment_high: U<5>,
        /// More fragments follow.
        more_fragments: Bit,
        /// Not to be fragmented.
        do_not_fragment: Bit,
        /// Zero.
        reserved: Bit,
        /// Fragment offset, lower bits.
        fragment_low: U<8>,
        /// Time to live.
        ttl: U<8>,
        /// 17 is UDP.
        protocol: U<8>,
        /// Header checksum, first byte.
        checksum_high: U<8>,
        /// Second byte.
        checksum_low: U<8>,
        /// Sender.
        source: U<32>,
        /// Receiver.
        destination: U<32>,
        /// UDP port of the sender.
        source_port: U<16>,
        /// UDP port of the receiver, first byte.
        port_high: U<8>,
        /// Second byte.
        port_low: U<8>,
        /// UDP length, first byte.
        udp_length_high: U<8>,
        /// Second byte.
        udp_length_low: U<8>,
        /// UDP checksum.
        udp_checksum: U<16>,
        /// Path id, upper bits.
        path_high: U<4>,
        /// Switches on the path.
        n_hop: U<4>,
        /// Path id, lower bits.
        path_low: U<8>,
    }

    /// First beat of a frame without VLAN tag, the first byte lowest.
    pub struct UntaggedBeat {
        /// Receiver.
        destination: U<48>,
        /// Sender.
        source: U<48>,
        /// What follows; 00 08, bytes swapped, is IPv4.
        ethertype: U<16>,
        /// IPv4, UDP, INT.
        window: W<240, 4>,
        /// Bytes that follow.
        rest: W<160, 3>,
    }

    /// First beat of a frame with a VLAN tag, the first byte lowest.
    pub struct TaggedBeat {
        /// Receiver.
        destination: U<48>,
        /// Sender.
        source: U<48>,
        /// 81 00, bytes swapped.
        tag_type: U<16>,
        /// Tag control information.
        tag: U<16>,
        /// Ethertype of what follows.
        ethertype: U<16>,
        /// IPv4, UDP, INT.
        window: W<240, 4>,
        /// Bytes that follow.
        rest: W<128, 2>,
    }

    /// A number of 16 bits by its bytes.
    pub struct TwoBytes {
        /// Lower byte.
        low: U<8>,
        /// Upper byte, the first on the wire.
        high: U<8>,
    }

    /// A path id by its bytes.
    pub struct PathBytes {
        /// Lower byte.
        low: U<8>,
        /// Upper bits.
        high: U<4>,
    }

    /// A record by its bytes.
    pub struct RecordBytes {
        /// Lowest.
        byte_0: U<8>,
        /// Above it.
        byte_1: U<8>,
        /// Above it.
        byte_2: U<8>,
        /// Above it.
        byte_3: U<8>,
        /// Above it.
        byte_4: U<8>,
        /// Above it.
        byte_5: U<8>,
        /// Above it.
        byte_6: U<8>,
        /// Highest.
        byte_7: U<8>,
    }

    /// Byte enables of 64 bytes, ones from the first on.
    pub struct Enables64 {
        /// All of the lower half but its last.
        below: U<31>,
        /// The last of the lower half: all of it is enabled.
        lower_full: Bit,
        /// The upper half.
        upper: U<32>,
    }

    /// Byte enables of 32 bytes, ones from the first on.
    pub struct Enables32 {
        /// All of the lower half but its last.
        below: U<15>,
        /// The last of the lower half: all of it is enabled.
        lower_full: Bit,
        /// The upper half.
        upper: U<16>,
    }

    /// Byte enables of 16 bytes, ones from the first on.
    pub struct Enables16 {
        /// All of the lower half but its last.
        below: U<7>,
        /// The last of the lower half: all of it is enabled.
        lower_full: Bit,
        /// The upper half.
        upper: U<8>,
    }

    /// Byte enables of 8 bytes, ones from the first on.
    pub struct Enables8 {
        /// All of the lower half but its last.
        below: U<3>,
        /// The last of the lower half: all of it is enabled.
        lower_full: Bit,
        /// The upper half.
        upper: U<4>,
    }

    /// Byte enables of 4 bytes, ones from the first on.
    pub struct Enables4 {
        /// All of the lower half but its last.
        below: Bit,
        /// The last of the lower half: all of it is enabled.
        lower_full: Bit,
        /// The upper half.
        upper: U<2>,
    }

    /// Number of enabled bytes, below 128.
    pub struct EnabledBytes {
        /// Bits of the number, each with its weight.
        one: Bit,
        /// 2.
        two: Bit,
        /// 4.
        four: Bit,
        /// 8.
        eight: Bit,
        /// 16.
        sixteen: Bit,
        /// 32.
        thirty_two: Bit,
        /// 64.
        sixty_four: Bit,
    }

    /// Where a record begins, in units of four bytes.
    pub struct RecordPosition {
        /// Place in its beat.
        four: U<4>,
        /// It is the second beat.
        in_second: Bit,
    }

    /// A byte of half a beat.
    pub struct HalfBeatByte {
        /// Byte of four.
        in_four: U<2>,
        /// Which four.
        four: U<3>,
    }

    /// Byte enables of a beat.
    pub struct BeatEnables {
        /// Of all but the last eight bytes.
        rest: U<56>,
        /// Of the last eight bytes.
        last_eight: U<8>,
    }

    /// A beat into which a record was put, and what no longer fits.
    pub struct LongerBeat {
        /// The beat.
        beat: W<512, 8>,
        /// Goes into the next one.
        beyond: U<64>,
    }
}
