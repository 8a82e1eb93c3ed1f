//! The receiving end: reassembly, when to acknowledge, which blocks to report, and DCTCP's echo of marks.

use std::collections::BTreeMap;

use super::config::{Profile, TcpConfig, TcpLaw};
use super::header::{Acknowledgement, Blocks, Segment};

/// Most blocks remembered (RFC 2018: as many as fit an option).
const MOST_BLOCKS: usize = 4;

/// State of a receiver.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    /// Next byte expected (RCV.NXT).
    pub next: u64,
    /// Arrived ahead: first byte to byte after the last.
    early: BTreeMap<u64, u64>,
    /// Blocks, the most recent first (RFC 2018, 4).
    blocks: Vec<(u64, u64)>,
    /// Segments in order that no acknowledgement covers yet.
    unacknowledged: u32,
    /// When they are acknowledged at the latest, ps.
    pub due: Option<u64>,
    /// Highest acknowledgement sent (Last.ACK.sent of RFC 7323, 4.3).
    last_sent: u64,
    /// Timestamp to echo (TS.Recent).
    recent: u64,
    /// Marks are echoed (DCTCP.CE of RFC 8257, 3.2).
    echo: bool,
    /// ns-3: next byte expected when the last segment arrived, an acknowledgement is being held back, and the newest marked segment.
    prior: Option<u64>,
    held: bool,
    newest_mark: Option<u64>,
    out: Vec<Acknowledgement>,
}

impl Receiver {
    /// A receiver that has everything up to byte 0. ns-3 acknowledges the first segment at once.
    pub fn new(config: &TcpConfig) -> Self {
        Self {
            unacknowledged: match config.profile {
                Profile::Rfc => 0,
                Profile::Ns3 => config.delayed_ack,
            },
            ..Self::default()
        }
    }

    /// A segment arrives, `marked` or not. Returns bytes delivered in order; what is to be sent is in [`Self::take`].
    pub fn segment(&mut self, config: &TcpConfig, now: u64, segment: &Segment, marked: bool) -> u64 {
        if config.law == TcpLaw::Dctcp {
            self.mark(config, segment, marked);
        }
        if segment.seq == self.next && segment.seq <= self.last_sent {
            self.recent = segment.stamp;
        }
        let before = self.next;
        let end = segment.seq + u64::from(segment.len);
        let known = end <= self.next
            || self
                .early
                .range(..=segment.seq)
                .next_back()
                .is_some_and(|(_, &e)| e >= end);
        if known {
            // RFC 5681, 4.2 and RFC 9293, 3.10.7.4: what is not news is acknowledged at once.
            self.acknowledge(config);
            return 0;
        }
        if segment.seq > self.next {
            self.early.insert(segment.seq, end);
            self.report(segment.seq, end);
            self.join(segment.seq, end);
        } else {
            self.next = end;
            while let Some((&first, &end)) = self.early.first_key_value().filter(|(&first, _)| first <= self.next) {
                self.early.remove(&first);
                self.next = self.next.max(end);
            }
            let next = self.next;
            self.blocks.retain(|b| b.1 > next);
        }
        let filled = self.next > before + u64::from(segment.len);
        if !self.early.is_empty() || filled {
            // RFC 5681, 4.2: out of order, or a gap filled: at once.
            self.held = false;
            self.acknowledge(config);
        } else {
            self.unacknowledged += 1;
            if self.unacknowledged >= config.delayed_ack {
                self.held = false;
                self.acknowledge(config);
            } else {
                self.held = true;
                self.due.get_or_insert(now + config.delayed_ack_ps);
            }
        }
        self.next - before
    }

    /// Joins neighbours of what arrived ahead.
    fn join(&mut self, mut first: u64, mut end: u64) {
        if let Some((&f, &e)) = self.early.range(..first).next_back().filter(|(_, &e)| e >= first) {
            self.early.remove(&first);
            (first, end) = (f, end.max(e));
        }
        while let Some((&f, &e)) = self.early.range(first + 1..).next().filter(|(&f, _)| f <= end) {
            self.early.remove(&f);
            end = end.max(e);
        }
        self.early.insert(first, end);
    }

    /// RFC 2018, 4: the block with the newest segment goes first, what touches it is joined to it.
    fn report(&mut self, first: u64, end: u64) {
        let mut newest = (first, end);
        self.blocks.retain(|&(f, e)| {
            let touches = e == newest.0 || f == newest.1;
            if touches {
                newest = (newest.0.min(f), newest.1.max(e));
            }
            !touches
        });
        self.blocks.insert(0, newest);
        self.blocks.truncate(MOST_BLOCKS);
    }

    /// RFC 8257, 3.2: a change of marks is acknowledged at once for what came before it. In ns-3 that acknowledgement carries the number
    /// of one segment earlier, and a mark counts on a segment beyond all marked ones only.
    fn mark(&mut self, config: &TcpConfig, segment: &Segment, marked: bool) {
        let marked = match config.profile {
            Profile::Rfc => marked,
            Profile::Ns3 => {
                let counts = marked && self.newest_mark.is_none_or(|newest| newest < segment.seq);
                if counts {
                    self.newest_mark = Some(segment.seq);
                }
                counts
            }
        };
        if marked != self.echo {
            match config.profile {
                Profile::Rfc if self.unacknowledged > 0 => self.acknowledge(config),
                Profile::Ns3 if self.held => {
                    if let Some(prior) = self.prior {
                        self.send(config, prior);
                    }
                }
                _ => {}
            }
        }
        self.prior = Some(self.next);
        self.echo = marked;
    }

    /// The time for a delayed acknowledgement has come.
    pub fn timer(&mut self, config: &TcpConfig) {
        self.held = true;
        self.acknowledge(config);
    }

    fn acknowledge(&mut self, config: &TcpConfig) {
        self.send(config, self.next);
    }

    fn send(&mut self, config: &TcpConfig, number: u64) {
        self.unacknowledged = 0;
        self.due = None;
        self.last_sent = self.last_sent.max(number);
        let blocks = if config.sack {
            Blocks::from_list(&self.blocks, config.most_blocks())
        } else {
            Blocks::default()
        };
        self.out.push(Acknowledgement {
            number,
            ece: self.echo,
            blocks,
            echo: self.recent,
        });
    }

    /// Acknowledgements to send, oldest first.
    pub fn take(&mut self) -> Vec<Acknowledgement> {
        std::mem::take(&mut self.out)
    }
}
