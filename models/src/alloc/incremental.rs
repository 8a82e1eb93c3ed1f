//! Shares kept up to date while demands and capacities change.
//!
//! The paper's rule for increments (text after Algorithm 2) refuses a single flow on a half-empty link and does not say how far a change
//! spreads. Here a change marks its bottlenecks, and the connected component of the marked ones is solved again: what lies outside it
//! shares no bottleneck with it, so its shares cannot change.

use super::{exact, Flow, Graph};

/// One change. A flow is added by raising its demand from 0 and removed by setting it to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A flow asks for something else.
    Demand {
        /// Which flow.
        flow: usize,
        /// New demand, bit/s.
        demand: u64,
    },
    /// A bottleneck has another capacity.
    Capacity {
        /// Which bottleneck.
        bottleneck: usize,
        /// New capacity, bit/s.
        capacity: u64,
    },
}

/// A graph and its shares.
pub struct Incremental {
    graph: Graph,
    shares: Vec<u64>,
}

impl Incremental {
    /// Solves a graph once.
    pub fn new(graph: Graph) -> Self {
        let shares = exact::solve(&graph);
        Self { graph, shares }
    }

    /// Share of each flow, bit/s.
    pub fn shares(&self) -> &[u64] {
        &self.shares
    }

    /// The graph as it is now.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Applies a change and solves the component it lies in. Returns how many flows that were. Flows without demand take part in no
    /// component: they cannot carry a change from one bottleneck to another.
    ///
    /// # Panics
    /// If the flow or the bottleneck does not exist.
    pub fn apply(&mut self, change: Change) -> usize {
        let dirty = match change {
            Change::Demand { flow, demand } => {
                self.graph.set_demand(flow, demand);
                self.shares[flow] = 0;
                self.graph.flows()[flow].path.clone()
            }
            Change::Capacity { bottleneck, capacity } => {
                self.graph.set_capacity(bottleneck, capacity);
                vec![bottleneck]
            }
        };
        let (bottlenecks, flows) = self.component(dirty);
        let capacities = bottlenecks.iter().map(|&b| self.graph.capacities()[b]).collect();
        let mut place = vec![usize::MAX; self.graph.capacities().len()];
        for (at, &bottleneck) in bottlenecks.iter().enumerate() {
            place[bottleneck] = at;
        }
        let part = |&flow: &usize| {
            let Flow { demand, path } = &self.graph.flows()[flow];
            Flow {
                demand: *demand,
                path: path.iter().map(|&b| place[b]).collect(),
            }
        };
        let part = Graph::new(capacities, flows.iter().map(part).collect()).expect("a part of a checked graph");
        for (&flow, share) in flows.iter().zip(exact::solve(&part)) {
            self.shares[flow] = share;
        }
        flows.len()
    }

    /// Bottlenecks and flows reached from `dirty` over flows with a demand.
    fn component(&self, dirty: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
        let mut met_bottleneck = vec![false; self.graph.capacities().len()];
        let mut met_flow = vec![false; self.graph.flows().len()];
        let mut todo = dirty.clone();
        let mut flows = Vec::new();
        let mut bottlenecks = dirty;
        for &bottleneck in &bottlenecks {
            met_bottleneck[bottleneck] = true;
        }
        while let Some(bottleneck) = todo.pop() {
            for &flow in self.graph.crossing(bottleneck) {
                if met_flow[flow] || self.graph.flows()[flow].demand == 0 {
                    continue;
                }
                met_flow[flow] = true;
                flows.push(flow);
                for &next in &self.graph.flows()[flow].path {
                    if !met_bottleneck[next] {
                        met_bottleneck[next] = true;
                        bottlenecks.push(next);
                        todo.push(next);
                    }
                }
            }
        }
        (bottlenecks, flows)
    }
}
