//! What a switch does to an INT frame as it leaves the queue, byte for byte: the reference of the RTL stamper.
//!
//! In: a frame without FCS, the time and the bytes queued behind it. Out: the same frame, with `nHop` and `pathID` moved on
//! and, on the first five hops, eight bytes longer: record after the stack, IPv4 total length, header checksum and UDP length
//! corrected. The ICRC needs no change: it does not cover INT. Frames that do not qualify pass untouched.

use super::bytes::{get16, put};
use super::int::{IntStack, INT_RECORD_LEN};
use super::{EthernetView, ETHERTYPE_IPV4, FRAME_OVERHEAD, INT_FIXED_LEN, IPV4_LEN, PROTOCOL_UDP, UDP_LEN};
use crate::cc::hpcc::{Q_UNIT, TS_WRAP, TX_UNIT, TX_WRAP};
use crate::cc::HopRecord;

mod field {
    use core::ops::Range;
    // From the start of the IPv4 header.
    pub const VERSION_IHL: usize = 0;
    pub const TOS: usize = 1;
    pub const IP_LEN: Range<usize> = 2..4;
    pub const FRAGMENT: Range<usize> = 6..8;
    pub const PROTOCOL: usize = 9;
    pub const IP_CHECKSUM: Range<usize> = 10..12;
    pub const DST_PORT: Range<usize> = 22..24;
    pub const UDP_LENGTH: Range<usize> = 24..26;
    pub const UDP_CHECKSUM: Range<usize> = 26..28;
}

/// Bytes that follow the stack in every INT packet: BTH and ICRC.
const AFTER_STACK: usize = 16;
/// A MAC pads shorter frames to this, FCS not counted.
pub const MIN_WIRE_FRAME: usize = 60;

/// Registers of one switch port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StampConfig {
    /// UDP destination port of INT being collected.
    pub int_port: u16,
    /// DSCP of packets to stamp, 6 bits.
    pub dscp: u8,
    /// Id of the switch, 12 bits.
    pub switch_id: u16,
    /// Speed code of the port, 4 bits.
    pub speed: u8,
    /// Multiplies the units of both counters; the hardware takes 1, 2, 4 and 8.
    pub int_multi: u32,
}

impl Default for StampConfig {
    fn default() -> Self {
        Self {
            int_port: super::Ports::default().int_collect,
            dscp: 26,
            switch_id: 0,
            speed: 0,
            int_multi: 1,
        }
    }
}

impl StampConfig {
    /// The record of a packet that leaves now.
    ///
    /// `tx_bytes`: wire bytes that the port had sent before it; `q_bytes`: bytes still queued behind it.
    pub fn record(&self, now_ns: u64, tx_bytes: u64, q_bytes: u64) -> HopRecord {
        let multi = u64::from(self.int_multi);
        HopRecord {
            speed: self.speed & 15,
            ts: (now_ns % u64::from(TS_WRAP)) as u32,
            tx_bytes: (tx_bytes / (TX_UNIT * multi) % u64::from(TX_WRAP)) as u32,
            q_len: u16::try_from(q_bytes / (Q_UNIT * multi)).unwrap_or(u16::MAX),
        }
    }
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stamped {
    /// Not an INT frame: untouched.
    No,
    /// `nHop` was five or more: counted, no record.
    Counted,
    /// Eight bytes longer.
    Recorded,
    /// The frame ends inside the stack that its header promises: header moved on, no record, to be marked bad.
    Truncated,
}

/// One switch port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamper {
    /// Registers.
    pub config: StampConfig,
    /// Wire bytes sent so far: frames with FCS, preamble and gap.
    pub tx_bytes: u64,
}

/// Bytes that a frame without FCS occupies on the wire.
pub fn wire_occupancy(frame_len: usize) -> u64 {
    (frame_len.max(MIN_WIRE_FRAME) + FRAME_OVERHEAD) as u64
}

