//! What each operation of a rank still waits for.

use super::Operation;

/// The operations of one rank, as far as they have come.
pub(super) struct Progress {
    waits: Vec<usize>,
    /// For each operation those that wait for its start, and those that wait for its end.
    after_start: Vec<Vec<usize>>,
    after_end: Vec<Vec<usize>>,
    started: Vec<bool>,
    done: Vec<bool>,
    /// Operations that became ready since `take_ready`, in the order in which the last of what they wait for came.
    ready: Vec<usize>,
}

impl Progress {
    /// Nothing has started.
    pub(super) fn new(operations: &[Operation]) -> Self {
        let none = || vec![Vec::new(); operations.len()];
        let (mut after_start, mut after_end) = (none(), none());
        for (later, op) in operations.iter().enumerate() {
            op.irequires
                .iter()
                .for_each(|&earlier| after_start[earlier].push(later));
            op.requires.iter().for_each(|&earlier| after_end[earlier].push(later));
        }
        let waits: Vec<usize> = operations
            .iter()
            .map(|op| op.requires.len() + op.irequires.len())
            .collect();
        Progress {
            ready: (0..operations.len()).filter(|&at| waits[at] == 0).collect(),
            waits,
            after_start,
            after_end,
            started: vec![false; operations.len()],
            done: vec![false; operations.len()],
        }
    }

    fn release(&mut self, later: &[usize]) {
        for &later in later {
            self.waits[later] -= 1;
            if self.waits[later] == 0 {
                self.ready.push(later);
            }
        }
    }

    /// An operation has started.
    pub(super) fn start(&mut self, operation: usize) {
        if !std::mem::replace(&mut self.started[operation], true) {
            let later = std::mem::take(&mut self.after_start[operation]);
            self.release(&later);
        }
    }

    /// An operation is done; what was done before stays so.
    pub(super) fn end(&mut self, operation: usize) {
        if !std::mem::replace(&mut self.done[operation], true) {
            let later = std::mem::take(&mut self.after_end[operation]);
            self.release(&later);
        }
    }

    /// The operations that became ready, sends before receives before computations.
    pub(super) fn take_ready(&mut self, operations: &[Operation]) -> Vec<usize> {
        let mut ready = std::mem::take(&mut self.ready);
        ready.sort_by_key(|&at| operations[at].kind.turn());
        ready
    }

    /// The first operation that is not done.
    pub(super) fn unfinished(&self) -> Option<usize> {
        self.done.iter().position(|done| !done)
    }
}
