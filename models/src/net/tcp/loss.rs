//! Duplicates, fast recovery, its end, and the retransmission timer.

use super::config::{Profile, TcpConfig};
use super::law::Cut;
use super::recovery::Delivery;
use super::scoreboard::DUP_THRESH;
use super::sender::{Sender, State};

impl Sender {
    /// A duplicate (RFC 6675, 5; RFC 5681, 3.2; RFC 6582, 3.2).
    pub(super) fn duplicate(&mut self, config: &TcpConfig, number: u64, delivery: Delivery) {
        if self.state == State::Loss {
            return;
        }
        if self.state != State::Recovery {
            self.duplicates += 1;
        }
        if self.state == State::Open {
            self.state = State::Disorder;
        }
        match self.state {
            State::Recovery => {
                if !config.sack {
                    self.board.guess_sacked();
                    self.inflation += self.window.mss;
                }
                self.follow(
                    config,
                    Delivery {
                        duplicate: true,
                        ..delivery
                    },
                );
            }
            State::Disorder => {
                let enough = self.duplicates as usize == DUP_THRESH && (number >= self.recover || !self.recovering);
                if enough || self.board.is_lost(number) {
                    self.enter_recovery(config, delivery);
                } else if !config.sack {
                    // Limited transmit (RFC 3042): one segment has left the network.
                    self.board.guess_sacked();
                    self.inflation += self.window.mss;
                }
            }
            _ => {}
        }
    }

    /// Fast retransmit (RFC 6675, 5, step 4; RFC 5681, 3.2, steps 2 and 3).
    fn enter_recovery(&mut self, config: &TcpConfig, delivery: Delivery) {
        if !config.sack {
            self.board.guess_sacked();
            self.board.lose_head();
        } else if !self.board.is_lost(self.board.una()) {
            self.board.lose_head();
        }
        self.recover = self.window.high;
        self.recovering = true;
        self.rescued = false;
        self.state = State::Recovery;
        let flight = match (config.profile, config.sack) {
            // RFC 5681, equation 4: FlightSize. Limited transmit's segments do not count (RFC 5681, 3.2, step 2).
            (Profile::Rfc, _) => self.window.high - self.board.una(),
            (Profile::Ns3, true) => self.board.pipe(),
            (Profile::Ns3, false) => self.board.pipe() + self.window.mss,
        };
        self.window.ssthresh = self.law.threshold(&self.window, flight, Cut::Loss);
        self.come_down(config, delivery);
        if Self::inflates(config) {
            self.inflation = DUP_THRESH as u64 * self.window.mss;
        }
        self.send_segment(config, self.board.una());
    }

    /// An acknowledgement of new data that does not end the recovery (RFC 6582, 3.2, step 3; RFC 6675, 5, step B).
    pub(super) fn partial(&mut self, config: &TcpConfig, number: u64, segments: u64, bytes: u64, delivery: Delivery) {
        if !config.sack {
            self.board.lose_head();
        }
        if segments >= 1 {
            self.follow(
                config,
                Delivery {
                    duplicate: false,
                    ..delivery
                },
            );
        }
        match (config.profile, config.sack) {
            (Profile::Ns3, _) => {
                if !self.board.repeated_until(number + self.window.mss) {
                    self.retransmit(config);
                }
                self.law.acked(&mut self.window, 1, 0);
            }
            (Profile::Rfc, false) => {
                // Deflated by what was acknowledged, and one segment back if that was one at least.
                let back = if bytes >= self.window.mss { self.window.mss } else { 0 };
                self.inflation = self.inflation.saturating_sub(bytes) + back;
                self.send_segment(config, number);
                self.law.acked(&mut self.window, segments, bytes);
            }
            (Profile::Rfc, true) => self.law.acked(&mut self.window, segments, bytes),
        }
        // RFC 6582, 3.2: the timer is restarted by the first one only; with selective acknowledgement RFC 6298, 5.3 holds.
        let restart = self.first_partial || (config.profile == Profile::Rfc && config.sack);
        self.new_ack(config, restart);
        self.first_partial = false;
    }

