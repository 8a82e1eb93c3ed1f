//! The module against the fixed-point law: bit for bit, in order, under random stalls, bursts, creations and removals.

use super::admit::SAME_FLOW_INTERVAL;
use super::top::{HpccSlot, LATENCY};
use crate::cc::slot::RawUpdate;
use crate::cc::stimulus::EventSource;
use crate::prim::uint::U;
use crate::sim::{init, step, Stimulus};
use hpcc_models::cc::hpcc::{HpccParams, Reaction};
use hpcc_models::cc::{CcEvent, CongestionControl, EventKind};
use hpcc_models::fixed::arithmetic::rate;
use hpcc_models::fixed::FixedHpcc;
use std::collections::VecDeque;

type Slot = HpccSlot<50, 6>;

struct Bench {
    slot: Box<Slot>,
    model: FixedHpcc,
    expected: VecDeque<RawUpdate>,
    clock: u64,
    received: u64,
    stalls: Stimulus,
    /// Chance that the receiver is ready.
    accept: f64,
}

impl Bench {
    fn new(params: HpccParams) -> Self {
        let mut slot: Box<Slot> = Box::default();
        init(slot.as_mut()).expect("complete block");
        let model = FixedHpcc::new(params).expect("parameters");
        let mut bench = Self {
            slot,
            model,
            expected: VecDeque::new(),
            clock: 0,
            received: 0,
            stalls: Stimulus::new(99),
            accept: 1.0,
        };
        bench.slot.reset.next = true;
        bench.step();
        bench.slot.reset.next = false;
        for (address, data) in bench.model.registers().writes() {
            bench.slot.param.write.next = true;
            bench.slot.param.address.next = U(address.into());
            bench.slot.param.data.next = U(data);
            bench.step();
        }
        bench.slot.param.write.next = false;
        bench
    }

    /// One clock; whether the event and the command on the ports were taken.
    fn step(&mut self) -> (bool, bool) {
        self.slot.update.ready.next = self.stalls.chance(self.accept);
        let (event, command, update) = step(self.slot.as_mut(), |s| {
            (
                s.event.valid.val() & s.event.ready.val(),
                s.command.valid.val() & s.command.ready.val(),
                s.update.taken(),
            )
        });
        if let Some(update) = update {
            let expected = self.expected.pop_front();
            assert_eq!(Some(update), expected, "clock {}, update {}", self.clock, self.received);
            self.received += 1;
        }
        self.clock += 1;
        (event, command)
    }

    fn expect(&mut self, flow: u32, generation: u8) {
        let state = self.model.state(flow).expect("live flow");
        self.expected.push_back(RawUpdate {
            flow: flow as u16,
            generation,
            window: state.w,
            rate: rate(state.w, self.model.registers().rate_per_window),
            utilisation: state.c,
        });
    }

    /// A command overtakes events that still wait at the entry, so those enter first.
    fn command(&mut self, create: bool, flow: u32, generation: u8) {
        self.drain();
        self.slot.command.valid.next = true;
        self.slot.command.create.next = create;
        self.slot.command.flow.next = U(flow.into());
        self.slot.command.generation.next = U(generation.into());
        while !self.step().1 {}
        self.slot.command.valid.next = false;
        if create {
            self.model.create(flow, generation);
            self.expect(flow, generation);
        } else {
            self.model.remove(flow);
        }
    }

    /// Offers an event until it is taken.
    fn event(&mut self, event: &CcEvent) {
        self.slot.event.offer(Some(event));
        while !self.step().0 {}
        self.slot.event.offer(None);
        if self.model.handle(event).is_some() {
            self.expect(event.flow, event.generation);
        }
    }

    fn drain(&mut self) {
        let accept = std::mem::replace(&mut self.accept, 1.0);
        // what waits at the entry is in the pipeline after a few clocks, and out of it after its latency
        for _ in 0..16 {
            self.step();
        }
        for _ in 0..LATENCY + 200 {
            if self.expected.is_empty() {
                break;
            }
            self.step();
        }
        self.accept = accept;
        assert!(self.expected.is_empty(), "{} updates missing", self.expected.len());
    }
}

