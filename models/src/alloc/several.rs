//! Algorithm 2: max-min shares at several bottlenecks, by repeated use of Algorithm 1.
//!
//! The listing of the paper does not say which flows and which capacity Algorithm 1 gets in the second round. Read as in
//! [`one_flow_a_round`] it is max-min; executed exactly as printed ([`as_printed`]) it is not, and is kept for the test that says so.

use num_traits::{FromPrimitive, Num};

use super::single;

/// A graph for any kind of number: capacity of each bottleneck, demand and path of each flow.
pub struct Problem<'a, T> {
    /// Capacity of each bottleneck.
    pub capacities: &'a [T],
    /// Demand of each flow; `None`: infinite.
    pub demands: &'a [Option<T>],
    /// Path of each flow: bottlenecks.
    pub paths: &'a [Vec<usize>],
}

impl<T> Problem<'_, T> {
    fn crossing(&self) -> Vec<Vec<usize>> {
        let mut crossing = vec![Vec::new(); self.capacities.len()];
        for (flow, path) in self.paths.iter().enumerate() {
            for &bottleneck in path {
                crossing[bottleneck].push(flow);
            }
        }
        crossing
    }
}

/// Weights of the edges of unfixed flows: (weight, bottleneck, flow), each from Algorithm 1 on what the fixed flows leave.
fn weights<T: Num + FromPrimitive + Ord + Clone>(
    problem: &Problem<T>,
    crossing: &[Vec<usize>],
    shares: &[Option<T>],
) -> Vec<(T, usize, usize)> {
    let mut weights = Vec::new();
    for (bottleneck, on) in crossing.iter().enumerate() {
        let fixed = on.iter().filter_map(|&f| shares[f].clone());
        let left = problem.capacities[bottleneck].clone() - fixed.fold(T::zero(), |sum, s| sum + s);
        let unfixed: Vec<usize> = on.iter().copied().filter(|&f| shares[f].is_none()).collect();
        let demands: Vec<Option<T>> = unfixed.iter().map(|&f| problem.demands[f].clone()).collect();
        let allocated = single::allocate(left, &demands);
        weights.extend(
            allocated
                .into_iter()
                .zip(unfixed)
                .map(|(w, flow)| (w, bottleneck, flow)),
        );
    }
    weights
}

/// Algorithm 2 with its gaps filled: in each round Algorithm 1 runs on every bottleneck over its unfixed flows and what the fixed ones
/// leave; the flow with the smallest weight, ties to the lowest number, is fixed. What it had at other bottlenecks is free again because
/// they are shared out anew.
pub fn one_flow_a_round<T: Num + FromPrimitive + Ord + Clone>(problem: &Problem<T>) -> Vec<T> {
    rounds(problem, |_, _| false)
}

/// The same, but all flows with the smallest weight are fixed in one round: at most as many rounds as bottlenecks and distinct demands.
pub fn all_equal_a_round<T: Num + FromPrimitive + Ord + Clone>(problem: &Problem<T>) -> Vec<T> {
    rounds(problem, |weight, least| weight == least)
}

fn rounds<T: Num + FromPrimitive + Ord + Clone>(problem: &Problem<T>, also: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let crossing = problem.crossing();
    let mut shares: Vec<Option<T>> = vec![None; problem.demands.len()];
    loop {
        let weights = weights(problem, &crossing, &shares);
        let Some((least, _, first)) = weights.iter().min_by(|a, b| (&a.0, a.2).cmp(&(&b.0, b.2))) else {
            break;
        };
        shares[*first] = Some(least.clone());
        for (weight, _, flow) in weights.iter().filter(|(w, ..)| also(w, least)) {
            shares[*flow] = Some(weight.clone());
        }
    }
    shares.into_iter().map(|s| s.unwrap_or_else(T::zero)).collect()
}

/// The listing executed as printed: Algorithm 1 runs on all flows of every bottleneck whose capacity is not yet used up, subtracts from
/// that capacity, and overwrites earlier weights. Not max-min in general.
pub fn as_printed<T: Num + FromPrimitive + Ord + Clone>(problem: &Problem<T>) -> Vec<T> {
    let crossing = problem.crossing();
    let mut capacities = problem.capacities.to_vec();
    let mut weights: Vec<Vec<T>> = crossing.iter().map(|on| vec![T::zero(); on.len()]).collect();
    let mut shares: Vec<Option<T>> = vec![None; problem.demands.len()];
    while shares.iter().any(Option::is_none) {
        for (bottleneck, on) in crossing.iter().enumerate() {
            if capacities[bottleneck].is_zero() {
                continue;
            }
            let demands: Vec<Option<T>> = on.iter().map(|&f| problem.demands[f].clone()).collect();
            weights[bottleneck] = single::allocate(capacities[bottleneck].clone(), &demands);
            for weight in &weights[bottleneck] {
                capacities[bottleneck] = capacities[bottleneck].clone() - weight.clone();
            }
        }
        let mut least: Option<(T, usize)> = None;
        for (on, weights) in crossing.iter().zip(&weights) {
            for (&flow, weight) in on.iter().zip(weights) {
                let better = |(w, f): &(T, usize)| (weight, flow) < (w, *f);
                if shares[flow].is_none() && least.as_ref().is_none_or(better) {
                    least = Some((weight.clone(), flow));
                }
            }
        }
        let Some((share, flow)) = least else { break };
        for (bottleneck, (on, weights)) in crossing.iter().zip(&weights).enumerate() {
            if let Some(at) = on.iter().position(|&f| f == flow) {
                let residual = weights[at].clone() - share.clone();
                capacities[bottleneck] = capacities[bottleneck].clone() + residual;
            }
        }
        shares[flow] = Some(share);
    }
    shares.into_iter().map(|s| s.unwrap_or_else(T::zero)).collect()
}
