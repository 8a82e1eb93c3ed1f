//! Per-flow state of PowerTCP and theta-PowerTCP, and what a test may see of a step.

use super::params::PowerParams;
use super::unit::LawUnit;
use crate::cc::hpcc::Link;
use crate::cc::{psn_after, CcEvent, EventKind, MAX_HOPS};
use std::collections::VecDeque;

/// State of one flow. `current`, `old` and `stored` are windows in bytes, or rates in bits per second, as the arithmetic says.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerState {
    /// There is something to compare the next acknowledgement with.
    pub has_records: bool,
    /// `prevInt`; the first `min(n_hop, 5)` are in use.
    pub links: [Link; MAX_HOPS],
    /// Hops of the recorded path.
    pub n_hop: u8,
    /// Identity of the recorded path.
    pub path_id: u16,
    /// theta: `prevRTT`, ns.
    pub prev_rtt: u64,
    /// NIC clock at the last acknowledgement that was measured, ns; theta: `t_c^prev`.
    pub last_ack_ns: u64,
    /// Base round-trip time in use, ns.
    pub base_rtt_ns: u64,
    /// Smoothed power.
    pub power: f64,
    /// `cwnd`.
    pub current: f64,
    /// `cwnd_old`.
    pub old: f64,
    /// What becomes `cwnd_old` when the round trip ends.
    pub stored: f64,
    /// The round trip ends when this is acknowledged, 24-bit serial number.
    pub snap_seq: u32,
    /// Windows by the end of the packets that left under them ([`PerPacket`](super::params::OldWindow::PerPacket)).
    pub sent: VecDeque<(u32, f64)>,
}

impl PowerState {
    /// A flow that has just started: full window, power `init_power`, nothing recorded.
    pub fn new(params: &PowerParams, unit: &LawUnit) -> Self {
        Self {
            has_records: false,
            links: [Link::default(); MAX_HOPS],
            n_hop: 0,
            path_id: 0,
            prev_rtt: 0,
            last_ack_ns: 0,
            base_rtt_ns: params.base_rtt_ns.into(),
            power: params.init_power,
            current: unit.most,
            old: unit.most,
            stored: unit.most,
            snap_seq: 0,
            sent: VecDeque::new(),
        }
    }

    /// Hops of which records exist.
    pub fn recorded_hops(&self) -> usize {
        usize::from(self.n_hop).min(MAX_HOPS)
    }

    /// Takes the hops of an acknowledgement for the whole path and starts a round trip.
    pub(super) fn replace_records(&mut self, event: &CcEvent, links: &[Link; MAX_HOPS]) {
        self.has_records = true;
        self.links = *links;
        self.n_hop = event.n_hop;
        self.path_id = event.path_id;
        self.snap_seq = event.snd_nxt;
    }

    /// The window under which the acknowledged packet left. Whatever was sent since the last acknowledgement left under the present
    /// window; the table has an entry for each change, not for each packet.
    pub(super) fn window_at_send(&mut self, event: &CcEvent) -> f64 {
        if event.kind == EventKind::Nak {
            // What lies beyond is sent again; what lies before left under the window that it left under.
            while let Some(&(_, window)) = self.sent.back().filter(|(end, _)| psn_after(*end, event.snd_nxt)) {
                self.sent.pop_back();
                if self.sent.back().is_none_or(|&(end, _)| psn_after(event.snd_nxt, end)) {
                    self.sent.push_back((event.snd_nxt, window));
                }
            }
        }
        if self.sent.back().is_none_or(|&(end, _)| psn_after(event.snd_nxt, end)) {
            self.sent.push_back((event.snd_nxt, self.current));
        }
        let acknowledged = event.psn_next;
        while self.sent.len() > 1 && self.sent.front().is_some_and(|&(end, _)| psn_after(acknowledged, end)) {
            self.sent.pop_front();
        }
        self.sent.front().map_or(self.current, |&(_, window)| window)
    }
}

/// What an accepted acknowledgement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PowerBranch {
    /// First acknowledgement: stored, nothing else.
    First,
    /// The records were too old: replaced, power and window stay.
    StaleFlow,
    /// Other hops than before: records replaced, power back at its start, the window stays.
    PathChange,
    /// Nothing could be measured: power and window stay.
    NoSample,
    /// Power only; the window waits for the end of the round trip.
    Power,
    /// Power and window.
    Window,
    /// Within the round trip of a law that reacts once in it: nothing changed.
    Unchanged,
}

impl PowerBranch {
    /// Name in result files.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::StaleFlow => "stale_flow",
            Self::PathChange => "path_change",
            Self::NoSample => "no_sample",
            Self::Power => "power",
            Self::Window => "window",
            Self::Unchanged => "unchanged",
        }
    }
}

/// What one accepted acknowledgement did to a flow, for tests and co-simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerObservation {
    /// What the acknowledgement did.
    pub branch: PowerBranch,
    /// It ended a round trip.
    pub full: bool,
    /// Normalised power before smoothing, where one was computed.
    pub norm_power: Option<f64>,
    /// Smoothed power after it.
    pub power: f64,
    /// Window after it, bytes.
    pub w: f64,
    /// Reference window after it (`cwnd_old` of the next acknowledgement), bytes.
    pub old: f64,
    /// Rate after it, bits per second.
    pub rate: f64,
    /// Reference as a rate, bits per second.
    pub reference_rate: f64,
    /// Base round-trip time in use, ns.
    pub base_rtt_ns: u64,
    /// Hop with the largest power, if any was above zero.
    pub winner: Option<usize>,
    /// Time of the sample, ns, cut as the law does.
    pub dt_ns: u64,
    /// Power of each hop that took part.
    pub hop_power: [Option<f64>; MAX_HOPS],
}
