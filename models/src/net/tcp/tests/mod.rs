//! Rules of the TCP hosts, each a test with the RFC's section; and the hosts in a network.

mod cubic;
mod dctcp;
mod network;
mod probes;
mod receiver;
mod reno;
mod sack;
mod timer;

use super::header::{Acknowledgement, Blocks, Segment};
use super::*;

/// Picoseconds in a millisecond.
const MS: u64 = 1_000_000_000;
/// SMSS.
const MSS: u64 = 1448;

/// A sender by itself, with a clock set by hand.
struct Bench {
    config: TcpConfig,
    sender: Sender,
    now: u64,
    /// Everything sent so far.
    sent: Vec<Segment>,
}

impl Bench {
    /// A sender with `segments` full segments to send and a round trip of 1 ms.
    fn new(config: TcpConfig, segments: u64) -> Self {
        let mut bench = Self {
            sender: Sender::new(&config, 0, MS),
            config,
            now: 0,
            sent: Vec::new(),
        };
        bench.sender.write(&bench.config, 0, segments * MSS);
        bench.collect();
        bench
    }

    fn rfc(law: TcpLaw, segments: u64) -> Self {
        Self::new(TcpConfig::rfc(law), segments)
    }

    fn collect(&mut self) -> Vec<Segment> {
        let new = self.sender.take();
        self.sent.extend(&new);
        new
    }

    /// Acknowledges `segments` segments from the start, 1 ms after they were sent; `blocks` in segments.
    fn ack_with(&mut self, segments: u64, blocks: &[(u64, u64)], ece: bool) -> Vec<Segment> {
        let blocks: Vec<(u64, u64)> = blocks.iter().map(|b| (b.0 * MSS, b.1 * MSS)).collect();
        let ack = Acknowledgement {
            number: segments * MSS,
            ece,
            blocks: Blocks::from_list(&blocks, 4),
            echo: self.now.saturating_sub(MS),
        };
        self.sender.acknowledgement(&self.config, self.now, &ack);
        self.collect()
    }

    fn ack(&mut self, segments: u64) -> Vec<Segment> {
        self.ack_with(segments, &[], false)
    }

    /// In segments.
    fn cwnd(&self) -> f64 {
        self.sender.cwnd() as f64 / MSS as f64
    }

    fn ssthresh(&self) -> f64 {
        self.sender.ssthresh() as f64 / MSS as f64
    }

    /// The first segments' numbers of what was sent.
    fn numbers(segments: &[Segment]) -> Vec<u64> {
        segments.iter().map(|s| s.seq / MSS).collect()
    }
}
