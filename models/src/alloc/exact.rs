//! Exact max-min shares of a graph: progressive filling, all rates rising together until each meets its demand or a full bottleneck.
//!
//! The shares of a max-min allocation are fractions whose denominators multiply from bottleneck to bottleneck, so reduced fractions
//! would spend their time in greatest common divisors. Here every level is instead one wide binary fraction, wide enough that it
//! decides every comparison and every rounding as the true fraction would:
//!
//! - a level is (capacity - fixed shares) / unfixed flows, so its denominator divides the product of the bottlenecks' flow counts: it
//!   has at most `D = sum of ceil(log2(flows + 1))` bits, and two different levels are at least `2^-2D` apart;
//! - a bottleneck's error is at most the sum of the errors of those filled before it plus one unit each, so it at most doubles with
//!   every bottleneck: `M` bits for `M` bottlenecks.
//!
//! With `2D + M` bits and some to spare behind the point the result is therefore exact, rounded down once at the end. A graph that
//! would need more than [`MOST_BITS`] gets those; its shares are then within 1 bit/s.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

use super::{Graph, INFINITE};

/// Widest fraction, bits: enough for exact shares of some thousand bottlenecks.
pub const MOST_BITS: u64 = 1 << 16;

/// A bottleneck while flows are being fixed.
struct Filling {
    /// Flows not yet fixed.
    unfixed: u64,
    /// Shares fixed at whole demands, bit/s.
    whole: u128,
    /// Shares fixed at levels, in units of the fraction.
    levels: BigUint,
    /// Counts the changes, so that an old level is known as such.
    version: u64,
}

/// A level that a bottleneck had; levels only rise, so an old one is a lower bound. Ordered by the level.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Level {
    level: BigUint,
    bottleneck: usize,
    version: u64,
}

/// What a flow was fixed at.
#[derive(Clone)]
enum Fixed {
    No,
    Whole(u64),
    /// Number of the level.
    Level(usize),
}

/// Max-min share of every flow, bit/s, rounded down.
pub fn solve(graph: &Graph) -> Vec<u64> {
    Solver::new(graph).run()
}

struct Solver<'a> {
    graph: &'a Graph,
    /// Bits behind the point.
    bits: u64,
    /// Added before rounding down: less than the distance of two different shares, more than the error.
    half_step: BigUint,
    fillings: Vec<Filling>,
    heap: BinaryHeap<Reverse<Level>>,
    fixed: Vec<Fixed>,
    /// Whole part of each level met, rounded down.
    floors: Vec<u64>,
}

impl<'a> Solver<'a> {
    fn new(graph: &'a Graph) -> Self {
        let counts: Vec<u64> = (0..graph.capacities().len())
            .map(|b| graph.crossing(b).len() as u64)
            .collect();
        let denominator: u64 = counts.iter().map(|&n| 64 - u64::from(n.leading_zeros())).sum();
        let wanted = 2 * denominator + counts.len() as u64 + 128;
        let bits = wanted.min(MOST_BITS);
        let half_step = BigUint::one() << (bits - (denominator + 1).min(bits / 2));
        let fillings = counts
            .iter()
            .map(|&unfixed| Filling {
                unfixed,
                whole: 0,
                levels: BigUint::zero(),
                version: 0,
            })
            .collect();
        let mut solver = Self {
            graph,
            bits,
            half_step,
            fillings,
            heap: BinaryHeap::new(),
            fixed: vec![Fixed::No; graph.flows().len()],
            floors: Vec::new(),
        };
        for bottleneck in 0..counts.len() {
            solver.push(bottleneck);
        }
        solver
    }

    /// Puts a bottleneck's present level into the heap, if it has a flow left to fix.
    fn push(&mut self, bottleneck: usize) {
        let filling = &self.fillings[bottleneck];
        if filling.unfixed == 0 {
            return;
        }
        let capacity = u128::from(self.graph.capacities()[bottleneck]);
        let left = BigUint::from(capacity.saturating_sub(filling.whole)) << self.bits;
        let left = if left > filling.levels {
            left - &filling.levels
        } else {
            BigUint::zero()
        };
        self.heap.push(Reverse(Level {
            level: left / filling.unfixed,
            bottleneck,
            version: filling.version,
        }));
    }

    fn run(mut self) -> Vec<u64> {
        let mut rising: Vec<usize> = (0..self.fixed.len())
            .filter(|&f| self.graph.flows()[f].demand != INFINITE)
            .collect();
        rising.sort_by_key(|&f| Reverse(self.graph.flows()[f].demand));
        while let Some(Reverse(top)) = self.heap.peek() {
            let demand = rising.last().map(|&f| self.graph.flows()[f].demand);
            // An old level is too low at most, so a demand below it is below the present one.
            if demand.is_some_and(|d| (&top.level >> self.bits) >= BigUint::from(d)) {
                let flow = rising.pop().expect("a demand has a flow");
                if matches!(self.fixed[flow], Fixed::No) {
                    self.fix_at_demand(flow);
                }
                continue;
            }
            let Some(Reverse(top)) = self.heap.pop() else {
                break;
            };
            if top.version == self.fillings[top.bottleneck].version {
                self.fix_at_level(top);
            } else {
                self.push(top.bottleneck);
            }
        }
        let share = |fixed: &Fixed| match fixed {
            Fixed::No => 0,
            Fixed::Whole(rate) => *rate,
            Fixed::Level(number) => self.floors[*number],
        };
        self.fixed.iter().map(share).collect()
    }

    fn fix_at_demand(&mut self, flow: usize) {
        let demand = self.graph.flows()[flow].demand;
        self.fixed[flow] = Fixed::Whole(demand);
        for &bottleneck in &self.graph.flows()[flow].path {
            let filling = &mut self.fillings[bottleneck];
            filling.unfixed -= 1;
            filling.whole += u128::from(demand);
            filling.version += 1;
        }
    }

    /// A bottleneck is full: its unfixed flows get its level.
    fn fix_at_level(&mut self, full: Level) {
        let floor = (&full.level + &self.half_step) >> self.bits;
        let number = self.floors.len();
        self.floors.push(floor.to_u64().unwrap_or(INFINITE));
        let mut met: Vec<usize> = Vec::new();
        for &flow in self.graph.crossing(full.bottleneck) {
            if matches!(self.fixed[flow], Fixed::No) {
                self.fixed[flow] = Fixed::Level(number);
                met.extend(&self.graph.flows()[flow].path);
            }
        }
        met.sort_unstable();
        for run in met.chunk_by(|a, b| a == b) {
            let filling = &mut self.fillings[run[0]];
            filling.unfixed -= run.len() as u64;
            filling.version += 1;
            if filling.unfixed > 0 {
                filling.levels += &full.level * run.len();
            }
        }
    }
}
