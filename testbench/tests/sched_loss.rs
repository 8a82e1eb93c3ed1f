//! Go-back-N over a network that loses packets and acknowledgements, with flows coming and going, pause and changing rates.

mod sched;

use hpcc_models::sched::formats::PSN_MASK;
use hpcc_models::sched::psn::{add, ahead, is_after};
use hpcc_models::sched::SchedRegisters;
use hpcc_rtl::sched::{LargeScheduler, PaperScheduler};
use hpcc_rtl::sim::{Ports, Stimulus};
use sched::{Bench, Event, Packet, LINE};
use std::collections::BTreeMap;

/// What the test knows of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    generation: u8,
    start: u32,
    end: u32,
    /// Receiver: next PSN expected, and whether it has asked for it.
    expected: u32,
    asked: bool,
    /// Highest PSN seen, plus one.
    max: u32,
    /// One past the last packet that left.
    next: u32,
    window: u32,
    alive: bool,
}

struct Net {
    bench: Bench,
    flows: BTreeMap<u16, Flow>,
    random: Stimulus,
    /// What arrives when: packets at the receivers, acknowledgements at the scheduler.
    way: BTreeMap<(u64, u64), Result<Packet, Event>>,
    number: u64,
    loss: f64,
    repeats: u64,
}

impl Net {
    fn put(&mut self, after: u64, item: Result<Packet, Event>) {
        self.number += 1;
        self.way.insert((self.bench.now() + after, self.number), item);
    }

    fn create(&mut self, id: u16, packets: u32) {
        let old = self.flows.get(&id).map_or(0, |flow| flow.generation);
        // most start just before the wrap
        let start = if self.random.chance(0.7) {
            (1 << 24) - self.random.below(60) as u32
        } else {
            self.random.uniform(24) as u32
        };
        let start = start & PSN_MASK;
        let window = 1 + self.random.below(40) as u32;
        let flow = Flow {
            generation: old.wrapping_add(1),
            start,
            end: add(start, packets),
            expected: start,
            max: start,
            next: start,
            window,
            alive: true,
            ..Flow::default()
        };
        let (generation, mtu) = (flow.generation, self.random.below(5) as u8);
        let rate = 0.5 + self.random.below(100) as f64 / 8.0;
        let window = f64::from(window) * f64::from(256u32 << mtu) - self.random.below(255) as f64;
        self.bench.offer(Event::Create {
            flow: id,
            generation,
            psn: start,
            mtu,
            priority: (id % 8) as u8,
        });
        self.bench.offer(Event::Update {
            flow: id,
            generation,
            rate,
            window,
        });
        self.bench.offer(Event::Work {
            flow: id,
            generation,
            end: flow.end,
        });
        self.flows.insert(id, flow);
    }

    fn left(&mut self, packet: Packet) {
        let flow = self.flows.get_mut(&packet.flow).expect("a flow that exists");
        if packet.generation != flow.generation {
            return; // granted before the flow was removed
        }
        let at = format!("{packet:?} of {flow:?}");
        assert!(
            ahead(packet.psn, flow.start) < ahead(flow.end, flow.start),
            "work: {at}"
        );
        assert!(
            ahead(packet.psn, flow.expected) >= 1 << 23 || ahead(packet.psn, flow.expected) < flow.window,
            "window: {at}"
        );
        assert!(!is_after(packet.psn, flow.max), "no PSN is skipped: {at}");
        assert_eq!(
            packet.kind & 1 == 1,
            is_after(flow.max, packet.psn),
            "sent before or not: {at}"
        );
        self.repeats += u64::from(packet.kind & 1);
        flow.next = add(packet.psn, 1);
        if is_after(flow.next, flow.max) {
            flow.max = flow.next;
        }
        if !self.random.chance(self.loss) {
            let delay = 2_000 + self.random.below(200);
            self.put(delay, Ok(packet));
        }
    }

    fn arrives(&mut self, packet: Packet) {
        let Some(flow) = self
            .flows
            .get_mut(&packet.flow)
            .filter(|flow| flow.generation == packet.generation)
        else {
            return;
        };
        let (id, generation) = (packet.flow, packet.generation);
        if packet.psn == flow.expected {
            flow.expected = add(flow.expected, 1);
            flow.asked = false;
        }
        let answer = if is_after(packet.psn, flow.expected) {
            if flow.asked {
                return;
            }
            flow.asked = true;
            Event::Nak {
                flow: id,
                generation,
                psn: flow.expected,
            }
        } else {
            Event::Ack {
                flow: id,
                generation,
                psn: flow.expected,
            }
        };
        if !self.random.chance(self.loss) {
            self.put(2_000, Err(answer));
        }
    }

    fn step(&mut self) {
        while let Some(entry) = self.way.first_entry() {
            if entry.key().0 > self.bench.now() {
                break;
            }
            match entry.remove() {
                Ok(packet) => self.arrives(packet),
                Err(event) => self.bench.offer(event),
            }
        }
        if let Some(packet) = self.bench.step() {
            self.left(packet);
        }
    }

    fn finished(&self) -> bool {
        self.flows.values().all(|flow| !flow.alive || flow.expected == flow.end)
    }
}

