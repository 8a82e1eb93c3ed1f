//! The rate allocation agent of Algorithm 3 (section III-C): one for each vertex of the aggregation hierarchy.
//!
//! In: messages of children and parents, demands of own flows (a leaf), the link's capacity (a root). Out, when one of its two tasks is
//! run: messages. The caller runs [`Agent::child_task`] every `Cycle_child` and [`Agent::parent_task`] every `Cycle_parent`, delivers
//! messages, and passes the time where a root needs it.
//!
//! The listing puts `ReadLeafUpdate` and `ReadChildSignals` both under `if IsLeaf`; the text has "or", so a leaf reads its flows and
//! every other agent its children. Both are taken in when they come ([`Agent::set_flows`], [`Agent::receive_up`]).

mod settings;

pub use settings::{Drain, Settings, WHOLE};

use std::collections::BTreeMap;
use std::sync::Arc;

use super::message::{Down, Up};
use super::quantiser::LOWEST;
use super::{DemandMap, INFINITE};
use settings::part;

/// What an agent knows of one child.
#[derive(Clone, Debug, Default)]
struct Child {
    demands: DemandMap,
    /// Share and offer told last.
    told: Option<(u64, Option<u64>)>,
}

/// What an agent knows of one parent.
#[derive(Clone, Debug)]
struct Parent {
    id: u32,
    share: Option<u64>,
    offer: Option<u64>,
    /// The map as this parent has it.
    told: DemandMap,
    /// The parent may have anything: tell it all.
    tell_all: bool,
}

/// A message to a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// What to send.
    pub message: Down,
    /// The share rises: it must reach the child after the shares that fall have reached theirs, one link delay later, or together they
    /// would pass the capacity for a moment.
    pub rises: bool,
}

/// State of one agent (Algorithm 3's variables).
#[derive(Clone, Debug)]
pub struct Agent {
    id: u32,
    settings: Arc<Settings>,
    /// Capacity of the link local to it, bit/s.
    local_capacity: u64,
    parents: Vec<Parent>,
    children: BTreeMap<u32, Child>,
    /// Flows of a leaf.
    own: DemandMap,
    /// All flows below: the sum of the children's maps and the own one.
    total: DemandMap,
    /// When a root grants its full part again, ns.
    drained_at: u64,
    /// Level that the own flows had last.
    last_level: Option<u64>,
}

