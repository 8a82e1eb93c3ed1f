//! Flows of several laws at once: every law's updates are those of its fixed-point law for its flows' events, bit for bit and in order.

use super::LawChoice;
use crate::cc::slot::{offer_command, offer_event, taken_update, RawUpdate};
use crate::cc::stimulus::EventSource;
use crate::prim::uint::U;
use crate::sim::{init, length, step, Stimulus};
use crate::words::congestion::LawCode;
use hpcc_models::cc::dcqcn::DcqcnParams;
use hpcc_models::cc::hpcc::HpccParams;
use hpcc_models::cc::powertcp::{PowerParams, Signal};
use hpcc_models::cc::{CcEvent, EventKind};
use hpcc_models::fixed::dcqcn::DcqcnRegisters;
use hpcc_models::fixed::{FixedDcqcn, FixedHpcc, FixedLaw, FixedPower};
use std::collections::VecDeque;

const FLOWS: usize = 50;
/// After the last event everything has come out.
const ENOUGH: usize = 200;

/// Laws by their codes, for a module with so many of each.
type Laws = Vec<(LawCode, Box<dyn FixedLaw>)>;

fn laws(hpcc: usize, dcqcn: usize, powertcp: usize, theta: usize) -> Laws {
    let mut laws: Laws = vec![];
    if hpcc > 0 {
        let params = HpccParams::new(100_000_000_000, 13_000);
        laws.push((LawCode::Hpcc, Box::new(FixedHpcc::new(params).expect("parameters"))));
    }
    if dcqcn > 0 {
        // a walk that stands: ticks come as events; intervals so short that nearly each finds something due
        let interval = 1024;
        let params = DcqcnParams {
            alpha_interval: interval,
            decrease_interval: interval,
            increase_interval: interval,
            ..DcqcnParams::sigcomm(25_000_000_000, 100_000.0)
        };
        let registers = DcqcnRegisters {
            walk: 0,
            ..DcqcnRegisters::new(&params, true).expect("parameters")
        };
        laws.push((
            LawCode::Dcqcn,
            Box::new(FixedDcqcn::with_registers(registers, interval)),
        ));
    }
    if powertcp > 0 {
        // not the reset values, so that the registers of each law are seen to reach it alone
        let params = PowerParams::authors(Signal::Int, 25_000_000_000, 9_000);
        laws.push((
            LawCode::PowerTcp,
            Box::new(FixedPower::new(params).expect("parameters")),
        ));
    }
    if theta > 0 {
        let params = PowerParams::paper(Signal::Delay, 25_000_000_000, 9_000);
        laws.push((LawCode::Theta, Box::new(FixedPower::new(params).expect("parameters"))));
    }
    laws
}

struct Bench<const HPCC: usize, const DCQCN: usize, const POWERTCP: usize, const THETA: usize> {
    block: Box<LawChoice<FLOWS, 6, HPCC, DCQCN, POWERTCP, THETA>>,
    laws: Laws,
    /// Law of each flow, if it has one.
    of: [Option<usize>; FLOWS],
    generation: [u8; FLOWS],
    /// By laws.
    expected: Vec<VecDeque<RawUpdate>>,
    received: Vec<u64>,
    stalls: Stimulus,
    accept: f64,
}

