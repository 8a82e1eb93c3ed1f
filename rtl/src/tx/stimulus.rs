//! Packets for tests of the builder, beside the frames that the reference makes of them.

use crate::prim::uint::U;
use crate::prim::word::Word as _;
use crate::sim::Stimulus;
use crate::words::context::QpContext;
use crate::words::transport::AckKind;
use crate::words::transport::{AckSend, TxPacket};
use crate::words::tx::{FrameSettings, PayloadBeat};
use hpcc_models::nic::NicConfig;
use hpcc_models::wire::*;
use std::net::Ipv4Addr;

pub use crate::rx::stimulus::registers;

/// The registers that frames are made by.
pub fn settings(config: &NicConfig) -> FrameSettings {
    FrameSettings {
        mac: U(config.mac.number()),
        ip: U(u32::from(config.ip).into()),
        port_roce: U(config.ports.roce.into()),
        port_int: U(config.ports.int_collect.into()),
        port_echo: U(config.ports.int_echo.into()),
        echo_icrc_full: config.echo_icrc_full,
        pkey: U(config.pkey.into()),
        dscp: U(config.dscp.into()),
        dscp_request: U(config.probes.map_or(config.dscp, |_| config.dscp_unstamped).into()),
        cnp_dscp: U(config.cnp.dscp.into()),
        ecn: U(config.ecn.into()),
        ttl: U(config.ttl.into()),
    }
}

/// What a queue pair's packets need of its context.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The queue pair exists.
    pub alive: bool,
    /// Generation.
    pub generation: u8,
    /// Address of the peer.
    pub ip: Ipv4Addr,
    /// Its Ethernet address.
    pub mac: MacAddr,
    /// Number of the queue pair.
    pub qpn: u32,
    /// UDP source port.
    pub source_port: u16,
    /// Collects INT.
    pub int: bool,
}

impl Peer {
    /// One of random content, addresses of all zeros and all ones weighted.
    pub fn any(stimulus: &mut Stimulus) -> Self {
        Self {
            alive: stimulus.chance(0.9),
            generation: stimulus.uniform(8) as u8,
            ip: Ipv4Addr::from(stimulus.corner(32) as u32),
            mac: MacAddr(std::array::from_fn(|_| stimulus.uniform(8) as u8)),
            qpn: stimulus.corner(24) as u32,
            source_port: stimulus.corner(16) as u16,
            int: stimulus.chance(0.5),
        }
    }

    /// The context, noise where headers do not look.
    pub fn context(&self, stimulus: &mut Stimulus) -> QpContext {
        let mut limbs: [u64; 4] = std::array::from_fn(|_| stimulus.uniform(64));
        limbs[3] &= (1 << 18) - 1;
        QpContext::ALIVE.put(&mut limbs, self.alive.into());
        QpContext::GENERATION.put(&mut limbs, self.generation.into());
        QpContext::REMOTE_IP.put(&mut limbs, u32::from(self.ip).into());
        QpContext::REMOTE_MAC.put_bytes(&mut limbs, &self.mac.0);
        QpContext::REMOTE_QPN.put(&mut limbs, self.qpn.into());
        QpContext::SOURCE_PORT.put(&mut limbs, self.source_port.into());
        QpContext::INT_ON.put(&mut limbs, self.int.into());
        QpContext::from_slice(&limbs)
    }

    /// The outer headers of the NIC's model (`hpcc_models::nic`), in front of what the transport says.
    fn frame(
        &self,
        config: &NicConfig,
        bth: BthRepr,
        extension: Extension,
        int: Option<&[u8]>,
        payload: &[u8],
    ) -> Vec<u8> {
        let role = match int {
            None if self.int => PortRole::IntCollect,
            Some(int) if !int.is_empty() => PortRole::IntEcho,
            _ => PortRole::Roce,
        };
        let collected: &[u8] = if self.int { &INT_EMPTY } else { &[] };
        let packet = RocePacket {
            ethernet: EthernetRepr::ipv4(config.mac, self.mac),
            ipv4: Ipv4Repr {
                tos: match bth.opcode {
                    Opcode::Cnp => config.cnp.dscp << 2,
                    opcode if opcode.is_request() && self.int && config.probes.is_some() => config.dscp_unstamped << 2,
                    opcode if opcode.is_feedback() || self.int => config.dscp << 2,
                    _ => config.dscp << 2 | config.ecn,
                },
                ttl: config.ttl,
                ..Ipv4Repr::udp(config.ip, self.ip)
            },
            udp: UdpRepr::ports(self.source_port, config.ports.number(role)),
            int: int.unwrap_or(collected),
            bth: BthRepr {
                migrated: bth.opcode != Opcode::Cnp,
                pkey: config.pkey,
                ..bth
            },
            extension,
            payload,
        };
        match role {
            PortRole::IntEcho if config.echo_icrc_full => packet.to_frame_with_int_covered(),
            _ => packet.to_frame(),
        }
    }
}

