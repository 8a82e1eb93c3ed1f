//! Commands of the host carried out: what is created and destroyed. Moves of queue pairs are in `modify`.

use super::command::{Code, Command, CreateCq, CreateEq, CreateQp, QpInfo, Reply};
use super::completion_entry::COMPLETION_ENTRY_LEN;
use super::completion_queue::CompletionQueue;
use super::event_entry::{COMPLETION_QUEUE_EVENTS, EVENT_ENTRY_LEN, QUEUE_PAIR_EVENTS};
use super::event_queue::EventQueue;
use super::host::QueuePair;
use super::receive_entry::RECEIVE_ENTRY_LEN;
use super::region::MemoryRegion;
use super::send_entry::SEND_ENTRY_LEN;
use super::sizes::EVENT_QUEUES;
use crate::nic::memory::Memory;
use crate::nic::nic::Nic;
use crate::nic::psn::wire;
use crate::wire::MASK_24;

impl<M: Memory> Nic<M> {
    pub(super) fn carry_out(&mut self, now: u64, command: &Command) -> Result<Reply, Code> {
        match *command {
            Command::CreateRegion(region) => self.create_region(region)?,
            Command::ReplaceRegion(region) => self.replace_region(region)?,
            Command::DestroyRegion { key } => match self.regions.has(key) {
                true => self.regions.remove(key),
                false => return Err(Code::Unknown),
            },
            Command::CreateEq(create) => self.create_eq(create)?,
            Command::DestroyEq { number } => self.destroy_eq(number)?,
            Command::CreateCq(create) => self.create_cq(create)?,
            Command::DestroyCq { number } => self.destroy_cq(number)?,
            Command::CreateQp(create) => self.create_pair(create)?,
            Command::ModifyQp { number, to, set } => self.modify_pair(now, number, to, &set)?,
            Command::QueryQp { number } => return self.query_pair(number).map(Reply::Qp),
            Command::DestroyQp { number } => self.destroy_pair(number)?,
        };
        Ok(Reply::Done)
    }

    fn create_region(&mut self, region: MemoryRegion) -> Result<(), Code> {
        let entry = self.host.sizes.entry(region.key);
        if self.regions.keys().any(|key| self.host.sizes.entry(key) == entry) {
            return Err(Code::Key);
        }
        self.store_region(region)
    }

    fn replace_region(&mut self, region: MemoryRegion) -> Result<(), Code> {
        match self.regions.has(region.key) {
            true => self.store_region(region),
            false => Err(Code::Unknown),
        }
    }

    fn store_region(&mut self, region: MemoryRegion) -> Result<(), Code> {
        let last = region.length.saturating_sub(1);
        if region.address.checked_add(last).is_none() {
            return Err(Code::Bounds);
        }
        self.regions.store(region);
        Ok(())
    }

    fn create_eq(&mut self, create: CreateEq) -> Result<(), Code> {
        if usize::from(create.number) >= EVENT_QUEUES {
            return Err(Code::Number);
        }
        if !create.ring.is_valid(EVENT_ENTRY_LEN) {
            return Err(Code::Ring);
        }
        if self.host.events.contains_key(&create.number) {
            return Err(Code::Exists);
        }
        self.host.events.insert(create.number, EventQueue::new(create));
        Ok(())
    }

    fn destroy_eq(&mut self, number: u8) -> Result<(), Code> {
        let queue = self.host.events.get(&number).ok_or(Code::Unknown)?;
        if queue.reserved > 0 {
            return Err(Code::InUse);
        }
        self.host.events.remove(&number);
        self.host.interrupts.retain(|vector| *vector != number);
        Ok(())
    }

    /// Takes places of an event queue for one more user.
    fn reserve(&mut self, number: u8, places: u32) -> Result<(), Code> {
        let queue = self.host.events.get_mut(&number).ok_or(Code::Unknown)?;
        if queue.reserved + places > queue.create.ring.entries {
            return Err(Code::Events);
        }
        queue.reserved += places;
        Ok(())
    }

    /// Gives them back.
    fn release(&mut self, number: u8, places: u32) {
        if let Some(queue) = self.host.events.get_mut(&number) {
            queue.reserved -= places;
        }
    }

    fn create_cq(&mut self, create: CreateCq) -> Result<(), Code> {
        if create.number >= self.host.sizes.completion_queues {
            return Err(Code::Number);
        }
        if !create.ring.is_valid(COMPLETION_ENTRY_LEN) {
            return Err(Code::Ring);
        }
        if self.host.completions.contains_key(&create.number) {
            return Err(Code::Exists);
        }
        self.reserve(create.events, COMPLETION_QUEUE_EVENTS)?;
        self.host
            .completions
            .insert(create.number, CompletionQueue::new(create));
        Ok(())
    }

    fn destroy_cq(&mut self, number: u16) -> Result<(), Code> {
        let queue = self.host.completions.get(&number).ok_or(Code::Unknown)?;
        let events = queue.create.events;
        let uses = |pair: &QueuePair| pair.create.send_cq == number || pair.create.receive_cq == number;
        if self.host.pairs.values().any(uses) {
            return Err(Code::InUse);
        }
        self.host.completions.remove(&number);
        self.release(events, COMPLETION_QUEUE_EVENTS);
        if let Some(queue) = self.host.events.get_mut(&events) {
            queue.forget(number.into(), true);
        }
        Ok(())
    }

    fn create_pair(&mut self, create: CreateQp) -> Result<(), Code> {
        let place = self.host.sizes.place(create.number);
        // 0 and 1 are for management, the last number is for multicast
        if create.number >= MASK_24 || place < 2 {
            return Err(Code::Number);
        }
        if !create.send.is_valid(SEND_ENTRY_LEN) || !create.receive.is_valid(RECEIVE_ENTRY_LEN) {
            return Err(Code::Ring);
        }
        if self.host.places.contains_key(&place) || self.qps.keys().any(|qpn| self.host.sizes.place(*qpn) == place) {
            return Err(Code::Exists);
        }
        let queues = [create.send_cq, create.receive_cq];
        if !queues.iter().all(|number| self.host.completions.contains_key(number)) {
            return Err(Code::Unknown);
        }
        self.reserve(create.events, QUEUE_PAIR_EVENTS)?;
        self.host.places.insert(place, create.number);
        self.host.pairs.insert(create.number, QueuePair::new(create));
        Ok(())
    }

    fn destroy_pair(&mut self, number: u32) -> Result<(), Code> {
        let pair = self.host.pairs.get(&number).ok_or(Code::Unknown)?;
        let events = pair.create.events;
        self.remove_transport(number);
        self.host.pairs.remove(&number);
        let place = self.host.sizes.place(number);
        self.host.places.remove(&place);
        self.release(events, QUEUE_PAIR_EVENTS);
        if let Some(queue) = self.host.events.get_mut(&events) {
            queue.forget(number, false);
        }
        Ok(())
    }

    fn query_pair(&self, number: u32) -> Result<QpInfo, Code> {
        let pair = self.host.pairs.get(&number).ok_or(Code::Unknown)?;
        let qp = self.qps.get(&number);
        Ok(QpInfo {
            state: pair.state,
            ended: pair.ended,
            send_consumer: pair.send.consumer as u16,
            send_producer: pair.send.producer as u16,
            receive_consumer: pair.receive.consumer as u16,
            receive_producer: pair.receive.producer as u16,
            send_psn: qp.map_or(0, |qp| wire(qp.requester.nxt())),
            expected_psn: qp.map_or(0, |qp| wire(qp.responder.expected)),
            attributes: pair.attributes,
        })
    }
}
