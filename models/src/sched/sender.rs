//! What each event does to the sequence state of a flow's sender.

use super::formats::*;
use super::psn::{ahead, is_after};
use super::state::{SenderState, VisitState};

/// What a flow is created with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowSettings {
    /// MTU code.
    pub mtu: u8,
    /// Priority for pause.
    pub priority: u8,
    /// No window: READ responses of plain queue pairs, which nobody acknowledges.
    pub windowless: bool,
    /// No timer: READ responses, which the requester asks for again.
    pub timerless: bool,
}

/// An event of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Acknowledgement of everything before the PSN.
    Ack(u32),
    /// The same, and the PSN is missing: go back to it.
    Nak(u32),
    /// Acknowledgement of everything before the PSN, for which the receiver was not ready: go back to it after the time of this code
    /// ([`rnr_wait`]).
    Wait(u32, u8),
    /// Congestion control only.
    Notify,
    /// Work up to the PSN, exclusive.
    Work(u32),
    /// The flow starts over at the first PSN with work up to the second, exclusive: as if nothing were outstanding. Credit and
    /// pacing go on.
    Restart(u32, u32),
    /// A READ request covers the PSNs from the first to the second, exclusive.
    Advance(u32, u32),
    /// Correction of the credit, bytes modulo 2^[`ADJUST_BITS`]: what a granted packet did not use.
    Adjust(u32),
    /// Rate (UQ7.27 bytes per ns) and window (UQ23.11 bytes) of the congestion control.
    Update(u64, u64),
    /// Cap of the flow's rate (UQ7.27 bytes per ns, all ones for none) and its group.
    Limit(u64, u8),
    /// The timer looks at the flow.
    Tick,
    /// A flow starts at this PSN.
    Create(u32, FlowSettings),
    /// The flow ends.
    Remove,
}

/// What an event leads to beside the new state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The flow does not exist, or this generation of it.
    pub late: bool,
    /// Acknowledges what was never sent: ignored.
    pub beyond: bool,
    /// Goes on to the congestion control.
    pub to_cc: bool,
    /// `snd_nxt` after the event.
    pub snd_nxt: u32,
    /// The flow may have something to send.
    pub wake: bool,
    /// A retransmission timeout.
    pub timeout: bool,
    /// The retry limit is reached: the flow has ended.
    pub ended: bool,
    /// The limit of waits for the receiver.
    pub not_ready: bool,
    /// Rate and window are written.
    pub paced: bool,
    /// Cap and group are written; by a creation those of [`super::Cap::NONE`].
    pub limited: bool,
}

/// Timer registers and the time, in timer units.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Now, modulo 2^[`TIMER_BITS`].
    pub now: u32,
    /// Retransmission timeout.
    pub timeout: u32,
    /// Retry limit.
    pub retry_limit: u8,
    /// Waits for a receiver that is not ready, without progress between them; [`RNR_BITS`] ones: no limit.
    pub rnr_retry: u8,
    /// Bit n: priority n is paused. The timers of its flows start over with each look: a pause is no loss.
    pub held: u8,
}

impl SenderState {
    /// Carries out one event. `visited` is the flow's state as visits left it.
    pub fn handle(&mut self, op: Op, generation: u8, visited: &VisitState, timing: &Timing) -> Outcome {
        let restarted = visited.generation != self.generation || visited.restarts != self.restarts;
        let max = visited.max_for(self);
        let pending = restarted || visited.seen != self.rewinds;
        let nxt = if pending { self.una } else { visited.nxt };
        let mut outcome = Outcome {
            snd_nxt: nxt,
            ..Outcome::default()
        };
        if let Op::Create(psn, settings) = op {
            self.create(psn, generation, settings);
            return Outcome {
                wake: true,
                paced: true,
                limited: true,
                snd_nxt: psn,
                ..outcome
            };
        }
        if !self.alive || (op != Op::Tick && self.generation != generation) {
            outcome.late = op != Op::Tick;
            return outcome;
        }
        match op {
            Op::Ack(psn) | Op::Nak(psn) | Op::Wait(psn, _) => {
                self.acknowledge(op, psn, nxt, max, visited, timing, &mut outcome)
            }
            Op::Notify => {
                outcome.to_cc = true;
                outcome.snd_nxt = not_behind(nxt, self.una);
            }
            Op::Work(end) => {
                if is_after(end, self.end) {
                    self.end = end;
                }
                outcome.wake = true;
            }
            Op::Restart(start, end) => {
                self.restart(start, end, visited.restarts);
                outcome.wake = true;
            }
            // of a READ that is acknowledged already there is nothing to pass over
            Op::Advance(from, to) if is_after(to, self.una) => {
                // a request that left before a rewind that is still to come passes over nothing: the rewind asks again from `una`,
                // which may lie within it by then
                self.from = if pending { to } else { from };
                self.to = to;
            }
            Op::Advance(..) => {}
            Op::Adjust(bytes) => self.adjust = self.adjust.wrapping_add(bytes) & ((1 << ADJUST_BITS) - 1),
            Op::Update(..) => {
                outcome.paced = true;
                outcome.wake = true;
            }
            Op::Limit(..) => {
                outcome.limited = true;
                outcome.wake = true;
            }
            Op::Tick if self.timerless => {}
            Op::Tick => self.tick(nxt, visited, timing, &mut outcome),
            Op::Remove => self.alive = false,
            Op::Create(..) => {}
        }
        outcome
    }

