//! The blocks that are emitted under names of their own; everything below them follows.

use crate::cc::dcqcn::DcqcnSlot;
use crate::cc::hpcc::HpccSlot;
use crate::cc::powertcp::PowerSlot;
use crate::cc::theta::ThetaSlot;
use crate::emit::{EmitError, Library};
use crate::nic::Nic;
use crate::prim::divider::{Divider, DividerRadix4};
use crate::prim::reciprocal::{PaperReciprocal, Reciprocal};
use crate::sched::{LargeScheduler, PaperScheduler};
use crate::sim::on_a_large_stack;
use crate::switch::IntStamper;
use crate::words::list;
use rust_hdl::prelude::Block;

/// A block that integrators instantiate.
pub struct Top {
    /// Module name.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Makes the block with the parameters that are emitted.
    make: fn() -> Box<dyn Block>,
}

impl Top {
    /// Makes the block and does `work` with it, both [on a large stack](on_a_large_stack).
    pub fn with<T: Send>(&self, work: impl FnOnce(&mut dyn Block) -> T + Send) -> Result<T, EmitError> {
        Ok(on_a_large_stack(|| work((self.make)().as_mut()))?)
    }

    /// Adds the top and all modules below it to a library.
    pub fn add_to(&self, library: &mut Library) -> Result<(), EmitError> {
        self.with(|block| library.add_top(self.name, block))?
    }
}

/// The main top: the NIC with every law that has RTL; each queue pair chooses one.
pub const NIC: Top = Top {
    name: "hpcc_nic",
    about: "the whole NIC, 148 queue pairs, 300 flows, 512-bit streams: HPCC, DCQCN, PowerTCP and theta-PowerTCP, chosen by the queue pair",
    make: || Box::<Nic>::default(),
};

/// The NIC with the paper's law alone.
pub const NIC_HPCC: Top = Top {
    name: "hpcc_nic_hpcc",
    about: "the whole NIC with HPCC alone, the same ports",
    make: || Box::<Nic<1, 0, 0, 0>>::default(),
};

/// Every top, the main one first. A name must not be that of any block below.
pub const TOPS: &[Top] = &[
    NIC,
    Top {
        name: "hpcc_cc",
        about: "congestion-control slot filled by HPCC, 300 flows",
        make: || Box::<HpccSlot<300, 9>>::default(),
    },
    Top {
        name: "hpcc_cc_powertcp",
        about: "congestion-control slot filled by PowerTCP, 300 flows",
        make: || Box::<PowerSlot<300, 9>>::default(),
    },
    Top {
        name: "hpcc_cc_theta",
        about: "congestion-control slot filled by theta-PowerTCP, 300 flows",
        make: || Box::<ThetaSlot<300, 9>>::default(),
    },
    Top {
        name: "hpcc_cc_dcqcn",
        about: "congestion-control slot filled by DCQCN's reaction point, 300 flows",
        make: || Box::<DcqcnSlot<300, 9>>::default(),
    },
    Top {
        name: "hpcc_int_stamper",
        about: "INT stamper of one switch port, 512-bit AXI4-Stream",
        make: || Box::<IntStamper>::default(),
    },
    Top {
        name: "hpcc_scheduler",
        about: "flow scheduler, six engines by fifty flows",
        make: || Box::<PaperScheduler>::default(),
    },
    Top {
        name: "hpcc_scheduler_large",
        about: "flow scheduler, six engines by 683 flows in rows of fixed delay",
        make: || Box::<LargeScheduler>::default(),
    },
    Top {
        name: "hpcc_reciprocal",
        about: "1/n of 24 bits, interpolated: one result a clock",
        make: || Box::<Reciprocal>::default(),
    },
    Top {
        name: "hpcc_reciprocal_paper",
        about: "1/n for n to 2^22 from the paper's table, same ports",
        make: || Box::<PaperReciprocal>::default(),
    },
    Top {
        name: "hpcc_divider",
        about: "24 by 24 bits, one quotient bit a clock",
        make: || Box::<Divider>::default(),
    },
    Top {
        name: "hpcc_divider_radix4",
        about: "24 by 24 bits, two quotient bits a clock",
        make: || Box::<DividerRadix4>::default(),
    },
    // behind what it has inside, so that this keeps its own names
    NIC_HPCC,
];

/// The top of a name.
pub fn find(name: &str) -> Option<&'static Top> {
    TOPS.iter().find(|top| top.name == name)
}

/// All modules of all tops, the main top first.
///
/// The main top is added last: what it has inside that is a top too then goes by that top's name, not by a second one.
pub fn library() -> Result<Library, EmitError> {
    let mut library = Library::new();
    for top in TOPS[1..].iter().chain(&TOPS[..1]) {
        top.add_to(&mut library)?;
    }
    library.lead_with(NIC.name);
    for word in list::of_users() {
        library.declare(&word)?;
    }
    Ok(library)
}
