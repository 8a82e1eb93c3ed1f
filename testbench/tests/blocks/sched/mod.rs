//! Drives a Verilated scheduler: flows, a line that takes packets at its rate, acknowledgements after a round trip.

use hpcc_models::sched::formats::PSN_MASK;
use hpcc_models::sched::SchedRegisters;
use hpcc_rtl::prim::uint::{Limbs, U};
use hpcc_rtl::prim::word::Word;
use hpcc_rtl::sched::levels::LEVEL_INTERVAL;
use hpcc_rtl::sim::Ports;
use hpcc_rtl::words::flows::FlowUpdate;
use hpcc_rtl::words::sched::LawEvent;
use hpcc_testbench::verilated::{sources, Model};
use std::collections::{BTreeMap, VecDeque};

/// Nanoseconds of a clock.
pub const CLOCK_NS: u64 = 5;
/// Wire bytes of a packet of MTU 1024.
pub const WIRE_1024: f64 = 1148.0;
/// Bytes per nanosecond of 100 Gb/s.
pub const LINE: f64 = 12.5;

/// A packet that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    pub clock: u64,
    pub flow: u16,
    pub generation: u8,
    pub psn: u32,
    pub kind: u8,
}

/// The Verilated scheduler with a line behind it.
pub struct Bench {
    pub model: Model,
    limbs: BTreeMap<String, usize>,
    pins: Pins,
    pub clock: u64,
    /// From when on another level may be written.
    next_level: u64,
    /// Bytes per ns that leave; infinite for a sink that is always ready.
    pub line: f64,
    free_at: f64,
    /// MTU code of each flow.
    mtu: BTreeMap<u16, u8>,
    /// Round trip after which each packet is acknowledged, ns; none: never.
    pub rtt: Option<u64>,
    acks: VecDeque<(u64, Packet)>,
    events: VecDeque<Event>,
    /// The acknowledgement on offer.
    event: LawEvent,
    pub sent: Vec<Packet>,
    pub registers: SchedRegisters,
    pub to_cc: u64,
    pub ended: Vec<u16>,
}

/// Limbs of what every clock touches.
struct Pins {
    now: usize,
    event: usize,
    update: usize,
    send_ready: usize,
    cc_valid: usize,
    ended_valid: usize,
    send_valid: usize,
}

/// Something to offer, one after the other.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    Create {
        flow: u16,
        generation: u8,
        psn: u32,
        mtu: u8,
        priority: u8,
    },
    Remove {
        flow: u16,
        generation: u8,
    },
    Work {
        flow: u16,
        generation: u8,
        end: u32,
    },
    /// Work from a new start.
    Restart {
        flow: u16,
        generation: u8,
        start: u32,
        end: u32,
    },
    Update {
        flow: u16,
        generation: u8,
        rate: f64,
        window: f64,
    },
    /// Cap, bytes per ns, and group.
    Limit {
        flow: u16,
        generation: u8,
        rate: f64,
        group: u8,
    },
    Ack {
        flow: u16,
        generation: u8,
        psn: u32,
    },
    Nak {
        flow: u16,
        generation: u8,
        psn: u32,
    },
}

impl Bench {
    pub fn new<B: Ports + Default>(top: &str, registers: SchedRegisters) -> Self {
        let mut block: Box<B> = Box::default();
        let mut sources = sources(top, block.as_mut()).unwrap_or_else(|error| panic!("{error}"));
        // the model runs for less time than a higher effort would take to build
        sources.optimise = 1;
        let model = Model::new(&sources).unwrap_or_else(|error| panic!("{error}"));
        let limbs: BTreeMap<String, usize> = sources
            .ports
            .iter()
            .map(|port| (port.name.clone(), port.limb))
            .collect();
        let pins = Pins {
            now: limbs["now"],
            event: limbs["event_data"],
            update: limbs["update_data"],
            send_ready: limbs["send_ready"],
            cc_valid: limbs["cc_valid"],
            ended_valid: limbs["ended_valid"],
            send_valid: limbs["send_valid"],
        };
        let mut bench = Self {
            model,
            limbs,
            pins,
            event: LawEvent::default(),
            clock: 0,
            next_level: 0,
            line: f64::INFINITY,
            free_at: 0.0,
            mtu: BTreeMap::new(),
            rtt: None,
            acks: VecDeque::new(),
            events: VecDeque::new(),
            sent: Vec::new(),
            registers,
            to_cc: 0,
            ended: Vec::new(),
        };
        bench.set("cc_ready", 1);
        bench.set("ended_ready", 1);
        bench.set("rst", 1);
        bench.step();
        bench.set("rst", 0);
        for (address, data) in registers.writes() {
            bench.set("param_write", 1);
            bench.set("param_address", address.into());
            bench.set("param_data", data);
            bench.step();
        }
        bench.set("param_write", 0);
        bench
    }

