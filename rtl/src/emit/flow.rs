//! Which statements become `assign`, which share an `always_comb`, and what is refused: latches and early reads.

use super::error::Fault;
use super::expr::Place;
use super::reads::Reads;
use super::stmt::Stmt;
use super::types::Type;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Calls `visit` for every assignment and every condition below, in order.
fn walk<'a>(block: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt, &'a Reads)) {
    for stmt in block {
        match stmt {
            Stmt::Assign { value, .. } => visit(stmt, &value.reads),
            Stmt::If(arms) => {
                for arm in arms {
                    if let Some(condition) = &arm.condition {
                        visit(stmt, &condition.reads);
                    }
                    walk(&arm.body, visit);
                }
            }
            Stmt::Case { test, arms } => {
                visit(stmt, &test.reads);
                arms.iter().for_each(|(_, body)| walk(body, visit));
            }
        }
    }
}

/// Everything that the statements read.
pub(super) fn reads(block: &[Stmt]) -> Reads {
    let mut all = Reads::default();
    walk(block, &mut |_, reads| all.merge(reads));
    all
}

/// Signals that the statements write.
pub(super) fn writes(block: &[Stmt]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    walk(block, &mut |stmt, _| {
        if let Stmt::Assign { target, .. } = stmt {
            all.insert(target.clone());
        }
    });
    all
}

/// Removes assignments at the top level that a later whole assignment overrides before anybody reads them: the
/// defaults of `dff_setup!`.
pub(super) fn remove_dead(body: &mut Vec<Stmt>) {
    let mut at = 0;
    while at < body.len() {
        let dead = match &body[at] {
            Stmt::Assign { target, .. } => overridden(target, &body[at + 1..]),
            _ => false,
        };
        if dead {
            body.remove(at);
        } else {
            at += 1;
        }
    }
}

fn overridden(target: &str, later: &[Stmt]) -> bool {
    for stmt in later {
        if reads(std::slice::from_ref(stmt)).contains(target) {
            return false;
        }
        match stmt {
            Stmt::Assign {
                target: other, part, ..
            } if other == target && part.is_empty() => return true,
            _ => {}
        }
    }
    false
}

/// Takes out the assignments that give one of `inputs` nothing but another signal, and returns those signals. What the body itself
/// reads, or assigns more than once, stays.
pub(super) fn take_aliases(body: &mut Vec<Stmt>, inputs: &BTreeSet<String>) -> BTreeMap<String, Place> {
    let read = reads(body);
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for stmt in body.iter() {
        for target in writes(std::slice::from_ref(stmt)) {
            *times.entry(target).or_default() += 1;
        }
    }
    let mut aliases = BTreeMap::new();
    body.retain(|stmt| match stmt {
        Stmt::Assign {
            target,
            part,
            wire: Some(wire),
            ..
        } if inputs.contains(target) && part.is_empty() && times[target] == 1 && !read.contains(target) => {
            aliases.insert(target.clone(), wire.clone());
            false
        }
        _ => true,
    });
    aliases
}

/// Bits of each signal that are assigned for certain.
type Assigned = BTreeMap<String, Vec<bool>>;

/// Refuses signals that some path leaves unassigned and reads of values that are not final.
pub(super) fn check(body: &[Stmt], types: &BTreeMap<String, Type>, settled: &BTreeSet<String>) -> Result<(), Fault> {
    let written = writes(body);
    let mut assigned = Assigned::new();
    definite(body, types, &written, settled, &mut assigned)?;
    for name in &written {
        let whole = assigned.get(name).is_some_and(|bits| bits.iter().all(|bit| *bit));
        if !whole {
            return Err(Fault::Latch(name.clone()));
        }
    }
    // a child's input read by its parent shows the settled value in the simulation, the current one in Verilog
    let mut early = Reads::default();
    let mut fault = None;
    walk(body, &mut |stmt, reads| {
        if let Stmt::Assign { target, bits, .. } = stmt {
            let bits = bits.clone().unwrap_or(0..usize::MAX);
            if early.overlaps(target, &bits) {
                fault.get_or_insert(Fault::ReadEarly(target.clone()));
            }
        }
        for (name, ranges) in reads.iter().filter(|(name, _)| settled.contains(*name)) {
            ranges.iter().for_each(|range| early.add(name, range.clone()));
        }
    });
    fault.map_or(Ok(()), Err)
}

