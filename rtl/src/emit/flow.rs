//! Which statements become `assign`, which share an `always_comb`, and what is refused: latches and early reads.

use super::array::Arrays;
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
            Stmt::Loop { turns, .. } => turns.iter().for_each(|turn| walk(turn, visit)),
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

/// Where a statement stands: its place in the body, that in a turn of the loop there, and so on; the same in every turn.
type Path = Vec<usize>;

/// The statements of a body as they run, loops turn by turn, each with where it stands.
fn leaves(body: &[Stmt]) -> Vec<(Path, &Stmt)> {
    fn add<'a>(body: &'a [Stmt], path: &mut Path, out: &mut Vec<(Path, &'a Stmt)>) {
        for (at, stmt) in body.iter().enumerate() {
            path.push(at);
            match stmt {
                Stmt::Loop { turns, .. } => turns.iter().for_each(|turn| add(turn, path, out)),
                _ => out.push((path.clone(), stmt)),
            }
            path.pop();
        }
    }
    let mut out = vec![];
    add(body, &mut vec![], &mut out);
    out
}

/// Every statement that runs, loops turn by turn.
pub(super) fn flat(body: &[Stmt]) -> impl Iterator<Item = &Stmt> {
    leaves(body).into_iter().map(|(_, stmt)| stmt)
}

/// The statements that stand at the places which `keep` takes.
fn select(body: &[Stmt], path: &mut Path, keep: &dyn Fn(&Path) -> bool) -> Vec<Stmt> {
    let mut out = vec![];
    for (at, stmt) in body.iter().enumerate() {
        path.push(at);
        match stmt {
            Stmt::Loop { from, turns } => {
                let turns: Vec<_> = turns.iter().map(|turn| select(turn, path, keep)).collect();
                if turns.iter().any(|turn| !turn.is_empty()) {
                    out.push(Stmt::Loop { from: *from, turns });
                }
            }
            _ if keep(path) => out.push(stmt.clone()),
            _ => {}
        }
        path.pop();
    }
    out
}

/// Removes assignments at the top level and in loops there that a later whole assignment overrides before anybody reads them: the
/// defaults of `dff_setup!`.
pub(super) fn remove_dead(body: &mut Vec<Stmt>) {
    let leaves = leaves(body);
    let read: Vec<Reads> = leaves
        .iter()
        .map(|(_, stmt)| reads(std::slice::from_ref(*stmt)))
        .collect();
    let dead = |at: usize| match leaves[at].1 {
        Stmt::Assign { target, .. } => {
            for later in at + 1..leaves.len() {
                if read[later].contains(target) {
                    return false;
                }
                if matches!(leaves[later].1, Stmt::Assign { target: other, part, .. } if other == target && part.is_empty())
                {
                    return true;
                }
            }
            false
        }
        _ => false,
    };
    let lives: BTreeSet<Path> = (0..leaves.len())
        .filter(|at| !dead(*at))
        .map(|at| leaves[at].0.clone())
        .collect();
    *body = select(body, &mut vec![], &|path| lives.contains(path));
}

