//! Virtual output queues of the ToRs, and the state of the circuits.

use std::collections::VecDeque;

use super::schedule::Schedule;
use super::CircuitConfig;
use crate::net::packet::NIL;

/// A packet in a VOQ.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    packet: u32,
    size: u32,
    since_ps: u64,
}

/// What one ToR has for another.
#[derive(Clone, Debug, Default)]
pub struct Voq {
    packets: VecDeque<Waiting>,
    /// Bytes waiting.
    pub bytes: u64,
    /// Wire bytes that have left it.
    pub sent: u64,
    /// Senders know of the circuit, and the queue is enlarged.
    pub signalled: bool,
}

impl Voq {
    /// Packets waiting.
    pub fn packets(&self) -> u32 {
        self.packets.len() as u32
    }
}

/// A packet that leaves a VOQ, and how long it waited there, ps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// Its number.
    pub packet: u32,
    /// Time in the VOQ, ps.
    pub waited_ps: u64,
}

/// Circuits and VOQs of a network.
#[derive(Clone, Debug)]
pub struct Circuits {
    /// Rules.
    pub config: CircuitConfig,
    /// Matchings.
    pub schedule: Schedule,
    /// The matching whose day it is, and when that ends, ps.
    pub today: Option<(u32, u64)>,
    /// Uplink and circuit port of each ToR.
    pub ports: Vec<(u32, u32)>,
    /// By node: its ToR, [`NIL`] for switches without hosts.
    pub rack_of: Vec<u32>,
    /// From the ToR to a host of it, ps.
    pub signal_delay_ps: u64,
    /// From each ToR to each, in rows.
    voqs: Vec<Voq>,
    /// By ToR: the uplink looks here first.
    turn: Vec<u32>,
    /// Of the observed VOQ since the last reading of the meters: wire bytes through the circuit, and through the uplink.
    pub watched: [u64; 2],
    /// Its last length in the series, bytes.
    pub last: u64,
}

impl Circuits {
    /// Empty queues, at night.
    pub fn new(config: CircuitConfig, ports: Vec<(u32, u32)>, rack_of: Vec<u32>, signal_delay_ps: u64) -> Self {
        let racks = ports.len();
        let schedule = Schedule {
            racks: racks as u32,
            day_ps: config.day_ps,
            night_ps: config.night_ps,
        };
        Self {
            config,
            schedule,
            today: None,
            ports,
            rack_of,
            signal_delay_ps,
            voqs: vec![Voq::default(); racks * racks],
            turn: vec![0; racks],
            watched: [0; 2],
            last: 0,
        }
    }

    fn index(&self, from: u32, to: u32) -> usize {
        (from * self.schedule.racks + to) as usize
    }

    /// The VOQ between two ToRs.
    pub fn voq(&self, from: u32, to: u32) -> &Voq {
        &self.voqs[self.index(from, to)]
    }

    /// The same, to change it.
    pub fn voq_mut(&mut self, from: u32, to: u32) -> &mut Voq {
        let index = self.index(from, to);
        &mut self.voqs[index]
    }

    /// Bytes waiting in all VOQs.
    pub fn waiting(&self) -> u64 {
        self.voqs.iter().map(|voq| voq.bytes).sum()
    }

    /// The VOQs of a matching are told of its day, or that it is over.
    pub fn signal(&mut self, matching: u32, on: bool) {
        for from in 0..self.schedule.racks {
            let to = self.schedule.peer(from, matching);
            self.voq_mut(from, to).signalled = on;
        }
    }

    /// The ToR that a ToR's circuit leads to now.
    pub fn peer_today(&self, from: u32) -> Option<u32> {
        self.today.map(|(matching, _)| self.schedule.peer(from, matching))
    }

    /// The port that drains a VOQ now.
    pub fn server(&self, from: u32, to: u32) -> u32 {
        let (uplink, circuit) = self.ports[from as usize];
        if self.peer_today(from) == Some(to) {
            circuit
        } else {
            uplink
        }
    }

    /// Packets that a VOQ may hold where queues are counted in packets.
    pub fn most_packets(&self, from: u32, to: u32, otherwise: u32) -> u32 {
        let enlarged = self.config.signal.and_then(|s| s.enlarged_packets);
        let signalled = self.voq(from, to).signalled;
        enlarged.filter(|_| signalled).unwrap_or(otherwise)
    }

    /// A packet joins a VOQ.
    pub fn push(&mut self, from: u32, to: u32, packet: u32, size: u32, now: u64) {
        let voq = self.voq_mut(from, to);
        voq.bytes += u64::from(size);
        voq.packets.push_back(Waiting {
            packet,
            size,
            since_ps: now,
        });
    }

    fn take(&mut self, from: u32, to: u32, now: u64) -> Option<Leaving> {
        let voq = self.voq_mut(from, to);
        let first = voq.packets.pop_front()?;
        voq.bytes -= u64::from(first.size);
        Some(Leaving {
            packet: first.packet,
            waited_ps: now - first.since_ps,
        })
    }

    /// The next packet for the circuit of a ToR: none at night, and none whose last bit would leave after the day. `duration` is what a packet
    /// of a size takes, ps.
    pub fn next_for_circuit(&mut self, from: u32, now: u64, duration: impl Fn(u32) -> u64) -> Option<Leaving> {
        let (_, end) = self.today?;
        let to = self.peer_today(from)?;
        let first = self.voq(from, to).packets.front()?;
        if now + duration(first.size) > end {
            return None;
        }
        self.take(from, to, now)
    }

    /// The next packet for the uplink of a ToR: round robin over the VOQs that have no circuit now.
    pub fn next_for_uplink(&mut self, from: u32, now: u64) -> Option<Leaving> {
        let racks = self.schedule.racks;
        let elsewhere = self.peer_today(from).unwrap_or(NIL);
        let start = self.turn[from as usize];
        let found = (0..racks)
            .map(|step| (start + step) % racks)
            .find(|&to| to != elsewhere && !self.voq(from, to).packets.is_empty())?;
        self.turn[from as usize] = (found + 1) % racks;
        self.take(from, found, now)
    }
}
