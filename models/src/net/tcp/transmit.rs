//! What a sender sends, and when (RFC 6675, 4 NextSeg and 5 step C).

use super::config::{LossRecovery, Profile, TcpConfig};
use super::header::Segment;
use super::rtt::Clocking;
use super::sender::{Echo, Sender, State, Timed};

impl Sender {
    /// Segments to send, oldest first.
    pub fn take(&mut self) -> Vec<Segment> {
        std::mem::take(&mut self.out)
    }

    /// The next segment: first byte, longest length (RFC 6675, 4, rules 1 to 4).
    fn next_segment(&mut self, config: &TcpConfig, rule3: bool) -> Option<(u64, u64)> {
        let mss = u64::from(config.mss);
        if let Some((seq, len)) = self.board.next_lost() {
            return Some((seq, u64::from(len)));
        }
        let end = self.board.end();
        if self.written > end {
            return Some((end, mss.min(self.written - end)));
        }
        let whole = |(seq, len): (u64, u32)| (seq, u64::from(len));
        if rule3 {
            if let Some(open) = self.board.next_open() {
                return Some(whole(open));
            }
            if config.profile == Profile::Rfc && !self.rescued {
                self.rescued = true;
                return self.board.last_open().map(whole);
            }
        }
        None
    }

    /// Bytes that the window still allows.
    fn available(&self, config: &TcpConfig) -> u64 {
        let window = if Self::inflates(config) {
            self.window.cwnd + self.inflation
        } else {
            self.window.cwnd
        };
        window.saturating_sub(self.in_flight(config))
    }

    /// Sends what window and pace allow, and notes whether it was the window that ended it.
    pub(super) fn send_pending(&mut self, config: &TcpConfig) {
        self.pace_at = None;
        if self.dead || self.written == self.board.una() {
            return;
        }
        let before = self.out.len();
        let by_window = self.send_while_allowed(config);
        self.limited = match config.profile {
            Profile::Rfc => by_window,
            // ns-3 looks only when it has sent: less than a packet's room is left.
            Profile::Ns3 if self.out.len() > before => {
                self.available(config) <= u64::from(config.data_header() - config.link_bytes) + self.window.mss
            }
            Profile::Ns3 => self.limited,
        };
    }

    /// True: the window allows no more. False: nothing is left, or it is too early.
    fn send_while_allowed(&mut self, config: &TcpConfig) -> bool {
        let mss = u64::from(config.mss);
        loop {
            let available = self.available(config);
            if available == 0 {
                return true;
            }
            if let Some(pace) = self.pace {
                if pace.rate_bps == 0 {
                    return false;
                }
                if pace.next > self.window.now {
                    self.pace_at = Some(pace.next);
                    return false;
                }
            }
            let rule3 = config.sack && self.state == State::Recovery;
            let Some((seq, len)) = self.next_segment(config, rule3) else {
                return false;
            };
            // Silly window avoidance: no part of a segment because of the window.
            if available < mss && self.written - seq > available {
                return true;
            }
            let sent = self.emit(config, seq, len);
            self.window.next = seq + sent;
        }
    }

    /// Sends the segment at `seq`, which was sent before.
    pub(super) fn send_segment(&mut self, config: &TcpConfig, seq: u64) {
        self.emit(config, seq, u64::from(config.mss));
    }

    /// ns-3 on a partial acknowledgement: the next segment by rules 1 and 2, else the oldest once more, whatever the window says.
    pub(super) fn retransmit(&mut self, config: &TcpConfig) {
        let (seq, len) = self
            .next_segment(config, false)
            .unwrap_or((self.board.una(), u64::from(config.mss)));
        self.window.next = seq;
        self.emit(config, seq, len);
    }

    fn emit(&mut self, config: &TcpConfig, seq: u64, len: u64) -> u64 {
        let now = self.window.now;
        let again = seq < self.board.end();
        let len = if again {
            self.board.repeat(seq).map_or(len, u64::from)
        } else {
            self.board.push(len as u32);
            len
        };
        let answers = self.echo == Echo::Received && self.echo_at > self.answered_at && !again;
        if answers {
            self.echo = Echo::Answered;
            self.answered_at = Some(seq);
        }
        if self.rto_at.is_none() {
            self.rto_at = Some(now + self.rto_ps);
        }
        self.remember(seq, seq + len, again);
        if config.recovery == LossRecovery::Prr && matches!(self.state, State::Recovery | State::Cwr) {
            self.prr.sent(len);
        }
        self.window.high = self.window.high.max(seq + len);
        self.charge(now, config.wire_bytes(len as u32, 0));
        self.out.push(Segment {
            seq,
            len: len as u32,
            again,
            cwr: answers,
            stamp: Clocking::of(config.profile).stamp(now),
        });
        len
    }

    /// The next segment waits for the time that `wire` bytes take at the pacing rate, if there is one.
    pub(super) fn charge(&mut self, now: u64, wire: u32) {
        if let Some(pace) = &mut self.pace {
            let gap = u128::from(wire) * 8_000_000_000_000 / u128::from(pace.rate_bps.max(1));
            pace.next = pace.next.max(now) + gap as u64;
        }
    }

    /// Notes when a segment was sent; one that is sent again gives no sample (RFC 6298, 3, Karn's algorithm).
    fn remember(&mut self, seq: u64, end: u64, again: bool) {
        if !again {
            self.history.push_back(Timed {
                seq,
                end,
                at: self.window.now,
                again,
            });
            return;
        }
        let index = self.history.partition_point(|h| h.end <= seq);
        if let Some(entry) = self.history.get_mut(index).filter(|h| h.seq <= seq) {
            (entry.again, entry.end) = (true, end);
        }
    }
}