impl Stamper {
    /// Stamps the frame if it qualifies and counts it as sent.
    pub fn stamp(&mut self, frame: &mut Vec<u8>, now_ns: u64, q_bytes: u64) -> Stamped {
        let record = self.config.record(now_ns, self.tx_bytes, q_bytes);
        let result = self.config.stamp(frame, record);
        self.tx_bytes += wire_occupancy(frame.len());
        result
    }
}

impl StampConfig {
    /// Stamps the frame with `record` if it qualifies.
    pub fn stamp(&self, frame: &mut Vec<u8>, record: HopRecord) -> Stamped {
        let Some(ip_at) = self.qualifies(frame) else {
            return Stamped::No;
        };
        let int_at = ip_at + IPV4_LEN + UDP_LEN;
        let n_hop = frame[int_at] >> 4;
        let mut stack = IntStack {
            n_hop,
            path_id: get16(frame, int_at..int_at + INT_FIXED_LEN) & 0xfff,
            ..IntStack::default()
        };
        let end = int_at + stack.wire_len();
        let grows = stack.stamp(self.switch_id, record);
        let header = u64::from(stack.n_hop) << 12 | u64::from(stack.path_id);
        put(frame, int_at..int_at + INT_FIXED_LEN, header);
        if !grows {
            return Stamped::Counted;
        }
        lengthen(&mut frame[ip_at..]);
        if end >= frame.len() {
            return Stamped::Truncated;
        }
        let bytes = super::int::pack_record(&record).to_be_bytes();
        frame.splice(end..end, bytes);
        Stamped::Recorded
    }

    /// The frame is one that a port with these registers stamps.
    pub fn stamps(&self, frame: &[u8]) -> bool {
        self.qualifies(frame).is_some()
    }

    /// Offset of the IPv4 header if the frame is to be stamped.
    fn qualifies(&self, frame: &[u8]) -> Option<usize> {
        let ethernet = EthernetView::new_checked(frame).ok()?;
        let ip_at = ethernet.header_len();
        let ip = ethernet.payload();
        if ethernet.ethertype() != ETHERTYPE_IPV4 || ip.len() < IPV4_LEN + UDP_LEN + INT_FIXED_LEN {
            return None;
        }
        let ip_len = usize::from(get16(ip, field::IP_LEN));
        let n_hop = ip[IPV4_LEN + UDP_LEN] >> 4;
        let int_len = INT_FIXED_LEN + INT_RECORD_LEN * usize::from(n_hop).min(crate::cc::MAX_HOPS);
        let least = IPV4_LEN + UDP_LEN + int_len + AFTER_STACK;
        let fits = (least..=usize::from(u16::MAX) - INT_RECORD_LEN).contains(&ip_len);
        let ours = ip[field::VERSION_IHL] == 0x45
            && ip[field::TOS] >> 2 == self.dscp & 0x3f
            && get16(ip, field::FRAGMENT) & 0x3fff == 0
            && ip[field::PROTOCOL] == PROTOCOL_UDP
            && get16(ip, field::DST_PORT) == self.int_port
            && usize::from(get16(ip, field::UDP_LENGTH)) + IPV4_LEN == ip_len
            && get16(ip, field::UDP_CHECKSUM) == 0;
        (fits && ours).then_some(ip_at)
    }
}

/// Adds a record's length to IPv4 and UDP and corrects the header checksum by the difference (RFC 1624), so that a wrong one stays
/// wrong.
fn lengthen(ip: &mut [u8]) {
    let grown = |range: core::ops::Range<usize>| u64::from(get16(ip, range)) + INT_RECORD_LEN as u64;
    let (ip_len, udp_len) = (grown(field::IP_LEN), grown(field::UDP_LENGTH));
    let sum = u32::from(!get16(ip, field::IP_CHECKSUM)) + INT_RECORD_LEN as u32;
    let folded = (sum & 0xffff) + (sum >> 16);
    put(ip, field::IP_LEN, ip_len);
    put(ip, field::UDP_LENGTH, udp_len);
    put(ip, field::IP_CHECKSUM, u64::from(!(folded as u16)));
}

