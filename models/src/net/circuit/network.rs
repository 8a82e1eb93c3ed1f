//! Circuits in the simulator: their ports, the turn of the matchings, packets in and out of VOQs, what senders are told.

use super::voq::{Circuits, Voq};
use super::CircuitConfig;
use crate::net::config::FlowControl;
use crate::net::engine::{encode, Kind, SetupError, Simulator};
use crate::net::packet::{Packet, PacketKind, NIL};
use crate::net::port::Port;
use crate::net::sample::{Samples, VoqPoint};

/// What an event of the circuits is; 0 in its place is a link change. Its other number is the matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Day = 1,
    Night,
    Signal,
    Heard,
    Over,
}

const STEPS: [Step; 5] = [Step::Day, Step::Night, Step::Signal, Step::Heard, Step::Over];

impl Simulator {
    /// Gives each ToR its circuit port and starts the cycle.
    pub(in crate::net) fn make_circuits(&mut self) -> Result<(), SetupError> {
        let Some(config) = self.config.circuits.clone() else {
            return Ok(());
        };
        let wrong = |what: &str| Err(SetupError::Circuits(what.into()));
        if matches!(self.config.flow_control, FlowControl::Pfc { .. }) {
            return wrong("expected no pause, which cannot go back through a circuit");
        }
        if self.config.classes.is_some() || self.config.switch_ack_priority {
            return wrong("expected one class of traffic, acknowledgements in it");
        }
        let (uplinks, rack_of) = self.uplinks()?;
        let racks = uplinks.len() as u32;
        if racks < 2 {
            return wrong("expected two ToRs or more");
        }
        let (from, to) = config.watch;
        if from >= racks || to >= racks || from == to {
            return Err(SetupError::Circuits(format!(
                "watch: expected two different ToRs below {racks}, got {from} and {to}"
            )));
        }
        if config.day_ps == 0 || config.night_ps == 0 {
            return wrong("expected days and nights longer than 0");
        }
        let first_circuit = self.ports.len() as u32;
        let ports = uplinks.iter().zip(first_circuit..).map(|(&u, c)| (u, c)).collect();
        self.add_circuit_ports(&uplinks, &config);
        let host = self.ports.iter().find(|p| !p.on_switch);
        let delay = host.map_or(0, |p| p.delay_ps);
        let circuits = Circuits::new(config, ports, rack_of, delay);
        let (schedule, signal) = (circuits.schedule, circuits.config.signal);
        if signal.is_some_and(|s| s.prebuffer_ps > schedule.week_ps() - schedule.day_ps) {
            return wrong("prebuffering: expected to begin after the end of the last day of the same circuit");
        }
        for matching in 1..racks {
            let day = schedule.first_day(matching);
            self.circuit_event(day, Step::Day, matching);
            if let Some(signal) = signal {
                self.circuit_event(day.saturating_sub(signal.prebuffer_ps), Step::Signal, matching);
            }
        }
        self.circuits = Some(Box::new(circuits));
        Ok(())
    }

    /// The one port of each ToR that leads to another switch, and the ToR of each node.
    fn uplinks(&self) -> Result<(Vec<u32>, Vec<u32>), SetupError> {
        let nodes = self.topology.nodes();
        let mut rack_of = vec![NIL; nodes];
        let mut uplinks = Vec::new();
        for tor in (0..nodes).filter(|&n| self.topology.is_switch[n]) {
            let own: Vec<usize> = (0..self.ports.len())
                .filter(|&p| self.ports[p].node as usize == tor)
                .collect();
            let peer = |&port: &usize| &self.ports[self.ports[port].peer as usize];
            let hosts: Vec<u32> = own.iter().map(peer).filter(|p| !p.on_switch).map(|p| p.node).collect();
            if hosts.is_empty() {
                continue;
            }
            let up: Vec<usize> = own.into_iter().filter(|p| peer(p).on_switch).collect();
            let [uplink] = up[..] else {
                return Err(SetupError::Circuits(format!(
                    "expected one link from each ToR to the packet network, got {} at node {tor}",
                    up.len()
                )));
            };
            for node in hosts.into_iter().chain([tor as u32]) {
                rack_of[node as usize] = uplinks.len() as u32;
            }
            uplinks.push(uplink as u32);
        }
        Ok((uplinks, rack_of))
    }

