//! Breadth-first search from each destination of the routing tables: once a leaf switch, not once a host.
//!
//! The order in which nodes and links are met is that of the authors' simulator, since equal paths are numbered by it.

use std::collections::HashMap;

use super::stretch::{Access, Edge, Stretch, LEAF, NO_GROUP, UNREACHABLE};
use super::topology::Topology;

/// A usable link to a node that has a row.
struct Neighbour {
    row: u32,
    is_switch: bool,
    /// Its port towards this node.
    back: u32,
    link: Stretch,
}

/// The network as the search sees it.
pub(super) struct Search {
    /// By node: its row.
    pub rows: Vec<u32>,
    /// By target: the row of its node.
    pub targets: Vec<u32>,
    /// By target: it is a leaf switch.
    leaves: Vec<bool>,
    /// By row, in the order in which they are walked.
    neighbours: Vec<Vec<Neighbour>>,
}

/// What was found.
pub(super) struct Found {
    pub table: Vec<u16>,
    pub first_group: Vec<u32>,
    pub groups: Vec<(u32, u32)>,
    pub members: Vec<u32>,
    pub pairs: Vec<u32>,
    pub stretches: Vec<Stretch>,
}

impl Search {
    /// Finds targets and neighbours; where each host is attached, and by which link, comes with them.
    pub fn new(topology: &Topology, edges: &[Vec<Edge>], payload: u64) -> (Self, Vec<Access>, Vec<Stretch>) {
        let nodes = topology.nodes();
        let is_switch = |node: u32| topology.is_switch[node as usize];
        let nowhere = Access {
            target: UNREACHABLE,
            ports: None,
        };
        let mut access = vec![nowhere; nodes];
        let mut links = vec![Stretch::NOTHING; nodes];
        let mut rows = vec![UNREACHABLE; nodes];
        let mut target_of = vec![UNREACHABLE; nodes];
        let (mut targets, mut leaves, mut count) = (Vec::new(), Vec::new(), 0);
        for (node, row) in rows.iter_mut().enumerate() {
            let mut usable = edges[node].iter().filter(|e| e.up);
            let (first, second) = (usable.next(), usable.next());
            let leaf = match (first, second) {
                _ if is_switch(node as u32) => None,
                (None, _) => continue,
                (Some(only), None) if is_switch(only.peer) => Some(only),
                _ => None,
            };
            if leaf.is_none() {
                *row = count;
                count += 1;
            }
            if is_switch(node as u32) {
                continue;
            }
            let root = leaf.map_or(node, |edge| edge.peer as usize);
            if target_of[root] == UNREACHABLE {
                target_of[root] = targets.len() as u32;
                targets.push(root as u32);
                leaves.push(leaf.is_some());
            }
            access[node] = Access {
                target: target_of[root],
                ports: leaf.map(|edge| (edge.port, edge.back)),
            };
            links[node] = leaf.map_or(Stretch::NOTHING, |edge| Stretch::of(edge, payload));
        }
        let targets = targets.into_iter().map(|node| rows[node as usize]).collect();
        let mut neighbours: Vec<Vec<Neighbour>> = Vec::with_capacity(count as usize);
        for (node, _) in rows.iter().enumerate().filter(|(_, &row)| row != UNREACHABLE) {
            let mut list: Vec<&Edge> = edges[node].iter().filter(|e| e.up).collect();
            // Hosts ascending, then switches descending: the order in which the authors' simulator walks neighbours.
            list.sort_by_key(|e| match is_switch(e.peer) {
                true => (true, -i64::from(e.peer), e.port),
                false => (false, i64::from(e.peer), e.port),
            });
            let of = |e: &&Edge| Neighbour {
                row: rows[e.peer as usize],
                is_switch: is_switch(e.peer),
                back: e.back,
                link: Stretch::of(e, payload),
            };
            neighbours.push(list.iter().map(of).filter(|n| n.row != UNREACHABLE).collect());
        }
        let search = Self {
            rows,
            targets,
            leaves,
            neighbours,
        };
        (search, access, links)
    }

