//! What the registers of each law hold after reset: the paper's parameters at 100 Gb/s and 13 us.

use hpcc_models::cc::hpcc::HpccParams;
use hpcc_models::cc::powertcp::{PowerParams, Signal};
use hpcc_models::fixed::powertcp::PowerRegisters;
use hpcc_models::fixed::registers::SpeedRegisters;
use hpcc_models::fixed::HpccRegisters;

/// Code of HPCC, as in [`hpcc_models::fixed::LAWS`].
pub const HPCC: usize = 1;
/// Code of PowerTCP.
pub const POWERTCP: usize = 3;

/// Line rate after reset, bits per second.
const LINE_RATE: u64 = 100_000_000_000;
/// Base round-trip time after reset, ns.
const BASE_RTT_NS: u32 = 13_000;

/// HPCC: the paper's `eta`, `maxStage` and `W_AI`.
pub fn hpcc() -> HpccRegisters {
    HpccRegisters::new(&HpccParams::new(LINE_RATE, BASE_RTT_NS)).expect("the paper's parameters fit the formats")
}

/// PowerTCP: the paper's profile.
pub fn powertcp() -> PowerRegisters {
    PowerRegisters::new(&PowerParams::paper(Signal::Int, LINE_RATE, BASE_RTT_NS))
        .expect("the paper's parameters fit the formats")
}

/// The port-speed table of a law.
pub fn speeds(law: usize) -> [SpeedRegisters; 16] {
    match law {
        POWERTCP => powertcp().speeds,
        _ => hpcc().speeds,
    }
}
