//! Any law's module against its fixed-point law: bit for bit, in order, under random stalls, bursts, creations and removals.

use super::parts::interlock::SAME_FLOW_INTERVAL;
use super::slot::{law_command, offer_event, ConfigIn, RawUpdate};
use super::stimulus::EventSource;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::U;
use crate::sim::{init, length, step, HasClock, Stimulus};
use crate::words::congestion::{LawCommand, LawUpdate};
use crate::words::sched::LawEvent;
use hpcc_models::cc::{CcEvent, EventKind};
use hpcc_models::fixed::FixedLaw;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// A module that fills the slot.
pub trait LawModule: HasClock + Default {
    /// Reset.
    fn reset(&mut self) -> &mut Signal<In, Bit>;
    /// Registers.
    fn param(&mut self) -> &mut ConfigIn;
    /// Creations and removals.
    fn command(&mut self) -> &mut StreamIn<LawCommand>;
    /// Events.
    fn event(&mut self) -> &mut StreamIn<LawEvent>;
    /// Updates.
    fn update_port(&mut self) -> &mut StreamOut<LawUpdate>;
    /// What is offered and taken, between settling and the edge: event, command, update.
    fn taken(&self) -> (bool, bool, Option<RawUpdate>);
}

/// Implements [`LawModule`] for a module with the usual names.
macro_rules! law_module {
    ($module:ty) => {
        impl $crate::cc::bench::LawModule for $module {
            fn reset(&mut self) -> &mut rust_hdl::prelude::Signal<rust_hdl::prelude::In, rust_hdl::prelude::Bit> {
                &mut self.reset
            }
            fn param(&mut self) -> &mut $crate::cc::slot::ConfigIn {
                &mut self.param
            }
            fn command(&mut self) -> &mut $crate::prim::skid::StreamIn<$crate::words::congestion::LawCommand> {
                &mut self.command
            }
            fn event(&mut self) -> &mut $crate::prim::skid::StreamIn<$crate::words::sched::LawEvent> {
                &mut self.event
            }
            fn update_port(&mut self) -> &mut $crate::prim::skid::StreamOut<$crate::words::congestion::LawUpdate> {
                &mut self.update
            }
            fn taken(&self) -> (bool, bool, Option<$crate::cc::slot::RawUpdate>) {
                (
                    self.event.valid.val() & self.event.ready.val(),
                    self.command.valid.val() & self.command.ready.val(),
                    $crate::cc::slot::taken_update(&self.update),
                )
            }
        }
    };
}
pub(super) use law_module;

/// A module with its law beside it.
pub struct Bench<M: LawModule, L: FixedLaw> {
    /// The module.
    pub slot: Box<M>,
    /// The law.
    pub model: L,
    expected: VecDeque<RawUpdate>,
    /// Clocks since the start.
    pub clock: u64,
    /// Updates that came.
    pub received: u64,
    stalls: Stimulus,
    /// Chance that the receiver is ready.
    accept: f64,
    latency: usize,
}

impl<M: LawModule, L: FixedLaw> Bench<M, L> {
    /// Reset behind it, registers written.
    pub fn new(model: L, latency: usize) -> Self {
        let mut slot: Box<M> = Box::default();
        init(slot.as_mut()).expect("complete block");
        let mut bench = Self {
            slot,
            model,
            expected: VecDeque::new(),
            clock: 0,
            received: 0,
            stalls: Stimulus::new(99),
            accept: 1.0,
            latency,
        };
        bench.slot.reset().next = true;
        bench.step();
        bench.slot.reset().next = false;
        bench.write_registers();
        bench
    }

    /// Writes every register.
    pub fn write_registers(&mut self) {
        for (address, data) in self.model.writes() {
            self.slot.param().write.next = true;
            self.slot.param().address.next = U(address.into());
            self.slot.param().data.next = U(data);
            self.step();
        }
        self.slot.param().write.next = false;
    }

    /// One clock; whether the event and the command on the ports were taken.
    pub fn step(&mut self) -> (bool, bool) {
        self.slot.update_port().ready.next = self.stalls.chance(self.accept);
        let (event, command, update) = step(self.slot.as_mut(), |s| s.taken());
        if let Some(update) = update {
            let expected = self.expected.pop_front();
            assert_eq!(Some(update), expected, "clock {}, update {}", self.clock, self.received);
            self.received += 1;
        }
        self.clock += 1;
        (event, command)
    }

    /// The law's present answer for a flow is what the module will say next.
    pub fn expect(&mut self, flow: u32, generation: u8) {
        let answer = self.model.answer(flow).expect("live flow");
        self.expected.push_back(RawUpdate {
            flow: flow as u16,
            generation,
            window: answer.window,
            rate: answer.rate,
            utilisation: answer.signal,
        });
    }

