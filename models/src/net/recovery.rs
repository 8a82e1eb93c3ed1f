//! Selective retransmission as IRN has it (Mittal et al., SIGCOMM 2018, section 3): the receiver keeps what arrives out of order and says so;
//! the sender repeats only what is missing, and never has more than one bandwidth-delay product outstanding.
//!
//! On a negative acknowledgement (cumulative byte, byte of the packet that caused it) the sender marks that packet as arrived and is in
//! recovery until everything sent before the last repetition is acknowledged. In recovery, unmarked packets below the highest marked one
//! count as lost: each is sent once, before new data, at the flow's pace but not bound by a window. A repetition that is lost itself
//! waits for the timeout, which makes everything unmarked lost; the paper names only the oldest packet there, which would cost a lost tail
//! one timeout for each of its packets.

/// Constants of IRN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IrnRules {
    /// Timeout while at most [`IrnRules::few`] packets are in flight, ps.
    pub rto_low_ps: u64,
    /// Timeout otherwise, ps.
    pub rto_high_ps: u64,
    /// The paper's N.
    pub few: u64,
}

impl IrnRules {
    /// The paper's: 100 us up to three packets in flight, otherwise 320 us.
    pub const PAPER: Self = Self {
        rto_low_ps: 100_000_000,
        rto_high_ps: 320_000_000,
        few: 3,
    };

    /// Timeout of a flow, ps.
    pub fn timeout_ps(&self, in_flight: u64, mtu: u32) -> u64 {
        if in_flight <= self.few * u64::from(mtu) {
            self.rto_low_ps
        } else {
            self.rto_high_ps
        }
    }
}

/// What a flow has outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outstanding {
    /// Oldest unacknowledged byte.
    pub una: u64,
    /// Next byte to send.
    pub nxt: u64,
}

/// A bit per packet of a flow.
#[derive(Clone, Debug, Default)]
pub struct PacketSet(Vec<u64>);

impl PacketSet {
    /// Adds packet `index`; false if it was there.
    pub fn insert(&mut self, index: u64) -> bool {
        let word = (index / 64) as usize;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let bit = 1 << (index % 64);
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// Is packet `index` in the set.
    pub fn contains(&self, index: u64) -> bool {
        self.0
            .get((index / 64) as usize)
            .is_some_and(|w| w >> (index % 64) & 1 == 1)
    }
}

/// State of selective retransmission, both ends.
#[derive(Clone, Debug, Default)]
pub struct Selective {
    mtu: u64,
    /// Receiver: packets that arrived ahead of the expected one.
    pub early: PacketSet,
    /// Sender: packets known to have arrived ahead.
    arrived: PacketSet,
    /// Sender: unmarked packets below this one count as lost.
    highest: u64,
    /// Sender: next packet to repeat, if below `highest`; those before it were repeated, or arrived.
    cursor: u64,
    recovering: bool,
    /// Recovery ends here, packet number.
    recovery_end: u64,
}

impl Selective {
    /// For packets of `mtu` payload bytes.
    pub fn new(mtu: u32) -> Self {
        Self {
            mtu: u64::from(mtu),
            ..Self::default()
        }
    }

    fn packet(&self, byte: u64) -> u64 {
        byte / self.mtu
    }

    /// A packet waits for retransmission.
    pub fn has_lost(&self) -> bool {
        self.recovering && self.cursor < self.highest
    }

    /// Moves the cursor over what has arrived.
    fn settle(&mut self, sent: Outstanding) {
        self.cursor = self.cursor.max(self.packet(sent.una));
        while self.cursor < self.highest && self.arrived.contains(self.cursor) {
            self.cursor += 1;
        }
    }

    /// Takes the next packet to repeat: its first byte.
    pub fn take_lost(&mut self, sent: Outstanding) -> Option<u64> {
        if !self.has_lost() {
            return None;
        }
        let packet = self.cursor;
        self.cursor += 1;
        // What was sent before this repetition says nothing about whether it arrived.
        self.recovery_end = sent.nxt.div_ceil(self.mtu);
        self.settle(sent);
        Some(packet * self.mtu)
    }

