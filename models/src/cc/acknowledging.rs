//! One acknowledgement for several data packets, with telemetry (HPCC++, draft-miao-ccwg-hpcc 6.2.2.1 and 6.3.2: "not all ACK packets"): when a
//! sender asks for one, and what a receiver keeps until then. The rules of the network's hosts and of the NIC.

/// A sender's side: packets since the last that asked for an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckRequests {
    since: u32,
}

impl AckRequests {
    /// A packet leaves. True if it asks: the `every`-th, and in any case one of which `must` is true (the last of its message, one that fills
    /// the window, the first of a repetition).
    pub fn packet(&mut self, every: u32, must: bool) -> bool {
        self.since += 1;
        let asks = must || self.since >= every;
        if asks {
            self.since = 0;
        }
        asks
    }

    /// Counts from nothing again: the flow has gone back.
    pub fn restart(&mut self) {
        self.since = 0;
    }
}

/// A receiver's side of one flow: the newest packet `P` that waits for its acknowledgement, and the newest telemetry `T` since the last one.
#[derive(Clone, Debug)]
pub struct AckDelay<P, T> {
    waiting: Option<P>,
    /// When the first of those that wait came, in the unit of the caller.
    since: u64,
    telemetry: Option<T>,
}

impl<P, T> Default for AckDelay<P, T> {
    fn default() -> Self {
        Self {
            waiting: None,
            since: 0,
            telemetry: None,
        }
    }
}

impl<P, T> AckDelay<P, T> {
    /// Keeps a packet that did not ask, and its telemetry if it has any. The acknowledgement of a later one, or of the delay's end, speaks for
    /// it. True if no other waited: the delay begins.
    pub fn hold(&mut self, packet: P, telemetry: Option<T>, now: u64) -> bool {
        self.telemetry = telemetry.or(self.telemetry.take());
        let begins = self.waiting.replace(packet).is_none();
        if begins {
            self.since = now;
        }
        begins
    }

    /// An acknowledgement leaves, which speaks for whatever waited: the newest telemetry kept, for one whose own packet has none.
    pub fn acknowledged(&mut self) -> Option<T> {
        self.waiting = None;
        self.telemetry.take()
    }

    /// The delay is over: the newest packet that waits, which is acknowledged now.
    pub fn take_waiting(&mut self) -> Option<P> {
        self.waiting.take()
    }

    /// When the delay began, if a packet waits.
    pub fn since(&self) -> Option<u64> {
        self.waiting.as_ref().map(|_| self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_third_and_those_that_must_ask() {
        let mut flow = AckRequests::default();
        let mut run = |musts: &[bool]| -> Vec<bool> { musts.iter().map(|&must| flow.packet(3, must)).collect() };
        assert_eq!(run(&[false; 7]), [false, false, true, false, false, true, false]);
        assert_eq!(run(&[true, false, false, false]), [true, false, false, true]);
        flow.packet(3, false);
        flow.restart();
        assert!(!flow.packet(3, false) && !flow.packet(3, false) && flow.packet(3, false));
        assert!(flow.packet(1, false), "each packet");
    }

    #[test]
    fn the_newest_packet_and_the_newest_telemetry_are_kept_from_the_first_on() {
        let mut delay = AckDelay::default();
        assert_eq!((delay.since(), delay.acknowledged()), (None, None));
        assert!(delay.hold(5, Some("first"), 100));
        assert!(!delay.hold(6, Some("second"), 110));
        assert!(
            !delay.hold(7, None, 120),
            "telemetry of the packet before is the newest"
        );
        assert_eq!(delay.since(), Some(100));
        assert_eq!(delay.acknowledged(), Some("second"));
        assert_eq!(
            (delay.since(), delay.acknowledged(), delay.take_waiting()),
            (None, None, None)
        );
        assert!(delay.hold(8, Some("third"), 200));
        assert_eq!((delay.since(), delay.take_waiting()), (Some(200), Some(8)));
        assert_eq!((delay.since(), delay.acknowledged()), (None, Some("third")));
    }
}
