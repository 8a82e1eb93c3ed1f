//! The agents' tasks in their cycles, their messages on their way, failures.

use std::collections::BTreeMap;

use rand::Rng;

use super::super::clock::PS_PER_NS;
use super::super::engine::{encode, Kind, Simulator};
use super::{Hcc, Message, Part, AGENT_BITS, PARTS};
use crate::alloc::message::{Down, Up};

/// An event of an agent.
pub(super) fn event(part: Part, agent: u32, message: u32) -> u64 {
    encode(Kind::Agent, (part as u32) << AGENT_BITS | agent, message)
}

impl Simulator {
    /// An event of an agent.
    pub(in super::super) fn agent_event(&mut self, which: u32, message: u32) {
        let agent = which & ((1 << AGENT_BITS) - 1);
        let Some(mut hcc) = self.hcc.take() else {
            return;
        };
        match PARTS[(which >> AGENT_BITS) as usize] {
            Part::ChildTask => self.run_child_task(&mut hcc, agent),
            Part::ParentTask => self.run_parent_task(&mut hcc, agent),
            Part::Message => self.deliver_to_agent(&mut hcc, agent, message),
            Part::Wake => self.want_child_task(&mut hcc, agent),
            Part::Fail => hcc.agents[agent as usize].failed = true,
            Part::Return => {
                let placed = &mut hcc.agents[agent as usize];
                placed.failed = false;
                placed.agent.restart();
                self.want_child_task(&mut hcc, agent);
                self.want_parent_task(&mut hcc, agent);
            }
            Part::Central => self.count_central(&mut hcc),
        }
        self.hcc = Some(hcc);
    }

    /// Makes sure that an agent's child task runs at its next turn.
    pub(super) fn want_child_task(&mut self, hcc: &mut Hcc, agent: u32) {
        let task = &mut hcc.agents[agent as usize].child_task;
        if !std::mem::replace(&mut task.scheduled, true) {
            self.events.push(task.next(self.now), event(Part::ChildTask, agent, 0));
        }
    }

    /// Makes sure that an agent's parent task runs at its next turn.
    pub(super) fn want_parent_task(&mut self, hcc: &mut Hcc, agent: u32) {
        let placed = &mut hcc.agents[agent as usize];
        if !placed.parents.is_empty() && !std::mem::replace(&mut placed.parent_task.scheduled, true) {
            let at = placed.parent_task.next(self.now);
            self.events.push(at, event(Part::ParentTask, agent, 0));
        }
    }

    /// Links changed: every agent looks at its own.
    pub(in super::super) fn wake_agents(&mut self) {
        if let Some(mut hcc) = self.hcc.take() {
            for agent in 0..hcc.agents.len() as u32 {
                self.want_child_task(&mut hcc, agent);
            }
            self.hcc = Some(hcc);
        }
    }

    /// `ReadRootUpdate` or `ReadChildSignals`, `AggregateChildSignals`, `ReportChildren`; a leaf reads its flows and sets their rates.
    fn run_child_task(&mut self, hcc: &mut Hcc, agent: u32) {
        let refresh = hcc.config.refresh_cycles.saturating_mul(hcc.config.parent_cycles);
        let placed = &mut hcc.agents[agent as usize];
        placed.child_task.scheduled = false;
        if placed.failed {
            placed.from_children.clear();
            return;
        }
        placed.child_task.runs += 1;
        let again = refresh > 0 && placed.child_task.runs.is_multiple_of(refresh);
        hcc.outcome.levels[placed.level].tasks += 1;
        let now_ns = self.now / PS_PER_NS;
        placed
            .agent
            .set_capacity(self.ports[placed.port as usize].rate_bps, now_ns);
        if let Some(at) = placed.agent.drained_at(now_ns).filter(|_| placed.agent.is_root()) {
            self.events.push(at * PS_PER_NS, event(Part::Wake, agent, 0));
        }
        let mut operations = 0;
        for message in placed.from_children.drain(..) {
            operations += message.entries.len() as u64;
            placed.agent.receive_up(&message);
        }
        hcc.outcome.levels[placed.level].operations += operations + placed.agent.entries();
        let grants = placed.agent.child_task(now_ns, again);
        let leaf = placed.level == 0;
        for grant in grants {
            let delay = hcc.agents[grant.message.child as usize].delay_ps(agent);
            let delay = if grant.rises { 2 * delay } else { delay };
            let message = Message::Down(agent, grant.message);
            self.send_message(hcc, agent, grant.message.child, delay, message);
        }
        if leaf {
            self.set_caps(hcc, agent);
        }
        self.want_parent_task(hcc, agent);
        if refresh > 0 && self.unfinished > 0 {
            self.want_child_task(hcc, agent);
        }
    }

