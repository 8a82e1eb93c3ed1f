//! The scheduler a second time, clock by clock, in plain Rust: what happens to flows is [`hpcc_models::sched`], when it happens is
//! written here from the tables of clocks at the head of each block.
//!
//! | file | stands for |
//! |---|---|
//! | `entry` | which source goes first |
//! | `events` | sender states of all flows |
//! | `refund` | bytes that packets used less than full ones |
//! | `engine`, `rows` | visits, wakes, flows between visits |
//! | `stages` | delays, queues, merging of grants, packets of a grant |
//! | `park` | grants of paused priorities |
//! | `groups` | levels, counts and bytes of groups |
//! | `ports` | what goes in and out in a clock, and the registers |

pub mod engine;
pub mod entry;
pub mod events;
pub mod groups;
pub mod park;
pub mod ports;
pub mod refund;
pub mod rows;
pub mod stages;

use crate::sched::stimulus::RNR_RETRY;
use crate::words::sched::LawEvent;
use engine::{Engine, Surroundings};
use entry::Entry;
use events::{Effect, Events};
use groups::{Groups, Levels};
use hpcc_models::sched::{CapControl, SchedRegisters};
use park::Park;
use ports::{Inputs, Outputs, Registers};
use refund::Refund;
use stages::{Granted, Joint, Packets, Queue};

/// Sizes of the scheduler.
pub struct Sizes {
    pub engines: usize,
    pub flows: u16,
    pub flow_bits: u32,
    pub index_bits: u32,
    pub timer_bits: u32,
    pub rows: usize,
}

pub struct Reference {
    entry: Entry,
    events: Events,
    refund: Refund,
    engines: Vec<Engine>,
    joints: Vec<Joint>,
    park: Park,
    packets: Packets,
    levels: Levels,
    groups: Groups,
    cc: Queue<LawEvent>,
    ended: Queue<(u16, u8, bool)>,
    counts: [u64; 5],
    /// What is counted in the next clock.
    happened: [bool; 5],
    /// Clocks after a reset in which operations that were under way end without a trace.
    settle: u32,
    registers: Registers,
    random: u64,
}

impl Reference {
    pub fn new(sizes: &Sizes) -> Self {
        let flows = sizes.engines as u16 * sizes.flows;
        let engine = |_| Engine::new(sizes.engines, sizes.index_bits, sizes.rows);
        Self {
            entry: Entry::new(flows, sizes.flow_bits, 1 << sizes.timer_bits),
            events: Events::new(flows.into()),
            refund: Refund::new(flows),
            engines: (0..sizes.engines).map(engine).collect(),
            joints: (0..sizes.engines).map(|_| Joint::default()).collect(),
            park: Park::default(),
            packets: Packets::default(),
            levels: Levels::new(),
            groups: Groups::new(flows.into()),
            cc: Queue::new(64, 48),
            ended: Queue::new(16, 4),
            counts: [0; 5],
            happened: [false; 5],
            settle: 0,
            registers: Registers {
                words: SchedRegisters {
                    overhead: 0,
                    interval_ns: 0,
                    timeout: 0,
                    retry_limit: 0,
                },
                limits: CapControl::default(),
                rnr_retry: RNR_RETRY,
                now: 0,
            },
            random: 0,
        }
    }

    /// One clock.
    pub fn clock(&mut self, inputs: &Inputs) -> Outputs {
        let timers_rest = self.ended.crowded;
        let outputs = Outputs {
            ready: self.entry.ready(),
            send: self.packets.offer(),
            cc: self.cc.out,
            ended: self.ended.out,
            group: self.groups.out,
            counts: self.counts,
        };
        let reset = inputs.reset;
        let effect = self.events.effect;
        let (held, tag) = (self.park.held, self.packets.tag());
        let packet_taken = inputs.send_ready && outputs.send.is_some();

        self.report(effect.as_ref().filter(|_| self.settle == 0), inputs);
        self.settle = if reset { 10 } else { self.settle.saturating_sub(1) };
        let leaves = outputs.send.filter(|_| packet_taken).map(|packet| packet.flow);
        let corrects = self.refund.named();
        self.groups
            .clock(effect.as_ref(), corrects, leaves, inputs.look, &self.registers, reset);
        let (engines, count) = (&self.engines, self.engines.len() as u16);
        let visited = |flow: u16| engines[usize::from(flow % count)].visited(usize::from(flow / count));
        self.events.clock(self.entry.out, &self.registers, held, visited);
        self.entry.clock(inputs, timers_rest);

        self.engines(effect.as_ref(), inputs, held, tag);
        let feedback = inputs.feedback.filter(|_| outputs.ready[entry::FEEDBACK]);
        self.refund.clock(feedback, effect.as_ref(), reset);
        self.levels.clock(inputs.level, &self.registers, reset);
        self.register(inputs);
        outputs
    }

