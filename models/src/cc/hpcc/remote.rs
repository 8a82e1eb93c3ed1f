//! The law at the receiver (draft-miao-ccwg-hpcc, 6.3.2, lines 28 to 34): the clock that lets it act there, and what the sender makes of the
//! windows that come back.
//!
//! The law itself is the sender's, unchanged. Where a sender asks whether an ACK is newer than its last full update (line 22), a receiver asks
//! its clock (line 29): an event of kind [`EventKind::Probe`] is a full update, one of kind [`EventKind::Ack`] whose sequence numbers stand still is
//! a fast reaction.

use super::params::HpccParams;
use crate::cc::EventKind;

/// `lastUpdateTime` of one incoming flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverClock {
    /// ns; `None` before the first packet with telemetry.
    last_update: Option<u64>,
}

impl ReceiverClock {
    /// A packet with telemetry at `now` ns. `after` is what has to pass between two full updates, ns: `T`, or `T` and the queue's delay. The
    /// first packet stores records and the time, nothing else. True: a full update.
    pub fn packet(&mut self, now: u64, after: u64) -> bool {
        match self.last_update {
            // 29: if now > lastUpdateTime + T
            Some(last) if now <= last + after => false,
            last => {
                self.last_update = Some(now);
                last.is_some()
            }
        }
    }
}

/// Kind of the event that a packet becomes at the receiver's law. Its `psn_next` and `snd_nxt` have to stand still.
pub fn receiver_kind(full: bool) -> EventKind {
    if full {
        EventKind::Probe
    } else {
        EventKind::Ack
    }
}

/// Numbers of the notifications of one receiver, 32 bits in serial arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notified {
    last: Option<u32>,
}

impl Notified {
    /// A notification of this number arrives. True if none as new was taken before; it is the newest from now on.
    pub fn take(&mut self, sequence: u32) -> bool {
        let newer = |last: u32| (1..1 << 31).contains(&sequence.wrapping_sub(last));
        let takes = self.last.is_none_or(newer);
        if takes {
            self.last = Some(sequence);
        }
        takes
    }
}

/// Window (bytes) and rate (bits per second) that a sender makes of a window that its receiver computed: whatever that says, the window stays within
/// `[W_min, W_init]`. `None` for what is not a number.
pub fn remote_window(window: f64, params: &HpccParams) -> Option<(f64, f64)> {
    if window.is_nan() {
        return None;
    }
    let window = window.min(params.w_init).max(params.w_min());
    Some((window, window * params.line_rate as f64 / params.w_init))
}

/// The sender's side: the window that its receiver told it last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemoteWindow {
    notified: Notified,
}

impl RemoteWindow {
    /// A window notification: `sequence` is its number, `window` bytes. Window and rate (bits per second) to use, or `None` where a newer one
    /// was taken before.
    pub fn take(&mut self, sequence: u32, window: f64, params: &HpccParams) -> Option<(f64, f64)> {
        let taken = remote_window(window, params)?;
        self.notified.take(sequence).then_some(taken)
    }
}

/// Times `T` without a notification after which a sender with data in flight counts that its receiver is silent.
const SILENT_ROUND_TRIPS: u64 = 8;

/// Whether the receiver whose windows a sender follows is silent. The window stays as it is; it is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SilenceWatch {
    /// When something was heard, counted or first sent, in the unit of the caller.
    at: Option<u64>,
}

impl SilenceWatch {
    /// A data packet leaves at `now`; true if nothing was heard for longer than eight `T`, which is said once for each eight `T`.
    pub fn sends(&mut self, now: u64, round_trip: u64) -> bool {
        let at = *self.at.get_or_insert(now);
        let silent = now > at + SILENT_ROUND_TRIPS * round_trip;
        if silent {
            self.at = Some(now);
        }
        silent
    }

    /// A notification was taken at `now`, or a flow that had nothing in flight begins again.
    pub fn hears(&mut self, now: u64) {
        self.at = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_update_needs_more_than_t() {
        let mut clock = ReceiverClock::default();
        assert!(!clock.packet(100, 13_000), "the first packet only stores");
        assert!(!clock.packet(13_100, 13_000), "line 29 is strict");
        assert!(clock.packet(13_101, 13_000));
        assert!(!clock.packet(26_101, 13_000));
        assert!(!clock.packet(27_000, 14_000), "with the delay of a queue");
        assert!(clock.packet(27_102, 14_000));
    }

    #[test]
    fn windows_are_taken_once_in_order_and_within_their_range() {
        let params = HpccParams::new(100_000_000_000, 13_000);
        let mut sender = RemoteWindow::default();
        let (w, rate) = sender.take(7, 81_250.0, &params).unwrap();
        assert_eq!((w, rate), (81_250.0, 50e9));
        assert_eq!(sender.take(7, 1000.0, &params), None, "the same again");
        assert_eq!(sender.take(6, 1000.0, &params), None, "an older one");
        assert_eq!(sender.take(8, f64::NAN, &params), None);
        assert_eq!(sender.take(8, 1e300, &params).unwrap().0, params.w_init);
        assert_eq!(sender.take(9, 0.0, &params).unwrap().0, params.w_min());
        let mut wrapped = RemoteWindow::default();
        assert!(wrapped.take(u32::MAX, 5000.0, &params).is_some());
        assert!(wrapped.take(0, 5000.0, &params).is_some(), "the number wraps");
    }

    #[test]
    fn silence_is_counted_once_each_eight_round_trips() {
        let mut watch = SilenceWatch::default();
        let mut at = |times: &[u64]| -> Vec<bool> { times.iter().map(|&now| watch.sends(now, 10)).collect() };
        assert_eq!(at(&[0, 80, 81, 161, 162]), [false, false, true, false, true]);
        watch.hears(200);
        assert!(!watch.sends(280, 10) && watch.sends(281, 10));
    }
}
