//! How a host drives a NIC with queues. Memory is behind [`crate::nic::Memory`]: 64-bit addresses, of which the upper 16 bits may be an address space.

use super::command::{Code, Command, Reply};
use super::host::QueueCounters;
use super::sizes::QueueSizes;
use crate::nic::memory::Memory;
use crate::nic::nic::Nic;

/// A NIC with queues in the host's memory. Times are nanoseconds of one clock and must not go back from call to call.
pub trait QueueNic {
    /// Carries out a command at `now`, or refuses it and changes nothing.
    fn command(&mut self, now: u64, command: &Command) -> Result<Reply, Code>;

    /// Reads the register at this byte offset of the register map: `COMMAND`, `STATUS`, `BODY`; `None` for any other.
    fn read_register(&mut self, offset: u16) -> Option<u32>;

    /// Writes such a register at `now`; `false` for any other. A write to `COMMAND` carries out a command as [`Self::command`] does, and `STATUS` then
    /// says how it went.
    fn write_register(&mut self, now: u64, offset: u16, value: u32) -> bool;

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

    fn read_register(&mut self, offset: u16) -> Option<u32> {
        self.read_command_register(offset)
    }

    fn write_register(&mut self, now: u64, offset: u16, value: u32) -> bool {
        self.write_command_register(now, offset, value)
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
