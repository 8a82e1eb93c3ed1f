//! What a switch writes into a frame, in any format.

use hpcc_models::wire::telemetry::{ifa, int_md, ioam, Added, Encapsulation, TelemetryPorts};
use hpcc_models::wire::*;

/// Bytes of Ethernet without a tag.
const ETHERNET: usize = 14;
/// Longest IP packet of the links.
const LINK_MTU: usize = 9000;

/// A switch port at the moment that a frame leaves it.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    pub device: u16,
    pub egress: u16,
    /// Our speed code.
    pub speed: u8,
    pub now_ns: u64,
    /// Bytes sent since the start.
    pub sent: u64,
    /// Bytes that wait.
    pub queue: u64,
}

impl Hop {
    /// Adds its record to a frame of that format, under the code point that switches stamp.
    pub fn add_to(&self, frame: &mut Vec<u8>, format: Encapsulation) -> Added {
        let stamper = StampConfig {
            switch_id: self.device,
            speed: self.speed,
            ..StampConfig::default()
        };
        let record = stamper.record(self.now_ns, self.sent, self.queue);
        if format == Encapsulation::Fig7 {
            return match stamper.stamp(frame, record) {
                Stamped::Recorded => Added::Yes,
                Stamped::Counted => Added::Full,
                Stamped::No | Stamped::Truncated => Added::No,
            };
        }
        if frame[ETHERNET + 1] >> 2 != stamper.dscp {
            return Added::No;
        }
        let mut packet = frame.split_off(ETHERNET);
        let added = self.add_to_packet(&mut packet, format, record.q_len);
        frame.extend(packet);
        added
    }

    fn add_to_packet(&self, packet: &mut Vec<u8>, format: Encapsulation, cells: u16) -> Added {
        let numbers = TelemetryPorts::default();
        let (egress, speed, tx_bytes) = (self.egress, self.speed, self.sent as u32);
        match format {
            Encapsulation::Fig7 => Added::No,
            Encapsulation::Ifa => {
                let hop = ifa::IfaHop {
                    device: self.device.into(),
                    // IFA has a code of its own
                    speed: speed - 1,
                    rx_seconds: (self.now_ns / 1_000_000_000) as u32,
                    rx_ns: (self.now_ns % 1_000_000_000) as u32,
                    egress,
                    tx_bytes,
                    queue: cells,
                    ..ifa::IfaHop::default()
                };
                ifa::stamp(packet, &hop, LINK_MTU)
            }
            Encapsulation::Ioam(_) => {
                let node = ioam::IoamNode {
                    node: self.device.into(),
                    egress,
                    speed,
                    fraction: (self.now_ns % 1_000_000_000) as u32,
                    queue: cells.into(),
                    tx_bytes,
                    ..ioam::IoamNode::default()
                };
                ioam::stamp(packet, &node, numbers.ioam, numbers.namespace, LINK_MTU)
            }
            Encapsulation::IntMd => {
                let hop = int_md::IntMdHop {
                    node: self.device.into(),
                    egress,
                    speed,
                    queue: cells.into(),
                    egress_ns: self.now_ns,
                    tx_bytes,
                    ..int_md::IntMdHop::default()
                };
                int_md::stamp(packet, &hop, numbers.int_md, numbers.domain, LINK_MTU)
            }
        }
    }
}
