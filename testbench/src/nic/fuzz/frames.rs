//! Frames that an attacker sends: noise, packets with faults, and packets without any that fit the state of a queue pair.

use super::world::*;
use hpcc_models::nic::NicConfig;
use hpcc_models::wire::*;
use hpcc_rtl::rx::stimulus::{aim, any_frame};
use hpcc_rtl::sim::Stimulus;
use std::collections::VecDeque;

/// A queue pair under fire, as far as the attacker knows it.
#[derive(Clone, Debug)]
pub struct Target {
    /// Number.
    pub qpn: u32,
    int: bool,
    mtu: usize,
    /// PSN of the next request that the NIC would execute.
    pub expected: u32,
    /// PSN of the NIC's last request.
    pub sent: u32,
}

impl Target {
    fn new(qpn: u32, psn: u32) -> Self {
        let qp = aimed_qp(qpn, psn);
        Self {
            qpn,
            int: qp.int,
            mtu: qp.mtu as usize,
            expected: psn,
            sent: psn,
        }
    }
}

/// The attacker.
pub struct Frames {
    /// Where its decisions come from.
    pub stimulus: Stimulus,
    config: NicConfig,
    targets: Vec<Target>,
    pending: VecDeque<Vec<u8>>,
    sequence: u64,
    /// Control packets with the right key are sent.
    pub control: bool,
}

impl Frames {
    /// An attacker of a NIC.
    pub fn new(seed: u64, config: &NicConfig) -> Self {
        Self {
            stimulus: Stimulus::exactly(seed),
            config: config.clone(),
            targets: AIMED.map(|qpn| Target::new(qpn, FIRST_PSN)).collect(),
            pending: VecDeque::new(),
            sequence: 0,
            control: false,
        }
    }

    /// A queue pair was created anew and starts at this PSN.
    pub fn created(&mut self, qpn: u32, psn: u32) {
        let place = (qpn - AIMED.start) as usize;
        self.targets[place] = Target::new(qpn, psn);
    }

    /// Learns PSNs from a frame that the NIC sent to the attacker.
    pub fn learn(&mut self, packet: &RocePacket) {
        let qpn = packet.bth.dest_qp.wrapping_sub(REMOTE);
        if !AIMED.contains(&qpn) {
            return;
        }
        let target = &mut self.targets[(qpn - AIMED.start) as usize];
        match (packet.bth.opcode, packet.extension) {
            (Opcode::Acknowledge, Extension::Aeth(aeth)) => {
                let nak = aeth.syndrome.emit() >> 5 == 3;
                target.expected = (packet.bth.psn + u32::from(!nak)) & MASK_24;
            }
            (Opcode::Write(_) | Opcode::ReadRequest, _) => target.sent = packet.bth.psn,
            _ => {}
        }
    }

    /// The next frame, and whether the MAC calls it bad.
    pub fn next(&mut self) -> (Vec<u8>, bool) {
        let frame = self.pending.pop_front().unwrap_or_else(|| self.make());
        (frame, self.stimulus.chance(0.01))
    }

    fn target(&mut self) -> usize {
        self.stimulus.below(self.targets.len() as u64) as usize
    }

    fn make(&mut self) -> Vec<u8> {
        loop {
            match self.stimulus.below(16) {
                0..=2 => return any_frame(&mut self.stimulus, &self.config),
                3..=5 => {
                    let mut frame = any_frame(&mut self.stimulus, &self.config);
                    let qpn = self.aim();
                    aim(&mut frame, &self.config, qpn, ATTACKER);
                    return frame;
                }
                6 if self.control => return self.control_frame(),
                7..=10 => self.write(),
                11 | 12 => self.read(),
                13 | 14 => self.answer(),
                _ => self.odd(),
            }
            if let Some(frame) = self.pending.pop_front() {
                return frame;
            }
        }
    }

    /// A queue pair to aim at: mostly one that exists.
    fn aim(&mut self) -> u32 {
        match self.stimulus.below(8) {
            0 => AIMED.end + self.stimulus.below(140) as u32,
            1 => self.stimulus.uniform(24) as u32 | 0x80_0000,
            // Not the attacker's: the source address says so.
            2 => HONEST[self.stimulus.below(2) as usize],
            _ => AIMED.start + self.stimulus.below(u64::from(AIMED.end - AIMED.start)) as u32,
        }
    }

    /// A PSN near one.
    fn near(&mut self, psn: u32) -> u32 {
        let step = match self.stimulus.below(16) {
            0 => self.stimulus.uniform(24) as u32,
            1 => 0x80_0000,
            2 | 3 => 1 + self.stimulus.below(3) as u32,
            4 | 5 => 0x100_0000 - 1 - self.stimulus.below(3) as u32,
            _ => 0,
        };
        (psn + step) & MASK_24
    }

