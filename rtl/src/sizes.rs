//! Blocks in sizes that only tests simulate. What is generic is compiled where it is first used: used here, it is optimised like all of this
//! crate, and every test of the test bench, which is not, shares that code.

use crate::cc::dcqcn::DcqcnSlot;
use crate::cc::hpcc::HpccSlot;
use crate::cc::powertcp::PowerSlot;
use crate::cc::theta::ThetaSlot;
use crate::sched::Scheduler;
use crate::transport::requester::Requester;
use rust_hdl::prelude::Block;

/// What makes a block.
type Make = fn() -> Box<dyn Block>;

/// Each of those blocks. A `static`, because what only a `const` names is not compiled.
pub static SIZES: &[Make] = &[
    || Box::<HpccSlot<50, 6>>::default(),
    || Box::<HpccSlot<4096, 12>>::default(),
    || Box::<HpccSlot<8192, 13>>::default(),
    || Box::<PowerSlot<50, 6>>::default(),
    || Box::<PowerSlot<4096, 12>>::default(),
    || Box::<ThetaSlot<50, 6>>::default(),
    || Box::<ThetaSlot<4096, 12>>::default(),
    || Box::<DcqcnSlot<50, 6>>::default(),
    || Box::<DcqcnSlot<4096, 12>>::default(),
    || Box::<Scheduler<3, 5, 4, 3, 3, 1>>::default(),
    || Box::<Scheduler<3, 5, 4, 3, 3, 6>>::default(),
    || Box::<Scheduler<3, 5, 4, 3, 6, 1>>::default(),
    || Box::<Requester<150, 3>>::default(),
];
