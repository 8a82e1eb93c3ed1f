//! Random events, ten million every night, through DCQCN's reaction point in Verilog against the fixed-point law: every update, bit for bit and in order.

use hpcc_models::cc::dcqcn::DcqcnParams;
use hpcc_models::cc::{CcEvent, CongestionControl, EventKind};
use hpcc_models::fixed::dcqcn::DcqcnRegisters;
use hpcc_models::fixed::{FixedDcqcn, FixedLaw};
use hpcc_rtl::cc::dcqcn::DcqcnSlot;
use hpcc_rtl::cc::slot::RawUpdate;
use hpcc_rtl::sim::{length, Stimulus};
use hpcc_testbench::drive::slot::{Offer, SlotDriver};
use hpcc_testbench::verilated::{sources, Model};
use std::collections::VecDeque;

const FLOWS: u64 = 300;
/// Every night; a fifth for each commit.
const EVENTS: u64 = 10_000_000;
/// Clocks that the module may take nothing, and in which everything has left it.
const PATIENCE: u64 = 2_000;

struct Bench {
    driver: SlotDriver<Model>,
    law: FixedDcqcn,
    expected: VecDeque<RawUpdate>,
    received: u64,
    random: Stimulus,
    accept: f64,
}

impl Bench {
    /// A clock; whether what was offered was taken.
    fn step(&mut self, offer: Offer<'_>) -> bool {
        let stalled = !self.random.chance(self.accept);
        let taken = self.driver.step(Offer { stalled, ..offer });
        if let Some(update) = taken.update {
            let expected = self.expected.pop_front();
            assert_eq!(Some(update), expected, "update {}", self.received);
            self.received += 1;
        }
        taken.event || taken.command
    }

    fn offer(&mut self, offer: Offer<'_>) {
        assert!((0..PATIENCE).any(|_| self.step(offer)), "nothing is taken: {offer:?}");
    }

    /// A command would overtake events that wait at the entry.
    fn drain(&mut self) {
        let accept = std::mem::replace(&mut self.accept, 1.0);
        let mut clocks = 0;
        while clocks < 16 || !self.expected.is_empty() {
            self.step(Offer::default());
            clocks += 1;
            assert!(clocks < PATIENCE, "{} updates are missing", self.expected.len());
        }
        self.accept = accept;
    }

    fn expect(&mut self, flow: u64, generation: u8) {
        let answer = self.law.answer(flow as u32).expect("the flow exists");
        self.expected.push_back(RawUpdate {
            flow: flow as u16,
            generation,
            window: answer.window,
            rate: answer.rate,
            utilisation: answer.signal,
        });
    }

    fn create(&mut self, flow: u64, generation: u8) {
        self.drain();
        self.offer(Offer {
            command: Some((true, flow as u16, generation)),
            ..Offer::default()
        });
        self.law.create(flow as u32, generation);
        self.expect(flow, generation);
    }
}

/// Bursts of one flow and of all, marks, bytes, ticks where something is due and where nothing is, generations that are gone, a clock that jumps, a receiver
/// that stalls. The walk stands and ticks come as events: the unit tests of the module have the walk.
#[test]
fn the_verilog_is_the_fixed_point_law_over_ten_million_events() {
    let params = DcqcnParams {
        fast_recovery: 2,
        byte_reset: 1 << 20,
        alpha_interval: 8 << 10,
        decrease_interval: 7 << 10,
        increase_interval: 9 << 10,
        mark_on_ack: true,
        ..DcqcnParams::sigcomm(100_000_000_000, 162_500.0)
    };
    let registers = DcqcnRegisters {
        walk: 0,
        ..DcqcnRegisters::new(&params, true).expect("parameters")
    };
    let law = FixedDcqcn::with_registers(registers, 0);
    let mut block: Box<DcqcnSlot<300, 9>> = Box::default();
    let sources = sources("dcqcn_events", block.as_mut()).unwrap_or_else(|error| panic!("{error}"));
    let model = Model::new(&sources).unwrap_or_else(|error| panic!("{error}"));
    let mut bench = Bench {
        driver: SlotDriver::new(model, &law.writes()),
        law,
        expected: VecDeque::new(),
        received: 0,
        random: Stimulus::new(20_261_121),
        accept: 1.0,
    };
    let mut generation = vec![0u8; FLOWS as usize];
    for flow in 0..FLOWS {
        bench.create(flow, 0);
    }
    let (mut now, mut flow, mut left) = (1u64 << 30, 0, 0);
    for _ in 0..length(EVENTS) {
        let random = &mut bench.random;
        if left == 0 {
            flow = random.below(FLOWS);
            left = if random.chance(0.1) { 1 + random.below(32) } else { 1 };
        }
        left -= 1;
        now += random.below(40);
        if random.chance(1e-5) {
            now += random.corner(28);
        }
        if random.chance(1e-4) {
            bench.accept = [1.0, 1.0, 0.5, 0.1][random.below(4) as usize];
        }
        let renew = random.chance(1e-4);
        let late = random.chance(0.01);
        let kind = match random.below(16) {
            0 => EventKind::Cnp,
            1 => EventKind::Nak,
            2 => EventKind::Timeout,
            3..=9 => EventKind::Tick,
            _ => EventKind::Ack,
        };
        let mut event = CcEvent {
            kind,
            flow: flow as u32,
            ecn: random.chance(0.05),
            bytes: random.below(1 << 16) as u32,
            now,
            ..CcEvent::default()
        };
        if renew {
            generation[flow as usize] = generation[flow as usize].wrapping_add(1);
            bench.create(flow, generation[flow as usize]);
        }
        event.generation = generation[flow as usize].wrapping_sub(late.into());
        bench.offer(Offer {
            event: Some(&event),
            ..Offer::default()
        });
        if bench.law.handle(&event).is_some() {
            bench.expect(flow, event.generation);
        }
    }
    bench.drain();
    println!("{} updates, {} clocks", bench.received, bench.driver.clock());
    assert!(bench.received > length(EVENTS) / 10);
}