#[cfg(test)]
mod tests {
    use super::super::{icrc, Ipv4Repr, Ipv4View, ICRC_LEN};
    use super::*;

    /// WRITE Only of four bytes behind an empty INT header, DSCP 26; the checksum is right.
    const FRAME: [u8; 80] = [
        0x02, 0, 0, 0, 0, 0x0b, 0x02, 0, 0, 0, 0, 0x0a, 0x08, 0x00, // Ethernet
        0x45, 0x6a, 0x00, 0x42, 0x00, 0x01, 0x40, 0x00, 0x40, 0x11, 0x26, 0x2c, 10, 0, 0, 10, 10, 0, 0,
        11, // IPv4
        0xc1, 0x23, 0xd6, 0x07, 0x00, 0x2e, 0x00, 0x00, // UDP to 54791
        0x00, 0x00, // INT
        0x0a, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0x80, 0, 0, 1, // BTH
        0, 0, 0, 0, 0, 0, 0x10, 0, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 4, // RETH
        1, 2, 3, 4, // payload
        5, 6, 7, 8, // ICRC
    ];

    fn config() -> StampConfig {
        StampConfig {
            switch_id: 0x123,
            speed: 5,
            ..StampConfig::default()
        }
    }

    fn tagged(frame: &[u8]) -> Vec<u8> {
        [&frame[..12], &[0x81, 0x00, 0x60, 0x07], &frame[12..]].concat()
    }

    /// DSCP 26, the port of INT being collected, and a speed code that names none: no law computes with its records.
    #[test]
    fn a_port_that_nobody_configured_has_no_speed() {
        let mut frame = FRAME.to_vec();
        let record = StampConfig::default().record(0, 0, 0);
        assert_eq!(record, HopRecord::default());
        assert_eq!(StampConfig::default().stamp(&mut frame, record), Stamped::Recorded);
    }

    #[test]
    fn first_switch_byte_for_byte() {
        let mut port = Stamper {
            config: config(),
            tx_bytes: 0x1_0000 * 128 + 127,
        };
        let mut frame = FRAME.to_vec();
        assert_eq!(
            port.stamp(&mut frame, 0x5_00ab_cdef, 80 * 0x1234 + 79),
            Stamped::Recorded
        );
        let mut expected = FRAME.to_vec();
        expected[16..18].copy_from_slice(&[0x00, 0x4a]);
        expected[24..26].copy_from_slice(&[0x26, 0x24]);
        expected[38..40].copy_from_slice(&[0x00, 0x36]);
        expected[42..44].copy_from_slice(&[0x11, 0x23]);
        expected.splice(44..44, [0x5a, 0xbc, 0xde, 0xf1, 0x00, 0x00, 0x12, 0x34]);
        assert_eq!(frame, expected);
        // 88 bytes, FCS 4, preamble and gap 20.
        assert_eq!(port.tx_bytes, 0x1_0000 * 128 + 127 + 112);
        let view = Ipv4View::new_checked(&frame[14..]).unwrap();
        assert_eq!(Ipv4Repr::parse(&view).unwrap().payload_len, 54);
    }