    /// Where a request points: mostly inside the region, often at its very end.
    fn place(&mut self, region: usize, length: u64) -> RethRepr {
        let room = ATTACK_LENGTH.saturating_sub(length);
        let offset = match self.stimulus.below(16) {
            0 => room + 1,
            1 => 0u64.wrapping_sub(1 + self.stimulus.below(70)),
            2 => self.stimulus.uniform(64),
            3..=5 => room,
            _ => self.stimulus.below(room + 1),
        };
        let region = if self.stimulus.chance(0.06) {
            self.stimulus.below(3) as usize
        } else {
            region
        };
        let key = match self.stimulus.below(24) {
            0 => self.stimulus.uniform(32) as u32,
            _ => ATTACK_KEYS[region],
        };
        RethRepr {
            address: ATTACK[region].wrapping_add(offset),
            key,
            length: length as u32,
        }
    }

    fn write(&mut self) {
        let at = self.target();
        let Target { mtu, expected, .. } = self.targets[at];
        let packets = 1 + self.stimulus.below(if mtu > 512 { 2 } else { 4 });
        let last = match self.stimulus.below(8) {
            0 if packets == 1 => 0,
            1 => mtu as u64,
            _ => 1 + self.stimulus.below(mtu as u64),
        };
        let length = (packets - 1) * mtu as u64 + last;
        let mut reth = self.place(0, length);
        if self.stimulus.chance(0.04) {
            reth.length = self.stimulus.corner(32) as u32;
        }
        let start = self.near(expected);
        for i in 0..packets {
            let mut position = Position::of(i, packets);
            if self.stimulus.chance(0.02) {
                position = Position::of(self.stimulus.below(2), 2);
            }
            let opcode = Opcode::Write(position);
            let extension = if opcode.has_reth() {
                Extension::Reth(reth)
            } else {
                Extension::None
            };
            let mut len = if i + 1 == packets { last as usize } else { mtu };
            if self.stimulus.chance(0.02) {
                len = self.stimulus.below(mtu as u64 + 2) as usize;
            }
            self.push(at, opcode, (start + i as u32) & MASK_24, extension, len);
        }
        if start == expected {
            self.targets[at].expected = (expected + packets as u32) & MASK_24;
        }
    }

    fn read(&mut self) {
        let at = self.target();
        let Target { mtu, expected, .. } = self.targets[at];
        let length = match self.stimulus.below(8) {
            0 => 0,
            1 => self.stimulus.corner(32),
            _ => self.stimulus.below(3 * mtu as u64),
        };
        let reth = self.place(1, length);
        let psn = self.near(expected);
        self.push(at, Opcode::ReadRequest, psn, Extension::Reth(reth), 0);
        if psn == expected {
            let packets = length.div_ceil(mtu as u64).max(1) as u32;
            self.targets[at].expected = expected.wrapping_add(packets) & MASK_24;
        }
    }

    /// Acknowledgements of every kind and READ responses near what the NIC sent last.
    fn answer(&mut self) {
        let at = self.target();
        let Target { mtu, sent, .. } = self.targets[at];
        let psn = self.near(sent);
        let syndrome = match self.stimulus.below(12) {
            0 => self.stimulus.uniform(8) as u8,
            1 | 2 => 0x60,
            3 => 0x60 | self.stimulus.below(6) as u8,
            _ => 0x1f,
        };
        let extension = |opcode: Opcode| match opcode.has_aeth() {
            true => Extension::Aeth(AethRepr {
                syndrome: Syndrome::parse(syndrome),
                msn: 5,
            }),
            false => Extension::None,
        };
        if self.stimulus.chance(0.5) {
            return self.push(at, Opcode::Acknowledge, psn, extension(Opcode::Acknowledge), 0);
        }
        let count = 1 + self.stimulus.below(3);
        for i in 0..count {
            let opcode = Opcode::ReadResponse(Position::of(i, count));
            let len = if i + 1 == count {
                self.stimulus.below(mtu as u64 + 1) as usize
            } else {
                mtu
            };
            self.push(at, opcode, (psn + i as u32) & MASK_24, extension(opcode), len);
        }
    }

    /// Opcodes that ask for nothing, or for what this NIC does not do.
    fn odd(&mut self) {
        let at = self.target();
        let byte = [0xd1, 0xd2, 0xd3, 0x81, 0x00, 0x04, 0x13, 0x14, 0x12][self.stimulus.below(9) as usize];
        let Some(opcode) = Opcode::parse(byte) else { return };
        let psn = self.near(self.targets[at].expected);
        let len = self.stimulus.below(70) as usize;
        self.push(at, opcode, psn, Extension::None, len);
    }

