//! Where flows wait: rows of fixed delays, the shortest one that has a flow due first.

use super::stages::Queue;

/// A flow by its numbers, with the service tag of its last grant, plus one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub index: usize,
    pub flow: u16,
    pub tag: u8,
}

struct Row {
    queue: Queue<(Place, u32)>,
    /// The flow at the head has waited long enough.
    due: bool,
    /// Ticks.
    delay: u32,
}

pub struct Rows {
    rows: Vec<Row>,
    /// Flows taken, modulo 16: the row of this number goes first.
    turn: usize,
}

impl Rows {
    pub fn new(rows: usize, flows: usize) -> Self {
        let row = |number| Row {
            queue: Queue::new(flows, 1),
            due: false,
            delay: match number {
                0 => 0,
                1 => 4,
                _ => 4 << number,
            },
        };
        Self {
            rows: (0..rows).map(row).collect(),
            turn: 0,
        }
    }

    fn first(&self) -> Option<usize> {
        let present = |number: &usize| {
            let row = &self.rows[*number];
            row.queue.out.is_some() && (row.due || *number == 0)
        };
        let of_turn = Some(self.turn).filter(|turn| *turn < self.rows.len() && present(turn));
        of_turn.or_else(|| (0..self.rows.len()).find(present))
    }

    /// The flow that goes first.
    pub fn offer(&self) -> Option<Place> {
        self.rows[self.first()?].queue.out.map(|(place, _)| place)
    }

    /// A flow comes, with its row; the one that goes first is taken.
    pub fn clock(&mut self, enters: Option<(Place, u32)>, tick: u32, taken: bool, reset: bool) {
        let first = self.first().filter(|_| taken);
        let last = self.rows.len() as u32 - 1;
        for (number, row) in (0..).zip(&mut self.rows) {
            let goes = first == Some(number as usize);
            let waited = row.queue.out.map(|(_, since)| tick.wrapping_sub(since) & 0xf_ffff);
            row.due = waited.is_some_and(|waited| row.due || waited >= row.delay) && !goes;
            let item = enters.filter(|(_, wanted)| last.min(*wanted) == number);
            row.queue.clock(item.map(|(place, _)| (place, tick)), goes, reset);
        }
        self.turn = (self.turn + usize::from(first.is_some())) % 16;
        if reset {
            self.turn = 0;
        }
    }
}
