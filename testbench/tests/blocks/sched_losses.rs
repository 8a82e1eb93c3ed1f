//! Go-back-N over a path that loses packets and acknowledgements, and wake-ups of idle flows in every phase.

use crate::sched::{Bench, Event, CLOCK_NS};
use hpcc_models::sched::SchedRegisters;
use hpcc_rtl::sched::{PaperScheduler, Scheduler};
use hpcc_rtl::sim::Stimulus;
use std::collections::VecDeque;

const GENERATION: u8 = 1;
const RTT_NS: u64 = 2_000;
const WIRE_256: f64 = 380.0;

/// A flow as its two ends see it.
struct Flow {
    rate: f64,
    window: u32,
    /// Acknowledged, next to send as far as can be told, end of the work so far, and of all work.
    una: u32,
    nxt: u32,
    end: u32,
    goal: u32,
    /// When more work comes, ns.
    work_at: u64,
    /// The receiver: next PSN expected, gap reported.
    expected: u32,
    nak_sent: bool,
    /// Since when a packet could leave, ns.
    eligible: Option<u64>,
}

impl Flow {
    /// What the receiver answers: acknowledgement or not, and its PSN.
    fn receive(&mut self, psn: u32) -> Option<(bool, u32)> {
        if psn == self.expected {
            self.expected += 1;
            self.nak_sent = false;
        } else if psn > self.expected {
            return (!std::mem::replace(&mut self.nak_sent, true)).then_some((false, self.expected));
        }
        Some((true, self.expected))
    }
}

/// Flows with work in bursts; every packet and every answer is lost with probability `loss`. Returns the number of timeouts.
///
/// Beside finishing, a flow must never stand still: with work, an open window and credit its next packet has to leave soon, long before a
/// timer could hide a wake-up that was lost.
fn run(flows: u16, load: f64, packets: u32, loss: f64, seed: u64) -> u64 {
    let registers = SchedRegisters {
        timeout: 60,
        retry_limit: 15,
        ..SchedRegisters::default()
    };
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", registers);
    let mut random = Stimulus::new(seed);
    bench.run(3_000);
    bench.line = crate::sched::LINE;
    let mut all: Vec<Flow> = (0..flows)
        .map(|number| Flow {
            rate: load * crate::sched::LINE / f64::from(flows),
            window: 1 + u32::from(number) % 5,
            una: 0,
            nxt: 0,
            end: 0,
            goal: packets,
            work_at: 0,
            expected: 0,
            nak_sent: false,
            eligible: None,
        })
        .collect();
    for (number, flow) in (0..).zip(&all) {
        bench.offer(Event::Create {
            flow: number,
            generation: GENERATION,
            psn: 0,
            mtu: 0,
            priority: 0,
        });
        bench.offer(Event::Update {
            flow: number,
            generation: GENERATION,
            rate: flow.rate,
            window: f64::from(flow.window) * 256.0,
        });
    }
    bench.settle();
    let mut answers: VecDeque<(u64, u16, bool, u32)> = VecDeque::new();
    let mut timeouts = 0;
    while all.iter().any(|flow| flow.una < flow.goal) {
        let now = bench.now();
        assert!(now < 40_000_000, "not finished: {:?}", unfinished(&all));
        assert!(bench.ended.is_empty(), "{:?} ended", bench.ended);
        if let Some(packet) = bench.step() {
            let flow = &mut all[usize::from(packet.flow)];
            assert!(
                packet.psn < flow.end && packet.psn < flow.una + flow.window,
                "{packet:?}"
            );
            flow.nxt = packet.psn + 1;
            flow.eligible = None;
            let answer = (!random.chance(loss)).then(|| flow.receive(packet.psn)).flatten();
            if let Some((positive, psn)) = answer.filter(|_| !random.chance(loss)) {
                answers.push_back((now + RTT_NS, packet.flow, positive, psn));
            }
        }
        if let Some(event) = bench.cc().filter(|event| event.telemetry.event_kind.0 == 3) {
            let flow = &mut all[event.flow.index()];
            flow.nxt = flow.una;
            timeouts += 1;
        }
        while answers.front().is_some_and(|(at, ..)| *at <= now) {
            let Some((_, number, positive, psn)) = answers.pop_front() else {
                break;
            };
            let flow = &mut all[usize::from(number)];
            let (generation, old) = (GENERATION, psn < flow.una);
            flow.una = flow.una.max(psn);
            flow.nxt = flow.nxt.max(flow.una);
            if positive {
                bench.offer(Event::Ack {
                    flow: number,
                    generation,
                    psn,
                });
            } else {
                if !old {
                    flow.nxt = flow.una;
                }
                bench.offer(Event::Nak {
                    flow: number,
                    generation,
                    psn,
                });
            }
        }
        if !bench.clock.is_multiple_of(8) {
            continue;
        }
        for (number, flow) in (0..).zip(&mut all) {
            if flow.work_at <= now && flow.end < flow.goal {
                flow.end = flow.goal.min(flow.end + 1 + random.below(12) as u32);
                flow.work_at = now + random.below(15_000);
                let (generation, end) = (GENERATION, flow.end);
                bench.offer(Event::Work {
                    flow: number,
                    generation,
                    end,
                });
            }
            if flow.nxt >= flow.end || flow.nxt - flow.una >= flow.window {
                flow.eligible = None;
                continue;
            }
            let since = *flow.eligible.get_or_insert(now);
            let bound = 2.0 * WIRE_256 / flow.rate + 8_000.0;
            assert!(
                (now - since) as f64 <= bound,
                "flow {number} stands still at {} of {} (acknowledged {}) since {since} ns, now {now}",
                flow.nxt,
                flow.end,
                flow.una
            );
        }
    }
    assert_eq!(bench.get("count_beyond"), 0, "every acknowledgement was right");
    assert_eq!(bench.get("count_timeout"), timeouts);
    timeouts
}

