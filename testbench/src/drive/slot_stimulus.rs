//! Random but plausible life of a congestion-control slot: what lockstep and mutation feed it.

use super::slot::SlotPorts;
use crate::verilated::lockstep::Drive;
use hpcc_models::cc::hpcc::HpccParams;
use hpcc_models::cc::CcEvent;
use hpcc_models::fixed::HpccRegisters;
use hpcc_rtl::cc::stimulus::EventSource;
use hpcc_rtl::sim::{Port, Stimulus};
use std::collections::VecDeque;

/// Events of `flows` flows: offered in bursts, held until taken, with creations, removals, register writes, resets and
/// stalls of the receiver in between.
pub struct SlotDrive {
    ports: SlotPorts,
    source: EventSource,
    flows: u64,
    generation: Vec<u8>,
    event: Option<CcEvent>,
    command: Option<(bool, u16, u8)>,
    burst: (u64, u64),
    accept: f64,
    offer: f64,
    /// Register writes to come, one a clock; `None` leaves a clock out.
    writes: VecDeque<Option<(u8, u64)>>,
}

impl SlotDrive {
    /// A drive of the slot with these ports.
    pub fn new(ports: &[Port], seed: u64, flows: u64) -> Self {
        Self {
            ports: SlotPorts::new(ports),
            source: EventSource::new(seed, flows as usize),
            flows,
            generation: vec![0; flows as usize],
            event: None,
            command: None,
            burst: (0, 0),
            accept: 1.0,
            offer: 1.0,
            writes: VecDeque::new(),
        }
    }
}

impl SlotDrive {
    /// Mostly a legal set of registers, sometimes one of the few that change while running, sometimes any value anywhere
    /// for a while.
    fn write_registers(&mut self) {
        let s = self.source.stimulus();
        match s.below(4) {
            0 => {
                let (address, bits) = [(0, 2), (1, 8), (8, 20)][s.below(3) as usize];
                self.writes.push_back(Some((address, s.corner(bits))));
            }
            1 => {
                self.writes.push_back(Some((s.uniform(6) as u8, s.corner(48))));
                self.writes.extend(std::iter::repeat_n(None, 300));
                self.writes.extend(legal_registers(s).into_iter().map(Some));
            }
            _ => self.writes.extend(legal_registers(s).into_iter().map(Some)),
        }
    }
}

/// The writes of a legal set: 10 to 800 Gb/s, `T` of 1 to 100 us, at most 4 MiB between them.
fn legal_registers(s: &mut Stimulus) -> Vec<(u8, u64)> {
    let line_rate = [10, 25, 40, 50, 100, 200, 400, 800][s.below(8) as usize] * 1_000_000_000;
    let longest = (8 * (4 << 20) * 1_000_000_000u64 / line_rate).min(100_000);
    let mut params = HpccParams::new(line_rate, 1000 + s.below(longest - 999) as u32);
    params.max_stage = s.below(8) as u8;
    HpccRegisters::new(&params).map_or(vec![], |registers| registers.writes())
}

impl Drive for SlotDrive {
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        // what was offered in the last clock was taken if the slot was ready then
        if self.ports.event_ready(outputs) {
            self.event = None;
        }
        if self.ports.command_ready(outputs) {
            self.command = None;
        }
        let reset = clock < 2 || self.source.stimulus().chance(2e-5);
        if self.source.stimulus().chance(0.001) {
            let s = self.source.stimulus();
            self.accept = [1.0, 0.9, 0.5, 0.05][s.below(4) as usize];
            self.offer = [1.0, 0.5, 0.1][s.below(3) as usize];
        }
        let offer = self.source.stimulus().chance(self.offer);
        if self.event.is_none() && offer {
            if self.burst.1 == 0 {
                let s = self.source.stimulus();
                self.burst = (s.below(self.flows), if s.chance(0.2) { 1 + s.below(64) } else { 1 });
            }
            self.burst.1 -= 1;
            let flow = self.burst.0 as usize;
            self.event = Some(self.source.next(flow, self.generation[flow]));
        }
        // every flow is created soon after a reset; later at random
        let early = clock < 40 * self.flows && clock.is_multiple_of(8);
        if self.command.is_none() && (early || self.source.stimulus().chance(0.01)) {
            let s = self.source.stimulus();
            let flow = s.below(self.flows);
            let create = early || s.chance(0.8);
            let generation = if s.chance(0.3) {
                s.uniform(8) as u8
            } else {
                self.generation[flow as usize]
            };
            self.generation[flow as usize] = generation;
            self.command = Some((create, flow as u16, generation));
        }
        if self.writes.is_empty() && self.source.stimulus().chance(4e-4) {
            self.write_registers();
        }
        let write = self.writes.pop_front().flatten();
        let stalled = !self.source.stimulus().chance(self.accept);
        self.ports.set_reset(inputs, reset);
        self.ports.set_param(inputs, write);
        self.ports.set_event(inputs, self.event.as_ref());
        self.ports.set_command(inputs, self.command);
        self.ports.set_ready(inputs, !stalled);
    }
}
