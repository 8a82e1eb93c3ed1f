//! In-situ OAM (RFC 9197, 5.4): the pre-allocated and the incremental trace option.
//!
//! Behind UDP on a port of its own: four bytes as in RFC 9486 (no encapsulation over UDP and IPv4 is defined), the option's header of eight
//! bytes, the node data list. The fields of a node stand in the order of their bits in the trace type.

use super::super::bytes::{get16, get32, put};
use super::super::{IntStack, UDP_LEN};
use super::bitmap::{interfaces, split_interfaces, Fields};
use super::ip::Ip;
use super::numbers::TelemetryPorts;
use super::opened::{canonical, path_bits, record, Added, Opened, TelemetryFormat, Unusable};
use crate::cc::{HopRecord, MAX_HOPS};

mod field {
    use core::ops::Range;
    pub const OPTION_TYPE: usize = 0;
    /// Bytes after this one.
    pub const OPTION_LENGTH: usize = 1;
    pub const IOAM_TYPE: usize = 3;
    pub const NAMESPACE: Range<usize> = 4..6;
    /// Node length 5 bits, flags 4, remaining length 7.
    pub const LENGTHS: Range<usize> = 6..8;
    pub const TRACE_TYPE: Range<usize> = 8..11;
    pub const NODES: usize = 12;
    pub const NODE_LEN_SHIFT: u32 = 11;
    pub const OVERFLOW: u16 = 0x8 << 7;
    pub const REMAINING: u16 = 0x7f;
    // Bits of the trace type, 0 the most significant of 24.
    pub const BIT_NODE: u32 = 0;
    pub const BIT_INTERFACES: u32 = 1;
    pub const BIT_FRACTION: u32 = 3;
    pub const BIT_QUEUE: u32 = 6;
    /// Transmitted bytes: not assigned by the RFC, a register.
    pub const BIT_TX: u32 = 12;
}

/// Option type of RFC 9486 for trace options that may change on the way.
const OPTION_TYPE: u8 = 0x31;
/// Words of a node with the fields of [`TRACE_TYPE`].
const NODE_WORDS: usize = 5;
/// Bytes of a node.
pub const IOAM_NODE_LEN: usize = 4 * NODE_WORDS;
/// Bytes before the node data list.
pub const IOAM_HEADER_LEN: usize = field::NODES;
/// Node, interfaces, fraction of the time stamp, queue depth, transmitted bytes.
pub const TRACE_TYPE: u32 = 0xd2_0800;
/// Bits that need eight bytes: wide node, wide interfaces, wide name space data.
const WIDE_BITS: [u32; 3] = [8, 9, 10];
/// Opaque state snapshot, whose length is its own, and a reserved bit.
const UNREADABLE_BITS: [u32; 2] = [22, 23];

/// Which trace option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// The sender leaves room for every node; the packet does not grow.
    Preallocated,
    /// Every node makes the packet longer.
    Incremental,
}

/// What one switch writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoamNode {
    /// TTL when it left.
    pub hop_limit: u8,
    /// Node, 24 bits.
    pub node: u32,
    /// Interface in.
    pub ingress: u16,
    /// Interface out, 12 bits, below its speed code.
    pub egress: u16,
    /// Our speed code, 4 bits.
    pub speed: u8,
    /// Nanoseconds of the second at which it left.
    pub fraction: u32,
    /// Queue, cells of 80 bytes.
    pub queue: u32,
    /// Bytes sent, 32 bits.
    pub tx_bytes: u32,
}

impl IoamNode {
    /// Reads a node whose fields are those of `trace_type`.
    pub fn parse(data: &[u8], trace_type: u32) -> Result<Self, Unusable> {
        let fields = fields(trace_type);
        let word = |bit: u32| -> Result<u32, Unusable> {
            let at = fields.offset(bit).ok_or(Unusable::Layout)?;
            if data.len() < at + 4 {
                return Err(Unusable::Length);
            }
            match get32(data, at..at + 4) {
                u32::MAX => Err(Unusable::NotPopulated),
                value => Ok(value),
            }
        };
        let node = word(field::BIT_NODE)?;
        let (ingress, speed, egress) = split_interfaces(word(field::BIT_INTERFACES)?);
        Ok(Self {
            hop_limit: (node >> 24) as u8,
            node: node & 0xff_ffff,
            ingress,
            egress,
            speed,
            fraction: word(field::BIT_FRACTION)?,
            queue: word(field::BIT_QUEUE)?,
            tx_bytes: word(field::BIT_TX)?,
        })
    }

    /// Its bytes under [`TRACE_TYPE`].
    pub fn emit(&self) -> [u8; IOAM_NODE_LEN] {
        let words = [
            u32::from(self.hop_limit) << 24 | self.node & 0xff_ffff,
            interfaces(self.ingress, self.speed, self.egress),
            self.fraction,
            self.queue,
            self.tx_bytes,
        ];
        let mut out = [0; IOAM_NODE_LEN];
        for (i, word) in words.into_iter().enumerate() {
            put(&mut out, 4 * i..4 * i + 4, word.into());
        }
        out
    }

    /// The record of the law. Only the fraction of the second is there: once a second the difference of two time stamps is wrong by more than
    /// a record may be old, so that sample is left out.
    pub fn record(&self, int_multi: u32) -> Result<HopRecord, Unusable> {
        if self.speed == 0 {
            return Err(Unusable::Speed);
        }
        Ok(record(self.speed, self.fraction, self.tx_bytes, self.queue, int_multi))
    }
}

fn fields(trace_type: u32) -> Fields {
    Fields {
        bits: trace_type,
        count: 24,
        wide: &WIDE_BITS,
    }
}

