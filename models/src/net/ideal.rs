//! Completion time of a message that is alone in the network: exactly, or by the formula of the authors' simulator.
//!
//! Exactly: packets follow each other at line rate over the message's own path, each hop sends one at a time and passes it on when it has
//! it whole, and each packet's acknowledgement returns behind the one before it. Hops and ways back are machines of a flow shop whose jobs
//! are packets, in order everywhere: the last one ends with the longest way through the table of packet and machine. First packet, last
//! packet and those between, which are all alike, are enough to find it. Packets carry no telemetry, so that one time serves all laws.

use std::collections::{BTreeMap, BTreeSet};

use super::config::IdealRule;
use super::engine::{SetupError, Simulator};
use super::flow::FlowSpec;
use super::topology::TopologyError;

/// Times of a message's first packet, its last and those between at each hop in turn, ps. Acknowledgements' hops follow those of payload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Times {
    pub first: Vec<u64>,
    pub middle: Vec<u64>,
    pub last: Vec<u64>,
}

impl Times {
    /// When the last of `packets` packets has passed all hops, from when the first may begin at the first hop, ps. Between two packets the
    /// first hop takes `interval.0` after the message's first packet and `interval.1` after another one, its own time at least.
    pub fn all_through(&self, packets: u64, interval: (u64, u64)) -> u64 {
        let (f, m, l) = (&self.first, &self.middle, &self.last);
        let hops = f.len();
        if packets == 1 || hops == 0 {
            return f.iter().sum();
        }
        let after: Vec<u64> = (0..hops).map(|c| l[c..].iter().sum()).collect();
        let mut longest = 0;
        let mut before = 0;
        for (a, &own) in f.iter().enumerate() {
            // The way leaves the first packet at hop `a`: there that packet's successor waits for it.
            before += if a == 0 { interval.0 } else { own };
            if packets == 2 {
                longest = longest.max(before + after[a]);
            }
            // The packets between are passed from hop `a` to hop `c`; all but one visit of each hop are at the slowest of them.
            let (mut between, mut slowest) = (0, 0);
            for (c, &own) in m.iter().enumerate().skip(a) {
                if packets == 2 {
                    break;
                }
                let here = if c == 0 { interval.1 } else { own };
                slowest = slowest.max(here);
                // A packet between that goes on from the first hop to the second does so after its own time.
                let going_on = if a == 0 && c > 0 { m[0] + between } else { between };
                longest = longest.max(before + going_on + here + (packets - 3) * slowest + after[c]);
                between += if c == 0 { 0 } else { own };
            }
            if a == 0 {
                before = f[0];
            }
        }
        longest
    }
}

impl Simulator {
    /// Checks that a flow can run.
    pub(super) fn check_flow(&self, index: usize, flow: &FlowSpec) -> Result<(), SetupError> {
        let nodes = self.topology.nodes() as u32;
        let bad = |field, expected: &str| SetupError::Flow {
            flow: index,
            field,
            expected: expected.into(),
        };
        for (field, node) in [("src", flow.src), ("dst", flow.dst)] {
            if node >= nodes || self.topology.is_switch[node as usize] {
                return Err(bad(field, &format!("a host of the topology, got {node}")));
            }
        }
        if flow.src == flow.dst {
            return Err(bad("dst", "another host than src"));
        }
        if flow.bytes == 0 {
            return Err(bad("bytes", "more than 0"));
        }
        let pair = self.routes.pair(flow.src, flow.dst);
        pair.map(|_| ()).ok_or(TopologyError::NoPath(flow.src, flow.dst).into())
    }

    /// Notes the exact ideal completion time of a flow that starts now with these ports of its 5-tuple, where that is the rule; none without a
    /// path.
    pub(super) fn note_ideal(&mut self, flow: u32, ports: u32) {
        if self.spreads() {
            self.note_least_ideal(flow);
        } else if self.config.ideal == IdealRule::Exact {
            let (forward, back) = self.ways_of(flow, ports);
            let spec = self.flows[flow as usize];
            let ideal_ps = self.exact_ps(flow as usize, &spec, forward.as_deref(), back.as_deref());
            self.records[flow as usize].ideal_ps = ideal_ps;
        }
    }

