//! Frames for tests of the parser: every kind of packet, and every fault that it names.

use crate::sim::Stimulus;
use hpcc_models::nic::NicConfig;
use hpcc_models::wire::*;
use std::net::Ipv4Addr;

/// Registers that the frames are made for.
pub fn registers() -> NicConfig {
    NicConfig {
        mac: MacAddr([0x02, 0, 0x5e, 0x10, 0, 0x0b]),
        ip: Ipv4Addr::new(10, 0, 3, 11),
        ..NicConfig::default()
    }
}

fn pick<T: Copy>(stimulus: &mut Stimulus, list: &[T]) -> T {
    list[stimulus.below(list.len() as u64) as usize]
}

fn bytes(stimulus: &mut Stimulus, len: usize) -> Vec<u8> {
    (0..len).map(|_| stimulus.uniform(8) as u8).collect()
}

/// Length with the edges of beats and of the MTU weighted.
fn payload_len(stimulus: &mut Stimulus) -> usize {
    match stimulus.below(8) {
        0 => 0,
        1 => stimulus.below(5) as usize,
        2 | 3 => stimulus.below(130) as usize,
        4 => pick(stimulus, &[256, 512, 1024]),
        5 => 64 * stimulus.below(5) as usize + stimulus.below(64) as usize,
        _ => stimulus.below(400) as usize,
    }
}

/// A packet without fault of any role, opcode and length.
pub fn good_frame(stimulus: &mut Stimulus, config: &NicConfig) -> Vec<u8> {
    let role = pick(stimulus, &[PortRole::Roce, PortRole::IntCollect, PortRole::IntEcho]);
    let mut int = Vec::new();
    if role.has_int() {
        let n_hop = stimulus.uniform(4) as u8;
        int = bytes(stimulus, INT_FIXED_LEN + INT_RECORD_LEN * usize::from(n_hop).min(5));
        int[0] = n_hop << 4 | int[0] & 15;
    }
    let opcode = loop {
        let byte = pick(
            stimulus,
            &[
                0x06, 0x07, 0x08, 0x0a, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0xd1, 0xd2, 0xd3, 0x81, 0x00,
            ],
        );
        if let Some(opcode) = Opcode::parse(byte) {
            break opcode;
        }
    };
    let extension = if opcode.has_reth() {
        let reth = RethRepr {
            address: stimulus.uniform(64),
            key: stimulus.uniform(32) as u32,
            length: 77,
        };
        Extension::Reth(reth)
    } else if opcode.has_aeth() {
        let syndrome = Syndrome::parse(stimulus.uniform(8) as u8);
        Extension::Aeth(AethRepr {
            syndrome,
            msn: stimulus.uniform(24) as u32,
        })
    } else {
        Extension::None
    };
    let len = payload_len(stimulus);
    let payload = bytes(stimulus, len);
    let vlan = stimulus.chance(0.3).then(|| stimulus.uniform(16) as u16);
    let source = bytes(stimulus, 6);
    let packet = RocePacket {
        ethernet: EthernetRepr {
            dst: config.mac,
            src: MacAddr([source[0], source[1], source[2], source[3], source[4], source[5]]),
            vlan,
            ethertype: ETHERTYPE_IPV4,
        },
        ipv4: Ipv4Repr {
            src: Ipv4Addr::from(stimulus.uniform(32) as u32),
            dst: config.ip,
            tos: stimulus.uniform(8) as u8,
            ident: stimulus.uniform(16) as u16,
            dont_fragment: stimulus.chance(0.5),
            ttl: stimulus.uniform(8) as u8,
            protocol: PROTOCOL_UDP,
            payload_len: 0,
        },
        udp: UdpRepr::ports(stimulus.uniform(16) as u16, config.ports.number(role)),
        int: &int,
        bth: BthRepr {
            solicited: stimulus.chance(0.5),
            migrated: stimulus.chance(0.5),
            becn: stimulus.chance(0.5),
            ack_req: stimulus.chance(0.5),
            pkey: pick(stimulus, &[0xffff, 0x7fff]),
            ..BthRepr::new(opcode, stimulus.uniform(24) as u32, stimulus.uniform(24) as u32)
        },
        extension,
        payload: &payload,
    };
    let mut frame = match role {
        PortRole::IntEcho if config.echo_icrc_full => packet.to_frame_with_int_covered(),
        _ => packet.to_frame(),
    };
    if role == PortRole::Roce && stimulus.chance(0.3) {
        set_udp_checksum(&mut frame);
    }
    if stimulus.chance(0.2) {
        let tail = stimulus.below(70) as usize;
        frame.extend(bytes(stimulus, tail));
    }
    frame
}

