//! The NIC in RTL as a NIC under test: clock by clock, with the MAC, the host's memory and its software around it.
//!
//! | port | here |
//! | --- | --- |
//! | `s_axis_rx`, `m_axis_tx` | [`mac`]: frames and beats at the line rate |
//! | `m_axi` | [`crate::drive::axi_memory`] |
//! | `s_axil` | [`RtlNic::write`], [`RtlNic::read`]; [`setup`] makes the writes of a configuration, [`trace`] and [`trace_text`] print them |
//! | `s_axis_work`, `m_axis_completion` | [`host`]: words of [`hpcc_rtl::words::work`] |

mod caps;
mod device;
pub mod host;
pub mod mac;
pub mod ports;
pub mod setup;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod trace_text;

pub use device::model;

use super::device::DeviceError;
use crate::drive::axi_memory::{AxiMemory, Slave, Speed};
use crate::drive::axi_ports::AxiPorts;
use crate::drive::clocked::Clocked;
use host::Access;
use hpcc_models::nic::registers::offset;
use hpcc_models::nic::{Completion, Counter, WorkRequest};
use hpcc_rtl::sim::Stimulus;
use mac::{Sink, Source};
use ports::NicPorts;
use setup::Step;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Clock period, ns: 200 MHz.
pub const PERIOD_NS: u64 = 5;
/// Clocks of reset, and then until every table has been cleared.
const RESET_CLOCKS: u64 = 16;
const CLEAR_CLOCKS: u64 = 2048;
/// Clocks in which the NIC answers a register access.
const LITE_CLOCKS: u64 = 1000;
/// Clocks in which it carries out a command.
const COMMAND_READS: u64 = 200;
/// Clocks without any movement after which nothing more is waited for: far above the longest way through the NIC.
const QUIET_CLOCKS: u64 = 2000;
/// Memory: 60 clocks are 300 ns, as over PCIe to memory near by.
const MEMORY_SPEED: Speed = Speed::constant(60);

/// The NIC in RTL with everything around it.
pub struct RtlNic<C> {
    device: C,
    ports: NicPorts,
    axi: AxiPorts,
    memory: AxiMemory,
    slave: Slave,
    source: Source,
    sink: Sink,
    access: Access,
    work: VecDeque<host::WorkLimbs>,
    /// Work requests without a completion.
    open: u64,
    completions: Vec<Completion>,
    /// Where queue pairs live, by their numbers.
    places: BTreeMap<u32, u32>,
    pause: u8,
    clocks: u64,
    now_ns: u64,
    /// Last clock in which anything moved.
    moved: u64,
    /// Time that the waveform covers, ns.
    recorded: Range<u64>,
    stalls: Option<Stalls>,
}

/// Random stalls of the frame and completion streams, each with its own chance in a clock.
#[derive(Debug)]
pub struct Stalls {
    /// Where they come from.
    pub stimulus: Stimulus,
    /// Chance of a gap between beats of received frames.
    pub rx: f64,
    /// Chance that a beat of a sent frame is not taken.
    pub tx: f64,
    /// Chance that a completion is not taken.
    pub completion: f64,
}

fn fault(t_ns: u64, what: impl Into<String>) -> DeviceError {
    DeviceError::Port {
        t_ns,
        what: what.into(),
    }
}