    fn push(&mut self, at: usize, opcode: Opcode, psn: u32, extension: Extension, len: usize) {
        let target = self.targets[at].clone();
        let stimulus = &mut self.stimulus;
        let mut role = opcode.port_role(target.int).unwrap_or(PortRole::Roce);
        if stimulus.chance(0.02) {
            role = [PortRole::Roce, PortRole::IntCollect, PortRole::IntEcho][stimulus.below(3) as usize];
        }
        let mut int = Vec::new();
        if role.has_int() {
            let n_hop = match stimulus.below(12) {
                0 => stimulus.uniform(4) as u8,
                _ => stimulus.below(6) as u8,
            };
            let len = INT_FIXED_LEN + INT_RECORD_LEN * usize::from(n_hop).min(5);
            int = (0..len).map(|_| stimulus.uniform(8) as u8).collect();
            int[0] = n_hop << 4 | int[0] & 15;
        }
        let seed = stimulus.uniform(8) as u8;
        let payload: Vec<u8> = (0..len).map(|i| (i as u8).wrapping_mul(37) ^ seed).collect();
        let mut frame = RocePacket {
            ethernet: EthernetRepr {
                dst: self.config.mac,
                src: MacAddr([2, 0, 10, 0, 1, 1]),
                vlan: stimulus.chance(0.1).then_some(7),
                ethertype: ETHERTYPE_IPV4,
            },
            ipv4: Ipv4Repr {
                tos: 26 << 2,
                ..Ipv4Repr::udp(ATTACKER, self.config.ip)
            },
            udp: UdpRepr::ports(0xc123, self.config.ports.number(role)),
            int: &int,
            bth: BthRepr {
                ack_req: stimulus.chance(0.4),
                ..BthRepr::new(opcode, target.qpn, psn)
            },
            extension,
            payload: &payload,
        }
        .to_frame();
        if stimulus.chance(0.04) {
            return;
        }
        if stimulus.chance(0.03) {
            self.pending.push_back(frame.clone());
        }
        if stimulus.chance(0.12) {
            mutate(stimulus, &mut frame);
            if stimulus.chance(0.8) {
                let qpn = if stimulus.chance(0.9) { target.qpn } else { 140 };
                aim(&mut frame, &self.config, qpn, ATTACKER);
            }
        }
        self.pending.push_back(frame);
    }

    /// A control packet that is admitted if the switch is on, or fails by one field.
    fn control_frame(&mut self) -> Vec<u8> {
        let stimulus = &mut self.stimulus;
        self.sequence += 1;
        let count = u64::from(CONTROLLED.end - CONTROLLED.start);
        let packet = ControlRepr {
            operation: [ControlOp::CreateWrite, ControlOp::CreateRead, ControlOp::Remove][stimulus.below(3) as usize],
            key: CONTROL_KEY ^ u64::from(stimulus.chance(0.2)) << stimulus.below(64),
            sequence: self.sequence.saturating_sub(stimulus.below(8) / 6),
            qpn: CONTROLLED.start + stimulus.below(count) as u32,
            remote_qpn: 0x2000 + stimulus.below(16) as u32,
            remote_ip: ATTACKER,
            first_psn: stimulus.uniform(24) as u32,
            local_address: ATTACK[0] + stimulus.below(ATTACK_LENGTH),
            local_key: ATTACK_KEYS[0],
            remote_key: 1,
            remote_address: 0x1000,
            length: stimulus.below(600) as u32,
        };
        let route = Route {
            dst_mac: self.config.mac,
            src_mac: MacAddr([2; 6]),
            dst: self.config.ip,
            src: if stimulus.chance(0.9) { ATTACKER } else { PEER },
        };
        let mut body = [0; CONTROL_LEN];
        packet.emit(&mut body);
        udp_frame(route, self.config.ports.control, &body)
    }
}

/// Flips bits, changes a byte, cuts or lengthens.
fn mutate(stimulus: &mut Stimulus, frame: &mut Vec<u8>) {
    match stimulus.below(8) {
        0 => frame.truncate(1 + stimulus.below(frame.len() as u64) as usize),
        1 => {
            let more = stimulus.below(130) as usize;
            frame.resize(frame.len() + more, 0xa5);
        }
        2 => {
            // Lengths of IP and UDP that agree with each other and not with the rest.
            if frame.len() > 46 && frame[12] == 8 {
                let total = 28 + stimulus.below(frame.len() as u64 - 14 - 27) as u16;
                frame[16..18].copy_from_slice(&total.to_be_bytes());
                frame[38..40].copy_from_slice(&(total - 20).to_be_bytes());
            }
        }
        3..=5 => {
            // In the headers: from UDP on, most of what decides.
            let at = 34 + stimulus.below(70) as usize;
            if let Some(byte) = frame.get_mut(at) {
                *byte = stimulus.corner(8) as u8;
            }
        }
        _ => {
            for _ in 0..1 + stimulus.below(3) {
                let bit = stimulus.below(8 * frame.len() as u64) as usize;
                frame[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}
