//! Queue pairs, memory regions, and the commands that write them.

use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::kind! {
    /// What the manager of queue pairs and regions is to do.
    pub enum HostOperation {
        /// Nothing: no command has this code.
        Nothing,
        /// Create a queue pair.
        CreateQp,
        /// Remove a queue pair.
        RemoveQp,
        /// Write a region slot.
        WriteRegion,
        /// Write a neighbour slot.
        WriteNeighbour,
    }
}

crate::word! {
    /// What creates a queue pair, kept by every block that needs a part of it; written on a bus that all of them hear.
    pub struct QpContext {
        /// The queue pair exists.
        alive: Bit,
        /// Grows by one with each creation; what carries another one is late and void.
        generation: U<8>,
        /// Address of the peer.
        remote_ip: U<32>,
        /// Its Ethernet address, first byte in the highest bits.
        remote_mac: U<48>,
        /// Its queue pair.
        remote_qpn: U<24>,
        /// UDP source port.
        source_port: U<16>,
        /// Payload of a full packet is 256 << mtu bytes, 0 to 4.
        mtu: U<3>,
        /// Collects INT.
        int_on: Bit,
        /// Priority of its data, for pause.
        pause_class: U<3>,
        /// First PSN sent.
        send_psn: U<24>,
        /// First PSN expected.
        expected_psn: U<24>,
        /// Its own number, by which the peer names it; 0: the number of its place.
        local_qpn: U<24>,
        /// Not used.
        reserved: U<2>,
    }

    /// A memory region.
    pub struct Region {
        /// The slot is in use.
        valid: Bit,
        /// Key, local and remote.
        key: U<32>,
        /// First address.
        base: U<64>,
        /// Bytes; base + length is at most 2^64.
        length: U<64>,
        /// The peer may write.
        remote_write: Bit,
        /// The peer may read.
        remote_read: Bit,
        /// Not used.
        reserved: U<32>,
    }

    /// A command of the host or of a control packet to the manager of queue pairs and regions.
    pub struct HostCommand {
        /// What is to be done.
        operation: HostOperation,
        /// Queue pair number, or slot.
        index: U<24>,
        /// Not used.
        reserved: U<5>,
        /// A `QpContext`, a `Region` or a `Neighbour`, in the lowest bits.
        body: W<384, 6>,
    }

    /// Where a control packet finds the Ethernet address of a peer.
    pub struct Neighbour {
        /// IPv4 address.
        ip: U<32>,
        /// Ethernet address, first byte in the highest bits.
        mac: U<48>,
    }
}