impl Agent {
    /// An agent at a link of `local_capacity` bit/s. Without parents it is a root, without children a leaf.
    pub fn new(
        id: u32,
        local_capacity: u64,
        parents: impl IntoIterator<Item = u32>,
        children: impl IntoIterator<Item = u32>,
        settings: Arc<Settings>,
    ) -> Self {
        let parent = |id| Parent {
            id,
            share: None,
            offer: None,
            told: DemandMap::default(),
            tell_all: false,
        };
        Self {
            id,
            settings,
            local_capacity,
            parents: parents.into_iter().map(parent).collect(),
            children: children.into_iter().map(|c| (c, Child::default())).collect(),
            own: DemandMap::default(),
            total: DemandMap::default(),
            drained_at: 0,
            last_level: None,
        }
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// It owns a link that no other agent's flows cross.
    pub fn is_root(&self) -> bool {
        self.parents.is_empty()
    }

    /// All flows below it, by demand.
    pub fn demands(&self) -> &DemandMap {
        &self.total
    }

    /// Entries of all its maps: what one task reads.
    pub fn entries(&self) -> u64 {
        let children = self.children.values().map(|child| child.demands.entries().count());
        (self.total.entries().count() + children.sum::<usize>()) as u64
    }

    /// `ReadLeafUpdate`: the flows of a leaf, by demand in bit/s. True if that is a change.
    pub fn set_flows(&mut self, flows: DemandMap) -> bool {
        let changed = flows != self.own;
        if changed {
            self.own = flows;
            self.add_up();
        }
        changed
    }

    /// `ReadRootUpdate`: the link's capacity, bit/s, as of `now_ns`. True if that is a change.
    pub fn set_capacity(&mut self, capacity: u64, now_ns: u64) -> bool {
        let before = std::mem::replace(&mut self.local_capacity, capacity);
        if capacity < before && before != INFINITE && capacity > 0 {
            let drain = self.settings.drain;
            let excess = u128::from(before - capacity) * u128::from(drain.reaction_ns) * u128::from(drain.times);
            let until = now_ns.saturating_add(u64::try_from(excess / u128::from(capacity)).unwrap_or(u64::MAX));
            self.drained_at = self.drained_at.max(until);
        }
        capacity != before
    }

    /// When a root's grant changes without a message, ns: the end of draining, if that is still ahead.
    pub fn drained_at(&self, now_ns: u64) -> Option<u64> {
        Some(self.drained_at).filter(|&at| at > now_ns)
    }

    /// `ReadChildSignals` of one message. A sender that is no child is ignored.
    pub fn receive_up(&mut self, message: &Up) {
        let Some(child) = self.children.get_mut(&message.sender) else {
            return;
        };
        if message.full {
            child.demands = DemandMap::default();
        }
        for &(demand, by) in &message.entries {
            child.demands.change(demand, by);
        }
        self.add_up();
    }

    /// `ReadParentSignals` of one message. A sender that is no parent is ignored.
    pub fn receive_down(&mut self, parent: u32, message: &Down) {
        if let Some(parent) = self.parents.iter_mut().find(|p| p.id == parent) {
            parent.share = Some(message.share);
            parent.offer = message.offer;
        }
        if !self.own.is_empty() {
            self.last_level = self.granted_level().or(self.last_level);
        }
    }

    /// `AggregateChildSignals`.
    fn add_up(&mut self) {
        self.total = self.own.clone();
        for child in self.children.values() {
            self.total.add(&child.demands);
        }
    }

    /// What the flows below may send together at `now_ns`, bit/s: the least of what the parents granted and the local link carries;
    /// `None` while no parent has granted anything.
    pub fn share(&self, now_ns: u64) -> Option<u64> {
        if self.is_root() {
            let granted = if now_ns < self.drained_at {
                self.settings.drain.granted
            } else {
                self.settings.headroom
            };
            return Some(part(self.local_capacity, granted));
        }
        self.granted()
    }

    fn granted(&self) -> Option<u64> {
        let least = self.parents.iter().filter_map(|p| p.share).min()?;
        Some(least.min(self.local_capacity))
    }

    /// Level of a leaf's flows under the share granted, bit/s; `None` while nothing is.
    pub fn granted_level(&self) -> Option<u64> {
        self.granted().filter(|&s| s > 0).map(|share| self.own.level(share))
    }

    /// Rate of each of a leaf's flows, bit/s: the smaller of its demand and this. A flow whose host has no share yet starts at the
    /// level the host knew last, at most at its part of the local link.
    pub fn flow_level(&self) -> u64 {
        let start = || {
            let equal = self.local_capacity / self.own.flows().max(1);
            self.last_level.map_or(equal, |level| level.min(equal))
        };
        self.granted_level().unwrap_or_else(start)
    }

    /// `ReportChildren`: the shares that changed enough, falling ones first. `again`: all of them, in case some were lost.
    pub fn child_task(&mut self, now_ns: u64, again: bool) -> Vec<Grant> {
        let Some(share) = self.share(now_ns) else {
            return Vec::new();
        };
        let level = self.total.level(share);
        let mut grants = Vec::new();
        for (&id, child) in &mut self.children {
            let share_of = child.demands.total_under(level);
            let offer = self.settings.offers.then(|| self.total.offer(share, &child.demands));
            let (told, told_offer) = child.told.unwrap_or((0, None));
            let kept = |new: u64, old: u64| new >= old && old >= part(new, WHOLE - self.settings.threshold);
            let first = child.told.is_none() && (share_of > 0 || offer.is_some());
            let same = kept(share_of, told) && offer.is_none_or(|new| told_offer.is_some_and(|old| kept(new, old)));
            if same && !first && !again {
                continue;
            }
            child.told = Some((share_of, offer));
            grants.push(Grant {
                message: Down {
                    child: id,
                    share: share_of,
                    offer,
                },
                rises: share_of > told,
            });
        }
        grants.sort_by_key(|g| g.rises);
        grants
    }

    /// `ReportParents`: what changed in the map enough to matter, clipped to what other limits allow; one message for each parent
    /// that is told. `again`: the whole map to all of them, in case messages were lost.
    pub fn parent_task(&mut self, again: bool) -> Vec<(u32, Up)> {
        let local_level = self.total.level(self.local_capacity);
        let offers: Vec<u64> = self.parents.iter().map(|p| p.offer.unwrap_or(INFINITE)).collect();
        let share = self.granted();
        let quantiser = self.settings.quantiser.as_ref();
        let mut reports = Vec::new();
        for (at, parent) in self.parents.iter_mut().enumerate() {
            let others = offers.iter().enumerate().filter(|&(other, _)| other != at);
            let limit = others.map(|(_, &offer)| offer).fold(local_level, u64::min);
            let map = self.total.reported(limit, quantiser);
            let all = again || parent.tell_all;
            let entries = if all {
                map.entries().map(|(demand, count)| (demand, count as i64)).collect()
            } else {
                map.changes_since(&parent.told)
            };
            let turned = map.is_empty() || parent.told.is_empty();
            let matters = !entries.is_empty() && (turned || passes(&entries, share, self.settings.threshold));
            if !all && !matters {
                continue;
            }
            parent.told = map;
            parent.tell_all = false;
            let message = Up {
                sender: self.id,
                full: all,
                entries,
            };
            reports.push((parent.id, message));
        }
        reports
    }

    /// The agent fails and comes back: all that messages told it is gone, and it does not know what it told others. Flows of a leaf and
    /// capacities are read anew from their sources, so they stay.
    pub fn restart(&mut self) {
        for child in self.children.values_mut() {
            *child = Child::default();
        }
        for parent in &mut self.parents {
            (parent.share, parent.offer, parent.tell_all) = (None, None, true);
        }
        self.last_level = None;
        self.add_up();
    }
}

/// Do changes of a map, added up since the last message, pass the threshold: the rate they can move against the share.
fn passes(entries: &[(u64, i64)], share: Option<u64>, threshold: u32) -> bool {
    let Some(share) = share.map(|s| s.max(LOWEST)) else {
        return true;
    };
    if threshold == 0 {
        return true;
    }
    let moved: u128 = entries
        .iter()
        .map(|&(demand, by)| u128::from(by.unsigned_abs()) * u128::from(demand.min(share)))
        .sum();
    moved > u128::from(part(share, threshold))
}