    #[test]
    fn whole_path_with_and_without_tag_keeps_checksum_and_icrc() {
        for start in [FRAME.to_vec(), tagged(&FRAME)] {
            let ip_at = start.len() - 66;
            let mut frame = start.clone();
            let before = icrc(&start[ip_at..start.len() - ICRC_LEN], 2).unwrap();
            let mut stack = IntStack::default();
            for hop in 0..18u16 {
                let record = HopRecord {
                    speed: 5,
                    ts: 1000 + u32::from(hop),
                    tx_bytes: 7,
                    q_len: hop,
                };
                let c = StampConfig {
                    switch_id: hop * 77 + 1,
                    ..config()
                };
                let want = if hop < 5 { Stamped::Recorded } else { Stamped::Counted };
                assert_eq!(c.stamp(&mut frame, record), want);
                stack.stamp(c.switch_id, record);
                let view = Ipv4View::new_checked(&frame[ip_at..]).unwrap();
                assert!(view.checksum_ok() && !view.is_fragment());
                assert_eq!(view.total_len(), frame.len() - ip_at);
                let udp = super::super::UdpView::new_checked(view.payload()).unwrap();
                assert_eq!(IntStack::parse(udp.payload()), Ok(stack));
                let after = icrc(&frame[ip_at..frame.len() - ICRC_LEN], stack.wire_len()).unwrap();
                assert_eq!(after, before);
                assert_eq!(&udp.payload()[stack.wire_len()..], &start[start.len() - 36..]);
            }
            assert_eq!((stack.n_hop, frame.len()), (15, start.len() + 40));
        }
    }

    #[test]
    fn counters_wrap_and_queues_saturate() {
        let c = config();
        let record = c.record((1 << 24) + 5, ((1 << 20) + 3) * 128, u64::MAX);
        assert_eq!((record.ts, record.tx_bytes, record.q_len), (5, 3, u16::MAX));
        assert_eq!(c.record(0, 127, 65535 * 80 + 79).q_len, u16::MAX);
        assert_eq!(c.record(0, 127, 65535 * 80 - 1).q_len, u16::MAX - 1);
        let four = StampConfig { int_multi: 4, ..c };
        let record = four.record(0, 1023, 640);
        assert_eq!((record.tx_bytes, record.q_len), (1, 2));
    }

    #[test]
    fn everything_else_passes_untouched() {
        let changed = |at: usize, value: u8| {
            let mut frame = FRAME.to_vec();
            frame[at] = value;
            let before = frame.clone();
            assert_eq!(
                config().stamp(&mut frame, HopRecord::default()),
                Stamped::No,
                "byte {at}"
            );
            assert_eq!(frame, before);
        };
        // EtherType, version, options, DSCP, fragment, protocol, UDP port, UDP checksum, lengths.
        for (at, value) in [
            (12, 0x86),
            (14, 0x65),
            (14, 0x46),
            (15, 0x66),
            (20, 0x20),
            (21, 1),
            (23, 6),
        ] {
            changed(at, value);
        }
        for (at, value) in [
            (36, 0xd7),
            (37, 0x08),
            (40, 1),
            (41, 1),
            (17, 0x43),
            (39, 0x2f),
            (42, 0x50),
        ] {
            changed(at, value);
        }
        // Two tags; ECN bits and "don't fragment" do not matter.
        let mut twice = tagged(&tagged(&FRAME));
        assert_eq!(config().stamp(&mut twice, HopRecord::default()), Stamped::No);
        let mut marked = FRAME.to_vec();
        (marked[15], marked[20]) = (0x6b, 0);
        assert_eq!(config().stamp(&mut marked, HopRecord::default()), Stamped::Recorded);
        for len in 0..44 {
            let mut short = FRAME[..len].to_vec();
            assert_eq!(
                config().stamp(&mut short, HopRecord::default()),
                Stamped::No,
                "{len} bytes"
            );
        }
        assert_eq!(
            (wire_occupancy(42), wire_occupancy(60), wire_occupancy(61)),
            (84, 84, 85)
        );
    }

    #[test]
    fn frame_that_ends_inside_its_stack_gets_no_record() {
        let mut frame = FRAME.to_vec();
        for _ in 0..3 {
            config().stamp(&mut frame, HopRecord::default());
        }
        frame.truncate(68); // the stack ends here, the record would go behind it
        let mut cut = frame.clone();
        assert_eq!(config().stamp(&mut cut, HopRecord::default()), Stamped::Truncated);
        assert_eq!((cut.len(), cut[42] >> 4), (68, 4));
        frame.push(0);
        assert_eq!(config().stamp(&mut frame, HopRecord::default()), Stamped::Recorded);
    }
}
