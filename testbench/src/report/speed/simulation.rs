//! Clocks that are simulated in a second of a processor: the congestion control and the whole NIC, RustHDL and Verilated.

use super::basis::{wire_frames, SpeedError, DATA_OVERHEAD};
use crate::drive::clocked::{Clocked, RustHdl};
use crate::drive::slot::{Offer, SlotDriver};
use crate::nic::link_config::{LinkOperation, LinkSpec};
use crate::nic::rtl::{model, RtlNic, PERIOD_NS};
use crate::nic::{Device, DeviceError};
use crate::verilated::{sources, Model, ModelError};
use hpcc_models::cc::hpcc::HpccParams;
use hpcc_models::cc::{CcEvent, EventKind};
use hpcc_models::fixed::HpccRegisters;
use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_rtl::nic::Nic;
use hpcc_rtl::sim::on_a_large_stack;
use hpcc_sim::plan::provenance::Stopwatch;

/// Flows of the congestion control under measurement.
const FLOWS: u32 = 100;

/// Time by which both directions of two NICs are busy, ns: set-up and a round trip.
const STEADY_NS: u64 = 60_000;

/// One measurement.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// What and by which simulator.
    pub what: &'static str,
    /// Clocks.
    pub clocks: u64,
    /// Time of one processor; real time where the system does not say.
    pub seconds: f64,
}

/// Time of this thread on a processor, so that what else the machine does changes nothing.
fn seconds(started: Stopwatch) -> f64 {
    started.cpu_s().unwrap_or_else(|| started.wall_s())
}

/// An event a clock into the congestion control.
fn slot<C: Clocked>(what: &'static str, device: C, clocks: u64) -> Result<Simulated, SpeedError> {
    let registers = HpccRegisters::new(&HpccParams::new(100_000_000_000, 13_000))
        .map_err(|error| SpeedError::Check(error.to_string()))?;
    let mut driver = SlotDriver::new(device, &registers.writes());
    for flow in 0..FLOWS {
        driver.create(flow as u16, 0);
    }
    let first = driver.clock();
    let started = Stopwatch::start();
    while driver.clock() - first < clocks {
        let at = driver.clock();
        let event = CcEvent {
            kind: EventKind::Ack,
            flow: (at % u64::from(FLOWS)) as u32,
            psn_next: (at / u64::from(FLOWS)) as u32 + 1,
            snd_nxt: (at / u64::from(FLOWS)) as u32 + 20,
            int_valid: true,
            n_hop: 5,
            now: at * 5,
            ..CcEvent::default()
        };
        driver.step(Offer {
            event: Some(&event),
            ..Offer::default()
        });
    }
    Ok(Simulated {
        what,
        clocks,
        seconds: seconds(started),
    })
}

/// A NIC that sends one WRITE of many packets.
fn nic<C: Clocked>(
    what: &'static str,
    device: impl FnOnce() -> Result<C, DeviceError>,
    clocks: u64,
) -> Result<Simulated, SpeedError> {
    let spec = LinkSpec {
        bytes: 1 << 20,
        messages: 4,
        retry_timeout_us: 60_000.0,
        ..LinkSpec::default()
    };
    let setup = spec.setup(0);
    let mut nic = RtlNic::configured(device, &setup)?;
    setup.work.iter().for_each(|work| nic.post_now(work.work));
    // until the first frames leave
    nic.clock_for(200)?;
    let started = Stopwatch::start();
    nic.clock_for(clocks)?;
    Ok(Simulated {
        what,
        clocks,
        seconds: seconds(started),
    })
}

/// Two NICs on an ideal wire, in one thread, that WRITE to each other at MTU 1024; clocks of both.
fn pair(what: &'static str, clocks: u64) -> Result<Simulated, SpeedError> {
    let spec = LinkSpec {
        bytes: 1 << 20,
        mtu: 1024,
        messages: 16,
        op: LinkOperation::Bidirectional,
        ..LinkSpec::default()
    };
    let setups = [0, 1].map(|side| spec.setup(side));
    let mut nics = [
        RtlNic::configured(|| model(false), &setups[0])?,
        RtlNic::configured(|| model(false), &setups[1])?,
    ];
    let mut now = nics.iter().map(Device::now_ns).max().unwrap_or(0);
    for (nic, setup) in nics.iter_mut().zip(&setups) {
        nic.advance(now)?;
        setup.work.iter().for_each(|work| nic.post(work.work));
    }
    // what one sends in a step reaches the other in the next
    let step = spec.link.delay_ns;
    let (mut started, mut first, mut frames) = (Stopwatch::start(), 0, 0);
    loop {
        let done: u64 = nics.iter().map(Device::clocks).sum();
        if now < STEADY_NS {
            (started, first, frames) = (Stopwatch::start(), done, 0);
        } else if done - first >= clocks {
            let seconds = seconds(started);
            let wire = wire_frames(spec.mtu as usize + DATA_OVERHEAD) * (done - first) as f64 * PERIOD_NS as f64 / 1e9;
            return match frames as f64 >= 0.95 * wire {
                true => Ok(Simulated {
                    what,
                    clocks: done - first,
                    seconds,
                }),
                false => Err(SpeedError::Check(format!(
                    "{frames} frames of {wire:.0} on a wire that is busy both ways"
                ))),
            };
        }
        now += step;
        for side in 0..2 {
            nics[side].advance(now)?;
            for frame in nics[side].take_sent() {
                frames += 1;
                nics[1 - side].offer(frame.t_ns + step, frame.bytes);
            }
        }
    }
}

/// All measurements. They share the machine with whatever else runs on it.
pub fn simulation(say: &dyn Fn(String)) -> Result<Vec<Simulated>, SpeedError> {
    let init = |error: hpcc_rtl::sim::InitError| SpeedError::Model(ModelError::from(error));
    say("simulation: congestion control".into());
    let mut block: Box<HpccSlot<300, 9>> = Box::default();
    let verilated = Model::new(&sources("hpcc_cc", block.as_mut()).map_err(ModelError::from)?)?;
    let rust = RustHdl::new(Box::<HpccSlot<300, 9>>::default()).map_err(init)?;
    let mut rows = vec![
        slot("congestion control, RustHDL, an event a clock", rust, 2000)?,
        slot("congestion control, Verilated, an event a clock", verilated, 500_000)?,
    ];
    say("simulation: NIC".into());
    let rust = || RustHdl::new(Box::<Nic<1, 0, 0, 0>>::default()).map_err(|error| ModelError::from(error).into());
    let whole = on_a_large_stack(|| nic("whole NIC with HPCC alone sending at line rate, RustHDL", rust, 500));
    let whole = whole.map_err(|error| SpeedError::Check(error.to_string()))??;
    rows.push(whole);
    let verilated = || model(false);
    rows.push(nic(
        "whole NIC with HPCC alone sending at line rate, Verilated",
        verilated,
        50_000,
    )?);
    rows.push(pair(
        "whole NIC with HPCC alone, one of two that WRITE both ways at MTU 1024, Verilated",
        100_000,
    )?);
    Ok(rows)
}
