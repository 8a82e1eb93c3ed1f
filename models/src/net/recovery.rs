//! Selective retransmission (IRN): the receiver keeps what arrives out of order and says so; the sender repeats only what is
//! missing.
//!
//! On a negative acknowledgement (cumulative byte, byte of the packet that caused it) the sender marks that packet as arrived and is in
//! recovery until everything sent before is acknowledged. In recovery, unmarked packets below the highest marked one count as lost and are
//! sent once each, before new data; until then they are not in flight. A timeout makes everything unmarked lost.

use super::flow::Context;

/// A bit per packet of a flow.
#[derive(Clone, Debug, Default)]
pub struct PacketSet {
    words: Vec<u64>,
    len: u64,
}

impl PacketSet {
    /// Adds packet `index`; false if it was there.
    pub fn insert(&mut self, index: u64) -> bool {
        let word = (index / 64) as usize;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let bit = 1 << (index % 64);
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.len += u64::from(new);
        new
    }

    /// Takes packet `index` out.
    pub fn remove(&mut self, index: u64) {
        if self.contains(index) {
            self.words[(index / 64) as usize] &= !(1 << (index % 64));
            self.len -= 1;
        }
    }

    /// Is packet `index` in the set.
    pub fn contains(&self, index: u64) -> bool {
        self.words
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
    /// Sender: one past the highest of them.
    highest: u64,
    /// Sender: next packet to look at for retransmission.
    cursor: u64,
    /// Sender: packets that count as lost and have not been repeated.
    lost: u64,
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

    /// Payload bytes in flight: sent, neither acknowledged nor known to have arrived, nor lost.
    pub fn in_flight(&self, context: &Context) -> u64 {
        (context.snd_nxt - context.snd_una).saturating_sub((self.arrived.len + self.lost) * self.mtu)
    }

    /// A packet waits for retransmission.
    pub fn has_lost(&self) -> bool {
        self.lost > 0
    }

    /// Counts what waits for retransmission; called where that can change by more than one.
    fn count_lost(&mut self, context: &Context) {
        let start = self.cursor.max(self.packet(context.snd_una));
        let missing = (start..self.highest).filter(|&p| !self.arrived.contains(p)).count();
        self.lost = if self.recovering { missing as u64 } else { 0 };
    }

    /// The next packet to repeat.
    fn next_lost(&self, context: &Context) -> Option<u64> {
        let start = self.cursor.max(self.packet(context.snd_una));
        (start..self.highest).find(|&p| !self.arrived.contains(p))
    }

    /// Takes the next packet to repeat: its first byte.
    pub fn take_lost(&mut self, context: &Context) -> Option<u64> {
        if self.lost == 0 {
            return None;
        }
        let packet = self.next_lost(context)?;
        self.cursor = packet + 1;
        self.lost -= 1;
        Some(packet * self.mtu)
    }

    /// The cumulative acknowledgement moved from `old` to `context.snd_una`.
    pub fn acknowledged(&mut self, context: &Context, old: u64) {
        for packet in self.packet(old)..self.packet(context.snd_una) {
            self.arrived.remove(packet);
        }
        if self.recovering && self.packet(context.snd_una) >= self.recovery_end {
            self.recovering = false;
        }
        if self.lost > 0 {
            self.count_lost(context);
        }
    }

    /// A negative acknowledgement: the packet at byte `caused_by` arrived early.
    pub fn missing(&mut self, context: &Context, caused_by: u64) {
        let packet = self.packet(caused_by);
        if caused_by >= context.snd_una {
            self.arrived.insert(packet);
            self.highest = self.highest.max(packet);
        }
        if !self.recovering {
            self.recovering = true;
            self.cursor = self.packet(context.snd_una);
            self.recovery_end = context.snd_nxt.div_ceil(self.mtu);
        }
        self.count_lost(context);
    }

    /// No progress for the timeout: repeat everything that is not known to have arrived.
    pub fn timed_out(&mut self, context: &Context) {
        self.recovering = true;
        self.cursor = self.packet(context.snd_una);
        self.highest = context.snd_nxt.div_ceil(self.mtu);
        self.recovery_end = self.highest;
        self.count_lost(context);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_exactly_what_is_missing() {
        let mut s = Selective::new(1000);
        let context = Context {
            snd_una: 2000,
            snd_nxt: 8000,
            size: 20_000,
            ..Context::default()
        };
        for early in [4000, 5000, 7000] {
            s.missing(&context, early);
        }
        // 2000, 3000 and 6000 are lost; nothing else is on the way.
        assert_eq!(s.in_flight(&context), 0);
        assert_eq!([s.take_lost(&context), s.take_lost(&context)], [Some(2000), Some(3000)]);
        assert_eq!([s.take_lost(&context), s.take_lost(&context)], [Some(6000), None]);
        assert_eq!(s.in_flight(&context), 3000);
        let later = Context {
            snd_una: 8000,
            ..context.clone()
        };
        s.acknowledged(&later, 2000);
        assert!(!s.has_lost() && s.in_flight(&later) == 0);
    }

    #[test]
    fn a_timeout_repeats_the_tail() {
        let mut s = Selective::new(1000);
        let context = Context {
            snd_una: 1000,
            snd_nxt: 3500,
            size: 3500,
            ..Context::default()
        };
        s.timed_out(&context);
        let repeated: Vec<_> = std::iter::from_fn(|| s.take_lost(&context)).collect();
        assert_eq!(repeated, [1000, 2000, 3000]);
        // A small window must not keep lost packets from being repeated.
        s.timed_out(&context);
        assert_eq!(s.in_flight(&context), 0);
    }
}
