//! In-band flow analyzer 2.0 (draft-kumar-ippm-ifa) with the metadata of draft-miao-tsv-hpcc-info, Fig. 1.
//!
//! `IP (protocol 253) | IFA header 4 | UDP 8 | metadata header 4 | 32 bytes a hop, newest first | BTH ...`. The IP length grows with the
//! stack, UDP length and checksum do not.

use super::super::bytes::{get16, get32, put};
use super::super::{PROTOCOL_UDP, UDP_LEN};
use super::ip::Ip;
use super::numbers::TelemetryPorts;
use super::opened::{canonical, path_bits, record, Added, Opened, TelemetryFormat, Unusable};
use crate::cc::HopRecord;

mod field {
    use core::ops::Range;
    // IFA header.
    /// Version 4 bits, global name space 4.
    pub const VERSION_GNS: usize = 0;
    pub const NEXT_HEADER: usize = 1;
    pub const FLAGS: usize = 2;
    pub const MAX_LENGTH: usize = 3;
    // Metadata header: request vector, action vector, hop limit, current length in words.
    pub const HOP_LIMIT: usize = 2;
    pub const CURRENT_LENGTH: usize = 3;
    // One hop.
    /// Local name space 4 bits, device 20, reserved 8.
    pub const DEVICE: Range<usize> = 0..4;
    /// Speed 4 bits, reserved 8, seconds of reception 20.
    pub const SPEED_SECONDS: Range<usize> = 4..8;
    pub const EGRESS: Range<usize> = 8..10;
    pub const INGRESS: Range<usize> = 10..12;
    pub const RX_NS: Range<usize> = 12..16;
    pub const RESIDENCE: Range<usize> = 16..20;
    pub const TX_BYTES: Range<usize> = 20..24;
    pub const QUEUE: Range<usize> = 26..28;
}

/// Bytes of the IFA header, and of the metadata header.
pub const IFA_HEADER_LEN: usize = 4;
/// Bytes of one hop.
pub const IFA_HOP_LEN: usize = 32;
/// IP protocol under which it is sent (for experiments, RFC 3692).
pub const PROTOCOL_IFA: u8 = 253;
/// Hop limit of a sender; 0xff would not be checked.
const HOP_LIMIT: u8 = 128;
/// Words that a stack may have: five hops.
const MAX_WORDS: u8 = 40;
/// Version 2 and the global name space that leaves the layout to each hop.
const VERSION_GNS: u8 = 0x2f;
/// Local name space of the layout of draft-miao-tsv-hpcc-info.
const LNS: u32 = 1;
/// Flag: a sender wrote the headers.
const FLAG_INBAND: u8 = 0x04;
/// Flags that change the layout: fragment, tail stamp, checksum.
const FLAGS_REFUSED: u8 = 0x10 | 0x08 | 0x01;
/// Code of a speed that is not known.
const SPEED_UNKNOWN: u8 = 15;
/// 10^9 modulo 2^24: what a second moves the time stamp by.
const SECOND: u32 = 10_144_256;

/// What one switch writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IfaHop {
    /// Device, 20 bits.
    pub device: u32,
    /// Speed code, 4 bits: 0 to 6 for 10, 25, 40, 50, 100, 200, 400 Gb/s.
    pub speed: u8,
    /// Second of reception, 20 bits.
    pub rx_seconds: u32,
    /// Nanosecond of reception.
    pub rx_ns: u32,
    /// Time from reception to departure, ns.
    pub residence_ns: u32,
    /// Port out.
    pub egress: u16,
    /// Port in.
    pub ingress: u16,
    /// Bytes sent by the port out, 32 bits.
    pub tx_bytes: u32,
    /// Queue, cells of 80 bytes.
    pub queue: u16,
}

impl IfaHop {
    /// Reads a hop from [`IFA_HOP_LEN`] bytes.
    pub fn parse(data: &[u8]) -> Result<Self, Unusable> {
        if data.len() < IFA_HOP_LEN {
            return Err(Unusable::Length);
        }
        let (device, speed) = (get32(data, field::DEVICE), get32(data, field::SPEED_SECONDS));
        if device >> 28 != LNS {
            return Err(Unusable::Layout);
        }
        Ok(Self {
            device: device >> 8 & 0xf_ffff,
            speed: (speed >> 28) as u8,
            rx_seconds: speed & 0xf_ffff,
            rx_ns: get32(data, field::RX_NS),
            residence_ns: get32(data, field::RESIDENCE),
            egress: get16(data, field::EGRESS),
            ingress: get16(data, field::INGRESS),
            tx_bytes: get32(data, field::TX_BYTES),
            queue: get16(data, field::QUEUE),
        })
    }

    /// Its bytes.
    pub fn emit(&self) -> [u8; IFA_HOP_LEN] {
        let mut out = [0; IFA_HOP_LEN];
        put(
            &mut out,
            field::DEVICE,
            (LNS << 28 | (self.device & 0xf_ffff) << 8).into(),
        );
        let speed = u32::from(self.speed & 15) << 28 | self.rx_seconds & 0xf_ffff;
        put(&mut out, field::SPEED_SECONDS, speed.into());
        put(&mut out, field::EGRESS, self.egress.into());
        put(&mut out, field::INGRESS, self.ingress.into());
        put(&mut out, field::RX_NS, self.rx_ns.into());
        put(&mut out, field::RESIDENCE, self.residence_ns.into());
        put(&mut out, field::TX_BYTES, self.tx_bytes.into());
        put(&mut out, field::QUEUE, self.queue.into());
        out
    }

