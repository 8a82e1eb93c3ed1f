//! What a group of senders with rates of their own asks for, out of what it has sent.

use hpcc_models::alloc::INFINITE;

/// Bytes that the level must have allowed before a rate is read off: some packets more or less do not matter then.
const BYTES: u128 = 1 << 16;

/// Least demand, bit/s: whoever sent nothing for a while is found within half a second when it sends again.
const LEAST: u64 = 1_000_000;

/// What was seen of a group. Flows that use nine tenths of their level ask for all they can get, others for a quarter more than they use: so
/// they may speed up, and are found at nine tenths of their level if they do. A demand is kept while it is within an eighth of the new
/// one, so that levels rest when rates do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Bytes sent and the NIC's clock, ns, when a rate was last read off.
    before: Option<(u64, u64)>,
    demand: Option<u64>,
}

impl Usage {
    /// Demand of each of `flows` flows with work, bit/s. `sent` are the group's bytes on the wire at `now_ns`, `level` is what each of its
    /// flows may send.
    pub fn demand(&mut self, sent: u64, now_ns: u64, flows: u32, level: Option<u64>) -> u64 {
        let (Some(level), Some((bytes, since))) = (level, self.before) else {
            self.before = Some((sent, now_ns));
            return self.demand.unwrap_or(INFINITE);
        };
        let flows = u128::from(flows.max(1));
        let ns = u128::from(now_ns.saturating_sub(since));
        let allowed = u128::from(level) * flows * ns / 8_000_000_000;
        if allowed >= BYTES {
            let used = u128::from(sent.saturating_sub(bytes));
            self.before = Some((sent, now_ns));
            self.demand = if used * 10 >= allowed * 9 {
                None
            } else {
                let wanted = used * 10_000_000_000 / ns / flows;
                let wanted = u64::try_from(wanted).unwrap_or(INFINITE).max(LEAST);
                let near = |old: &u64| old.abs_diff(wanted) <= wanted / 8;
                self.demand.filter(near).or(Some(wanted))
            };
        }
        self.demand.unwrap_or(INFINITE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two flows below a level of 100 Mb/s, looked at every 100 ms: what they send together, Mb/s, and what each is then said to ask for.
    #[test]
    fn a_quarter_more_than_is_used() {
        let mut usage = Usage::default();
        let (mut sent, mut now) = (1 << 40, 7_000_000);
        let mut look = |mbps: u64, level: u64| {
            let demand = usage.demand(sent, now, 2, Some(level * 1_000_000));
            sent += mbps * 100_000 / 8;
            now += 100_000_000;
            demand / 1_000_000
        };
        let endless = INFINITE / 1_000_000;
        assert_eq!(look(80, 100), endless, "nothing is known yet");
        assert_eq!(look(84, 100), 50, "80 Mb/s of 200");
        assert_eq!(look(150, 50), 50, "84 Mb/s of 100: 52 is near enough");
        assert_eq!(look(196, 100), 93, "150 Mb/s of 200");
        assert_eq!(look(0, 100), endless, "they use what they may");
        assert_eq!(look(0, 100), 1, "nothing was sent");
    }

    /// Too little time to tell: the demand is as before.
    #[test]
    fn single_packets_are_no_rate() {
        let mut usage = Usage::default();
        assert_eq!(usage.demand(0, 0, 1, Some(8_000_000)), INFINITE);
        // 64 KiB take 65.5 ms at 1 byte per us
        assert_eq!(usage.demand(1000, 65_000_000, 1, Some(8_000_000)), INFINITE);
        assert_eq!(usage.demand(1000, 66_000_000, 1, Some(8_000_000)), 1_000_000);
        assert_eq!(usage.demand(1000, 66_000_000, 1, None), 1_000_000);
    }
}