fn survives<B: Ports + Default>(top: &str, flows: u16, seed: u64) {
    let registers = SchedRegisters {
        timeout: 60,
        retry_limit: 15,
        ..SchedRegisters::default()
    };
    let mut bench = Bench::new::<B>(top, registers);
    bench.run(5 * u64::from(flows) + 1_000);
    bench.line = LINE;
    let mut net = Net {
        bench,
        flows: BTreeMap::new(),
        random: Stimulus::new(seed),
        way: BTreeMap::new(),
        number: 0,
        loss: 0.03,
        repeats: 0,
    };
    let ids: Vec<u16> = (0..60).map(|_| net.random.below(flows.into()) as u16).collect();
    for clock in 0..240_000u64 {
        let id = ids[net.random.below(ids.len() as u64) as usize];
        let alive = net.flows.get(&id).is_some_and(|flow| flow.alive);
        if clock < 120_000 && net.random.chance(0.002) {
            if !alive || net.random.chance(0.05) {
                let packets = 1 + net.random.below(150) as u32;
                net.create(id, packets);
            } else if net.random.chance(0.05) {
                let flow = net.flows.get_mut(&id).expect("alive");
                flow.alive = false;
                let generation = flow.generation;
                net.bench.offer(Event::Remove { flow: id, generation });
            } else if alive {
                let flow = net.flows.get_mut(&id).expect("alive");
                flow.end = add(flow.end, 20);
                let (generation, end) = (flow.generation, flow.end);
                net.bench.offer(Event::Work {
                    flow: id,
                    generation,
                    end,
                });
            }
        }
        if clock % 10_000 == 0 {
            let pause = if clock < 120_000 {
                net.random.uniform(8) & net.random.uniform(8)
            } else {
                0
            };
            net.bench.set("pause", pause);
        }
        net.step();
        if clock > 130_000 && net.finished() && net.way.is_empty() {
            break;
        }
    }
    let open: Vec<_> = net
        .flows
        .iter()
        .filter(|(_, flow)| flow.alive && flow.expected != flow.end)
        .collect();
    assert!(open.is_empty(), "{top}, seed {seed}: {open:?}");
    assert!(net.bench.ended.is_empty(), "no flow gives up");
    // what is done costs nothing more
    net.loss = 0.0;
    for _ in 0..40_000 {
        net.step();
    }
    let sent = net.bench.sent.len();
    net.bench.run(400_000);
    assert_eq!(net.bench.sent.len(), sent, "finished flows send nothing");
    println!(
        "{top}, seed {seed}: {sent} packets, {} of them repeated, {} events to the law",
        net.repeats, net.bench.to_cc
    );
    assert!(sent > 2_000 && net.repeats > 200);
}

#[test]
fn everything_arrives_over_a_lossy_network() {
    for seed in 0..4 {
        survives::<PaperScheduler>("scheduler_6x50", 300, seed);
    }
    survives::<LargeScheduler>("scheduler_6x683", 4098, 9);
}

/// Nobody answers: the flow is repeated, times out and ends at its retry limit, and others go on.
#[test]
fn a_dead_peer_ends_the_flow() {
    let registers = SchedRegisters {
        timeout: 50,
        retry_limit: 3,
        ..SchedRegisters::default()
    };
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", registers);
    bench.run(3_000);
    bench.start(11, 2, LINE, 10_240.0);
    bench.run(1_000_000);
    assert_eq!(bench.ended, [11]);
    assert_eq!(bench.sent.len(), 4 * 10, "the window, four times");
    assert!(bench.sent[10..].iter().all(|packet| packet.kind & 1 == 1));
    assert_eq!(
        bench.sent[10].kind, 3,
        "the first after a rewind asks for an acknowledgement"
    );
    assert_eq!(bench.sent[9].kind, 2, "so does the one that fills the window");
    assert_eq!(bench.get("count_timeout"), 3);
    // its number lives again under a new generation, late events of the old one are nobody's
    bench.offer(Event::Create {
        flow: 11,
        generation: 2,
        psn: 77,
        mtu: 2,
        priority: 0,
    });
    bench.offer(Event::Update {
        flow: 11,
        generation: 1,
        rate: 12.5,
        window: 1e6,
    });
    bench.offer(Event::Work {
        flow: 11,
        generation: 2,
        end: 90,
    });
    bench.run(10_000);
    assert_eq!(bench.sent.len(), 40, "no window yet");
    assert_eq!(bench.get("count_late"), 1);
    bench.offer(Event::Update {
        flow: 11,
        generation: 2,
        rate: 12.5,
        window: 1e6,
    });
    bench.run(10_000);
    assert_eq!(
        bench.sent[40..]
            .iter()
            .map(|packet| (packet.generation, packet.psn))
            .collect::<Vec<_>>(),
        (77..90).map(|psn| (2, psn)).collect::<Vec<_>>()
    );
}

/// Pause holds one priority and no other, and nothing is lost by it.
#[test]
fn pause_holds_one_priority() {
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", SchedRegisters::default());
    bench.run(3_000);
    bench.line = LINE;
    bench.rtt = Some(5_000);
    for flow in 0..12u16 {
        bench.offer(Event::Create {
            flow,
            generation: 1,
            psn: 0,
            mtu: 2,
            priority: (flow % 2) as u8,
        });
        bench.offer(Event::Update {
            flow,
            generation: 1,
            rate: 0.5,
            window: 1e6,
        });
        bench.offer(Event::Work {
            flow,
            generation: 1,
            end: 1 << 20,
        });
    }
    bench.run(100_000);
    bench.set("pause", 2);
    bench.run(5_000);
    let from = bench.sent.len();
    bench.run(200_000);
    assert!(bench.sent[from..].iter().all(|packet| packet.flow % 2 == 0));
    assert!(bench.sent.len() - from > 400);
    bench.set("pause", 0);
    let from = bench.sent.len();
    bench.run(100_000);
    assert!(bench.sent[from..].iter().filter(|packet| packet.flow % 2 == 1).count() > 200);
}