    pub fn set(&mut self, name: &str, value: u64) {
        self.model.inputs[self.limbs[name]] = value;
    }

    pub fn get(&self, name: &str) -> u64 {
        self.model.outputs[self.limbs[name]]
    }

    /// The event on offer to the congestion control.
    pub fn cc(&self) -> Option<LawEvent> {
        let valid = self.model.outputs[self.pins.cc_valid] == 1;
        valid.then(|| LawEvent::from_slice(&self.model.outputs[self.limbs["cc_data"]..]))
    }

    pub fn now(&self) -> u64 {
        self.clock * CLOCK_NS
    }

    pub fn offer(&mut self, event: Event) {
        if let Event::Create { flow, mtu, .. } = event {
            self.mtu.insert(flow, mtu);
        }
        self.events.push_back(event);
    }

    /// A flow of the given rate (bytes per ns) and window (bytes) with work for half of the PSN space.
    pub fn start(&mut self, flow: u16, mtu: u8, rate: f64, window: f64) {
        self.offer(Event::Create {
            flow,
            generation: 1,
            psn: 0,
            mtu,
            priority: 0,
        });
        self.offer(Event::Update {
            flow,
            generation: 1,
            rate,
            window,
        });
        self.offer(Event::Work {
            flow,
            generation: 1,
            end: (1 << 23) - 1,
        });
    }

