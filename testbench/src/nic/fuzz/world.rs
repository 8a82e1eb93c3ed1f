//! The NIC under fire and its honest peer: addresses, queue pairs, memory with guards.

use crate::config::{pattern_byte, Limits, MemoryBlock, NicSetup};
use hpcc_models::nic::{ControlConfig, NicConfig, ProbeConfig, QpConfig, Region};
use hpcc_models::wire::MacAddr;
use std::net::Ipv4Addr;

/// Address of the NIC under fire.
pub const DEVICE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 10);
/// Address of the honest peer.
pub const PEER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 11);
/// Address that the frames aimed at queue pairs come from.
pub const ATTACKER: Ipv4Addr = Ipv4Addr::new(10, 0, 1, 1);
/// Queue pairs shared with the honest peer, plain and with INT.
pub const HONEST: [u32; 2] = [2, 3];
/// Queue pairs under fire.
pub const AIMED: std::ops::Range<u32> = 4..13;
/// Queue pairs that control packets create and remove.
pub const CONTROLLED: std::ops::Range<u32> = 13..21;
/// What the attacker calls its end of a queue pair: this plus the NIC's number.
pub const REMOTE: u32 = 0x1000;
/// First PSN of a queue pair under fire, near the wrap.
pub const FIRST_PSN: u32 = 0xff_fffa;
/// Secret of control packets.
pub const CONTROL_KEY: u64 = 0x0123_4567_89ab_cdef;
/// Keys of the attacker's regions: written, read, neither.
pub const ATTACK_KEYS: [u32; 3] = [0x5a5a_0001, 0x5a5a_0102, 0x5a5a_0203];
/// Bytes of an attacker's region; the end is inside a beat.
pub const ATTACK_LENGTH: u64 = 20_011;
/// Where the attacker's regions begin: inside a beat, 64 KiB apart.
pub const ATTACK: [u64; 3] = [0x10_0000 + 4096 + 13, 0x11_0000 + 4096 + 29, 0x12_0000 + 4096 + 1];
/// Keys of the honest regions, source and target.
pub const HONEST_KEYS: [u32; 2] = [0xc0ff_ee10, 0xc0ff_ef20];
/// Where the honest regions begin, source and target, in either host.
pub const HONEST_AT: [u64; 2] = [0x20_0000 + 4096 + 7, 0x21_0000 + 4096 + 51];
/// Bytes of an honest region.
pub const HONEST_LENGTH: u64 = 16_384;
/// Bytes of memory on either side of a region that nothing may touch.
pub const GUARD: u64 = 4096;

/// The byte that memory holds at an address at the start.
pub fn first_byte(address: u64) -> u8 {
    pattern_byte(address.wrapping_mul(3))
}

/// A region with bytes behind it, and the block of memory in front of it that no region names.
fn guarded(region: Region) -> [MemoryBlock; 2] {
    let bytes = |from: u64, to: u64| (from..to).map(first_byte).collect::<Vec<u8>>();
    let front = Region {
        // A region of no rights whose key nobody uses; its entry is another one than those of the keys in use.
        key: !region.key,
        address: region.address - GUARD,
        length: GUARD,
        remote_write: false,
        remote_read: false,
    };
    [
        MemoryBlock {
            bytes: bytes(front.address, region.address),
            region: front.into(),
        },
        MemoryBlock {
            bytes: bytes(region.address, region.address + region.length + GUARD),
            region: region.into(),
        },
    ]
}

fn honest_memory() -> Vec<MemoryBlock> {
    (0..2)
        .flat_map(|i| {
            guarded(Region {
                key: HONEST_KEYS[i],
                address: HONEST_AT[i],
                length: HONEST_LENGTH,
                remote_write: i == 1,
                remote_read: i == 0,
            })
        })
        .collect()
}

fn honest_qp(qpn: u32, remote_ip: Ipv4Addr) -> QpConfig {
    let int = qpn == HONEST[1];
    QpConfig {
        // Both directions cross the wrap.
        send_psn: 0xff_fff0,
        expected_psn: 0xff_fff0,
        int,
        mtu: if int { 256 } else { 1024 },
        ..QpConfig::new(qpn, qpn, remote_ip)
    }
}

/// A queue pair under fire that starts at a PSN.
pub fn aimed_qp(qpn: u32, psn: u32) -> QpConfig {
    QpConfig {
        send_psn: psn,
        expected_psn: psn,
        int: qpn.is_multiple_of(3),
        mtu: [256, 256, 512, 1024, 256, 2048, 256, 4096][qpn as usize % 8],
        priority: 1,
        ..QpConfig::new(qpn, REMOTE + qpn, ATTACKER)
    }
}

fn config(ip: Ipv4Addr) -> NicConfig {
    let mac = |ip: Ipv4Addr| {
        let [a, b, c, d] = ip.octets();
        MacAddr([2, 0, a, b, c, d])
    };
    let neighbours = [DEVICE, PEER, ATTACKER].into_iter().filter(|other| *other != ip);
    NicConfig {
        mac: mac(ip),
        ip,
        mtu: 256,
        retry_timeout_ns: 20_480,
        retry_limit: 15,
        probes: Some(ProbeConfig::every(1500)),
        neighbours: neighbours.map(|ip| (ip, mac(ip))).collect(),
        ..NicConfig::default()
    }
}

/// The NIC under fire.
pub fn device() -> NicSetup {
    let mut nic = config(DEVICE);
    nic.control = ControlConfig {
        enabled: false,
        key: CONTROL_KEY,
        sources: vec![ATTACKER],
        interval_ns: 0,
    };
    let attacked = (0..3).flat_map(|i| {
        guarded(Region {
            key: ATTACK_KEYS[i],
            address: ATTACK[i],
            length: ATTACK_LENGTH,
            remote_write: i == 0,
            remote_read: i == 1,
        })
    });
    let aimed = AIMED.map(|qpn| aimed_qp(qpn, FIRST_PSN));
    NicSetup {
        nic,
        base_rtt_ns: 13_000,
        hpcc: None,
        dcqcn: None,
        power: None,
        qps: HONEST
            .map(|qpn| honest_qp(qpn, PEER))
            .into_iter()
            .chain(aimed)
            .collect(),
        memory: honest_memory().into_iter().chain(attacked).collect(),
        work: Vec::new(),
        limits: Limits::default(),
        queues: crate::config::QueueSetup::default(),
    }
}

/// The honest peer.
pub fn peer() -> NicSetup {
    NicSetup {
        nic: config(PEER),
        base_rtt_ns: 13_000,
        hpcc: None,
        dcqcn: None,
        power: None,
        qps: HONEST.map(|qpn| honest_qp(qpn, DEVICE)).to_vec(),
        memory: honest_memory(),
        work: Vec::new(),
        limits: Limits::default(),
        queues: crate::config::QueueSetup::default(),
    }
}