fn params() -> HpccParams {
    HpccParams::new(100_000_000_000, 13_000)
}

#[test]
fn first_update_comes_after_the_latency() {
    let mut bench = Bench::new(params());
    for _ in 0..100 {
        bench.step();
    }
    bench.command(true, 3, 1);
    let mut clocks = 1;
    while bench.received == 0 {
        bench.step();
        clocks += 1;
    }
    // the creation was taken in clock 0 and seen in clock `clocks - 1`
    assert_eq!(clocks - 1, LATENCY);
}

#[test]
fn random_events_agree_bit_for_bit_for_every_reaction() {
    for (seed, reaction) in [(1, Reaction::Hpcc), (2, Reaction::PerAck), (3, Reaction::PerRtt)] {
        let mut bench = Bench::new(HpccParams { reaction, ..params() });
        let mut source = EventSource::new(seed, 50);
        let mut generation = [0u8; 50];
        for flow in 0..50 {
            bench.command(true, flow, 0);
        }
        let mut left = 0;
        let mut flow = 0;
        for _ in 0..20_000 {
            // bursts of one flow, 1 to 64 long
            if left == 0 {
                flow = source.stimulus().below(50) as usize;
                left = if source.stimulus().chance(0.2) {
                    1 + source.stimulus().below(64)
                } else {
                    1
                };
            }
            left -= 1;
            if source.stimulus().chance(0.002) {
                bench.command(false, flow as u32, 0);
            }
            if source.stimulus().chance(0.003) {
                generation[flow] = generation[flow].wrapping_add(1);
                bench.command(true, flow as u32, generation[flow]);
            }
            let event = source.next(flow, generation[flow]);
            bench.event(&event);
            if source.stimulus().chance(0.001) {
                bench.accept = [1.0, 0.9, 0.5, 0.1][source.stimulus().below(4) as usize];
            }
        }
        bench.drain();
        assert!(bench.received > 15_000);
    }
}

/// Clocks in which `count` events enter, flows taken in turn from `flows` of them, the receiver always ready.
fn clocks_to_enter(count: u64, flows: u64) -> u64 {
    let mut bench = Bench::new(params());
    let mut source = EventSource::new(4, 50);
    for flow in 0..50 {
        bench.command(true, flow, 0);
    }
    bench.drain();
    let start = bench.clock;
    for i in 0..count {
        let event = source.next((i % flows) as usize, 0);
        bench.event(&event);
    }
    let clocks = bench.clock - start;
    bench.drain();
    clocks
}

#[test]
fn one_event_a_clock_for_different_flows() {
    assert_eq!(clocks_to_enter(3000, 6), 3000);
    assert_eq!(clocks_to_enter(3000, 50), 3000);
}

#[test]
fn one_event_every_six_clocks_for_one_flow_without_end() {
    let interval = SAME_FLOW_INTERVAL as u64;
    // the skid buffer takes two ahead
    assert!(clocks_to_enter(3000, 1) <= 3000 * interval);
    assert!(clocks_to_enter(3000, 2) <= 1500 * interval);
    assert!(clocks_to_enter(3000, 5) <= 600 * interval);
}

#[test]
fn flow_numbers_past_the_count_are_dropped_and_counted() {
    let mut bench = Bench::new(params());
    let mut source = EventSource::new(5, 52);
    for flow in [49, 50, 51] {
        bench.slot.command.valid.next = true;
        bench.slot.command.create.next = true;
        bench.slot.command.flow.next = U(flow);
        if flow == 49 {
            bench.model.create(49, 0);
            bench.expect(49, 0);
        }
        while !bench.step().1 {}
        bench.slot.command.valid.next = false;
    }
    bench.drain();
    for flow in [50usize, 51, 49, 50] {
        let event = CcEvent {
            int_valid: true,
            kind: EventKind::Ack,
            ..source.next(flow, 0)
        };
        bench.event(&event);
    }
    bench.drain();
    assert_eq!(bench.slot.count_out_of_range.val().0, 3);
}
