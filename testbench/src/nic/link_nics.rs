//! `run link`: the two NICs that its keys describe, their queue pairs, memory and work.

use super::link_config::LinkSpec;
use super::queue_pairs::{FIRST_FLOOD_QPN, FIRST_QPN};
use crate::config::{
    ack_req_interval, law_name, needs_int, pattern_byte, Limits, MemoryBlock, NicSetup, QueueSetup, TimedWork, DCQCN,
    ECT,
};
use hpcc_models::cc::hpcc::DEFAULT_PORT_SPEEDS;
use hpcc_models::nic::{NicConfig, Operation, ProbeConfig, QpConfig, Region, WorkRequest};
use hpcc_models::wire::MacAddr;
use std::net::Ipv4Addr;

/// INT code of a wire whose speed is none of the table's: the first free one.
const OTHER_SPEED: u8 = 9;
/// Key of the region that messages come from.
pub const SOURCE_KEY: u32 = 0x50;
/// Key of the region that messages go to.
pub const TARGET_KEY: u32 = 0x1d0;
/// Where the source region begins, in either host.
pub const SOURCE: u64 = 0x0010_0000_0000;
/// Where the target region begins, in either host.
pub const TARGET: u64 = 0x0020_0000_0000;
/// Bytes behind the target region that nothing may touch.
pub const GUARD: u64 = 4096;
/// Address of the host that floods.
pub const FLOODER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 66);
/// Its Ethernet address.
pub const FLOODER_MAC: MacAddr = MacAddr([2, 0, 0, 0, 0, 66]);
/// PSNs of its first requests.
pub const FLOOD_PSN: u32 = 0x100;
/// Where the region begins that a flood may write and read.
pub const FLOOD: u64 = 0x0030_0000_0000;
/// Its key.
pub const FLOOD_KEY: u32 = 0x2f1;
/// Its length, bytes.
const FLOOD_LENGTH: u64 = 64;
/// First PSN of the first queue pair: its packets cross the wrap.
const FIRST_PSN: u32 = 0xff_fff0;
/// Base round-trip time beyond the wire's own, ns: 13 us with the default delay, as in the paper's fat tree.
const BASE_RTT_MARGIN_NS: u64 = 11_000;

/// Address of a NIC.
fn ip(side: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 0, 0, 10 + side as u8)
}

impl LinkSpec {
    /// Code of the law of a queue pair, if it asks for one: by turns, and none that needs INT without it.
    fn law_of(&self, index: u32) -> Option<u8> {
        let code = self.laws[index as usize % self.laws.len()];
        (self.int || !needs_int(code)).then_some(code)
    }

    /// Whether a queue pair's packets collect INT: DCQCN wants them marked, and what collects INT cannot be.
    pub(super) fn int_of(&self, index: u32) -> bool {
        self.int && self.law_of(index) != Some(DCQCN)
    }

    /// Packets at most between two requests for an acknowledgement.
    pub fn ack_req_interval(&self) -> u32 {
        ack_req_interval((0..self.qps).map(|index| (self.int_of(index), self.law_of(index).unwrap_or(0))))
    }

    /// Names of the laws in the order of the queue pairs that have them, `none` for those without.
    pub fn law_names(&self) -> String {
        let laws = (0..self.laws.len() as u32).map(|index| law_name(self.law_of(index).unwrap_or(0)));
        laws.collect::<Vec<_>>().join(",")
    }

    /// Bytes that one NIC's work moves.
    pub fn total(&self) -> u64 {
        self.bytes * self.messages
    }

    /// Whether a NIC has work.
    pub fn works(&self, side: usize) -> bool {
        side == 0 || self.op.both()
    }

    /// Byte `i` of a NIC's source region.
    pub fn source_byte(&self, side: usize, i: u64) -> u8 {
        let shift = (self.seed.wrapping_mul(2).wrapping_add(side as u64)).wrapping_mul(2_654_435_761);
        pattern_byte(i.wrapping_add(shift))
    }

    /// The wire's speed where the INT table lacks it, whole Gb/s: the NICs know it by [`OTHER_SPEED`].
    fn other_speed(&self) -> Option<u16> {
        let gbps = self.link.rate_gbps;
        let known = DEFAULT_PORT_SPEEDS.contains(&((gbps * 1e9) as u64));
        (!known && gbps.fract() == 0.0 && (1.0..=800.0).contains(&gbps)).then_some(gbps as u16)
    }

    /// INT code of the wire's speed; 0 for one that is not of whole Gb/s.
    pub fn speed_code(&self) -> u8 {
        let bits_per_second = (self.link.rate_gbps * 1e9) as u64;
        let known = (1u8..)
            .zip(&DEFAULT_PORT_SPEEDS[1..])
            .find(|(_, speed)| **speed == bits_per_second);
        known.map_or(self.other_speed().map_or(0, |_| OTHER_SPEED), |(code, _)| code)
    }

