//! Algorithm 1: max-min shares at one bottleneck, as the paper lists it and as a water level over a map of demands.

use num_traits::{FromPrimitive, Num};

use super::INFINITE;

/// Algorithm 1 line by line, on a copy of the capacity. `None` is an infinite demand. Shares come in the order of the demands; equal
/// demands take their turns by number. With integers division rounds down and the last of several unsatisfied flows gets at most one
/// unit more than the first.
pub fn allocate<T: Num + FromPrimitive + Ord + Clone>(capacity: T, demands: &[Option<T>]) -> Vec<T> {
    let mut order: Vec<usize> = (0..demands.len()).collect();
    order.sort_by(|&a, &b| match (&demands[a], &demands[b]) {
        (Some(x), Some(y)) => x.cmp(y),
        (x, y) => x.is_none().cmp(&y.is_none()),
    });
    let mut left = capacity;
    let mut shares = vec![T::zero(); demands.len()];
    for (y, &flow) in order.iter().enumerate() {
        let turns = T::from_usize(demands.len() - y).expect("a count of flows is a number");
        let fair = left.clone() / turns;
        let share = match &demands[flow] {
            Some(demand) if *demand < fair => demand.clone(),
            _ => fair,
        };
        left = left - share.clone();
        shares[flow] = share;
    }
    shares
}

/// The water level of a bottleneck, bit/s, rounded down: every flow gets the smaller of its demand and this. `entries` are demand and
/// count, ascending by demand. [`INFINITE`] when all demands fit, and for a capacity that is [`INFINITE`] itself.
pub fn water_level(capacity: u64, entries: impl Iterator<Item = (u64, u64)> + Clone) -> u64 {
    if capacity == INFINITE {
        return INFINITE;
    }
    let mut flows: u128 = entries.clone().map(|(_, count)| u128::from(count)).sum();
    let mut left = u128::from(capacity);
    for (demand, count) in entries {
        if flows == 0 {
            break;
        }
        if demand == INFINITE || u128::from(demand) * flows > left {
            return (left / flows) as u64;
        }
        left -= u128::from(demand) * u128::from(count);
        flows -= u128::from(count);
    }
    INFINITE
}

/// What flows get together under a water level, bit/s: the sum of count times the smaller of demand and level.
pub fn total_under(level: u64, entries: impl Iterator<Item = (u64, u64)>) -> u64 {
    let total = entries.fold(0u128, |sum, (demand, count)| {
        sum.saturating_add(u128::from(demand.min(level)) * u128::from(count))
    });
    u64::try_from(total).unwrap_or(INFINITE)
}
