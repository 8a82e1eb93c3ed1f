//! A second oracle by another method: linear programming. Maximise the least rate, fix the flows that cannot have more, repeat.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::oracle::{whole, Exact};
use crate::alloc::{Graph, INFINITE};

/// Maximises `objective . x` over `x >= 0`, `rows . x <= limits` with limits >= 0: the simplex method with Bland's rule, in fractions.
fn maximise(objective: &[Exact], rows: &[Vec<Exact>], limits: &[Exact]) -> Exact {
    let (n, m) = (objective.len(), rows.len());
    // Columns: variables, slacks, limit. The last row is the objective, negated.
    let mut table: Vec<Vec<Exact>> = (0..m)
        .map(|i| {
            let slack = (0..m).map(|j| if i == j { Exact::one() } else { Exact::zero() });
            rows[i]
                .iter()
                .cloned()
                .chain(slack)
                .chain([limits[i].clone()])
                .collect()
        })
        .collect();
    let negated = objective.iter().map(|c| -c.clone());
    table.push(negated.chain((0..=m).map(|_| Exact::zero())).collect());
    let mut basis: Vec<usize> = (n..n + m).collect();
    while let Some(enter) = (0..n + m).find(|&j| table[m][j] < Exact::zero()) {
        let ratio = |i: usize| &table[i][n + m] / &table[i][enter];
        let candidates = (0..m).filter(|&i| table[i][enter] > Exact::zero());
        let leave = candidates
            .min_by(|&a, &b| ratio(a).cmp(&ratio(b)).then(basis[a].cmp(&basis[b])))
            .expect("rates are bounded");
        let pivot = table[leave][enter].clone();
        for value in &mut table[leave] {
            *value /= &pivot;
        }
        let row = table[leave].clone();
        for (_, other) in table.iter_mut().enumerate().filter(|&(i, _)| i != leave) {
            let factor = other[enter].clone();
            if !factor.is_zero() {
                for (value, part) in other.iter_mut().zip(&row) {
                    *value -= &factor * part;
                }
            }
        }
        basis[leave] = enter;
    }
    table[m][n + m].clone()
}

/// Largest value of `weights . rates` (variables: a common addition `t`, then each flow's rate above its floor).
fn best(graph: &Graph, floor: &[Exact], free: &[bool], objective: &[Exact]) -> Exact {
    let n = graph.flows().len();
    let mut rows = Vec::new();
    let mut limits = Vec::new();
    // A free flow's rate is its floor + t + its own addition; a fixed one's is its floor.
    for b in 0..graph.capacities().len() {
        let mut row = vec![Exact::zero(); n + 1];
        let mut limit = whole(graph.capacities()[b]);
        for &f in graph.crossing(b) {
            limit -= &floor[f];
            if free[f] {
                row[0] += Exact::one();
                row[f + 1] = Exact::one();
            }
        }
        rows.push(row);
        limits.push(limit);
    }
    for (f, flow) in graph.flows().iter().enumerate() {
        let mut row = vec![Exact::zero(); n + 1];
        row[f + 1] = Exact::one();
        if free[f] && flow.demand != INFINITE {
            row[0] = Exact::one();
            rows.push(row);
            limits.push(whole(flow.demand) - &floor[f]);
        } else if !free[f] {
            rows.push(row);
            limits.push(Exact::zero());
        }
    }
    if free.iter().all(|f| !f) {
        return Exact::zero();
    }
    maximise(objective, &rows, &limits)
}

/// Max-min rates by linear programs.
pub fn solve(graph: &Graph) -> Vec<Exact> {
    let n = graph.flows().len();
    let mut floor = vec![Exact::zero(); n];
    let mut free = vec![true; n];
    while free.contains(&true) {
        let pick = |at: usize| {
            let mut objective = vec![Exact::zero(); n + 1];
            objective[at] = Exact::from(BigInt::one());
            objective
        };
        let step = best(graph, &floor, &free, &pick(0));
        for f in (0..n).filter(|&f| free[f]) {
            floor[f] += &step;
        }
        // With every free flow at the new floor, those that cannot rise alone are fixed.
        let stuck: Vec<usize> = (0..n)
            .filter(|&f| free[f] && best(graph, &floor, &free, &pick(f + 1)).is_zero())
            .collect();
        assert!(!stuck.is_empty(), "some flow is limited at every step");
        for f in stuck {
            free[f] = false;
        }
    }
    floor
}
