//! When a flow's probes leave and which responses count (HPCC++, draft-miao-ccwg-hpcc 6.2.1.2): the rule and the state, of the network's hosts and
//! of the NIC.

use super::psn_after;
use crate::wire::MASK_24;

/// A flow that had nothing to probe for this long starts anew: its next data packet brings a probe, ps.
const IDLE_PS: u64 = 1_000_000_000;
/// Least timeout unless another is asked for, ps.
const LEAST_TIMEOUT_PS: u64 = 100_000_000;

/// When probes leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeRule {
    /// Least time between two of a flow, ps: `T`.
    pub interval_ps: u64,
    /// Least number of data packets between two of a flow, 1 or more.
    pub packets: u32,
    /// A probe that has not been answered for this long no longer holds back the next, ps.
    pub timeout_ps: u64,
}

impl ProbeRule {
    /// The usual timeout of an interval: four of them, and not less than 100 us.
    pub const fn usual_timeout_ps(interval_ps: u64) -> u64 {
        let four = interval_ps.saturating_mul(4);
        if four > LEAST_TIMEOUT_PS {
            four
        } else {
            LEAST_TIMEOUT_PS
        }
    }
}

/// A flow's probes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probing {
    /// Count of the last one sent, 24 bits; the first is 1.
    sent: u32,
    /// Count of the last response accepted.
    accepted: u32,
    /// When the last one left, ps; `None` before the first.
    at: Option<u64>,
    /// One is on its way and has not timed out.
    outstanding: bool,
    /// Data packets since the last one.
    packets: u32,
}

impl Probing {
    /// A data packet leaves.
    pub fn data(&mut self) {
        self.packets = self.packets.saturating_add(1);
    }

    /// Whether a probe is due; `in_flight`: payload is.
    pub fn due(&self, rule: &ProbeRule, in_flight: bool, now: u64) -> bool {
        let Some(at) = self.at else {
            return in_flight && self.packets > 0;
        };
        let since = now - at;
        if !in_flight || self.packets == 0 {
            return false;
        }
        let awaited = self.outstanding && since < rule.timeout_ps;
        let enough = self.packets >= rule.packets || since >= IDLE_PS;
        !awaited && since >= rule.interval_ps && enough
    }

    /// One leaves; returns its count.
    pub fn send(&mut self, now: u64) -> u32 {
        self.sent = self.sent.wrapping_add(1) & MASK_24;
        (self.at, self.outstanding, self.packets) = (Some(now), true, 0);
        self.sent
    }

    /// A response arrives. True if it counts: after the last accepted, not after the last sent.
    pub fn accept(&mut self, count: u32) -> bool {
        if self.at.is_none() || !psn_after(count, self.accepted) || psn_after(count, self.sent) {
            return false;
        }
        self.accepted = count;
        self.outstanding &= count != self.sent;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: ProbeRule = ProbeRule {
        interval_ps: 100,
        packets: 2,
        timeout_ps: 1000,
    };

    #[test]
    fn usual_timeouts() {
        let us = |interval: u64| ProbeRule::usual_timeout_ps(interval * 1_000_000) / 1_000_000;
        assert_eq!([us(0), us(5), us(25), us(26), us(100)], [100, 100, 100, 104, 400]);
    }

    #[test]
    fn one_is_due_when_all_conditions_hold() {
        let mut flow = Probing::default();
        assert!(!flow.due(&RULE, true, 0), "no data yet");
        flow.data();
        assert!(flow.due(&RULE, true, 0), "the first comes with the first data packet");
        assert_eq!(flow.send(0), 1);
        flow.data();
        flow.data();
        assert!(!flow.due(&RULE, true, 500), "one is outstanding");
        assert!(flow.due(&RULE, true, 1000), "until it has timed out");
        assert!(flow.accept(1));
        assert!(!flow.due(&RULE, true, 99), "T has not passed");
        assert!(flow.due(&RULE, true, 100));
        assert!(!flow.due(&RULE, false, 100), "nothing is in flight");
        flow.send(100);
        flow.accept(2);
        flow.data();
        assert!(!flow.due(&RULE, true, 300), "one data packet is not enough");
        assert!(flow.due(&RULE, true, 100 + IDLE_PS), "except after a pause");
    }

    #[test]
    fn responses_are_accepted_once_in_order() {
        let mut flow = Probing::default();
        assert!(!flow.accept(0) && !flow.accept(1), "nothing was sent");
        for at in 0..5 {
            flow.send(at);
        }
        assert!(flow.accept(2), "late is good");
        assert!(!flow.accept(2) && !flow.accept(1) && !flow.accept(6));
        assert!(flow.accept(5));
        let mut wrapped = Probing {
            sent: 0xff_ffff,
            accepted: 0xff_fffe,
            at: Some(0),
            ..Probing::default()
        };
        assert_eq!(wrapped.send(1), 0);
        assert!(wrapped.accept(0xff_ffff) && wrapped.accept(0));
    }
}