    /// The cumulative acknowledgement moved to `sent.una`.
    pub fn acknowledged(&mut self, sent: Outstanding) {
        // The end of a message is less than a packet.
        if self.recovering && sent.una.div_ceil(self.mtu) >= self.recovery_end {
            self.recovering = false;
        }
        self.settle(sent);
    }

    /// A negative acknowledgement: the packet at byte `caused_by` arrived early. True if that was not known.
    pub fn missing(&mut self, sent: Outstanding, caused_by: u64) -> bool {
        let packet = self.packet(caused_by);
        let news = caused_by >= sent.una && self.arrived.insert(packet);
        if news {
            self.highest = self.highest.max(packet);
        }
        if !self.recovering {
            self.recovering = true;
            self.cursor = self.packet(sent.una);
            self.recovery_end = sent.nxt.div_ceil(self.mtu);
        }
        self.settle(sent);
        news
    }

    /// No progress for the timeout: repeat everything that is not known to have arrived.
    pub fn timed_out(&mut self, sent: Outstanding) {
        self.recovering = true;
        self.cursor = self.packet(sent.una);
        self.highest = sent.nxt.div_ceil(self.mtu);
        self.recovery_end = self.highest;
        self.settle(sent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(una: u64, nxt: u64) -> Outstanding {
        Outstanding { una, nxt }
    }

    fn take_all(s: &mut Selective, sent: Outstanding) -> Vec<u64> {
        std::iter::from_fn(|| s.take_lost(sent)).collect()
    }

    #[test]
    fn repeats_exactly_what_is_missing_and_once() {
        let mut s = Selective::new(1000);
        let c = sent(2000, 8000);
        assert!(s.missing(c, 4000));
        assert_eq!(take_all(&mut s, c), [2000, 3000]);
        // Later packets of the same gap bring no second repetition; a second hole is repeated once.
        assert!(s.missing(c, 5000) && !s.missing(c, 5000));
        assert!(!s.has_lost());
        s.missing(c, 7000);
        assert_eq!(take_all(&mut s, c), [6000]);
        s.acknowledged(sent(8000, 8000));
        assert!(!s.recovering && !s.has_lost());
    }

    /// The first hole is filled while the repetition of the second, which was found later, is on its way: what was sent before that
    /// repetition must not bring another one.
    #[test]
    fn a_hole_found_in_recovery_is_repeated_once() {
        let mut s = Selective::new(1000);
        s.missing(sent(1000, 4000), 2000);
        assert_eq!(take_all(&mut s, sent(1000, 4000)), [1000]);
        s.missing(sent(1000, 9000), 6000);
        assert_eq!(take_all(&mut s, sent(1000, 9000)), [3000, 4000, 5000]);
        s.acknowledged(sent(4000, 10_000));
        s.missing(sent(4000, 10_000), 8000);
        assert_eq!(take_all(&mut s, sent(4000, 10_000)), [7000]);
    }

    #[test]
    fn a_timeout_repeats_the_tail() {
        let mut s = Selective::new(1000);
        let c = sent(1000, 3500);
        s.missing(c, 2000);
        assert_eq!(take_all(&mut s, c), [1000]);
        s.timed_out(c);
        assert_eq!(take_all(&mut s, c), [1000, 3000]);
        s.acknowledged(sent(3500, 3500));
        assert!(!s.recovering);
    }

    #[test]
    fn few_packets_have_the_short_timeout() {
        let rules = IrnRules::PAPER;
        assert_eq!(rules.timeout_ps(3 * 1024, 1024), 100_000_000);
        assert_eq!(rules.timeout_ps(3 * 1024 + 1, 1024), 320_000_000);
    }
}