    /// An acknowledgement of new data outside recovery, or one that ends it.
    pub(super) fn whole(
        &mut self,
        config: &TcpConfig,
        number: u64,
        old: u64,
        (mut segments, bytes): (u64, u64),
        before: u32,
        delivery: Delivery,
    ) {
        let mut grown = bytes;
        match self.state {
            State::Disorder => {
                if let Some(more) = segments.checked_sub(u64::from(before)) {
                    self.law.acked(&mut self.window, more, bytes);
                }
                if !delivery.duplicate {
                    self.state = State::Open;
                    self.inflation = 0;
                }
            }
            State::Recovery => {
                self.first_partial = true;
                segments = (number - old) / self.window.mss;
                self.law.acked(&mut self.window, segments, bytes);
                self.state = State::Open;
                self.duplicates = 0;
                self.inflation = 0;
                self.new_ack(config, true);
                self.window.cwnd = self.window.ssthresh;
                if config.profile == Profile::Rfc {
                    // RFC 6675 and 6582 leave the window at the threshold.
                    (segments, grown) = (0, 0);
                }
            }
            State::Loss => {
                self.first_partial = true;
                if config.profile == Profile::Ns3 {
                    // Only what lies above the recovery point.
                    segments = (number - self.recover) / self.window.mss;
                }
                self.law.acked(&mut self.window, segments, bytes);
                self.state = State::Open;
            }
            _ => self.law.acked(&mut self.window, segments, bytes),
        }
        if number >= self.recover {
            self.recovering = false;
        }
        if self.state == State::Open {
            self.law.grow(&mut self.window, segments, grown, self.limited);
            self.new_ack(config, true);
        }
    }

    /// New data was acknowledged: the timer starts again (RFC 6298, 5.2 and 5.3).
    pub(super) fn new_ack(&mut self, config: &TcpConfig, restart: bool) {
        self.retries = config.retries;
        if restart {
            if config.profile == Profile::Ns3 {
                // A timer that was backed off comes down without a new sample.
                self.rto_ps = self.rtt.rto(config);
            }
            self.rto_at = Some(self.window.now + self.rto_ps);
        }
        self.window.next = self.window.next.max(self.board.una());
        let idle = match config.profile {
            Profile::Ns3 => self.written == self.board.una(),
            Profile::Rfc => self.window.high == self.board.una(),
        };
        if idle {
            self.rto_at = None;
        }
    }

    /// The retransmission timer has expired (RFC 6298, 5.4 to 5.6; RFC 5681, 3.1; RFC 6675, 5.1).
    pub fn timeout(&mut self, config: &TcpConfig, now: u64) {
        self.rto_at = None;
        if self.dead || self.written == self.board.una() {
            return;
        }
        if self.retries == 0 {
            self.dead = true;
            return;
        }
        self.retries -= 1;
        self.timeouts += 1;
        self.window.now = now;
        let flight = match config.profile {
            Profile::Ns3 => self.board.pipe(),
            // RFC 5681, 3.1: no more than FlightSize gives. What arrived ahead counts there; after a long recovery that is far more than
            // the window.
            Profile::Rfc => (self.window.high - self.board.una()).min(self.window.cwnd),
        };
        // RFC 5681, 3.1: a segment that the timer repeats once more leaves the threshold alone.
        let again = self.state == State::Loss && self.recover_head_repeated();
        self.duplicates = 0;
        self.inflation = 0;
        self.board.lose_all(!config.sack);
        self.recover = self.window.high;
        self.recovering = true;
        self.rto_ps = (2 * self.rto_ps).min(config.max_rto_ps);
        self.history.clear();
        if config.profile == Profile::Ns3 || !again {
            self.window.ssthresh = self.law.threshold(&self.window, flight, Cut::Timeout);
        }
        self.law.timed_out(&self.window);
        self.state = State::Loss;
        if !config.law.from_outside() {
            self.window.cwnd = self.window.mss;
        }
        self.send_pending(config);
    }

    fn recover_head_repeated(&self) -> bool {
        let head = self.board.una();
        self.board
            .repeated_until((head + self.window.mss).min(self.window.high))
    }
}