impl<C: Clocked> RtlNic<C> {
    /// A NIC out of reset, its memory empty; one that was used before is reset.
    pub fn new(device: C, rate_gbps: f64) -> Result<Self, DeviceError> {
        let ports = NicPorts::new(device.ports()).map_err(|error| fault(0, error.to_string()))?;
        let axi = AxiPorts::new(device.ports(), "m_axi");
        let mut nic = Self {
            device,
            ports,
            axi,
            memory: AxiMemory::new(MEMORY_SPEED, 1),
            slave: Slave::default(),
            source: Source::new(rate_gbps),
            sink: Sink::new(rate_gbps),
            access: Access::default(),
            work: VecDeque::new(),
            open: 0,
            completions: Vec::new(),
            places: BTreeMap::new(),
            pause: 0,
            clocks: 0,
            now_ns: 0,
            moved: 0,
            recorded: 0..0,
            stalls: None,
        };
        nic.device.inputs()[ports.reset] = 1;
        nic.clock_for(RESET_CLOCKS)?;
        // What is connected is reset with the NIC, so it knows nothing of what was under way.
        nic.sink = Sink::new(rate_gbps);
        nic.memory = AxiMemory::new(MEMORY_SPEED, 1);
        nic.slave = Slave::default();
        nic.completions.clear();
        nic.device.inputs()[ports.reset] = 0;
        nic.clock_for(CLEAR_CLOCKS)?;
        Ok(nic)
    }

    /// Host memory and its timing.
    pub fn memory_mut(&mut self) -> &mut AxiMemory {
        &mut self.memory
    }

    /// Random stalls from now on, or none.
    pub fn set_stalls(&mut self, stalls: Option<Stalls>) {
        self.stalls = stalls;
    }

    /// A frame arrives now, behind those that wait; the MAC says whether it is bad.
    pub fn offer_marked(&mut self, frame: Vec<u8>, bad: bool) {
        self.source.push_marked(self.now_ns, frame, bad);
    }

    /// A frame arrives at a time, ns, not before the present.
    pub fn offer_at(&mut self, at_ns: u64, frame: Vec<u8>) {
        self.source.push(at_ns.max(self.now_ns), frame);
    }

    /// Hands over a work request now.
    pub fn post_now(&mut self, work: WorkRequest) {
        self.work.push_back(host::work_limbs(&work));
        self.open += 1;
    }

    /// Present time, ns, and clocks so far.
    pub fn time(&self) -> (u64, u64) {
        (self.now_ns, self.clocks)
    }

    /// What simulates it.
    pub fn into_device(self) -> C {
        self.device
    }

    /// Frames offered that the NIC has not taken whole.
    pub fn frames_waiting(&self) -> usize {
        self.source.waiting()
    }

    /// What is still to come of the frame that the NIC has half taken.
    pub fn rest_of_frame(&self) -> Option<&[u8]> {
        self.source.rest()
    }

    /// So many clocks.
    pub fn clock_for(&mut self, clocks: u64) -> Result<(), DeviceError> {
        (0..clocks).try_for_each(|_| self.clock())
    }

    /// One clock.
    fn clock(&mut self) -> Result<(), DeviceError> {
        let (now, ports) = (self.now_ns, self.ports);
        let inputs = self.device.inputs();
        inputs[ports.now] = now;
        inputs[ports.pause] = self.pause.into();
        self.axi.apply(&self.slave, inputs);
        let [rx, tx, completion] = self.stalls.as_mut().map_or([false; 3], |stalls| {
            [stalls.rx, stalls.tx, stalls.completion].map(|chance| stalls.stimulus.chance(chance))
        });
        self.source.drive(now, rx, &ports.rx, inputs);
        self.sink.drive(now, tx, &ports.tx, inputs);
        host::drive_work(self.work.front(), &ports.work, inputs);
        inputs[ports.completion.ready] = (!completion).into();
        self.access.drive(&ports.lite, inputs);
        self.device.settle();
        let outputs = self.device.outputs();
        let mut moved = self.source.sample(&ports.rx, outputs);
        moved |= self
            .sink
            .sample(now, &ports.tx, outputs)
            .map_err(|what| fault(now, what))?;
        if !self.work.is_empty() && outputs[ports.work.ready] == 1 {
            self.work.pop_front();
            moved = true;
        }
        if outputs[ports.completion.valid] == 1 && !completion {
            let completion = host::completion(&outputs[ports.completion.data..], now);
            let mut completion = completion.map_err(|what| fault(now, what))?;
            let number = self.places.iter().find(|(_, place)| **place == completion.qpn);
            completion.qpn = number.map_or(completion.qpn, |(qpn, _)| *qpn);
            self.completions.push(completion);
            self.open = self.open.saturating_sub(1);
            moved = true;
        }
        moved |= self.access.sample(&ports.lite, outputs);
        let master = self.axi.master(outputs);
        let recorded = self.recorded.contains(&now);
        if recorded {
            self.device.dump(now * 1000);
        }
        self.device.edge();
        if recorded {
            self.device.dump(now * 1000 + PERIOD_NS * 500);
        }
        self.slave = self.memory.clock(&master);
        moved |= !self.memory.idle();
        self.clocks += 1;
        self.now_ns += PERIOD_NS;
        if moved {
            self.moved = self.clocks;
        }
        Ok(())
    }