/// A data packet and what becomes of it.
#[derive(Clone, Debug)]
pub struct Packet {
    /// The word.
    pub word: TxPacket,
    /// Its payload.
    pub payload: Vec<u8>,
    /// The payload has a bus error.
    pub error: bool,
    /// The frame, unless it is dropped.
    pub frame: Option<Vec<u8>>,
}

/// Opcodes of data packets: WRITE, READ request, READ response.
pub const OPCODES: [u8; 9] = [0x06, 0x07, 0x08, 0x0a, 0x0c, 0x0d, 0x0e, 0x0f, 0x10];

fn bytes(stimulus: &mut Stimulus, len: usize) -> Vec<u8> {
    (0..len).map(|_| stimulus.uniform(8) as u8).collect()
}

/// A packet of an opcode and length on queue pair `qp`; `stale` gives it another generation.
pub fn packet(
    stimulus: &mut Stimulus,
    config: &NicConfig,
    (qp, peer): (u8, &Peer),
    (opcode, length): (u8, usize),
    stale: bool,
) -> Packet {
    let opcode = Opcode::parse(opcode).expect("one of the list");
    let mut limbs = [0; 4];
    let generation = peer.generation.wrapping_add(stale.into());
    let bth = BthRepr {
        ack_req: stimulus.chance(0.5),
        ..BthRepr::new(opcode, peer.qpn, stimulus.corner(24) as u32)
    };
    let extension = if opcode.has_reth() {
        let reth = RethRepr {
            address: stimulus.uniform(64),
            key: stimulus.uniform(32) as u32,
            length: stimulus.uniform(32) as u32,
        };
        let mut bytes = [0; RETH_LEN];
        reth.emit(&mut bytes);
        TxPacket::EXTENSION_KIND.put(&mut limbs, 1);
        TxPacket::EXTENSION.put_bytes(&mut limbs, &bytes);
        Extension::Reth(reth)
    } else if opcode.has_aeth() {
        let aeth = AethRepr {
            syndrome: Syndrome::parse(SYNDROME_ACK),
            msn: stimulus.uniform(24) as u32,
        };
        // the rest of the extension does not matter
        let mut bytes = bytes(stimulus, RETH_LEN);
        aeth.emit(&mut bytes);
        TxPacket::EXTENSION_KIND.put(&mut limbs, 2);
        TxPacket::EXTENSION.put_bytes(&mut limbs, &bytes);
        Extension::Aeth(aeth)
    } else {
        let bytes = bytes(stimulus, RETH_LEN);
        TxPacket::EXTENSION.put_bytes(&mut limbs, &bytes);
        Extension::None
    };
    let payload = bytes(stimulus, length);
    TxPacket::QP.put(&mut limbs, qp.into());
    TxPacket::GENERATION.put(&mut limbs, generation.into());
    TxPacket::OPCODE.put(&mut limbs, opcode.emit().into());
    TxPacket::PSN.put(&mut limbs, bth.psn.into());
    TxPacket::ACK_REQ.put(&mut limbs, bth.ack_req.into());
    TxPacket::LENGTH.put(&mut limbs, length as u64);
    TxPacket::TAG.put(&mut limbs, stimulus.below(4));
    // a READ request ends nothing
    let ends = stimulus.chance(0.3) && opcode != Opcode::ReadRequest;
    TxPacket::ENDS_READ.put(&mut limbs, ends.into());
    TxPacket::RESPONSE.put(&mut limbs, (0x0d..=0x10).contains(&opcode.emit()).into());
    let frame = (peer.alive && !stale).then(|| peer.frame(config, bth, extension, None, &payload));
    Packet {
        word: TxPacket::from_slice(&limbs),
        error: length > 0 && stimulus.chance(0.05),
        payload,
        frame,
    }
}

