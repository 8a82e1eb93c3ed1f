//! The Verilated NIC behind the face of a NIC under test.

use super::{setup, RtlNic, PERIOD_NS};
use crate::config::{law_name, NicSetup};
use crate::drive::clocked::Clocked;
use crate::nic::device::{Device, DeviceError, Wave};
use crate::verilated::{shared_object, top_sources, Model, ModelError, FAST};
use hpcc_models::nic::queues::MemoryRegion;
use hpcc_models::nic::{Completion, WorkRequest, GROUPS};
use hpcc_models::sched::CapControl;
use hpcc_models::wire::TimedFrame;
use hpcc_rtl::sim::Port;
use hpcc_rtl::tops::{Top, NIC, NIC_HPCC};
use std::collections::btree_map::Entry;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Simulated time from which on two NICs are worth two threads, ns.
const WORTH_A_THREAD_NS: u64 = 200;

/// Shared object and ports of a built model.
type Built = (PathBuf, Vec<Port>);

/// The built models, without and with waveforms: shared object and ports. Emitting the NIC takes seconds, so once per process.
static BUILT: Mutex<BTreeMap<(&str, bool), Built>> = Mutex::new(BTreeMap::new());

fn build(top: &Top, trace: bool) -> Result<Built, DeviceError> {
    let mut sources = top_sources(top).map_err(ModelError::from)?;
    // assertions are on where this program's own are: in tests, not where speed counts
    sources.checked = cfg!(debug_assertions);
    // a waveform shows each half of a clock, and an assertion looks at what follows from the inputs before the edge
    (sources.trace, sources.registered) = (trace, !trace && !sources.checked);
    sources.defines = vec![FAST.into()];
    let object = shared_object(&sources).map_err(ModelError::from)?;
    Ok((object, sources.ports))
}

fn fresh(top: &'static Top, trace: bool) -> Result<Model, DeviceError> {
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Entry::Vacant(place) = built.entry((top.name, trace)) {
        place.insert(build(top, trace)?);
    }
    let (object, ports) = &built[&(top.name, trace)];
    Ok(Model::load(object, ports.clone())?)
}

/// A fresh Verilated NIC with HPCC alone, able to write waveforms or not; built when it is first asked for.
pub fn model(trace: bool) -> Result<Model, DeviceError> {
    fresh(&NIC_HPCC, trace)
}

/// A fresh Verilated NIC with the laws that a configuration wants: HPCC alone where that is enough, all of them otherwise.
pub fn model_for(setup: &NicSetup, trace: bool) -> Result<Model, DeviceError> {
    let alone = setup.wanted_laws().iter().all(|code| law_name(*code) == "hpcc");
    fresh(if alone { &NIC_HPCC } else { &NIC }, trace)
}

impl<C: Clocked> RtlNic<C> {
    /// The NIC of a configuration, as [`Device::create`] makes it, whatever simulates it.
    pub fn configured(device: impl FnOnce() -> Result<C, DeviceError>, setup: &NicSetup) -> Result<Self, DeviceError> {
        // What the hardware cannot do is known before its model is built.
        setup::steps(setup).map_err(DeviceError::Law)?;
        let mut nic = Self::new(device()?, setup.nic.line_rate_bps / 1e9)?;
        nic.set_up(setup)?;
        Ok(nic)
    }

    /// Gives a NIC out of reset the memory, registers and queue pairs of a configuration.
    pub fn set_up(&mut self, setup: &NicSetup) -> Result<(), DeviceError> {
        if !setup.queues.pairs.is_empty() {
            return Err(DeviceError::Law("[[qp]] queues: expected --fidelity golden".into()));
        }
        let steps = setup::steps(setup).map_err(DeviceError::Law)?;
        for block in &setup.memory {
            self.memory.add(block.place(), block.bytes.clone());
        }
        steps.iter().try_for_each(|step| self.carry_out(step))?;
        self.places = setup::places(setup).map_err(DeviceError::Law)?;
        Ok(())
    }
}

