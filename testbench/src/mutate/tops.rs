//! Tops that can be mutated, each with the stimulus that its lockstep test uses.

use crate::drive::frames::Frames;
use crate::drive::sched_traffic::SchedTraffic;
use crate::drive::slot_stimulus::SlotDrive;
use crate::verilated::lockstep::Drive;
use crate::verilated::vectors::Vectors;
use crate::verilated::{sources, ModelError, Sources};
use hpcc_rtl::cc::dcqcn::DcqcnSlot;
use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_rtl::cc::powertcp::PowerSlot;
use hpcc_rtl::cc::theta::ThetaSlot;
use hpcc_rtl::sched::Scheduler;
use hpcc_rtl::sim::{port_list, Port, Ports};
use hpcc_rtl::switch::IntStamper;

/// Flows of the slot under mutation: few enough that each is met again and again.
const FLOWS: usize = 50;

/// A top and how to record its vectors.
pub struct Subject {
    /// Name of the top.
    pub name: &'static str,
    /// Emits the Verilog.
    pub sources: fn() -> Result<Sources, ModelError>,
    /// Records a run of so many clocks under a seed, from RustHDL.
    pub record: fn(usize, u64) -> Result<Vectors, ModelError>,
}

type Slot = HpccSlot<FLOWS, 6>;
/// Three engines of five flows, six rows of waiting flows each.
type SmallScheduler = Scheduler<3, 5, 4, 3, 3, 6>;
type Power = PowerSlot<FLOWS, 6>;
type Theta = ThetaSlot<FLOWS, 6>;
type Dcqcn = DcqcnSlot<FLOWS, 6>;

/// All of them.
pub const SUBJECTS: &[Subject] = &[
    Subject {
        name: "hpcc_slot",
        sources: || emit::<Slot>("hpcc_slot"),
        record: |clocks, seed| record::<Slot, _>(clocks, |ports| SlotDrive::new(ports, "hpcc", seed, FLOWS as u64)),
    },
    Subject {
        name: "powertcp_slot",
        sources: || emit::<Power>("powertcp_slot"),
        record: |clocks, seed| {
            record::<Power, _>(clocks, |ports| SlotDrive::new(ports, "powertcp", seed, FLOWS as u64))
        },
    },
    Subject {
        name: "theta_slot",
        sources: || emit::<Theta>("theta_slot"),
        record: |clocks, seed| {
            record::<Theta, _>(clocks, |ports| {
                SlotDrive::new(ports, "theta-powertcp", seed, FLOWS as u64)
            })
        },
    },
    Subject {
        name: "dcqcn_slot",
        sources: || emit::<Dcqcn>("dcqcn_slot"),
        record: |clocks, seed| record::<Dcqcn, _>(clocks, |ports| SlotDrive::new(ports, "dcqcn", seed, FLOWS as u64)),
    },
    Subject {
        name: "hpcc_int_stamper",
        sources: || emit::<IntStamper>("hpcc_int_stamper"),
        record: |clocks, seed| record::<IntStamper, _>(clocks, |ports| Frames::new(ports, seed)),
    },
    Subject {
        name: "hpcc_scheduler",
        sources: || emit::<SmallScheduler>("hpcc_scheduler"),
        record: |clocks, seed| record::<SmallScheduler, _>(clocks, |ports| SchedTraffic::new(ports, seed, 15)),
    },
];

/// The subject of a name.
pub fn subject(name: &str) -> Option<&'static Subject> {
    SUBJECTS.iter().find(|subject| subject.name == name)
}

fn emit<B: Ports + Default>(name: &str) -> Result<Sources, ModelError> {
    let mut sources = sources(name, Box::<B>::default().as_mut())?;
    // the model is built once and runs a few hundred times
    sources.optimise = 1;
    Ok(sources)
}

fn record<B: Ports + Default, D: Drive>(
    clocks: usize,
    drive: impl FnOnce(&[Port]) -> D,
) -> Result<Vectors, ModelError> {
    let mut block: Box<B> = Box::default();
    let mut drive = drive(&port_list(block.as_ref()));
    Ok(Vectors::record(block.as_mut(), &mut drive, clocks)?)
}