/// Start of IP, if the frame is long enough for IPv4 and UDP.
fn ip_at(frame: &[u8]) -> Option<usize> {
    let at = if frame.get(12..14)? == [0x81, 0] { 18 } else { 14 };
    (frame.len() >= at + IPV4_LEN + UDP_LEN).then_some(at)
}

/// Bytes of the IP packet, if its length is possible.
fn packet(frame: &mut [u8]) -> Option<&mut [u8]> {
    let at = ip_at(frame)?;
    let total = usize::from(u16::from_be_bytes([frame[at + 2], frame[at + 3]]));
    let packet = frame[at..].get_mut(..total)?;
    (packet.len() >= IPV4_LEN + UDP_LEN).then_some(packet)
}

fn set_udp_checksum(frame: &mut [u8]) {
    let Some(packet) = packet(frame) else { return };
    let address = |at: usize| Ipv4Addr::new(packet[at], packet[at + 1], packet[at + 2], packet[at + 3]);
    let (src, dst) = (address(12), address(16));
    packet[26..28].fill(0);
    let value = udp_checksum(src, dst, &packet[IPV4_LEN..]);
    packet[26..28].copy_from_slice(&value.to_be_bytes());
}

/// Makes the packet `total` bytes long; the frame keeps its length if that is more.
fn set_total_len(frame: &mut [u8], total: usize) {
    let Some(at) = ip_at(frame) else { return };
    let (ip, udp) = (total as u16, (total - IPV4_LEN) as u16);
    frame[at + 2..at + 4].copy_from_slice(&ip.to_be_bytes());
    frame[at + 24..at + 26].copy_from_slice(&udp.to_be_bytes());
    frame[at + 26..at + 28].fill(0);
}

/// Makes the header checksum right again after a change of the frame.
fn fix_ip_checksum(frame: &mut [u8]) {
    let Some(at) = ip_at(frame) else { return };
    frame[at + 10..at + 12].fill(0);
    let value = internet_checksum(&frame[at..at + IPV4_LEN]);
    frame[at + 10..at + 12].copy_from_slice(&value.to_be_bytes());
}

/// Bytes of INT at the start of what follows UDP on a port of this role.
fn int_len(role: Option<PortRole>, data: &[u8]) -> usize {
    match role {
        Some(role) if role.has_int() => int_header_len(data).unwrap_or(0),
        _ => 0,
    }
}

/// What UDP says that it carries, in bytes, of a frame that is long enough for its headers.
pub fn udp_carries(frame: &[u8]) -> Option<usize> {
    let at = ip_at(frame)?;
    usize::from(u16::from_be_bytes([frame[at + 24], frame[at + 25]])).checked_sub(UDP_LEN)
}

/// Makes the ICRC right again after a change of the frame.
fn fix_icrc(frame: &mut [u8], config: &NicConfig) {
    let Some(packet) = packet(frame) else { return };
    let port = u16::from_be_bytes([packet[22], packet[23]]);
    let data = &packet[IPV4_LEN + UDP_LEN..];
    let role = config.ports.role(port);
    let int_len = int_len(role, data);
    let end = packet.len() - ICRC_LEN;
    let covering = match role {
        Some(PortRole::IntEcho) if config.echo_icrc_full => icrc_with_int,
        _ => icrc,
    };
    if let Some(value) = covering(&packet[..end], int_len) {
        packet[end..].copy_from_slice(&value.to_le_bytes());
    }
}

/// A frame with or without faults. All that the parser names come up; no length is above 1200 bytes.
pub fn any_frame(stimulus: &mut Stimulus, config: &NicConfig) -> Vec<u8> {
    let mut frame = good_frame(stimulus, config);
    match stimulus.below(12) {
        0 => frame.truncate(1 + stimulus.below(frame.len() as u64) as usize),
        1 => {
            let len = 1 + stimulus.below(200) as usize;
            return bytes(stimulus, len);
        }
        2 => return control_frame(stimulus, config),
        3..=7 => {
            // One field of the headers, mostly one that decides; checksums made right again in most cases.
            let at = ip_at(&frame).unwrap_or(14);
            let offset = match stimulus.below(4) {
                0 => pick(stimulus, &[0, 5, 12, 13, 14, 16, 17]),
                1 => at + stimulus.below(28) as usize,
                2 => at + pick(stimulus, &[0, 2, 3, 6, 7, 9, 19, 22, 23, 24, 25, 26, 28]),
                _ => at + 28 + stimulus.below(60) as usize,
            };
            if let Some(byte) = frame.get_mut(offset) {
                *byte = if stimulus.chance(0.5) { stimulus.uniform(8) as u8 } else { *byte ^ 1 << stimulus.below(8) };
            }
            if stimulus.chance(0.8) {
                fix_ip_checksum(&mut frame);
            }
            if stimulus.chance(0.8) {
                fix_icrc(&mut frame, config);
            }
        }
        8 => {
            // Cut inside the headers, with lengths and sums that agree.
            let total = IPV4_LEN + UDP_LEN + stimulus.below(60) as usize;
            set_total_len(&mut frame, total);
            fix_ip_checksum(&mut frame);
            fix_icrc(&mut frame, config);
        }
        9 => {
            let bit = stimulus.below(8 * frame.len() as u64) as usize;
            frame[bit / 8] ^= 1 << (bit % 8);
        }
        _ => {}
    }
    frame
}

