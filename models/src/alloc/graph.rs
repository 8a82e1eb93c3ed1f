//! The bottleneck-flow graph of section III-A: which flow crosses which bottleneck.

use thiserror::Error;

/// A flow: what it asks for and the bottlenecks it crosses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Most it can use, bit/s; [`super::INFINITE`]: no limit.
    pub demand: u64,
    /// Bottlenecks on its path, each once, in any order.
    pub path: Vec<usize>,
}

/// A checked bottleneck-flow graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    capacities: Vec<u64>,
    flows: Vec<Flow>,
    /// Flows of each bottleneck, ascending.
    crossing: Vec<Vec<usize>>,
}

/// Why a graph is none. Positions count from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GraphError {
    /// A flow that nothing limits has no share.
    #[error("flows[{flow}].path: expected at least one bottleneck")]
    EmptyPath {
        /// Which flow.
        flow: usize,
    },
    /// A bottleneck that does not exist.
    #[error("flows[{flow}].path[{hop}]: expected a bottleneck below {bottlenecks}, got {got}")]
    NoSuchBottleneck {
        /// Which flow.
        flow: usize,
        /// Place on its path.
        hop: usize,
        /// Bottlenecks there are.
        bottlenecks: usize,
        /// What stands there.
        got: usize,
    },
    /// A flow crosses a bottleneck once.
    #[error("flows[{flow}].path[{hop}]: expected each bottleneck once, got {got} again")]
    Twice {
        /// Which flow.
        flow: usize,
        /// Place of the second mention.
        hop: usize,
        /// The bottleneck.
        got: usize,
    },
}

impl Graph {
    /// Checks every path. Capacities and finite demands may be anything from 0 to `u64::MAX - 1` bit/s.
    pub fn new(capacities: Vec<u64>, flows: Vec<Flow>) -> Result<Self, GraphError> {
        let mut crossing = vec![Vec::new(); capacities.len()];
        for (flow, Flow { path, .. }) in flows.iter().enumerate() {
            if path.is_empty() {
                return Err(GraphError::EmptyPath { flow });
            }
            for (hop, &got) in path.iter().enumerate() {
                let Some(on) = crossing.get_mut(got) else {
                    return Err(GraphError::NoSuchBottleneck {
                        flow,
                        hop,
                        bottlenecks: capacities.len(),
                        got,
                    });
                };
                if on.last() == Some(&flow) {
                    return Err(GraphError::Twice { flow, hop, got });
                }
                on.push(flow);
            }
        }
        Ok(Self {
            capacities,
            flows,
            crossing,
        })
    }

    /// Capacity of each bottleneck, bit/s.
    pub fn capacities(&self) -> &[u64] {
        &self.capacities
    }

    /// The flows.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Flows that cross a bottleneck, ascending.
    pub fn crossing(&self, bottleneck: usize) -> &[usize] {
        &self.crossing[bottleneck]
    }

    /// Sets a demand, bit/s.
    pub(super) fn set_demand(&mut self, flow: usize, demand: u64) {
        self.flows[flow].demand = demand;
    }

    /// Sets a capacity, bit/s.
    pub(super) fn set_capacity(&mut self, bottleneck: usize, capacity: u64) {
        self.capacities[bottleneck] = capacity;
    }
}
