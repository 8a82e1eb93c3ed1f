//! Table of per-flow state, shared by the laws: small flow numbers index a vector as they index a RAM in the hardware,
//! larger ones go to an ordered map so that an odd number costs memory for itself only.

use std::collections::BTreeMap;

/// Flow numbers below this index a vector.
const DENSE: u32 = 1 << 16;

/// Per-flow state together with the generation it belongs to.
#[derive(Clone, Debug)]
pub struct FlowTable<S> {
    dense: Vec<Option<(u8, S)>>,
    sparse: BTreeMap<u32, (u8, S)>,
}

impl<S> Default for FlowTable<S> {
    fn default() -> Self {
        Self {
            dense: Vec::new(),
            sparse: BTreeMap::new(),
        }
    }
}

impl<S> FlowTable<S> {
    /// Starts `flow` under `generation` with `state`, in place of whatever was there.
    pub fn insert(&mut self, flow: u32, generation: u8, state: S) {
        if flow >= DENSE {
            self.sparse.insert(flow, (generation, state));
            return;
        }
        let index = flow as usize;
        if index >= self.dense.len() {
            self.dense.resize_with(index + 1, || None);
        }
        self.dense[index] = Some((generation, state));
    }

    /// Ends `flow`.
    pub fn remove(&mut self, flow: u32) {
        if flow >= DENSE {
            self.sparse.remove(&flow);
        } else if let Some(slot) = self.dense.get_mut(flow as usize) {
            *slot = None;
        }
    }

    /// State of `flow`, whatever its generation.
    pub fn get(&self, flow: u32) -> Option<&S> {
        let slot = if flow >= DENSE {
            self.sparse.get(&flow)
        } else {
            self.dense.get(flow as usize)?.as_ref()
        };
        slot.map(|(_, state)| state)
    }

    /// State of `flow` for change, if it lives and `generation` is its own.
    pub fn get_mut(&mut self, flow: u32, generation: u8) -> Option<&mut S> {
        let slot = if flow >= DENSE {
            self.sparse.get_mut(&flow)
        } else {
            self.dense.get_mut(flow as usize)?.as_mut()
        };
        slot.filter(|(own, _)| *own == generation).map(|(_, state)| state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_small_and_large_numbers_apart_by_generation() {
        let mut table = FlowTable::default();
        for flow in [0, 7, DENSE - 1, DENSE, u32::MAX] {
            table.insert(flow, 3, flow);
            assert_eq!(table.get(flow), Some(&flow));
            assert_eq!(table.get_mut(flow, 3), Some(&mut { flow }));
            assert_eq!(table.get_mut(flow, 2), None);
            table.remove(flow);
            assert_eq!(table.get(flow), None);
        }
        assert_eq!(table.get(1), None);
        table.remove(12345);
    }
}
