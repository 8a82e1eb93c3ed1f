//! The slot in RTL as a run asks for it. The crate has no RTL: the program that has one says how a slot is made.

use hpcc_models::cc::CongestionControl;
use hpcc_models::net::CcSlot;
use std::sync::OnceLock;

/// Clock period of the hardware, ns.
const CLOCK_NS: u64 = 5;

/// From an acknowledgement to its window in the hardware, clocks: that of the law's RTL, or HPCC's where it has none.
pub fn latency_clocks(law: &str) -> u64 {
    match law {
        "dcqcn" => 27,
        "powertcp" => 77,
        "theta-powertcp" => 80,
        _ => 62,
    }
}

/// [`latency_clocks`] in ns.
pub fn latency_ns(law: &str) -> u64 {
    latency_clocks(law) * CLOCK_NS
}

/// How the RTL runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Driver {
    /// RustHDL, clock by clock: needs nothing but Rust.
    #[default]
    Rusthdl,
    /// The emitted Verilog through Verilator: for long runs.
    Verilated,
}

/// The fixed-point law beside a module: when the module wants a tick, and which events it answers.
pub type Beside = Box<dyn CongestionControl>;

/// Makes the slot of a law, by its name in RTL, with the registers that its parameters give as `(address, data)`, and the law in fixed point
/// beside it.
pub type MakeSlot =
    fn(law: &str, writes: &[(u8, u64)], driver: Driver, beside: Beside) -> Result<Box<dyn CcSlot>, String>;

static MAKE: OnceLock<MakeSlot> = OnceLock::new();

/// Makes slots of this process with `make`.
pub(crate) fn install(make: MakeSlot) {
    MAKE.get_or_init(|| make);
}

/// Makes a slot; an error where the program has no RTL.
pub(super) fn make(law: &str, writes: &[(u8, u64)], driver: Driver, beside: Beside) -> Result<Box<dyn CcSlot>, String> {
    match MAKE.get() {
        Some(make) => make(law, writes, driver, beside),
        None => Err("fidelity: expected golden or fixed: this program has no RTL".into()),
    }
}