    /// Every violation on the memory port ends the run.
    fn check_memory(&self) -> Result<(), DeviceError> {
        if let Some(violation) = self.memory.faults().first() {
            return Err(fault(self.now_ns, format!("m_axi: {violation}")));
        }
        match self.memory.outside().first() {
            Some(address) => Err(fault(
                self.now_ns,
                format!("m_axi: a write outside all memory, at 0x{address:x}"),
            )),
            None => Ok(()),
        }
    }

    fn access(&mut self, access: Access) -> Result<u32, DeviceError> {
        self.access = access;
        for _ in 0..LITE_CLOCKS {
            self.clock()?;
            if let Some((data, response)) = self.access.response.take() {
                let address = access.address.unwrap_or_default();
                return match response {
                    0 => Ok(data),
                    _ => Err(fault(
                        self.now_ns,
                        format!("s_axil: response {response} at 0x{address:03x}"),
                    )),
                };
            }
        }
        Err(fault(self.now_ns, "s_axil: no response"))
    }

    /// Writes a register.
    pub fn write(&mut self, address: u16, data: u32) -> Result<(), DeviceError> {
        let access = Access {
            address: Some(address),
            data: Some(data),
            ..Access::default()
        };
        self.access(access).map(|_| ())
    }

    /// Reads a register.
    pub fn read(&mut self, address: u16) -> Result<u32, DeviceError> {
        self.access(Access {
            address: Some(address),
            read: true,
            ..Access::default()
        })
    }

    /// Does what a driver does.
    pub fn carry_out(&mut self, step: &Step) -> Result<(), DeviceError> {
        let (operation, index, body, about) = match step {
            Step::Write(address, data) => return self.write(*address, *data),
            Step::Command {
                operation,
                index,
                body,
                about,
            } => (*operation, *index, body, about),
        };
        for (at, word) in (offset::BODY..).step_by(4).zip(body) {
            self.write(at, *word)?;
        }
        self.write(offset::COMMAND, operation | index << 8)?;
        for _ in 0..COMMAND_READS {
            let status = self.read(offset::STATUS)?;
            if status & 0b110 != 0 {
                // Both flags are cleared by writing them.
                self.write(offset::STATUS, 0b110)?;
                return match status & 0b100 {
                    0 => Ok(()),
                    _ => Err(fault(
                        self.now_ns,
                        format!("{about}: refused with code {}", status >> 4 & 7),
                    )),
                };
            }
        }
        Err(fault(self.now_ns, format!("{about}: no end of the command")))
    }

    /// Reads all counters.
    fn read_counters(&mut self) -> Result<Vec<(&'static str, u64)>, DeviceError> {
        let mut values = Vec::new();
        for (at, counter) in (offset::COUNTERS..).step_by(8).zip(Counter::ALL) {
            let low = self.read(at)?;
            let high = self.read(at + 4)?;
            values.push((counter.name(), u64::from(high) << 32 | u64::from(low)));
        }
        Ok(values)
    }

    /// Nothing is expected to happen by itself.
    fn quiet(&self) -> bool {
        self.open == 0 && self.clocks - self.moved > QUIET_CLOCKS
    }
}
