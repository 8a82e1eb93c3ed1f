//! Telemetry other than on every packet and in Fig. 7's bytes (HPCC++): which packets collect, and what each format weighs.

/// Every `every`-th data packet of a flow collects telemetry (draft-miao-ccwg-hpcc, 6.2.1: "a subset").
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
    /// Whether the packet that starts at byte `seq` collects: the first of the message, the first of a repetition, the k-th, one after a pause.
    pub fn next(&mut self, rule: &Sampling, seq: u64, repetition: bool, now: u64) -> bool {
        let rewound = repetition && !self.repeating;
        self.repeating = repetition;
        self.skipped += 1;
        let collects = seq == 0 || rewound || self.skipped >= rule.every || now - self.at >= rule.at_latest_ps;
        if collects {
            (self.skipped, self.at) = (0, now);
        }
        collects
    }
}

/// What a format adds to a data packet, bytes. Acknowledgements carry Fig. 7's stack in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TelemetryBytes {
    /// At the sender.
    pub base: u32,
    /// At each of the first five switches.
    pub per_hop: u32,
}

impl TelemetryBytes {
    /// Of a format by its name in scenarios: `fig7`, `ifa`, `ioam` (pre-allocated), `ioam-incremental`, `int-md`.
    pub fn named(format: &str) -> Option<Self> {
        let (base, per_hop) = match format {
            "fig7" => (2, 8),
            "ifa" => (8, 32),
            "ioam" => (112, 0),
            "ioam-incremental" => (12, 20),
            "int-md" => (16, 24),
            _ => return None,
        };
        Some(Self { base, per_hop })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::telemetry::ioam::Trace;
    use crate::wire::telemetry::{ifa, int_md, ioam};

    /// The network's bytes are those of the packets.
    #[test]
    fn bytes_are_those_of_the_wire() {
        let mut plain = vec![0u8; 60];
        (plain[0], plain[3], plain[9]) = (0x45, 60, 17);
        let grown = |packet: Option<Vec<u8>>| (packet.unwrap().len() - plain.len()) as u32;
        for (name, base, per_hop) in [
            ("ifa", grown(ifa::encapsulate(&plain)), ifa::IFA_HOP_LEN),
            ("ioam", grown(ioam::encapsulate(&plain, Trace::Preallocated, 1, 1)), 0),
            (
                "ioam-incremental",
                grown(ioam::encapsulate(&plain, Trace::Incremental, 1, 1)),
                ioam::IOAM_NODE_LEN,
            ),
            (
                "int-md",
                grown(int_md::encapsulate(&plain, 1, 1)),
                int_md::INT_MD_HOP_LEN,
            ),
            ("fig7", crate::wire::INT_FIXED_LEN as u32, crate::wire::INT_RECORD_LEN),
        ] {
            let bytes = TelemetryBytes::named(name).unwrap();
            assert_eq!((bytes.base, bytes.per_hop as usize), (base, per_hop), "{name}");
        }
        assert_eq!(TelemetryBytes::named("fig8"), None);
    }

    #[test]
    fn first_kth_late_and_repeated_packets_collect() {
        let rule = Sampling {
            every: 4,
            at_latest_ps: 1000,
        };
        let mut flow = Collecting::default();
        let mut run = |seqs: &[u64], repetition: bool, at: u64| -> Vec<bool> {
            seqs.iter().map(|&s| flow.next(&rule, s, repetition, at)).collect()
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