    /// Searches from every target.
    pub fn all(&self) -> Found {
        let (rows, width) = (self.neighbours.len(), self.targets.len());
        let mut found = Found {
            table: vec![NO_GROUP; rows * width],
            first_group: vec![0; rows],
            groups: Vec::new(),
            members: Vec::new(),
            pairs: vec![UNREACHABLE; width * width],
            stretches: Vec::new(),
        };
        let mut of_rows: Vec<Groups> = (0..rows).map(|_| Groups::default()).collect();
        let mut stretches: HashMap<Stretch, u32> = HashMap::new();
        let mut walk = Walk::new(rows);
        for target in 0..width {
            self.walk(target, &mut walk);
            for (row, groups) in of_rows.iter_mut().enumerate() {
                let is_leaf = self.leaves[target] && self.targets[target] as usize == row;
                found.table[row * width + target] = match is_leaf {
                    true => LEAF,
                    false => groups.number(&walk.next[row]),
                };
            }
            for (from, &row) in self.targets.iter().enumerate() {
                if let Some(stretch) = walk.stretch[row as usize] {
                    let next = stretches.len() as u32;
                    let number = *stretches.entry(stretch).or_insert(next);
                    if number == next {
                        found.stretches.push(stretch);
                    }
                    found.pairs[target * width + from] = number;
                }
            }
        }
        for (row, groups) in of_rows.into_iter().enumerate() {
            found.first_group[row] = found.groups.len() as u32;
            for ports in groups.lists {
                found.groups.push((found.members.len() as u32, ports.len() as u32));
                found.members.extend(ports);
            }
        }
        found
    }

    /// Breadth-first search from one target.
    fn walk(&self, target: usize, walk: &mut Walk) {
        walk.clear();
        let root = self.targets[target];
        walk.distance[root as usize] = 0;
        walk.stretch[root as usize] = Some(Stretch::NOTHING);
        walk.order.push(root);
        let mut at = 0;
        while let Some(&now) = walk.order.get(at) {
            at += 1;
            let beyond = walk.distance[now as usize] + 1;
            for neighbour in &self.neighbours[now as usize] {
                let peer = neighbour.row as usize;
                if walk.distance[peer] == u32::MAX {
                    walk.distance[peer] = beyond;
                    walk.stretch[peer] = walk.stretch[now as usize].map(|so_far| so_far.and(neighbour.link));
                    if neighbour.is_switch {
                        walk.order.push(neighbour.row);
                    }
                }
                if walk.distance[peer] == beyond {
                    walk.next[peer].push(neighbour.back);
                }
            }
        }
    }
}

/// Groups of a row: the lists of ports met so far, and the number of each.
#[derive(Default)]
struct Groups {
    known: HashMap<Vec<u32>, u16>,
    lists: Vec<Vec<u32>>,
}

impl Groups {
    /// Number of a group; that of no path where there are no ports, or more groups than a row can number.
    fn number(&mut self, ports: &[u32]) -> u16 {
        if ports.is_empty() {
            return NO_GROUP;
        }
        if let Some(&number) = self.known.get(ports) {
            return number;
        }
        match u16::try_from(self.lists.len()) {
            Ok(number) if number < LEAF => {
                self.known.insert(ports.to_vec(), number);
                self.lists.push(ports.to_vec());
                number
            }
            _ => NO_GROUP,
        }
    }
}

/// State of one search, by row.
struct Walk {
    distance: Vec<u32>,
    /// What lies between the node and the root.
    stretch: Vec<Option<Stretch>>,
    /// The node's ports on shortest paths.
    next: Vec<Vec<u32>>,
    order: Vec<u32>,
}

impl Walk {
    fn new(rows: usize) -> Self {
        Self {
            distance: vec![u32::MAX; rows],
            stretch: vec![None; rows],
            next: vec![Vec::new(); rows],
            order: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.distance.fill(u32::MAX);
        self.stretch.fill(None);
        self.next.iter_mut().for_each(Vec::clear);
        self.order.clear();
    }
}