    /// The same of a flow between hosts outside, whose 5-tuple is theirs, and of one whose packets take several paths: the least of all equal ones.
    pub(super) fn note_least_ideal(&mut self, flow: u32) {
        if self.config.ideal == IdealRule::Exact {
            let spec = self.flows[flow as usize];
            let (there, back) = (self.ways(spec.src, spec.dst), self.ways(spec.dst, spec.src));
            let pairs = there.iter().flat_map(|a| back.iter().map(move |b| (a, b)));
            let times = pairs.filter_map(|(a, b)| self.exact_ps(flow as usize, &spec, Some(a), Some(b)));
            self.records[flow as usize].ideal_ps = times.min();
        }
    }

    /// Notes the ideal completion time of the authors' simulator, where that is the rule: of the network before the run.
    pub(super) fn note_ns3_ideal(&mut self, flow: usize) {
        if self.config.ideal == IdealRule::Ns3 {
            let ns = self.ns3_ns(flow, &self.flows[flow]);
            self.records[flow].ideal_ps = ns.map(|ns| ns * super::clock::PS_PER_NS);
        }
    }

    /// Largest base round trip of some pairs of hosts, ns: a full packet there and its acknowledgement back, alone, over the slowest of the equal
    /// paths. `None`: no pair has a path.
    pub fn base_rtt_ns(&self, pairs: impl IntoIterator<Item = (u32, u32)>) -> Option<u64> {
        let pairs: BTreeSet<(u32, u32)> = pairs.into_iter().collect();
        let known = |&(src, dst): &(u32, u32)| Some((self.routes.pair(src, dst)?.rtt_ns, src, dst));
        // The same links in the same number make the same round trip: of pairs that look alike one is enough.
        let alike: BTreeMap<u64, (u32, u32)> = pairs
            .iter()
            .filter_map(known)
            .map(|(rtt, a, b)| (rtt, (a, b)))
            .collect();
        let round_trip = |&(src, dst): &(u32, u32)| {
            let packet = FlowSpec {
                src,
                dst,
                bytes: self.config.mtu.into(),
                start_ps: 0,
                dst_port: FlowSpec::DST_PORT,
            };
            let (there, back) = (self.ways(src, dst), self.ways(dst, src));
            let ways = there.iter().flat_map(|a| back.iter().map(move |b| (a, b)));
            ways.filter_map(|(a, b)| self.exact_ps(usize::MAX, &packet, Some(a), Some(b)))
                .max()
        };
        let longest = alike.values().rev().take(8).filter_map(round_trip).max();
        longest.map(|ps| ps.div_ceil(super::clock::PS_PER_NS))
    }

    fn ways_of(&self, flow: u32, ports: u32) -> (Option<Vec<u32>>, Option<Vec<u32>>) {
        let FlowSpec { src, dst, .. } = self.flows[flow as usize];
        (self.way(src, dst, ports), self.way(dst, src, ports.rotate_left(16)))
    }

    /// All equal ways, of those with the same links' speeds and delays one.
    fn ways(&self, src: u32, dst: u32) -> Vec<Vec<u32>> {
        let mut all: BTreeMap<Vec<(u64, u64)>, Vec<u32>> = BTreeMap::new();
        let mut open = vec![(src, Vec::new(), Vec::new())];
        let mut seen = BTreeSet::new();
        while let Some((node, way, links)) = open.pop() {
            if node == dst {
                all.insert(links, way);
                continue;
            }
            for &port in self.routes.candidates(node, dst) {
                let p = &self.ports[port as usize];
                let next = self.ports[p.peer as usize].node;
                let (mut way, mut links): (Vec<u32>, Vec<(u64, u64)>) = (way.clone(), links.clone());
                way.push(port);
                links.push((p.rate_bps, p.delay_ps));
                if seen.insert((next, links.clone())) {
                    open.push((next, way, links));
                }
            }
        }
        all.into_values().collect()
    }

