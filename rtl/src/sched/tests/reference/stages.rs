//! Stages between blocks: delays, queues, grants on their way to the exit.

use hpcc_models::sched::Grant;
use std::collections::VecDeque;

/// A value some clocks later.
pub struct Later<T> {
    values: VecDeque<T>,
}

impl<T: Default> Later<T> {
    pub fn new(clocks: usize) -> Self {
        Self {
            values: (0..clocks).map(|_| T::default()).collect(),
        }
    }

    /// Once a clock: takes the value of this clock, gives that of so many clocks ago.
    pub fn pass(&mut self, now: T) -> T {
        self.values.push_back(now);
        self.values.pop_front().unwrap_or_default()
    }
}

/// A queue in block RAM: what comes is at its output three clocks later at the earliest.
pub struct Queue<T> {
    places: usize,
    mark: usize,
    waiting: VecDeque<T>,
    word: Option<T>,
    /// At the output.
    pub out: Option<T>,
    /// There is a free place.
    pub ready: bool,
    /// The RAM held `mark` items a clock ago.
    pub crowded: bool,
}

impl<T> Queue<T> {
    pub fn new(places: usize, mark: usize) -> Self {
        Self {
            places,
            mark,
            waiting: VecDeque::new(),
            word: None,
            out: None,
            ready: false,
            crowded: false,
        }
    }

    /// Ends a clock in which `item` came and, if `taken`, the output was taken.
    pub fn clock(&mut self, item: Option<T>, taken: bool, reset: bool) {
        let item = item.filter(|_| self.ready);
        self.crowded = self.waiting.len() >= self.mark;
        if taken || self.out.is_none() {
            self.out = self.word.take();
        }
        if self.word.is_none() {
            self.word = self.waiting.pop_front();
        }
        self.waiting.extend(item);
        if reset {
            *self = Self::new(self.places, self.mark);
        }
        self.ready = !reset && self.waiting.len() < self.places;
    }
}

/// A grant with its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    pub grant: Grant,
    pub flow: u16,
    pub generation: u8,
    pub priority: u8,
    pub tag: u8,
}

/// A register with a second one behind it, for what is on its way when the receiver stops.
#[derive(Default)]
pub struct Skid {
    held: VecDeque<Granted>,
    pub ready: bool,
}

impl Skid {
    pub fn out(&self) -> Option<Granted> {
        self.held.front().copied()
    }

    pub fn clock(&mut self, item: Option<Granted>, taken: bool, reset: bool) {
        let item = item.filter(|_| self.ready);
        if taken {
            self.held.pop_front();
        }
        self.held.extend(item);
        if reset {
            self.held.clear();
        }
        self.ready = !reset && self.held.len() < 2;
    }
}

/// Joins the grants of one engine with those of all behind it.
#[derive(Default)]
pub struct Joint {
    pub out: Skid,
    own_turn: bool,
}

impl Joint {
    /// Whether the engine's own grant goes first: the lower service tag, and by turns if they are equal.
    pub fn own_first(&self, chain: Option<Granted>, own: Option<Granted>) -> bool {
        match (chain, own) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(chain), Some(own)) => match chain.tag.wrapping_sub(own.tag) & 63 {
                0 => self.own_turn,
                lead => lead < 32,
            },
        }
    }

    pub fn clock(&mut self, chain: Option<Granted>, own: Option<Granted>, taken: bool, reset: bool) {
        let own_first = self.own_first(chain, own);
        if self.out.ready && chain.is_some() && own.is_some() {
            self.own_turn = !own_first;
        }
        self.own_turn &= !reset;
        self.out.clock(if own_first { own } else { chain }, taken, reset);
    }
}

/// The packets of a grant, one after the other.
#[derive(Default)]
pub struct Packets {
    granted: Option<Granted>,
    sent: u32,
}

/// A packet on offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    pub flow: u16,
    pub generation: u8,
    pub psn: u32,
    pub kind: u64,
}

impl Packets {
    fn left(&self) -> u32 {
        self.granted.map_or(0, |granted| granted.grant.count - self.sent)
    }

    /// Service tag of the last grant.
    pub fn tag(&self) -> u8 {
        self.granted.map_or(0, |granted| granted.tag)
    }

    pub fn offer(&self) -> Option<Packet> {
        let Granted {
            grant,
            flow,
            generation,
            ..
        } = self.granted.filter(|_| self.left() > 0)?;
        let rewound = self.sent == 0 && grant.rewound;
        let asks = rewound || (self.left() == 1 && grant.fills);
        let repeated = self.sent < grant.repeats;
        Some(Packet {
            flow,
            generation,
            psn: hpcc_models::sched::psn::add(grant.psn, self.sent),
            kind: u64::from(rewound) << 2 | u64::from(asks) << 1 | u64::from(repeated),
        })
    }

    /// Whether a grant is taken in this clock.
    pub fn takes(&self, send_ready: bool) -> bool {
        self.left() == 0 || (self.left() == 1 && send_ready)
    }

    pub fn clock(&mut self, granted: Option<Granted>, send_ready: bool, reset: bool) {
        let takes = self.takes(send_ready);
        if self.left() > 0 && send_ready {
            self.sent += 1;
        }
        if let (true, Some(granted)) = (takes, granted) {
            (self.granted, self.sent) = (Some(granted), 0);
        }
        if reset {
            *self = Self::default();
        }
    }
}
