//! What every NIC under test can do. Frame beats and clocks are hidden: frames go in and come out at times.

use crate::config::{Limits, NicSetup};
use hpcc_models::nic::queues::MemoryRegion;
use hpcc_models::nic::{Completion, HostError, WorkRequest, GROUPS};
use hpcc_models::sched::CapControl;
use hpcc_models::wire::TimedFrame;
use std::path::PathBuf;
use thiserror::Error;

/// Why a NIC cannot be made or cannot go on.
#[derive(Debug, Error)]
pub enum DeviceError {
    /// A queue pair of the configuration is refused.
    #[error(transparent)]
    Host(#[from] HostError),
    /// Parameters of the law are refused.
    #[error("{0}")]
    Law(String),
    /// The Verilated model cannot be built or loaded.
    #[error(transparent)]
    Rtl(#[from] crate::verilated::ModelError),
    /// The NIC breaks the rules of one of its ports, or does not answer.
    #[error("at {t_ns} ns: {what}")]
    Port {
        /// Simulated time, ns.
        t_ns: u64,
        /// Port and rule.
        what: String,
    },
}

/// A waveform that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// File.
    pub path: PathBuf,
    /// First time, counted from when the NIC is set up, ns.
    pub from_ns: u64,
    /// How much of it, ns.
    pub length_ns: u64,
}

/// A NIC with its host memory. Times are nanoseconds of its own clock, which starts at 0 and never goes back.
pub trait Device: Sized {
    /// The NIC of a configuration: registers written, memory filled, queue pairs created, no work posted.
    fn create(setup: &NicSetup) -> Result<Self, DeviceError>;

    /// The same, with a waveform.
    fn create_recorded(_setup: &NicSetup, _wave: &Wave) -> Result<Self, DeviceError> {
        Err(DeviceError::Law("a waveform: expected --fidelity nic-rtl".into()))
    }

    /// Its clock.
    fn now_ns(&self) -> u64;

    /// Hands over a work request now. One that finds the queue full waits in front of it, in order.
    fn post(&mut self, work: WorkRequest);

    /// A frame (without FCS) arrives whole at `at_ns`, not before the present. Frames may be offered ahead of time.
    fn offer(&mut self, at_ns: u64, frame: Vec<u8>);

    /// The same of a frame whose beats come as the wire brings them, the last one at `at_ns`, if it is offered before its first bit comes.
    fn offer_as_it_comes(&mut self, at_ns: u64, frame: Vec<u8>) {
        self.offer(at_ns, frame);
    }

    /// Lets time pass up to `to_ns`; a clocked NIC stops at the last clock edge that is not behind it.
    fn advance(&mut self, to_ns: u64) -> Result<(), DeviceError>;

    /// When something can happen next that nobody outside causes; `None` if nothing is waited for.
    fn next_ns(&self) -> Option<u64>;

    /// Frames sent since the last call; `t_ns` is when the first bit left.
    fn take_sent(&mut self) -> Vec<TimedFrame>;

    /// Completions since the last call, oldest first.
    fn take_completions(&mut self) -> Vec<Completion>;

    /// All counters by name, in the order of the register map.
    fn counters(&mut self) -> Result<Vec<(&'static str, u64)>, DeviceError>;

    /// The memory block that begins at `address`.
    fn memory(&self, address: u64) -> Option<&[u8]>;

    /// Pause from the MAC: bit n stops data of priority n.
    fn set_pause(&mut self, priorities: u8);

    /// Adds or replaces a memory region of a host without queues. A clocked NIC takes some time.
    fn write_region(&mut self, region: &MemoryRegion) -> Result<(), DeviceError>;

    /// Removes a region of a host without queues; when it is done nothing uses the region's memory any more. A clocked NIC takes some time.
    fn remove_region(&mut self, key: u32) -> Result<(), DeviceError>;

    /// Writes the level of a group below [`GROUPS`]: bits per second of wire bytes, `None` for no limit. A clocked NIC takes some time.
    fn set_level(&mut self, group: usize, rate_bps: Option<f64>) -> Result<(), DeviceError>;

    /// Writes the cap and the group of a flow (twice the queue pair's number for its requests, one more for its READ responses).
    fn set_cap(&mut self, flow: u32, rate_bps: Option<f64>, group: usize) -> Result<(), DeviceError>;

    /// Writes `CAP_CONTROL`; its window counts for caps and levels written later.
    fn set_cap_control(&mut self, control: CapControl) -> Result<(), DeviceError>;

    /// Writes the caps, groups and levels of a configuration.
    fn write_limits(&mut self, limits: &Limits) -> Result<(), DeviceError> {
        if let Some(control) = limits.control {
            self.set_cap_control(control)?;
        }
        for &(group, rate) in &limits.levels {
            self.set_level(group, Some(rate))?;
        }
        (limits.caps.iter()).try_for_each(|&(flow, rate, group)| self.set_cap(flow, rate, group))
    }

    /// Flows with work, by groups.
    fn active(&mut self) -> Result<[u32; GROUPS], DeviceError>;

    /// Bytes sent on the wire, by groups.
    fn sent_bytes(&mut self) -> Result<[u64; GROUPS], DeviceError>;

    /// Clocks simulated so far; 0 where there are none.
    fn clocks(&self) -> u64 {
        0
    }

    /// Lets time pass for two NICs that do not hear of each other meanwhile.
    fn advance_both(devices: &mut [Self; 2], to_ns: u64) -> Result<(), DeviceError> {
        devices.iter_mut().try_for_each(|device| device.advance(to_ns))
    }
}
