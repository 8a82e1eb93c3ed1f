//! State of all HOMA hosts of a network.

use super::config::HomaConfig;
use super::incoming::Incoming;
use super::levels::Levels;
use super::outgoing::Outgoing;
use super::packet::{HomaPacket, MessageRules};

/// Where a message leaves its host.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Sending NIC.
    pub nic: u32,
    /// Ports of its 5-tuple.
    pub ports: u32,
}

/// All HOMA hosts of a network.
pub struct HomaHosts {
    pub config: HomaConfig,
    /// `RTTBytes` in whole packets.
    pub rtt_bytes: u64,
    pub mtu: u32,
    pub levels: Levels,
    /// By NIC.
    pub outgoing: Vec<Outgoing>,
    /// By node.
    pub incoming: Vec<Incoming>,
    /// By flow.
    pub places: Vec<Option<Place>>,
    /// What the packet at the same place of the slab is.
    pub packets: Vec<HomaPacket>,
}

impl HomaHosts {
    /// Hosts for messages of these sizes; `rtt_bytes` as configured or as the network gives it, bytes.
    pub fn new(
        config: HomaConfig,
        rtt_bytes: u64,
        mtu: u32,
        sizes: impl Iterator<Item = u64>,
        nics: usize,
        nodes: usize,
    ) -> Self {
        let rtt_bytes = rtt_bytes.max(1).next_multiple_of(u64::from(mtu));
        Self {
            levels: Levels::of(sizes, rtt_bytes, config.unscheduled_levels),
            config,
            rtt_bytes,
            mtu,
            outgoing: vec![Outgoing::default(); nics],
            incoming: vec![Incoming::default(); nodes],
            places: Vec::new(),
            packets: Vec::new(),
        }
    }

    /// What both ends know of a message of this size.
    pub fn rules(&self, size: u64) -> MessageRules {
        MessageRules {
            size,
            rtt_bytes: self.rtt_bytes,
            mtu: self.mtu,
        }
    }

    /// Notes what a packet of the slab is.
    pub fn note(&mut self, index: u32, packet: HomaPacket) {
        if self.packets.len() <= index as usize {
            self.packets.resize(index as usize + 1, HomaPacket::Busy);
        }
        self.packets[index as usize] = packet;
    }

    /// Where a flow's message leaves, once it has started.
    pub fn place(&self, flow: u32) -> Option<Place> {
        self.places.get(flow as usize).copied().flatten()
    }

    /// Messages that have begun and are not complete: flow and bytes received.
    pub fn points(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.incoming.iter().flat_map(Incoming::running)
    }
}