    fn add_circuit_ports(&mut self, uplinks: &[u32], config: &CircuitConfig) {
        let nic_rate = self.nic_rate();
        let (ecn, speed_code, pause_shift) = self.port_rules(config.rate_bps, nic_rate);
        let times = self.times_of(config.rate_bps);
        for (rack, &uplink) in uplinks.iter().enumerate() {
            let index = self.ports.len() as u32;
            let up = &mut self.ports[uplink as usize];
            up.rack = rack as u32;
            let circuit = Port {
                peer: index,
                queues: uplink,
                rate_bps: config.rate_bps,
                speed_code,
                times,
                delay_ps: config.delay_ps,
                loss: 0.0,
                ecn,
                headroom: 0,
                pause_shift,
                ..up.clone()
            };
            self.ports.push(circuit);
        }
        self.last_queue.resize(self.ports.len(), 0);
    }

    fn circuit_event(&mut self, at: u64, step: Step, matching: u32) {
        self.events.push(at, encode(Kind::LinkChange, step as u32, matching));
    }

    /// A day begins or ends, or senders are told of one.
    pub(in crate::net) fn turn_circuits(&mut self, step: u32, matching: u32) {
        let now = self.now;
        let Some(circuits) = &mut self.circuits else { return };
        let (schedule, delay) = (circuits.schedule, circuits.signal_delay_ps);
        let prebuffer = circuits.config.signal.map(|s| s.prebuffer_ps);
        match STEPS[step as usize - 1] {
            Step::Day => {
                circuits.today = Some((matching, now + schedule.day_ps));
                let ports = circuits.ports.clone();
                for (rack, &(_, circuit)) in (0..).zip(&ports) {
                    self.ports[circuit as usize].peer = ports[schedule.peer(rack, matching) as usize].1;
                }
                for (_, circuit) in ports {
                    self.switch_send(circuit);
                }
                self.circuit_event(now + schedule.day_ps, Step::Night, matching);
                self.circuit_event(now + schedule.week_ps(), Step::Day, matching);
                if let Some(prebuffer) = prebuffer {
                    let next = now + schedule.week_ps() - prebuffer;
                    self.circuit_event(next.max(now + schedule.day_ps), Step::Signal, matching);
                }
            }
            Step::Night => {
                circuits.today = None;
                let ports = circuits.ports.clone();
                if prebuffer.is_some() {
                    circuits.signal(matching, false);
                    self.circuit_event(now + delay, Step::Over, matching);
                }
                for (uplink, _) in ports {
                    self.switch_send(uplink);
                }
            }
            Step::Signal => {
                circuits.signal(matching, true);
                self.circuit_event(now + delay, Step::Heard, matching);
            }
            Step::Heard => self.scale_windows(matching, true),
            Step::Over => self.scale_windows(matching, false),
        }
    }

    /// Senders between the ToRs of a matching multiply their windows by the circuit's ratio, or divide them.
    fn scale_windows(&mut self, matching: u32, up: bool) {
        let Some(circuits) = &self.circuits else { return };
        let (schedule, rack_of) = (circuits.schedule, circuits.rack_of.clone());
        let uplink = self.ports[circuits.ports[0].0 as usize].rate_bps;
        let ratio = (circuits.config.rate_bps, uplink);
        self.scale_tcp(ratio, up, |src, dst| {
            schedule.matching(rack_of[src as usize], rack_of[dst as usize]) == Some(matching)
        });
    }

    /// The VOQ of a packet that goes out through a port with VOQs.
    pub(in crate::net) fn voq_of(&self, out: u32, dst: u32) -> Option<(u32, u32, &Voq)> {
        let circuits = self.circuits.as_ref()?;
        let from = self.ports[out as usize].rack;
        let to = *circuits.rack_of.get(dst as usize)?;
        (from != NIL && to != NIL).then(|| (from, to, circuits.voq(from, to)))
    }

    /// Packets that may wait in the queue which a packet to `dst` joins, where queues are counted in packets.
    pub(in crate::net) fn most_waiting(&self, out: u32, dst: u32, otherwise: u32) -> u32 {
        match (self.voq_of(out, dst), &self.circuits) {
            (Some((from, to, _)), Some(circuits)) => circuits.most_packets(from, to, otherwise),
            _ => otherwise,
        }
    }

    /// A packet that was admitted joins its VOQ. Gives the port that drains it now.
    pub(in crate::net) fn push_voq(&mut self, out: u32, index: u32) -> u32 {
        let Packet { dst, size, .. } = self.packets[index];
        let Some((from, to, _)) = self.voq_of(out, dst) else {
            return out;
        };
        let now = self.now;
        let Some(circuits) = &mut self.circuits else { return out };
        circuits.push(from, to, index, size, now);
        circuits.server(from, to)
    }