    /// `ReadParentSignals`, `DisaggregateParentSignals`, `ReportParents`.
    fn run_parent_task(&mut self, hcc: &mut Hcc, agent: u32) {
        let refresh = hcc.config.refresh_cycles;
        let placed = &mut hcc.agents[agent as usize];
        placed.parent_task.scheduled = false;
        if placed.failed {
            placed.from_parents.clear();
            return;
        }
        placed.parent_task.runs += 1;
        let again = refresh > 0 && placed.parent_task.runs.is_multiple_of(refresh);
        hcc.outcome.levels[placed.level].tasks += 1;
        let news = !placed.from_parents.is_empty();
        hcc.outcome.levels[placed.level].operations += placed.from_parents.len() as u64 + placed.agent.entries();
        for (parent, message) in placed.from_parents.drain(..) {
            placed.agent.receive_down(parent, &message);
        }
        for (parent, message) in placed.agent.parent_task(again) {
            let delay = hcc.agents[agent as usize].delay_ps(parent);
            self.send_message(hcc, agent, parent, delay, Message::Up(message));
        }
        if news {
            self.want_child_task(hcc, agent);
        }
    }

    fn send_message(&mut self, hcc: &mut Hcc, from: u32, to: u32, delay_ps: u64, message: Message) {
        let bytes = size(hcc, &message);
        let sender = &mut hcc.outcome.levels[hcc.agents[from as usize].level];
        sender.sent += 1;
        sender.sent_bytes += bytes;
        if hcc.config.loss > 0.0 && hcc.rng.random::<f64>() < hcc.config.loss {
            hcc.outcome.lost += 1;
            return;
        }
        let place = hcc.free.pop().unwrap_or_else(|| {
            hcc.messages.push(None);
            (hcc.messages.len() - 1) as u32
        });
        hcc.messages[place as usize] = Some(message);
        self.events.push(self.now + delay_ps, event(Part::Message, to, place));
    }

    fn deliver_to_agent(&mut self, hcc: &mut Hcc, agent: u32, place: u32) {
        let message = hcc.messages[place as usize].take();
        hcc.free.push(place);
        let Some(message) = message else { return };
        if hcc.agents[agent as usize].failed {
            hcc.outcome.lost += 1;
            return;
        }
        let bytes = size(hcc, &message);
        let placed = &mut hcc.agents[agent as usize];
        let receiver = &mut hcc.outcome.levels[placed.level];
        receiver.received += 1;
        receiver.received_bytes += bytes;
        match message {
            Message::Up(message) => {
                placed.from_children.push(message);
                self.want_child_task(hcc, agent);
            }
            Message::Down(parent, message) => {
                placed.from_parents.push((parent, message));
                self.want_parent_task(hcc, agent);
            }
        }
    }

    /// One cycle of the central controller that the agents are compared with.
    fn count_central(&mut self, hcc: &mut Hcc) {
        let Some(mut central) = hcc.central.take() else {
            return;
        };
        let mut active = BTreeMap::new();
        for leaf in central.leaves() {
            for capped in &hcc.agents[leaf as usize].flows {
                if self.unsent(capped).is_some_and(|left| left > 0) {
                    active.insert(capped.flow, leaf);
                }
            }
        }
        let links = hcc.agents.iter().map(|a| self.ports[a.port as usize].rate_bps);
        central.cycle(&active, links.collect(), &mut hcc.outcome.central);
        self.events
            .push(self.now + central.cycle_ps, event(Part::Central, 0, 0));
        hcc.central = Some(central);
    }
}

/// Bytes of a message.
fn size(hcc: &Hcc, message: &Message) -> u64 {
    match message {
        Message::Up(message) => Up::bytes(message, hcc.config.settings.quantiser.is_some()),
        Message::Down(_, message) => Down::bytes(message),
    }
}