/// Bytes of a node with the fields of a trace type; `None` if one of them cannot be read over.
fn node_len(trace_type: u32) -> Option<usize> {
    let fields = fields(trace_type);
    let readable = !UNREADABLE_BITS.iter().any(|&bit| fields.has(bit));
    readable.then(|| fields.len_before(UNREADABLE_BITS[0]))
}

/// Turns a plain packet of UDP into one with an empty trace, room for five nodes. `None` if it is not one.
pub fn encapsulate(plain: &[u8], trace: Trace, port: u16, namespace: u16) -> Option<Vec<u8>> {
    let ip = Ip::read(plain).filter(|ip| ip.header + UDP_LEN <= plain.len())?;
    let room = MAX_HOPS * IOAM_NODE_LEN;
    let list = if trace == Trace::Preallocated { room } else { 0 };
    let mut option = vec![0; IOAM_HEADER_LEN + list];
    option[field::OPTION_TYPE] = OPTION_TYPE;
    option[field::OPTION_LENGTH] = (IOAM_HEADER_LEN + list - 2) as u8;
    option[field::IOAM_TYPE] = u8::from(trace == Trace::Incremental);
    put(&mut option, field::NAMESPACE, namespace.into());
    let lengths = (NODE_WORDS << field::NODE_LEN_SHIFT) | (room / 4);
    put(&mut option, field::LENGTHS, lengths as u64);
    put(&mut option, field::TRACE_TYPE, TRACE_TYPE.into());
    let mut packet = plain.to_vec();
    ip.insert_behind_udp(&mut packet, 0, &option, Some(port));
    Some(packet)
}

/// What a switch does to an IP packet on `port` whose next link takes `mtu` bytes of IP.
pub fn stamp(packet: &mut Vec<u8>, node: &IoamNode, port: u16, namespace: u16, mtu: usize) -> Added {
    let Some(ip) = Ip::read(packet) else { return Added::No };
    let at = ip.header + UDP_LEN;
    if packet.len() < at + IOAM_HEADER_LEN || get16(packet, ip.header + 2..ip.header + 4) != port {
        return Added::No;
    }
    let option = &mut packet[at..];
    let lengths = get16(option, field::LENGTHS);
    let known = option[field::OPTION_TYPE] == OPTION_TYPE
        && get16(option, field::NAMESPACE) == namespace
        && get32(option, field::TRACE_TYPE) == TRACE_TYPE
        && usize::from(lengths >> field::NODE_LEN_SHIFT) == NODE_WORDS;
    let remaining = lengths & field::REMAINING;
    if !known || lengths & field::OVERFLOW != 0 {
        return Added::No;
    }
    let grows = option[field::IOAM_TYPE] == 1;
    let longest = usize::from(option[field::OPTION_LENGTH]) + IOAM_NODE_LEN;
    let fits = !grows || (ip.total + IOAM_NODE_LEN <= mtu && longest <= usize::from(u8::MAX));
    if usize::from(remaining) < NODE_WORDS || !fits {
        put(option, field::LENGTHS, u64::from(lengths | field::OVERFLOW));
        return Added::Full;
    }
    let left = usize::from(remaining) - NODE_WORDS;
    let place = field::NODES + 4 * left;
    if !grows && option.len() < place + IOAM_NODE_LEN {
        return Added::No;
    }
    put(option, field::LENGTHS, u64::from(lengths - NODE_WORDS as u16));
    if grows {
        option[field::OPTION_LENGTH] = longest as u8;
        ip.insert_behind_udp(packet, field::NODES, &node.emit(), None);
    } else {
        option[place..place + IOAM_NODE_LEN].copy_from_slice(&node.emit());
    }
    Added::Yes
}

/// Takes a packet on the port of IOAM apart.
pub(super) fn open(packet: &[u8], ip: &Ip, numbers: &TelemetryPorts) -> Opened {
    let option = &packet[ip.header + UDP_LEN..];
    let len = option.get(field::OPTION_LENGTH).map_or(0, |&len| usize::from(len) + 2);
    Opened {
        format: TelemetryFormat::Ioam,
        stack: read(option, len, numbers),
        plain: ip.without_behind_udp(packet, len, None),
    }
}

fn read(option: &[u8], len: usize, numbers: &TelemetryPorts) -> Result<IntStack, Unusable> {
    if len < IOAM_HEADER_LEN || option.len() < len {
        return Err(Unusable::Length);
    }
    if option[field::OPTION_TYPE] != OPTION_TYPE || option[field::IOAM_TYPE] > 1 {
        return Err(Unusable::Layout);
    }
    if get16(option, field::NAMESPACE) != numbers.namespace {
        return Err(Unusable::Namespace);
    }
    let lengths = get16(option, field::LENGTHS);
    let trace_type = get32(option, field::TRACE_TYPE);
    let node = node_len(trace_type).ok_or(Unusable::Layout)?;
    if node == 0 || node != 4 * usize::from(lengths >> field::NODE_LEN_SHIFT) {
        return Err(Unusable::Layout);
    }
    let list = &option[field::NODES..len];
    let used = if option[field::IOAM_TYPE] == 1 {
        list
    } else {
        let unused = 4 * usize::from(lengths & field::REMAINING);
        list.get(unused..).ok_or(Unusable::Length)?
    };
    if used.len() % node != 0 {
        return Err(Unusable::Length);
    }
    canonical(used.chunks(node).map(|bytes| {
        let read = IoamNode::parse(bytes, trace_type)?;
        Ok((read.record(numbers.int_multi)?, path_bits(read.node, read.egress)))
    }))
}