/// A payload's beats as the memory reader hands them out, noise behind the end.
pub fn beats(stimulus: &mut Stimulus, packet: &Packet) -> Vec<PayloadBeat> {
    let count = packet.payload.len().div_ceil(64);
    let beat = |(index, chunk): (usize, &[u8])| {
        let mut limbs: [u64; 9] = std::array::from_fn(|_| stimulus.uniform(64));
        for (i, byte) in chunk.iter().enumerate() {
            limbs[i / 8] = limbs[i / 8] & !(0xff << (8 * (i % 8))) | u64::from(*byte) << (8 * (i % 8));
        }
        let last = index + 1 == count;
        limbs[8] = chunk.len() as u64 | u64::from(last) << 7 | u64::from(last && packet.error) << 8;
        PayloadBeat::from_slice(&limbs)
    };
    packet.payload.chunks(64).enumerate().map(beat).collect()
}

/// A congestion notification and its frame; what else stands in the word does not matter.
pub fn notification(
    stimulus: &mut Stimulus,
    config: &NicConfig,
    (qp, peer): (u8, &Peer),
    stale: bool,
) -> (AckSend, Option<Vec<u8>>) {
    let mut limbs = [0; 7];
    AckSend::KIND.put(&mut limbs, AckKind::Notification as u64);
    AckSend::QP.put(&mut limbs, qp.into());
    AckSend::GENERATION.put(&mut limbs, peer.generation.wrapping_add(stale.into()).into());
    AckSend::PSN.put(&mut limbs, stimulus.uniform(24));
    AckSend::MSN.put(&mut limbs, stimulus.uniform(24));
    AckSend::SYNDROME.put(&mut limbs, stimulus.uniform(8));
    let bth = BthRepr {
        becn: true,
        ..BthRepr::new(Opcode::Cnp, peer.qpn, 0)
    };
    let frame = (peer.alive && !stale).then(|| peer.frame(config, bth, Extension::None, Some(&[]), &[0; CNP_LEN]));
    (AckSend::from_slice(&limbs), frame)
}

/// An acknowledgement, a READ echo, the response to a probe, or a probe of a queue pair with INT (an acknowledgement of one without), with `hops` records of INT on queue pairs that collect it, and its frame.
pub fn acknowledgement(
    stimulus: &mut Stimulus,
    config: &NicConfig,
    (qp, peer): (u8, &Peer),
    (kind, hops): (AckKind, usize),
    stale: bool,
) -> (AckSend, Option<Vec<u8>>) {
    let int = match peer.int {
        true if kind == AckKind::Probe => INT_EMPTY.to_vec(),
        true => bytes(stimulus, INT_FIXED_LEN + INT_RECORD_LEN * hops),
        false => Vec::new(),
    };
    let aeth = AethRepr {
        syndrome: Syndrome::parse([SYNDROME_ACK, 0x60, 0x61, 0x62, 0x63][stimulus.below(5) as usize]),
        msn: stimulus.corner(24) as u32,
    };
    let kind = match kind {
        AckKind::Probe if !peer.int => AckKind::Acknowledgement,
        kind => kind,
    };
    let (opcode, extension) = match kind {
        AckKind::Probe => (Opcode::Probe, Extension::None),
        AckKind::Echo => (Opcode::ReadEcho, Extension::None),
        AckKind::ProbeResponse => (Opcode::ProbeResponse, Extension::None),
        _ => (Opcode::Acknowledge, Extension::Aeth(aeth)),
    };
    let bth = BthRepr::new(opcode, peer.qpn, stimulus.corner(24) as u32);
    // what lies behind the INT does not matter
    let mut padded = bytes(stimulus, 42);
    padded[..int.len()].copy_from_slice(&int);
    let mut limbs = [0; 7];
    AckSend::KIND.put(&mut limbs, kind as u64);
    AckSend::QP.put(&mut limbs, qp.into());
    AckSend::GENERATION.put(&mut limbs, peer.generation.wrapping_add(stale.into()).into());
    AckSend::PSN.put(&mut limbs, bth.psn.into());
    AckSend::SYNDROME.put(&mut limbs, aeth.syndrome.emit().into());
    AckSend::MSN.put(&mut limbs, aeth.msn.into());
    AckSend::INT_LENGTH.put(&mut limbs, int.len() as u64);
    AckSend::INT_STACK.put_bytes(&mut limbs, &padded);
    let given = (kind != AckKind::Probe).then_some(&int[..]);
    let frame = (peer.alive && !stale).then(|| peer.frame(config, bth, extension, given, &[]));
    (AckSend::from_slice(&limbs), frame)
}
