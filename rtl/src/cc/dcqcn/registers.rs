//! Run-time registers of DCQCN, written through [`crate::cc::slot::ConfigIn`], with the SIGCOMM paper's profile at 100 Gb/s after reset.
//!
//! Addresses and widths: [`hpcc_models::fixed::dcqcn::address`].

use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, Limbs, U};
use crate::prim::word::bit_cast_word;
use crate::words::dcqcn::{DcqcnModes, DcqcnScalars};
use crate::{block, kernel};
use hpcc_models::cc::dcqcn::DcqcnParams;
use hpcc_models::fixed::dcqcn::DcqcnRegisters;
use rust_hdl::prelude::*;

/// Line rate after reset, bits per second.
const LINE_RATE: u64 = 100_000_000_000;
/// First window after reset, bytes: the line rate times 13 us. It counts only with the mode bit for a window.
const W_INIT: f64 = 162_500.0;

/// What the registers hold after reset.
pub fn after_reset() -> DcqcnRegisters {
    DcqcnRegisters::new(&DcqcnParams::sigcomm(LINE_RATE, W_INIT), false)
        .expect("the paper's parameters fit the formats")
}

/// The scalars as the block holds them.
pub fn scalars(r: &DcqcnRegisters) -> DcqcnScalars {
    DcqcnScalars {
        mode: DcqcnModes::from_limbs(&[r.mode.bits()]),
        gain: U(r.gain),
        alpha_interval: U(r.alpha_interval.into()),
        cut_interval: U(r.cut_interval.into()),
        increase_interval: U(r.increase_interval.into()),
        byte_reset: U(r.byte_reset.into()),
        fast_recovery: U(r.fast_recovery.into()),
        rate_ai: U(r.rate_ai),
        rate_hai: U(r.rate_hai),
        min_rate: U(r.min_rate),
        line_rate: U(r.line_rate),
        first_rate: U(r.first_rate),
        min_decrease: U(r.min_decrease),
        window_time: U(r.window_time),
        walk: U(r.walk.into()),
    }
}

/// Scalar registers: a write shows one clock later.
#[block]
pub struct DcqcnRegisterBlock {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: takes the reset values.
    pub reset: Signal<In, Bit>,
    /// Write this clock.
    pub write: Signal<In, Bit>,
    /// Register.
    pub address: Signal<In, U<6>>,
    /// Value.
    pub data: Signal<In, U<48>>,
    /// All of them.
    pub scalars: Signal<Out, DcqcnScalars>,
    #[init(Constant::new(scalars(&after_reset())))]
    reset_values: Constant<DcqcnScalars>,
    /// Registers of the law.
    scalars_r: DFF<DcqcnScalars>,
}

#[kernel]
impl Logic for DcqcnRegisterBlock {
    fn update(&mut self) {
        scalars = scalars_r;
        if write {
            if address == 0 {
                scalars_r.mode = bit_cast_word::<DcqcnModes, U<48>>(data);
            }
            if address == 1 {
                scalars_r.gain = bit_cast_u::<20, 48>(data);
            }
            if address == 2 {
                scalars_r.alpha_interval = bit_cast_u::<20, 48>(data);
            }
            if address == 3 {
                scalars_r.cut_interval = bit_cast_u::<20, 48>(data);
            }
            if address == 4 {
                scalars_r.increase_interval = bit_cast_u::<20, 48>(data);
            }
            if address == 5 {
                scalars_r.byte_reset = bit_cast_u::<26, 48>(data);
            }
            if address == 6 {
                scalars_r.fast_recovery = bit_cast_u::<5, 48>(data);
            }
            if address == 7 {
                scalars_r.rate_ai = bit_cast_u::<34, 48>(data);
            }
            if address == 8 {
                scalars_r.rate_hai = bit_cast_u::<34, 48>(data);
            }
            if address == 9 {
                scalars_r.min_rate = bit_cast_u::<34, 48>(data);
            }
            if address == 10 {
                scalars_r.line_rate = bit_cast_u::<34, 48>(data);
            }
            if address == 11 {
                scalars_r.first_rate = bit_cast_u::<34, 48>(data);
            }
            if address == 12 {
                scalars_r.min_decrease = bit_cast_u::<8, 48>(data);
            }
            if address == 13 {
                scalars_r.window_time = bit_cast_u::<34, 48>(data);
            }
            if address == 14 {
                scalars_r.walk = bit_cast_u::<8, 48>(data);
            }
        }
        if reset {
            scalars_r = reset_values;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