    /// Ports that a packet leaves by on its way.
    fn way(&self, src: u32, dst: u32, ports: u32) -> Option<Vec<u32>> {
        let (mut node, mut way) = (src, Vec::new());
        while node != dst {
            let port = self.routes.pick(node, src, dst, ports)?;
            way.push(port);
            node = self.ports[self.ports[port as usize].peer as usize].node;
        }
        Some(way)
    }

    /// Exact completion time, ps: to the last acknowledgement at the sender, of a TCP flow to the last byte at the receiver.
    fn exact_ps(&self, index: usize, flow: &FlowSpec, forward: Option<&[u32]>, back: Option<&[u32]>) -> Option<u64> {
        let forward = forward?;
        let stack = self.config.tcp.as_ref().and_then(|t| t.stack(index));
        let framing = &self.config.framing;
        let payload = u64::from(stack.map_or(self.config.mtu, |s| s.mss));
        let packets = flow.bytes.div_ceil(payload);
        let of_last = (flow.bytes - (packets - 1) * payload) as u32;
        let size = |payload: u32, first: bool| match stack {
            Some(stack) => stack.wire_bytes(payload, 0),
            None => {
                let extra = if first { framing.first_extra } else { 0 };
                (framing.data_header + extra + payload).max(framing.min_data)
            }
        };
        let on = |way: &[u32], size: u32| -> Vec<u64> { way.iter().map(|&port| self.wire_ps(port, size)).collect() };
        let full = payload as u32;
        let mut times = Times {
            first: on(forward, size(if packets == 1 { of_last } else { full }, true)),
            middle: on(forward, size(full, false)),
            last: on(forward, size(of_last, false)),
        };
        let delay = |way: &[u32]| -> u64 { way.iter().map(|&port| self.ports[port as usize].delay_ps).sum() };
        let mut delays = delay(forward);
        if stack.is_none() {
            let back = back?;
            delays += delay(back);
            let ack = on(back, framing.ack_header.max(framing.min_ack));
            if self.config.feedback.ack_every > 1 {
                // The last acknowledgement may be the only one.
                let alone: u64 = ack.iter().sum();
                delays += alone;
            } else {
                for list in [&mut times.first, &mut times.middle, &mut times.last] {
                    list.extend(&ack);
                }
            }
        }
        let interval = (times.first[0], times.middle[0]);
        Some(delays + times.all_through(packets, interval))
    }

    /// The authors' simulator's completion time, ns: the pair's base round trip and the size with headers at its slowest link.
    fn ns3_ns(&self, index: usize, flow: &FlowSpec) -> Option<u64> {
        let pair = self.routes.pair(flow.src, flow.dst)?;
        let stack = self.config.tcp.as_ref().and_then(|t| t.stack(index));
        let (payload, header) = match stack {
            Some(stack) => (stack.mss, stack.data_header()),
            None => (self.config.mtu, self.config.framing.data_header),
        };
        let packets = flow.bytes.div_ceil(u64::from(payload));
        let header = u64::from(header);
        let wire = flow.bytes + packets * header;
        let slowest_ns = |bytes: u64| ((u128::from(bytes) * 8_000_000_000) / u128::from(pair.rate_bps)) as u64;
        Some(match stack {
            // A TCP flow is complete at the receiver: one way, and one packet's time on every link but the slowest.
            Some(_) => {
                let packet = flow.bytes.min(u64::from(payload)) + header;
                let links_ns = (pair.rtt_ns - 2 * pair.delay_ns) * packet / u64::from(self.config.mtu);
                pair.delay_ns + links_ns + slowest_ns(wire - packet)
            }
            None => pair.rtt_ns + slowest_ns(wire),
        })
    }
}

#[cfg(test)]
#[path = "ideal_tests.rs"]
mod tests;