impl<const HPCC: usize, const DCQCN: usize, const POWERTCP: usize, const THETA: usize>
    Bench<HPCC, DCQCN, POWERTCP, THETA>
{
    fn new() -> Self {
        let mut block: Box<LawChoice<FLOWS, 6, HPCC, DCQCN, POWERTCP, THETA>> = Box::default();
        init(block.as_mut()).expect("complete block");
        let laws = laws(HPCC, DCQCN, POWERTCP, THETA);
        let mut bench = Self {
            block,
            of: [None; FLOWS],
            generation: [0; FLOWS],
            expected: vec![VecDeque::new(); laws.len()],
            received: vec![0; laws.len()],
            laws,
            stalls: Stimulus::new(7),
            accept: 1.0,
        };
        bench.block.reset.next = true;
        bench.step();
        bench.block.reset.next = false;
        let writes: Vec<_> = bench.laws.iter().map(|(code, law)| (*code, law.writes())).collect();
        for (code, writes) in writes {
            for (address, data) in writes {
                bench.block.param.write.next = true;
                bench.block.param_law.next = code;
                bench.block.param.address.next = U(address.into());
                bench.block.param.data.next = U(data);
                bench.step();
            }
        }
        bench.block.param.write.next = false;
        bench
    }

    /// Law of an update: its flow says.
    fn receive(&mut self, update: RawUpdate) {
        let law = self.of[usize::from(update.flow)].expect("a flow with a law");
        assert_eq!(Some(update), self.expected[law].pop_front(), "law {law}");
        self.received[law] += 1;
    }

    fn step(&mut self) -> (bool, bool) {
        self.block.update.ready.next = self.stalls.chance(self.accept);
        let (event, command, update) = step(self.block.as_mut(), |b| {
            (
                b.event.valid.val() & b.event.ready.val(),
                b.command.valid.val() & b.command.ready.val(),
                taken_update(&b.update),
            )
        });
        if let Some(update) = update {
            self.receive(update);
        }
        (event, command)
    }

    fn expect(&mut self, flow: usize) {
        let Some(law) = self.of[flow] else { return };
        let answer = self.laws[law].1.answer(flow as u32).expect("live flow");
        self.expected[law].push_back(RawUpdate {
            flow: flow as u16,
            generation: self.generation[flow],
            window: answer.window,
            rate: answer.rate,
            utilisation: answer.signal,
        });
    }

    fn drain(&mut self) {
        let accept = std::mem::replace(&mut self.accept, 1.0);
        let left = |bench: &Self| bench.expected.iter().map(VecDeque::len).sum::<usize>();
        // what waits at the entry is in the pipeline after a few clocks, and out of it after its latency
        for clock in 0..ENOUGH {
            if clock > 16 && left(self) == 0 {
                break;
            }
            self.step();
        }
        self.accept = accept;
        assert_eq!(left(self), 0, "updates missing");
    }

    fn command(&mut self, create: bool, flow: usize, law: usize) {
        offer_command(
            &mut self.block.command,
            Some((create, flow as u32, self.generation[flow])),
        );
        self.block.command_law.next = self.laws[law].0;
        while !self.step().1 {}
        offer_command(&mut self.block.command, None);
    }

    /// Ends what the flow had, as the manager does, and gives it a law.
    fn create(&mut self, flow: usize, law: usize) {
        // a command overtakes events that still wait at the entry, so those enter first
        self.drain();
        if let Some(old) = self.of[flow] {
            self.command(false, flow, old);
            self.laws[old].1.remove(flow as u32);
        }
        self.generation[flow] = self.generation[flow].wrapping_add(1);
        self.of[flow] = Some(law);
        self.command(true, flow, law);
        self.laws[law].1.create(flow as u32, self.generation[flow]);
        self.expect(flow);
    }

    fn event(&mut self, event: &CcEvent) {
        offer_event(&mut self.block.event, Some(event));
        while !self.step().0 {}
        offer_event(&mut self.block.event, None);
        let flow = event.flow as usize;
        let answered = self.of[flow].is_some_and(|law| self.laws[law].1.handle(event).is_some());
        if answered {
            self.expect(flow);
        }
    }

    /// Flows with each law and without one, that change it now and then.
    fn mixed(mut self, seed: u64, events: u64) {
        let events = length(events);
        let mut source = EventSource::new(seed, FLOWS);
        let count = self.laws.len() as u64;
        for flow in 0..FLOWS - 5 {
            let law = source.stimulus().below(count) as usize;
            self.create(flow, law);
        }
        for _ in 0..events {
            let flow = source.stimulus().below(FLOWS as u64) as usize;
            if source.stimulus().chance(0.003) {
                let law = source.stimulus().below(count) as usize;
                self.create(flow, law);
            }
            if source.stimulus().chance(0.002) {
                self.accept = [1.0, 0.9, 0.5, 0.1][source.stimulus().below(4) as usize];
            }
            // late ones of an earlier generation too: they say nothing to any law
            let mut event = source.next(flow, self.generation[flow]);
            let law = self.of[flow].map(|law| self.laws[law].0);
            if law == Some(LawCode::Dcqcn) {
                // what moves its rates: notifications, and times at which something is due
                let kinds = [EventKind::Cnp, EventKind::Tick, EventKind::Tick];
                event.kind = kinds[source.stimulus().below(3) as usize];
            }
            self.event(&event);
        }
        self.drain();
        // DCQCN answers only where the rate moved
        let received: u64 = self.received.iter().sum();
        assert!(
            received > events / 3 && self.received.iter().all(|n| *n > events / 3 / count),
            "{:?}",
            self.received
        );
    }
}

#[test]
fn each_flow_has_the_law_of_its_creation() {
    Bench::<1, 1, 1, 1>::new().mixed(1, 15_000);
}

#[test]
fn any_laws_work_as_beside_others() {
    Bench::<1, 0, 0, 0>::new().mixed(2, 2_500);
    Bench::<0, 0, 1, 0>::new().mixed(3, 2_500);
    Bench::<0, 1, 0, 0>::new().mixed(4, 2_500);
    Bench::<1, 0, 1, 0>::new().mixed(5, 2_500);
    Bench::<1, 1, 0, 0>::new().mixed(6, 2_500);
    Bench::<0, 0, 0, 1>::new().mixed(7, 2_500);
    Bench::<1, 0, 0, 1>::new().mixed(8, 2_500);
}

#[test]
fn what_is_built_is_told() {
    fn built<const HPCC: usize, const DCQCN: usize, const POWERTCP: usize, const THETA: usize>() -> u64 {
        step(Bench::<HPCC, DCQCN, POWERTCP, THETA>::new().block.as_mut(), |b| {
            b.built.val().0
        })
    }
    assert_eq!([built::<1, 1, 1, 1>(), built::<1, 0, 0, 0>()], [0b1_1111, 0b11]);
    assert_eq!([built::<0, 1, 0, 0>(), built::<0, 0, 1, 0>()], [0b101, 0b1001]);
    assert_eq!(built::<0, 0, 0, 1>(), 0b1_0001);
}

#[test]
fn an_event_takes_two_clocks_and_a_flow_six() {
    let mut bench = Bench::<1, 0, 1, 0>::new();
    for flow in 0..12 {
        bench.create(flow, flow % 2);
    }
    let mut source = EventSource::new(4, FLOWS);
    let mut clocks = |flows: usize| {
        bench.drain();
        let mut clocks = 0u64;
        for i in 0..600 {
            let event = source.next(i % flows, bench.generation[i % flows]);
            offer_event(&mut bench.block.event, Some(&event));
            loop {
                clocks += 1;
                if bench.step().0 {
                    break;
                }
            }
            offer_event(&mut bench.block.event, None);
            let law = bench.of[i % flows].expect("created above");
            if bench.laws[law].1.handle(&event).is_some() {
                bench.expect(i % flows);
            }
        }
        clocks
    };
    assert_eq!(clocks(12), 1200);
    assert!(clocks(1) <= 3600);
}