    fn create(&mut self, psn: u32, generation: u8, settings: FlowSettings) {
        *self = Self {
            una: psn,
            end: psn,
            from: psn,
            to: psn,
            generation,
            mtu: settings.mtu,
            priority: settings.priority,
            windowless: settings.windowless,
            timerless: settings.timerless,
            alive: true,
            // running counts go on: visits compare them with their own
            adjust: self.adjust,
            rewinds: self.rewinds,
            restarts: self.restarts,
            ..Self::default()
        };
    }

    fn restart(&mut self, start: u32, end: u32, carried_out: u32) {
        (self.una, self.end) = (start, end);
        (self.from, self.to) = (start, start);
        self.restarts = next_count(self.restarts, carried_out);
        self.armed = false;
        self.retries = 0;
        self.waits = false;
    }

    #[allow(clippy::too_many_arguments)] // the fields of one event
    fn acknowledge(
        &mut self,
        op: Op,
        psn: u32,
        nxt: u32,
        max: u32,
        visited: &VisitState,
        timing: &Timing,
        outcome: &mut Outcome,
    ) {
        let distance = ahead(psn, self.una);
        let old = distance >= 1 << 23;
        // sent, or asked for by a READ request. A response counts as sent when it has been sent since the restart: it leaves again
        // even if an echo from before says that it has arrived, because its leaving is what ends the READ
        let sent = if self.timerless { nxt } else { max };
        let sent = if is_after(sent, self.una) {
            ahead(sent, self.una)
        } else {
            0
        };
        let reach = sent.max(ahead(self.to, self.una));
        outcome.beyond = !old && distance > reach.min(ahead(self.end, self.una));
        if outcome.beyond {
            return;
        }
        outcome.to_cc = true;
        if !old && distance != 0 {
            self.una = psn;
            (self.retries, self.rnr_waits) = (0, 0);
            self.waits = false;
            self.since = timing.now;
            outcome.wake = true;
            if is_after(psn, self.to) {
                (self.from, self.to) = (psn, psn);
            }
        }
        outcome.snd_nxt = not_behind(nxt, self.una);
        if old || matches!(op, Op::Ack(_)) {
            return;
        }
        if self.waits {
            // said again, or the gap behind it that the receiver reports
            outcome.to_cc = matches!(op, Op::Wait(..));
            return;
        }
        if let Op::Wait(_, code) = op {
            if self.rnr_waits == timing.rnr_retry && timing.rnr_retry < (1 << RNR_BITS) - 1 {
                self.alive = false;
                (outcome.ended, outcome.not_ready) = (true, true);
                return;
            }
            self.rnr_waits = (self.rnr_waits + 1) & ((1 << RNR_BITS) - 1);
            (self.waits, self.wait) = (true, rnr_wait(code));
            self.since = timing.now;
            self.armed = false;
        }
        self.rewind(visited.seen);
        outcome.snd_nxt = self.una;
        outcome.wake = true;
    }

    fn rewind(&mut self, carried_out: u32) {
        self.rewinds = next_count(self.rewinds, carried_out);
        // nothing is inside any more; how far READs were asked for stays known
        self.from = self.to;
    }

    fn tick(&mut self, nxt: u32, visited: &VisitState, timing: &Timing, outcome: &mut Outcome) {
        let low = nxt & ((1 << SENT_BITS) - 1);
        let age = timing.now.wrapping_sub(self.since) & ((1 << TIMER_BITS) - 1);
        let behind = ahead(nxt, self.una);
        if self.waits {
            // the time may be longer than that of the age
            outcome.wake = age >= self.wait;
            self.waits = !outcome.wake;
            self.wait = self.wait.saturating_sub(age);
            self.since = timing.now;
        } else if behind == 0 || behind >= 1 << 23 {
            self.armed = false;
        } else if !self.armed || low != self.sent || visited.stopped || timing.held >> (self.priority & 7) & 1 == 1 {
            self.armed = true;
            self.since = timing.now;
            self.sent = low;
        } else if age >= timing.timeout {
            outcome.snd_nxt = self.una;
            self.since = timing.now;
            if self.retries >= timing.retry_limit {
                self.alive = false;
                outcome.ended = true;
            } else {
                self.retries += 1;
                outcome.timeout = true;
                outcome.to_cc = true;
                outcome.wake = true;
                self.rewind(visited.seen);
            }
        }
    }
}

/// The next value of a running count: never the one that visits have carried out, however long they have not come by.
fn next_count(count: u32, carried_out: u32) -> u32 {
    let step = |count: u32| (count + 1) & ((1 << REWIND_BITS) - 1);
    if step(count) == carried_out {
        step(step(count))
    } else {
        step(count)
    }
}

/// `nxt`, or `una` where an acknowledgement has passed it.
fn not_behind(nxt: u32, una: u32) -> u32 {
    if ahead(nxt, una) >= 1 << 23 {
        una
    } else {
        nxt
    }
}
