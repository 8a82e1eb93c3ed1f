//! DCQCN (SIGCOMM 2015) in the form of one vendor's NIC, as the HPCC authors' simulator has it: the comparator of paper section 5.
//!
//! In: acknowledgements whose data packet was marked (or CNPs), ticks. Out: rate, and the window that "DCQCN+win" obeys. Three timers
//! run per flow from its first CNP on: alpha every `alpha_interval`, the check for a decrease every `decrease_interval`, the increase
//! every `increase_interval` since the last decrease. Between ticks they are caught up, not simulated.

use super::rate_based::{RateBased, RateLaw};
use super::{CcEvent, EventKind};

/// Which stage decides about the step of an increase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IncreaseRule {
    /// That of the timer or of the bytes alone, before the step, against `F`: below nothing, at it additive, above it hyper (the HPCC
    /// authors' simulator, and one vendor).
    #[default]
    Timer,
    /// Both, after the step (QCN, and the SIGCOMM 2015 paper): nothing while the larger is below `F`, hyper once the smaller exceeds it,
    /// additive between.
    Qcn,
}

/// Parameters; times in ns, rates in bits per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DcqcnParams {
    /// Speed of the NIC's port: first and largest rate.
    pub line_rate: u64,
    /// Window at line rate, bytes.
    pub w_init: f64,
    /// Smallest rate.
    pub min_rate: u64,
    /// Gain `g` of alpha.
    pub gain: f64,
    /// Between updates of alpha.
    pub alpha_interval: u64,
    /// Between checks for a decrease.
    pub decrease_interval: u64,
    /// Increase timer.
    pub increase_interval: u64,
    /// Rounds of fast recovery.
    pub fast_recovery: u32,
    /// Additive step.
    pub rate_ai: u64,
    /// Hyper step.
    pub rate_hai: u64,
    /// A decrease always lowers the target as well.
    pub clamp_target: bool,
    /// Which stage decides about an increase.
    pub rule: IncreaseRule,
    /// Acknowledged bytes after which the rate rises as well; 0: the timer alone.
    pub byte_reset: u64,
    /// A decrease is made when the notification comes, if the last one is `decrease_interval` ago; otherwise at the next tick of a clock of
    /// that interval.
    pub immediate: bool,
    /// Rate set by the first notification; 0: none.
    pub first_rate: u64,
    /// What a decrease leaves of the rate at least; 0: no bound.
    pub min_decrease: f64,
    /// A mark on an acknowledgement counts as a notification, as in the HPCC authors' simulator.
    pub mark_on_ack: bool,
}

impl DcqcnParams {
    /// Parameters of the HPCC authors' simulator for a port of `line_rate`, steps scaled from 25G.
    pub fn new(line_rate: u64, w_init: f64) -> Self {
        let scale = |mbps_at_25g: u64| mbps_at_25g * line_rate / 25_000;
        Self {
            line_rate,
            w_init,
            min_rate: line_rate / 100,
            gain: 1.0 / 256.0,
            alpha_interval: 1_000,
            decrease_interval: 4_000,
            increase_interval: 300_000,
            fast_recovery: 1,
            rate_ai: scale(5),
            rate_hai: scale(50),
            clamp_target: false,
            rule: IncreaseRule::Timer,
            byte_reset: 0,
            immediate: false,
            first_rate: 0,
            min_decrease: 0.0,
            mark_on_ack: true,
        }
    }

    /// Parameters of the DCQCN paper: alpha and increase every 55 us, a decrease at most every 50 us, 10 MB of bytes, `F` 5, steps of 40
    /// and 200 Mb/s (the second is our choice), smallest rate 10 Mb/s.
    pub fn sigcomm(line_rate: u64, w_init: f64) -> Self {
        Self {
            min_rate: 10_000_000,
            alpha_interval: 55_000,
            decrease_interval: 50_000,
            increase_interval: 55_000,
            fast_recovery: 5,
            rate_ai: 40_000_000,
            rate_hai: 200_000_000,
            clamp_target: false,
            rule: IncreaseRule::Qcn,
            byte_reset: 10_000_000,
            immediate: true,
            mark_on_ack: false,
            ..Self::new(line_rate, w_init)
        }
    }
}

