//! How a host drives a NIC with queues. Memory is behind [`crate::nic::Memory`]: 64-bit addresses, of which the upper 16 bits may be an address space.

use super::command::{Code, Command, Reply};
use super::host::QueueCounters;
use crate::nic::memory::Memory;
use crate::nic::nic::Nic;

/// Event queues, and interrupt vectors.
pub const EVENT_QUEUES: usize = 16;

/// Sizes of the tables of a NIC with queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSizes {
    /// Low bits of a queue pair's number that are its place. Places 0 and 1 are not used.
    pub place_bits: u32,
    /// Bits of a key, from bit 8 on, that are its entry in the table of regions.
    pub region_bits: u32,
    /// Completion queues.
    pub completion_queues: u16,
}

impl Default for QueueSizes {
    fn default() -> Self {
        Self {
            place_bits: 11,
            region_bits: 14,
            completion_queues: 4096,
        }
    }
}

impl QueueSizes {
    /// Place of a queue pair: the number in its doorbells.
    pub fn place(&self, qpn: u32) -> u16 {
        (qpn & ((1 << self.place_bits) - 1)) as u16
    }

    /// Entry of a key.
    pub fn entry(&self, key: u32) -> u32 {
        key >> 8 & ((1 << self.region_bits) - 1)
    }
}

/// A NIC with queues in the host's memory. Times are nanoseconds of one clock and must not go back from call to call.
pub trait QueueNic {
    /// Carries out a command at `now`, or refuses it and changes nothing.
    fn command(&mut self, now: u64, command: &Command) -> Result<Reply, Code>;

    /// A 32-bit write to byte `offset` of doorbell page `page`.
    fn doorbell(&mut self, now: u64, page: u32, offset: u32, word: u32);

    /// A frame (without FCS) has arrived whole at `now`.
    fn receive(&mut self, now: u64, frame: &[u8]);

    /// Carries out what is due at `now`; the frames (without FCS) that begin to leave.
    fn poll(&mut self, now: u64) -> Vec<Vec<u8>>;

    /// When [`Self::poll`] has something to do next, ns; `None` while nothing is queued or outstanding.
    fn next_deadline(&self) -> Option<u64>;

    /// Interrupt vectors raised since the last call, each once, in order.
    fn take_interrupts(&mut self) -> Vec<u8>;
}

impl<M: Memory> QueueNic for Nic<M> {
    fn command(&mut self, now: u64, command: &Command) -> Result<Reply, Code> {
        self.carry_out(now, command)
    }

    fn doorbell(&mut self, now: u64, page: u32, offset: u32, word: u32) {
        self.ring_doorbell(now, page, offset, word);
    }

    fn receive(&mut self, now: u64, frame: &[u8]) {
        Nic::receive(self, now, frame);
    }

    fn poll(&mut self, now: u64) -> Vec<Vec<u8>> {
        Nic::poll(self, now)
    }

    fn next_deadline(&self) -> Option<u64> {
        Nic::next_deadline(self)
    }

    fn take_interrupts(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.host.interrupts)
    }
}

impl<M: Memory> Nic<M> {
    /// Sets the sizes of the tables that a host with queues uses, before it creates anything.
    pub fn set_queue_sizes(&mut self, sizes: QueueSizes) {
        self.host.sizes = sizes;
    }

    /// Counters of what only a NIC with queues does.
    pub fn queue_counters(&self) -> QueueCounters {
        self.host.counters
    }
}
