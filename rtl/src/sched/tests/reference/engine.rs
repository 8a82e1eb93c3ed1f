//! An engine: whose visit is next, what visits do to flows, when flows come back.

use super::events::Effect;
use super::ports::Registers;
use super::rows::{Place, Rows};
use super::stages::{Granted, Later, Queue};
use hpcc_models::sched::formats::{mtu_bytes, CREDIT_FRACTION};
use hpcc_models::sched::limit::GROUPS;
use hpcc_models::sched::{visit_at, Cap, Level, Moment, Pacing, SchedRegisters, SenderState, Visit, VisitState};

/// Clocks after a reset in which visits and wakes that were under way end without a trace.
const SETTLE: u32 = 31;
/// Clocks from the clock behind the choice of a flow to the end of its visit.
const VISIT: usize = 14;

/// What all engines see in a clock.
pub struct Surroundings<'a> {
    pub registers: &'a Registers,
    pub level: Option<(u8, Level)>,
    /// Priorities to which nothing is granted.
    pub held: u8,
    /// Service tag of the grant that leaves.
    pub tag: u8,
    pub random: u16,
    pub reset: bool,
}

/// A visit under way.
#[derive(Clone, Copy)]
struct Under {
    place: Place,
    cap: Cap,
    sender: SenderState,
    pacing: Pacing,
    state: VisitState,
    level: Level,
    tick: u32,
    overhead: u32,
    random: u16,
    crowded: bool,
    dithers: bool,
    paused: bool,
    visit: Option<(Pacing, Visit)>,
}

/// An event's consequence, behind the visits that may have missed the event.
#[derive(Clone, Copy)]
struct Wake {
    index: usize,
    flow: u16,
    wakes: bool,
    clears: bool,
    /// The flow's bit that visits flip.
    out: bool,
}

#[derive(Clone, Copy)]
struct Words {
    sender: SenderState,
    pacing: Pacing,
    cap: Cap,
    state: VisitState,
    /// Bytes that packets used less than full ones.
    adjust: u32,
    /// Flipped by wakes; a flow whose bit is that of its visits is out.
    back: bool,
}

pub struct Engine {
    engines: usize,
    /// The sum of unused bytes that is written next.
    adjusts: Option<(u16, u32)>,
    words: Vec<Words>,
    levels: [Level; GROUPS],
    rows: Rows,
    woken: Queue<Place>,
    pub grants: Queue<Granted>,
    settle: u32,
    /// Other flows waited a clock ago.
    crowded: bool,
    /// Whose visit begins in the next clock.
    chosen: Option<Place>,
    line: [Option<Under>; VISIT],
    coming: Later<Option<(Place, u32)>>,
    early: Later<Option<Wake>>,
    late: Later<Option<Wake>>,
}

/// Pacing of a flow that is cleared.
const STOPPED: Pacing = Pacing {
    rate: 0,
    cap: 0,
    window: 0,
};

impl Words {
    /// Those of a flow that is cleared.
    fn cleared() -> Self {
        Self {
            sender: SenderState::default(),
            pacing: STOPPED,
            cap: Cap {
                pacing: STOPPED,
                group: 0,
            },
            state: VisitState::default(),
            adjust: 0,
            back: false,
        }
    }
}

/// The level that no clock has written.
const UNWRITTEN: Level = Level {
    rate: 0,
    earned: 0,
    window: 0,
};

impl Under {
    fn begin(place: Place, words: &Words) -> Self {
        Self {
            place,
            cap: words.cap,
            sender: words.sender,
            pacing: words.pacing,
            state: words.state,
            level: UNWRITTEN,
            tick: 0,
            overhead: 0,
            random: 0,
            crowded: false,
            dithers: false,
            paused: false,
            visit: None,
        }
    }
}

impl Engine {
    pub fn new(engines: usize, index_bits: u32, rows: usize) -> Self {
        Self {
            engines,
            adjusts: None,
            words: vec![Words::cleared(); 1 << index_bits],
            levels: [UNWRITTEN; GROUPS],
            rows: Rows::new(rows, 1 << index_bits),
            woken: Queue::new(1 << index_bits, 1),
            grants: Queue::new(32, 4),
            settle: 0,
            crowded: false,
            chosen: None,
            line: [None; VISIT],
            coming: Later::new(2),
            early: Later::new(15),
            late: Later::new(2),
        }
    }

    /// What visits have made of a flow.
    pub fn visited(&self, index: usize) -> VisitState {
        self.words[index].state
    }

    /// Whose visit begins: a woken flow, else one that waited.
    fn next(&self, tag: u8) -> Option<Place> {
        let waited = || self.rows.offer();
        self.woken.out.map(|place| Place { tag, ..place }).or_else(waited)
    }

