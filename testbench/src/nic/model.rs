//! The behavioural model as a NIC under test.

use super::device::{Device, DeviceError};
use super::host_queues::HostQueues;
use crate::config::NicSetup;
use hpcc_models::nic::queues::MemoryRegion;
use hpcc_models::nic::{BlockMemory, Completion, FormatConfig, HostError, Nic, WorkRequest, GROUPS};
use hpcc_models::sched::CapControl;
use hpcc_models::wire::TimedFrame;
use std::collections::{BTreeMap, VecDeque};

/// The behavioural model with the frames and work that wait for it.
pub struct ModelNic {
    nic: Nic<BlockMemory>,
    now: u64,
    arrivals: BTreeMap<(u64, u64), Vec<u8>>,
    offered: u64,
    /// Work in front of a full queue, per queue pair so that one does not hold up another.
    waiting: BTreeMap<u32, VecDeque<WorkRequest>>,
    sent: Vec<TimedFrame>,
    queues: HostQueues,
}

impl ModelNic {
    fn post_waiting(&mut self) {
        for queue in self.waiting.values_mut() {
            while let Some(work) = queue.front() {
                if let Err(HostError::QueueFull(_)) = self.nic.post(self.now, *work) {
                    break;
                }
                queue.pop_front();
            }
        }
        self.waiting.retain(|_, queue| !queue.is_empty());
    }

    fn poll(&mut self) {
        self.post_waiting();
        self.queues.turn(&mut self.nic, self.now);
        let t_ns = self.now;
        let frames = self.nic.poll(t_ns).into_iter();
        self.sent.extend(frames.map(|bytes| TimedFrame { t_ns, bytes }));
    }
}

impl Device for ModelNic {
    fn create(setup: &NicSetup) -> Result<Self, DeviceError> {
        let laws = setup.laws().map_err(DeviceError::Law)?;
        let mut nic = setup.model(laws)?;
        Ok(Self {
            queues: HostQueues::create(&mut nic, setup).map_err(DeviceError::Law)?,
            nic,
            now: 0,
            arrivals: BTreeMap::new(),
            offered: 0,
            waiting: BTreeMap::new(),
            sent: Vec::new(),
        })
    }

    fn now_ns(&self) -> u64 {
        self.now
    }

    fn post(&mut self, work: WorkRequest) {
        if self.queues.post(&work) {
            return;
        }
        self.waiting.entry(work.qpn).or_default().push_back(work);
        self.post_waiting();
    }

    fn offer(&mut self, at_ns: u64, frame: Vec<u8>) {
        self.arrivals.insert((at_ns.max(self.now), self.offered), frame);
        self.offered += 1;
    }

    fn advance(&mut self, to_ns: u64) -> Result<(), DeviceError> {
        while let Some(next) = self.next_ns().filter(|next| *next <= to_ns) {
            self.now = next;
            while let Some(first) = self.arrivals.first_entry().filter(|entry| entry.key().0 <= next) {
                self.nic.receive(next, &first.remove());
            }
            self.poll();
        }
        self.now = self.now.max(to_ns);
        Ok(())
    }

    fn next_ns(&self) -> Option<u64> {
        let arrival = self.arrivals.keys().next().map(|(at, _)| *at);
        let host = self.queues.next_ns();
        let next = arrival.into_iter().chain(self.nic.next_deadline()).chain(host).min();
        next.map(|next| next.max(self.now))
    }

    fn take_sent(&mut self) -> Vec<TimedFrame> {
        std::mem::take(&mut self.sent)
    }

    fn take_completions(&mut self) -> Vec<Completion> {
        let mut completions = self.nic.take_completions();
        completions.append(&mut self.queues.take(&mut self.nic, self.now));
        completions
    }

    fn counters(&mut self) -> Result<Vec<(&'static str, u64)>, DeviceError> {
        let mut counters: Vec<_> = self.nic.counters().iter().collect();
        // those of what the hardware does not have only where it is switched on
        let config = self.nic.config();
        if config.feedback.is_on() || config.format != FormatConfig::default() {
            counters.extend(self.nic.feedback_counters().iter());
        }
        Ok(counters)
    }

    fn memory(&self, address: u64) -> Option<&[u8]> {
        self.nic.memory().block(address)
    }

    fn set_pause(&mut self, priorities: u8) {
        self.nic.set_pause(priorities);
    }

    fn write_region(&mut self, region: &MemoryRegion) -> Result<(), DeviceError> {
        self.nic.add_memory_region(*region);
        Ok(())
    }

    fn remove_region(&mut self, key: u32) -> Result<(), DeviceError> {
        self.nic.remove_region(key);
        Ok(())
    }

    fn set_level(&mut self, group: usize, rate_bps: Option<f64>) -> Result<(), DeviceError> {
        self.nic.set_level(group, rate_bps);
        Ok(())
    }

    fn set_cap(&mut self, flow: u32, rate_bps: Option<f64>, group: usize) -> Result<(), DeviceError> {
        Ok(self.nic.set_cap(flow, rate_bps, group)?)
    }

    fn set_cap_control(&mut self, control: CapControl) -> Result<(), DeviceError> {
        self.nic.set_cap_control(control);
        Ok(())
    }

    fn active(&mut self) -> Result<[u32; GROUPS], DeviceError> {
        Ok(self.nic.active())
    }

    fn sent_bytes(&mut self) -> Result<[u64; GROUPS], DeviceError> {
        Ok(self.nic.sent())
    }
}
