//! Progressive filling in fractions of whole numbers, as plain as it can be: the oracle of every other test.

use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::Zero;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::alloc::{Flow, Graph, INFINITE};

/// Exact rate.
pub type Exact = Ratio<BigInt>;

/// An exact rate from a whole one.
pub fn whole(rate: u64) -> Exact {
    Exact::from(BigInt::from(rate))
}

/// A rate rounded down.
pub fn floor(rate: &Exact) -> u64 {
    u64::try_from(rate.floor().to_integer()).expect("a share is a u64")
}

/// Raises all unfrozen rates together until one meets its demand or a bottleneck is full, freezes what must stop, and goes on.
pub fn fill(graph: &Graph) -> Vec<Exact> {
    let flows = graph.flows();
    let mut rate = vec![Exact::zero(); flows.len()];
    let mut frozen = vec![false; flows.len()];
    while frozen.iter().any(|f| !f) {
        let room = |b: usize, rate: &[Exact]| {
            let used = graph.crossing(b).iter().fold(Exact::zero(), |sum, &f| sum + &rate[f]);
            whole(graph.capacities()[b]) - used
        };
        let rising = |b: usize| graph.crossing(b).iter().filter(|&&f| !frozen[f]).count();
        let by_bottleneck = (0..graph.capacities().len())
            .filter(|&b| rising(b) > 0)
            .map(|b| room(b, &rate) / Exact::from(BigInt::from(rising(b))));
        let by_demand = (0..flows.len())
            .filter(|&f| !frozen[f] && flows[f].demand != INFINITE)
            .map(|f| whole(flows[f].demand) - &rate[f]);
        let step = by_bottleneck
            .chain(by_demand)
            .min()
            .expect("a rising flow has a bottleneck");
        for f in 0..flows.len() {
            if !frozen[f] {
                rate[f] += &step;
            }
        }
        let full: Vec<bool> = (0..graph.capacities().len())
            .map(|b| room(b, &rate).is_zero())
            .collect();
        for f in 0..flows.len() {
            let met = flows[f].demand != INFINITE && rate[f] == whole(flows[f].demand);
            frozen[f] |= met || flows[f].path.iter().any(|&b| full[b]);
        }
    }
    rate
}

/// The definition of max-min (section III-A): feasible, and every flow below its demand has a full bottleneck on its path where no flow
/// has more. It needs no second algorithm.
pub fn is_max_min(graph: &Graph, rate: &[Exact]) -> bool {
    let full = |b: usize| {
        let used = graph.crossing(b).iter().fold(Exact::zero(), |sum, &f| sum + &rate[f]);
        whole(graph.capacities()[b]).cmp(&used)
    };
    let feasible = (0..graph.capacities().len()).all(|b| full(b).is_ge());
    feasible
        && graph.flows().iter().zip(rate).all(|(flow, mine)| {
            let demand = whole(flow.demand);
            let limited = |&b: &usize| full(b).is_eq() && graph.crossing(b).iter().all(|&f| rate[f] <= *mine);
            *mine <= demand && (*mine == demand || flow.path.iter().any(limited))
        })
}

/// A random graph of up to `bottlenecks` and `flows`, with small numbers often, so that ties, zeros and full links occur.
pub fn random_graph(rng: &mut ChaCha8Rng, bottlenecks: usize, flows: usize) -> Graph {
    let bottlenecks = rng.random_range(1..=bottlenecks);
    let flows = rng.random_range(1..=flows);
    let most: u64 = *[3, 12, 1000, 50_000_000_000]
        .get(rng.random_range(0..4))
        .expect("one of four");
    let capacities = (0..bottlenecks).map(|_| rng.random_range(0..=most)).collect();
    let flow = |_| {
        let hops = rng.random_range(1..=bottlenecks.min(4));
        let mut path = Vec::new();
        while path.len() < hops {
            let next = rng.random_range(0..bottlenecks);
            if !path.contains(&next) {
                path.push(next);
            }
        }
        let demand = match rng.random_range(0..3) {
            0 => INFINITE,
            1 => rng.random_range(0..=most / 3),
            _ => rng.random_range(0..=most),
        };
        Flow { demand, path }
    };
    Graph::new(capacities, (0..flows).map(flow).collect()).expect("a valid graph")
}