    /// The next packet that a port with VOQs may send now.
    pub(in crate::net) fn pop_voq(&mut self, out: u32) -> Option<u32> {
        let mut circuits = self.circuits.take()?;
        let from = self.ports[out as usize].rack;
        let stamp = self.config.framing.int_per_hop;
        let leaving = if circuits.ports[from as usize].0 == out {
            circuits.next_for_uplink(from, self.now)
        } else {
            circuits.next_for_circuit(from, self.now, |size| self.wire_ps(out, size + stamp))
        };
        if let Some(left) = leaving {
            let Packet { kind, payload, dst, .. } = self.packets[left.packet];
            let with_payload = matches!(kind, PacketKind::Data | PacketKind::Segment) && payload > 0;
            if with_payload && self.now >= self.plan.start_ps {
                let ns = left.waited_ps / crate::net::PS_PER_NS;
                let seen = &mut self.samples.circuits;
                seen.all_waits.add(ns);
                if circuits.config.watch == (from, circuits.rack_of[dst as usize]) {
                    seen.waits.add(ns);
                }
            }
        }
        self.circuits = Some(circuits);
        leaving.map(|left| left.packet)
    }

    /// A packet with all its telemetry goes onto the wire of a port with VOQs.
    pub(in crate::net) fn voq_sent(&mut self, out: u32, dst: u32, wire: u32) {
        let (now, start) = (self.now, self.plan.start_ps);
        let from = self.ports[out as usize].rack;
        let Some(circuits) = &mut self.circuits else { return };
        let to = circuits.rack_of[dst as usize];
        let by_uplink = circuits.ports[from as usize].0 == out;
        circuits.voq_mut(from, to).sent += u64::from(wire);
        if circuits.config.watch == (from, to) && now >= start {
            circuits.watched[usize::from(by_uplink)] += u64::from(wire);
        }
        if !by_uplink && now >= start {
            self.samples.circuits.circuit_bytes += u64::from(wire);
        }
    }

    /// The observed VOQ enters the series.
    pub(in crate::net) fn sample_voq(&mut self) {
        if let Some(circuits) = &mut self.circuits {
            let (from, to) = circuits.config.watch;
            let bytes = circuits.voq(from, to).bytes;
            if std::mem::replace(&mut circuits.last, bytes) != bytes {
                let t_ps = self.now;
                self.samples.circuits.voq.push(VoqPoint { t_ps, bytes });
            }
        }
    }

    /// The observed VOQ's meters are read.
    pub(in crate::net) fn meter_voq(&mut self) {
        if let Some(circuits) = &mut self.circuits {
            let [circuit, uplink] = std::mem::take(&mut circuits.watched);
            self.samples.circuits.sent.push((self.now, circuit, uplink));
        }
    }

    /// Bytes of the data class that wait in VOQs, by the VOQs' own count, and as the uplinks count them.
    pub fn voq_bytes(&self) -> (u64, u64) {
        let Some(circuits) = &self.circuits else { return (0, 0) };
        let uplinks = circuits.ports.iter().map(|&(uplink, _)| uplink as usize);
        (
            circuits.waiting(),
            uplinks.map(|uplink| self.ports[uplink].egress_bytes).sum(),
        )
    }

    /// Shared buffer in use, all switches together, bytes; zero when nothing waits.
    pub fn buffer_in_use(&self) -> u64 {
        self.switches.iter().map(|s| s.shared_used + s.total_used).sum()
    }
}

/// Part of the time that the observed circuit's days offered, within a span of meters (ps), that it used: wire bits sent over bits possible.
pub fn utilisation(samples: &Samples, config: &CircuitConfig, racks: u32, from_ps: u64, to_ps: u64) -> f64 {
    let schedule = super::Schedule {
        racks,
        day_ps: config.day_ps,
        night_ps: config.night_ps,
    };
    let Some(matching) = schedule.matching(config.watch.0, config.watch.1) else {
        return 0.0;
    };
    let first = schedule.first_day(matching);
    let week = schedule.week_ps();
    // Days that lie wholly within the span; a circuit sends on no other.
    let days = (0..)
        .map(|k| first + k * week)
        .take_while(|day| day + config.day_ps <= to_ps)
        .filter(|&day| day >= from_ps);
    let (mut bits, mut possible) = (0.0, 0.0);
    for day in days {
        let within = |t: u64| t > day && t <= day + schedule.slot_ps();
        let sent: u64 = samples.circuits.sent.iter().filter(|s| within(s.0)).map(|s| s.1).sum();
        bits += sent as f64 * 8.0;
        possible += config.rate_bps as f64 * config.day_ps as f64 / 1e12;
    }
    if possible > 0.0 {
        bits / possible
    } else {
        0.0
    }
}
