//! Aggregation by locality (section III-B): flows that share a path section become a super-flow, along the tree of the topology.
//!
//! The source of a super-flow is the first node of its section, and so is its agent's place. A flow's first link groups it with the
//! other flows of its host, the next link groups those hosts' flows, and so on, for as long as all flows of a group go on over the same
//! link and no other flow crosses it. The last such link, or the one at the largest number of levels, is a root: it owns its whole
//! capacity (termination case 1).

use std::collections::{BTreeMap, BTreeSet};

/// One super-flow: the link its flows share first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuperFlow {
    /// The link.
    pub link: usize,
    /// 0 where flows start.
    pub level: usize,
    /// Number of the super-flow it belongs to; `None`: it is a root.
    pub parent: Option<usize>,
    /// Numbers of the super-flows that belong to it.
    pub children: Vec<usize>,
}

/// The forest of super-flows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hierarchy {
    /// Super-flows, lowest level first.
    pub groups: Vec<SuperFlow>,
    /// For each flow the super-flow of level 0 it belongs to.
    pub leaf_of: Vec<usize>,
}

impl Hierarchy {
    /// Aggregates flows by their paths: the links of each in order from its source. At most `levels` levels (`l_max`).
    ///
    /// # Panics
    /// If `levels` is 0 or a path is empty.
    pub fn by_locality(paths: &[Vec<usize>], levels: usize) -> Self {
        assert!(levels > 0, "at least the flows' own links");
        let mut hierarchy = Self::default();
        let mut number: BTreeMap<usize, usize> = BTreeMap::new();
        for path in paths {
            let leaf = *number.entry(path[0]).or_insert_with(|| {
                hierarchy.groups.push(SuperFlow {
                    link: path[0],
                    level: 0,
                    parent: None,
                    children: Vec::new(),
                });
                hierarchy.groups.len() - 1
            });
            hierarchy.leaf_of.push(leaf);
        }
        // The group each flow belongs to at the present level, if that group can still go on.
        let mut group_of: Vec<Option<usize>> = hierarchy.leaf_of.iter().copied().map(Some).collect();
        for level in 1..levels {
            let next = next_links(paths, &group_of, level);
            let owned = owned_links(paths, &group_of, &next);
            let mut number: BTreeMap<usize, usize> = BTreeMap::new();
            for (&group, &link) in &next {
                let Some(link) = link.filter(|l| owned.contains(l)) else {
                    continue;
                };
                let parent = *number.entry(link).or_insert_with(|| {
                    hierarchy.groups.push(SuperFlow {
                        link,
                        level,
                        parent: None,
                        children: Vec::new(),
                    });
                    hierarchy.groups.len() - 1
                });
                hierarchy.groups[group].parent = Some(parent);
                hierarchy.groups[parent].children.push(group);
            }
            for group in &mut group_of {
                *group = group.and_then(|g| hierarchy.groups[g].parent);
            }
        }
        hierarchy
    }

    /// Numbers of the super-flows that no other belongs to.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.groups.len()).filter(|&g| self.groups[g].parent.is_none())
    }
}

/// The link all flows of a group take next; `None` where they part or one of them has arrived.
fn next_links(paths: &[Vec<usize>], group_of: &[Option<usize>], level: usize) -> BTreeMap<usize, Option<usize>> {
    let mut next: BTreeMap<usize, Option<usize>> = BTreeMap::new();
    for (path, group) in paths.iter().zip(group_of) {
        let Some(group) = group else { continue };
        let link = path.get(level).copied();
        next.entry(*group)
            .and_modify(|known| *known = known.filter(|&k| Some(k) == link))
            .or_insert(link);
    }
    next
}

/// Links that only flows of groups cross that all go on over them.
fn owned_links(
    paths: &[Vec<usize>],
    group_of: &[Option<usize>],
    next: &BTreeMap<usize, Option<usize>>,
) -> BTreeSet<usize> {
    let mut owned: BTreeSet<usize> = next.values().flatten().copied().collect();
    for (path, group) in paths.iter().zip(group_of) {
        let mine = group.and_then(|g| next[&g]);
        for link in path.iter().filter(|&&link| Some(link) != mine) {
            owned.remove(link);
        }
    }
    owned
}