    /// Engines and everything behind them.
    fn engines(&mut self, effect: Option<&Effect>, inputs: &Inputs, held: u8, tag: u8) {
        let reset = inputs.reset;
        let own: Vec<Option<Granted>> = self.engines.iter().map(|engine| engine.grants.out).collect();
        // the first joint is nearest to the exit
        let mut chain: Vec<Option<Granted>> = self.joints.iter().map(|joint| joint.out.out()).collect();
        let first = chain.remove(0);
        chain.push(None);
        let folded = (0..4).fold(0, |folded, part| folded ^ (self.random >> (16 * part)) as u16);
        let own_count = own.len();
        let goes: Vec<(bool, bool)> = (0..own.len()).map(|i| self.joints[i].goes(chain[i], own[i])).collect();
        let taken: Vec<bool> = self.joints.iter().map(|joint| joint.out.ready).collect();
        for (i, engine) in self.engines.iter_mut().enumerate() {
            let surroundings = Surroundings {
                registers: &self.registers,
                level: self.levels.out,
                held,
                tag,
                random: (self.random >> (8 * i)) as u16 ^ folded,
                reset,
            };
            let effect = effect.filter(|effect| usize::from(effect.taken.flow) % own.len() == i);
            let sum = self
                .refund
                .changed
                .filter(|(flow, _)| usize::from(*flow) % own_count == i);
            engine.clock(effect, sum, taken[i] && goes[i].1, &surroundings);
            let leaves = match i.checked_sub(1) {
                None => self.park.takes(first),
                Some(before) => taken[before] && goes[before].0,
            };
            self.joints[i].clock(chain[i], own[i], leaves, reset);
        }
        let parked = self.park.out.out();
        self.park.clock(first, inputs.pause, self.packets.takes(), reset);
        self.packets.clock(parked, inputs.send_ready, reset);
        let mut random = self.random;
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        self.random = if self.random == 0 { 0x2545_f491 } else { random };
    }

    /// What the congestion control and the counters hear of an operation.
    fn report(&mut self, effect: Option<&Effect>, inputs: &Inputs) {
        let event = effect.filter(|effect| effect.outcome.to_cc).map(law_event);
        let ended = effect.filter(|effect| effect.outcome.ended);
        let of_flow = |effect: &Effect| (effect.taken.flow, effect.before.generation, effect.outcome.not_ready);
        let ended = ended.map(of_flow);
        let outcome = effect.map(|effect| effect.outcome).unwrap_or_default();
        let pulses = [
            outcome.late || self.refund.late,
            outcome.beyond,
            self.entry.out_of_range || self.refund.out_of_range,
            outcome.timeout,
            event.is_some() && !self.cc.ready,
        ];
        // counted a clock later
        let happened = std::mem::replace(&mut self.happened, pulses);
        for (count, pulse) in self.counts.iter_mut().zip(happened) {
            *count += u64::from(pulse);
        }
        if inputs.reset {
            (self.counts, self.happened) = ([0; 5], [false; 5]);
        }
        self.cc.clock(event, inputs.cc_ready, inputs.reset);
        self.ended.clock(ended, inputs.ended_ready, inputs.reset);
    }

    fn register(&mut self, inputs: &Inputs) {
        let words = &mut self.registers.words;
        match inputs.parameter {
            Some((0, value)) => words.overhead = value as u32 & 0x3ff,
            Some((1, value)) => words.interval_ns = value as u32 & 0xfff,
            Some((2, value)) => words.timeout = value as u32 & 0xffff,
            Some((3, value)) => words.retry_limit = value as u8 & 15,
            _ => {}
        }
        if inputs.reset {
            *words = SchedRegisters::default();
        }
        (self.registers.limits, self.registers.now) = (inputs.limits, inputs.now);
    }
}

/// The event as the congestion control sees it.
fn law_event(effect: &Effect) -> LawEvent {
    use crate::prim::uint::U;
    let mut telemetry = effect.taken.telemetry;
    telemetry.bytes = U((u64::from(effect.acked) << (8 + effect.before.mtu)) & 0xffff_ffff);
    if effect.outcome.timeout {
        (telemetry.event_kind, telemetry.int_valid) = (U(3), false);
    }
    LawEvent {
        snd_nxt: U(effect.outcome.snd_nxt.into()),
        psn_next: U(effect.psn.into()),
        generation: U(effect.before.generation.into()),
        flow: U(effect.taken.flow.into()),
        // to the scheduler alone
        not_ready: false,
        rnr_timer: U(0),
        telemetry,
    }
}
