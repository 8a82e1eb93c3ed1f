//! The event queue of a NIC in the daemon's memory.

use crate::nic::{commands, HostNic};
use crate::space::Spaces;
use hpcc_driver::commands::{CreateEq, Place};
use hpcc_models::nic::queues::{Doorbell, DoorbellKind, EventEntry, EVENT_ENTRY_LEN, MAX_RING};
use hpcc_models::nic::Memory;

/// Number of the only event queue.
pub const QUEUE: u8 = 0;
/// Bytes of the ring.
const LEN: u64 = MAX_RING as u64 * EVENT_ENTRY_LEN as u64;

/// Its consumer.
#[derive(Debug)]
pub struct Events {
    base: u64,
    consumed: u32,
}

impl Events {
    /// Creates the event queue of the NIC of this number.
    pub fn new(nic: &mut dyn HostNic, number: usize) -> Self {
        let base = number as u64 * LEN;
        let create = CreateEq {
            ring: Place {
                address: base,
                entries: MAX_RING,
            },
            number: QUEUE,
        };
        let created = commands(nic, 0, |nic| nic.create_eq(&create));
        debug_assert!(created.is_ok(), "{created:?}");
        let mut events = Self { base, consumed: 0 };
        events.tell(nic, 0);
        events
    }

    /// Tells the NIC how far events are taken, and asks for an interrupt for the next.
    fn tell(&mut self, nic: &mut dyn HostNic, now: u64) {
        let word = Doorbell {
            number: QUEUE.into(),
            index: self.consumed as u16,
        };
        nic.doorbell(now, 0, DoorbellKind::EventConsumer.code().into(), word.encode());
    }

    /// Takes all events.
    pub fn take(&mut self, nic: &mut dyn HostNic, now: u64, memory: &mut Spaces) -> Vec<EventEntry> {
        let mut taken = Vec::new();
        loop {
            let mut bytes = [0; EVENT_ENTRY_LEN];
            let at = self.base + u64::from(self.consumed % MAX_RING) * EVENT_ENTRY_LEN as u64;
            let read = memory.read(at, &mut bytes);
            let expected = (self.consumed / MAX_RING).is_multiple_of(2);
            match EventEntry::decode(&bytes).filter(|(_, phase)| read.is_ok() && *phase == expected) {
                Some((event, _)) => taken.push(event),
                None => break,
            }
            self.consumed = self.consumed.wrapping_add(1);
        }
        if !taken.is_empty() {
            self.tell(nic, now);
        }
        taken
    }
}
