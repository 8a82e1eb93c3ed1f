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
    /// Which of two goes that were on offer in the clock before, too: the engine's own?
    own_first: Option<bool>,
}

impl Joint {
    /// What goes if there is room: a grant that is alone, or the one of two that was chosen a clock ago.
    pub fn goes(&self, chain: Option<Granted>, own: Option<Granted>) -> (bool, bool) {
        match (chain, own) {
            (Some(_), Some(_)) => (self.own_first == Some(false), self.own_first == Some(true)),
            _ => (chain.is_some(), own.is_some()),
        }
    }

    pub fn clock(&mut self, chain: Option<Granted>, own: Option<Granted>, taken: bool, reset: bool) {
        let item = match self.goes(chain, own) {
            (true, _) => chain,
            (_, true) => own,
            _ => None,
        };
        // the lower service tag goes first, and by turns if they are the same
        let first = chain
            .zip(own)
            .map(|(chain, own)| match chain.tag.wrapping_sub(own.tag) & 63 {
                0 => self.own_turn,
                lead => lead < 32,
            });
        let moves = self.out.ready && item.is_some();
        let last = self.own_first.filter(|_| moves && first.is_some());
        self.own_turn = !reset && last.map_or(self.own_turn, |own| !own);
        self.own_first = first.filter(|_| !moves && !reset);
        self.out.clock(item, taken, reset);
    }
}

/// A grant in service.
#[derive(Clone, Copy)]
struct Service {
    granted: Granted,
    sent: u32,
}

impl Service {
    fn left(&self) -> u32 {
        self.granted.grant.count - self.sent
    }
}

/// Packets of up to four grants, in turn.
#[derive(Default)]
pub struct Packets {
    lanes: [Option<Service>; 4],
    /// Whose packet is offered.
    turn: Option<usize>,
    /// Who had the last turn.
    last: usize,
    /// The lane that takes the grant on offer.
    enters: Option<usize>,
    tag: u8,
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
    /// Service tag of the last grant.
    pub fn tag(&self) -> u8 {
        self.tag
    }

    pub fn offer(&self) -> Option<Packet> {
        let service = self.lanes[self.turn?]?;
        let (Granted { grant, .. }, sent) = (service.granted, service.sent);
        let rewound = sent == 0 && grant.rewound;
        let asks = rewound || (service.left() == 1 && grant.fills);
        let repeated = sent < grant.repeats;
        Some(Packet {
            flow: service.granted.flow,
            generation: service.granted.generation,
            psn: hpcc_models::sched::psn::add(grant.psn, sent),
            kind: u64::from(rewound) << 2 | u64::from(asks) << 1 | u64::from(repeated),
        })
    }

    /// Whether a grant is taken in this clock.
    pub fn takes(&self) -> bool {
        self.enters.is_some()
    }

    pub fn clock(&mut self, granted: Option<Granted>, send_ready: bool, reset: bool) {
        let in_service = |flow: u16| self.lanes.iter().flatten().any(|service| service.granted.flow == flow);
        let total: u32 = self.lanes.iter().flatten().map(Service::left).sum();
        let fits = |granted: &Granted| !in_service(granted.flow) && total + granted.grant.count <= 16;
        let fits = self.enters.is_none() && granted.as_ref().is_some_and(fits);
        let served = self.turn.filter(|_| send_ready);
        if let Some(lane) = served {
            self.last = lane;
            self.lanes[lane] = self.lanes[lane].map(|service| Service {
                sent: service.sent + 1,
                ..service
            });
            self.lanes[lane] = self.lanes[lane].filter(|service| service.left() > 0);
        }
        if let (Some(lane), Some(granted)) = (self.enters, granted) {
            self.lanes[lane] = Some(Service { granted, sent: 0 });
            self.tag = granted.tag;
        }
        self.enters = self.lanes.iter().position(Option::is_none).filter(|_| fits);
        if served.is_some() || self.turn.is_none() {
            let order = (self.last + 1..4).chain(0..=self.last);
            self.turn = order.into_iter().find(|lane| self.lanes[*lane].is_some());
        }
        if reset {
            *self = Self::default();
        }
    }
}