fn unfinished(flows: &[Flow]) -> Vec<(usize, u32, u32)> {
    let open = flows.iter().enumerate().filter(|(_, flow)| flow.una < flow.goal);
    open.map(|(number, flow)| (number, flow.una, flow.end)).collect()
}

#[test]
fn every_flow_finishes_over_a_path_that_loses() {
    for (flows, load, packets, loss) in [
        (12, 0.9, 300, 0.0),
        (12, 0.9, 300, 0.01),
        (12, 0.9, 200, 0.05),
        (300, 0.8, 20, 0.03),
    ] {
        let timeouts = run(flows, load, packets, loss, 7 + u64::from(flows));
        println!("{flows} flows, {:.0} % lost: {timeouts} timeouts", loss * 100.0);
        assert!(
            (timeouts > 0) == (loss > 0.0),
            "{timeouts} timeouts at a loss of {loss}"
        );
    }
}

/// A flow that has just gone idle, woken by one event and then a second one, each in every clock from the visit that lets it go
/// to well after that visit has ended: its next packet must come. Timers are off, so nothing else could bring it back.
#[test]
fn no_phase_loses_a_wake() {
    type Small = Scheduler<3, 5, 4, 3, 6, 1>;
    let registers = SchedRegisters {
        timeout: 0xffff,
        ..SchedRegisters::default()
    };
    let mut bench = Bench::new::<Small>("scheduler_3x5_wake", registers);
    bench.run(3_000);
    let (flow, generation) = (4, GENERATION);
    bench.offer(Event::Create {
        flow,
        generation,
        psn: 0,
        mtu: 0,
        priority: 0,
    });
    let wide = Event::Update {
        flow,
        generation,
        rate: 12.5,
        window: 256.0,
    };
    bench.offer(wide);
    bench.settle();
    // packets sent so far are all acknowledged; the work ends behind the next one
    let mut next = 0u32;
    let after = |bench: &mut Bench, clocks: u64, event: Event| {
        for _ in 0..clocks {
            bench.step();
        }
        bench.offer(event);
        bench.settle();
    };
    let mut trials = 0;
    for first in 0..44 {
        for second in 0..44 {
            bench.offer(Event::Work {
                flow,
                generation,
                end: next + 1,
            });
            bench.settle();
            let sent = bench.sent.len();
            let limit = bench.clock + 400;
            while bench.sent.len() == sent && bench.clock < limit {
                bench.step();
            }
            assert_eq!(bench.sent.last().map(|packet| packet.psn), Some(next), "woken by work");
            // window and work are used up: each alone does not let the next one go
            let (work, ack) = (
                Event::Work {
                    flow,
                    generation,
                    end: next + 2,
                },
                Event::Ack {
                    flow,
                    generation,
                    psn: next + 1,
                },
            );
            let (early, late) = if trials % 2 == 0 { (work, ack) } else { (ack, work) };
            let before = bench.clock;
            after(&mut bench, first, early);
            after(&mut bench, second, late);
            let limit = bench.clock + 400;
            while bench.sent.len() < sent + 2 && bench.clock < limit {
                bench.step();
            }
            assert_eq!(
                bench.sent.get(sent + 1).map(|packet| packet.psn),
                Some(next + 1),
                "events {first} and {second} clocks later, {before}"
            );
            // idle again before the next trial, at another phase of everything that runs
            next += 2;
            bench.offer(Event::Ack {
                flow,
                generation,
                psn: next,
            });
            bench.settle();
            bench.run((100 + trials % 7) * CLOCK_NS);
            trials += 1;
        }
    }
    assert_eq!(bench.sent.len(), 2 * trials as usize);
}
