//! Run-time registers of PowerTCP, written through [`crate::cc::slot::ConfigIn`], with the paper's profile at 100 Gb/s and 13 us after
//! reset.
//!
//! Addresses and widths: [`hpcc_models::fixed::powertcp::address`]. The port-speed table is a RAM beside each lane
//! ([`crate::cc::parts::speed_table`]), written by the same port.

use crate::cc::parts::reset;
use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, Limbs, U};
use crate::prim::word::bit_cast_word;
use crate::words::congestion::{PowerModes, PowerScalars};
use crate::{block, kernel};
use hpcc_models::fixed::powertcp::PowerRegisters;
use rust_hdl::prelude::*;

/// The scalars as the block holds them.
fn scalars(r: &PowerRegisters) -> PowerScalars {
    PowerScalars {
        mode: PowerModes::from_limbs(&[r.mode.bits()]),
        base_rtt: U(r.base_rtt.into()),
        base_rtt_shift: U(r.base_rtt_shift.into()),
        inverse_base_rtt: U(r.inverse_base_rtt),
        power_init: U(r.power_init),
        smallest_power: U(r.smallest_power),
        current_floor: U(r.current_floor),
        w_init: U(r.w_init),
        w_min: U(r.w_min),
        beta: U(r.beta),
        gamma: U(r.gamma),
        rate_per_window: U(r.rate_per_window),
        stale_limit: U(r.stale_limit.into()),
        unit_time: U(r.unit_time),
    }
}

/// Scalar registers: a write shows one clock later.
#[block]
pub struct PowerRegisterBlock {
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
    pub scalars: Signal<Out, PowerScalars>,
    #[init(Constant::new(scalars(&reset::powertcp())))]
    after_reset: Constant<PowerScalars>,
    /// Registers of the law.
    scalars_r: DFF<PowerScalars>,
}

#[kernel]
impl Logic for PowerRegisterBlock {
    fn update(&mut self) {
        scalars = scalars_r;
        if write {
            if address == 0 {
                scalars_r.mode = bit_cast_word::<PowerModes, U<48>>(data);
            }
            if address == 1 {
                scalars_r.base_rtt = bit_cast_u::<17, 48>(data);
            }
            if address == 2 {
                scalars_r.base_rtt_shift = bit_cast_u::<3, 48>(data);
            }
            if address == 3 {
                scalars_r.inverse_base_rtt = bit_cast_u::<34, 48>(data);
            }
            if address == 4 {
                scalars_r.power_init = data;
            }
            if address == 5 {
                scalars_r.smallest_power = data;
            }
            if address == 6 {
                scalars_r.current_floor = data;
            }
            if address == 7 {
                scalars_r.w_init = bit_cast_u::<34, 48>(data);
            }
            if address == 8 {
                scalars_r.w_min = bit_cast_u::<34, 48>(data);
            }
            if address == 9 {
                scalars_r.beta = bit_cast_u::<37, 48>(data);
            }
            if address == 10 {
                scalars_r.gamma = bit_cast_u::<34, 48>(data);
            }
            if address == 11 {
                scalars_r.rate_per_window = bit_cast_u::<34, 48>(data);
            }
            if address == 12 {
                scalars_r.stale_limit = bit_cast_u::<32, 48>(data);
            }
            if address == 13 {
                scalars_r.unit_time = bit_cast_u::<34, 48>(data);
            }
        }
        if reset {
            scalars_r = after_reset;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
