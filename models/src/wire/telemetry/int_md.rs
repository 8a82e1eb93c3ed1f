//! INT 2.1 with embedded metadata (P4.org INT dataplane specification 2.1), behind UDP: shim, header, stack.
//!
//! Baseline INT has no byte counter: ours is the first field of a domain of our own (`d400`, domain 0x4850). The list of
//! draft-miao-tsv-hpcc-info, Fig. 3 (`d500`) has the utilisation of the link in its place and is recognised, not used.

use super::super::bytes::{get, get16, get32, put};
use super::super::UDP_LEN;
use super::bitmap::{interfaces, split_interfaces, Fields};
use super::ip::Ip;
use super::numbers::TelemetryPorts;
use super::opened::{canonical, path_bits, record, Added, Opened, TelemetryFormat, Unusable};
use crate::cc::{HopRecord, MAX_HOPS};

mod field {
    use core::ops::Range;
    // Shim.
    /// Type 4 bits, next protocol type 2, reserved 2.
    pub const TYPE: usize = 0;
    /// Words after the shim.
    pub const LENGTH: usize = 1;
    pub const ORIGINAL_PORT: Range<usize> = 2..4;
    // Header.
    pub const HEADER: Range<usize> = 4..8;
    pub const INSTRUCTIONS: Range<usize> = 8..10;
    pub const DOMAIN: Range<usize> = 10..12;
    pub const DOMAIN_INSTRUCTIONS: Range<usize> = 12..14;
    pub const STACK: usize = 16;
    // Bits of the header word.
    pub const VERSION_SHIFT: u32 = 28;
    pub const HOPS_EXCEEDED: u32 = 1 << 26;
    pub const MTU_EXCEEDED: u32 = 1 << 25;
    pub const HOP_WORDS_SHIFT: u32 = 8;
    pub const REMAINING: u32 = 0xff;
    // Bits of the instruction bitmap, 0 the most significant.
    pub const BIT_NODE: u32 = 0;
    pub const BIT_INTERFACES: u32 = 1;
    pub const BIT_QUEUE: u32 = 3;
    pub const BIT_EGRESS_TIME: u32 = 5;
}

/// Bytes of shim and header.
pub const INT_MD_HEADER_LEN: usize = field::STACK;
/// Bytes of a hop with our fields.
pub const INT_MD_HOP_LEN: usize = 24;
const HOP_WORDS: u32 = 6;
const VERSION: u32 = 2;
const TYPE_MD: u8 = 1;
const TYPE_MX: u8 = 3;
/// The shim names the port that the packet had.
const NEXT_IS_PORT: u8 = 1;
/// Node, level 1 interfaces, queue, egress time.
pub const INSTRUCTIONS: u16 = 0xd400;
/// Bit 0 of our domain: transmitted bytes, 4 bytes behind the baseline fields.
const DOMAIN_TX_BYTES: u16 = 0x8000;
/// Baseline fields that need eight bytes: ingress time, egress time, level 2 interfaces.
const WIDE_BITS: [u32; 3] = [4, 5, 6];
/// Fields of INT 2.1 are bits 0 to 8; bit 15, the checksum complement, is refused.
const KNOWN_BITS: u16 = 0xff80;

/// What one switch writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntMdHop {
    /// Node.
    pub node: u32,
    /// Interface in.
    pub ingress: u16,
    /// Interface out, 12 bits, below its speed code.
    pub egress: u16,
    /// Our speed code, 4 bits.
    pub speed: u8,
    /// Queue.
    pub queue_id: u8,
    /// Its length, cells of 80 bytes, 24 bits.
    pub queue: u32,
    /// Time of departure, ns.
    pub egress_ns: u64,
    /// Bytes sent, 32 bits.
    pub tx_bytes: u32,
}

impl IntMdHop {
    /// Reads a hop whose baseline fields are those of `instructions`; the domain's byte counter follows them.
    pub fn parse(data: &[u8], instructions: u16) -> Result<Self, Unusable> {
        let fields = fields(instructions);
        let value = |bit: u32| -> Result<u64, Unusable> {
            let at = fields.offset(bit).ok_or(Unusable::Layout)?;
            read_field(data, at, fields.width(bit))
        };
        let (ingress, speed, egress) = split_interfaces(value(field::BIT_INTERFACES)? as u32);
        let queue = value(field::BIT_QUEUE)?;
        Ok(Self {
            node: value(field::BIT_NODE)? as u32,
            ingress,
            egress,
            speed,
            queue_id: (queue >> 24) as u8,
            queue: queue as u32 & 0xff_ffff,
            egress_ns: value(field::BIT_EGRESS_TIME)?,
            tx_bytes: read_field(data, baseline_len(instructions), 4)? as u32,
        })
    }

    /// Its bytes under [`INSTRUCTIONS`] and our domain.
    pub fn emit(&self) -> [u8; INT_MD_HOP_LEN] {
        let mut out = [0; INT_MD_HOP_LEN];
        put(&mut out, 0..4, self.node.into());
        let interfaces = interfaces(self.ingress, self.speed, self.egress);
        put(&mut out, 4..8, interfaces.into());
        put(
            &mut out,
            8..12,
            (u32::from(self.queue_id) << 24 | self.queue & 0xff_ffff).into(),
        );
        put(&mut out, 12..20, self.egress_ns);
        put(&mut out, 20..24, self.tx_bytes.into());
        out
    }

    /// The record of the law.
    pub fn record(&self, int_multi: u32) -> Result<HopRecord, Unusable> {
        if self.speed == 0 {
            return Err(Unusable::Speed);
        }
        Ok(record(
            self.speed,
            self.egress_ns as u32,
            self.tx_bytes,
            self.queue,
            int_multi,
        ))
    }
}

