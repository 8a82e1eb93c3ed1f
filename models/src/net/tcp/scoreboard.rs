//! What was sent and not yet acknowledged in order: per segment, whether it arrived ahead, counts as lost, was sent again (RFC 6675).

use std::collections::VecDeque;

use super::config::Profile;

/// Duplicates, or segments that arrived above, after which a segment counts as lost (RFC 6675, 2: DupThresh).
pub(super) const DUP_THRESH: usize = 3;

/// One segment in flight.
#[derive(Clone, Copy, Debug)]
struct Item {
    seq: u64,
    len: u32,
    sacked: bool,
    lost: bool,
    again: bool,
}

impl Item {
    fn end(&self) -> u64 {
        self.seq + u64::from(self.len)
    }
}

/// The scoreboard of RFC 6675, section 3, in whole segments.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    profile: Profile,
    items: VecDeque<Item>,
    una: u64,
    sent: u64,
    sacked: u64,
    lost: u64,
    again: u64,
    /// First byte of the highest segment that arrived ahead.
    highest: Option<u64>,
    /// No segment before this byte waits for its repetition.
    repaired: u64,
    /// Every segment before this byte is lost or has arrived.
    settled: u64,
}

impl Scoreboard {
    /// Nothing sent yet.
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            items: VecDeque::new(),
            una: 0,
            sent: 0,
            sacked: 0,
            lost: 0,
            again: 0,
            highest: None,
            repaired: 0,
            settled: 0,
        }
    }

    /// Oldest byte not acknowledged in order (SND.UNA).
    pub fn una(&self) -> u64 {
        self.una
    }

    /// First byte never sent.
    pub fn end(&self) -> u64 {
        self.una + self.sent
    }

    /// Bytes presumed in the network (RFC 6675, 4: SetPipe). In profile ns-3 a repetition that arrived ahead still counts.
    pub fn pipe(&self) -> u64 {
        self.sent + self.again - self.sacked - self.lost
    }

    /// Bytes that arrived ahead.
    pub fn sacked(&self) -> u64 {
        self.sacked
    }

    fn index(&self, seq: u64) -> usize {
        self.items.partition_point(|i| i.seq < seq)
    }

    /// A segment is sent for the first time.
    pub fn push(&mut self, len: u32) {
        let seq = self.end();
        self.items.push_back(Item {
            seq,
            len,
            sacked: false,
            lost: false,
            again: false,
        });
        self.sent += u64::from(len);
    }

    /// The segment at `seq` is sent again: its length.
    pub fn repeat(&mut self, seq: u64) -> Option<u32> {
        let index = self.index(seq);
        let item = self.items.get_mut(index).filter(|i| i.seq == seq)?;
        if !item.again {
            item.again = true;
            self.again += u64::from(item.len);
        }
        Some(item.len)
    }

    fn set_sacked(&mut self, index: usize) {
        let item = &mut self.items[index];
        let len = u64::from(item.len);
        if item.lost {
            item.lost = false;
            self.lost -= len;
        }
        if item.again && self.profile == Profile::Rfc {
            item.again = false;
            self.again -= len;
        }
        item.sacked = true;
        self.sacked += len;
    }

    fn set_lost(&mut self, index: usize) {
        let item = &mut self.items[index];
        if !item.lost {
            item.lost = true;
            self.lost += u64::from(item.len);
            self.repaired = self.repaired.min(item.seq);
        }
    }

    /// Takes in the blocks of an acknowledgement (RFC 6675, 4: Update): bytes that were not known to have arrived.
    pub fn update(&mut self, blocks: &[(u64, u64)]) -> u64 {
        let mut news = 0;
        for &(first, end) in blocks {
            if self.end() < first {
                break;
            }
            let mut index = self.index(first.max(self.una));
            while let Some(&item) = self.items.get(index).filter(|i| i.end() <= end) {
                if !item.sacked {
                    self.set_sacked(index);
                    news += u64::from(item.len);
                    let higher = match self.profile {
                        // A segment right below the highest takes its place there.
                        Profile::Ns3 => self.highest.is_none_or(|h| h <= item.end()),
                        Profile::Rfc => self.highest.is_none_or(|h| h < item.seq),
                    };
                    if higher {
                        self.highest = Some(item.seq);
                    }
                }
                index += 1;
            }
        }
        if news > 0 {
            self.find_lost();
        }
        news
    }

    /// Everything below three segments that arrived ahead is lost (RFC 6675, 4: IsLost).
    fn find_lost(&mut self) {
        let Some(highest) = self.highest else { return };
        let mut above = 0;
        let mut boundary = None;
        let mut index = self.index(highest);
        while index < self.items.len() {
            let item = self.items[index];
            if item.seq < self.settled {
                break;
            }
            if item.sacked {
                above += 1;
            } else if above >= DUP_THRESH {
                self.set_lost(index);
            }
            if above >= DUP_THRESH && boundary.is_none() {
                boundary = Some(item.seq);
            }
            match index.checked_sub(1) {
                Some(next) => index = next,
                None => break,
            }
        }
        self.settled = self.settled.max(boundary.unwrap_or(0));
    }

    /// Is the first segment from `seq` on that is lost or has arrived ahead a lost one.
    pub fn is_lost(&self, seq: u64) -> bool {
        if self.highest.is_none_or(|h| seq >= h) {
            return false;
        }
        let mut from = self.items.range(self.index(seq)..);
        match self.profile {
            Profile::Ns3 => from.find(|i| i.lost || i.sacked).is_some_and(|i| i.lost),
            Profile::Rfc => from.next().is_some_and(|i| i.lost),
        }
    }

    /// The oldest segment is lost.
    pub fn lose_head(&mut self) {
        let Some(head) = self.items.front_mut() else { return };
        let len = u64::from(head.len);
        if head.sacked {
            head.sacked = false;
            self.sacked -= len;
        }
        if head.again {
            head.again = false;
            self.again -= len;
            self.repaired = self.repaired.min(head.seq);
        }
        self.set_lost(0);
    }

    /// Without selective acknowledgement a duplicate says that one segment has arrived, whichever: the first after the oldest counts.
    pub fn guess_sacked(&mut self) {
        let Some(index) = (1..self.items.len()).find(|&i| !self.items[i].sacked) else {
            return;
        };
        self.items[index].sacked = true;
        self.sacked += u64::from(self.items[index].len);
        self.highest = Some(self.items[index].seq);
    }

    /// Everything up to `ack` has arrived in order: bytes of it that were not known to have arrived.
    pub fn discard(&mut self, ack: u64) -> u64 {
        if ack <= self.una {
            return 0;
        }
        let mut news = 0;
        while let Some(head) = self.items.front_mut() {
            if head.seq >= ack {
                break;
            }
            let gone = (ack - head.seq).min(u64::from(head.len));
            let whole = gone == u64::from(head.len);
            if !head.sacked && whole {
                news += gone;
            }
            for (flag, sum) in [
                (head.sacked, &mut self.sacked),
                (head.lost, &mut self.lost),
                (head.again, &mut self.again),
            ] {
                if flag {
                    *sum -= gone;
                }
            }
            self.sent -= gone;
            if whole {
                self.items.pop_front();
            } else {
                head.seq += gone;
                head.len -= gone as u32;
            }
        }
        self.una = ack;
        if self.items.front().is_some_and(|h| h.sacked) {
            // The oldest segment cannot have arrived: a wrong guess moves on by one.
            let head = &mut self.items[0];
            head.sacked = false;
            self.sacked -= u64::from(head.len);
            self.guess_sacked();
            self.lose_head();
        }
        if self.highest.is_some_and(|h| h <= self.una) {
            self.highest = None;
        }
        self.repaired = self.repaired.max(self.una);
        news
    }

    /// A timeout: everything that is not known to have arrived is lost and waits for its repetition. `forget`: what was known was guessed.
    pub fn lose_all(&mut self, forget: bool) {
        (self.again, self.lost) = (0, 0);
        if forget {
            self.sacked = 0;
            self.highest = None;
        }
        for item in &mut self.items {
            item.again = false;
            item.sacked &= !forget;
            item.lost = !item.sacked;
            if item.lost {
                self.lost += u64::from(item.len);
            }
        }
        self.repaired = self.una;
        self.settled = self.end();
    }

    /// First segment that is lost and was not sent again (RFC 6675, 4: NextSeg, rule 1).
    pub fn next_lost(&mut self) -> Option<(u64, u32)> {
        let from = self.index(self.repaired);
        let found = self.items.range(from..).find(|i| i.lost && !i.again && !i.sacked);
        let found = found.map(|i| (i.seq, i.len));
        self.repaired = found.map_or(self.end(), |(seq, _)| seq);
        found
    }

    /// First segment below one that arrived ahead that neither arrived nor was sent again (NextSeg, rule 3).
    pub fn next_open(&self) -> Option<(u64, u32)> {
        let highest = self.highest?;
        let mut below = self.items.iter().take_while(|i| i.seq < highest);
        let found = below.find(|i| !i.again && !i.sacked);
        found.map(|i| (i.seq, i.len))
    }

    /// The segment that ends at `end` was sent again and has not arrived ahead.
    pub fn repeated_until(&self, end: u64) -> bool {
        let index = self.items.partition_point(|i| i.end() < end);
        let item = self.items.get(index).filter(|i| i.end() == end);
        item.is_some_and(|i| i.again && !i.sacked)
    }

    /// The highest segment that has not arrived (NextSeg, rule 4).
    pub fn last_open(&self) -> Option<(u64, u32)> {
        let found = self.items.iter().rev().find(|i| !i.sacked);
        found.map(|i| (i.seq, i.len))
    }
}