    pub fn clock(&mut self, effect: Option<&Effect>, adjust: Option<(u16, u32)>, taken: bool, s: &Surroundings) {
        let settled = self.settle == 0;
        let open = settled && !self.grants.crowded;
        let next = self.next(s.tag).filter(|_| open);
        // cap and pacing are read a clock behind the choice
        let begun = self.chosen.map(|place| Under::begin(place, &self.words[place.index]));
        self.chosen = next;
        let rows_taken = open && self.woken.out.is_none();
        let woken = self.wake(effect, settled);
        self.look(s);

        // the end of a visit, and the way back
        let ended = self.line[VISIT - 1].filter(|_| settled);
        let (mut granted, mut back) = (None, None);
        if let Some((under, (pacing, visit))) = ended.and_then(|under| Some((under, under.visit?))) {
            let behind = s.tag.wrapping_sub(under.place.tag) & 32 != 0;
            let tag = if behind { under.place.tag } else { s.tag };
            granted = visit.grant.map(|grant| Granted {
                grant,
                flow: under.place.flow,
                generation: under.sender.generation,
                priority: under.sender.priority,
                tag,
            });
            let place = Place {
                tag: (tag + u8::from(granted.is_some())) & 63,
                ..under.place
            };
            let held = s.held >> under.sender.priority & 1 == 1;
            let row = row(pacing.rate, under.sender.mtu, visit.state.credit, held);
            back = Some((place, row)).filter(|_| !visit.idle);
            self.words[place.index].state = visit.state;
        }
        let enters = self.coming.pass(back).filter(|_| settled);

        // what the event wrote
        if let Some(effect) = effect {
            let words = &mut self.words[usize::from(effect.taken.flow) / self.engines];
            words.sender = effect.after;
            words.pacing = effect.pacing.unwrap_or(words.pacing);
            words.cap = effect.cap.unwrap_or(words.cap);
            if effect.clears() {
                *words = Words {
                    back: words.back,
                    ..Words::cleared()
                };
            }
        }
        if let Some((flow, sum)) = std::mem::replace(&mut self.adjusts, adjust) {
            self.words[usize::from(flow) / self.engines].adjust = sum;
        }
        if let Some((group, level)) = s.level {
            self.levels[usize::from(group)] = level;
        }

        self.crowded = self.woken.out.is_some() || self.rows.offer().is_some();
        self.rows.clock(enters, s.registers.tick(), rows_taken, s.reset);
        self.woken.clock(woken, open, s.reset);
        self.grants.clock(granted, taken, s.reset);
        self.line.rotate_right(1);
        self.line[0] = begun;
        self.settle = self.settle.saturating_sub(1);
        if s.reset {
            self.settle = SETTLE;
        }
    }

    /// The flow that an event of sixteen clocks ago brings back.
    fn wake(&mut self, effect: Option<&Effect>, settled: bool) -> Option<Place> {
        let wake = effect.map(|effect| Wake {
            index: usize::from(effect.taken.flow) / self.engines,
            flow: effect.taken.flow,
            wakes: effect.outcome.wake,
            clears: effect.clears(),
            out: false,
        });
        let looks = self.early.pass(wake).map(|wake| Wake {
            out: self.words[wake.index].state.parked,
            ..wake
        });
        let wake = self.late.pass(looks)?;
        let back = &mut self.words[wake.index].back;
        let comes = wake.wakes && wake.out == *back && settled;
        if wake.clears {
            *back = false;
        } else if comes {
            *back = !wake.out;
        }
        comes.then_some(Place {
            index: wake.index,
            flow: wake.flow,
            tag: 0,
        })
    }

    /// What visits under way see in this clock.
    fn look(&mut self, s: &Surroundings) {
        if let Some(under) = &mut self.line[0] {
            let words = &self.words[under.place.index];
            under.state = words.state;
            under.sender = SenderState {
                adjust: words.adjust,
                ..words.sender
            };
        }
        if let Some(under) = &mut self.line[1] {
            under.level = self.levels[usize::from(under.cap.group)];
        }
        if let Some(under) = &mut self.line[2] {
            (under.tick, under.overhead) = (s.registers.tick(), s.registers.words.overhead);
        }
        if let Some(under) = &mut self.line[3] {
            under.random = s.random;
        }
        if let Some(under) = &mut self.line[5] {
            under.crowded = self.crowded;
        }
        if let Some(under) = &mut self.line[6] {
            under.dithers = s.registers.limits.dither;
            under.paused = s.held >> under.sender.priority & 1 == 1;
        }
        if let Some(under) = &mut self.line[7] {
            let registers = SchedRegisters {
                overhead: under.overhead,
                ..s.registers.words
            };
            let sender = &under.sender;
            let pacing = under.pacing.limited(&under.cap, &under.level, sender.mtu, &registers);
            let moment = Moment {
                now: under.tick,
                paused: under.paused,
                crowded: under.crowded,
                random: under.dithers.then_some(under.random),
            };
            let visit = visit_at(sender, &pacing, &under.state, &moment, &registers);
            under.visit = Some((pacing, visit));
        }
    }
}

/// The row in which a flow waits: surely no longer than until a packet of it may leave.
pub fn row(rate: u64, mtu: u8, credit: i64, held: bool) -> u32 {
    if held || rate == 0 {
        return 4;
    }
    let missing = (i64::from(mtu_bytes(mtu)) - (credit >> CREDIT_FRACTION).max(0)).max(0);
    // at least so many bytes, from a few powers of two
    let least = [4096, 2048, 1024, 512, 128, 8]
        .into_iter()
        .find(|least| missing >= *least);
    let Some(least) = least else { return 0 };
    // that many bytes at less than 2^-(27 - bits) bytes a ns, in ticks of 8 ns
    let bits = u64::BITS - rate.leading_zeros();
    let ticks = i64::from(i64::ilog2(least)) + 27 - i64::from(bits) - 3;
    match ticks {
        ..=3 => 0,
        4 => 1,
        5 => 2,
        6..=16 => (ticks - 3) as u32,
        _ => 15,
    }
}