    /// Offers a command until it is taken.
    pub fn offer_command(&mut self, create: bool, flow: u32, generation: u8) {
        let command = self.slot.command();
        command.valid.next = true;
        command.data.next = law_command(create, flow, generation);
        while !self.step().1 {}
        self.slot.command().valid.next = false;
    }

    /// A command overtakes events that still wait at the entry, so those enter first.
    pub fn command(&mut self, create: bool, flow: u32, generation: u8) {
        self.drain();
        self.offer_command(create, flow, generation);
        if create {
            self.model.create(flow, generation);
            self.expect(flow, generation);
        } else {
            self.model.remove(flow);
        }
    }

    /// Offers an event until it is taken.
    pub fn event(&mut self, event: &CcEvent) {
        offer_event(self.slot.event(), Some(event));
        while !self.step().0 {}
        offer_event(self.slot.event(), None);
        if self.model.handle(event).is_some() {
            self.expect(event.flow, event.generation);
        }
    }

    /// Waits until everything has come out.
    pub fn drain(&mut self) {
        let accept = std::mem::replace(&mut self.accept, 1.0);
        // what waits at the entry is in the pipeline after a few clocks, and out of it after its latency
        for _ in 0..16 {
            self.step();
        }
        for _ in 0..self.latency + 200 {
            if self.expected.is_empty() {
                break;
            }
            self.step();
        }
        self.accept = accept;
        assert!(self.expected.is_empty(), "{} updates missing", self.expected.len());
    }

    /// Random life of fifty flows.
    pub fn random_events(&mut self, seed: u64, events: u64) {
        let events = length(events);
        let mut source = EventSource::new(seed, 50);
        let mut generation = [0u8; 50];
        for flow in 0..50 {
            self.command(true, flow, 0);
        }
        let mut left = 0;
        let mut flow = 0;
        for _ in 0..events {
            // bursts of one flow, 1 to 64 long
            if left == 0 {
                flow = source.stimulus().below(50) as usize;
                left = if source.stimulus().chance(0.2) { 1 + source.stimulus().below(64) } else { 1 };
            }
            left -= 1;
            if source.stimulus().chance(0.002) {
                self.command(false, flow as u32, 0);
            }
            if source.stimulus().chance(0.003) {
                generation[flow] = generation[flow].wrapping_add(1);
                self.command(true, flow as u32, generation[flow]);
            }
            let event = source.next(flow, generation[flow]);
            self.event(&event);
            if source.stimulus().chance(0.001) {
                self.accept = [1.0, 0.9, 0.5, 0.1][source.stimulus().below(4) as usize];
            }
        }
        self.drain();
        assert!(self.received > events * 3 / 4);
    }

    /// Clocks in which `count` events enter, flows taken in turn from `flows` of them, the receiver always ready.
    fn clocks_to_enter(&mut self, count: u64, flows: u64) -> u64 {
        let mut source = EventSource::new(4, 50);
        for flow in 0..50 {
            self.command(true, flow, 0);
        }
        self.drain();
        let start = self.clock;
        for i in 0..count {
            let event = source.next((i % flows) as usize, 0);
            self.event(&event);
        }
        let clocks = self.clock - start;
        self.drain();
        clocks
    }

    /// The first update comes after the latency that the module promises.
    pub fn first_update_comes_after_the_latency(mut self) {
        for _ in 0..100 {
            self.step();
        }
        self.command(true, 3, 1);
        let mut clocks = 1;
        while self.received == 0 {
            self.step();
            clocks += 1;
        }
        // the creation was taken in clock 0 and seen in clock `clocks - 1`
        assert_eq!(clocks - 1, self.latency);
    }

    /// One event a clock for different flows, one every six for one flow without end.
    pub fn keeps_its_pace(mut self) {
        let count = length(3000);
        assert_eq!(self.clocks_to_enter(count, 6), count);
        assert_eq!(self.clocks_to_enter(count, 50), count);
        let interval = SAME_FLOW_INTERVAL as u64;
        // the skid buffer takes two ahead
        for flows in [1, 2, 5] {
            assert!(self.clocks_to_enter(count, flows) <= count / flows * interval);
        }
    }

    /// Flow numbers past the count, 50 here, are dropped; how many events of them.
    pub fn drops_flow_numbers_past_the_count(&mut self) -> u64 {
        let mut source = EventSource::new(5, 52);
        for flow in [49, 50, 51] {
            if flow == 49 {
                self.model.create(49, 0);
                self.expect(49, 0);
            }
            self.offer_command(true, flow, 0);
        }
        self.drain();
        let mut dropped = 0;
        for flow in [50usize, 51, 49, 50] {
            let event = CcEvent {
                int_valid: true,
                kind: EventKind::Ack,
                ..source.next(flow, 0)
            };
            self.event(&event);
            dropped += u64::from(flow > 49);
        }
        self.drain();
        dropped
    }
}
