//! Doorbells of the host.

use super::doorbell::{Doorbell, DoorbellKind};
use super::event_entry::EventKind;
use super::ring::beyond;
use super::state::State;
use crate::nic::memory::Memory;
use crate::nic::nic::Nic;

impl<M: Memory> Nic<M> {
    /// A 32-bit write to byte `offset` of doorbell page `page`. A doorbell that may not be rung so is ignored and counted.
    pub(super) fn ring_doorbell(&mut self, now: u64, page: u32, offset: u32, word: u32) {
        let kind = u8::try_from(offset).ok().and_then(DoorbellKind::from_code);
        let bell = Doorbell::decode(word);
        let taken = match kind {
            Some(DoorbellKind::SendQueue) => self.send_doorbell(now, page, bell),
            Some(DoorbellKind::ReceiveQueue) => self.receive_doorbell(now, page, bell),
            Some(DoorbellKind::CompletionConsumer) => {
                let queue = self
                    .host
                    .completions
                    .get_mut(&bell.number)
                    .filter(|queue| queue.create.page == page);
                queue.is_some_and(|queue| queue.consumed(bell.index))
            }
            Some(DoorbellKind::Arm) => self.arm(page, bell, false),
            Some(DoorbellKind::ArmSolicited) => self.arm(page, bell, true),
            Some(DoorbellKind::EventConsumer) => page == 0 && self.event_doorbell(bell),
            None => false,
        };
        self.host.counters.doorbells_ignored += u64::from(!taken);
    }

    /// The queue pair of a doorbell, if it may be rung from this page.
    fn rung(&self, page: u32, bell: Doorbell) -> Option<u32> {
        let qpn = *self.host.places.get(&bell.number)?;
        let pair = self.host.pairs.get(&qpn)?;
        (pair.create.page == page && pair.state != State::Reset).then_some(qpn)
    }

    fn send_doorbell(&mut self, now: u64, page: u32, bell: Doorbell) -> bool {
        let Some(qpn) = self.rung(page, bell) else {
            return false;
        };
        let Some(pair) = self.host.pairs.get_mut(&qpn).filter(|pair| pair.state != State::Init) else {
            return false;
        };
        let producer = beyond(pair.send.consumer, bell.index);
        if producer - pair.send.consumer > pair.create.send.len() || producer < pair.send.producer {
            return false;
        }
        pair.send.producer = producer;
        match pair.state {
            State::Error => self.flush(now, qpn),
            _ => self.fetch(now, qpn),
        }
        true
    }

    fn receive_doorbell(&mut self, now: u64, page: u32, bell: Doorbell) -> bool {
        let Some(qpn) = self.rung(page, bell) else {
            return false;
        };
        let Some(pair) = self.host.pairs.get_mut(&qpn) else {
            return false;
        };
        // a receive in use still has its slots
        let taken = pair.receive.current.as_ref().map_or(0, |current| {
            1 + (current.entry.segments.len().saturating_sub(1)).div_ceil(2) as u64
        });
        let producer = beyond(pair.receive.consumer, bell.index);
        if producer - pair.receive.consumer + taken > pair.create.receive.len() || producer < pair.receive.producer {
            return false;
        }
        pair.receive.producer = producer;
        if pair.state == State::Error {
            self.flush(now, qpn);
        }
        true
    }

    fn arm(&mut self, page: u32, bell: Doorbell, only_solicited: bool) -> bool {
        let queue = self
            .host
            .completions
            .get_mut(&bell.number)
            .filter(|queue| queue.create.page == page);
        let Some((events, due)) =
            queue.and_then(|queue| Some((queue.create.events, queue.arm(bell.index, only_solicited)?)))
        else {
            return false;
        };
        if due {
            self.event(events, EventKind::Completion, bell.number.into());
        }
        true
    }

    fn event_doorbell(&mut self, bell: Doorbell) -> bool {
        let number = u8::try_from(bell.number).ok();
        let queue = number.and_then(|number| self.host.events.get_mut(&number));
        let (Some(number), Some((due, waiting))) = (number, queue.and_then(|queue| queue.consumed(bell.index))) else {
            return false;
        };
        if due {
            self.interrupt(number);
        }
        for event in waiting {
            self.event(number, event.kind, event.number);
        }
        true
    }
}
