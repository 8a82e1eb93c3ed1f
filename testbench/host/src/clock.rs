//! The NICs' clock: it moves to what comes next, unless a program with virtual time runs.

use crate::daemon::Daemon;
use crate::wire::Arrival;
use hpcc_driver::shared::CLOCK;
use std::time::{Duration, Instant};

/// Events of NICs and wire in one turn at most, when no program has virtual time.
const EVENTS: usize = 64;
/// An event later than this, with no frame on its way, is a timer of a NIC: the clock goes there no faster than real time, ns.
const TIMER_NS: u64 = 20_000;

/// Why a turn did nothing.
pub(crate) enum Idle {
    /// Nothing is to be done until a program does something.
    Nothing,
    /// A program with virtual time runs.
    Held,
    /// A timer of a NIC is due after this time.
    Timer(Duration),
}

impl Daemon {
    /// Every program with virtual time waits.
    fn all_wait(&mut self) -> bool {
        let mut all = true;
        for client in self.clients.values_mut() {
            let Some(device) = &mut client.device else { continue };
            let words = device.gate.is_some().then(|| device.words());
            if let (Some(gate), Some(words)) = (&mut device.gate, words) {
                all &= gate.waits(&words, &device.program);
            }
        }
        all
    }

    fn has_virtual_time(&self) -> bool {
        let devices = self.clients.values().filter_map(|client| client.device.as_ref());
        devices.into_iter().any(|device| device.gate.is_some())
    }

    /// Moves the clock to what comes next and does it; otherwise says why not.
    pub(crate) fn advance(&mut self) -> Option<Idle> {
        let events = if self.has_virtual_time() { 1 } else { EVENTS };
        for i in 0..events {
            let idle = self.advance_once();
            if idle.is_some() {
                // What was done before counts.
                return idle.filter(|_| i == 0);
            }
        }
        None
    }

    fn advance_once(&mut self) -> Option<Idle> {
        let arrival = self.fabric.next_arrival();
        let deadline = self.nics.iter().filter_map(|nic| nic.nic.next_deadline()).min();
        let Some(next) = arrival.into_iter().chain(deadline).min() else {
            self.pace = None;
            return Some(Idle::Nothing);
        };
        if !self.all_wait() {
            return Some(Idle::Held);
        }
        // A program may ring while it is seen to wait: what it rang comes first.
        if self.has_virtual_time() && self.scan() {
            return None;
        }
        let is_timer = arrival.is_none() && next > self.now + TIMER_NS;
        if is_timer {
            let (since, then) = *self.pace.get_or_insert((Instant::now(), self.now));
            let wait = Duration::from_nanos(next - then).saturating_sub(since.elapsed());
            if !wait.is_zero() {
                return Some(Idle::Timer(wait));
            }
        }
        self.pace = None;
        self.now = self.now.max(next);
        self.step();
        None
    }

    /// Writes a row of the table.
    pub(crate) fn sample(&mut self) {
        let nics = self.nics.iter().enumerate();
        let sampled: Vec<_> = nics
            .map(|(number, nic)| (nic.sent.bytes, self.fabric.take_queue(number)))
            .collect();
        self.samples.write(self.now, &sampled);
    }

    /// Carries out what is due now.
    fn step(&mut self) {
        self.tell_clock();
        if self.samples.is_due(self.now) {
            self.sample();
        }
        while let Some((to, arrival)) = self.fabric.receive(self.now) {
            match arrival {
                Arrival::Frame(frame) => {
                    self.wave.receives(self.now, to, &frame);
                    self.nics[to].nic.receive(self.now, &frame);
                }
                Arrival::Pause(priorities) => {
                    self.wave.pauses(self.now, to, priorities);
                    self.nics[to].nic.set_pause(priorities);
                }
            }
        }
        for from in 0..self.nics.len() {
            for frame in self.nics[from].nic.poll(self.now) {
                self.nics[from].sent.count(self.now, &frame);
                self.capture.write(self.now, &frame);
                self.wave.sends(self.now, from, &frame);
                if let Some(to) = self.receiver(&frame) {
                    self.fabric.send(self.now, from, to, frame);
                }
            }
        }
        self.deliver_events();
    }

    /// The NIC that a frame is addressed to.
    fn receiver(&self, frame: &[u8]) -> Option<usize> {
        let to = frame.get(..6)?;
        (0..self.nics.len()).find(|nic| hpcc_driver::control::mac(*nic as u32) == to)
    }

    /// Programs see the clock before anything that happens now.
    fn tell_clock(&mut self) {
        let now = self.now;
        for device in self.clients.values_mut().filter_map(|client| client.device.as_mut()) {
            if device.clock != now {
                device.clock = now;
                // Without the shared memory the program is gone, which its connection tells.
                let _ = device.program.shared.write(CLOCK, &now.to_le_bytes());
            }
        }
    }
}
