//! What the laws of the hardware have in common, and their list: the one place from which every command takes their names.

use super::arithmetic::rate;
use super::{FixedDcqcn, FixedHpcc, FixedPower};
use crate::cc::CongestionControl;

/// A law bit for bit as the hardware computes it: events in, updates out, and the writes that set it up.
pub trait FixedLaw: CongestionControl {
    /// Every register as `(address, data)`, in the order software writes them.
    fn writes(&self) -> Vec<(u8, u64)>;

    /// What the hardware answers for a flow in its present state; `None` if the flow does not exist.
    fn answer(&self, flow: u32) -> Option<Answer>;
}

/// The slot's answer in the hardware's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Window, UQ23.11 bytes.
    pub window: u64,
    /// Rate, UQ7.27 bytes per ns.
    pub rate: u64,
    /// What the law would have an observer look at (HPCC: utilisation over eta, UQ17.34; PowerTCP: smoothed power over eta, UQ20.31;
    /// DCQCN: alpha).
    pub signal: u64,
}

impl<A: super::arithmetic::Arithmetic> FixedLaw for FixedHpcc<A> {
    fn writes(&self) -> Vec<(u8, u64)> {
        self.registers().writes()
    }

    fn answer(&self, flow: u32) -> Option<Answer> {
        self.state(flow).map(|state| Answer {
            window: state.w,
            rate: rate(state.w, self.registers().rate_per_window),
            signal: state.c,
        })
    }
}

impl FixedLaw for FixedPower {
    fn writes(&self) -> Vec<(u8, u64)> {
        self.registers().writes()
    }

    fn answer(&self, flow: u32) -> Option<Answer> {
        self.state(flow).map(|state| Answer {
            window: self.registers().window_out(state),
            rate: rate(state.current, self.registers().rate_per_window),
            signal: state.power,
        })
    }
}

impl FixedLaw for FixedDcqcn {
    fn writes(&self) -> Vec<(u8, u64)> {
        self.registers().writes()
    }

    fn answer(&self, flow: u32) -> Option<Answer> {
        self.state(flow).map(|state| Answer {
            window: self.registers().window(state.rc),
            rate: state.rc,
            signal: state.alpha,
        })
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
