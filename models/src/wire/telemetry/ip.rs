//! The IP header under telemetry: its length, and the same packet with bytes put in or taken out.

use super::super::bytes::{get16, put};
use super::super::{internet_checksum, PROTOCOL_UDP, UDP_LEN};

mod field {
    use core::ops::Range;
    pub const V4_TOTAL: Range<usize> = 2..4;
    pub const V4_PROTOCOL: usize = 9;
    pub const V4_CHECKSUM: Range<usize> = 10..12;
    pub const V4_LEN: usize = 20;
    pub const V6_PAYLOAD: Range<usize> = 4..6;
    pub const V6_NEXT: usize = 6;
    pub const V6_LEN: usize = 40;
    /// From the start of UDP.
    pub const UDP_PORT: Range<usize> = 2..4;
    pub const UDP_LENGTH: Range<usize> = 4..6;
}

/// What an IP header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ip {
    /// Bytes of the header.
    pub header: usize,
    /// Bytes of header and payload.
    pub total: usize,
    /// Protocol of the payload.
    pub protocol: u8,
}

impl Ip {
    /// Reads the header; `None` with options, as a fragment, or if it is cut.
    pub fn read(packet: &[u8]) -> Option<Self> {
        match packet.first()? >> 4 {
            4 if packet[0] == 0x45 && packet.len() >= field::V4_LEN => {
                let fragment = get16(packet, 6..8) & 0x3fff != 0;
                (!fragment).then(|| Self {
                    header: field::V4_LEN,
                    total: usize::from(get16(packet, field::V4_TOTAL)).max(field::V4_LEN),
                    protocol: packet[field::V4_PROTOCOL],
                })
            }
            6 if packet.len() >= field::V6_LEN => Some(Self {
                header: field::V6_LEN,
                total: field::V6_LEN + usize::from(get16(packet, field::V6_PAYLOAD)),
                protocol: packet[field::V6_NEXT],
            }),
            _ => None,
        }
    }

    /// Sets length and protocol, with the header checksum that follows.
    pub fn set(packet: &mut [u8], total: usize, protocol: u8) {
        if packet[0] >> 4 == 4 {
            put(packet, field::V4_TOTAL, total as u64);
            packet[field::V4_PROTOCOL] = protocol;
            put(packet, field::V4_CHECKSUM, 0);
            let checksum = internet_checksum(&packet[..field::V4_LEN]);
            put(packet, field::V4_CHECKSUM, checksum.into());
        } else {
            put(packet, field::V6_PAYLOAD, (total - field::V6_LEN) as u64);
            packet[field::V6_NEXT] = protocol;
        }
    }

    /// The packet without `len` bytes behind UDP, whose length shrinks; `port`: another destination port.
    pub fn without_behind_udp(&self, packet: &[u8], len: usize, port: Option<u16>) -> Vec<u8> {
        let at = self.header + UDP_LEN;
        let mut plain = packet[..at].to_vec();
        plain.extend_from_slice(packet.get(at + len..).unwrap_or(&[]));
        Self::set(&mut plain, self.total.saturating_sub(len).max(at), PROTOCOL_UDP);
        let udp = &mut plain[self.header..];
        let length = get16(udp, field::UDP_LENGTH).wrapping_sub(len as u16);
        put(udp, field::UDP_LENGTH, length.into());
        if let Some(port) = port {
            put(udp, field::UDP_PORT, port.into());
        }
        plain
    }

    /// Puts bytes in behind UDP at `offset` of its payload; its length grows. `port`: another destination port.
    pub fn insert_behind_udp(&self, packet: &mut Vec<u8>, offset: usize, bytes: &[u8], port: Option<u16>) {
        let at = self.header + UDP_LEN + offset;
        packet.splice(at..at, bytes.iter().copied());
        Self::set(packet, self.total + bytes.len(), PROTOCOL_UDP);
        let udp = &mut packet[self.header..];
        let length = get16(udp, field::UDP_LENGTH).wrapping_add(bytes.len() as u16);
        put(udp, field::UDP_LENGTH, length.into());
        if let Some(port) = port {
            put(udp, field::UDP_PORT, port.into());
        }
    }
}