    fn drive(&mut self, event: Event) -> &'static str {
        let common = |bench: &mut Self, port: &str, flow: u16, generation: u8| {
            bench.set(&format!("{port}_valid"), 1);
            bench.set(&format!("{port}_flow"), flow.into());
            bench.set(&format!("{port}_generation"), generation.into());
        };
        match event {
            Event::Create {
                flow,
                generation,
                psn,
                mtu,
                priority,
            } => {
                common(self, "command", flow, generation);
                self.set("command_create", 1);
                self.set("command_psn", psn.into());
                self.set("command_mtu", mtu.into());
                self.set("command_priority", priority.into());
                "command"
            }
            Event::Remove { flow, generation } => {
                common(self, "command", flow, generation);
                self.set("command_create", 0);
                self.set("command_limit", 0);
                "command"
            }
            Event::Limit {
                flow,
                generation,
                rate,
                group,
            } => {
                common(self, "command", flow, generation);
                self.set("command_create", 0);
                self.set("command_limit", 1);
                self.set("command_rate", limit(rate));
                self.set("command_group", group.into());
                "command"
            }
            Event::Work { flow, generation, end } => {
                common(self, "work", flow, generation);
                self.set("work_end", end.into());
                self.set("work_restart", 0);
                "work"
            }
            Event::Restart {
                flow,
                generation,
                start,
                end,
            } => {
                common(self, "work", flow, generation);
                self.set("work_end", end.into());
                self.set("work_restart", 1);
                self.set("work_start", start.into());
                "work"
            }
            Event::Update {
                flow,
                generation,
                rate,
                window,
            } => {
                let update = FlowUpdate {
                    flow: U(flow.into()),
                    generation: U(generation.into()),
                    window: U(((window * 2048.0) as u64).min((1 << 34) - 1)),
                    rate: U((rate * (1u64 << 27) as f64).round() as u64),
                };
                update.to_limbs(&mut self.model.inputs[self.pins.update..]);
                self.set("update_valid", 1);
                "update"
            }
            Event::Ack { flow, generation, psn } | Event::Nak { flow, generation, psn } => {
                self.event.flow = U(flow.into());
                self.event.generation = U(generation.into());
                self.event.psn_next = U(psn.into());
                self.event.telemetry.event_kind = U(matches!(event, Event::Nak { .. }).into());
                self.event.to_limbs(&mut self.model.inputs[self.pins.event..]);
                self.set("event_valid", 1);
                "event"
            }
        }
    }

    fn wire(&self, flow: u16) -> f64 {
        self.mtu
            .get(&flow)
            .map_or(0.0, |mtu| f64::from(self.registers.wire_bytes(*mtu)))
    }

    /// One clock; the packet that left in it.
    pub fn step(&mut self) -> Option<Packet> {
        let now = self.now();
        self.model.inputs[self.pins.now] = now;
        self.event.telemetry.now = U(now);
        self.event.to_limbs(&mut self.model.inputs[self.pins.event..]);
        if let Some((at, packet)) = self.acks.front().copied() {
            if at <= now {
                self.acks.pop_front();
                let Packet {
                    flow, generation, psn, ..
                } = packet;
                self.events.push_front(Event::Ack {
                    flow,
                    generation,
                    psn: (psn + 1) & PSN_MASK,
                });
            }
        }
        let offered = self.events.front().copied().map(|event| self.drive(event));
        self.model.inputs[self.pins.send_ready] = (now as f64 >= self.free_at).into();
        self.model.settle();
        if let Some(port) = offered {
            if self.get(&format!("{port}_ready")) == 1 {
                self.events.pop_front();
            }
        }
        self.to_cc += self.model.outputs[self.pins.cc_valid];
        if self.model.outputs[self.pins.ended_valid] == 1 {
            self.ended.push(self.get("ended_flow") as u16);
        }
        let left = self.model.outputs[self.pins.send_valid] == 1 && now as f64 >= self.free_at;
        let packet = left.then(|| Packet {
            clock: self.clock,
            flow: self.get("send_flow") as u16,
            generation: self.get("send_generation") as u8,
            psn: self.get("send_psn") as u32,
            kind: self.get("send_kind") as u8,
        });
        if let Some(packet) = packet {
            // what is left of the last clock counts for the next packet
            self.free_at = self.free_at.max(now as f64 - CLOCK_NS as f64) + self.wire(packet.flow) / self.line;
            if let Some(rtt) = self.rtt {
                self.acks.push_back((now + rtt, packet));
            }
            self.sent.push(packet);
        }
        self.model.edge();
        if let Some(port) = offered {
            self.set(&format!("{port}_valid"), 0);
        }
        self.clock += 1;
        packet
    }

    /// Runs until `ns` have passed; what left in between stays in `sent`.
    pub fn run(&mut self, ns: u64) {
        let end = self.now() + ns;
        while self.now() < end {
            self.step();
        }
    }

    /// Writes the level of a group, bytes per ns; 128 and more is none. Registers write one every fourth clock at most.
    pub fn level(&mut self, group: u8, rate: f64) {
        while self.clock < self.next_level {
            self.step();
        }
        self.next_level = self.clock + LEVEL_INTERVAL;
        self.set("level_write", 1);
        self.set("level_group", group.into());
        self.set("level_rate", limit(rate));
        self.step();
        self.set("level_write", 0);
    }

    /// Lets all offers be taken.
    pub fn settle(&mut self) {
        let limit = self.clock + 20_000;
        while !self.events.is_empty() && self.clock < limit {
            self.step();
        }
        assert!(
            self.events.is_empty(),
            "an offer is not taken: {:?}",
            self.events.front()
        );
    }
}

/// A limit, UQ7.27.
fn limit(rate: f64) -> u64 {
    ((rate * (1u64 << 27) as f64).round() as u64).min((1 << 34) - 1)
}

/// Jain's fairness index.
pub fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    sum * sum / (shares.len() as f64 * shares.iter().map(|x| x * x).sum::<f64>())
}