fn definite(
    block: &[Stmt],
    types: &BTreeMap<String, Type>,
    written: &BTreeSet<String>,
    settled: &BTreeSet<String>,
    assigned: &mut Assigned,
) -> Result<(), Fault> {
    // a signal of the block itself shows its last assignment on both sides: every bit that is read must have one
    let check_reads = |reads: &Reads, assigned: &Assigned| {
        let known = |name: &String, range: &Range<usize>| {
            let bits = assigned.get(name).map_or(&[][..], Vec::as_slice);
            bits.get(range.clone()).is_some_and(|bits| bits.iter().all(|bit| *bit))
        };
        let own = |name: &String| written.contains(name) && !settled.contains(name);
        reads
            .iter()
            .find(|(name, ranges)| own(name) && !ranges.iter().all(|range| known(name, range)))
            .map_or(Ok(()), |(name, _)| Err(Fault::ReadEarly(name.clone())))
    };
    for stmt in block {
        match stmt {
            Stmt::Assign {
                target, bits, value, ..
            } => {
                check_reads(&value.reads, assigned)?;
                let width = types.get(target).map_or(1, Type::width);
                let known = assigned.entry(target.clone()).or_insert_with(|| vec![false; width]);
                if let Some(bits) = bits {
                    known[bits.start.min(width)..bits.end.min(width)].fill(true);
                }
            }
            Stmt::If(arms) => {
                let mut ends = vec![];
                for arm in arms {
                    if let Some(condition) = &arm.condition {
                        check_reads(&condition.reads, assigned)?;
                    }
                    let mut inside = assigned.clone();
                    definite(&arm.body, types, written, settled, &mut inside)?;
                    ends.push(inside);
                }
                if arms.last().is_some_and(|arm| arm.condition.is_some()) {
                    ends.push(assigned.clone());
                }
                *assigned = common(ends);
            }
            Stmt::Case { test, arms } => {
                check_reads(&test.reads, assigned)?;
                let mut ends = vec![];
                for (_, body) in arms {
                    let mut inside = assigned.clone();
                    definite(body, types, written, settled, &mut inside)?;
                    ends.push(inside);
                }
                if !ends.is_empty() {
                    *assigned = common(ends);
                }
            }
        }
    }
    Ok(())
}

/// Bits that are assigned at every one of the ends.
fn common(ends: Vec<Assigned>) -> Assigned {
    let mut ends = ends.into_iter();
    let mut all = ends.next().unwrap_or_default();
    for end in ends {
        all.retain(|name, _| end.contains_key(name));
        for (name, bits) in &mut all {
            for (bit, other) in bits.iter_mut().zip(&end[name]) {
                *bit &= other;
            }
        }
    }
    all
}

/// Splits a body into `assign`s and groups that each become one `always_comb`.
///
/// Statements share a group if they write the same signal, or if one reads a signal that a later one writes. Small
/// groups keep Verilator from seeing a loop where two unrelated signals share a block.
pub(super) fn group(body: &[Stmt]) -> (Vec<&Stmt>, Vec<Vec<&Stmt>>) {
    let parts: Vec<(BTreeSet<String>, Reads)> = body
        .iter()
        .map(|stmt| (writes(std::slice::from_ref(stmt)), reads(std::slice::from_ref(stmt))))
        .collect();
    let mut root: Vec<usize> = (0..body.len()).collect();
    fn find(root: &mut [usize], mut at: usize) -> usize {
        while root[at] != at {
            root[at] = root[root[at]];
            at = root[at];
        }
        at
    }
    for j in 0..body.len() {
        for i in 0..j {
            let ((written, read), later) = (&parts[i], &parts[j].0);
            if later.iter().any(|name| written.contains(name) || read.contains(name)) {
                let (a, b) = (find(&mut root, i), find(&mut root, j));
                root[a.max(b)] = a.min(b);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<&Stmt>> = BTreeMap::new();
    for (i, stmt) in body.iter().enumerate() {
        groups.entry(find(&mut root, i)).or_default().push(stmt);
    }
    let alone = |group: &Vec<&Stmt>| matches!(group[..], [Stmt::Assign { part, .. }] if part.is_empty());
    let (single, shared): (Vec<_>, Vec<_>) = groups.into_values().partition(alone);
    (single.into_iter().flatten().collect(), shared)
}