    /// Queue pairs that have work.
    pub(super) fn queue_pairs(&self, side: usize) -> Vec<QpConfig> {
        let first_psn = |side: usize, index: u32| (FIRST_PSN + index * 0x1_0001 + side as u32 * 0x1234) & 0xff_ffff;
        let pair = |index: u32| QpConfig {
            send_psn: first_psn(side, index),
            expected_psn: first_psn(1 - side, index),
            int: self.int_of(index),
            law: self.law_of(index),
            mtu: self.mtu,
            ..QpConfig::new(FIRST_QPN + index, FIRST_QPN + index, ip(1 - side))
        };
        (0..self.qps).map(pair).collect()
    }

    /// A NIC and its host.
    pub fn setup(&self, side: usize) -> NicSetup {
        let line_rate_bps = self.link.rate_gbps * 1e9;
        let base_rtt_ns = (2 * self.link.delay_ns + BASE_RTT_MARGIN_NS).clamp(1000, 100_000) as u32;
        let mac = |side: usize| MacAddr([2, 0, 0, 0, 0, 10 + side as u8]);
        let ack_req_interval = self.ack_req_interval();
        // Beyond what is on its way: a plain flow asks for an acknowledgement once per interval, one with INT gets each.
        let bandwidth_delay = line_rate_bps * f64::from(base_rtt_ns) / 8e9;
        let packets = if self.int { 2 } else { ack_req_interval };
        let mut nic = NicConfig {
            mac: mac(side),
            ip: ip(side),
            mtu: self.mtu,
            line_rate_bps,
            retry_timeout_ns: (self.retry_timeout_us * 1e3) as u64,
            retry_limit: self.retry_limit,
            neighbours: [(ip(1 - side), mac(1 - side))].into(),
            window: bandwidth_delay + f64::from(packets * self.mtu),
            ecn: if self.laws.contains(&DCQCN) { ECT } else { 0 },
            ack_req_interval,
            echo_icrc_full: self.echo_icrc_full,
            probes: self.probes.then(|| ProbeConfig::every(base_rtt_ns)),
            ..NicConfig::default()
        };
        if let Some(gbps) = self.other_speed() {
            nic.speed_table[usize::from(OTHER_SPEED)] = gbps;
        }
        let length = self.total().max(1);
        let region = |key, address, remote_write| {
            Region {
                key,
                address,
                length,
                remote_write,
                remote_read: !remote_write,
            }
            .into()
        };
        let mut memory = vec![
            MemoryBlock {
                region: region(SOURCE_KEY, SOURCE, false),
                bytes: (0..length).map(|i| self.source_byte(side, i)).collect(),
            },
            MemoryBlock {
                region: region(TARGET_KEY, TARGET, true),
                bytes: vec![0; (length + GUARD) as usize],
            },
        ];
        let mut qps = self.queue_pairs(side);
        if self.flood.is_some() && side == 1 {
            nic.neighbours.insert(FLOODER, FLOODER_MAC);
            qps.extend((0..self.flood_qps).map(|index| QpConfig {
                send_psn: FLOOD_PSN,
                expected_psn: FLOOD_PSN,
                mtu: self.mtu,
                ..QpConfig::new(FIRST_FLOOD_QPN + index, FIRST_FLOOD_QPN + index, FLOODER)
            }));
            memory.push(MemoryBlock {
                region: Region {
                    key: FLOOD_KEY,
                    address: FLOOD,
                    length: FLOOD_LENGTH,
                    remote_write: true,
                    remote_read: true,
                }
                .into(),
                bytes: vec![0; FLOOD_LENGTH as usize],
            });
        }
        NicSetup {
            nic,
            base_rtt_ns,
            hpcc: None,
            dcqcn: None,
            power: None,
            qps,
            memory,
            work: if self.works(side) { self.work() } else { Vec::new() },
            limits: Limits::default(),
            queues: if self.op.has_queues() {
                self.queues(side)
            } else {
                QueueSetup::default()
            },
        }
    }

    pub(super) fn work(&self) -> Vec<TimedWork> {
        let request = |id: u64| {
            let offset = id * self.bytes;
            let (source, target) = ((SOURCE + offset, SOURCE_KEY), (TARGET + offset, TARGET_KEY));
            let (local, remote) = match self.op.operation() {
                Operation::Read => (target, source),
                _ => (source, target),
            };
            let work = WorkRequest {
                id,
                qpn: FIRST_QPN + (id % u64::from(self.qps)) as u32,
                operation: self.op.operation(),
                local_address: local.0,
                local_key: local.1,
                remote_address: remote.0,
                remote_key: remote.1,
                length: self.bytes,
            };
            TimedWork { at_ns: 0, work }
        };
        (0..self.messages).map(request).collect()
    }
}