impl RtlNic<Model> {
    /// Writes a waveform of so much time from now on; the model must be able to.
    pub fn record(&mut self, path: &Path, length_ns: u64) -> Result<(), DeviceError> {
        self.device.open_trace(path)?;
        self.recorded = self.now_ns..self.now_ns + length_ns;
        Ok(())
    }
}

impl Device for RtlNic<Model> {
    fn create(setup: &NicSetup) -> Result<Self, DeviceError> {
        Self::configured(|| model_for(setup, false), setup)
    }

    fn create_recorded(setup: &NicSetup, wave: &Wave) -> Result<Self, DeviceError> {
        let mut nic = Self::configured(|| model_for(setup, true), setup)?;
        nic.device.open_trace(&wave.path)?;
        nic.recorded = nic.now_ns + wave.from_ns..nic.now_ns + wave.from_ns + wave.length_ns;
        Ok(nic)
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn post(&mut self, mut work: WorkRequest) {
        work.qpn = self.places.get(&work.qpn).copied().unwrap_or(work.qpn);
        self.post_now(work);
    }

    fn offer(&mut self, at_ns: u64, frame: Vec<u8>) {
        self.source.push(at_ns.max(self.now_ns), frame);
    }

    fn offer_as_it_comes(&mut self, at_ns: u64, frame: Vec<u8>) {
        self.source.push_as_it_comes(at_ns.max(self.now_ns), frame);
    }

    fn advance(&mut self, to_ns: u64) -> Result<(), DeviceError> {
        while self.now_ns + PERIOD_NS <= to_ns {
            self.clock()?;
        }
        match self.device.broken()? {
            0 => self.check_memory(),
            count => Err(DeviceError::Port {
                t_ns: self.now_ns,
                what: format!("modules have broken what they promise {count} times; each is told on standard output"),
            }),
        }
    }

    fn next_ns(&self) -> Option<u64> {
        match self.quiet() {
            true => self.source.next_ns().map(|at| at.max(self.now_ns)),
            false => Some(self.now_ns + PERIOD_NS),
        }
    }

    fn take_sent(&mut self) -> Vec<TimedFrame> {
        std::mem::take(&mut self.sink.sent)
    }

    fn take_completions(&mut self) -> Vec<Completion> {
        std::mem::take(&mut self.completions)
    }

    fn counters(&mut self) -> Result<Vec<(&'static str, u64)>, DeviceError> {
        self.read_counters()
    }

    fn memory(&self, address: u64) -> Option<&[u8]> {
        self.memory.region(address)
    }

    fn set_pause(&mut self, priorities: u8) {
        self.pause = priorities;
    }

    fn write_region(&mut self, region: &MemoryRegion) -> Result<(), DeviceError> {
        self.carry_out(&setup::region(region))
    }

    fn remove_region(&mut self, key: u32) -> Result<(), DeviceError> {
        self.carry_out(&setup::removal(key))
    }

    fn set_level(&mut self, group: usize, rate_bps: Option<f64>) -> Result<(), DeviceError> {
        self.write_level(group, rate_bps)
    }

    fn set_cap(&mut self, flow: u32, rate_bps: Option<f64>, group: usize) -> Result<(), DeviceError> {
        self.write_cap(flow, rate_bps, group)
    }

    fn set_cap_control(&mut self, control: CapControl) -> Result<(), DeviceError> {
        self.write_cap_control(control)
    }

    fn active(&mut self) -> Result<[u32; GROUPS], DeviceError> {
        self.read_active()
    }

    fn sent_bytes(&mut self) -> Result<[u64; GROUPS], DeviceError> {
        self.read_sent()
    }

    fn clocks(&self) -> u64 {
        self.clocks
    }

    fn advance_both(devices: &mut [Self; 2], to_ns: u64) -> Result<(), DeviceError> {
        let [a, b] = devices;
        if to_ns.saturating_sub(a.now_ns.min(b.now_ns)) < WORTH_A_THREAD_NS {
            a.advance(to_ns)?;
            return b.advance(to_ns);
        }
        std::thread::scope(|scope| {
            let other = scope.spawn(|| b.advance(to_ns));
            let own = a.advance(to_ns);
            // A panic of the other thread goes on here.
            let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            own.and(other)
        })
    }
}
