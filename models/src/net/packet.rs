//! Packets in flight: a slab with a free list. Queues are chains through [`Packet::next`]; an acknowledgement takes over the
//! place of the packet it acknowledges, so nothing is allocated per packet once the slab has grown.

use super::fetch::prefetch;
use crate::cc::{HopRecord, MAX_HOPS};

const _: () = assert!(std::mem::size_of::<Packet>() == 128, "a packet is two cache lines");

/// End of a chain.
pub const NIL: u32 = u32::MAX;

/// What a packet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PacketKind {
    /// Payload.
    #[default]
    Data,
    /// Acknowledgement.
    Ack,
    /// Negative acknowledgement.
    Nak,
    /// Collects telemetry for a flow whose data does not.
    Probe,
    /// The answer to a probe.
    Response,
    /// Telemetry of one data packet on its way back.
    Notification,
    /// A window that the receiver's law computed, on its way back.
    Window,
    /// A packet of a TCP connection.
    Segment,
    /// A packet of a HOMA host.
    Homa,
    /// Priority pause.
    Pause,
    /// End of a priority pause.
    Resume,
}

/// One packet. Sizes in bytes, sequence numbers in payload bytes of the flow. Two cache lines.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct Packet {
    /// Next packet of the same queue, or [`NIL`].
    pub next: u32,
    /// Flow number.
    pub flow: u32,
    /// Context of the flow.
    pub context: u32,
    /// Node it goes to.
    pub dst: u32,
    /// Node it comes from.
    pub src: u32,
    /// Source port in the low half, destination port in the high half: with `src` and `dst` the 5-tuple.
    pub ports: u32,
    /// Port through which it entered the present switch. On a link: the port by which it will leave the switch there, or [`NIL`].
    pub in_port: u32,
    /// Bytes on the wire, everything counted that the profile counts.
    pub size: u32,
    /// Payload bytes (of the acknowledged packet, in an acknowledgement).
    pub payload: u32,
    /// What it is.
    pub kind: PacketKind,
    /// Congestion experienced.
    pub ecn: bool,
    /// Switches leave no INT record on it.
    pub no_int: bool,
    /// Switches do not mark it.
    pub no_ecn: bool,
    /// Traffic class.
    pub class: u8,
    /// Switches passed, 15 at most.
    pub n_hop: u8,
    /// XOR of their 12-bit ids.
    pub path_id: u16,
    /// Data: first byte. Acknowledgement: next byte expected. Probe and response: its count. Notification: byte behind the data packet. Window:
    /// its number. Of a host outside: the frame's number.
    pub seq: u64,
    /// Data: 1 if it asks for an acknowledgement. Acknowledgement: in 16 bits, flows that the receiver counts, 0 if it does not; above them the number
    /// of the packet that it answers, where receivers take any order. Negative acknowledgement: first byte of the packet that caused it, of the one
    /// that is lost where receivers take any order. Window: the window in units of 1/2048 bytes.
    pub detail: u64,
    /// When the data packet left its sender, ps.
    pub sent_at: u64,
    /// INT records.
    pub hops: [HopRecord; MAX_HOPS],
}

impl Packet {
    /// Puts the INT record of one more switch on it, which makes it longer by `bytes`; `id` is the switch's in `pathID`. False: there was no room
    /// for the record.
    #[inline]
    pub fn add_record(&mut self, record: HopRecord, id: u16, bytes: u32) -> bool {
        let place = self.hops.get_mut(usize::from(self.n_hop));
        let room = place.is_some();
        if let Some(place) = place {
            *place = record;
            self.size += bytes;
        }
        self.n_hop = (self.n_hop + 1).min(15);
        self.path_id ^= id;
        room
    }
}

/// Storage of all packets in flight.
#[derive(Default)]
pub struct PacketSlab {
    packets: Vec<Packet>,
    free: Vec<u32>,
}

impl PacketSlab {
    /// Stores a packet and returns its number.
    pub fn insert(&mut self, packet: Packet) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.packets[index as usize] = packet;
                index
            }
            None => {
                self.packets.push(packet);
                (self.packets.len() - 1) as u32
            }
        }
    }

    /// Starts to fetch a packet that will be looked at soon.
    #[inline]
    pub fn prefetch(&self, index: u32) {
        if let Some(packet) = self.packets.get(index as usize) {
            prefetch(packet);
        }
    }

    /// Gives the place back.
    pub fn release(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Packets in flight.
    #[cfg(test)]
    pub fn in_use(&self) -> usize {
        self.packets.len() - self.free.len()
    }

    /// Most packets that were in flight at once.
    pub fn peak(&self) -> usize {
        self.packets.len()
    }
}

impl std::ops::Index<u32> for PacketSlab {
    type Output = Packet;
    fn index(&self, index: u32) -> &Packet {
        &self.packets[index as usize]
    }
}

impl std::ops::IndexMut<u32> for PacketSlab {
    fn index_mut(&mut self, index: u32) -> &mut Packet {
        &mut self.packets[index as usize]
    }
}

/// A first-in first-out chain of packets.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    head: u32,
    tail: u32,
}

impl Default for Chain {
    fn default() -> Self {
        Self { head: NIL, tail: NIL }
    }
}

impl Chain {
    /// The packet that has waited longest, or [`NIL`].
    pub fn head(&self) -> u32 {
        self.head
    }

    /// True when no packet waits.
    pub fn is_empty(&self) -> bool {
        self.head == NIL
    }

    /// Appends a packet.
    pub fn push(&mut self, slab: &mut PacketSlab, index: u32) {
        slab[index].next = NIL;
        if self.tail == NIL {
            self.head = index;
        } else {
            slab[self.tail].next = index;
        }
        self.tail = index;
    }

    /// Takes the oldest packet.
    pub fn pop(&mut self, slab: &PacketSlab) -> Option<u32> {
        if self.head == NIL {
            return None;
        }
        let index = self.head;
        self.head = slab[index].next;
        if self.head == NIL {
            self.tail = NIL;
        }
        Some(index)
    }
}