/// What DCQCN keeps of a flow.
#[derive(Clone, Copy, Debug)]
pub struct State {
    rate: u64,
    target: u64,
    alpha: f64,
    started: bool,
    cnp_for_alpha: bool,
    cnp_for_decrease: bool,
    next_alpha: u64,
    next_decrease: u64,
    next_increase: u64,
    /// Increases by timer, and by bytes, since the last decrease.
    stage: u32,
    byte_stage: u32,
    /// Acknowledged bytes left to the next increase by bytes.
    bytes_left: u64,
}

/// DCQCN for all flows of a NIC.
pub type Dcqcn = RateBased<State>;

impl State {
    /// Everything the timers did up to `now`.
    fn catch_up(&mut self, p: &DcqcnParams, now: u64) {
        loop {
            let waits = p.immediate && !self.cnp_for_decrease;
            let decrease = if waits { u64::MAX } else { self.next_decrease };
            let next = self.next_alpha.min(decrease).min(self.next_increase);
            if !self.started || next > now {
                return;
            }
            if next == self.next_alpha {
                self.next_alpha += p.alpha_interval.max(1);
                self.alpha *= 1.0 - p.gain;
                if std::mem::take(&mut self.cnp_for_alpha) {
                    self.alpha += p.gain;
                }
            } else if next == decrease {
                self.next_decrease = next + p.decrease_interval.max(1);
                if std::mem::take(&mut self.cnp_for_decrease) {
                    self.decrease(p, next);
                }
            } else {
                self.next_increase += p.increase_interval.max(1);
                self.increase(p, false);
            }
        }
    }

    /// Acknowledged bytes; at the end of a byte stage an increase.
    fn count(&mut self, p: &DcqcnParams, bytes: u32) {
        if p.byte_reset == 0 {
            return;
        }
        match self.bytes_left.checked_sub(bytes.into()) {
            Some(left) => self.bytes_left = left,
            None => {
                self.bytes_left = p.byte_reset;
                self.increase(p, true);
            }
        }
    }

    fn decrease(&mut self, p: &DcqcnParams, now: u64) {
        if p.clamp_target || self.stage > 0 || self.byte_stage > 0 {
            self.target = self.rate;
        }
        let left = (1.0 - self.alpha / 2.0).max(p.min_decrease);
        self.rate = ((self.rate as f64 * left) as u64).max(p.min_rate);
        (self.stage, self.byte_stage, self.bytes_left) = (0, 0, p.byte_reset);
        self.next_increase = now + p.increase_interval;
    }

    /// Fast recovery, then additive, then hyper increase.
    fn increase(&mut self, p: &DcqcnParams, by_bytes: bool) {
        let stage = if by_bytes {
            &mut self.byte_stage
        } else {
            &mut self.stage
        };
        let before = *stage;
        *stage += 1;
        let f = p.fast_recovery;
        let step = match p.rule {
            IncreaseRule::Timer => match before.cmp(&f) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Equal => p.rate_ai,
                std::cmp::Ordering::Greater => p.rate_hai,
            },
            IncreaseRule::Qcn if self.stage.max(self.byte_stage) < f => 0,
            IncreaseRule::Qcn if self.stage.min(self.byte_stage) > f => p.rate_hai,
            IncreaseRule::Qcn => p.rate_ai,
        };
        self.target = if step > 0 {
            (self.target + step).min(p.line_rate)
        } else {
            self.target
        };
        self.rate = self.rate / 2 + self.target / 2;
    }
}

impl RateLaw for State {
    type Params = DcqcnParams;
    const NAME: &'static str = "dcqcn";

    fn line(p: &DcqcnParams) -> (u64, f64) {
        (p.line_rate, p.w_init)
    }

