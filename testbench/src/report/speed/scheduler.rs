//! Packets that the scheduler lets go when nobody takes them too slowly.

use super::basis::SpeedError;
use crate::verilated::{sources, Model, ModelError};
use hpcc_models::sched::SchedRegisters;
use hpcc_rtl::prim::uint::{Limbs, U};
use hpcc_rtl::sched::PaperScheduler;
use hpcc_rtl::words::flows::FlowUpdate;

/// Nanoseconds of a clock.
const CLOCK_NS: u64 = 5;
/// Clocks before the measurement, and of it.
const SETTLE: u64 = 2000;
const MEASURED: u64 = 20_000;
/// 127 bytes/ns, UQ7.27: no flow waits for credit for long.
const RATE: u64 = 127 << 27;
/// Clocks in which an offer is taken.
const PATIENCE: u64 = 1000;

struct Bench {
    model: Model,
    /// Limb of the update on offer.
    update: usize,
    clock: u64,
    sent: u64,
}

impl Bench {
    fn step(&mut self) {
        self.model.set("now", self.clock * CLOCK_NS);
        self.model.settle();
        self.sent += self.model.get("send_valid").unwrap_or(0);
        self.model.edge();
        self.clock += 1;
    }

    fn offer(&mut self, port: &str, fields: &[(&str, u64)]) -> Result<(), SpeedError> {
        for (name, value) in fields.iter().chain(&[("valid", 1)]) {
            if !self.model.set(&format!("{port}_{name}"), *value) {
                return Err(SpeedError::Check(format!("the scheduler has no input {port}_{name}")));
            }
        }
        for _ in 0..PATIENCE {
            self.step();
            if self.model.get(&format!("{port}_ready")) == Some(1) {
                self.model.set(&format!("{port}_valid"), 0);
                return Ok(());
            }
        }
        Err(SpeedError::Check(format!("the scheduler does not take a {port}")))
    }
}

/// Packets per clock with so many flows that always have work, the smallest MTU and a sink that is always ready.
pub fn grants_per_clock(flows: u64) -> Result<f64, SpeedError> {
    let mut block: Box<PaperScheduler> = Box::default();
    let mut sources = sources("scheduler_6x50", block.as_mut()).map_err(ModelError::from)?;
    sources.optimise = 1;
    let update = sources.ports.iter().find(|port| port.name == "update_data");
    let update = update.map(|port| port.limb);
    let update = update.ok_or_else(|| SpeedError::Check("the scheduler has no input update_data".into()))?;
    let mut bench = Bench {
        model: Model::new(&sources)?,
        update,
        clock: 0,
        sent: 0,
    };
    for (name, value) in [("cc_ready", 1), ("ended_ready", 1), ("send_ready", 1), ("rst", 1)] {
        bench.model.set(name, value);
    }
    bench.step();
    bench.model.set("rst", 0);
    for (address, data) in SchedRegisters::default().writes() {
        bench.model.set("param_write", 1);
        bench.model.set("param_address", address.into());
        bench.model.set("param_data", data);
        bench.step();
    }
    bench.model.set("param_write", 0);
    (0..SETTLE).for_each(|_| bench.step());
    for flow in 0..flows {
        let named = [("flow", flow), ("generation", 1)];
        let with = |more: &[(&'static str, u64)]| [&named[..], more].concat();
        let create = [
            ("create", 1),
            ("psn", 0),
            ("mtu", 0),
            ("priority", 0),
            ("windowless", 1),
            ("timerless", 1),
        ];
        bench.offer("command", &with(&create))?;
        let update = FlowUpdate {
            flow: U(flow),
            generation: U(1),
            window: U((1 << 34) - 1),
            rate: U(RATE),
        };
        update.to_limbs(&mut bench.model.inputs[bench.update..]);
        bench.offer("update", &[])?;
        bench.offer("work", &with(&[("end", (1 << 23) - 1), ("restart", 0), ("start", 0)]))?;
    }
    (0..SETTLE).for_each(|_| bench.step());
    let before = bench.sent;
    (0..MEASURED).for_each(|_| bench.step());
    Ok((bench.sent - before) as f64 / MEASURED as f64)
}
