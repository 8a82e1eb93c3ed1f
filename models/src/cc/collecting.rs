//! Which data packets of a flow collect telemetry where not all do (HPCC++, draft-miao-ccwg-hpcc 6.2.1: "a subset"): the rule of the network's hosts
//! and of the NIC.

/// Every `every`-th data packet of a flow collects telemetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// 1 or more; 1: every packet.
    pub every: u32,
    /// A packet that is sent so long after the last one that collected collects in any case, ps: a quarter of the law's stale limit, else the
    /// records of slow flows would be stale for good.
    pub at_latest_ps: u64,
}

/// A flow's place in the sampling.
#[derive(Clone, Copy, Debug, Default)]
pub struct Collecting {
    /// Packets since the last one that collected.
    skipped: u32,
    /// When that one was sent, ps.
    at: u64,
    /// Data is being sent again.
    repeating: bool,
}

impl Collecting {
    /// Whether a packet collects: the first of a message (`starts`), the first of a repetition (`repetition`: it was sent before), the k-th, one
    /// after a pause. `now`: ps.
    pub fn next(&mut self, rule: &Sampling, starts: bool, repetition: bool, now: u64) -> bool {
        let rewound = repetition && !self.repeating;
        self.repeating = repetition;
        self.skipped += 1;
        let collects = starts || rewound || self.skipped >= rule.every || now - self.at >= rule.at_latest_ps;
        if collects {
            (self.skipped, self.at) = (0, now);
        }
        collects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_kth_late_and_repeated_packets_collect() {
        let rule = Sampling {
            every: 4,
            at_latest_ps: 1000,
        };
        let mut flow = Collecting::default();
        let mut run = |seqs: &[u64], repetition: bool, at: u64| -> Vec<bool> {
            seqs.iter().map(|&s| flow.next(&rule, s == 0, repetition, at)).collect()
        };
        assert_eq!(
            run(&[0, 1, 2, 3, 4, 5], false, 10),
            [true, false, false, false, true, false]
        );
        assert_eq!(run(&[2, 3], true, 20), [true, false]);
        assert_eq!(run(&[6], false, 20), [false]);
        assert_eq!(run(&[7], false, 1020), [true]);
    }
}
