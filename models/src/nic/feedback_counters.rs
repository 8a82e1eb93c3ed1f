//! Counters of what the hardware does not have: INT in other formats and its return in packets of its own (HPCC++).

/// Values of the counters beside [`super::Counters`]. All stay 0 where everything is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeedbackCounters {
    /// Packets whose INT cannot be used (a field not populated, a speed that is not valid, a length that does not fit, INT-MX); they are
    /// acknowledged all the same.
    pub int_bad_format: u64,
    /// Stacks of fewer switches than the queue pair expects; the law takes them.
    pub int_few_hops: u64,
    /// Notifications sent: of a packet's INT, of a window, of a number of flows.
    pub notifications_sent: u64,
    /// Ignored: notification of a packet that is not outstanding, or with a number that is not newer than the last one taken.
    pub notify_stale: u64,
    /// Times that a flow sent for eight `T` without hearing of the window that its receiver computes.
    pub notify_missing: u64,
    /// Acknowledgements sent because a packet had waited for one for `T`.
    pub delayed_acks: u64,
}

impl FeedbackCounters {
    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("int_bad_format", self.int_bad_format),
            ("int_few_hops", self.int_few_hops),
            ("notifications_sent", self.notifications_sent),
            ("notify_stale", self.notify_stale),
            ("notify_missing", self.notify_missing),
            ("delayed_acks", self.delayed_acks),
        ]
        .into_iter()
    }
}