fn read_field(data: &[u8], at: usize, len: usize) -> Result<u64, Unusable> {
    if data.len() < at + len {
        return Err(Unusable::Length);
    }
    let value = get(data, at..at + len);
    if value == u64::MAX >> (64 - 8 * len) {
        return Err(Unusable::NotPopulated);
    }
    Ok(value)
}

fn fields(instructions: u16) -> Fields {
    Fields {
        bits: instructions.into(),
        count: 16,
        wide: &WIDE_BITS,
    }
}

/// Bytes of the baseline fields of a hop.
fn baseline_len(instructions: u16) -> usize {
    fields(instructions).len_before(16)
}

/// Turns a plain packet of UDP into one with an empty stack for five hops. `None` if it is not one.
pub fn encapsulate(plain: &[u8], port: u16, domain: u16) -> Option<Vec<u8>> {
    let ip = Ip::read(plain).filter(|ip| ip.header + UDP_LEN <= plain.len())?;
    let mut headers = [0; INT_MD_HEADER_LEN];
    headers[field::TYPE] = TYPE_MD << 4 | NEXT_IS_PORT << 2;
    headers[field::LENGTH] = ((INT_MD_HEADER_LEN - 4) / 4) as u8;
    put(
        &mut headers,
        field::ORIGINAL_PORT,
        get(plain, ip.header + 2..ip.header + 4),
    );
    let header = VERSION << field::VERSION_SHIFT | HOP_WORDS << field::HOP_WORDS_SHIFT | MAX_HOPS as u32;
    put(&mut headers, field::HEADER, header.into());
    put(&mut headers, field::INSTRUCTIONS, INSTRUCTIONS.into());
    put(&mut headers, field::DOMAIN, domain.into());
    put(&mut headers, field::DOMAIN_INSTRUCTIONS, DOMAIN_TX_BYTES.into());
    let mut packet = plain.to_vec();
    ip.insert_behind_udp(&mut packet, 0, &headers, Some(port));
    Some(packet)
}

/// What a switch does to an IP packet on `port` whose next link takes `mtu` bytes of IP.
pub fn stamp(packet: &mut Vec<u8>, hop: &IntMdHop, port: u16, domain: u16, mtu: usize) -> Added {
    let Some(ip) = Ip::read(packet) else { return Added::No };
    let at = ip.header + UDP_LEN;
    if packet.len() < at + INT_MD_HEADER_LEN || get16(packet, ip.header + 2..ip.header + 4) != port {
        return Added::No;
    }
    let data = &mut packet[at..];
    if read_header(data, domain).is_err() {
        return Added::No;
    }
    let header = get32(data, field::HEADER);
    let words = usize::from(data[field::LENGTH]) + HOP_WORDS as usize;
    if header & field::REMAINING == 0 || words > usize::from(u8::MAX) {
        put(data, field::HEADER, (header | field::HOPS_EXCEEDED).into());
        return Added::Full;
    }
    if ip.total + INT_MD_HOP_LEN > mtu {
        put(data, field::HEADER, (header | field::MTU_EXCEEDED).into());
        return Added::Full;
    }
    put(data, field::HEADER, (header - 1).into());
    data[field::LENGTH] = words as u8;
    ip.insert_behind_udp(packet, field::STACK, &hop.emit(), None);
    Added::Yes
}

/// Checks shim and header; gives the bytes of a hop and its baseline fields.
fn read_header(data: &[u8], domain: u16) -> Result<(usize, u16), Unusable> {
    let shim = *data.first().ok_or(Unusable::Length)?;
    match shim >> 4 {
        TYPE_MD => {}
        TYPE_MX => return Err(Unusable::IntMx),
        _ => return Err(Unusable::Layout),
    }
    if data.len() < INT_MD_HEADER_LEN {
        return Err(Unusable::Length);
    }
    let header = get32(data, field::HEADER);
    let instructions = get16(data, field::INSTRUCTIONS);
    if shim >> 2 & 3 != NEXT_IS_PORT || header >> field::VERSION_SHIFT != VERSION || instructions & !KNOWN_BITS != 0 {
        return Err(Unusable::Layout);
    }
    let ours = get16(data, field::DOMAIN) == domain && get16(data, field::DOMAIN_INSTRUCTIONS) == DOMAIN_TX_BYTES;
    if !ours {
        return Err(Unusable::NoByteCounter);
    }
    let hop = baseline_len(instructions) + 4;
    if hop != 4 * (header >> field::HOP_WORDS_SHIFT & 31) as usize {
        return Err(Unusable::Layout);
    }
    Ok((hop, instructions))
}

/// Takes a packet on the port of INT apart.
pub(super) fn open(packet: &[u8], ip: &Ip, numbers: &TelemetryPorts) -> Opened {
    let data = &packet[ip.header + UDP_LEN..];
    // Shim and what it counts, and the port that stood before it.
    let len = data.get(field::LENGTH).map_or(0, |&words| 4 + 4 * usize::from(words));
    let port = (data.len() >= 4).then(|| get16(data, field::ORIGINAL_PORT));
    let read = || {
        let (hop, instructions) = read_header(data, numbers.domain)?;
        let stack = data.get(field::STACK..len).ok_or(Unusable::Length)?;
        if stack.len() % hop != 0 {
            return Err(Unusable::Length);
        }
        canonical(stack.chunks(hop).map(|bytes| {
            let read = IntMdHop::parse(bytes, instructions)?;
            Ok((read.record(numbers.int_multi)?, path_bits(read.node, read.egress)))
        }))
    };
    Opened {
        format: TelemetryFormat::IntMd,
        stack: read(),
        plain: ip.without_behind_udp(packet, len, port),
    }
}