/// Takes out the assignments that give one of `inputs` nothing but another signal, and returns those signals. What the body itself
/// reads, or assigns more than once, stays; of a loop either every turn or none is taken.
pub(super) fn take_aliases(body: &mut Vec<Stmt>, inputs: &BTreeSet<String>) -> BTreeMap<String, Place> {
    let read = reads(body);
    let leaves = leaves(body);
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for (_, stmt) in &leaves {
        for target in writes(std::slice::from_ref(*stmt)) {
            *times.entry(target).or_default() += 1;
        }
    }
    let alias = |stmt: &Stmt| match stmt {
        Stmt::Assign {
            target,
            part,
            wire: Some(wire),
            ..
        } if inputs.contains(target) && part.is_empty() && times[target] == 1 && !read.contains(target) => {
            Some((target.clone(), wire.clone()))
        }
        _ => None,
    };
    let stay: BTreeSet<Path> = leaves
        .iter()
        .filter(|(_, stmt)| alias(stmt).is_none())
        .map(|(path, _)| path.clone())
        .collect();
    let taken = leaves.iter().filter(|(path, _)| !stay.contains(path));
    let aliases = taken.filter_map(|(_, stmt)| alias(stmt)).collect();
    *body = select(body, &mut vec![], &|path| stay.contains(path));
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
            Stmt::Loop { turns, .. } => {
                for turn in turns {
                    definite(turn, types, written, settled, assigned)?;
                }
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

/// A body in pieces.
pub(super) struct Groups {
    /// Assignments, and loops of one, that become `assign`.
    pub single: Vec<Stmt>,
    /// What becomes one `always_comb` each.
    pub shared: Vec<Vec<Stmt>>,
}

/// Splits a body into `assign`s and groups that each become one `always_comb`.
///
/// Statements share a group if they write the same signal, or if one reads a signal that a later one writes; so do those that write items
/// of one array, unless all are `assign`s. Small groups keep Verilator from seeing a loop where two unrelated signals share a block; the
/// statements of a loop may go to several, each with a loop of its own.
pub(super) fn group(body: &[Stmt], arrays: &Arrays) -> Groups {
    let leaves = leaves(body);
    let mut numbers: BTreeMap<&Path, usize> = BTreeMap::new();
    let mut places: Vec<&Path> = vec![];
    for (path, _) in &leaves {
        numbers.entry(path).or_insert_with(|| {
            places.push(path);
            places.len() - 1
        });
    }
    let mut root: Vec<usize> = (0..places.len()).collect();
    fn find(root: &mut [usize], mut at: usize) -> usize {
        while root[at] != at {
            root[at] = root[root[at]];
            at = root[at];
        }
        at
    }
    fn join(root: &mut [usize], a: usize, b: usize) -> bool {
        let (a, b) = (find(root, a), find(root, b));
        root[a.max(b)] = a.min(b);
        a != b
    }
    // who read or wrote a signal so far, and which places write an array
    let mut touched: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let mut writers: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut plain = vec![true; places.len()];
    for (path, stmt) in &leaves {
        let own = numbers[path];
        plain[own] &= matches!(stmt, Stmt::Assign { part, .. } if part.is_empty());
        for name in writes(std::slice::from_ref(*stmt)) {
            if let Some((base, _)) = arrays.around(&name) {
                writers.entry(base).or_default().insert(own);
            }
            let before = touched.entry(name).or_default();
            before.iter().for_each(|other| {
                join(&mut root, *other, own);
            });
            *before = BTreeSet::from([own]);
        }
        for (name, _) in reads(std::slice::from_ref(*stmt)).iter() {
            touched.entry(name.clone()).or_default().insert(own);
        }
    }
    loop {
        let mut size = vec![0; places.len()];
        for at in 0..places.len() {
            size[find(&mut root, at)] += 1;
        }
        let mut joined = false;
        for all in writers.values() {
            let first = *all.first().expect("somebody writes");
            let single = all.iter().all(|at| size[find(&mut root, *at)] == 1 && plain[*at]);
            if !single {
                joined |= all.iter().fold(false, |any, at| join(&mut root, first, *at) | any);
            }
        }
        if !joined {
            break;
        }
    }
    let mut members: BTreeMap<usize, BTreeSet<&Path>> = BTreeMap::new();
    for (at, place) in places.iter().enumerate() {
        members.entry(find(&mut root, at)).or_default().insert(place);
    }
    let mut groups = Groups {
        single: vec![],
        shared: vec![],
    };
    for (at, members) in members {
        let stmts = select(body, &mut vec![], &|path| members.contains(path));
        match members.len() == 1 && plain[at] {
            true => groups.single.extend(stmts),
            false => groups.shared.push(stmts),
        }
    }
    groups
}