fn control_frame(stimulus: &mut Stimulus, config: &NicConfig) -> Vec<u8> {
    let route = Route {
        dst_mac: config.mac,
        src_mac: MacAddr([2; 6]),
        dst: config.ip,
        src: Ipv4Addr::from(stimulus.uniform(32) as u32),
    };
    let len = match stimulus.below(3) {
        0 => CONTROL_LEN,
        1 => CONTROL_LEN - 2 + stimulus.below(5) as usize,
        _ => 6 + stimulus.below(200) as usize,
    };
    let mut body = bytes(stimulus, len);
    body[..6].copy_from_slice(b"HPCC\x01\x01");
    udp_frame(route, config.ports.control, &body)
}

/// Start of the BTH, if the frame is long enough for it.
fn bth_at(frame: &[u8], config: &NicConfig) -> Option<usize> {
    let at = ip_at(frame)?;
    let port = u16::from_be_bytes([frame[at + 22], frame[at + 23]]);
    let bth = at + 28 + int_len(config.ports.role(port), &frame[at + 28..]);
    (frame.len() >= bth + 12).then_some(bth)
}

/// Gives a packet another opcode, checksums right again; frames without room for it stay as they are.
pub fn set_opcode(frame: &mut [u8], config: &NicConfig, opcode: u8) {
    let (Some(at), Some(bth)) = (ip_at(frame), bth_at(frame, config)) else {
        return;
    };
    frame[bth] = opcode;
    frame[at + 26..at + 28].fill(0);
    fix_icrc(frame, config);
}

/// Makes a packet one of `peer` for queue pair `qp`, checksums right again; frames without room for it stay as they are.
pub fn aim(frame: &mut [u8], config: &NicConfig, qp: u32, peer: Ipv4Addr) {
    let (Some(at), Some(bth)) = (ip_at(frame), bth_at(frame, config)) else {
        return;
    };
    frame[at + 12..at + 16].copy_from_slice(&peer.octets());
    frame[bth + 5..bth + 8].copy_from_slice(&qp.to_be_bytes()[1..]);
    frame[at + 26..at + 28].fill(0);
    fix_ip_checksum(frame);
    fix_icrc(frame, config);
}

/// A line of memory that is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryLine {
    /// Bytes by their places in the line; zero where nothing is written.
    pub data: [u64; 8],
    /// Which bytes of the line are written.
    pub strobe: u64,
    /// Last of its burst: the page ends here, or what is written.
    pub last: bool,
}

impl MemoryLine {
    /// It is what the hardware writes; what it does not write may be anything.
    pub fn is(&self, data: [u64; 8], strobe: u64, last: bool) -> bool {
        let written = (0..64).filter(|at| strobe >> at & 1 == 1);
        let byte = |line: &[u64; 8], at: usize| line[at / 8] >> (8 * (at % 8)) & 255;
        let mut same = written.map(|at| byte(&data, at) == byte(&self.data, at));
        (strobe, last) == (self.strobe, self.last) && same.all(|same| same)
    }
}

/// The lines of memory in which bytes lie from an address on, one byte after the other.
pub fn memory_lines(address: u64, bytes: &[u8]) -> Vec<MemoryLine> {
    let mut lines: Vec<MemoryLine> = Vec::new();
    for (at, byte) in (address..).zip(bytes) {
        let place = at % 64;
        if at == address || place == 0 {
            lines.push(MemoryLine::default());
        }
        if let Some(line) = lines.last_mut() {
            line.data[place as usize / 8] |= u64::from(*byte) << (8 * (place % 8));
            line.strobe |= 1 << place;
            line.last = at % 4096 == 4095 || at + 1 == address + bytes.len() as u64;
        }
    }
    lines
}