    fn start(p: &DcqcnParams) -> Self {
        Self {
            rate: p.line_rate,
            target: p.line_rate,
            alpha: 1.0,
            started: false,
            cnp_for_alpha: false,
            cnp_for_decrease: false,
            next_alpha: u64::MAX,
            next_decrease: u64::MAX,
            next_increase: u64::MAX,
            stage: 0,
            byte_stage: 0,
            bytes_left: p.byte_reset,
        }
    }

    fn rate(&self) -> u64 {
        self.rate
    }

    fn handle(&mut self, p: &DcqcnParams, event: &CcEvent) -> bool {
        let before = self.rate;
        self.catch_up(p, event.now);
        let counts = self.started && event.kind == EventKind::Ack;
        let mut cut = false;
        let notified = match event.kind {
            EventKind::Cnp => true,
            EventKind::Ack | EventKind::Nak => event.ecn && p.mark_on_ack,
            _ => false,
        };
        if notified {
            self.cnp_for_alpha = self.started;
            self.cnp_for_decrease = true;
            if !self.started {
                self.started = true;
                self.target = self.rate;
                self.next_alpha = event.now + p.alpha_interval;
                // A nanosecond later than alpha, so that a decrease sees the alpha of its own interval.
                self.next_decrease = event.now + p.decrease_interval + 1;
                if p.immediate {
                    self.next_decrease = event.now;
                    self.next_increase = event.now + p.increase_interval;
                }
                if p.first_rate > 0 {
                    self.rate = p.first_rate;
                }
            }
            if p.immediate {
                // A cut that was possible for some time is made now, not then.
                self.next_decrease = self.next_decrease.max(event.now);
                cut = self.next_decrease == event.now;
                self.catch_up(p, event.now);
            }
        }
        // A cut begins a new byte stage.
        if counts && !cut {
            self.count(p, event.bytes);
        }
        self.rate != before
    }

    fn next_tick(&self) -> Option<u64> {
        let decrease = if self.cnp_for_decrease {
            self.next_decrease
        } else {
            u64::MAX
        };
        let next = decrease.min(self.next_increase);
        (self.started && next != u64::MAX).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::super::CongestionControl;
    use super::*;

    fn law() -> Dcqcn {
        let mut law = Dcqcn::new(DcqcnParams::new(100_000_000_000, 1e5));
        law.create(0, 1);
        law
    }

    fn event(kind: EventKind, now: u64, ecn: bool) -> CcEvent {
        CcEvent {
            kind,
            generation: 1,
            now,
            ecn,
            ..CcEvent::default()
        }
    }

    /// By hand: first CNP at 10 us, decrease at 14.001 us with alpha = (255/256)^4; the target stays at line rate (stage 0). At
    /// 314.001 us fast recovery goes half way back.
    #[test]
    fn decrease_and_recovery_by_hand() {
        let mut law = law();
        assert!(law.handle(&event(EventKind::Ack, 5_000, false)).is_none());
        assert!(law.handle(&event(EventKind::Ack, 10_000, true)).is_none());
        assert_eq!(law.next_tick(0), Some(14_001));
        let alpha = (255.0f64 / 256.0).powi(4);
        let down = law.handle(&event(EventKind::Tick, 14_001, false)).unwrap();
        assert!((down.rate - 1e11 * (1.0 - alpha / 2.0)).abs() < 2.0, "{}", down.rate);
        assert_eq!(law.next_tick(0), Some(314_001));
        let up = law.handle(&event(EventKind::Tick, 314_001, false)).unwrap();
        assert!((up.rate - (down.rate + 1e11) / 2.0).abs() < 2.0);
    }

    /// Catching up late gives what ticking on time gives.
    #[test]
    fn late_is_the_same_as_on_time() {
        let (mut on_time, mut late) = (law(), law());
        for law in [&mut on_time, &mut late] {
            law.handle(&event(EventKind::Ack, 10_000, true));
        }
        let mut last = None;
        while let Some(at) = on_time.next_tick(0).filter(|&at| at < 2_000_000) {
            last = on_time.handle(&event(EventKind::Tick, at, false)).or(last);
        }
        assert_eq!(late.handle(&event(EventKind::Tick, 1_999_999, false)), last);
    }
}
