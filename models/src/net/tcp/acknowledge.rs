//! What an acknowledgement does to a sender: round-trip time, scoreboard, marks, and which case it is.

use super::config::{LossRecovery, Profile, TcpConfig};
use super::header::Acknowledgement;
use super::law::Cut;
use super::recovery::{Delivery, Prr};
use super::rtt::Clocking;
use super::sender::{Echo, Sender, State};

impl Sender {
    /// An acknowledgement arrives.
    pub fn acknowledgement(&mut self, config: &TcpConfig, now: u64, ack: &Acknowledgement) {
        if self.dead {
            return;
        }
        self.window.now = now;
        self.measure(config, ack);
        let old = self.board.una();
        if ack.number < old || ack.number > self.window.high {
            return;
        }
        let fresh = self.board.update(ack.blocks.as_slice());
        let repetition = self.state == State::Recovery && ack.number > old && ack.number < self.recover && {
            let mss = self.window.mss;
            (0..(ack.number - old) / mss).any(|i| self.board.repeated_until(ack.number - i * mss))
        };
        let bytes = fresh + self.board.discard(ack.number);
        self.window.acked = ack.number;
        let duplicate = match config.sack {
            true => fresh > 0,
            false => ack.number == old && ack.number < self.window.high,
        };
        let delivery = Delivery {
            bytes,
            duplicate,
            repetition,
        };
        self.marks(config, ack, old, delivery);
        self.pipe = self.board.pipe();
        self.process(config, ack.number, old, delivery);
        self.send_pending(config);
    }

    /// A sample of the round-trip time, if the acknowledgement gives one (RFC 6298, 3: none of a segment sent twice).
    fn measure(&mut self, config: &TcpConfig, ack: &Acknowledgement) {
        let now = self.window.now;
        let first = self.history.front().filter(|h| !h.again && ack.number >= h.end);
        if let Some(first) = first {
            let rtt = if config.timestamps {
                Clocking::of(config.profile).elapsed(now, ack.echo)
            } else {
                now - first.at
            };
            self.rtt.sample(rtt);
            self.rto_ps = self.rtt.rto(config);
            self.window.srtt = self.rtt.srtt as u64;
        }
        while self.history.front().is_some_and(|h| h.end <= ack.number) {
            self.history.pop_front();
        }
    }

    /// Echoed marks: one cut a window, and the end of the state that follows it (RFC 8257, 3.3; RFC 3168, 6.1.2).
    fn marks(&mut self, config: &TcpConfig, ack: &Acknowledgement, old: u64, delivery: Delivery) {
        if !config.ecn() {
            return;
        }
        if self.state == State::Cwr && ack.number > self.recover {
            self.state = State::Open;
            self.window.cwnd = self.window.ssthresh;
        }
        if ack.number > old && ack.ece {
            if self.echo_at.is_none_or(|at| at < ack.number) {
                self.echo_at = Some(ack.number);
                self.echo = Echo::Received;
                let free = match config.profile {
                    Profile::Ns3 => self.state != State::Cwr,
                    Profile::Rfc => matches!(self.state, State::Open | State::Disorder),
                };
                if free {
                    self.window.ssthresh = self.law.threshold(&self.window, self.board.pipe(), Cut::Mark);
                    self.state = State::Cwr;
                    self.recover = self.window.high;
                    self.come_down(config, delivery);
                }
            }
        } else if self.echo == Echo::Received && !ack.ece {
            self.echo = Echo::Idle;
        }
        self.window.echo = self.echo == Echo::Received;
    }

    /// The window on the way into a reduction.
    pub(super) fn come_down(&mut self, config: &TcpConfig, delivery: Delivery) {
        match config.recovery {
            LossRecovery::Classic => self.window.cwnd = self.window.ssthresh,
            LossRecovery::Prr => {
                let flight = match config.profile {
                    Profile::Rfc => self.window.high - self.board.una(),
                    Profile::Ns3 => self.board.pipe(),
                };
                self.prr = Prr::enter(flight);
                self.pipe = self.board.pipe();
                self.follow(
                    config,
                    Delivery {
                        duplicate: true,
                        ..delivery
                    },
                );
            }
        }
    }

    /// The window while a reduction lasts.
    pub(super) fn follow(&mut self, config: &TcpConfig, delivery: Delivery) {
        if config.recovery == LossRecovery::Prr {
            let w = &mut self.window;
            let window = self.prr.window(config.profile, delivery, self.pipe, w.ssthresh, w.mss);
            w.cwnd = window.unwrap_or(w.cwnd);
        }
    }

    fn process(&mut self, config: &TcpConfig, number: u64, old: u64, delivery: Delivery) {
        let before = self.duplicates;
        if delivery.duplicate {
            self.duplicate(config, number, delivery);
        }
        if number == old {
            if number < self.window.high {
                self.law.acked(&mut self.window, 1, 0);
            }
            return;
        }
        let bytes = number - old;
        let mss = self.window.mss;
        let mut segments = bytes / mss;
        self.remainder += bytes % mss;
        if self.remainder >= mss {
            segments += 1;
            self.remainder -= mss;
        }
        if !delivery.duplicate {
            self.duplicates = 0;
        }
        match self.state {
            State::Recovery if number < self.recover => self.partial(config, number, segments, bytes, delivery),
            State::Loss if number < self.recover => {
                if config.profile == Profile::Ns3 {
                    // Not what had arrived ahead.
                    segments = segments.min(delivery.bytes / mss);
                }
                self.law.acked(&mut self.window, segments, bytes);
                self.law.grow(&mut self.window, segments, bytes, self.limited);
                self.new_ack(config, true);
            }
            State::Cwr => {
                self.law.acked(&mut self.window, segments, bytes);
                if segments >= 1 {
                    self.follow(
                        config,
                        Delivery {
                            duplicate: false,
                            ..delivery
                        },
                    );
                }
                self.new_ack(config, true);
            }
            _ => self.whole(config, number, old, (segments, bytes), before, delivery),
        }
    }
}
