//! Grants of paused priorities stand aside.

use super::stages::{Granted, Skid};
use std::collections::VecDeque;

/// Steps: 0 looks, three read.
const OFFER: u8 = 4;
const CHECK: u8 = 5;

#[derive(Default)]
pub struct Park {
    queues: [VecDeque<Granted>; 8],
    /// Priorities with something in their queue, until it is seen to be empty.
    waits: u8,
    pause: u8,
    /// Priorities to which nothing is granted.
    pub held: u8,
    step: u8,
    pick: usize,
    /// The priority below which the next one is looked for first.
    below: u8,
    parked_turn: bool,
    tag: u8,
    pub out: Skid,
}

impl Park {
    fn aside(&self, up: Option<Granted>) -> bool {
        up.is_some_and(|granted| self.held >> granted.priority & 1 == 1)
    }

    fn parked_goes(&self) -> bool {
        self.step == OFFER && self.out.ready && self.parked_turn
    }

    /// Whether what comes is taken.
    pub fn takes(&self, up: Option<Granted>) -> bool {
        self.aside(up) || (self.out.ready && !self.parked_goes())
    }

    pub fn clock(&mut self, up: Option<Granted>, pause: u8, taken: bool, reset: bool) {
        let (aside, goes) = (self.aside(up), self.parked_goes());
        let may = self.waits & !self.pause;
        let first = if may & self.below != 0 { may & self.below } else { may };
        let empty = self.step == CHECK && self.queues[self.pick].is_empty();
        if empty {
            self.waits &= !(1 << self.pick);
        }
        let mut item = None;
        match self.step {
            0 if first != 0 => (self.step, self.pick) = (1, first.ilog2() as usize),
            1..OFFER => self.step += 1,
            OFFER if goes => {
                item = self.queues[self.pick].pop_front().map(|granted| Granted {
                    tag: self.tag,
                    ..granted
                });
                self.parked_turn = false;
                self.step = CHECK;
            }
            CHECK => (self.step, self.below) = (0, (1u8 << self.pick) - 1),
            _ => {}
        }
        match up {
            Some(granted) if aside => {
                self.queues[usize::from(granted.priority)].push_back(granted);
                self.waits |= 1 << granted.priority;
            }
            Some(granted) if self.out.ready && !goes => {
                item = up;
                self.parked_turn = true;
                self.tag = granted.tag;
            }
            _ => {}
        }
        // nothing came that passes: the next one that waited need not wait for it
        self.parked_turn |= up.is_none() || aside;
        self.held = self.waits | pause;
        self.out.clock(item, taken, reset);
        if reset {
            let out = std::mem::take(&mut self.out);
            *self = Self { out, ..Self::default() };
        }
        self.pause = pause;
    }
}
