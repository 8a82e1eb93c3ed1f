//! What the laws of the hardware have in common, and their list: the one place from which every command takes their names.

use super::{FixedDcqcn, FixedHpcc, FixedPower};
use crate::cc::CongestionControl;

/// A law bit for bit as the hardware computes it: events in, updates out, and the writes that set it up.
pub trait FixedLaw: CongestionControl {
    /// Every register as `(address, data)`, in the order software writes them.
    fn writes(&self) -> Vec<(u8, u64)>;

    /// Third word of the slot's answer for a flow: what the law would have an observer look at (HPCC: utilisation over eta; PowerTCP:
    /// smoothed power over eta; DCQCN: alpha), in the hardware's bits.
    fn signal(&self, flow: u32) -> Option<u64>;
}

impl<A: super::arithmetic::Arithmetic> FixedLaw for FixedHpcc<A> {
    fn writes(&self) -> Vec<(u8, u64)> {
        self.registers().writes()
    }

    fn signal(&self, flow: u32) -> Option<u64> {
        self.state(flow).map(|state| state.c)
    }
}

impl FixedLaw for FixedPower {
    fn writes(&self) -> Vec<(u8, u64)> {
        self.registers().writes()
    }

    fn signal(&self, flow: u32) -> Option<u64> {
        self.state(flow).map(|state| state.power)
    }
}

impl FixedLaw for FixedDcqcn {
    fn writes(&self) -> Vec<(u8, u64)> {
        self.registers().writes()
    }

    fn signal(&self, flow: u32) -> Option<u64> {
        self.state(flow).map(|state| state.alpha)
    }
}

/// One law that has a fixed-point form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LawEntry {
    /// Name on the command line, in files and results.
    pub name: &'static str,
    /// Code in a queue pair's context; 0 is none.
    pub code: u8,
    /// Where the law's window of registers begins in the NIC's map.
    pub window: u16,
    /// Acknowledgements must carry INT.
    pub needs_int: bool,
    /// The law wants ticks.
    pub needs_ticks: bool,
    /// The law wants the time at which the acknowledged packet left.
    pub needs_send_times: bool,
}

/// The laws, in the order of their codes.
pub const LAWS: [LawEntry; 4] = [
    LawEntry {
        name: "hpcc",
        code: 1,
        window: 0x400,
        needs_int: true,
        needs_ticks: false,
        needs_send_times: false,
    },
    LawEntry {
        name: "dcqcn",
        code: 2,
        window: 0xa00,
        needs_int: false,
        needs_ticks: true,
        needs_send_times: false,
    },
    LawEntry {
        name: "powertcp",
        code: 3,
        window: 0xc00,
        needs_int: true,
        needs_ticks: false,
        needs_send_times: false,
    },
    LawEntry {
        name: "theta-powertcp",
        code: 4,
        window: 0xe00,
        needs_int: false,
        needs_ticks: false,
        needs_send_times: true,
    },
];

impl LawEntry {
    /// The law of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        LAWS.iter().find(|law| law.name == name)
    }
}