    /// The record of the law: time of departure modulo 2^24 ns, our speed code.
    pub fn record(&self, int_multi: u32) -> Result<HopRecord, Unusable> {
        if [self.rx_ns, self.residence_ns, self.tx_bytes].contains(&u32::MAX) {
            return Err(Unusable::NotPopulated);
        }
        if self.speed == SPEED_UNKNOWN {
            return Err(Unusable::Speed);
        }
        let seconds = self.rx_seconds.wrapping_mul(SECOND);
        let ts = seconds.wrapping_add(self.rx_ns).wrapping_add(self.residence_ns);
        Ok(record(self.speed + 1, ts, self.tx_bytes, self.queue.into(), int_multi))
    }
}

/// Turns a plain packet of UDP into one with empty IFA headers and room for five hops. `None` if it is not one.
pub fn encapsulate(plain: &[u8]) -> Option<Vec<u8>> {
    encapsulate_with_room(plain, MAX_WORDS)
}

/// The same without room for any hop: a packet that collects nothing, and that switches hash as those that do.
pub fn encapsulate_without_room(plain: &[u8]) -> Option<Vec<u8>> {
    encapsulate_with_room(plain, 0)
}

fn encapsulate_with_room(plain: &[u8], words: u8) -> Option<Vec<u8>> {
    let ip = Ip::read(plain).filter(|ip| ip.protocol == PROTOCOL_UDP && ip.header + UDP_LEN <= plain.len())?;
    let udp_end = ip.header + UDP_LEN;
    let mut packet = plain[..ip.header].to_vec();
    packet.extend([VERSION_GNS, PROTOCOL_UDP, FLAG_INBAND, words]);
    packet.extend_from_slice(&plain[ip.header..udp_end]);
    packet.extend([0, 0, HOP_LIMIT, 0]);
    packet.extend_from_slice(&plain[udp_end..]);
    Ip::set(&mut packet, ip.total + 2 * IFA_HEADER_LEN, PROTOCOL_IFA);
    Some(packet)
}

/// What a switch does to an IP packet whose next link takes `mtu` bytes of IP.
pub fn stamp(packet: &mut Vec<u8>, hop: &IfaHop, mtu: usize) -> Added {
    let Some(ip) = Ip::read(packet).filter(|ip| ip.protocol == PROTOCOL_IFA) else {
        return Added::No;
    };
    let at = ip.header + IFA_HEADER_LEN + UDP_LEN;
    let stack = at + IFA_HEADER_LEN;
    if packet.len() < stack || check_header(&packet[ip.header..]).is_err() {
        return Added::No;
    }
    let (limit, words) = (packet[at + field::HOP_LIMIT], packet[at + field::CURRENT_LENGTH]);
    let room = usize::from(packet[ip.header + field::MAX_LENGTH]);
    let hop_words = IFA_HOP_LEN / 4;
    if limit == 0 || usize::from(words) + hop_words > room || ip.total + IFA_HOP_LEN > mtu {
        return Added::Full;
    }
    if limit != u8::MAX {
        packet[at + field::HOP_LIMIT] = limit - 1;
    }
    packet[at + field::CURRENT_LENGTH] = words + hop_words as u8;
    packet.splice(stack..stack, hop.emit());
    Ip::set(packet, ip.total + IFA_HOP_LEN, PROTOCOL_IFA);
    Added::Yes
}

fn check_header(header: &[u8]) -> Result<(), Unusable> {
    if header[field::VERSION_GNS] != VERSION_GNS || header[field::NEXT_HEADER] != PROTOCOL_UDP {
        return Err(Unusable::Layout);
    }
    if header[field::FLAGS] & FLAGS_REFUSED != 0 {
        return Err(Unusable::Flags);
    }
    Ok(())
}

/// Takes a packet of the protocol apart; `None` if not even the headers are there.
pub(super) fn open(packet: &[u8], ip: &Ip, numbers: &TelemetryPorts) -> Option<Opened> {
    let udp = ip.header + IFA_HEADER_LEN;
    let metadata = udp + UDP_LEN;
    let stack_at = metadata + IFA_HEADER_LEN;
    // A version of which nothing is known is no telemetry of ours.
    if packet.len() < stack_at || packet[ip.header] >> 4 != VERSION_GNS >> 4 {
        return None;
    }
    let len = usize::from(packet[metadata + field::CURRENT_LENGTH]) * 4;
    let end = (stack_at + len).min(packet.len());
    let mut plain = packet[..ip.header].to_vec();
    plain.extend_from_slice(&packet[udp..metadata]);
    plain.extend_from_slice(&packet[end..]);
    let removed = 2 * IFA_HEADER_LEN + len;
    Ip::set(
        &mut plain,
        ip.total.saturating_sub(removed).max(ip.header),
        PROTOCOL_UDP,
    );
    let read = || {
        check_header(&packet[ip.header..])?;
        if len % IFA_HOP_LEN != 0 || stack_at + len > packet.len() {
            return Err(Unusable::Length);
        }
        canonical(packet[stack_at..end].chunks(IFA_HOP_LEN).map(|bytes| {
            let hop = IfaHop::parse(bytes)?;
            Ok((hop.record(numbers.int_multi)?, path_bits(hop.device, hop.egress)))
        }))
    };
    Some(Opened {
        format: TelemetryFormat::Ifa,
        stack: read(),
        plain,
    })
}
