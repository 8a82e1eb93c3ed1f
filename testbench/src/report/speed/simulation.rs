//! Clocks that are simulated in a second: the congestion control and the whole NIC, RustHDL and Verilated.

use super::basis::SpeedError;
use crate::drive::clocked::{Clocked, RustHdl};
use crate::drive::slot::{Offer, SlotDriver};
use crate::nic::link_config::LinkSpec;
use crate::nic::rtl::{model, RtlNic};
use crate::nic::DeviceError;
use crate::verilated::{sources, Model, ModelError};
use hpcc_models::cc::hpcc::HpccParams;
use hpcc_models::cc::{CcEvent, EventKind};
use hpcc_models::fixed::HpccRegisters;
use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_rtl::nic::Nic;
use hpcc_rtl::sim::on_a_large_stack;
use std::time::Instant;

/// Flows of the congestion control under measurement.
const FLOWS: u32 = 100;

/// One measurement.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// What and by which simulator.
    pub what: &'static str,
    /// Clocks.
    pub clocks: u64,
    /// Wall time.
    pub wall_s: f64,
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
    let started = Instant::now();
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
        wall_s: started.elapsed().as_secs_f64(),
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
    let started = Instant::now();
    nic.clock_for(clocks)?;
    Ok(Simulated {
        what,
        clocks,
        wall_s: started.elapsed().as_secs_f64(),
    })
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
    Ok(rows)
}
